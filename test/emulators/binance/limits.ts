/**
 * The exchange's counters: request weight per address and minute, orders per account and window, bans of
 * clients that ignore a refusal. Windows begin at whole multiples of their length in exchange time. Sources:
 * binance-spot-api-docs rest-api.md "LIMITS", faqs/order_count_decrement.md; USD-M "General Info".
 */
import { type Kind, Refusal } from './wire.ts';

export interface OrderLimit {
  /** Form in the header: `10S`, `1D`, `1M`. */
  readonly label: string;
  readonly seconds: number;
  readonly limit: number;
  /** Form in the message: `10 SECOND`. */
  readonly words: string;
}

export interface LimitSettings {
  readonly weightPerMinute: number;
  readonly orders: readonly OrderLimit[];
}

export const LIMITS: Readonly<Record<Kind, LimitSettings>> = {
  spot: {
    weightPerMinute: 6000,
    orders: [
      { label: '10S', seconds: 10, limit: 50, words: '10 SECOND' },
      { label: '1D', seconds: 86_400, limit: 160_000, words: '1 DAY' },
    ],
  },
  futures: {
    weightPerMinute: 2400,
    orders: [
      { label: '10S', seconds: 10, limit: 300, words: '10 SECOND' },
      { label: '1M', seconds: 60, limit: 1200, words: '1 MINUTE' },
    ],
  },
};

/** Requests beyond the limit that are answered 429 before the address is banned. */
const PATIENCE = 10;
const FIRST_BAN_MS = 120_000;

interface Count {
  window: number;
  used: number;
}

export class Limits {
  readonly #settings: LimitSettings;
  readonly #weight: Count = { window: -1, used: 0 };
  readonly #orders = new Map<string, Count>();
  #over = 0;
  #bans = 0;
  #bannedUntil = 0;

  constructor(settings: LimitSettings) {
    this.#settings = settings;
  }

  get settings(): LimitSettings {
    return this.#settings;
  }

  ban(until: number): void {
    this.#bannedUntil = until;
  }

  /** Admits a request or a new socket. Throws Refusal 418 during a ban. */
  admit(now: number): void {
    if (now < this.#bannedUntil) throw this.#banned(now);
  }

  /** Counts the weight, or refuses. Throws Refusal 429, 418. */
  take(weight: number, now: number): void {
    this.admit(now);
    const { weightPerMinute } = this.#settings;
    this.#turn(now);
    this.#weight.used += weight;
    if (this.#weight.used <= weightPerMinute) return;
    if (++this.#over > PATIENCE) {
      this.#bannedUntil = now + FIRST_BAN_MS * 2 ** Math.min(this.#bans++, 10);
      this.#over = 0;
      throw this.#banned(now);
    }
    throw new Refusal(
      -1003,
      `Too much request weight used; current limit is ${weightPerMinute} request weight per 1 MINUTE. Please use WebSocket Streams for live updates to avoid polling the API.`,
      429,
      { 'retry-after': String(60 - (Math.floor(now / 1000) % 60)) },
    );
  }

  /** Returns the weight that a successful request does not cost. */
  giveBack(weight: number, now: number): void {
    this.#turn(now);
    this.#weight.used = Math.max(0, this.#weight.used - weight);
  }

  /** Counts orders of an account, or refuses. Throws Refusal -1015. */
  order(account: string, count: number, now: number): void {
    for (const limit of this.#settings.orders) {
      if (this.#count(account, limit, now).used + count > limit.limit) {
        const left = limit.seconds - (Math.floor(now / 1000) % limit.seconds);
        throw new Refusal(
          -1015,
          `Too many new orders; current limit is ${limit.limit} orders per ${limit.words}.`,
          429,
          { 'retry-after': String(left) },
        );
      }
    }
    for (const limit of this.#settings.orders) this.#count(account, limit, now).used += count;
  }

  /** Gives order slots back at a first fill (spot). */
  orderFilled(account: string, slots: number, now: number): void {
    for (const limit of this.#settings.orders) {
      const count = this.#count(account, limit, now);
      count.used = Math.max(0, count.used - slots);
    }
  }

  weightHeaders(now: number): Record<string, string> {
    this.#turn(now);
    return {
      'x-mbx-used-weight-1m': String(this.#weight.used),
      'x-mbx-used-weight': String(this.#weight.used),
    };
  }

  orderHeaders(account: string, now: number): Record<string, string> {
    return Object.fromEntries(
      this.#settings.orders.map((limit) => [
        `x-mbx-order-count-${limit.label.toLowerCase()}`,
        String(this.#count(account, limit, now).used),
      ]),
    );
  }

  /** The rows of `exchangeInfo` and the WebSocket API; `account` adds the counts. */
  rows(now: number, account?: string): Record<string, unknown>[] {
    this.#turn(now);
    const rows: Record<string, unknown>[] = [
      {
        rateLimitType: 'REQUEST_WEIGHT',
        interval: 'MINUTE',
        intervalNum: 1,
        limit: this.#settings.weightPerMinute,
        ...(account === undefined ? {} : { count: this.#weight.used }),
      },
    ];
    for (const limit of this.#settings.orders) {
      const [intervalNum, interval] = limit.words.split(' ');
      rows.push({
        rateLimitType: 'ORDERS',
        interval,
        intervalNum: Number(intervalNum),
        limit: limit.limit,
        ...(account === undefined ? {} : { count: this.#count(account, limit, now).used }),
      });
    }
    return rows;
  }

  #turn(now: number): void {
    const window = Math.floor(now / 60_000);
    if (this.#weight.window === window) return;
    this.#weight.window = window;
    this.#weight.used = 0;
    this.#over = 0;
  }

  #count(account: string, limit: OrderLimit, now: number): Count {
    const name = `${account} ${limit.label}`;
    const window = Math.floor(now / (limit.seconds * 1000));
    let count = this.#orders.get(name);
    if (!count) {
      count = { window, used: 0 };
      this.#orders.set(name, count);
    }
    if (count.window !== window) {
      count.window = window;
      count.used = 0;
    }
    return count;
  }

  #banned(now: number): Refusal {
    return new Refusal(
      -1003,
      `Way too much request weight used; IP banned until ${this.#bannedUntil}. Please use WebSocket Streams for live updates to avoid bans.`,
      418,
      { 'retry-after': String(Math.ceil((this.#bannedUntil - now) / 1000)) },
    );
  }
}
