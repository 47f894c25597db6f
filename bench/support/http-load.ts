/**
 * A minimal load generator: requests are prepared bytes, one at a time on each of several keep-alive
 * connections; answers are only timed and counted by status. It must run in another process than the server.
 */
import { connect, type Socket } from 'node:net';

export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds from the request's first byte to the answer's last. */
  readonly latencies: readonly number[];
}

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends every request once. Rejects when an answer is not 200. */
export async function sendAll(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<LoadResult> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const latencies: number[] = [];
  let next = 0;
  const take = () => requests[next++];
  const startedAt = performance.now();
  try {
    await Promise.all(sockets.map((socket) => work(socket, take, latencies)));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return { perSecond: (requests.length / (performance.now() - startedAt)) * 1_000, latencies };
}

function open(port: number): Promise<Socket> {
  return new Promise((done, fail) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.once('connect', () => done(socket));
    socket.once('error', fail);
  });
}

function work(socket: Socket, take: () => Buffer | undefined, latencies: number[]): Promise<void> {
  return new Promise((done, fail) => {
    let pending: Buffer | null = null;
    let sentAt = 0;
    const send = () => {
      const request = take();
      if (!request) return done();
      sentAt = performance.now();
      socket.write(request);
    };
    socket.on('data', (chunk) => {
      pending = pending ? Buffer.concat([pending, chunk]) : chunk;
      const headEnd = pending.indexOf(HEAD_END);
      if (headEnd < 0) return;
      const head = pending.toString('latin1', 0, headEnd);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < headEnd + HEAD_END.length + length) return;
      if (!head.startsWith('HTTP/1.1 200')) return fail(new Error(pending.toString('utf8')));
      latencies.push(performance.now() - sentAt);
      pending = null;
      send();
    });
    socket.once('error', fail);
    socket.once('close', () => fail(new Error('the server closed a connection')));
    send();
  });
}
