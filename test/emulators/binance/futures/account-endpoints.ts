/** REST endpoints of the USD-M account, its settings, marks and funding. Source: USD-M "Account Endpoints", "Trade Endpoints", "Market Data Endpoints". */
import { type Dec, dec, fixed, str, ZERO } from '../../../../src/domain/decimal.ts';
import type { Limits } from '../limits.ts';
import type { Market, SymbolMarket } from '../market.ts';
import { timeWindow } from '../spot/endpoints.ts';
import { infoRow, type SymbolSpec } from '../symbols.ts';
import type { Call, Endpoint } from '../wire.ts';
import {
  bracketsOf,
  entryOf,
  type FuturesAccount,
  maxNotional,
  type Position,
  settingOf,
} from './account.ts';
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
const maxLeverageOf = (spec: SymbolSpec): number => spec.maxLeverage ?? 75;

export function accountEndpoints(o: AccountEndpointOptions): Endpoint[] {
  const { exchange, market, now, listenKeys } = o;
  const { margin } = exchange;
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
        return one === null ? [...market.symbols.values()].map(premium) : premium(market.of(one));
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
      handle: (call) => accountBody(account(call), 3),
    },
    {
      ...read,
      method: 'GET',
      path: '/fapi/v2/account',
      parameters: '',
      weight: () => 5,
      handle: (call) => accountBody(account(call), 2),
    },
    ...(['/fapi/v2/balance', '/fapi/v3/balance'] as const).map(
      (path): Endpoint => ({
        ...read,
        method: 'GET',
        path,
        parameters: '',
        weight: () => 5,
        handle: (call) => balances(account(call)),
      }),
    ),
    ...(['/fapi/v2/positionRisk', '/fapi/v3/positionRisk'] as const).map(
      (path): Endpoint => ({
        ...read,
        method: 'GET',
        path,
        parameters: 'symbol',
        weight: () => 5,
        handle: (call) => positionRisk(account(call), symbolOf(call), path.includes('v3')),
      }),
    ),
    {
      ...read,
      method: 'GET',
      path: '/fapi/v1/accountConfig',
      parameters: '',
      weight: () => 5,
      handle: (call) => ({ ...flags(account(call)), dualSidePosition: account(call).hedge }),
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
          symbolConfig(account(call), symbol),
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
        return held(account(call))
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

  function premium(m: SymbolMarket): Record<string, unknown> {
    return {
      symbol: m.spec.symbol,
      markPrice: eight(m.mark),
      indexPrice: eight(m.index),
      estimatedSettlePrice: eight(m.index),
      lastFundingRate: eight(m.fundingRate),
      interestRate: '0.00010000',
      nextFundingTime: m.nextFunding,
      time: now(),
    };
  }

  function flags(mine: FuturesAccount): Record<string, unknown> {
    return {
      feeTier: 0,
      canTrade: true,
      canDeposit: true,
      canWithdraw: true,
      updateTime: 0,
      multiAssetsMargin: mine.multiAssets,
      tradeGroupId: -1,
    };
  }

  function symbolConfig(mine: FuturesAccount, symbol: string): Record<string, unknown> {
    const { leverage, marginType } = settingOf(mine, symbol);
    const { spec } = market.of(symbol);
    return {
      symbol,
      marginType,
      isAutoAddMargin: false,
      leverage,
      maxNotionalValue: String(maxNotional(maxLeverageOf(spec), leverage)),
    };
  }

  function held(mine: FuturesAccount): Position[] {
    return [...mine.positions.values()].filter(({ amount }) => amount !== ZERO);
  }

  function assetRow(mine: FuturesAccount, asset: string): Record<string, string | number | boolean> {
    const positions = held(mine).filter(({ symbol }) => market.of(symbol).spec.quote === asset);
    const sum = (of: (position: Position) => Dec) =>
      positions.reduce((total, position) => total + of(position), ZERO);
    const wallet = mine.wallets.get(asset) ?? ZERO;
    const unrealized = sum((position) => margin.unrealized(position));
    const initial = sum((position) => margin.initial(mine, position));
    const orders = margin.ordersInitial(mine, asset);
    const available = margin.available(mine, asset);
    return {
      asset,
      walletBalance: eight(wallet),
      unrealizedProfit: eight(unrealized),
      marginBalance: eight(wallet + unrealized),
      maintMargin: eight(sum((position) => margin.maintenance(position))),
      initialMargin: eight(initial + orders),
      positionInitialMargin: eight(initial),
      openOrderInitialMargin: eight(orders),
      crossWalletBalance: eight(margin.crossWallet(mine, asset)),
      crossUnPnl: eight(margin.crossUnrealized(mine, asset)),
      availableBalance: eight(available),
      maxWithdrawAmount: eight(available),
      updateTime: mine.updateTime,
    };
  }

  function accountBody(mine: FuturesAccount, version: 2 | 3): Record<string, unknown> {
    const assets = [...mine.wallets.keys()].map((asset) => assetRow(mine, asset));
    // Totals are in USD; every margin asset here is worth one but BNB, which is left out of them.
    const total = (name: string) =>
      fixed(
        assets
          .filter(({ asset }) => asset !== 'BNB')
          .reduce((sum, row) => sum + dec(String(row[name])), ZERO),
        8,
      );
    return {
      ...(version === 2 ? { ...flags(mine), feeBurn: mine.feeBurn } : {}),
      totalInitialMargin: total('initialMargin'),
      totalMaintMargin: total('maintMargin'),
      totalWalletBalance: total('walletBalance'),
      totalUnrealizedProfit: total('unrealizedProfit'),
      totalMarginBalance: total('marginBalance'),
      totalPositionInitialMargin: total('positionInitialMargin'),
      totalOpenOrderInitialMargin: total('openOrderInitialMargin'),
      totalCrossWalletBalance: total('crossWalletBalance'),
      totalCrossUnPnl: total('crossUnPnl'),
      availableBalance: total('availableBalance'),
      maxWithdrawAmount: total('maxWithdrawAmount'),
      assets: version === 2 ? assets.map((row) => ({ ...row, marginAvailable: true })) : assets,
      positions:
        version === 2
          ? [...market.symbols.keys()].flatMap((symbol) =>
              sides(mine).map((side) => rowV2(mine, symbol, side)),
            )
          : held(mine).map((position) => ({
              symbol: position.symbol,
              positionSide: position.side,
              positionAmt: amountText(position),
              unrealizedProfit: eight(margin.unrealized(position)),
              isolatedMargin: isolatedMargin(position),
              notional: eight(margin.notional(position)),
              isolatedWallet: eight(position.isolatedWallet),
              initialMargin: eight(margin.initial(mine, position)),
              maintMargin: eight(margin.maintenance(position)),
              updateTime: position.updateTime,
            })),
    };
  }

  function sides(mine: FuturesAccount): ('BOTH' | 'LONG' | 'SHORT')[] {
    return mine.hedge ? ['BOTH', 'LONG', 'SHORT'] : ['BOTH'];
  }

  function rowV2(
    mine: FuturesAccount,
    symbol: string,
    side: 'BOTH' | 'LONG' | 'SHORT',
  ): Record<string, unknown> {
    const position = mine.positions.get(`${symbol} ${side}`) ?? blank(symbol, side);
    const { leverage, marginType } = settingOf(mine, symbol);
    return {
      symbol,
      initialMargin: eight(margin.initial(mine, position)),
      maintMargin: eight(position.amount === ZERO ? ZERO : margin.maintenance(position)),
      unrealizedProfit: eight(margin.unrealized(position)),
      positionInitialMargin: eight(margin.initial(mine, position)),
      openOrderInitialMargin: '0',
      leverage: String(leverage),
      isolated: marginType === 'ISOLATED',
      entryPrice: eight(entryOf(position)),
      maxNotional: String(maxNotional(maxLeverageOf(market.of(symbol).spec), leverage)),
      bidNotional: '0',
      askNotional: '0',
      positionSide: side,
      positionAmt: amountText(position),
      updateTime: position.updateTime,
    };
  }

  function isolatedMargin(position: Position): string {
    return position.isolatedWallet === ZERO
      ? '0'
      : eight(position.isolatedWallet + margin.unrealized(position));
  }

  function amountText(position: Position): string {
    return market.qtyText(market.of(position.symbol), position.amount);
  }

  function balances(mine: FuturesAccount): unknown[] {
    return [...mine.wallets.keys()].map((asset) => {
      const row = assetRow(mine, asset);
      return {
        accountAlias: 'SgsR',
        asset,
        balance: row.walletBalance,
        crossWalletBalance: row.crossWalletBalance,
        crossUnPnl: row.crossUnPnl,
        availableBalance: row.availableBalance,
        maxWithdrawAmount: row.maxWithdrawAmount,
        marginAvailable: true,
        updateTime: mine.updateTime,
      };
    });
  }

  /** v3 shows only symbols with a position or an open order; v2 all. */
  function positionRisk(mine: FuturesAccount, symbol: string | undefined, isV3: boolean): unknown[] {
    const symbols = (symbol === undefined ? [...market.symbols.keys()] : [symbol]).filter((name) => {
      const isHeld = held(mine).some((position) => position.symbol === name);
      return !isV3 || isHeld || exchange.openOrders(mine, name).length > 0;
    });
    return symbols.flatMap((name) =>
      sides(mine)
        .filter((side) => side !== 'BOTH' || !mine.hedge || !isV3)
        .map((side) => riskRow(mine, mine.positions.get(`${name} ${side}`) ?? blank(name, side), isV3)),
    );
  }

  function riskRow(mine: FuturesAccount, position: Position, isV3: boolean): Record<string, unknown> {
    const m = market.of(position.symbol);
    const { leverage, marginType } = settingOf(mine, position.symbol);
    const entry = eight(entryOf(position));
    const common = {
      symbol: position.symbol,
      positionSide: position.side,
      positionAmt: amountText(position),
      entryPrice: entry,
      breakEvenPrice: entry,
      markPrice: eight(m.mark),
      unRealizedProfit: eight(margin.unrealized(position)),
      liquidationPrice: eight(margin.liquidationPrice(mine, position, m)),
      isolatedMargin: isolatedMargin(position),
      notional: eight(margin.notional(position)),
      isolatedWallet: eight(position.isolatedWallet),
      updateTime: position.updateTime,
    };
    if (!isV3)
      return {
        ...common,
        marginType: marginType === 'ISOLATED' ? 'isolated' : 'cross',
        isAutoAddMargin: 'false',
        leverage: String(leverage),
        maxNotionalValue: String(maxNotional(maxLeverageOf(m.spec), leverage)),
      };
    const initial = margin.initial(mine, position);
    return {
      ...common,
      marginAsset: m.spec.quote,
      initialMargin: eight(initial),
      maintMargin: eight(position.amount === ZERO ? ZERO : margin.maintenance(position)),
      positionInitialMargin: eight(initial),
      openOrderInitialMargin: '0',
      adl: position.amount === ZERO ? 0 : 2,
      bidNotional: '0',
      askNotional: '0',
    };
  }
}

function blank(symbol: string, side: 'BOTH' | 'LONG' | 'SHORT'): Position {
  return { symbol, side, amount: ZERO, cost: ZERO, realized: ZERO, isolatedWallet: ZERO, updateTime: 0 };
}
