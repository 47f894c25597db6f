/**
 * Compares the open orders of the exchange with those known here: for every order that differs one query is
 * sent.
 */
import { dec } from '../domain/decimal.ts';
import { type ExchangeOrderState, namesOf } from '../domain/exchange.ts';
import { isContradicted, type OrderRecord, TERMINAL } from '../domain/order.ts';
import { isListedAfterEnd, stateAfterEnd } from './contradictions.ts';
import { adoptByState } from './external.ts';
import { applyState } from './lifecycle.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

export function compareOpen(
  step: StepContext,
  { exchange, open, askedAt }: Extract<EngineEvent, { type: 'reconciled' }>,
): void {
  const { memory } = step;
  const { ledger } = memory.account(exchange).wallet;
  ledger?.asking.delete(exchange);
  const ask = (order: OrderRecord) => {
    step.effect({ kind: 'query', ...memory.atExchange(order) });
    ledger?.asking.add(exchange);
  };
  const there = new Map<string, ExchangeOrderState>();
  for (const state of open) {
    const order = memory.orderAt(exchange, namesOf(state)) ?? adoptByState(step, exchange, state);
    if (order) there.set(order.id, state);
    else {
      const text = `${exchange} has an open order ${state.clientId} that is not ours`;
      step.effect({ kind: 'log', level: 'warn', text });
    }
  }
  for (const order of [...memory.orders.values()]) {
    if (order.exchange !== exchange) continue;
    const state = there.get(order.id);
    if (TERMINAL.has(order.status)) {
      if (state) stateAfterEnd(step, order, state, isListedAfterEnd(memory, order, askedAt));
      else if (isContradicted(order)) ask(order);
      continue;
    }
    if (order.phase !== 'live' && order.phase !== 'unresolved') continue;
    if (state) applyState(step, order, state, true);
    const filled = state !== undefined && dec(state.cumQty) > dec(order.executedQty);
    if ((!state && order.phase === 'live') || filled) ask(order);
  }
}
