/**
 * A desk whose market follows a list of prices, and requests about its bots: shared by the tests of bots
 * over HTTP.
 */
import { expect } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { GeneratedKey, PaperFaultRequest } from '../../../src/desk/console/protocol.ts';
import type { PublicBot } from '../../../src/schemas/bot.ts';
import type { Order } from '../../../src/schemas/order.ts';
import {
  type CandleText,
  clientOf,
  EXCHANGE,
  flat,
  ok,
  openTestDesk,
  type TestDesk,
  type TestDeskOptions,
  writeCandles,
} from './support.ts';

const TICKS_PER_MINUTE = 4;
/** Counts the keys: a desk that starts again still has its earlier ones. */
let keys = 0;

/** A CHANNEL of two levels around 100: buys at 90 and 80, sells at 110 and 120; 500 USDT each. */
export const LEVELS = {
  type: 'CHANNEL',
  settings: {
    exchange: EXCHANGE,
    symbol: { base: 'BTC', quote: 'USDT' },
    deposit: { value: '1000', asset: 'USDT' },
    flavor: 'LEVELS',
    levels: [
      { buy: '90', sell: '110' },
      { buy: '80', sell: '120' },
    ],
  },
} as const;

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly data: any;
  readonly error: { readonly code: string; readonly message: string };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  readonly meta: any;
  readonly text: string;
}

export interface AskOptions {
  readonly client?: Client;
  readonly idempotencyKey?: string;
}

/** Opens a desk with one price a minute, from the first on; `step` advances by minutes. */
export async function openBots(prices: readonly string[], options: Partial<TestDeskOptions> = {}) {
  const candles: CandleText[] = [...prices, ...Array(200).fill(prices.at(-1))].flatMap((price) =>
    flat(price),
  );
  const feed = options.feed ?? writeCandles({ BTCUSDT: candles });
  const t = await openTestDesk({ feed, hold: true, ...options });
  const key = ok(await t.call('keys.generate', { label: `bots ${keys++}`, tier: 'trade' }));
  return new BotsRig(t, await clientOf(t, key), feed);
}

export class BotsRig {
  readonly t: TestDesk;
  readonly client: Client;
  /** The feed's spec, for a desk that goes on with the same market. */
  readonly feed: string;

  constructor(t: TestDesk, client: Client, feed: string) {
    this.t = t;
    this.client = client;
    this.feed = feed;
  }

  /** Plays the next minutes of the market to their ends. */
  async minutes(count = 1): Promise<void> {
    await this.ticks(count * TICKS_PER_MINUTE);
  }

  async ticks(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      await this.t.call('feed.control', { action: 'step' });
      await this.t.clock.settle();
    }
  }

  async ask(method: string, path: string, body?: unknown, options: AskOptions = {}): Promise<Answered> {
    const { client = this.client, idempotencyKey } = options;
    const answer = await client.raw(method, `/v2${path}`, {
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    const { data, error, meta } = JSON.parse(answer.text);
    return { status: answer.status, headers: answer.headers, data, error, meta, text: answer.text };
  }

  /** Returns `data` of a success. */
  async done(
    method: string,
    path: string,
    body?: unknown,
    options: AskOptions = {},
  ): Promise<Answered['data']> {
    const { status, data, text } = await this.ask(method, path, body, options);
    expect(status, `${method} ${path}: ${text}`).toBe(200);
    return data;
  }

  /** Returns status, code and message of a refusal. */
  async refused(
    method: string,
    path: string,
    body?: unknown,
    options: AskOptions = {},
  ): Promise<[status: number, code: string, message: string]> {
    const { status, error, text } = await this.ask(method, path, body, options);
    expect(error, text).toBeDefined();
    return [status, error.code, error.message];
  }

  async make(bot: object = LEVELS): Promise<PublicBot> {
    return this.done('POST', '/bots', bot);
  }

  /** Creates a bot and starts a run; returns the ids. */
  async started(bot: object = LEVELS): Promise<{ id: string; runId: string }> {
    const { id } = await this.make(bot);
    const { runId } = await this.done('POST', `/bots/${id}/runs`);
    return { id, runId };
  }

  bot(id: string): Promise<PublicBot> {
    return this.done('GET', `/bots/${id}`);
  }

  /** Returns the orders of the last hour, oldest first. */
  async orders(status: 'open' | 'recent' = 'open'): Promise<Order[]> {
    const orders: Order[] = await this.done('GET', `/orders?status=${status}`);
    return orders.toSorted((a, b) => a.orderTime - b.orderTime);
  }

  /** Returns `side price` of the open orders, sorted. */
  async open(): Promise<string[]> {
    const orders = await this.orders();
    return orders.map(({ side, price }) => `${side} ${price}`).sort();
  }

  async balance(asset: string) {
    const { balances } = await this.done('GET', '/portfolio?full=true');
    return balances.find((one: { asset: string }) => one.asset === asset);
  }

  async fault(fault: PaperFaultRequest): Promise<void> {
    ok(await this.t.call('paper.fault', fault));
  }

  async key(fields: object = {}): Promise<GeneratedKey> {
    return ok(await this.t.call('keys.generate', { label: `bots ${keys++}`, tier: 'trade', ...fields }));
  }
}
