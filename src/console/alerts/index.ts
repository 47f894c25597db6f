/** The Alerts feature: alerts of bots, their deliveries, the bell of this terminal, and price alerts. */
import type { Feature } from '../app/feature.ts';
import type { Session } from '../app/session.ts';
import { listCommands, markCommands } from '../lists/list-commands.ts';
import { AlertsScreen } from './AlertsScreen.tsx';
import { ALERT_SORTS, FIRST_ALERTS, ringing, shownAlerts, unseen } from './alert-list.ts';
import { markAllSeen, markSeen, muteBell, openAlert, openMutes, showAlertBot } from './commands.ts';
import { ALERT_MUTE, PRICE_ALERT } from './forms.ts';
import {
  copyPrice,
  newPriceAlert,
  removeConfirmed,
  removePriceAlerts,
  togglePriceAlerts,
} from './price-alert-commands.ts';
import {
  FIRST_PRICE_ALERTS,
  PRICE_ALERT_SORTS,
  priceAlerts,
  selectedPriceAlert,
  shownPriceAlerts,
} from './price-alerts.ts';

/** Rings once for all alerts of one snapshot; those of the first snapshot are old. */
function ring(session: Session): () => void {
  return session.desk.subscribe(({ state }, { state: before }) => {
    // Alerts that appear because the terminal was unlocked are not new.
    if (!state || before?.me?.locked || session.ui.getState().alerts.muted) return;
    if (ringing(before?.alerts ?? null, state.alerts).length > 0) session.ring();
  });
}

export const ALERTS = {
  state: { alerts: FIRST_ALERTS, 'price-alerts': FIRST_PRICE_ALERTS },
  forms: { 'alert-mute': ALERT_MUTE, 'price-alert': PRICE_ALERT },
  actions: { 'price-alerts-remove': removeConfirmed },
  commands: {
    ...listCommands('alerts'),
    ...markCommands('alerts'),
    ...listCommands('price-alerts'),
    ...markCommands('price-alerts'),
    'alert.new': newPriceAlert,
    'alerts.prices': togglePriceAlerts,
    'price-alert.remove': removePriceAlerts,
    'price-alert.copy': copyPrice,
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
      view: (ui) => (ui['price-alerts'].open ? 'price-alerts' : null),
      list: {
        sorts: ALERT_SORTS,
        rows: (state, { alerts }) => shownAlerts(state, alerts),
        marks: ({ alerts }, id) => alerts.some((alert) => alert.id === id && !alert.seen),
      },
      market: (state, ui) => (ui['price-alerts'].open ? selectedPriceAlert(state, ui['price-alerts']) : null),
      open: openAlert,
    },
    'price-alerts': {
      id: 'price-alerts',
      of: 'alerts',
      title: 'Price alerts',
      list: {
        sorts: PRICE_ALERT_SORTS,
        rows: (state, ui) => shownPriceAlerts(state, ui['price-alerts']),
        marks: (state, id) => priceAlerts(state).some((alert) => alert.id === id),
      },
      leave: togglePriceAlerts,
      show: (session) => {
        if (!session.ui.getState()['price-alerts'].open) togglePriceAlerts(session);
      },
    },
  },
  start: ring,
} satisfies Feature;
