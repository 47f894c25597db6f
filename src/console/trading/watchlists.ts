/**
 * The operator's own watchlists beside the one of all symbols: their names, their symbols, and which one is
 * in view. Symbols are named by their `marketKey`, in display order. Pure.
 */

export interface Watchlist {
  readonly name: string;
  readonly keys: readonly string[];
}

export interface Watchlists {
  readonly lists: readonly Watchlist[];
  /** Name of the list in view; null: all symbols. */
  readonly at: string | null;
}

export const ALL_SYMBOLS: Watchlists = { lists: [], at: null };

/** Name of the list that is created when a symbol is added and there is no list. */
export const FIRST_LIST = 'mine';
export const MOST_LISTS = 10;
export const MOST_IN_LIST = 100;
const LONGEST_NAME = 24;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

/** The text as the name of a list; null: not a valid name. */
export function listName(text: string): string | null {
  const name = text.trim();
  return name.length <= LONGEST_NAME && NAME.test(name) && name.toLowerCase() !== 'all' ? name : null;
}

/** The list in view; null: all symbols. */
export function listInView({ lists, at }: Watchlists): Watchlist | null {
  return lists.find(({ name }) => name === at) ?? null;
}

/**
 * Adds the symbol at the end of the list in view, or else of the first list, which is then shown; a text
 * instead: why not.
 */
export function watched(watchlists: Watchlists, key: string): Watchlists | string {
  const { lists } = watchlists;
  const list = listInView(watchlists) ?? lists[0] ?? { name: FIRST_LIST, keys: [] };
  if (list.keys.includes(key)) return `it is in ${list.name} already`;
  if (list.keys.length >= MOST_IN_LIST)
    return `${list.name} is full: a list has ${MOST_IN_LIST} symbols at most`;
  const grown = { ...list, keys: [...list.keys, key] };
  const isNew = !lists.some(({ name }) => name === list.name);
  return { lists: isNew ? [grown] : replaced(lists, grown), at: list.name };
}

/** Removes the symbol from the list in view; an empty list is deleted, and all symbols are shown. */
export function unwatched(watchlists: Watchlists, key: string): Watchlists | string {
  const list = listInView(watchlists);
  if (!list) return 'all symbols are shown: none can be taken out';
  if (!list.keys.includes(key)) return `it is not in ${list.name}`;
  const keys = list.keys.filter((other) => other !== key);
  if (keys.length > 0) return { ...watchlists, lists: replaced(watchlists.lists, { ...list, keys }) };
  return { lists: watchlists.lists.filter(({ name }) => name !== list.name), at: null };
}

/** Moves the symbol by so many places in the list in view; a text instead: why not. */
export function movedIn(watchlists: Watchlists, key: string, by: number): Watchlists | string {
  const list = listInView(watchlists);
  if (!list) return 'all symbols are shown: their order is the desk’s';
  const at = list.keys.indexOf(key);
  const to = at + by;
  if (at < 0 || to < 0 || to >= list.keys.length) return watchlists;
  const keys = list.keys.filter((other) => other !== key);
  keys.splice(to, 0, key);
  return { ...watchlists, lists: replaced(watchlists.lists, { ...list, keys }) };
}

/** Shows the next list; after the last one all symbols. */
export function nextList({ lists, at }: Watchlists): Watchlists {
  const next = lists[lists.findIndex(({ name }) => name === at) + 1];
  return { lists, at: next?.name ?? null };
}

/** Shows the list of that name, or a new one with the symbol; a text instead: why not. */
export function named(watchlists: Watchlists, text: string, key: string | null): Watchlists | string {
  const { lists } = watchlists;
  const name = listName(text);
  const known = lists.find((list) => list.name.toLowerCase() === text.trim().toLowerCase());
  if (known) return { lists, at: known.name };
  if (name === null) return `a list is called by up to ${LONGEST_NAME} letters and digits`;
  if (lists.length >= MOST_LISTS) return `there are ${MOST_LISTS} lists, which is the most`;
  return key === null ? 'no symbol is selected' : { lists: [...lists, { name, keys: [key] }], at: name };
}

function replaced(lists: readonly Watchlist[], list: Watchlist): readonly Watchlist[] {
  return lists.map((other) => (other.name === list.name ? list : other));
}

/** Reads stored lists; anything that is not a valid list is dropped. */
export function readWatchlists(kept: unknown): Watchlists {
  const { lists, at } = fieldsOf(kept);
  const found: Watchlist[] = [];
  for (const one of Array.isArray(lists) ? lists.slice(0, MOST_LISTS) : []) {
    const { name, keys } = fieldsOf(one);
    const own = typeof name === 'string' ? listName(name) : null;
    const texts = Array.isArray(keys) ? keys.filter((key): key is string => typeof key === 'string') : [];
    if (own === null || texts.length === 0 || found.some((other) => other.name === own)) continue;
    found.push({ name: own, keys: [...new Set(texts)].slice(0, MOST_IN_LIST) });
  }
  return { lists: found, at: found.some(({ name }) => name === at) ? (at as string) : null };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
