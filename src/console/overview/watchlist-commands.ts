/** The operator's own watchlists: adding, removing or moving a symbol, showing another list. */
import { deskState, type Session, say } from '../app/session.ts';
import { asRow, selectedPrice } from '../trading/watch.ts';
import { movedIn, named, nextList, unwatched, type Watchlists, watched } from '../trading/watchlists.ts';

/** Stores the new watchlists; a text instead is the reason why nothing changes. */
function change(session: Session, next: Watchlists | string, words: string): void {
  if (typeof next === 'string') {
    say(session, next, 'warn');
    return;
  }
  session.ui.setState({ watchlists: next });
  if (words !== '') say(session, words);
}

/** The symbol of a key, `BTCUSDT` of `paper BTCUSDT`. */
function symbolOf(key: string): string {
  return key.slice(key.indexOf(' ') + 1);
}

/** Key of the symbol under the cursor of the list in view; null: none. */
function selectedKey(session: Session): string | null {
  const state = deskState(session);
  const price = state && selectedPrice(state, session.ui.getState());
  return price ? asRow(price).id : null;
}

export function watchSymbol(session: Session, key: string): void {
  const { watchlists } = session.ui.getState();
  const next = watched(watchlists, key);
  change(session, next, typeof next === 'string' ? '' : `${symbolOf(key)} is in ${next.at}`);
}

export function unwatchSymbol(session: Session, key: string): void {
  const { watchlists } = session.ui.getState();
  change(session, unwatched(watchlists, key), `${symbolOf(key)} is out of ${watchlists.at}`);
}

/** Removes the symbol under the cursor. */
export function unwatchSelected(session: Session): void {
  const key = selectedKey(session);
  if (key === null) say(session, 'no symbol is selected', 'warn');
  else unwatchSymbol(session, key);
}

export function moveWatched(session: Session, by: -1 | 1): void {
  const key = selectedKey(session);
  if (key === null) return;
  session.ui.setState(({ watch }) => ({ watch: { ...watch, id: key } }));
  change(session, movedIn(session.ui.getState().watchlists, key, by), '');
}

export function nextWatchlist(session: Session): void {
  const { watchlists } = session.ui.getState();
  if (watchlists.lists.length === 0)
    say(session, 'there are no lists yet: watch SYMBOL in the palette makes one');
  else change(session, nextList(watchlists), '');
}

/** Shows the list of that name, or a new one with the symbol under the cursor; `all`: all symbols. */
export function showWatchlist(session: Session, name: string): void {
  const { watchlists } = session.ui.getState();
  const isAll = name.trim().toLowerCase() === 'all';
  const next = isAll ? { ...watchlists, at: null } : named(watchlists, name, selectedKey(session));
  change(session, next, '');
  if (typeof next !== 'string') session.ui.setState({ screen: 'overview' });
}
