/**
 * Every error code of Binance that means something to an order, as a list: for which requests, and what. A
 * code that is in no list proves nothing.
 */
import { describe, expect, it } from 'vitest';
import { FUTURES_CODES } from '../../../src/venues/binance/futures/codes.ts';
import { SPOT_CODES } from '../../../src/venues/binance/spot/codes.ts';
import type { CodedRequest, CodeTable } from '../../../src/venues/kit/code-table.ts';

type Codes = Readonly<Record<string, string>>;

/** Reason or outcome -> codes without their sign. */
interface Lists {
  /** The same for an order, a cancel and a change. */
  readonly all: Codes;
  /** For an order and a change. */
  readonly orders: Codes;
  readonly cancels: Codes;
  readonly changes: Codes;
  readonly questions: Codes;
}

const SPOT: Lists = {
  all: {
    BAD_CREDENTIALS: '1002 1022 2014 2015',
    RATE_LIMITED: '1003 1015',
    OVERLOADED: '1008 1016',
    OTHER: '1013',
    UNSUPPORTED: '1020 1100 1101 1102 1103 1104 1105 1106 1108 1114 1115 1116 1117 1118 1119 1128 1130 1134',
    CLOCK: '1021',
    SYMBOL_UNKNOWN: '1121',
    SYMBOL_HALTED: '2016',
  },
  orders: { OTHER: '2010', UNSUPPORTED: '1014', LOT_SIZE: '1111', NO_PRICE: '1112', SYMBOL_HALTED: '1122' },
  cancels: { gone: '2013' },
  changes: { gone: '2013', OTHER: '2038' },
  questions: { absent: '2013 2026 2039' },
};

const FUTURES: Lists = {
  all: {
    BAD_CREDENTIALS: '1002 1011 1022 2014 2015 2017',
    RATE_LIMITED: '1003 1015',
    OVERLOADED: '1008 1016',
    OTHER: '1010 1013 1023',
    UNSUPPORTED: '1014 1020 1100 1101 1102 1103 1104 1105 1106 1128 1130',
    CLOCK: '1021 5028',
    ACCOUNT_RESTRICTED: '1109',
    SYMBOL_UNKNOWN: '1110 1121',
    SYMBOL_HALTED: '1122',
  },
  orders: {
    RATE_LIMITED: '4400',
    OTHER: '2010 2020 4046 5021 5041',
    UNSUPPORTED: '1114 1115 1116 1117 1118 1119 1136 2026 4000 4015 4120 4129 4137 4138 4139 5038 5039 5040',
    ACCOUNT_RESTRICTED: '2023 4087 4088 4192 4402 4403',
    SYMBOL_UNKNOWN: '4144',
    SYMBOL_HALTED: '4140 4141',
    LOT_SIZE: '1111 4003 4004 4005 4023',
    NO_PRICE: '1112 4131',
    BALANCE: '2018 2019 2024',
    STOP_PASSED: '2021 4142',
    REDUCE_ONLY: '2022',
    MAX_ORDERS: '2025 4045 4130',
    POSITION_LIMIT: '2027 2028 4401',
    PRICE_FILTER: '4001 4002 4006 4007 4013 4014 4135 4183 4184 4210 4211 5037',
    PERCENT_PRICE: '4016 4024',
    POSITION_SIDE: '4061 4062',
    EXITS_REST: '4118',
    NOTIONAL: '4164',
    POST_ONLY: '5022',
  },
  cancels: { gone: '2011 2013', OVERLOADED: '4117' },
  changes: {
    gone: '2011 2013',
    OVERLOADED: '4117 5043',
    OTHER: '5027',
    UNSUPPORTED: '5025',
    MAX_ORDERS: '5026',
    SYMBOL_HALTED: '5024',
    NOTIONAL: '5029',
  },
  questions: { absent: '2013' },
};

/** What the lists say of a request: code -> meaning. */
function listed(...lists: Codes[]): Map<number, string> {
  const all = lists.flatMap((list) =>
    Object.entries(list).flatMap(([what, codes]) =>
      codes.split(' ').map((code) => [-Number(code), what] as const),
    ),
  );
  const meanings = new Map(all);
  expect(meanings.size).toBe(all.length);
  return meanings;
}

/** What a table says of a request, for all codes that the exchange can have. */
function told(table: CodeTable, request: CodedRequest): Map<number, string> {
  const meanings = new Map<number, string>();
  for (let code = -1; code > -10_000; code--) {
    const meaning = table.meaning(request, { code, message: 'some words' });
    if (meaning.kind === 'rejected') {
      expect(meaning).toMatchObject({ code: String(code), message: 'some words' });
      meanings.set(code, meaning.reason);
    } else if (meaning.kind !== 'unknown') meanings.set(code, meaning.kind);
  }
  return meanings;
}

const sorted = (meanings: Map<number, string>) => [...meanings].sort(([a], [b]) => b - a);

describe.each([
  ['spot', SPOT_CODES, SPOT],
  ['futures', FUTURES_CODES, FUTURES],
] as const)('a code of Binance %s', (_, table, { all, orders, cancels, changes, questions }) => {
  it.each<[CodedRequest, Codes[]]>([
    ['submit', [all, orders]],
    ['cancel', [all, cancels]],
    ['amend', [all, orders, changes]],
    ['query', [questions]],
  ])('means for a %s what the list says, and nothing where it is in none', (request, lists) => {
    expect(sorted(told(table, request))).toEqual(sorted(listed(...lists)));
  });
});

describe('a code of Binance spot with several meanings', () => {
  it.each<[number, string, order: string, cancel: string, change: string]>([
    [-1013, 'Filter failure: PRICE_FILTER', 'PRICE_FILTER', 'OTHER', 'PRICE_FILTER'],
    [-1013, 'Filter failure: PERCENT_PRICE', 'PERCENT_PRICE', 'OTHER', 'PERCENT_PRICE'],
    [-1013, 'Filter failure: PERCENT_PRICE_BY_SIDE', 'PERCENT_PRICE', 'OTHER', 'PERCENT_PRICE'],
    [-1013, 'Filter failure: LOT_SIZE', 'LOT_SIZE', 'OTHER', 'LOT_SIZE'],
    [-1013, 'Filter failure: MARKET_LOT_SIZE', 'LOT_SIZE', 'OTHER', 'LOT_SIZE'],
    [-1013, 'Filter failure: MIN_NOTIONAL', 'NOTIONAL', 'OTHER', 'NOTIONAL'],
    [-1013, 'Filter failure: NOTIONAL', 'NOTIONAL', 'OTHER', 'NOTIONAL'],
    [-1013, 'Filter failure: MAX_POSITION', 'POSITION_LIMIT', 'OTHER', 'POSITION_LIMIT'],
    [-1013, 'Filter failure: MAX_ASSET', 'POSITION_LIMIT', 'OTHER', 'POSITION_LIMIT'],
    [-1013, 'Filter failure: MAX_NUM_ORDERS', 'MAX_ORDERS', 'OTHER', 'MAX_ORDERS'],
    [-1013, 'Filter failure: MAX_NUM_ALGO_ORDERS', 'MAX_ORDERS', 'OTHER', 'MAX_ORDERS'],
    [-1013, 'Filter failure: MAX_NUM_ICEBERG_ORDERS', 'MAX_ORDERS', 'OTHER', 'MAX_ORDERS'],
    [-1013, 'Filter failure: EXCHANGE_MAX_NUM_ORDERS', 'MAX_ORDERS', 'OTHER', 'MAX_ORDERS'],
    [-1013, 'Filter failure: ICEBERG_PARTS', 'MAX_ORDERS', 'OTHER', 'MAX_ORDERS'],
    [-1013, 'Filter failure: TRAILING_DELTA', 'UNSUPPORTED', 'OTHER', 'UNSUPPORTED'],
    [-1013, 'Stop loss orders are not supported for this symbol.', 'UNSUPPORTED', 'OTHER', 'UNSUPPORTED'],
    [-1013, 'Invalid message.', 'OTHER', 'OTHER', 'OTHER'],
    [-2010, 'Duplicate order sent.', 'unknown', 'unknown', 'unknown'],
    [-2010, 'Market is closed.', 'SYMBOL_HALTED', 'unknown', 'SYMBOL_HALTED'],
    [-2010, 'Account has insufficient balance for requested action.', 'BALANCE', 'unknown', 'BALANCE'],
    [-2010, 'Market orders are not supported for this symbol.', 'UNSUPPORTED', 'unknown', 'UNSUPPORTED'],
    [-2010, 'Order amend is not support for this symbol.', 'UNSUPPORTED', 'unknown', 'UNSUPPORTED'],
    [-2010, 'Price * QTY is zero or less.', 'NOTIONAL', 'unknown', 'NOTIONAL'],
    [-2010, 'IcebergQty exceeds QTY.', 'LOT_SIZE', 'unknown', 'LOT_SIZE'],
    [-2010, 'Iceberg orders must be GTC.', 'UNSUPPORTED', 'unknown', 'UNSUPPORTED'],
    [
      -2010,
      'This action is disabled on this account.',
      'ACCOUNT_RESTRICTED',
      'unknown',
      'ACCOUNT_RESTRICTED',
    ],
    [
      -2010,
      'This account may not place or cancel orders.',
      'ACCOUNT_RESTRICTED',
      'unknown',
      'ACCOUNT_RESTRICTED',
    ],
    [-2010, 'Spot trading is not enabled.', 'ACCOUNT_RESTRICTED', 'unknown', 'ACCOUNT_RESTRICTED'],
    [
      -2010,
      'This symbol is not permitted for this account.',
      'ACCOUNT_RESTRICTED',
      'unknown',
      'ACCOUNT_RESTRICTED',
    ],
    [
      -2010,
      'This symbol is restricted for this account.',
      'ACCOUNT_RESTRICTED',
      'unknown',
      'ACCOUNT_RESTRICTED',
    ],
    [-2010, 'Unsupported order combination', 'UNSUPPORTED', 'unknown', 'UNSUPPORTED'],
    [-2010, 'Order would trigger immediately.', 'STOP_PASSED', 'unknown', 'STOP_PASSED'],
    [-2010, 'Order would immediately match and take.', 'POST_ONLY', 'unknown', 'POST_ONLY'],
    [-2010, 'The relationship of the prices is not correct.', 'OTHER', 'unknown', 'OTHER'],
    [
      -2010,
      'Quantity of liquidity is less than LOT_SIZE filter minimum quantity.',
      'LOT_SIZE',
      'unknown',
      'LOT_SIZE',
    ],
    [-2011, 'Unknown order sent.', 'unknown', 'gone', 'gone'],
    [
      -2011,
      'This account may not place or cancel orders.',
      'ACCOUNT_RESTRICTED',
      'ACCOUNT_RESTRICTED',
      'ACCOUNT_RESTRICTED',
    ],
    [
      -2011,
      'This action is disabled on this account.',
      'ACCOUNT_RESTRICTED',
      'ACCOUNT_RESTRICTED',
      'ACCOUNT_RESTRICTED',
    ],
    [-2038, 'The order is not open.', 'unknown', 'unknown', 'gone'],
    [-2038, 'The newQty is not less.', 'unknown', 'unknown', 'OTHER'],
  ])('%s with "%s" is %s for an order, %s for a cancel, %s for a change', (code, message, ...expected) => {
    const meanings = (['submit', 'cancel', 'amend'] as const).map((request) => {
      const meaning = SPOT_CODES.meaning(request, { code, message });
      return meaning.kind === 'rejected' ? meaning.reason : meaning.kind;
    });
    expect(meanings).toEqual(expected);
  });
});
