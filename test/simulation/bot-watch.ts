/**
 * Watches the commits and messages about bots: the part of invariant 8 that holds at every moment
 * (`bot-checks.ts` has the rest).
 */

import { decodeState } from '../../src/bots/run/codec.ts';
import { NO_BOT } from '../../src/desk/alerts/notice.ts';
import type { AlertRecord, BotRecord, RunRecord } from '../../src/domain/bot.ts';
import { type Dec, dec, div, mul, str, ZERO } from '../../src/domain/decimal.ts';
import type { FillRecord, OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { Violate } from './checks.ts';

/** The run id in an order id: the last ten characters of a bot's order. */
export function runIdOf(orderId: string): string {
  return orderId.slice(orderId.lastIndexOf('_') + 1);
}

/** The fixed fields of a run, and its end. */
export type KnownRun = Pick<
  RunRecord,
  'runId' | 'botId' | 'type' | 'startedAt' | 'endedAt' | 'reason' | 'settings' | 'figures'
>;

/** What a run has traded at one moment of the exchange's time. */
interface Traded {
  at: number;
  bought: Dec;
  cost: Dec;
  sold: Dec;
  proceeds: Dec;
  fees: Dec;
}

export class BotWatch {
  /** All runs that ever existed, including those of deleted bots. */
  readonly runs = new Map<string, KnownRun>();
  /** Number of executions of bot orders. */
  fills = 0;
  /** Alerts that the receiver has accepted, and how often. */
  readonly taken = new Map<string, number>();
  readonly #live = new Map<string, string>();
  /** Alerts by id, as last stored. */
  readonly alerts = new Map<string, AlertRecord>();
  /** Alerts: bot, run and condition -> the alert's id. */
  readonly #alerts = new Map<string, string>();
  /** By run: market time of its last cycle, and its trades at the last moment. */
  readonly #cycledAt = new Map<string, number | null>();
  /**
   * Orders of runs by their ids. Beside it, by run: the order of each fill, and how many of these fills
   * belong to its completed cycles.
   */
  readonly #orders = new Map<string, Pick<OrderRecord, 'side' | 'orderTime'>>();
  readonly #filled = new Map<string, string[]>();
  readonly #cycled = new Map<string, number>();
  readonly #traded = new Map<string, Traded>();
  /** Runs that failed while they still held something. */
  readonly #failed = new Set<string>();
  readonly #violate: Violate;
  readonly #trace: (line: string) => void;
  /** By bot: what this desk's subscriber was told last. */
  #told = new Map<string, string>();

  /**
   * Several ticks of a live market may have the same time, also within a turn: equal times prove nothing
   * there.
   */
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

  /** Checks the rows of one commit, right after it. */
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
        // A notice belongs to no bot: two orders, or two lives of the desk, may report the same at the same
        // time.
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
    // A run's row may follow those of its orders.
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
   * Allows one cycle a tick for one position: after a cycle no order is sent that begins another one before
   * the next tick. An order that was sent earlier and is reported late may still fill and be sold at the same
   * tick: each cycle needs an entry of its own. GRID and LEVELS have a position for each cell.
   */
  #cycles({ runId, type, settings, figures, state }: RunRecord, before: number): void {
    const more = figures.cycles - before;
    if (more <= 0) return;
    // A commit may have fills that the run receives only after the cycle.
    const filled = new Set(this.#filled.get(runId)?.slice(this.#cycled.get(runId) ?? 0, figures.fills));
    this.#cycled.set(runId, figures.fills);
    if (settings.flavor === 'GRID' || settings.flavor === 'LEVELS') return;
    const at = state === '' ? null : (decodeState(state).cycledAt ?? null);
    const isAgain = at !== null && this.#cycledAt.get(runId) === at && !this.#ticksShareTimes;
    const entry = 'short' in settings && settings.short === true ? 'SELL' : 'BUY';
    const entries = [...filled].map((id) => this.#orders.get(id)).filter((order) => order?.side === entry);
    // When two cycles are reported at once, the first may have begun in this tick.
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
   * Limits the loss of a run that buys and sells again at one moment to all that it may hold: its deposit,
   * times the leverage of a futures run. A resting order trades at its own price however far the market has
   * jumped beyond it, so with leverage one jump alone may cost more than the deposit; repeated entries and
   * exits may not.
   */
  #fill({ orderId, symbol, side, time, qty, price, comm, commAsset }: FillRecord): void {
    const runId = runIdOf(orderId);
    const last = this.#traded.get(runId);
    const none = { bought: ZERO, cost: ZERO, sold: ZERO, proceeds: ZERO, fees: ZERO };
    const traded = last?.at === time ? last : { at: time, ...none };
    this.#traded.set(runId, traded);
    const notional = mul(dec(qty), dec(price));
    // A fee in a third asset is not paid from the deposit.
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

  /** Checks that a bot in ERROR keeps a run that has failed and still holds something (R12). */
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
