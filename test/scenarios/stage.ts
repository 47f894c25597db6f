/**
 * A desk on which a scenario is played: the product's own composition (`src/desk/trading.ts`) over the
 * scenario's feed, its exchange account, a virtual clock and a store in memory. It may be ended at any of its
 * ports and restarts from its store. No part of the desk is reimplemented here.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { PaperAccountsOptions } from '../../src/desk/paper/paper-accounts.ts';
import { settingsRows } from '../../src/desk/paper/paper-settings.ts';
import { type DeskVenues, openTrading, type Trading } from '../../src/desk/trading.ts';
import { type Actor, OWNER } from '../../src/domain/actor.ts';
import type { BotCommand } from '../../src/domain/bot.ts';
import type { Clock, Random } from '../../src/domain/clock.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import type { Outcome as Answer } from '../../src/domain/errors.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { Effect, OrderCommand } from '../../src/engine/step.ts';
import type { Tick } from '../../src/market/feed.ts';
import type { Target } from '../../src/notify/target.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { PaperOptions } from '../../src/venues/paper/options.ts';
import {
  createPaperVenue,
  PAPER_FUTURES,
  PAPER_SPOT,
  type PaperVenue,
} from '../../src/venues/paper/paper-venue.ts';
import { type PortWatcher, type SettingLine, simStore, simVenue } from '../simulation/ports.ts';
import type { Life } from '../simulation/sim-clock.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { historyOf, instrumentsOf, type Scenario, type ScenarioInstrument } from './scenario.ts';
import { PASSING, ScriptFeed } from './script-feed.ts';

const OPERATOR: Actor = { kind: 'operator', user: OWNER };
/** Maximum number of lives in one scenario: many more than are ever needed. */
const LIVES_MAX = 200;

export interface StageOptions {
  /** Tells where a life of the desk ends, by `Stage.kill`; left out: its ports are the bare ones. */
  readonly watcher?: PortWatcher;
  /** Called with every effect at its release. */
  readonly released?: (effect: Effect, desk: Trading) => void;
  readonly logLine?: (text: string) => void;
}

interface DeskLife {
  readonly life: Life;
  readonly over: Promise<void>;
  readonly end: () => void;
  readonly feed: ScriptFeed;
  readonly trading: Trading;
  readonly venue: PaperVenue;
}

export class Stage {
  readonly exchange: string;
  readonly store: SqliteStore;
  /** The desk is ended only during ticks: the outcome of a command is always known. */
  ticking = false;
  lives = 0;
  readonly #scenario: Scenario;
  readonly #instruments: readonly ScenarioInstrument[];
  readonly #o: StageOptions;
  readonly #clock: VirtualClock;
  readonly #db: DatabaseSync = openDatabase(':memory:');
  readonly #ticks: Tick[] = [];
  readonly #random: Random;
  #ids = 0;
  #desk: DeskLife | null = null;
  #broken: string | null = null;

  constructor(scenario: Scenario, options: StageOptions = {}) {
    this.#scenario = scenario;
    this.#o = options;
    this.#instruments = instrumentsOf(scenario);
    this.exchange = String(scenario.settings.exchange);
    this.#clock = new VirtualClock(scenario.start, { autoTurns: true });
    this.#random = {
      next: () => 0.5,
      id: (length) => String(this.#ids++).padStart(length, '0'),
    };
    this.store = new SqliteStore(this.#db, ':memory:');
    const { makerRate, takerRate } = this.#rates;
    // A desk charges the fees in its store.
    this.store.commit(settingsRows(this.exchange, { makerRate, takerRate, ...NO_DELAYS }));
  }

  get isUp(): boolean {
    return this.#desk !== null;
  }

  get trading(): Trading {
    if (!this.#desk) throw new Error('the desk is down');
    return this.#desk.trading;
  }

  /** Starts the desk, again if it is ended during its start. */
  async open(): Promise<void> {
    while (!this.#desk) {
      if (++this.lives > LIVES_MAX) throw new Error(`the desk has been ended ${LIVES_MAX} times`);
      const desk = this.#make();
      this.#desk = desk;
      const started = desk.trading.start().then(() => {
        if (desk.life.alive) desk.trading.run();
      });
      await this.#while(desk, started);
    }
  }

  /** Sets the hedge mode, the position and the price that the scenario begins with. */
  async prepare(): Promise<void> {
    const { hedge, position, known, start } = this.#scenario;
    const symbol = this.#instruments[0]?.symbol ?? '';
    if (hedge) await this.#set(true);
    if (position) await this.#position(symbol, position, start - 2);
    if (known !== undefined) await this.tick({ symbol, price: known, volume: '0', time: start - 1 });
  }

  /** Returns the documents of a table, in the order in which they were first stored. */
  rows<T>(table: 'fills' | 'alerts' | 'orders'): T[] {
    const rows = this.#db.prepare(`SELECT doc FROM ${table} ORDER BY seq`).all() as { doc: string }[];
    return rows.map(({ doc }) => JSON.parse(doc) as T);
  }

  /** Executes a command. A command that waits for the market counts as done. */
  async ask<T>(command: BotCommand): Promise<Answer<T>> {
    return ((await this.#execute(command)) ?? { ok: true, data: null }) as Answer<T>;
  }

  /** Plays one more tick and all its effects, even if the desk is ended meanwhile. */
  async tick(tick: Tick): Promise<void> {
    this.#ticks.push(tick);
    this.ticking = true;
    for (;;) {
      await this.open();
      const desk = this.#desk as DeskLife;
      if (desk.feed.given >= this.#ticks.length) break;
      await this.#while(desk, desk.trading.market.driver.step());
    }
    this.ticking = false;
  }

  /** Lets time pass without a trade. */
  pass(time: number): Promise<void> {
    return this.tick({ symbol: PASSING, price: '1', volume: '0', time });
  }

  /** Ends the desk at once: nothing of it runs on, and what is not stored is lost. */
  kill(): void {
    const desk = this.#desk;
    if (!desk) return;
    desk.life.alive = false;
    this.#desk = null;
    // SQLite rolls back what was not committed when it opens the file again.
    if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    desk.end();
  }

  /** Stops the desk regularly. */
  async stop(): Promise<void> {
    const desk = this.#desk;
    if (!desk) return;
    await desk.trading.halt();
    const closed = desk.trading.close('the scenario is over');
    // A stop waits, for a limited time, for work under way.
    await this.#while(desk, closed);
    this.kill();
  }

  async close(): Promise<void> {
    await this.stop();
    this.#db.close();
  }

  /**
   * Waits for work of a life until it is done or cut short by the end of the life; throws the error that
   * broke the desk.
   */
  async #while(desk: DeskLife, work: Promise<unknown>): Promise<void> {
    await Promise.race([work, desk.over]);
    if (desk.life.alive) await this.#clock.settle();
    if (this.#broken !== null) throw new Error(this.#broken);
  }

  #make(): DeskLife {
    const life: Life = { alive: true };
    const over = Promise.withResolvers<void>();
    const { watcher } = this.#o;
    const clock = clockOf(this.#clock, life);
    const store = watcher ? simStore(this.store, life, watcher, { error: null }) : this.store;
    const feed = new ScriptFeed({
      symbols: this.#instruments.map(({ symbol }) => symbol),
      startTime: this.#scenario.start - 2,
      ticks: this.#ticks,
      candles: (symbol, frameMs, from, to) => historyOf(this.#scenario, symbol, frameMs, from, to),
    });
    let venue: PaperVenue | null = null;
    const trading = openTrading({
      options: { feed: feed.label, seed: 1, speed: 'max', hold: true, timeZone: 'UTC' },
      ports: {
        openFeed: () => ({ feed, samplePrices: () => [] }),
        accounts: [this.#rates.kind === 'spot' ? PAPER_SPOT : PAPER_FUTURES],
        venues: (given) => {
          const venues = this.#venues(given, life);
          venue = venues.paper[0] ?? null;
          return venues;
        },
      },
      clock,
      random: this.#random,
      store,
      targets: new Map((this.#scenario.targets ?? []).map((name) => [name, deaf(name)])),
      logFile: ({ level, text }) => {
        if (!life.alive) return;
        this.#o.logLine?.(`${trading.market.time()} ${level} ${text}`);
      },
      fatal: (reason) => {
        if (life.alive) this.#broken ??= reason;
        over.resolve();
      },
    });
    if (!venue) throw new Error('the desk has no account');
    this.#tap(trading, life);
    return { life, over: over.promise, end: over.resolve, feed, trading, venue };
  }

  #venues(given: PaperAccountsOptions, life: Life): DeskVenues {
    const [account = PAPER_SPOT] = given.accounts ?? [];
    const embedded = createPaperVenue({
      account,
      instruments: this.#instruments.map((one) => instrumentOf(one, account.id)),
      load: () => given.store.loadPaperAccount(account.kind),
      lane: { commit: given.commit },
      clock: given.clock,
      random: given.random,
      marketTime: given.marketTime,
      ...(given.settle ? { settle: given.settle } : {}),
      options: this.#paper(given.settings(account.id)),
      onError: (error) => {
        if (life.alive) this.#broken ??= error.message;
      },
    });
    const { watcher } = this.#o;
    if (!watcher) return { all: [embedded], paper: [embedded] };
    const alive = () => life.alive;
    const line: SettingLine = { fate: () => 'none', after: () => {}, delayMs: () => 0 };
    const shown = simVenue(embedded, life, watcher, line, { awake: alive, wakes: () => {} }, (sink) =>
      embedded.open(sink),
    );
    return { all: [shown], paper: [embedded] };
  }

  #paper(settings: PaperOptions): PaperOptions {
    const { balances, participation } = this.#scenario;
    return { ...settings, startBalances: balances ?? {}, participation: participation ?? null };
  }

  get #rates(): ScenarioInstrument {
    return this.#instruments[0] as ScenarioInstrument;
  }

  #tap({ core }: Trading, life: Life): void {
    const { watcher, released } = this.#o;
    if (!watcher && !released) return;
    const tapped = core as unknown as { release(effect: Effect): void };
    const release = tapped.release.bind(core);
    tapped.release = (effect) => {
      watcher?.point('effect');
      if (!life.alive) return;
      released?.(effect, this.trading);
      release(effect);
    };
  }

  /**
   * The answer once nothing is under way; null: it waits for something that only the market brings, such as
   * the volume of a sale.
   */
  async #execute(command: OrderCommand): Promise<Answer<unknown> | null> {
    const desk = this.#desk as DeskLife;
    let answer: Answer<unknown> | null = null;
    const asked = desk.trading.core.execute(OPERATOR, command, { requestId: 'scenario' });
    const heard = asked.then(({ outcome }) => {
      answer = outcome as Answer<unknown>;
    });
    await this.#while(desk, Promise.resolve(desk.trading.core.turn.quiet()));
    await Promise.race([heard, this.#clock.settle()]);
    return answer;
  }

  async #set(on: boolean): Promise<void> {
    const setting = { kind: 'hedgeMode', on } as const;
    const outcome = await this.#execute({ type: 'setting', exchange: this.exchange, setting });
    if (!outcome?.ok) throw new Error(`hedge mode could not be set: ${outcome?.error.message}`);
  }

  /** Opens the position by one trade without a fee. */
  async #position(
    symbol: string,
    { amount: text, entryPrice }: NonNullable<Scenario['position']>,
    time: number,
  ): Promise<void> {
    const { venue } = this.#desk as DeskLife;
    const options = this.#paper(this.#rates);
    venue.configure({ ...options, makerRate: '0', takerRate: '0', participation: null });
    await this.tick({ symbol, price: entryPrice, volume: '0', time });
    const amount = dec(text);
    const outcome = await this.#execute({
      type: 'place',
      request: {
        exchange: this.exchange,
        symbol,
        side: amount > 0n ? 'BUY' : 'SELL',
        type: 'MARKET',
        quantity: str(amount > 0n ? amount : -amount),
      },
    });
    if (!outcome?.ok) throw new Error(`the position could not be made: ${outcome?.error.message}`);
    venue.configure(options);
    const desk = this.#desk as DeskLife;
    await this.#while(desk, Promise.resolve(desk.trading.core.turn.quiet()));
  }
}

const NO_DELAYS = { latencyMs: 0, jitterMs: 0, slippageBps: 0 } as const;

/** The clock as one life sees it: timers of an ended life never run. */
function clockOf(clock: VirtualClock, life: Life): Clock {
  const alive = (run: () => void) => () => {
    if (life.alive) run();
  };
  return {
    wall: () => clock.wall(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, run) => clock.after(delayMs, alive(run)),
    endOfTurn: (run) => clock.endOfTurn(alive(run)),
  };
}

/** A target that accepts every alert. */
function deaf(name: string): Target {
  return { name, send: async () => ({ ok: true }), close: async () => {} };
}

function instrumentOf(one: ScenarioInstrument, exchange: string): Instrument {
  return {
    exchange,
    symbol: one.symbol,
    base: one.base,
    quote: one.quote,
    kind: one.kind,
    tickSize: one.tickSize,
    minPrice: one.tickSize,
    maxPrice: '100000000',
    stepSize: one.stepSize,
    minQty: one.minQty,
    maxQty: '1000000000',
    marketMaxQty: '1000000000',
    minNotional: one.minNotional,
    maxNotional: '1000000000',
    percentDown: '0.0001',
    percentUp: '1000',
    trailingMinBps: 1,
    trailingMaxBps: 10_000,
    maxOrders: 500,
    maxIcebergParts: 10,
  };
}
