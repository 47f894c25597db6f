/**
 * Why an exchange did not take an order, as one closed list to which every exchange's own codes are mapped.
 * Code that depends on a refusal uses this list: the words beside it are for people and may change with any
 * release of an exchange.
 */

/**
 * What follows from a refusal. `final`: no order like it will be taken until a person has acted. `passing`:
 * the same order may be taken a moment later. `order`: this order is not taken as it is; a different one, or
 * the same one after the account or the price has changed, may be.
 */
export type RejectKind = 'final' | 'passing' | 'order';

const KINDS = {
  /** Balance or margin does not cover it. */
  BALANCE: 'order',
  /** Its notional is below the minimum, or above the maximum, of the symbol. */
  NOTIONAL: 'order',
  /** A price off its tick, or outside of the symbol's limits. */
  PRICE_FILTER: 'order',
  /** A price too far from the market price. */
  PERCENT_PRICE: 'order',
  /** A quantity off its step, or outside of the symbol's limits. */
  LOT_SIZE: 'order',
  /** The maximum number of open orders, or of parts of an iceberg, is reached. */
  MAX_ORDERS: 'order',
  /** Position and orders would be larger than the leverage allows. */
  POSITION_LIMIT: 'order',
  /** A stop or take-profit whose trigger price is already passed. */
  STOP_PASSED: 'order',
  /** A post-only order that would have traded at once. */
  POST_ONLY: 'order',
  /** A reduce-only order with nothing to reduce. */
  REDUCE_ONLY: 'order',
  /** Other resting orders would close what this one is to close: once they are gone it is taken. */
  EXITS_REST: 'passing',
  /** Its position side does not fit the account's position mode. */
  POSITION_SIDE: 'order',
  /** The margin type that the order needs could not be set; it was not sent. */
  MARGIN_TYPE: 'order',
  /** The exchange knows its id already. */
  DUPLICATE_ID: 'order',
  /** A type or a field that the exchange does not have, or not in this form. */
  UNSUPPORTED: 'order',
  /** The symbol does not trade at present. */
  SYMBOL_HALTED: 'final',
  /** The exchange does not have the symbol. */
  SYMBOL_UNKNOWN: 'final',
  /** The API key is wrong, expired, or may not trade. */
  BAD_CREDENTIALS: 'final',
  /** The account may not trade, or not this. */
  ACCOUNT_RESTRICTED: 'final',
  /** The symbol has no price yet. */
  NO_PRICE: 'passing',
  /** More requests than are allowed. */
  RATE_LIMITED: 'passing',
  /** The exchange is too busy, or in maintenance. */
  OVERLOADED: 'passing',
  /** The request came too late, or the clocks differ. */
  CLOCK: 'passing',
  /** The request certainly never arrived. */
  UNREACHED: 'passing',
  /** The budget of requests to the exchange left no turn for it in time; it was not sent. */
  BUDGET: 'passing',
  /** A guard of the account refuses it; it was not sent. */
  GUARD_MAX_ORDER_VALUE: 'passing',
  GUARD_MAX_POSITION_VALUE: 'passing',
  GUARD_MAX_OPEN_ORDERS: 'passing',
  GUARD_MAX_ORDERS_PER_MINUTE: 'passing',
  GUARD_PRICE_BAND: 'passing',
  GUARD_DAILY_LOSS_LIMIT: 'passing',
  GUARD_SYMBOLS: 'passing',
  GUARD_DEAD_MAN: 'passing',
  /** Any other reason, and orders that were stored before there were these codes. */
  OTHER: 'order',
} as const satisfies Readonly<Record<string, RejectKind>>;

export type RejectCode = keyof typeof KINDS;

/** All codes. */
export const REJECT_CODES = Object.keys(KINDS) as readonly RejectCode[];

/** Returns what follows from a refusal; without a code it counts as OTHER. */
export function rejectKind(code: RejectCode | undefined): RejectKind {
  return KINDS[code ?? 'OTHER'];
}
