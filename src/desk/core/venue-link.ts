/**
 * The desk's line to one exchange account: performs submits, cancels and questions, turns answers and stream events into
 * engine inputs, bounds every call in time, and reconciles after a start or a gap. Never sends anything by itself.
 */
import type { Clock } from '../../domain/clock.ts';
import {
  type ExchangeOrder,
  type ExchangeOrderState,
  namesOf,
  type OrderNames,
} from '../../domain/exchange.ts';
import type { OrderAtExchange } from '../../domain/order.ts';
import type { Setting, SettingOutcome } from '../../domain/position.ts';
import { wantsFills } from '../../engine/absence.ts';
import { activeSymbols } from '../../engine/active-symbols.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { isParked } from '../../engine/parked-fills.ts';
import type { EngineEvent } from '../../engine/step.ts';
import { StoreError } from '../../store/store.ts';
import type { Venue } from '../../venues/venue.ts';
import { deadlineOf, shortWords, started } from './adapter-call.ts';
import { Comparer } from './comparer.ts';
import { Doubt } from './doubt.ts';
import { FillsReader } from './fills-reader.ts';
import { instrumentsRow } from './known-accounts.ts';
import { makeSetting } from './make-setting.ts';
import { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** A call without an answer for this long has an unknown outcome; a late answer still counts. */
export const CALL_TIMEOUT_MS = 10_000;
/** Waits before an account that could not be opened is tried again. */
const OPEN_AGAIN_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
const CONNECTING = 'it is being connected';

export interface VenueLinkOptions {
  readonly turn: Turn;
  readonly clock: Clock;
  /**
   * Something about this order has come, which `makes` one where there is none: puts it back into memory when it had left it.
   * False: that could not be read.
   */
  readonly recall: (names: OrderNames, makes: boolean) => boolean;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** State or latency shown to the user has changed. */
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
}

export class VenueLink {
  readonly venue: ReadableVenue;
  state: 'up' | 'down' = 'down';
  /** Since when `state` is what it is, wall. */
  since: number;
  latencyMs: number | null = null;
  /** The last comparison with the exchange. `whole`: every question was answered. */
  reconciled: { readonly at: number; readonly whole: boolean } | null = null;
  private readonly options: VenueLinkOptions;
  private readonly comparer: Comparer;
  /** How often events may have been missed; and up to which of them everything has been compared since. */
  private gaps = 1;
  private compared = 0;
  /** Entries that wait for the end of the gap. */
  private readonly waiting = new Set<() => void>();
  /** Ends the questions of a comparison that are out. */
  private readonly asking = new Set<() => void>();
  /** Why the account could not be opened so far; null: it is open. */
  away: string | null = CONNECTING;
  private opened = false;
  private tries = 0;
  private readonly knewInstruments: boolean;
  private closed = false;
  private readonly doubt: Doubt;
  private readonly fills: FillsReader;

  constructor(venue: Venue, options: VenueLinkOptions) {
    this.venue = new ReadableVenue(venue, options);
    this.options = options;
    const exchange = venue.account.id;
    this.fills = new FillsReader({
      exchange,
      meta: options.meta,
      ask: (q) => this.ask(() => this.venue.fills(q)),
      take: (fill) => {
        const isRead = options.recall(namesOf(fill), true);
        if (isRead) this.step({ type: 'venue.fill', exchange, fill, asked: true });
        // One that waits in memory is not stored: what comes after it must not be where a start goes on.
        return isRead && !isParked(options.turn.engine.memory, exchange, fill);
      },
      keep: (row) => options.turn.keep(row),
      stored: (rows, then) => {
        options.turn.store(rows, false);
        // Where they were not stored, the comparison that follows asks again.
        options.turn.read(then).catch(() => {});
      },
    });
    this.since = options.clock.wall();
    this.knewInstruments = venue.instruments().length > 0;
    this.comparer = new Comparer({
      clock: options.clock,
      compare: () => this.compare(),
      isUp: () => this.state === 'up',
    });
    const ask = () => this.readHeld();
    const compare = () => this.comparer.again();
    this.doubt = new Doubt({ clock: options.clock, turn: options.turn, exchange, ask, compare });
  }

  /** Events may be missing, and the account has not been compared as a whole since. */
  get hasGap(): boolean {
    return this.compared < this.gaps;
  }

  /**
   * Resolves when the account is open, its first try has failed, or there was no answer for a while: an account that cannot be
   * opened keeps nobody waiting. It is tried again until it is open. Rejects when the desk's own store has failed.
   */
  open(): Promise<void> {
    const { clock } = this.options;
    return new Promise((resolve, reject) => {
      const timer = clock.after(CALL_TIMEOUT_MS, () => {
        this.setAway(`no answer within ${CALL_TIMEOUT_MS / 1_000} s`);
        resolve();
      });
      started(() => this.connect()).then(
        () => {
          timer.cancel();
          this.onOpened();
          resolve();
        },
        (error: unknown) => {
          timer.cancel();
          if (error instanceof StoreError) {
            reject(error);
            return;
          }
          this.setAway(shortWords(error));
          this.openLater();
          resolve();
        },
      );
    });
  }

  private openLater(): void {
    if (this.closed) return;
    const delay = OPEN_AGAIN_MS[Math.min(this.tries++, OPEN_AGAIN_MS.length - 1)] ?? 0;
    this.options.clock.after(delay, () => {
      if (!this.closed) void this.open().catch(() => {});
    });
  }

  private setAway(reason: string): void {
    if (this.closed || this.opened) return;
    const exchange = this.venue.account.id;
    if (this.away !== reason)
      this.options.report('error', `${exchange} cannot be opened: ${reason}; tried again`);
    this.away = reason;
    this.options.turn.step({ type: 'account', exchange, away: reason });
    this.tellEngine();
    this.options.changed();
  }

  private onOpened(): void {
    if (this.closed) return;
    const { turn, clock } = this.options;
    const late = this.tries > 0 || this.away !== CONNECTING;
    this.opened = true;
    this.away = null;
    this.state = 'up';
    this.since = clock.wall();
    const exchange = this.venue.account.id;
    const instruments = this.venue.instruments();
    const { futures } = this.venue;
    const brackets = new Map(instruments.map(({ symbol }) => [symbol, futures?.brackets(symbol) ?? []]));
    const connectedAt = this.fills.connected(turn.now().market);
    // Where nobody else trades there is no past of others, and the time of a replay may go back.
    const since = this.venue.caps.ownOrdersOnly ? 0 : connectedAt;
    turn.step({ type: 'account', exchange, away: null, instruments, brackets, since });
    // Known only once connected: a start without the exchange needs them as well.
    if (!this.knewInstruments) turn.keep(instrumentsRow(exchange, instruments));
    this.tellEngine();
    this.options.changed();
    if (!late) return;
    this.options.report('info', `${exchange} is open`);
    void this.reconcile();
  }

  private async connect(): Promise<void> {
    const exchange = this.venue.account.id;
    await this.venue.open({
      order: (state) => {
        this.step({ type: 'venue.order', exchange, state: this.recalled(state) });
      },
      fill: (fill) => {
        // An order that could not be read must not be taken for one of the exchange's own.
        if (this.options.recall(namesOf(fill), true)) this.step({ type: 'venue.fill', exchange, fill });
      },
      balances: (changed) => this.step({ type: 'venue.balances', exchange, changed }),
      positions: (changed) => this.step({ type: 'venue.positions', exchange, changed }),
      stream: (state) => this.onStream(state),
    });
  }

  /** An order that could not be read must not be taken for one of others: then it is not told what it is. */
  private recalled(state: ExchangeOrderState): ExchangeOrderState {
    const { terms, ...rest } = state;
    return this.options.recall(namesOf(state), terms !== undefined) ? state : rest;
  }

  async close(): Promise<void> {
    this.closed = true;
    this.comparer.close();
    for (const end of [...this.asking]) end();
    this.goOn();
    await this.venue.close();
  }

  submit(order: ExchangeOrder): void {
    const exchange = this.venue.account.id;
    if (this.away !== null) {
      const message = `${exchange} is not connected: ${this.away}`;
      const outcome = { kind: 'rejected', reason: 'UNREACHED', code: 'AWAY', message } as const;
      this.options.turn.step({ type: 'submitted', exchange, orderId: order.clientId, outcome });
      return;
    }
    const { notAfter } = deadlineOf(this.venue, this.options.clock);
    this.call(
      () => this.venue.submit(order, { notAfter }),
      (outcome) =>
        this.step({ type: 'submitted', exchange, orderId: order.clientId, outcome, sentAt: notAfter }),
    );
  }

  cancel({ exchange, orderId, ...names }: OrderAtExchange): void {
    this.call(
      () => this.venue.cancel(names, deadlineOf(this.venue, this.options.clock)),
      (outcome) => this.step({ type: 'cancelled', exchange, orderId, outcome }),
    );
  }

  query({ exchange, orderId, ...names }: OrderAtExchange): void {
    const { clock, turn } = this.options;
    const askedAt = clock.monotonic();
    this.call(
      async () => {
        const outcome = await this.venue.query(names);
        // An exchange forgets an order before its executions.
        const wants = outcome.kind === 'absent' && wantsFills(turn.engine.memory, orderId);
        if (!wants || (await this.fills.read([names.symbol]))) return outcome;
        return { kind: 'unknown', cause: 'its executions could not be read' } as const;
      },
      (outcome) => this.step({ type: 'queried', exchange, orderId, outcome, askedAt }),
    );
  }

  /**
   * Open orders first, then the exchange's own fills, then balances and positions; fills of orders that differ come with the
   * questions that follow. A failed question proves nothing.
   */
  reconcile(): Promise<void> {
    // It is compared as soon as it is open.
    if (!this.opened) return Promise.resolve();
    return this.comparer.now();
  }

  /** Events may be missing: until the account has been compared, its entries wait. What is due goes out before the questions. */
  async gap(): Promise<void> {
    const { turn } = this.options;
    const { id } = this.venue.account;
    this.gaps += 1;
    this.tellEngine();
    turn.begin(id);
    try {
      await turn.read(() => {});
    } catch {
      // It could not be stored, and who carries the failed commit on has been told.
    }
    const compared = this.reconcile();
    turn.end(id);
    return compared;
  }

  /** Resolves when there is no gap any more, the link is down, or after `ms`. */
  withoutGap(ms: number): Promise<void> {
    if (!this.hasGap || this.state === 'down' || this.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const goOn = () => {
        timer.cancel();
        this.waiting.delete(goOn);
        resolve();
      };
      const timer = this.options.clock.after(ms, goOn);
      this.waiting.add(goOn);
    });
  }

  private goOn(): void {
    for (const goOn of [...this.waiting]) goOn();
  }

  /** What the engine knows of the account; by its `versions` an answer is ordered against events (S58). */
  private get memory(): AccountMemory {
    return this.options.turn.engine.memory.account(this.venue.account.id);
  }

  /** One input. Where nobody can say whether the balances know of it already, the account is asked again. */
  private step(event: EngineEvent): void {
    this.options.turn.step(event);
    if (this.opened) this.doubt.look();
  }

  private tellEngine(): void {
    const { id } = this.venue.account;
    this.options.turn.step({ type: 'link', exchange: id, up: this.state === 'up', gap: this.hasGap });
  }

  private async compare(): Promise<boolean> {
    const { turn, clock, changed: tell } = this.options;
    const exchange = this.venue.account.id;
    const { gaps } = this;
    turn.begin(exchange);
    this.doubt.begins();
    const { unreadable } = this.venue;
    const { undecided } = this.memory.versions;
    try {
      // What bots answer to an order or a fill that they hear of is checked against what is held now (R10).
      const held = await this.readHeld();
      const listedAt = clock.monotonic();
      const open = await this.ask(() => this.venue.openOrders());
      // One that ended here long ago may be among them.
      const states = open?.map((state) => this.recalled(state));
      if (states) this.step({ type: 'reconciled', exchange, open: states, askedAt: listedAt });
      const fills = await this.readFills();
      // What could not be read is said and stays as it was; asking again would bring the same.
      const answered = open !== null && fills && held;
      if (this.closed) return false;
      // Of a fill that was found just now nobody can say whether what is held knows of it: an answer from now on does.
      if (answered && this.memory.untold.hasDoubt) await this.readHeld();
      if (answered) turn.step({ type: 'compared', exchange });
      this.reconciled = { at: clock.wall(), whole: answered && this.venue.unreadable === unreadable };
      if (answered && this.hasGap) {
        this.compared = gaps;
        this.tellEngine();
        if (!this.hasGap) this.goOn();
      }
      tell();
      // What an event has told since the question is no gap; but the answer may have been the newer one, or not know of it.
      return answered && this.memory.versions.undecided === undecided && !this.memory.untold.hasDoubt;
    } finally {
      this.doubt.ends();
      turn.end(exchange);
    }
  }

  /** Balances, and of futures how the account trades and its positions; false: a question failed. */
  private async readHeld(): Promise<boolean> {
    const exchange = this.venue.account.id;
    const { heard } = this.memory.versions;
    const changed = await this.ask(() => this.venue.balances());
    if (changed) this.step({ type: 'venue.balances', exchange, changed, all: true, askedAt: heard });
    return (await this.readFutures()) && changed !== null;
  }

  /** A change of how the account trades: so from its answer on, and confirmed by reading the account's settings. */
  setting(id: string, setting: Setting): void {
    const { turn } = this.options;
    this.call<SettingOutcome>(
      () => makeSetting(this.venue, setting),
      (outcome) => {
        turn.step({ type: 'setting-done', id, outcome });
        if (!this.venue.futures) return;
        const exchange = this.venue.account.id;
        turn.begin(exchange);
        const { undecided } = this.memory.versions;
        void this.readFutures()
          .then(() => {
            if (this.memory.versions.undecided !== undecided) this.comparer.again();
          })
          .finally(() => turn.end(exchange));
      },
    );
  }

  /** Executions that no event has told, of what has been traded here or has moved. False: not all are known. */
  private async readFills(): Promise<boolean> {
    // Each is of an order that is asked for by itself.
    if (this.venue.caps.ownOrdersOnly && !this.venue.futures) return true;
    const symbols = activeSymbols(this.options.turn.engine.memory, this.venue.account.id);
    // What was traded while the desk was down moved nothing that it saw.
    const known = this.reconciled?.whole ? [] : this.fills.known;
    const whole = await this.fills.read([...symbols, ...known]);
    // What moves from now on is for the next time.
    if (!whole) return false;
    this.memory.moved.assets.clear();
    this.memory.moved.symbols.clear();
    return true;
  }

  /** Hedge mode, leverage and positions; false: a question failed. */
  private async readFutures(): Promise<boolean> {
    const { futures, account } = this.venue;
    if (!futures) return true;
    const { turn } = this.options;
    const exchange = account.id;
    const settingsAskedAt = this.memory.versions.heard;
    const hedge = await this.ask(() => futures.hedgeMode());
    const symbols = this.venue.instruments().map(({ symbol }) => symbol);
    const leverage = await this.ask(() => futures.leverage(symbols));
    turn.step({
      type: 'venue.settings',
      exchange,
      ...(hedge === null ? {} : { hedge }),
      ...(leverage === null ? {} : { leverage }),
      askedAt: settingsAskedAt,
    });
    const askedAt = this.memory.versions.heard;
    const positions = await this.ask(() => futures.positions());
    if (positions) this.step({ type: 'venue.positions', exchange, changed: positions, all: true, askedAt });
    return hedge !== null && leverage !== null && positions !== null;
  }

  private onStream(state: 'up' | 'down' | 'gap'): void {
    // The start reconciles by itself once everything is loaded.
    if (!this.opened) return;
    if (state !== 'gap' && state !== this.state) {
      this.state = state;
      this.since = this.options.clock.wall();
      this.options.changed();
      this.options.report(state === 'up' ? 'info' : 'warn', `${this.venue.account.id} is ${state}`);
    }
    if (state !== 'down') {
      void this.gap();
      return;
    }
    this.gaps += 1;
    this.tellEngine();
    this.goOn();
  }

  /** One question of a reconciliation, bounded in time; null when it failed, which proves nothing. */
  private ask<T>(run: () => Promise<T | null>): Promise<T | null> {
    if (this.closed) return Promise.resolve(null);
    return new Promise((resolve) => {
      const end = (answer: T | null) => {
        timer.cancel();
        this.asking.delete(giveUp);
        resolve(answer);
      };
      const giveUp = () => end(null);
      const timer = this.options.clock.after(CALL_TIMEOUT_MS, giveUp);
      this.asking.add(giveUp);
      started(run).then(end, (error: unknown) => {
        this.options.report('error', `${this.venue.account.id}: adapter failure: ${String(error)}`);
        end(null);
      });
    });
  }

  /** One call: the first of answer and time-out counts as its end, but a late answer is still an input. */
  private call<T>(
    run: () => Promise<T>,
    step: (outcome: T | { kind: 'unknown'; cause: string }) => void,
  ): void {
    const { clock, turn } = this.options;
    if (this.away !== null) {
      step({ kind: 'unknown', cause: `not connected: ${this.away}` });
      return;
    }
    const startedAt = clock.monotonic();
    const exchange = this.venue.account.id;
    let open = true;
    turn.begin(exchange);
    const close = () => {
      if (!open) return;
      open = false;
      turn.end(exchange);
    };
    const timer = clock.after(CALL_TIMEOUT_MS, () => {
      if (!open) return;
      step({ kind: 'unknown', cause: `no answer within ${CALL_TIMEOUT_MS / 1_000} s` });
      close();
    });
    started(run).then(
      (outcome) => {
        timer.cancel();
        this.latencyMs = Math.round(clock.monotonic() - startedAt);
        this.options.changed();
        step(outcome);
        close();
      },
      (error: unknown) => {
        timer.cancel();
        this.options.report('error', `${this.venue.account.id}: adapter failure: ${String(error)}`);
        step({ kind: 'unknown', cause: 'the exchange adapter failed' });
        close();
      },
    );
  }
}
