/**
 * The life of an order between intent and end: made, sent once, accepted, filled, ended. Applies what an exchange says in
 * whatever order it arrives; never sends an order twice. engine.md "Submission"; decision S30.
 */
import { type Dec, dec, mul, str, ZERO } from '../domain/decimal.ts';
import type {
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  ExchangeOrderStatus,
} from '../domain/exchange.ts';
import { type FillRecord, type OrderRecord, TERMINAL, type TrailingState } from '../domain/order.ts';
import type { OrderType } from '../schemas/order.ts';
import { fillAfterEnd, stateAfterEnd } from './contradictions.ts';
import type { StepContext } from './step-context.ts';
import { idOfForeign } from './wire-ids.ts';

/** States of the exchange after which nothing more changes. */
const ENDS: ReadonlySet<ExchangeOrderStatus> = new Set(['FILLED', 'CANCELLED', 'REJECTED']);

/** The one send of an order: phase `sending` is stored with this step, the effect is released after the commit. */
export function send(step: StepContext, order: OrderRecord): void {
  order.phase = 'sending';
  order.submission = { sentAt: step.now.wall };
  step.touch(order);
  const { caps } = step.memory.account(order.exchange);
  step.effect({ kind: 'submit', exchange: order.exchange, order: exchangeOrderOf(order, caps) });
}

/** Applies an absolute state; older or repeated ones change nothing. */
export function applyState(step: StepContext, order: OrderRecord, state: ExchangeOrderState): void {
  if (TERMINAL.has(order.status)) {
    stateAfterEnd(step, order, state);
    return;
  }
  // An end is never outdated, and one that waits for its fills comes again after a restart.
  if (state.seq <= order.seq && !ENDS.has(state.status)) {
    becomeKnown(step, order);
    return;
  }
  order.seq = Math.max(order.seq, state.seq);
  // A waiting order that closes a position has no quantity of its own yet: ours shows the position's.
  const bySize = order.quoteOrderQty !== undefined || order.closePosition;
  if (bySize && dec(state.origQty) > ZERO) order.origQty = state.origQty;
  becomeKnown(step, order);
  step.touch(order);
  arm(step, order, state);
  switch (state.status) {
    case 'PENDING':
      return;
    case 'WORKING':
      open(step, order);
      return;
    case 'FILLED':
    case 'CANCELLED':
      if (state.status === 'FILLED' || dec(state.cumQty) > ZERO) open(step, order);
      end(step, order, state);
      return;
    case 'REJECTED':
      order.rejectCode = state.reason ?? 'OTHER';
      step.move(
        order,
        'ERROR',
        'done',
        'rejected',
        `${order.exchange} refused: ${state.text ?? 'no reason given'}`,
      );
      return;
  }
}

/** Books one execution, once. A fill proves that the order was accepted; one after the end still counts. */
export function applyFill(step: StepContext, order: OrderRecord, fill: ExchangeFill): void {
  const fills = step.memory.fills.get(order.id) ?? [];
  if (fills.some((known) => known.tradeId === fill.tradeId)) return;
  const record = fillRecordOf(order, fill);
  fills.push(record);
  step.memory.fills.set(order.id, fills);
  step.row({ kind: 'fill', fill: record });
  becomeKnown(step, order);
  open(step, order);
  const { quantity, quote } = sumFills(fills);
  order.executedQty = str(quantity);
  order.quoteQty = str(quote);
  if (order.external && quantity > dec(order.origQty)) order.origQty = str(quantity);
  step.touch(order);
  const text = `${fill.maker ? 'maker' : 'taker'} fill ${fill.qty} at ${fill.price}, fee ${fill.comm} ${fill.commAsset}`;
  step.event(order, 'fill', text);
  if (TERMINAL.has(order.status)) fillAfterEnd(step, order);
  const owed = step.memory.owedFills.get(order.id);
  if (owed && quantity >= dec(owed.state.cumQty)) end(step, order, owed.state);
  else if (
    order.status === 'OPENED' &&
    order.quoteOrderQty === undefined &&
    !order.closePosition &&
    quantity >= dec(order.origQty)
  ) {
    step.move(order, 'CLOSED', 'done', 'closed', 'filled');
  } else step.publish(order, 'ORDER_UPDATE');
}

/** Sums over the fill rows; never increments (engine.md, submission rule 5). */
export function sumFills(fills: readonly FillRecord[]): { quantity: Dec; quote: Dec } {
  let quantity = ZERO;
  let quote = ZERO;
  for (const fill of fills) {
    const qty = dec(fill.qty);
    quantity += qty;
    quote += mul(dec(fill.price), qty);
  }
  return { quantity, quote };
}

/** The exchange has the order: whatever the engine locked for it is now locked there, and there is nothing left to resolve. */
function becomeKnown(step: StepContext, order: OrderRecord): void {
  if (order.phase !== 'sending' && order.phase !== 'unresolved') return;
  const wasUnresolved = order.phase === 'unresolved';
  order.phase = 'live';
  delete order.submission;
  step.memory.releaseLock(order);
  if (!order.cancel) step.memory.attention.delete(order.id);
  step.touch(order);
  step.event(
    order,
    'accepted',
    wasUnresolved ? `found at ${order.exchange}` : `accepted by ${order.exchange}`,
  );
  if (wasUnresolved) {
    step.resolved.push(order);
    const text = `${order.id} is no longer unresolved: found at ${order.exchange}`;
    step.effect({ kind: 'log', level: 'info', text, orderId: order.id });
    if (order.status === 'NEW') step.publish(order, 'ORDER_UPDATE');
  }
  if (order.cancel?.state === 'wanted') sendCancel(step, order);
}

/** A trailing stop at the exchange follows the price from its activation on; without an activation price from the start. */
function arm(step: StepContext, order: OrderRecord, state: ExchangeOrderState): void {
  const { trailing } = order;
  if (!trailing || trailing.armedAt !== undefined) return;
  const fromTheStart = trailing.activationPrice === undefined && state.status === 'PENDING';
  const at = state.armedAt ?? (fromTheStart ? state.time : undefined);
  if (at === undefined) return;
  trailing.armedAt = at;
  if (trailing.activationPrice === undefined) return;
  step.event(order, 'armed', `armed: ${order.exchange} follows the price`);
  step.publish(order, 'ORDER_UPDATE');
}

/** Asks the exchange to cancel; safe to ask again. */
export function sendCancel(step: StepContext, order: OrderRecord): void {
  if (!order.cancel) return;
  order.cancel.state = 'sent';
  delete order.cancel.nextAskAt;
  step.touch(order);
  step.event(order, 'cancel-sent', `cancel sent to ${order.exchange}`);
  step.effect({ kind: 'cancel', ...step.memory.atExchange(order) });
}

/** NEW -> OPENED, once. */
function open(step: StepContext, order: OrderRecord): void {
  if (order.status !== 'NEW') return;
  const { caps } = step.memory.account(order.exchange);
  const how = sentAs(order, caps) === 'MARKET' ? 'executing at' : 'on the book of';
  step.move(order, 'OPENED', 'live', 'accepted', `${how} ${order.exchange}`);
}

/** A final state; waits for fills that the state counts but that have not arrived. */
function end(step: StepContext, order: OrderRecord, state: ExchangeOrderState): void {
  if (TERMINAL.has(order.status)) return;
  if (dec(order.executedQty) < dec(state.cumQty)) {
    if (!step.memory.owedFills.has(order.id)) {
      step.memory.owedFills.set(order.id, { state, askAt: step.now.mono, asked: 0 });
      step.memory.attention.add(order.id);
    }
    return;
  }
  step.memory.owedFills.delete(order.id);
  if (state.status === 'FILLED') step.move(order, 'CLOSED', 'done', 'closed', 'filled');
  else {
    const by = order.cancel ? ` (asked by ${order.cancel.by})` : '';
    step.move(order, 'CANCELLED', 'done', 'cancelled', `${state.text ?? 'cancelled'}${by}`);
  }
}

function fillRecordOf(order: OrderRecord, fill: ExchangeFill): FillRecord {
  return {
    exchange: order.exchange,
    tradeId: fill.tradeId,
    orderId: order.id,
    user: order.user,
    symbol: fill.symbol,
    side: fill.side,
    price: fill.price,
    qty: fill.qty,
    comm: fill.comm,
    commAsset: fill.commAsset,
    maker: fill.maker,
    rPnl: fill.rPnl,
    posSide: fill.posSide,
    time: fill.time,
  };
}

/** The exchange does not know the order before its trigger. */
export function isHeldHere(order: OrderRecord, caps: ExchangeCaps): boolean {
  return order.trailing ? !caps.trailing : !caps.nativeTypes.includes(order.type);
}

/** A held order is sent as what it turns into. */
function sentAs(order: OrderRecord, caps: ExchangeCaps): OrderType {
  if (!isHeldHere(order, caps)) return order.type;
  return order.price === undefined ? 'MARKET' : 'LIMIT';
}

function trailingOf({ delta, activationPrice }: TrailingState) {
  return { trailingDelta: delta, ...(activationPrice === undefined ? {} : { activationPrice }) };
}

/** What goes over the wire; an end date stays here. */
function exchangeOrderOf(order: OrderRecord, caps: ExchangeCaps): ExchangeOrder {
  const held = isHeldHere(order, caps);
  const type = sentAs(order, caps);
  return {
    clientId: order.id,
    symbol: order.symbol,
    side: order.side,
    type,
    ...(order.quoteOrderQty === undefined
      ? { quantity: order.origQty }
      : { quoteOrderQty: order.quoteOrderQty }),
    ...(order.price === undefined ? {} : { price: order.price }),
    ...(order.stopPrice === undefined || held ? {} : { stopPrice: order.stopPrice }),
    timeInForce: order.timeInForce === 'GTD' ? 'GTC' : order.timeInForce,
    ...(order.icebergQty === undefined ? {} : { icebergQty: order.icebergQty }),
    reduceOnly: order.reduceOnly,
    closePosition: order.closePosition,
    positionSide: order.positionSide,
    workingType: order.workingType,
    ...(order.trailing && !held ? trailingOf(order.trailing) : {}),
  };
}

/** An order that the exchange made itself (a liquidation): known here by its first fill. S30: creator UI, `external`. */
export function adoptExternal(
  step: StepContext,
  exchange: string,
  user: string,
  fill: ExchangeFill,
): OrderRecord {
  const { account } = step.memory.account(exchange);
  const id = idOfForeign(exchange, fill.clientId, step.now.wall, (taken) => step.memory.orders.has(taken));
  if (id !== fill.clientId) {
    const name = { exchange, wireId: fill.clientId, orderId: id };
    step.memory.wireIds.add(name);
    step.row({ kind: 'wire-id', name });
  }
  const order: OrderRecord = {
    id,
    user,
    exchange,
    symbol: fill.symbol,
    side: fill.side,
    type: 'MARKET',
    status: 'NEW',
    phase: 'live',
    positionSide: fill.posSide,
    origQty: fill.qty,
    executedQty: '0',
    quoteQty: '0',
    timeInForce: 'GTC',
    reduceOnly: true,
    closePosition: false,
    workingType: 'MARK_PRICE',
    isContract: account.kind === 'futures',
    isWorking: false,
    emulated: false,
    external: true,
    creator: 'UI',
    creatorId: exchange,
    metadata: '',
    orderTime: fill.time,
    createdAt: step.now.wall,
    updatedAt: step.now.wall,
    seq: 0,
  };
  step.memory.addOrder(order, []);
  step.touch(order);
  step.event(order, 'created', `made by ${exchange} itself: ${fill.side} ${fill.qty} ${fill.symbol}`);
  step.publish(order, 'ORDER_CREATE');
  const text = `${exchange} traded by itself: ${fill.side} ${fill.qty} ${fill.symbol} at ${fill.price}`;
  step.effect({ kind: 'log', level: 'warn', text, orderId: order.id });
  return order;
}
