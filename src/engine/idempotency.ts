/**
 * Responses and idempotency (specification, "Idempotency"; D10 to D17): which requests wait, which responses
 * were sent, which are replayed. A response is rendered once; its bytes are stored in the transaction of the
 * effect and sent again to the same request.
 */
import { actorLabel } from '../domain/actor.ts';
import { errorBody, successBody } from '../domain/envelope.ts';
import { HTTP_STATUS, type Outcome, refuse } from '../domain/errors.ts';
import type { IdempotencyRecord } from '../domain/rows.ts';
import { idempotencyId } from './idempotency-table.ts';
import type { Waiter } from './memory.ts';
import type { Answer, EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

type CommandEvent = Extract<EngineEvent, { type: 'command' }>;

/** How long a record lives, ms (specification, "Idempotency" rule 2). */
export const IDEMPOTENCY_WINDOW_MS = 3_600_000;
/** Most records of an account; beyond it requests with a key are refused with 503 (D17). */
export const IDEMPOTENCY_RECORDS_MAX = 100_000;

/**
 * Looks up the request's key. On a replay, a conflict or a full table it answers at once and returns null;
 * else it returns the waiter under which the command goes on (its record is not stored yet: the effect
 * decides what it waits for).
 */
export function admit(step: StepContext, event: CommandEvent): Waiter | null {
  const { context, actor, token } = event;
  const waiter = (record: IdempotencyRecord | null): Waiter => ({
    kind: waiterKind(event.command),
    token,
    requestId: context.requestId,
    user: actor.user,
    record,
  });
  if (!context.idempotency) return waiter(null);
  const { key, fingerprint } = context.idempotency;
  const id = idempotencyId(actor.user, key);
  const known = step.memory.idempotency.get(id);
  if (known && step.now.wall - known.arrivedAt < IDEMPOTENCY_WINDOW_MS) {
    if (known.fingerprint !== fingerprint) {
      return conflict(
        step,
        waiter(null),
        `idempotency key ${key} was already used with different request parameters`,
      );
    }
    if (known.answer === null) {
      return conflict(step, waiter(null), `the request with idempotency key ${key} is already processing`);
    }
    step.effect({ kind: 'answer', token, answer: { ...known.answer, replayed: true } });
    return null;
  }
  if (!known && step.memory.idempotency.countOf(actor.user) >= IDEMPOTENCY_RECORDS_MAX) {
    answer(
      step,
      waiter(null),
      refuse('SERVICE_UNAVAILABLE', 'the idempotency table is full; try again later'),
    );
    return null;
  }
  return waiter({
    user: actor.user,
    key,
    fingerprint,
    arrivedAt: step.now.wall,
    requestId: context.requestId,
    effect: null,
    answer: null,
  });
}

function waiterKind(command: CommandEvent['command']): Waiter['kind'] {
  switch (command.type) {
    case 'refuse':
    case 'place':
      return 'place';
    case 'cancel':
    case 'amend':
    case 'split':
    case 'setting':
      return command.type;
    default:
      return 'bot';
  }
}

/** Makes the request wait for the order: its record is stored in the same transaction, bound to the order. */
export function wait(step: StepContext, waiter: Waiter, orderId: string): void {
  const list = step.memory.waiters.get(orderId) ?? [];
  let kept = waiter;
  if (waiter.record) {
    const kind = waiter.kind === 'setting' || waiter.kind === 'bot' ? 'place' : waiter.kind;
    const record: IdempotencyRecord = { ...waiter.record, effect: { kind, orderId } };
    kept = { ...waiter, record };
    step.memory.idempotency.set(idempotencyId(record.user, record.key), record);
    step.row({ kind: 'idempotency', record });
  }
  list.push(kept);
  step.memory.waiters.set(orderId, list);
}

/**
 * Reserves the key for an effect that concerns no order: it counts as in progress. Without an `effect` of its
 * own a restart forgets it. Returns the waiter as it is stored.
 */
export function reserve(
  step: StepContext,
  waiter: Waiter,
  effect: IdempotencyRecord['effect'] = null,
): Waiter {
  if (!waiter.record) return waiter;
  const record = { ...waiter.record, effect };
  step.memory.idempotency.set(idempotencyId(record.user, record.key), record);
  step.row({ kind: 'idempotency', record });
  return { ...waiter, record };
}

/** Answers the requests of the given kinds that wait for this order. */
export function answerWaiters(
  step: StepContext,
  orderId: string,
  kinds: readonly Waiter['kind'][],
  outcome: Outcome<unknown>,
  select: (waiter: Waiter) => boolean = () => true,
): void {
  const list = step.memory.waiters.get(orderId);
  if (!list) return;
  const rest = list.filter((waiter) => !(kinds.includes(waiter.kind) && select(waiter)));
  for (const waiter of list) {
    if (kinds.includes(waiter.kind) && select(waiter)) answer(step, waiter, outcome, orderId);
  }
  if (rest.length > 0) step.memory.waiters.set(orderId, rest);
  else step.memory.waiters.delete(orderId);
}

/**
 * Renders, records (D14: no 401, 403, 413, 429, 5xx, no idempotency conflict) and releases one response.
 * @param orderId of the order that the request has waited for, if any
 */
export function answer(step: StepContext, waiter: Waiter, outcome: Outcome<unknown>, orderId?: string): void {
  const { record, token, requestId } = waiter;
  const rendered = render(outcome, requestId, step.now.wall, record?.key);
  if (record && !isReplaced(step, record)) {
    const id = idempotencyId(record.user, record.key);
    if (isCached(outcome)) {
      const done: IdempotencyRecord = { ...record, answer: { status: rendered.status, body: rendered.body } };
      step.memory.idempotency.set(id, done);
      step.row({ kind: 'idempotency', record: done });
    } else if (step.memory.idempotency.delete(id)) {
      step.row({ kind: 'idempotency-drop', user: record.user, key: record.key });
    }
  }
  if (token === null) return;
  const waited = orderId === undefined ? {} : { waited: { orderId, waiter } };
  step.effect({ kind: 'answer', token, answer: { ...rendered, outcome }, ...waited });
}

/**
 * Returns whether the hour of the record is over and the key has been used again: the stored record belongs
 * to another request.
 */
function isReplaced(step: StepContext, record: IdempotencyRecord): boolean {
  const known = step.memory.idempotency.get(idempotencyId(record.user, record.key));
  return known !== undefined && known.arrivedAt > record.arrivedAt;
}

/** Removes records older than an hour from memory; the store drops its rows by itself. */
export function sweepIdempotency(step: StepContext): void {
  for (const [id, record] of step.memory.idempotency) {
    if (record.answer !== null && step.now.wall - record.arrivedAt >= IDEMPOTENCY_WINDOW_MS) {
      step.memory.idempotency.delete(id);
    }
  }
}

/** Writes the log line of a refused command: who, what, why. */
export function logRefusal(step: StepContext, event: CommandEvent, outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  const { error } = outcome;
  step.effect({
    kind: 'log',
    level: 'warn',
    text: `${actorLabel(event.actor)}: ${event.command.type} refused${error.reason ? ` (${error.reason})` : ''}: ${error.message}`,
  });
}

function conflict(step: StepContext, waiter: Waiter, message: string): null {
  answer(step, waiter, refuse('IDEMPOTENCY_CONFLICT', message));
  return null;
}

function render(outcome: Outcome<unknown>, requestId: string, timestamp: number, key?: string): Answer {
  if (!outcome.ok) {
    return {
      status: HTTP_STATUS[outcome.error.code],
      body: errorBody(outcome.error, requestId),
      replayed: false,
    };
  }
  const meta = key === undefined ? { requestId, timestamp } : { requestId, timestamp, idempotencyKey: key };
  return { status: 200, body: successBody(outcome.data, meta), replayed: false };
}

function isCached(outcome: Outcome<unknown>): boolean {
  if (outcome.ok) return true;
  const { code } = outcome.error;
  if (code === 'IDEMPOTENCY_CONFLICT') return false;
  const status = HTTP_STATUS[code];
  return status === 400 || status === 404 || status === 409 || status === 422;
}
