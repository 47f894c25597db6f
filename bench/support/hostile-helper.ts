/**
 * A hostile client in a process of its own, at 127.0.0.1: each command attacks once and returns the result.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { answerCommands } from './answering.ts';

const BLANKS = 15_500;
const REQUESTS = 100;
const CONNECTIONS = 11_000;
/** Connections opened within one turn: the size of the kernel's queue of new connections. */
const AT_ONCE = 250;
const SLOW_BODIES = 200;
const FLOOD_SOCKETS = 20;

answerCommands({
  blanks: ({ port, ms }: { port: number; ms: number }) => holding(ms, (all) => blanks(port, all)),
  connections: ({ port, ms }: { port: number; ms: number }) => holding(ms, (all) => connections(port, all)),
  slowBodies: ({ port, ms }: { port: number; ms: number }) => holding(ms, (all) => slowBodies(port, all)),
  badSignatures: ({ port, ms }: { port: number; ms: number }) => flood(port, ms),
});

/** Keeps an attack's connections open for a while, and returns how many of them the desk kept alive. */
async function holding(ms: number, attack: (all: Socket[]) => Promise<void>): Promise<number> {
  const all: Socket[] = [];
  const end = setTimeout(ms);
  await attack(all);
  await end;
  const alive = all.filter((socket) => socket.readyState === 'open').length;
  for (const socket of all) socket.destroy();
  return alive;
}

/** Sends as many requests as an address may in its window, each with a long run of blanks inside a header. */
async function blanks(port: number, all: Socket[]): Promise<void> {
  const value = `a${' '.repeat(BLANKS)}b`;
  for (let n = 0; n < REQUESTS; n++) {
    const socket = open(port, all);
    socket.end(`GET /api/v2/ping HTTP/1.1\r\nHost: x\r\nX-SVC-KEY: ${value}\r\nConnection: close\r\n\r\n`);
  }
}

async function connections(port: number, all: Socket[]): Promise<void> {
  while (all.length < CONNECTIONS) {
    for (let n = 0; n < AT_ONCE; n++) open(port, all);
    await setTimeout(10);
  }
}

/** Sends long bodies byte by byte, with pauses. */
async function slowBodies(port: number, all: Socket[]): Promise<void> {
  for (let n = 0; n < SLOW_BODIES; n++) {
    const socket = open(port, all);
    socket.write(
      'POST /api/v2/orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 90000\r\n\r\n',
    );
    const drip = setInterval(() => socket.write('{'), 500);
    socket.once('close', () => clearInterval(drip));
  }
}

/** Sends requests with a key and a signature of the right form, as fast as they are answered. */
async function flood(port: number, ms: number): Promise<number> {
  let answers = 0;
  const all: Socket[] = [];
  for (let n = 0; n < FLOOD_SOCKETS; n++) {
    const socket = open(port, all);
    socket.on('data', () => {
      answers++;
      socket.write(badlySigned());
    });
    socket.write(badlySigned());
  }
  await setTimeout(ms);
  for (const socket of all) socket.destroy();
  return answers;
}

function badlySigned(): string {
  const key = randomBytes(32).toString('base64url');
  const signature = randomBytes(64).toString('base64url');
  return `GET /api/v2/ping HTTP/1.1\r\nHost: x\r\nX-SVC-KEY: ${key}\r\nX-SVC-SIGN: ${signature}\r\nX-SVC-TIMESTAMP: ${Date.now()}\r\n\r\n`;
}

function open(port: number, all: Socket[]): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  // Refused, reset, out of descriptors: these are the expected results.
  socket.on('error', () => {});
  all.push(socket);
  return socket;
}
