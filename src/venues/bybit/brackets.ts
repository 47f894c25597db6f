/**
 * Leverage brackets of contracts, made from their risk limits (DOC market/risk-limit): the tiers of a symbol,
 * lowest first. Pure.
 */
import { dec, str } from '../../domain/decimal.ts';
import { isMarketName } from '../../domain/market-name.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import { figure } from './figures.ts';
import type { RiskRow } from './messages.ts';

/** The brackets by symbol; a symbol whose figures are not plain decimals is left out. */
export function bracketsOf(rows: readonly RiskRow[]): ReadonlyMap<string, readonly LeverageBracket[]> {
  const tiers = new Map<string, RiskRow[]>();
  for (const row of rows)
    if (isMarketName(row.symbol)) tiers.set(row.symbol, [...(tiers.get(row.symbol) ?? []), row]);
  const brackets = new Map<string, readonly LeverageBracket[]>();
  for (const [symbol, all] of tiers) {
    const list = listOf(all);
    if (list) brackets.set(symbol, list);
  }
  return brackets;
}

function listOf(rows: readonly RiskRow[]): readonly LeverageBracket[] | null {
  const sorted = rows.toSorted((a, b) => (dec(a.riskLimitValue) < dec(b.riskLimitValue) ? -1 : 1));
  const list: LeverageBracket[] = [];
  for (const { riskLimitValue, maintenanceMargin, maxLeverage, mmDeduction } of sorted) {
    const rate = String(maintenanceMargin);
    // Below 1e-6 JavaScript writes a number with an exponent.
    if (rate.includes('e')) return null;
    list.push({
      initialLeverage: Math.max(1, Math.floor(Number(maxLeverage))),
      notionalFloor: list.at(-1)?.notionalCap ?? '0',
      notionalCap: str(dec(riskLimitValue)),
      maintenanceMarginRate: str(dec(rate)),
      cumulative: figure(mmDeduction),
    });
  }
  return list;
}
