/**
 * One desk's connection to the rough exchange: events out of step, answers of lagging replicas, pages,
 * refusals that come late.
 */
import { str } from '../../../src/domain/decimal.ts';
import {
  type AmendOutcome,
  type CancelAllOutcome,
  ENDS,
  type ExchangeBalance,
  type ExchangeFill,
  type ExchangeOrder,
  type ExchangeOrderState,
  type OrderChange,
  type QueryOutcome,
  type SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import type { FormRow } from '../../../src/domain/order-form.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { OrderType } from '../../../src/schemas/order.ts';
import { FUTURES_CAPS, SPOT_CAPS } from '../../../src/venues/paper/accounts.ts';
import type { ExchangeCore } from '../../../src/venues/paper/exchange-core.ts';
import { FuturesCore } from '../../../src/venues/paper/futures/futures-core.ts';
import { isConditional } from '../../../src/venues/paper/paper-order.ts';
import type {
  FillsPage,
  FillsQuery,
  FuturesVenue,
  OrderRef,
  Venue,
  VenueSink,
} from '../../../src/venues/venue.ts';
import type { Dice } from '../dice.ts';
import { FOREVER, type SimClock } from '../sim-clock.ts';
import type { Past, RoughExchange } from './rough-exchange.ts';
import { ledgerPage, type RoughLedgerOptions } from './rough-ledger.ts';
import type { RoughPlan } from './rough-plan.ts';
import { deadManCaps, RoughSwitch } from './rough-switch.ts';
import { RoughSymbols } from './rough-symbols.ts';

type Kind = 'order' | 'fill' | 'balances' | 'positions' | 'instruments' | 'ledger' | 'stream';

/** An order that was accepted and then refused: the part of it that the exchange keeps. */
interface Refused {
  readonly taken: ExchangeOrderState;
  readonly refused: ExchangeOrderState;
  readonly at: number;
}

export class RoughLine {
  readonly #exchange: RoughExchange;
  readonly #clock: SimClock;
  readonly #dice: Dice;
  readonly #healed: () => boolean;
  readonly #struck: (name: string) => void;
  readonly #due = new Map<Kind, number>();
  readonly #refused = new Map<string, Refused>();
  readonly #symbols: RoughSymbols;
  readonly #ledger: RoughLedgerOptions;
  /** Null: the account has no dead-man switch. */
  readonly deadMan: RoughSwitch | null;
  #sink: VenueSink | null = null;
  #isDown = false;
  /** True time at which the desk last missed an event. */
  lostAt = 0;
  /**
   * True time of the last answer about all balances, all positions, and the margin types of all contracts.
   */
  readonly answeredAt = { balance: 0, position: 0, setting: 0 };

  constructor(o: {
    exchange: RoughExchange;
    clock: SimClock;
    dice: Dice;
    healed: () => boolean;
    struck: (name: string) => void;
    /** Draws the changes of its symbols. */
    symbolDice: Dice;
    /** Draws how its ledger is read. */
    ledgerDice: Dice;
    /** Draws what its dead-man switch loses; left out: `dice` does. */
    deadManDice?: Dice;
  }) {
    this.#exchange = o.exchange;
    this.#clock = o.clock;
    this.#dice = o.dice;
    this.#healed = o.healed;
    this.#struck = o.struck;
    const { instruments, plan } = o.exchange;
    const { deadManDice = o.dice } = o;
    this.deadMan = plan.deadMan ? new RoughSwitch({ ...o, plan: plan.deadMan, dice: deadManDice }) : null;
    this.#symbols = new RoughSymbols({
      instruments,
      everyMs: plan.symbolsEveryMs,
      clock: o.clock,
      dice: o.symbolDice,
      healed: o.healed,
      struck: o.struck,
      tell: (list) => this.#event('instruments', () => this.#sink?.instruments?.(list)),
    });
    const { exchange, healed, struck } = o;
    this.#ledger = { exchange, healed, struck, clock: o.clock, dice: o.ledgerDice };
    this.#listen();
  }

  isTraded(symbol: string, since: number): boolean {
    return this.#symbols.isTraded(symbol, since);
  }

  /** Ends the faults. */
  heal(): void {
    this.#symbols.heal();
  }

  /** Connects the present desk. */
  connect(sink: VenueSink): void {
    this.#sink = sink;
    // Messages that came while nobody listened are lost.
    this.lost();
    sink.stream('up');
  }

  disconnect(): void {
    this.#sink = null;
  }

  /** Reports events whether somebody listens or not. */
  #listen(): void {
    const exchange = this.#exchange;
    exchange.inner.sink = {
      order: (state) => this.#event('order', () => this.#sink?.order(exchange.state(state))),
      fill: (fill) => this.#event('fill', () => this.#sink?.fill(exchange.fill(fill, false))),
      balances: (changed) => {
        const told = this.#balances(changed);
        this.#event('balances', () => this.#sink?.balances(told));
      },
      positions: (changed) => {
        const told = this.#positions(changed);
        this.#event('positions', () => this.#sink?.positions?.(told));
      },
      ledger: () => this.#event('ledger', () => this.#sink?.ledger?.()),
      stream: (state) => {
        if (state !== 'gap') this.#isDown = state === 'down';
        this.lost();
        this.#event('stream', () => this.#sink?.stream(state));
      },
    };
    exchange.onBeside = (asset) => {
      const told = this.#besides({ at: this.#clock.now, tables: new Map(), beside: exchange.beside });
      const changed = told.filter((balance) => balance.asset === asset);
      if (!this.#isDown) this.#event('balances', () => this.#sink?.balances(changed));
    };
  }

  /** Notes that the desk misses messages. */
  lost(): void {
    this.lostAt = this.#clock.now;
  }

  /** Whether no message is on its way. */
  get isQuiet(): boolean {
    return !this.#isDown && [...this.#due.values()].every((due) => due < this.#clock.now);
  }

  get venue(): Venue {
    const { account, inner, plan } = this.#exchange;
    const isFutures = account.kind === 'futures';
    const caps = isFutures ? FUTURES_CAPS : SPOT_CAPS;
    return {
      account,
      caps: {
        forms: formsUnder(plan, caps.forms),
        idPrefix: isFutures ? 'rf' : 'ro',
        validityWindowMs: caps.validityWindowMs,
        settleMs: plan.lagMs + plan.eventDelayMs,
        ...(caps.amends ? { amends: caps.amends } : {}),
        ...(plan.triggersMakeOrders ? { triggersMakeOrders: true } : {}),
        ...(this.deadMan ? { deadMan: deadManCaps(this.deadMan.plan) } : {}),
      },
      instruments: () => this.#symbols.list,
      open: async (sink) => this.connect(sink),
      close: async () => {},
      submit: (order) => this.#submit(order),
      cancel: async (ref) => {
        const { clientId, symbol } = this.#named(ref);
        const outcome = await inner.venue.cancel({ clientId, symbol });
        if (outcome.kind !== 'done' && outcome.kind !== 'gone') return outcome;
        if (outcome.state && this.#forgets(outcome.state)) return { kind: 'gone', state: null };
        if (outcome.state)
          return { ...outcome, state: this.#exchange.state(outcome.state) } as typeof outcome;
        const late = this.#refused.get(clientId);
        return late ? { kind: 'gone', state: late.refused } : outcome;
      },
      cancelAll: (symbol) => this.#cancelAll(symbol),
      amend: (ref, change) => this.#amend(ref, change),
      query: async (ref) => this.#query(ref),
      openOrders: async () => {
        if (this.#fails()) return null;
        return this.#core()
          .openOrders()
          .map((state) => this.#exchange.state(state));
      },
      fills: async (q) => this.#fills(q),
      balances: async () => {
        if (this.#fails()) return null;
        this.answeredAt.balance = this.#clock.now;
        const behindMs = this.#behind();
        const past = this.#exchange.past(behindMs);
        const time = this.#clock.now - Math.ceil(behindMs) + plan.driftMs;
        const balances = [...this.#exchange.coreOf(past).balances(), ...this.#besides(past)];
        return balances.map((balance) => ({ ...balance, time }));
      },
      ledger: async (q) =>
        this.#fails() ? null : ledgerPage(this.#ledger, this.#exchange.past(this.#behind()), q),
      identity: async () => (this.#fails() ? null : { id: account.id }),
      feeRates: async () => ({ maker: plan.makerFee, taker: plan.takerFee }),
      ...(inner.venue.futures ? { futures: this.#futures(inner.venue.futures) } : {}),
      ...this.#switched(),
    };
  }

  /** Replicas answer requests; settings are made at once. */
  #futures(futures: FuturesVenue): FuturesVenue {
    const ask = async <T>(question: (core: FuturesCore) => T): Promise<T | null> => {
      if (this.#fails()) return null;
      const core = this.#core();
      return core instanceof FuturesCore ? question(core) : null;
    };
    return {
      positions: () =>
        ask((core) => {
          this.answeredAt.position = this.#clock.now;
          return this.#positions(core.positions());
        }),
      // The mark price that was last reported for it.
      markPrice: (symbol) => this.#exchange.toldMarks.get(symbol)?.at(-1) ?? null,
      leverage: (symbols) =>
        ask((core) => {
          this.answeredAt.setting = this.#clock.now;
          return core.leverage(symbols);
        }),
      setLeverage: (change) => futures.setLeverage(change),
      setMarginType: (symbol, marginType) => futures.setMarginType(symbol, marginType),
      marginMode: () => ask((core) => core.marginMode()),
      setMarginMode: (mode) => futures.setMarginMode(mode),
      hedgeMode: () => ask((core) => core.hedgeMode()),
      setHedgeMode: (on) => futures.setHedgeMode(on),
      brackets: (symbol) => futures.brackets(symbol),
    };
  }

  #switched(): Pick<Venue, 'deadMan'> {
    const { deadMan } = this;
    return deadMan ? { deadMan: { arm: (countdown) => deadMan.arm(countdown, () => this.#isDown) } } : {};
  }

  async #submit(order: ExchangeOrder): Promise<SubmitOutcome> {
    const { plan, inner } = this.#exchange;
    const outcome = this.#symbols.refuses(order) ?? (await inner.venue.submit(order));
    if (outcome.kind === 'accepted') return { ...outcome, state: this.#exchange.state(outcome.state) };
    // The exchange has not accepted an order that came too late.
    if (outcome.kind !== 'rejected' || outcome.reason === 'UNREACHED' || outcome.reason === 'CLOCK')
      return outcome;
    if (this.#healed() || !this.#dice.chance(plan.lateRefusal) || this.#exchange.doc(order.clientId))
      return outcome;
    this.#struck('refused after it was taken');
    const { clientId, symbol } = order;
    const { now } = this.#clock;
    const common = { clientId, symbol, origQty: order.quantity ?? '0', cumQty: '0', time: now };
    const status = isConditional(order.type) ? 'PENDING' : 'WORKING';
    const taken: ExchangeOrderState = { ...common, status, seq: 1 };
    const refused: ExchangeOrderState = {
      ...common,
      status: 'REJECTED',
      seq: 2,
      reason: outcome.reason,
      text: outcome.message,
    };
    this.#refused.set(clientId, { taken, refused, at: now });
    this.#event('order', () => this.#sink?.order(refused));
    return { kind: 'accepted', state: taken };
  }

  /** Names some of the orders that it has ended, or none; strangers' orders are among them. */
  async #cancelAll(symbol: string): Promise<CancelAllOutcome> {
    const outcome = await this.#exchange.inner.venue.cancelAll?.(symbol);
    if (!outcome) throw new Error('the exchange within has this request');
    if (outcome.kind !== 'done') return outcome;
    this.#struck('all of a symbol cancelled');
    const named = this.#healed() ? 1 : this.#exchange.plan.namesCancelled;
    const states = outcome.states.filter(() => named === 1 || this.#dice.chance(named));
    return { kind: 'done', states: states.map((state) => this.#exchange.state(state)) };
  }

  async #amend(ref: OrderRef, change: OrderChange): Promise<AmendOutcome> {
    const outcome = await this.#exchange.inner.venue.amend?.(this.#named(ref), change);
    if (!outcome) throw new Error('the exchange within has this request');
    if ((outcome.kind !== 'done' && outcome.kind !== 'gone') || outcome.state === null) return outcome;
    return { ...outcome, state: this.#exchange.state(outcome.state) };
  }

  #query(ref: OrderRef): QueryOutcome {
    if (this.#fails()) return { kind: 'unknown', cause: 'no answer' };
    const { clientId, symbol } = this.#named(ref);
    const late = this.#refused.get(clientId);
    if (late) return { kind: 'found', state: late.refused, fills: [] };
    const outcome = this.#core().query({ clientId, symbol });
    if (outcome.kind !== 'found') return outcome;
    const { state } = outcome;
    if (this.#forgets(state)) return { kind: 'absent' };
    return {
      kind: 'found',
      state: this.#exchange.state(state),
      fills: outcome.fills.map((fill) => this.#exchange.fill(fill, true)),
    };
  }

  #forgets({ status, time, clientId }: ExchangeOrderState): boolean {
    if (!ENDS.has(status) || this.#clock.now - time <= this.#exchange.plan.forgetMs) return false;
    this.#struck('ended order forgotten');
    this.#exchange.forgotten.add(clientId);
    return true;
  }

  /** Pages by the trade number within the symbol. */
  #fills({ symbol, after, since }: FillsQuery): FillsPage | null {
    if (this.#fails()) return null;
    const number = ({ tradeId }: ExchangeFill) => Number(this.#exchange.tradeId(tradeId));
    const all = this.#core()
      .fills({ symbol, from: after === null ? since - this.#exchange.plan.driftMs : 0 })
      .filter((fill) => after === null || number(fill) > Number(after))
      .sort((a, b) => number(a) - number(b));
    const fills = all.slice(0, this.#exchange.plan.page).map((fill) => this.#exchange.fill(fill, true));
    const more = all.length > fills.length;
    if (more) this.#struck('another page');
    return { fills, next: fills.at(-1)?.tradeId ?? after, more };
  }

  /** The present balances: the core does not count deposits or withdrawals as a change of the market. */
  #balances(changed: readonly ExchangeBalance[]): ExchangeBalance[] {
    const time = this.#clock.now + this.#exchange.plan.driftMs;
    return changed.map((balance) => ({ ...balance, time }));
  }

  /** Balances that the core does not keep. */
  #besides({ at, beside }: Past): ExchangeBalance[] {
    const time = at + this.#exchange.plan.driftMs;
    return [...beside].map(([asset, amount]) => ({ asset, free: str(amount), locked: '0', time }));
  }

  #positions(changed: readonly ExchangePosition[]): ExchangePosition[] {
    const { driftMs } = this.#exchange.plan;
    return changed.map((position) => ({ ...position, updateTime: position.updateTime + driftMs }));
  }

  /** Finds the order in the exchange's books, whose id is not always the reported one. */
  #named({ clientId, symbol, venueIds = [] }: OrderRef): { clientId: string; symbol: string } {
    const exchange = this.#exchange;
    if (clientId !== '' && (venueIds.length === 0 || exchange.doc(clientId) || this.#refused.has(clientId)))
      return { clientId, symbol };
    const doc = venueIds.map((id) => exchange.named(id)).find((one) => one !== undefined);
    return { clientId: doc?.clientId ?? 'nobody', symbol };
  }

  #fails(): boolean {
    return this.#exchange.inner.venue.faults.question();
  }

  #core(): ExchangeCore {
    return this.#exchange.coreOf(this.#exchange.past(this.#behind()));
  }

  #behind(): number {
    const { lagMs } = this.#exchange.plan;
    const behind = this.#healed() || lagMs === 0 ? 0 : this.#dice.between(0, lagMs);
    if (behind > 0) this.#struck('lagging answer');
    return behind;
  }

  /** Delivers an event: in order within a kind, out of step between kinds. */
  #event(kind: Kind, tell: () => void): void {
    const { eventDelayMs } = this.#exchange.plan;
    const { now } = this.#clock;
    const delay = this.#healed() || eventDelayMs === 0 ? 0 : this.#dice.between(0, eventDelayMs);
    const due = Math.max(now + delay, this.#due.get(kind) ?? 0);
    if (due === now) {
      tell();
      return;
    }
    this.#struck('late event');
    this.#due.set(kind, due);
    this.#clock.after(due - now, tell, FOREVER);
  }
}

/** The order forms that it accepts and that wait there: with stops of its own only up to a count, or none. */
function formsUnder({ nativeStops, waitingMax }: RoughPlan, forms: readonly FormRow[]): FormRow[] {
  const types = (row: FormRow, types: readonly OrderType[]): FormRow => ({ ...row, types });
  return forms.flatMap((row) => {
    if (row.form !== 'native') return [row];
    if (row.asked === 'trailing')
      return nativeStops ? [{ ...row, bounds: { waitingOnSymbol: waitingMax } }] : [];
    if (row.asked !== 'type') return [row];
    const all = row.types ?? [];
    const stops = all.filter((type) => isConditional(type));
    const others = types(
      row,
      all.filter((type) => !isConditional(type)),
    );
    return nativeStops
      ? [others, { ...types(row, stops), bounds: { waitingOnSymbol: waitingMax } }]
      : [others];
  });
}
