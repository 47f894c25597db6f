/**
 * Place and cancel: from a request to the stored intent and the effects that follow it. The intent, its event
 * and the idempotency record are rows of one step, so either all of them survive a crash or none. Splits:
 * `split.ts`.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { str } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import { isContradicted, type OrderRecord, TERMINAL } from '../domain/order.ts';
import type { CreateOrder } from '../schemas/order.ts';
import { awayRefusal, unknownAccount } from './accounts.ts';
import { cancelContradiction } from './contradictions.ts';
import { noteSent, validateGuarded } from './guards.ts';
import { cancelOrder, startHeld } from './held.ts';
import { answer, wait } from './idempotency.ts';
import { send } from './lifecycle.ts';
import type { Waiter } from './memory.ts';
import { orderId, runSuffix } from './order-ids.ts';
import { closedToEntries } from './permissions.ts';
import { changeBeforeOrder } from './settings.ts';
import { staleRefusal } from './stale-prices.ts';
import type { StepContext } from './step-context.ts';
import { waitsForReading } from './unread.ts';
import type { BotKnowledge, OrderPlan } from './validate.ts';
import { orderOf } from './views.ts';

/** Fields of a bot's order beside the request. */
export interface BotOrder extends BotKnowledge {
  /** JSON text: the level of the bot that placed it. */
  readonly metadata: string;
  /** Called with the order's id before anything else happens to the order. */
  readonly onMade: (id: string) => void;
}

export function place(
  step: StepContext,
  actor: Actor,
  request: CreateOrder,
  entropy: string,
  waiter: Waiter,
  bot?: BotOrder,
): Outcome<unknown> | null {
  const { exchange } = request as Partial<CreateOrder>;
  const unknown = exchange === undefined ? null : unknownAccount(step.memory, actor, exchange);
  if (unknown) return unknown;
  const away = awayRefusal(step.memory, exchange ?? '');
  if (away) return away;
  const account = exchange === undefined ? undefined : step.memory.accounts.get(exchange);
  const unread = account && !bot?.exits ? waitsForReading(account, request) : null;
  if (unread) return unread;
  const closed = account && !bot?.exits ? closedToEntries(step.memory, account, request) : null;
  if (closed) return closed;
  const stale = account && bot && !bot.exits ? staleRefusal(account, request.symbol) : null;
  if (stale) return stale;
  const { problems, plan } = validateGuarded(step.memory, request, step.now, bot);
  if (!plan) {
    const message = problems.map((p) => p.message).join('; ');
    return refuse('INVALID_REQUEST', message, problems[0]?.reason);
  }
  const order = newOrder(
    step,
    actor,
    request,
    plan,
    orderId(plan.account.caps.idPrefix, step.memory.desk.id, step.now.wall, entropy, 0) + runSuffix(actor),
    bot?.metadata ?? '',
  );
  bot?.onMade(order.id);
  step.memory.addOrder(order, []);
  step.memory.setLock(order, plan.lock.asset, str(plan.lock.amount));
  step.touch(order);
  step.event(order, 'created', `${describe(order)}, asked by ${actorLabel(actor)}`);
  step.publish(order, 'ORDER_CREATE');
  step.logAsked(actor, order, `${describe(order)} on ${order.exchange}`);
  if (plan.held) {
    step.event(order, 'held', `held by the engine: ${order.exchange} has no ${heldAs(order)}`);
    startHeld(step, order);
    answer(step, waiter, ok(orderOf(order)));
  } else {
    wait(step, waiter, order.id);
    if (plan.marginType !== null) {
      const setting = { kind: 'marginType', symbol: order.symbol, marginType: plan.marginType } as const;
      changeBeforeOrder(step, order, setting);
      return null;
    }
    noteSent(step, order, bot?.exits === true);
    send(step, order);
    step.event(order, 'sent', `sent to ${order.exchange}`);
  }
  return null;
}

export function cancel(
  step: StepContext,
  actor: Actor,
  exchange: string,
  id: string,
  waiter: Waiter,
  keep?: true,
): Outcome<unknown> | null {
  const found = findOrder(step, actor, exchange, id);
  if (!found.ok) return found;
  const order = found.data;
  const by = actorLabel(actor);
  const named = step.memory.orders.get(id);
  // The previous order of a chain (S53) may be open at the exchange although it has ended here.
  if (named && isContradicted(named)) cancelContradiction(step, named, by);
  if (TERMINAL.has(order.status)) {
    if (order.contradiction?.cancel === 'sent') wait(step, waiter, order.id);
    else answer(step, waiter, ok(orderOf(order)));
    return null;
  }
  // Cancelling an order held here needs no exchange; a cancel for an unreachable account is sent as soon as
  // the account is back (S35).
  const away = step.memory.account(exchange).absent ? awayRefusal(step.memory, exchange) : null;
  if (away && order.phase !== 'held') return away;
  if (!order.cancel || order.cancel.forSplit) step.logAsked(actor, order, 'cancel');
  cancelOrder(step, order, by, `cancelled by ${by}`, keep ? { keep } : {});
  if (order.cancel?.state === 'sent') wait(step, waiter, order.id);
  else answer(step, waiter, ok(orderOf(order)));
  return null;
}

/**
 * Returns the order if it exists, belongs to the actor, and is on the named exchange; for a chain of tries,
 * its open or last order (S53).
 */
export function findOrder(
  step: StepContext,
  actor: Actor,
  exchange: string,
  id: string,
): Outcome<OrderRecord> {
  const order = step.memory.orders.get(id);
  if (!order || order.user !== actor.user) return refuse('NOT_FOUND', `there is no order ${id}`);
  if (order.exchange !== exchange) {
    const where = maySee(actor, order.exchange) ? `; it is on ${order.exchange}` : '';
    return refuse('NOT_FOUND', `there is no order ${id} on ${exchange}${where}`);
  }
  return ok(step.memory.lastOfChain(order));
}

/** Returns whether the actor may see the exchange: a key with a shield learns nothing about others. */
function maySee(actor: Actor, exchange: string): boolean {
  return actor.kind !== 'key' || (actor.allowedExchanges?.includes(exchange) ?? true);
}

/** Returns eight characters that stand for the user (S38). */
export function userShortId(user: string): string {
  return user.padEnd(8, '0').slice(0, 8);
}

export function creatorOf(actor: Actor): 'API' | 'UI' | 'BOT' {
  return actor.kind === 'key' ? 'API' : actor.kind === 'operator' ? 'UI' : 'BOT';
}

function newOrder(
  step: StepContext,
  actor: Actor,
  r: CreateOrder,
  plan: OrderPlan,
  id: string,
  metadata: string,
): OrderRecord {
  const { account, instrument, timeInForce, activationPrice, held, emulated } = plan;
  const dated = timeInForce === 'GTD' && r.goodTillDate !== undefined;
  return {
    id,
    user: actor.user,
    exchange: account.account.id,
    symbol: instrument.symbol,
    side: r.side,
    type: r.type,
    status: 'NEW',
    phase: held ? 'held' : plan.marginType === null ? 'sending' : 'waiting',
    positionSide: r.positionSide ?? 'BOTH',
    ...(r.price === undefined ? {} : { price: r.price }),
    ...(r.stopPrice === undefined ? {} : { stopPrice: r.stopPrice }),
    origQty: str(plan.quantity),
    executedQty: '0',
    quoteQty: '0',
    ...(r.quoteOrderQty === undefined ? {} : { quoteOrderQty: r.quoteOrderQty }),
    timeInForce,
    ...(dated ? { goodTillDate: r.goodTillDate } : {}),
    ...(r.icebergQty === undefined ? {} : { icebergQty: r.icebergQty }),
    reduceOnly: r.reduceOnly ?? false,
    closePosition: r.closePosition ?? false,
    workingType: r.workingType ?? 'MARK_PRICE',
    isContract: account.account.kind === 'futures',
    isWorking: false,
    emulated,
    ...(held ? { firedHere: true as const } : {}),
    ...(r.trailingDelta === undefined
      ? {}
      : {
          trailing: {
            delta: r.trailingDelta,
            ...(activationPrice === null ? {} : { activationPrice: str(activationPrice) }),
          },
        }),
    creator: creatorOf(actor),
    creatorId: actor.kind === 'bot' ? actor.botId : userShortId(actor.user),
    metadata,
    orderTime: step.now.market,
    createdAt: step.now.wall,
    updatedAt: step.now.wall,
    seq: 0,
  };
}

function describe(order: OrderRecord): string {
  const at = order.price === undefined ? '' : ` at ${order.price}`;
  const stop = order.stopPrice === undefined ? '' : `, stop ${order.stopPrice}`;
  const trailing = order.trailing ? `, trailing ${order.trailing.delta} basis points` : '';
  return `${order.side} ${order.type} ${order.origQty} ${order.symbol}${at}${stop}${trailing}`;
}

function heldAs(order: OrderRecord): string {
  return order.trailing ? 'trailing stop' : order.type;
}
