/**
 * Executions that an exchange counts in an order's state but has not reported: they got lost or are late.
 * They are queried. For an order that has ended there, executions that no response contains are booked as one
 * execution inferred from the exchange's own sums, so that neither the order nor its effect on the account is
 * lost.
 */
import { type Dec, dec, div, str, ZERO } from '../domain/decimal.ts';
import { ENDS, type ExchangeFill, type ExchangeOrderState } from '../domain/exchange.ts';
import type { OrderRecord } from '../domain/order.ts';
import { backOff } from './back-off.ts';
import type { EngineMemory } from './memory.ts';
import type { OrderFills } from './order-fills.ts';
import type { StepContext } from './step-context.ts';

/**
 * How long to wait for an execution after the state that counts it before querying, ms: they arrive on
 * different streams.
 */
export const FILL_WAIT_MS = 1_000;
/**
 * Number of responses without the execution, over at least the time below, after which it is inferred: a
 * lagging replica has caught up by then.
 */
export const FILL_ANSWERS = 5;
export const FILL_ANSWERS_MS = 60_000;

/** A state that counts executions which are missing here. Times are monotonic. */
export interface OwedFills {
  state: ExchangeOrderState;
  /** Time of the next query. */
  askAt: number;
  /** Number of queries so far. */
  asked: number;
  /** Number of responses without them, and the time of the first one. */
  answers: number;
  firstAt: number;
}

/** Notes that the state counts more executions than are known. */
export function oweFills(step: StepContext, order: OrderRecord, state: ExchangeOrderState): void {
  const owed = step.memory.owedFills.get(order.id);
  if (owed) {
    const isEnd = ENDS.has(state.status);
    if (isEnd || (!ENDS.has(owed.state.status) && dec(state.cumQty) > dec(owed.state.cumQty)))
      owed.state = state;
    return;
  }
  const askAt = step.now.mono + FILL_WAIT_MS;
  step.memory.owedFills.set(order.id, { state, askAt, asked: 0, answers: 0, firstAt: 0 });
  step.memory.attention.add(order.id);
}

/** Returns the monotonic time of the next query; Infinity without one. */
export function owedDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.owedFills.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** Notes that a query is being sent. */
export function onOwedAsked(step: StepContext, { id }: OrderRecord): void {
  const owed = step.memory.owedFills.get(id);
  if (!owed) return;
  owed.askAt = step.now.mono + backOff(owed.asked);
  owed.asked += 1;
}

/**
 * After a response was applied and executions are still owed: returns the execution to book in their place
 * once nothing more can be learned, else null.
 */
export function inferredFill(step: StepContext, order: OrderRecord): ExchangeFill | null {
  const owed = step.memory.owedFills.get(order.id);
  if (!owed) return null;
  if (owed.answers === 0) owed.firstAt = step.now.mono;
  owed.answers += 1;
  if (!ENDS.has(owed.state.status)) return null;
  if (owed.answers < FILL_ANSWERS || step.now.mono - owed.firstAt < FILL_ANSWERS_MS) return null;
  return inferFill(step.memory, order, owed.state);
}

/**
 * Returns one execution for all that a state counts beyond the known ones; null when there is none, or no
 * price is known.
 */
export function inferFill(
  memory: EngineMemory,
  order: OrderRecord,
  state: ExchangeOrderState,
): ExchangeFill | null {
  const qty = dec(state.cumQty) - dec(order.executedQty);
  if (qty <= ZERO) return null;
  const price = priceOf(memory, order, state, qty);
  if (price === null) return null;
  return {
    tradeId: `inferred-${state.cumQty}`,
    clientId: state.clientId,
    symbol: order.symbol,
    side: order.side,
    price: str(price),
    qty: str(qty),
    comm: '0',
    commAsset: '',
    maker: false,
    rPnl: null,
    posSide: order.positionSide,
    time: state.time,
    inferred: true,
  };
}

/** Returns whether the execution arrives after it was inferred: the sums include it already. */
export function isToldLate(order: OrderRecord, fills: OrderFills): boolean {
  return order.endedAt !== undefined && fills.hasInferred;
}

/**
 * Returns the price from the exchange's own sum where it has one; else the order's limit, else the last
 * price.
 */
function priceOf(
  memory: EngineMemory,
  order: OrderRecord,
  { quoteQty }: ExchangeOrderState,
  qty: Dec,
): Dec | null {
  if (quoteQty !== undefined) {
    const paid = dec(quoteQty) - dec(order.quoteQty);
    if (paid > ZERO) return div(paid, qty);
  }
  if (order.price !== undefined) return dec(order.price);
  const { market } = memory.account(order.exchange);
  const executed = dec(order.executedQty);
  if (executed > ZERO) return div(dec(order.quoteQty), executed);
  return market.prices.get(order.symbol) ?? (order.stopPrice === undefined ? null : dec(order.stopPrice));
}
