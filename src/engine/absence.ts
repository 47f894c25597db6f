/**
 * An order that is live here but unknown at its exchange. One response proves little: a replica may lag, and
 * exchanges forget orders that were cancelled long ago. The query is repeated until the absence is certain;
 * then the order ends with the executions that are known. An order whose send got lost is the resolver's.
 */
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/**
 * Number of "not found" responses after which they count, over at least the time below and with no message
 * about the order in between.
 */
export const ABSENT_ANSWERS = 3;
export const ABSENT_MS = 60_000;

/** The responses that do not know an order. Times are monotonic. */
export interface Absence {
  /** Time of the first of those queries. */
  readonly since: number;
  answers: number;
  /** Time of the next query. */
  askAt: number;
}

/** Counts one more response that does not know the order. True: it is gone. */
export function isGone(step: StepContext, order: OrderRecord, askedAt: number): boolean {
  const absence = step.memory.absences.get(order.id) ?? { since: askedAt, answers: 0, askAt: 0 };
  absence.answers += 1;
  const proven = absence.answers >= ABSENT_ANSWERS && askedAt - absence.since >= ABSENT_MS;
  if (proven) return true;
  absence.askAt = step.now.mono + ABSENT_MS / (ABSENT_ANSWERS - 1);
  step.memory.absences.set(order.id, absence);
  step.memory.attention.add(order.id);
  if (absence.answers > 1) return false;
  const text = `${order.exchange} does not know ${order.id}, which is ${order.status} here; asked again until that is certain`;
  step.effect({ kind: 'log', level: 'warn', text, orderId: order.id });
  return false;
}

/**
 * Returns whether the order's executions must be read: before a "not found" may end it, or where executions
 * of it are owed.
 */
export function wantsFills({ absences, owedFills }: EngineMemory, orderId: string): boolean {
  return owedFills.has(orderId) || (absences.get(orderId)?.answers ?? 0) >= ABSENT_ANSWERS - 1;
}

/** Forgets the absence after a message about the order: it was there all the time. */
export function isThere(memory: EngineMemory, { id }: OrderRecord): void {
  memory.absences.delete(id);
}

/** Returns the monotonic time of the next query; Infinity without one. */
export function absenceDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.absences.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** Notes that a query about the order is being sent. */
export function onAbsenceAsked(step: StepContext, { id }: OrderRecord): void {
  const absence = step.memory.absences.get(id);
  if (absence) absence.askAt = step.now.mono + ABSENT_MS / (ABSENT_ANSWERS - 1);
}
