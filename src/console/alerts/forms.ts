/** The dialog of the Alerts screen. */

import type { FormKind } from '../forms/form.ts';
import { type MuteForm, muteRows } from './alert-mutes.ts';
import { toggleMute } from './commands.ts';
import { MuteView } from './MuteView.tsx';

export const ALERT_MUTE: FormKind<MuteForm> = {
  kind: 'alert-mute',
  View: MuteView,
  scopes: () => ['mute'],
  fields: (_, state) => (state ? muteRows(state).map(({ key }) => key) : []),
  choose: (session) => void toggleMute(session),
};
