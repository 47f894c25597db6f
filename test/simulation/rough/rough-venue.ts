/** One desk's way to the rough exchange: events out of step, answers of lagging replicas, pages, refusals that come late. */
import {
  ENDS,
  type ExchangeBalance,
  type ExchangeOrder,
  type ExchangeOrderState,
  type QueryOutcome,
  type SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import { SPOT_CAPS } from '../../../src/venues/paper/accounts.ts';
import type { PaperCore } from '../../../src/venues/paper/core.ts';
import type { FillsPage, FillsQuery, OrderRef, Venue, VenueSink } from '../../../src/venues/venue.ts';
import type { Dice } from '../dice.ts';
import { FOREVER, type SimClock } from '../sim-clock.ts';
import type { RoughExchange } from './rough-exchange.ts';

type Kind = 'order' | 'fill' | 'balances' | 'stream';

/** An order that was taken and then refused: its exchange keeps that much of it. */
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
  readonly #sent: (order: ExchangeOrder) => void;
  readonly #due = new Map<Kind, number>();
  readonly #refused = new Map<string, Refused>();
  #sink: VenueSink | null = null;

  constructor(o: {
    exchange: RoughExchange;
    clock: SimClock;
    dice: Dice;
    healed: () => boolean;
    struck: (name: string) => void;
    /** An order has left the desk. */
    sent: (order: ExchangeOrder) => void;
  }) {
    this.#exchange = o.exchange;
    this.#clock = o.clock;
    this.#dice = o.dice;
    this.#healed = o.healed;
    this.#struck = o.struck;
    this.#sent = o.sent;
  }

  /** The desk that lives now listens. */
  connect(sink: VenueSink): void {
    const exchange = this.#exchange;
    exchange.inner.sink = {
      order: (state) => this.#event('order', () => this.#sink?.order(exchange.state(state))),
      fill: (fill) => this.#event('fill', () => this.#sink?.fill(exchange.fill(fill))),
      balances: (changed) => this.#event('balances', () => this.#sink?.balances(this.#balances(changed))),
      stream: (state) => this.#event('stream', () => this.#sink?.stream(state)),
    };
    this.#sink = sink;
    sink.stream('up');
  }

  disconnect(): void {
    this.#sink = null;
    this.#exchange.inner.sink = null;
  }

  get venue(): Venue {
    const { account, instruments, inner, plan } = this.#exchange;
    return {
      account,
      caps: {
        nativeTypes: plan.nativeStops ? SPOT_CAPS.nativeTypes : ['LIMIT', 'MARKET', 'LIMIT_MAKER'],
        ...{ gtd: false, trailing: false, iceberg: true, idPrefix: 'ro' },
        validityWindowMs: SPOT_CAPS.validityWindowMs,
        settleMs: plan.lagMs + plan.eventDelayMs,
        ...(plan.triggersMakeOrders ? { triggersMakeOrders: true } : {}),
      },
      instruments: () => instruments,
      open: async (sink) => this.connect(sink),
      close: async () => {},
      submit: (order) => this.#submit(order),
      cancel: async (ref) => {
        const { clientId, symbol } = this.#named(ref);
        const outcome = await inner.venue.cancel({ clientId, symbol });
        if (outcome.kind !== 'done' && outcome.kind !== 'gone') return outcome;
        if (outcome.state)
          return { ...outcome, state: this.#exchange.state(outcome.state) } as typeof outcome;
        const late = this.#refused.get(clientId);
        return late ? { kind: 'gone', state: late.refused } : outcome;
      },
      query: async (ref) => this.#query(ref),
      openOrders: async () => {
        if (this.#fails()) return null;
        return this.#replica()
          .openOrders()
          .map((state) => this.#exchange.state(state));
      },
      fills: async (q) => this.#fills(q),
      balances: async () => {
        if (this.#fails()) return null;
        const behindMs = this.#behind();
        const time = this.#clock.now - Math.ceil(behindMs) + plan.driftMs;
        return this.#exchange
          .replica(behindMs)
          .balances()
          .map((balance) => ({ ...balance, time }));
      },
    };
  }

  async #submit(order: ExchangeOrder): Promise<SubmitOutcome> {
    const { plan, inner } = this.#exchange;
    this.#sent(order);
    const outcome = await inner.venue.submit(order);
    if (outcome.kind === 'accepted') return { ...outcome, state: this.#exchange.state(outcome.state) };
    if (outcome.kind !== 'rejected' || outcome.reason === 'UNREACHED') return outcome;
    if (this.#healed() || !this.#dice.chance(plan.lateRefusal) || this.#exchange.doc(order.clientId))
      return outcome;
    this.#struck('refused after it was taken');
    const { clientId, symbol } = order;
    const { now } = this.#clock;
    const common = { clientId, symbol, origQty: order.quantity ?? '0', cumQty: '0', time: now };
    const status = order.stopPrice === undefined ? 'WORKING' : 'PENDING';
    const taken: ExchangeOrderState = { ...common, status, seq: 1 };
    const refused: ExchangeOrderState = {
      ...{ ...common, status: 'REJECTED', seq: 2, reason: outcome.reason, text: outcome.message },
    };
    this.#refused.set(clientId, { taken, refused, at: now });
    this.#event('order', () => this.#sink?.order(refused));
    return { kind: 'accepted', state: taken };
  }

  #query(ref: OrderRef): QueryOutcome {
    if (this.#fails()) return { kind: 'unknown', cause: 'no answer' };
    const { clientId, symbol } = this.#named(ref);
    const late = this.#refused.get(clientId);
    if (late) return { kind: 'found', state: late.refused, fills: [] };
    const outcome = this.#replica().query({ clientId, symbol });
    if (outcome.kind !== 'found') return outcome;
    const { state } = outcome;
    if (ENDS.has(state.status) && this.#clock.now - state.time > this.#exchange.plan.forgetMs) {
      this.#struck('ended order forgotten');
      return { kind: 'absent' };
    }
    return {
      kind: 'found',
      state: this.#exchange.state(state),
      fills: outcome.fills.map((fill) => this.#exchange.fill(fill)),
    };
  }

  /** Pages by the number of the trade within its symbol. */
  #fills({ symbol, after, since }: FillsQuery): FillsPage | null {
    if (this.#fails()) return null;
    const all = this.#replica()
      .fills({ symbol, from: after === null ? since - this.#exchange.plan.driftMs : 0 })
      .map((fill) => this.#exchange.fill(fill))
      .filter(({ tradeId }) => after === null || Number(tradeId) > Number(after))
      .sort((a, b) => Number(a.tradeId) - Number(b.tradeId));
    const fills = all.slice(0, this.#exchange.plan.page);
    const more = all.length > fills.length;
    if (more) this.#struck('another page');
    return { fills, next: fills.at(-1)?.tradeId ?? after, more };
  }

  #balances(changed: readonly ExchangeBalance[]): ExchangeBalance[] {
    const { plan } = this.#exchange;
    return changed.map(({ time, ...balance }) => ({
      ...balance,
      ...(time === undefined ? {} : { time: time + plan.driftMs }),
    }));
  }

  #named({ clientId, symbol, venueIds = [] }: OrderRef): { clientId: string; symbol: string } {
    if (clientId !== '') return { clientId, symbol };
    const doc = venueIds.map((id) => this.#exchange.named(id)).find((one) => one !== undefined);
    return { clientId: doc?.clientId ?? 'nobody', symbol };
  }

  #fails(): boolean {
    return this.#exchange.inner.venue.faults.question();
  }

  #replica(): PaperCore {
    return this.#exchange.replica(this.#behind());
  }

  #behind(): number {
    const { lagMs } = this.#exchange.plan;
    const behind = this.#healed() || lagMs === 0 ? 0 : this.#dice.between(0, lagMs);
    if (behind > 0) this.#struck('lagging answer');
    return behind;
  }

  /** In their order within a kind, out of step between kinds. */
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
