/**
 * Requests over real sockets beside a virtual clock. What one process writes to another socket of its own arrives in real
 * time, and on a busy machine late: virtual time that went on meanwhile would be over before the request has come. While a
 * request is on its way, `delivered` waits until a byte written now has made the same way and back.
 */
import { connect, createServer, type Socket } from 'node:net';

let onTheirWay = 0;
let echo: Promise<Socket> | null = null;

/** Counts a request until its answer is there. */
export async function onItsWay<T>(request: Promise<T>): Promise<T> {
  onTheirWay++;
  try {
    return await request;
  } finally {
    onTheirWay--;
  }
}

/** True when something was on its way: what had been written to sockets before has come to their other ends. */
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

/** A connection to itself, which keeps no process alive. */
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
