/** The Overview: watchlist, equity, what is urgent, and the way from each to its screen. */
import type { Feature } from '../app/feature.ts';
import { moveOverview, nextPart, openOverview, overviewCursor, withCursorOf } from './commands.ts';
import { OverviewScreen } from './OverviewScreen.tsx';
import { FIRST_OVERVIEW, partRows } from './overview-parts.ts';

export const OVERVIEW = {
  state: { overview: FIRST_OVERVIEW },
  commands: { 'pane.previous': (s) => nextPart(s, -1) },
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
          rows: partRows(state, part),
          selection,
          moved: (ui, to) => ({ ...ui, ...withCursorOf(ui, part, to) }),
        };
      },
      isOtherCursor: (ui, before) => ui.overview !== before.overview || ui.watch !== before.watch,
      move: moveOverview,
      open: openOverview,
      nextPane: (session) => nextPart(session, 1),
    },
  },
} satisfies Feature;
