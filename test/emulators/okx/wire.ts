/**
 * How an endpoint is described, what comes with a request and what the exchange says no with: one row an endpoint with its
 * parameters, rate limit and source, which the README prints and the request handler goes by. Nothing here decides anything.
 */
import type { Params } from './params.ts';

export type InstType = 'SPOT' | 'SWAP';
export type Permission = 'read_only' | 'trade' | 'withdraw';

/** What the exchange says no with: thrown by whatever handles a request, caught in one place. Codes are texts, as on the wire. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  /** The part behind the underscore in the list of codes: `1000` of 51008_1000. */
  readonly subCode: string;

  constructor(code: string, message: string, status = 200, subCode = '') {
    super(message);
    this.code = code;
    this.status = status;
    this.subCode = subCode;
  }
}

/** A request whose sender is known; '' for endpoints without a key. */
export interface Call {
  readonly params: Params;
  readonly account: string;
  readonly apiKey: string;
}

/** What the count of a rate limit belongs to, as the documents say it. */
export type LimitRule = 'ip' | 'ip+type' | 'ip+inst' | 'user' | 'user+inst' | 'user+tag';

interface Described {
  readonly path: string;
  /** Documented as readable without a key, or for keys with this permission. */
  readonly permission: 'public' | Permission;
  /**
   * Names that are documented, separated by spaces. `!` must be there, `?` a JSON boolean, `[` a JSON array. Others are not read,
   * as on the real exchange; the emulator notes them (`oddities`).
   */
  readonly parameters: string;
  /** Requests within so many ms; of lists: rows. */
  readonly limit: readonly [count: number, withinMs: number];
  readonly rule: LimitRule;
  readonly source: string;
}

/** An answer of plain data. */
export interface PlainEndpoint extends Described {
  readonly method: 'GET' | 'POST';
  /** The `data` of the answer; throws Refusal. */
  handle(call: Call): readonly unknown[];
}

/** An answer whose rows carry `sCode` and `sMsg`: each may be refused alone. */
export interface RowsEndpoint extends Described {
  readonly method: 'POST';
  /** The body is a list of at most so many; null: it is one object. */
  readonly rowsMax: number | null;
  /** It heeds the header `expTime`. */
  readonly expires: boolean;
  /** Counts on the limit of a sub-account (1000 / 2 s). */
  readonly countsForAccount: boolean;
  /** Shares the count of this path while there is one row. */
  readonly single?: string;
  /** One row, without `sCode`; throws Refusal. */
  row(call: Call): Record<string, unknown>;
  /** What stands in the row of one that was refused, beside code and message. */
  refused(params: Params): Record<string, unknown>;
  /** Whether the answer carries `inTime` and `outTime`. */
  readonly isTimed: boolean;
}

export type Endpoint = PlainEndpoint | RowsEndpoint;

export const isRows = (endpoint: Endpoint): endpoint is RowsEndpoint => 'row' in endpoint;
