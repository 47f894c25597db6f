/**
 * The requests that an adapter can send, as data: `docs/exchanges.md` prints them, and `caller.ts` sends
 * nothing that is not in a list. One list for each exchange, `venues/<exchange>/requests.ts`.
 */
import type { Cost } from './budget.ts';

export interface RequestForm {
  /** For people: `place an order`. */
  readonly name: string;
  /** The endpoint it goes to, as in `[exchanges.NAME.endpoints]`: `spot-rest`. */
  readonly endpoint: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'WS';
  /**
   * `/api/v3/order`; for a message on a socket its method or stream: `userDataStream.subscribe.signature`.
   */
  readonly path: string;
  /** Every parameter that it may carry, except those of the signature. */
  readonly parameters: readonly string[];
  /** `key`: sends the API key without a signature. */
  readonly security: 'none' | 'key' | 'signed';
  /** Its weight in words, for the table: `weight 4`, `weight 0, 1 order`. */
  readonly weight: string;
  /** Returns what the request uses of the budgets; `uid`: the user whose budgets they are. */
  costs(parameters: Readonly<Record<string, string>>, uid: string): readonly Cost[];
  readonly source: string;
}
