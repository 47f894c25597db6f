/**
 * An exchange account that lets through only readable reports. An unreadable event is left out and counts as
 * a gap; an unreadable answer counts as missing. Reports about symbols whose name is not possible here are
 * left out, the rest counts. Each is logged, but many of them do not make as many lines.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { Cancelable, Clock, Now } from '../../domain/clock.ts';
import type {
  AmendOutcome,
  CancelAllOutcome,
  CancelOutcome,
  ExchangeBalance,
  ExchangeOrder,
  ExchangeOrderState,
  FeeRates,
  OrderChange,
  QueryOutcome,
  SubmitOutcome,
} from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import type { Lane } from '../../domain/lane.ts';
import type { Permissions } from '../../domain/permissions.ts';
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
} from '../../venues/venue.ts';
import {
  clipped,
  decodeAll,
  decodeBalance,
  decodeEntry,
  decodeFees,
  decodeFill,
  decodeIdentity,
  decodeInstrument,
  decodeLeverage,
  decodePermissions,
  decodePosition,
  decodeState,
  type Unreadable,
} from './decode.ts';

export interface ReadableOptions {
  readonly clock: Clock;
  readonly report: (level: 'warn', text: string) => void;
  /** The instruments that the account is known to have traded, before the start too; left out: none. */
  readonly known?: () => Iterable<Instrument>;
}

/**
 * Unreadable events lead to at most one gap within this time; answers of the comparison that follows lead to
 * none.
 */
export const GAP_EVERY_MS = 60_000;
/** A field is named in the log once within this time. */
export const SAY_EVERY_MS = 60_000;
/** Most characters of a cursor. */
const CURSOR_MAX = 256;
/** Most rows of one page of a ledger, however many were asked for. */
const LEDGER_ROWS_MAX = 10_000;
/** Most orders that one answer names. */
const ORDERS_MAX = 10_000;
/** Most instruments of an account. */
const INSTRUMENTS_MAX = 5_000;
/** Most fields that are remembered as logged; beyond it the oldest is forgotten. */
const SAID_MAX = 100;

export class ReadableVenue implements Venue {
  readonly account: Venue['account'];
  readonly caps: Venue['caps'];
  readonly futures?: FuturesVenue;
  readonly conversion?: DustVenue;
  readonly ledger?: Required<Venue>['ledger'];
  readonly cancelAll?: Required<Venue>['cancelAll'];
  readonly amend?: Required<Venue>['amend'];
  readonly deadMan?: Required<Venue>['deadMan'];
  /** How often something could not be read; names that are not possible here do not count. */
  unreadable = 0;
  readonly #venue: Venue;
  readonly #options: ReadableOptions;
  #sink: VenueSink | null = null;
  #instruments: { readonly raw: readonly Instrument[]; readonly good: readonly Instrument[] } = NONE;
  /** Runs after a gap because of something unreadable; null: there was none lately. */
  #pause: Cancelable | null = null;
  #again = false;
  /** Field -> when it was logged, and how often it was unreadable since. */
  readonly #said = new Map<string, { at: number; more: number }>();

  constructor(venue: Venue, options: ReadableOptions) {
    this.#venue = venue;
    this.#options = options;
    this.account = venue.account;
    this.caps = venue.caps;
    if (venue.futures) this.futures = this.#futuresOf(venue.futures);
    if (venue.conversion) this.conversion = venue.conversion;
    if (venue.ledger) this.ledger = (q) => this.#ledger(q);
    if (venue.cancelAll) this.cancelAll = (symbol, deadline) => this.#cancelAll(symbol, deadline);
    if (venue.deadMan) this.deadMan = this.#deadManOf(venue.deadMan);
    if (venue.amend) this.amend = (ref, change, deadline) => this.#amend(ref, change, deadline);
  }

  open(sink: VenueSink): Promise<void> {
    this.#sink = sink;
    return this.#venue.open({
      order: (raw) => {
        const decoded = decodeState(raw);
        if (decoded.ok) sink.order(decoded.value);
        else this.#missed(decoded);
      },
      fill: (raw) => {
        const decoded = decodeFill(raw);
        if (decoded.ok) sink.fill(decoded.value);
        else this.#missed(decoded);
      },
      balances: (changed) => {
        const { good, bad, alien } = decodeAll(changed, decodeBalance);
        sink.balances(good);
        if (alien) this.#say(alien);
        if (bad) this.#missed(bad);
      },
      positions: (changed) => {
        const { good, bad, alien } = decodeAll(changed, decodePosition);
        sink.positions?.(good);
        if (alien) this.#say(alien);
        if (bad) this.#missed(bad);
      },
      instruments: (list) => {
        const before = this.#instruments.good;
        const now = this.#read(list);
        if (now !== before) sink.instruments?.(now);
      },
      ledger: () => sink.ledger?.(),
      stream: (state) => sink.stream(state),
    });
  }

  close(): Promise<void> {
    this.#pause?.cancel();
    this.#pause = null;
    this.#sink = null;
    return this.#venue.close();
  }

  /** Asks for the list of what is traded again, where the exchange does not tell each change by itself. */
  relist(): void {
    this.#venue.relist?.();
  }

  /** Returns the instruments that can be read; the same list as before is not read again. */
  instruments(): readonly Instrument[] {
    return this.#read(this.#venue.instruments());
  }

  /**
   * Reads a list of instruments. A list that is too long is not used; for an unreadable entry the one that
   * was read before stays.
   */
  #read(list: readonly Instrument[]): readonly Instrument[] {
    const { raw, good: before } = this.#instruments;
    if (list === raw) return before;
    if (!Array.isArray(list) || list.length > INSTRUMENTS_MAX) {
      this.#say({ field: 'instruments', value: Array.isArray(list) ? `a list of ${list.length}` : list });
      this.#instruments = { raw: list, good: before };
      return before;
    }
    const known = new Map([...(this.#options.known?.() ?? []), ...before].map((one) => [one.symbol, one]));
    const good: Instrument[] = [];
    let bad: Unreadable | null = null;
    for (const one of list) {
      const decoded = decodeInstrument(one);
      const kept = decoded.ok ? decoded.value : known.get((one as Partial<Instrument> | null)?.symbol ?? '');
      if (kept) good.push(kept);
      if (!decoded.ok) bad ??= decoded;
    }
    if (bad) this.#say(bad);
    // The instrument still exists, and nothing is sent for it until it can be read.
    const read = new Set(good.map(({ symbol }) => symbol));
    for (const symbol of new Set(this.#venue.unreadSymbols?.().slice(0, INSTRUMENTS_MAX))) {
      const kept = known.get(symbol);
      if (kept && !kept.delisted && !read.has(symbol)) good.push({ ...kept, halt: 'halted' });
    }
    this.#instruments = { raw: list, good };
    return good;
  }

  canSend(lane: Lane, symbol: string): { readonly retryAfterMs: number } | null {
    return this.#venue.canSend?.(lane, symbol) ?? null;
  }

  async submit(order: ExchangeOrder, dispatch?: Dispatch): Promise<SubmitOutcome> {
    const outcome = await this.#venue.submit(order, dispatch);
    if (outcome.kind !== 'accepted') return outcome;
    const state = this.#stateOf(outcome.state);
    return state ? { ...outcome, state } : UNREAD;
  }

  async cancel(ref: OrderRef, dispatch?: Dispatch): Promise<CancelOutcome> {
    const outcome = await this.#venue.cancel(ref, dispatch);
    if (outcome.kind !== 'done' && outcome.kind !== 'gone') return outcome;
    if (outcome.state === null) return outcome;
    const state = this.#stateOf(outcome.state);
    return state ? { ...outcome, state } : UNREAD;
  }

  /**
   * Cancels all orders of a symbol. Orders whose outcome is unreadable are asked about, like those the answer
   * does not name.
   */
  async #cancelAll(symbol: string, dispatch?: Dispatch): Promise<CancelAllOutcome> {
    const outcome = (await this.#venue.cancelAll?.(symbol, dispatch)) ?? UNREAD;
    if (outcome.kind !== 'done') return outcome;
    if (Array.isArray(outcome.states) && outcome.states.length <= ORDERS_MAX)
      return { ...outcome, states: this.#listOf(outcome.states, decodeState).good };
    this.#say({ field: 'cancelAll.states', value: outcome.states });
    return UNREAD;
  }

  async #amend(ref: OrderRef, change: OrderChange, dispatch?: Dispatch): Promise<AmendOutcome> {
    const outcome = (await this.#venue.amend?.(ref, change, dispatch)) ?? UNREAD;
    if (outcome.kind !== 'done' && outcome.kind !== 'gone') return outcome;
    if (outcome.state === null) return outcome;
    const state = this.#stateOf(outcome.state);
    return state ? { ...outcome, state } : UNREAD;
  }

  async query(ref: OrderRef): Promise<QueryOutcome> {
    const outcome = await this.#venue.query(ref);
    if (outcome.kind !== 'found') return outcome;
    const state = this.#stateOf(outcome.state);
    const fills = this.#listOf(outcome.fills, decodeFill);
    return state && fills.whole ? { ...outcome, state, fills: fills.good } : UNREAD;
  }

  /** Returns all of our orders or null: an order that is left out would be taken for one that is gone. */
  async openOrders(): Promise<readonly ExchangeOrderState[] | null> {
    return this.#wholeOf(await this.#venue.openOrders(), decodeState);
  }

  /** Returns the executions that can be read. */
  async fills(q: FillsQuery): Promise<FillsPage | null> {
    const page = await this.#venue.fills(q);
    if (!page) return null;
    const { next } = page;
    if (!this.#isPlace('fills.next', next)) return null;
    return { fills: this.#listOf(page.fills, decodeFill).good, next, more: page.more === true };
  }

  /** Returns the rows that can be read; a row that is left out shows as a difference in the sums. */
  async #ledger(q: LedgerQuery): Promise<LedgerPage | null> {
    const page = await this.#venue.ledger?.(q);
    if (!page) return null;
    const { rows, next } = page;
    if (!this.#isPlace('ledger.next', next)) return null;
    if (!Array.isArray(rows) || rows.length > LEDGER_ROWS_MAX) {
      this.#say({ field: 'ledger.rows', value: Array.isArray(rows) ? `a list of ${rows.length}` : rows });
      return null;
    }
    // Only symbols that are traded here are used, as hints of what may have been traded.
    const traded = Array.isArray(page.traded) ? page.traded.slice(0, LEDGER_ROWS_MAX) : [];
    return {
      rows: this.#listOf(rows, decodeEntry).good,
      next,
      more: page.more === true,
      ...(traded.length > 0 ? { traded } : {}),
    };
  }

  /** Whether this is a cursor in a list of the exchange, or null. */
  #isPlace(field: string, next: unknown): next is string | null {
    if (next === null || (typeof next === 'string' && next.length <= CURSOR_MAX)) return true;
    this.#say({ field, value: next });
    return false;
  }

  /** Returns the balances that can be read: one odd asset must not hide the others. */
  async balances(): Promise<readonly ExchangeBalance[] | null> {
    const list = await this.#venue.balances();
    return list && this.#listOf(list, decodeBalance).good;
  }

  /** Returns the fee rates; null also where they cannot be read. */
  async feeRates(): Promise<FeeRates | null> {
    const raw = (await this.#venue.feeRates?.()) ?? null;
    if (raw === null) return null;
    const decoded = decodeFees(raw);
    if (decoded.ok) return decoded.value;
    this.#say(decoded);
    return null;
  }

  /** Returns the permissions; null also where they cannot be read. */
  async permissions(): Promise<Permissions | null> {
    const raw = (await this.#venue.permissions?.()) ?? null;
    if (raw === null) return null;
    const decoded = decodePermissions(raw);
    if (decoded.ok) return decoded.value;
    this.#say(decoded);
    return null;
  }

  /** Returns the identity; null also where it cannot be read. */
  async identity(): Promise<AccountIdentity | null> {
    const raw = (await this.#venue.identity?.()) ?? null;
    if (raw === null) return null;
    const decoded = decodeIdentity(raw);
    if (decoded.ok) return decoded.value;
    this.#say(decoded);
    return null;
  }

  /** Whether the exchange can say which account this is. */
  get tellsIdentity(): boolean {
    return this.#venue.identity !== undefined;
  }

  /** Whether the exchange can say what the account's key may do. */
  get tellsPermissions(): boolean {
    return this.#venue.permissions !== undefined;
  }

  /** Whether the exchange can say which fees the account pays. */
  get tellsFees(): boolean {
    return this.#venue.feeRates !== undefined;
  }

  health(): VenueHealth {
    return this.#venue.health?.() ?? { clockOffsetMs: null, budgets: [] };
  }

  /**
   * Returns what the exchange's clock shows now, Unix ms: market time where it was not measured, and on paper. Market time
   * does not go back with a wall clock that is set back, so it is no base for a measured clock.
   */
  timeAt({ wall, market }: Pick<Now, 'wall' | 'market'>): number {
    const { clockOffsetMs } = this.health();
    const isMeasured = clockOffsetMs !== null && !this.caps.ownOrdersOnly;
    return isMeasured ? wall + clockOffsetMs : market;
  }

  #futuresOf(futures: FuturesVenue): FuturesVenue {
    return {
      // All of our positions or null: a position that is left out would be taken for flat.
      positions: async () => this.#wholeOf(await futures.positions(), decodePosition),
      leverage: async (symbols) => this.#wholeOf(await futures.leverage(symbols), decodeLeverage),
      markPrice: (symbol) => futures.markPrice(symbol),
      setLeverage: (change) => futures.setLeverage(change),
      setMarginType: (symbol, marginType) => futures.setMarginType(symbol, marginType),
      marginMode: () => futures.marginMode(),
      setMarginMode: (mode) => futures.setMarginMode(mode),
      hedgeMode: async () => {
        const on: unknown = await futures.hedgeMode();
        if (typeof on === 'boolean' || on === null) return on;
        this.#say({ field: 'hedgeMode', value: on });
        return null;
      },
      setHedgeMode: (on) => futures.setHedgeMode(on),
      brackets: (symbol) => futures.brackets(symbol),
    };
  }

  #deadManOf({ arm, offered }: Required<Venue>['deadMan']): Required<Venue>['deadMan'] {
    const ask = async () => {
      const offer = (await offered?.()) ?? null;
      const isRead = offer === null || (typeof offer.on === 'boolean' && isSeconds(offer.seconds));
      if (!isRead) this.#say({ field: 'deadMan.offered', value: offer });
      return isRead ? offer : null;
    };
    return { ...(arm ? { arm } : {}), ...(offered ? { offered: ask } : {}) };
  }

  #stateOf(raw: ExchangeOrderState): ExchangeOrderState | null {
    const decoded = decodeState(raw);
    if (decoded.ok) return decoded.value;
    this.#say(decoded);
    return null;
  }

  #listOf<T>(list: readonly T[], decode: Parameters<typeof decodeAll<T>>[1]): { good: T[]; whole: boolean } {
    const { good, bad, alien } = decodeAll(list, decode);
    if (alien) this.#say(alien);
    if (bad) this.#say(bad);
    return { good, whole: bad === null };
  }

  #wholeOf<T>(list: readonly T[] | null, decode: Parameters<typeof decodeAll<T>>[1]): T[] | null {
    if (list === null) return null;
    const { good, whole } = this.#listOf(list, decode);
    return whole ? good : null;
  }

  /**
   * Handles a lost event: a comparison finds out what it would have reported. An event about a name that is
   * not possible here is no loss.
   */
  #missed(unreadable: Unreadable): void {
    this.#say(unreadable);
    if (unreadable.alien) return;
    if (this.#pause) this.#again = true;
    else this.#gap();
  }

  #gap(): void {
    this.#again = false;
    this.#pause = this.#options.clock.after(GAP_EVERY_MS, () => {
      this.#pause = null;
      if (this.#again) this.#gap();
    });
    this.#sink?.stream('gap');
  }

  #say({ field, value, alien }: Unreadable): void {
    if (!alien) this.unreadable += 1;
    const now = this.#options.clock.monotonic();
    const said = this.#said.get(field);
    if (said && now - said.at < SAY_EVERY_MS) {
      said.more += 1;
      return;
    }
    const before = said && said.more > 0 ? ` (and ${said.more} times before)` : '';
    this.#said.delete(field);
    this.#said.set(field, { at: now, more: 0 });
    for (const oldest of this.#said.keys()) {
      if (this.#said.size <= SAID_MAX) break;
      this.#said.delete(oldest);
    }
    const why = alien ? 'which is no name of a market or asset here' : 'which cannot be read';
    const text = `${this.account.id}: ${field} is ${clipped(value)}, ${why}${before}; it was left out`;
    this.#options.report('warn', text);
  }
}

function isSeconds(value: unknown): boolean {
  return value === null || (Number.isFinite(value) && (value as number) >= 0);
}

const NONE = { raw: [], good: [] };

const UNREAD = { kind: 'unknown', cause: 'the answer of the exchange could not be read' } as const;
