/**
 * A thousand events a second on the user stream of a futures account, alternating executions of resting
 * orders and the resulting account updates: the share of a core of the whole program, which books and stores
 * each.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { createClient } from '../src/client/client.ts';
import { connected, cpuMsOf, emulatorOfBench } from './support/exchange.ts';
import { type BenchResult, num } from './support/report.ts';

const EVENTS_PER_SECOND = 1_000;
const EVERY_MS = 20;
const ORDERS = 20;
const SETTLE_MS = 4_000;
const WATCH_MS = 20_000;
const GOAL = 0.3;
const PRICE = 50_000;

interface Resting {
  readonly id: string;
  readonly number: number;
  done: number;
}

export async function userEvents(): Promise<BenchResult> {
  const { emulator, folder } = await emulatorOfBench();
  const stream = await openStream();
  const { program, desk, key } = await connected(emulator, folder, ['futures'], {
    'futures-private': stream.url,
  });
  const client = createClient({ baseUrl: desk.url, key: { privateKeyPem: key.pem } });
  try {
    const orders: Resting[] = [];
    for (let n = 0; n < ORDERS; n++) {
      const order = {
        symbol: 'BTCUSDT',
        side: 'BUY',
        type: 'LIMIT',
        quantity: '100',
        price: String(PRICE),
      } as const;
      const { id } = await client.orders.place({ exchange: 'soak-futures', ...order });
      orders.push({ id, number: 900_000 + n, done: 0 });
    }
    await setTimeout(SETTLE_MS);
    const quiet = await share(desk.pid);
    const load = new Load(stream.sockets, orders);
    load.start();
    await setTimeout(SETTLE_MS);
    const told = load.told;
    const busy = await share(desk.pid);
    const rate = ((load.told - told) * 1_000) / WATCH_MS;
    load.stop();
    await setTimeout(SETTLE_MS);
    const open = await client.orders.list({ exchange: 'soak-futures', status: 'open' });
    const booked = open.reduce((sum, { executedQty }) => sum + Number(executedQty), 0);
    const lost = Math.round(load.executions - booked * 1_000);
    return {
      name: 'user-events',
      against: `one core less the same program without events, ${num(rate)} events/s`,
      ratio: null,
      goal: { value: busy - quiet, limit: GOAL, is: 'at most', unit: '' },
      absolute: { 'without events': num(quiet), 'executions told': load.executions, 'not booked': lost },
    };
  } finally {
    await client.close();
    await program.stop();
    await stream.close();
    await emulator.stop();
  }
}

async function share(pid: number): Promise<number> {
  const from = performance.now();
  const before = cpuMsOf(pid);
  await setTimeout(WATCH_MS);
  return (cpuMsOf(pid) - before) / (performance.now() - from);
}

async function openStream() {
  const sockets = new Set<WebSocket>();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.terminate());
  });
  await new Promise<void>((done) => server.once('listening', () => done()));
  const { port } = server.address() as AddressInfo;
  return {
    sockets,
    url: `ws://127.0.0.1:${port}/private`,
    close: () => {
      for (const socket of sockets) socket.terminate();
      return new Promise<void>((done) => server.close(() => done()));
    },
  };
}

/** Sends an execution of one order after the other, each followed by the account's figures. */
class Load {
  told = 0;
  executions = 0;
  readonly #sockets: ReadonlySet<WebSocket>;
  readonly #orders: readonly Resting[];
  #timer: NodeJS.Timeout | null = null;
  #startedAt = 0;
  #wallet = 100_000_000;

  constructor(sockets: ReadonlySet<WebSocket>, orders: readonly Resting[]) {
    this.#sockets = sockets;
    this.#orders = orders;
  }

  start(): void {
    this.#startedAt = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - this.#startedAt) * EVENTS_PER_SECOND) / 1_000;
      while (this.told < due) this.#execution();
    }, EVERY_MS);
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer);
  }

  #execution(): void {
    const order = this.#orders[this.executions % this.#orders.length] as Resting;
    const now = Date.now();
    order.done += 1;
    this.executions += 1;
    this.#wallet -= 0.01;
    const figures = {
      q: '100',
      p: String(PRICE),
      ap: String(PRICE),
      sp: '0',
      z: (order.done / 1_000).toFixed(3),
    };
    this.#send({
      e: 'ORDER_TRADE_UPDATE',
      E: now,
      T: now,
      o: {
        s: 'BTCUSDT',
        c: order.id,
        S: 'BUY',
        o: 'LIMIT',
        f: 'GTC',
        x: 'TRADE',
        X: 'PARTIALLY_FILLED',
        ...figures,
        i: order.number,
        l: '0.001',
        L: String(PRICE),
        N: 'USDT',
        n: '0.01',
        T: now,
        t: this.executions,
        m: true,
        R: false,
        wt: 'CONTRACT_PRICE',
        ot: 'LIMIT',
        ps: 'BOTH',
        cp: false,
        rp: '0',
        pP: false,
        si: 0,
        ss: 0,
        V: 'EXPIRE_MAKER',
        pm: 'NONE',
        gtd: 0,
        er: '0',
      },
    });
    const position = {
      s: 'BTCUSDT',
      pa: (this.executions / 1_000).toFixed(3),
      ep: String(PRICE),
      bep: String(PRICE),
    };
    this.#send({
      e: 'ACCOUNT_UPDATE',
      E: now,
      T: now,
      a: {
        m: 'ORDER',
        B: [{ a: 'USDT', wb: this.#wallet.toFixed(2), cw: this.#wallet.toFixed(2), bc: '0' }],
        P: [{ ...position, cr: '0', up: '0', mt: 'cross', iw: '0', ps: 'BOTH' }],
      },
    });
  }

  #send(event: object): void {
    const text = JSON.stringify(event);
    for (const socket of this.#sockets) socket.send(text);
    this.told += 1;
  }
}
