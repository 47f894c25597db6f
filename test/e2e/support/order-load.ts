/**
 * Concurrent order traffic with a memory: every request and its response, to be compared with the desk after
 * a kill.
 */
import { randomUUID } from 'node:crypto';
import type { Client } from '../../../src/client/client.ts';
import { dec, div, fixed, mul, roundTo } from '../../../src/domain/decimal.ts';
import type { CreateOrder, Order } from '../../../src/schemas/order.ts';
import { EXCHANGE } from './desk-process.ts';

export interface SentRequest {
  readonly kind: 'place' | 'cancel' | 'split';
  readonly method: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly key: string | undefined;
  /** For a placement: a value that no other request of the run has. */
  readonly mark: string;
  /** For a cancel or split: the order's id. */
  readonly orderId: string;
  answer: { readonly status: number; readonly text: string } | null;
}

interface Pair {
  readonly symbol: string;
  readonly tick: string;
  /** The quantity of the n-th order is `least` + n x `step`, so that no other order has it. */
  readonly least: number;
  readonly step: number;
}

const PAIRS: readonly Pair[] = [
  { symbol: 'SHIBUSDT', tick: '0.00000001', least: 700_000, step: 1 },
  { symbol: 'DOGEUSDT', tick: '0.00001', least: 50, step: 1 },
  { symbol: 'TRXUSDT', tick: '0.0001', least: 70, step: 0.1 },
  { symbol: 'XLMUSDT', tick: '0.0001', least: 40, step: 1 },
  { symbol: 'ADAUSDT', tick: '0.0001', least: 18, step: 0.1 },
];
export const SYMBOLS: readonly string[] = PAIRS.map(({ symbol }) => symbol);
const WORKERS = 12;

export class OrderLoad {
  readonly sent: SentRequest[] = [];
  readonly #random: () => number;
  readonly #prices: Record<string, string>;
  /** Orders that may still be open, for cancels and splits. */
  readonly #resting: { readonly id: string; readonly symbol: string }[] = [];
  #count = 0;
  #stopped = false;

  /** `prices`: about the current price of each symbol. */
  constructor(random: () => number, prices: Record<string, string>) {
    this.#random = random;
    this.#prices = prices;
  }

  /** Sends until `stop` or until the desk is gone; resolves when no request is under way any more. */
  async run(client: Client): Promise<void> {
    this.#stopped = false;
    await Promise.all(Array.from({ length: WORKERS }, () => this.#work(client)));
  }

  stop(): void {
    this.#stopped = true;
  }

  async #work(client: Client): Promise<void> {
    while (!this.#stopped) if (!(await this.send(client, this.#next()))) return;
  }

  /** Sends a request; false: no response came. */
  async send(client: Client, request: SentRequest): Promise<boolean> {
    const { method, path, body, key } = request;
    if (!this.sent.includes(request)) this.sent.push(request);
    try {
      const { status, text } = await client.raw(method, path, {
        ...(body === undefined ? {} : { body }),
        ...(key === undefined ? {} : { idempotencyKey: key }),
      });
      request.answer = { status, text };
      if (status === 200 && request.kind !== 'cancel') this.#remember(JSON.parse(text).data);
      return true;
    } catch {
      return false;
    }
  }

  #remember(data: Order | Order[]): void {
    for (const order of Array.isArray(data) ? data : [data]) {
      if (order.status === 'OPENED' || order.status === 'NEW') this.#resting.push(order);
    }
  }

  #next(): SentRequest {
    const draw = this.#random();
    const key = this.#random() < 0.8 ? randomUUID() : undefined;
    if (this.#resting.length > 4 && draw < 0.3) {
      const at = Math.floor(this.#random() * this.#resting.length);
      const orderId = this.#resting.splice(at, 1)[0]?.id ?? '';
      const path = `/v2/orders/${orderId}?exchange=${EXCHANGE}`;
      return {
        kind: 'cancel',
        method: 'DELETE',
        path,
        body: undefined,
        key,
        mark: '',
        orderId,
        answer: null,
      };
    }
    if (this.#resting.length > 4 && draw < 0.4) {
      const { id: orderId = '', symbol: traded = '' } = this.#resting.at(-1) ?? {};
      const pair = PAIRS.find(({ symbol }) => symbol === traded) ?? (PAIRS[0] as Pair);
      const prices = [0.93, 0.92].map((factor) => this.#price(pair, factor));
      return {
        kind: 'split',
        method: 'POST',
        path: `/v2/orders/${orderId}/split`,
        body: JSON.stringify({ exchange: EXCHANGE, prices }),
        key,
        mark: '',
        orderId,
        answer: null,
      };
    }
    const order = this.#order();
    return {
      kind: 'place',
      method: 'POST',
      path: '/v2/orders',
      body: JSON.stringify(order),
      key,
      mark: `${order.symbol} ${order.quantity}`,
      orderId: '',
      answer: null,
    };
  }

  #order(): CreateOrder {
    const n = this.#count++;
    const pair = PAIRS[n % PAIRS.length] as Pair;
    const quantity = String(Number((pair.least + Math.floor(n / PAIRS.length) * pair.step).toFixed(1)));
    const base = { exchange: EXCHANGE, symbol: pair.symbol, quantity } as const;
    const draw = this.#random();
    const at = (factor: number) => this.#price(pair, factor);
    if (draw < 0.2) return { ...base, side: 'BUY', type: 'MARKET' };
    // Near enough to be filled by the feed while the load runs.
    if (draw < 0.45)
      return { ...base, side: 'BUY', type: 'LIMIT', price: at(0.9995 + this.#random() / 1_000) };
    // Far enough to rest until it is cancelled or split; its halves are above the minimum.
    if (draw < 0.7) return { ...base, side: 'BUY', type: 'LIMIT', price: at(0.9) };
    if (draw < 0.78)
      return { ...base, side: 'BUY', type: 'STOP_LIMIT', stopPrice: at(1.05), price: at(1.06) };
    if (draw < 0.86) return { ...base, side: 'BUY', type: 'STOP_MARKET', stopPrice: at(1.05) };
    if (draw < 0.93) return { ...base, side: 'BUY', type: 'STOP_MARKET', trailingDelta: 10 };
    const goodTillDate = Date.now() + 500 + Math.floor(this.#random() * 3_000);
    return { ...base, side: 'BUY', type: 'LIMIT', price: at(0.9), timeInForce: 'GTD', goodTillDate };
  }

  #price({ symbol, tick }: Pair, factor: number): string {
    const price = mul(dec(this.#prices[symbol] ?? '1'), dec(factor.toFixed(6)));
    const grid = roundTo(price, dec(tick));
    return fixed(grid, tick.length - 2).replace(/\.?0+$/, '') || div(grid, dec('1')).toString();
  }
}
