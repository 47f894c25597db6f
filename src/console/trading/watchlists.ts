/**
 * Watchlists of the operator's own beside the one of all symbols: which there are, what is in them, which is looked at. Symbols are
 * named by their `marketKey`, in the order in which they are shown. Pure.
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

/** The list that is made when a symbol is put into none. */
export const FIRST_LIST = 'mine';
export const MOST_LISTS = 10;
export const MOST_IN_LIST = 100;
const LONGEST_NAME = 24;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

/** What a list can be called; null: it cannot. */
export function listName(text: string): string | null {
  const name = text.trim();
  return name.length <= LONGEST_NAME && NAME.test(name) && name.toLowerCase() !== 'all' ? name : null;
}

/** The list in view; null: all symbols. */
export function listInView({ lists, at }: Watchlists): Watchlist | null {
  return lists.find(({ name }) => name === at) ?? null;
}

/** With the symbol at the end of the list in view, or of the first one there is, which comes into view; a text: why not. */
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

/** Without it in the list in view; an empty list goes, and all symbols come into view. */
export function unwatched(watchlists: Watchlists, key: string): Watchlists | string {
  const list = listInView(watchlists);
  if (!list) return 'all symbols are shown: none can be taken out';
  if (!list.keys.includes(key)) return `it is not in ${list.name}`;
  const keys = list.keys.filter((other) => other !== key);
  if (keys.length > 0) return { ...watchlists, lists: replaced(watchlists.lists, { ...list, keys }) };
  return { lists: watchlists.lists.filter(({ name }) => name !== list.name), at: null };
}

/** With it so many places further down in the list in view. */
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

/** The next list in view; behind the last all symbols. */
export function nextList({ lists, at }: Watchlists): Watchlists {
  const next = lists[lists.findIndex(({ name }) => name === at) + 1];
  return { lists, at: next?.name ?? null };
}

/** The list of that name in view, a new one with the symbol where there is none; a text: why not. */
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

/** What was kept of them, as far as it is that. */
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
