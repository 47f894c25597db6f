/**
 * Orders of an account that were not made here: by its exchange itself (a liquidation), by other programs, on
 * its website. The first message about one creates a record of its own, so that it counts for limits,
 * protection and locked amounts.
 */
import { dec, ZERO } from '../domain/decimal.ts';
import {
  ENDS,
  type ExchangeFill,
  type ExchangeOrderState,
  type ExchangeOrderTerms,
  namesOf,
  type OrderNames,
} from '../domain/exchange.ts';
import type { OrderRecord } from '../domain/order.ts';
import { noteOther } from './other-desk.ts';
import type { StepContext } from './step-context.ts';
import { idOfForeign } from './wire-ids.ts';

/**
 * Creates the record from a state. Null: the state has too little, or the order ended without an execution
 * and does not matter.
 */
export function adoptByState(
  step: StepContext,
  exchange: string,
  state: ExchangeOrderState,
): OrderRecord | null {
  const { terms, symbol, origQty } = state;
  // Without its terms it is unclear whether the order could be looked up here.
  if (terms) noteOther(step, exchange, state.clientId);
  if (!terms || (ENDS.has(state.status) && dec(state.cumQty) === ZERO)) return null;
  const order: OrderRecord = {
    ...common(step, exchange, namesOf(state), state.time),
    symbol,
    side: terms.side,
    positionSide: terms.positionSide,
    origQty,
    ...describedBy(terms),
  };
  add(step, order);
  const what = `${order.side} ${order.type} ${origQty} ${symbol}`;
  step.event(order, 'created', `made elsewhere on ${exchange}: ${what}`);
  step.publish(order, 'ORDER_CREATE');
  const text = `${exchange} has an order that was not made here: ${what}, ${order.id}`;
  step.effect({ kind: 'log', level: 'info', text, orderId: order.id });
  return order;
}

/**
 * Creates the record from a first execution, when nothing else is known of the order. Its terms and its open
 * rest are queried.
 */
export function adoptByFill(step: StepContext, exchange: string, fill: ExchangeFill): OrderRecord {
  const { symbol, side, qty, price } = fill;
  noteOther(step, exchange, fill.clientId);
  const order: OrderRecord = {
    ...common(step, exchange, namesOf(fill), fill.time),
    symbol,
    side,
    type: 'MARKET',
    positionSide: fill.posSide,
    origQty: qty,
    timeInForce: 'GTC',
    reduceOnly: fill.liquidation === true,
    closePosition: false,
    workingType: 'MARK_PRICE',
    ...(fill.liquidation ? { liquidation: true } : { untold: true }),
  };
  add(step, order);
  const what = `${side} ${qty} ${symbol}`;
  step.event(
    order,
    'created',
    fill.liquidation ? `made by ${exchange} itself: ${what}` : `made elsewhere on ${exchange}: ${what}`,
  );
  step.publish(order, 'ORDER_CREATE');
  const whose = fill.liquidation ? 'traded by itself' : 'has executed an order that was not made here';
  const text = `${exchange} ${whose}: ${what} at ${price}`;
  step.effect({ kind: 'log', level: 'warn', text, orderId: order.id });
  if (order.untold) step.effect({ kind: 'query', ...step.memory.atExchange(order) });
  return order;
}

/** Completes an order that was known by its executions alone with the terms of a state. */
export function takeTerms(
  step: StepContext,
  order: OrderRecord,
  { terms, origQty, clientId }: ExchangeOrderState,
): void {
  noteOther(step, order.exchange, clientId);
  order.untold = undefined;
  if (dec(origQty) > ZERO) order.origQty = origQty;
  if (terms) Object.assign(order, describedBy(terms));
}

/** Stores the exchange's own ids that come with a message about an order. */
export function learnNames(step: StepContext, order: OrderRecord, venueIds: readonly string[] = []): boolean {
  const { exchange, symbol, id } = order;
  const fresh = venueIds.filter((venueId) => !step.memory.wireIds.orderId(exchange, venueId, symbol));
  for (const wireId of fresh) addName(step, { exchange, symbol, wireId, orderId: id });
  return fresh.length > 0;
}

function addName(step: StepContext, name: Parameters<StepContext['memory']['wireIds']['add']>[0]): void {
  step.memory.wireIds.add(name);
  step.row({ kind: 'wire-id', name });
}

function add(step: StepContext, order: OrderRecord): void {
  step.memory.addOrder(order, []);
  step.touch(order);
}

/** Returns the fields that all external orders share; assigns the id and stores the exchange's ids. */
function common(step: StepContext, exchange: string, names: OrderNames, time: number) {
  const { memory, now } = step;
  const { account } = memory.account(exchange);
  const { clientId, venueIds = [], symbol } = names;
  const isTaken = (id: string) => memory.orders.has(id);
  const id = idOfForeign(exchange, { clientId, venueIds, symbol }, now.wall, isTaken);
  for (const wireId of venueIds) addName(step, { exchange, symbol, wireId, orderId: id });
  // One of the exchange's own ids is enough, and others may give the same client id to several orders.
  const named =
    id === clientId || clientId === '' || (venueIds.length > 0 && memory.wireIds.has(exchange, clientId));
  if (!named) addName(step, { exchange, wireId: clientId, orderId: id });
  return {
    id,
    user: memory.holder(exchange),
    exchange,
    status: 'NEW',
    phase: 'live',
    executedQty: '0',
    quoteQty: '0',
    isContract: account.kind === 'futures',
    isWorking: false,
    emulated: false,
    external: true,
    creator: 'UI',
    creatorId: exchange,
    metadata: '',
    orderTime: time,
    createdAt: now.wall,
    updatedAt: now.wall,
    seq: 0,
  } as const;
}

function describedBy(terms: ExchangeOrderTerms) {
  return {
    type: terms.type,
    ...(terms.price === undefined ? {} : { price: terms.price }),
    ...(terms.stopPrice === undefined ? {} : { stopPrice: terms.stopPrice }),
    ...(terms.icebergQty === undefined ? {} : { icebergQty: terms.icebergQty }),
    timeInForce: terms.timeInForce,
    reduceOnly: terms.reduceOnly,
    closePosition: terms.closePosition,
    workingType: terms.workingType,
  };
}
