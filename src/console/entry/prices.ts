/**
 * A price as it is typed: a number, or `last`, `mark`, `bid`, `ask` with an optional distance (`ask+2t`,
 * `mark -0.5%`), or a distance from the last price alone (`-1%`, `+5t`: ticks). A calculated price is on the
 * tick and never worse than meant: rounded down for a buy, up for a sale. Pure.
 */
import {
  ceilTo,
  type Dec,
  dec,
  decOfInt,
  div,
  floorTo,
  isMultiple,
  mul,
  str,
  ZERO,
} from '../../domain/decimal.ts';
import { readNumber } from './numbers.ts';

export type PriceBase = 'last' | 'mark' | 'bid' | 'ask';

/** `percent` and `ticks` are signed decimals. */
export type Price =
  | { readonly at: string }
  | { readonly from: PriceBase; readonly percent?: string; readonly ticks?: string };

export interface PriceFacts {
  readonly side: 'BUY' | 'SELL';
  readonly tickSize: string;
  /** Null: not known. */
  readonly last: string | null;
  readonly mark: string | null;
  readonly bid: string | null;
  readonly ask: string | null;
}

/** `words` say how the price was calculated; empty for a plain number. */
export type ResolvedPrice =
  | { readonly price: string; readonly words: string; readonly problem: null }
  | { readonly price: null; readonly words: string; readonly problem: string };

const FORM = /^(last|mark|bid|ask)?\s*(?:([+-])\s*([\d.,]+)\s*(%|t))?$/;

/** Reads a typed price; null: the text is no price. */
export function readPrice(text: string): Price | null {
  const typed = text.trim().toLowerCase();
  const at = readNumber(typed);
  if (at !== null) return { at };
  const match = typed === '' ? null : FORM.exec(typed);
  if (!match) return null;
  const [, from = 'last', sign, number, unit] = match;
  if (sign === undefined || number === undefined) return { from: from as PriceBase };
  const distance = readNumber(number);
  if (distance === null || (unit === 't' && distance.includes('.'))) return null;
  const signed = sign === '-' ? `-${distance}` : distance;
  return { from: from as PriceBase, ...(unit === '%' ? { percent: signed } : { ticks: signed }) };
}

/** Calculates the price that a text means; null for an empty text. */
export function resolvePrice(text: string, facts: PriceFacts): ResolvedPrice | null {
  if (text.trim() === '') return null;
  const price = readPrice(text);
  if (!price) {
    const shown = JSON.stringify(text.trim().slice(0, 24));
    return {
      price: null,
      words: '',
      problem: `${shown} is no price; write 61234.5, last, mark, bid, ask, -1% or +5t`,
    };
  }
  if ('at' in price) return { price: price.at, words: '', problem: null };
  const { from } = price;
  const known = facts[from];
  if (known === null) return { price: null, words: '', problem: unknown(from) };
  const meant = onTick(dec(known) + distanceOf(price, dec(known), dec(facts.tickSize)), facts);
  const words = `${from} ${known}${price.percent === undefined ? '' : ` ${signed(price.percent)}%`}${price.ticks === undefined ? '' : ` ${signed(price.ticks)} ticks`}`;
  if (meant <= ZERO) return { price: null, words, problem: `${words} is no price above zero` };
  return { price: str(meant), words, problem: null };
}

function distanceOf({ percent, ticks }: Exclude<Price, { at: string }>, known: Dec, tick: Dec): Dec {
  if (percent !== undefined) return div(mul(known, dec(percent)), decOfInt(100));
  return ticks === undefined ? ZERO : mul(dec(ticks), tick);
}

function onTick(price: Dec, { side, tickSize }: Pick<PriceFacts, 'side' | 'tickSize'>): Dec {
  if (price <= ZERO) return ZERO;
  return side === 'BUY' ? floorTo(price, dec(tickSize)) : ceilTo(price, dec(tickSize));
}

function unknown(from: PriceBase): string {
  return from === 'bid' || from === 'ask'
    ? `no ${from} is known: this market tells last prices only; write last`
    : `no ${from} price is known yet; write a number`;
}

function signed(text: string): string {
  return text.startsWith('-') ? text : `+${text}`;
}

/**
 * Steps the price one tick up or down; an empty field starts at `from`. A price off the tick goes to the next
 * tick in that direction. Null: there is no price to start with, or none below.
 */
export function stepped(
  text: string,
  by: 1 | -1,
  facts: PriceFacts,
  from: string | null = facts.last,
): string | null {
  const meant = text.trim() === '' ? from : (resolvePrice(text, facts)?.price ?? null);
  if (meant === null) return null;
  const tick = dec(facts.tickSize);
  const now = dec(meant);
  const next = isMultiple(now, tick)
    ? now + BigInt(by) * tick
    : by > 0
      ? ceilTo(now, tick)
      : floorTo(now, tick);
  return next > ZERO ? padded(str(next), facts.tickSize) : null;
}

/** Pads a price to the tick's decimals, so that digits keep their places while stepping. */
function padded(text: string, tickSize: string): string {
  const places = (str(dec(tickSize)).split('.')[1] ?? '').length;
  const [whole = '0', fraction = ''] = text.split('.');
  return places === 0 ? whole : `${whole}.${fraction.padEnd(places, '0')}`;
}
