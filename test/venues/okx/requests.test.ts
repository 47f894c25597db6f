/**
 * Every request to OKX with what it costs, and every code with what it means, as the documents have them: the
 * figures stand here a second time, so that none changes by itself.
 */
import { describe, expect, it } from 'vitest';
import type { CodedRequest } from '../../../src/venues/kit/code-table.ts';
import {
  ABSENCE_ROWS,
  ALGO_PROVEN_AFTER_MS,
  ORDERS_ABSENCE,
  SETTLE_MS,
} from '../../../src/venues/okx/absence.ts';
import { OKX_CODE_ROWS, OKX_CODES } from '../../../src/venues/okx/codes.ts';
import { OKX_SPOT_CAPS, OKX_SWAP_CAPS } from '../../../src/venues/okx/forms.ts';
import { OKX, OKX_PRICES, type OkxForm } from '../../../src/venues/okx/requests.ts';

/** Method and path, whether it is signed, and its costs for two orders of A and one of B. */
const REQUESTS: Readonly<Record<string, string>> = {
  time: 'GET public/time none | address "" 1 of 10 - 0 in 2000',
  instruments: 'GET public/instruments none | address "" 1 of 20 - 4 in 2000',
  tiers: 'GET public/position-tiers none | address "" 1 of 10 - 0 in 2000',
  marks: 'GET public/mark-price none | address "" 1 of 10 - 0 in 2000',
  candles: 'GET market/candles none | address "" 1 of 40 - 8 in 2000',
  olderCandles: 'GET market/history-candles none | address "" 1 of 20 - 4 in 2000',
  prices: 'GET market/tickers none | address "" 1 of 20 - 4 in 2000',
  funding: 'GET public/funding-rate-history none | address "" 1 of 10 - 0 in 2000',
  place:
    'POST trade/order signed expires | uid and instrument "me A" 1 of 60 - 12 in 2000; sub-account "me" 1 of 1000 - 200 in 2000',
  amend:
    'POST trade/amend-order signed expires | uid and instrument "me A" 1 of 60 - 12 in 2000; sub-account "me" 1 of 1000 - 200 in 2000',
  placeAlgo: 'POST trade/order-algo signed | uid and instrument "me A" 1 of 20 - 4 in 2000',
  cancel: 'POST trade/cancel-order signed | uid and instrument "me A" 1 of 60 - 12 in 2000',
  cancelBatch: 'POST trade/cancel-batch-orders signed list | uid and instrument "me A" 3 of 300 - 60 in 2000',
  cancelAlgos: 'POST trade/cancel-algos signed list | uid and instrument "me A" 1 of 20 - 4 in 2000',
  countdown: 'POST trade/cancel-all-after signed | uid and endpoint "me" 1 of 1 - 0 in 1000',
  order: 'GET trade/order signed | uid and instrument "me A" 1 of 60 - 12 in 2000',
  algoOrder: 'GET trade/order-algo signed | uid and endpoint "me" 1 of 20 - 4 in 2000',
  openOrders: 'GET trade/orders-pending signed | uid and endpoint "me" 1 of 60 - 12 in 2000',
  openAlgos: 'GET trade/orders-algo-pending signed | uid and endpoint "me" 1 of 20 - 4 in 2000',
  orderHistory: 'GET trade/orders-history signed | uid and endpoint "me" 1 of 40 - 8 in 2000',
  fills: 'GET trade/fills signed | uid and endpoint "me" 1 of 60 - 12 in 2000',
  fillsHistory: 'GET trade/fills-history signed | uid and endpoint "me" 1 of 10 - 0 in 2000',
  balance: 'GET account/balance signed | uid and endpoint "me" 1 of 10 - 0 in 2000',
  positions: 'GET account/positions signed | uid and endpoint "me" 1 of 10 - 0 in 2000',
  config: 'GET account/config signed | uid and endpoint "me" 1 of 5 - 0 in 2000',
  leverage: 'GET account/leverage-info signed | uid and endpoint "me" 1 of 20 - 4 in 2000',
  setLeverage: 'POST account/set-leverage signed | uid and endpoint "me" 1 of 20 - 4 in 2000',
  setHedgeMode: 'POST account/set-position-mode signed | uid and endpoint "me" 1 of 5 - 0 in 2000',
  fees: 'GET account/trade-fee signed | uid and endpoint "me" 1 of 5 - 0 in 2000',
  bills: 'GET account/bills signed | uid and endpoint "me" 1 of 5 - 0 in 1000',
  billsArchive: 'GET account/bills-archive signed | uid and endpoint "me" 1 of 5 - 0 in 2000',
  smallBalances: 'GET trade/easy-convert-currency-list signed | uid and endpoint "me" 1 of 1 - 0 in 2000',
  convert: 'POST trade/easy-convert signed | uid and endpoint "me" 1 of 1 - 0 in 2000',
  login: 'WS login signed |',
  subscribe: 'WS subscribe none |',
  subscribeAlgos: 'WS subscribe none |',
};

describe('requests', () => {
  const textOf = (form: OkxForm) => {
    const costs = form
      .costs({ instId: 'A\nA\nB' }, 'me')
      .map(
        ({ row, of, amount }) =>
          `${row.scope} "${of}" ${amount} of ${row.limit} - ${row.spare} in ${row.windowMs}`,
      );
    const flags = `${form.isList ? ' list' : ''}${form.expires ? ' expires' : ''}`;
    const what = `${form.method} ${form.path.replace('/api/v5/', '')} ${form.security}${flags} |`;
    return `${what} ${costs.join('; ')}`.trim();
  };

  it('are these, each signed or not, counted as it is, with so much kept free', () => {
    const all = Object.entries({ ...OKX, ...OKX_PRICES }).map(([name, form]) => [name, textOf(form)]);
    expect(Object.fromEntries(all)).toEqual(REQUESTS);
  });

  it('are counted by one row each, and no two requests by the same one but for the orders of a sub-account', () => {
    const users = new Map<string, number>();
    for (const form of new Set(Object.values({ ...OKX, ...OKX_PRICES })))
      for (const { row } of form.costs({ instId: 'A' }, 'me'))
        users.set(row.name, (users.get(row.name) ?? 0) + 1);
    expect([...users].filter(([, uses]) => uses > 1)).toEqual([['orders 2 s', 2]]);
  });

  it('go to the socket that has their channel, and all others to REST', () => {
    const endpoints = Object.entries(OKX).map(([name, { endpoint }]) => [name, endpoint]);
    expect(endpoints.filter(([, endpoint]) => endpoint !== 'rest')).toEqual([
      ['login', 'private-stream'],
      ['subscribe', 'private-stream'],
      ['subscribeAlgos', 'business-stream'],
    ]);
  });
});

const CHANGES = ['submit', 'cancel', 'amend'] as const;
const ORDERS = ['submit', 'amend'] as const;
/** What codes mean, by the requests that they answer. */
const MEANINGS: readonly (readonly [readonly CodedRequest[], meaning: string, codes: string])[] = [
  [CHANGES, 'UNSUPPORTED', '50000 50002 50005 50006 50014 50015 50016 50024 50025 50038 50115 51000 51003'],
  [CHANGES, 'OVERLOADED', '50001 50013 50017 50018 50019 50020 50021 50022 50023 50046'],
  [
    CHANGES,
    'ACCOUNT_RESTRICTED',
    '50007 50008 50009 50012 50027 50028 50029 50032 50033 50051 50052 50059 50060 51009 51010 51024 54012',
  ],
  [CHANGES, 'RATE_LIMITED', '50011 50040 50061'],
  [
    CHANGES,
    'BAD_CREDENTIALS',
    '50030 50035 50100 50101 50103 50104 50105 50106 50107 50110 50111 50113 50114 50119 50120 50121',
  ],
  [CHANGES, 'CLOCK', '50036 50037 50102 50112'],
  [CHANGES, 'SYMBOL_UNKNOWN', '51001'],
  [CHANGES, 'SYMBOL_HALTED', '51021 51022 51027 51028 51029 51030 51087 51155 54072'],
  [ORDERS, 'SYMBOL_UNKNOWN', '51012 51015'],
  [ORDERS, 'SYMBOL_HALTED', '51110 51124 51196 51197 51507'],
  [
    ORDERS,
    'UNSUPPORTED',
    '50072 51133 51139 51204 51205 51257 51276 51281 51298 51311 51312 51317 51327 51328 51329 51330 51331 51332 51415 59110',
  ],
  [ORDERS, 'NOTIONAL', '50122 51005 51033 51185 51201 51202 51203'],
  [ORDERS, 'POSITION_LIMIT', '51004 51104 51105 51106 51107 51108 51129 51186 51187 54030 54031 54035'],
  [ORDERS, 'PERCENT_PRICE', '51006 51031 51135 51136 51137 51138'],
  [ORDERS, 'LOT_SIZE', '51007 51020 51101 51120 51121 51150 51275'],
  [ORDERS, 'BALANCE', '51008 51127 51131'],
  [ORDERS, 'REDUCE_ONLY', '51023 51058 51169 51170 51341'],
  [ORDERS, 'EXITS_REST', '51112 51148 51171 51206 51342'],
  [ORDERS, 'MAX_ORDERS', '51025 51088 51102 51103 51117 51174 51260 51261 51299'],
  [ORDERS, 'OVERLOADED', '51032'],
  [ORDERS, 'ACCOUNT_RESTRICTED', '51037 54000 54005 54007 54024 54025 54073 54075 54092'],
  [ORDERS, 'POSITION_SIDE', '51041'],
  [
    ORDERS,
    'STOP_PASSED',
    '51046 51047 51048 51049 51050 51051 51052 51053 51258 51259 51277 51278 51279 51280 51300 51302 51303 51304 51305 51306 51307 51308',
  ],
  [ORDERS, 'NO_PRICE', '51109 51140'],
  [ORDERS, 'PRICE_FILTER', '51116 51122 51123 51250 51252'],
  [ORDERS, 'unknown', '51011 51016 51065 51068'],
  [['cancel'], 'gone', '51400 51405 51416 51603'],
  [['cancel'], 'SYMBOL_HALTED', '51404'],
  [['cancel'], 'OVERLOADED', '54048'],
  [['amend'], 'gone', '51503 51603'],
  [['amend'], 'UNSUPPORTED', '51500 51506'],
  [['amend'], 'SYMBOL_HALTED', '51508'],
  [['amend'], 'POST_ONLY', '51511'],
  [['amend'], 'OVERLOADED', '51513 54047'],
  [['amend'], 'PRICE_FILTER', '51514'],
  [['amend'], 'REDUCE_ONLY', '51521 51522'],
  [['query'], 'absent', '51603'],
];

it('codes mean what is written here for their requests, and nothing for any other', () => {
  const expected = new Map<string, string>();
  for (const [requests, meaning, codes] of MEANINGS)
    for (const code of codes.split(' '))
      for (const request of requests) expected.set(`${code} ${request}`, meaning);
  const codes = new Set([...OKX_CODE_ROWS.map(({ code }) => code), '50004', '50026', '51054', '51149']);
  const told = new Map<string, string>();
  for (const code of [...codes, '51410', '51412', '0', '1'])
    for (const request of ['submit', 'cancel', 'amend', 'query'] as const) {
      const meaning = OKX_CODES.meaning(request, { code, message: 'words' });
      const word = meaning.kind === 'rejected' ? meaning.reason : meaning.kind;
      if (word !== 'unknown') told.set(`${code} ${request}`, word);
      if (meaning.kind === 'rejected') expect(meaning).toMatchObject({ code, message: 'words' });
    }
  for (const [key, meaning] of expected) if (meaning === 'unknown') expected.delete(key);
  expect(Object.fromEntries([...told].sort())).toEqual(Object.fromEntries([...expected].sort()));
});

describe('what the accounts can do', () => {
  it('has the times by which the engine waits', () => {
    expect(
      ABSENCE_ROWS.map(({ book, validMs, settleMs, keptMs }) => [book, validMs, settleMs, keptMs]),
    ).toEqual([
      ['orders', 5_000, 5_000, 2 * 3_600_000],
      ['conditional orders', 30_000, 5_000, 90 * 86_400_000],
    ]);
    expect([ORDERS_ABSENCE.settleMs, SETTLE_MS, ALGO_PROVEN_AFTER_MS]).toEqual([5_000, 5_000, 36_000]);
    for (const caps of [OKX_SPOT_CAPS, OKX_SWAP_CAPS])
      expect(caps).toMatchObject({
        validityWindowMs: 5_000,
        sendWithinMs: 500,
        settleMs: 5_000,
        triggersMakeOrders: true,
        closeBelowMinimum: 'no',
        deadMan: { form: 'account', leastSeconds: 10, mostSeconds: 120 },
        amends: { types: ['LIMIT', 'LIMIT_MAKER'], fields: ['price', 'quantity'], keepsPlace: 'less' },
      });
  });

  it('differs between spot and swaps by its ids, fees and leverage', () => {
    expect([OKX_SPOT_CAPS.idPrefix, OKX_SPOT_CAPS.highestFees, OKX_SPOT_CAPS.leverageUntold]).toEqual([
      'os',
      { maker: '0.0008', taker: '0.001' },
      undefined,
    ]);
    expect([OKX_SWAP_CAPS.idPrefix, OKX_SWAP_CAPS.highestFees, OKX_SWAP_CAPS.leverageUntold]).toEqual([
      'ow',
      { maker: '0.0002', taker: '0.0005' },
      true,
    ]);
  });
});
