/**
 * An emulator behind real sockets on loopback, for the real program and for other clients. One port serves
 * everything.
 *
 *   --port N [--log FILE] [--requests FILE] [--seed N] [--settings FILE.json] [--pace MS]
 *
 * Prints the endpoints as a block for `config.toml`. The log has one JSON object per line: everything that
 * moves money or orders, for sums that import nothing of the product. `/emulator/*` are controls for tests.
 */
import { createWriteStream, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseArgs } from 'node:util';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock, Random } from '../../../src/domain/clock.ts';
import { Dice } from '../../simulation/dice.ts';
import { Faults, type NetFaults } from './faults.ts';
import { Walk } from './walk.ts';
import { type EmulatorAnswer, isRefusedHandshake, type ServedEmulator, type SocketSession } from './wire.ts';

const BODY_MAX = 1_048_576;
const TIMER_MAX = 2_000_000_000;

const clock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after: (delayMs, run) => {
    // A timer can wait 2^31 ms at most; a good-till-date may be later.
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer = setTimeout(
        () => (left > TIMER_MAX ? wait(left - TIMER_MAX) : run()),
        Math.min(left, TIMER_MAX),
      );
    };
    wait(delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  endOfTurn: (run) => void setImmediate(run),
};

export interface ServeOptions<S> {
  readonly make: (o: {
    readonly clock: Clock;
    readonly random: Random;
    readonly settings: S;
    readonly log: (row: Record<string, unknown>) => void;
  }) => ServedEmulator;
  /**
   * Returns the block for `config.toml`, with the addresses at which it listens (without a slash at the end).
   */
  readonly config: (http: string, ws: string) => string;
  /** Additional controls: `POST /emulator/NAME`; null: there is none with this name. */
  readonly control?: (emulator: ServedEmulator, name: string, said: Record<string, string>) => unknown;
}

/** Runs until it is stopped. */
export function serve<S>(o: ServeOptions<S>): void {
  const { values } = parseArgs({
    options: {
      /** Read by the launcher. */
      venue: { type: 'string' },
      port: { type: 'string', default: '0' },
      log: { type: 'string' },
      /** Writes a line for every request and socket, with its answer. */
      requests: { type: 'string' },
      seed: { type: 'string', default: '1' },
      settings: { type: 'string' },
      /** Mean time between other people's trades of one symbol, ms; 0: only those of `/emulator/print`. */
      pace: { type: 'string', default: '400' },
    },
  });
  const seed = Number(values.seed);
  const dice = new Dice(seed, 'serve');
  const requests = values.requests === undefined ? null : createWriteStream(values.requests, { flags: 'a' });
  const note = (row: Record<string, unknown>) =>
    requests?.write(`${JSON.stringify({ time: emulator.now(), ...row })}\n`);
  const log = values.log === undefined ? null : createWriteStream(values.log, { flags: 'a' });
  const settings = JSON.parse(
    values.settings === undefined ? '{}' : readFileSync(values.settings, 'utf8'),
  ) as S;
  const emulator = o.make({
    clock,
    random: {
      id: (length) =>
        Array.from({ length }, () => '0123456789abcdefghijklmnopqrstuv'[dice.int(0, 31)]).join(''),
      next: () => dice.next(),
    },
    settings,
    log: (row) => log?.write(`${JSON.stringify(row)}\n`),
  });
  const struck = new Map<string, number>();
  const faults = new Faults(emulator.gate, new Dice(seed, 'faults'), {}, (fault) =>
    struck.set(fault, (struck.get(fault) ?? 0) + 1),
  );
  faults.aim(emulator);
  const walk = new Walk(emulator, clock, new Dice(seed, 'walk'), Number(values.pace));

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > BODY_MAX) request.destroy();
      else chunks.push(chunk);
    });
    request.on('end', () => {
      const path = request.url ?? '/';
      const body = Buffer.concat(chunks).toString('utf8');
      if (path.startsWith('/emulator/')) {
        const said = control(path.slice('/emulator/'.length), body);
        response.writeHead(said === null ? 404 : 200, { 'content-type': 'application/json' });
        response.end(JSON.stringify(said));
        return;
      }
      answer(request, response, path, body);
    });
  });

  /** Answers a request, with the faults of the way: a lost one appears as a broken connection. */
  function answer(request: IncomingMessage, response: ServerResponse, path: string, body: string): void {
    const { plan } = faults;
    if (faults.strikes('request lost', plan.requestLost)) {
      request.socket.destroy();
      return;
    }
    const instead = faults.gate();
    const real = instead ?? execute(request, path, body);
    if (instead === null && faults.strikes('answer lost', plan.answerLost)) {
      request.socket.destroy();
      return;
    }
    const isUnknown = instead === null && faults.strikes('executed, status unknown', plan.executedUnknown);
    const given = isUnknown ? faults.unknown() : real;
    const wait = plan.delayMs ? faults.delay() + faults.delay() + faults.late() : 0;
    const give = () => {
      response.writeHead(given.status, given.headers);
      response.end(given.body);
    };
    if (wait > 0) setTimeout(give, wait);
    else give();
  }

  function execute(request: IncomingMessage, path: string, body: string): EmulatorAnswer {
    const answer = emulator.request({
      method: request.method ?? 'GET',
      path,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(',') : (value ?? ''),
        ]),
      ),
      body,
      ip: request.socket.remoteAddress?.replace('::ffff:', ''),
    });
    const said = answer.status === 200 ? undefined : answer.body.slice(0, 300);
    note({ method: request.method, path, status: answer.status, said });
    return answer;
  }

  /** Sends a message to the client, with the faults of the way. */
  function deliver(socket: WebSocket, text: string): void {
    const { plan } = faults;
    if (faults.strikes('message lost', plan.messageLost)) return;
    if (faults.strikes('messages swapped', plan.swapped)) setTimeout(() => socket.send(text), 20);
    else socket.send(text);
    if (faults.strikes('message twice', plan.duplicate)) socket.send(text);
  }

  const sockets = new Set<WebSocket>();
  const upgrades = new WebSocketServer({ noServer: true, maxPayload: BODY_MAX });
  server.on('upgrade', (request, stream, head) => {
    note({ socket: request.url, open: emulator.hasSocket(request.url ?? '/') });
    if (!emulator.hasSocket(request.url ?? '/')) {
      stream.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    // A session is made before its socket: a handshake may be refused.
    let peer: WebSocket | null = null;
    let session: SocketSession | null;
    try {
      session = emulator.connect(
        request.url ?? '/',
        {
          message: (text) => peer && deliver(peer, text),
          ping: () => peer?.ping(),
          close: (code, reason) => peer?.close(code, reason),
        },
        request.socket.remoteAddress?.replace('::ffff:', ''),
      );
    } catch (error) {
      if (!isRefusedHandshake(error)) throw error;
      const refusal = Object.entries({ ...error.headers, 'Content-Length': '0', Connection: 'close' });
      const lines = refusal.map(([name, value]) => `${name}: ${value}\r\n`).join('');
      stream.end(`HTTP/1.1 ${error.status} Refused\r\n${lines}\r\n`);
      return;
    }
    if (!session) {
      stream.destroy();
      return;
    }
    upgrades.handleUpgrade(request, stream, head, (socket) => {
      peer = socket;
      sockets.add(socket);
      const cutAfter = faults.cutAfter();
      if (cutAfter > 0) setTimeout(() => socket.terminate(), cutAfter);
      socket.on('message', (data, isBinary) => {
        if (!isBinary) session.message(String(data));
      });
      socket.on('pong', () => session.ponged());
      socket.on('error', () => socket.terminate());
      socket.on('close', () => {
        sockets.delete(socket);
        session.closed();
      });
    });
  });

  /**
   * Controls for tests: `POST /emulator/print {market, symbol, price, qty}`, `/emulator/cut`,
   * `/emulator/faults NetFaults`, `/emulator/state`.
   */
  function control(name: string, body: string): unknown {
    const said = (body === '' ? {} : JSON.parse(body)) as Record<string, string>;
    switch (name) {
      case 'print':
        emulator.print(said.market ?? 'spot', said.symbol ?? '', said.price ?? '', said.qty);
        return {};
      case 'pace':
        walk.paceMs = Number(said.ms);
        return {};
      case 'cut': {
        const count = sockets.size;
        for (const socket of sockets) socket.terminate();
        return { cut: count };
      }
      case 'shutdown':
        emulator.shutdown();
        return {};
      case 'faults':
        faults.plan = said as NetFaults;
        return Object.fromEntries(struck);
      case 'prices':
        return Object.fromEntries(
          emulator
            .markets()
            .map(({ kind, market }) => [
              kind,
              Object.fromEntries(
                [...market.symbols].map(([symbol, m]) => [symbol, market.priceText(m, m.last)]),
              ),
            ]),
        );
      case 'state':
        return emulator.state();
      default:
        return o.control?.(emulator, name, said) ?? null;
    }
  }

  server.listen(Number(values.port), '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const http = `http://127.0.0.1:${port}`;
    const ws = `ws://127.0.0.1:${port}`;
    walk.start();
    process.stdout.write(o.config(http, ws));
  });

  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      walk.stop();
      for (const socket of sockets) socket.terminate();
      server.close();
      if (log) log.end(() => process.exit(0));
      else process.exit(0);
    });
}
