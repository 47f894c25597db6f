/**
 * Several cancels in one request: where every order that may be open in a symbol at an exchange is cancelled
 * in one step, a single request asks for all of them. It never includes an order that was not chosen, nor one
 * that somebody may place meanwhile. Each order's own response tells its outcome, as for a single cancel.
 * engine.md, "Submission".
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { marketKey } from '../domain/exchange.ts';
import { mayBeOpen, type OrderRecord, TERMINAL } from '../domain/order.ts';
import { findOrder } from './commands.ts';
import type { EngineExtension } from './extension.ts';
import { cancelOrder } from './held.ts';
import type { Effect, OrderCommand } from './step.ts';
import type { StepContext } from './step-context.ts';

type Cancel = Extract<Effect, { kind: 'cancel' }>;

/**
 * Cancels the orders that a cancel command names beside its own, in the same step. Each also has a command of
 * its own, which is answered and which reports errors.
 */
export function cancelBrought(
  step: StepContext,
  actor: Actor,
  { exchange, with: ids = [], keep }: Extract<OrderCommand, { type: 'cancel' }>,
): void {
  const by = actorLabel(actor);
  for (const id of ids) {
    const found = findOrder(step, actor, exchange, id);
    if (!found.ok || TERMINAL.has(found.data.status) || step.memory.account(exchange).absent) continue;
    const order = found.data;
    if (!order.cancel || order.cancel.forSplit) step.logAsked(actor, order, 'cancel');
    cancelOrder(step, order, by, `cancelled by ${by}`, keep ? { keep } : {});
  }
}

/** Replaces the cancels of a step, symbol by symbol, by one request where that has the same effect. */
export function joinCancels(step: StepContext, extension: EngineExtension | null): void {
  const groups = new Map<string, Cancel[]>();
  for (const effect of step.effects) {
    if (effect.kind !== 'cancel') continue;
    const key = marketKey(effect.exchange, effect.symbol);
    groups.set(key, [...(groups.get(key) ?? []), effect]);
  }
  for (const cancels of groups.values()) {
    const [first] = cancels;
    if (!first || cancels.length < 2 || !isAllThere(step, extension, cancels)) continue;
    const { exchange, symbol } = first;
    const orders = cancels.map(({ kind: _, ...order }) => order);
    step.effects[step.effects.indexOf(first)] = { kind: 'cancel-all', exchange, symbol, orders };
    const joined = new Set<Effect>(cancels);
    const rest = step.effects.filter((effect) => !joined.has(effect));
    step.effects.splice(0, step.effects.length, ...rest);
  }
}

/** Returns whether, as far as can be known, every order open in the symbol is being cancelled. */
function isAllThere(
  { memory }: StepContext,
  extension: EngineExtension | null,
  cancels: readonly Cancel[],
): boolean {
  const { exchange = '', symbol } = cancels[0] ?? {};
  const { link } = memory.account(exchange);
  // Orders that others have placed since may be unknown here.
  if (!link.up || link.gap) return false;
  const chosen = new Set(cancels.map(({ orderId }) => orderId));
  const others = [...memory.orders.values()].filter(
    (order) => order.exchange === exchange && order.symbol === symbol && isThere(order),
  );
  // An active run may place new orders while the request is on its way.
  return others.every((order) =>
    chosen.has(order.id) ? !extension?.claim(order) : order.cancel !== undefined && order.phase === 'live',
  );
}

/** Returns whether the order may be open at its exchange. */
function isThere(order: OrderRecord): boolean {
  return mayBeOpen(order) && order.phase !== 'held' && order.phase !== 'waiting';
}
