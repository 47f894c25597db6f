/**
 * A desk that starts, ends and starts again on one database: the product's own composition
 * (`src/desk/trading.ts`) with ticks by hand, on a virtual clock. Records everything that must not happen: an
 * exception that escapes the desk, a command without an answer, an order that is sent twice.
 */
import { generateKeyPairSync } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { apiFacade } from '../../src/desk/api/api-facade.ts';
import type { ApiDesk } from '../../src/desk/api/api-port.ts';
import { type ConsoleFacadeOptions, consoleFacade } from '../../src/desk/console/console-facade.ts';
import type { DeskCore } from '../../src/desk/core/desk-core.ts';
import type { PaperAccountsOptions } from '../../src/desk/paper/paper-accounts.ts';
import { type DeskVenues, openTrading, type Trading } from '../../src/desk/trading.ts';
import { type Actor, OWNER } from '../../src/domain/actor.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { Answer, OrderCommand } from '../../src/engine/step.ts';
import { spotInstruments } from '../../src/market/symbols.ts';
import { SqliteStore } from '../../src/store/sqlite/sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { createPaperVenue, PAPER_SPOT, type PaperVenue } from '../../src/venues/paper/paper-venue.ts';
import type { Venue, VenueSink } from '../../src/venues/venue.ts';
import { HandFeed } from '../support/hand-feed.ts';
import { VIRTUAL_START, VirtualClock } from '../support/virtual-clock.ts';
import { disagreements, halfThere, type PaperTruth, paperTruth, readStored } from './checks.ts';
import { overlay, overlayVenue } from './faulty-ports.ts';

export const SYMBOL = 'BTCUSDT';
export const EXCHANGE = PAPER_SPOT.id;
export const OPERATOR: Actor = { kind: 'operator', user: OWNER };
/**
 * The longest time in which a command must be answered (a venue call ends after 10 s, a split's request waits
 * as long).
 */
const ANSWERED_WITHIN_MS = 30_000;
const STEP_MS = 250;

export interface RigOptions {
  readonly db: DatabaseSync;
  /**
   * `embedded`: the exchange is in the desk's store, as in the product. `external`: it continues while the
   * desk is down.
   */
  readonly exchange: 'embedded' | 'external';
  readonly storePort?: (store: Store) => Store;
  readonly venuePort?: (venue: Venue) => Venue;
  readonly instruments?: readonly Instrument[];
  readonly wall?: number;
  /** Label of the feed whose cursor is in the database. */
  readonly feedLabel?: string;
}

interface Life {
  alive: boolean;
  readonly trading: Trading;
  readonly feed: HandFeed;
  readonly core: DeskCore;
  readonly api: ApiDesk;
  readonly console: ReturnType<typeof consoleFacade>;
  /** Why the desk wants to end with exit code 1; null: it does not. */
  fatal: string | null;
}

/** A command and its answer. */
export interface Told {
  readonly name: string;
  readonly answers: Answer[];
  /** True: the desk ended before it answered. */
  lost: boolean;
  readonly life: Life | null;
}

export class Rig {
  readonly clock: VirtualClock;
  readonly violations: string[] = [];
  readonly told: Told[] = [];
  /** Client ids of the requests that reached the exchange, in order. */
  readonly sent: string[] = [];
  readonly endings: string[] = [];
  readonly keyText = publicKeyText();
  marketTime: number;
  life: Life | null = null;
  readonly #o: RigOptions;
  readonly #instruments: readonly Instrument[];
  readonly #external: PaperVenue | null;
  readonly #tables = new Map<string, Map<string, unknown>>();
  #sink: VenueSink | null = null;
  #ids = 0;

  constructor(o: RigOptions) {
    this.#o = o;
    this.clock = new VirtualClock(o.wall ?? VIRTUAL_START);
    this.marketTime = this.clock.wall();
    this.#instruments = o.instruments ?? spotInstruments([SYMBOL], EXCHANGE);
    this.#external = o.exchange === 'external' ? this.#openExternal() : null;
  }

  get desk(): Life {
    if (!this.life) throw new Error('no desk is up');
    return this.life;
  }

  /** Starts a desk; a failed start is repeated, as a person or a supervisor would do. */
  async up(): Promise<void> {
    for (let tries = 0; this.life === null; tries++) {
      if (tries === 5) throw new Error(`the desk does not start: ${this.endings.join('; ')}`);
      await this.#start();
    }
  }

  /** The power fails: the running desk has no effect any more. */
  crash(): void {
    if (this.life) this.life.alive = false;
    this.life = null;
    this.#sink = null;
  }

  /** Lets time pass; a desk that has ended is started again. */
  async pass(ms: number): Promise<void> {
    try {
      await this.clock.advance(ms);
    } catch (error) {
      this.violations.push(`an exception left the desk: ${wordsOf(error)}`);
      this.crash();
    }
    await this.#afterFatal();
    await this.up();
  }

  /** Sets a new last price; returns once all its consequences are done. */
  async tick(price: string): Promise<void> {
    this.marketTime = Math.max(this.marketTime, this.life?.trading.market.time() ?? 0) + 1_000;
    const tick = { symbol: SYMBOL, price, time: this.marketTime, volume: '1000' };
    if (this.#external) await this.#waitFor('a tick of the exchange', this.#external.tick(tick) ?? undefined);
    const { life } = this;
    if (life?.alive) {
      life.feed.push(tick);
      await this.#waitFor('a tick', life.trading.market.driver.step());
    }
    await this.pass(0);
  }

  /** Sends a command without waiting; `answered` waits for its answer. */
  begin(name: string, command: OrderCommand, key?: string, actor = OPERATOR): Told {
    const told: Told = { name, answers: [], lost: false, life: this.life };
    this.told.push(told);
    const context = {
      requestId: `request-${this.told.length}`,
      ...(key === undefined ? {} : { idempotency: { key, fingerprint: JSON.stringify(command) } }),
    };
    this.#guard(`command ${name}`, () => {
      void told.life?.core.execute(actor, command, context).then(
        (answer) => void told.answers.push(answer),
        (error) => void this.violations.push(`command ${name} was rejected: ${wordsOf(error)}`),
      );
    });
    return told;
  }

  /** Waits for the answer; null when the desk ended before. */
  async answered(told: Told): Promise<Answer | null> {
    for (let waited = 0; told.answers.length === 0; waited += STEP_MS) {
      const ended = this.life !== told.life || !told.life?.alive;
      if (!ended && waited > ANSWERED_WITHIN_MS)
        this.violations.push(`command ${told.name} was not answered`);
      if (ended || waited > ANSWERED_WITHIN_MS) {
        told.lost = true;
        return null;
      }
      await this.pass(waited === 0 ? 0 : STEP_MS);
    }
    return told.answers[0] ?? null;
  }

  /** Runs a read or a key change: it must be answered, refused or fail, but never stay silent. */
  async ask<T>(name: string, run: (life: Life) => Promise<T>): Promise<T | null> {
    const { desk } = this;
    let result: T | null = null;
    let over = false;
    this.#guard(name, () => {
      void run(desk).then(
        (value) => {
          result = value;
          over = true;
        },
        () => {
          over = true;
        },
      );
    });
    for (let waited = 0; !over && this.life === desk; waited += STEP_MS) {
      if (waited > ANSWERED_WITHIN_MS) {
        this.violations.push(`${name} was not answered`);
        return null;
      }
      await this.pass(waited === 0 ? 0 : STEP_MS);
    }
    return result;
  }

  /** Checks all invariants of the end. Faults must be over. */
  async judge(): Promise<string[]> {
    await this.pass(20 * 60_000);
    await this.#judgeNow('at the end');
    this.crash();
    await this.up();
    await this.#judgeNow('after a last restart');
    for (const { name, answers, lost } of this.told)
      if (answers.length !== (lost ? 0 : 1))
        this.violations.push(`${name} was answered ${answers.length} times`);
    const twice = this.sent.filter((id, i) => this.sent.indexOf(id) !== i);
    for (const id of twice) this.violations.push(`${id} was sent twice`);
    return this.violations;
  }

  truth(): PaperTruth | undefined {
    return this.#external ? paperTruth(this.#tables) : undefined;
  }

  async #judgeNow(when: string): Promise<void> {
    // Deferred rows are stored now; the fault may come only here.
    for (let i = 0; i < 2; i++) {
      this.desk.core.turn.store([{ kind: 'meta', name: 'rig', value: when }], true);
      await this.pass(60_000);
    }
    const { core } = this.desk;
    const stored = readStored(this.#o.db);
    const add = (texts: readonly string[]) =>
      this.violations.push(...texts.map((text) => `${when}: ${text}`));
    add(halfThere(this.#external ? { ...stored, paper: { orders: [], trades: [] } } : stored));
    add(disagreements(stored, this.truth()));
    for (const order of core.engine.memory.orders.values()) {
      const row = stored.orders.get(order.id);
      if (JSON.stringify(row) !== JSON.stringify(order)) {
        add([`memory has ${JSON.stringify(order)}, the store ${JSON.stringify(row)}`]);
      }
    }
    for (const { id, phase } of stored.orders.values())
      if (phase !== 'done' && !core.engine.memory.orders.has(id)) add([`${id} is open and not in memory`]);
    if (core.engine.memory.waiters.size > 0) add(['somebody still waits']);
    if (core.turn.quiet()) add(['the desk is never quiet again']);
  }

  async #start(): Promise<void> {
    let life: Life;
    try {
      life = this.#compose();
    } catch (error) {
      this.endings.push(wordsOf(error));
      return;
    }
    this.life = life;
    let failed: unknown = null;
    const started = life.trading.start().catch((error: unknown) => {
      failed = error ?? 'nothing';
    });
    await this.#waitFor('the start', started);
    if (failed === null && this.life === life) {
      life.trading.run();
      return;
    }
    if (failed !== null) this.endings.push(wordsOf(failed));
    this.crash();
  }

  #compose(): Life {
    const mine = { alive: true };
    const clock = this.#clockOf(mine);
    const sqlite = new SqliteStore(this.#o.db, ':memory:');
    const store = this.#o.storePort ? this.#o.storePort(sqlite) : sqlite;
    const guarded = overlay(store, {
      commit: (rows) => {
        if (mine.alive) store.commit(rows);
      },
    });
    const random = {
      id: (length: number) => (this.#ids++).toString(32).padStart(length, '0'),
      next: () => 0.5,
    };
    const feed = new HandFeed({
      symbols: [SYMBOL],
      startTime: this.marketTime,
      live: this.#external !== null,
      ...(this.#o.feedLabel === undefined ? {} : { label: this.#o.feedLabel }),
    });
    const trading = openTrading({
      options: { feed: feed.label, seed: 1, speed: 1, hold: true, timeZone: 'UTC' },
      ports: {
        openFeed: () => ({ feed, samplePrices: () => [] }),
        venues: (given) => this.#venues(given, mine, random),
      },
      clock,
      random,
      store: guarded,
      targets: new Map(),
      logFile: () => {},
      fatal: (reason) => {
        life.fatal ??= reason;
      },
    });
    const { core } = trading;
    const wall = () => this.clock.wall();
    const life: Life = {
      get alive() {
        return mine.alive;
      },
      set alive(value) {
        mine.alive = value;
      },
      trading,
      feed,
      core,
      api: apiFacade({ core, store: guarded, version: 'test', startedAt: wall(), wall }),
      console: consoleFacade({
        core,
        store: guarded,
        wall,
        requestId: () => `console-${this.#ids++}`,
        closeSocketsOf: () => 0,
      } as unknown as ConsoleFacadeOptions),
      fatal: null,
    };
    return life;
  }

  #venues(
    given: PaperAccountsOptions,
    mine: { readonly alive: boolean },
    random: { next(): number },
  ): DeskVenues {
    const paper = this.#external
      ? []
      : [
          createPaperVenue({
            instruments: this.#instruments,
            load: () => given.store.loadPaperAccount('spot'),
            lane: { commit: given.commit },
            clock: given.clock,
            random,
            marketTime: given.marketTime,
            ...(given.settle ? { settle: given.settle } : {}),
          }),
        ];
    const venue = this.#watched(paper[0] ?? this.#way(mine));
    return { all: [this.#o.venuePort ? this.#o.venuePort(venue) : venue], paper };
  }

  /**
   * Ends a desk after its fatal error as every desk is ended: running work may still answer, all pending rows
   * are stored.
   */
  async #afterFatal(): Promise<void> {
    const { life } = this;
    if (!life?.fatal) return;
    this.endings.push(life.fatal);
    try {
      await this.clock.advance(50);
      let over = false;
      const stopped = life.trading
        .halt()
        .then(() => life.trading.close('it is over'))
        .finally(() => {
          over = true;
        });
      for (let waited = 0; !over && waited < ANSWERED_WITHIN_MS; waited += STEP_MS)
        await this.clock.advance(STEP_MS);
      if (over) await stopped;
      else this.violations.push('a stop does not come to an end');
    } catch (error) {
      this.violations.push(`the stop after "${life.fatal}" failed: ${wordsOf(error)}`);
    }
    this.crash();
  }

  async #waitFor(name: string, work: Promise<unknown> | undefined): Promise<void> {
    if (!work) return;
    let over = false;
    const { life } = this;
    void work.then(
      () => {
        over = true;
      },
      (error) => {
        over = true;
        this.violations.push(`${name} failed: ${wordsOf(error)}`);
      },
    );
    for (let waited = 0; !over && this.life === life; waited += STEP_MS) {
      if (waited > 2 * ANSWERED_WITHIN_MS) {
        this.violations.push(`${name} does not come to an end`);
        this.crash();
        return;
      }
      try {
        await this.clock.advance(waited === 0 ? 0 : STEP_MS);
      } catch (error) {
        this.violations.push(`an exception left the desk during ${name}: ${wordsOf(error)}`);
        this.crash();
      }
      await this.#afterFatal();
    }
  }

  #guard(name: string, run: () => void): void {
    try {
      run();
    } catch (error) {
      this.violations.push(`${name} threw: ${wordsOf(error)}`);
    }
  }

  #clockOf(mine: { alive: boolean }) {
    const { clock } = this;
    const only = (run: () => void) => () => {
      if (mine.alive) run();
    };
    return {
      wall: () => clock.wall(),
      monotonic: () => clock.monotonic(),
      after: (delayMs: number, run: () => void) => clock.after(delayMs, only(run)),
      endOfTurn: (run: () => void) => clock.endOfTurn(only(run)),
    };
  }

  #watched(venue: Venue): Venue {
    return overlayVenue(venue, {
      submit: (order) => {
        this.sent.push(order.clientId);
        return venue.submit(order);
      },
    });
  }

  /** A desk's connection to the external exchange: closing it does not close the exchange. */
  #way(mine: { readonly alive: boolean }): Venue {
    return overlayVenue(this.#external as PaperVenue, {
      open: async (sink) => {
        this.#sink = {
          order: (state) => mine.alive && sink.order(state),
          fill: (fill) => mine.alive && sink.fill(fill),
          balances: (changed) => mine.alive && sink.balances(changed),
          stream: (state) => mine.alive && sink.stream(state),
        };
        sink.stream('up');
      },
      close: async () => {},
    });
  }

  #openExternal(): PaperVenue {
    const venue = createPaperVenue({
      instruments: this.#instruments,
      load: () => this.#tables,
      lane: { commit: (rows) => this.#keep(rows) },
      clock: this.clock,
      random: { next: () => 0.5 },
      marketTime: () => this.marketTime,
    });
    void venue.open({
      order: (state) => this.#sink?.order(state),
      fill: (fill) => this.#sink?.fill(fill),
      balances: (changed) => this.#sink?.balances(changed),
      stream: (state) => this.#sink?.stream(state),
    });
    return venue;
  }

  #keep(rows: readonly Row[]): void {
    for (const row of rows) {
      if (row.kind !== 'paper') continue;
      const table = this.#tables.get(row.table) ?? new Map<string, unknown>();
      this.#tables.set(row.table, table);
      if (row.doc === null) table.delete(row.id);
      else table.set(row.id, row.doc);
    }
  }
}

function publicKeyText(): string {
  const { publicKey } = generateKeyPairSync('ed25519');
  return publicKey.export({ format: 'jwk' }).x ?? '';
}

export function wordsOf(error: unknown): string {
  return error instanceof Error
    ? `${error.message} ${error.stack?.split('\n')[1]?.trim() ?? ''}`
    : String(error);
}
