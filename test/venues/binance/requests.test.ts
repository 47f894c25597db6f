/**
 * Every request that is sent to Binance, as a list: how it is sent, what it weighs with which parameters, and
 * how many orders it counts for. What is counted too low would be sent until the address is banned.
 */
import { describe, expect, it } from 'vitest';
import { FUTURES_REQUESTS } from '../../../src/venues/binance/futures/requests.ts';
import { MARKET_REQUESTS } from '../../../src/venues/binance/market/requests.ts';
import { SPOT_REQUESTS } from '../../../src/venues/binance/spot/requests.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';

/** Endpoint, request and security -> parameters (`a=1 b=2`) -> what it costs. */
type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>;

const ORDER = 'spot weight 1 min 1, spot orders 10 s of me 1, spot orders 1 d of me 1';
const FUTURES_ORDER = 'futures orders 10 s of me 1, futures orders 1 min of me 1';
const of = (weight: number) => ({ '': `spot weight 1 min ${weight}` });
const f = (weight: number) => ({ '': `futures weight 1 min ${weight}` });
const w = (weight: number) => `futures weight 1 min ${weight}`;

const SPOT: Rows = {
  'spot-rest GET /api/v3/time none': of(1),
  'spot-rest GET /api/v3/exchangeInfo none': of(20),
  'spot-rest POST /api/v3/order signed': { '': ORDER },
  'spot-rest DELETE /api/v3/order signed': of(1),
  'spot-rest DELETE /api/v3/openOrders signed': of(1),
  'spot-rest PUT /api/v3/order/amend/keepPriority signed': of(4),
  'spot-rest GET /api/v3/order signed': of(4),
  'spot-rest GET /api/v3/openOrders signed': {
    '': 'spot weight 1 min 80',
    'symbol=A': 'spot weight 1 min 6',
  },
  'spot-rest GET /api/v3/myTrades signed': {
    'symbol=A': 'spot weight 1 min 20',
    'symbol=A fromId=1': 'spot weight 1 min 20',
    'symbol=A orderId=1': 'spot weight 1 min 5',
  },
  'spot-rest GET /api/v3/account signed': of(20),
  'spot-rest GET /api/v3/account/commission signed': of(20),
  'spot-rest GET /sapi/v1/account/apiRestrictions signed': of(1),
  'spot-rest POST /sapi/v1/asset/dust-btc signed': of(1),
  'spot-rest POST /sapi/v1/asset/dust signed': of(10),
  // With the weight of its socket.
  'spot-api WS userDataStream.subscribe.signature signed': of(4),
};

const FUTURES: Rows = {
  'futures-rest GET /fapi/v1/time none': f(1),
  'futures-rest GET /fapi/v1/exchangeInfo none': f(1),
  'futures-rest POST /fapi/v1/order signed': { '': FUTURES_ORDER },
  'futures-rest POST /fapi/v1/algoOrder signed': { '': FUTURES_ORDER },
  'futures-rest PUT /fapi/v1/order signed': { '': FUTURES_ORDER },
  'futures-rest DELETE /fapi/v1/order signed': f(1),
  'futures-rest DELETE /fapi/v1/algoOrder signed': f(1),
  'futures-rest DELETE /fapi/v1/allOpenOrders signed': f(1),
  'futures-rest DELETE /fapi/v1/algoOpenOrders signed': f(1),
  'futures-rest POST /fapi/v1/countdownCancelAll signed': f(10),
  'futures-rest GET /fapi/v1/order signed': f(1),
  'futures-rest GET /fapi/v1/algoOrder signed': f(1),
  'futures-rest GET /fapi/v1/openOrders signed': { '': w(40), 'symbol=A': w(1) },
  'futures-rest GET /fapi/v1/openAlgoOrders signed': { '': w(40), 'symbol=A': w(1) },
  'futures-rest GET /fapi/v1/allOrders signed': f(5),
  'futures-rest GET /fapi/v1/allAlgoOrders signed': f(5),
  'futures-rest GET /fapi/v1/userTrades signed': f(5),
  'futures-rest GET /fapi/v3/balance signed': f(5),
  'futures-rest GET /fapi/v3/positionRisk signed': f(5),
  'futures-rest GET /fapi/v1/symbolConfig signed': f(5),
  'futures-rest GET /fapi/v1/accountConfig signed': f(5),
  'futures-rest GET /fapi/v1/leverageBracket signed': f(1),
  'futures-rest GET /fapi/v1/commissionRate signed': f(20),
  'futures-rest GET /fapi/v1/income signed': f(30),
  'futures-rest POST /fapi/v1/leverage signed': f(1),
  'futures-rest POST /fapi/v1/marginType signed': f(1),
  'futures-rest POST /fapi/v1/positionSide/dual signed': f(1),
  'futures-rest POST /fapi/v1/multiAssetsMargin signed': f(1),
  'futures-rest POST /fapi/v1/listenKey key': f(1),
  'futures-rest PUT /fapi/v1/listenKey key': f(1),
  'futures-rest DELETE /fapi/v1/listenKey key': f(1),
  'futures-private WS /ws none': { '': '' },
};

const MARKET: Rows = {
  'spot-rest GET /api/v3/time none': of(1),
  'spot-rest GET /api/v3/exchangeInfo none': of(20),
  'spot-rest GET /api/v3/klines none': { 'limit=1000': 'spot weight 1 min 2' },
  'spot-rest GET /api/v3/ticker/price none': {
    '': 'spot weight 1 min 4',
    'symbol=A': 'spot weight 1 min 2',
  },
  'futures-rest GET /fapi/v1/time none': f(1),
  'futures-rest GET /fapi/v1/exchangeInfo none': f(1),
  'futures-rest GET /fapi/v1/klines none': {
    '': w(5),
    'limit=1': w(1),
    'limit=99': w(1),
    'limit=100': w(2),
    'limit=499': w(2),
    'limit=500': w(5),
    'limit=1000': w(5),
    'limit=1001': w(10),
  },
  'futures-rest GET /fapi/v2/ticker/price none': { '': w(2), 'symbol=A': w(1) },
  'futures-rest GET /fapi/v1/fundingRate none': f(1),
};

/** What a form costs with some parameters. */
function costOf(form: RequestForm, parameters: string): string {
  const given = Object.fromEntries(
    parameters
      .split(' ')
      .filter((one) => one !== '')
      .map((one) => one.split('=')),
  );
  return form
    .costs(given, 'me')
    .map(({ row, of: whose, amount }) => `${row.name}${whose === '' ? '' : ` of ${whose}`} ${amount}`)
    .join(', ');
}

it.each([
  ['a spot account', SPOT_REQUESTS, SPOT],
  ['a futures account', FUTURES_REQUESTS, FUTURES],
  ['a market', MARKET_REQUESTS, MARKET],
] as const)('the requests of %s cost what the documents say', (_, forms, rows) => {
  const nameOf = ({ endpoint, method, path, security }: RequestForm) =>
    `${endpoint} ${method} ${path} ${security}`;
  expect(forms.map(nameOf).sort()).toEqual(Object.keys(rows).sort());
  for (const form of forms)
    for (const [parameters, cost] of Object.entries(rows[nameOf(form)] ?? {}))
      expect([nameOf(form), parameters, costOf(form, parameters)]).toEqual([nameOf(form), parameters, cost]);
});

describe('the budgets of Binance', () => {
  it('are those of its documents, of which some is spared for what must not wait', () => {
    const rows = new Set(
      [...SPOT_REQUESTS, ...FUTURES_REQUESTS, ...MARKET_REQUESTS].flatMap((form) =>
        form.costs({}, 'me').map(({ row }) => row),
      ),
    );
    const parts = [...rows].map(({ name, scope, windowMs, limit, stops, atStart, spare, resets }) => [
      ...[name, scope, windowMs, limit, stops, atStart, spare, resets],
    ]);
    expect(parts).toEqual([
      ['spot weight 1 min', 'address', 60_000, 6_000, 'address', 'empty', 1_200, 'clock'],
      ['spot orders 10 s', 'uid', 10_000, 50, 'orders', 'full', 10, 'clock'],
      ['spot orders 1 d', 'uid', 86_400_000, 160_000, 'orders', 'empty', 1_000, 'clock'],
      ['futures weight 1 min', 'address', 60_000, 2_400, 'address', 'empty', 400, 'clock'],
      ['futures orders 10 s', 'uid', 10_000, 300, 'orders', 'empty', 60, 'clock'],
      ['futures orders 1 min', 'uid', 60_000, 1_200, 'orders', 'empty', 240, 'clock'],
    ]);
  });
});
