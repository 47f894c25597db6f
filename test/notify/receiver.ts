/** A server on loopback that records its requests and answers as the test says. Closed after the test. */
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { createServer as createTls } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { AlertMessage, Sending, Target } from '../../src/notify/target.ts';
import { afterEachTest } from '../support/after-each.ts';
import type { TestCertificate } from '../support/certificate.ts';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: Parameters<RequestListener>[1], nth: number) => void;

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Connections so far. */
  readonly sockets: Set<Socket>;
  /** Sets how requests are answered from now on. */
  answer(how: Answer | number, headers?: Record<string, string>): void;
  /** Resolves with the n-th request, from 1. */
  request(nth: number): Promise<Received>;
  /** Ends every connection, answered or not. */
  hangUp(): void;
}

const closers: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const close of closers.splice(0)) await close();
});

/** Registers a target to be closed after the test. */
export function closing<T extends Target>(target: T): T {
  closers.push(() => target.close());
  return target;
}

export async function openReceiver(certificate?: TestCertificate): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { nth: number; resolve: (one: Received) => void }[] = [];
  let answer: Answer = (response) => response.end();
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    received.push({ method, url, headers, body: Buffer.concat(chunks).toString('utf8') });
    answer(response, received.length);
    for (const { nth, resolve } of waiting)
      if (nth <= received.length) resolve(received[nth - 1] as Received);
  };
  const server: Server = certificate ? createTls(certificate, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http${certificate ? 's' : ''}://127.0.0.1:${port}`,
    received,
    sockets,
    answer(how, headers = {}) {
      answer = typeof how === 'number' ? (response) => response.writeHead(how, headers).end() : how;
    },
    hangUp: () => server.closeAllConnections(),
    request: (nth) =>
      new Promise((resolve) => {
        const known = received[nth - 1];
        if (known) resolve(known);
        else waiting.push({ nth, resolve });
      }),
  };
}

export const ALERT: AlertMessage = {
  id: 'k3v0a1b2c3d4',
  bot: 'bot-1',
  run: 'run-1',
  symbol: 'BTCUSDT',
  condition: 'range[0]',
  message: 'BTCUSDT has crossed 61234.5 upwards – "at last"',
  price: '61234.5',
  time: Date.UTC(2026, 0, 5, 1, 2, 3),
  market: Date.UTC(2025, 1, 3, 2, 4, 0),
};

export const NOW = Date.UTC(2026, 0, 5, 1, 2, 5);

/** Options of a delivery attempt that is not aborted. */
export function sending(signal: AbortSignal = new AbortController().signal): Sending {
  return { now: NOW, signal };
}

/** Statuses that are final; `PASSING` has those after which a delivery is tried again. */
export const FINAL = [300, 304, 400, 401, 403, 404, 405, 409, 410, 413, 418, 422, 451] as const;
export const PASSING = [408, 425, 429, 500, 501, 502, 503, 504, 599] as const;
