/**
 * What is asked of OKX's market and told of it: which list of candles, from where, how many, by which name;
 * funding at its time; and whose prices are whose.
 */
import { describe, expect, it } from 'vitest';
import type { WireAnswer } from '../../../src/venues/kit/net.ts';
import { MINUTE, marketRig, watched } from './market-support.ts';

const HOUR = 60 * MINUTE;
const answer = (data: readonly unknown[], code = '0', status = 200): WireAnswer => ({
  kind: 'answer',
  status,
  headers: {},
  body: JSON.stringify({ code, msg: 'words', data }),
});
type MarketRig = Awaited<ReturnType<typeof marketRig>>;
/** Questions of candles: the list and its parameters. */
const asked = ({ requests }: MarketRig) =>
  requests
    .filter(({ path }) => path.includes('/market/') && path.includes('candles'))
    .map(({ path }) => {
      const url = new URL(path, 'https://x');
      const of = Object.fromEntries(url.searchParams);
      return [url.pathname.split('/').at(-1), of.instId, of.bar, Number(of.after), Number(of.limit)];
    });

describe('candles', () => {
  it('of each frame go by the name that begins with the Unix epoch', async () => {
    const x = await marketRig('swap');
    const bars = ['1m', '3m', '5m', '15m', '30m', '1H', '2H', '4H', '6Hutc', '12Hutc', '1Dutc'];
    const frames = [1, 3, 5, 15, 30, 60, 120, 240, 360, 720, 1_440].map((minutes) => minutes * MINUTE);
    expect(x.market.frames).toEqual(frames);
    for (const frameMs of frames) {
      const to = x.emulator.now() - (x.emulator.now() % (24 * HOUR));
      await x.during(x.market.candles({ symbol: 'ETHUSDT', frameMs, from: to - frameMs, to }));
    }
    expect(asked(x).map(([, instId, bar]) => [instId, bar])).toEqual(
      bars.map((bar) => ['ETH-USDT-SWAP', bar]),
    );
    x.market.watch(watched('ETHUSDT', ...frames));
    await x.clock.advance(2_000);
    const args = x.net.frames
      .filter(({ path }) => path === '/business')
      .flatMap(({ text }) => (text === 'ping' ? [] : (JSON.parse(text) as { args: object[] }).args));
    expect(args).toEqual(bars.map((bar) => ({ channel: `candle${bar}`, instId: 'ETH-USDT-SWAP' })));
    expect(x.told.whys.get('ETHUSDT')).toBeNull();
  });

  it('are asked for to the end of the span or of a page, in the quick list while all of them are there', async () => {
    const x = await marketRig();
    const now = x.emulator.now() - (x.emulator.now() % MINUTE);
    const ask = async (from: number, to: number, frameMs = MINUTE) => {
      await x.during(x.market.candles({ symbol: 'BTCUSDT', frameMs, from, to }));
      return asked(x).at(-1);
    };
    const of = (list: string, bar: string, after: number, limit: number) => [
      list,
      'BTC-USDT',
      bar,
      after,
      limit,
    ];
    expect(await ask(now - 3 * MINUTE, now)).toEqual(of('candles', '1m', now, 3));
    expect(await ask(now - MINUTE, now)).toEqual(of('candles', '1m', now, 1));
    expect(await ask(now - 90_000, now)).toEqual(of('candles', '1m', now, 2));
    expect(await ask(now - 300 * MINUTE, now)).toEqual(of('candles', '1m', now, 300));
    expect(await ask(now - 301 * MINUTE, now)).toEqual(of('candles', '1m', now - MINUTE, 300));
    expect(await ask(now - 1_390 * MINUTE, now)).toEqual(of('candles', '1m', now - 1_090 * MINUTE, 300));
    const old = now - 1_401 * MINUTE;
    expect(await ask(old, now)).toEqual(of('history-candles', '1m', old + 300 * MINUTE, 300));
    expect(await ask(old, old + 2 * MINUTE)).toEqual(of('history-candles', '1m', old + 2 * MINUTE, 2));
    const hours = now - (now % HOUR) - 1_390 * HOUR;
    expect(await ask(hours, hours + 5 * HOUR, HOUR)).toEqual(of('candles', '1H', hours + 5 * HOUR, 5));
  });

  it('end before the span does, whatever the exchange adds', async () => {
    const x = await marketRig();
    const to = x.emulator.now() - (x.emulator.now() % MINUTE) - 10 * MINUTE;
    const row = (time: number) => [String(time), '5', '6', '4', '5', '1', '1', '1', '1'];
    x.net.answers.set('/api/v5/market/candles', () =>
      answer([row(to), row(to - MINUTE), row(to - 2 * MINUTE)]),
    );
    const span = { symbol: 'BTCUSDT', frameMs: MINUTE, from: to - 2 * MINUTE, to };
    const candles = await x.during(x.market.candles(span));
    expect(candles).toEqual([
      { time: to - 2 * MINUTE, open: '5', high: '6', low: '4', close: '5', volume: '1' },
      { time: to - MINUTE, open: '5', high: '6', low: '4', close: '5', volume: '1' },
    ]);
    expect(x.lines).toEqual([]);
  });

  it('of what is not listed are none, and nothing is asked', async () => {
    const x = await marketRig();
    expect(
      await x.during(x.market.candles({ symbol: 'NOPEUSDT', frameMs: MINUTE, from: 0, to: MINUTE })),
    ).toEqual([]);
    expect(asked(x)).toEqual([]);
  });

  it.each<[string, WireAnswer, RegExp]>([
    ['a refusal', answer([], '51001'), /words \(51001\)/],
    ['a refusal of the gateway', answer([], '50011', 429), /words \(50011\)/],
    ['rows under a status that is none of success', answer([], '0', 500), /cannot be read \(HTTP 500\)/],
    ['a page', { ...answer([]), body: ' <html>' } as WireAnswer, /a page of HTML .*\(HTTP 200\)/],
    ['no answer', { kind: 'lost', cause: 'no answer in time' }, /no answer in time/],
  ])('are not known after %s, with why', async (_, given, words) => {
    const x = await marketRig();
    x.net.answers.set('/api/v5/market/history-candles', () => given);
    expect(
      await x.during(x.market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: 0, to: MINUTE })),
    ).toBeNull();
    expect(x.lines).toEqual([expect.stringMatching(words)]);
  });
});

describe('funding', () => {
  const PATH = '/api/v5/public/funding-rate-history';
  const row = (at: number) => ({
    ...{ instId: 'ETH-USDT-SWAP', fundingTime: String(at), fundingRate: '0.0001', realizedRate: '' },
  });

  it('of the past is that of the span, with its beginning and without its end', async () => {
    const x = await marketRig('swap');
    const queries: string[] = [];
    x.net.answers.set(PATH, ({ path }) => {
      queries.push(path.split('?')[1] ?? '');
      return answer([4_000, 3_000, 2_000, 1_999].map(row));
    });
    const paid = await x.during(x.market.funding('ETHUSDT', 2_000, 4_000));
    expect(paid?.map(({ at }) => at)).toEqual([2_000, 3_000]);
    expect(queries).toEqual(['instId=ETH-USDT-SWAP&after=4000&limit=400']);
    expect(await x.during(x.market.funding('NOPEUSDT', 2_000, 4_000))).toBeNull();
    expect(queries).toHaveLength(1);
    x.net.answers.set(PATH, () => answer([], '50011'));
    expect(await x.during(x.market.funding('ETHUSDT', 2_000, 4_000))).toBeNull();
    const spot = await marketRig('spot');
    expect(await spot.during(spot.market.funding('BTCUSDT', 0, 4_000))).toEqual([]);
  });

  it('that comes next is told, and the one after it from the moment at which it is paid', async () => {
    const x = await marketRig('swap');
    x.market.watch(watched('ETHUSDT'));
    await x.clock.advance(2_000);
    const now = x.emulator.now();
    const say = async (rate: string, at: number, next: string) => {
      const data = [
        {
          ...{ instId: 'ETH-USDT-SWAP', fundingRate: rate, fundingTime: String(at), nextFundingTime: next },
        },
      ];
      x.net.say(
        'public',
        JSON.stringify({ arg: { channel: 'funding-rate', instId: 'ETH-USDT-SWAP' }, data }),
      );
      return x.told.marks.at(-1)?.funding;
    };
    const next = now + 9 * HOUR;
    expect(await say('0.0002', now + HOUR, String(next))).toEqual({ rate: '0.0002', at: now + HOUR });
    expect(await say('0.0003', now - 60_000, String(next))).toEqual({ rate: '0.0003', at: next });
    expect(await say('-0.0004', now - 60_000, '')).toEqual({ rate: '-0.0004', at: now - 60_000 });
    expect(await say('0.0005', x.market.now(), String(next + 1))).toEqual({ rate: '0.0005', at: next + 1 });
    expect(x.told.marks.every(({ symbol }) => symbol === 'ETHUSDT')).toBe(true);
  });
});

describe('prices', () => {
  it('of all are those of what is listed here, and of spot those of spot', async () => {
    for (const [kind, instType, name] of [
      ['spot', 'SPOT', 'ETH-USDT'],
      ['swap', 'SWAP', 'ETH-USDT-SWAP'],
    ] as const) {
      const x = await marketRig(kind);
      let query = '';
      x.net.answers.set('/api/v5/market/tickers', ({ path }) => {
        query = path.split('?')[1] ?? '';
        return answer([
          { instId: name, last: '2500' },
          { instId: 'NOPE-USDT', last: '7' },
        ]);
      });
      expect(await x.during(x.market.prices())).toEqual([['ETHUSDT', '2500']]);
      expect(query).toBe(`instType=${instType}`);
    }
  });

  it('and marks that come on a stream are of the symbol that the message names', async () => {
    const x = await marketRig('swap');
    x.market.watch(
      new Map([
        ['BTCUSDT', []],
        ['ETHUSDT', []],
      ]),
    );
    await x.clock.advance(2_000);
    const channels = x.net.frames
      .filter(({ path, text }) => path === '/public' && text !== 'ping')
      .flatMap(({ text }) => (JSON.parse(text) as { args: { channel: string; instId: string }[] }).args)
      .map(({ channel, instId }) => `${channel} ${instId}`);
    expect(channels.sort()).toEqual([
      'funding-rate BTC-USDT-SWAP',
      'funding-rate ETH-USDT-SWAP',
      'mark-price BTC-USDT-SWAP',
      'mark-price ETH-USDT-SWAP',
      'trades BTC-USDT-SWAP',
      'trades ETH-USDT-SWAP',
    ]);
    const say = (channel: string, rows: readonly object[]) =>
      x.net.say('public', JSON.stringify({ arg: { channel, instId: 'BTC-USDT-SWAP' }, data: rows }));
    const [ticks, marks] = [x.told.all.length, x.told.marks.length];
    const trade = { px: '2501', sz: '30', side: 'buy', ts: '5' };
    // 0.01 BTC and 0.1 ETH a contract.
    say('trades', [
      { ...trade, instId: 'ETH-USDT-SWAP', tradeId: '900000001' },
      { ...trade, instId: 'BTC-USDT-SWAP', tradeId: '900000001', px: '60001' },
      { ...trade, instId: 'NOPE-USDT-SWAP', tradeId: '900000002' },
      { ...trade, instId: 'ETH-USDT-SWAP', tradeId: '900000001' },
    ]);
    const at = { time: 5, side: 'BUY' };
    expect(x.told.all.slice(ticks)).toEqual([
      { symbol: 'ETHUSDT', price: '2501', volume: '3', ...at },
      { symbol: 'BTCUSDT', price: '60001', volume: '0.3', ...at },
    ]);
    const ts = String(x.emulator.now() + 1_000);
    say('mark-price', [
      { instId: 'ETH-USDT-SWAP', markPx: '2502', ts },
      { instId: 'NOPE-USDT-SWAP', markPx: '1', ts },
      { instId: 'BTC-USDT-SWAP', markPx: '60002', ts },
    ]);
    expect(x.told.marks.slice(marks).map(({ symbol, price }) => [symbol, price])).toEqual([
      ['ETHUSDT', '2502'],
      ['BTCUSDT', '60002'],
    ]);
  });

  it('of spot are stale without trades, and never for want of a mark; those of contracts are, after 25 s', async () => {
    for (const kind of ['spot', 'swap'] as const) {
      const x = await marketRig(kind);
      x.market.watch(watched('BTCUSDT'));
      await x.clock.advance(2_000);
      expect(x.told.whys.get('BTCUSDT')).toBeNull();
      x.net.faults = { messageLost: 1 };
      await x.clock.advance(24_000);
      expect(x.told.whys.get('BTCUSDT')).toBeNull();
      await x.clock.advance(5_000);
      expect(x.told.whys.get('BTCUSDT') ?? null).toEqual(kind === 'spot' ? null : 'no mark price for 25 s');
    }
  });

  it('that are unknown to an hour-old list are known after it has been read again', async () => {
    const x = await marketRig();
    x.market.watch(watched('BTCUSDT'));
    x.net.answers.set('/api/v5/public/instruments', () => ({ kind: 'lost', cause: 'no answer' }));
    await x.clock.advance(HOUR + 5_000);
    // What was listed stays known where the list cannot be read.
    expect(x.told.whys.get('BTCUSDT')).toBeNull();
    expect(x.lines).toEqual(['okx-spot: what is traded: no answer']);
    x.net.answers.clear();
    const before = x.requests.length;
    await x.clock.advance(HOUR);
    expect(x.requests.slice(before).filter(({ path }) => path.includes('instruments'))).toHaveLength(1);
  });
});

it('depth is told of the watched symbol, in base units, on a socket of its own', async () => {
  const x = await marketRig('swap');
  x.market.watch(watched('BTCUSDT'));
  await x.clock.advance(2_000);
  const before = x.net.dialled.length;
  x.market.watchDepth(new Set(['BTCUSDT', 'NOPEUSDT']));
  await x.clock.advance(2_000);
  expect(x.net.dialled.slice(before)).toEqual(['/public']);
  const args = x.net.frames.flatMap(({ text }) =>
    text.includes('books') ? (JSON.parse(text) as { args: object[] }).args : [],
  );
  expect(args).toEqual([{ channel: 'books', instId: 'BTC-USDT-SWAP' }]);
  expect(new Set(x.told.depths.map(({ symbol }) => symbol))).toEqual(new Set(['BTCUSDT']));
  const book = {
    bids: [['50000', '3', '0', '1']],
    asks: [['70000', '200', '0', '1']],
    seqId: 1,
    prevSeqId: -1,
  };
  const arg = { channel: 'books', instId: 'BTC-USDT-SWAP' };
  x.net.say('public', JSON.stringify({ arg, action: 'snapshot', data: [book] }));
  await x.clock.advance(200);
  expect(x.told.depths.at(-1)?.depth).toMatchObject({ bids: [['50000', '0.03']], asks: [['70000', '2']] });
});
