/**
 * A busy history of a whole desk on a real folder, and its promises: after each acknowledged step a promise
 * is recorded together with the number of frames in the WAL. A checkpoint in the middle starts the WAL anew
 * over its old bytes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Client } from '../../src/client/client.ts';
import type { RawResponse } from '../../src/client/requester.ts';
import { dec } from '../../src/domain/decimal.ts';
import { TERMINAL } from '../../src/domain/order.ts';
import type { Order } from '../../src/schemas/order.ts';
import {
  type CandleText,
  clientOf,
  EXCHANGE,
  MARKET_START,
  MINUTE_MS,
  ok,
  openTestDesk,
  place,
  type TestDesk,
  until,
  writeCandles,
} from '../desk/integration/support.ts';
import type { Stored } from './checks.ts';
import { readWal, type Wal } from './wal.ts';

/** A fact that a user was told; `broken` says how a state violates it, or null. */
export interface Promised {
  readonly name: string;
  /** Frames of the generation's WAL when the user was told. */
  readonly frames: number;
  readonly broken: (stored: Stored) => string | null;
}

/** One request with an idempotency key, and the bytes of its response. */
export interface Answered {
  readonly frames: number;
  readonly method: 'POST' | 'DELETE';
  readonly target: string;
  readonly body: string | undefined;
  readonly key: string;
  readonly status: number;
  readonly text: string;
}

/** The time from one checkpoint to the next. */
export interface Generation {
  readonly database: Buffer;
  readonly wal: Wal;
  readonly promises: readonly Promised[];
  readonly answers: readonly Answered[];
}

export interface BusyHistory {
  readonly generations: readonly [Generation, Generation];
  /** The first generation's database as its checkpoint left it. */
  readonly checkpointed: Buffer;
  /** Idempotency key of the request that created an order, by order id. */
  readonly keyOf: ReadonlyMap<string, string>;
  readonly log: readonly string[];
  /** The signing key and the wall time, for requests after a restart. */
  readonly pem: string;
  readonly wall: number;
}

const BTC: readonly CandleText[] = [
  ['100', '100', '98', '99'],
  ['99', '99', '94', '95'],
  ['95', '112', '95', '111'],
  ['111', '111', '79', '80'],
  ['80', '101', '80', '100'],
  ...Array.from({ length: 60 }, () => ['100', '100', '100', '100'] as const),
];

/** Writes the market of the history anew: a test's folder is removed with the test. */
export function busyMarket(): string {
  return writeCandles({ BTCUSDT: BTC });
}

export async function busyHistory(): Promise<BusyHistory> {
  const feed = busyMarket();
  const t = await openTestDesk({ feed, hold: true });
  const made = ok(await t.call('keys.generate', { label: 'bot', tier: 'trade' }));
  const recorder = new Recorder(t, await clientOf(t, made));
  recorder.promiseKey(made.key.id, false);
  await firstHalf(recorder);
  const first = recorder.endGeneration();
  const checkpointed = recorder.checkpoint();
  await secondHalf(recorder);
  const second = { ...recorder.endGeneration(), database: checkpointed };
  const log = t.desk.state().log.map(({ text }) => text);
  const history = {
    generations: [first, second] as const,
    checkpointed,
    keyOf: recorder.keyOf,
    log,
    pem: readFileSync(made.path, 'utf8'),
    wall: t.clock.wall(),
  };
  await t.stop();
  return history;
}

async function firstHalf(r: Recorder): Promise<void> {
  const { t } = r;
  await r.ticks(1);
  const bid = await r.post({ side: 'BUY', type: 'LIMIT', price: '90', quantity: '0.5' });
  await r.post({ side: 'BUY', type: 'MARKET', quantity: '2' });
  await r.console({ side: 'BUY', type: 'MARKET', quoteOrderQty: '50' });
  await r.post({ side: 'SELL', type: 'STOP_MARKET', stopPrice: '82', quantity: '0.2' });
  await r.console({ side: 'SELL', type: 'STOP_MARKET', trailingDelta: 1_500, quantity: '0.1' });
  await r.post({ side: 'BUY', type: 'LIMIT_MAKER', price: '96', quantity: '0.3' });
  await r.console({ side: 'BUY', type: 'LIMIT', price: '91', quantity: '0.3', timeInForce: 'IOC' });
  const goodTillDate = MARKET_START + 6 * MINUTE_MS;
  await r.post({
    side: 'BUY',
    type: 'LIMIT',
    price: '60',
    quantity: '0.3',
    timeInForce: 'GTD',
    goodTillDate,
  });
  await r.post({ side: 'BUY', type: 'LIMIT', price: '96', quantity: '0.00000001' });
  await r.ticks(6);
  await r.remove(bid);
  const ask = await r.post({ side: 'SELL', type: 'LIMIT', price: '120', quantity: '0.9' });
  await r.split(ask, ['110', '115', '130']);
  ok(await t.call('paper.fault', { fault: 'loseAnswer', on: 'submit' }));
  await r.post({ side: 'BUY', type: 'LIMIT', price: '70', quantity: '0.4' });
  const made = ok(await t.call('keys.generate', { label: 'second', tier: 'read' }));
  r.promiseKey(made.key.id, false);
  await t.clock.advance(2_000);
  ok(await t.call('keys.revoke', { id: made.key.id }));
  r.promiseKey(made.key.id, true);
}

async function secondHalf(r: Recorder): Promise<void> {
  const { t } = r;
  await r.ticks(5);
  const low = await r.post({ side: 'BUY', type: 'LIMIT', price: '75', quantity: '0.7' });
  ok(await t.call('paper.fault', { fault: 'loseAnswer', on: 'cancel' }));
  await r.remove(low);
  await t.clock.advance(2_000);
  const parts = await r.console({ side: 'BUY', type: 'LIMIT', price: '78', quantity: '0.4' });
  ok(await t.call('orders.split', { exchange: EXCHANGE, id: parts, prices: ['77', '78.5'] }));
  r.promiseOrders();
  // The stop, the trailing stop and a split part fire or fill on the way; then the dated order expires.
  await r.ticks(6);
  await r.post({ side: 'SELL', type: 'MARKET', quantity: '0.1' });
  await r.ticks(8);
}

class Recorder {
  readonly t: TestDesk;
  readonly client: Client;
  readonly keyOf = new Map<string, string>();
  #promises: Promised[] = [];
  #answers: Answered[] = [];

  constructor(t: TestDesk, client: Client) {
    this.t = t;
    this.client = client;
  }

  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.t.call('feed.control', { action: 'step' });
      await this.t.clock.settle();
    }
    this.promiseOrders();
  }

  /** Places an order; returns its id, '' when it is refused. */
  async post(order: object): Promise<string> {
    const body = JSON.stringify({ exchange: EXCHANGE, symbol: 'BTCUSDT', ...order });
    const text = await this.#request('POST', '/v2/orders', body);
    const made = JSON.parse(text) as { data?: Order };
    return made.data?.id ?? '';
  }

  async console(order: Parameters<typeof place>[1]): Promise<string> {
    const { id } = await place(this.t, order);
    this.promiseOrders();
    return id;
  }

  async remove(id: string): Promise<void> {
    await this.#request('DELETE', `/v2/orders/${id}?exchange=${EXCHANGE}`, undefined);
  }

  async split(id: string, prices: readonly string[]): Promise<void> {
    const body = JSON.stringify({ exchange: EXCHANGE, prices });
    await this.#request('POST', `/v2/orders/${id}/split`, body);
  }

  async #request(method: 'POST' | 'DELETE', target: string, body: string | undefined): Promise<string> {
    const key = crypto.randomUUID();
    const running = this.client.raw(method, target, { body, idempotencyKey: key });
    let given: RawResponse | null = null;
    void running.then((answer) => {
      given = answer;
    });
    // Sockets and the threads that verify signatures run in real time: they get some before virtual time
    // moves on.
    const answered = async () => {
      if (given === null) await new Promise((resolve) => setTimeout(resolve, 1));
      return given !== null;
    };
    await until(this.t, answered, { limitMs: 30_000 });
    const { status, text } = await running;
    const frames = this.#wal().frames;
    this.#answers.push({ frames, method, target, body, key, status, text });
    this.#promises.push({
      name: `the answer to ${method} ${target}`,
      frames,
      broken: ({ records }) => {
        const record = records.get(key);
        return record?.status === status && record.body === text ? null : `${key} answered ${record?.status}`;
      },
    });
    const { data } = JSON.parse(text) as { data?: Order | Order[] };
    const isNew = method === 'POST' && status === 200;
    if (isNew) for (const { id } of [data ?? []].flat()) this.keyOf.set(id, key);
    this.promiseOrders();
    return text;
  }

  /** Records as promises everything that consoles and the API now show of orders. */
  promiseOrders(): void {
    const { frames } = this.#wal();
    for (const { id, status, executedQty, origQty } of Object.values(this.t.desk.state().orders)) {
      this.#promises.push({
        name: `${id} ${status} ${executedQty}`,
        frames,
        broken: ({ orders }) => {
          const order = orders.get(id);
          if (!order) return 'the order is gone';
          const kept = TERMINAL.has(status)
            ? order.status === status && order.executedQty === executedQty
            : dec(order.executedQty) >= dec(executedQty) && !(status === 'OPENED' && order.status === 'NEW');
          return kept && order.origQty === origQty ? null : `now ${order.status} ${order.executedQty}`;
        },
      });
    }
  }

  promiseKey(id: string, revoked: boolean): void {
    this.#promises.push({
      name: `key ${id.slice(0, 8)} ${revoked ? 'revoked' : 'works'}`,
      frames: this.#wal().frames,
      broken: ({ keys }) => {
        const key = keys.get(id);
        if (!key) return 'the key is gone';
        return revoked && key.revokedAt === null ? 'the key works again' : null;
      },
    });
  }

  /** Ends a generation: keeps its WAL, and the promises since the last checkpoint. */
  endGeneration(): Generation {
    const file = join(this.t.dataDir, 'outcry.db');
    const [promises, answers] = [this.#promises, this.#answers];
    this.#promises = [];
    this.#answers = [];
    return { database: readFileSync(file), wal: this.#wal(), promises, answers };
  }

  /**
   * Writes the WAL back, so that the next commit starts it anew over its old bytes. Returns the database at
   * that point.
   */
  checkpoint(): Buffer {
    const file = join(this.t.dataDir, 'outcry.db');
    const db = new DatabaseSync(file);
    db.exec('PRAGMA wal_checkpoint(RESTART)');
    db.close();
    return readFileSync(file);
  }

  #wal(): Wal {
    return readWal(readFileSync(join(this.t.dataDir, 'outcry.db-wal')));
  }
}
