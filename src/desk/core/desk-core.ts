/**
 * One running desk: connects engine, turn, exchanges and store. Commands and reads come in through
 * `api-facade.ts` and `console-facade.ts`; both end here. Knows real and virtual time only through the clock
 * it is given.
 */
import { KeyRegistry } from '../../access/key-registry.ts';
import { ReplayMarks } from '../../access/replay-marks.ts';
import type { BotEngine } from '../../bots/runtime/bot-engine.ts';
import type { Actor } from '../../domain/actor.ts';
import type { Clock, Random } from '../../domain/clock.ts';
import { type DeskIdentity, NO_DESK } from '../../domain/desk-id.ts';
import type { ServiceError } from '../../domain/errors.ts';
import { errorText } from '../../domain/errors.ts';
import { namesOf } from '../../domain/exchange.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { LogLine, Row } from '../../domain/rows.ts';
import { Engine, RECENT_MS } from '../../engine/engine.ts';
import { entryRefusal } from '../../engine/entries.ts';
import {
  type Answer,
  type Effect,
  ENTROPY_LENGTH,
  type OrderCommand,
  type RequestContext,
} from '../../engine/step.ts';
import { type LoadedState, type Store, StoreError } from '../../store/store.ts';
import type { Venue } from '../../venues/venue.ts';
import { ApiEvents } from '../api/api-events.ts';
import type { ChangeMark } from '../running.ts';
import { AccountLinks, type AccountLinksOptions, noteMeta } from './account-links.ts';
import { atMost } from './at-most.ts';
import { type ClockJump, ClockWatch, jumpText } from './clock-watch.ts';
import { copyMarket } from './copy-market.ts';
import { DeskLog } from './desk-log.ts';
import { type EffectTargets, performEffect } from './effects.ts';
import { ExchangeQuestions } from './exchange-questions.ts';
import { absentOrders, addAccounts } from './known-accounts.ts';
import { Recall } from './recall.ts';
import { refusal, UNREAD, UNSAVED } from './refusals.ts';
import { Turn } from './turn.ts';
import type { VenueLink } from './venue-link.ts';
import { WakeTimer } from './wake-timer.ts';

export interface DeskCoreOptions {
  readonly store: Store;
  /** What the start has loaded; a reload after a failed commit reads the store again. */
  readonly initial: LoadedState;
  readonly clock: Clock;
  readonly random: Random;
  /** The desk whose orders are sent; left out: the store is not on disk. */
  readonly desk?: DeskIdentity;
  /** The accounts, which come and go while the desk runs: kept up to date by `AccountLinks`. */
  readonly venues: Venue[];
  /** Accounts that are connected with credentials; left out: none is. */
  readonly connected?: Pick<AccountLinksOptions, 'waits' | 'hide'>;
  /** Market time, Unix ms. */
  readonly market: () => number;
  /**
   * Resolves when the history that a command needs is loaded, or will not be soon; null: nothing is missing.
   */
  readonly past?: (command: OrderCommand) => Promise<void> | null;
  /** Rows about the present that go with every commit (market cursor). */
  readonly deferredRows: () => readonly Row[];
  /** Called when a commit has stored those rows. */
  readonly deferredStored?: () => void;
  /** Makes the bots of an engine whose orders are loaded; `before`: the bots of the engine it replaces. */
  readonly bots?: (engine: Engine, state: LoadedState, before: BotEngine | null) => BotEngine;
  /** Returns the effects that follow from those of a step: alerts about them. */
  readonly noticed?: (effects: readonly Effect[]) => readonly Effect[];
  /** An order that ended long ago is in memory again, since something about it comes. */
  readonly recalled?: (order: OrderRecord) => void;
  /** Something has changed; called before consoles are told. */
  readonly marked?: (mark: ChangeMark) => void;
  /** Returns the alerts' rows for the effects of a step, for its commit. */
  readonly alertRows?: (effects: readonly Effect[]) => readonly Row[];
  /** An alert has fired and is stored. */
  readonly alert?: (alert: Extract<Effect, { kind: 'bot-alert' }>) => void;
  readonly botGone?: (gone: Extract<Effect, { kind: 'bot-gone' }>) => void;
  /** Writes to the log file; the lines in memory and the stored rows are kept here. */
  readonly logFile: (line: LogLine) => void;
  /** The store failed twice in a row, or an invariant is broken beyond repair: the process must end. */
  readonly fatal: (reason: string) => void;
}

interface PendingCommand {
  readonly context: RequestContext;
  readonly resolve: (answer: Answer) => void;
}

export class DeskCore {
  readonly turn: Turn;
  readonly accounts: AccountLinks;
  /** Questions to exchanges that are not commands. */
  readonly questions: ExchangeQuestions;
  /** Events for the API's subscribers. */
  readonly events: ApiEvents;
  /** Up to which timestamp each key has signed; stored with every commit. */
  readonly replayMarks: ReplayMarks;
  /** The API keys. Replaced as a whole when memory is loaded again. */
  keys = new KeyRegistry();
  /**
   * What the API answers everybody instead of serving them; null: it serves. Held in memory only: a restarted
   * desk serves, so that a switch forgotten at a console never outlives the desk it was meant for.
   */
  maintenance: string | null = null;
  /** The bots of the current engine. */
  bots: BotEngine | null = null;
  /** Meta rows as they are stored now. */
  readonly meta: Map<string, unknown>;
  private readonly options: DeskCoreOptions;
  private readonly targets: EffectTargets;
  private readonly recall: Recall;
  private readonly commands = new Map<number, PendingCommand>();
  private readonly listeners = new Set<(mark: ChangeMark) => void>();
  private nextToken = 1;
  private readonly deskLog: DeskLog;
  private readonly clockWatch: ClockWatch;
  private readonly wakeTimer: WakeTimer;
  private reloading = false;
  /** Monotonic times of recent failed commits. */
  private failures: number[] = [];
  /** Why this desk has given up; from then on it stores and sends nothing. Null: it has not. */
  private given: string | null = null;

  constructor(options: DeskCoreOptions) {
    this.options = options;
    this.meta = new Map(options.initial.meta);
    this.accounts = new AccountLinks({
      venues: options.venues,
      turn: () => this.turn,
      clock: options.clock,
      desk: options.desk ?? NO_DESK,
      meta: this.meta,
      waits: (exchange) => options.connected?.waits(exchange) ?? null,
      hide: (exchange, text) => options.connected?.hide(exchange, text) ?? text,
      recall: (exchange, names, makes) => this.recall.at(exchange, names, makes),
      inLedger: (wallet, id) => options.store.isInLedger(wallet, id),
      changed: () => this.mark({ kind: 'accounts' }),
      report: (level, text) => this.report(level, 'exchange', text),
    });
    this.questions = new ExchangeQuestions({
      link: (exchange) => this.links.get(exchange),
      memory: () => this.engine.memory,
      failed: (text) => this.report('error', 'exchange', text),
    });
    this.replayMarks = new ReplayMarks(options.initial.meta);
    this.events = new ApiEvents({
      memory: () => this.engine.memory,
      wall: () => options.clock.wall(),
      failed: (error) => this.report('error', 'api', `an event could not be told: ${errorText(error)}`),
    });
    this.targets = {
      events: this.events,
      link: (exchange) => this.links.get(exchange),
      submitting: (exchange, symbol) => this.accounts.deadMen.get(exchange)?.submitting(symbol),
      settle: (token, answer) => this.settle(token, answer),
      mark: (mark) => this.mark(mark),
      isGuarded: (exchange) => this.engine.memory.accounts.get(exchange)?.guards != null,
      report: (level, source, text, orderId) => this.report(level, source, text, orderId),
      botGone: (gone) => options.botGone?.(gone),
      alert: (alert) => options.alert?.(alert),
    };
    this.deskLog = new DeskLog({
      wall: () => options.clock.wall(),
      store: (line, now) => this.storeLine(line, now),
      file: options.logFile,
      tell: (line) => this.mark({ kind: 'log', line }),
    });
    this.clockWatch = new ClockWatch(options.clock, (jump) => this.clockJumped(jump));
    this.wakeTimer = new WakeTimer(options.clock, () => {
      this.turn.step({ type: 'wake' });
      this.armWake();
    });
    this.recall = new Recall({
      engine: () => this.engine,
      store: options.store,
      changed: (order) => {
        this.turn.changes += 1;
        options.recalled?.(order);
      },
      failed: (id, error) =>
        this.report('error', 'store', `order ${id} could not be read: ${errorText(error)}`),
    });
    this.turn = new Turn(this.loadEngine(options.initial), {
      clock: options.clock,
      market: options.market,
      deferredRows: () => [...options.deferredRows(), ...this.replayMarks.rows()],
      deferredStored: () => {
        options.deferredStored?.();
        this.replayMarks.stored();
      },
      commit: (rows) => {
        // Memory may be ahead of the store: what follows from it must be neither stored nor sent.
        if (this.given !== null) throw new Error(`the desk is ending: ${this.given}`);
        options.store.commit(rows);
        noteMeta(this.meta, rows);
      },
      // An account's next link may be made before the next commit.
      kept: (row) => noteMeta(this.meta, [row]),
      noticed: (effects) => options.noticed?.(effects) ?? [],
      rowsOf: (effects) => options.alertRows?.(effects) ?? [],
      release: (effect) => this.release(effect),
      releaseFailed: (effect, error) => this.releaseFailed(effect, error),
      failed: (error, effects) => this.commitFailed(error, effects),
      broken: (error) =>
        this.giveUp(`internal error in the order engine: ${error instanceof Error ? error.stack : error}`),
    });
  }

  /** The last jump of the wall clock since the start; null: none. */
  get clockJump(): ClockJump | null {
    return this.clockWatch.last;
  }

  get log(): LogLine[] {
    return this.deskLog.lines;
  }

  /** The links to the accounts, by account id. */
  get links(): Map<string, VenueLink> {
    return this.accounts.all;
  }

  get engine(): Engine {
    return this.turn.engine;
  }

  /** Connects the exchanges, finds out what happened while the desk was down, and starts the resolver. */
  async start(): Promise<void> {
    await this.accounts.open();
    const links = [...this.links.values()];
    this.turn.take(this.engine.start(this.turn.now()));
    for (const text of absentOrders(this.engine.memory)) this.report('warn', 'exchange', text);
    // An account that does not answer is compared later.
    await atMost(this.options.clock, FIRST_COMPARISON_MS, Promise.all(links.map((link) => link.reconcile())));
    this.armWake();
    this.clockWatch.start();
  }

  /** Flushes what is pending and closes the exchanges. Whoever opened the store closes it. */
  async stop(): Promise<void> {
    this.clockWatch.stop();
    this.wakeTimer.stop();
    await this.accounts.close();
    this.turn.store(this.keys.unstored(), false);
    this.turn.flush(true);
  }

  /** Carries out a command. Never rejects: a refusal is an answer, and so is a failed commit. */
  execute(actor: Actor, command: OrderCommand, context: RequestContext): Promise<Answer> {
    // After a sleep nothing is done with data from before it.
    this.clockWatch.look();
    const before = this.gapBefore(actor, command) ?? this.options.past?.(command);
    if (before) return before.then(() => this.carryOut(actor, command, context));
    return this.carryOut(actor, command, context);
  }

  /**
   * Returns the comparison that an entry must wait for; after it the engine decides whether the entry is
   * still refused (S61). Null: none.
   */
  private gapBefore(actor: Actor, command: OrderCommand): Promise<void> | null {
    if (command.type !== 'place') return null;
    const link = this.links.get(command.request.exchange ?? '');
    if (!link?.hasGap || entryRefusal(this.engine.memory, actor, command.request) === null) return null;
    return link.withoutGap(ENTRY_WAIT_MS);
  }

  private carryOut(actor: Actor, command: OrderCommand, context: RequestContext): Promise<Answer> {
    const dead = this.keyProblem(actor);
    if (dead) return Promise.resolve(refusal(dead, context.requestId));
    const needsOrder = command.type === 'cancel' || command.type === 'split' || command.type === 'amend';
    if (needsOrder && !this.recallChain(command.id))
      return Promise.resolve(refusal(UNREAD, context.requestId));
    const token = this.nextToken++;
    return new Promise<Answer>((resolve) => {
      this.commands.set(token, { context, resolve });
      const entropy = this.options.random.id(ENTROPY_LENGTH);
      // S60: a refusal is final, too. Its answer waits for the mark, or the request could be carried out
      // after a restart.
      if (actor.kind === 'key' && this.replayMarks.isUnstored(actor.keyId)) this.turn.commitSoon();
      // Asked before anything of the command is stored (S61).
      const { exchange = '', symbol } = this.sentBy(command);
      const sent = this.links.get(exchange)?.requests.sending(symbol);
      this.turn.step({ type: 'command', token, actor, command, context, entropy, ...sent });
    });
  }

  /**
   * Returns where an order would be sent if this command were carried out; empty for commands that do not
   * wait for budgets.
   */
  private sentBy(command: OrderCommand): { readonly exchange?: string; readonly symbol?: string } {
    if (command.type === 'place') return command.request;
    const { memory } = this.engine;
    const changed = command.type === 'amend' ? memory.orders.get(command.id) : undefined;
    return changed ? memory.lastOfChain(changed) : {};
  }

  onChange(listener: (mark: ChangeMark) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Whether a console is connected. */
  get watched(): boolean {
    return this.listeners.size > 0;
  }

  mark(mark: ChangeMark): void {
    this.options.marked?.(mark);
    for (const listener of this.listeners) listener(mark);
  }

  /** Writes a log line to the file, to the store (with the next commit), to memory and to the consoles. */
  report(level: LogLine['level'], source: string, text: string, orderId?: string): void {
    this.deskLog.write({ level, source, text, ...(orderId === undefined ? {} : { orderId }) }, false);
  }

  /** Writes a log line that is on disk when this resolves; rejects when it could not be stored. */
  async recorded(level: LogLine['level'], source: string, text: string): Promise<void> {
    this.deskLog.write({ level, source, text }, true);
    await this.turn.read(() => {});
  }

  private loadEngine(state: LoadedState): Engine {
    const engine = new Engine();
    engine.memory.desk = this.options.desk ?? NO_DESK;
    addAccounts(engine.memory, this.options.venues, state, (id) => this.links.get(id)?.away ?? null);
    engine.load(state);
    this.bots = this.options.bots?.(engine, state, this.bots) ?? null;
    engine.extension = this.bots;
    this.keys = new KeyRegistry(state.keys, this.keys);
    if (this.log.length === 0) this.log.push(...state.log);
    return engine;
  }

  /** Returns why the key may not act. D41: its state is read again in the turn that commits. */
  private keyProblem(actor: Actor): ServiceError | null {
    if (actor.kind !== 'key' || this.keys.active(actor.keyId)) return null;
    return { code: 'INVALID_KEY', message: 'the key was revoked while the request was on its way' };
  }

  /** Loads an order and the orders that replaced it (S53). False: one could not be read. */
  private recallChain(id: string): boolean {
    let next: string | undefined = id;
    while (next !== undefined) {
      if (!this.recall.order(next)) return false;
      next = this.engine.memory.orders.get(next)?.replacedBy;
    }
    return true;
  }

  /**
   * D22: what was on its way during a sleep is lost, and data from before it is old: this is a gap for every
   * account.
   */
  private clockJumped({ byMs }: ClockJump): void {
    this.report('warn', 'desk', jumpText(byMs));
    this.mark({ kind: 'clock' });
    if (byMs > 0) for (const link of this.links.values()) void link.gap();
  }

  private release(effect: Effect): void {
    performEffect(this.targets, effect);
    this.armWake();
  }

  /** Logs it without telling the consoles: one of them may be what fails. */
  private releaseFailed(effect: Effect, error: unknown): void {
    const text = `${effect.kind} could not be told to everybody: ${errorText(error)}`;
    const line: LogLine = { at: this.options.clock.wall(), level: 'error', source: 'desk', text };
    this.log.push(line);
    this.storeLine(line, false);
    this.options.logFile(line);
  }

  private storeLine(line: LogLine, now: boolean): void {
    const row: Row = { kind: 'log', line };
    if (now) this.turn.store([row], true);
    else this.turn.keep(row);
  }

  private settle(token: number, answer: Answer): void {
    const pending = this.commands.get(token);
    this.commands.delete(token);
    pending?.resolve(answer);
  }

  private armWake(): void {
    this.wakeTimer.arm(this.engine.nextWake());
  }

  /**
   * Memory is ahead of the store: loads it again. Requests whose intent was stored go on waiting, the others
   * get 503.
   */
  private commitFailed(error: unknown, effects: readonly Effect[]): void {
    if (this.given !== null) return;
    const reason = errorText(error);
    const now = this.options.clock.monotonic();
    this.failures = [...this.failures.filter((at) => now - at < FAILURES_WINDOW_MS), now];
    if (this.reloading || this.failures.length > FAILURES_MAX) {
      this.giveUp(`the store keeps failing, the last time with: ${reason}`);
      return;
    }
    this.reloading = true;
    try {
      const before = this.engine;
      const engine = this.reload(reason);
      if (!engine) return;
      for (const link of this.links.values()) link.requests.withdrawAll();
      copyMarket(before, engine);
      this.turn.engine = engine;
      // A waiting execution may be of another order of that name: known orders must be in memory when its
      // time is up.
      for (const { exchange, fill } of engine.memory.parked) this.recall.at(exchange, namesOf(fill), true);
      this.events.reloaded();
      for (const token of engine.carryOver(before, effects)) {
        const context = this.commands.get(token)?.context;
        if (context) this.settle(token, refusal(UNSAVED, context.requestId));
      }
      const line: LogLine = { at: this.options.clock.wall(), level: 'error', source: 'store', text: reason };
      this.options.logFile(line);
      // Unless the store is only full or locked, it must prove now that it writes again: after a device fault
      // it never does.
      const mayComeBack = isPassing(error);
      this.storeLine(line, !mayComeBack);
      this.turn.take(engine.start(this.turn.now()));
      this.turn.flush(!mayComeBack);
    } finally {
      this.reloading = false;
    }
    // What the exchanges reported with the lost commit is not reported again.
    for (const link of this.links.values()) void link.gap();
  }

  private reload(reason: string): Engine | null {
    try {
      return this.loadEngine(this.options.store.load(recentSince(this.options.clock.wall())));
    } catch (error) {
      this.giveUp(`the store failed (${reason}) and could not be read again: ${errorText(error)}`);
      return null;
    }
  }

  private giveUp(reason: string): void {
    this.given ??= reason;
    this.options.fatal(reason);
  }
}

/**
 * Whether the store is unchanged and may take writes later: until then writes are answered with 503, and
 * reads go on.
 */
function isPassing(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'FULL' || error.code === 'BUSY');
}

/**
 * Returns from when on ended orders are loaded: a little more than the engine's `recent`, so that none at the
 * limit is missing.
 */
export function recentSince(wall: number): number {
  return wall - RECENT_MS - 60_000;
}

/** A start waits for the first comparison with the exchanges at most this long. */
const FIRST_COMPARISON_MS = 10_000;

/** More failed commits than this within the window end the desk: loading again does not help. */
const FAILURES_MAX = 20;
const FAILURES_WINDOW_MS = 10_000;

/** S61: an entry waits no longer than this for a comparison after a gap. */
const ENTRY_WAIT_MS = 2_000;
