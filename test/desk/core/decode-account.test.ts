/**
 * What an exchange says of an account and its key, its ledger and its instruments, field by field: what is
 * read, what makes a report unreadable, and what is left out of it.
 */
import { describe, expect, it } from 'vitest';
import {
  clipped,
  type Decoded,
  decodeAll,
  decodeBalance,
  decodeEntry,
  decodeFees,
  decodeIdentity,
  decodeInstrument,
  decodeKeptInstrument,
  decodePermissions,
  decodeState,
} from '../../../src/desk/core/decode.ts';
import { LEDGER_KINDS } from '../../../src/domain/ledger.ts';
import { BTC } from '../../engine/support/market.ts';

type Decode = (raw: never) => Decoded<unknown>;

const PERMISSIONS = {
  trade: true,
  withdraw: false,
  transfer: true,
  addresses: ['192.0.2.1', '192.0.2.2'],
  expiresAt: 1_700_000_000_000,
};
const ENTRY = { id: 'e1', time: 7, asset: 'BNB', amount: '-0.5', kind: 'funding', symbol: 'BTCUSDT' };
const INSTRUMENT = {
  ...BTC,
  halt: 'in a break',
  endsAt: 1_800_000_000_000,
  orderTypes: ['LIMIT'],
  multiplier: '0.1',
};

/** A report, the values that one field of it may have, and those that make it unreadable. */
const FIELDS: readonly (readonly [string, Decode, object, string, readonly unknown[], readonly unknown[]])[] =
  [
    [
      'identity',
      decodeIdentity as Decode,
      { id: '1', mainId: '2' },
      'id',
      ['a', 'A-Z.0:9_', 'x'.repeat(64)],
      ['', 'x'.repeat(65), 'a b', 'a\n', 'é', 7, null, undefined],
    ],
    [
      'identity',
      decodeIdentity as Decode,
      { id: '1', mainId: '2' },
      'mainId',
      ['7', 'sub:1'],
      ['a b', 'x'.repeat(65), 7, {}],
    ],
    ...(['trade', 'withdraw', 'transfer'] as const).map(
      (name) =>
        [
          'permissions',
          decodePermissions as Decode,
          PERMISSIONS,
          name,
          [true, false],
          ['true', 1, 0, '', null, undefined],
        ] as const,
    ),
    [
      'permissions',
      decodePermissions as Decode,
      PERMISSIONS,
      'addresses',
      [[], ['::1'], Array(100).fill('::1'), ['x'.repeat(256)]],
      [null, undefined, '::1', [7], ['::1', null], Array(101).fill('::1'), ['x'.repeat(257)]],
    ],
    [
      'permissions',
      decodePermissions as Decode,
      PERMISSIONS,
      'expiresAt',
      [0, 1],
      ['1', -1, 1.5, Number.NaN, {}],
    ],
    [
      'feeRates',
      decodeFees as Decode,
      { maker: '-0.0001', taker: '0.001' },
      'maker',
      ['0', '0.1', '-0.1', '0.000'],
      ['0.1000001', '-0.1000001', '1', '', null, undefined, 0.001],
    ],
    [
      'feeRates',
      decodeFees as Decode,
      { maker: '-0.0001', taker: '0.001' },
      'taker',
      ['0', '0.1', '-0.1'],
      ['0.11', '-0.11', 'null', 7],
    ],
    ['ledger', decodeEntry as Decode, ENTRY, 'id', ['', 'x'], [7, null, 'x'.repeat(257)]],
    ['ledger', decodeEntry as Decode, ENTRY, 'time', [0, 5], [-1, '5', 1.5, undefined]],
    ['ledger', decodeEntry as Decode, ENTRY, 'asset', ['USDT'], ['', 'US DT', 7]],
    ['ledger', decodeEntry as Decode, ENTRY, 'amount', ['0', '-3'], ['', 'null', null, 3, 'soon']],
    ['ledger', decodeEntry as Decode, ENTRY, 'symbol', ['X'], [7, {}, 'x'.repeat(257)]],
    [
      'instrument',
      decodeInstrument as Decode,
      INSTRUMENT,
      'halt',
      ['halted', 'in a break', 'cancel-only'],
      ['open', 7, true, {}],
    ],
    ['instrument', decodeInstrument as Decode, INSTRUMENT, 'endsAt', [0, 9], ['9', -1, 0.5]],
    ['instrument', decodeInstrument as Decode, INSTRUMENT, 'kind', ['spot', 'futures'], ['margin', null]],
    ['instrument', decodeInstrument as Decode, INSTRUMENT, 'multiplier', ['1', '10000'], ['0', '-1', 'x']],
    [
      'instrument',
      decodeInstrument as Decode,
      INSTRUMENT,
      'orderTypes',
      [[], ['LIMIT', 'MARKET'], Array(100).fill('X')],
      ['LIMIT', [7], Array(101).fill('X')],
    ],
  ];

describe.each(FIELDS)('%s', (what, decode, raw, field, good, bad) => {
  it(`is read with each possible ${field}, and with no other`, () => {
    expect(decode(raw as never)).toEqual({ ok: true, value: raw });
    for (const value of good)
      expect(decode({ ...raw, [field]: value } as never)).toEqual({
        ok: true,
        value: { ...raw, [field]: value },
      });
    for (const value of bad) {
      const decoded = decode({ ...raw, [field]: value } as never);
      expect(decoded).toMatchObject({
        ok: false,
        field: expect.stringMatching(new RegExp(`^${what}.${field}`)),
      });
    }
  });
});

it.each([
  ['mainId', decodeIdentity as Decode, { id: '1', mainId: '2' }],
  ['symbol', decodeEntry as Decode, ENTRY],
  ...['halt', 'endsAt', 'orderTypes', 'multiplier'].map(
    (name) => [name, decodeInstrument as Decode, INSTRUMENT] as const,
  ),
] as const)('a %s that is none is left out', (field, decode, raw) => {
  const { [field]: _, ...rest } = raw as Record<string, unknown>;
  for (const none of ['', 'null', null, undefined])
    expect(decode({ ...raw, [field]: none } as never)).toEqual({ ok: true, value: rest });
});

it('an end of a key that is none is told as none, and what is added to a report is left out', () => {
  for (const none of ['', 'null', null, undefined])
    expect(decodePermissions({ ...PERMISSIONS, expiresAt: none, more: 1 } as never)).toEqual({
      ok: true,
      value: { ...PERMISSIONS, expiresAt: null },
    });
  expect(decodeIdentity({ id: '1', more: 1 } as never)).toEqual({ ok: true, value: { id: '1' } });
  expect(decodeFees({ maker: '0', taker: '0', more: 1 } as never)).toMatchObject({
    value: { maker: '0', taker: '0' },
  });
  expect(decodeEntry({ ...ENTRY, more: 1 } as never)).toEqual({ ok: true, value: ENTRY });
  expect(decodeInstrument({ ...BTC, more: 1, delisted: true } as never)).toEqual({ ok: true, value: BTC });
});

it('a change is of its kind, and of a kind that is not known another one, not lost', () => {
  for (const kind of LEDGER_KINDS)
    expect(decodeEntry({ ...ENTRY, kind } as never)).toEqual({ ok: true, value: { ...ENTRY, kind } });
  expect(decodeEntry({ ...ENTRY, kind: 'gift' } as never)).toMatchObject({
    ok: true,
    value: { kind: 'other' },
  });
});

it('an instrument that was stored keeps that it is delisted, and is as readable as one that is told', () => {
  const delisted = { ...INSTRUMENT, delisted: true } as never;
  expect(decodeKeptInstrument(delisted)).toEqual({ ok: true, value: delisted });
  expect(decodeKeptInstrument({ ...INSTRUMENT, delisted: 'yes' } as never)).toEqual({
    ok: true,
    value: INSTRUMENT,
  });
  expect(decodeKeptInstrument({ ...BTC, stepSize: '0', delisted: true } as never)).toEqual({
    ok: false,
    field: 'instrument.stepSize of "BTCUSDT"',
    value: '0',
  });
});

it.each([
  [decodeIdentity, 'identity'],
  [decodePermissions, 'permissions'],
  [decodeFees, 'feeRates'],
  [decodeEntry, 'ledger'],
  [decodeInstrument, 'instrument'],
] as const)('what is no report at all is none: %#', (decode, field) => {
  for (const raw of [null, undefined, 'x', 7])
    expect((decode as Decode)(raw as never)).toEqual({ ok: false, field, value: raw });
});

describe('an amount', () => {
  const free = (text: string) => {
    const decoded = decodeBalance({ asset: 'A', free: text, locked: '0' });
    return decoded.ok ? decoded.value.free : null;
  };

  it('has at most 80 digits and 30 decimal places', () => {
    expect(free('1'.repeat(80))).toBe('1'.repeat(80));
    expect(free('1'.repeat(81))).toBeNull();
    expect(free(`0.${'1'.repeat(30)}`)).toBe(`0.${'1'.repeat(30)}`);
    expect(free(`0.${'1'.repeat(31)}`)).toBeNull();
    expect(free('1e79')).toBe(`1${'0'.repeat(79)}`);
    expect(free('1e80')).toBeNull();
  });

  it('with an exponent has its point where that says', () => {
    const given = [
      '12.34e0',
      '12.34e1',
      '12.34e2',
      '12.34E+3',
      '12.34e-1',
      '12.34e-2',
      '12.34e-3',
      '-5e-1',
      '1e100',
    ];
    expect(given.map(free)).toEqual([
      '12.34',
      '123.4',
      '1234',
      '12340',
      '1.234',
      '0.1234',
      '0.01234',
      '-0.5',
      null,
    ]);
  });
});

it('of a list the first of each kind of what is left out is told', () => {
  const balance = (asset: string, free: string) => ({ asset, free, locked: '0' });
  const list = [
    balance('A B', '1'),
    balance('C', '?'),
    balance('D', '4'),
    balance('E F', '1'),
    balance('G', '!'),
  ];
  expect(decodeAll(list, decodeBalance)).toEqual({
    good: [balance('D', '4')],
    bad: { field: 'balance.free of "C"', value: '?' },
    alien: { field: 'balance.asset', value: 'A B', alien: true },
  });
});

it('an order is stuck only where its exchange says so, and its moments and names are what they are', () => {
  const state = { clientId: 'a', symbol: 'X', status: 'PENDING', origQty: '2', cumQty: '0', seq: 1, time: 2 };
  for (const stuck of ['true', 1, false, null])
    expect(decodeState({ ...state, stuck } as never)).toEqual({ ok: true, value: state });
  expect(decodeState({ ...state, stuck: true } as never)).toEqual({
    ok: true,
    value: { ...state, stuck: true },
  });
  const names = Array.from({ length: 150 }, (_, n) => `v${n}`);
  expect(decodeState({ ...state, venueIds: names, armedAt: 0 } as never)).toEqual({
    ok: true,
    value: { ...state, venueIds: names, armedAt: 0 },
  });
});

it('an order only reduces or closes a position where its exchange says so, each by itself', () => {
  const state = { clientId: 'a', symbol: 'X', status: 'WORKING', origQty: '2', cumQty: '0', seq: 1, time: 2 };
  const words = { side: 'SELL', type: 'STOP_MARKET', positionSide: 'LONG', workingType: 'MARK_PRICE' };
  for (const [reduceOnly, closePosition] of [
    [true, false],
    [false, true],
  ]) {
    const terms = { ...words, stopPrice: '7', timeInForce: 'GTC', reduceOnly, closePosition };
    expect(decodeState({ ...state, terms } as never)).toEqual({ ok: true, value: { ...state, terms } });
    const odd = { ...terms, reduceOnly: 'true', closePosition: 1 };
    expect(decodeState({ ...state, terms: odd } as never)).toMatchObject({
      value: { terms: { reduceOnly: false, closePosition: false } },
    });
  }
});

it('a value in a line of the log is short, and says that it is cut', () => {
  expect([clipped('x'.repeat(60)), clipped('x'.repeat(61)), clipped('a"b')]).toEqual([
    `"${'x'.repeat(60)}"`,
    `"${'x'.repeat(60)}"…`,
    '"a\\"b"',
  ]);
  expect([clipped(7), clipped(null), clipped(Array(100).fill('ab')).length]).toEqual(['7', 'null', 60]);
});
