/**
 * The requests that an adapter can send, as data: `docs/exchanges.md` prints them, and what is not in a list cannot be sent
 * (`caller.ts` sends nothing else). One list an exchange, `venues/<exchange>/requests.ts`.
 */
import type { Cost } from './budget.ts';

export interface RequestForm {
  /** For people: `place an order`. */
  readonly name: string;
  /** The endpoint it goes to, as in `[exchanges.NAME.endpoints]`: `spot-rest`. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'WS';
  /** `/api/v3/order`; of a message on a socket its method or stream: `userDataStream.subscribe.signature`. */
  readonly path: string;
  /** Every parameter that it may carry, but those of the signature. */
  readonly parameters: readonly string[];
  /** `key`: names the key without a signature. */
  readonly security: 'none' | 'key' | 'signed';
  /** What it uses, in words for the table: `weight 4`, `weight 0, 1 order`. */
  readonly weight: string;
  /** What it uses of the budgets; `uid`: whose. */
  costs(parameters: Readonly<Record<string, string>>, uid: string): readonly Cost[];
  readonly source: string;
}
