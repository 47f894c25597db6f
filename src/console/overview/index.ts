/** The Overview: watchlist, equity and what is urgent; each part leads to its screen. */
import type { Feature } from '../app/feature.ts';
import { readWatchlists } from '../trading/watchlists.ts';
import { moveOverview, nextPart, openOverview, overviewCursor, withCursorOf } from './commands.ts';
import { OverviewScreen } from './OverviewScreen.tsx';
import { FIRST_OVERVIEW, partRows } from './overview-parts.ts';
import { moveWatched, nextWatchlist, unwatchSelected } from './watchlist-commands.ts';

export const OVERVIEW = {
  state: { overview: FIRST_OVERVIEW },
  commands: {
    'pane.previous': (s) => nextPart(s, -1),
    'watchlist.next': nextWatchlist,
    'watchlist.remove': unwatchSelected,
    'watchlist.raise': (s) => moveWatched(s, -1),
    'watchlist.lower': (s) => moveWatched(s, 1),
  },
  memory: [
    {
      name: 'watchlists',
      differs: (ui, before) => ui.watchlists !== before.watchlists,
      kept: (ui) => ui.watchlists,
      restored: (_, kept) => ({ watchlists: readWatchlists(kept) }),
    },
  ],
  places: {
    overview: {
      id: 'overview',
      digit: '1',
      title: 'Overview',
      View: OverviewScreen,
      cursor(session, state) {
        const { part, selection } = overviewCursor(session);
        return {
          name: `overview ${part}`,
          rows: partRows(state, part, session.ui.getState().watchlists),
          selection,
          moved: (ui, to) => ({ ...ui, ...withCursorOf(ui, part, to) }),
        };
      },
      isOtherCursor: (ui, before) =>
        ui.overview !== before.overview || ui.watch !== before.watch || ui.watchlists !== before.watchlists,
      move: moveOverview,
      open: openOverview,
      nextPane: (session) => nextPart(session, 1),
    },
  },
} satisfies Feature;
