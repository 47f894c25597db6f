/**
 * One account: a wallet for both spot and swaps, positions, leverage, orders, fills and bills, and its margin
 * figures. It accepts no orders. Sources: OKX v5 "Get balance", "Get positions", "Set leverage", "Get
 * position tiers".
 */
import { type Dec, dec, decOfInt, div, floorTo, minDec, mul, ZERO } from '../../../src/domain/decimal.ts';
import type { AlgoOrder } from './algo.ts';
import { unitOf } from './instruments.ts';
import type { OkxMarket } from './market.ts';
import { isOpen, type OkxOrder } from './order.ts';
import type { AccountLevel, FeeRates, PosMode } from './settings.ts';
import type { InstType } from './wire.ts';

export type PosSide = 'net' | 'long' | 'short';
export type MgnMode = 'cross' | 'isolated';

export interface Position {
  readonly instId: string;
  readonly posSide: PosSide;
  readonly mgnMode: MgnMode;
  readonly posId: string;
  readonly ccy: string;
  /** Contracts; negative: short, in long/short mode too. */
  amount: Dec;
  /** Entry price x amount, signed like the amount. */
  cost: Dec;
  /** Since it was opened: closed profit, fees, funding, penalties. */
  pnl: Dec;
  fee: Dec;
  funding: Dec;
  penalty: Dec;
  /** Isolated: the position's own money. */
  margin: Dec;
  tradeId: string;
  cTime: number;
  uTime: number;
  /** Entry price, kept after the close. */
  entry: Dec;
  /** Largest size since it was opened. */
  most: Dec;
  /** Sum of price x size of the closed part; its size follows. */
  closedValue: Dec;
  closed: Dec;
}

/** A row of `fills`, and the fields of a fill on the channel. */
export interface Fill {
  readonly order: OkxOrder;
  readonly tradeId: string;
  readonly billId: string;
  readonly px: Dec;
  readonly sz: Dec;
  /** Negative: charged. */
  readonly fee: Dec;
  readonly feeCcy: string;
  readonly feeRate: Dec;
  readonly pnl: Dec;
  readonly execType: 'T' | 'M' | '';
  readonly subType: string;
  readonly markPx: Dec;
  readonly idxPx: Dec;
  readonly fillTime: number;
  readonly ts: number;
}

export interface Bill {
  readonly billId: string;
  readonly ts: number;
  readonly row: Readonly<Record<string, unknown>>;
}

export interface Account {
  readonly name: string;
  readonly uid: string;
  acctLv: AccountLevel;
  posMode: PosMode;
  fees: FeeRates;
  readonly wallet: Map<string, Dec>;
  /** Amounts that open spot orders lock, by currency. */
  readonly frozen: Map<string, Dec>;
  readonly touched: Map<string, number>;
  readonly positions: Map<string, Position>;
  /** Leverage by `instId mgnMode posSide`. */
  readonly levers: Map<string, Dec>;
  readonly orders: Orders;
  readonly algos: Algos;
  readonly fills: Fill[];
  readonly bills: Bill[];
  readonly closings: Record<string, unknown>[];
  readonly conversions: Record<string, unknown>[];
  /** Rises with every change of an order or a leverage. */
  changes: number;
  /** Margin of open swap orders by currency, cached with the number of changes. */
  readonly ordersImr: Map<string, { changes: number; sum: Dec }>;
}

/** Orders by number, by client id (the newest), and the open ones of each instrument. */
export class Orders {
  readonly all: OkxOrder[] = [];
  readonly #byId = new Map<string, OkxOrder>();
  readonly #byClient = new Map<string, OkxOrder>();
  readonly #open = new Map<string, Set<OkxOrder>>();

  add(order: OkxOrder): void {
    this.all.push(order);
    this.#byId.set(order.ordId, order);
    if (order.clOrdId !== '') this.#byClient.set(order.clOrdId, order);
    const open = this.#open.get(order.instId);
    if (open) open.add(order);
    else this.#open.set(order.instId, new Set([order]));
  }

  byId(ordId: string): OkxOrder | undefined {
    return this.#byId.get(ordId);
  }

  byClient(clOrdId: string): OkxOrder | undefined {
    return this.#byClient.get(clOrdId);
  }

  /** The open orders, in the order in which they came. */
  open(instId?: string): OkxOrder[] {
    const sets = instId === undefined ? [...this.#open.values()] : [this.#open.get(instId) ?? new Set()];
    const orders: OkxOrder[] = [];
    for (const set of sets)
      for (const order of set) {
        if (isOpen(order)) orders.push(order);
        else set.delete(order);
      }
    return orders;
  }
}

/** The same for algo orders. */
export class Algos {
  readonly all: AlgoOrder[] = [];
  readonly #byId = new Map<string, AlgoOrder>();
  readonly #byClient = new Map<string, AlgoOrder>();
  readonly #live = new Set<AlgoOrder>();

  add(algo: AlgoOrder): void {
    this.all.push(algo);
    this.#byId.set(algo.algoId, algo);
    if (algo.algoClOrdId !== '') this.#byClient.set(algo.algoClOrdId, algo);
    this.#live.add(algo);
  }

  byId(algoId: string): AlgoOrder | undefined {
    return this.#byId.get(algoId);
  }

  byClient(algoClOrdId: string): AlgoOrder | undefined {
    return this.#byClient.get(algoClOrdId);
  }

  live(): AlgoOrder[] {
    for (const algo of this.#live) if (algo.state !== 'live') this.#live.delete(algo);
    return [...this.#live];
  }
}

const DEFAULT_LEVER = dec('3');
const UNIT = dec('0.0000000001');

export const sizeOf = (value: Dec): Dec => (value < ZERO ? -value : value);
export const floor10 = (value: Dec): Dec => (value < ZERO ? -floorTo(-value, UNIT) : floorTo(value, UNIT));
export const cashOf = (account: Account, ccy: string): Dec => account.wallet.get(ccy) ?? ZERO;
export const frozenOf = (account: Account, ccy: string): Dec => account.frozen.get(ccy) ?? ZERO;
export const entryOf = ({ amount, cost }: Position): Dec => (amount === ZERO ? ZERO : div(cost, amount));

/** Fee rates of that instrument type and fee group, as fractions; negative: charged. */
export function ratesOf({ fees }: Account, instType: InstType, groupId: string): { maker: Dec; taker: Dec } {
  const isSpot = instType === 'SPOT';
  const usual = isSpot
    ? { maker: fees.spotMaker, taker: fees.spotTaker }
    : { maker: fees.swapMaker, taker: fees.swapTaker };
  const { maker, taker } = fees.groups?.[`${instType} ${groupId}`] ?? usual;
  return { maker: dec(maker), taker: dec(taker) };
}

export function leverOf(account: Account, instId: string, mgnMode: MgnMode, posSide: PosSide): Dec {
  // Both sides of a contract share one cross leverage.
  const side = mgnMode === 'cross' ? 'net' : posSide;
  return account.levers.get(`${instId} ${mgnMode} ${side}`) ?? DEFAULT_LEVER;
}

export function setLever(
  account: Account,
  instId: string,
  mgnMode: MgnMode,
  posSide: PosSide,
  lever: Dec,
): void {
  account.changes++;
  account.levers.set(`${instId} ${mgnMode} ${mgnMode === 'cross' ? 'net' : posSide}`, lever);
}

export interface Tier {
  readonly tier: number;
  readonly minSz: number;
  readonly maxSz: number;
  readonly mmr: string;
  readonly imr: string;
  readonly maxLever: string;
}

const LADDER = [
  [2_000, 100, '0.004', '0.01'],
  [8_000, 75, '0.0065', '0.0133'],
  [40_000, 50, '0.01', '0.02'],
  [200_000, 20, '0.025', '0.05'],
  [1_000_000, 10, '0.05', '0.1'],
  [5_000_000, 3, '0.1666', '0.3333'],
] as const;

/** Tiers by contracts, from the greatest leverage down. */
export function tiersOf(maxLever: number): Tier[] {
  let minSz = 0;
  return LADDER.filter(([, lever]) => lever <= maxLever).map(([maxSz, lever, mmr, imr], i) => {
    const tier = { tier: i + 1, minSz, maxSz, mmr, imr, maxLever: String(lever) };
    minSz = maxSz;
    return tier;
  });
}

export class Margin {
  readonly #market: OkxMarket;

  constructor(market: OkxMarket) {
    this.#market = market;
  }

  notional(position: Position): Dec {
    const m = this.#market.of(position.instId);
    return this.#market.value(m, sizeOf(position.amount), m.mark);
  }

  upl(position: Position, price = this.#market.of(position.instId).mark): Dec {
    const unit = unitOf(this.#market.of(position.instId).spec);
    return floor10(mul(mul(position.amount, price) - position.cost, unit));
  }

  imr(account: Account, position: Position): Dec {
    const lever = leverOf(account, position.instId, position.mgnMode, position.posSide);
    return floor10(div(this.notional(position), lever));
  }

  mmr(position: Position): Dec {
    const { maxLever } = this.#market.of(position.instId).spec;
    const size = sizeOf(position.amount);
    const tiers = tiersOf(maxLever);
    const tier = tiers.find(({ maxSz }) => size <= decOfInt(maxSz)) ?? tiers.at(-1);
    return floor10(mul(this.notional(position), dec(tier?.mmr ?? '0.5')));
  }

  /** Margin of open swap orders in one currency. */
  ordersImr(account: Account, ccy: string): Dec {
    const { changes } = account;
    const known = account.ordersImr.get(ccy);
    if (known?.changes === changes) return known.sum;
    let sum = ZERO;
    for (const order of account.orders.open()) {
      if (order.instType !== 'SWAP' || order.reduceOnly) continue;
      const m = this.#market.of(order.instId);
      if (m.spec.settle !== ccy) continue;
      const rest = order.qty - order.filled;
      const opening = minDec(rest, order.opening);
      const lever = leverOf(account, order.instId, order.tdMode as MgnMode, order.posSide || 'net');
      sum += div(this.#market.value(m, opening, order.px ?? m.last), lever);
    }
    account.ordersImr.set(ccy, { changes, sum: floor10(sum) });
    return floor10(sum);
  }

  *open(account: Account, ccy?: string, mgnMode?: MgnMode): Generator<Position> {
    for (const position of account.positions.values()) {
      if (position.amount === ZERO) continue;
      if (ccy !== undefined && position.ccy !== ccy) continue;
      if (mgnMode === undefined || position.mgnMode === mgnMode) yield position;
    }
  }

  sum(account: Account, ccy: string, mgnMode: MgnMode, of: (position: Position) => Dec): Dec {
    let sum = ZERO;
    for (const position of this.open(account, ccy, mgnMode)) sum += of(position);
    return sum;
  }

  crossUpl(account: Account, ccy: string): Dec {
    return this.sum(account, ccy, 'cross', (position) => this.upl(position));
  }

  crossImr(account: Account, ccy: string): Dec {
    return this.sum(account, ccy, 'cross', (position) => this.imr(account, position));
  }

  /** Money and open profit of isolated positions. */
  isolatedEquity(account: Account, ccy: string): Dec {
    return this.sum(account, ccy, 'isolated', (position) => position.margin + this.upl(position));
  }

  /** `eq`: the whole equity in the currency. */
  equity(account: Account, ccy: string): Dec {
    return cashOf(account, ccy) + this.crossUpl(account, ccy) + this.isolatedEquity(account, ccy);
  }

  /** The locked amount of the currency: spot orders, margin of positions and orders. */
  kept(account: Account, ccy: string): Dec {
    return (
      frozenOf(account, ccy) +
      this.crossImr(account, ccy) +
      this.ordersImr(account, ccy) +
      this.isolatedEquity(account, ccy)
    );
  }

  /** `availBal`: the amount that a spot order or a transfer may use. */
  available(account: Account, ccy: string): Dec {
    const free = cashOf(account, ccy) - frozenOf(account, ccy);
    if (account.acctLv === '1') return positive(free);
    if (account.acctLv === '2')
      return positive(minDec(free, this.equity(account, ccy) - this.kept(account, ccy)));
    return positive(free);
  }

  /**
   * The amount that new positions of this currency may use: its own on level 2, the whole account's in USD
   * above that.
   */
  forPositions(account: Account, ccy: string): Dec {
    if (account.acctLv === '2') return positive(this.equity(account, ccy) - this.kept(account, ccy));
    const price = this.#market.usd(ccy);
    const { adjEq, imr, ordFroz } = this.usd(account);
    return price > ZERO ? positive(div(adjEq - imr - ordFroz, price)) : ZERO;
  }

  /** The account's figures in USD. */
  usd(account: Account): {
    totalEq: Dec;
    adjEq: Dec;
    imr: Dec;
    mmr: Dec;
    ordFroz: Dec;
    notional: Dec;
    upl: Dec;
    isoEq: Dec;
  } {
    const all = {
      totalEq: ZERO,
      adjEq: ZERO,
      imr: ZERO,
      mmr: ZERO,
      ordFroz: ZERO,
      notional: ZERO,
      upl: ZERO,
      isoEq: ZERO,
    };
    for (const ccy of currenciesOf(account)) {
      const price = this.#market.usd(ccy);
      const iso = mul(this.isolatedEquity(account, ccy), price);
      const equity = mul(this.equity(account, ccy), price);
      all.totalEq += equity;
      all.isoEq += iso;
      all.adjEq += equity - iso;
      all.upl += mul(this.crossUpl(account, ccy), price);
      all.imr += mul(this.crossImr(account, ccy) + this.ordersImr(account, ccy), price);
      all.mmr += mul(
        this.sum(account, ccy, 'cross', (p) => this.mmr(p)),
        price,
      );
      all.notional += mul(
        this.sum(account, ccy, 'cross', (p) => this.notional(p)),
        price,
      );
      all.ordFroz += mul(frozenOf(account, ccy), price);
    }
    return all;
  }

  /** Liquidation price of a position taken alone; zero: none. Good enough for display. */
  liquidationPrice(account: Account, position: Position): Dec {
    const unit = unitOf(this.#market.of(position.instId).spec);
    const money =
      position.mgnMode === 'isolated'
        ? position.margin
        : this.equity(account, position.ccy) -
          this.isolatedEquity(account, position.ccy) -
          this.upl(position);
    const price = div(position.cost + div(this.mmr(position) - money, unit), position.amount);
    return price > ZERO ? price : ZERO;
  }
}

export function currenciesOf(account: Account): string[] {
  const all = new Set(account.wallet.keys());
  for (const position of account.positions.values()) if (position.amount !== ZERO) all.add(position.ccy);
  return [...all];
}

const positive = (value: Dec): Dec => (value > ZERO ? value : ZERO);

/**
 * Applies a trade to a position, in contracts; returns the realized profit in `ccy`, and as the second figure
 * the change of the wallet: isolated positions exchange money with the wallet at each trade (profit
 * included).
 */
export function movePosition(
  position: Position,
  change: Dec,
  price: Dec,
  unit: Dec,
  lever: Dec,
): { realized: Dec; toWallet: Dec } {
  const before = position.amount;
  const closes = before !== ZERO && before > ZERO !== change > ZERO;
  const closed = closes ? minDec(sizeOf(change), sizeOf(before)) : ZERO;
  const isIsolated = position.mgnMode === 'isolated';
  let realized = ZERO;
  let toWallet = ZERO;
  if (closed > ZERO) {
    const isAll = closed === sizeOf(before);
    const signed = before > ZERO ? closed : -closed;
    const cost = isAll ? position.cost : div(mul(position.cost, signed), before);
    realized = floor10(mul(mul(signed, price) - cost, unit));
    position.cost -= cost;
    position.closed += closed;
    position.closedValue += mul(closed, price);
    const freed = isAll ? position.margin : floor10(div(mul(position.margin, closed), sizeOf(before)));
    position.margin -= freed;
    toWallet += realized + freed;
  }
  const opened = sizeOf(change) - closed;
  position.amount += change;
  if (opened > ZERO) {
    position.cost += mul(change > ZERO ? opened : -opened, price);
    if (isIsolated) {
      const margin = floor10(div(mul(mul(opened, price), unit), lever));
      position.margin += margin;
      toWallet -= margin;
    }
  }
  if (position.amount === ZERO) position.cost = ZERO;
  else position.entry = entryOf(position);
  if (sizeOf(position.amount) > position.most) position.most = sizeOf(position.amount);
  return { realized, toWallet };
}
