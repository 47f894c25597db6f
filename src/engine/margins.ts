/**
 * Figures of a futures account at the current marks. The exchange reports wallet, positions and orders when
 * something happens; the free amount, the margins and the liquidation prices move with every mark price in
 * between, and are computed here from memory, with the arithmetic of `domain/margin`. Pure reads.
 */
import { type Dec, dec, maxDec, minDec, mul, ONE, str, ZERO } from '../domain/decimal.ts';
import {
  figuresOf,
  lockedOf,
  type MarginAccount,
  type MarginOrder,
  type MarginPosition,
  needOf,
  type SymbolSetting,
} from '../domain/margin/account.ts';
import { type AfterFill, afterFill, filled } from '../domain/margin/after-fill.ts';
import { notional, priceOf } from '../domain/margin/position.ts';
import type { Tiers } from '../domain/margin/tiers.ts';
import { isContradicted, type OrderRecord } from '../domain/order.ts';
import { type ExchangePosition, positionKey } from '../domain/position.ts';
import type { MarginType, PositionSide, Side } from '../schemas/order.ts';
import type { UntoldFill } from './account-movements.ts';
import type { AccountMemory, FuturesMemory } from './memory.ts';
import type { PendingMovements } from './pending-movements.ts';
import { costOf, markOf, signedAmount, unrealized } from './positions.ts';
import { isUnread, knowsAsset } from './unread.ts';
import { type AssetBalance, type MarginMember, marginMember, partsOf } from './wallet.ts';

const NOTHING: AssetBalance = { free: ZERO, locked: ZERO };

/**
 * Returns the current free and locked amounts: the last report plus later orders and fills (R9); for a margin
 * asset the wallet with the current margins.
 */
export function balanceNow(account: AccountMemory, asset: string): AssetBalance {
  const margins = marginsOf(account, asset);
  if (!margins) {
    const { wallet } = account;
    const told = wallet.balances.get(asset) ?? NOTHING;
    if (partsOf(wallet) === 1) return told;
    const [free = told.free, locked = told.locked] = wallet.untold.balances.get(asset)?.now() ?? [];
    return { free: maxDec(free, ZERO), locked: maxDec(locked, ZERO) };
  }
  const locked = minDec(lockedOf(margins) + margins.bound, maxDec(margins.wallet, ZERO));
  return { free: margins.wallet - locked, locked };
}

/** Returns the positions with every figure as of now, in the order in which the exchange reported them. */
export function positionsNow(account: AccountMemory): ExchangePosition[] {
  const { futures } = account;
  if (!futures || futures.positions.size === 0) return [];
  const margins = new Map<string, Margins | null>();
  return [...futures.positions.values()].map((position) => {
    const asset = account.instruments.get(position.symbol)?.quote ?? '';
    let own = margins.get(asset);
    if (own === undefined) {
      own = marginsOf(account, asset);
      margins.set(asset, own);
    }
    return positionNow(futures, position, own);
  });
}

/** An order that may fill, with the fields that margins depend on. */
export interface WantedOrder {
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly quantity: Dec;
  readonly price: Dec;
  readonly fee: Dec;
  /** The margin type that is set before the order is sent; null: unchanged. */
  readonly marginType: MarginType | null;
}

/**
 * Returns the account after that order has filled; null where margins or the brackets of the contract are not
 * known.
 */
export function afterOrder(account: AccountMemory, order: WantedOrder): AfterFill | null {
  const { symbol } = order;
  const margins = marginsOf(account, account.instruments.get(symbol)?.quote ?? '');
  if (!margins || !account.futures?.tiers.has(symbol)) return null;
  const { positionSide } = order;
  const setting = margins.setting(symbol, positionSide === 'BOTH' ? undefined : positionSide);
  return afterFill(margins, {
    symbol,
    position: margins.of({ symbol, side: order.positionSide }),
    qty: order.side === 'BUY' ? order.quantity : -order.quantity,
    price: order.price,
    fee: order.fee,
    setting: { ...setting, marginType: order.marginType ?? setting.marginType },
  });
}

/**
 * Computes the figures of a position; a figure whose inputs are missing stays as the exchange reported it.
 */
function positionNow(
  futures: FuturesMemory,
  position: ExchangePosition,
  margins: Margins | null,
): ExchangePosition {
  const moved = {
    ...position,
    markPrice: str(markOf(futures, position)),
    unrealizedProfit: str(unrealized(futures, position)),
  };
  const mine = margins?.of(position);
  if (!margins || !mine || !futures.tiers.has(position.symbol)) return moved;
  const { maintenance, maintenanceRate, liquidation } = figuresOf(margins, mine);
  return {
    ...moved,
    maintenanceMargin: str(maintenance),
    maintenanceMarginRate: str(maintenanceRate),
    liquidationPrice: liquidation === null ? null : str(priceOf(liquidation, ONE)),
  };
}

/**
 * Returns null where there are no margins to compute: for an asset that margins nothing, and while the
 * account is not read.
 */
function marginsOf({ wallet }: AccountMemory, asset: string): Margins | null {
  const member = marginMember(wallet);
  if (!member?.futures.marginAssets.has(asset) || !knowsAsset(member, asset)) return null;
  return isUnread(member, 'positions') ? null : new Margins(member, asset);
}

/** The engine's memory of one margin asset as `domain/margin` reads it. */
class Margins implements MarginAccount {
  readonly wallet: Dec;
  /** The amount of the asset that spot orders lock. */
  readonly bound: Dec;
  readonly #account: AccountMemory;
  readonly #futures: FuturesMemory;
  readonly #asset: string;
  readonly #positions = new Map<string, MarginPosition>();

  constructor(member: MarginMember, asset: string) {
    const { futures, wallet } = member;
    this.#account = member;
    this.#futures = futures;
    this.#asset = asset;
    const { free, locked } = wallet.balances.get(asset) ?? NOTHING;
    const told = partsOf(wallet) === 1 ? [free + locked, ZERO] : [free, locked];
    const [rest = ZERO, bound = ZERO] = wallet.untold.balances.get(asset)?.now() ?? told;
    this.bound = maxDec(bound, ZERO);
    this.wallet = rest + this.bound;
    for (const [key, position] of futures.positions) {
      const { symbol } = position;
      if (!this.#margins(symbol)) continue;
      this.#positions.set(key, {
        symbol,
        amount: signedAmount(position),
        cost: costOf(position),
        isolated: dec(position.isolatedWallet),
      });
    }
    for (const [key, untold] of wallet.untold.positions) this.#fill(key, untold);
  }

  /**
   * Adds executions that the position does not include yet. Of those that it may include already, either all
   * buys count or all sells: whichever needs more margin, as the true position lies between the two.
   */
  #fill(key: string, untold: PendingMovements<UntoldFill>): void {
    const [first] = untold.movements();
    if (!first || !this.#margins(first.movement.symbol)) return;
    const told = this.#positions.get(key);
    const [bought, sold] = (['BUY', 'SELL'] as const).map((side) => this.#filled(key, untold, side, told));
    this.#put(key, bought);
    if (!untold.hasDoubt) return;
    const { symbol } = first.movement;
    const needs = needOf(this, symbol);
    this.#put(key, sold);
    if (needOf(this, symbol) < needs) this.#put(key, bought);
  }

  /**
   * Returns the position with the executions; of the doubtful ones only those of one side. Undefined: flat.
   */
  #filled(
    key: string,
    untold: PendingMovements<UntoldFill>,
    doubtfulSide: Side,
    told: MarginPosition | undefined,
  ): MarginPosition | undefined {
    let position = told;
    for (const { movement, doubtful } of untold.movements()) {
      const { symbol, price, by } = movement;
      const [qty = ZERO] = by;
      if (doubtful && (qty > ZERO ? 'BUY' : 'SELL') !== doubtfulSide) continue;
      const before = position ?? { symbol, amount: ZERO, cost: ZERO, isolated: ZERO };
      const { after, isolated } = filled(before, this.setting(symbol, hedgeSide(key)), qty, price);
      position = after.amount === ZERO ? undefined : { symbol, ...after, isolated };
    }
    return position;
  }

  #put(key: string, position: MarginPosition | undefined): void {
    if (position) this.#positions.set(key, position);
    else this.#positions.delete(key);
  }

  get hedge(): boolean {
    return this.#futures.hedge;
  }

  of({ symbol, side }: Pick<ExchangePosition, 'symbol' | 'side'>): MarginPosition | undefined {
    return this.#positions.get(positionKey(symbol, side));
  }

  openPositions(): Iterable<MarginPosition> {
    return this.#positions.values();
  }

  positionsOf(symbol: string): readonly MarginPosition[] {
    return (['BOTH', 'LONG', 'SHORT'] as const).flatMap(
      (side) => this.#positions.get(positionKey(symbol, side)) ?? [],
    );
  }

  /**
   * Returns the setting of a symbol. A position's own margin type and leverage are newer than the settings
   * that were read.
   */
  setting(symbol: string, side?: 'LONG' | 'SHORT'): SymbolSetting {
    const known = this.#told(symbol, side) ?? this.#futures.leverage.of(symbol, side);
    return { leverage: Math.max(1, known?.leverage ?? 1), marginType: known?.marginType ?? 'CROSSED' };
  }

  /** Returns the tiers; a contract without brackets stays in the tier that its position came with. */
  tiers(symbol: string): Tiers {
    const tiers = this.#futures.tiers.get(symbol);
    if (tiers) return tiers;
    const told = this.#told(symbol);
    const rate = dec(told?.maintenanceMarginRate ?? '0');
    const value = told ? notional(signedAmount(told), dec(told.markPrice)) : ZERO;
    const cumulative = mul(value, rate) - dec(told?.maintenanceMargin ?? '0');
    return [{ leverage: 1, floor: ZERO, cap: value, rate, cumulative }];
  }

  mark(symbol: string): Dec | null {
    const mark = this.#futures.marks.get(symbol);
    if (mark !== undefined) return mark;
    const told = this.#told(symbol);
    return told ? dec(told.markPrice) : null;
  }

  *busySymbols(): Iterable<string> {
    for (const [symbol, orders] of this.#futures.open) {
      if (orders.size > 0 && this.#margins(symbol)) yield symbol;
    }
  }

  *restingOf(symbol: string): Iterable<MarginOrder> {
    for (const order of this.#futures.open.get(symbol) ?? []) {
      if (!rests(order, this.hedge)) continue;
      const qty = dec(order.origQty) - dec(order.executedQty);
      yield { side: order.side, qty, price: dec(order.price as string) };
    }
  }

  /** Returns the reported position. `side`: only of that side. */
  #told(symbol: string, side?: 'LONG' | 'SHORT'): ExchangePosition | undefined {
    const { positions } = this.#futures;
    if (side !== undefined && this.hedge) return positions.get(positionKey(symbol, side));
    return (
      positions.get(positionKey(symbol, 'BOTH')) ??
      positions.get(positionKey(symbol, 'LONG')) ??
      positions.get(positionKey(symbol, 'SHORT'))
    );
  }

  #margins(symbol: string): boolean {
    return this.#account.instruments.get(symbol)?.quote === this.#asset;
  }
}

/** Returns the side of a `positionKey`; undefined in one-way mode. */
function hedgeSide(key: string): 'LONG' | 'SHORT' | undefined {
  if (key.endsWith(' LONG')) return 'LONG';
  return key.endsWith(' SHORT') ? 'SHORT' : undefined;
}

/**
 * Returns whether the order rests on the exchange's book and can open. An order on its way does not count:
 * the engine's own lock counts for it until the exchange has it.
 */
function rests(order: OrderRecord, hedge: boolean): boolean {
  const isOnBook = isContradicted(order)
    ? order.contradiction?.at === 'WORKING'
    : order.phase === 'live' && order.isWorking;
  if (!isOnBook) return false;
  if (order.price === undefined || order.timeInForce === 'IOC' || order.timeInForce === 'FOK') return false;
  if (order.reduceOnly || order.closePosition) return false;
  return !hedge || (order.positionSide === 'LONG') === (order.side === 'BUY');
}
