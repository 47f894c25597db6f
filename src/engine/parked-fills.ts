/**
 * Executions of orders that are not known and may be of one of ours: that waited on an exchange where a trigger makes another order,
 * or that is on its way, where an execution is told by the exchange's number alone and ours is not known yet. They are kept back until the exchange has told which order its trigger has made, or has said of each of ours that
 * it is not its own, for a while at least and some minutes at most; then they are somebody else's. In memory only: what a stop forgets, the comparison after it finds again.
 */
import { type ExchangeFill, namesOf } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/**
 * How long an execution waits for its order to be told: longer than a question takes with its answer. As long again as long as
 * one of ours has not been answered for.
 */
export const PARK_MS = 10_000;
/** So often: by then it cannot be known any more. */
const PARKED_TIMES = 30;
/** Executions that wait at most; one more is somebody else's at once. */
export const PARKED_MAX = 1_000;
/** Orders of ours that are asked about for one execution at most. */
const ASKED_MAX = 10;

export interface ParkedFill {
  readonly exchange: string;
  readonly fill: ExchangeFill;
  readonly asked: boolean;
  /** Monotonic. */
  readonly until: number;
  readonly since: number;
  /** Orders of ours of which it may be: nobody has said that it is not since. */
  readonly unanswered: readonly string[];
}

/** True: it may be of one of ours, and waits. */
export function park(step: StepContext, exchange: string, fill: ExchangeFill, asked: boolean): boolean {
  const { memory, now } = step;
  const { triggersMakeOrders } = memory.account(exchange).caps;
  if ((!triggersMakeOrders && fill.clientId !== '') || memory.parked.length >= PARKED_MAX) return false;
  if (isParked(memory, exchange, fill)) return true;
  const waiting = [...memory.orders.values()].filter((order) => mayBe(memory, order, exchange, fill));
  if (waiting.length === 0) return false;
  const isAsked = memory.parked.some((one) => one.fill.venueId === fill.venueId && one.exchange === exchange);
  const some = waiting.slice(0, ASKED_MAX);
  const unanswered = some.map(({ id }) => id);
  memory.parked.push({ exchange, fill, asked, until: now.mono + PARK_MS, since: now.mono, unanswered });
  if (isAsked) return true;
  for (const order of some)
    if (!isOnItsWay(memory, order, fill)) step.effect({ kind: 'query', ...memory.atExchange(order) });
  return true;
}

/** The exchange has answered for one of ours, asked at `askedAt` (monotonic): a replica that lags may not know of its trigger. */
export function answeredFor(memory: EngineMemory, exchange: string, orderId: string, askedAt: number): void {
  if (memory.parked.length === 0) return;
  const { settleMs = 0 } = memory.account(exchange).caps;
  memory.parked = memory.parked.map((one) => {
    if (one.exchange !== exchange || askedAt < one.since + settleMs) return one;
    return { ...one, unanswered: one.unanswered.filter((id) => id !== orderId) };
  });
}

/** It waits already. */
export function isParked(
  { parked }: EngineMemory,
  exchange: string,
  { symbol, tradeId }: ExchangeFill,
): boolean {
  return parked.some(
    (one) => one.exchange === exchange && one.fill.symbol === symbol && one.fill.tradeId === tradeId,
  );
}

/** Those that are of this order, as its names tell now. */
export function takeParked(memory: EngineMemory, order: OrderRecord): ParkedFill[] {
  const isOf = ({ exchange, fill }: ParkedFill) => memory.orderAt(exchange, namesOf(fill)) === order;
  return take(memory, isOf);
}

/** Those that have waited long enough. What one of ours has not been answered for is asked again. */
export function takeExpired(step: StepContext): ParkedFill[] {
  const { memory, now } = step;
  const again = new Set<string>();
  memory.parked = memory.parked.map((one) => {
    if (one.until > now.mono || now.mono >= one.since + PARKED_TIMES * PARK_MS) return one;
    const unanswered = one.unanswered.filter((id) => {
      const order = memory.orders.get(id);
      return order !== undefined && mayBe(memory, order, one.exchange, one.fill);
    });
    if (unanswered.length === 0) return one;
    for (const id of unanswered) again.add(id);
    return { ...one, unanswered, until: now.mono + PARK_MS };
  });
  for (const id of again) {
    const order = memory.orders.get(id);
    // One that is on its way is answered for by itself.
    if (order && !order.submission) step.effect({ kind: 'query', ...memory.atExchange(order) });
  }
  return take(memory, ({ until }) => until <= now.mono);
}

/** Monotonic time at which the next one has waited long enough; Infinity without one. */
export function parkedUntil(memory: EngineMemory): number {
  return memory.parked.reduce((next, { until }) => Math.min(next, until), Number.POSITIVE_INFINITY);
}

function take(memory: EngineMemory, wanted: (one: ParkedFill) => boolean): ParkedFill[] {
  const taken = memory.parked.filter(wanted);
  if (taken.length > 0) memory.parked = memory.parked.filter((one) => !taken.includes(one));
  return taken;
}

function mayBe(memory: EngineMemory, order: OrderRecord, exchange: string, fill: ExchangeFill): boolean {
  if (order.exchange !== exchange || order.symbol !== fill.symbol || order.side !== fill.side) return false;
  if (order.external || TERMINAL.has(order.status)) return false;
  return isOnItsWay(memory, order, fill) || mayHaveFired(memory, order);
}

/** Sent, and what the exchange calls it is not known yet, while the execution is told by that alone. */
function isOnItsWay(
  memory: EngineMemory,
  { submission, id }: OrderRecord,
  { clientId }: ExchangeFill,
): boolean {
  return clientId === '' && submission !== undefined && memory.wireIds.venueIds(id).length === 0;
}

/** Waits at the exchange for its trigger, or did until now. */
function mayHaveFired(memory: EngineMemory, order: OrderRecord): boolean {
  if (!memory.account(order.exchange).caps.triggersMakeOrders) return false;
  return (order.stopPrice !== undefined || order.trailing !== undefined) && !order.firedHere;
}
