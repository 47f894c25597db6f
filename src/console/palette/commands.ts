/** The command palette: matching, previewing the theme under the cursor, and running an entry. */

import { showScreen } from '../app/navigation.ts';
import {
  closeDialog,
  deskState,
  openDialog,
  patchDialog,
  runCommand,
  type Session,
  say,
  wholeDesk,
} from '../app/session.ts';
import { showBot } from '../bots/commands.ts';
import type { CommandId } from '../input/binding.ts';
import { keyOf } from '../input/overrides.ts';
import { openMarketOf } from '../market/commands.ts';
import { lookAtOnly } from '../one-account/commands.ts';
import { loadDetail } from '../orders/commands.ts';
import { marketInView, openLine } from '../orders/ticket/commands.ts';
import { showWatchlist, unwatchSymbol, watchSymbol } from '../overview/watchlist-commands.ts';
import { type MouseChoice, type Place, placeOf, placesOf, type ScreenId, topDialog } from '../state/ui.ts';
import { loadTheme, themeNames } from '../ui/theme.ts';
import { zoneName, zoneNames } from '../ui/zone.ts';
import { type PaletteEntry, type PaletteTarget, paletteEntries } from './palette.ts';

export function openPalette(session: Session): void {
  const { theme } = session.ui.getState();
  openDialog(session, { kind: 'palette', text: '', index: 0, entries: entriesFor(session, ''), theme });
}

function entriesFor(session: Session, text: string): readonly PaletteEntry[] {
  return paletteEntries(text, {
    state: deskState(session),
    bindings: session.bindings,
    screen: placeOf(session.ui.getState()),
    places: placesOf(session.ui.getState()),
    themes: themeNames(session.themeFolders),
    watchlists: session.ui.getState().watchlists,
    accounts: (wholeDesk(session)?.accounts ?? []).map(({ id }) => id),
    zones: ['local', ...zoneNames()],
    at: marketInView(session),
  });
}

/** Matches the changed text: new entries, the cursor on the best. */
export function matchPalette(session: Session): void {
  patchDialog(session, 'palette', ({ text }) => ({ entries: entriesFor(session, text), index: 0 }));
  lookAtTheme(session);
}

export function movePalette(session: Session, by: number): void {
  patchDialog(session, 'palette', ({ index, entries }) => {
    const count = entries.length;
    return { index: count === 0 ? 0 : (index + by + count) % count };
  });
  lookAtTheme(session);
}

/** Previews the theme under the cursor, as long as the cursor is on it. */
function lookAtTheme(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'palette') return;
  const target = dialog.entries[dialog.index]?.target;
  const shown = target?.to === 'theme' ? read(session, target.name).theme : null;
  session.ui.setState({ theme: shown ?? dialog.theme });
}

function read(session: Session, name: string) {
  return loadTheme(name, session.themeFolders, session.depth);
}

/**
 * Handles Enter: opens or shows something; a command that would change the desk at once is left to its own
 * key.
 */
export function runPalette(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'palette') return;
  const entry = dialog.entries[dialog.index];
  if (!entry) return;
  if (entry.target.to === 'unfinished') {
    say(session, entry.target.text, 'warn');
    return;
  }
  closeDialog(session);
  choose(session, entry.target);
}

function mouseWords(choice: MouseChoice, plain: boolean): string {
  if (plain) return `the mouse is ${choice} on your other terminals; lines to be read aloud have none`;
  return `the mouse is ${choice}, here and whenever you come back`;
}

function choose(session: Session, target: PaletteTarget): void {
  switch (target.to) {
    case 'command':
      if (target.acts) sayKey(session, target.command, 'to ');
      else runCommand(session, target.command);
      return;
    case 'elsewhere': {
      goTo(session, target.screen);
      const key = keyOf(session.bindings, target.command);
      // The row under the cursor there has not been seen yet.
      if (key !== ':' || target.acts) sayKey(session, target.command, 'for: ');
      else runCommand(session, target.command);
      return;
    }
    case 'ticket':
      openLine(session, target.order);
      return;
    case 'unfinished':
      return;
    case 'theme':
      keepTheme(session, target.name);
      return;
    case 'zone':
      session.ui.setState({ chosenZone: target.name });
      say(session, `times are of ${zoneName()}, here and whenever you come back`);
      return;
    case 'mouse':
      session.ui.setState({ chosenMouse: target.choice });
      say(session, mouseWords(target.choice, session.plain));
      return;
    case 'symbol':
      session.ui.setState(({ overview }) => ({
        screen: 'overview',
        watch: { id: target.id, index: 0 },
        overview: { ...overview, looksAt: true },
      }));
      return;
    case 'market': {
      const price = deskState(session)?.prices[target.id];
      if (price) openMarketOf(session, price);
      return;
    }
    case 'only':
      lookAtOnly(session, target.account);
      return;
    case 'watch':
      watchSymbol(session, target.id);
      return;
    case 'unwatch':
      unwatchSymbol(session, target.id);
      return;
    case 'watchlist':
      showWatchlist(session, target.name);
      return;
    case 'bot':
      showBot(session, target.id);
      return;
    case 'order':
      showOrderRow(session, target.id);
  }
}

function goTo(session: Session, place: Place): void {
  const { places } = session.ui.getState().parts;
  const { of: screen = place as ScreenId, show } = places[place];
  showScreen(session, screen);
  if (show) {
    show(session);
    return;
  }
  // Leave the views that have taken the place of the screen; one may be in the place of another.
  for (let n = 0; n < Object.keys(places).length; n++) {
    const inView = placeOf(session.ui.getState());
    if (inView === place) return;
    places[inView].leave?.(session);
  }
}

function sayKey(session: Session, command: CommandId, toOrFor: 'to ' | 'for: '): void {
  const label = session.bindings.find((binding) => binding.command === command)?.label ?? command;
  say(session, `press ${keyOf(session.bindings, command)} ${toOrFor}${label}`);
}

function showOrderRow(session: Session, id: string): void {
  if (!deskState(session)?.orders[id]) {
    say(session, 'that order is not a recent one any more', 'warn');
    return;
  }
  session.ui.setState(({ orders, trades }) => ({
    screen: 'orders',
    trades: { ...trades, open: false },
    orders: {
      ...orders,
      filter: '',
      filtering: false,
      pane: 'list',
      selection: { id, index: 0 },
      detailOffset: 0,
    },
  }));
  if (session.ui.getState().orders.detailOpen) void loadDetail(session);
}

/** Stores the theme for the operator; the configuration file remains unchanged. */
function keepTheme(session: Session, name: string): void {
  const { theme, problem } = read(session, name);
  if (theme) session.ui.setState({ theme, chosenTheme: name });
  if (problem) say(session, problem, 'warn');
  else say(session, `theme ${name}, here and whenever you come back`);
}
