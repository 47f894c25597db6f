/** Orders at a steady rate, whether or not the program runs: each is recorded with its answer. */
import { randomUUID } from 'node:crypto';
import { type Client, createClient } from '../../../src/client/client.ts';
import { ApiError } from '../../../src/client/errors.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import type { SoakMarket, SoakPair, SoakVenue } from './venues.ts';

export interface Sent {
  readonly exchange: string;
  readonly body: CreateOrder;
  readonly at: number;
  /** The order's id in the API; null: no answer, or a refusal. */
  id: string | null;
  /** The code of a refusal; `lost`: no answer. */
  refusal: string | null;
}

export class Load {
  readonly sent: Sent[] = [];
  readonly latencies: number[] = [];
  /** The part of the latencies in the protective lane: closing market orders. */
  readonly protective: number[] = [];
  /** Requests that were not sent because too many were waiting for their answer. */
  heldBack = 0;
  readonly #accounts: readonly SoakMarket[];
  readonly #pairs: SoakVenue['pairs'];
  readonly #random: () => number;
  readonly #pem: string;
  readonly #most: number;
  #client: Client | null = null;
  #prices = new Map<string, number>();
  #resting: Sent[] = [];
  #count = 0;
  /** Requests without an answer yet. */
  readonly #waiting = new Set<Promise<void>>();

  constructor(
    accounts: readonly SoakMarket[],
    pairs: SoakVenue['pairs'],
    pem: string,
    most: number,
    random: () => number,
  ) {
    this.#accounts = accounts;
    this.#pairs = pairs;
    this.#pem = pem;
    this.#most = most;
    this.#random = random;
  }

  /** Sets the program's address; null: it is down. */
  async turnTo(url: string | null): Promise<void> {
    const old = this.#client;
    this.#client =
      url === null
        ? null
        : createClient({ baseUrl: url, key: { privateKeyPem: this.#pem }, retry: { attempts: 1 } });
    await old?.close().catch(() => {});
  }

  get client(): Client | null {
    return this.#client;
  }

  prices(market: string, symbol: string, price: number): void {
    this.#prices.set(`${market} ${symbol}`, price);
  }

  /** Sends one request, unless the program is down. */
  fire(): void {
    const client = this.#client;
    if (!client) return;
    if (this.#waiting.size >= this.#most) {
      this.heldBack++;
      return;
    }
    const resting = this.#random() < 0.3 ? this.#resting.shift() : undefined;
    const done = resting?.id ? this.#cancel(client, resting) : this.#place(client);
    this.#waiting.add(done);
    void done.finally(() => this.#waiting.delete(done));
  }

  async settled(): Promise<void> {
    await Promise.all(this.#waiting);
  }

  async #place(client: Client): Promise<void> {
    const market = this.#accounts[this.#count % this.#accounts.length] as SoakMarket;
    const body = this.#order(market);
    const row: Sent = { exchange: body.exchange, body, at: Date.now(), id: null, refusal: null };
    this.sent.push(row);
    try {
      const began = performance.now();
      const order = await client.orders.place(body, { idempotencyKey: randomUUID() });
      const took = performance.now() - began;
      this.latencies.push(took);
      // A sale on a spot account closes a position.
      if (market === 'spot' && body.type === 'MARKET' && body.side === 'SELL') this.protective.push(took);
      row.id = order.id;
      if (body.type === 'LIMIT') this.#resting.push(row);
    } catch (error) {
      row.refusal = error instanceof ApiError ? `${error.code} ${error.message}` : 'lost';
    }
  }

  async #cancel(client: Client, row: Sent): Promise<void> {
    await client.orders.cancel({ exchange: row.exchange, id: row.id as string }).catch(() => {});
  }

  #order(market: SoakMarket): CreateOrder {
    const n = this.#count++;
    const pairs = this.#pairs[market] ?? [];
    const pair = pairs[Math.floor(n / this.#accounts.length) % pairs.length] as SoakPair;
    const quantity = (pair.least + (n % 7) * pair.step).toFixed(5).replace(/0+$/, '');
    const last = this.#prices.get(`${market} ${pair.symbol}`) ?? 1;
    const side = Math.floor(n / 2) % 2 === 0 ? 'BUY' : 'SELL';
    const base = { exchange: `soak-${market}`, symbol: pair.symbol, side, quantity } as const;
    const draw = this.#random();
    const at = (away: number) => (last * (side === 'BUY' ? 1 - away : 1 + away)).toFixed(pair.tick);
    if (draw < 0.3) return { ...base, type: 'MARKET' };
    // Near enough to the price to be filled while it rests.
    if (draw < 0.75) return { ...base, type: 'LIMIT', price: at(this.#random() * 0.001) };
    return { ...base, type: 'LIMIT', price: at(0.03) };
  }
}
