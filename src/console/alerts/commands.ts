/** Commands of the Alerts screen: open an alert, mark alerts as seen, mute this terminal's bell. */

import { ask, deskState, openDialog, type Session, say, tell } from '../app/session.ts';
import { showBot } from '../bots/commands.ts';
import { markedIn, withMarks } from '../lists/list-views.ts';
import { topDialog } from '../state/ui.ts';
import { alertLines, selectedAlert, shownAlerts } from './alert-list.ts';
import { muteRows } from './alert-mutes.ts';

function current(session: Session) {
  const state = deskState(session);
  return state ? selectedAlert(state, session.ui.getState().alerts) : null;
}

/** Opens all details of one alert and marks it as seen. */
export function openAlert(session: Session): void {
  const state = deskState(session);
  const alert = current(session);
  if (!state || !alert) return;
  const { ui } = session;
  ui.setState(({ alerts }) => ({ alerts: { ...alerts, selection: { ...alerts.selection, id: alert.id } } }));
  openDialog(session, {
    kind: 'notice',
    title: `Alert, ${alert.symbol}`,
    offset: 0,
    lines: alertLines(alert, state.bots, session.wall()),
    botId: state.bots[alert.botId] ? alert.botId : undefined,
  });
  if (!alert.seen) void ask(session, 'alerts.seen', { ids: [alert.id] });
}

/** Sets the marked alerts, or the one under the cursor, to seen. */
export function markSeen(session: Session): void {
  const state = deskState(session);
  const marked = state ? markedIn(state, session.ui.getState(), 'alerts') : [];
  if (marked.length > 0) {
    void ask(session, 'alerts.seen', { ids: marked });
    session.ui.setState((ui) => withMarks(ui, 'alerts', []));
    return;
  }
  const alert = current(session);
  if (!alert) say(session, noAlert(session), 'warn');
  else if (alert.seen) say(session, 'seen already');
  else void ask(session, 'alerts.seen', { ids: [alert.id] });
}

/** Marks all shown alerts as seen; alerts that a filter hides stay new. */
export function markAllSeen(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const { alerts: view } = session.ui.getState();
  const fresh = shownAlerts(state, view).filter(({ seen }) => !seen);
  const which = view.filter === '' ? 'all alerts' : 'all that the filter shows';
  if (fresh.length === 0) say(session, `${which} are seen`);
  else void ask(session, 'alerts.seen', { ids: fresh.map(({ id }) => id) });
}

/** Says why no alert is selected. */
function noAlert(session: Session): string {
  return deskState(session)?.alerts.length === 0 ? 'no alerts' : 'the filter hides all alerts';
}

export function showAlertBot(session: Session): void {
  const alert = current(session);
  if (alert) showBot(session, alert.botId);
}

/** Switches the bell of this terminal; other terminals and deliveries are not affected. */
export function muteBell(session: Session): void {
  const { alerts } = session.ui.getState();
  const muted = !alerts.muted;
  session.ui.setState({ alerts: { ...alerts, muted } });
  say(session, muted ? 'this terminal does not ring any more' : 'this terminal rings again');
}

/** Opens the list of what can be muted, on the bot of the alert under the cursor. */
export function openMutes(session: Session): void {
  const state = deskState(session);
  if (!state) return;
  const rows = muteRows(state);
  const botId = current(session)?.botId;
  const own = rows.find(({ kind, id }) => kind === 'bot' && id === botId) ?? rows[0];
  openDialog(session, { kind: 'alert-mute', focus: own?.key ?? '' });
}

/** Switches the mute at once, for every terminal: it is easily undone. */
export async function toggleMute(session: Session): Promise<void> {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'alert-mute') return;
  const row = muteRows(state).find(({ key }) => key === dialog.focus);
  if (!row) return;
  const outcome = await ask(session, 'alerts.mute', { kind: row.kind, id: row.id, on: !row.muted });
  if (outcome && !outcome.ok) tell(session, `refused: ${outcome.error.message}`, 'danger');
}
