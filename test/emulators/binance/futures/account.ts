/**
 * A USD-M account: wallets, positions, settings per symbol, and its margin figures. It accepts no orders.
 * Sources: USD-M "Account Information", "Leverage & Margin of USD-M Futures" (brackets: notional x rate -
 * cum).
 */
import { type Dec, dec, decOfInt, div, floorTo, minDec, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { OrderStore, TradeStore } from '../../kit/order-store.ts';
import type { Market, SymbolMarket } from '../market.ts';
import type { AlgoOrder, FuturesOrder, FuturesTrade, PositionSide } from './order.ts';

export const UNIT = dec('0.00000001');

export interface Position {
  readonly symbol: string;
  readonly side: PositionSide;
  /** Negative: short, in hedge mode too. */
  amount: Dec;
  /** Cost of the position: entry price x amount, signed like the amount. */
  cost: Dec;
  /** Realized profit so far, without fees. */
  realized: Dec;
  isolatedWallet: Dec;
  updateTime: number;
}

export interface SymbolSetting {
  leverage: number;
  marginType: 'CROSSED' | 'ISOLATED';
}

export interface Income {
  readonly symbol: string;
  readonly incomeType: string;
  readonly income: Dec;
  readonly asset: string;
  readonly time: number;
  readonly tranId: number;
  readonly tradeId: string;
  readonly info: string;
}

export interface FuturesAccount {
  readonly name: string;
  readonly wallets: Map<string, Dec>;
  readonly positions: Map<string, Position>;
  readonly settings: Map<string, SymbolSetting>;
  readonly orders: OrderStore<FuturesOrder>;
  readonly trades: TradeStore<FuturesTrade & { readonly order: FuturesOrder }>;
  readonly algos: OrderStore<AlgoOrder>;
  readonly incomes: Income[];
  hedge: boolean;
  multiAssets: boolean;
  feeBurn: boolean;
  maker: Dec;
  taker: Dec;
  updateTime: number;
}

export interface Bracket {
  readonly bracket: number;
  readonly initialLeverage: number;
  readonly notionalCap: number;
  readonly notionalFloor: number;
  readonly maintMarginRatio: number;
  readonly cum: number;
}

const LADDER = [
  [125, 50_000, 0.004],
  [100, 600_000, 0.005],
  [75, 3_000_000, 0.0065],
  [50, 12_000_000, 0.01],
  [25, 70_000_000, 0.02],
  [10, 230_000_000, 0.05],
  [5, 480_000_000, 0.1],
  [2, 1_200_000_000, 0.25],
  [1, 1_800_000_000, 0.5],
] as const;

/** The brackets from the greatest leverage down; `cum` makes the maintenance margin continuous. */
export function bracketsOf(maxLeverage: number): Bracket[] {
  const rungs = LADDER.filter(([leverage]) => leverage <= maxLeverage);
  const brackets: Bracket[] = [];
  let floor = 0;
  let cum = 0;
  rungs.forEach(([leverage, cap, ratio], i) => {
    const before = brackets.at(-1);
    if (before) cum += floor * (ratio - before.maintMarginRatio);
    brackets.push({
      bracket: i + 1,
      initialLeverage: i === 0 ? maxLeverage : leverage,
      notionalCap: cap,
      notionalFloor: floor,
      maintMarginRatio: ratio,
      cum: Math.round(cum * 100) / 100,
    });
    floor = cap;
  });
  return brackets;
}

/** Largest notional that a leverage allows. */
export function maxNotional(maxLeverage: number, leverage: number): number {
  return bracketsOf(maxLeverage).findLast((rung) => rung.initialLeverage >= leverage)?.notionalCap ?? 0;
}

export const sizeOf = (value: Dec): Dec => (value < ZERO ? -value : value);

export function settingOf(account: FuturesAccount, symbol: string): SymbolSetting {
  let setting = account.settings.get(symbol);
  if (!setting) {
    setting = { leverage: 20, marginType: 'CROSSED' };
    account.settings.set(symbol, setting);
  }
  return setting;
}

export function positionOf(account: FuturesAccount, symbol: string, side: PositionSide): Position {
  const name = `${symbol} ${side}`;
  let position = account.positions.get(name);
  if (!position) {
    position = {
      symbol,
      side,
      amount: ZERO,
      cost: ZERO,
      realized: ZERO,
      isolatedWallet: ZERO,
      updateTime: 0,
    };
    account.positions.set(name, position);
  }
  return position;
}

export const entryOf = (position: Position): Dec =>
  position.amount === ZERO ? ZERO : div(position.cost, position.amount);

export class Margin {
  readonly #market: Market;

  constructor(market: Market) {
    this.#market = market;
  }

  notional(position: Position): Dec {
    return mul(position.amount, this.#market.of(position.symbol).mark);
  }

  unrealized(position: Position): Dec {
    return floorTo8(this.notional(position) - position.cost);
  }

  initial(account: FuturesAccount, position: Position): Dec {
    const { leverage } = settingOf(account, position.symbol);
    return floorTo8(div(sizeOf(this.notional(position)), decOfInt(leverage)));
  }

  maintenance(position: Position): Dec {
    const notional = sizeOf(this.notional(position));
    const { maxLeverage = 75 } = this.#market.of(position.symbol).spec;
    const rungs = bracketsOf(maxLeverage);
    const rung =
      rungs.find(({ notionalCap }) => notional <= decOfInt(notionalCap)) ?? (rungs.at(-1) as Bracket);
    return floorTo8(mul(notional, dec(String(rung.maintMarginRatio))) - dec(String(rung.cum)));
  }

  /** Initial margin of this account's open orders, in one margin asset. */
  ordersInitial(account: FuturesAccount, asset: string): Dec {
    let sum = ZERO;
    for (const order of account.orders.open()) {
      if (order.type !== 'LIMIT') continue;
      if (this.#market.of(order.symbol).spec.quote !== asset) continue;
      const rest = order.qty - order.executed;
      const opening = rest < order.openingQty ? rest : order.openingQty;
      sum += div(mul(opening, order.price), decOfInt(settingOf(account, order.symbol).leverage));
    }
    return floorTo8(sum);
  }

  isolatedSum(account: FuturesAccount, asset: string): Dec {
    let sum = ZERO;
    for (const position of account.positions.values())
      if (this.#market.of(position.symbol).spec.quote === asset) sum += position.isolatedWallet;
    return sum;
  }

  crossWallet(account: FuturesAccount, asset: string): Dec {
    return (account.wallets.get(asset) ?? ZERO) - this.isolatedSum(account, asset);
  }

  /** Positions of one margin asset that use the common wallet. */
  *cross(account: FuturesAccount, asset: string): Generator<Position> {
    for (const position of account.positions.values()) {
      if (position.amount === ZERO || this.#market.of(position.symbol).spec.quote !== asset) continue;
      if (settingOf(account, position.symbol).marginType === 'CROSSED') yield position;
    }
  }

  crossUnrealized(account: FuturesAccount, asset: string): Dec {
    let sum = ZERO;
    for (const position of this.cross(account, asset)) sum += this.unrealized(position);
    return sum;
  }

  /** The amount that a new order may use. */
  available(account: FuturesAccount, asset: string): Dec {
    let free = this.crossWallet(account, asset) + this.crossUnrealized(account, asset);
    for (const position of this.cross(account, asset)) free -= this.initial(account, position);
    free -= this.ordersInitial(account, asset);
    return free > ZERO ? free : ZERO;
  }

  /** Liquidation price of a position taken alone; zero: none. Good enough for display. */
  liquidationPrice(account: FuturesAccount, position: Position, m: SymbolMarket): Dec {
    if (position.amount === ZERO) return ZERO;
    const asset = m.spec.quote;
    const isIsolated = settingOf(account, position.symbol).marginType === 'ISOLATED';
    const money = isIsolated
      ? position.isolatedWallet
      : this.crossWallet(account, asset) + this.crossUnrealized(account, asset) - this.unrealized(position);
    // cushion + amount * price - cost = present maintenance margin
    const price = div(position.cost - money + this.maintenance(position), position.amount);
    return price > ZERO ? price : ZERO;
  }
}

export function isOpenStatus(status: string): boolean {
  return status === 'NEW' || status === 'PARTIALLY_FILLED';
}

export function floorTo8(value: Dec): Dec {
  return value < ZERO ? -floorTo(-value, UNIT) : floorTo(value, UNIT);
}

/** Applies a trade to a position; returns the realized profit. */
export function movePosition(account: FuturesAccount, position: Position, change: Dec, price: Dec): Dec {
  const before = position.amount;
  const { leverage, marginType } = settingOf(account, position.symbol);
  const closes = before !== ZERO && before > ZERO !== change > ZERO;
  const closed = closes ? minDec(sizeOf(change), sizeOf(before)) : ZERO;
  let realized = ZERO;
  if (closed > ZERO) {
    const isAll = closed === sizeOf(before);
    const signed = before > ZERO ? closed : -closed;
    const cost = isAll ? position.cost : div(mul(position.cost, signed), before);
    const isolated = isAll
      ? position.isolatedWallet
      : floorTo8(div(mul(position.isolatedWallet, closed), sizeOf(before)));
    realized = floorTo8(mul(signed, price) - cost);
    position.cost -= cost;
    position.isolatedWallet -= isolated;
    position.realized += realized;
  }
  const opened = sizeOf(change) - closed;
  position.amount += change;
  if (opened > ZERO) {
    position.cost += mul(change > ZERO ? opened : -opened, price);
    if (marginType === 'ISOLATED')
      position.isolatedWallet += floorTo8(div(mul(opened, price), decOfInt(leverage)));
  }
  if (position.amount === ZERO) position.cost = ZERO;
  return realized;
}
