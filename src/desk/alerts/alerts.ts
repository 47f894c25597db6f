/**
 * Alerts of ALARM and NOTIFY bots: kept, shown, marked as seen, with the state of their deliveries. An
 * alert's row is stored in one commit with the decision that fired it, and consoles see only what is stored.
 * A later state that could not be stored is kept here and stored again.
 */
import type { AlertDelivery, AlertRecord } from '../../domain/bot.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { CONSOLE_TARGETS } from '../../domain/notices.ts';
import type { Row } from '../../domain/rows.ts';
import type { Effect } from '../../engine/step.ts';
import { failed } from '../../notify/schedule.ts';
import { NO_BOT } from './notice.ts';

/** Most alerts kept in memory and mirrored, besides those still to be delivered. */
const KEPT = 200;
/** Most waiting deliveries of one target and of all: beyond them an alert is not sent. */
export const WAITING_OF_TARGET = 250;
export const WAITING_IN_ALL = 2_000;
/**
 * Wait before a state that could not be stored is stored again, ms: longer than the window in which failures
 * end the desk.
 */
const STORE_AGAIN_MS = 15_000;

const AT_CONSOLES: readonly string[] = CONSOLE_TARGETS;

type Fired = Extract<Effect, { kind: 'bot-alert' }>;

export interface AlertsOptions {
  readonly initial: readonly AlertRecord[];
  readonly clock: Clock;
  readonly id: () => string;
  /** Resolves once the rows are committed; rejects when the commit failed, and they are dropped. */
  readonly store: (rows: Row[]) => Promise<void>;
  readonly changed: () => void;
  /** Whether an alert is neither sent nor rung. Default none. */
  readonly isMuted?: (botId: string, target: string) => boolean;
}

export class Alerts {
  readonly #o: AlertsOptions;
  /** Newest last, as stored. */
  #shown: readonly AlertRecord[];
  /**
   * Alerts that are shown, still to be delivered, or not stored yet, in their present state; oldest first.
   */
  readonly #records: Map<string, AlertRecord>;
  readonly #unstored = new Set<string>();
  /** Alerts whose commit is still to come. */
  readonly #made = new WeakMap<Effect, AlertRecord>();
  #again: Cancelable | null = null;
  #closed = false;

  constructor(options: AlertsOptions) {
    this.#o = options;
    this.#shown = options.initial.slice(-KEPT);
    this.#records = new Map(options.initial.map((alert) => [alert.id, alert]));
    this.#forget();
  }

  /** Returns the alerts of a user, newest last. */
  of(user: string): readonly AlertRecord[] {
    return this.#shown.filter((alert) => alert.user === user);
  }

  /** Returns the rows of the alerts among the effects of a step, to be stored with that step's own. */
  rows(effects: readonly Effect[]): Row[] {
    const rows: Row[] = [];
    for (const effect of effects) {
      if (effect.kind !== 'bot-alert') continue;
      const alert = this.#make(effect);
      this.#made.set(effect, alert);
      rows.push({ kind: 'alert', alert });
    }
    return rows;
  }

  /** Shows an alert once its commit has been made. */
  fired(effect: Fired): void {
    const alert = this.#made.get(effect);
    if (!alert) return;
    this.#records.set(alert.id, alert);
    this.#shown = [...this.#shown, alert].slice(-KEPT);
    this.#forget();
    this.#o.changed();
  }

  /** Changes the state of one delivery; does nothing when the alert is gone or the delivery is finished. */
  deliver(id: string, target: string, change: (delivery: AlertDelivery) => AlertDelivery): void {
    const isIt = (one: AlertDelivery) => one.target === target && one.state === 'waiting';
    const alert = this.#records.get(id);
    if (!alert?.deliveries.some(isIt)) return;
    const deliveries = alert.deliveries.map((one) => (isIt(one) ? change(one) : one));
    this.#put({ ...alert, deliveries });
  }

  seen(ids: readonly string[]): void {
    for (const id of ids) {
      const alert = this.#records.get(id);
      if (alert && !alert.seen) this.#put({ ...alert, seen: true });
    }
  }

  /** Yields the waiting deliveries, those of the oldest alert first. */
  *waiting(): Generator<{ readonly alert: AlertRecord; readonly delivery: AlertDelivery }> {
    for (const alert of this.#records.values()) {
      for (const delivery of alert.deliveries) if (delivery.state === 'waiting') yield { alert, delivery };
    }
  }

  /** Removes the alerts of a deleted bot (S42). */
  gone(botId: string): void {
    const ids = [...this.#records.values()].filter((alert) => alert.botId === botId).map(({ id }) => id);
    if (ids.length === 0) return;
    for (const id of ids) this.#records.delete(id);
    this.#shown = this.#shown.filter((alert) => alert.botId !== botId);
    // A state stored in the same turn may have come after the deletion.
    if (ids.some((id) => this.#unstored.has(id))) void this.#store([{ kind: 'bot-drop', id: botId }]);
    for (const id of ids) this.#unstored.delete(id);
    this.#o.changed();
  }

  /** Stores the rest, a last time. */
  close(): void {
    this.#closed = true;
    this.#again?.cancel();
    this.#storeAll();
  }

  #make({ alert, botId, runId, user, market, targets }: Fired): AlertRecord {
    const at = this.#o.clock.wall();
    const deliveries = targets
      .filter((target) => target !== 'console')
      .map((target) => this.#begin(target, at, this.#o.isMuted?.(botId, target) === true));
    // A notice that goes to no console counts as seen there.
    const seen = botId === NO_BOT && !targets.some((target) => AT_CONSOLES.includes(target));
    return { id: this.#o.id(), botId, runId, user, market, at, ...alert, seen, deliveries };
  }

  /** Begins a delivery. At the consoles, bells and notices need none: the consoles see the alert. */
  #begin(target: string, at: number, muted: boolean): AlertDelivery {
    if (muted) return failed({ target, state: 'waiting', tries: 0, nextAt: at, error: null }, 'muted');
    if (AT_CONSOLES.includes(target)) return { target, state: 'done', tries: 0, nextAt: null, error: null };
    const delivery: AlertDelivery = { target, state: 'waiting', tries: 0, nextAt: at, error: null };
    let ofTarget = 0;
    let inAll = 0;
    for (const { delivery: other } of this.waiting()) {
      inAll++;
      if (other.target === target) ofTarget++;
    }
    if (ofTarget >= WAITING_OF_TARGET) return failed(delivery, `${ofTarget} alerts wait for it already`);
    return inAll >= WAITING_IN_ALL ? failed(delivery, `${inAll} deliveries wait already`) : delivery;
  }

  #put(alert: AlertRecord): void {
    this.#records.set(alert.id, alert);
    this.#unstored.add(alert.id);
    // While the store fails, all states wait for the next attempt together.
    if (this.#again === null) void this.#store([{ kind: 'alert', alert }]);
  }

  async #store(rows: Row[]): Promise<void> {
    try {
      await this.#o.store(rows);
    } catch {
      this.#storeLater();
      return;
    }
    for (const row of rows) {
      // A state that came meanwhile has a commit of its own.
      if (row.kind !== 'alert' || this.#records.get(row.alert.id) !== row.alert) continue;
      this.#unstored.delete(row.alert.id);
      this.#show(row.alert);
    }
    this.#forget();
    this.#o.changed();
  }

  #storeLater(): void {
    if (this.#closed || this.#again !== null) return;
    this.#again = this.#o.clock.after(STORE_AGAIN_MS, () => {
      this.#again = null;
      this.#storeAll();
    });
  }

  #storeAll(): void {
    const rows = [...this.#unstored].flatMap((id): Row[] => {
      const alert = this.#records.get(id);
      return alert ? [{ kind: 'alert', alert }] : [];
    });
    if (rows.length > 0) void this.#store(rows);
  }

  /** Updates a shown alert; one that newer ones have pushed out does not come back. */
  #show(alert: AlertRecord): void {
    this.#shown = this.#shown.map((one) => (one.id === alert.id ? alert : one));
  }

  /** Drops records that are neither shown, nor to be delivered, nor to be stored. */
  #forget(): void {
    if (this.#records.size <= this.#shown.length) return;
    const shown = new Set(this.#shown.map(({ id }) => id));
    for (const [id, { deliveries }] of this.#records) {
      const needed =
        shown.has(id) || this.#unstored.has(id) || deliveries.some(({ state }) => state === 'waiting');
      if (!needed) this.#records.delete(id);
    }
  }
}
