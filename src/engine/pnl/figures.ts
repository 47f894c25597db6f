/**
 * What a time has brought, in dollars: the figures of the PnL book and their sum. `net` is what the equity has changed by beyond what was
 * paid in or out: equity at the end = equity at the begin + net + deposits, to the last digit. Pure.
 */
import { type Dec, str, ZERO } from '../../domain/decimal.ts';

export const FIGURES = ['realised', 'fees', 'funding', 'other', 'unrealised', 'deposits'] as const;
export type FigureName = (typeof FIGURES)[number];

/**
 * `realised`: of what was closed or sold, against its average cost. `fees`: what was paid, negative: rebates outweigh. `funding`: received.
 * `other`: interest, rebates, insurance, conversions and the like, and losses that nothing explains. `unrealised`: by how much what is
 * open is worth more. `deposits`: paid in less paid out, with what there was at the opening.
 */
export type Figures = Record<FigureName, Dec>;

/** As text, with their sum. */
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

/** Profit or loss, open ones included; what was paid in or out is none. */
export function netOf({ realised, fees, funding, other, unrealised }: Figures): Dec {
  return realised - fees + funding + other + unrealised;
}

export function figureTexts(figures: Figures): FigureTexts {
  const texts = Object.fromEntries(FIGURES.map((name) => [name, str(figures[name])]));
  return { ...(texts as Record<FigureName, string>), net: str(netOf(figures)) };
}
