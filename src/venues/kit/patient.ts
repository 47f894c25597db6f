/**
 * Questions that nobody waits for, such as the past of a thousand symbols that a NOTIFY fills in: they use at most a third of what an
 * address lets be asked (exchanges.md 2), counted by a row beside each of the exchange's own. Pure.
 */
import type { BudgetRow, Cost } from './budget.ts';

/** Of a row: so much of it, one part of these. */
const SHARE = 3;
/** A turn comes within a window or two; what has none by then is asked again. */
export const PATIENT_MS = 150_000;

/** What a question costs that nobody waits for. */
export function patientCosts(costs: readonly Cost[]): readonly Cost[] {
  return [
    ...costs,
    ...costs.map(({ row, of, amount }): Cost => {
      const limit = Math.max(1, Math.floor(row.limit / SHARE));
      return { row: patientRow(row, limit), of, amount: Math.min(amount, limit) };
    }),
  ];
}

function patientRow(row: BudgetRow, limit: number): BudgetRow {
  return { ...row, name: `${row.name}, not waited for`, limit, spare: 0, atStart: 'empty' };
}
