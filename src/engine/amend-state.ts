/**
 * A change of a resting order while it is not known what came of it: whether a state of the exchange shows that it was made, what
 * is kept back for it, when it is asked about. Until it is known the order may be either, so the larger of the two counts.
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

/** Of a change whose answer got lost. Monotonic times. */
export interface ChangeWatch {
  /** The next question. */
  askAt: number;
  /** An answer to a question from then on that shows no change proves that none comes any more. */
  readonly settlesAt: number;
}

/** The exchange has the order as it was to be. `price`: as it tells it; what it does not tell it does not show. */
export function isMade({ to }: ChangeState, origQty: string, price: string | undefined): boolean {
  if (to.quantity !== undefined && dec(origQty) !== dec(to.quantity)) return false;
  if (to.price === undefined) return true;
  return price !== undefined && dec(price) === dec(to.price);
}

/** A state of this form can show that it was not made. */
export function tellsOf({ to }: ChangeState, { terms }: ExchangeOrderState): boolean {
  return to.price === undefined || terms?.price !== undefined;
}

/** It is known what came of it: nothing is kept for it any more. Gives it; undefined: there was none. */
export function endChange(step: StepContext, order: OrderRecord): ChangeState | undefined {
  const { change } = order;
  if (!change) return undefined;
  order.change = undefined;
  step.memory.changeWatch.delete(order.id);
  step.memory.releaseLock(order);
  step.touch(order);
  return change;
}

/** Keeps back what the order may need beyond what it holds at its exchange: anew when some of it has been executed. */
export function reserveForChange({ memory }: Pick<StepContext, 'memory'>, order: OrderRecord): void {
  if (!order.change) return;
  const extra = changeNeeds(memory, order, order.change.to);
  memory.releaseLock(order);
  if (extra && extra.amount > ZERO) memory.setLock(order, extra.asset, str(extra.amount));
}

/** What the order would lock beyond what it locks now; below zero: it gives back. Null: its symbol is not known. */
export function changeNeeds(
  memory: EngineMemory,
  order: OrderRecord,
  to: OrderChange & Pick<Amendment, 'stopPrice'>,
): OrderLock | null {
  const before = wholeLock(memory, order, {});
  const after = wholeLock(memory, order, to);
  return before && after && { asset: after.asset, amount: after.amount - before.amount };
}

/** What is left of the order locks, once it is changed. `price`: of one without a limit. */
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

/** What would be left to execute of it. */
export function restAt({ origQty, executedQty }: OrderRecord, quantity = origQty): Dec {
  return maxDec(dec(quantity) - dec(executedQty), ZERO);
}

/** Monotonic time of the next question about it; Infinity without one. */
export function changeDueAt(memory: EngineMemory, { id, change }: OrderRecord): number {
  if (change?.state !== 'unknown') return Number.POSITIVE_INFINITY;
  return memory.changeWatch.get(id)?.askAt ?? 0;
}

/** It is being asked about. The question that settles it comes right when "not changed" begins to count. */
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
