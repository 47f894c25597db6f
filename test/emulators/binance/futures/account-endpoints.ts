/**
 * REST endpoints of the USD-M account, its settings, marks and funding. Source: USD-M "Account Endpoints",
 * "Trade Endpoints", "Market Data Endpoints".
 */
import { type Dec, fixed, str } from '../../../../src/domain/decimal.ts';
import type { Limits } from '../limits.ts';
import type { Market } from '../market.ts';
import { timeWindow } from '../spot/endpoints.ts';
import { infoRow } from '../symbols.ts';
import type { Call, Endpoint } from '../wire.ts';
import { bracketsOf, type FuturesAccount, maxNotional } from './account.ts';
import { accountRows, maxLeverageOf } from './account-rows.ts';
import type { FuturesExchange } from './exchange.ts';
import type { ListenKeys } from './listen-keys.ts';
import {
  changeLeverage,
  changeMarginType,
  changeMultiAssets,
  changePositionMode,
  moveMargin,
} from './settings.ts';

export interface AccountEndpointOptions {
  readonly exchange: FuturesExchange;
  readonly market: Market;
  readonly limits: Limits;
  readonly listenKeys: ListenKeys;
  readonly openAlgos: (account: FuturesAccount, symbol?: string) => number;
  readonly now: () => number;
}

const SOURCE = 'USD-M "Account Endpoints"';
const SUCCESS = { code: 200, msg: 'success' };
const eight = (value: Dec): string => fixed(value, 8);

export function accountEndpoints(o: AccountEndpointOptions): Endpoint[] {
  const { exchange, market, now, listenKeys } = o;
  const rows = accountRows(exchange, market, now);
  const account = (call: Call) => exchange.account(call.account);
  const read = { security: 'signed', right: 'read', source: SOURCE } as const;
  const trade = { security: 'signed', right: 'futures', source: SOURCE } as const;
  const open = { security: 'none', source: 'USD-M "Market Data Endpoints"' } as const;
  const key = {
    security: 'key',
    right: 'read',
    source: 'USD-M "User Data Streams"',
    parameters: '',
    weight: () => 1,
  } as const;
  const symbolOf = (call: Call): string | undefined => {
    const symbol = call.params.text('symbol');
    return symbol === null ? undefined : market.of(symbol).spec.symbol;
  };
  return [
    { ...open, method: 'GET', path: '/fapi/v1/ping', parameters: '', weight: () => 1, handle: () => ({}) },
    {
      ...open,
      method: 'GET',
      path: '/fapi/v1/time',
      parameters: '',
      weight: () => 1,
      handle: () => ({ serverTime: now() }),
    },
    {
      ...open,
      method: 'GET',
      path: '/fapi/v1/exchangeInfo',
      parameters: '',
      weight: () => 1,
      handle: () => ({
        timezone: 'UTC',
        serverTime: now(),
        futuresType: 'U_MARGINED',
        rateLimits: o.limits.rows(now()),
        exchangeFilters: [],
        assets: ['USDT', 'USDC', 'BNB'].map((asset) => ({
          asset,
          marginAvailable: true,
          autoAssetExchange: '-10000',
        })),
        symbols: [...market.symbols.values()].map(({ spec }) => infoRow('futures', spec)),
      }),
    },
    {
      ...open,
      method: 'GET',
      path: '/fapi/v1/premiumIndex',
      parameters: 'symbol',
      weight: (params) => (params.has('symbol') ? 1 : 10),
      handle: ({ params }) => {
        const one = params.text('symbol');
        return one === null ? [...market.symbols.values()].map(rows.premium) : rows.premium(market.of(one));
      },
    },
    {
      ...open,
      method: 'GET',
      path: '/fapi/v1/fundingRate',
      parameters: 'symbol startTime endTime limit',
      weight: () => 1,
      handle: ({ params }) => {
        const m = market.of(params.text('symbol') ?? 'BTCUSDT');
        const last = m.nextFunding - 28_800_000;
        return [2, 1, 0].map((back) => ({
          symbol: m.spec.symbol,
          fundingRate: eight(m.fundingRate),
          fundingTime: last - back * 28_800_000,
          markPrice: eight(m.mark),
        }));
      },
    },
    {
      ...open,
      method: 'GET',
      path: '/fapi/v1/fundingInfo',
      parameters: '',
      weight: () => 0,
      handle: () => [],
    },
    {
      ...key,
      method: 'POST',
      path: '/fapi/v1/listenKey',
      handle: (call) => ({ listenKey: listenKeys.create(call.account) }),
    },
    {
      ...key,
      method: 'PUT',
      path: '/fapi/v1/listenKey',
      handle: (call) => ({ listenKey: listenKeys.extend(call.account) }),
    },
    {
      ...key,
      method: 'DELETE',
      path: '/fapi/v1/listenKey',
      handle: (call) => {
        listenKeys.remove(call.account);
        return {};
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v3/account',
      parameters: '',
      weight: () => 5,
      handle: (call) => rows.accountBody(account(call), 3),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v2/account',
      parameters: '',
      weight: () => 5,
      handle: (call) => rows.accountBody(account(call), 2),
    },
    ...(['/fapi/v2/balance', '/fapi/v3/balance'] as const).map(
      (path): Endpoint => ({
        ...read,
        method: 'GET',
        path,
        parameters: '',
        weight: () => 5,
        handle: (call) => rows.balances(account(call)),
      }),
    ),
    ...(['/fapi/v2/positionRisk', '/fapi/v3/positionRisk'] as const).map(
      (path): Endpoint => ({
        ...read,
        method: 'GET',
        path,
        parameters: 'symbol',
        weight: () => 5,
        handle: (call) => rows.positionRisk(account(call), symbolOf(call), path.includes('v3')),
      }),
    ),
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/accountConfig',
      parameters: '',
      weight: () => 5,
      handle: (call) => ({ ...rows.flags(account(call)), dualSidePosition: account(call).hedge }),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/symbolConfig',
      parameters: 'symbol',
      weight: () => 5,
      handle: (call) => {
        const one = symbolOf(call);
        return (one === undefined ? [...market.symbols.keys()] : [one]).map((symbol) =>
          rows.symbolConfig(account(call), symbol),
        );
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/leverage',
      parameters: 'symbol! leverage!',
      weight: () => 1,
      handle: (call) => {
        const { spec } = market.of(call.params.required('symbol'));
        const leverage = call.params.integer('leverage') ?? 0;
        changeLeverage(exchange, account(call), spec, leverage);
        return {
          leverage,
          maxNotionalValue: String(maxNotional(maxLeverageOf(spec), leverage)),
          symbol: spec.symbol,
        };
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/marginType',
      parameters: 'symbol! marginType!',
      weight: () => 1,
      handle: (call) => {
        const symbol = symbolOf(call) as string;
        const type = call.params.oneOf('marginType', ['ISOLATED', 'CROSSED'], 'marginType') as
          | 'ISOLATED'
          | 'CROSSED';
        changeMarginType(exchange, account(call), symbol, type, o.openAlgos(account(call), symbol));
        return SUCCESS;
      },
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/positionMargin',
      parameters: 'symbol! positionSide amount! type!',
      weight: () => 1,
      handle: (call) => {
        const amount = call.params.positive('amount') as Dec;
        const type = call.params.integer('type');
        moveMargin(
          exchange,
          account(call),
          symbolOf(call) as string,
          call.params.text('positionSide') ?? 'BOTH',
          type === 1 ? amount : -amount,
        );
        return { amount: Number(str(amount)), code: 200, msg: 'Successfully modify position margin.', type };
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/positionSide/dual',
      parameters: '',
      weight: () => 30,
      handle: (call) => ({ dualSidePosition: account(call).hedge }),
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/positionSide/dual',
      parameters: 'dualSidePosition!',
      weight: () => 1,
      handle: (call) => {
        const isOn = call.params.flag('dualSidePosition') ?? false;
        changePositionMode(exchange, account(call), isOn, o.openAlgos(account(call)));
        return SUCCESS;
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/multiAssetsMargin',
      parameters: '',
      weight: () => 30,
      handle: (call) => ({ multiAssetsMargin: account(call).multiAssets }),
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/multiAssetsMargin',
      parameters: 'multiAssetsMargin!',
      weight: () => 1,
      handle: (call) => {
        changeMultiAssets(
          exchange,
          account(call),
          call.params.flag('multiAssetsMargin') ?? false,
          o.openAlgos(account(call)),
        );
        return SUCCESS;
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/leverageBracket',
      parameters: 'symbol',
      weight: () => 1,
      handle: (call) => {
        const row = (symbol: string) => ({
          symbol,
          brackets: bracketsOf(maxLeverageOf(market.of(symbol).spec)),
        });
        const one = symbolOf(call);
        return one === undefined ? [...market.symbols.keys()].map(row) : row(one);
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/commissionRate',
      parameters: 'symbol!',
      weight: () => 20,
      handle: (call) => ({
        symbol: symbolOf(call),
        makerCommissionRate: fixed(account(call).maker, 6),
        takerCommissionRate: fixed(account(call).taker, 6),
        rpiCommissionRate: '0.00005',
      }),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/feeBurn',
      parameters: '',
      weight: () => 30,
      handle: (call) => ({ feeBurn: account(call).feeBurn }),
    },
    {
      ...trade,
      method: 'POST',
      path: '/fapi/v1/feeBurn',
      parameters: 'feeBurn!',
      weight: () => 1,
      handle: (call) => {
        account(call).feeBurn = call.params.flag('feeBurn') ?? false;
        return SUCCESS;
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/income',
      parameters: 'symbol incomeType startTime endTime page limit',
      weight: () => 30,
      handle: (call) => {
        const { params } = call;
        const symbol = params.text('symbol');
        const type = params.text('incomeType');
        const within =
          params.has('startTime') || params.has('endTime')
            ? timeWindow(params, 200 * 86_400_000)
            : () => true;
        const limit = params.limit(100, 1000);
        const page = params.integer('page') ?? 1;
        return account(call)
          .incomes.filter(
            (row) =>
              (symbol === null || row.symbol === symbol) &&
              (type === null || row.incomeType === type) &&
              within(row.time),
          )
          .slice((page - 1) * limit, page * limit)
          .map((row) => ({ ...row, income: eight(row.income) }));
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/rateLimit/order',
      parameters: '',
      weight: () => 1,
      handle: (call) => o.limits.rows(now(), call.account).filter((row) => row.rateLimitType === 'ORDERS'),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/adlQuantile',
      parameters: 'symbol',
      weight: () => 5,
      handle: (call) => {
        const one = symbolOf(call);
        return rows
          .held(account(call))
          .filter(({ symbol }) => one === undefined || symbol === one)
          .map(({ symbol, side }) => ({ symbol, adlQuantile: { [side]: 2 } }));
      },
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/apiTradingStatus',
      parameters: 'symbol',
      weight: (params) => (params.has('symbol') ? 1 : 10),
      handle: () => ({ indicators: {}, updateTime: now() }),
    },
  ];
}
