/**
 * Alerts and their deliveries without a desk: a virtual clock, a store that can fail and that a crash leaves
 * behind, targets that answer as the test says.
 */
import { Alerts } from '../../src/desk/alerts/alerts.ts';
import { Deliveries } from '../../src/desk/alerts/deliveries.ts';
import type { AlertDelivery, AlertRecord } from '../../src/domain/bot.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import { NO_ANSWER, type Sent, type Target } from '../../src/notify/target.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** How a target answers one try. */
export interface Reply {
  readonly afterMs: number;
  readonly sent: Sent;
  /** The target ignores the signal that aborts a try. */
  readonly deaf?: boolean;
}

export interface Send {
  readonly target: string;
  readonly alert: string;
  readonly at: number;
  /** Time at which the try was answered; null: not yet. */
  endedAt: number | null;
}

export const OK: Sent = { ok: true };
export const FAILING: Sent = { ok: false, reason: 'HTTP 503', retryable: true, retryAfterMs: null };
export const HOPELESS: Sent = { ok: false, reason: 'HTTP 404', retryable: false, retryAfterMs: null };

export function asking(ms: number): Sent {
  return { ok: false, reason: 'HTTP 429', retryable: true, retryAfterMs: ms };
}

type Fired = Extract<Effect, { kind: 'bot-alert' }>;

/** One life of the desk: from a start to a stop or a crash. */
interface Life {
  readonly alerts: Alerts;
  readonly deliveries: Deliveries;
  over: boolean;
}

export class AlertsRig {
  readonly clock = new VirtualClock();
  /** The alerts that a start would load. */
  readonly stored = new Map<string, AlertRecord>();
  readonly commits: Row[][] = [];
  readonly sends: Send[] = [];
  readonly log: string[] = [];
  /** Number of the next commits that fail, among those for which `refuses` returns true. */
  failing = 0;
  refuses: (rows: readonly Row[]) => boolean = () => true;
  changes = 0;
  /** The reply to the n-th try of an alert at a target, counted from 0. */
  reply: (send: Send, nth: number) => Reply = () => ({ afterMs: 0, sent: OK });
  targets: readonly string[] = ['a', 'b'];
  closed = 0;
  #ids = 0;
  #life: Life;

  constructor(setUp: (rig: AlertsRig) => void = () => {}) {
    setUp(this);
    this.#life = this.#begin();
  }

  get alerts(): Alerts {
    return this.#life.alerts;
  }

  get deliveries(): Deliveries {
    return this.#life.deliveries;
  }

  /** Fires an alert in its own commit, as the desk does; returns its id. */
  fire(targets: readonly string[], botId = 'bot-1'): string {
    const effect: Fired = {
      kind: 'bot-alert',
      user: 'owner',
      botId,
      runId: `${botId}-run`,
      market: 1_000,
      alert: { condition: 'range[0]', symbol: 'BTCUSDT', message: 'crossed', price: '100' },
      targets: ['console', ...targets],
    };
    const rows = this.alerts.rows([effect]);
    this.#apply(rows);
    this.alerts.fired(effect);
    this.deliveries.look();
    return (rows[0] as { alert: AlertRecord }).alert.id;
  }

  /** The delivery as the consoles see it. */
  delivery(id: string, target: string): AlertDelivery | undefined {
    return this.alerts
      .of('owner')
      .find((alert) => alert.id === id)
      ?.deliveries.find((d) => d.target === target);
  }

  sendsOf(id: string, target: string): Send[] {
    return this.sends.filter((send) => send.alert === id && send.target === target);
  }

  /** The process dies and starts again after a while: what is not stored is lost. */
  async crash(downMs: number): Promise<void> {
    this.#life.over = true;
    await this.clock.advance(downMs);
    this.#life = this.#begin();
    await this.clock.settle();
  }

  async restart(): Promise<void> {
    const stopping = this.deliveries.stop();
    for (let waits = 0; waits < 5; waits++) await this.clock.advance(1_000);
    await stopping;
    this.alerts.close();
    await this.clock.settle();
    await this.crash(0);
  }

  #begin(): Life {
    const { clock } = this;
    const alerts = new Alerts({
      initial: [...this.stored.values()],
      clock,
      id: () => `alert-${++this.#ids}`,
      store: (rows) => this.#store(rows, life),
      changed: () => {
        this.changes++;
      },
    });
    const targets = new Map(this.targets.map((name) => [name, this.#target(name, () => life.over)]));
    const deliveries = new Deliveries({ alerts, targets, clock, warn: (text) => void this.log.push(text) });
    const life: Life = { alerts, deliveries, over: false };
    deliveries.start();
    return life;
  }

  #store(rows: Row[], life: Life): Promise<void> {
    return new Promise((resolve, reject) => {
      this.clock.endOfTurn(() => {
        if (life.over) return;
        if (this.failing > 0 && this.refuses(rows)) {
          this.failing--;
          reject(new Error('the commit failed, says the test'));
          return;
        }
        this.#apply(rows);
        resolve();
      });
    });
  }

  #apply(rows: Row[]): void {
    this.commits.push(rows);
    for (const row of rows) {
      if (row.kind === 'alert') this.stored.set(row.alert.id, row.alert);
      if (row.kind !== 'bot-drop' || row.keepsAlerts) continue;
      for (const { id, botId } of [...this.stored.values()]) if (botId === row.id) this.stored.delete(id);
    }
  }

  #target(name: string, isOver: () => boolean): Target {
    return {
      name,
      send: (alert, { now, signal }) => {
        if (isOver()) return new Promise(() => {});
        const send: Send = { target: name, alert: alert.id, at: now, endedAt: null };
        const reply = this.reply(send, this.sendsOf(alert.id, name).length);
        this.sends.push(send);
        return new Promise((resolve) => {
          const end = (sent: Sent) => {
            send.endedAt ??= this.clock.wall();
            resolve(sent);
          };
          const timer = this.clock.after(reply.afterMs, () => end(reply.sent));
          signal.addEventListener('abort', () => {
            if (reply.deaf) return;
            timer.cancel();
            end({ ok: false, reason: NO_ANSWER, retryable: true, retryAfterMs: null });
          });
        });
      },
      close: async () => {
        this.closed++;
      },
    };
  }
}
