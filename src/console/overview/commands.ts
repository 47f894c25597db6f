/** Moving around on the Overview: part by part, row by row, and from a row to its screen. */

import { showScreen } from '../app/navigation.ts';
import { deskState, type Session, say } from '../app/session.ts';
import { showBot } from '../bots/commands.ts';
import { moved, selectedIndex } from '../lists/cursor.ts';
import { showRow } from '../lists/list-commands.ts';
import { openMarketOf } from '../market/commands.ts';
import { goToOrder } from '../orders/commands.ts';
import { bodyRows, type Selection, type UiState } from '../state/ui.ts';
import {
  focusable,
  focusedPart,
  logRows,
  type OverviewPart,
  overviewCounts,
  overviewLayout,
  partRows,
} from './overview-parts.ts';

const TOP: Selection = { id: null, index: 0 };

function layoutOf(session: Session) {
  const state = deskState(session);
  const ui = session.ui.getState();
  return state ? overviewLayout(overviewCounts(state, ui.watchlists), ui.columns, bodyRows(ui)) : null;
}

/** The part with the focus and its selection. */
export function overviewCursor(session: Session): { part: OverviewPart; selection: Selection } {
  const { overview, watch } = session.ui.getState();
  const layout = layoutOf(session);
  const part = layout ? focusedPart(overview.part, layout) : 'watch';
  return { part, selection: part === 'watch' ? watch : (overview.selections[part] ?? TOP) };
}

export function nextPart(session: Session, by: number): void {
  const layout = layoutOf(session);
  if (!layout) return;
  const parts = focusable(layout);
  const at = parts.indexOf(overviewCursor(session).part);
  const part = parts[(at + by + parts.length) % parts.length] ?? 'watch';
  session.ui.setState(({ overview }) => ({ overview: { ...overview, part } }));
}

export function moveOverview(session: Session, by: number): void {
  const state = deskState(session);
  if (!state) return;
  const { part, selection } = overviewCursor(session);
  const next = moved(partRows(state, part, session.ui.getState().watchlists), selection, by);
  session.ui.setState((ui) => ({
    ...withCursorOf(ui, part, next),
    ...(part === 'watch' ? { overview: { ...ui.overview, looksAt: true } } : {}),
  }));
}

/** The change of state when the cursor of a part moves. */
export function withCursorOf(
  { overview }: Pick<UiState, 'overview'>,
  part: OverviewPart,
  selection: Selection,
): Partial<UiState> {
  if (part === 'watch') return { watch: selection };
  return { overview: { ...overview, selections: { ...overview.selections, [part]: selection } } };
}

/** Opens the screen of the row under the cursor, with that row selected there. */
export function openOverview(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const { part, selection } = overviewCursor(session);
  const rows = partRows(state, part, session.ui.getState().watchlists);
  const id = rows[selectedIndex(rows, selection)]?.id;
  if (part === 'equity') showScreen(session, 'portfolio');
  else if (id === undefined) say(session, 'nothing is selected');
  else jump(session, part, id);
}

function jump(session: Session, part: OverviewPart, id: string): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  switch (part) {
    case 'watch': {
      const price = state?.prices[id];
      if (price) openMarketOf(session, price);
      return;
    }
    case 'orders':
    case 'unresolved':
      goToOrder(session, id);
      return;
    case 'bots':
      showBot(session, id);
      return;
    case 'positions':
      showRow(session, 'positions', id, { pane: 'list', detailOpen: true, detailOffset: 0 });
      return;
    case 'links':
      showRow(session, 'accounts', id, { pane: 'list' });
      return;
    case 'alerts':
      showRow(session, 'alerts', id);
      return;
    case 'log': {
      const line = logRows(state?.log ?? []).find((row) => row.id === id)?.line ?? null;
      session.ui.setState({ screen: 'log', log: { ...ui.log, line } });
      return;
    }
    default:
  }
}
