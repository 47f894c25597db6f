/**
 * Changing an open order: one that is held here at once, one that rests at its exchange by one request, or by
 * a replacement order (`replace.ts`). The intent is stored before the request leaves; until the outcome is
 * known the larger of before and after counts, for money and for guards. The same change is never requested
 * twice.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { maxDec, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { OrderChange } from '../domain/exchange.ts';
import { SEND_WITHIN_MS, type SendTerms } from '../domain/lane.ts';
import type { OrderRecord } from '../domain/order.ts';
import { awayRefusal } from './accounts.ts';
import { type AmendPlan, planAmend } from './amend-checks.ts';
import { reserveForChange, restAt } from './amend-state.ts';
import { findOrder } from './commands.ts';
import { entryRefusal } from './entries.ts';
import type { EngineExtension } from './extension.ts';
import { answer, wait } from './idempotency.ts';
import { setEndDate } from './lifecycle.ts';
import type { Waiter } from './memory.ts';
import { closedToEntries } from './permissions.ts';
import { changeAnew } from './replace.ts';
import type { EngineEvent, OrderCommand } from './step.ts';
import type { StepContext } from './step-context.ts';
import { waitsForReading } from './unread.ts';
import { orderOf } from './views.ts';

type CommandEvent = Extract<EngineEvent, { type: 'command' }>;

export function amend(
  step: StepContext,
  { actor, retryAfterMs, entropy }: Pick<CommandEvent, 'actor' | 'retryAfterMs' | 'entropy'>,
  command: Extract<OrderCommand, { type: 'amend' }>,
  waiter: Waiter,
  extension: EngineExtension | null,
): Outcome<unknown> | null {
  const found = findOrder(step, actor, command.exchange, command.id);
  if (!found.ok) return found;
  const order = found.data;
  if (order.change) {
    const text = `order ${order.id} is being changed already; try again when it is known what came of that`;
    return refuse('CONFLICT', text);
  }
  const away = order.phase === 'held' ? null : awayRefusal(step.memory, order.exchange);
  if (away) return away;
  const { problems, plan } = planAmend(step.memory, order, command, extension, step.now);
  const asksMore = plan && (!plan.isLess || plan.route === 'anew');
  const unable = asksMore ? unableNow(step, actor, order, plan, retryAfterMs) : null;
  if (unable) return unable;
  if (!plan || problems.length > 0) {
    const message = problems.map((problem) => problem.message).join('; ');
    return refuse('INVALID_REQUEST', message, problems[0]?.reason);
  }
  const text = wordsOf(plan);
  if (text === '') {
    answer(step, waiter, ok(orderOf(order)));
    return null;
  }
  step.logAsked(actor, order, `change to ${text}`);
  if (plan.route === 'anew') {
    const { to, stopPrice, goodTillDate } = plan;
    const change = {
      ...to,
      ...(stopPrice === undefined ? {} : { stopPrice }),
      ...(goodTillDate === undefined ? {} : { goodTillDate }),
    };
    wait(step, waiter, order.id);
    changeAnew(step, order, change, { actor, by: actorLabel(actor), text, entropy });
    return null;
  }
  if (plan.isEntry) step.memory.account(order.exchange).guards?.sent.push(step.now.mono);
  if (plan.route === 'here') {
    changeHere(step, order, plan, `changed to ${text}, asked by ${actorLabel(actor)}`);
    answer(step, waiter, ok(orderOf(order)));
  } else {
    sendChange(step, order, plan, actorLabel(actor), text);
    wait(step, waiter, order.id);
  }
  return null;
}

/** Refuses a change that may need more of the account until the account can take an entry (S59, S61). */
function unableNow(
  step: StepContext,
  actor: Actor,
  order: OrderRecord,
  { isEntry, to, route }: AmendPlan,
  retryAfterMs: number | undefined,
): Outcome<unknown> | null {
  const { memory } = step;
  const account = memory.account(order.exchange);
  // Its present size already counts among the orders that would close.
  const grows = maxDec(restAt(order, to.quantity) - restAt(order), ZERO);
  const asked = { ...order, quantity: isEntry ? str(grows) : '0' };
  // A replacement order is sent, which must not wait for long after this one is cancelled.
  if (route === 'anew' && !account.link.up) return refuse('SERVICE_UNAVAILABLE', awayText(order.exchange));
  const refused = waitsForReading(account, order) ?? closedToEntries(memory, account, asked);
  if (refused) return refused;
  const error = order.phase === 'held' ? null : entryRefusal(memory, actor, asked, retryAfterMs);
  return error && { ok: false, error };
}

function awayText(exchange: string): string {
  return `the connection to ${exchange} is down; nothing was changed, try again when it is up`;
}

/** Applies a change that does not concern the exchange. */
function changeHere(step: StepContext, order: OrderRecord, plan: AmendPlan, text: string): void {
  const { memory } = step;
  const { to, stopPrice, goodTillDate, lock } = plan;
  if (to.price !== undefined) order.price = to.price;
  if (to.quantity !== undefined) order.origQty = to.quantity;
  if (stopPrice !== undefined) order.stopPrice = stopPrice;
  if (goodTillDate !== undefined) setEndDate(step, order, goodTillDate);
  if (order.phase === 'held') {
    memory.releaseLock(order);
    if (lock) memory.setLock(order, lock.asset, str(lock.amount));
    // Its condition must be met again before it fires.
    memory.deferred.delete(order.id);
  }
  step.touch(order);
  step.event(order, 'amended', text);
  step.publish(order, 'ORDER_UPDATE');
}

function sendChange(step: StepContext, order: OrderRecord, plan: AmendPlan, by: string, text: string): void {
  const { to, goodTillDate } = plan;
  order.changes = (order.changes ?? 0) + 1;
  order.change = {
    n: order.changes,
    to,
    by,
    state: 'sent',
    asked: 0,
    ...(goodTillDate === undefined ? {} : { goodTillDate }),
  };
  reserveForChange(step, order);
  step.touch(order);
  step.event(order, 'amend-sent', `change to ${text} sent to ${order.exchange}, asked by ${by}`);
  step.effect({
    kind: 'amend',
    n: order.changes,
    to: { ...to, known: knownOf(order) },
    terms: termsOf(plan),
    ...step.memory.atExchange(order),
  });
}

function knownOf({ side, price, origQty }: OrderRecord): NonNullable<OrderChange['known']> {
  return { side, quantity: origQty, ...(price === undefined ? {} : { price }) };
}

/**
 * Returns the send terms: a change that adds no risk waits for its turn without limit; any other one has a
 * client waiting for the response.
 */
function termsOf({ isEntry, isLess }: AmendPlan): SendTerms {
  if (isEntry) return { lane: 'entry', waitMs: SEND_WITHIN_MS };
  return { lane: isLess ? 'cancel' : 'exit', waitMs: null };
}

/** Describes the change; empty: there is none. */
function wordsOf({ to, stopPrice, goodTillDate }: AmendPlan): string {
  return [
    ...(to.quantity === undefined ? [] : [to.quantity]),
    ...(to.price === undefined ? [] : [`at ${to.price}`]),
    ...(stopPrice === undefined ? [] : [`stop ${stopPrice}`]),
    ...(goodTillDate === undefined ? [] : [`good till ${goodTillDate}`]),
  ].join(', ');
}
