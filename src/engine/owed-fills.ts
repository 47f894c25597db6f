/**
 * Executions that an exchange counts and has not told: its order's state was heard, the executions got lost or are late. They
 * are asked for. Of an order that has ended there, what no answer tells is booked as one execution that is inferred from the
 * exchange's own sums, so that neither the order nor what it has done to the account is forgotten.
 */
import { type Dec, dec, div, str, ZERO } from '../domain/decimal.ts';
import { ENDS, type ExchangeFill, type ExchangeOrderState } from '../domain/exchange.ts';
import type { FillRecord, OrderRecord } from '../domain/order.ts';
import { backOff } from './back-off.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** How long an execution may come after the state that counts it before it is asked for: they are told on different lines. */
export const FILL_WAIT_MS = 1_000;
/** An execution is inferred after so many answers without it, over at least so long: a replica that lags has caught up by then. */
export const FILL_ANSWERS = 5;
export const FILL_ANSWERS_MS = 60_000;

/** What counts executions that are not here. Times are monotonic. */
export interface OwedFills {
  state: ExchangeOrderState;
  /** The next question. */
  askAt: number;
  /** Questions so far. */
  asked: number;
  /** Answers without them, and when the first of those came. */
  answers: number;
  firstAt: number;
}

/** The state counts more executions than are known. */
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

/** Monotonic time of the next question; Infinity without one. */
export function owedDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.owedFills.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** It is being asked about. */
export function onOwedAsked(step: StepContext, { id }: OrderRecord): void {
  const owed = step.memory.owedFills.get(id);
  if (!owed) return;
  owed.askAt = step.now.mono + backOff(owed.asked);
  owed.asked += 1;
}

/**
 * An answer has been applied, and executions are still owed. What is to be booked in their place once that is all there is to
 * learn, else null.
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

/** One execution for all that a state counts beyond what is known; null when that is nothing, or no price can be told. */
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

/** Told late, after it was inferred: it is in the sums already. */
export function isToldLate(order: OrderRecord, fills: readonly FillRecord[]): boolean {
  return order.endedAt !== undefined && fills.some(({ inferred }) => inferred);
}

/** By the exchange's own sum where it tells one; else the order's limit, else the last price. */
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
