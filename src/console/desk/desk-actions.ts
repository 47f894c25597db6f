/** What the confirmed dialogs about the desk itself do. Called only by `confirm.ts`. */
import type { Feature } from '../app/feature.ts';
import { ask, refused, type Session, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import type { Action, Dialog } from '../state/ui.ts';
import { leave } from './commands.ts';

export const DESK_ACTIONS = {
  maintenance: switchMaintenance,
  async 'vault-lock'(session, action, form) {
    const outcome = await ask(session, 'vault.lock', {});
    settle(session, action, form, null);
    if (refused(session, outcome) === null) tell(session, 'the vault is locked', 'ok');
  },
  'stop-desk': (session) => leave(session, 'stop'),
} satisfies Feature['actions'];

async function switchMaintenance(
  session: Session,
  action: Extract<Action, { type: 'maintenance' }>,
  form: Dialog | null,
): Promise<void> {
  const { message } = action;
  const on = message !== null;
  const outcome = await ask(session, 'desk.maintenance', { on, ...(on ? { message } : {}) });
  const problem = refused(session, outcome);
  settle(session, action, form, problem);
  if (problem === null)
    tell(session, `maintenance ${on ? 'on: the API turns programs away' : 'off: the API serves'}`, 'ok');
}
