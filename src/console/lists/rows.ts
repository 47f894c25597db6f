/**
 * What all lists share: the state of a list in view, filter words, comparisons, a cache of the last result.
 * Pure.
 */
import type { Dec } from '../../domain/decimal.ts';
import type { Selection } from '../state/ui.ts';

/** What a terminal shows of a list. */
export interface ListView<Sort extends string> {
  readonly selection: Selection;
  readonly filter: string;
  /** The keyboard is in the filter. */
  readonly filtering: boolean;
  readonly sort: Sort;
  readonly reverse: boolean;
  /** Ids of the marked rows, in the order of marking; empty for a list without marks. */
  readonly marked: readonly string[];
}

/** The detail pane of a list. */
export interface PaneView {
  readonly detailOpen: boolean;
  readonly pane: 'list' | 'detail';
  readonly detailOffset: number;
}

export function newList<Sort extends string>(sort: Sort): ListView<Sort> {
  return {
    selection: { id: null, index: 0 },
    filter: '',
    filtering: false,
    sort,
    reverse: false,
    marked: [],
  };
}

export const CLOSED_PANE: PaneView = { detailOpen: false, pane: 'list', detailOffset: 0 };

export type Compare<T> = (a: T, b: T) => number;

/** How the rows of a list are filtered and sorted. */
export interface ListRules<T, Sort extends string> {
  /** The text that a filter searches. */
  readonly text: (row: T) => string;
  /** Prices of the row as shown. */
  readonly prices?: (row: T) => readonly string[];
  /** Null: the order in which the rows come. Equal rows stay in that order. */
  readonly compare: Readonly<Record<Sort, Compare<T> | null>>;
}

type Wanted<Sort extends string> = Pick<ListView<Sort>, 'filter' | 'sort' | 'reverse'>;

export function listed<T, Sort extends string>(
  rows: readonly T[],
  { filter, sort, reverse }: Wanted<Sort>,
  { text, prices, compare }: ListRules<T, Sort>,
): readonly T[] {
  const words = filterWords(filter);
  const kept = rows.filter((row) => hasWordsOrPrices(text(row), () => prices?.(row) ?? [], words));
  const by = compare[sort];
  if (by === null) return reverse ? kept.reverse() : kept;
  return kept.sort((a, b) => (reverse ? by(b, a) : by(a, b)));
}

/** Splits a filter into words, which may match in any order and case. */
export function filterWords(filter: string): readonly string[] {
  return filter.toLowerCase().split(/\s+/).filter(Boolean);
}

export function hasWords(text: string, words: readonly string[]): boolean {
  const low = text.toLowerCase();
  return words.every((word) => low.includes(word));
}

/**
 * Does what `hasWords` does, and also searches the row's prices as shown: a word may have their separators or
 * not.
 */
export function hasWordsOrPrices(
  text: string,
  prices: () => readonly string[],
  words: readonly string[],
): boolean {
  if (hasWords(text, words)) return true;
  if (!words.some((word) => /\d/.test(word))) return false;
  const shown = prices().join(' ');
  return hasWords(`${text} ${shown} ${shown.replaceAll(',', '')}`, words);
}

export { byCodePoint as byText } from '../../domain/market-name.ts';

/** Compares for a descending order; values that are missing come last. */
export function falling(a: Dec | number | null, b: Dec | number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return a === b ? 0 : a < b ? 1 : -1;
}

/**
 * Returns the cached result while nothing that it depends on has changed: keys and frames ask for the same
 * one.
 */
export function memoizeLast<T>(): (hangsOn: readonly unknown[], make: () => T) => T {
  let last: { readonly hangsOn: readonly unknown[]; readonly answer: T } | null = null;
  return (hangsOn, make) => {
    if (!last?.hangsOn.every((part, index) => part === hangsOn[index])) last = { hangsOn, answer: make() };
    return last.answer;
  };
}
