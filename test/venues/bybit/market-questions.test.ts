/**
 * Questions and messages of Bybit's prices, over a network that the test answers by hand: what is asked for
 * each span and page, what is subscribed to, and what each answer and message says, figure by figure.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import type { MarketData, MarketSink } from '../../../src/market/market-data.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { answered, HandNet, type HandSocket } from '../kit/hand-net.ts';

const NOW = Date.UTC(2026, 10, 25, 12, 0, 5);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

class Market {
  readonly clock = new VirtualClock(NOW);
  readonly net = new HandNet();
  readonly told: unknown[] = [];
  readonly reports: string[] = [];
  readonly whys = new Map<string, string | null>();
  readonly data: MarketData;

  constructor(kind: 'spot' | 'futures') {
    const venue = bybitKind(this.net);
    const connection: Connection = {
      ...{ name: 'bybit', venue: 'bybit', markets: [kind], environment: 'live', endpoints: {} },
    };
    const found = addressesOf(venue, connection);
    if ('problem' in found) throw new Error(found.problem);
    const [data] = venue.marketData({
      ...{ connection, addresses: found.addresses, accounts: accountsOf(venue, connection) },
      ...{ clock: this.clock, random: { id: () => '', next: () => 0 }, ways: new Addresses(this.clock) },
      report: (text) => this.reports.push(text),
    });
    if (!data) throw new Error('there is no market');
    this.data = data;
  }

  async open(): Promise<void> {
    const sink: MarketSink = {
      ticks: (ticks) => this.told.push(...ticks),
      mark: (symbol, price, funding) => this.told.push({ symbol, price, funding }),
      closed: (symbol, frameMs, candle) => this.told.push({ symbol, frameMs, candle }),
      stale: (symbol, why) => this.whys.set(symbol, why),
      gap: () => {},
    };
    const isOpen = this.data.open(sink);
    const time = { timeNano: `${NOW}999999` };
    expect(await this.answers({ retCode: 0, result: time })).toEqual({ path: '/v5/market/time' });
    await isOpen;
  }

  /** Answers the next question, and returns it. */
  async answers(body: object): Promise<Record<string, string>> {
    await this.clock.advance(0);
    const asked = this.net.requests.shift();
    if (!asked) throw new Error('nothing is asked');
    asked.answer(answered(200, body));
    await this.clock.advance(0);
    const [path = '', query = ''] = asked.request.path.split('?');
    return { path, ...Object.fromEntries(new URLSearchParams(query)) };
  }

  list(list: readonly unknown[], nextPageCursor?: string | null) {
    return this.answers({ retCode: 0, retMsg: 'OK', result: { list, nextPageCursor } });
  }

  get socket(): HandSocket {
    return this.net.sockets.at(-1) as HandSocket;
  }

  /** What was sent on the newest socket, and not read yet. */
  said(): { op: string; req_id: string; args?: string[] }[] {
    return this.socket.sent.splice(0).map((text) => JSON.parse(text));
  }

  /** Watches symbols, and confirms what is subscribed to. */
  async watches(wanted: Readonly<Record<string, readonly number[]>>) {
    this.data.watch(new Map(Object.entries(wanted)));
    await this.clock.advance(0);
    this.socket.events.opened();
    await this.clock.advance(1_000);
    const said = this.said();
    for (const { req_id } of said)
      this.hear({ op: 'subscribe', success: true, ret_msg: '', req_id, conn_id: 'c' });
    await this.clock.advance(0);
    return said.map(({ op, args }) => ({ op, args }));
  }

  hear(message: object): void {
    this.socket.events.message(JSON.stringify(message));
  }
}

let spot: Market;
let linear: Market;
beforeEach(async () => {
  spot = new Market('spot');
  linear = new Market('futures');
  await spot.open();
  await linear.open();
});

const KLINE = ['2', '4', '1.0', '3.50', '7.0'] as const;

describe('candles', () => {
  it.each([
    [1, '1'],
    [3, '3'],
    [5, '5'],
    [15, '15'],
    [30, '30'],
    [60, '60'],
    [120, '120'],
    [240, '240'],
    [360, '360'],
    [720, '720'],
    [1_440, 'D'],
  ])(
    'of %i minutes are asked for by their name %s, to the last moment of a span, a page at most',
    async (...one) => {
      const [minutes, interval] = one;
      const frameMs = minutes * MINUTE;
      const to = NOW - (NOW % frameMs);
      for (const [market, category] of [
        [spot, 'spot'],
        [linear, 'linear'],
      ] as const)
        for (const frames of [1, 3, 1_000, 1_001, 5_000]) {
          const from = to - frames * frameMs;
          const asked = market.data.candles({ symbol: 'BTCUSDT', frameMs, from, to });
          // The newest come first.
          const starts = [from + Math.min(frames - 1, 1) * frameMs, from];
          const rows = [...new Set(starts)].map((time) => [String(time), ...KLINE, '99']);
          expect(await market.list(rows)).toEqual({
            ...{ path: '/v5/market/kline', category, symbol: 'BTCUSDT', interval, limit: '1000' },
            ...{ start: String(from), end: String(frames > 1_000 ? from + 1_000 * frameMs - 1 : to - 1) },
          });
          const candle = { open: '2', high: '4', low: '1', close: '3.5', volume: '7' };
          expect(await asked).toEqual(rows.toReversed().map(([time]) => ({ time: Number(time), ...candle })));
        }
      expect(spot.data.frames).toContain(frameMs);
    },
  );

  it.each<[string, readonly (readonly string[])[]]>([
    ['of another time', [['x', ...KLINE]]],
    ['with a figure that is none', [['5', '2', '4', '1', '3', 'x']]],
    ['whose figures contradict each other', [['5', '2', '1', '4', '3', '7']]],
    ['without a volume', [['5', '2', '4', '1', '3']]],
    [
      'told twice',
      [
        ['5', ...KLINE],
        ['5', ...KLINE],
      ],
    ],
    [
      'in the wrong order',
      [
        ['5', ...KLINE],
        ['6', ...KLINE],
      ],
    ],
  ])('%s make the whole answer unreadable', async (_, rows) => {
    const asked = spot.data.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: 0, to: NOW });
    await spot.list(rows);
    expect(await asked).toBeNull();
    expect(spot.reports).toHaveLength(1);
  });

  it('are not known where the question is refused, which is said in the words of Bybit', async () => {
    const asked = spot.data.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: 0, to: NOW });
    await spot.answers({ retCode: 10_016, retMsg: 'Server error.', result: { list: [] } });
    expect(await asked).toBeNull();
    expect(spot.reports).toEqual([expect.stringContaining('Server error. (10016)')]);
  });
});

describe('what is traded', () => {
  const row = (symbol: string) => ({
    ...{ symbol, baseCoin: symbol.replace('USDT', ''), quoteCoin: 'USDT', settleCoin: 'USDT' },
    ...{ status: 'Trading', contractType: 'LinearPerpetual' },
    lotSizeFilter: { qtyStep: '1', minOrderQty: '1', maxOrderQty: '9', basePrecision: '1' },
    priceFilter: { tickSize: '1', minPrice: '1', maxPrice: '9' },
  });
  const names = (list: readonly { symbol: string }[] | null | undefined) => list?.map(({ symbol }) => symbol);

  it('is read to its last page, of contracts a thousand a page, of spot all at once', async () => {
    const asked = linear.data.instruments?.('x');
    const form = { path: '/v5/market/instruments-info', category: 'linear', limit: '1000' };
    expect(await linear.list([row('AUSDT')], 'p/1')).toEqual(form);
    expect(await linear.list([row('BUSDT')], 'p/2')).toEqual({ ...form, cursor: 'p/1' });
    expect(await linear.list([row('CUSDT')], null)).toEqual({ ...form, cursor: 'p/2' });
    expect(names(await asked)).toEqual(['AUSDT', 'BUSDT', 'CUSDT']);
    void spot.data.instruments?.('x');
    expect(await spot.list([], '')).toEqual({ path: form.path, category: 'spot' });
  });

  it('ends with a page that is empty, or that names its own place', async () => {
    for (const [rows, cursor] of [
      [[], 'p/2'],
      [[row('BUSDT')], 'p/1'],
      [[row('BUSDT')], undefined],
    ] as const) {
      const asked = linear.data.instruments?.('x');
      await linear.list([row('AUSDT')], 'p/1');
      await linear.list(rows, cursor);
      expect(names(await asked)).toEqual(rows.length > 0 ? ['AUSDT', 'BUSDT'] : ['AUSDT']);
    }
    expect(linear.net.requests).toEqual([]);
  });

  it('is not known where a page fails, or where there is no end of them', async () => {
    const asked = linear.data.instruments?.('x');
    await linear.list([row('AUSDT')], 'p/1');
    await linear.answers({ retCode: 10_016, retMsg: 'x' });
    expect(await asked).toBeNull();
    const endless = linear.data.instruments?.('x');
    for (let n = 0; n < 20; n++) await linear.list([row('AUSDT')], `p/${n}`);
    expect(await endless).toBeNull();
    expect(linear.net.requests).toEqual([]);
  });
});

describe('what contracts have paid', () => {
  const paid = (at: number, fundingRate = '0.00010') => ({
    ...{ symbol: 'BTCUSDT', fundingRate, fundingRateTimestamp: String(at) },
  });
  const form = { path: '/v5/market/funding/history', category: 'linear', symbol: 'BTCUSDT', limit: '200' };
  const page = (newest: number, count = 200) =>
    Array.from({ length: count }, (_, n) => paid(newest - n * HOUR));

  it('is told oldest first, from the first moment of a span to the one before its end', async () => {
    const [from, to] = [NOW - 3 * HOUR, NOW];
    const asked = linear.data.funding?.('BTCUSDT', from, to);
    const rows = [paid(to), paid(to - 1, '-0.5'), paid(from, '0.20'), paid(from - 1)];
    expect(await linear.list(rows)).toEqual({ ...form, startTime: String(from), endTime: String(to - 1) });
    expect(await asked).toEqual([
      { at: from, rate: '0.2', mark: null },
      { at: to - 1, rate: '-0.5', mark: null },
    ]);
    expect(linear.net.requests).toEqual([]);
    expect(spot.data.funding && (await spot.data.funding('BTCUSDT', from, to))).toEqual([]);
  });

  it('is asked for again before the oldest of a full page, until one is not full or the span is over', async () => {
    const from = NOW - 1_000 * HOUR;
    const asked = linear.data.funding?.('BTCUSDT', from, NOW);
    await linear.list(page(NOW - HOUR));
    expect(await linear.list(page(NOW - 201 * HOUR))).toEqual({
      ...{ ...form, startTime: String(from), endTime: String(NOW - 200 * HOUR - 1) },
    });
    await linear.list(page(NOW - 401 * HOUR, 199));
    const all = await asked;
    expect(all?.map(({ at }) => at)).toEqual(Array.from({ length: 599 }, (_, n) => NOW - (599 - n) * HOUR));
    const short = linear.data.funding?.('BTCUSDT', NOW - 200 * HOUR, NOW);
    await linear.list(page(NOW - HOUR));
    expect(await short).toHaveLength(200);
    expect(linear.net.requests).toEqual([]);
  });

  it('is asked for where a single moment is left, ends where nothing more is there, and fails as a whole', async () => {
    const from = NOW - 200 * HOUR - 1;
    const asked = linear.data.funding?.('BTCUSDT', from, NOW);
    await linear.list(page(NOW - HOUR));
    expect(await linear.list([])).toMatchObject({ startTime: String(from), endTime: String(from) });
    expect(await asked).toHaveLength(200);
    const lost = linear.data.funding?.('BTCUSDT', 0, NOW);
    await linear.list(page(NOW - HOUR));
    await linear.answers({ retCode: 10_016, retMsg: 'x' });
    expect(await lost).toBeNull();
  });

  it('is what twenty pages have of it', async () => {
    const asked = linear.data.funding?.('BTCUSDT', 0, NOW);
    for (let n = 0; n < 20; n++) await linear.list(page(NOW - (1 + 200 * n) * HOUR));
    expect(await asked).toHaveLength(4_000);
    expect(linear.net.requests).toEqual([]);
  });
});

describe('streams', () => {
  it('of spot are trades and candles, of contracts marks as well; what is given up is told so', async () => {
    const wanted = { BTCUSDT: [MINUTE, 240 * MINUTE], ETHUSDT: [] };
    const trades = ['publicTrade.BTCUSDT', 'kline.1.BTCUSDT', 'kline.240.BTCUSDT', 'publicTrade.ETHUSDT'];
    const said = await spot.watches(wanted);
    expect(said).toEqual([{ op: 'subscribe', args: trades }]);
    expect(spot.socket.request.url).toBe('wss://stream.bybit.com/v5/public/spot');
    const more = await linear.watches(wanted);
    expect(more[0]?.args?.toSorted()).toEqual([...trades, 'tickers.BTCUSDT', 'tickers.ETHUSDT'].toSorted());
    expect(linear.socket.request.url).toBe('wss://stream.bybit.com/v5/public/linear');
    linear.data.watch(new Map([['ETHUSDT', []]]));
    await linear.clock.advance(1_000);
    const given = linear.said().filter(({ op }) => op === 'unsubscribe');
    expect(given.flatMap(({ args = [] }) => args).toSorted()).toEqual(
      ['kline.1.BTCUSDT', 'kline.240.BTCUSDT', 'publicTrade.BTCUSDT', 'tickers.BTCUSDT'].toSorted(),
    );
  });

  it.each([
    ['spot', 100, 10],
    ['futures', 100, 100],
  ] as const)('of %s are asked for in messages of no more than it takes', async (kind, symbols, most) => {
    const one = new Market(kind);
    await one.open();
    const said = await one.watches(
      Object.fromEntries(Array.from({ length: symbols }, (_, n) => [`N${n}`, []])),
    );
    const sizes = said.map(({ args = [] }) => args.length);
    expect(Math.max(...sizes)).toBe(most);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(kind === 'spot' ? symbols : 2 * symbols);
  });

  it('are kept by a ping every 20 s', async () => {
    await spot.watches({ BTCUSDT: [] });
    for (let n = 0; n < 3; n++) {
      await spot.clock.advance(20_000);
      expect(spot.said()).toEqual([{ req_id: 'ping', op: 'ping' }]);
      spot.hear({ success: true, ret_msg: 'pong', op: n === 0 ? 'ping' : 'pong' });
    }
    expect(spot.reports).toEqual([]);
  });

  it('of contracts whose marks stop for a minute are said to lack them, and those of spot not', async () => {
    for (const market of [spot, linear]) {
      await market.watches({ BTCUSDT: [] });
      market.hear({ topic: 'publicTrade.BTCUSDT', data: [{ T: 1, s: 'BTCUSDT', v: '1', p: '2', i: 'a' }] });
      for (let n = 0; n < 3; n++) {
        await market.clock.advance(20_000);
        market.hear({ op: 'pong' });
      }
      expect(market.whys.get('BTCUSDT')).toBeNull();
      await market.clock.advance(2_000);
      expect(market.whys.get('BTCUSDT')).toBe(market === spot ? null : 'no mark price for 60 s');
    }
  });
});
