/**
 * Market streams: the subscriptions of a socket and its messages, spot and futures. An unknown name is
 * answered like a known one and stays silent, as at the exchange; so does a name on the wrong root of the
 * futures streams. Sources: binance-spot-api-docs web-socket-streams.md; USD-M "Websocket Market Streams",
 * "Important WebSocket Change Notice".
 */
import { type Dec, fixed, ZERO } from '../../../src/domain/decimal.ts';
import { type Candle, FRAMES, frameStart } from '../kit/candles.ts';
import type { Print } from '../kit/market.ts';
import type { Market, SymbolMarket } from './market.ts';
import { levels } from './public.ts';
import type { SocketPeer, SocketSession } from './wire.ts';

/** `root`: which of the futures roots; spot has one. */
export type StreamRoot = 'spot' | 'public' | 'market';

/**
 * The futures streams that `/public` carries; `/market` carries the others. `@trade` is undocumented there:
 * ccxt subscribes to it here.
 */
const PUBLIC_ONLY = /(?:@bookTicker|@depth.*|@rpiDepth.*|@trade|^!bookTicker)$/;

/** Inbound messages that a socket may send in a second. */
const MESSAGES_PER_SECOND = { spot: 5, public: 10, market: 10 } as const;

export class MarketSocket implements SocketSession {
  readonly #peer: SocketPeer;
  readonly root: StreamRoot;
  readonly #combined: boolean;
  readonly names: Set<string>;
  readonly #now: () => number;
  readonly #gone: () => void;
  #second = 0;
  #inSecond = 0;

  constructor(
    peer: SocketPeer,
    root: StreamRoot,
    combined: boolean,
    names: string[],
    now: () => number,
    gone: () => void,
  ) {
    this.#peer = peer;
    this.root = root;
    this.#combined = combined;
    this.names = new Set(names);
    this.#now = now;
    this.#gone = gone;
  }

  message(text: string): void {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#inSecond = 0;
    }
    if (++this.#inSecond > MESSAGES_PER_SECOND[this.root]) {
      this.#peer.close(1008, 'Too many requests');
      this.#gone();
      return;
    }
    let message: { method?: unknown; params?: unknown; id?: unknown };
    try {
      message = JSON.parse(text) as typeof message;
    } catch {
      this.#answer({ error: { code: 3, msg: 'Invalid JSON: expected value at line 1 column 1' } });
      return;
    }
    const { id = null, method } = message;
    const params = Array.isArray(message.params) ? message.params.map(String) : [];
    switch (method) {
      case 'SUBSCRIBE':
        for (const name of params) this.names.add(name);
        this.#answer({ result: null, id });
        return;
      case 'UNSUBSCRIBE':
        for (const name of params) this.names.delete(name);
        this.#answer({ result: null, id });
        return;
      case 'LIST_SUBSCRIPTIONS':
        this.#answer({ result: [...this.names], id });
        return;
      case 'SET_PROPERTY':
        this.#answer({ result: null, id });
        return;
      case 'GET_PROPERTY':
        this.#answer({ result: this.#combined, id });
        return;
      default:
        this.#answer({
          error: {
            code: 2,
            msg: 'Invalid request: unknown variant, expected one of `SUBSCRIBE`, `UNSUBSCRIBE`, `LIST_SUBSCRIPTIONS`, `SET_PROPERTY`, `GET_PROPERTY`',
          },
          id,
        });
    }
  }

  ponged(): void {}

  closed(): void {
    this.#gone();
  }

  /** Sends a message if the socket has subscribed to the stream and its root carries it. */
  offer(name: string, body: () => unknown): void {
    if (!this.names.has(name)) return;
    if (this.root !== 'spot' && PUBLIC_ONLY.test(name) !== (this.root === 'public')) return;
    this.#send(name, body());
  }

  shutdown(time: number): void {
    this.#send('!serverShutdown', { e: 'serverShutdown', E: time });
  }

  #send(stream: string, data: unknown): void {
    this.#peer.message(JSON.stringify(this.#combined ? { stream, data } : data));
  }

  #answer(body: unknown): void {
    this.#peer.message(JSON.stringify(body));
  }
}

export class MarketStreams {
  readonly #market: Market;
  readonly #now: () => number;
  readonly sockets = new Set<MarketSocket>();
  /** Candles whose end has to be sent: stream name -> beginning of the running candle. */
  readonly #running = new Map<string, number>();
  /** Time at which each book was last sent. */
  readonly #depthAt = new Map<string, number>();

  constructor(market: Market, now: () => number) {
    this.#market = market;
    this.#now = now;
  }

  open(peer: SocketPeer, root: StreamRoot, combined: boolean, names: string[]): MarketSocket {
    const socket = new MarketSocket(peer, root, combined, names, this.#now, () =>
      this.sockets.delete(socket),
    );
    this.sockets.add(socket);
    return socket;
  }

  /** Sends a trade. */
  print(m: SymbolMarket, print: Print): void {
    if (this.sockets.size === 0) return;
    const symbol = m.spec.symbol.toLowerCase();
    const time = this.#now();
    const isSpot = this.#market.kind === 'spot';
    const head = { E: time, s: m.spec.symbol };
    const traded = { p: this.#price(m, print.price), q: this.#qty(m, print.qty) };
    this.#offer(`${symbol}@aggTrade`, () => ({
      e: 'aggTrade',
      ...head,
      a: print.id,
      ...traded,
      ...(isSpot ? {} : { nq: traded.q }),
      f: print.id,
      l: print.id,
      T: print.time,
      m: print.buyerIsMaker,
      ...(isSpot ? { M: true } : { st: 1 }),
    }));
    this.#offer(`${symbol}@trade`, () => ({
      e: 'trade',
      ...head,
      t: print.id,
      ...traded,
      T: print.time,
      m: print.buyerIsMaker,
      ...(isSpot ? { M: true } : { X: 'MARKET' }),
    }));
    this.#offer(`${symbol}@bookTicker`, () => this.#bookTicker(m));
    this.#offer('!bookTicker', () => this.#bookTicker(m));
    this.#depths(m, time);
    for (const frame of this.#framesOf(symbol)) {
      this.#closeCandle(m, frame, time);
      this.#offer(`${symbol}@kline_${frame}`, () => this.#kline(m, frame, frameStart(frame, time), false));
    }
  }

  /** Sends books that are updated ten times a second, as the market moves; others are sent once a second. */
  #depths(m: SymbolMarket, time: number): void {
    const symbol = m.spec.symbol.toLowerCase();
    for (const n of [5, 10, 20]) {
      const name = `${symbol}@depth${n}@100ms`;
      if (time < (this.#depthAt.get(name) ?? 0) + 100 || !this.#isWanted(name)) continue;
      this.#depthAt.set(name, time);
      this.#offer(name, () => this.#partial(m, n));
    }
  }

  /** Runs once a second: messages that come whether anybody trades or not. */
  second(): void {
    if (this.sockets.size === 0) return;
    const time = this.#now();
    const isSpot = this.#market.kind === 'spot';
    const all: unknown[] = [];
    const wantsAll = this.#isWanted('!miniTicker@arr');
    const wantsDepth = [...this.sockets].some(({ names }) =>
      [...names].some((name) => name.includes('@depth')),
    );
    for (const m of this.#market.symbols.values()) {
      const symbol = m.spec.symbol.toLowerCase();
      for (const frame of this.#framesOf(symbol)) this.#closeCandle(m, frame, time);
      this.#offer(`${symbol}@miniTicker`, () => this.#mini(m));
      this.#offer(`${symbol}@ticker`, () => this.#ticker(m));
      if (wantsAll) all.push(this.#mini(m));
      if (wantsDepth)
        for (const speed of ['', '@100ms', '@500ms', '@250ms', '@0ms']) {
          this.#offer(`${symbol}@depth${speed}`, () => this.#diff(m));
          for (const n of [5, 10, 20]) this.#offer(`${symbol}@depth${n}${speed}`, () => this.#partial(m, n));
        }
      if (!isSpot) this.mark(m, time % 3000 < 1000);
    }
    if (wantsAll) this.#offer('!miniTicker@arr', () => all);
    if (!isSpot && this.#isWanted('!markPrice@arr@1s'))
      this.#offer('!markPrice@arr@1s', () => [...this.#market.symbols.values()].map((m) => this.#mark(m)));
    if (!isSpot && time % 3000 < 1000 && this.#isWanted('!markPrice@arr'))
      this.#offer('!markPrice@arr', () => [...this.#market.symbols.values()].map((m) => this.#mark(m)));
  }

  /** Sends the mark price. `slow`: also to streams with a three-second interval. */
  mark(m: SymbolMarket, slow: boolean): void {
    const symbol = m.spec.symbol.toLowerCase();
    this.#offer(`${symbol}@markPrice@1s`, () => this.#mark(m));
    if (slow) this.#offer(`${symbol}@markPrice`, () => this.#mark(m));
  }

  /** Sends a liquidation to everybody. */
  forceOrder(m: SymbolMarket, o: Record<string, unknown>): void {
    const body = () => ({ e: 'forceOrder', E: this.#now(), o, ps: m.spec.base + m.spec.quote, st: 1 });
    this.#offer(`${m.spec.symbol.toLowerCase()}@forceOrder`, body);
    this.#offer('!forceOrder@arr', body);
  }

  shutdown(): void {
    for (const socket of this.sockets) socket.shutdown(this.#now());
  }

  #offer(name: string, body: () => unknown): void {
    for (const socket of this.sockets) socket.offer(name, body);
  }

  #isWanted(name: string): boolean {
    for (const socket of this.sockets) if (socket.names.has(name)) return true;
    return false;
  }

  #framesOf(symbol: string): Set<string> {
    const frames = new Set<string>();
    const start = `${symbol}@kline_`;
    for (const socket of this.sockets) {
      for (const name of socket.names) {
        if (!name.startsWith(start)) continue;
        const frame = name.slice(start.length);
        if (frame in FRAMES) frames.add(frame);
      }
    }
    return frames;
  }

  /** Sends the end of the candle that was last running, if it is over. */
  #closeCandle(m: SymbolMarket, frame: string, time: number): void {
    const name = `${m.spec.symbol.toLowerCase()}@kline_${frame}`;
    const start = frameStart(frame, time);
    const running = this.#running.get(name);
    this.#running.set(name, start);
    if (running === undefined || running === start) return;
    const length = FRAMES[frame] as number;
    for (let open = Math.max(running, start - 100 * length); open < start; open += length)
      this.#offer(name, () => this.#kline(m, frame, open, true));
  }

  #kline(m: SymbolMarket, frame: string, openTime: number, closed: boolean): Record<string, unknown> {
    const candle: Candle = m.candles.candle(frame, openTime, this.#now());
    return {
      e: 'kline',
      E: this.#now(),
      s: m.spec.symbol,
      k: {
        t: candle.openTime,
        T: candle.closeTime,
        s: m.spec.symbol,
        i: frame,
        f: candle.firstId,
        L: candle.lastId,
        o: this.#price(m, candle.open),
        c: this.#price(m, candle.close),
        h: this.#price(m, candle.high),
        l: this.#price(m, candle.low),
        v: this.#qty(m, candle.volume),
        n: candle.trades,
        x: closed,
        q: fixed(candle.quote, 8),
        V: this.#qty(m, candle.takerBase),
        Q: fixed(candle.takerQuote, 8),
        B: '0',
      },
      ...(this.#market.kind === 'spot' ? {} : { st: 1 }),
    };
  }

  #mini(m: SymbolMarket): Record<string, unknown> {
    const time = this.#now();
    const [day] = m.candles.list('1d', null, null, 1, time);
    return {
      e: '24hrMiniTicker',
      E: time,
      s: m.spec.symbol,
      c: this.#price(m, m.last),
      o: this.#price(m, day?.open ?? m.last),
      h: this.#price(m, day?.high ?? m.last),
      l: this.#price(m, day?.low ?? m.last),
      v: this.#qty(m, day?.volume ?? ZERO),
      q: fixed(day?.quote ?? ZERO, 8),
      ...(this.#market.kind === 'spot' ? {} : { ps: m.spec.base + m.spec.quote, st: 1 }),
    };
  }

  #ticker(m: SymbolMarket): Record<string, unknown> {
    const { e: _, E, s, ...rest } = this.#mini(m) as Record<string, string>;
    const { b, B, a, A } = this.#bookTicker(m) as Record<string, string>;
    const isSpot = this.#market.kind === 'spot';
    const zero = this.#price(m, ZERO);
    return {
      e: '24hrTicker',
      E,
      s,
      p: zero,
      P: '0.000',
      w: rest.c,
      ...(isSpot ? { x: rest.o } : {}),
      Q: this.#qty(m, m.prints.at(-1)?.qty ?? ZERO),
      ...(isSpot ? { b, B, a, A } : {}),
      ...rest,
      O: this.#now() - 86_400_000,
      C: this.#now(),
      F: m.prints[0]?.id ?? -1,
      L: m.prints.at(-1)?.id ?? -1,
      n: m.prints.length,
    };
  }

  #bookTicker(m: SymbolMarket): Record<string, unknown> {
    const bid = levels(this.#market, m, 'SELL', 1)[0];
    const ask = levels(this.#market, m, 'BUY', 1)[0];
    const isSpot = this.#market.kind === 'spot';
    const rest = { s: m.spec.symbol, b: bid?.[0], B: bid?.[1], a: ask?.[0], A: ask?.[1] };
    if (isSpot) return { u: m.updateId, ...rest };
    const time = this.#now();
    return {
      e: 'bookTicker',
      u: m.updateId,
      E: time,
      T: time,
      ...rest,
      ps: m.spec.base + m.spec.quote,
      st: 1,
    };
  }

  #diff(m: SymbolMarket): Record<string, unknown> {
    const time = this.#now();
    const isSpot = this.#market.kind === 'spot';
    const before = m.updateId;
    m.updateId += 10;
    return {
      e: 'depthUpdate',
      E: time,
      ...(isSpot ? {} : { T: time }),
      s: m.spec.symbol,
      U: before + 1,
      u: m.updateId,
      ...(isSpot ? {} : { pu: before }),
      b: levels(this.#market, m, 'SELL', 10),
      a: levels(this.#market, m, 'BUY', 10),
      ...(isSpot ? {} : { ps: m.spec.base + m.spec.quote, st: 1 }),
    };
  }

  #partial(m: SymbolMarket, n: number): Record<string, unknown> {
    const bids = levels(this.#market, m, 'SELL', n);
    const asks = levels(this.#market, m, 'BUY', n);
    if (this.#market.kind === 'spot') return { lastUpdateId: m.updateId, bids, asks };
    const time = this.#now();
    const ids = { U: m.updateId, u: m.updateId, pu: m.updateId - 1 };
    return {
      e: 'depthUpdate',
      E: time,
      T: time,
      s: m.spec.symbol,
      ...ids,
      b: bids,
      a: asks,
      ps: m.spec.base + m.spec.quote,
      st: 1,
    };
  }

  #mark(m: SymbolMarket): Record<string, unknown> {
    return {
      e: 'markPriceUpdate',
      E: this.#now(),
      s: m.spec.symbol,
      p: fixed(m.mark, 8),
      i: fixed(m.index, 8),
      P: fixed(m.index, 8),
      r: fixed(m.fundingRate, 8),
      ap: fixed(m.mark, 8),
      T: m.nextFunding,
      st: 1,
    };
  }

  #price(m: SymbolMarket, price: Dec): string {
    return this.#market.priceText(m, price);
  }

  #qty(m: SymbolMarket, qty: Dec): string {
    return this.#market.qtyText(m, qty);
  }
}
