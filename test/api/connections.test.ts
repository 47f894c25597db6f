/**
 * How a connection is answered when several errors occur on it at once: the due answers first, then one last
 * answer.
 */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { Connections } from '../../src/api/connections.ts';

const BAD = { status: 400, code: 'INVALID_REQUEST', message: 'no request' } as const;
const LARGE = { status: 413, code: 'INVALID_REQUEST', message: 'too large' } as const;

function connection() {
  const socket = new PassThrough();
  const connections = new Connections(() => ({ headers: {}, refusal: null }) as never, 3);
  /** A request. `complete`: it has arrived whole and is being handled. */
  const request = (complete: boolean) => ({ socket, complete, resume() {} }) as unknown as IncomingMessage;
  const written = () => String(socket.read() ?? '');
  return { socket, connections, request, written };
}

it('is the first refusal, and no other after it', () => {
  const { socket, connections, request, written } = connection();
  const answered = connections.begin(request(true), {});
  const partly = request(false);
  connections.begin(partly, {});
  connections.refuse(socket, BAD);
  connections.refuseRequest(partly, LARGE);
  connections.refuse(socket, LARGE);
  // The first request is still being handled: its answer goes first.
  expect([written(), connections.isClosing(socket)]).toEqual(['', true]);
  answered();
  expect(written()).toMatch(/^HTTP\/1\.1 400 /);
  connections.refuse(socket, LARGE);
  expect(written()).toBe('');
});

it('comes after the answers of all requests that are worked on, whichever is answered first', () => {
  const { socket, connections, request, written } = connection();
  const [first, second] = [1, 2].map(() => connections.begin(request(true), {}));
  const answeredPartly = connections.begin(request(false), {});
  connections.refuse(socket, BAD);
  second?.();
  expect(written()).toBe('');
  first?.();
  expect(written()).toMatch(/^HTTP\/1\.1 400 /);
  answeredPartly();
  expect(written()).toBe('');
});

it('may make so many requests and not one more', () => {
  const { socket, connections, request } = connection();
  const full = [1, 2, 3].map(() => {
    connections.begin(request(true), {})();
    return connections.isFull(socket);
  });
  expect(full).toEqual([false, false, true]);
  expect(connections.isBusy(socket)).toBe(false);
});
