/**
 * The reading of OKX's prices, candles, funding and depth: each message as what it is, and none that contradicts
 * itself.
 */
import { describe, expect, it } from 'vitest';
import { readInstruments } from '../../../src/venues/okx/instruments.ts';
import { readDepth } from '../../../src/venues/okx/market/depth.ts';
import {
  readCandles,
  readFunding,
  readPrices,
  readTickers,
} from '../../../src/venues/okx/market/messages.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';

const data = (channel: string, rows: readonly unknown[], instId = 'BTC-USDT') =>
  JSON.stringify({ arg: { channel, instId }, data: rows });
const answer = (rows: readonly unknown[], code = '0') => JSON.stringify({ code, msg: '', data: rows });
const TRADE = { instId: 'BTC-USDT', tradeId: '7', px: '60000.10', sz: '0.50', side: 'buy', ts: '1700' };
const MARK = { instId: 'BTC-USDT-SWAP', markPx: '60001.0', ts: '1701' };
const FUNDING = {
  ...{ instId: 'BTC-USDT-SWAP', fundingRate: '-0.00020', fundingTime: '2000', nextFundingTime: '3000' },
};
const OTHER = { ok: true, value: [{ kind: 'other' }] };

describe('a message', () => {
  it('of trades has each with its side, size and time, in their order', () => {
    const rows = [
      TRADE,
      { ...TRADE, tradeId: '8', side: 'sell', px: '60001', sz: '2', ts: '1702' },
      { instId: 'BTC-USDT', tradeId: '9', px: '60002', sz: '3', side: 'block' },
    ];
    expect(readPrices(data('trades', rows), true)).toEqual({
      ok: true,
      value: [
        {
          ...{ kind: 'trade', instId: 'BTC-USDT', id: 7, price: '60000.1', size: '0.5' },
          ...{ time: 1_700, side: 'BUY' },
        },
        {
          ...{ kind: 'trade', instId: 'BTC-USDT', id: 8, price: '60001', size: '2' },
          ...{ time: 1_702, side: 'SELL' },
        },
        { kind: 'trade', instId: 'BTC-USDT', id: 9, price: '60002', size: '3' },
      ],
    });
  });

  it('of marks and of funding is of each contract in it', () => {
    const rows = [MARK, { ...MARK, instId: 'ETH-USDT-SWAP', markPx: '2500.5', ts: '1703' }];
    expect(readPrices(data('mark-price', rows), false)).toEqual({
      ok: true,
      value: [
        { kind: 'mark', instId: 'BTC-USDT-SWAP', time: 1_701, price: '60001' },
        { kind: 'mark', instId: 'ETH-USDT-SWAP', time: 1_703, price: '2500.5' },
      ],
    });
    const fundings = [
      FUNDING,
      { ...FUNDING, instId: 'ETH-USDT-SWAP', fundingRate: '0.0001', nextFundingTime: '' },
      { ...FUNDING, instId: 'SOL-USDT-SWAP', fundingRate: '' },
    ];
    expect(readPrices(data('funding-rate', fundings), false)).toEqual({
      ok: true,
      value: [
        { kind: 'funding', instId: 'BTC-USDT-SWAP', rate: '-0.0002', at: 2_000, next: 3_000 },
        { kind: 'funding', instId: 'ETH-USDT-SWAP', rate: '0.0001', at: 2_000, next: null },
      ],
    });
  });

  it.each<[string, unknown[]]>([
    ['trades', [TRADE, { ...TRADE, px: '0' }]],
    ['trades', [TRADE, { ...TRADE, px: '-1' }]],
    ['trades', [{ ...TRADE, tradeId: 'x' }, TRADE]],
    ['mark-price', [MARK, { ...MARK, markPx: '0.0' }]],
    ['mark-price', [{ ...MARK, ts: '' }, MARK]],
    ['funding-rate', [FUNDING, { ...FUNDING, fundingTime: '' }]],
    [
      'candle1m',
      [
        ['1', '5', '6', '4', '5', '1', '1', '1', '1', '1'],
        ['2', '5', '6', '4'],
      ],
    ],
  ])('of %s with one row that cannot be is unreadable as a whole', (channel, rows) => {
    expect(readPrices(data(channel, rows), true).ok).toBe(false);
    expect(readPrices(data(channel, [...rows].reverse()), true).ok).toBe(false);
  });

  it.each<[string, unknown]>([
    ['pong', OTHER],
    [
      JSON.stringify({ event: 'subscribe', arg: { channel: 'trades', instId: 'A-B' } }),
      { ok: true, value: [{ kind: 'granted', channel: 'trades A-B' }] },
    ],
    [
      JSON.stringify({ event: 'unsubscribe', arg: { channel: 'candle1m', instId: 'A-B' } }),
      { ok: true, value: [{ kind: 'left', channel: 'candle1m A-B' }] },
    ],
    [
      JSON.stringify({ event: 'notice', code: '64008', msg: 'upgrade' }),
      { ok: true, value: [{ kind: 'shutdown' }] },
    ],
    [JSON.stringify({ event: 'notice', code: '64007', msg: 'other' }), OTHER],
    [
      JSON.stringify({ event: 'error', id: '12', code: '60018', msg: 'no such channel' }),
      { ok: true, value: [{ kind: 'refused', id: 12, problem: 'no such channel (60018)' }] },
    ],
    [
      JSON.stringify({ event: 'error', id: 'x1', code: '60012', msg: 'odd' }),
      { ok: true, value: [{ kind: 'refused', id: null, problem: 'odd (60012)' }] },
    ],
    [
      JSON.stringify({ event: 'error', code: '60012', msg: 'odd' }),
      { ok: true, value: [{ kind: 'refused', id: null, problem: 'odd (60012)' }] },
    ],
    [JSON.stringify({ event: 'channel-conn-count', arg: { channel: 'trades' }, data: [TRADE] }), OTHER],
    [data('status', [TRADE]), OTHER],
  ])('%s is what it says', (text, told) => {
    expect(readPrices(text, true)).toEqual(told);
  });
});

describe('a candle', () => {
  const ROW = ['60000', '50.0', '60', '40', '55.5', '7', '0.07', '400', '1'];
  const rowOf = (more: Readonly<Record<number, string>>) => ROW.map((one, at) => more[at] ?? one);

  it('is told when it is closed, in base units of its market, and never while it runs', () => {
    const running = rowOf({ 0: '120000', 8: '0' });
    const text = data('candle5m', [ROW, running]);
    const candle = { time: 60_000, open: '50', high: '60', low: '40', close: '55.5', isClosed: true };
    for (const [isSpot, volume] of [
      [true, '7'],
      [false, '0.07'],
    ] as const)
      expect(readPrices(text, isSpot)).toEqual({
        ok: true,
        value: [{ kind: 'closed', instId: 'BTC-USDT', bar: '5m', candle: { ...candle, volume } }],
      });
    expect(readPrices(data('candle5m', [running]), true)).toEqual(OTHER);
    // A running candle whose figures would close it elsewhere in the row.
    expect(readPrices(data('candle5m', [rowOf({ 7: '1', 8: '0' })]), true)).toEqual(OTHER);
    expect(readPrices(data('candle5m', [rowOf({ 8: '0' }), rowOf({ 0: '1', 8: '1' })]), true)).toMatchObject({
      value: [{ candle: { time: 1 } }],
    });
  });

  it.each<[Readonly<Record<number, string>>, isCandle: boolean]>([
    [{}, true],
    [{ 3: '0' }, false],
    [{ 3: '-1' }, false],
    [{ 2: '39' }, false],
    [{ 1: '39.9' }, false],
    [{ 1: '60.1' }, false],
    [{ 4: '39.9' }, false],
    [{ 4: '60.1' }, false],
    [{ 1: '40', 4: '60' }, true],
    [{ 1: '60', 4: '40' }, true],
    [{ 1: '50', 2: '50', 3: '50', 4: '50' }, true],
    [{ 0: '' }, false],
    [{ 0: '1e3' }, false],
    [{ 1: '' }, false],
    [{ 2: '1e9' }, false],
    [{ 4: 'x' }, false],
    [{ 5: '' }, false],
    [{ 6: '', 5: '7' }, true],
    [{ 5: '0' }, true],
  ])('with %o is one: %s', (more, isCandle) => {
    expect(readPrices(data('candle1m', [rowOf(more)]), true).ok).toBe(isCandle);
    expect(readCandles(answer([rowOf(more)]), true).ok).toBe(isCandle);
    // Of contracts the figure beside it counts.
    if (more[6] === '') expect(readCandles(answer([rowOf(more)]), false).ok).toBe(false);
    if (more[5] === '') expect(readCandles(answer([rowOf(more)]), false).ok).toBe(true);
  });

  it('of an answer is told oldest first, and all of it is unreadable where one is not older than the one before', () => {
    const times = (...all: string[]) => answer(all.map((time) => rowOf({ 0: time })));
    const read = readCandles(times('180000', '120000', '60000'), true);
    expect(read.ok && read.value.map(({ time }) => time)).toEqual([60_000, 120_000, 180_000]);
    for (const odd of [
      times('60000', '120000'),
      times('60000', '60000'),
      times('180000', '60000', '120000'),
      times('180000', '60000', '180000'),
      answer([rowOf({ 0: '120000' }), rowOf({ 3: '99' })]),
      answer([ROW], '51001'),
    ])
      expect(readCandles(odd, true).ok).toBe(false);
    expect(readCandles(times('180000', '60000', '120000'), true)).toMatchObject({
      problem: expect.stringContaining('row 3'),
    });
    expect(readCandles(answer([rowOf({ 8: '0' })]), true)).toMatchObject({ value: [{ isClosed: false }] });
    expect(readCandles(answer([]), true)).toEqual({ ok: true, value: [] });
  });
});

describe('an answer', () => {
  it('of last prices has those that there are', () => {
    const rows = [
      { instId: 'A-B', last: '1.50' },
      { instId: 'C-D', last: '' },
      { instId: 'E-F', last: '0' },
      { instId: 'G-H', last: '0.0000001' },
    ];
    expect(readTickers(answer(rows))).toEqual({
      ok: true,
      value: [
        ['A-B', '1.5'],
        ['G-H', '0.0000001'],
      ],
    });
    expect(readTickers(answer([...rows, { instId: 'I-J', last: 'x' }])).ok).toBe(false);
  });

  it('of past funding has the rate that was paid, oldest first', () => {
    const rows = [
      { instId: 'A', fundingTime: '300', fundingRate: '0.0003', realizedRate: '' },
      { instId: 'A', fundingTime: '100', fundingRate: '0.0001', realizedRate: '-0.00015' },
      { instId: 'A', fundingTime: '200', fundingRate: '', realizedRate: '0.0002' },
      { instId: 'A', fundingTime: '400', fundingRate: '', realizedRate: '' },
    ];
    expect(readFunding(answer(rows))).toEqual({
      ok: true,
      value: [
        { at: 100, rate: '-0.00015', mark: null },
        { at: 200, rate: '0.0002', mark: null },
        { at: 300, rate: '0.0003', mark: null },
      ],
    });
    expect(readFunding(answer(rows, '50011')).ok).toBe(false);
  });
});

describe('depth', () => {
  const listings = (['spot', 'swap'] as const).flatMap((kind) => {
    const read = readInstruments(answer(INSTRUMENTS.map(instrumentRow)), 'mine', kind);
    return read.ok ? read.value.listings : [];
  });
  const named = (instId: string) => listings.find((one) => one.instId === instId);
  const book = (more: object = {}, instId = 'BTC-USDT-SWAP', action = 'snapshot') =>
    JSON.stringify({
      arg: { channel: 'books', instId },
      action,
      data: [
        {
          bids: [
            ['60000', '3', '0', '1'],
            ['59999', '5', '0', '2'],
          ],
          asks: [['60001', '7', '0', '1']],
          seqId: 20,
          prevSeqId: -1,
          ...more,
        },
      ],
    });

  it('is a whole book, then changes that name what they follow; sizes are in base units', () => {
    expect(readDepth(book(), named)).toEqual({
      ok: true,
      value: [
        {
          kind: 'event',
          event: {
            stream: 'books BTC-USDT-SWAP',
            isWhole: true,
            bids: [
              ['60000', '0.03'],
              ['59999', '0.05'],
            ],
            asks: [['60001', '0.07']],
            at: 20,
          },
        },
      ],
    });
    const change = { bids: [['60000', '0']], asks: [], seqId: 25, prevSeqId: 20 };
    expect(readDepth(book(change, 'BTC-USDT', 'update'), named)).toEqual({
      ok: true,
      value: [
        {
          kind: 'event',
          event: {
            ...{ stream: 'books BTC-USDT', isWhole: false, bids: [['60000', '0']], asks: [] },
            ...{ at: 25, after: 20 },
          },
        },
      ],
    });
  });

  it.each<[string, object]>([
    ['a price of zero to buy', { bids: [['0', '1']] }],
    [
      'a price of zero to sell',
      {
        asks: [
          ['60001', '1'],
          ['0.0', '1'],
        ],
      },
    ],
    ['no number', { seqId: '20' }],
    ['a level without a size', { bids: [['60000']] }],
  ])('with %s is unreadable', (_, more) => {
    expect(readDepth(book(more), named).ok).toBe(false);
  });

  it('of what is not listed is nothing, and answers about it are answers', () => {
    expect(readDepth(book({}, 'NOPE-USDT'), named)).toEqual({ ok: true, value: [] });
    for (const [event, kind] of [
      ['subscribe', 'granted'],
      ['unsubscribe', 'left'],
    ])
      expect(readDepth(JSON.stringify({ event, arg: { channel: 'books', instId: 'A-B' } }), named)).toEqual({
        ok: true,
        value: [{ kind, stream: 'books A-B' }],
      });
    const told = (text: string) => {
      const read = readDepth(text, named);
      return read.ok ? read.value : read;
    };
    expect(told(JSON.stringify({ event: 'error', id: '3', code: '1', msg: 'x' }))).toEqual([
      { kind: 'refused', id: 3, problem: 'x (1)' },
    ]);
    expect(told(JSON.stringify({ event: 'notice', code: '64008' }))).toEqual([{ kind: 'shutdown' }]);
    expect(told('pong')).toEqual([{ kind: 'other' }]);
    expect(told(data('trades', [TRADE]))).toEqual([{ kind: 'other' }]);
    expect(readDepth('{', named).ok).toBe(false);
  });
});
