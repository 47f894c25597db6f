/**
 * Fields of an exchange's messages as they are decoded: each number in plain notation, each word and number
 * checked, no field left unread.
 */
import { describe, expect, it } from 'vitest';
import {
  decodeAll,
  decodeBalance,
  decodeFill,
  decodeInstrument,
  decodeLeverage,
  decodePosition,
  decodeState,
} from '../../../src/desk/core/decode.ts';
import type { ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import type { LeverageInfo } from '../../../src/domain/position.ts';
import { BTC } from '../../engine/support/market.ts';
import { positionOf } from './link-rig.ts';

const FILL: ExchangeFill = {
  tradeId: 't1',
  clientId: 'c1',
  symbol: 'BTCUSDT',
  side: 'SELL',
  price: '50000',
  qty: '0.5',
  comm: '0.1',
  commAsset: 'USDT',
  maker: true,
  rPnl: '-3',
  posSide: 'SHORT',
  time: 5,
  liquidation: true,
};
const STATE = {
  clientId: 'c1',
  symbol: 'BTCUSDT',
  status: 'WORKING',
  origQty: '2',
  cumQty: '1',
  quoteQty: '50000',
  seq: 3,
  time: 4,
} as const;
const LEVERAGE = {
  symbol: 'BTCUSDT',
  side: 'LONG',
  leverage: 7,
  marginType: 'ISOLATED',
  realizedPnl: '-2',
  time: 9,
} as LeverageInfo;
const POSITION = { ...positionOf('BTCUSDT', '-2', 6), liquidationPrice: '70000' };

type Decode = (raw: never) => { readonly ok: boolean; readonly value?: unknown; readonly field?: string };
type Kind =
  | 'figure'
  | 'zero'
  | 'null'
  | 'maybe'
  | 'positive'
  | 'factor'
  | 'word'
  | 'one'
  | 'whole'
  | 'count'
  | 'time';

/**
 * What each field must be. `zero`, `null`, `maybe`: how "none" is read. `positive`, `factor`: above zero.
 * `count`: from 1.
 */
const READ: readonly (readonly [string, Decode, object, Readonly<Record<string, Kind>>])[] = [
  [
    'an order',
    decodeState as Decode,
    STATE,
    {
      clientId: 'word',
      symbol: 'word',
      status: 'one',
      origQty: 'zero',
      cumQty: 'zero',
      quoteQty: 'maybe',
      seq: 'whole',
      time: 'whole',
    },
  ],
  [
    'a fill',
    decodeFill as Decode,
    FILL,
    {
      tradeId: 'word',
      clientId: 'word',
      symbol: 'word',
      side: 'one',
      price: 'figure',
      qty: 'figure',
      comm: 'zero',
      rPnl: 'null',
      posSide: 'one',
      time: 'whole',
    },
  ],
  [
    'a balance',
    decodeBalance as Decode,
    { asset: 'BTC', free: '1', locked: '2', time: 3 },
    { asset: 'word', free: 'zero', locked: 'zero', time: 'time' },
  ],
  [
    'a position',
    decodePosition as Decode,
    POSITION,
    {
      symbol: 'word',
      side: 'one',
      amount: 'zero',
      entryPrice: 'zero',
      breakEvenPrice: 'zero',
      markPrice: 'zero',
      unrealizedProfit: 'zero',
      marginType: 'one',
      leverage: 'count',
      isolatedWallet: 'zero',
      liquidationPrice: 'null',
      maintenanceMarginRate: 'zero',
      maintenanceMargin: 'zero',
      realizedPnl: 'zero',
      updateTime: 'whole',
    },
  ],
  [
    'a leverage',
    decodeLeverage as Decode,
    LEVERAGE,
    {
      symbol: 'word',
      side: 'one',
      leverage: 'count',
      marginType: 'one',
      realizedPnl: 'zero',
      time: 'time',
    },
  ],
  [
    'an instrument',
    decodeInstrument as Decode,
    { ...BTC, multiplier: '1000' },
    Object.fromEntries([
      ...['exchange', 'symbol', 'base', 'quote'].map((name) => [name, 'word']),
      ['kind', 'one'],
      ...['tickSize', 'stepSize'].map((name) => [name, 'positive']),
      ...'trailingMinBps trailingMaxBps maxOrders maxIcebergParts'.split(' ').map((name) => [name, 'whole']),
      ['multiplier', 'factor'],
      ...'minPrice maxPrice minQty maxQty marketMaxQty minNotional maxNotional percentDown percentUp'
        .split(' ')
        .map((name) => [name, 'zero']),
    ]) as Record<string, Kind>,
  ],
];

const FIGURES: readonly Kind[] = ['figure', 'zero', 'null', 'maybe'];
const BAD: Readonly<Record<Kind, readonly unknown[]>> = {
  figure: ['soon', 7, {}, '', null],
  zero: ['soon', 7, {}],
  null: ['soon', 7, {}],
  positive: ['soon', 7, {}, '', null, undefined, '0', '-1', '0.00'],
  factor: ['soon', 7, {}, '0', '-1'],
  maybe: ['soon', 7, {}],
  word: [7, null, undefined, 'x'.repeat(1_000)],
  one: ['X', 7, null, undefined],
  whole: ['1', -1, 1.5, Number.NaN, 2 ** 53, null, undefined],
  count: ['1', 0, -1, 1.5, undefined],
  time: ['1', -1, 1.5, null],
};

const fields = READ.flatMap(([name, decode, raw, kinds]) =>
  Object.entries(kinds).map(([field, kind]) => [name, field, kind, decode, raw] as const),
);

describe('what an exchange tells', () => {
  it.each(READ)('%s that is whole is read as it is', (_name, decode, raw) => {
    expect(decode(raw as never)).toEqual({ ok: true, value: raw });
  });

  it.each(fields)('%s whose %s is no %s cannot be read', (_name, field, kind, decode, raw) => {
    for (const bad of BAD[kind]) {
      const decoded = decode({ ...raw, [field]: bad } as never);
      expect(decoded).toMatchObject({ ok: false, value: bad });
      expect(decoded.field).toContain(field);
    }
  });

  it.each(fields.filter(([, , kind]) => FIGURES.includes(kind)))(
    '%s has its %s as a plain figure',
    (_name, field, kind, decode, raw) => {
      const read = (value: unknown) => decode({ ...raw, [field]: value } as never).value;
      expect(read('-1.25e2')).toMatchObject({ [field]: '-125' });
      if (kind === 'figure') return;
      for (const none of ['', 'null', null, undefined]) {
        const value = read(none) as Record<string, unknown>;
        if (kind === 'zero') expect(value[field]).toBe('0');
        if (kind === 'null') expect(value[field]).toBeNull();
      }
    },
  );

  it.each(READ)(
    '%s of letters of any script is read, one of a name that none can have is alien',
    (_, decode, raw) => {
      const field = 'asset' in raw ? 'asset' : 'symbol';
      const named = (name: string) => decode({ ...raw, [field]: name } as never);
      for (const name of ['币安人生USDT', 'ΩМЕГАUSDT', 'BTC-USDT_SWAP.1'])
        expect(named(name)).toMatchObject({ ok: true, value: { [field]: name } });
      for (const name of ['BTC USDT', 'BTC\u200bUSDT', 'שקל', 'E\u0301', 'x'.repeat(65)])
        expect(named(name)).toMatchObject({ ok: false, alien: true, value: name });
      expect(named('')).not.toHaveProperty('alien');
      expect(named(7 as never)).not.toHaveProperty('alien');
    },
  );

  it('an execution is read whatever the asset of its fee is called', () => {
    expect(decodeFill({ ...FILL, commAsset: 'שקל 1' })).toMatchObject({ ok: true });
  });

  const TERMS = {
    side: 'SELL',
    type: 'STOP_LIMIT',
    price: '1',
    stopPrice: '2',
    icebergQty: '3',
    timeInForce: 'GTC',
    reduceOnly: true,
    closePosition: false,
    positionSide: 'SHORT',
    workingType: 'MARK_PRICE',
  } as const;
  const FULL: ExchangeOrderState = {
    ...STATE,
    status: 'REJECTED',
    text: 'Too late.',
    armedAt: 7,
    reason: 'BALANCE',
    venueIds: ['v1', 'v2'],
    terms: TERMS,
  };

  it('an order of others is read with its terms and its names', () => {
    expect(decodeState(FULL)).toEqual({ ok: true, value: FULL });
    expect(decodeFill({ ...FILL, venueId: 'v1' })).toMatchObject({ ok: true, value: { venueId: 'v1' } });
  });

  const ODD: readonly (readonly [string, unknown])[] = [
    ['venueIds', ['v1', 5, {}]],
    ['venueIds', 'v1'],
    ['armedAt', '7'],
    ['terms', 'x'],
    ['terms', null],
    ...(['side', 'type', 'timeInForce', 'positionSide', 'workingType'] as const).flatMap((name) => [
      ['terms', { ...TERMS, [name]: 'X' }] as const,
      ['terms', { ...TERMS, [name]: undefined }] as const,
    ]),
    ...(['price', 'stopPrice', 'icebergQty'] as const).flatMap((name) => [
      ['terms', { ...TERMS, [name]: 'soon' }] as const,
      ['terms', { ...TERMS, [name]: 7 }] as const,
    ]),
  ];

  it.each(ODD)('an order whose %s are %o cannot be read', (field, bad) => {
    const decoded = decodeState({ ...FULL, [field]: bad } as never);
    expect(decoded).toMatchObject({ ok: false, field: expect.stringContaining(`order.${field}`) });
  });

  it('a fill whose venueId is no word cannot be read', () => {
    for (const bad of [5, {}, 'x'.repeat(1_000)])
      expect(decodeFill({ ...FILL, venueId: bad as string })).toMatchObject({
        ok: false,
        field: 'fill.venueId',
      });
  });

  it('terms have plain figures or none; words and reasons that say nothing are left out', () => {
    const terms = { ...TERMS, price: '5e2', stopPrice: '', icebergQty: 'null', reduceOnly: 1 } as never;
    const odd = { ...FULL, terms, text: 7, reason: 'WHATEVER' } as never;
    const decoded = decodeState(odd);
    const { stopPrice: _, icebergQty: __, ...others } = TERMS;
    const { text: ___, reason: ____, ...rest } = FULL;
    expect(decoded).toEqual({
      ok: true,
      value: { ...rest, terms: { ...others, price: '500', reduceOnly: false } },
    });
  });

  it('a fill is a maker’s or a liquidation only when it says so', () => {
    for (const said of ['true', 1, undefined, null]) {
      const { value } = decodeFill({ ...FILL, maker: said, liquidation: said } as never) as {
        value: ExchangeFill;
      };
      expect(value.maker).toBe(false);
      expect(value.liquidation === true).toBe(false);
    }
  });

  it('of a list what can be read is read, and the first of what cannot is told', () => {
    const list = [
      { asset: 'A', free: '1', locked: '0' },
      { asset: 'B', free: 'x', locked: '0' },
      { asset: 'C', free: '3', locked: 'y' },
      { asset: 'D', free: '4', locked: '0' },
    ];
    const { good, bad } = decodeAll(list, decodeBalance);
    expect(good.map(({ asset }) => asset)).toEqual(['A', 'D']);
    expect(bad).toEqual({ field: 'balance.free of "B"', value: 'x' });
  });
});

it('order types of an instrument are a list of words, and none where they are not told', () => {
  const read = (orderTypes: unknown) => decodeInstrument({ ...BTC, orderTypes } as never);
  expect(read(['LIMIT', 'STOP_LOSS'])).toMatchObject({
    ok: true,
    value: { orderTypes: ['LIMIT', 'STOP_LOSS'] },
  });
  expect(read(undefined)).toEqual({ ok: true, value: BTC });
  for (const bad of ['LIMIT', [1], Array(101).fill('LIMIT')])
    expect(read(bad)).toMatchObject({ ok: false, field: expect.stringContaining('instrument.orderTypes') });
});
