/**
 * Cancels that one request asks for: where everything that may be open of a symbol at an exchange is cancelled in one step, the
 * exchange is asked once for all of it. Never takes in an order that was not chosen, nor one that somebody may place meanwhile.
 * What becomes of each order is told by its own answer, as of a single cancel. engine.md, "Submission".
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
 * Cancels what a cancel brings with it, in the same step. Each is asked for by a command of its own as well, which is answered
 * and which says what cannot be done.
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

/** Puts one request in the place of the cancels of a step, symbol by symbol, where it asks for the same. */
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

/** Nothing of the symbol may be open there that is not cancelled, as far as anybody can know. */
function isAllThere(
  { memory }: StepContext,
  extension: EngineExtension | null,
  cancels: readonly Cancel[],
): boolean {
  const { exchange = '', symbol } = cancels[0] ?? {};
  const { link } = memory.account(exchange);
  // What others have placed since may be unknown here.
  if (!link.up || link.gap) return false;
  const chosen = new Set(cancels.map(({ orderId }) => orderId));
  const others = [...memory.orders.values()].filter(
    (order) => order.exchange === exchange && order.symbol === symbol && isThere(order),
  );
  // A run that goes on may place anew while the request is on its way.
  return others.every((order) =>
    chosen.has(order.id) ? !extension?.claim(order) : order.cancel !== undefined && order.phase === 'live',
  );
}

/** Perhaps open at its exchange. */
function isThere(order: OrderRecord): boolean {
  return mayBeOpen(order) && order.phase !== 'held' && order.phase !== 'waiting';
}
