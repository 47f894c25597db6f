/**
 * The comparison of one exchange account with what the desk knows of it: after a start, a gap, a doubt, and
 * regularly. Open orders, executions, balances, positions, settings and the ledger are asked for; each answer
 * is an engine input. A failed question proves nothing and is asked again.
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
import { BalanceDoubt } from './balance-doubt.ts';
import { type Compared, Comparer } from './comparer.ts';
import { FillsReader } from './fills-reader.ts';
import { LedgerReader } from './ledger-reader.ts';
import { NamedTrades } from './named-trades.ts';
import type { ReadableVenue } from './readable-venue.ts';
import { ReportLog } from './report-log.ts';
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
  /** One input from what the exchange has reported. */
  readonly step: (event: EngineEvent) => void;
  /** Whether a row of the account's ledger is stored; throws where that cannot be read. */
  readonly inLedger: (id: string) => boolean;
  /** The link is up: events of the account arrive. */
  readonly isUp: () => boolean;
  /** The account has been connected. */
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
  private readonly heardLog: ReportLog;
  /** Null: the exchange has no ledger. */
  private readonly ledger: LedgerReader | null;
  private readonly doubt: BalanceDoubt;
  private readonly namedTrades: NamedTrades;
  /** How many gaps there were; and up to which of them everything has been compared. */
  private gaps = 1;
  private compared = 0;
  /** Monotonic time since when no event may have been missed. */
  private missedAt: number;
  /** Callbacks of entries that wait for the end of the gap. */
  private readonly waiting = new Set<() => void>();
  /** Callbacks that end the open questions of a comparison. */
  private readonly asking = new Set<() => void>();
  private closed = false;

  constructor(options: ReconciliationOptions) {
    this.options = options;
    const { venue, turn, clock } = options;
    const exchange = venue.account.id;
    this.exchange = exchange;
    this.heardLog = new ReportLog(this.lagMs);
    this.missedAt = clock.monotonic();
    this.fills = new FillsReader({
      exchange,
      meta: options.meta,
      ask: (q) => this.ask(() => venue.fills(q)),
      take: (fill) => {
        const isRead = options.recall(namesOf(fill), true);
        if (isRead) options.step({ type: 'venue.fill', exchange, fill, asked: true });
        // An execution that waits in memory is not stored: a start must read again from before it.
        return isRead && !isParked(turn.engine.memory, exchange, fill);
      },
      keep: (row) => {
        turn.keep(row);
        // What others execute from now on would be missed for good if a crash lost the time of the first
        // connection.
        turn.commitSoon();
      },
      stored: (rows, then) => {
        turn.store(rows, false);
        // If they were not stored, the next comparison asks again.
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
    this.doubt = new BalanceDoubt({ clock, turn, exchange, ask, compare: () => this.again() });
  }

  /** Events may be missing, and the account has not been compared as a whole since. */
  get hasGap(): boolean {
    return this.compared < this.gaps;
  }

  /**
   * Compares the account: open orders first, then the exchange's own fills, then balances and positions;
   * fills of orders that differ come with the questions that follow. A failed question proves nothing.
   */
  reconcile(): Promise<void> {
    // The account is compared as soon as it is open.
    if (!this.options.isOpen()) return Promise.resolve();
    return this.comparer.now();
  }

  /**
   * Handles a gap: events may be missing, and until the account has been compared, its entries wait. Pending
   * requests go out before the questions.
   */
  async gap(): Promise<void> {
    const { turn } = this.options;
    this.missed();
    turn.begin(this.exchange);
    try {
      await turn.read(() => {});
    } catch {
      // It could not be stored, and the handler of the failed commit has been told.
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

  /** Returns what reads of trades ask the exchange with (S64). */
  tradesReader(): TradesReader {
    const { clock, venue, isOpen, isUp } = this.options;
    return new TradesReader({
      clock,
      fills: this.fills,
      ask: (q) => this.ask(() => venue.fills(q)),
      isUp: () => isOpen() && isUp(),
    });
  }

  /** Releases everybody who waits for the end of a gap. */
  goOn(): void {
    for (const goOn of [...this.waiting]) goOn();
  }

  /** Notes that events may have been missed from now on. */
  missed(): void {
    this.gaps += 1;
    this.comparer.anew();
    this.missedAt = this.options.clock.monotonic();
    this.tell();
  }

  /** Tells the engine whether the link is up and whether something of the account may be unknown. */
  tell(): void {
    this.options.turn.step({
      type: 'link',
      exchange: this.exchange,
      up: this.options.isUp(),
      gap: this.hasGap,
    });
  }

  /** Called when something was reported: asks about what is in doubt because of it. */
  heard(): void {
    this.heardLog.note(this.options.clock.monotonic(), this.memory.wallet.versions.heard);
    this.doubt.look();
  }

  /** Asks for another comparison soon. */
  again(): void {
    this.comparer.again();
  }

  /** Notes symbols that the wallet's ledger says were traded, perhaps on this account. */
  named(symbols: readonly string[]): void {
    this.fills.named(symbols);
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

  /** Returns the number by which answers to questions asked now are ordered. */
  private askedAt(): number {
    return this.heardLog.asked(this.options.clock.monotonic(), this.memory.wallet.versions.heard);
  }

  /** What the engine knows of the account; its `versions` order an answer against events (S58). */
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
    // A replica may not know yet what was missed: then the account is compared once more when no replica can
    // lag that far.
    const mayLag = clock.monotonic() < this.missedAt + this.lagMs;
    try {
      // How bots react to an order or a fill is checked against what is held now, so balances come first
      // (R10).
      const held = await this.readHeld();
      const listedAt = clock.monotonic();
      const open = await this.ask(() => venue.openOrders());
      // An order that ended here long ago may be among them.
      const states = open?.map((state) => recalled(state, this.options.recall));
      if (states) step({ type: 'reconciled', exchange, open: states, askedAt: listedAt });
      const fills = await this.readFills();
      // What could not be read is logged and stays as it was; asking again would bring the same.
      const answered = open !== null && fills && held;
      if (this.closed) return false;
      // Nobody can say whether the balances include a fill that was found just now: an answer from now on
      // includes it.
      if (answered && this.memory.wallet.untold.hasDoubt) await this.readHeld();
      if (answered) turn.step({ type: 'compared', exchange });
      this.reconciled = { at: clock.wall(), whole: answered && venue.unreadable === unreadable };
      if (answered && this.hasGap) {
        this.compared = gaps;
        this.tell();
        if (!this.hasGap) this.goOn();
      }
      changed();
      // An event since the question is no gap; but the answer may have been newer than it, or may not include
      // it.
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

  /** Called when the account's ledger has more entries than are known. */
  ledgerMoved(): void {
    const { turn } = this.options;
    if (!this.ledger || this.closed) return;
    turn.begin(this.exchange);
    void this.readLedger().then((whole) => {
      turn.end(this.exchange);
      if (!whole) this.again();
    });
  }

  /** Reads the ledger. False: not all of it is known. */
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
      now: () => venue.timeAt(turn.now()),
      isStored: inLedger,
      step: (event) => turn.step(event),
      stored: () => turn.read(() => {}),
      failed: (error) => report('error', `${this.exchange}: its ledger could not be read: ${String(error)}`),
      // Accounts that share a wallet: one of them has read its ledger, and each may have been traded on.
      traded: (symbols) => {
        for (const { account, moved, instruments } of this.memory.wallet.accounts) {
          const traded = symbols.filter((symbol) => instruments.has(symbol));
          for (const symbol of traded) moved.symbols.add(symbol);
          if (traded.length > 0) this.options.named?.(account.id, traded);
        }
      },
    });
  }

  /** Reads balances, and for futures the settings and positions; false: a question failed. */
  private async readHeld(): Promise<boolean> {
    const { venue, step } = this.options;
    const { exchange } = this;
    const askedAt = this.askedAt();
    const changed = await this.ask(() => venue.balances());
    if (changed) step({ type: 'venue.balances', exchange, changed, all: true, askedAt });
    return (await this.readFutures()) && changed !== null;
  }

  /**
   * Reads executions that no event has reported, for symbols that were traded here or have moved. False: not
   * all are known.
   */
  private async readFills(): Promise<boolean> {
    // Each execution belongs to an order that is asked about by itself.
    if (this.options.venue.caps.ownOrdersOnly && !this.options.venue.futures) return true;
    const symbols = activeSymbols(this.options.turn.engine.memory, this.exchange);
    // What was traded while the desk was down has not marked its symbol as moved.
    const known = this.reconciled?.whole ? [] : this.fills.known;
    const whole = await this.fills.read([...symbols, ...known]);
    // What could not be read stays marked for the next time.
    if (!whole) return false;
    this.memory.moved.assets.clear();
    this.memory.moved.symbols.clear();
    return true;
  }

  /**
   * Reads executions of symbols that the ledger names. False: not all are known. What has moved stays for the
   * next comparison.
   */
  private async readNamed(symbols: readonly string[]): Promise<boolean> {
    const { turn } = this.options;
    turn.begin(this.exchange);
    try {
      return await this.fills.read(symbols);
    } finally {
      turn.end(this.exchange);
    }
  }

  /** Reads hedge mode, leverage and positions; false: a question failed. */
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

  /** Returns the contracts that are traded, and delisted ones in which something is open. */
  private usedContracts(): string[] {
    const { instruments, futures } = this.memory;
    const positions = [...(futures?.positions.values() ?? [])].map(({ symbol }) => symbol);
    const used = new Set([...positions, ...(futures?.open.keys() ?? [])]);
    return [...instruments.values()].flatMap(({ symbol, delisted }) =>
      delisted && !used.has(symbol) ? [] : [symbol],
    );
  }

  /** Asks one question, bounded in time; null when it failed, which proves nothing. */
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

/**
 * Returns the state without its terms if its order could not be read: it must not be taken for a foreign
 * order.
 */
export function recalled(
  state: ExchangeOrderState,
  recall: (names: OrderNames, makes: boolean) => boolean,
): ExchangeOrderState {
  const { terms, ...rest } = state;
  return recall(namesOf(state), terms !== undefined) ? state : rest;
}
