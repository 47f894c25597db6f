/**
 * Messages of the private streams: rows of orders, executions, positions and the wallet in their new state.
 * Sources: websocket/private/order.mdx, execution.mdx, position.mdx, wallet.mdx; account/wallet-balance.mdx.
 */
import { type Dec, fixed, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import {
  type Account,
  coinOf,
  entryOf,
  isHedged,
  leverageOf,
  type Margin,
  type Position,
  sizeOf,
} from './account.ts';
import type { Market } from './market.ts';
import { type Execution, executionRow, type Order, orderRow } from './order.ts';
import { tiersOf } from './symbols.ts';
import type { Category } from './wire.ts';

export class Teller {
  readonly #markets: Readonly<Record<Category, Market>>;
  readonly #margin: Margin;
  readonly #tell: (account: string, topic: string, rows: readonly Record<string, unknown>[]) => void;
  readonly #now: () => number;
  #together: Record<string, unknown>[] | null = null;

  constructor(
    markets: Readonly<Record<Category, Market>>,
    margin: Margin,
    tell: (account: string, topic: string, rows: readonly Record<string, unknown>[]) => void,
    now: () => number,
  ) {
    this.#markets = markets;
    this.#margin = margin;
    this.#tell = tell;
    this.#now = now;
  }

  order(order: Order): void {
    const row = orderRow(order, this.#markets[order.category], 'stream');
    if (this.#together) this.#together.push(row);
    else this.#tell(order.account, 'order', [row]);
  }

  /** Reports changes of many orders at once in one message. */
  together(account: Account, run: () => void): void {
    const rows: Record<string, unknown>[] = [];
    this.#together = rows;
    try {
      run();
    } finally {
      this.#together = null;
    }
    if (rows.length > 0) this.#tell(account.name, 'order', rows);
  }

  executions(account: Account, order: Order, done: readonly Execution[]): void {
    const market = this.#markets[order.category];
    this.#tell(
      account.name,
      'execution',
      done.map((e) => executionRow(e, market, 'stream')),
    );
  }

  position(account: Account, position: Position): void {
    this.#tell(account.name, 'position', [
      { ...this.positionRow(account, position, 'entryPrice'), category: 'linear' },
    ]);
  }

  wallet(account: Account, coins: readonly string[]): void {
    const row = this.accountRow(account);
    this.#tell(account.name, 'wallet', [{ ...row, coin: coins.map((coin) => this.coinRow(account, coin)) }]);
  }

  /** The row of a position: `entryPrice` on the stream, `avgPrice` over REST; a flat position has no side. */
  positionRow(
    account: Account,
    position: Position,
    entryName: 'entryPrice' | 'avgPrice',
  ): Record<string, unknown> {
    const market = this.#markets.linear;
    const m = market.of(position.symbol);
    const isFlat = position.amount === ZERO;
    const isIsolated = account.marginMode === 'ISOLATED_MARGIN';
    const side = position.idx === 2 || position.amount < ZERO ? 'Sell' : 'Buy';
    const initial = str(this.#margin.initial(account, position));
    const maintenance = str(this.#margin.maintenance(position));
    const liquidation = this.#margin.liquidationPrice(account, position);
    const price = (value: Dec) => market.priceText(m, value);
    return {
      positionIdx: position.idx,
      riskId: 1,
      riskLimitValue: tiersOf(m.spec)[0]?.limit ?? '0',
      symbol: position.symbol,
      side: isFlat ? '' : position.amount > ZERO ? 'Buy' : 'Sell',
      size: market.qtyText(m, sizeOf(position.amount)),
      [entryName]: isFlat ? '0' : fixedEntry(entryOf(position)),
      positionValue: isFlat ? '0' : str(sizeOf(position.cost)),
      tradeMode: 0,
      positionStatus: 'Normal',
      autoAddMargin: 0,
      adlRankIndicator: isFlat ? 0 : 2,
      leverage: leverageOf(account, position.symbol, side),
      breakEvenPrice: '',
      positionBalance: isIsolated ? initial : '0',
      markPrice: price(m.mark),
      liqPrice: liquidation > ZERO ? price(liquidation) : '',
      bustPrice: '',
      positionMM: maintenance,
      positionMMByMp: maintenance,
      positionIM: initial,
      positionIMByMp: initial,
      tpslMode: 'Full',
      takeProfit: price(position.takeProfit),
      stopLoss: price(position.stopLoss),
      trailingStop: price(position.trailingStop),
      sessionAvgPrice: '',
      unrealisedPnl: str(this.#margin.unrealised(position)),
      curRealisedPnl: str(position.realised),
      cumRealisedPnl: str(position.allRealised),
      seq: position.seq,
      isReduceOnly: false,
      mmrSysUpdatedTime: '',
      leverageSysUpdatedTime: '',
      createdTime: String(position.createdTime),
      updatedTime: String(position.updatedTime),
      openTime: position.openTime,
    };
  }

  /** Account-wide figures; in isolated margin they have no meaning and are empty. */
  accountRow(account: Account): Record<string, unknown> {
    const totals = this.#margin.totals(account);
    const isIsolated = account.marginMode === 'ISOLATED_MARGIN';
    const text = (value: Dec) => (isIsolated ? '' : fixed(value, 8));
    const rate = (value: Dec) =>
      isIsolated ? '' : totals.margin > ZERO ? fixed((value * 10n ** 30n) / totals.margin, 4) : '0';
    return {
      accountType: 'UNIFIED',
      accountIMRate: rate(totals.initial),
      accountIMRateByMp: rate(totals.initial),
      accountMMRate: rate(totals.maintenance),
      accountMMRateByMp: rate(totals.maintenance),
      accountLTV: '0',
      totalEquity: fixed(totals.wallet + totals.unrealised, 8),
      totalWalletBalance: text(totals.wallet),
      totalMarginBalance: text(totals.margin),
      totalAvailableBalance: text(totals.available),
      totalPerpUPL: text(totals.unrealised),
      totalInitialMargin: text(totals.initial),
      totalInitialMarginByMp: text(totals.initial),
      totalMaintenanceMargin: text(totals.maintenance),
      totalMaintenanceMarginByMp: text(totals.maintenance),
    };
  }

  coinRow(account: Account, coin: string): Record<string, unknown> {
    const margin = this.#margin;
    const wallet = coinOf(account, coin);
    const positions = margin.held(account, coin);
    const unrealised = margin.sum(positions, (position) => margin.unrealised(position));
    const borrowed = wallet < ZERO ? str(-wallet) : '0';
    return {
      coin,
      equity: str(wallet + unrealised),
      usdValue: fixed(mul(wallet + unrealised, margin.usd(coin)), 8),
      walletBalance: str(wallet),
      locked: str(margin.locked(account, coin)),
      availableToWithdraw: '',
      availableToBorrow: '',
      borrowAmount: borrowed,
      accruedInterest: '0',
      totalOrderIM: str(margin.ordersInitial(account, coin)),
      totalPositionIM: str(margin.sum(positions, (position) => margin.initial(account, position))),
      totalPositionMM: str(margin.sum(positions, (position) => margin.maintenance(position))),
      unrealisedPnl: str(unrealised),
      cumRealisedPnl: '0',
      bonus: '0',
      collateralSwitch: !account.notCollateral.has(coin),
      marginCollateral: true,
      spotHedgingQty: '0',
      spotBorrow: '0',
    };
  }

  /** Both position indices of a symbol in hedge mode, otherwise one. */
  indices(account: Account, symbol: string): readonly (0 | 1 | 2)[] {
    return isHedged(account, this.#markets.linear.of(symbol)) ? [1, 2] : [0];
  }

  now(): number {
    return this.#now();
  }
}

function fixedEntry(entry: Dec): string {
  return fixed(entry, 8).replace(/\.?0+$/, '');
}
