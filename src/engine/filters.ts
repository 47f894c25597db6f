/**
 * Checks of instrument filters, in words: a value off its grid is refused with the nearest valid ones, never
 * rounded (engine.md, submission rule 1). Pure.
 */
import { ceilTo, type Dec, div, floorTo, isMultiple, mul, str, ZERO } from '../domain/decimal.ts';
import type { RefusalReason } from '../domain/errors.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';

/** One problem of a request: the field, a sentence, the stable reason. */
export interface Problem {
  readonly field: string;
  readonly message: string;
  readonly reason: RefusalReason;
}

/**
 * Returns `price 61234.567 is not a multiple of the tick size 0.01; nearest: 61234.56, 61234.57`. Null when
 * it is on the grid.
 */
export function checkGrid(
  field: string,
  value: Dec,
  step: Dec,
  stepName: string,
  reason: RefusalReason,
): Problem | null {
  if (isMultiple(value, step)) return null;
  const below = floorTo(value, step);
  const nearest = [below, ceilTo(value, step)].filter((v) => v > ZERO).map(str);
  return {
    field,
    message: `${field} ${str(value)} is not a multiple of the ${stepName} ${str(step)}; nearest: ${nearest.join(', ')}`,
    reason,
  };
}

/** Checks tick, absolute bounds and, where the last price is known, the percent band around it. */
export function checkPrice(
  field: string,
  price: Dec,
  instrument: Instrument,
  n: InstrumentNumbers,
  last: Dec | undefined,
): Problem | null {
  const grid = checkGrid(field, price, n.tick, 'tick size', 'PRICE_TICK');
  if (grid) return grid;
  if (price < n.minPrice || price > n.maxPrice) {
    return {
      field,
      message: `${field} ${str(price)} is outside ${instrument.minPrice} to ${instrument.maxPrice} of ${instrument.symbol}`,
      reason: 'PRICE_RANGE',
    };
  }
  if (last === undefined) return null;
  const low = mul(last, n.percentDown);
  const high = mul(last, n.percentUp);
  if (price < low || price > high) {
    return {
      field,
      message: `${field} ${str(price)} is too far from the last price ${str(last)}; allowed: ${str(ceilTo(low, n.tick))} to ${str(floorTo(high, n.tick))}`,
      reason: 'PRICE_RANGE',
    };
  }
  return null;
}

/** Checks step and quantity bounds; `market` applies the limit of MARKET orders. */
export function checkQuantity(
  field: string,
  quantity: Dec,
  instrument: Instrument,
  n: InstrumentNumbers,
  market: boolean,
): Problem | null {
  const grid = checkGrid(field, quantity, n.step, 'step size', 'QUANTITY_STEP');
  if (grid) return grid;
  const most = market && n.marketMaxQty < n.maxQty ? n.marketMaxQty : n.maxQty;
  if (quantity < n.minQty || quantity > most) {
    return {
      field,
      message: `${field} ${str(quantity)} is outside ${instrument.minQty} to ${str(most)} ${instrument.base} of ${instrument.symbol}`,
      reason: 'QUANTITY_RANGE',
    };
  }
  return null;
}

export function checkNotional(
  field: string,
  quantity: Dec,
  price: Dec,
  instrument: Instrument,
  n: InstrumentNumbers,
): Problem | null {
  const notional = mul(quantity, price);
  if (notional < n.minNotional) {
    const enough = price > ZERO ? str(ceilTo(div(n.minNotional, price), n.step)) : '';
    return {
      field,
      message: `${field} ${str(quantity)} is worth ${str(notional)} ${instrument.quote}, below the minimum of ${instrument.minNotional}; at ${str(price)} at least ${enough} ${instrument.base}`,
      reason: 'MIN_NOTIONAL',
    };
  }
  // Zero: the exchange has no such limit.
  if (n.maxNotional > ZERO && notional > n.maxNotional) {
    return {
      field,
      message: `${field} ${str(quantity)} is worth ${str(notional)} ${instrument.quote}, above the maximum of ${instrument.maxNotional}`,
      reason: 'MAX_NOTIONAL',
    };
  }
  return null;
}
