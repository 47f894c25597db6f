/**
 * The description of an endpoint (one row each with its parameters, rate limit and source, which the README
 * prints and the request handler uses), the content of a request, and the exchange's refusals. Nothing here
 * decides anything.
 */
import type { Params } from './params.ts';

export type InstType = 'SPOT' | 'SWAP';
export type Permission = 'read_only' | 'trade' | 'withdraw';

/**
 * A refusal of the exchange: thrown by any handler of a request, caught in one place. Codes are texts, as on
 * the wire.
 */
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

/** The key of a rate limit's count, in the documents' words. */
export type LimitRule = 'ip' | 'ip+type' | 'ip+inst' | 'user' | 'user+inst' | 'user+tag';

interface Described {
  readonly path: string;
  /** Readable without a key, or for keys with this permission, as documented. */
  readonly permission: 'public' | Permission;
  /**
   * Documented names, separated by spaces. `!`: required, `?`: a JSON boolean, `[`: a JSON array. Other names
   * are ignored, as on the real exchange; the emulator notes them (`oddities`).
   */
  readonly parameters: string;
  /** Requests within that many ms; for lists: rows. */
  readonly limit: readonly [count: number, withinMs: number];
  readonly rule: LimitRule;
  readonly source: string;
}

/** An endpoint with plain data. */
export interface PlainEndpoint extends Described {
  readonly method: 'GET' | 'POST';
  /** The `data` of the answer; throws Refusal. */
  handle(call: Call): readonly unknown[];
}

/** An endpoint whose rows have `sCode` and `sMsg`: each may be refused alone. */
export interface RowsEndpoint extends Described {
  readonly method: 'POST';
  /** Most objects in the body's list; null: the body is one object. */
  readonly rowsMax: number | null;
  /** Whether it obeys the header `expTime`. */
  readonly expires: boolean;
  /** Counts on the limit of a sub-account (1000 / 2 s). */
  readonly countsForAccount: boolean;
  /** The path whose count a list with one row shares. */
  readonly single?: string;
  /** Handles one row, without `sCode`; throws Refusal. */
  row(call: Call): Record<string, unknown>;
  /** Further fields in the row of a refused one. */
  refused(params: Params): Record<string, unknown>;
  /** Whether the answer carries `inTime` and `outTime`. */
  readonly isTimed: boolean;
}

export type Endpoint = PlainEndpoint | RowsEndpoint;

export const isRows = (endpoint: Endpoint): endpoint is RowsEndpoint => 'row' in endpoint;
