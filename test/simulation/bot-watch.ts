/** Watches what is committed and told of bots: invariant 8 as far as it holds at every moment (`bot-checks.ts` has the rest). */
import type { AlertRecord, BotRecord, RunRecord } from '../../src/domain/bot.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { Violate } from './checks.ts';

/** Last ten characters of a bot's order. */
export function runIdOf(orderId: string): string {
  return orderId.slice(orderId.lastIndexOf('_') + 1);
}

/** What is fixed about a run, and its end. */
export type KnownRun = Pick<
  RunRecord,
  'runId' | 'botId' | 'type' | 'startedAt' | 'endedAt' | 'reason' | 'settings' | 'figures'
>;

export class BotWatch {
  /** Every run there ever was; those of deleted bots, too. */
  readonly runs = new Map<string, KnownRun>();
  /** Executions of orders of bots. */
  fills = 0;
  /** Alerts that the receiver has taken, and how often. */
  readonly taken = new Map<string, number>();
  readonly #live = new Map<string, string>();
  /** Alerts by id, as they were stored last. */
  readonly alerts = new Map<string, AlertRecord>();
  /** Alerts: bot, run and condition -> the alert's id. */
  readonly #alerts = new Map<string, string>();
  readonly #violate: Violate;
  readonly #trace: (line: string) => void;
  /** Per bot: what this desk's subscriber was told last. */
  #told = new Map<string, string>();

  constructor(violate: Violate, trace: (line: string) => void) {
    this.#violate = violate;
    this.#trace = trace;
  }

  deskStarted(): void {
    this.#told = new Map();
  }

  took(alertId: string): void {
    this.taken.set(alertId, (this.taken.get(alertId) ?? 0) + 1);
    this.#trace(`taken alert ${alertId}`);
  }

  /** Rows of one commit, right after it. */
  committed(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind === 'run') this.#run(row.run);
      else if (row.kind === 'bot') this.#bot(row.bot);
      else if (row.kind === 'bot-drop') {
        this.#live.delete(row.id);
        for (const { id, botId } of this.alerts.values()) if (botId === row.id) this.alerts.delete(id);
        this.#trace(`bot ${row.id} deleted`);
      } else if (row.kind === 'alert') {
        const { alert } = row;
        this.alerts.set(alert.id, alert);
        const known = `${alert.runId} ${alert.symbol} ${alert.condition} ${alert.market}`;
        const before = this.#alerts.get(known);
        if (before !== undefined && before !== alert.id)
          this.#violate(8, `bot ${alert.botId} fired ${alert.condition} twice at ${alert.market}`);
        this.#alerts.set(known, alert.id);
      } else if (row.kind === 'fill' && row.fill.orderId.includes('_')) this.fills += 1;
    }
    // A run's row may come after those of its orders.
    for (const row of rows) if (row.kind === 'order' && row.order.creator === 'BOT') this.#order(row.order);
  }

  released(effect: Effect): void {
    if (effect.kind !== 'bot-event') return;
    const { event, bot } = effect;
    this.#trace(`told ${event} ${bot.id} ${bot.status} ${bot.runId ?? '-'} ${bot.state ?? '-'}`);
    const last = this.#told.get(bot.id);
    if (event === 'BOT_UPDATE') return;
    if (last === event && event !== 'BOT_ERROR') this.#violate(6, `${event} of ${bot.id} was told twice`);
    if ((event === 'BOT_STARTED') !== (bot.runId !== undefined))
      this.#violate(6, `${event} of ${bot.id} came with run ${bot.runId}`);
    this.#told.set(bot.id, event);
  }

  #run(run: RunRecord): void {
    const { runId, botId, type, startedAt, endedAt, reason, settings, figures } = run;
    const known = this.runs.get(runId);
    if (!known) {
      const other = this.#live.get(botId);
      if (other !== undefined) this.#violate(8, `${botId} has the run ${runId} beside ${other}`);
      this.#trace(`run ${runId} of ${botId} ${JSON.stringify(settings)}`);
    } else if (known.botId !== botId || known.startedAt !== startedAt) {
      this.#violate(
        8,
        `run ${runId} was of ${known.botId} from ${known.startedAt}, is of ${botId} from ${startedAt}`,
      );
    } else if (known.endedAt !== null && (known.endedAt !== endedAt || known.reason !== reason)) {
      this.#violate(
        8,
        `run ${runId} ended at ${known.endedAt} (${known.reason}) and at ${endedAt} (${reason})`,
      );
    } else if (known.figures.fills > figures.fills) {
      this.#violate(5, `run ${runId} had ${known.figures.fills} fills and has ${figures.fills}`);
    }
    if (known?.endedAt === null && endedAt !== null)
      this.#trace(`run ${runId} ended, ${reason} ${run.error ?? ''}`);
    this.runs.set(runId, { runId, botId, type, startedAt, endedAt, reason, settings, figures });
    if (endedAt === null) this.#live.set(botId, runId);
    else if (this.#live.get(botId) === runId) this.#live.delete(botId);
  }

  #bot({ id, status, runId }: BotRecord): void {
    this.#trace(`bot ${id} ${status} ${runId ?? '-'}`);
    if ((status === 'STARTED') !== (runId !== null))
      this.#violate(8, `bot ${id} is ${status} with run ${runId}`);
  }

  #order({ id, creatorId }: OrderRecord): void {
    const run = this.runs.get(runIdOf(id));
    if (!run) this.#violate(8, `${id} is of a bot and of no run`);
    else if (run.botId !== creatorId) this.#violate(8, `${id} is of ${creatorId}, its run of ${run.botId}`);
  }
}
