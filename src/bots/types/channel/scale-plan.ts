/**
 * The orders that a SCALE cycle plans: their distance from the first fill and their size (strategies.md 4,
 * "SCALE"). Pure.
 */
import { ceilTo, type Dec, dec, decOfInt, div, mul, ONE, str, ZERO } from '../../../domain/decimal.ts';
import type { Problem } from '../../settings/compiled.ts';

/** Safety orders below the first fill. Distances in percent, budgets in the deposit's asset. */
export interface Scale {
  readonly orders: number;
  readonly step: Dec;
  readonly stepScale: Dec;
  /** Null: chosen so that all orders together use the deposit exactly. */
  readonly size: Dec | null;
  readonly sizeScale: Dec;
  readonly takeProfit: Dec;
}
type Steps = Pick<Scale, 'orders' | 'step' | 'stepScale'>;

const HUNDRED = decOfInt(100);
/** Step to which amounts in messages are rounded up. */
const SHOWN_UNIT = dec('0.00000001');

/**
 * Distances of the safety orders in percent below (short: above) the first fill, nearest first: `d_k =
 * d_(k-1) + step x stepScale^(k-1)`.
 */
export function scaleDistances({ orders, step, stepScale }: Steps): Dec[] {
  const distances: Dec[] = [];
  let distance = ZERO;
  let next = step;
  for (let k = 0; k < orders; k++) {
    distance += next;
    distances.push(distance);
    next = mul(next, stepScale);
  }
  return distances;
}

/**
 * Budgets of all orders, the base order first; `deposit` is the amount that they share when the scale has no
 * size.
 */
export function scaleBudgets({ orders, size, sizeScale }: Scale, deposit: Dec): Dec[] {
  const factors = [ONE];
  for (let k = 1; k <= orders; k++) factors.push(mul(factors[k - 1] as Dec, sizeScale));
  if (size !== null) return factors.map((factor) => mul(size, factor));
  const sum = factors.reduce((a, b) => a + b, ZERO);
  // Each is computed from the whole deposit: the factors would multiply the rounding of one size.
  return factors.map((factor) => div(mul(deposit, factor), sum));
}

/**
 * Returns the problem when the planned orders, base order included, need more than the deposit; else null.
 */
export function scaleOverBudget(scale: Scale, deposit: Dec, asset: string): Problem | null {
  const budgets = scaleBudgets(scale, deposit);
  const total = budgets.reduce((a, b) => a + b, ZERO);
  if (total <= deposit) return null;
  return {
    path: 'scale',
    message: `${budgets.length} orders need ${str(ceilTo(total, SHOWN_UNIT))} ${asset}, the deposit is ${str(deposit)}`,
  };
}

/** Returns the problem of a safety order that would rest at or below zero; null when there is none. */
export function scaleTooDeep(scale: Steps): Problem | null {
  const distances = scaleDistances(scale);
  const at = distances.findIndex((distance) => distance >= HUNDRED);
  if (at < 0) return null;
  const far = str(distances[at] as Dec);
  return { path: 'scale', message: `order ${at + 1} would be ${far} % from the entry; it must be below 100` };
}
