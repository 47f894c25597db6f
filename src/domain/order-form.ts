/**
 * Who carries out what an order asks for: its exchange (`native`), this desk (`held`), or nobody (`refused`).
 * An exchange states it in rows of data, each with its source, which `docs/exchanges.md` prints; this file
 * evaluates them. Pure.
 */
import type { CreateOrder, OrderType, WorkingType } from '../schemas/order.ts';
import type { Instrument } from './instrument.ts';

/**
 * A feature that an order may ask for beside a price and a size. `type`: its order type, where it does not
 * trail.
 */
export type Asked = 'type' | 'trailing' | 'end date' | 'iceberg' | 'quote amount';

export type Form = 'native' | 'held' | 'refused';

export interface FormRow {
  readonly asked: Asked;
  /** Order types that the row applies to; left out: all. */
  readonly types?: readonly OrderType[];
  readonly form: Form;
  /** Bounds outside of which the row does not apply. */
  readonly bounds?: FormBounds;
  /** For `refused`: what to do instead, as text after a semicolon. */
  readonly cure?: string;
  /** Where the exchange documents this. */
  readonly source: string;
}

/** Bounds of what an exchange does by itself; all that are given must hold. */
export interface FormBounds {
  /** Callback of a trailing stop, basis points. */
  readonly callback?: { readonly min: number; readonly max: number; readonly step: number };
  /** The order trails from the start: it has no price at which it arms. */
  readonly arms?: 'at once';
  /** How far ahead an end date must be at least, and the grid it must lie on, ms. */
  readonly ahead?: { readonly min: number; readonly step: number };
  /**
   * How many orders, of a symbol and of all symbols of the account, may wait at the exchange for their
   * triggers.
   */
  readonly waitingOnSymbol?: number;
  readonly waitingOnAccount?: number;
  readonly workingTypes?: readonly WorkingType[];
  /** The order type must be in the list that the exchange gives for the symbol (`Instrument.orderTypes`). */
  readonly listed?: string;
}

export interface Asking {
  readonly order: Pick<
    CreateOrder,
    'type' | 'trailingDelta' | 'activationPrice' | 'percentPrice' | 'workingType' | 'goodTillDate'
  >;
  readonly instrument: Pick<Instrument, 'symbol' | 'orderTypes'>;
  /** Market time, Unix ms. */
  readonly now: number;
  /** Returns how many orders wait at the exchange for their triggers now: of the symbol, or (null) of all. */
  readonly waiting: (symbol: string | null) => number;
}

/** Returns whether this desk keeps market stops: the exchange takes none, at least not for every symbol. */
export function holdsStops(rows: readonly FormRow[]): boolean {
  return !rows.some(
    ({ asked, form, types, bounds }) =>
      asked === 'type' &&
      form === 'native' &&
      bounds?.listed === undefined &&
      types?.includes('STOP_MARKET') !== false,
  );
}

/**
 * Returns the first row that applies. Where none does, a trigger and an end date are held, the rest is
 * refused.
 */
export function formOf(rows: readonly FormRow[], asked: Asked, asking: Asking): FormRow {
  const row = rows.find((one) => one.asked === asked && speaksOf(one, asking));
  return row ?? { asked, form: isHoldable(asked, asking.order.type) ? 'held' : 'refused', source: '' };
}

function speaksOf({ types, bounds }: FormRow, asking: Asking): boolean {
  if (types && !types.includes(asking.order.type)) return false;
  return !bounds || isWithin(bounds, asking);
}

function isWithin(bounds: FormBounds, { order, instrument, now, waiting }: Asking): boolean {
  const { callback, arms, ahead, waitingOnSymbol, waitingOnAccount, workingTypes, listed } = bounds;
  const { trailingDelta = 0, goodTillDate = now, workingType = 'MARK_PRICE' } = order;
  if (callback) {
    const { min, max, step } = callback;
    if (trailingDelta < min || trailingDelta > max || trailingDelta % step !== 0) return false;
  }
  if (arms && (order.activationPrice !== undefined || order.percentPrice !== undefined)) return false;
  if (ahead && (goodTillDate - now < ahead.min || goodTillDate % ahead.step !== 0)) return false;
  if (workingTypes && !workingTypes.includes(workingType)) return false;
  if (listed !== undefined && !(instrument.orderTypes ?? []).includes(listed)) return false;
  if (waitingOnSymbol !== undefined && waiting(instrument.symbol) >= waitingOnSymbol) return false;
  return waitingOnAccount === undefined || waiting(null) < waitingOnAccount;
}

/**
 * Returns whether the desk can do it in place of the exchange: it can wait for a price and for a time; it
 * cannot rest on a book, hide an amount or spend a fixed sum.
 */
function isHoldable(asked: Asked, type: OrderType): boolean {
  if (asked === 'type') return type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
  return asked === 'trailing' || asked === 'end date';
}
