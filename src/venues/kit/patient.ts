/**
 * Questions that nobody waits for, such as the past candles of a thousand symbols for a NOTIFY: they use at
 * most a third of an address's budgets (exchanges.md 2), counted by an additional row beside each of the
 * exchange's own. Pure.
 */
import type { BudgetRow, Cost } from './budget.ts';

/** The divisor of a row's limit: such questions may use one part in three. */
const SHARE = 3;
/**
 * The timeout of such a question, ms: a turn comes within a window or two; one without a turn by then is
 * asked again.
 */
export const PATIENT_MS = 150_000;

/** The costs of a question that nobody waits for. */
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
