/** Watches what is committed and told of bots: invariant 8 as far as it holds at every moment (`bot-checks.ts` has the rest). */

import { decodeState } from '../../src/bots/run/codec.ts';
import { NO_BOT } from '../../src/desk/alerts/notice.ts';
import type { AlertRecord, BotRecord, RunRecord } from '../../src/domain/bot.ts';
import { type Dec, dec, div, mul, str, ZERO } from '../../src/domain/decimal.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
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

/** What a run has traded at one moment of the exchange. */
interface Traded {
  at: number;
  bought: Dec;
  cost: Dec;
  sold: Dec;
  proceeds: Dec;
  fees: Dec;
}

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
  /** By run: market time of its last cycle, and what it has traded at its last moment. */
  readonly #cycledAt = new Map<string, number | null>();
  /** Orders of runs, by their ids; and by run the order of each fill, of which its cycles have had the first so many. */
  readonly #orders = new Map<string, Pick<OrderRecord, 'side' | 'orderTime'>>();
  readonly #filled = new Map<string, string[]>();
  readonly #cycled = new Map<string, number>();
  readonly #traded = new Map<string, Traded>();
  /** Runs that have failed while they held something. */
  readonly #failed = new Set<string>();
  readonly #violate: Violate;
  readonly #trace: (line: string) => void;
  /** Per bot: what this desk's subscriber was told last. */
  #told = new Map<string, string>();

  /** Ticks of a live market may come at one time, several in a turn: nothing follows from two moments that are the same. */
  readonly #ticksShareTimes: boolean;

  constructor(violate: Violate, trace: (line: string) => void, ticksShareTimes = false) {
    this.#violate = violate;
    this.#trace = trace;
    this.#ticksShareTimes = ticksShareTimes;
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
    for (const row of rows)
      if (row.kind === 'fill' && row.fill.orderId.includes('_')) {
        const runId = runIdOf(row.fill.orderId);
        this.#filled.set(runId, [...(this.#filled.get(runId) ?? []), row.fill.orderId]);
      }
    for (const row of rows) {
      if (row.kind === 'run') this.#run(row.run);
      else if (row.kind === 'bot') this.#bot(row.bot, rows);
      else if (row.kind === 'bot-drop') {
        this.#live.delete(row.id);
        for (const { id, botId } of this.alerts.values())
          if (botId === row.id && !row.keepsAlerts) this.alerts.delete(id);
        this.#trace(`bot ${row.id} deleted`);
      } else if (row.kind === 'alert') {
        const { alert } = row;
        this.alerts.set(alert.id, alert);
        // A notice is of no bot: two orders, or two lives of the desk, may have the same to tell at one time.
        if (alert.botId === NO_BOT) continue;
        const known = `${alert.runId} ${alert.symbol} ${alert.condition} ${alert.market}`;
        const before = this.#alerts.get(known);
        if (before !== undefined && before !== alert.id && !this.#ticksShareTimes)
          this.#violate(8, `bot ${alert.botId} fired ${alert.condition} twice at ${alert.market}`);
        this.#alerts.set(known, alert.id);
      } else if (row.kind === 'fill' && row.fill.orderId.includes('_')) {
        this.fills += 1;
        this.#fill(row.fill);
      }
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
    const isFailed = event === 'BOT_ERROR' && bot.runId !== undefined && this.#failed.has(bot.runId);
    if ((event === 'BOT_STARTED' || isFailed) !== (bot.runId !== undefined))
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
    this.#cycles(run, known?.figures.cycles ?? 0);
    if (known?.endedAt === null && endedAt !== null)
      this.#trace(`run ${runId} ended, ${reason} ${run.error ?? ''}`);
    this.runs.set(runId, { runId, botId, type, startedAt, endedAt, reason, settings, figures });
    if (endedAt === null) this.#live.set(botId, runId);
    else if (this.#live.get(botId) === runId) this.#live.delete(botId);
  }

  /**
   * One position, one cycle a tick: after it nothing is sent that begins another before the next tick. What was sent before and is
   * told late may well fill and be sold in the same one: each cycle has an entry of its own. GRID and LEVELS have a position for each cell.
   */
  #cycles({ runId, type, settings, figures, state }: RunRecord, before: number): void {
    const more = figures.cycles - before;
    if (more <= 0) return;
    // A commit may have fills that the run hears of after the cycle.
    const filled = new Set(this.#filled.get(runId)?.slice(this.#cycled.get(runId) ?? 0, figures.fills));
    this.#cycled.set(runId, figures.fills);
    if (settings.flavor === 'GRID' || settings.flavor === 'LEVELS') return;
    const at = state === '' ? null : (decodeState(state).cycledAt ?? null);
    const isAgain = at !== null && this.#cycledAt.get(runId) === at && !this.#ticksShareTimes;
    const entry = 'short' in settings && settings.short === true ? 'SELL' : 'BUY';
    const entries = [...filled].map((id) => this.#orders.get(id)).filter((order) => order?.side === entry);
    // Of two cycles told at once the first one may have begun in this tick.
    const isSentAfter =
      !this.#ticksShareTimes && entries.slice(isAgain ? 0 : 1).some((order) => order?.orderTime === at);
    if ((more > 1 || isAgain) && (isSentAfter || entries.length < more))
      this.#violate(
        8,
        `run ${runId} (${type}) has completed ${Math.max(more, 2)} cycles at ${at ?? 'its end'}`,
      );
    this.#cycledAt.set(runId, at);
  }

  /**
   * What a run buys and sells again at one moment never costs it more than all that it may hold: its deposit, times the leverage
   * of a futures run. A resting order trades at its own price however far the market has jumped beyond it, so with leverage one
   * jump alone may cost more than the deposit; going in and out again and again may not.
   */
  #fill({ orderId, symbol, side, time, qty, price, comm, commAsset }: FillRecord): void {
    const runId = runIdOf(orderId);
    const last = this.#traded.get(runId);
    const none = { bought: ZERO, cost: ZERO, sold: ZERO, proceeds: ZERO, fees: ZERO };
    const traded = last?.at === time ? last : { at: time, ...none };
    this.#traded.set(runId, traded);
    const notional = mul(dec(qty), dec(price));
    // What is paid in a third asset is not of the deposit.
    if (commAsset === 'USDT') traded.fees += dec(comm);
    else if (symbol.startsWith(commAsset)) traded.fees += mul(dec(comm), dec(price));
    if (side === 'BUY') {
      traded.bought += dec(qty);
      traded.cost += notional;
    } else {
      traded.sold += dec(qty);
      traded.proceeds += notional;
    }
    const { bought, cost, sold, proceeds, fees } = traded;
    const both = bought < sold ? bought : sold;
    const run = this.runs.get(runId);
    const budget = dec(run?.figures.budget ?? '0');
    if (!run || both === ZERO || budget === ZERO) return;
    const deposit = run.settings.deposit as { readonly leverage?: number } | undefined;
    const most = budget * BigInt(deposit?.leverage ?? 1);
    const loss = div(mul(both, cost), bought) - div(mul(both, proceeds), sold) + fees;
    if (loss > most)
      this.#violate(8, `run ${runId} has lost ${str(loss)} of at most ${str(most)} by trades at ${time}`);
  }

  /** A bot in ERROR keeps a run that has failed and still holds something (R12). */
  #bot({ id, status, runId }: BotRecord, rows: readonly Row[]): void {
    this.#trace(`bot ${id} ${status} ${runId ?? '-'}`);
    const isFailed = status === 'ERROR' && runId !== null && this.#hasFailed(runId, rows);
    if ((status === 'STARTED' || isFailed) !== (runId !== null))
      this.#violate(8, `bot ${id} is ${status} with run ${runId}`);
  }

  #hasFailed(runId: string, rows: readonly Row[]): boolean {
    for (const row of rows)
      if (row.kind === 'run' && row.run.runId === runId && row.run.state !== '')
        if (decodeState(row.run.state).failed !== undefined) this.#failed.add(runId);
    return this.#failed.has(runId);
  }

  #order(order: OrderRecord): void {
    const { id, creatorId, side, orderTime } = order;
    this.#orders.set(id, { side, orderTime });
    const run = this.runs.get(runIdOf(id));
    if (!run) this.#violate(8, `${id} is of a bot and of no run`);
    else if (run.botId !== creatorId) this.#violate(8, `${id} is of ${creatorId}, its run of ${run.botId}`);
  }
}
