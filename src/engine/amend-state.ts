/**
 * A change of a resting order whose outcome is unknown: whether a state of the exchange proves that it was
 * made, what is reserved for it, when it is queried. Until the outcome is known the order may have either
 * form, so the larger one counts.
 */
import { type Dec, dec, maxDec, str, ZERO } from '../domain/decimal.ts';
import type { ExchangeOrderState, OrderChange } from '../domain/exchange.ts';
import type { Amendment, ChangeState, OrderRecord } from '../domain/order.ts';
import { backOff } from './back-off.ts';
import { isClosing } from './closing.ts';
import type { EngineMemory } from './memory.ts';
import { lockOf, type OrderLock } from './order-lock.ts';
import { surelyReducible } from './positions.ts';
import type { StepContext } from './step-context.ts';

/** A change whose response got lost. Monotonic times. */
export interface ChangeWatch {
  /** Time of the next query. */
  askAt: number;
  /**
   * A response to a query from this time on that shows no change proves that it was not and will not be made.
   */
  readonly settlesAt: number;
}

/**
 * Returns whether the exchange has the order in its changed form. `price`: as the exchange reports it; a
 * missing one is not compared.
 */
export function isMade({ to }: ChangeState, origQty: string, price: string | undefined): boolean {
  if (to.quantity !== undefined && dec(origQty) !== dec(to.quantity)) return false;
  if (to.price === undefined) return true;
  return price !== undefined && dec(price) === dec(to.price);
}

/** Returns whether a state with these fields can prove that the change was not made. */
export function tellsOf({ to }: ChangeState, { terms }: ExchangeOrderState): boolean {
  return to.price === undefined || terms?.price !== undefined;
}

/**
 * Ends a change whose outcome is known and releases its reservation. Returns it; undefined: there was none.
 */
export function endChange(step: StepContext, order: OrderRecord): ChangeState | undefined {
  const { change } = order;
  if (!change) return undefined;
  order.change = undefined;
  step.memory.changeWatch.delete(order.id);
  step.memory.releaseLock(order);
  step.touch(order);
  return change;
}

/** Reserves what the order may need beyond its lock at the exchange; computed again after each execution. */
export function reserveForChange({ memory }: Pick<StepContext, 'memory'>, order: OrderRecord): void {
  if (!order.change) return;
  const extra = changeNeeds(memory, order, order.change.to);
  memory.releaseLock(order);
  if (extra && extra.amount > ZERO) memory.setLock(order, extra.asset, str(extra.amount));
}

/**
 * Returns what the order would lock beyond its present lock; negative: it releases some. Null: its symbol is
 * not known.
 */
export function changeNeeds(
  memory: EngineMemory,
  order: OrderRecord,
  to: OrderChange & Pick<Amendment, 'stopPrice'>,
): OrderLock | null {
  const before = wholeLock(memory, order, {});
  const after = wholeLock(memory, order, to);
  return before && after && { asset: after.asset, amount: after.amount - before.amount };
}

/**
 * Returns what the unfilled rest of the order locks after the change. For one without a limit, the stop price
 * counts.
 */
export function wholeLock(
  memory: EngineMemory,
  order: OrderRecord,
  { price, quantity, stopPrice }: OrderChange & Pick<Amendment, 'stopPrice'>,
): OrderLock | null {
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  if (!instrument) return null;
  const { symbol, side, positionSide } = order;
  return lockOf(account, instrument, {
    side,
    positionSide,
    quantity: restAt(order, quantity),
    price: dec(price ?? order.price ?? stopPrice ?? order.stopPrice ?? '0'),
    quoteOrderQty: null,
    closes: isClosing(account, order),
    reducible: surelyReducible(account, symbol, side, positionSide),
  });
}

/** Returns the quantity that would be left to execute. */
export function restAt({ origQty, executedQty }: OrderRecord, quantity = origQty): Dec {
  return maxDec(dec(quantity) - dec(executedQty), ZERO);
}

/** Returns the monotonic time of the next query about the change; Infinity without one. */
export function changeDueAt(memory: EngineMemory, { id, change }: OrderRecord): number {
  if (change?.state !== 'unknown') return Number.POSITIVE_INFINITY;
  return memory.changeWatch.get(id)?.askAt ?? 0;
}

/**
 * Notes that a query is being sent. The query that settles the change is timed for when "not changed" begins
 * to count.
 */
export function onChangeAsked(step: StepContext, order: OrderRecord): void {
  const { change } = order;
  const watch = step.memory.changeWatch.get(order.id);
  if (change?.state !== 'unknown' || !watch) return;
  const next = step.now.mono + backOff(change.asked);
  change.asked += 1;
  watch.askAt = watch.settlesAt > step.now.mono ? Math.min(next, watch.settlesAt) : next;
  change.nextAskAt = step.wallOf(watch.askAt);
  step.touch(order, true);
}
