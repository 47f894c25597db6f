/**
 * The size of an order as it is typed: `0.1`, `.5`, `1,000` of the base, `5000usdt` of the quote, `25%` of
 * the free balance, `1r` of the risk to the stop; and the quantity it means. Never more than was typed:
 * quantities are rounded down to the step. Pure.
 */
import { type Dec, dec, div, fixed, floorTo, mul, str, ZERO } from '../../domain/decimal.ts';
import { exact } from '../ui/format.ts';
import { readNumber } from './numbers.ts';

/** Amounts are decimal strings. `share`: percent; `risk`: a multiple of the equity's share that is risked. */
export type Size =
  | { readonly in: 'base'; readonly amount: string }
  | { readonly in: 'quote'; readonly amount: string }
  | { readonly in: 'share'; readonly amount: string }
  | { readonly in: 'risk'; readonly amount: string };

/** The facts for calculating a size. Undefined or null: not known, or not there. */
export interface SizeFacts {
  readonly side: 'BUY' | 'SELL';
  readonly kind: 'spot' | 'futures';
  readonly base: string;
  readonly quote: string;
  readonly stepSize: string;
  /** The expected price of the fill: the order's limit, or the last price. */
  readonly price: string | null;
  /** The free balance that pays: the quote of a spot buy, the base of a spot sale, a contract's margin. */
  readonly free: string | null;
  /** Leverage of a contract. */
  readonly leverage?: number | null;
  /** Fee rate as a fraction; the margin of a contract has to cover the fee, too. */
  readonly feeRate?: string | null;
  /** The position's size, if the order only reduces it: a share is then a share of the position. */
  readonly closes?: string | null;
  /** Equity of the account, in the quote asset. */
  readonly equity?: string | null;
  /** Percent of the equity that `1r` risks. */
  readonly riskPercent?: string;
  readonly stop?: string | null;
}

/** `quantity`: base units on the step. `words`: what the size means. `problem`: what is wrong or missing. */
export type ResolvedSize =
  | { readonly quantity: string; readonly words: string; readonly problem: null }
  | { readonly quantity: null; readonly words: string; readonly problem: string };

/** The shares that repeated `%` keys step through. */
export const SHARES = ['25%', '50%', '75%', '100%'] as const;

/** Default risk of `1r`, percent of the equity. */
export const RISK_PERCENT = '1';

/** Reads a typed size; null: the text is no size. `quote`: the symbol's quote, allowed as a unit. */
export function readSize(text: string, { base, quote }: Pick<SizeFacts, 'base' | 'quote'>): Size | null {
  const typed = text.trim().toLowerCase();
  const [, number = '', unit = ''] = /^([\d.,]+)\s*([a-z%]\w*|%)?$/.exec(typed) ?? [];
  const amount = readNumber(number);
  if (amount === null) return null;
  if (unit === '' || unit === base.toLowerCase()) return { in: 'base', amount };
  if (unit === quote.toLowerCase()) return { in: 'quote', amount };
  if (unit === '%') return { in: 'share', amount };
  return unit === 'r' ? { in: 'risk', amount } : null;
}

/** Returns the next share when `%` is pressed; null: the `%` is typed as a character, as after a number. */
export function nextShare(text: string): string | null {
  const shares: readonly string[] = SHARES;
  const at = shares.indexOf(text.trim());
  if (at >= 0) return SHARES[(at + 1) % SHARES.length] ?? null;
  return text.trim() === '' ? SHARES[0] : null;
}

/** Calculates the quantity that a text means; null for an empty text. */
export function resolveSize(text: string, facts: SizeFacts): ResolvedSize | null {
  if (text.trim() === '') return null;
  const size = readSize(text, facts);
  if (!size) {
    const { base, quote } = facts;
    const forms = `0.1, 1,000, 5000${quote.toLowerCase()}, 25% or 1r`;
    return problem('', `${JSON.stringify(text.trim().slice(0, 24))} is no size; write ${forms} of ${base}`);
  }
  if (dec(size.amount) <= ZERO) return problem('', 'a size is more than zero');
  if (size.in === 'base') return { quantity: size.amount, words: '', problem: null };
  const meant = quantityOf(size, facts);
  if (typeof meant === 'string') return problem('', meant);
  const quantity = floorTo(meant.quantity, dec(facts.stepSize));
  if (quantity <= ZERO)
    return problem(meant.words, `${meant.words} is less than one step, ${facts.stepSize} ${facts.base}`);
  return { quantity: str(quantity), words: meant.words, problem: null };
}

function problem(words: string, text: string): ResolvedSize {
  return { quantity: null, words, problem: text };
}

/** Calculates the quantity; a string says why that is not possible. */
function quantityOf(
  size: Size,
  facts: SizeFacts,
): { readonly quantity: Dec; readonly words: string } | string {
  const price = facts.price === null ? null : dec(facts.price);
  switch (size.in) {
    case 'base':
      return { quantity: dec(size.amount), words: '' };
    case 'quote':
      if (price === null || price <= ZERO) return 'no price is known: give one, or a size in base units';
      return { quantity: div(dec(size.amount), price), words: `${size.amount} ${facts.quote}` };
    case 'share':
      return shareOf(size.amount, price, facts);
    case 'risk':
      return riskOf(size.amount, price, facts);
  }
}

function shareOf(percent: string, price: Dec | null, facts: SizeFacts) {
  if (dec(percent) > dec('100')) return `${percent}% is more than there is`;
  const part = div(dec(percent), dec('100'));
  if (facts.closes != null)
    return {
      quantity: mul(dec(facts.closes), part),
      words: `${percent}% of ${exact(facts.closes)} ${facts.base}`,
    };
  if (facts.free === null) return 'what is free is not known yet: give a size in base units';
  const spent = mul(dec(facts.free), part);
  const words = (asset: string) => `${percent}% of ${exact(facts.free)} ${asset}`;
  if (facts.kind === 'spot' && facts.side === 'SELL') return { quantity: spent, words: words(facts.base) };
  if (price === null || price <= ZERO) return 'no price is known: give one, or a size in base units';
  if (facts.kind === 'spot') return { quantity: div(spent, price), words: words(facts.quote) };
  const leverage = facts.leverage ?? 1;
  // Each unit of a contract needs margin and fee.
  const each = mul(price, div(dec('1'), dec(String(leverage))) + dec(facts.feeRate ?? '0'));
  return { quantity: div(spent, each), words: `${words(facts.quote)} at ${leverage}x` };
}

function riskOf(times: string, price: Dec | null, facts: SizeFacts) {
  const { equity, stop, riskPercent = RISK_PERCENT, quote } = facts;
  if (stop == null) return 'r is the risk down to a stop: give the stop first';
  if (equity == null) return 'the equity is not known yet: give a size in base units';
  if (price === null) return 'no price is known: give one, or a size in base units';
  const at = dec(stop);
  const loss = facts.side === 'BUY' ? price - at : at - price;
  if (loss <= ZERO)
    return `the stop ${stop} is on the wrong side of ${str(price)}: it must be ${facts.side === 'BUY' ? 'below' : 'above'}`;
  const risked = mul(mul(dec(equity), div(dec(riskPercent), dec('100'))), dec(times));
  return { quantity: div(risked, loss), words: `${fixed(risked, 2)} ${quote} risked to the stop ${stop}` };
}
