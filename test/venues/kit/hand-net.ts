/**
 * A network controlled by a test: requests wait until the test answers them, and sockets do what the test
 * says.
 */
import type {
  Net,
  SocketEvents,
  SocketRequest,
  WireAnswer,
  WireRequest,
  WireSocket,
} from '../../../src/venues/kit/net.ts';

export interface HandRequest {
  readonly request: WireRequest;
  answer(answer: WireAnswer): void;
}

export interface HandSocket {
  readonly request: SocketRequest;
  readonly events: SocketEvents;
  readonly sent: string[];
  /** True once the desk has closed it. */
  isClosed: boolean;
}

export class HandNet implements Net {
  readonly requests: HandRequest[] = [];
  readonly sockets: HandSocket[] = [];

  request(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve) => this.requests.push({ request, answer: resolve }));
  }

  socket(request: SocketRequest, events: SocketEvents): WireSocket {
    const one: HandSocket = { request, events, sent: [], isClosed: false };
    this.sockets.push(one);
    return {
      send: (text) => {
        if (!one.isClosed) one.sent.push(text);
        return !one.isClosed;
      },
      close: () => {
        one.isClosed = true;
      },
    };
  }
}

export function answered(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): WireAnswer {
  return { kind: 'answer', status, headers, body: typeof body === 'string' ? body : JSON.stringify(body) };
}
