/**
 * Guards of an exchange account: limits on what may be put at risk there, set by its owner at a console
 * (money-at-risk, section 3). Their fields, which values are allowed, how they are stored. `engine/guards.ts`
 * decides whether an order passes. Pure.
 */
import { dec, ZERO } from './decimal.ts';
import { type Outcome, ok, refuse } from './errors.ts';

/** The guards of one account; each field null: off. Money in dollars (USDT), as decimal strings. */
export interface Guards {
  /** Largest notional of one entry. */
  readonly maxOrderValue: string | null;
  /** Largest notional of position and open entries of one symbol together. */
  readonly maxPositionValue: string | null;
  /** Number of open orders of the account, closing ones included, from which on no entry is added. */
  readonly maxOpenOrders: number | null;
  /** Most entries sent within a minute. */
  readonly maxOrdersPerMinute: number | null;
  /** Percent by which a limit price may be worse than the market price. */
  readonly priceBand: string | null;
  /** Percent of the wallet's value at 00:00 that may be lost in a day. */
  readonly dailyLossLimit: string | null;
  /** The only symbols for which entries are allowed. */
  readonly symbols: readonly string[] | null;
  /** Seconds without a renewal after which the exchange ends the open orders itself (`dead-man.ts`). */
  readonly deadManSeconds: number | null;
}

export type GuardName = keyof Guards;

export const NO_GUARDS: Guards = {
  maxOrderValue: null,
  maxPositionValue: null,
  maxOpenOrders: null,
  maxOrdersPerMinute: null,
  priceBand: null,
  dailyLossLimit: null,
  symbols: null,
  deadManSeconds: null,
};

/** The guards of a real account from its first moment on, until its owner changes them. */
export const REAL_GUARDS: Guards = {
  maxOrderValue: '1000',
  maxPositionValue: '5000',
  maxOpenOrders: 200,
  maxOrdersPerMinute: 120,
  priceBand: '10',
  dailyLossLimit: '5',
  symbols: null,
  deadManSeconds: null,
};

/** The reject code of each guard, also the reason of a refusal. */
export const GUARD_CODES = {
  maxOrderValue: 'GUARD_MAX_ORDER_VALUE',
  maxPositionValue: 'GUARD_MAX_POSITION_VALUE',
  maxOpenOrders: 'GUARD_MAX_OPEN_ORDERS',
  maxOrdersPerMinute: 'GUARD_MAX_ORDERS_PER_MINUTE',
  priceBand: 'GUARD_PRICE_BAND',
  dailyLossLimit: 'GUARD_DAILY_LOSS_LIMIT',
  symbols: 'GUARD_SYMBOLS',
  deadManSeconds: 'GUARD_DEAD_MAN',
} as const satisfies Readonly<Record<GuardName, string>>;

export type GuardCode = (typeof GUARD_CODES)[GuardName];

const CODES: ReadonlySet<string> = new Set(Object.values(GUARD_CODES));

export function isGuardCode(code: string | undefined): code is GuardCode {
  return code !== undefined && CODES.has(code);
}

/** The current figures of each guard of an account, for meters. */
export interface GuardMeters {
  /** The symbol with the largest notional, open entries included; value null: it has no price. */
  readonly position: { readonly symbol: string; readonly value: string | null } | null;
  readonly openOrders: number;
  /** Number of entries in the last minute. */
  readonly entries: number;
  /** The loss of its wallet today; null: no limit is set. */
  readonly loss: LossMeter | null;
}

/** Money in dollars, decimal strings. */
export type LossMeter = {
  /**
   * Wall time at which the limit was reached; from then on entries are refused until an owner lifts it. Null:
   * not reached.
   */
  readonly reachedAt: number | null;
} & (
  | { readonly known: false; readonly why: string }
  | {
      readonly known: true;
      /** The wallet's value at 00:00, adjusted for deposits and withdrawals since. */
      readonly base: string;
      /** Market time at which `base` was taken: later than 00:00 where the value was not known before. */
      readonly since: number;
      /** Loss since `base`; negative: a profit. */
      readonly lost: string;
      /** Loss since the limit was last lifted today; if it was not lifted, since 00:00. */
      readonly counted: string;
      /** The largest loss allowed. */
      readonly limit: string;
      /** What is left of the limit, at least 0. */
      readonly left: string;
    }
);

const VALUE = /^(0|[1-9]\d{0,14})(\.\d{1,8})?$/;
const PERCENT = /^(0|[1-9]\d{0,2})(\.\d{1,4})?$/;
const MOST_COUNT = 1_000_000;
const MOST_SYMBOLS = 500;
const DAY_SECONDS = 86_400;
/** The form of a symbol; whether it is traded, the account decides. */
const SYMBOL = /^\S{1,64}$/;

/**
 * Returns the guards after a change, or what is wrong with it: fields that are left out stay, null switches
 * one off. `known`: symbols that the account trades; empty where they are not known.
 */
export function changedGuards(
  before: Guards,
  change: Partial<Readonly<Record<GuardName, unknown>>>,
  known: ReadonlySet<string>,
): Outcome<Guards> {
  const next: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(change)) {
    if (!Object.hasOwn(NO_GUARDS, name))
      return wrong(name, `there is no such guard; there are ${Object.keys(NO_GUARDS).join(', ')}`);
    if (value === undefined) continue;
    const problem = value === null ? null : problemOf(name as GuardName, value, known);
    if (problem !== null) return wrong(name, problem);
    next[name] = value;
  }
  return ok(next as unknown as Guards);
}

function wrong(name: string, text: string): Outcome<never> {
  return refuse('INVALID_REQUEST', `${name}: ${text}`, 'FIELD');
}

function problemOf(name: GuardName, value: unknown, known: ReadonlySet<string>): string | null {
  switch (name) {
    case 'maxOrderValue':
    case 'maxPositionValue':
      return isAbove(value, VALUE) ? null : 'a number above 0 in USDT, such as 1000, or off';
    case 'priceBand':
      return isAbove(value, PERCENT) && dec(value) < dec('1000')
        ? null
        : 'percent above 0 and below 1000, such as 10, or off';
    case 'dailyLossLimit':
      return isAbove(value, PERCENT) && dec(value) <= dec('100')
        ? null
        : 'percent above 0 and up to 100, such as 5, or off';
    case 'maxOpenOrders':
    case 'maxOrdersPerMinute':
      return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= MOST_COUNT
        ? null
        : `a whole number from 1 to ${MOST_COUNT}, or off`;
    case 'symbols':
      return symbolsProblem(value, known);
    case 'deadManSeconds':
      return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= DAY_SECONDS
        ? null
        : 'whole seconds, such as 60, or off';
  }
}

function isAbove(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value) && dec(value) > ZERO;
}

function symbolsProblem(value: unknown, known: ReadonlySet<string>): string | null {
  const list = Array.isArray(value) ? (value as unknown[]) : [];
  if (list.length === 0 || list.length > MOST_SYMBOLS)
    return `1 to ${MOST_SYMBOLS} symbols, such as BTCUSDT, or off for all`;
  const names = new Set<string>();
  for (const one of list) {
    if (typeof one !== 'string' || !SYMBOL.test(one)) return 'symbols are words such as BTCUSDT';
    if (known.size > 0 && !known.has(one)) return `${one} is not traded on this account`;
    if (names.has(one)) return `${one} is named twice`;
    names.add(one);
  }
  return null;
}

/** Returns the name of the meta row that stores the guards; no row: no guard is set. */
export function guardsName(exchange: string): string {
  return `guards ${exchange}`;
}

/** Returns the stored guards; throws when one cannot be read, since it must not pass for an absent one. */
export function storedGuards(meta: ReadonlyMap<string, unknown>, exchange: string): Guards | null {
  const stored = meta.get(guardsName(exchange));
  if (stored === undefined || stored === null) return null;
  const read = changedGuards(NO_GUARDS, stored as Partial<Guards>, new Set());
  if (!read.ok) throw new Error(`stored guards of ${exchange}: ${read.error.message}`);
  return read.data;
}

export function areOff(guards: Guards): boolean {
  return Object.values(guards).every((value) => value === null);
}

/**
 * Describes a change: `maxOrderValue off to 1000, symbols off to BTCUSDT ETHUSDT`; empty when nothing
 * changed.
 */
export function guardChangeWords(before: Guards, after: Guards): string {
  return (Object.keys(NO_GUARDS) as GuardName[])
    .filter((name) => guardText(before[name]) !== guardText(after[name]))
    .map((name) => `${name} ${guardText(before[name])} to ${guardText(after[name])}`)
    .join(', ');
}

export function guardText(value: Guards[GuardName]): string {
  if (value === null) return 'off';
  return Array.isArray(value) ? value.join(' ') : String(value);
}
