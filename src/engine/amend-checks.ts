/**
 * Decides whether an order may be changed as requested: lists every objection in words, and the plan when
 * there is none. An order held here is changed here; one that rests at its exchange is changed there, where
 * that exchange can (`caps.amends`), and otherwise replaced by another order. Pure reads.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import type { OrderChange } from '../domain/exchange.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';
import { type Amendment, type OrderRecord, TERMINAL } from '../domain/order.ts';
import { changeNeeds, restAt, wholeLock } from './amend-state.ts';
import { availability } from './balances.ts';
import type { EngineExtension } from './extension.ts';
import { checkPrice, checkQuantity, type Problem } from './filters.ts';
import { type GuardedOrder, guardedOf } from './guard-figures.ts';
import { closesNow, judge } from './guards.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import type { OrderLock } from './order-lock.ts';
import { type AmendRoute, anewProblem, fixedWhy, routeOf, watchedPrice } from './replace-checks.ts';
import { valueProblem } from './small-closes.ts';
import { knowsAsset } from './unread.ts';
import { stopSideProblem } from './validate.ts';

export interface AmendPlan {
  readonly route: AmendRoute;
  /** The new price and quantity, as far as they differ. */
  readonly to: OrderChange;
  /** The new trigger price, as far as it differs; like the end date it is watched by this desk only. */
  readonly stopPrice?: string;
  readonly goodTillDate?: number;
  /**
   * For an order held here, what it will lock; for an order at its exchange, what it needs beyond its present
   * lock.
   */
  readonly lock: OrderLock | null;
  /** The order risks no more than before: no check may refuse that. */
  readonly isLess: boolean;
  /** The order counts among the entries of its account. */
  readonly isEntry: boolean;
}

export interface AmendCheck {
  /** The objections; empty: the change can go. */
  readonly problems: readonly Problem[];
  /** The plan; when there are problems, only as far as the request could be read. */
  readonly plan: AmendPlan | null;
}

/**
 * Checks a change of an order. `extension` decides about its own orders; `mono`: monotonic time, for the
 * guards.
 */
export function planAmend(
  memory: EngineMemory,
  order: OrderRecord,
  wanted: Amendment,
  extension: Pick<EngineExtension, 'claim'> | null,
  now: { readonly market: number; readonly mono?: number },
): AmendCheck {
  const blocked = blockedWhy(memory, order, extension);
  if (blocked !== null) return stopped(blocked);
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n || instrument.delisted)
    return stopped(`symbol ${JSON.stringify(order.symbol)} is no longer traded on ${order.exchange}`);
  const fields = new Fields(account, order, instrument, n);
  const changed = fields.read(wanted, now.market);
  if (fields.problems.length > 0) return { problems: fields.problems, plan: null };
  const plan = planOf(memory, account, order, changed);
  const isAnew = plan.route === 'anew' && !isSame(changed);
  const fixed = isAnew ? fixedWhy(order) : null;
  if (fixed !== null) return stopped(fixed);
  const after = guardedAfter(order, changed);
  // A replacement is one more order to place, however little it risks.
  const passes = plan.isLess && !isAnew;
  const problem =
    (isAnew ? anewProblem(memory, account, order, changed) : fields.worth(memory, changed)) ??
    (passes ? null : coverProblem(account, order, plan)) ??
    (passes ? null : judgeAfter(memory, account, after, now.mono));
  const isEntry = !plan.isLess && !closesNow(memory, account, after);
  return { problems: problem ? [problem] : [], plan: { ...plan, isEntry } };
}

function stopped(message: string): AmendCheck {
  return { problems: [{ field: 'id', message, reason: 'NOT_AMENDABLE' }], plan: null };
}

/** Returns why nobody may change this order now, whatever the change; null: nothing prevents it. */
function blockedWhy(
  memory: EngineMemory,
  order: OrderRecord,
  extension: Pick<EngineExtension, 'claim'> | null,
): string | null {
  const { id, exchange, status, phase, timeInForce } = order;
  if (TERMINAL.has(status)) return `order ${id} is ${status}; only an open order can be changed`;
  if (order.external) return `order ${id} was not placed from this desk; change it where it was placed`;
  const claimed = extension?.claim(order) ?? null;
  if (claimed !== null) return claimed;
  const own = memory.splits.get(id);
  if (own) return `order ${id} is being ${own.change ? 'changed already' : 'split'}`;
  const plan = [...memory.splits.values()].find(({ children }) => children.includes(id));
  const what = plan?.change ? 'the second half of a change' : 'a part of a split';
  if (plan) return `order ${id} is ${what} that goes on; change it when that is through`;
  if (order.cancel) return `order ${id} is being cancelled`;
  if (phase === 'held') return null;
  if (phase !== 'live') return `whether ${exchange} has order ${id} is not known yet; try again when it is`;
  return timeInForce === 'IOC' || timeInForce === 'FOK'
    ? `order ${id} does not rest on the book of ${exchange}; cancel it and place another`
    : null;
}

interface Changed extends OrderChange {
  readonly stopPrice?: string;
  readonly goodTillDate?: number;
}

/** Reads the requested fields one by one; values that equal the present ones are dropped. */
class Fields {
  readonly problems: Problem[] = [];
  readonly #account: AccountMemory;
  readonly #order: OrderRecord;
  readonly #instrument: Instrument;
  readonly #n: InstrumentNumbers;

  constructor(account: AccountMemory, order: OrderRecord, instrument: Instrument, n: InstrumentNumbers) {
    this.#account = account;
    this.#order = order;
    this.#instrument = instrument;
    this.#n = n;
  }

  read(wanted: Amendment, market: number): Changed {
    const { price, quantity, stopPrice, goodTillDate } = wanted;
    if ([price, quantity, stopPrice, goodTillDate].every((one) => one === undefined))
      this.#bad('id', 'nothing is to be changed: give price, quantity, stopPrice or goodTillDate');
    const to = {
      price: this.#price(price),
      quantity: this.#quantity(quantity),
      stopPrice: this.#stop(stopPrice),
    };
    const date = this.#date(goodTillDate, market);
    return {
      ...(to.price === null ? {} : { price: str(to.price) }),
      ...(to.quantity === null ? {} : { quantity: str(to.quantity) }),
      ...(to.stopPrice === null ? {} : { stopPrice: str(to.stopPrice) }),
      ...(date === null ? {} : { goodTillDate: date }),
    };
  }

  /** Checks that the rest of the order is worth enough, and not too much. */
  worth(memory: EngineMemory, { price, quantity, stopPrice }: Changed): Problem | null {
    const order = this.#order;
    if (price === undefined && quantity === undefined && stopPrice === undefined) return null;
    const last = this.#account.market.prices.get(order.symbol);
    const own = price ?? order.price ?? stopPrice ?? order.stopPrice;
    const at = own === undefined ? last : dec(own);
    if (order.closePosition || at === undefined) return null;
    const field = quantity !== undefined ? 'quantity' : price !== undefined ? 'price' : 'stopPrice';
    const size = { field, quantity: restAt(order, quantity), price: at };
    return valueProblem(memory, this.#account, order, size, this.#instrument, this.#n);
  }

  #price(text: string | undefined): Dec | null {
    const { price, type } = this.#order;
    if (text === undefined) return null;
    if (price === undefined)
      return this.#bad('price', `price does not apply to ${type} orders; leave it out`);
    const value = this.#decimal('price', text);
    if (value === null || value === dec(price)) return null;
    return this.#onGrid('price', value);
  }

  #quantity(text: string | undefined): Dec | null {
    if (text === undefined) return null;
    const { closePosition, origQty, executedQty, price } = this.#order;
    if (closePosition)
      return this.#bad('quantity', 'quantity does not apply: the order closes its whole position');
    const value = this.#decimal('quantity', text);
    if (value === null || value === dec(origQty)) return null;
    if (value <= dec(executedQty)) {
      const has = `of which ${executedQty} is executed; cancel the order to end it`;
      return this.#bad('quantity', `quantity ${str(value)} leaves nothing of the order, ${has}`);
    }
    const bad = checkQuantity('quantity', value, this.#instrument, this.#n, price === undefined);
    if (bad) this.problems.push(bad);
    return value;
  }

  #stop(text: string | undefined): Dec | null {
    if (text === undefined) return null;
    const { stopPrice, type, side } = this.#order;
    if (stopPrice === undefined) {
      const what = type === 'STOP_MARKET' ? 'a trailing stop' : `${type} orders`;
      return this.#bad('stopPrice', `stopPrice does not apply to ${what}; leave it out`);
    }
    const value = this.#decimal('stopPrice', text);
    if (value === null || value === dec(stopPrice)) return null;
    const now = watchedPrice(this.#account, this.#order);
    const wrong = now === undefined ? null : stopSideProblem(type, side, value, now);
    if (wrong) this.problems.push(wrong);
    return this.#onGrid('stopPrice', value);
  }

  #date(at: number | undefined, market: number): number | null {
    const order = this.#order;
    if (at === undefined || at === order.goodTillDate) return null;
    const bad = (text: string) => this.#bad('goodTillDate', text);
    if (order.timeInForce !== 'GTD')
      return bad(`goodTillDate goes with timeInForce GTD, not with ${order.timeInForce}`);
    if (!(at > market)) return bad(`goodTillDate ${at} is in the past; market time is ${market}`);
    return at;
  }

  #onGrid(field: string, value: Dec): Dec {
    const last = this.#account.market.prices.get(this.#order.symbol);
    const bad = checkPrice(field, value, this.#instrument, this.#n, last);
    if (bad) this.problems.push(bad);
    return value;
  }

  #decimal(field: string, text: string): Dec | null {
    const shown = JSON.stringify(text.slice(0, 40));
    if (!/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/.test(text))
      return this.#bad(field, `${field} ${shown} is not a decimal such as 0.01 or 61234.56`);
    const value = dec(text);
    return value > ZERO ? value : this.#bad(field, `${field} must be more than zero`);
  }

  #bad(field: string, message: string): null {
    this.problems.push({ field, message, reason: 'FIELD' });
    return null;
  }
}

function planOf(
  memory: EngineMemory,
  account: AccountMemory,
  order: OrderRecord,
  { stopPrice, goodTillDate, ...to }: Changed,
): Omit<AmendPlan, 'isEntry'> {
  const own = to.price ?? order.price ?? stopPrice ?? order.stopPrice;
  const last = account.market.prices.get(order.symbol);
  const price = own ?? (last === undefined ? undefined : str(last));
  const at = { ...(price === undefined ? {} : { price }), quantity: to.quantity ?? order.origQty };
  const stop = stopPrice === undefined ? {} : { stopPrice };
  const date = goodTillDate === undefined ? {} : { goodTillDate };
  return {
    route: routeOf(account, order, { ...to, ...stop, ...date }),
    to,
    ...stop,
    ...date,
    lock:
      order.phase === 'held' ? wholeLock(memory, order, at) : changeNeeds(memory, order, { ...to, ...stop }),
    isLess: isLess(order, to, stopPrice),
  };
}

/** Returns whether nothing would change. */
function isSame(changed: Changed): boolean {
  return Object.keys(changed).length === 0;
}

/**
 * Returns whether the change lowers the risk: neither larger nor worth more, and not bought higher or sold
 * lower; the trigger price does not matter.
 */
function isLess(order: OrderRecord, to: OrderChange, stopPrice: string | undefined): boolean {
  if (stopPrice !== undefined) return false;
  const [before, after] = [restAt(order), restAt(order, to.quantity)];
  if (after > before) return false;
  if (to.price === undefined || order.price === undefined) return true;
  const [was, is] = [dec(order.price), dec(to.price)];
  if (order.side === 'BUY') return is <= was;
  return is >= was && mul(after, is) <= mul(before, was);
}

/**
 * Checks that the additional amount is available. On futures the exchange decides, unless bots reserve
 * something there (S25).
 */
function coverProblem(
  account: AccountMemory,
  order: OrderRecord,
  { lock }: Pick<AmendPlan, 'lock'>,
): Problem | null {
  if (!lock || !knowsAsset(account, lock.asset)) return null;
  const { asset } = lock;
  const held = order.phase === 'held' && order.lock?.asset === asset ? dec(order.lock.amount) : ZERO;
  const more = lock.amount - held;
  const { available, reserved } = availability(account, asset);
  if (more <= available || (account.futures && reserved === ZERO)) return null;
  const bots = reserved > ZERO ? ` (${str(reserved)} reserved by bots)` : '';
  const message = `insufficient balance: the change needs ${str(more)} ${asset} more than the order holds, ${str(available)} ${asset} available${bots}`;
  return { field: 'quantity', message, reason: reserved > ZERO ? 'RESERVED' : 'BALANCE' };
}

function judgeAfter(
  memory: EngineMemory,
  account: AccountMemory,
  after: GuardedOrder,
  mono: number | undefined,
): Problem | null {
  const pace = mono === undefined ? {} : { mono };
  return judge(memory, account, after, { byHand: true, ...pace }).problem;
}

function guardedAfter(order: OrderRecord, { price, quantity, stopPrice }: Changed): GuardedOrder {
  // One that waits at its exchange still has its trigger before it.
  const before = guardedOf(order, order.isWorking);
  return {
    ...before,
    quantity: restAt(order, quantity),
    ...(price === undefined ? {} : { price: dec(price) }),
    ...(stopPrice === undefined ? {} : { trigger: dec(stopPrice) }),
  };
}
