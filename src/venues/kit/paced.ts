/**
 * The calls of the exchange port through the lanes of its address: what becomes of an order, a cancel and a question that wait, in
 * the words of the port. Every adapter that has budgets sends by these, and nothing past them.
 */
import type { AmendOutcome, CancelOutcome, SubmitOutcome } from '../../domain/exchange.ts';
import { type Lane, SEND_WITHIN_MS } from '../../domain/lane.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Deadline, Dispatch } from '../venue.ts';
import type { Way } from './addresses.ts';
import type { Cost } from './budget.ts';
import { PATIENT_MS, patientCosts } from './patient.ts';

/** A question that has not left by then has failed: whoever asked has given up (the desk waits 10 s). */
const ASKED_WITHIN_MS = 10_000;

/** What a request is sent with. `leftAt`: monotonic; `ended`: its answer is here, before what it tells is told. */
export interface Leaving {
  readonly deadline: Deadline;
  readonly leftAt: number;
  readonly ended: () => void;
}

/** A refusal of a request that was certainly not carried out, for lack of budget: it may be sent again. */
export type Refused = { readonly kind: 'over' };

/** What has no turn in time was never sent: rejected with BUDGET. */
export async function submitPaced(
  way: Way,
  costs: readonly Cost[],
  dispatch: Dispatch,
  send: (leaving: Leaving) => Promise<SubmitOutcome>,
): Promise<SubmitOutcome> {
  const sent = await pass(way, costs, dispatch, send);
  if (sent.kind === 'sent') return sent.answer;
  if (sent.kind === 'withdrawn') return { kind: 'withdrawn' };
  const message = 'not sent: what the exchange lets be sent is used up; try again later';
  return { kind: 'rejected', reason: 'BUDGET', code: 'BUDGET', message };
}

/** So long a cancel is not sent again that was refused for lack of budget where nothing says for how long, ms. */
const AGAIN_MS = 1_000;

/** Waits as often as it is refused for lack of budget: asking again for a cancel is safe. */
export async function cancelPaced(
  way: Way,
  costs: readonly Cost[],
  dispatch: Dispatch,
  send: (leaving: Leaving) => Promise<CancelOutcome | Refused>,
): Promise<CancelOutcome> {
  for (;;) {
    const sent = await pass(way, costs, { ...dispatch, lane: 'cancel', waitUntil: Infinity }, send);
    if (sent.kind !== 'sent') return { kind: 'unknown', cause: 'the cancel was not sent' };
    if (sent.answer.kind !== 'over') return sent.answer;
    if (way.budget.bannedMs(way.now) === 0) await way.pause(AGAIN_MS);
  }
}

/** Of a dead-man switch. What has no turn in time was never sent, and is no answer: the next one is about to come. */
export async function renewPaced(
  way: Way,
  costs: readonly Cost[],
  dispatch: Dispatch,
  send: (leaving: Leaving) => Promise<SettingOutcome>,
): Promise<SettingOutcome> {
  const sent = await pass(way, costs, { ...dispatch, lane: 'renewal' }, send);
  return sent.kind === 'sent' ? sent.answer : { kind: 'unknown', cause: 'it had no turn in time' };
}

/** Null: it had no turn in time, or the answer is null. `isPatient`: nobody waits for it. */
export async function askPaced<T>(
  way: Way,
  costs: readonly Cost[],
  ask: (leaving: Omit<Leaving, 'deadline'>) => Promise<T | null>,
  { lane = 'read', isPatient = false }: { readonly lane?: Lane; readonly isPatient?: boolean } = {},
): Promise<T | null> {
  const sent = await way.send({
    lane,
    costs: isPatient ? patientCosts(costs) : costs,
    yields: isPatient,
    notAfter: way.now + (isPatient ? PATIENT_MS : ASKED_WITHIN_MS),
    run: (leftAt, ended) => ask({ leftAt, ended }),
  });
  return sent.kind === 'sent' ? sent.answer : null;
}

/** As `canSend` of the port. */
export function canSendPaced(
  way: Way,
  lane: Lane,
  costs: readonly Cost[],
): { readonly retryAfterMs: number } | null {
  const retryAfterMs = way.waitMs({ lane, costs });
  return retryAfterMs > SEND_WITHIN_MS ? { retryAfterMs } : null;
}

function pass<T>(
  way: Way,
  costs: readonly Cost[],
  { lane, waitUntil, onWaits, leaves }: Dispatch,
  send: (leaving: Leaving) => Promise<T>,
) {
  let deadline: Deadline = { notAfter: waitUntil };
  return way.send<T>({
    lane,
    costs,
    notAfter: waitUntil,
    onWaits,
    onLeaves: () => {
      deadline = leaves();
    },
    run: (leftAt, ended) => send({ deadline, leftAt, ended }),
  });
}

/** What has no turn in time was never sent: it rests as it was. */
export async function amendPaced(
  way: Way,
  costs: readonly Cost[],
  dispatch: Dispatch,
  send: (leaving: Leaving) => Promise<AmendOutcome>,
): Promise<AmendOutcome> {
  const sent = await pass(way, costs, dispatch, send);
  if (sent.kind === 'sent') return sent.answer;
  return {
    kind: 'rejected',
    reason: 'BUDGET',
    code: 'BUDGET',
    message: 'not sent: there was no turn for it',
  };
}
