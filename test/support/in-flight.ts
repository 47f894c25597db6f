/**
 * Requests over real sockets beside a virtual clock. Bytes that one process writes to another of its own
 * sockets arrive in real time, and late on a busy machine: virtual time that moved on meanwhile would be over
 * before the request has come. While a request is on its way, `delivered` waits until a byte written now has
 * made the same way and back.
 */
import { connect, createServer, type Socket } from 'node:net';

let onTheirWay = 0;
let echo: Promise<Socket> | null = null;

/** Counts a request as on its way until its response is there. */
export async function onItsWay<T>(request: Promise<T>): Promise<T> {
  onTheirWay++;
  try {
    return await request;
  } finally {
    onTheirWay--;
  }
}

/**
 * Waits until bytes written to sockets before have come to their other ends; true when a request was on its
 * way.
 */
export async function delivered(): Promise<boolean> {
  if (onTheirWay === 0) return false;
  echo ??= openEcho();
  const socket = await echo;
  await new Promise<void>((back) => {
    socket.once('data', () => back());
    socket.write('.');
  });
  return true;
}

/** Opens a connection of the process to itself, which does not keep the process alive. */
async function openEcho(): Promise<Socket> {
  const server = createServer((far) => {
    far.setNoDelay();
    far.unref();
    far.pipe(far);
  });
  server.unref();
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the echo listens nowhere');
  const socket = connect(address.port, '127.0.0.1');
  socket.setNoDelay();
  await new Promise((connected) => socket.once('connect', connected));
  socket.unref();
  return socket;
}
