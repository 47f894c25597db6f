/**
 * The profit and loss of a period, in dollars: the figures of the PnL book and their sum. `net` is the change
 * of the equity apart from deposits and withdrawals: equity at the end = equity at the beginning + net +
 * deposits, to the last digit. Pure.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';

export const FIGURES = ['realised', 'fees', 'funding', 'other', 'unrealised', 'deposits'] as const;
export type FigureName = (typeof FIGURES)[number];

/**
 * `realised`: of closed or sold quantities, against their average cost. `fees`: paid, negative: rebates
 * outweigh. `funding`: received. `other`: interest, rebates, insurance, conversions and the like, and
 * unexplained losses. `unrealised`: change of the value of what is open. `deposits`: deposits less
 * withdrawals, including the opening balances.
 */
export type Figures = Record<FigureName, Dec>;

/** The figures as text, with their sum. */
export type FigureTexts = Readonly<Record<FigureName | 'net', string>>;

export function newFigures(): Figures {
  return {
    realised: ZERO,
    fees: ZERO,
    funding: ZERO,
    other: ZERO,
    unrealised: ZERO,
    deposits: ZERO,
  };
}

export function addFigures(to: Figures, more: Partial<Figures>): void {
  for (const name of FIGURES) to[name] += more[name] ?? ZERO;
}

/** Returns profit or loss, open positions included; deposits and withdrawals are not part of it. */
export function netOf({ realised, fees, funding, other, unrealised }: Figures): Dec {
  return realised - fees + funding + other + unrealised;
}

export function figureTexts(figures: Figures): FigureTexts {
  const texts = Object.fromEntries(FIGURES.map((name) => [name, str(figures[name])]));
  return { ...(texts as Record<FigureName, string>), net: str(netOf(figures)) };
}
