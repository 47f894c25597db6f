/**
 * The life of a run around its inputs: the exchange's settings that are made before it starts, the effects of
 * its end on its bot, and automatic restarts (strategies.md 4; S42). Pure; the bot engine drives it.
 */
import type { BotRecord, RunRecord } from '../../domain/bot.ts';
import { isManaged } from '../../domain/bot-bounds.ts';
import type { OrderRecord } from '../../domain/order.ts';
import { cancelOrder } from '../../engine/held.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { EndReason } from '../run/contract.ts';
import type { Bots } from './bots.ts';
import { figuresOf } from './figures.ts';
import type { LiveRun } from './live-run.ts';
import { directionOf } from './symbol-users.ts';

/**
 * Digits of a time in base 36, enough until the year 2059; with two more they make a run id of ten characters
 * (S19).
 */
const TIME_LENGTH = 8;
const RESTART_WINDOW_MS = 3_600_000;
const RESTARTS_MAX = 10;
/**
 * Maximum number of settings that one start requests where answers get lost: making a setting twice has the
 * same effect as once.
 */
const SETTINGS_MAX = 4;
/**
 * Ends after which a run is not restarted: otherwise a position that somebody has closed would be opened
 * again.
 */
const NOT_BY_ITSELF: ReadonlySet<EndReason> = new Set([
  'operator',
  'error',
  'liquidated',
  'closed elsewhere',
]);

export class RunLife {
  readonly #e: Bots;

  constructor(engine: Bots) {
    this.#e = engine;
  }

  /** Makes the exchange's settings one after the other before the first order; then starts the run. */
  arrange(step: StepContext, live: LiveRun): void {
    const { run, parts } = live;
    const { deposit, marginType } = run.settings;
    const { futures, caps } = step.memory.account(parts.exchange);
    const pause = this.#e.pauseOf(live);
    const info = futures?.leverage.of(run.rules.symbol, futures.hedge ? directionOf(run.settings) : 'BOTH');
    if (futures && marginType !== null && info?.marginType !== marginType) {
      this.#set(step, live, { kind: 'marginType', symbol: run.rules.symbol, marginType });
      return;
    }
    const leverage = deposit?.leverage ?? null;
    const isDoubted = caps.leverageUntold && !live.isLeverageSet && !pause?.final;
    if (futures && leverage !== null && isDoubted && pause) {
      // The setting cannot be made now, and no order is sent before it is made: the start waits, too (R12).
      run.state.pause = pause;
      return;
    }
    if (futures && leverage !== null && (info?.leverage !== leverage || isDoubted)) {
      this.#set(step, live, { kind: 'leverage', symbol: run.rules.symbol, leverage });
      return;
    }
    if (pause || run.state.pause) run.state.pause = pause;
    run.start();
    this.#e.settle(step, live);
    // It has failed before it began: nothing else would report a state that existed already.
    if (pause?.final) this.#e.give(step, live, { type: 'pause', pause });
  }

  #set(
    step: StepContext,
    live: LiveRun,
    setting: Parameters<EngineMemory['settings']['set']>[1]['setting'],
  ): void {
    if (setting.kind === 'leverage') live.isLeverageSet = true;
    const id = `set-${step.now.wall.toString(36)}-${live.id}-${live.settings.length}`;
    live.settings.push(id);
    const { exchange } = live.parts;
    step.memory.settings.set(id, { exchange, setting, waiter: null });
    step.effect({ kind: 'setting', id, exchange, setting });
  }

  settingDone(step: StepContext, event: Extract<EngineEvent, { type: 'setting-done' }>): void {
    const live = [...this.#e.book.runs.values()].find(({ settings }) => settings.at(-1) === event.id);
    if (!live?.going || live.run.state.started) return;
    const { leverageUntold } = step.memory.account(live.parts.exchange).caps;
    if (event.outcome.kind === 'done') {
      this.arrange(step, live);
    } else if (leverageUntold && event.outcome.kind === 'unknown' && live.settings.length < SETTINGS_MAX) {
      live.isLeverageSet = false;
      this.arrange(step, live);
    } else {
      const why = event.outcome.kind === 'rejected' ? event.outcome.message : event.outcome.cause;
      live.run.fail(why);
      this.#e.give(step, live, { type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: true });
    }
    this.#e.work(step);
  }

  ended(step: StepContext, live: LiveRun): void {
    const bot = this.#e.book.bots.get(live.parts.botId);
    if (!live.told) {
      live.told = true;
      const failed = live.run.state.reason === 'error';
      this.#e.book.ended.set(live.parts.botId, { label: live.run.label(), stats: figuresOf(live.run) });
      if (bot) {
        const restartAt = this.#restartTime(step, bot, live);
        this.#e.setBot(step, { ...bot, status: failed ? 'ERROR' : 'STOPPED', runId: null, restartAt });
        this.#e.tell(step, bot.id, failed ? 'BOT_ERROR' : 'BOT_STOPPED');
      }
      this.#e.stops.ended(step, live);
    }
    if (live.over) {
      this.#e.store(step, live);
      this.#e.drop(live);
      this.dropManaged(step, live.parts.botId, live.run.state.error ?? live.run.state.reason ?? 'ended');
    }
  }

  /** Deletes a bot that the desk made for one purpose together with its run; its alerts stay (S60). */
  dropManaged(step: StepContext, botId: string, why: string): void {
    const bot = this.#e.book.bots.get(botId);
    if (!bot || bot.runId !== null || !isManaged(bot)) return;
    const level = bot.status === 'ERROR' ? 'error' : 'info';
    const symbol = typeof bot.settings.symbol === 'string' ? ` of ${bot.settings.symbol}` : '';
    const text = `${botId}: the ${bot.type}${symbol} that was made for its exits or alert is over: ${why}`;
    step.effect({ kind: 'log', level, source: 'bot', text });
    this.#e.dropBot(step, bot, true);
  }

  /**
   * Returns the time of the restart: a run that ended by itself is started again, at most ten times an hour
   * (S42).
   */
  #restartTime(step: StepContext, bot: BotRecord, live: LiveRun): number | null {
    const { options } = live.run.settings;
    const { reason } = live.run.state;
    if (isManaged(bot)) return null;
    if (!options.restart || reason === null || NOT_BY_ITSELF.has(reason)) return null;
    const recent = bot.restarts.filter((at) => this.#e.now() - at < RESTART_WINDOW_MS);
    if (recent.length >= RESTARTS_MAX) {
      this.#e.notice(step, live, 1, `not started again: ${RESTARTS_MAX} automatic restarts within an hour`);
      return null;
    }
    return this.#e.now() + options.restartDelay;
  }

  restart(step: StepContext, bot: BotRecord): void {
    const now = this.#e.now();
    const restarts = [...bot.restarts.filter((at) => now - at < RESTART_WINDOW_MS), now];
    const again = { ...bot, restarts, restartAt: null };
    this.#e.setBot(step, again);
    const started = this.#e.startRun(step, again, this.#restartId(now));
    if (typeof started !== 'string') return;
    step.effect({ kind: 'log', level: 'error', text: `bot ${bot.id} was not started again: ${started}` });
    this.#e.setBot(step, { ...again, status: 'ERROR' });
    this.#e.tell(step, bot.id, 'BOT_ERROR');
  }

  /** Ends a stored run that cannot be restored as if it had failed. */
  lost(step: StepContext, record: RunRecord, why: string): void {
    const error = `the run cannot go on: ${why}`;
    const endedAt = record.endedAt ?? this.#e.now();
    step.row({ kind: 'run', run: { ...record, endedAt, reason: 'error', error, state: '' } });
    step.effect({ kind: 'log', level: 'error', text: `bot ${record.botId}: ${error}` });
    for (const order of step.memory.orders.values()) {
      const own = order.creator === 'BOT' && order.id.endsWith(`_${record.runId}`);
      if (own) this.withdraw(step, order, error);
    }
    const bot = this.#e.book.bots.get(record.botId);
    if (bot?.runId !== record.runId) return;
    this.#e.book.ended.set(bot.id, { label: record.label, stats: record.figures });
    this.#e.setBot(step, { ...bot, status: 'ERROR', runId: null });
    this.#e.tell(step, bot.id, 'BOT_ERROR');
    this.dropManaged(step, bot.id, error);
  }

  /**
   * Forgets a run whose bot is deleted: nothing of it is stored any more, and the engine takes over its
   * cancels.
   */
  forget(step: StepContext, live: LiveRun): void {
    for (const { key, cancelAsked } of live.run.slots.orders()) {
      const order = cancelAsked && step.memory.orders.get(live.ids.get(key) ?? '');
      if (order) this.withdraw(step, order, `cancelled by bot ${order.creatorId}`);
    }
    this.#e.drop(live);
  }

  /**
   * Cancels an order that no run knows any more; the engine repeats the cancel if the exchange refuses it.
   */
  withdraw(step: StepContext, order: OrderRecord, why: string): void {
    cancelOrder(step, order, `bot ${order.creatorId}`, why, { keep: true });
  }

  /** Id of a run that nobody asked for: its time, and its number among the restarts at that time. */
  #restartId(now: number): string {
    let number = 0;
    for (const { restarts } of this.#e.book.bots.values())
      number += restarts.filter((at) => at === now).length;
    return `${now.toString(36).padStart(TIME_LENGTH, '0')}${number.toString(36).padStart(2, '0')}`;
  }
}
