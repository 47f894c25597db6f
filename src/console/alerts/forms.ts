/** The dialog of the Alerts screen. */
import { toggleMute } from '../commands/alerts.ts';
import { MuteView } from '../dialogs/MuteView.tsx';
import type { FormKind } from '../forms/form.ts';
import { type MuteForm, muteRows } from '../model/alert-mutes.ts';

export const ALERT_MUTE: FormKind<MuteForm> = {
  kind: 'alert-mute',
  View: MuteView,
  scopes: () => ['mute'],
  fields: (_, state) => (state ? muteRows(state).map(({ key }) => key) : []),
  choose: (session) => void toggleMute(session),
};
