/**
 * An order that is live here and that its exchange does not know. One answer proves little: a replica may lag, and exchanges
 * forget what was cancelled long ago. Asked again until it is certain, then the order ends with what it is known to have
 * executed. An order whose send got lost is the resolver's.
 */
import type { OrderRecord } from '../domain/order.ts';
import type { EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** "Not found" counts when so many answers say so, over at least so long, and nothing was heard of the order in between. */
export const ABSENT_ANSWERS = 3;
export const ABSENT_MS = 60_000;

/** Answers that do not know an order. Times are monotonic. */
export interface Absence {
  /** The first of those questions. */
  readonly since: number;
  answers: number;
  /** The next question. */
  askAt: number;
}

/** One more answer that does not know it. True: it is gone. */
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

/** Before an answer that does not know it may end it, or where executions of it are owed: what it has executed is to be read. */
export function wantsFills({ absences, owedFills }: EngineMemory, orderId: string): boolean {
  return owedFills.has(orderId) || (absences.get(orderId)?.answers ?? 0) >= ABSENT_ANSWERS - 1;
}

/** Something was heard of it: it was there all the time. */
export function isThere(memory: EngineMemory, { id }: OrderRecord): void {
  memory.absences.delete(id);
}

/** Monotonic time of the next question; Infinity without one. */
export function absenceDueAt(memory: EngineMemory, { id }: OrderRecord): number {
  return memory.absences.get(id)?.askAt ?? Number.POSITIVE_INFINITY;
}

/** It is being asked about. */
export function onAbsenceAsked(step: StepContext, { id }: OrderRecord): void {
  const absence = step.memory.absences.get(id);
  if (absence) absence.askAt = step.now.mono + ABSENT_MS / (ABSENT_ANSWERS - 1);
}
