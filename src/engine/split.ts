/**
 * Splitting a resting limit order, stored as a plan: cancel, wait for the confirmed remainder, then place the
 * parts. Ids of the parts are fixed with the plan, so a restart resumes it without placing one twice.
 * engine.md, submission rule 7; S36.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { type Dec, dec, decOfInt, div, floorTo, maxDec, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { type OrderRecord, type SplitPlan, TERMINAL } from '../domain/order.ts';
import { awayRefusal } from './accounts.ts';
import { availability } from './balances.ts';
import { isClosing } from './closing.ts';
import { creatorOf, findOrder, userShortId } from './commands.ts';
import type { EngineExtension } from './extension.ts';
import { checkPrice, checkQuantity, type Problem } from './filters.ts';
import { guardedOf } from './guard-figures.ts';
import { endGuarded, judgeParts, passGuards } from './guards.ts';
import { cancelOrder } from './held.ts';
import { answerWaiters, wait } from './idempotency.ts';
import { send } from './lifecycle.ts';
import type { AccountMemory, EngineMemory, Waiter } from './memory.ts';
import { orderId } from './order-ids.ts';
import { lockOf, type OrderLock } from './order-lock.ts';
import { closedToEntries } from './permissions.ts';
import { surelyReducible } from './positions.ts';
import { lockAnew, placeAnew, placedAnew } from './replace.ts';
import { valueProblem } from './small-closes.ts';
import { endPlan, waitsFor } from './split-plan.ts';
import type { StepContext } from './step-context.ts';
import { waitsForReading } from './unread.ts';
import { orderOf } from './views.ts';

/** How long a split without an idempotency key keeps its request waiting (S36). */
export const SPLIT_WAIT_MS = 10_000;

export function split(
  step: StepContext,
  actor: Actor,
  command: { exchange: string; id: string; prices: readonly string[] },
  entropy: string,
  waiter: Waiter,
  extension: EngineExtension | null,
): Outcome<unknown> | null {
  const found = findOrder(step, actor, command.exchange, command.id);
  if (!found.ok) return found;
  const order = found.data;
  const away = awayRefusal(step.memory, order.exchange);
  if (away) return away;
  const account = step.memory.account(order.exchange);
  const refused =
    waitsForReading(account, order) ?? closedToEntries(step.memory, account, { ...order, quantity: '0' });
  if (refused) return refused;
  const { problems, extra } = planSplit(step.memory, order, command.prices, extension, step.now.mono);
  if (problems.length > 0) {
    const message = problems.map((problem) => problem.message).join('; ');
    return refuse('INVALID_REQUEST', message, problems[0]?.reason);
  }
  const { caps } = step.memory.account(order.exchange);
  const plan: SplitPlan = {
    id: order.id,
    user: order.user,
    exchange: order.exchange,
    prices: [...command.prices],
    stage: 'cancelling',
    children: command.prices.map((_, i) =>
      orderId(caps.idPrefix, step.memory.desk.id, step.now.wall, entropy, i),
    ),
    startedAt: step.now.wall,
    creator: creatorOf(actor),
    creatorId: actor.kind === 'bot' ? actor.botId : userShortId(actor.user),
  };
  step.memory.splits.set(plan.id, plan);
  step.memory.splitReleaseAt.set(plan.id, step.now.mono + SPLIT_WAIT_MS);
  step.row({ kind: 'split', plan });
  step.event(
    order,
    'split',
    `split into ${plan.prices.length} at ${plan.prices.join(', ')}, asked by ${actorLabel(actor)}`,
  );
  step.logAsked(actor, order, `split into ${plan.prices.length}`);
  // Nobody else may spend what the parts need beyond the order's lock meanwhile.
  if (extra) {
    // An order that fills at once has a lock of its own until it is filled.
    const own = order.lock ? dec(order.lock.amount) : ZERO;
    step.memory.releaseLock(order);
    step.memory.setLock(order, extra.asset, str(own + extra.amount));
  }
  wait(step, waiter, order.id);
  cancelOrder(step, order, actorLabel(actor), 'cancelled for the split', { forSplit: true });
  return null;
}

export interface SplitCheck {
  /** All objections to the split; empty when it can go. Nothing is cancelled before this is empty. */
  readonly problems: readonly Pick<Problem, 'message' | 'reason'>[];
  /** What the parts lock beyond the order's own lock; null when that is nothing. */
  readonly extra: OrderLock | null;
}

/**
 * Checks whether this order may be split at these prices. `extension` decides about its own orders; `mono`:
 * monotonic time, for the guards.
 */
export function planSplit(
  memory: EngineMemory,
  order: OrderRecord,
  prices: readonly string[],
  extension: Pick<EngineExtension, 'claim'> | null,
  mono?: number,
): SplitCheck {
  const claim = extension?.claim(order) ?? null;
  const wrong = claim === null ? splitProblems(memory, order, prices) : [claim];
  if (wrong.length > 0) {
    return { problems: wrong.map((message) => ({ message, reason: 'NOT_SPLITTABLE' })), extra: null };
  }
  const guarded = guardedParts(memory, order, prices.map(dec), mono);
  if (guarded) return { problems: [guarded], extra: null };
  return checkCover(memory, order, prices.map(dec));
}

/** Returns the objections of the guards to one of the parts; the order itself makes room for them. */
function guardedParts(
  memory: EngineMemory,
  order: OrderRecord,
  prices: readonly Dec[],
  mono: number | undefined,
): Problem | null {
  const account = memory.account(order.exchange);
  if (!account.guards) return null;
  const quantities = splitQuantities(remainder(order), prices.length, numbersOf(memory, order).step);
  const whole = guardedOf(order, true);
  const parts = prices.map((price, i) => ({ ...whole, price, quantity: quantities[i] ?? ZERO }));
  return judgeParts(memory, account, whole, parts, mono);
}

/**
 * Checks that the amount for the parts is available before anything is cancelled (S25). As with a new order,
 * only the exchange knows what a futures account has available, so there the check only protects what bots
 * reserve.
 */
function checkCover(memory: EngineMemory, order: OrderRecord, prices: readonly Dec[]): SplitCheck {
  const account = memory.account(order.exchange);
  const { step: stepSize } = numbersOf(memory, order);
  const rest = remainder(order);
  const whole = sumOf(locksOf(memory, order, [dec(order.price ?? '0')], [rest]));
  const parts = locksOf(memory, order, prices, splitQuantities(rest, prices.length, stepSize));
  const amount = sumOf(parts) - whole;
  const asset = parts[0]?.asset;
  if (asset === undefined || amount <= ZERO) return { problems: [], extra: null };
  const { available, reserved } = availability(account, asset);
  if (amount <= available || (account.futures && reserved === ZERO))
    return { problems: [], extra: { asset, amount } };
  const bots = reserved > ZERO ? ` (${str(reserved)} reserved by bots)` : '';
  const message = `insufficient balance: the parts need ${str(amount)} ${asset} more than the ${str(whole)} that the order holds, ${str(available)} ${asset} available${bots}`;
  return { problems: [{ message, reason: reserved > ZERO ? 'RESERVED' : 'BALANCE' }], extra: null };
}

/**
 * Returns the locks of orders with these prices and quantities in place of the order; the first of them
 * reduce a position first.
 */
function locksOf(
  memory: EngineMemory,
  order: OrderRecord,
  prices: readonly Dec[],
  quantities: readonly Dec[],
): OrderLock[] {
  const account = memory.account(order.exchange);
  const { instrument } = numbersOf(memory, order);
  let left = surelyReducible(account, order.symbol, order.side, order.positionSide);
  return quantities.map((quantity, i) => {
    const lock = lockOf(account, instrument, {
      side: order.side,
      positionSide: order.positionSide,
      quantity,
      price: prices[i] ?? ZERO,
      quoteOrderQty: null,
      closes: isClosing(account, order),
      reducible: left,
    });
    left = maxDec(left - quantity, ZERO);
    return lock;
  });
}

function sumOf(locks: readonly OrderLock[]): Dec {
  return locks.reduce((sum, lock) => sum + lock.amount, ZERO);
}

function splitProblems(memory: EngineMemory, order: OrderRecord, prices: readonly string[]): string[] {
  if (TERMINAL.has(order.status))
    return [`order ${order.id} is ${order.status}; only a resting limit order can be split`];
  if (order.type !== 'LIMIT' || order.phase !== 'live' || order.status !== 'OPENED') {
    return [
      `order ${order.id} is not a resting LIMIT order (${order.type}, ${order.status}); only those can be split`,
    ];
  }
  if (order.cancel) return [`order ${order.id} is being cancelled`];
  if (order.change) return [`order ${order.id} is being changed`];
  if (prices.length < 2 || prices.length > 50)
    return [`prices has ${prices.length} entries; 2 to 50 are allowed`];
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n || instrument.delisted)
    return [`symbol ${JSON.stringify(order.symbol)} is no longer traded on ${order.exchange}`];
  const open = memory.openOn(order.exchange, order.symbol) - 1;
  if (open + prices.length > instrument.maxOrders) {
    return [
      `${prices.length} parts beside ${open} other open orders of ${order.symbol} are too many; at most ${instrument.maxOrders} together`,
    ];
  }
  const parts = splitQuantities(remainder(order), prices.length, n.step);
  const last = account.market.prices.get(order.symbol);
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
      checkSize(memory, `part ${i + 1}: quantity`, account, order, part, price);
    if (bad) problems.push(bad.message);
  });
  return problems;
}

/** Returns remainder / n rounded down to the step; the last part takes the rest. */
export function splitQuantities(quantity: Dec, parts: number, step: Dec): Dec[] {
  const each = floorTo(div(quantity, decOfInt(parts)), step);
  const list = new Array<Dec>(parts).fill(each);
  list[parts - 1] = quantity - each * BigInt(parts - 1);
  return list;
}

export function remainder(order: OrderRecord): Dec {
  return dec(order.origQty) - dec(order.executedQty);
}

/**
 * Continues after the order of a plan has ended: places the parts of the remainder, or ends the plan when
 * there is none.
 */
export function onSplitOrderEnded(step: StepContext, order: OrderRecord): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage !== 'cancelling') return;
  if (plan.change) {
    placeAnew(step, order, plan, plan.change);
    checkPlan(step, plan);
    return;
  }
  const rest = remainder(order);
  if (order.status !== 'CANCELLED' || rest <= ZERO) {
    const text = `order ${order.id} ended as ${order.status} before it could be split`;
    endPlan(step, plan, refuse('CONFLICT', text));
    return;
  }
  if (order.goodTillDate !== undefined && order.goodTillDate <= step.now.market) {
    endPlan(step, plan, refuse('CONFLICT', 'cancelled meanwhile'));
    return;
  }
  plan.stage = 'placing';
  step.row({ kind: 'split', plan });
  const { step: stepSize } = numbersOf(step.memory, order);
  const parts = splitQuantities(rest, plan.prices.length, stepSize);
  const locks = locksOf(step.memory, order, plan.prices.map(dec), parts);
  for (const [i, id] of plan.children.entries()) {
    const part = { price: plan.prices[i] ?? '0', quantity: parts[i] ?? ZERO, lock: locks[i] };
    placePart(step, order, plan, id, part);
  }
  checkPlan(step, plan);
}

/** Handles the refused cancel of a plan's order: the order stays as it is. */
export function onSplitRefused(step: StepContext, order: OrderRecord, message: string): void {
  const plan = step.memory.splits.get(order.id);
  if (plan?.stage === 'cancelling') endPlan(step, plan, refuse('INVALID_REQUEST', message, 'VENUE'));
}

/** Ends every plan whose parts all have an outcome, known or reported as unknown. */
export function checkPlans(step: StepContext): void {
  for (const plan of step.memory.splits.values()) {
    if (plan.stage === 'placing') checkPlan(step, plan);
    else keepForParts(step, plan);
  }
}

/**
 * Locks the amount for the parts while the end of the order is settling: its exchange has released it, and
 * nobody else may spend it.
 */
function keepForParts(step: StepContext, plan: SplitPlan): void {
  const order = step.memory.orders.get(plan.id);
  if (!order || !step.memory.settling.has(plan.id)) return;
  const needed = plan.change ? lockAnew(step.memory, order, plan.change) : wholeOf(step.memory, order, plan);
  if (!needed) return;
  const amount = str(needed.amount);
  if (order.lock?.amount === amount) return;
  step.memory.releaseLock(order);
  step.memory.setLock(order, needed.asset, amount);
  step.touch(order);
}

/** Returns what all parts lock. */
function wholeOf(memory: EngineMemory, order: OrderRecord, { prices }: SplitPlan): OrderLock | null {
  const { step: stepSize } = numbersOf(memory, order);
  const parts = splitQuantities(remainder(order), prices.length, stepSize);
  const locks = locksOf(memory, order, prices.map(dec), parts);
  const [first] = locks;
  return first ? { asset: first.asset, amount: sumOf(locks) } : null;
}

/** Returns the monotonic time at which the next request has waited long enough; Infinity when none waits. */
export function nextRelease(memory: EngineMemory): number {
  let next = Number.POSITIVE_INFINITY;
  for (const plan of memory.splits.values()) {
    const kind = waitsFor(plan);
    const waits = memory.waiters.get(plan.id)?.some((w) => w.kind === kind && w.record === null);
    if (waits) next = Math.min(next, memory.splitReleaseAt.get(plan.id) ?? 0);
  }
  return next;
}

/** Answers requests without an idempotency key that have waited for this time (S36). */
export function releaseImpatient(step: StepContext): void {
  for (const plan of step.memory.splits.values()) {
    if (step.now.mono < (step.memory.splitReleaseAt.get(plan.id) ?? 0)) continue;
    const what = plan.change ? 'change' : 'split';
    const outcome = refuse('CONFLICT', `the ${what} goes on; read the orders again`);
    answerWaiters(step, plan.id, [waitsFor(plan)], outcome, (waiter: Waiter) => waiter.record === null);
  }
}

function checkPlan(step: StepContext, plan: SplitPlan): void {
  const children = plan.children.map((id) => step.memory.orders.get(id));
  if (plan.stage !== 'placing' || children.some((child) => child?.phase === 'sending')) return;
  if (plan.change) {
    endPlan(step, plan, placedAnew(plan, children[0]));
    return;
  }
  endPlan(step, plan, ok(children.filter((child) => child !== undefined).map(orderOf)));
}

/**
 * Places one part: it is sent, or kept as ERROR when partial fills have left too little for the filters
 * (S36).
 */
function placePart(
  step: StepContext,
  from: OrderRecord,
  plan: SplitPlan,
  id: string,
  { price, quantity, lock }: { price: string; quantity: Dec; lock: OrderLock | undefined },
): void {
  const iceberg = from.icebergQty !== undefined && dec(from.icebergQty) < quantity;
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
    ...(iceberg ? { icebergQty: from.icebergQty } : {}),
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
  step.memory.addOrder(child, []);
  if (lock) step.memory.setLock(child, lock.asset, str(lock.amount));
  step.touch(child);
  step.event(
    child,
    'created',
    `part of ${from.id}: ${child.side} LIMIT ${child.origQty} ${child.symbol} at ${price}`,
  );
  step.publish(child, 'ORDER_CREATE');
  const bad = checkSize(
    step.memory,
    'quantity',
    step.memory.account(from.exchange),
    from,
    quantity,
    dec(price),
  );
  if (bad) {
    step.move(child, 'ERROR', 'done', 'rejected', bad.message);
    return;
  }
  // Other orders may have been placed since the plan was made.
  const guarded = passGuards(step, child, { byHand: true });
  if (guarded) {
    endGuarded(step, child, guarded);
    return;
  }
  send(step, child);
  step.event(child, 'sent', `sent to ${child.exchange}`);
}

/**
 * Checks the filters on a part's size; an order that only closes a position is exempt from the minimum
 * notional (engine.md, rule 1).
 */
function checkSize(
  memory: EngineMemory,
  field: string,
  account: AccountMemory,
  order: OrderRecord,
  quantity: Dec,
  price: Dec,
): Problem | null {
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n) return null;
  const bad = checkQuantity(field, quantity, instrument, n, false);
  return bad ?? valueProblem(memory, account, order, { field, quantity, price }, instrument, n);
}

function numbersOf(memory: EngineMemory, order: OrderRecord) {
  const account = memory.account(order.exchange);
  const instrument = account.instruments.get(order.symbol);
  const n = account.numbers.get(order.symbol);
  if (!instrument || !n) throw new Error(`${order.symbol} is not an instrument of ${order.exchange}`);
  return { instrument, ...n };
}
