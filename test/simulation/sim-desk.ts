/**
 * One life of a desk: the product's own composition (`src/desk/trading.ts`) over the world's ports: clock,
 * database, feed, exchanges, random, receiver of alerts. It duplicates no code of the desk.
 */
import type { DatabaseSync } from 'node:sqlite';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import type { ApiDesk } from '../../src/desk/api/api-port.ts';
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import type { PaperAccountsOptions } from '../../src/desk/paper/paper-accounts.ts';
import { type DeskVenues, openTrading, type Trading } from '../../src/desk/trading.ts';
import type { Effect } from '../../src/engine/step.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import type { LaneClient } from '../../src/venues/kit/addresses.ts';
import type { PaperVenue } from '../../src/venues/paper/paper-venue.ts';
import type { Venue } from '../../src/venues/venue.ts';
import { LimitedVenue } from '../support/limited-exchange.ts';
import type { SimAccount } from './accounts.ts';
import type { Dice } from './dice.ts';
import type { ExternalExchange } from './external-exchange.ts';
import type { SimMarket } from './market.ts';
import type { Mutation } from './mutations.ts';
import type { SeedPlan } from './plan.ts';
import {
  type PortWatcher,
  type SettingFate,
  type SettingLine,
  simRandom,
  simStore,
  simVenue,
  type Waking,
} from './ports.ts';
import { fixing } from './replacements.ts';
import type { Rough } from './rough/open-rough.ts';
import { FOREVER, type Life, type SimClock } from './sim-clock.ts';
import { SimFaults, type Strikes, strike } from './sim-faults.ts';
import { type Schedule, SimFeed } from './sim-feed.ts';
import { simTarget, TARGET } from './sim-target.ts';
import type { SimConnection } from './venues/sim-connection.ts';

export interface SimDeskOptions {
  readonly db: DatabaseSync;
  readonly plan: SeedPlan;
  readonly clock: SimClock;
  readonly market: SimMarket;
  readonly schedule: Schedule;
  /** Ms of market time that pass in one ms of the clock. */
  readonly speed: number;
  /** Market time of the market's beginning, Unix ms. */
  readonly marketStart: number;
  readonly dice: Dice;
  readonly accounts: readonly SimAccount[];
  /** External exchanges by account id; empty when the exchanges are embedded. */
  readonly externals: ReadonlyMap<string, ExternalExchange>;
  /** Connections to the exchange that errs, by account id; empty: there is none. */
  readonly roughs: ReadonlyMap<string, Pick<Rough, 'line' | 'prices' | 'limits'>>;
  /** A connection to a real venue's adapter; left out: there is none. */
  readonly connected?: SimConnection;
  readonly healed: () => boolean;
  readonly watcher: PortWatcher;
  readonly released: (effect: Effect) => void;
  readonly fatal: (reason: string) => void;
  readonly errorLine: (text: string) => void;
  readonly violate: (invariant: number, text: string) => void;
  readonly strikes: Strikes;
  /** Called when the receiver of alerts has accepted this one. */
  readonly took: (alertId: string) => void;
  readonly mutation: Mutation | null;
}

export class SimDesk {
  readonly life: Life = { alive: true };
  readonly trading: Trading;
  readonly api: ApiDesk;
  #ready = false;
  /** Number of port operations so far. */
  operations = 0;
  /** The last id drawn: the ids of a command's orders contain it. */
  lastId = '';
  readonly embedded = new Map<string, PaperVenue>();
  readonly #answered = new Set<number>();
  /** Lane clients of exchanges that limit requests, by account. */
  readonly #ways = new Map<string, LaneClient>();
  readonly #o: SimDeskOptions;
  readonly #store: Store;

  constructor(o: SimDeskOptions) {
    this.#o = o;
    const { life } = this;
    const random = simRandom(o.dice, life, (id) => {
      this.lastId = id;
    });
    const armed: { error: number | null } = { error: null };
    const sqlite = new SqliteStore(o.db, ':memory:', {
      beforeCommit: () => {
        if (armed.error !== null) throw Object.assign(new Error('made to fail'), { errcode: armed.error });
      },
    });
    const store = simStore(sqlite, life, o.watcher, armed);
    this.#store = o.mutation?.store?.(store) ?? store;
    const { plan, connected } = o;
    this.trading = openTrading({
      options: {
        feed: 'simulation',
        seed: plan.seed,
        speed: o.speed,
        hold: false,
        timeZone: 'UTC',
        ...(connected ? { connections: [connected.connection], paper: false } : {}),
      },
      ports: {
        openFeed: () => ({ feed: this.#feed(), samplePrices: () => [] }),
        venues: (given) => this.#venues(given),
        markets: [...o.roughs.values()].map(({ prices }) => prices.market(() => o.clock.awake(life))),
        ...(connected
          ? {
              kinds: [connected.kind(life, (point) => o.watcher.point(point), o.mutation)],
              vault: connected.vault,
            }
          : {}),
      },
      clock: o.clock.of(life),
      random,
      store: this.#store,
      targets: new Map([[TARGET, simTarget({ ...o, life })]]),
      logFile: (line) => {
        if (process.env.SIMLOG) process.stdout.write(`LOG ${JSON.stringify(line)}\n`);
        if (life.alive && line.level === 'error' && line.source !== 'store') o.errorLine(line.text);
      },
      fatal: (reason) => {
        if (life.alive) o.fatal(reason);
      },
    });
    this.#tap();
    o.mutation?.desk?.(this.core);
    if (this.core.bots) o.mutation?.bots?.(this.core.bots);
    this.api = apiFacade({
      core: this.core,
      store: this.#store,
      version: 'simulation',
      startedAt: o.clock.wall,
      wall: () => o.clock.wall,
    });
  }

  /** Whether the desk accepts requests. */
  get ready(): boolean {
    return this.#ready && this.#o.clock.awake(this.life);
  }

  /** Number of requests to an account that wait for their turn. */
  waiting(account: string): number {
    return this.#ways.get(account)?.waiting ?? 0;
  }

  get core(): DeskCore {
    return this.trading.core;
  }

  get marketTime(): number {
    return this.trading.market.time();
  }

  get wall(): number {
    return this.#o.clock.wall;
  }

  /** Market time of the last tick this desk has stepped. */
  get lastTickTime(): number {
    return this.trading.market.driver.marketTime;
  }

  lastPrice(symbol: string, market = 'paper'): number | null {
    const known = this.trading.market.view.last(market).find(([one]) => one === symbol);
    return known === undefined ? null : Number(known[1]);
  }

  async start(): Promise<void> {
    await this.#o.connected?.unlock(this.trading.vault);
    await this.trading.start();
    if (!this.life.alive) return;
    this.trading.run();
    this.#ready = true;
  }

  /** Stops as if a person had stopped it: pending work is finished, and then the desk is dead. */
  async stop(): Promise<void> {
    this.#ready = false;
    await this.trading.halt();
    await this.trading.close('stopped by the simulation');
  }

  /** Stores all deferred rows, and that the last tick is over. */
  flush(): void {
    this.core.turn.store([{ kind: 'meta', name: 'simulation', value: 'over' }], true);
    this.core.turn.flush(true);
  }

  #feed(): SimFeed {
    const { market, schedule, marketStart, plan } = this.#o;
    return new SimFeed({ market, schedule, startTime: marketStart, live: plan.market.kind === 'live' });
  }

  #venues(given: PaperAccountsOptions): DeskVenues {
    const { accounts, mutation } = this.#o;
    const venues = accounts.map((account) => fixing(this.#venueOf(account, given), this.#o.plan.fixed));
    return {
      all: mutation?.venue ? venues.map(mutation.venue) : venues,
      paper: [...this.embedded.values()],
    };
  }

  #venueOf(account: SimAccount, given: PaperAccountsOptions): Venue {
    const { life } = this;
    const { plan, watcher, externals, clock, roughs } = this.#o;
    const awake = () => clock.awake(life);
    const waking: Waking = {
      awake,
      wakes: (then) => clock.after((life.asleepUntil ?? 0) - clock.now, then),
    };
    const rough = roughs.get(account.account.id);
    if (rough) {
      const { limits, line } = rough;
      const waits = () => this.#waits(account);
      const isAlive = () => life.alive;
      const limited =
        limits && new LimitedVenue(line.venue, { limits, clock: clock.of(life), waits, isAlive });
      if (limited) this.#ways.set(account.account.id, limited.way);
      const venue = limited?.venue ?? line.venue;
      return simVenue(venue, life, watcher, this.#line(FOREVER), waking, (sink) => venue.open(sink));
    }
    const external = externals.get(account.account.id);
    if (external) {
      return simVenue(external.venue, life, watcher, this.#line(FOREVER), waking, async (sink) => {
        external.sink = sink;
        sink.stream('up');
      });
    }
    const random = simRandom(this.#o.dice, life, () => {});
    const faults = new SimFaults(random, this.#o.strikes);
    if (!this.#o.healed()) faults.set(plan.faults);
    const venue = account.create({
      account: account.account,
      instruments: account.instruments,
      load: () => this.#store.loadPaperAccount(account.account.kind),
      lane: { commit: given.commit },
      clock: given.clock,
      random,
      faults,
      marketTime: given.marketTime,
      ...(given.settle ? { settle: given.settle } : {}),
      options: { ...plan.paper, startBalances: account.startBalances },
    });
    this.embedded.set(account.account.id, venue);
    return simVenue(venue, life, watcher, this.#line(life), waking, (sink) => venue.open(sink));
  }

  #waits({ account }: SimAccount): void {
    strike(this.#o.strikes, `${account.id}: a request waits for its turn`);
  }

  /** Loses some settings, or their answers, on the way; `life`: whose requests these are. */
  #line(life: Life): SettingLine {
    const { clock, plan, dice, healed, strikes } = this.#o;
    return {
      fate: () => {
        if (healed() || !this.life.alive) return 'none';
        const fate = settingFate(plan.faults, dice);
        if (fate !== 'none') strike(strikes, 'setting lost');
        return fate;
      },
      after: (ms, run) => void clock.after(ms, run, life),
      delayMs: () => dice.int(1, 4_900),
    };
  }

  /** Watches every effect at its release. */
  #tap(): void {
    const core = this.core as unknown as { release(effect: Effect): void };
    const release = core.release.bind(core);
    core.release = (effect) => {
      this.#o.watcher.point('effect');
      if (!this.life.alive) return;
      this.#o.released(effect);
      if (effect.kind === 'answer') {
        if (this.#answered.has(effect.token))
          this.#o.violate(9, `request token ${effect.token} was answered twice`);
        this.#answered.add(effect.token);
      }
      release(effect);
    };
  }
}

function settingFate(mix: SeedPlan['faults'], dice: Dice): SettingFate {
  const hit = (chance: number | undefined) => chance !== undefined && chance > 0 && dice.chance(chance);
  if (hit(mix.loseRequest)) return 'loseRequest';
  if (hit(mix.loseAnswer)) return 'loseAnswer';
  if (hit(mix.lateArrival)) return 'lateArrival';
  return hit(mix.delay) ? 'hang' : 'none';
}
