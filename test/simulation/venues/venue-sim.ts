/**
 * One seed of a desk that is connected to an exchange: the product's own composition and adapter, the
 * exchange's emulator behind a network that errs, its own prices, others on the account, clients, bots,
 * crashes. Everything follows from the seed. Faults heal, time runs until all is quiet, then
 * `venue-checks.ts` judges.
 */
import { createHash } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { UNUSED_KEY } from '../../../src/domain/access-key.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { Effect } from '../../../src/engine/step.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { StoreError } from '../../../src/store/store.ts';
import { createPaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import type { SimAccount } from '../accounts.ts';
import { checkBotMemory, checkNothingIsMissing } from '../bot-checks.ts';
import { BotClients } from '../bot-clients.ts';
import { BotWatch } from '../bot-watch.ts';
import { checkLiveness, checkMemory, dumpOf } from '../checks.ts';
import { Clients, KEY_IDS, USER } from '../clients.ts';
import { Dice } from '../dice.ts';
import { SimMarket, SYMBOLS } from '../market.ts';
import { mutationsFor } from '../mutations.ts';
import { Nemesis } from '../nemesis.ts';
import { type ClockFault, CRASH_POINTS, type CrashPoint, type StoreFailure } from '../plan.ts';
import type { PortWatcher } from '../ports.ts';
import { SimClock } from '../sim-clock.ts';
import { SimDesk } from '../sim-desk.ts';
import { type Strikes, strike } from '../sim-faults.ts';
import { Schedule } from '../sim-feed.ts';
import { Violation, Watch } from '../watch.ts';
import { type RunOptions, SETTLED_WITHIN_MS, type SeedResult } from '../world.ts';
import { SimConnection } from './sim-connection.ts';
import { checkVenueEnd } from './venue-checks.ts';
import { type VenuePlan, venuePlanOf } from './venue-plan.ts';
import type { AccountKind, Act, VenueExchange, VenueWorld } from './venue-world.ts';

/** 2026-01-05 00:00 UTC. */
const START = Date.UTC(2026, 0, 5);
/** A little more than the time between two reconciliations. */
const RECONCILED_WITHIN_MS = 16 * 60_000;
const FUNDING_EVERY_MS = 8 * 3_600_000;
const LONG_REST_MS = 64 * 60_000;
/** Longest time of a stop, ms: it waits for running calls and a delivery, and no longer. */
const STOPPED_WITHIN_MS = 45_000;
const OPERATIONS_MAX = 150_000;
const MEMORY_CHECK_MS = 5_000;
const RARE_CHECK_MS = 45_000;
const NEVER_MS = 1_000_000_000;
const PAPER_TICK_MS = 1_000;
const REST_TICK_MS = 20_000;
/**
 * Time between two mark prices, ms, as on a real market. While a world only waits, which is most of its time,
 * they come less often.
 */
const BEAT_MS = 1_000;
const REST_BEAT_MS = 3_000;
/** Latest start of the faults, ms; in most seeds they begin once a desk is connected for the first time. */
const READY_WITHIN_MS = 30_000;

export interface VenueRunOptions extends Pick<RunOptions, 'mutation'> {
  /** Overrides the drawn plan; for tests of the simulation. */
  readonly plan?: Partial<VenuePlan>;
}

export async function runVenue(
  seed: number,
  world: VenueWorld,
  options: VenueRunOptions = {},
): Promise<SeedResult> {
  const sim = new VenueSim({ ...venuePlanOf(seed), ...options.plan }, world, options);
  try {
    return await sim.run();
  } finally {
    sim.close();
  }
}

export class VenueSim {
  readonly plan: VenuePlan;
  readonly world: VenueWorld;
  readonly clock: SimClock;
  readonly watch: Watch;
  readonly clients: Clients;
  /** Null in a world without bots. */
  readonly bots: BotClients | null;
  readonly botWatch: BotWatch;
  readonly db: DatabaseSync;
  readonly exchange: VenueExchange;
  readonly connection: SimConnection;
  readonly accounts: readonly SimAccount[];
  /** The rough exchange's accounts, as in other worlds; none here. */
  readonly roughs = new Map<string, never>();
  desk: SimDesk | null = null;
  readonly strikes: Strikes = new Map();
  healedAt: number | null = null;
  crashes = 0;
  readonly #start: number;
  readonly #market: SimMarket;
  readonly #schedule: Schedule;
  readonly #deskDice: Dice;
  readonly #acts: Dice;
  readonly #nemesis: Nemesis;
  readonly #mutation;
  readonly #lines: string[] = [];
  #violation: { invariant: number; text: string; at: number } | null = null;
  #tickMs: number;
  #ticks = 0;
  #resting = false;
  #wasKnown = false;
  #naming: StatementSync | null = null;
  /** True time at which a sleeping machine wakes up. */
  #awakeAt = 0;

  constructor(plan: VenuePlan, world: VenueWorld, options: VenueRunOptions) {
    const { seed } = plan.seed;
    const dice = (stream: string) => new Dice(seed, stream);
    this.plan = plan;
    this.world = world;
    this.#start = START + plan.seed.startOffsetMs;
    this.clock = new SimClock(this.#start, dice('turns'), plan.seed.shareTurn);
    this.#market = new SimMarket(dice('market'), plan.seed.stride);
    // Nobody trades on the paper market; its ticks tell the desk the time.
    this.#schedule = new Schedule(this.#start, PAPER_TICK_MS);
    this.#tickMs = plan.seed.tickEveryMs;
    this.#deskDice = dice('desk');
    this.#acts = dice('venue acts');
    this.#nemesis = new Nemesis({ crash: (why, downMs) => this.#crash(why, downMs), trace: this.#trace });
    this.watch = new Watch(this.violate, this.#trace, null);
    const mutations = mutationsFor((id, order) => this.watch.aliases.set(id, order));
    this.#mutation = options.mutation ? mutations[options.mutation] : null;
    this.db = openDatabase(':memory:');
    this.exchange = world.open({
      clock: this.clock.true(),
      dice,
      symbols: SYMBOLS,
      settings: plan.settings,
      struck: (fault) => strike(this.strikes, fault),
      taken: (account, clientId, symbol) => this.#taken(account, clientId, symbol),
    });
    this.connection = new SimConnection({
      world,
      exchange: this.exchange,
      clock: this.clock,
      dice: dice('vault'),
    });
    this.accounts = this.connection.accounts.map((account) => ({
      account,
      instruments: [],
      startBalances: {},
      create: createPaperVenue,
    }));
    const given = { plan: plan.seed, clock: this.clock, accounts: this.accounts, desk: () => this.desk };
    this.clients = new Clients({
      ...given,
      dice: dice('clients'),
      amendDice: dice('amends'),
      violate: this.violate,
      trace: this.#trace,
      isStored: (id) => this.watch.orders.has(id),
      changes: (id) => this.watch.changed.add(id),
    });
    this.botWatch = new BotWatch(this.violate, this.#trace, true);
    const struck = (name: string) => strike(this.strikes, name);
    const { bots } = plan.seed;
    this.bots = bots && new BotClients({ ...given, bots, dice: dice('bots'), clients: this.clients, struck });
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
      seed: this.plan.seed.seed,
      violation: this.#violation,
      hash: createHash('sha256').update(this.#lines.join('\n')).digest('hex'),
      events: this.clock.events,
      crashes: this.crashes,
      orders: this.watch.orders.size,
      liquidations: this.strikes.get('liquidation') ?? 0,
      calls: this.clients.calls.length,
      runs: this.botWatch.runs.size,
      botFills: this.botWatch.fills,
      strikes: [...this.strikes],
      trace: this.#lines,
    };
  }

  close(): void {
    if (this.desk) this.desk.life.alive = false;
    this.connection.die();
    this.db.close();
  }

  /** Notes the first violation; the run ends with the present event. */
  readonly violate = (invariant: number, text: string): void => {
    this.#trace(`VIOLATION ${invariant}: ${text}`);
    this.#violation ??= { invariant, text, at: this.clock.now - this.#start };
  };

  async #live(): Promise<void> {
    const { seed: plan, net, acts, locks } = this.plan;
    const store = new SqliteStore(this.db, ':memory:');
    store.commit(
      KEY_IDS.map((id): Row => ({ kind: 'key', key: { ...KEY, id, label: id, createdAt: this.#start } })),
    );
    await this.connection.seal(store);
    this.exchange.faults(this.plan.calmStart ? wakeBoundsOf(net) : net);
    this.#armTick();
    this.#boot();
    if (this.plan.calmStart) {
      const until = this.clock.now + READY_WITHIN_MS;
      await this.clock.runUntil(until, () => this.#violation !== null || this.desk?.ready === true);
      this.exchange.faults(net);
    }
    this.clients.start();
    this.bots?.start();
    for (const crash of plan.crashes) this.clock.after(crash.at, () => this.#nemesis.armCrash(crash));
    for (const failure of plan.storeFailures)
      this.clock.after(failure.at, () => this.#nemesis.armFailure(failure));
    for (const stop of plan.stops) this.clock.after(stop.at, () => this.#stop(stop.downMs));
    for (const fault of plan.clockFaults) this.clock.after(fault.at, () => this.#troubleClock(fault));
    for (const outage of plan.outages) this.clock.after(outage.at, () => this.#goDown(outage.ms));
    for (const lock of locks) this.clock.after(lock.at, () => this.#lock(lock.ms));
    for (const [act, everyMs] of acts) this.#armAct(act, everyMs);
    this.#armMemoryCheck();
    await this.#pass(plan.activeMs);
    if (plan.longRest) await this.#rest();
    // A sleeping machine has not healed yet.
    await this.#pass(Math.max(0, this.#awakeAt - this.clock.now));
    await this.#outwaitBan();
    this.#heal();
    this.clients.stop();
    this.bots?.stop();
    await this.#pass(2 * SETTLED_WITHIN_MS);
    this.clients.repeatAll(40);
    if (plan.cancelAtEnd) this.clients.cancelAll();
    if (plan.bots?.stopAtEnd) this.bots?.stopAll();
    await this.#pass(SETTLED_WITHIN_MS + 10_000);
    this.#tickMs = 60_000;
    // The next reconciliation finds what no event shows: by itself after a quarter of an hour, or after a
    // break of the connection.
    const { messageLost = 0, swapped = 0, duplicate = 0 } = net;
    const isSilent = (act: Act) =>
      act === 'transfer' || (act === 'leverage changed elsewhere' && !this.world.tellsLeverage);
    const silently = messageLost + swapped + duplicate > 0 || acts.some(([act]) => isSilent(act));
    const waits = silently && (plan.seed % 8 === 0 || acts.some(([act]) => act === 'transfer'));
    if (silently && !waits) this.exchange.cut();
    await this.#settle(waits ? RECONCILED_WITHIN_MS : SETTLED_WITHIN_MS);
    if (silently && !waits) this.exchange.cut();
    // The market stops.
    this.#tickMs = NEVER_MS;
    await this.#settle(90_000);
    if (this.#violation) return;
    this.desk?.flush();
    checkVenueEnd(this);
    await this.#startOnceMore();
  }

  /** Checks that a last restart changes nothing. */
  async #startOnceMore(): Promise<void> {
    if (this.#violation) return;
    // A trigger that its exchange reports by no event is known from the next comparison on, as after a restart.
    for (const link of this.desk?.core.links.values() ?? []) void link.reconcile();
    await this.#settle(SETTLED_WITHIN_MS);
    if (this.#violation) return;
    this.desk?.flush();
    const before = dumpOf(this.db, 'orders');
    this.#crash('after the end', 100);
    await this.#settle(2 * SETTLED_WITHIN_MS);
    if (this.#violation) return;
    this.desk?.flush();
    const after = dumpOf(this.db, 'orders');
    // A run has ended it, or retries an exit that the exchange refuses.
    const goesOn = (line = '') => line.includes('(asked by bot ') || line.includes('\\"replacedBy\\"');
    const at = before.findIndex((line, i) => line !== after[i] && !goesOn(after[i]));
    if (at >= 0) this.violate(1, `a restart changed ${before[at]} to ${after[at]}`);
    checkVenueEnd(this);
    if (this.desk) checkNothingIsMissing(this.desk, this.violate);
  }

  /**
   * Lets time pass until all is known: after a funding, until the ledger with its row has been read again, and
   * then until the answers to what a run's clock has sent at this very moment are here.
   */
  async #settle(ms: number): Promise<void> {
    const fundings = () => Math.floor(this.clock.wall / FUNDING_EVERY_MS);
    const before = fundings();
    await this.#pass(ms);
    if (fundings() > before) await this.#pass(RECONCILED_WITHIN_MS);
    const orders = () => [...(this.desk?.core.engine.memory.orders.values() ?? [])];
    for (let s = 0; s < 10 && orders().some(isOnItsWay); s++) await this.#pass(1_000);
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
    this.#tickMs = 60_000;
    this.exchange.beat(REST_BEAT_MS);
    await this.#pass(LONG_REST_MS);
    this.exchange.beat(BEAT_MS);
    this.#tickMs = this.plan.seed.tickEveryMs;
    this.#resting = false;
    this.clients.start();
    this.bots?.start();
    await this.#pass(15_000);
  }

  async #pass(ms: number): Promise<void> {
    await this.clock.runUntil(this.clock.now + ms, () => this.#violation !== null);
    if (this.#violation) throw new Violation(this.#violation.invariant, this.#violation.text);
  }

  /** Moves the exchange's prices, whatever happens to the desk. */
  #armTick(): void {
    const last = this.clock.now;
    const look = () => {
      // The pace may have changed meanwhile.
      const left = last + this.#tickMs - this.clock.now;
      if (left > 0) {
        this.clock.after(Math.min(left, 5_000), look);
        return;
      }
      const { symbol, price, volume } = this.#market.tick(this.#ticks++);
      this.exchange.print(symbol, price, volume);
      this.#armTick();
    };
    this.clock.after(Math.min(this.#tickMs, 5_000), look);
  }

  #armAct(act: VenuePlan['acts'][number][0], everyMs: number): void {
    this.clock.after(everyMs * this.#acts.between(0.3, 1.7), () => {
      if (this.healedAt !== null) return;
      if (!this.#resting && this.#isKnown && this.exchange.act(act, this.#acts)) {
        this.#trace(`act ${act}`);
        strike(this.strikes, act);
      }
      this.#armAct(act, everyMs);
    });
  }

  /** Whether a desk has ever connected: for it everything earlier is the past. */
  get #isKnown(): boolean {
    const accounts = [...(this.desk?.core.engine.memory.accounts.values() ?? [])];
    this.#wasKnown ||= accounts.length > 0 && accounts.every(({ since }) => since > 0);
    return this.#wasKnown;
  }

  #boot(): void {
    if (this.desk || this.#violation) return;
    this.#nemesis.deskStarts();
    this.watch.deskStarted();
    this.botWatch.deskStarted();
    this.#trace('start');
    let desk: SimDesk;
    const watcher: PortWatcher = {
      point: (point) => this.#point(desk, point),
      failure: (on) => this.#failure(on),
      stored: (rows) => {
        this.watch.committed(rows);
        this.botWatch.committed(rows);
      },
    };
    try {
      desk = new SimDesk({
        db: this.db,
        plan: this.plan.seed,
        clock: this.clock,
        market: this.#market,
        schedule: this.#schedule,
        speed: 1,
        marketStart: this.#start,
        dice: this.#deskDice,
        watcher,
        violate: this.violate,
        accounts: [],
        externals: new Map(),
        roughs: new Map(),
        connected: this.connection,
        strikes: this.strikes,
        mutation: this.#mutation,
        healed: () => this.healedAt !== null,
        released: (effect) => this.#released(effect),
        fatal: (reason) => this.#fatal(reason),
        errorLine: (text) => this.#errorLine(text),
        took: (id) => this.botWatch.took(id),
      });
    } catch (error) {
      // What is written before the desk exists may fail as well.
      if (!(error instanceof StoreError) || this.#nemesis.failures === 0) throw error;
      this.connection.die();
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      this.clock.after(500, () => this.#boot());
      return;
    }
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

  #released(effect: Effect): void {
    this.watch.released(effect);
    this.botWatch.released(effect);
    if (effect.kind === 'amend') strike(this.strikes, 'order changed');
  }

  /** Invariants 1, 2: each of the desk's orders that reaches the exchange was stored before. */
  #taken(account: AccountKind, clientId: string, symbol: string): void {
    this.#trace(`exchange takes ${account} ${clientId} ${symbol}`);
    const exchange = this.connection.accounts.find(({ kind }) => kind === account)?.id ?? '';
    if (!this.orderNamed(exchange, clientId))
      this.violate(2, `${exchange} has an order ${clientId} that has no row`);
  }

  /** The order with this client id on the wire; null: no row names it. */
  orderNamed(exchange: string, clientId: string): string | null {
    this.#naming ??= this.db.prepare(
      "SELECT order_id AS id FROM wire_ids WHERE exchange = ? AND wire_id = ? AND symbol = ''",
    );
    const named = this.#naming.get(exchange, clientId) as { id: string } | undefined;
    if (named) return named.id;
    return this.watch.orders.has(clientId) ? clientId : null;
  }

  #crash(why: string, downMs: number): void {
    const { desk } = this;
    if (!desk) return;
    this.#trace(`crash ${why} after ${desk.operations} operations`);
    this.crashes += 1;
    strike(this.strikes, `crash ${CRASH_POINTS.find((point) => why.endsWith(point)) ?? 'at another moment'}`);
    this.#dies(desk, downMs);
  }

  #dies(desk: SimDesk, downMs: number): void {
    desk.life.alive = false;
    this.desk = null;
    this.connection.die();
    // SQLite rolls back what was not committed when it opens the file again.
    if (this.db.isTransaction) this.db.exec('ROLLBACK');
    this.clients.crashed();
    this.clock.after(downMs, () => this.#boot());
  }

  #troubleClock({ kind, ms }: ClockFault): void {
    if (this.healedAt !== null) return;
    this.#trace(`clock ${kind} ${ms}`);
    strike(this.strikes, kind === 'set' ? 'wall clock set' : 'sleep');
    if (kind === 'set') this.clock.set(ms);
    else if (this.desk) {
      this.clock.sleep(this.desk.life, ms);
      this.#awakeAt = Math.max(this.#awakeAt, this.clock.now) + ms;
    }
  }

  /** Locks the vault as a person does, and unlocks it later: every connection is then made again. */
  #lock(ms: number): void {
    const { desk } = this;
    if (!desk?.ready || this.healedAt !== null) return;
    this.#trace('vault locked');
    strike(this.strikes, 'vault locked');
    desk.trading.vault.lock();
    this.clock.after(ms, () => void this.connection.unlock(desk.trading.vault), desk.life);
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
        if (desk.life.alive) this.#dies(desk, downMs);
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
    this.#nemesis.point(point, desk.operations);
  }

  #fatal(reason: string): void {
    const [first = ''] = reason.split('\n');
    if (this.#nemesis.failures === 0 || first.startsWith('internal error')) this.violate(0, reason);
    else this.#crash(`fatal: ${first}`, 1_000);
  }

  #errorLine(text: string): void {
    if (/adapter failure|its adapter failed|says it refused|ANOTHER DESK/.test(text))
      this.violate(0, `the desk logs an error: ${text}`);
    else this.#trace(`error line ${text}`);
  }

  /**
   * Waits until a ban of the address ends: it lasts as long as the exchange says, even when everything else
   * has healed.
   */
  async #outwaitBan(): Promise<void> {
    const { banMs } = this.world;
    if (banMs === 0 || !this.strikes.has('banned')) return;
    this.exchange.faults(wakeBoundsOf(this.plan.net));
    this.clients.stop();
    this.bots?.stop();
    this.#resting = true;
    this.#tickMs = REST_TICK_MS;
    this.exchange.beat(REST_BEAT_MS);
    await this.#pass(banMs);
    this.#resting = false;
  }

  #heal(): void {
    this.#trace('healed');
    this.healedAt = this.clock.now;
    this.#nemesis.heal();
    this.exchange.faults(wakeBoundsOf(this.plan.net));
    this.#schedule.change(REST_TICK_MS, this.clock.now);
    this.exchange.down(false);
    this.exchange.heal();
    this.exchange.beat(REST_BEAT_MS);
  }

  #goDown(ms: number): void {
    if (this.healedAt !== null) return;
    strike(this.strikes, 'dead network');
    this.exchange.down(true);
    this.clock.after(ms, () => this.exchange.down(false));
  }

  #armMemoryCheck(): void {
    const often = this.healedAt === null && !this.#resting;
    this.clock.after(often ? MEMORY_CHECK_MS : RARE_CHECK_MS, () => {
      const { desk } = this;
      if (desk?.ready) {
        checkMemory(desk, this.unlessOverdrawn);
        checkBotMemory(desk, this.violate);
        if (this.healedAt !== null && this.clock.now - this.healedAt >= 2 * SETTLED_WITHIN_MS)
          checkLiveness(desk, this.clock.wall - 2 * SETTLED_WITHIN_MS, this.violate);
      }
      this.#armMemoryCheck();
    });
  }

  /**
   * Reports a violation, except for an overdrawn futures wallet: it is below zero from a liquidation until
   * the insurance pays. One that is shared with spot stays so, as its other coins cover it.
   */
  readonly unlessOverdrawn = (invariant: number, text: string): void => {
    const overdrawn = this.world.sharesWallet ? /USDT of .*: free -/ : /-futures: free -/;
    if (!overdrawn.test(text)) this.violate(invariant, text);
  };

  readonly #trace = (line: string): void => {
    this.#lines.push(`${this.clock.now - this.#start} ${line}`);
  };
}

const KEY = { user: USER, tier: 'trade', ipList: null, allowedExchanges: null, ...UNUSED_KEY } as const;

function wakeBoundsOf({ delayMs = [1, 5] }: VenuePlan['net']): VenuePlan['net'] {
  return { delayMs };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function isOnItsWay({ phase, cancel }: OrderRecord): boolean {
  return phase === 'sending' || cancel?.state === 'sent';
}
