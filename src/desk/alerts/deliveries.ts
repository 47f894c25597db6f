/**
 * Delivers alerts to the named targets: finds what is due, tries it, stores the outcome. At least once: a try
 * whose outcome is not stored when the desk dies is made again at the next start, with the same delivery id.
 * Bounded in simultaneous requests, in time and in tries; a target that hangs delays only itself.
 */
import type { AlertDelivery, AlertRecord } from '../../domain/bot.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { afterTry, dueAt, failed, isExpired, TRIES_AT_MS } from '../../notify/schedule.ts';
import {
  type AlertMessage,
  NO_ANSWER,
  type Sending,
  type Sent,
  type Target,
  TRIES_AT_ONCE,
  TRY_LIMIT_MS,
} from '../../notify/target.ts';
import type { Alerts } from './alerts.ts';

/** Most requests to all targets at the same time. */
export const TRIES_IN_ALL = 16;
/** How long a stop waits for requests under way, ms: what has arrived is not sent again at the next start. */
export const STOP_WAIT_MS = 2_000;
/** How long a target may take to answer the signal that ends a try, ms. */
const ABORT_WAIT_MS = 1_000;
/** Longest time between two checks, ms: the wall clock may be set, and the machine may sleep. */
const LOOK_AGAIN_MS = 60_000;

export interface DeliveriesOptions {
  readonly alerts: Alerts;
  readonly targets: ReadonlyMap<string, Target>;
  readonly clock: Clock;
  /** Reports a failure, with only the target's name and the reason. */
  readonly warn: (text: string) => void;
}

interface Waiting {
  readonly alert: AlertRecord;
  readonly delivery: AlertDelivery;
}

export class Deliveries {
  readonly #o: DeliveriesOptions;
  readonly #underWay = new Map<string, { readonly target: string; readonly done: Promise<void> }>();
  readonly #aborts = new Set<AbortController>();
  #timer: Cancelable | null = null;
  #state: 'new' | 'open' | 'stopped' = 'new';

  constructor(options: DeliveriesOptions) {
    this.#o = options;
  }

  start(): void {
    this.#state = 'open';
    this.look();
  }

  /** Begins deliveries that are due. To be called when alerts were added. */
  look(): void {
    if (this.#state !== 'open') return;
    const now = this.#o.clock.wall();
    const due: Waiting[] = [];
    let next = now + LOOK_AGAIN_MS;
    let waits = false;
    for (const waiting of [...this.#o.alerts.waiting()]) {
      if (this.#underWay.has(keyOf(waiting))) continue;
      if (this.#givesUp(waiting, now)) continue;
      waits = true;
      const at = dueAt(waiting.delivery, now);
      if (at <= now) due.push(waiting);
      else next = Math.min(next, at);
    }
    due.sort((a, b) => dueAt(a.delivery, now) - dueAt(b.delivery, now));
    for (const waiting of due) this.#begin(waiting);
    this.#timer?.cancel();
    this.#timer = waits ? this.#o.clock.after(next - now, () => this.look()) : null;
  }

  /** Begins nothing more, waits a little for requests under way, then ends them. Idempotent. */
  async stop(): Promise<void> {
    if (this.#state === 'stopped') return;
    this.#state = 'stopped';
    this.#timer?.cancel();
    const all = Promise.all([...this.#underWay.values()].map(({ done }) => done));
    if (this.#underWay.size > 0) {
      const limit = this.#o.clock.after(STOP_WAIT_MS, () => this.#abortAll());
      await all;
      limit.cancel();
    }
    await Promise.all([...this.#o.targets.values()].map((target) => target.close()));
  }

  /** Gives up a delivery that will never be tried. */
  #givesUp({ alert, delivery }: Waiting, now: number): boolean {
    const reason = this.#hopeless(alert, delivery, now);
    if (reason === null) return false;
    this.#o.alerts.deliver(alert.id, delivery.target, (one) => failed(one, reason));
    this.#o.warn(`target ${delivery.target}: given up: ${reason}`);
    return true;
  }

  #hopeless(alert: AlertRecord, { target, error }: AlertDelivery, now: number): string | null {
    if (!this.#o.targets.has(target)) return `no target named "${target}" in the configuration any more`;
    if (!isExpired(alert.at, now)) return null;
    return `more than an hour old before it could be sent${error === null ? '' : `; last: ${error}`}`;
  }

  #begin(waiting: Waiting): void {
    const { target: name } = waiting.delivery;
    const target = this.#o.targets.get(name);
    const ofTarget = [...this.#underWay.values()].filter((one) => one.target === name).length;
    // A delivery without a free place is checked again when a try has ended.
    if (!target || ofTarget >= TRIES_AT_ONCE || this.#underWay.size >= TRIES_IN_ALL) return;
    const key = keyOf(waiting);
    const done = this.#attempt(waiting, target).then(() => {
      this.#underWay.delete(key);
      this.look();
    });
    this.#underWay.set(key, { target: name, done });
  }

  /** Never rejects. */
  async #attempt({ alert, delivery }: Waiting, target: Target): Promise<void> {
    const { clock, alerts } = this.#o;
    const begunAt = clock.wall();
    const abort = new AbortController();
    this.#aborts.add(abort);
    const limit = clock.after(TRY_LIMIT_MS, () => abort.abort());
    const sent = await this.#answer(target, alert, { now: begunAt, signal: abort.signal });
    limit.cancel();
    this.#aborts.delete(abort);
    // Ended by the stop: the next start tries it again.
    if (this.#state === 'stopped' && abort.signal.aborted && !sent.ok) return;
    const ended = { begunAt, endedAt: clock.wall(), sent };
    const change = (one: AlertDelivery) => afterTry(one, ended);
    if (!sent.ok) this.#tell(change(delivery), sent.reason);
    alerts.deliver(alert.id, target.name, change);
  }

  /** Resolves at the latest soon after the signal, whatever the target does. */
  async #answer(target: Target, alert: AlertRecord, sending: Sending): Promise<Sent> {
    let wait: Cancelable | null = null;
    const late = new Promise<Sent>((resolve) => {
      sending.signal.addEventListener('abort', () => {
        wait = this.#o.clock.after(ABORT_WAIT_MS, () => resolve(unsent(NO_ANSWER)));
      });
    });
    try {
      return await Promise.race([target.send(messageOf(alert), sending), late]);
    } catch {
      return unsent('the request could not be made');
    } finally {
      (wait as Cancelable | null)?.cancel();
    }
  }

  #tell({ target, tries, state, error }: AlertDelivery, reason: string): void {
    const text = state === 'failed' ? `given up: ${error ?? reason}` : reason;
    this.#o.warn(`target ${target}: ${text} (try ${tries} of ${TRIES_AT_MS.length})`);
  }

  #abortAll(): void {
    for (const abort of this.#aborts) abort.abort();
  }
}

function keyOf({ alert, delivery }: Waiting): string {
  return `${alert.id} ${delivery.target}`;
}

function unsent(reason: string): Sent {
  return { ok: false, reason, retryable: true, retryAfterMs: null };
}

function messageOf(alert: AlertRecord): AlertMessage {
  const { id, botId, runId, symbol, condition, message, price, at, market } = alert;
  return { id, bot: botId, run: runId, symbol, condition, message, price, time: at, market };
}
