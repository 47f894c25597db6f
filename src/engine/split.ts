/**
 * Splitting a resting limit order, stored as a plan: cancel, wait for the confirmed remainder, then place the parts. Ids of
 * the parts are fixed with the plan, so a restart resumes it without placing one twice. engine.md, submission rule 7; S36.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { type Dec, dec, decOfInt, div, floorTo, mul, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { type OrderRecord, type SplitPlan, TERMINAL } from '../domain/order.ts';
import { answerWaiters, wait } from './answers.ts';
import { creatorOf, findOrder, orderId, userShortId } from './commands.ts';
import { checkNotional, checkPrice, checkQuantity, type Problem } from './filters.ts';
import { cancelOrder } from './held.ts';
import { send } from './lifecycle.ts';
import type { EngineMemory, Waiter } from './memory.ts';
import type { StepContext } from './step-context.ts';
import { orderOf } from './views.ts';

/** How long a split without an idempotency key keeps its request waiting (S36). */
export const SPLIT_WAIT_MS = 10_000;

export function split(
  step: StepContext,
  actor: Actor,
  command: { exchange: string; id: string; prices: readonly string[] },
  entropy: string,
  waiter: Waiter,
): Outcome<unknown> | null {
  const found = findOrder(step, actor, command.exchange, command.id);
  if (!found.ok) return found;
  const order = found.data;
  const problems = splitProblems(step.memory, order, command.prices);
  if (problems.length > 0) return refuse('INVALID_REQUEST', problems.join('; '), 'NOT_SPLITTABLE');
  const { caps } = step.memory.account(order.exchange);
  const plan: SplitPlan = {
    id: order.id,
    user: order.user,
    exchange: order.exchange,
    prices: [...command.prices],
    stage: 'cancelling',
    children: command.prices.map((_, i) => orderId(caps.idPrefix, step.now.wall, entropy, i)),
    startedAt: step.now.wall,
    creator: creatorOf(actor),
    creatorId: actor.kind === 'bot' ? actor.botId : userShortId(actor.user),
  };
  step.memory.splits.set(plan.id, plan);
  step.row({ kind: 'split', plan });
  step.event(
    order,
    'split',
    `split into ${plan.prices.length} at ${plan.prices.join(', ')}, asked by ${actorLabel(actor)}`,
  );
  step.logAsked(actor, order, `split into ${plan.prices.length}`);
  wait(step, waiter, order.id);
  cancelOrder(step, order, actorLabel(actor), 'cancelled for the split');
  return null;
}

/** Everything that stands against the split, in words; empty when it can go. Nothing is cancelled before this is empty. */
export function splitProblems(memory: EngineMemory, order: OrderRecord, prices: readonly string[]): string[] {
  if (TERMINAL.has(order.status))
    return [`order ${order.id} is ${order.status}; only a resting limit order can be split`];
  if (order.type !== 'LIMIT' || order.phase !== 'live' || order.status !== 'OPENED') {
    return [
      `order ${order.id} is not a resting LIMIT order (${order.type}, ${order.status}); only those can be split`,
    ];
  }
  if (order.cancel) return [`order ${order.id} is being cancelled`];
  if (prices.length < 2 || prices.length > 50)
    return [`prices has ${prices.length} entries; 2 to 50 are allowed`];
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n) return [`${order.symbol} is no longer traded on ${order.exchange}`];
  const open = memory.openOn(order.exchange, order.symbol) - 1;
  if (open + prices.length > instrument.maxOrders) {
    return [
      `${prices.length} parts beside ${open} other open orders of ${order.symbol} are too many; at most ${instrument.maxOrders} together`,
    ];
  }
  const parts = splitQuantities(remainder(order), prices.length, n.step);
  const last = memory.prices.get(order.symbol);
  const problems: string[] = [];
  prices.forEach((text, i) => {
    const field = `prices[${i}]`;
    if (!/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/.test(text) || dec(text) === ZERO) {
      problems.push(
        `${field} ${JSON.stringify(text.slice(0, 40))} is not a positive decimal such as 61234.56`,
      );
      return;
    }
    const price = dec(text);
    const part = parts[i] ?? ZERO;
    const bad: Problem | null =
      checkPrice(field, price, instrument, n, last) ??
      checkQuantity(`part ${i + 1}: quantity`, part, instrument, n, false) ??
      checkNotional(`part ${i + 1}: quantity`, part, price, instrument, n);
    if (bad) problems.push(bad.message);
  });
  return problems;
}

/** remainder / n rounded down to the step; the last part takes the rest. */
export function splitQuantities(quantity: Dec, parts: number, step: Dec): Dec[] {
  const each = floorTo(div(quantity, decOfInt(parts)), step);
  const list = new Array<Dec>(parts).fill(each);
  list[parts - 1] = quantity - each * BigInt(parts - 1);
  return list;
}

export function remainder(order: OrderRecord): Dec {
  return dec(order.origQty) - dec(order.executedQty);
}

/** The order of a plan has ended: places the parts of what remains, or ends the plan when nothing does. */
export function onSplitOrderEnded(step: StepContext, order: OrderRecord): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage !== 'cancelling') return;
  const rest = remainder(order);
  if (order.status !== 'CANCELLED' || rest <= ZERO) {
    const text = `order ${order.id} ended as ${order.status} before it could be split`;
    finish(step, plan, refuse('CONFLICT', text));
    return;
  }
  plan.stage = 'placing';
  step.row({ kind: 'split', plan });
  const { step: stepSize } = numbersOf(step.memory, order);
  const parts = splitQuantities(rest, plan.prices.length, stepSize);
  for (const [i, id] of plan.children.entries()) {
    placePart(step, order, plan, id, plan.prices[i] ?? '0', parts[i] ?? ZERO);
  }
  checkPlan(step, plan);
}

/** The cancel of a plan's order was refused: the order stays as it is. */
export function onSplitRefused(step: StepContext, order: OrderRecord, message: string): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage === 'cancelling') finish(step, plan, refuse('INVALID_REQUEST', message, 'VENUE'));
}

/** Ends every plan whose parts all have a known or an openly unknown outcome. */
export function checkPlans(step: StepContext): void {
  for (const plan of step.memory.splits.values()) if (plan.stage === 'placing') checkPlan(step, plan);
}

/** Wall time at which the next request has waited long enough; Infinity when none does. */
export function nextRelease(memory: EngineMemory): number {
  let next = Number.POSITIVE_INFINITY;
  for (const plan of memory.splits.values()) {
    const waits = memory.waiters.get(plan.id)?.some((w) => w.kind === 'split' && w.record === null);
    if (waits) next = Math.min(next, plan.startedAt + SPLIT_WAIT_MS);
  }
  return next;
}

/** S36: without an idempotency key nobody waits longer than this. */
export function releaseImpatient(step: StepContext): void {
  for (const plan of step.memory.splits.values()) {
    if (step.now.wall - plan.startedAt < SPLIT_WAIT_MS) continue;
    const outcome = refuse('CONFLICT', 'the split goes on; read the orders again');
    answerWaiters(step, plan.id, ['split'], outcome, (waiter: Waiter) => waiter.record === null);
  }
}

function checkPlan(step: StepContext, plan: SplitPlan): void {
  const children = plan.children.map((id) => step.memory.orders.get(id));
  if (children.some((child) => child?.phase === 'sending')) return;
  finish(step, plan, ok(children.filter((child) => child !== undefined).map(orderOf)));
}

function finish(step: StepContext, plan: SplitPlan, outcome: Outcome<unknown>): void {
  plan.stage = 'done';
  step.row({ kind: 'split', plan });
  step.memory.splits.delete(plan.id);
  answerWaiters(step, plan.id, ['split'], outcome);
}

/** One part: sent, or kept as ERROR when partial fills have left too little for the filters (S36). */
function placePart(
  step: StepContext,
  from: OrderRecord,
  plan: SplitPlan,
  id: string,
  price: string,
  quantity: Dec,
): void {
  const child: OrderRecord = {
    id,
    user: from.user,
    exchange: from.exchange,
    symbol: from.symbol,
    side: from.side,
    type: 'LIMIT',
    status: 'NEW',
    phase: 'sending',
    positionSide: from.positionSide,
    price,
    origQty: str(quantity),
    executedQty: '0',
    quoteQty: '0',
    timeInForce: from.timeInForce,
    ...(from.goodTillDate === undefined ? {} : { goodTillDate: from.goodTillDate }),
    reduceOnly: from.reduceOnly,
    closePosition: false,
    workingType: from.workingType,
    isContract: from.isContract,
    isWorking: false,
    emulated: from.emulated,
    creator: plan.creator,
    creatorId: plan.creatorId,
    metadata: from.metadata,
    orderTime: step.now.market,
    createdAt: step.now.wall,
    updatedAt: step.now.wall,
    splitFrom: from.id,
    seq: 0,
  };
  const { instrument, ...n } = numbersOf(step.memory, from);
  const asset = from.side === 'SELL' ? instrument.base : instrument.quote;
  const amount = from.side === 'SELL' ? quantity : mul(quantity, dec(price));
  step.memory.addOrder(child, []);
  step.memory.setLock(child, asset, str(amount));
  step.touch(child);
  step.event(
    child,
    'created',
    `part of ${from.id}: ${child.side} LIMIT ${child.origQty} ${child.symbol} at ${price}`,
  );
  step.publish(child, 'ORDER_CREATE');
  const bad =
    checkQuantity('quantity', quantity, instrument, n, false) ??
    checkNotional('quantity', quantity, dec(price), instrument, n);
  if (bad) {
    step.move(child, 'ERROR', 'done', 'rejected', bad.message);
    return;
  }
  send(step, child);
  step.event(child, 'sent', `sent to ${child.exchange}`);
}

function numbersOf(memory: EngineMemory, order: OrderRecord) {
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n) throw new Error(`${order.symbol} is not an instrument of ${order.exchange}`);
  return { instrument, ...n };
}
