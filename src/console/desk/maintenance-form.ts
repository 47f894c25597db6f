/** The confirmation of the maintenance switch. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { question } from '../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../state/ui.ts';

/** `message`: what the API tells callers, empty for the general sentence; null ends the maintenance. */
export function confirmMaintenance(state: DeskState, message: string | null): ConfirmDialog {
  const on = message !== null;
  const keys = state.keys.filter((key) => key.revokedAt === null).length;
  const rows: InfoRow[] = [
    { name: 'API', value: state.desk.apiUrl },
    on
      ? {
          name: 'answers',
          value: '503 SERVICE_UNAVAILABLE to every signed request and new socket',
          tone: 'warn',
        }
      : { name: 'answers', value: 'as ever', tone: 'ok' },
    {
      name: 'told',
      value: on ? message || 'that it is under maintenance' : (state.maintenance ?? 'nothing'),
    },
    { name: 'keys', value: `${keys} active` },
    { name: 'go on', value: 'consoles, resting orders, /server/*, open sockets' },
  ];
  return question(state, {
    title: on ? 'Maintenance on' : 'Maintenance off',
    rows,
    next: on
      ? 'Programs are turned away until it is switched off here or the desk is started anew.'
      : 'Programs are served again at once.',
    verb: on ? 'turn the API away' : 'serve the API again',
    action: { type: 'maintenance', message },
  });
}

export interface MaintenanceForm {
  readonly kind: 'maintenance-form';
  readonly message: string;
  readonly focus: 'message' | 'review';
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly maintenance: MaintenanceForm;
  }
  interface Actions {
    /** The message to callers that the API refuses; null ends the maintenance. */
    readonly maintenance: { readonly type: 'maintenance'; readonly message: string | null };
  }
}
