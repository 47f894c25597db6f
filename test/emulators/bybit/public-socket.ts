/**
 * `/v5/public/spot` and `/v5/public/linear`: trades, tickers, candles, books. An unknown topic refuses the
 * whole request. Sources: websocket/wss-authentication.mdx, websocket/public/trade.mdx, ticker.mdx,
 * kline.mdx, orderbook.mdx, all-liquidation.mdx.
 */
import { str } from '../../../src/domain/decimal.ts';
import { type Candle, FRAMES, frameStart } from '../kit/candles.ts';
import type { Print } from '../kit/market.ts';
import type { SocketPeer, SocketSession } from '../kit/wire.ts';
import type { Market, SymbolMarket } from './market.ts';
import { bookRow, dayRow, FRAME_OF, tickerRow } from './public-endpoints.ts';

const ARGS_MAX = { spot: 10, linear: Number.POSITIVE_INFINITY } as const;
const ARGS_LENGTH_MAX = 21_000;
const DEPTHS = ['1', '50', '200', '1000'];

export class PublicSocket implements SocketSession {
  readonly #peer: SocketPeer;
  readonly #market: Market;
  readonly #gone: (socket: PublicSocket) => void;
  readonly #snapshot: (socket: PublicSocket, topic: string) => void;
  readonly #connId: string;
  readonly topics = new Set<string>();

  constructor(
    peer: SocketPeer,
    market: Market,
    connId: string,
    snapshot: (socket: PublicSocket, topic: string) => void,
    gone: (socket: PublicSocket) => void,
  ) {
    this.#peer = peer;
    this.#market = market;
    this.#connId = connId;
    this.#snapshot = snapshot;
    this.#gone = gone;
  }

  message(text: string): void {
    let said: { req_id?: unknown; op?: unknown; args?: unknown };
    try {
      said = JSON.parse(text) as typeof said;
    } catch {
      this.#answer('', undefined, false, 'Invalid JSON');
      return;
    }
    const { op, req_id: id } = said;
    const args = Array.isArray(said.args) ? said.args.map(String) : [];
    if (op === 'ping') this.#answer('ping', id, true, 'pong');
    else if (op === 'unsubscribe') {
      for (const topic of args) this.topics.delete(topic);
      this.#answer('unsubscribe', id, true, '');
    } else if (op === 'subscribe') this.#subscribe(id, args);
    else this.#answer(String(op ?? ''), id, false, 'Unsupported op');
  }

  ponged(): void {}

  closed(): void {
    this.#gone(this);
  }

  end(reason: string): void {
    this.#peer.close(1000, reason);
    this.closed();
  }

  send(body: Record<string, unknown>): void {
    this.#peer.message(JSON.stringify(body));
  }

  #subscribe(id: unknown, args: readonly string[]): void {
    const { category } = this.#market;
    if (args.length > ARGS_MAX[category]) {
      this.#answer('subscribe', id, false, 'args size >10');
      return;
    }
    if (args.join('').length > ARGS_LENGTH_MAX) {
      this.#answer('subscribe', id, false, 'args is too long');
      return;
    }
    const unknown = args.find((topic) => !this.#isTopic(topic));
    if (unknown !== undefined || args.length === 0) {
      this.#answer('subscribe', id, false, `Invalid topic: ${unknown ?? ''}`);
      return;
    }
    for (const topic of args) this.topics.add(topic);
    this.#answer('subscribe', id, true, category === 'spot' ? 'subscribe' : '');
    for (const topic of args) this.#snapshot(this, topic);
  }

  #isTopic(topic: string): boolean {
    const parts = topic.split('.');
    const symbol = parts.at(-1) ?? '';
    if (!this.#market.symbols.has(symbol)) return false;
    const [name, detail] = parts;
    if (name === 'publicTrade' || name === 'tickers' || name === 'priceLimit') return parts.length === 2;
    if (name === 'allLiquidation') return parts.length === 2 && this.#market.category === 'linear';
    if (name === 'kline') return parts.length === 3 && (detail ?? '') in FRAME_OF;
    return name === 'orderbook' && parts.length === 3 && DEPTHS.includes(detail ?? '');
  }

  #answer(op: string, id: unknown, success: boolean, retMsg: string): void {
    // Linear and inverse name the request even without a `req_id`.
    const req =
      id === undefined ? (this.#market.category === 'linear' ? { req_id: '' } : {}) : { req_id: id };
    this.send({ success, ret_msg: retMsg, conn_id: this.#connId, ...req, op });
  }
}

/** The messages of all public sockets of one market. */
export class PublicStreams {
  readonly #market: Market;
  readonly #now: () => number;
  readonly #id: (length: number) => string;
  readonly sockets = new Set<PublicSocket>();
  readonly #closed = new Map<string, number>();
  readonly #said = new Map<string, Record<string, unknown>>();
  readonly #books = new Map<string, BookRow>();

  constructor(market: Market, now: () => number, id: (length: number) => string) {
    this.#market = market;
    this.#now = now;
    this.#id = id;
  }

  open(peer: SocketPeer): PublicSocket {
    const socket = new PublicSocket(
      peer,
      this.#market,
      this.#id(20),
      (one, topic) => this.#snapshot(one, topic),
      (gone) => this.sockets.delete(gone),
    );
    this.sockets.add(socket);
    return socket;
  }

  print(m: SymbolMarket, print: Print): void {
    const { symbol } = m.spec;
    this.#offer(`publicTrade.${symbol}`, () => ({
      type: 'snapshot',
      ts: this.#now(),
      data: [
        {
          T: print.time,
          s: symbol,
          S: print.buyerIsMaker ? 'Sell' : 'Buy',
          v: str(print.qty),
          p: this.#market.priceText(m, print.price),
          ...(this.#market.category === 'linear' ? { L: 'PlusTick' } : {}),
          i: String(print.id),
          BT: false,
          RPI: false,
          seq: print.id,
        },
      ],
    }));
    for (const topic of this.#topicsOf(symbol)) {
      if (topic.startsWith('kline.')) this.#kline(topic, m, frameStart(frameOf(topic), print.time), false);
      if (topic.startsWith('orderbook.')) this.#book(topic, m);
    }
    this.ticker(m);
  }

  /** Sends the ticker: changed fields on linear, all on spot. */
  ticker(m: SymbolMarket): void {
    const topic = `tickers.${m.spec.symbol}`;
    if (!this.#isHeard(topic)) return;
    const row = this.#tickerRow(m);
    const ts = this.#now();
    if (this.#market.category === 'spot') {
      this.#offer(topic, () => ({ ts, type: 'snapshot', cs: m.updateId, data: row }));
      return;
    }
    const was = this.#said.get(topic) ?? {};
    const changed = Object.fromEntries(Object.entries(row).filter(([name, value]) => was[name] !== value));
    this.#said.set(topic, row);
    if (Object.keys(changed).length > 0)
      this.#offer(topic, () => ({
        type: 'delta',
        data: { symbol: m.spec.symbol, ...changed },
        cs: m.updateId,
        ts,
      }));
  }

  /** Runs once a second: candles that have ended; linear tickers, which always change. */
  second(): void {
    if (this.#market.category === 'linear') for (const m of this.#market.symbols.values()) this.ticker(m);
    for (const topic of this.#heard()) {
      const m = this.#market.symbols.get(topic.split('.').at(-1) ?? '');
      if (!m || !topic.startsWith('kline.')) continue;
      const length = FRAMES[frameOf(topic)] as number;
      const open = frameStart(frameOf(topic), this.#now());
      const last = this.#closed.get(topic);
      if (last === undefined) this.#closed.set(topic, open);
      else
        for (let start = last; start < open; start += length) {
          this.#kline(topic, m, start, true);
          this.#closed.set(topic, start + length);
        }
      this.#kline(topic, m, open, false);
    }
  }

  liquidated(m: SymbolMarket, side: string, qty: string, price: string): void {
    this.#offer(`allLiquidation.${m.spec.symbol}`, () => ({
      type: 'snapshot',
      ts: this.#now(),
      data: [{ T: this.#now(), s: m.spec.symbol, S: side, v: qty, p: price }],
    }));
  }

  #snapshot(socket: PublicSocket, topic: string): void {
    const m = this.#market.of(topic.split('.').at(-1) ?? '');
    const ts = this.#now();
    if (topic.startsWith('tickers.')) {
      const row = this.#tickerRow(m);
      this.#said.set(topic, row);
      socket.send({ topic, type: 'snapshot', data: row, cs: m.updateId, ts });
    } else if (topic.startsWith('orderbook.')) {
      const body = this.#bookBody(topic, m);
      socket.send({ topic, ...body });
      if (this.#heardBy(topic) === 1) this.#books.set(topic, body.data as BookRow);
    } else if (topic.startsWith('kline.')) {
      const open = frameStart(frameOf(topic), ts);
      if (!this.#closed.has(topic)) this.#closed.set(topic, open);
    }
  }

  #tickerRow(m: SymbolMarket): Record<string, unknown> {
    const time = this.#now();
    if (this.#market.category === 'spot')
      return { ...dayRow(this.#market, m, time), usdIndexPrice: this.#market.priceText(m, m.index) };
    return {
      tickDirection: 'PlusTick',
      ...tickerRow(this.#market, m, time),
    };
  }

  /** Sends the book's changes since the last message. */
  #book(topic: string, m: SymbolMarket): void {
    if (!this.#isHeard(topic)) return;
    const { ts, data, cts } = this.#bookBody(topic, m) as { ts: number; data: BookRow; cts: number };
    const was = this.#books.get(topic);
    this.#books.set(topic, data);
    if (!was || topic.startsWith('orderbook.1.')) {
      this.#offer(topic, () => ({ type: 'snapshot', ts, data, cts }));
      return;
    }
    const change = { ...data, b: changedLevels(was.b, data.b), a: changedLevels(was.a, data.a) };
    if (change.b.length + change.a.length > 0)
      this.#offer(topic, () => ({ type: 'delta', ts, data: change, cts }));
  }

  /** The whole book: a snapshot may come at any time and replaces the previous state (orderbook.mdx). */
  #bookBody(topic: string, m: SymbolMarket): Record<string, unknown> {
    const depth = Number(topic.split('.')[1]);
    return { type: 'snapshot', ts: this.#now(), data: bookRow(this.#market, m, depth), cts: m.time };
  }

  #kline(topic: string, m: SymbolMarket, start: number, confirm: boolean): void {
    const price = (value: Candle['open']) => this.#market.priceText(m, value);
    this.#offer(topic, () => {
      const candle = m.candles.candle(frameOf(topic), start, this.#now());
      return {
        type: 'snapshot',
        ts: this.#now(),
        data: [
          {
            start,
            end: candle.closeTime,
            interval: topic.split('.')[1],
            open: price(candle.open),
            close: price(candle.close),
            high: price(candle.high),
            low: price(candle.low),
            volume: str(candle.volume),
            turnover: str(candle.quote),
            confirm,
            timestamp: confirm ? candle.closeTime : m.time,
          },
        ],
      };
    });
  }

  #offer(topic: string, body: () => Record<string, unknown>): void {
    let text: Record<string, unknown> | null = null;
    for (const socket of this.sockets)
      if (socket.topics.has(topic)) {
        text ??= { topic, ...body() };
        socket.send(text);
      }
  }

  #heard(): Set<string> {
    const all = new Set<string>();
    for (const { topics } of this.sockets) for (const topic of topics) all.add(topic);
    return all;
  }

  #heardBy(topic: string): number {
    return [...this.sockets].filter(({ topics }) => topics.has(topic)).length;
  }

  #isHeard(topic: string): boolean {
    for (const { topics } of this.sockets) if (topics.has(topic)) return true;
    return false;
  }

  #topicsOf(symbol: string): string[] {
    return [...this.#heard()].filter((topic) => topic.endsWith(`.${symbol}`));
  }
}

interface BookRow {
  readonly b: readonly Level[];
  readonly a: readonly Level[];
}
type Level = readonly [price: string, quantity: string];

/** Levels that are new or changed, and removed ones with a zero. */
function changedLevels(was: readonly Level[], now: readonly Level[]): Level[] {
  const before = new Map(was);
  const after = new Map(now);
  const gone = was.flatMap(([price]): Level[] => (after.has(price) ? [] : [[price, '0']]));
  return [...gone, ...now.filter(([price, quantity]) => before.get(price) !== quantity)];
}

function frameOf(topic: string): string {
  return FRAME_OF[topic.split('.')[1] ?? ''] as string;
}
