/**
 * Guards of an exchange account: how much may be put at risk there, set by its owner at a console (money-at-risk, section 3).
 * What they are, what may be written, how they are stored. Whether an order passes is decided in `engine/guards.ts`. Pure.
 */
import { dec, ZERO } from './decimal.ts';
import { type Outcome, ok, refuse } from './errors.ts';

/** Each null: off. Money in dollars (USDT), as decimal strings. */
export interface Guards {
  /** What one entry may be worth. */
  readonly maxOrderValue: string | null;
  /** What position and open entries of one symbol may be worth together. */
  readonly maxPositionValue: string | null;
  /** Open orders of the account, closing ones included, beyond which no entry is added. */
  readonly maxOpenOrders: number | null;
  /** Entries sent within a minute. */
  readonly maxOrdersPerMinute: number | null;
  /** Percent by which a limit price may lie on the losing side of the market. */
  readonly priceBand: string | null;
  /** Percent of what the wallet is worth at 00:00 that may be lost in a day. */
  readonly dailyLossLimit: string | null;
  /** The only symbols that may be entered. */
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

/** What a real account has from its first moment on, until its owner changes it. */
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

/** As reject code and as reason of a refusal. */
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

/** Where each account stands, for meters. */
export interface GuardMeters {
  /** Worth of the symbol that is worth most, open entries included; null: it has no price. */
  readonly position: { readonly symbol: string; readonly value: string | null } | null;
  readonly openOrders: number;
  /** Entries of the last minute. */
  readonly entries: number;
  /** What its wallet has lost today; null: no limit is set. */
  readonly loss: LossMeter | null;
}

/** Money in dollars, decimal strings. */
export type LossMeter = {
  /** When the limit was reached, wall; until an owner lifts that, nothing is entered. Null: it is not. */
  readonly reachedAt: number | null;
} & (
  | { readonly known: false; readonly why: string }
  | {
      readonly known: true;
      /** What the wallet was worth at 00:00, with what was paid in and out since. */
      readonly base: string;
      /** Market time at which that was taken: later than 00:00 where it was not known before. */
      readonly since: number;
      /** Below zero: it has won. */
      readonly lost: string;
      /** The same since it was last lifted today; where it was not, since 00:00. */
      readonly counted: string;
      /** What may be lost. */
      readonly limit: string;
      /** Of that: what is left, at least 0. */
      readonly left: string;
    }
);

const VALUE = /^(0|[1-9]\d{0,14})(\.\d{1,8})?$/;
const PERCENT = /^(0|[1-9]\d{0,2})(\.\d{1,4})?$/;
const MOST_COUNT = 1_000_000;
const MOST_SYMBOLS = 500;
const DAY_SECONDS = 86_400;
/** Of a symbol as it may be written; whether it is traded, the account says. */
const SYMBOL = /^\S{1,64}$/;

/**
 * The guards after a change, or what is wrong with it: fields that are left out stay, null switches one off. `known`: symbols
 * that the account trades; empty where that is not known.
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

/** Stored as meta under this name; no row: none is set. */
export function guardsName(exchange: string): string {
  return `guards ${exchange}`;
}

/** What the store has; a guard that cannot be read is not taken for none: it throws. */
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

/** `maxOrderValue off to 1000, symbols off to BTCUSDT ETHUSDT`; empty when they are the same. */
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
