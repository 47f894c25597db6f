/**
 * What the prices of Binance are read from, message by message: trades, marks, candles, depth, funding and
 * last prices of two symbols, and what is asked and subscribed for them.
 */
import { describe, expect, it } from 'vitest';
import { depthStream, readDepth } from '../../../src/venues/binance/market/depth.ts';
import { readKlines, readStream } from '../../../src/venues/binance/market/messages.ts';
import { HandAnswers } from './hand-answers-support.ts';
import { marketRig, type RigOptions } from './market-support.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What a message says: an event, another kind, or why it cannot be read. */
const said = (message: object) => {
  const read = readStream(JSON.stringify(message));
  if (!read.ok) return 'unread';
  return read.value.kind === 'event' ? read.value.event : read.value.kind;
};

async function rigOf(kind: 'spot' | 'futures', more: RigOptions = {}) {
  const rig = await marketRig({ kind, ...more });
  const hand = new HandAnswers(rig.net);
  /** Awaits an answer for which virtual time must pass. */
  const result = async <T>(question: Promise<T>): Promise<T> => {
    await rig.pass(100);
    return question;
  };
  return { ...rig, hand, result };
}

describe('a trade of Binance', () => {
  const trade = (more: object) => ({
    e: 'aggTrade',
    E: 9,
    s: 'BTCUSDT',
    a: 5,
    p: '60.10',
    q: '0.500',
    ...more,
  });
  const of = (more: object) => ({ id: 5, price: '60.1', volume: '0.5', ...more });

  it('has the time and the side of who took, where the message has them', () => {
    for (const [more, told] of [
      [{}, {}],
      [{ T: 0 }, { time: 0 }],
      [
        { T: 7, m: true },
        { time: 7, side: 'SELL' },
      ],
      [{ m: false, st: 1 }, { side: 'BUY' }],
    ])
      expect(said(trade(more as object))).toEqual({
        ...{ kind: 'trades', symbol: 'BTCUSDT', trades: [of(told as object)] },
      });
    expect(said(trade({ s: 'ETHUSDC', a: 6, p: '3', q: '2' }))).toEqual({
      ...{ kind: 'trades', symbol: 'ETHUSDC', trades: [{ id: 6, price: '3', volume: '2' }] },
    });
    expect(said(trade({ m: 'yes' }))).toBe('unread');
  });
});

describe('a mark price of Binance', () => {
  const mark = (more: object) => ({
    ...{
      e: 'markPriceUpdate',
      E: 9,
      s: 'BTCUSDT',
      p: '60.10',
      i: '59',
      P: '58',
      r: '-0.00010',
      T: 70,
      ...more,
    },
  });

  it('comes with its time and with the funding that is next, if there is one', () => {
    const told = { kind: 'mark', symbol: 'BTCUSDT', time: 9, price: '60.1' };
    expect(said(mark({}))).toEqual({ ...told, funding: { rate: '-0.0001', at: 70 } });
    expect(said(mark({ r: '0.000', T: 71, E: 10 }))).toEqual({
      ...told,
      time: 10,
      funding: { rate: '0', at: 71 },
    });
    for (const more of [{ r: '' }, { T: 0 }, { r: '', T: 0 }, { r: undefined }, { T: undefined }])
      expect(said(mark(more))).toEqual({ ...told, funding: null });
    expect(said(mark({ st: 2 }))).toBe('other');
    for (const more of [{ p: '0.00' }, { p: '-1' }, { r: 'none' }, { E: -1 }, { s: 'a b' }])
      expect(said(mark(more))).toBe('unread');
  });

  it('that stops makes its symbol stale, and funding is told with it', async () => {
    const { market, told, pass, net } = await rigOf('futures');
    market.watch(new Map([['BTCUSDT', []]]));
    await pass(3_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    expect(told.marks[0]).toMatchObject({ symbol: 'BTCUSDT', funding: { at: expect.any(Number) } });
    net.isMute = true;
    await pass(9_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    await pass(3_000);
    expect(told.whys.get('BTCUSDT')).toBe('no mark price for 10 s');
    // After a quarter of a minute the socket counts as dead.
    const { made } = net;
    await pass(5_000);
    expect(net.made).toBe(made + 1);
  });
});

describe('a candle of Binance', () => {
  const kline = (k: object, more: object = {}) => ({
    ...{ e: 'kline', E: 9, s: 'BTCUSDT', ...more },
    k: { t: MINUTE, i: '5m', o: '2.0', c: '3.0', h: '4.0', l: '1.0', v: '5.50', x: true, ...k },
  });
  const candle = { time: MINUTE, open: '2', high: '4', low: '1', close: '3', volume: '5.5' };

  it('is told once it is closed, at its limits too, and not where its figures contradict each other', () => {
    const told = { kind: 'closed', symbol: 'BTCUSDT', interval: '5m' };
    expect(said(kline({}))).toEqual({ ...told, candle });
    expect(said(kline({ o: '1', c: '1', h: '1', l: '1', v: '0' }))).toEqual({
      ...told,
      candle: { time: MINUTE, open: '1', high: '1', low: '1', close: '1', volume: '0' },
    });
    expect(said(kline({ o: '4', c: '1' }))).toMatchObject({ candle: { open: '4', close: '1' } });
    expect(said(kline({}, { st: 2 }))).toBe('other');
    // A mark of the end elsewhere in the message is not that of the candle.
    expect(said(kline({ x: false, X: { x: true } }))).toBe('other');
    for (const wrong of [
      { l: '0', o: '0', c: '0' },
      { h: '0.9', o: '0.9', c: '0.9' },
      { o: '0.9' },
      { o: '4.1' },
      { c: '0.9' },
      { c: '4.1' },
      { v: '-1' },
    ])
      expect([wrong, said(kline(wrong))]).toEqual([wrong, 'unread']);
  });

  it('of the past is read row by row, the oldest first, or not at all', () => {
    const row = (time: unknown, more: Record<number, unknown> = {}) =>
      Object.assign([time, '2.0', '4.0', '1.0', '3.0', '5.50', 9, '1', 2], more);
    const read = (rows: unknown[]) => {
      const answer = readKlines(JSON.stringify(rows));
      return answer.ok ? answer.value : answer.problem;
    };
    expect(read([])).toEqual([]);
    expect(read([row(0), row(MINUTE), row(MINUTE + 1)])).toEqual([
      { ...candle, time: 0 },
      candle,
      { ...candle, time: MINUTE + 1 },
    ]);
    const problem = (n: number) => `row ${n} is no candle, or not later than the one before`;
    for (const [rows, n] of [
      [[row(MINUTE), row(MINUTE)], 2],
      [[row(MINUTE), row(2 * MINUTE), row(MINUTE)], 3],
      [[row(-1)], 1],
      [[row('60000')], 1],
      [[row(1.5)], 1],
      [[row(null)], 1],
      [[row(0, { 1: 2 })], 1],
      [[row(0, { 2: '-4' })], 1],
      [[row(0, { 3: '' })], 1],
      [[row(0, { 4: null })], 1],
      [[row(0, { 5: 'x' })], 1],
      [[row(0), row(MINUTE, { 2: '2.5' })], 2],
    ] as const)
      expect(read([...rows])).toBe(problem(n));
  });

  it('is asked for by the name of its frame, as many as there are and no more than a page', async () => {
    for (const [kind, path] of [
      ['spot', '/api/v3/klines'],
      ['futures', '/fapi/v1/klines'],
    ] as const) {
      const { market, hand, result } = await rigOf(kind);
      const names = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d'];
      const frames = [1, 3, 5, 15, 30, 60, 120, 240, 360, 480, 720, 1_440].map((one) => one * MINUTE);
      expect(market.frames).toEqual(frames);
      const ask = (frameMs: number, from: number, to: number) =>
        result(market.candles({ symbol: 'ETHUSDT', frameMs, from, to }));
      for (const frameMs of frames) await ask(frameMs, 0, frameMs);
      expect(hand.asked()).toEqual(
        names.map((interval, at) => ({
          name: `GET ${path}`,
          parameters: {
            ...{
              symbol: 'ETHUSDT',
              interval,
              startTime: '0',
              endTime: String((frames[at] ?? 0) - 1),
              limit: '1',
            },
          },
        })),
      );
      for (const [from, to, limit] of [
        [HOUR, HOUR + 1, '1'],
        [HOUR, HOUR + 2 * MINUTE + 1, '3'],
        [HOUR, HOUR + 999 * MINUTE, '999'],
        [HOUR, HOUR + 1_001 * MINUTE, '1000'],
      ] as const) {
        await ask(MINUTE, from, to);
        expect(hand.asked()[0]?.parameters).toMatchObject({
          ...{ startTime: String(from), endTime: String(to - 1), limit },
        });
      }
      expect([await ask(7 * MINUTE, 0, HOUR), await ask(MINUTE, 5, 5), hand.names()]).toEqual([[], [], []]);
    }
  });
});

describe('last prices of Binance', () => {
  it('are those of all symbols that have one', async () => {
    for (const [kind, name] of [
      ['spot', 'GET /api/v3/ticker/price'],
      ['futures', 'GET /fapi/v2/ticker/price'],
    ] as const) {
      const { market, hand, result, lines } = await rigOf(kind);
      hand.on(name, [
        { symbol: 'BTCUSDT', price: '60.10' },
        { symbol: 'ETHUSDT', price: '3.000' },
        { symbol: 'NEWUSDT', price: '0.00000000' },
        { symbol: 'od d', price: '1' },
      ]);
      expect(await result(market.prices())).toEqual([
        ['BTCUSDT', '60.1'],
        ['ETHUSDT', '3'],
      ]);
      hand.on(name, { symbol: 'BTCUSDT', price: '5.0' });
      expect(await result(market.prices())).toEqual([['BTCUSDT', '5']]);
      expect(hand.asked()).toEqual([
        { name, parameters: {} },
        { name, parameters: {} },
      ]);
      hand.on(name, [{ symbol: 'BTCUSDT', price: '5' }, { symbol: 'ETHUSDT' }]);
      expect(await result(market.prices())).toBeNull();
      hand.on(name, [], 500);
      expect(await result(market.prices())).toBeNull();
      expect(lines).toHaveLength(1);
    }
  });

  it('are asked of one symbol where one is watched', async () => {
    const { market, hand, pass, told } = await rigOf('futures');
    market.watch(new Map([['ETHUSDT', []]]));
    await pass(2_000);
    expect(hand.asked()).toEqual([{ name: 'GET /fapi/v2/ticker/price', parameters: { symbol: 'ETHUSDT' } }]);
    expect(told.prices('ETHUSDT')).toHaveLength(1);
  });
});

describe('funding of the past', () => {
  const FUNDING = 'GET /fapi/v1/fundingRate';
  const row = (fundingTime: number, fundingRate: string, markPrice?: string) => ({
    ...{ symbol: 'BTCUSDT', fundingTime, fundingRate, ...(markPrice === undefined ? {} : { markPrice }) },
  });

  it('is told payment by payment, the oldest first, with its mark where that was kept', async () => {
    const { market, hand, result } = await rigOf('futures');
    hand.on(FUNDING, [
      row(30, '0.00010', '60.10'),
      row(10, '-0.00020', ''),
      row(20, '0.000', '0.0'),
      row(25, '0.5'),
      row(26, '0.5', 'none'),
    ]);
    expect(await result(market.funding('BTCUSDT', 10, 31))).toEqual([
      { at: 10, rate: '-0.0002', mark: null },
      { at: 20, rate: '0', mark: null },
      { at: 25, rate: '0.5', mark: null },
      { at: 26, rate: '0.5', mark: null },
      { at: 30, rate: '0.0001', mark: '60.1' },
    ]);
    const span = { startTime: '10', endTime: '30', limit: '1000' };
    expect(hand.asked()).toEqual([{ name: FUNDING, parameters: { symbol: 'BTCUSDT', ...span } }]);
    hand.on(FUNDING, [row(30, '0.1'), row(40, 'x')]);
    expect(await result(market.funding('BTCUSDT', 10, 31))).toBeNull();
    expect(await result(market.funding('BTCUSDT', 10, 10))).toEqual([]);
  });

  it('is none on spot, and not asked for', async () => {
    const { market, hand, result } = await rigOf('spot');
    expect([await result(market.funding('BTCUSDT', 10, 31)), hand.names()]).toEqual([[], []]);
  });
});

describe('instruments of a market', () => {
  it('are read under the name that asks for them', async () => {
    for (const [kind, name] of [
      ['spot', 'GET /api/v3/exchangeInfo'],
      ['futures', 'GET /fapi/v1/exchangeInfo'],
    ] as const) {
      const { market, hand, result } = await rigOf(kind);
      const list = await result(market.instruments('paper'));
      expect(list?.find(({ symbol }) => symbol === 'BTCUSDT')).toMatchObject({ exchange: 'paper', kind });
      expect(hand.asked()).toEqual([{ name, parameters: {} }]);
    }
  });
});

describe('streams of a market', () => {
  it('are trades, candles of the frames, and on futures marks', async () => {
    for (const [kind, marks] of [
      ['spot', []],
      ['futures', ['btcusdt@markPrice@1s', 'ethusdt@markPrice@1s']],
    ] as const) {
      const { market, emulator, pass } = await rigOf(kind);
      market.watch(
        new Map([
          ['BTCUSDT', [MINUTE, 4 * HOUR]],
          ['ETHUSDT', []],
        ]),
      );
      await pass(2_000);
      const { sockets } = kind === 'spot' ? emulator.spotStreams : emulator.futuresStreams;
      expect([...sockets].flatMap(({ names }) => [...names]).sort()).toEqual(
        ['btcusdt@aggTrade', 'btcusdt@kline_1m', 'btcusdt@kline_4h', 'ethusdt@aggTrade', ...marks].sort(),
      );
    }
  });

  it('of futures are two hundred a socket, asked for at the pace that the exchange takes', async () => {
    const { market, emulator, pass, net } = await rigOf('futures');
    const sent: number[] = [];
    const socket = net.socket.bind(net);
    net.socket = (request, events) => {
      const wire = socket(request, events);
      const send = wire.send.bind(wire);
      wire.send = (text) => {
        sent.push(emulator.now());
        return send(text);
      };
      return wire;
    };
    const frames = [MINUTE, 3 * MINUTE];
    market.watch(new Map(Array.from({ length: 130 }, (_, at) => [`S${at}USDT`, frames])));
    await pass(5_000);
    const { sockets } = emulator.futuresStreams;
    expect([...sockets].map(({ names }) => names.size)).toEqual([188, 188, 144]);
    expect(
      Math.max(...sent.map((at) => sent.filter((one) => one >= at && one < at + 150).length)),
    ).toBeLessThanOrEqual(3);
    expect(sent).toHaveLength(6);
  });

  it('that are refused say why, in the words of the exchange', () => {
    const read = (reply: object) => {
      const message = readStream(JSON.stringify(reply));
      if (!message.ok) return message.problem;
      return message.value.kind === 'reply' ? [message.value.id, message.value.problem] : message.value.kind;
    };
    expect(
      [
        { id: 3, result: null },
        { id: 3, code: 2, msg: 'Invalid request' },
        { id: 4, error: { code: 1, msg: 'Unknown stream' } },
        { id: 4, error: { msg: 'Unknown stream' } },
        { id: 4, error: { code: 7 } },
        { id: 4, error: {} },
        { id: null, error: { msg: 'Invalid JSON' } },
        { id: 'text', msg: 'odd' },
        { code: 1 },
      ].map(read),
    ).toEqual([
      [3, null],
      [3, '2 Invalid request'],
      [4, '1 Unknown stream'],
      [4, 'Unknown stream'],
      [4, '7'],
      [4, 'refused'],
      'Invalid JSON',
      'odd',
      'an answer to nothing',
    ]);
  });
});

describe('depth of Binance', () => {
  const bids = [
    ['59.90', '1.0'],
    ['59.80', '2'],
  ];
  const asks = [['60.10', '0.0']];
  const read = (message: object) => {
    const answer = readDepth(JSON.stringify(message));
    if (!answer.ok) return 'unread';
    return answer.value.kind === 'event' ? answer.value.event : answer.value.kind;
  };

  it('is the book of a symbol as it is then, in the words of spot and in those of futures', () => {
    const stream = depthStream('BTCUSDT');
    expect([stream, depthStream('币安人生USDT')]).toEqual([
      'btcusdt@depth10@100ms',
      '币安人生usdt@depth10@100ms',
    ]);
    const book = { stream, isWhole: true, bids, asks };
    expect(read({ stream, data: { lastUpdateId: 7, bids, asks } })).toEqual({ ...book, at: 7 });
    const futures = { e: 'depthUpdate', E: 1, T: 1, s: 'BTCUSDT', U: 1, u: 8, pu: 2, b: asks, a: bids };
    expect(read({ stream, data: futures })).toEqual({ stream, isWhole: true, bids: asks, asks: bids, at: 8 });
    expect(read({ stream, data: { lastUpdateId: 0, bids: [], asks: [] } })).toEqual({
      ...{ stream, isWhole: true, bids: [], asks: [], at: 0 },
    });
  });

  it('cannot be read where a part of it is missing or no price', () => {
    const stream = depthStream('BTCUSDT');
    const whole = { lastUpdateId: 7, bids, asks };
    for (const data of [
      { ...whole, lastUpdateId: undefined },
      { ...whole, bids: undefined },
      { ...whole, asks: undefined },
      { ...whole, bids: [['0.00', '1']] },
      { ...whole, asks: [...asks, ['0', '1']] },
      { ...whole, asks: [['-1', '1']] },
      { ...whole, asks: [['1']] },
    ])
      expect(read({ stream, data })).toBe('unread');
    expect(read({ stream: '!serverShutdown@arr', data: {} })).toBe('shutdown');
    expect(read({ id: 3, result: null })).toBe('reply');
  });
});
