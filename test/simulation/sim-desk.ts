/**
 * One life of a desk: composed anew from the database at every start, as `open-desk.ts` does it but without folder, log file
 * and HTTP. With an embedded exchange it drives the market too, from the stored cursor on.
 */
import type { DatabaseSync } from 'node:sqlite';
import { apiFace } from '../../src/desk/api-face.ts';
import type { ApiDesk } from '../../src/desk/api-port.ts';
import { type BotDesk, marketMove } from '../../src/desk/bot-desk.ts';
import { DeskCore, recentSince } from '../../src/desk/desk-core.ts';
import type { AheadTick } from '../../src/desk/market-cursor.ts';
import { stepMarks, tickAll } from '../../src/desk/paper-accounts.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Effect } from '../../src/engine/step.ts';
import type { Tick } from '../../src/market/feed.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { LoadedState, Store } from '../../src/store/store.ts';
import { PaperFaults } from '../../src/venues/paper/faults.ts';
import type { PaperVenue } from '../../src/venues/paper/paper-venue.ts';
import type { Venue } from '../../src/venues/venue.ts';
import type { SimAccount } from './accounts.ts';
import { simAlerts, simBots } from './bot-ports.ts';
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
} from './ports.ts';
import { FOREVER, type Life, type SimClock } from './sim-clock.ts';

export interface SimDeskOptions {
  readonly db: DatabaseSync;
  readonly plan: SeedPlan;
  readonly clock: SimClock;
  readonly market: SimMarket;
  /** Market time 0 of an embedded market. */
  readonly marketStart: number;
  readonly dice: Dice;
  readonly accounts: readonly SimAccount[];
  /** By account id; empty when the exchanges are embedded. */
  readonly externals: ReadonlyMap<string, ExternalExchange>;
  readonly healed: () => boolean;
  /** Wall time between two ticks now. */
  readonly tickEveryMs: () => number;
  /** Market time of external exchanges. */
  readonly externalTime: () => number;
  readonly externalPrices: () => readonly KnownPrice[];
  readonly watcher: PortWatcher;
  readonly released: (effect: Effect) => void;
  readonly fatal: (reason: string) => void;
  readonly errorLine: (text: string) => void;
  readonly violate: (invariant: number, text: string) => void;
  readonly mutation: Mutation | null;
}

/** Last price of a symbol and its market time. */
export type KnownPrice = readonly [symbol: string, price: string, time: number];

/** Stored with every commit, as `open-desk.ts` stores it. */
interface Cursor {
  /** Number of the next tick. */
  readonly next: number;
  readonly prices: readonly KnownPrice[];
  readonly unfinished: Tick | null;
  readonly ahead: AheadTick | null;
}

export class SimDesk {
  readonly life: Life = { alive: true };
  readonly core: DeskCore;
  readonly api: ApiDesk;
  /** Takes requests. */
  ready = false;
  /** Port operations so far. */
  operations = 0;
  /** The last id drawn: the ids of a command's orders contain it. */
  lastId = '';
  /** Market time of the last tick this desk has stepped; 0 before the first. */
  lastTickTime = 0;
  readonly embedded = new Map<string, PaperVenue>();
  readonly prices = new Map<string, { readonly price: string; readonly time: number }>();
  readonly #answered = new Set<number>();
  readonly #o: SimDeskOptions;
  readonly #store: Store;
  readonly #cursor: Cursor | undefined;
  #nextTick: number;
  #unfinished: Tick | null = null;
  /** In lock-step: bots are told of what is due before this tick. */
  #ahead: AheadTick | null = null;
  #reached: number;

  constructor(o: SimDeskOptions) {
    this.#o = o;
    const clock = o.clock.of(this.life);
    const random = simRandom(o.dice, this.life, (id) => {
      this.lastId = id;
    });
    const armed: { error: number | null } = { error: null };
    const sqlite = new SqliteStore(o.db, ':memory:', {
      beforeCommit: () => {
        if (armed.error !== null) throw Object.assign(new Error('made to fail'), { errcode: armed.error });
      },
    });
    this.#store = simStore(sqlite, this.life, o.watcher, armed);
    const initial = this.#store.load(recentSince(o.clock.now));
    this.#cursor = initial.meta.get('market') as Cursor | undefined;
    this.#nextTick = this.#cursor?.next ?? 0;
    this.#unfinished = this.#cursor?.unfinished ?? null;
    this.#ahead = this.#cursor?.ahead ?? null;
    this.#reached = this.marketTime;
    for (const [symbol, price, time] of this.#cursor?.prices ?? []) this.prices.set(symbol, { price, time });
    const venues = o.accounts.map((account) => this.#venueOf(account));
    const bots = o.plan.bots && this.#botsOf(initial, venues);
    const alerts =
      o.plan.bots &&
      simAlerts(
        initial,
        clock,
        simRandom(o.dice, this.life, () => {}),
        () => this.core,
      );
    this.core = new DeskCore({
      store: this.#store,
      initial,
      clock,
      random,
      ...(bots ? { bots: bots.make } : {}),
      ...(alerts
        ? {
            alertRows: (effects) => alerts.rows(effects),
            alert: (effect) => alerts.fired(effect),
            botGone: (id) => alerts.gone(id),
          }
        : {}),
      venues: o.mutation?.venue ? venues.map(o.mutation.venue) : venues,
      market: () => this.marketTime,
      riders: () => this.#riders(),
      logFile: (line) => {
        if (this.life.alive && line.level === 'error' && line.source !== 'store') o.errorLine(line.text);
      },
      fatal: (reason) => {
        if (this.life.alive) o.fatal(reason);
      },
    });
    this.#tap();
    o.mutation?.desk?.(this.core);
    this.api = apiFace({
      core: this.core,
      store: this.#store,
      version: 'simulation',
      startedAt: o.clock.now,
      wall: () => o.clock.now,
    });
  }

  get marketTime(): number {
    const { plan, marketStart } = this.#o;
    if (plan.hosting === 'external') return this.#o.externalTime();
    if (this.#ahead) return this.#ahead.at;
    return this.#nextTick === 0 ? marketStart : this.#timeOf(this.#nextTick - 1);
  }

  get wall(): number {
    return this.#o.clock.now;
  }

  lastPrice(symbol: string): number | null {
    const known = this.prices.get(symbol);
    return known === undefined ? null : Number(known.price);
  }

  /** As `compose` in `open-desk.ts`, from `core.start` to `driver.start`. */
  async start(): Promise<void> {
    const { core } = this;
    const known = this.#o.plan.hosting === 'external' ? this.#o.externalPrices() : this.#known();
    for (const [symbol, price, time] of known) {
      core.turn.step({ type: 'price', symbol, price });
      this.prices.set(symbol, { price, time });
    }
    await core.start();
    if (this.#o.plan.hosting === 'embedded') {
      for (const [symbol, price, time] of known)
        for (const venue of this.embedded.values()) venue.seedPrice(symbol, price, time);
      await core.turn.quiet();
      if (this.#ahead) await this.#onTick(this.#ahead.tick);
      // The bots have seen it.
      else if (this.#unfinished) await this.#match(this.#unfinished);
      this.#armTick();
    }
    this.ready = this.life.alive;
  }

  /** A tick of an external market. */
  tick({ symbol, price, volume }: Omit<Tick, 'time'>): void {
    this.lastTickTime = this.marketTime;
    this.prices.set(symbol, { price, time: this.lastTickTime });
    if (this.#o.plan.bots)
      this.core.turn.step(marketMove({ symbol, price, volume, time: this.lastTickTime }));
    stepMarks(
      this.core.turn,
      [...this.#o.externals.values()].map(({ venue }) => venue),
      symbol,
    );
    this.core.turn.step({ type: 'tick', symbol, price });
  }

  /** Stores everything that rides, and that the last tick is over. */
  flush(): void {
    this.core.turn.store([{ kind: 'meta', name: 'simulation', value: 'over' }], true);
    this.core.turn.flush(true);
  }

  #venueOf(account: SimAccount): Venue {
    const { life } = this;
    const { plan, watcher, externals } = this.#o;
    const external = externals.get(account.account.id);
    if (external) {
      return simVenue(external.venue, life, watcher, this.#line(FOREVER), async (sink) => {
        external.sink = sink;
        sink.stream('up');
      });
    }
    const random = simRandom(this.#o.dice, life, () => {});
    const faults = new PaperFaults(random);
    if (!this.#o.healed()) faults.set(plan.faults);
    const venue = account.create({
      account: account.account,
      instruments: account.instruments,
      load: () => this.#store.loadPaperAccount(account.account.kind),
      lane: { commit: (rows) => this.core.turn.commitBeside(rows) },
      clock: this.#o.clock.of(life),
      random,
      faults,
      marketTime: () => this.marketTime,
      settle: () => this.core.turn.quiet(),
      options: { ...plan.paper, startBalances: account.startBalances },
    });
    this.embedded.set(account.account.id, venue);
    return simVenue(venue, life, watcher, this.#line(life), (sink) => venue.open(sink));
  }

  #botsOf(initial: LoadedState, venues: readonly Venue[]): BotDesk {
    const { plan, externalPrices, mutation } = this.#o;
    const prices = plan.hosting === 'external' ? externalPrices() : this.#known();
    return simBots({
      store: this.#store,
      initial,
      venues,
      time: this.marketTime,
      prices,
      unfinished: this.#unfinished,
      made: (bots) => mutation?.bots?.(bots),
    });
  }

  /** Settings get lost on the way, or their answers do; `life`: of what is on its way. */
  #line(life: Life): SettingLine {
    const { clock, plan, dice, healed } = this.#o;
    return {
      fate: () => (healed() || !this.life.alive ? 'none' : settingFate(plan.faults, dice)),
      after: (ms, run) => void clock.after(ms, run, life),
      delayMs: () => dice.int(1, 4_900),
    };
  }

  #riders(): Row[] {
    if (this.#o.plan.hosting === 'external') return [];
    const value: Cursor = {
      next: this.#nextTick,
      prices: this.#known(),
      unfinished: this.#unfinished,
      ahead: this.#ahead,
    };
    return [{ kind: 'meta', name: 'market', value }];
  }

  #known(): KnownPrice[] {
    return [...this.prices].map(([symbol, { price, time }]) => [symbol, price, time]);
  }

  #timeOf(n: number): number {
    const { tickEveryMs, bots } = this.#o.plan;
    return this.#o.marketStart + (n + 1) * tickEveryMs * (bots?.speed ?? 1);
  }

  #armTick(): void {
    this.#o.clock.after(
      this.#o.tickEveryMs(),
      () => {
        const n = this.#nextTick++;
        const done = this.#onTick({ ...this.#o.market.tick(n), time: this.#timeOf(n) });
        if (done) void done.then(() => this.#armTick());
        else this.#armTick();
      },
      this.life,
    );
  }

  #onTick(tick: Tick): Promise<void> | void {
    const { bots } = this.#o.plan;
    if (bots?.lockStep) return this.#inLockStep(tick);
    if (bots) return this.#moveTo(tick);
    return this.#match(tick);
  }

  /** As a replay: what bots decide at a close or a timer is at the exchange before anything later happens. */
  async #inLockStep(tick: Tick): Promise<void> {
    for (;;) {
      const due = this.core.bots?.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > tick.time) break;
      this.#ahead = { tick, at: Math.max(due, this.#reached) };
      this.core.turn.step({ type: 'time', time: due });
      await this.core.turn.quiet();
    }
    await this.#moveTo(tick);
    await this.core.turn.quiet();
  }

  #moveTo(tick: Tick): Promise<void> | void {
    this.#ahead = null;
    this.#unfinished = tick;
    this.#reached = tick.time;
    this.core.turn.step(marketMove(tick));
    return this.#match(tick);
  }

  #match(tick: Tick): Promise<void> | void {
    this.#unfinished = tick;
    const venues = [...this.embedded.values()];
    const after = () => {
      stepMarks(this.core.turn, venues, tick.symbol);
      this.core.turn.step({ type: 'tick', symbol: tick.symbol, price: tick.price });
      this.lastTickTime = tick.time;
      this.prices.set(tick.symbol, { price: tick.price, time: tick.time });
      this.#unfinished = null;
    };
    const matched = tickAll(venues, tick);
    return matched ? matched.then(after) : after();
  }

  /** Sees every effect at its release. */
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
