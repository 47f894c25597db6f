/**
 * Margins of a futures account at the current mark prices: what positions and resting orders need, what is
 * free, where a position is liquidated. The embedded exchange and the engine both compute with it, each over
 * its own memory, so that figures between two events equal those of the exchange. One margin asset; reads
 * only. Sources: Binance FAQs 87fa7ee33b574f7084d42bd2ce2e463b (cost of an order), 360033162192 (leverage and
 * margin), account fields of the USDT-M API (bidNotional, askNotional, availableBalance).
 */
import type { MarginType, Side } from '../../schemas/order.ts';
import { type Dec, maxDec, minDec, mul, ONE, ZERO } from '../decimal.ts';
import { liquidationPrice } from './liquidation-price.ts';
import { abs, money, notional, type Open, unrealised } from './position.ts';
import { maintenanceMargin, type Tiers, tierAt } from './tiers.ts';

/** One position that is not flat. */
export interface MarginPosition extends Open {
  readonly symbol: string;
  /** Margin set aside when the symbol is isolated, without unrealised PnL; 0 when crossed. */
  readonly isolated: Dec;
}

/** The unfilled part of an order, at its limit price. */
export interface MarginOrder {
  readonly side: Side;
  readonly qty: Dec;
  readonly price: Dec;
}

/** How a symbol is margined. */
export interface SymbolSetting {
  readonly leverage: number;
  readonly marginType: MarginType;
}

/** The account state that the figures are computed from. */
export interface MarginAccount {
  readonly wallet: Dec;
  readonly hedge: boolean;
  openPositions(): Iterable<MarginPosition>;
  /** Returns the open positions of one symbol: at most one, in hedge mode two. */
  positionsOf(symbol: string): readonly MarginPosition[];
  /**
   * Returns the setting of a symbol. `side`: in hedge mode, where an exchange may keep a leverage for each
   * side.
   */
  setting(symbol: string, side?: 'LONG' | 'SHORT'): SymbolSetting;
  tiers(symbol: string): Tiers;
  /** Returns the mark price; null: no price is known (any more). */
  mark(symbol: string): Dec | null;
  /** Returns the symbols with orders on their book. */
  busySymbols(): Iterable<string>;
  /**
   * Returns the orders on a symbol's book that can open a position: neither reduce-only orders nor waiting
   * ones (as at Binance: checked when they trigger), which need no margin.
   */
  restingOf(symbol: string): Iterable<MarginOrder>;
}

/** Figures of one position that move with the mark price. */
export interface PositionFigures {
  readonly profit: Dec;
  readonly maintenance: Dec;
  /** Maintenance margin rate of the tier it is in. */
  readonly maintenanceRate: Dec;
  /** Unrounded; null: no price liquidates it. */
  readonly liquidation: Dec | null;
}

/** Returns the mark price, or the entry price of a position whose symbol has no price (any more). */
export function markOf(account: MarginAccount, position: MarginPosition): Dec {
  const mark = account.mark(position.symbol);
  if (mark !== null) return mark;
  return position.amount === ZERO ? ZERO : (position.cost * ONE) / position.amount;
}

/** Returns the unrealised PnL of a position at its mark. */
export function profitOf(account: MarginAccount, position: MarginPosition): Dec {
  return unrealised(position, markOf(account, position));
}

/** Returns the maintenance margin of a position at its mark. */
export function maintenanceOf(account: MarginAccount, position: MarginPosition): Dec {
  const value = notional(position.amount, markOf(account, position));
  return maintenanceMargin(account.tiers(position.symbol), value);
}

/** Returns the wallet less what isolated positions have set aside. */
export function crossWallet(account: MarginAccount): Dec {
  let { wallet } = account;
  for (const position of account.openPositions()) wallet -= position.isolated;
  return wallet;
}

/** Returns the crossed positions' unrealised PnL and maintenance margin. */
export function crossed(account: MarginAccount): { profit: Dec; maintenance: Dec; count: number } {
  let profit = ZERO;
  let maintenance = ZERO;
  let count = 0;
  for (const position of account.openPositions()) {
    if (isIsolated(account, position.symbol)) continue;
    profit += profitOf(account, position);
    maintenance += maintenanceOf(account, position);
    count++;
  }
  return { profit, maintenance, count };
}

/**
 * Returns the largest notional that a symbol can come to hold: in one-way mode max(|position + buys|,
 * |position - sells|), so both sides of a grid need the margin of the larger one; in hedge mode both sides
 * add up. `wanted`: an order that is not on the book yet.
 */
export function exposure(account: MarginAccount, symbol: string, wanted: MarginOrder | null): Dec {
  const { bids, asks } = opening(account, symbol, wanted);
  if (account.hedge) return positionNotional(account, symbol) + bids + asks;
  const held = account
    .positionsOf(symbol)
    .reduce((sum, position) => sum + mul(position.amount, markOf(account, position)), ZERO);
  return maxDec(abs(held + bids), abs(held - asks));
}

/**
 * Returns the initial margin of the symbol's orders: what they can add to its positions, divided by the
 * leverage.
 */
export function orderMargin(account: MarginAccount, symbol: string, wanted: MarginOrder | null = null): Dec {
  const long = BigInt(account.setting(symbol, 'LONG').leverage);
  const short = BigInt(account.setting(symbol, 'SHORT').leverage);
  if (account.hedge && long !== short) {
    const { bids, asks } = opening(account, symbol, wanted);
    return bids / long + asks / short;
  }
  const added = exposure(account, symbol, wanted) - positionNotional(account, symbol);
  return added / BigInt(account.setting(symbol).leverage);
}

/**
 * Returns the notional of the orders that can open, for each side separately; in hedge mode buys open long
 * positions, sells short ones.
 */
function opening(account: MarginAccount, symbol: string, wanted: MarginOrder | null) {
  let bids = ZERO;
  let asks = ZERO;
  const add = ({ side, qty, price }: MarginOrder) => {
    if (side === 'BUY') bids += mul(qty, price);
    else asks += mul(qty, price);
  };
  for (const order of account.restingOf(symbol)) add(order);
  if (wanted) add(wanted);
  return { bids, asks };
}

/**
 * Returns the available balance = cross wallet + crossed unrealised PnL - initial margins - order margins;
 * never more than the cross wallet.
 */
export function available(account: MarginAccount): Dec {
  const wallet = crossWallet(account);
  const free = wallet + crossed(account).profit - positionMargin(account) - allOrderMargins(account);
  return minDec(free, wallet);
}

/**
 * Returns the part of the wallet that is shown as locked: isolated wallets + initial margins + order margins
 * + crossed loss, at most the wallet; the rest is free. Unrealised PnL is in neither: a crossed loss only
 * moves free to locked, a profit moves nothing.
 */
export function lockedOf(account: MarginAccount): Dec {
  const { wallet } = account;
  const loss = maxDec(-crossed(account).profit, ZERO);
  const margins = positionMargin(account) + allOrderMargins(account);
  return minDec(wallet - crossWallet(account) + money(margins + loss), wallet);
}

/**
 * Returns what a symbol uses of the wallet: margins of its positions and orders, less their unrealised PnL.
 */
export function needOf(account: MarginAccount, symbol: string): Dec {
  let need = orderMargin(account, symbol);
  for (const position of account.positionsOf(symbol)) {
    if (isIsolated(account, symbol)) need += position.isolated;
    else need += initialMargin(account, position) - profitOf(account, position);
  }
  return need;
}

/** Returns all figures of a position that move with the mark price. */
export function figuresOf(account: MarginAccount, position: MarginPosition): PositionFigures {
  const value = notional(position.amount, markOf(account, position));
  return {
    profit: profitOf(account, position),
    maintenance: maintenanceOf(account, position),
    maintenanceRate: tierAt(account.tiers(position.symbol), value).rate,
    liquidation: liquidationOf(account, position),
  };
}

/** Returns the liquidation price; when crossed, both sides of hedge mode share one price. */
function liquidationOf(account: MarginAccount, position: MarginPosition): Dec | null {
  const tiers = account.tiers(position.symbol);
  const mark = markOf(account, position);
  if (isIsolated(account, position.symbol)) {
    return liquidationPrice(position.isolated, [position], tiers, mark);
  }
  const legs = account.positionsOf(position.symbol);
  const all = crossed(account);
  let others = crossWallet(account) + all.profit - all.maintenance;
  for (const leg of legs) others += maintenanceOf(account, leg) - profitOf(account, leg);
  return liquidationPrice(others, legs, tiers, mark);
}

/**
 * Returns the initial margin = notional at mark / leverage of the crossed positions; isolated ones have set
 * theirs aside.
 */
function positionMargin(account: MarginAccount): Dec {
  let margin = ZERO;
  for (const position of account.openPositions()) {
    if (isIsolated(account, position.symbol)) continue;
    margin += initialMargin(account, position);
  }
  return margin;
}

/** Returns the initial margin of a position = notional at mark / leverage. */
export function initialMargin(account: MarginAccount, position: MarginPosition): Dec {
  const value = notional(position.amount, markOf(account, position));
  const side = position.amount < ZERO ? 'SHORT' : 'LONG';
  return value / BigInt(account.setting(position.symbol, account.hedge ? side : undefined).leverage);
}

function allOrderMargins(account: MarginAccount): Dec {
  let margin = ZERO;
  for (const symbol of account.busySymbols()) margin += orderMargin(account, symbol);
  return margin;
}

function positionNotional(account: MarginAccount, symbol: string): Dec {
  return account
    .positionsOf(symbol)
    .reduce((sum, position) => sum + notional(position.amount, markOf(account, position)), ZERO);
}

function isIsolated(account: MarginAccount, symbol: string): boolean {
  return account.setting(symbol).marginType === 'ISOLATED';
}
