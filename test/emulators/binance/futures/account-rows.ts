/**
 * Answers of the USD-M account endpoints: the account, its assets, its positions. Source: USD-M "Account
 * Endpoints".
 */
import { type Dec, dec, fixed, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market, SymbolMarket } from '../market.ts';
import type { SymbolSpec } from '../symbols.ts';
import { entryOf, type FuturesAccount, maxNotional, type Position, settingOf } from './account.ts';
import type { FuturesExchange } from './exchange.ts';

const eight = (value: Dec): string => fixed(value, 8);
export const maxLeverageOf = (spec: SymbolSpec): number => spec.maxLeverage ?? 75;

export function accountRows(exchange: FuturesExchange, market: Market, now: () => number) {
  const { margin } = exchange;
  return { premium, symbolConfig, held, accountBody, flags, balances, positionRisk };

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
    // Totals are in USD: every margin asset here counts as one USD, except BNB, which is left out.
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

  /** v3 shows only symbols with a position or an open order; v2 shows all. */
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
