/**
 * The peer without product code: bare `ws` that sends given bytes to all its sockets. Commands: `serve`,
 * `play`, `counters`, `close`.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { answerCommands, cpuMs } from './answering.ts';

const TEXT = { binary: false } as const;
/** Backlog of one reader at which "as fast as possible" pauses. */
const BACKLOG_BYTES = 1_024 * 1_024;
const TICK_MS = 5;

const sockets = new Set<WebSocket>();
let server: Server | null = null;

function send(payload: Buffer): void {
  for (const socket of sockets) socket.send(payload, TEXT);
}

function isBehind(): boolean {
  for (const socket of sockets) if (socket.bufferedAmount > BACKLOG_BYTES) return true;
  return false;
}

async function drained(): Promise<void> {
  while (isBehind()) await setTimeout(1);
}

answerCommands({
  serve: () => {
    const listening = createServer();
    server = listening;
    const ws = new WebSocketServer({ server: listening, perMessageDeflate: false });
    ws.on('connection', (socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      socket.on('error', () => {});
    });
    return new Promise((done) =>
      listening.listen(0, '127.0.0.1', () => done((listening.address() as AddressInfo).port)),
    );
  },
  /** Sends each text once to every socket; `perSecond` null: as fast as possible. */
  play: async ({ texts, perSecond }: { texts: readonly string[]; perSecond: number | null }) => {
    const payloads = texts.map((text) => Buffer.from(text));
    const startedAt = performance.now();
    let sent = 0;
    while (sent < payloads.length) {
      const due = perSecond === null ? sent + 1 : ((performance.now() - startedAt) / 1_000) * perSecond;
      while (sent < Math.min(due, payloads.length)) send(payloads[sent++] as Buffer);
      if (perSecond !== null) await setTimeout(TICK_MS);
      else {
        await setImmediate();
        await drained();
      }
    }
  },
  counters: () => ({ commits: 0, rows: 0, cpuMs: cpuMs() }),
  memory: () => process.memoryUsage.rss(),
  close: () => {
    for (const socket of sockets) socket.terminate();
    server?.close();
  },
});
