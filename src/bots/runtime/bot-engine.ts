/**
 * The bots in the engine's step (architecture.md, promises): gives every run its inputs in the order of
 * strategies.md 1, turns its actions into orders of the engine, and adds its state to the rows of the same
 * step. Pure: the market's past comes through a port, the time with the step.
 */
import type { Actor } from '../../domain/actor.ts';
import type { BotEvent, BotNotice, BotRecord, PublicBot, RunRecord } from '../../domain/bot.ts';
import { MAX_BOTS } from '../../domain/bot-bounds.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import { marketOf } from '../../domain/exchange.ts';
import { TERMINAL } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import { place } from '../../engine/commands.ts';
import type { EngineExtension } from '../../engine/extension.ts';
import { cancelOrder } from '../../engine/held.ts';
import type { Waiter } from '../../engine/memory.ts';
import { RANDOM_LENGTH } from '../../engine/order-ids.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { StepContext } from '../../engine/step-context.ts';
import { decodeState } from '../run/codec.ts';
import type { Pause, RunAction, RunInput, RunOrder } from '../run/contract.ts';
import { newRunState, type RunState } from '../run/run-state.ts';
import { problemsText } from '../settings/check.ts';
import { compileBot } from '../settings/compile.ts';
import type { Compiled, CompiledSettings } from '../settings/compiled.ts';
import { wordsOf } from '../types/index.ts';
import { AlertPace } from './alert-pace.ts';
import { fireAlert } from './alerts.ts';
import { BotBook } from './bot-book.ts';
import { keyOf, requestOf, whyRefused } from './bot-orders.ts';
import { BotWorld } from './bot-world.ts';
import type { BotEngineOptions, Bots } from './bots.ts';
import { CandleRows } from './candle-rows.ts';
import { botCommand } from './commands.ts';
import type { LiveRun } from './live-run.ts';
import { makeRun } from './make-run.ts';
import { OrderNews } from './order-news.ts';
import { Pauses } from './pauses.ts';
import { pendingProceeds } from './pending-proceeds.ts';
import { newRecord } from './records.ts';
import { keep, release } from './reservations.ts';
import { RunClock } from './run-clock.ts';
import { RunLife } from './run-life.ts';
import { SharedPositions } from './shared-positions.ts';
import { type CarriedOver, StopRequests } from './stop-requests.ts';
import { settingConflict } from './symbol-users.ts';
import { tellSymbols } from './traded-symbols.ts';
import { UpdatePace } from './update-pace.ts';

/** The stored state that a start puts into memory. */
export interface BotLoad {
  readonly bots: readonly BotRecord[];
  readonly runs: readonly RunRecord[];
}

/** Inputs that change which symbols are traded, or that announce the end of one. */
const TELLS_SYMBOLS: ReadonlySet<EngineEvent['type']> = new Set(['instruments', 'account', 'wake']);
const NOBODY: Waiter = { kind: 'place', token: null, requestId: '', user: '', record: null };

export class BotEngine implements EngineExtension, Bots {
  readonly book = new BotBook();
  readonly claim: EngineExtension['claim'] = (order) => this.book.ownershipRefusal(order);
  readonly keeps: EngineExtension['keeps'] = (exchange, setting) =>
    settingConflict(this.#o.memory, this.book, exchange, setting);
  readonly world: BotWorld;
  readonly stops = new StopRequests(this.book);
  readonly shared: SharedPositions;
  readonly #o: BotEngineOptions;
  readonly #life = new RunLife(this);
  readonly #clock: RunClock;
  readonly #candleRows: CandleRows;
  readonly #news: OrderNews;
  readonly #pauses: Pauses;
  /** Stored runs whose settings were valid when they started and are not valid any more. */
  readonly #unreadable: { readonly record: RunRecord; readonly why: string }[] = [];
  /** Runs whose state has followed the prices since it was last stored. */
  readonly #moved = new Set<LiveRun>();
  readonly #alertPace = new AlertPace();
  readonly #updates = new UpdatePace();
  #tickTold = false;
  #symbolsTold = true;
  #started = false;
  /** Market time of the input that is being given, when it differs from the step's. */
  #marketTime: number | null = null;
  #stepTime = 0;

  constructor(options: BotEngineOptions) {
    this.#o = options;
    this.world = new BotWorld(options);
    this.shared = new SharedPositions(this.book, options.memory);
    this.#news = new OrderNews(this.book, this.shared);
    this.#pauses = new Pauses(options.memory);
    this.#clock = new RunClock(this, options.hubs);
    this.#candleRows = new CandleRows(options.hubs);
  }

  /**
   * Puts the stored state into memory, as of `now`; `start` decides what follows. Orders are in the engine's
   * memory already.
   */
  load(state: BotLoad, now: number): void {
    this.#stepTime = now;
    for (const bot of state.bots) this.book.bots.set(bot.id, bot);
    for (const record of state.runs) {
      const bot = this.book.bots.get(record.botId);
      if (!bot || record.state === '') continue;
      const compiled = this.compile(record, now, true);
      if (compiled.settings) {
        const live = this.#adopt(record, compiled.settings, decodeState(record.state));
        if (live.run.isUnstored) this.#moved.add(live);
      } else if (!compiled.ok) this.#unreadable.push({ record, why: problemsText(compiled.problems) });
    }
    for (const bot of state.bots) {
      const last = bot.runId === null ? this.#o.lastRun(bot.id) : null;
      if (last) this.book.ended.set(bot.id, { label: last.label, stats: last.figures });
    }
    for (const order of this.#o.memory.orders.values()) {
      const live = this.book.runOf(order);
      const key = keyOf(order);
      if (live && key !== null && live.run.slots.find(key)) live.bind(key, order.id);
    }
    this.stops.load(this.#o.memory);
  }

  /** Releases the runs' subscriptions when another bot engine takes over. */
  leave(): void {
    for (const live of this.book.runs.values()) live.release();
  }

  start(step: StepContext): void {
    this.#enter(step);
    for (const live of this.book.runs.values()) {
      for (const order of live.run.slots.orders()) {
        const id = live.ids.get(order.key);
        const stored = id === undefined ? undefined : step.memory.orders.get(id);
        // State and order are stored together: a state without its order means the order was never sent.
        if (!stored || TERMINAL.has(stored.status))
          this.#news.add({ live, change: { key: order.key, kind: 'ended' } });
      }
      // Events of the exchange may have been booked before the start.
      keep(this.#o.memory, live);
      if (!live.run.state.started && live.going) this.#life.arrange(step, live);
    }
    for (const order of step.memory.orders.values()) {
      if (order.creator !== 'BOT' || TERMINAL.has(order.status)) continue;
      const live = this.book.runOf(order);
      const key = keyOf(order);
      const known = live && key !== null && [...live.run.slots.orders()].some((one) => one.key === key);
      if (live?.going && !known) this.#life.withdraw(step, order, 'not of its run');
    }
    for (const { record, why } of this.#unreadable.splice(0)) this.#life.lost(step, record, why);
    this.work(step);
    this.stops.answer(step);
    this.#started = true;
    this.#pauses.review(step, this);
  }

  before(step: StepContext, event: EngineEvent): void {
    this.#enter(step);
    this.#tickTold = false;
    this.#symbolsTold = !TELLS_SYMBOLS.has(event.type);
    if (event.type === 'venue.fill')
      this.#follow(marketOf(this.#o.memory.account(event.exchange).account), event.fill.symbol);
    if (event.type === 'market' || event.type === 'time') this.#clock.advance(step, event.time);
    if (event.type === 'closed')
      this.#clock.told(step, event.market, event.symbol, event.frameMs, event.candle);
    if (event.type === 'history')
      for (const { parts } of this.book.runs.values())
        if (parts.market === event.market) parts.subscriptions.seed();
    if (event.type !== 'market') return;
    const price = dec(event.price);
    const volume = dec(event.volume);
    this.#o.hubs.of(event.market).tick(event.symbol, event.time, price, volume);
    this.#follow(event.market, event.symbol);
  }

  /** Takes over the price of a fill that is newer than the last tick: it is the last price. */
  #follow(market: string, symbol: string): void {
    const price = this.#o.memory.market(market).ahead.of(symbol);
    if (price !== null) this.#o.hubs.of(market).ahead(symbol, price);
  }

  command(
    step: StepContext,
    event: Extract<EngineEvent, { type: 'command' }>,
    command: Parameters<EngineExtension['command']>[2],
    waiter: Waiter,
  ): ReturnType<EngineExtension['command']> {
    this.#enter(step);
    return botCommand(this, step, event, command, waiter);
  }

  after(step: StepContext, event: EngineEvent | null): boolean {
    this.#enter(step);
    const before = step.rows.length + step.effects.length;
    this.shared.hear(event);
    this.#news.collect(step);
    if (!this.#symbolsTold) tellSymbols(this, step);
    this.#symbolsTold = true;
    this.work(step);
    // Before the start, runs are not restored yet.
    if (this.#started) this.shared.review(step, this);
    if (this.#started) this.#pauses.review(step, this);
    if (event?.type === 'setting-done') this.#life.settingDone(step, event);
    if (event?.type === 'tick' && !this.#tickTold) {
      this.#tickTold = true;
      this.#clock.tick(step, event.market, event.symbol);
    }
    for (const botId of this.#updates.take(step.now.wall)) this.tell(step, botId, 'BOT_UPDATE');
    for (const { live, text } of this.#alertPace.over(step.now.market)) this.notice(step, live, 2, text);
    return step.rows.length + step.effects.length > before;
  }

  moved(): Row[] {
    const rows: Row[] = [];
    for (const live of this.#moved) rows.push({ kind: 'run', run: live.record() });
    if (this.book.runs.size > 0) rows.push(...this.#candleRows.rows());
    return rows;
  }

  carryOver(before: EngineExtension): CarriedOver {
    if (!(before instanceof BotEngine)) return { kept: new Set(), lost: [] };
    for (const { id, run } of this.book.runs.values()) {
      const same = before.book.runs.get(id);
      if (same) run.takeOver(same.run);
    }
    return this.stops.carryOver(before.stops);
  }

  stored(): void {
    this.stops.stored();
    this.#moved.clear();
    this.#candleRows.stored();
  }

  // --- used by the commands ---

  get maxBots(): number {
    return this.#o.maxBots ?? MAX_BOTS;
  }

  /**
   * Compiles a bot's settings. `goesOn`: for a run that has begun, whose symbol may not be traded any more.
   */
  compile(
    { type, settings, options, user }: Pick<BotRecord, 'type' | 'settings' | 'options' | 'user'>,
    now: number,
    goesOn = false,
  ): Compiled {
    return compileBot(type, settings, options ?? undefined, this.world.settings(user, now, goesOn));
  }

  /** Starts a run, or returns a message why it cannot start (strategies.md 2, run rule 1). */
  startRun(step: StepContext, bot: BotRecord, runId: string): LiveRun | string {
    const compiled = this.compile(bot, step.now.market);
    const invalid = compiled.ok ? [] : compiled.problems;
    if (!compiled.settings) return problemsText(invalid);
    if (this.#o.memory.account(bot.exchange).instruments.size === 0)
      return `${bot.exchange} has not been connected yet: what it trades is not known; start it again once it is`;
    const record = newRecord(bot, runId, step.now.market);
    const live = this.#adopt(record, compiled.settings, newRunState(step.now.market));
    const problems = [...invalid, ...live.run.startProblems()];
    if (problems.length > 0) {
      this.drop(live);
      return problemsText(problems);
    }
    this.setBot(step, { ...bot, status: 'STARTED', runId, restartAt: null });
    keep(this.#o.memory, live);
    this.store(step, live);
    this.tell(step, bot.id, 'BOT_STARTED');
    this.#life.arrange(step, live);
    this.work(step);
    return live;
  }

  /**
   * True when past candles that a start would read are not here; they are loaded from now on. A bot that
   * scans starts without them and takes them in when they come.
   */
  lacksPast(bot: BotRecord, now: number): boolean {
    const compiled = this.compile(bot, now);
    // The account of a bot that scans may have no known symbol yet.
    if (!compiled.settings || wordsOf(bot.type).scans) return false;
    const tried = makeRun(this, this.#o, newRecord(bot, '', now), compiled.settings, newRunState(now));
    tried.release();
    return tried.parts.subscriptions.lacksPast;
  }

  /** Gives a run one input and carries out all that follows from it. */
  give(step: StepContext, live: LiveRun, input: RunInput): void {
    live.run.input(input);
    this.settle(step, live);
    this.work(step);
  }

  /** Carries out what follows when a runtime command has changed a run. */
  touched(step: StepContext, live: LiveRun): void {
    live.run.changed = true;
    live.parts.subscriptions.follow();
    this.settle(step, live);
    this.work(step);
  }

  setBot(step: StepContext, bot: BotRecord): void {
    const changed = { ...bot, updatedAt: step.now.wall };
    this.book.bots.set(bot.id, changed);
    this.#clock.timersChanged();
    step.row({ kind: 'bot', bot: changed });
  }

  /**
   * Reports at once that a run which still holds something has failed; its bot reports again when the run is
   * over.
   */
  failed(step: StepContext, live: LiveRun): void {
    const bot = this.book.bots.get(live.parts.botId);
    if (!bot) return;
    this.setBot(step, { ...bot, status: 'ERROR' });
    this.tell(step, bot.id, 'BOT_ERROR');
  }

  tell(step: StepContext, botId: string, event: BotEvent, alert?: PublicBot['alert']): void {
    const bot = this.book.bots.get(botId);
    if (!bot) return;
    const live = this.book.running(bot);
    if (live) live.toldAt = step.now.wall;
    const shown = { ...this.book.shown(bot), ...(alert ? { alert } : {}) };
    step.effect({ kind: 'bot-event', user: bot.user, event, bot: shown });
  }

  dropBot(step: StepContext, bot: BotRecord, keepsAlerts?: true): void {
    for (const live of [...this.book.runs.values()])
      if (live.parts.botId === bot.id) this.#life.forget(step, live);
    this.book.bots.delete(bot.id);
    this.#clock.timersChanged();
    this.book.ended.delete(bot.id);
    const kept = keepsAlerts && { keepsAlerts };
    step.row({ kind: 'bot-drop', id: bot.id, ...kept });
    step.effect({ kind: 'bot-gone', user: bot.user, botId: bot.id, ...kept });
  }

  /** Market time at which the next candle closes or timer fires for a run; Infinity when there is none. */
  get nextDue(): number {
    return this.#clock.nextDue;
  }

  /** Why the entries of a run would wait now; null: they would not. */
  pauseOf(live: LiveRun): Pause | null {
    return this.#pauses.of(live);
  }

  arrange(step: StepContext, live: LiveRun): void {
    this.#life.arrange(step, live);
    this.work(step);
  }

  /** Restarts a bot whose automatic restart is due. */
  restart(step: StepContext, bot: BotRecord): void {
    this.#life.restart(step, bot);
  }

  /** Gives inputs at a market time of their own. */
  at(step: StepContext, time: number, run: () => void): void {
    this.#enter(step);
    this.#marketTime = time;
    run();
    this.#marketTime = null;
  }

  readonly now = (): number => this.#marketTime ?? this.#stepTime;

  // --- orders ---

  /** Gives the runs their order changes until none is left. */
  work(step: StepContext): void {
    for (;;) {
      const next = this.#news.next();
      if (next) {
        const { live, change, fill } = next;
        if (fill) this.shared.fill(fill, true);
        live.change(change);
        this.settle(step, live);
      }
      this.#news.collect(step);
      if (!next && this.#news.notes.length === 0) return;
    }
  }

  /** Carries out a run's actions, and what follows from its new state. */
  settle(step: StepContext, live: LiveRun): void {
    const { run } = live;
    keep(this.#o.memory, live);
    for (;;) {
      const { actions } = run;
      if (actions.length === 0) break;
      run.actions = [];
      for (const action of actions) this.#act(step, live, action);
    }
    keep(this.#o.memory, live, step);
    this.#clock.settled(live);
    const label = run.label();
    if (label !== live.label) this.#updates.changed(live);
    if (run.changed) {
      run.changed = false;
      run.moved = false;
      this.#updates.changed(live);
      this.store(step, live);
    } else if (run.moved) {
      run.moved = false;
      this.#moved.add(live);
    }
    live.label = label;
    if (live.going) return;
    this.shared.touch(live);
    this.#life.ended(step, live);
  }

  #act(step: StepContext, live: LiveRun, action: RunAction): void {
    switch (action.do) {
      case 'place':
        this.#place(step, live, action.order);
        return;
      case 'cancel': {
        const order = step.memory.orders.get(live.ids.get(action.key) ?? '');
        if (!order || TERMINAL.has(order.status) || order.cancel) return;
        cancelOrder(step, order, `bot ${live.parts.botId}`, `cancelled by bot ${live.parts.botId}`);
        return;
      }
      case 'notice':
        this.notice(step, live, action.level, action.text);
        return;
      case 'alert':
        if (this.#alertPace.admits(live, this.now())) fireAlert(this, step, live, action.alert);
    }
  }

  #place(step: StepContext, live: LiveRun, order: RunOrder): void {
    const { parts, run } = live;
    const actor: Actor = { kind: 'bot', user: parts.user, botId: parts.botId, runId: parts.runId };
    const hedge = step.memory.account(parts.exchange).futures?.hedge === true;
    const request = requestOf(order, parts.exchange, run, hedge);
    const entropy = Number(order.key).toString(32).padStart(RANDOM_LENGTH, '0');
    const metadata = JSON.stringify({ level: order.label, slot: order.slot, key: order.key });
    const refused = place(step, actor, request, entropy, NOBODY, {
      metadata,
      onMade: (id) => live.bind(order.key, id),
      // A twap that sells may open a position: the engine decides whether it does.
      exits: order.role === 'exit' && (run.rules.kind === 'spot' || order.reduceOnly),
      own: (asset) => live.reservations.get(asset)?.excess ?? ZERO,
      unheard: (asset) => pendingProceeds(this.#news.notes, parts.exchange, asset),
    });
    // The next order must find the balance that this one leaves.
    keep(this.#o.memory, live);
    if (!refused || refused.ok) return;
    const { message } = refused.error;
    const why = whyRefused(refused.error);
    this.#news.add({ live, change: { key: order.key, kind: 'rejected', reason: message, why } });
  }

  #adopt(record: RunRecord, settings: CompiledSettings, state: RunState): LiveRun {
    const live = makeRun(this, this.#o, record, settings, state);
    this.book.add(live);
    this.#clock.timersChanged();
    this.shared.touch(live);
    return live;
  }

  drop(live: LiveRun): void {
    live.release();
    this.book.remove(live);
    this.#moved.delete(live);
    this.#updates.forget(live);
    this.#clock.timersChanged();
    release(this.#o.memory, live);
  }

  store(step: StepContext, live: LiveRun): void {
    this.#moved.delete(live);
    step.row({ kind: 'run', run: live.record() });
  }

  notice(step: StepContext, live: LiveRun, level: BotNotice['level'], text: string): void {
    const { botId, runId, user } = live.parts;
    // Nothing is kept for a deleted bot, even if alerts are still to be reported.
    if (!this.book.bots.has(botId)) return;
    const notice: BotNotice = { botId, runId, user, market: this.now(), at: step.now.wall, level, text };
    step.row({ kind: 'notice', notice });
    step.effect({ kind: 'bot-notice', notice });
  }

  #enter(step: StepContext): void {
    this.#stepTime = step.now.market;
    this.#news.enter(step);
  }
}
