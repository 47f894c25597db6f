/**
 * How an endpoint of Bybit v5 is described (one row each: parameters, rate, right, source; the README prints them and the request
 * handler goes by them), and what the exchange says no with. Nothing here decides anything.
 */
import type { Params } from './params.ts';

/** What the emulator trades; `inverse` and `option` have nothing in them. */
export type Category = 'spot' | 'linear';

/** What a key must be allowed for. Source: user/apikey-info.mdx `permissions`. */
export type Right = 'read' | 'SpotTrade' | 'Order' | 'Position' | 'AccountTransfer' | 'ExchangeHistory';

/** What the exchange says no with: a code inside a body of HTTP 200, unless the status says more. */
export class Refusal extends Error {
  readonly retCode: number;
  readonly result: unknown;

  constructor(retCode: number, retMsg: string, result: unknown = {}) {
    super(retMsg);
    this.retCode = retCode;
    this.result = result;
  }
}

/** What the gate in front says, before there is any JSON: 401, 403, 404. */
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
  /** Of the category in the request, where it depends on it. */
  readonly right?: Right | Readonly<Record<Category, Right>>;
  /**
   * Names separated by spaces; those with `!` must be there. Texts, unless it says otherwise: `:i` whole number, `:b` true or false,
   * `:[]` texts. In a query everything is text.
   */
  readonly parameters: string;
  /** Requests a second and account; absent: counted on the address alone. */
  readonly perSecond?: number | Readonly<Record<Category, number>>;
  readonly source: string;
  /** `result` of the answer; throws Refusal. */
  handle(call: Call): unknown;
}
