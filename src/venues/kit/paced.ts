/**
 * Sends the calls of the exchange port through the lanes of an address, and says in the port's terms what
 * becomes of an order, a cancel or a question that waits. Every adapter with budgets sends only through these
 * functions.
 */
import type { AmendOutcome, CancelOutcome, SubmitOutcome } from '../../domain/exchange.ts';
import { type Lane, SEND_WITHIN_MS } from '../../domain/lane.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Deadline, Dispatch } from '../venue.ts';
import type { LaneClient } from './addresses.ts';
import type { Cost } from './budget.ts';
import { PATIENT_MS, patientCosts } from './patient.ts';

/**
 * A question that has not left after this time, ms, has failed: whoever asked has given up (the desk waits 10
 * s).
 */
const ASKED_WITHIN_MS = 10_000;

/**
 * How a request leaves. `leftAt`: monotonic; `ended`: to be called when the answer is here, before its
 * figures are passed on to the budget.
 */
export interface Leaving {
  readonly deadline: Deadline;
  readonly leftAt: number;
  readonly ended: () => void;
}

/**
 * The request was refused because a budget was used up, and certainly not carried out: it may be sent again.
 */
export type Refused = { readonly kind: 'over' };

/** Sends an order. One that gets no turn in time was never sent: it is rejected with BUDGET. */
export async function submitPaced(
  way: LaneClient,
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

/**
 * The wait before a cancel that was refused for lack of budget is sent again, where no ban says for how long,
 * ms.
 */
const AGAIN_MS = 1_000;

/** Sends a cancel, again after each refusal for lack of budget: repeating a cancel is safe. */
export async function cancelPaced(
  way: LaneClient,
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

/**
 * Renews a dead-man switch. A renewal that gets no turn in time was never sent, and its outcome is unknown:
 * the next one will follow soon.
 */
export async function renewPaced(
  way: LaneClient,
  costs: readonly Cost[],
  dispatch: Dispatch,
  send: (leaving: Leaving) => Promise<SettingOutcome>,
): Promise<SettingOutcome> {
  const sent = await pass(way, costs, { ...dispatch, lane: 'renewal' }, send);
  return sent.kind === 'sent' ? sent.answer : { kind: 'unknown', cause: 'it had no turn in time' };
}

/** Asks a question. Null: it got no turn in time, or its answer is null. `isPatient`: nobody waits for it. */
export async function askPaced<T>(
  way: LaneClient,
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

/** `canSend` of the port. */
export function canSendPaced(
  way: LaneClient,
  lane: Lane,
  costs: readonly Cost[],
): { readonly retryAfterMs: number } | null {
  const retryAfterMs = way.waitMs({ lane, costs });
  return retryAfterMs > SEND_WITHIN_MS ? { retryAfterMs } : null;
}

function pass<T>(
  way: LaneClient,
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

/** Changes an order. A change that gets no turn in time was never sent: the order rests as it was. */
export async function amendPaced(
  way: LaneClient,
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
