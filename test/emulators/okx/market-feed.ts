/**
 * Market data for the subscribed sockets. Sources: OKX v5 "Tickers channel", "Trades channel", "All trades
 * channel", "Candlesticks channel", "Order book channel", "Mark price channel", "Funding rate channel",
 * "Price limit channel", "Instruments channel".
 */
import type { Clock } from '../../../src/domain/clock.ts';
import { str } from '../../../src/domain/decimal.ts';
import type { Print } from '../kit/market.ts';
import { barLength, barRow, barStart } from './bars.ts';
import type { Subscription } from './channels.ts';
import { familyOf, instrumentRow } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import { booksRow, fundingRow, limitRow, markRow, statusRow, tickerRow, tradeRow } from './market-rows.ts';
import type { Maintenance } from './public-endpoints.ts';
import type { OkxSocket } from './socket.ts';

const TICKER_MS = 100;
const MARK_MS = 200;
const MARK_IDLE_MS = 10_000;
const FUNDING_MS = 60_000;

interface Told {
  ticker: number;
  isTickerDue: boolean;
  mark: number;
  isMarkDue: boolean;
  funding: number;
  limit: string;
  /** Whether there were prints since the candles were sent. */
  isCandleDue: boolean;
  seconds: number;
}

export class MarketFeed {
  readonly #market: OkxMarket;
  readonly #clock: Clock;
  readonly #now: () => number;
  /** Listeners by `channel instId` (or instType). */
  readonly #listeners = new Map<string, Map<OkxSocket, Subscription>>();
  readonly #told = new Map<string, Told>();
  /** The last state that each listener to a whole book has received. */
  readonly #books = new WeakMap<Subscription, BookRow>();

  constructor(market: OkxMarket, clock: Clock, now: () => number) {
    this.#market = market;
    this.#clock = clock;
    this.#now = now;
  }

  subscribed(socket: OkxSocket, subscription: Subscription): void {
    const name = nameOf(subscription);
    const listeners = this.#listeners.get(name) ?? new Map<OkxSocket, Subscription>();
    listeners.set(socket, subscription);
    this.#listeners.set(name, listeners);
    const first = this.#first(subscription);
    if (first) socket.push(subscription, first);
    const m = subscription.arg.channel === 'books' && this.#market.symbols.get(subscription.arg.instId ?? '');
    if (m) this.#wholeBook(socket, subscription, m);
  }

  /** Begins a chain of book messages: each listener has its own. */
  #wholeBook(socket: OkxSocket, subscription: Subscription, m: Instrument): void {
    const row = booksRow(m, this.#market, 400, this.#now()) as unknown as BookRow;
    this.#books.set(subscription, row);
    socket.push(subscription, [{ ...row, checksum: 0, prevSeqId: -1 }], { action: 'snapshot' });
  }

  /** Sends the book's changes since the last message, with that message's number. */
  #changedBooks(m: Instrument): void {
    for (const [socket, subscription] of this.#listeners.get(`books ${m.spec.symbol}`) ?? []) {
      const was = this.#books.get(subscription);
      if (!was || ![...socket.subscriptions.values()].includes(subscription)) continue;
      const row = booksRow(m, this.#market, 400, this.#now()) as unknown as BookRow;
      this.#books.set(subscription, row);
      const [bids, asks] = [changed(was.bids, row.bids), changed(was.asks, row.asks)];
      const change = { ...row, bids, asks, checksum: 0, prevSeqId: was.seqId };
      socket.push(subscription, [change], { action: 'update' });
    }
  }

  gone(socket: OkxSocket): void {
    for (const [name, listeners] of this.#listeners) {
      listeners.delete(socket);
      if (listeners.size === 0) this.#listeners.delete(name);
    }
  }

  /** Rows that are sent at once on subscription; null: none. Trades begin with the next one. */
  #first({ arg }: Subscription): unknown[] | null {
    const { channel = '', instId = '', instType } = arg;
    const now = this.#now();
    if (channel === 'instruments')
      return [...this.#market.symbols.values()]
        .filter(({ spec }) => spec.instType === instType)
        .map(({ spec }) => instrumentRow(spec));
    const m = channel === 'index-tickers' ? this.#index(instId) : this.#market.symbols.get(instId);
    if (!m) return null;
    if (channel.startsWith('candle')) {
      const bar = channel.slice('candle'.length);
      return [barRow(m, bar, barStart(bar, now), now)];
    }
    switch (channel) {
      case 'tickers':
        return [tickerRow(m, this.#market, now)];
      case 'mark-price':
        return [markRow(m, now)];
      case 'index-tickers':
        return [this.#indexRow(m)];
      case 'funding-rate':
        return [fundingRow(m, now)];
      case 'price-limit':
        return [limitRow(m, this.#market, now)];
      case 'bbo-tbt':
        return [booksRow(m, this.#market, 1, now)];
      case 'books5':
        return [{ ...booksRow(m, this.#market, 5, now), instId }];
      default:
        return null;
    }
  }

  print(m: Instrument, print: Print): void {
    const { symbol } = m.spec;
    const now = this.#now();
    const row = tradeRow(print);
    this.#push(`trades ${symbol}`, () => [{ ...row, count: '1', seqId: m.updateId }]);
    this.#push(`trades-all ${symbol}`, () => [row]);
    this.#push(`bbo-tbt ${symbol}`, () => [booksRow(m, this.#market, 1, now)]);
    this.#push(`books5 ${symbol}`, () => [{ ...booksRow(m, this.#market, 5, now), instId: symbol }]);
    this.#changedBooks(m);
    const told = this.#of(symbol);
    told.isCandleDue = true;
    this.#ticker(m, told);
  }

  /** Sends the ticker, at once or after the shortest interval. */
  #ticker(m: Instrument, told: Told): void {
    const now = this.#now();
    if (told.isTickerDue || !this.#listeners.has(`tickers ${m.spec.symbol}`)) return;
    const wait = told.ticker + TICKER_MS - now;
    const push = () => {
      told.isTickerDue = false;
      told.ticker = this.#now();
      this.#push(`tickers ${m.spec.symbol}`, () => [tickerRow(m, this.#market, this.#now())]);
    };
    if (wait <= 0) {
      push();
      return;
    }
    told.isTickerDue = true;
    this.#clock.after(wait, push);
  }

  mark(m: Instrument): void {
    const told = this.#of(m.spec.symbol);
    if (this.#now() - told.mark >= MARK_MS) this.#pushMark(m, told);
    else told.isMarkDue = true;
  }

  #pushMark(m: Instrument, told: Told): void {
    const now = this.#now();
    told.mark = now;
    told.isMarkDue = false;
    this.#push(`mark-price ${m.spec.symbol}`, () => [markRow(m, now)]);
    this.#push(`index-tickers ${familyOf(m.spec)}`, () => [this.#indexRow(m)]);
  }

  /** Runs once a second: candles, unchanged marks, bands, funding. */
  second(): void {
    const now = this.#now();
    for (const [name, listeners] of this.#listeners) {
      const [channel = '', instId = ''] = name.split(' ');
      const m = this.#market.symbols.get(instId);
      if (!m || listeners.size === 0) continue;
      const told = this.#of(instId);
      if (channel.startsWith('candle')) this.#candle(m, channel.slice('candle'.length), told, now);
      if (channel === 'mark-price' && (told.isMarkDue || now - told.mark >= MARK_IDLE_MS))
        this.#pushMark(m, told);
      if (channel === 'funding-rate' && now - told.funding >= FUNDING_MS) {
        told.funding = now;
        this.#push(name, () => [fundingRow(m, now)]);
      }
      if (channel === 'price-limit') {
        const { buy, sell } = this.#market.bands(m);
        const limit = `${buy} ${sell}`;
        if (told.limit !== '' && told.limit !== limit)
          this.#push(name, () => [limitRow(m, this.#market, now)]);
        told.limit = limit;
      }
    }
    for (const told of this.#told.values()) {
      told.isCandleDue = false;
      told.seconds = now;
    }
  }

  /** Sends the ended candle, confirmed; then the present one, if there was a trade. */
  #candle(m: Instrument, bar: string, told: Told, now: number): void {
    const name = `candle${bar} ${m.spec.symbol}`;
    const start = barStart(bar, now);
    const before = barStart(bar, told.seconds === 0 ? now : told.seconds);
    for (let time = before; time < start; time += barLength(bar))
      this.#push(name, () => [barRow(m, bar, time, now)]);
    if (told.isCandleDue) this.#push(name, () => [barRow(m, bar, start, now)]);
  }

  instrument(m: Instrument): void {
    this.#push(`instruments ${m.spec.instType}`, () => [instrumentRow(m.spec)]);
  }

  status(one: Maintenance): void {
    this.#push('status', () => [{ ...statusRow(one), ts: String(this.#now()) }]);
  }

  #index(family: string): Instrument | undefined {
    return this.#market.ofType('SWAP').find(({ spec }) => familyOf(spec) === family);
  }

  #indexRow(m: Instrument): Record<string, unknown> {
    const idxPx = str(m.index);
    return {
      instId: familyOf(m.spec),
      idxPx,
      high24h: idxPx,
      low24h: idxPx,
      open24h: idxPx,
      sodUtc0: idxPx,
      sodUtc8: idxPx,
      ts: String(this.#now()),
    };
  }

  #of(instId: string): Told {
    let told = this.#told.get(instId);
    if (!told) {
      told = {
        ticker: 0,
        isTickerDue: false,
        mark: 0,
        isMarkDue: false,
        funding: this.#now(),
        limit: '',
        isCandleDue: false,
        seconds: 0,
      };
      this.#told.set(instId, told);
    }
    return told;
  }

  #push(name: string, data: () => unknown[]): void {
    const listeners = this.#listeners.get(name);
    if (!listeners || listeners.size === 0) return;
    const rows = data();
    for (const [socket, subscription] of listeners) {
      // The socket may have unsubscribed since.
      if ([...socket.subscriptions.values()].includes(subscription)) socket.push(subscription, rows);
      else listeners.delete(socket);
    }
  }
}

interface BookRow {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  readonly seqId: number;
}
type Level = readonly [price: string, size: string, zero: string, orders: string];

/** Levels that are new or changed, and removed ones with a zero. */
function changed(was: readonly Level[], now: readonly Level[]): Level[] {
  const before = new Map(was.map((level) => [level[0], level[1]]));
  const after = new Set(now.map(([price]) => price));
  const gone = was.flatMap(([price]): Level[] => (after.has(price) ? [] : [[price, '0', '0', '0']]));
  return [...gone, ...now.filter(([price, size]) => before.get(price) !== size)];
}

function nameOf({ arg }: Subscription): string {
  const { channel, instId, instType } = arg;
  return [channel, instId ?? instType].filter((part) => part !== undefined).join(' ');
}
