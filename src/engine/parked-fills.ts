/**
 * Executions of unknown orders that may belong to one of the desk's orders: to one that waited for its
 * trigger on an exchange where a trigger makes another order, or to one on its way, where an execution has
 * only the exchange's own order id, which is not known here yet. They are parked until the exchange has
 * reported which order the trigger made, or has answered for each of these candidates that it is another one,
 * for a minimum time and some minutes at most; after that they count as external. In memory only: after a
 * stop the comparison finds them again.
 */
import { type ExchangeFill, namesOf } from '../domain/exchange.ts';
import { type OrderRecord, TERMINAL } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/**
 * How long an execution waits for its order to be reported: longer than a query with its response takes.
 * Repeated while one of the candidates has not been answered for.
 */
export const PARK_MS = 10_000;
/** How many times that wait is repeated: after that the order cannot become known any more. */
const PARKED_TIMES = 30;
/** Most executions that wait; any more count as external at once. */
export const PARKED_MAX = 1_000;
/** Most of the desk's orders that are queried for one execution. */
const ASKED_MAX = 10;

export interface ParkedFill {
  readonly exchange: string;
  readonly fill: ExchangeFill;
  readonly asked: boolean;
  /** End of the wait; monotonic. */
  readonly until: number;
  readonly since: number;
  /** The candidates: orders of the desk that it may belong to, without a response since that excludes it. */
  readonly unanswered: readonly string[];
}

/** Parks an execution. True: it may belong to one of the desk's orders, and waits. */
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

/**
 * Notes the response for a candidate, queried at `askedAt` (monotonic): a replica that lags may not know of
 * its trigger.
 */
export function answeredFor(memory: EngineMemory, exchange: string, orderId: string, askedAt: number): void {
  if (memory.parked.length === 0) return;
  const { settleMs = 0 } = memory.account(exchange).caps;
  memory.parked = memory.parked.map((one) => {
    if (one.exchange !== exchange || askedAt < one.since + settleMs) return one;
    return { ...one, unanswered: one.unanswered.filter((id) => id !== orderId) };
  });
}

/** Returns whether the execution waits already. */
export function isParked(
  { parked }: EngineMemory,
  exchange: string,
  { symbol, tradeId }: ExchangeFill,
): boolean {
  return parked.some(
    (one) => one.exchange === exchange && one.fill.symbol === symbol && one.fill.tradeId === tradeId,
  );
}

/** Takes out the executions of this order, by its ids as known now. */
export function takeParked(memory: EngineMemory, order: OrderRecord): ParkedFill[] {
  const isOf = ({ exchange, fill }: ParkedFill) => memory.orderAt(exchange, namesOf(fill)) === order;
  return take(memory, isOf);
}

/** Takes out executions that have waited long enough. Candidates without a response are queried again. */
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
    // An order on its way gets a response anyway.
    if (order && !order.submission) step.effect({ kind: 'query', ...memory.atExchange(order) });
  }
  return take(memory, ({ until }) => until <= now.mono);
}

/** Returns the monotonic time at which the next execution has waited long enough; Infinity without one. */
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

/**
 * Returns whether the order is sent and its id at the exchange is not known yet, while the execution has only
 * that id.
 */
function isOnItsWay(
  memory: EngineMemory,
  { submission, id }: OrderRecord,
  { clientId }: ExchangeFill,
): boolean {
  return clientId === '' && submission !== undefined && memory.wireIds.venueIds(id).length === 0;
}

/** Returns whether the order waits at the exchange for its trigger, or did until now. */
function mayHaveFired(memory: EngineMemory, order: OrderRecord): boolean {
  if (!memory.account(order.exchange).caps.triggersMakeOrders) return false;
  return (order.stopPrice !== undefined || order.trailing !== undefined) && !order.firedHere;
}
