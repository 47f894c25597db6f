/**
 * The paper exchange behind the exchange port: requests travel (latency, faults), reach the core, are stored,
 * and only then are answers and events sent. Ticks come in through `tick`. Never throws for anything an
 * exchange may answer.
 */
import type { Cancelable, Clock, Random } from '../../domain/clock.ts';
import { dec, ZERO } from '../../domain/decimal.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Lane } from '../../domain/lane.ts';
import type { SettingOutcome } from '../../domain/position.ts';
import type { Row } from '../../domain/rows.ts';
import type { Tick } from '../../market/feed.ts';
import type {
  Dispatch,
  DustVenue,
  FillsPage,
  FillsQuery,
  FuturesVenue,
  LedgerPage,
  LedgerQuery,
  OrderRef,
  Venue,
  VenueHealth,
  VenueSink,
} from '../venue.ts';
import { FUTURES_CAPS, PAPER_MARKET, PAPER_SPOT, SPOT_CAPS } from './accounts.ts';
import type { PaperStep } from './changes.ts';
import { Connection } from './connection.ts';
import { PaperCore } from './core.ts';
import { CoreHost } from './core-host.ts';
import { DUST_TOKEN, type DustAsset, type DustOutcome } from './dust.ts';
import { EventStream } from './event-stream.ts';
import type { ExchangeCore } from './exchange-core.ts';
import { PaperFaults } from './faults.ts';
import { FuturesCore } from './futures/futures-core.ts';
import { FuturesFacade } from './futures/futures-facade.ts';
import { MARGIN_ASSET } from './futures/futures-state.ts';
import type { PaperLane } from './group-commit.ts';
import { type Mirror, type NextFunding, PriceGate } from './mirror.ts';
import { type CompiledPaperOptions, compilePaperOptions, type PaperOptions } from './options.ts';
import type { PaperDocuments } from './state.ts';

export { PAPER_FUTURES, PAPER_MARKET, PAPER_SPOT } from './accounts.ts';

export interface PaperVenueOptions {
  /** Default: `PAPER_SPOT`. */
  readonly account?: ExchangeAccount;
  readonly instruments: readonly Instrument[];
  /** `Store.loadPaperAccount`: at `open`, and again after a commit that failed. */
  readonly load: () => PaperDocuments;
  /** `Store.commit`, or a separate store. */
  readonly lane: PaperLane;
  readonly clock: Clock;
  /** For jitter, and for the faults unless these are passed in. */
  readonly random: Pick<Random, 'next'>;
  /** Market time now, Unix ms; default: the time of the last tick (wall time before the first). */
  readonly marketTime?: () => number;
  /** Resolves once the desk has handled everything; called after each match of a tick. */
  readonly settle?: () => Promise<void> | void;
  readonly options?: PaperOptions;
  readonly faults?: PaperFaults;
  /** Called after a failed commit or a broken invariant: the memory was read again from the store. */
  readonly onError?: (error: Error) => void;
  /**
   * The live market whose prices are used; `instruments` is then its last known list. Left out: the paper
   * market.
   */
  readonly mirror?: Mirror;
}

export interface PaperVenue extends Venue {
  readonly faults: PaperFaults;
  /** Takes a new last price. Resolves when every match has been handled; returns at once if there is none. */
  tick(tick: Tick): Promise<void> | void;
  /** Takes a new last price of a live market; everything is done within the call. */
  push(tick: Tick): void;
  /** Takes a mark price of a live market, with the next funding; null: not known. */
  pushMark(symbol: string, mark: string, time: number, funding: NextFunding | null): void;
  /**
   * Sets the last price without matching: the feed's last price before the stop. Call after `open`.
   * @param nth the tick's number among the symbol's ticks of that time; default 1
   * @param volume of that tick, default 0: the tick has matched nothing if the exchange does not know it
   */
  seedPrice(symbol: string, price: string, marketTime: number, nth?: number, volume?: string): void;
  lastPrice(symbol: string): string | null;
  /** Rows about the present state that go with every commit, whoever makes it. */
  deferredRows(): readonly Row[];
  /** Sets matching, fees, latency and start balances. Throws RangeError on a bad value. */
  configure(options: PaperOptions): void;
  /** Cancels every order and restores the start balances. False: it could not be stored. */
  reset(): Promise<boolean>;
  /** Sets the free balance of an asset. Throws RangeError on a bad amount. */
  setBalance(asset: string, amount: string): Promise<boolean>;
  /** Ends an order as the exchange itself would, even while disconnected. False: it could not be stored. */
  end(ref: OrderRef): Promise<boolean>;
  dust(): { readonly assets: readonly DustAsset[]; readonly waitMs: number };
  convertDust(assets: readonly string[]): Promise<DustOutcome>;
}

/** The instruments of a mirrored market are read again after this, ms. */
const RENEW_MS = 3_600_000;
/** When an order may be sent again whose prices do not come, ms. */
const AGAIN_MS = 2_000;
/** The past is loaded after this, ms, when the start has been shown and no order needs it yet. */
const RECALL_AFTER_MS = 1_000;

/** Makes one embedded exchange account. Throws RangeError on bad options. */
export function createPaperVenue(options: PaperVenueOptions): PaperVenue {
  return new EmbeddedPaperVenue(options);
}

class EmbeddedPaperVenue implements PaperVenue {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  readonly futures?: FuturesVenue;
  readonly conversion?: DustVenue;
  readonly faults: PaperFaults;
  readonly #deps: PaperVenueOptions;
  readonly #host: CoreHost<PaperCore | FuturesCore>;
  readonly #connection: Connection;
  readonly #gate: PriceGate;
  #instruments: readonly Instrument[];
  /** Instruments that were traded once: orders and positions may be left on them. */
  #former: readonly Instrument[];
  /** The timer of the next reading of the mirrored market's instruments. */
  #renewal: Cancelable | null = null;
  #sink: VenueSink | null = null;
  #options: CompiledPaperOptions;
  #stream: EventStream | null = null;
  #isClosed = false;
  #recall: Cancelable | null = null;
  /** The matching of an earlier tick, for which later ticks wait. */
  #matching: Promise<void> | null = null;

  constructor(deps: PaperVenueOptions) {
    this.account = { ...(deps.account ?? PAPER_SPOT), market: deps.mirror?.market ?? PAPER_MARKET };
    this.#deps = deps;
    this.#gate = new PriceGate(deps.clock);
    this.caps = this.account.kind === 'futures' ? FUTURES_CAPS : SPOT_CAPS;
    this.#options = compilePaperOptions(deps.options, this.account.kind);
    if (this.account.kind === 'spot') {
      this.conversion = {
        list: async () => ({ assets: this.dust().assets.map((asset) => ({ ...asset })) }),
        waitMs: () => this.dust().waitMs,
        convert: (assets, toAsset) => this.#convert(assets, toAsset),
      };
    }
    this.#instruments = deps.instruments.filter((instrument) => instrument.kind === this.account.kind);
    this.#former = deps.mirror?.before ?? [];
    this.faults = deps.faults ?? new PaperFaults(deps.random);
    this.faults.onDown = (ms) => this.#goDown(ms);
    this.#host = new CoreHost({
      lane: deps.lane,
      clock: deps.clock,
      load: () => this.#load(),
      tell: (event) => this.#stream?.tell(event),
      gap: () => this.#stream?.state('gap'),
      onError: (error) => deps.onError?.(error),
    });
    this.#connection = new Connection({
      clock: deps.clock,
      random: deps.random,
      faults: this.faults,
      delays: () => this.#options,
      deliver: (answer) => this.#host.later(answer),
    });
    if (this.account.kind === 'futures') this.futures = this.#futuresFacade();
  }

  /**
   * Opens the account. Rejects while the mirrored market's instruments cannot be read: it will be opened
   * again.
   */
  async open(sink: VenueSink): Promise<void> {
    if (this.#deps.mirror) await this.#ofMirror(this.#deps.mirror);
    if (this.#isClosed) return;
    this.#sink = sink;
    this.#host.open();
    this.#deps.mirror?.opened(this.#instruments);
    if (this.#deps.mirror) this.#renew(this.#deps.mirror);
    this.#stream = new EventStream(sink, this.#deps.clock, this.faults);
    this.#stream.state('up');
    this.#recall = this.#deps.clock.after(RECALL_AFTER_MS, () => this.#host.recall());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#renewal?.cancel();
    this.#gate.close();
    this.#recall?.cancel();
    this.#host.close();
    this.#connection.close();
    this.#stream?.close();
    this.#stream = null;
  }

  instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  /** The paper exchange uses our clock and has no request limits. */
  health(): VenueHealth {
    return { clockOffsetMs: 0, budgets: [] };
  }

  submit(order: ExchangeOrder, dispatch?: Dispatch): Promise<SubmitOutcome> {
    const usedId = this.faults.mix.acceptUsedId;
    const send = () => this.#request<SubmitOutcome>('submit', (core, now) => core.submit(order, now, usedId));
    const { symbol } = order;
    if (this.#hasPrice(symbol)) return send();
    this.#deps.mirror?.want(symbol);
    return this.#gate.wait(symbol, dispatch, send);
  }

  canSend(_lane: Lane, symbol: string): { readonly retryAfterMs: number } | null {
    return this.#deps.mirror?.isBroken(symbol) ? { retryAfterMs: AGAIN_MS } : null;
  }

  cancel(ref: OrderRef): Promise<CancelOutcome> {
    return this.#request<CancelOutcome>('cancel', (core, now) => core.cancel(ref, now));
  }

  cancelAll(symbol: string): Promise<CancelAllOutcome> {
    return this.#request<CancelAllOutcome>('cancel', (core, now) => core.cancelAll(symbol, now));
  }

  amend(ref: OrderRef, change: OrderChange): Promise<AmendOutcome> {
    return this.#request<AmendOutcome>('cancel', (core, now) => core.amend(ref, change, now));
  }

  query(ref: OrderRef): Promise<QueryOutcome> {
    return this.#ask<QueryOutcome>((core) => core.query(ref), { kind: 'unknown', cause: 'no answer' });
  }

  openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    return this.#ask((core) => core.openOrders(), null);
  }

  fills(q: FillsQuery): Promise<FillsPage | null> {
    return this.#ask((core) => fillsPage(core, q), null);
  }

  balances(): Promise<readonly ExchangeBalance[] | null> {
    return this.#ask((core) => core.balances(), null);
  }

  ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    return this.#ask((core) => core.ledger(q), null);
  }

  tick(tick: Tick): Promise<void> | void {
    if (this.#matching) return this.#queue(this.#matching.then(() => this.#match(tick)));
    if (!this.#begin(tick)) return;
    return this.#queue(this.#handOut());
  }

  push(tick: Tick): void {
    if (this.#begin(tick)) while (this.#host.matchNext()) {}
    if (this.#hasPrice(tick.symbol)) this.#gate.came(tick.symbol);
  }

  pushMark(symbol: string, mark: string, time: number, funding: NextFunding | null): void {
    const { core } = this.#host;
    if (core?.kind !== 'futures') return;
    if (core.beginMark(symbol, mark, time, funding)) while (this.#host.matchNext()) {}
    if (this.#hasPrice(symbol)) this.#gate.came(symbol);
  }

  seedPrice(symbol: string, price: string, marketTime: number, nth?: number, volume?: string): void {
    this.#host.core?.seedPrice(symbol, price, marketTime, nth, volume);
  }

  deferredRows(): readonly Row[] {
    return this.#host.deferredRows();
  }

  lastPrice(symbol: string): string | null {
    return this.#host.core?.lastPrice(symbol) ?? null;
  }

  configure(options: PaperOptions): void {
    this.#options = compilePaperOptions(options, this.account.kind);
    this.#host.core?.configure(this.#options);
  }

  reset(): Promise<boolean> {
    return this.#operate((core) => core.reset(this.#now(core)));
  }

  setBalance(asset: string, amount: string): Promise<boolean> {
    if (dec(amount) < ZERO) throw new RangeError(`a balance cannot be negative: ${amount}`);
    return this.#operate((core) => core.setBalance(asset, amount, this.#now(core)));
  }

  end(ref: OrderRef): Promise<boolean> {
    return this.#operate((core) => core.cancel(ref, this.#now(core)));
  }

  dust(): { readonly assets: readonly DustAsset[]; readonly waitMs: number } {
    const core = this.#spot();
    return { assets: core?.dust() ?? [], waitMs: core?.dustWaitMs(this.#deps.clock.wall()) ?? 0 };
  }

  convertDust(assets: readonly string[]): Promise<DustOutcome> {
    if (this.account.kind !== 'spot') {
      return Promise.resolve({ kind: 'rejected', code: '-1109', message: `${this.account.id} has no dust.` });
    }
    return new Promise((resolve) => {
      this.#host.apply(
        (core) => (core as PaperCore).convertDust(assets, this.#deps.clock.wall()),
        resolve,
        (cause) => resolve({ kind: 'unknown', cause }),
      );
    });
  }

  /** The port's form of `convertDust`. */
  async #convert(assets: readonly string[], toAsset: string = DUST_TOKEN): Promise<SettingOutcome> {
    if (toAsset !== DUST_TOKEN) {
      const message = `${this.account.id} converts into ${DUST_TOKEN} only, not into ${toAsset}`;
      return { kind: 'rejected', code: '-1109', message };
    }
    const outcome = await this.convertDust(assets);
    return outcome.kind === 'done' ? { kind: 'done', dust: outcome.conversion } : outcome;
  }

  #request<T extends SubmitOutcome | CancelOutcome | CancelAllOutcome | AmendOutcome>(
    kind: 'submit' | 'cancel',
    run: (core: ExchangeCore, now: number) => PaperStep<T>,
  ): Promise<T> {
    return new Promise<T>((resolve) => {
      this.#connection.send<T>(
        kind,
        (answer, lost) => this.#host.apply((core) => run(core, this.#now(core)), answer, lost),
        resolve,
        // All outcomes have these two kinds in common.
        (outcome) => resolve(outcome as T),
      );
    });
  }

  #ask<T>(question: (core: ExchangeCore) => T, lost: T): Promise<T> {
    return new Promise((resolve) => {
      this.#connection.ask((arrived) => {
        if (arrived) this.#host.read(question, resolve, () => resolve(lost));
        else resolve(lost);
      });
    });
  }

  #operate(run: (core: ExchangeCore) => PaperStep<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      this.#host.apply(
        run,
        () => resolve(true),
        () => resolve(false),
      );
    });
  }

  #begin(tick: Tick): boolean {
    return this.#host.core?.beginTick(tick.symbol, tick.price, tick.volume, tick.time) ?? false;
  }

  async #match(tick: Tick): Promise<void> {
    if (this.#begin(tick)) await this.#handOut();
  }

  /**
   * Hands out matches: stored, sent, handled by the desk, then the next (strategies.md section 1, rule 5).
   */
  async #handOut(): Promise<void> {
    while (this.#host.matchNext()) {
      const settled = this.#deps.settle?.();
      if (settled) await settled;
    }
  }

  #queue(run: Promise<void>): Promise<void> {
    const mine: Promise<void> = run.finally(() => {
      if (this.#matching === mine) this.#matching = null;
    });
    this.#matching = mine;
    return mine;
  }

  #goDown(ms: number): void {
    if (!this.#connection.down) this.#stream?.state('down');
    this.#connection.breakFor(ms, () => {
      this.#stream?.state('up');
      this.#stream?.state('gap');
    });
  }

  /** Whether current prices exist at which an order would be matched. */
  #hasPrice(symbol: string): boolean {
    const { mirror } = this.#deps;
    if (!mirror) return true;
    const { core } = this.#host;
    return mirror.isFresh(symbol) && (core?.kind !== 'futures' || core.markPrice(symbol) !== null);
  }

  /** Takes over the market's instruments, as far as this account can hold them; true: they have changed. */
  async #ofMirror(mirror: Mirror): Promise<boolean> {
    const list = await mirror.instruments();
    if (list === null) throw new Error(`what ${mirror.market} trades could not be asked for`);
    const { kind } = this.account;
    // The paper futures account has one margin asset.
    const own = list.filter((one) => one.kind === kind && (kind === 'spot' || one.quote === MARGIN_ASSET));
    if (own.length === 0) throw new Error(`${mirror.market} trades nothing that a paper account can`);
    const isOther = JSON.stringify(own) !== JSON.stringify(this.#instruments);
    if (!isOther) return false;
    const bySymbol = new Map([...this.#former, ...this.#instruments].map((one) => [one.symbol, one]));
    for (const { symbol } of own) bySymbol.delete(symbol);
    this.#former = [...bySymbol.values()];
    this.#instruments = own;
    return true;
  }

  /** Reads the instruments again from time to time, and pays funding of times without a stream. */
  #renew(mirror: Mirror): void {
    void this.#payPast(mirror);
    this.#renewal = this.#deps.clock.after(RENEW_MS, () => {
      void this.#ofMirror(mirror)
        .then((isOther) => {
          if (!isOther || this.#isClosed) return;
          this.#host.core?.trade(this.#instruments);
          this.#sink?.instruments?.(this.#instruments);
        })
        .catch((error: unknown) =>
          this.#deps.onError?.(error instanceof Error ? error : new Error(String(error))),
        )
        .finally(() => {
          if (!this.#isClosed) this.#renew(mirror);
        });
    });
  }

  async #payPast(mirror: Mirror): Promise<void> {
    const { core } = this.#host;
    if (core?.kind !== 'futures') return;
    for (const symbol of new Set(core.positions().map((position) => position.symbol))) {
      const from = core.fundedAt(symbol);
      const rows = from === null ? null : await mirror.funding(symbol, from + 1, this.#now(core));
      for (const row of rows ?? []) {
        // The exchange's times are some milliseconds late.
        const at = row.at - (row.at % 60_000);
        if (this.#isClosed) return;
        await this.#operate((one) => (one as FuturesCore).payPast(symbol, { ...row, at }));
      }
    }
  }

  #load(): PaperCore | FuturesCore {
    const { mirror } = this.#deps;
    const known = new Set(this.#instruments.map(({ symbol }) => symbol));
    const left = this.#former.filter(({ symbol }) => !known.has(symbol));
    const config = { instruments: [...this.#instruments, ...left], options: this.#options };
    if (this.account.kind === 'futures')
      return new FuturesCore({ ...config, marksAreTold: mirror !== undefined }, this.#deps.load());
    return new PaperCore({ ...config, kind: 'spot' }, this.#deps.load());
  }

  #spot(): PaperCore | null {
    const { core } = this.#host;
    return core?.kind === 'spot' ? core : null;
  }

  #futuresFacade(): FuturesVenue {
    return new FuturesFacade({
      instruments: () => this.#instruments,
      connection: this.#connection,
      // A futures account has no other core.
      host: this.#host as CoreHost<FuturesCore>,
    });
  }

  #now(core: ExchangeCore): number {
    return Math.max(core.time, this.#deps.marketTime?.() ?? 0) || this.#deps.clock.wall();
  }
}

/** All executions from a cursor on; the cursor is the market time up to which they were returned. */
function fillsPage(core: ExchangeCore, { symbol, after, since }: FillsQuery): FillsPage {
  const fills = core.fills({ symbol, from: after === null ? since : Number(after) });
  return { fills, next: String(core.time), more: false };
}
