/**
 * Changing an order that its exchange cannot change in place: a plan like a split into one part. The order is
 * cancelled, and the unfilled rest is placed as one new order, whose id is fixed with the plan, so a restart
 * resumes it without placing it twice. The two never rest at the same time, and never is more executed than
 * the change leaves.
 */
import type { Actor } from '../domain/actor.ts';
import { type Dec, dec, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import type { Amendment, OrderRecord, SplitPlan } from '../domain/order.ts';
import { restAt, wholeLock } from './amend-state.ts';
import { creatorOf, userShortId } from './commands.ts';
import { endGuarded, passGuards } from './guards.ts';
import { cancelOrder } from './held.ts';
import { send } from './lifecycle.ts';
import type { EngineMemory } from './memory.ts';
import { orderId } from './order-ids.ts';
import type { OrderLock } from './order-lock.ts';
import { reducible } from './positions.ts';
import { hasTriggered, isMet, leftProblem, typeAnew } from './replace-checks.ts';
import { endPlan } from './split-plan.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

/** How long a change of this kind keeps its request waiting, as a split does (S36). */
const CHANGE_WAIT_MS = 10_000;

/**
 * Begins the change: the plan is stored, the cancel follows it. `text`: the change in words; `entropy`: for
 * the new order's id.
 */
export function changeAnew(
  step: StepContext,
  order: OrderRecord,
  change: Amendment,
  asked: { readonly actor: Actor; readonly by: string; readonly text: string; readonly entropy: string },
): void {
  const { memory, now } = step;
  const { caps } = memory.account(order.exchange);
  const { actor, by, text, entropy } = asked;
  const isRuns = order.creator === 'BOT';
  const plan: SplitPlan = {
    id: order.id,
    user: order.user,
    exchange: order.exchange,
    prices: [],
    change,
    ...(hasTriggered(order) ? { triggered: true as const } : {}),
    stage: 'cancelling',
    children: [orderId(caps.idPrefix, memory.desk.id, now.wall, entropy, 0)],
    startedAt: now.wall,
    // Its run has ended: the order then belongs to whoever changes it.
    creator: isRuns ? creatorOf(actor) : order.creator,
    creatorId: isRuns ? userShortId(actor.user) : order.creatorId,
  };
  memory.splits.set(plan.id, plan);
  memory.splitReleaseAt.set(plan.id, now.mono + CHANGE_WAIT_MS);
  step.row({ kind: 'split', plan });
  const how = `${order.exchange} does not make it in its place: it is cancelled, and what is left placed anew`;
  step.event(order, 'amend-sent', `change to ${text}, asked by ${by}; ${how}`);
  keepMore(step, order, change);
  cancelOrder(step, order, by, 'cancelled for the change', { forSplit: true, forChange: true });
}

/** Locks what the new order needs beyond the old one's lock, so that nobody else spends it meanwhile. */
function keepMore(step: StepContext, order: OrderRecord, change: Amendment): void {
  const { memory } = step;
  const before = wholeLock(memory, order, {});
  const after = wholeLock(memory, order, change);
  if (!before || !after || after.amount <= before.amount) return;
  // An order that fills at once has a lock of its own until it is filled.
  const own = order.lock ? dec(order.lock.amount) : ZERO;
  memory.releaseLock(order);
  memory.setLock(order, after.asset, str(own + after.amount - before.amount));
}

/** Returns what the new order locks, considering the executions so far; null: its symbol is not known. */
export function lockAnew(memory: EngineMemory, order: OrderRecord, change: Amendment): OrderLock | null {
  return wholeLock(memory, order, change);
}

/**
 * Continues after the order of a plan has ended: places its rest in the changed form, or ends the plan when
 * nothing is left.
 */
export function placeAnew(step: StepContext, order: OrderRecord, plan: SplitPlan, change: Amendment): void {
  const rest = restAt(order, change.quantity);
  const why = endedWhy(step, order, rest, change);
  if (why !== null) {
    step.event(order, 'amend-refused', `not changed: ${why}`);
    endPlan(step, plan, refuse('CONFLICT', why));
    return;
  }
  plan.stage = 'placing';
  step.row({ kind: 'split', plan });
  const next = successorOf(step, order, plan, change, rest);
  const lock = lockAnew(step.memory, order, change);
  step.memory.addOrder(next, []);
  if (lock) step.memory.setLock(next, lock.asset, str(lock.amount));
  order.replacedBy = next.id;
  step.touch(order);
  step.touch(next);
  step.event(next, 'created', `in place of ${order.id}, which was to be changed: ${wordsOf(next)}`);
  step.publish(next, 'ORDER_CREATE');
  // Executions meanwhile may have left too little, and other orders may have been placed.
  const bad = leftProblem(step.memory, next);
  if (bad) step.move(next, 'ERROR', 'done', 'rejected', bad.message);
  else {
    const guarded = passGuards(step, next, { byHand: true });
    if (guarded) endGuarded(step, next, guarded);
    else {
      send(step, next);
      step.event(next, 'sent', `sent to ${next.exchange}`);
    }
  }
}

/**
 * Returns the response to the request. The old order is cancelled by then: where the new one is refused, the
 * text says so.
 */
export function placedAnew(plan: SplitPlan, next: OrderRecord | undefined): Outcome<unknown> {
  if (!next) return refuse('NOT_FOUND', `the order in place of ${plan.id} is no longer known`);
  if (next.status !== 'ERROR') return ok(orderOf(next));
  const text = `order ${plan.id} is cancelled, and the one in its place was not taken: ${next.text ?? next.exchange}`;
  return refuse('INVALID_REQUEST', text, 'VENUE');
}

/** Returns why nothing is placed; null: the new order is placed. */
function endedWhy(step: StepContext, order: OrderRecord, rest: Dec, change: Amendment): string | null {
  const { id, status, executedQty, closePosition } = order;
  if (status !== 'CANCELLED') return `order ${id} ended as ${status} before it could be changed`;
  if (!closePosition && rest <= ZERO)
    return `order ${id} had executed ${executedQty} when it was cancelled: nothing is left to be placed`;
  const until = change.goodTillDate ?? order.goodTillDate;
  return until !== undefined && until <= step.now.market ? 'cancelled meanwhile' : null;
}

function successorOf(
  step: StepContext,
  from: OrderRecord,
  plan: SplitPlan,
  change: Amendment,
  rest: Dec,
): OrderRecord {
  const account = step.memory.account(from.exchange);
  const price = change.price ?? from.price;
  const stop = change.stopPrice ?? from.stopPrice;
  // A stop whose trigger is met by now would be refused, and the position must not stay unprotected.
  const fires = plan.triggered === true || (stop !== undefined && isMet(account, from, stop));
  const type = typeAnew(from, fires);
  const stopPrice = fires ? undefined : stop;
  const goodTillDate = change.goodTillDate ?? from.goodTillDate;
  const { icebergQty } = from;
  return {
    id: plan.children[0] ?? '',
    user: from.user,
    exchange: from.exchange,
    symbol: from.symbol,
    side: from.side,
    type,
    status: 'NEW',
    phase: 'sending',
    positionSide: from.positionSide,
    ...(price === undefined ? {} : { price }),
    ...(stopPrice === undefined ? {} : { stopPrice }),
    origQty: str(from.closePosition && account.futures ? wholeOf(account.futures, from) : rest),
    executedQty: '0',
    quoteQty: '0',
    timeInForce: from.timeInForce,
    ...(goodTillDate === undefined ? {} : { goodTillDate }),
    ...(icebergQty !== undefined && dec(icebergQty) < rest ? { icebergQty } : {}),
    reduceOnly: from.reduceOnly,
    closePosition: from.closePosition,
    workingType: from.workingType,
    isContract: from.isContract,
    isWorking: false,
    // An order that was fired here is a plain order by now: only its end date is still watched here.
    emulated: from.emulated && from.timeInForce === 'GTD',
    creator: plan.creator,
    creatorId: plan.creatorId,
    metadata: from.metadata,
    orderTime: step.now.market,
    createdAt: step.now.wall,
    updatedAt: step.now.wall,
    replaces: from.id,
    seq: 0,
  };
}

/** Returns the quantity of an order that closes a position: the position's size. */
function wholeOf(futures: Parameters<typeof reducible>[0], { symbol, side, positionSide }: OrderRecord): Dec {
  return reducible(futures, symbol, side, positionSide);
}

function wordsOf({ side, type, origQty, symbol, price, stopPrice }: OrderRecord): string {
  const at = price === undefined ? '' : ` at ${price}`;
  return `${side} ${type} ${origQty} ${symbol}${at}${stopPrice === undefined ? '' : `, stop ${stopPrice}`}`;
}
