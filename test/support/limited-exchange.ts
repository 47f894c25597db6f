/**
 * The rate limits of an exchange like Binance, and the desk's way to it through lanes (`src/venues/kit/`):
 * orders within 10 s for an account, weight within a minute for an address, both by the exchange's clock, and
 * a ban of the address. Requests beyond a limit are refused and counted. The exchange lives on when a desk
 * ends; each desk has its own lanes.
 */
import type { Clock } from '../../src/domain/clock.ts';
import type { SubmitOutcome } from '../../src/domain/exchange.ts';
import { Addresses, type LaneClient } from '../../src/venues/kit/addresses.ts';
import type { BudgetRow, Cost } from '../../src/venues/kit/budget.ts';
import {
  askPaced,
  cancelPaced,
  canSendPaced,
  type Leaving,
  type Refused,
  renewPaced,
  submitPaced,
} from '../../src/venues/kit/paced.ts';
import type { Deadline, DeadManVenue, Dispatch, Venue } from '../../src/venues/venue.ts';

export interface Limits {
  readonly orders: number;
  readonly ordersMs: number;
  readonly weight: number;
  readonly weightMs: number;
}

export const LIMITS: Limits = { orders: 50, ordersMs: 10_000, weight: 1_200, weightMs: 60_000 };

/** Weights as on Binance spot: successful orders and cancels cost none. */
const WEIGHTS = {
  query: 4,
  openOrders: 6,
  fills: 20,
  balances: 20,
  ledger: 10,
  counts: 40,
  other: 5,
  renewal: 10,
};

type What = 'order' | 'cancel' | 'read';

interface Told {
  readonly ordersUsed: number;
  readonly weightUsed: number;
}

type Answer = (
  | { readonly ok: true }
  | { readonly ok: false; readonly code: 429 | 418 | -1015; readonly retryAfterMs: number }
) &
  Told;

/** The exchange's counters and refusals. */
export class ExchangeLimits {
  readonly limits: Limits;
  /** Refusals so far, by code. */
  readonly refused = { '429': 0, '418': 0, '-1015': 0 };
  /** Accepted orders: the exchange's time of each. */
  readonly orders: number[] = [];
  readonly #time: () => number;
  readonly #used = new Map<string, number>();
  #bannedUntil = 0;

  /** `time`: the exchange's clock, Unix ms. */
  constructor(limits: Limits, time: () => number) {
    this.limits = limits;
    this.#time = time;
  }

  get time(): number {
    return this.#time();
  }

  ban(ms: number): void {
    this.#bannedUntil = this.#time() + ms;
  }

  /** Adds usage by other clients of the same account and address. */
  others(orders: number, weight = 0): void {
    this.#add('orders', this.limits.ordersMs, orders);
    this.#add('weight', this.limits.weightMs, weight);
  }

  /** Counts one arriving request; accepts or refuses it. */
  take(what: What, weight: number): Answer {
    const now = this.#time();
    const { limits } = this;
    const told = () => ({
      ordersUsed: this.#add('orders', limits.ordersMs, 0),
      weightUsed: this.#add('weight', limits.weightMs, 0),
    });
    const refuse = (code: 429 | 418 | -1015, retryAfterMs: number): Answer => {
      this.refused[`${code}`] += 1;
      return { ok: false, code, retryAfterMs, ...told() };
    };
    if (now < this.#bannedUntil) return refuse(418, this.#bannedUntil - now);
    if (this.#add('weight', limits.weightMs, weight) > limits.weight)
      return refuse(429, limits.weightMs - (now % limits.weightMs));
    if (what !== 'order') return { ok: true, ...told() };
    if (this.#add('orders', limits.ordersMs, 1) > limits.orders) return refuse(-1015, 0);
    this.orders.push(now);
    return { ok: true, ...told() };
  }

  /** Adds to the current window; returns its usage. */
  #add(name: string, windowMs: number, amount: number): number {
    const key = `${name} ${Math.floor(this.#time() / windowMs)}`;
    const used = (this.#used.get(key) ?? 0) + amount;
    this.#used.set(key, used);
    return used;
  }
}

/** The budget rows with which a desk counts these limits. */
export function rowsOf(limits: Limits): { readonly orders: BudgetRow; readonly weight: BudgetRow } {
  return {
    orders: {
      name: `orders ${limits.ordersMs / 1_000} s`,
      scope: 'uid',
      unit: 'orders',
      windowMs: limits.ordersMs,
      limit: limits.orders,
      resets: 'clock',
      stops: 'orders',
      atStart: 'full',
      spare: 0,
    },
    weight: {
      name: `weight ${limits.weightMs / 1_000} s`,
      scope: 'address',
      unit: 'weight',
      windowMs: limits.weightMs,
      limit: limits.weight,
      resets: 'clock',
      stops: 'address',
      atStart: 'empty',
      spare: WEIGHTS.counts,
    },
  };
}

export interface LimitedOptions {
  readonly limits: ExchangeLimits;
  /** The desk's clock. */
  readonly clock: Clock;
  /**
   * The delay from leaving to arriving, ms; `after` runs on a clock that continues while the desk is down.
   */
  readonly line?: { readonly upMs: () => number; readonly after: (ms: number, run: () => void) => void };
  /** What the desk's side leaves out: reading headers, reacting to breaches, asking before sending. */
  readonly without?: { readonly headers?: true; readonly breaches?: true; readonly asks?: true };
  /** Called when an order or a cancel has to wait. */
  readonly waits?: () => void;
  /**
   * False: the desk has ended, waiting requests never leave, and nothing is received any more.
   * @default always true
   */
  readonly isAlive?: () => boolean;
  /** The limits that the desk assumes; left out: the true ones. */
  readonly rows?: ReturnType<typeof rowsOf>;
}

export class LimitedVenue {
  readonly way: LaneClient;
  readonly venue: Venue;
  readonly #o: LimitedOptions;
  readonly #rows: ReturnType<typeof rowsOf>;
  readonly #inner: Venue;

  constructor(inner: Venue, o: LimitedOptions) {
    this.#o = o;
    this.#inner = inner;
    this.#rows = o.rows ?? rowsOf(o.limits.limits);
    this.way = new Addresses(o.clock).way('https://api.example');
    this.venue = this.#make();
  }

  #make(): Venue {
    const { way } = this;
    const inner = this.#inner;
    const read = <T>(weight: number, ask: () => Promise<T | null>): Promise<T | null> =>
      askPaced(way, [this.#weight(weight)], async (leaving) =>
        (await this.#arrives('read', weight, leaving)) ? ask() : null,
      );
    return {
      account: inner.account,
      caps: inner.caps,
      instruments: () => inner.instruments(),
      open: async (sink) => {
        await read(WEIGHTS.counts, async () => true);
        await inner.open(sink);
      },
      close: () => {
        way.close();
        return inner.close();
      },
      ...(this.#o.without?.asks ? {} : { canSend: (lane) => canSendPaced(way, lane, this.#order) }),
      submit: (order, dispatch = atOnce()) =>
        submitPaced(way, this.#order, this.#noted(dispatch), async (leaving): Promise<SubmitOutcome> => {
          const answer = await this.#arrives('order', 0, leaving);
          if (answer) return inner.submit(order, dispatch);
          const message = 'too many requests';
          return { kind: 'rejected', reason: 'RATE_LIMITED', code: 'LIMIT', message };
        }),
      cancel: (ref, dispatch = atOnce()) =>
        cancelPaced(way, [], this.#noted(dispatch), async (leaving) =>
          (await this.#arrives('cancel', 0, leaving))
            ? inner.cancel(ref, dispatch)
            : ({ kind: 'over' } satisfies Refused),
        ),
      query: async (ref) =>
        (await read(WEIGHTS.query, () => inner.query(ref))) ?? { kind: 'unknown', cause: 'not asked' },
      openOrders: () => read(WEIGHTS.openOrders, () => inner.openOrders()),
      fills: (q) => read(WEIGHTS.fills, () => inner.fills(q)),
      balances: () => read(WEIGHTS.balances, () => inner.balances()),
      ...(inner.ledger
        ? { ledger: (q) => read(WEIGHTS.ledger, async () => (await inner.ledger?.(q)) ?? null) }
        : {}),
      ...(inner.feeRates
        ? { feeRates: () => read(WEIGHTS.other, async () => (await inner.feeRates?.()) ?? null) }
        : {}),
      ...(inner.futures ? { futures: inner.futures } : {}),
      ...this.#switched(inner.deadMan?.arm),
      health: () => ({ clockOffsetMs: null, budgets: way.budget.view(this.#now) }),
    };
  }

  #switched(arm: Required<DeadManVenue>['arm'] | undefined): Pick<Venue, 'deadMan'> {
    if (!arm) return {};
    const renew: typeof arm = (countdown, dispatch = atOnce()) =>
      renewPaced(this.way, [this.#weight(WEIGHTS.renewal)], dispatch, async (leaving) =>
        (await this.#arrives('read', WEIGHTS.renewal, leaving))
          ? arm(countdown, dispatch)
          : { kind: 'rejected', code: '-1003', message: 'too many requests' },
      );
    return { deadMan: { arm: renew } };
  }

  #noted(dispatch: Dispatch): Dispatch {
    return {
      ...dispatch,
      onWaits: (takeBack) => {
        this.#o.waits?.();
        dispatch.onWaits(takeBack);
      },
    };
  }

  get #now(): number {
    return this.#o.clock.monotonic();
  }

  get #order(): readonly Cost[] {
    return [{ row: this.#rows.orders, of: 'me', amount: 1 }];
  }

  #weight(amount: number): Cost {
    return { row: this.#rows.weight, of: '', amount };
  }

  /**
   * Waits until the request has arrived and its headers are back. False: it was refused, and not carried out.
   */
  async #arrives(what: What, weight: number, { leftAt, ended }: Omit<Leaving, 'deadline'>): Promise<boolean> {
    const { limits, line, without = {}, isAlive = () => true } = this.#o;
    if (!isAlive()) return new Promise(() => {});
    if (line) await new Promise<void>((resolve) => line.after(line.upMs(), resolve));
    const answer = limits.take(what, weight);
    const now = this.#now;
    if (!isAlive()) return answer.ok;
    ended();
    const { budget } = this.way;
    const { orders, weight: row } = this.#rows;
    if (!without.headers) {
      this.way.clockIs(limits.time, now - leftAt);
      budget.reportUsed(row, '', answer.weightUsed, leftAt, now);
      if (what === 'order' || weight === WEIGHTS.counts)
        budget.reportUsed(orders, 'me', answer.ordersUsed, leftAt, now);
    }
    if (answer.ok) return true;
    if (without.breaches) return false;
    if (answer.code === -1015) budget.breach(orders, 'me', null, now);
    else budget.ban(answer.retryAfterMs, now);
    return false;
  }
}

/** The dispatch where none is given: it waits without a limit. */
function atOnce(): Dispatch {
  const deadline: Deadline = { notAfter: Number.POSITIVE_INFINITY };
  return { lane: 'exit', waitUntil: Infinity, ...deadline, onWaits: () => {}, leaves: () => deadline };
}
