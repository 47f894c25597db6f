/**
 * One unified account: coins, positions, settings per symbol, and its margin figures. It accepts no orders.
 * Sources: account/wallet-balance.mdx (how each figure is made), position/position.mdx,
 * market/risk-limit.mdx.
 */
import { type Dec, dec, div, floorTo, minDec, mul, ZERO } from '../../../src/domain/decimal.ts';
import type { OrderStore } from '../kit/order-store.ts';
import type { Market, SymbolMarket } from './market.ts';
import { type Execution, isOpen, type Order, type PositionIdx, type Side } from './order.ts';
import { tiersOf } from './symbols.ts';
import type { Category } from './wire.ts';

export const UNIT = dec('0.00000001');

export interface Position {
  readonly symbol: string;
  readonly idx: PositionIdx;
  /** Negative: short. */
  amount: Dec;
  /** Cost of the position: entry price x amount, signed like the amount. */
  cost: Dec;
  /** Realised profit since it was opened, and over all time. */
  realised: Dec;
  allRealised: Dec;
  /** Isolated: margin added by hand, on top of the initial margin. */
  added: Dec;
  takeProfit: Dec;
  stopLoss: Dec;
  trailingStop: Dec;
  createdTime: number;
  updatedTime: number;
  openTime: number;
  seq: number;
}

export interface LogRow {
  readonly id: string;
  readonly symbol: string;
  readonly category: Category | '';
  readonly side: Side | 'None';
  readonly type: string;
  readonly qty: Dec;
  readonly size: Dec;
  readonly currency: string;
  readonly tradePrice: Dec;
  readonly funding: Dec | null;
  readonly fee: Dec;
  readonly cashFlow: Dec;
  readonly change: Dec;
  readonly cashBalance: Dec;
  readonly feeRate: Dec | null;
  readonly tradeId: string;
  readonly orderId: string;
  readonly orderLinkId: string;
  readonly time: number;
}

export type MarginMode = 'REGULAR_MARGIN' | 'ISOLATED_MARGIN' | 'PORTFOLIO_MARGIN';

export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly coins: Map<string, Dec>;
  readonly positions: Map<string, Position>;
  readonly leverages: Map<string, readonly [buy: string, sell: string]>;
  /** Symbols in hedge mode; `USDT` stands for symbols without a setting of their own. */
  readonly hedged: Map<string, boolean>;
  readonly orders: Readonly<Record<Category, OrderStore<Order, string>>>;
  /** Closed orders that `order/realtime` still returns; a restart of the service empties it. */
  readonly recent: Record<Category, Order[]>;
  readonly executions: Record<Category, Execution[]>;
  readonly log: LogRow[];
  marginMode: MarginMode;
  /** Whether fees are taken in MNT while there is some. */
  paysInMnt: boolean;
  readonly fees: Record<Category, { maker: Dec; taker: Dec }>;
  /** Coins that do not count as margin. */
  readonly notCollateral: Set<string>;
  /** Disconnection protection, by product: seconds. */
  readonly dcp: Map<string, number>;
  updatedTime: number;
}

export const sizeOf = (value: Dec): Dec => (value < ZERO ? -value : value);
export const coinOf = (account: Account, coin: string): Dec => account.coins.get(coin) ?? ZERO;

export function positionOf(account: Account, symbol: string, idx: PositionIdx, now: number): Position {
  const name = `${symbol} ${idx}`;
  let position = account.positions.get(name);
  if (!position) {
    position = {
      symbol,
      idx,
      amount: ZERO,
      cost: ZERO,
      realised: ZERO,
      allRealised: ZERO,
      added: ZERO,
      takeProfit: ZERO,
      stopLoss: ZERO,
      trailingStop: ZERO,
      createdTime: now,
      updatedTime: now,
      openTime: 0,
      seq: -1,
    };
    account.positions.set(name, position);
  }
  return position;
}

export const isHedged = (account: Account, m: SymbolMarket): boolean =>
  m.spec.settle === 'USDT' && m.spec.contractType === 'LinearPerpetual'
    ? (account.hedged.get(m.spec.symbol) ?? account.hedged.get('USDT') ?? false)
    : false;

export function leverageOf(account: Account, symbol: string, side: Side): string {
  return (account.leverages.get(symbol) ?? (['10', '10'] as const))[side === 'Buy' ? 0 : 1];
}

export const entryOf = (position: Position): Dec =>
  position.amount === ZERO ? ZERO : div(position.cost, position.amount);

export const floored = (value: Dec): Dec => (value < ZERO ? -floorTo(-value, UNIT) : floorTo(value, UNIT));

/** Margin figures of accounts, over both markets. */
export class Margin {
  readonly #spot: Market;
  readonly #linear: Market;

  constructor(spot: Market, linear: Market) {
    this.#spot = spot;
    this.#linear = linear;
  }

  /** USD value of one coin: the index is the spot price. */
  usd(coin: string): Dec {
    if (coin === 'USDT' || coin === 'USDC') return dec('1');
    return this.#spot.symbols.get(`${coin}USDT`)?.last ?? ZERO;
  }

  value(position: Position): Dec {
    return sizeOf(mul(position.amount, this.#linear.of(position.symbol).mark));
  }

  unrealised(position: Position): Dec {
    return floored(mul(position.amount, this.#linear.of(position.symbol).mark) - position.cost);
  }

  initial(account: Account, position: Position): Dec {
    if (position.amount === ZERO) return ZERO;
    const leverage = leverageOf(account, position.symbol, position.amount > ZERO ? 'Buy' : 'Sell');
    return floored(div(this.value(position), dec(leverage))) + position.added;
  }

  /** Initial margin at the opening: the equity of an isolated position starts with it. */
  initialAtEntry(account: Account, position: Position): Dec {
    const leverage = leverageOf(account, position.symbol, position.amount > ZERO ? 'Buy' : 'Sell');
    return floored(div(sizeOf(position.cost), dec(leverage)));
  }

  maintenance(position: Position): Dec {
    const value = this.value(position);
    const tiers = tiersOf(this.#linear.of(position.symbol).spec);
    const tier = tiers.find(({ limit }) => value <= dec(limit)) ?? tiers.at(-1);
    if (!tier || value === ZERO) return ZERO;
    return floored(mul(value, dec(tier.rate)) - (tier.deduction === '' ? ZERO : dec(tier.deduction)));
  }

  held(account: Account, coin?: string): Position[] {
    return [...account.positions.values()].filter(
      (position) =>
        position.amount !== ZERO &&
        (coin === undefined || this.#linear.of(position.symbol).spec.settle === coin),
    );
  }

  /** Margin of a resting linear order: only for the part that opens. */
  orderMargin(account: Account, order: Order): Dec {
    if (order.category !== 'linear' || order.reduceOnly || order.status === 'Untriggered' || !isOpen(order))
      return ZERO;
    const held = this.closable(account, order);
    const rest = order.qty - order.executed;
    const opening = rest > held ? rest - held : ZERO;
    return floored(div(mul(opening, order.price), dec(leverageOf(account, order.symbol, order.side))));
  }

  /** The quantity of the position that an order of this side closes. */
  closable(account: Account, wish: { symbol: string; side: Side; positionIdx: PositionIdx }): Dec {
    const amount = account.positions.get(`${wish.symbol} ${wish.positionIdx}`)?.amount ?? ZERO;
    return (wish.side === 'Sell') === amount > ZERO ? sizeOf(amount) : ZERO;
  }

  ordersInitial(account: Account, coin: string): Dec {
    return this.#ordersInitial(account).get(coin) ?? ZERO;
  }

  #ordersInitial(account: Account): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const order of account.orders.linear.open()) {
      const coin = this.#linear.of(order.symbol).spec.settle ?? '';
      sums.set(coin, (sums.get(coin) ?? ZERO) + this.orderMargin(account, order));
    }
    return sums;
  }

  sum(positions: readonly Position[], of: (position: Position) => Dec): Dec {
    return positions.reduce((total, position) => total + of(position), ZERO);
  }

  /** The amount of one coin that spot orders lock. */
  locked(account: Account, coin: string): Dec {
    return this.lockedAll(account).get(coin) ?? ZERO;
  }

  lockedAll(account: Account): Map<string, Dec> {
    const sums = new Map<string, Dec>();
    for (const order of account.orders.spot.open()) {
      const [coin, amount] = this.reserved(order);
      sums.set(coin, (sums.get(coin) ?? ZERO) + amount);
    }
    return sums;
  }

  /**
   * The asset and amount that an order locks: `StopOrder` nothing before its trigger, `tpslOrder` at once
   * (create-order.mdx).
   */
  reserved(order: Order): readonly [string, Dec] {
    const { base, quote } = this.#spot.of(order.symbol).spec;
    if (order.status === 'Untriggered' && order.orderFilter === 'StopOrder') return [quote, ZERO];
    const rest = order.qty - order.executed;
    if (order.side === 'Sell') return [base, order.marketUnit === 'quoteCoin' ? ZERO : rest];
    if (order.orderType === 'Limit') return [quote, mul(rest, order.price)];
    const amount = order.marketUnit === 'quoteCoin' ? rest : mul(rest, order.triggerPrice);
    return [quote, amount];
  }

  /** Account-wide figures in USD. */
  totals(account: Account) {
    let wallet = ZERO;
    let margin = ZERO;
    let initial = ZERO;
    let maintenance = ZERO;
    let unrealised = ZERO;
    const coins = new Set([...account.coins.keys(), 'USDT', 'USDC']);
    const locked = this.lockedAll(account);
    const orders = this.#ordersInitial(account);
    for (const coin of coins) {
      const usd = this.usd(coin);
      const amount = coinOf(account, coin);
      wallet += mul(amount, usd);
      if (!account.notCollateral.has(coin)) margin += mul(amount - (locked.get(coin) ?? ZERO), usd);
      const positions = this.held(account, coin);
      unrealised += mul(
        this.sum(positions, (position) => this.unrealised(position)),
        usd,
      );
      maintenance += mul(
        this.sum(positions, (position) => this.maintenance(position)),
        usd,
      );
      const positionsInitial = this.sum(positions, (position) => this.initial(account, position));
      initial += mul(positionsInitial + (orders.get(coin) ?? ZERO), usd);
    }
    const available = margin + unrealised - initial;
    return {
      wallet,
      unrealised,
      margin: wallet + unrealised,
      /** Only what counts as collateral. */
      cushion: margin + unrealised,
      initial,
      maintenance,
      available: available > ZERO ? available : ZERO,
    };
  }

  /** The amount that a new linear order may use, in its settle coin. */
  available(account: Account, coin: string): Dec {
    if (account.marginMode !== 'ISOLATED_MARGIN') return this.totals(account).available;
    const used =
      this.sum(this.held(account, coin), (position) => this.initial(account, position)) +
      this.ordersInitial(account, coin) +
      this.locked(account, coin);
    const free = coinOf(account, coin) - used;
    return free > ZERO ? free : ZERO;
  }

  /**
   * The amount of a coin that a spot order may spend: the unlocked part, and in cross margin no more than the
   * margin allows.
   */
  spendable(account: Account, coin: string): Dec {
    const free = coinOf(account, coin) - this.locked(account, coin);
    if (account.marginMode === 'ISOLATED_MARGIN') return minDec(free, this.available(account, coin));
    if (account.notCollateral.has(coin) || this.held(account).length === 0) return free;
    const usd = this.usd(coin);
    const { available } = this.totals(account);
    return usd > ZERO ? minDec(free, div(available, usd)) : free;
  }

  /** Liquidation price if nothing else moved; zero: none. */
  liquidationPrice(account: Account, position: Position): Dec {
    if (position.amount === ZERO) return ZERO;
    const money =
      account.marginMode === 'ISOLATED_MARGIN'
        ? this.initialAtEntry(account, position) + position.added
        : this.totals(account).cushion - this.unrealised(position);
    const price = div(position.cost - money + this.maintenance(position), position.amount);
    return price > ZERO ? price : ZERO;
  }
}

/** Applies a trade to a position; returns the realised profit and the closed quantity. */
export function movePosition(position: Position, change: Dec, price: Dec, time: number) {
  const before = position.amount;
  const closes = before !== ZERO && before > ZERO !== change > ZERO;
  const closed = closes ? minDec(sizeOf(change), sizeOf(before)) : ZERO;
  let realised = ZERO;
  if (closed > ZERO) {
    const signed = before > ZERO ? closed : -closed;
    const cost = closed === sizeOf(before) ? position.cost : div(mul(position.cost, signed), before);
    realised = floored(mul(signed, price) - cost);
    position.cost -= cost;
  }
  const opened = sizeOf(change) - closed;
  if (opened > ZERO) {
    if (closed === sizeOf(before)) {
      position.openTime = time;
      position.realised = ZERO;
    }
    position.cost += mul(change > ZERO ? opened : -opened, price);
  }
  position.amount += change;
  position.realised += realised;
  position.allRealised += realised;
  if (position.amount === ZERO) {
    position.cost = ZERO;
    position.added = ZERO;
  }
  return { realised, closed };
}
