/**
 * The comparison of one exchange account with what the desk believes of it: after a start, a gap, a doubt and now and then.
 * Open orders, executions, balances, positions, settings and the ledger are asked for; each answer is an engine input. A failed question
 * proves nothing and is asked again.
 */
import type { Clock } from '../../domain/clock.ts';
import { type ExchangeOrderState, namesOf, type OrderNames } from '../../domain/exchange.ts';
import { activeSymbols } from '../../engine/active-symbols.ts';
import { wantsAudit } from '../../engine/ledger.ts';
import type { AccountMemory } from '../../engine/memory.ts';
import { isParked } from '../../engine/parked-fills.ts';
import type { EngineEvent } from '../../engine/step.ts';
import type { Reconciled } from '../console/account-views.ts';
import { TradesReader } from './account-trades.ts';
import { started } from './adapter-call.ts';
import { type Compared, Comparer } from './comparer.ts';
import { Doubt } from './doubt.ts';
import { FillsReader } from './fills-reader.ts';
import { HeardLog } from './heard-log.ts';
import { LedgerReader } from './ledger-reader.ts';
import { NamedTrades } from './named-trades.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** A question without an answer for this long has failed. */
const QUESTION_TIMEOUT_MS = 10_000;

export interface ReconciliationOptions {
  readonly venue: ReadableVenue;
  readonly turn: Turn;
  readonly clock: Clock;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** See `VenueLinkOptions`. */
  readonly recall: (names: OrderNames, makes: boolean) => boolean;
  readonly changed: () => void;
  readonly report: (level: 'error' | 'warn' | 'info', text: string) => void;
  /** One input of what the exchange has told. */
  readonly step: (event: EngineEvent) => void;
  /** Whether a row of the account's ledger is stored; throws where that cannot be read. */
  readonly inLedger: (id: string) => boolean;
  /** Events of the account arrive. */
  readonly isUp: () => boolean;
  /** It has been connected. */
  readonly isOpen: () => boolean;
  /** See `VenueLinkOptions`. */
  readonly named?: (exchange: string, symbols: readonly string[]) => void;
}

export class Reconciliation {
  /** The last comparison with the exchange; null: none has ended. */
  reconciled: Reconciled | null = null;
  readonly fills: FillsReader;
  private readonly options: ReconciliationOptions;
  private readonly exchange: string;
  private readonly comparer: Comparer;
  private readonly heardLog: HeardLog;
  /** Null: the exchange tells none. */
  private readonly ledger: LedgerReader | null;
  private readonly doubt: Doubt;
  private readonly namedTrades: NamedTrades;
  /** How often events may have been missed; and up to which of them everything has been compared since. */
  private gaps = 1;
  private compared = 0;
  /** Monotonic time since when none may have been missed. */
  private missedAt: number;
  /** Entries that wait for the end of the gap. */
  private readonly waiting = new Set<() => void>();
  /** Ends the questions of a comparison that are out. */
  private readonly asking = new Set<() => void>();
  private closed = false;

  constructor(options: ReconciliationOptions) {
    this.options = options;
    const { venue, turn, clock } = options;
    const exchange = venue.account.id;
    this.exchange = exchange;
    this.heardLog = new HeardLog(this.lagMs);
    this.missedAt = clock.monotonic();
    this.fills = new FillsReader({
      exchange,
      meta: options.meta,
      ask: (q) => this.ask(() => venue.fills(q)),
      take: (fill) => {
        const isRead = options.recall(namesOf(fill), true);
        if (isRead) options.step({ type: 'venue.fill', exchange, fill, asked: true });
        // One that waits in memory is not stored: what comes after it must not be where a start goes on.
        return isRead && !isParked(turn.engine.memory, exchange, fill);
      },
      keep: (row) => {
        turn.keep(row);
        // What others execute from now on is missed for good if a crash forgets it.
        turn.commitSoon();
      },
      stored: (rows, then) => {
        turn.store(rows, false);
        // Where they were not stored, the comparison that follows asks again.
        turn.read(then).catch(() => {});
      },
    });
    this.ledger = this.ledgerReader();
    this.comparer = new Comparer({
      clock,
      compare: () => this.compare(),
      isUp: options.isUp,
      hasGap: () => this.hasGap,
    });
    this.namedTrades = new NamedTrades({
      clock,
      read: (symbols) => this.readNamed(symbols),
      isUp: () => options.isOpen() && options.isUp(),
      failed: () => this.again(),
    });
    const ask = () => this.readHeld();
    this.doubt = new Doubt({ clock, turn, exchange, ask, compare: () => this.again() });
  }

  /** Events may be missing, and the account has not been compared as a whole since. */
  get hasGap(): boolean {
    return this.compared < this.gaps;
  }

  /**
   * Open orders first, then the exchange's own fills, then balances and positions; fills of orders that differ come with the
   * questions that follow. A failed question proves nothing.
   */
  reconcile(): Promise<void> {
    // It is compared as soon as it is open.
    if (!this.options.isOpen()) return Promise.resolve();
    return this.comparer.now();
  }

  /** Events may be missing: until the account has been compared, its entries wait. What is due goes out before the questions. */
  async gap(): Promise<void> {
    const { turn } = this.options;
    this.missed();
    turn.begin(this.exchange);
    try {
      await turn.read(() => {});
    } catch {
      // It could not be stored, and who carries the failed commit on has been told.
    }
    const compared = this.reconcile();
    turn.end(this.exchange);
    return compared;
  }

  /** Resolves when there is no gap any more, the link is down, or after `ms`. */
  withoutGap(ms: number): Promise<void> {
    if (!this.hasGap || !this.options.isUp() || this.closed) return Promise.resolve();
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

  /** What reads of trades ask the exchange with (S64). */
  tradesReader(): TradesReader {
    const { clock, venue, isOpen, isUp } = this.options;
    return new TradesReader({
      clock,
      fills: this.fills,
      ask: (q) => this.ask(() => venue.fills(q)),
      isUp: () => isOpen() && isUp(),
    });
  }

  /** Nobody waits for the end of a gap any longer. */
  goOn(): void {
    for (const goOn of [...this.waiting]) goOn();
  }

  /** Events may have been missed from now on. */
  missed(): void {
    this.gaps += 1;
    this.comparer.anew();
    this.missedAt = this.options.clock.monotonic();
    this.tell();
  }

  /** What the engine has to know of the line: whether it is up, and whether something of the account may be unknown. */
  tell(): void {
    this.options.turn.step({
      type: 'link',
      exchange: this.exchange,
      up: this.options.isUp(),
      gap: this.hasGap,
    });
  }

  /** Something was heard: what is in doubt because of it is asked for. */
  heard(): void {
    this.heardLog.note(this.options.clock.monotonic(), this.memory.wallet.versions.heard);
    this.doubt.look();
  }

  /** Another comparison is needed soon. */
  again(): void {
    this.comparer.again();
  }

  /** Whoever has read the ledger of its wallet has found that these were traded, perhaps on this account. */
  named(symbols: readonly string[]): void {
    this.namedTrades.add(symbols);
  }

  close(): void {
    this.closed = true;
    this.comparer.close();
    this.namedTrades.close();
    for (const end of [...this.asking]) end();
    this.goOn();
  }

  /** How far replicas lag at most, ms. */
  private get lagMs(): number {
    return this.options.venue.caps.settleMs ?? 0;
  }

  /** What the answers to questions of now are ordered by. */
  private askedAt(): number {
    return this.heardLog.asked(this.options.clock.monotonic(), this.memory.wallet.versions.heard);
  }

  /** What the engine knows of the account; by its `versions` an answer is ordered against events (S58). */
  get memory(): AccountMemory {
    return this.options.turn.engine.memory.account(this.exchange);
  }

  private async compare(): Promise<Compared> {
    const { venue, turn, clock, changed, step } = this.options;
    const { gaps, exchange } = this;
    turn.begin(exchange);
    this.doubt.begins();
    const { unreadable } = venue;
    const startedAt = clock.monotonic();
    const { undecided } = this.memory.wallet.versions;
    // A replica may not know yet what was missed: then it is asked once more when none can lag behind it.
    const mayLag = clock.monotonic() < this.missedAt + this.lagMs;
    try {
      // What bots answer to an order or a fill that they hear of is checked against what is held now (R10).
      const held = await this.readHeld();
      const listedAt = clock.monotonic();
      const open = await this.ask(() => venue.openOrders());
      // One that ended here long ago may be among them.
      const states = open?.map((state) => recalled(state, this.options.recall));
      if (states) step({ type: 'reconciled', exchange, open: states, askedAt: listedAt });
      const fills = await this.readFills();
      // What could not be read is said and stays as it was; asking again would bring the same.
      const answered = open !== null && fills && held;
      if (this.closed) return false;
      // Of a fill that was found just now nobody can say whether what is held knows of it: an answer from now on does.
      if (answered && this.memory.wallet.untold.hasDoubt) await this.readHeld();
      if (answered) turn.step({ type: 'compared', exchange });
      this.reconciled = { at: clock.wall(), whole: answered && venue.unreadable === unreadable };
      if (answered && this.hasGap) {
        this.compared = gaps;
        this.tell();
        if (!this.hasGap) this.goOn();
      }
      changed();
      // What an event has told since the question is no gap; but the answer may have been the newer one, or not know of it.
      const isDecided =
        this.memory.wallet.versions.undecided === undecided && !this.memory.wallet.untold.hasDoubt;
      const isWhole = answered && isDecided && !mayLag;
      const isRead = answered && (await this.readLedger());
      if (!isRead || !isWhole) return false;
      if (!this.memory.wallet.ledger) return true;
      turn.step({ type: 'audit', exchange, askedAt: startedAt });
      changed();
      if (!wantsAudit(this.memory)) return true;
      return this.memory.wallet.ledger.unsure ? 'unsure' : 'again';
    } finally {
      this.doubt.ends();
      turn.end(exchange);
    }
  }

  /** Its ledger has more than is known. */
  ledgerMoved(): void {
    const { turn } = this.options;
    if (!this.ledger || this.closed) return;
    turn.begin(this.exchange);
    void this.readLedger().then((whole) => {
      turn.end(this.exchange);
      if (!whole) this.again();
    });
  }

  /** False: not all of it is known. */
  private async readLedger(): Promise<boolean> {
    return (await (this.ledger?.read() ?? true)) && !this.closed;
  }

  private ledgerReader(): LedgerReader | null {
    const { venue, turn, inLedger, report } = this.options;
    const ask = venue.ledger;
    if (!ask) return null;
    return new LedgerReader({
      exchange: this.exchange,
      ask: (q) => this.ask(() => ask(q)),
      memory: () => this.memory.wallet.ledger,
      now: () => venue.timeAt(turn.now().market),
      isStored: inLedger,
      step: (event) => turn.step(event),
      stored: () => turn.read(() => {}),
      failed: (error) => report('error', `${this.exchange}: its ledger could not be read: ${String(error)}`),
      // Of a wallet that accounts share one of them has read it, and each may have been traded with.
      traded: (symbols) => {
        for (const { account, moved, instruments } of this.memory.wallet.accounts) {
          const traded = symbols.filter((symbol) => instruments.has(symbol));
          for (const symbol of traded) moved.symbols.add(symbol);
          if (traded.length > 0) this.options.named?.(account.id, traded);
        }
      },
    });
  }

  /** Balances, and of futures how the account trades and its positions; false: a question failed. */
  private async readHeld(): Promise<boolean> {
    const { venue, step } = this.options;
    const { exchange } = this;
    const askedAt = this.askedAt();
    const changed = await this.ask(() => venue.balances());
    if (changed) step({ type: 'venue.balances', exchange, changed, all: true, askedAt });
    return (await this.readFutures()) && changed !== null;
  }

  /** Executions that no event has told, of what has been traded here or has moved. False: not all are known. */
  private async readFills(): Promise<boolean> {
    // Each is of an order that is asked for by itself.
    if (this.options.venue.caps.ownOrdersOnly && !this.options.venue.futures) return true;
    const symbols = activeSymbols(this.options.turn.engine.memory, this.exchange);
    // What was traded while the desk was down moved nothing that it saw.
    const known = this.reconciled?.whole ? [] : this.fills.known;
    const whole = await this.fills.read([...symbols, ...known]);
    // What moves from now on is for the next time.
    if (!whole) return false;
    this.memory.moved.assets.clear();
    this.memory.moved.symbols.clear();
    return true;
  }

  /** False: not all are known. What has moved stays for the next comparison. */
  private async readNamed(symbols: readonly string[]): Promise<boolean> {
    const { turn } = this.options;
    turn.begin(this.exchange);
    try {
      return await this.fills.read(symbols);
    } finally {
      turn.end(this.exchange);
    }
  }

  /** Hedge mode, leverage and positions; false: a question failed. */
  async readFutures(): Promise<boolean> {
    const { venue, turn, step } = this.options;
    const { futures } = venue;
    if (!futures) return true;
    const { exchange } = this;
    const settingsAskedAt = this.askedAt();
    const hedge = await this.ask(() => futures.hedgeMode());
    const leverage = await this.ask(() => futures.leverage(this.usedContracts()));
    turn.step({
      type: 'venue.settings',
      exchange,
      ...(hedge === null ? {} : { hedge }),
      ...(leverage === null ? {} : { leverage }),
      askedAt: settingsAskedAt,
    });
    const askedAt = this.askedAt();
    const positions = await this.ask(() => futures.positions());
    if (positions) step({ type: 'venue.positions', exchange, changed: positions, all: true, askedAt });
    return hedge !== null && leverage !== null && positions !== null;
  }

  /** Those that are traded, and those that are not any more in which something is open. */
  private usedContracts(): string[] {
    const { instruments, futures } = this.memory;
    const positions = [...(futures?.positions.values() ?? [])].map(({ symbol }) => symbol);
    const used = new Set([...positions, ...(futures?.open.keys() ?? [])]);
    return [...instruments.values()].flatMap(({ symbol, delisted }) =>
      delisted && !used.has(symbol) ? [] : [symbol],
    );
  }

  /** One question, bounded in time; null when it failed, which proves nothing. */
  ask<T>(run: () => Promise<T | null>): Promise<T | null> {
    if (this.closed) return Promise.resolve(null);
    return new Promise((resolve) => {
      const end = (answer: T | null) => {
        timer.cancel();
        this.asking.delete(giveUp);
        resolve(answer);
      };
      const giveUp = () => end(null);
      const timer = this.options.clock.after(QUESTION_TIMEOUT_MS, giveUp);
      this.asking.add(giveUp);
      started(run).then(end, (error: unknown) => {
        this.options.report('error', `${this.exchange}: adapter failure: ${String(error)}`);
        end(null);
      });
    });
  }
}

/** An order that could not be read must not be taken for one of others: then it is not told what it is. */
export function recalled(
  state: ExchangeOrderState,
  recall: (names: OrderNames, makes: boolean) => boolean,
): ExchangeOrderState {
  const { terms, ...rest } = state;
  return recall(namesOf(state), terms !== undefined) ? state : rest;
}
