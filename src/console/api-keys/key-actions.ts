/** What the confirmed dialogs of the Keys screen do on the desk. Called only by `confirm.ts`. */
import type { KeyExample } from '../../desk/console/protocol.ts';
import type { AccessKey } from '../../domain/access-key.ts';
import type { Feature } from '../app/feature.ts';
import { ask, openDialog, refused, type Session, tell, wholeDesk } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import { type ItemResult, resultNotice } from '../lists/still-table.ts';
import type { Action, Dialog } from '../state/ui.ts';
import { counted } from '../ui/format.ts';
import { hereTried } from './commands.ts';
import { newKeyLines } from './key-detail.ts';

export const KEY_ACTIONS = {
  generate: registerKey,
  register: registerKey,
  async revoke(session, action, form) {
    const outcome = await ask(session, 'keys.revoke', { id: action.id });
    settle(session, action, form, null);
    if (refused(session, outcome) !== null || !outcome?.ok) return;
    const sockets = outcome.data.closedSockets;
    tell(session, `revoked ${outcome.data.key.label}; ${counted(sockets, 'socket')} closed`, 'ok');
  },
  async 'revoke-marked'(session, action) {
    const known = new Map(wholeDesk(session)?.keys.map((key) => [key.id, key]));
    const results: ItemResult[] = [];
    for (const id of action.ids) {
      const outcome = await ask(session, 'keys.revoke', { id });
      const text = outcome?.ok
        ? `revoked; ${counted(outcome.data.closedSockets, 'socket')} closed`
        : (outcome?.error.message ?? 'no answer');
      results.push({
        id: id.slice(0, 8),
        name: known.get(id)?.label ?? '',
        good: outcome?.ok === true,
        text,
      });
    }
    settle(session, action, null, null);
    const done = results.filter(({ good }) => good).length;
    const all = counted(results.length, 'key');
    tell(session, `${done} of ${all} revoked`, done < results.length ? 'danger' : 'ok');
    openDialog(session, {
      kind: 'notice',
      title: `Revoked ${done} of ${all}`,
      offset: 0,
      ...resultNotice('key', results),
    });
  },
} satisfies Feature['actions'];

async function registerKey(
  session: Session,
  action: Extract<Action, { type: 'generate' | 'register' }>,
  form: Dialog | null,
): Promise<void> {
  const { settings } = action;
  const outcome =
    action.type === 'generate'
      ? await ask(session, 'keys.generate', settings)
      : await ask(session, 'keys.register', { ...settings, publicKey: action.publicKey });
  const problem = refused(session, outcome);
  settle(session, action, form, problem);
  if (!outcome?.ok) return;
  if ('path' in outcome.data) {
    const { key, path, example } = outcome.data;
    showNewKey(session, key, path, example);
    return;
  }
  const key = outcome.data;
  tell(session, `registered ${key.label} (${key.id.slice(0, 8)})`, 'ok');
  const example = await ask(session, 'keys.example', { id: key.id });
  if (example && session.ui.getState().dialogs.length === 0) showNewKey(session, key, null, example);
}

/** Shows a new key with a worked example. `path`: the private key's file, if the key was made here. */
function showNewKey(session: Session, key: AccessKey, path: string | null, example: KeyExample): void {
  const selection = { id: key.id, index: 0 };
  session.ui.setState(({ keys }) => ({ keys: { ...keys, filter: '', selection } }));
  openDialog(session, {
    kind: 'notice',
    title: `Key ${key.label}, tier ${key.tier}`,
    offset: 0,
    lines: newKeyLines(key, path, hereTried(session, example)),
    keyId: path === null ? undefined : key.id,
  });
}
