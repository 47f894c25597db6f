/** The dialogs of the Alerts screen. */

import type { FormKind } from '../forms/form.ts';
import { type MuteForm, muteRows } from './alert-mutes.ts';
import { toggleMute } from './commands.ts';
import { MuteView } from './MuteView.tsx';
import { PriceAlertView } from './PriceAlertView.tsx';
import { setPriceAlert } from './price-alert-commands.ts';
import type { PriceAlertForm } from './price-alerts.ts';

export const ALERT_MUTE: FormKind<MuteForm> = {
  kind: 'alert-mute',
  View: MuteView,
  scopes: () => ['mute'],
  fields: (_, state) => (state ? muteRows(state).map(({ key }) => key) : []),
  choose: (session) => void toggleMute(session),
};

export const PRICE_ALERT: FormKind<PriceAlertForm> = {
  kind: 'price-alert',
  View: PriceAlertView,
  scopes: () => ['price-alert'],
  fields: () => ['price'],
  focus: () => 'price',
  enter(session) {
    void setPriceAlert(session);
    return true;
  },
  text: ({ value, busy }) => (busy ? null : { id: 'price-alert', value }),
  withText: (dialog, value) => ({ ...dialog, value, refusal: null }),
};
