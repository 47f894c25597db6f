/**
 * Who carries out what an order asks for: its exchange (`native`), this desk (`held`), or nobody (`refused`). An exchange says it
 * in rows of data, each with its source, which `docs/exchanges.md` prints; here they are read. Pure.
 */
import type { CreateOrder, OrderType, WorkingType } from '../schemas/order.ts';
import type { Instrument } from './instrument.ts';

/** What an order may ask for beside a price and a size. `type`: to be of its type, where it does not trail. */
export type Asked = 'type' | 'trailing' | 'end date' | 'iceberg' | 'quote amount';

export type Form = 'native' | 'held' | 'refused';

export interface FormRow {
  readonly asked: Asked;
  /** Of orders of these types; left out: of all. */
  readonly types?: readonly OrderType[];
  readonly form: Form;
  /** Speaks only of what is within them. */
  readonly bounds?: FormBounds;
  /** Of `refused`: what to do instead, as it follows a semicolon. */
  readonly cure?: string;
  /** Where that is written. */
  readonly source: string;
}

/** Bounds of what an exchange does by itself; all that are given must be kept. */
export interface FormBounds {
  /** Callback of a trailing stop, basis points. */
  readonly callback?: { readonly min: number; readonly max: number; readonly step: number };
  /** It trails from the start: there is no price at which it arms. */
  readonly arms?: 'at once';
  /** How far ahead an end date is at least, and the grid it lies on, ms. */
  readonly ahead?: { readonly min: number; readonly step: number };
  /** How many orders of a symbol, of all of the account's symbols, may wait there for their triggers. */
  readonly waitingOnSymbol?: number;
  readonly waitingOnAccount?: number;
  readonly workingTypes?: readonly WorkingType[];
  /** The exchange names it among what it takes for the symbol (`Instrument.orderTypes`). */
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
  /** How many orders wait at the exchange for their triggers now: of the symbol, or of all. */
  readonly waiting: (symbol: string | null) => number;
}

/** Stops at the market are kept by this desk: the exchange takes none, at least not of every symbol. */
export function holdsStops(rows: readonly FormRow[]): boolean {
  return !rows.some(
    ({ asked, form, types, bounds }) =>
      asked === 'type' &&
      form === 'native' &&
      bounds?.listed === undefined &&
      types?.includes('STOP_MARKET') !== false,
  );
}

/** The first row that speaks of it decides. Where none does, a trigger and an end date are held, the rest is refused. */
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

/** A desk can wait for a price and for a time; it cannot rest on a book, hide an amount or spend a sum for an exchange. */
function isHoldable(asked: Asked, type: OrderType): boolean {
  if (asked === 'type') return type.startsWith('STOP_') || type.startsWith('TAKE_PROFIT_');
  return asked === 'trailing' || asked === 'end date';
}
