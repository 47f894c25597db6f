/**
 * One seed: a desk that crashes and starts again, exchanges behind a bad connection, clients, a market.
 * Everything that happens follows from the seed. Faults heal, time runs until all is quiet, then `checks.ts`
 * judges.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { UNUSED_KEY } from '../../src/domain/access-key.ts';
import { guardsName, NO_GUARDS } from '../../src/domain/guards.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Limits } from '../support/limited-exchange.ts';
import { accountsOf, type SimAccount } from './accounts.ts';
import { checkBotMemory, checkNothingIsMissing } from './bot-checks.ts';
import { BotClients } from './bot-clients.ts';
import { BotWatch } from './bot-watch.ts';
import { checkEnd, checkLiveness, checkMemory, dumpOf } from './checks.ts';
import { Clients, KEY_IDS, USER } from './clients.ts';
import { DeadManWatch } from './dead-man-checks.ts';
import { Dice } from './dice.ts';
import { ExternalExchange } from './external-exchange.ts';
import { checkGuarded, type GuardWatch } from './guard-checks.ts';
import { LargePositions } from './large-positions.ts';
import { LossWatch } from './loss-checks.ts';
import { SimMarket } from './market.ts';
import { type MutationName, mutationsFor } from './mutations.ts';
import { Nemesis } from './nemesis.ts';
import {
  type ClockFault,
  CRASH_POINTS,
  type CrashPoint,
  type PlanOptions,
  planOf,
  type SeedPlan,
  type StoreFailure,
} from './plan.ts';
import type { PortWatcher } from './ports.ts';
import { openRough, type Rough } from './rough/open-rough.ts';
import { isRough, ROUGH } from './rough/rough-account.ts';
import { checkFired, checkLimits, checkSure } from './rough/rough-checks.ts';
import { SimClock } from './sim-clock.ts';
import { SimDesk } from './sim-desk.ts';
import { SimFaults, type Strikes, strike } from './sim-faults.ts';
import { Schedule } from './sim-feed.ts';
import { Violation, Watch } from './watch.ts';

/** 2026-01-05 00:00 UTC. */
const START = Date.UTC(2026, 0, 5);
/**
 * Time without faults after which an unresolved order, an unknown cancel and a plan are settled (invariant
 * 11).
 */
export const SETTLED_WITHIN_MS = 60_000;
/** A little more than the time between two reconciliations. */
const RECONCILED_WITHIN_MS = 16 * 60_000;
/**
 * The next tick, due a minute after the one before, still comes: delayed by the time that the wall clock was
 * set back, twice 50 s at most.
 */
const LAST_TICK_WITHIN_MS = 170_000;
const LONG_REST_MS = 64 * 60_000;
/** Longest time of a stop, ms: it waits for running calls and a delivery, and no longer. */
const STOPPED_WITHIN_MS = 25_000;
/** Far more than any seed needs. */
const OPERATIONS_MAX = 150_000;
const MEMORY_CHECK_MS = 5_000;
const RARE_CHECK_MS = 45_000;

export interface SeedResult {
  readonly seed: number;
  readonly violation: { readonly invariant: number; readonly text: string; readonly at: number } | null;
  /** SHA-256 of the trace and of the final database. */
  readonly hash: string;
  readonly events: number;
  readonly crashes: number;
  readonly orders: number;
  /** Orders that the exchange made itself, as far as the desk knows them. */
  readonly liquidations: number;
  readonly calls: number;
  /** Number of runs that were started; `botFills`: executions of their orders. */
  readonly runs: number;
  readonly botFills: number;
  /** How often each fault struck. */
  readonly strikes: readonly (readonly [name: string, times: number])[];
  readonly trace: readonly string[];
}

export interface RunOptions extends PlanOptions {
  readonly mutation?: MutationName;
  /** Overrides the drawn plan; for tests of the simulation. */
  readonly plan?: Partial<SeedPlan>;
}

export async function runSeed(seed: number, options: RunOptions = {}): Promise<SeedResult> {
  const world = new World({ ...planOf(seed, options), ...options.plan }, options);
  try {
    return await world.run();
  } finally {
    world.close();
  }
}

export class World {
  readonly plan: SeedPlan;
  readonly clock: SimClock;
  readonly watch: Watch;
  readonly clients: Clients;
  /** Null in a world without bots. */
  readonly bots: BotClients | null;
  readonly botWatch: BotWatch;
  readonly db: DatabaseSync;
  readonly accounts: readonly SimAccount[];
  readonly externals = new Map<string, ExternalExchange>();
  /** The accounts of the exchange that errs, by id. */
  readonly roughs = new Map<string, Rough>();
  readonly #deadMen: DeadManWatch[] = [];
  desk: SimDesk | null = null;
  /** How often each fault struck. */
  readonly strikes: Strikes = new Map();
  healedAt: number | null = null;
  crashes = 0;
  readonly #start: number;
  readonly #schedule: Schedule;
  /** Market speed of a replay. */
  #speed: number;
  readonly #market: SimMarket;
  #roughTickMs: number;
  readonly #deskDice: Dice;
  readonly #nemesis: Nemesis;
  readonly #guards: GuardWatch | null;
  readonly #losses: LossWatch;
  readonly #large: LargePositions | null;
  readonly #faults: SimFaults[] = [];
  readonly #mutation;
  readonly #lines: string[] = [];
  #violation: { invariant: number; text: string; at: number } | null = null;
  #resting = false;
  /** True time at which the requests had left that were still waiting when the faults healed. */
  #drainedAt = 0;
  /** True time at which a sleeping machine wakes up. */
  #awakeAt = 0;
  /** Accounts to which a desk has been connected. */
  readonly #known = new Set<string>();
  /** Number of the next tick on the market of external exchanges. */
  #nextTick = 0;

  constructor(plan: SeedPlan, options: RunOptions) {
    const { seed } = plan;
    this.plan = plan;
    this.accounts = accountsOf(plan);
    this.#start = START + plan.startOffsetMs;
    this.#speed = plan.market.speed;
    this.#roughTickMs = plan.tickEveryMs;
    this.#schedule = new Schedule(this.#start, plan.tickEveryMs * plan.market.speed);
    this.clock = new SimClock(this.#start, new Dice(seed, 'turns'), plan.shareTurn);
    this.#market = new SimMarket(new Dice(seed, 'market'), plan.stride);
    this.#deskDice = new Dice(seed, 'desk');
    this.#nemesis = new Nemesis({ crash: (why, downMs) => this.#crash(why, downMs), trace: this.#trace });
    this.watch = new Watch(this.violate, this.#trace, plan.paper.participation ?? null);
    const mutations = mutationsFor((id, order) =>
      this.watch.aliases.set(id, this.watch.aliases.get(order) ?? order),
    );
    this.#mutation = options.mutation ? mutations[options.mutation] : null;
    if (this.#mutation?.acceptUsedId) this.plan = { ...plan, faults: { ...plan.faults, acceptUsedId: true } };
    this.db = openDatabase(':memory:');
    this.#registerKeys();
    this.clients = new Clients({
      plan,
      dice: new Dice(seed, 'clients'),
      clock: this.clock,
      accounts: this.accounts,
      desk: () => this.desk,
      violate: this.violate,
      trace: this.#trace,
      isStored: (id) => this.watch.orders.has(id),
      amendDice: new Dice(seed, 'amends'),
      changes: (id) => this.watch.changed.add(id),
    });
    const steady = plan.clockFaults.length === 0;
    this.#guards = plan.guards && {
      guards: plan.guards,
      steady,
      strikes: this.strikes,
      violate: this.violate,
    };
    this.#losses = new LossWatch(new Dice(seed, 'lifts'), this.strikes, this.violate);
    this.#large =
      plan.large &&
      new LargePositions({
        plan: plan.large,
        dice: new Dice(seed, 'large'),
        clock: this.clock,
        strikes: this.strikes,
        violate: this.violate,
        desk: () => this.desk,
        thinkMs: plan.bots?.thinkMs ?? plan.thinkMs,
      });
    this.botWatch = new BotWatch(this.violate, this.#trace);
    this.bots =
      plan.bots &&
      new BotClients({
        plan,
        bots: plan.bots,
        dice: new Dice(seed, 'bots'),
        clock: this.clock,
        accounts: this.accounts,
        desk: () => this.desk,
        clients: this.clients,
        struck: (name) => strike(this.strikes, name),
      });
  }

  /** Market time of the last tick the desk has seen. */
  get lastTickTime(): number {
    return this.desk?.lastTickTime ?? 0;
  }

  async run(): Promise<SeedResult> {
    this.#trace(JSON.stringify(this.plan));
    const rejected = (error: unknown) => this.violate(0, `a promise was rejected: ${wordsOf(error)}`);
    process.on('unhandledRejection', rejected);
    try {
      await this.#live();
    } catch (error) {
      if (!(error instanceof Violation)) this.violate(0, wordsOf(error));
    } finally {
      process.off('unhandledRejection', rejected);
    }
    for (const line of this.#violation === null ? dumpOf(this.db) : []) this.#trace(line);
    return {
      seed: this.plan.seed,
      violation: this.#violation,
      hash: createHash('sha256').update(this.#lines.join('\n')).digest('hex'),
      events: this.clock.events,
      crashes: this.crashes,
      orders: this.watch.orders.size,
      liquidations: [...this.watch.orders.keys()].filter((id) => id.startsWith('liq-')).length,
      calls: this.clients.calls.length,
      runs: this.botWatch.runs.size,
      botFills: this.botWatch.fills,
      strikes: [...this.strikes],
      trace: this.#lines,
    };
  }

  close(): void {
    if (this.desk) this.desk.life.alive = false;
    this.db.close();
  }

  /** Notes the first violation; the run ends with the present event. */
  readonly violate = (invariant: number, text: string): void => {
    this.#trace(`VIOLATION ${invariant}: ${text}`);
    this.#violation ??= { invariant, text, at: this.clock.now - this.#start };
  };

  async #live(): Promise<void> {
    const { plan } = this;
    await this.#openExternals();
    await this.#openRough();
    this.#boot();
    this.clients.start();
    this.bots?.start();
    this.#large?.start();
    for (const crash of plan.crashes) this.clock.after(crash.at, () => this.#nemesis.armCrash(crash));
    for (const failure of plan.storeFailures)
      this.clock.after(failure.at, () => this.#nemesis.armFailure(failure));
    for (const stop of plan.stops) this.clock.after(stop.at, () => this.#stop(stop.downMs));
    for (const fault of plan.clockFaults) this.clock.after(fault.at, () => this.#troubleClock(fault));
    for (const outage of plan.outages) this.clock.after(outage.at, () => this.#goDown(outage.ms));
    if (plan.seed % 4 === 0) this.clock.after(plan.activeMs / 2, () => this.clients.revoke(KEY_IDS[1]));
    this.#armMemoryCheck();
    await this.#pass(plan.activeMs);
    if (plan.longRest) await this.#rest();
    // A sleeping machine has not healed yet.
    await this.#pass(Math.max(0, this.#awakeAt - this.clock.now));
    this.#heal();
    this.clients.stop();
    this.bots?.stop();
    this.#large?.stop();
    await this.#drainAll();
    await this.#pass(SETTLED_WITHIN_MS + 10_000);
    this.clients.repeatAll(40);
    if (plan.cancelAtEnd) this.clients.cancelAll();
    if (plan.bots?.stopAtEnd) this.bots?.stopAll();
    await this.#pass(SETTLED_WITHIN_MS + 10_000);
    this.#tickEvery(60_000);
    await this.#pass(RECONCILED_WITHIN_MS);
    // The market stops.
    this.#tickEvery(1_000_000_000);
    await this.#pass(LAST_TICK_WITHIN_MS);
    // A bot may have acted on the last price.
    await this.#drainAll();
    if (this.#violation) return;
    this.desk?.flush();
    checkEnd(this);
    for (const rough of this.roughs.values())
      checkLimits(rough, [...this.botWatch.runs.values()], this.violate);
    for (const watch of this.desk ? this.#deadMen : []) watch.checkEnd(this.desk as SimDesk);
    if (this.desk) this.#large?.checkEnd(this.desk);
    await this.#startOnceMore();
  }

  async #drainAll(): Promise<void> {
    for (const [id, { limits }] of this.roughs) if (limits) await this.#drain(id, limits.limits);
  }

  /**
   * Gives an account time to send its waiting closes and cancels, which wait without limit: the time in which
   * its exchange accepts them, and the stops that fire meanwhile and go first, and no more.
   */
  async #drain(account: string, { orders, ordersMs }: Limits): Promise<void> {
    const waiting = this.desk?.waiting(account) ?? 0;
    if (waiting === 0) return;
    strike(this.strikes, 'orders wait for their turn when the faults have healed');
    this.#drainedAt = Number.POSITIVE_INFINITY;
    const windows = 2 * Math.ceil(waiting / orders) + 1;
    for (let n = 0; n < windows && (this.desk?.waiting(account) ?? 0) > 0; n++) await this.#pass(ordersMs);
    this.#drainedAt = this.clock.now;
  }

  /** Checks that a last restart changes nothing. */
  async #startOnceMore(): Promise<void> {
    if (this.#violation) return;
    const before = dumpOf(this.db, 'orders');
    this.#crash('after the end', 100);
    await this.#pass(SETTLED_WITHIN_MS);
    if (this.#violation) return;
    this.desk?.flush();
    const after = dumpOf(this.db, 'orders');
    const hasLossLimit = this.plan.lossLimit !== null;
    const at = before.findIndex((line, i) => line !== after[i] && !isDecidedLater(after[i], hasLossLimit));
    if (at >= 0) this.violate(1, `a restart changed ${before[at]} to ${after[at]}`);
    checkEnd(this);
    if (this.desk) checkNothingIsMissing(this.desk, this.violate);
  }

  /**
   * Rests for over an hour without clients: memory is swept, keys expire. Then the clients come back to
   * orders that ended long ago.
   */
  async #rest(): Promise<void> {
    this.clients.stop();
    this.bots?.stop();
    this.#resting = true;
    strike(this.strikes, 'long rest');
    this.#tickEvery(60_000);
    await this.#pass(LONG_REST_MS);
    this.#tickEvery(this.plan.tickEveryMs);
    this.#resting = false;
    this.clients.start();
    this.bots?.start();
    await this.#pass(15_000);
  }

  /** Sets the wall time between two ticks from now on. */
  #tickEvery(ms: number): void {
    const { plan } = this;
    this.#roughTickMs = ms;
    if (plan.market.kind === 'live') this.#schedule.change(ms, this.clock.now);
    else {
      // A replay's ticks keep their market times, whatever happens to the desk.
      this.#speed = (plan.market.speed * plan.tickEveryMs) / ms;
      this.desk?.trading.market.driver.setSpeed(this.#speed);
    }
  }

  async #pass(ms: number): Promise<void> {
    await this.clock.runUntil(this.clock.now + ms, () => this.#violation !== null);
    if (this.#violation) throw new Violation(this.#violation.invariant, this.#violation.text);
  }

  #boot(): void {
    if (this.desk || this.#violation) return;
    this.#nemesis.deskStarts();
    this.watch.deskStarted();
    this.botWatch.deskStarted();
    this.#trace('start');
    this.#troubled();
    let desk: SimDesk;
    const watcher: PortWatcher = {
      point: (point) => this.#point(desk, point),
      failure: (on) => this.#failure(on),
      stored: (rows) => this.#stored(rows),
    };
    desk = new SimDesk({
      db: this.db,
      plan: this.plan,
      clock: this.clock,
      market: this.#market,
      schedule: this.#schedule,
      speed: this.#speed,
      marketStart: this.#start,
      dice: this.#deskDice,
      accounts: this.accounts,
      externals: this.externals,
      roughs: this.roughs,
      healed: () => this.healedAt !== null,
      watcher,
      released: (effect) => {
        this.watch.released(effect);
        this.botWatch.released(effect);
        if (effect.kind === 'submit') this.#checkFired(effect);
        if (effect.kind === 'amend') strike(this.strikes, 'order changed');
        if (this.#guards) checkGuarded(this.#guards, desk, effect);
        this.#losses.released(desk, effect);
        this.#large?.released(desk, effect);
      },
      violate: this.violate,
      fatal: (reason) => this.#fatal(reason),
      errorLine: (text) => this.#errorLine(text),
      strikes: this.strikes,
      took: (id) => this.botWatch.took(id),
      mutation: this.#mutation,
    });
    this.desk = desk;
    // The desk has loaded before it was known here.
    this.#point(desk, 'load');
    if (!desk.life.alive) return;
    desk.start().catch((error: unknown) => {
      if (!desk.life.alive) return;
      if (this.#nemesis.failures > 0) this.#crash('the start failed', 500);
      else this.violate(0, `the start failed: ${wordsOf(error)}`);
    });
  }

  #crash(why: string, downMs: number): void {
    const { desk } = this;
    if (!desk) return;
    this.#trace(`crash ${why} after ${desk.operations} operations`);
    this.crashes += 1;
    strike(this.strikes, `crash ${CRASH_POINTS.find((point) => why.endsWith(point)) ?? 'at another moment'}`);
    this.#down(desk, downMs);
  }

  #down(desk: SimDesk, downMs: number): void {
    desk.life.alive = false;
    this.desk = null;
    this.#troubled();
    for (const external of this.externals.values()) external.sink = null;
    for (const { line, prices } of this.roughs.values()) {
      line.disconnect();
      prices.disconnect();
    }
    // SQLite rolls back what was not committed when it opens the file again.
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.clients.crashed();
    this.clock.after(downMs, () => this.#boot());
  }

  #troubled(): void {
    for (const watch of this.#deadMen) watch.trouble();
  }

  #troubleClock({ kind, ms }: ClockFault): void {
    if (this.healedAt !== null) return;
    this.#trace(`clock ${kind} ${ms}`);
    this.#troubled();
    strike(this.strikes, kind === 'set' ? 'wall clock set' : 'sleep');
    if (kind === 'set') {
      this.clock.set(ms);
      if (this.externals.size > 0) this.#moveMarket();
    } else if (this.desk) {
      this.clock.sleep(this.desk.life, ms);
      this.#awakeAt = Math.max(this.#awakeAt, this.clock.now) + ms;
    }
  }

  /** Stops the desk as a person does. It may crash on the way. */
  #stop(downMs: number): void {
    const { desk } = this;
    if (!desk?.ready || this.healedAt !== null) return;
    this.#trace('stop');
    strike(this.strikes, 'stop');
    let over = false;
    desk.stop().then(
      () => {
        over = true;
        if (desk.life.alive) this.#down(desk, downMs);
      },
      (error: unknown) => {
        if (!desk.life.alive) return;
        if (this.#nemesis.failures > 0) this.#crash('the stop failed', 500);
        else this.violate(0, `the stop failed: ${wordsOf(error)}`);
      },
    );
    const late = () => {
      if (!over) this.violate(11, `a stop was not done within ${STOPPED_WITHIN_MS} ms`);
    };
    this.clock.after(STOPPED_WITHIN_MS, late, desk.life);
  }

  /** Whether and how the commit that is about to end fails. */
  #failure(on: StoreFailure['on']): number | null {
    const code = this.#nemesis.failure(on);
    if (code !== null) strike(this.strikes, `${on} fails`);
    return code;
  }

  #point(desk: SimDesk | undefined, point: CrashPoint): void {
    // A desk is not known here yet while it is composed.
    if (!desk?.life.alive || desk !== this.desk) return;
    desk.operations += 1;
    if (desk.operations > OPERATIONS_MAX) {
      this.violate(0, `one desk has done ${OPERATIONS_MAX} things: it goes round and round`);
      desk.life.alive = false;
      return;
    }
    if (this.plan.bots?.once && this.watch.somethingIsOnItsWay()) return;
    this.#nemesis.point(point, desk.operations);
  }

  #stored(rows: readonly Row[]): void {
    this.watch.committed(rows);
    this.botWatch.committed(rows);
    this.#losses.committed(rows);
    this.#large?.committed(rows);
    this.watch.exchangeCommitted(rows);
  }

  #fatal(reason: string): void {
    const [first = ''] = reason.split('\n');
    if (this.#nemesis.failures === 0 || first.startsWith('internal error')) this.violate(0, reason);
    else this.#crash(`fatal: ${first}`, 1_000);
  }

  #errorLine(text: string): void {
    if (/adapter failure|says it refused|ANOTHER DESK/.test(text))
      this.violate(0, `the desk logs an error: ${text}`);
    else this.#trace(`error line ${text}`);
  }

  #heal(): void {
    this.#trace('healed');
    this.healedAt = this.clock.now;
    this.#nemesis.heal();
    for (const faults of this.#faults) faults.heal();
    for (const { line } of this.roughs.values()) line.heal();
    for (const venue of this.desk?.embedded.values() ?? []) venue.faults.heal();
  }

  #isKnown(account: string): boolean {
    const since = this.desk?.core.engine.memory.accounts.get(account)?.since ?? 0;
    if (since > 0) this.#known.add(account);
    return this.#known.has(account);
  }

  #goDown(ms: number): void {
    if (this.healedAt !== null) return;
    strike(this.strikes, 'outage');
    for (const faults of this.#faults) faults.downFor(ms);
    for (const venue of this.desk?.embedded.values() ?? []) venue.faults.downFor(ms);
  }

  async #openExternals(): Promise<void> {
    if (this.plan.hosting === 'embedded') return;
    const dice = new Dice(this.plan.seed, 'exchange');
    for (const account of this.accounts) {
      if (isRough(account.account.id)) continue;
      const faults = new SimFaults(dice, this.strikes);
      faults.set(this.plan.faults);
      this.#faults.push(faults);
      const external = new ExternalExchange({
        account,
        clock: this.clock.true(),
        random: dice,
        faults,
        paper: this.plan.paper,
        marketTime: () => this.clock.now,
        fails: () => this.#failure('paper') !== null,
        stored: (rows) => this.watch.exchangeCommitted(rows),
      });
      this.externals.set(account.account.id, external);
      await external.open();
    }
    this.#armTick();
  }

  async #openRough(): Promise<void> {
    const { plan } = this;
    if (!plan.rough) return;
    const roughs = await openRough({
      plan,
      rough: plan.rough,
      clock: this.clock,
      strikes: this.strikes,
      healed: () => this.healedAt !== null,
      tickEveryMs: () => this.#roughTickMs,
      stored: (rows) => this.watch.exchangeCommitted(rows, ROUGH),
      awake: () => this.desk !== null && this.clock.awake(this.desk.life),
      isKnown: (account) => this.#isKnown(account),
    });
    for (const rough of roughs) {
      this.#faults.push(rough.faults);
      this.roughs.set(rough.exchange.account.id, rough);
      const { clock, strikes, violate } = this;
      if (rough.line.deadMan)
        this.#deadMen.push(
          new DeadManWatch({
            rough,
            clock,
            strikes,
            violate,
            steady: plan.clockFaults.length === 0,
            desk: () => this.desk,
            healed: () => this.healedAt !== null,
          }),
        );
    }
  }

  /**
   * Moves the market of external exchanges, whatever the desk does. The desk receives the same market, and
   * its feed knows only the time of the desk's own clock: when that clock is ahead the market is ahead, too,
   * or the desk would receive future ticks.
   */
  #armTick(): void {
    const time = this.#schedule.timeOf(this.#nextTick);
    this.clock.after(Math.max(time - this.#marketTime, 0), () => {
      this.#moveMarket();
      this.#armTick();
    });
  }

  #moveMarket(): void {
    for (;;) {
      const time = this.#schedule.timeOf(this.#nextTick);
      if (time > this.#marketTime) return;
      const tick = { ...this.#market.tick(this.#nextTick++), time };
      for (const external of this.externals.values()) void external.venue.tick(tick);
    }
  }

  get #marketTime(): number {
    return Math.max(this.clock.now, this.clock.wall);
  }

  #armMemoryCheck(): void {
    const often = this.healedAt === null && !this.#resting;
    this.clock.after(often ? MEMORY_CHECK_MS : RARE_CHECK_MS, () => {
      const { desk } = this;
      if (desk?.ready) checkMemory(desk, this.violate);
      if (desk?.ready) checkBotMemory(desk, this.violate);
      if (desk?.ready && this.plan.lifts) this.#losses.look(desk);
      for (const rough of desk?.ready ? this.roughs.values() : []) this.#checkSure(rough);
      for (const watch of desk?.ready ? this.#deadMen : []) watch.look(desk as SimDesk);
      const restsSince = this.healedAt === null ? null : Math.max(this.healedAt, this.#drainedAt);
      if (desk?.ready && restsSince !== null && this.clock.now - restsSince >= SETTLED_WITHIN_MS)
        checkLiveness(desk, this.clock.wall - SETTLED_WITHIN_MS, this.violate);
      this.#armMemoryCheck();
    });
  }

  #checkFired({ exchange, order }: Extract<Effect, { kind: 'submit' }>): void {
    const rough = this.roughs.get(exchange);
    const sent = this.desk?.core.engine.memory.orders.get(order.clientId);
    if (sent?.replaces !== undefined && sent.tries === undefined)
      strike(this.strikes, 'order changed by another one');
    if (rough && sent) checkFired(rough.exchange, sent, this.violate);
  }

  #checkSure(rough: Rough): void {
    if (!this.desk) return;
    const looked = checkSure(rough, this.desk, this.clock.now, this.violate);
    if (looked > 0) strike(this.strikes, `${rough.exchange.account.id} is looked at while it is sure`);
  }

  #registerKeys(): void {
    const key = { user: USER, tier: 'trade', ipList: null, allowedExchanges: null } as const;
    const { guards, lossLimit } = this.plan;
    const rows: Row[] = KEY_IDS.map((id) => ({
      kind: 'key',
      key: { ...key, ...UNUSED_KEY, id, label: id, createdAt: this.#start },
    }));
    for (const { account } of this.accounts) {
      const { id } = account;
      const own = id === 'paper-spot' ? guards : null;
      const deadMan = isRough(id) ? this.plan.rough?.[account.kind]?.deadMan : null;
      if (own === null && lossLimit === null && !deadMan) continue;
      const switched = deadMan ? { deadManSeconds: deadMan.seconds } : {};
      const value = { ...(own ?? NO_GUARDS), dailyLossLimit: lossLimit, ...switched };
      rows.push({ kind: 'meta', name: guardsName(id), value });
    }
    new SqliteStore(this.db, ':memory:').commit(rows);
  }

  readonly #trace = (line: string): void => {
    this.#lines.push(`${this.clock.now - this.#start} ${line}`);
  };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/**
 * Whether a run or a loss limit may have cancelled the order: candles of the rough exchange's market close by
 * its clock, whether anything is traded or not, and the first price after a start may show that a loss limit is
 * reached, by the fee of the last execution, say: then runs pause, and entries are cancelled.
 */
function isDecidedLater(order: string | undefined, hasLossLimit: boolean): boolean {
  const ofRough = order?.includes('"exchange":"rough-') === true;
  if (hasLossLimit && order?.includes('(asked by dailyLossLimit)')) return true;
  return (ofRough || hasLossLimit) && order?.includes('(asked by bot ') === true;
}
