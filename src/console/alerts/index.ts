/** Alerts: what bots tell, deliveries, the bell of this terminal. */
import type { Feature } from '../app/feature.ts';
import type { Session } from '../app/session.ts';
import { listCommands } from '../lists/list-commands.ts';
import { AlertsScreen } from './AlertsScreen.tsx';
import { ALERT_SORTS, FIRST_ALERTS, ringing, shownAlerts, unseen } from './alert-list.ts';
import { markAllSeen, markSeen, muteBell, openAlert, openMutes, showAlertBot } from './commands.ts';
import { ALERT_MUTE } from './forms.ts';

/** Rings once for all that came together; what was there at the first look is old. */
function ring(session: Session): () => void {
  return session.desk.subscribe(({ state }, { state: before }) => {
    // What a locked terminal did not have is not new.
    if (!state || before?.me?.locked || session.ui.getState().alerts.muted) return;
    if (ringing(before?.alerts ?? null, state.alerts).length > 0) session.ring();
  });
}

export const ALERTS = {
  state: { alerts: FIRST_ALERTS },
  forms: { 'alert-mute': ALERT_MUTE },
  commands: {
    ...listCommands('alerts'),
    'alert.seen': markSeen,
    'alerts.seen': markAllSeen,
    'alert.bot': showAlertBot,
    'alerts.mute': muteBell,
    'alerts.mute-some': openMutes,
  },
  places: {
    alerts: {
      id: 'alerts',
      digit: '8',
      title: 'Alerts',
      View: AlertsScreen,
      badge: ({ alerts }) => unseen(alerts),
      list: { sorts: ALERT_SORTS, rows: (state, { alerts }) => shownAlerts(state, alerts) },
      open: openAlert,
    },
  },
  start: ring,
} satisfies Feature;
