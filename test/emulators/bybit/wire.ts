/**
 * The description of an endpoint of Bybit v5 (one row each: parameters, rate, permission, source; the README
 * prints them and the request handler uses them), and the exchange's refusals. Nothing here decides anything.
 */
import type { Params } from './params.ts';

/** Categories that the emulator trades; `inverse` and `option` have no symbols. */
export type Category = 'spot' | 'linear';

/** The permission that a key needs. Source: user/apikey-info.mdx `permissions`. */
export type Right = 'read' | 'SpotTrade' | 'Order' | 'Position' | 'AccountTransfer' | 'ExchangeHistory';

/** A refusal of the exchange: a code inside a body of HTTP 200, unless `status` says otherwise. */
export class Refusal extends Error {
  readonly retCode: number;
  readonly result: unknown;

  constructor(retCode: number, retMsg: string, result: unknown = {}) {
    super(retMsg);
    this.retCode = retCode;
    this.result = result;
  }
}

/** A refusal of the gate in front, before any JSON: 401, 403, 404. */
export class GateRefusal extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

/** A request whose sender is known. */
export interface Call {
  readonly params: Params;
  /** The account's name; '' for endpoints without a key. */
  readonly account: string;
  readonly apiKey: string;
}

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly security: 'none' | 'signed';
  /** Permission, by the category in the request if it depends on that. */
  readonly right?: Right | Readonly<Record<Category, Right>>;
  /**
   * Names separated by spaces; those with `!` are required. Texts, unless marked: `:i` whole number, `:b`
   * true or false, `:[]` texts. In a query everything is text.
   */
  readonly parameters: string;
  /** Requests per second and account; left out: counted by address alone. */
  readonly perSecond?: number | Readonly<Record<Category, number>>;
  readonly source: string;
  /** `result` of the answer; throws Refusal. */
  handle(call: Call): unknown;
}
