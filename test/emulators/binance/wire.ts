/**
 * Input and output of the emulator, and the description of an endpoint: one row each with its parameters,
 * weight and source, which the README prints and the request handler uses. Nothing here decides anything.
 */
import type { Params } from './params.ts';

export type {
  EmulatorAnswer,
  EmulatorRequest,
  SocketPeer,
  SocketSession,
} from '../kit/wire.ts';

export type Kind = 'spot' | 'futures';

/** A refusal of the exchange: thrown by any handler of a request, caught in one place. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Beside code and message: `cancelReplace` puts both answers here. */
  readonly data: unknown;

  constructor(
    code: number,
    message: string,
    status = 400,
    headers: Readonly<Record<string, string>> = {},
    data?: unknown,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.headers = headers;
    this.data = data;
  }

  body(): Record<string, unknown> {
    const body: Record<string, unknown> = { code: this.code, msg: this.message };
    if (this.data !== undefined) body.data = this.data;
    return body;
  }
}

/** A request whose sender is known. */
export interface Call {
  readonly params: Params;
  /** The account's name; '' for endpoints without a key. */
  readonly account: string;
  readonly apiKey: string;
}

export type Right = 'read' | 'spot' | 'futures';

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly security: 'none' | 'key' | 'signed';
  readonly right?: Right;
  /**
   * Names that are read, separated by spaces; those with `!` are required. `timestamp`, `recvWindow`,
   * `signature` need no mention.
   */
  readonly parameters: string;
  weight(params: Params): number;
  /** Weight of a request that succeeds, where it differs (spot orders cost nothing). */
  readonly weightOfSuccess?: number;
  /** Number of orders that it counts on the order limits. */
  readonly orders?: number;
  readonly source: string;
  /** The body of a 200; throws Refusal. */
  handle(call: Call): unknown;
}
