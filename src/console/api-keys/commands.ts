/** Commands of the Keys screen. The private key does not pass through here: the desk writes it to a file. */
import type { KeyExample } from '../../desk/console/protocol.ts';
import { ask, openDialog, patchDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { markedIn } from '../lists/list-views.ts';
import { topDialog } from '../state/ui.ts';
import { confirmKey, confirmRevoke, confirmRevokeMarked } from './key-confirmations.ts';
import type { KeyForm } from './key-draft.ts';
import { EMPTY_KEY, type KeyMode, keySettings, placeOf, readPublicKey } from './key-draft.ts';
import { selectedKey } from './key-list.ts';

export function openKeyForm(session: Session, mode: KeyMode): void {
  openDialog(session, {
    kind: 'key-form',
    mode,
    draft: EMPTY_KEY,
    field: 'label',
    problems: [],
    checked: null,
    tried: false,
    refusal: null,
  });
  session.fieldChanged('key-form');
}

/** Asks the desk to check the form's settings. */
function askAbout(session: Session, { mode, draft }: KeyForm) {
  const publicKey = mode === 'paste' ? { publicKey: readPublicKey(draft.publicKey) } : {};
  return ask(session, 'keys.check', { ...keySettings(draft), ...publicKey });
}

/** Checks the form while it is typed; the response counts only if the draft is still the same. */
export async function checkKey(session: Session): Promise<void> {
  const form = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'key-form');
  if (!form) return;
  const { draft } = form;
  const problems = await askAbout(session, form);
  if (problems)
    patchDialog(session, 'key-form', (now) => (now.draft === draft ? { problems, checked: draft } : {}));
}

/** Checks once more, then opens the confirmation or shows the first problem; not if the draft has changed. */
export async function reviewKey(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'key-form') return;
  const { draft, mode } = form;
  const problems = await askAbout(session, form);
  const state = wholeDesk(session);
  const top = topDialog(session.ui.getState());
  if (!problems || !state || top?.kind !== 'key-form' || top.draft !== draft) return;
  const first = problems[0];
  patchDialog(session, 'key-form', ({ field }) => ({
    problems,
    checked: draft,
    tried: true,
    field: first ? placeOf(first) : field,
  }));
  if (first) return;
  const settings = keySettings(draft);
  const action =
    mode === 'generate'
      ? ({ type: 'generate', settings } as const)
      : ({ type: 'register', settings, publicKey: readPublicKey(draft.publicKey) } as const);
  openDialog(session, confirmKey(state, action));
}

function current(session: Session) {
  const state = wholeDesk(session);
  const key = state ? selectedKey(state, session.ui.getState().keys) : null;
  return state && key ? { state, key } : null;
}

/** Asks to revoke the marked keys, or the key under the cursor if none is marked. */
export function revokeKey(session: Session): void {
  const state = wholeDesk(session);
  const marked = state ? markedIn(state, session.ui.getState(), 'keys') : [];
  if (state && marked.length > 0) {
    const keys = state.keys.filter(({ id }) => marked.includes(id));
    openDialog(session, confirmRevokeMarked(state, keys));
    return;
  }
  const chosen = current(session);
  if (!chosen) say(session, 'nothing to revoke: no key is selected', 'warn');
  else if (chosen.key.revokedAt !== null) say(session, 'this key is already revoked', 'warn');
  else openDialog(session, confirmRevoke(chosen.state, chosen.key));
}

export function copyKeyId(session: Session): void {
  const chosen = current(session);
  if (!chosen) return;
  session.copy(chosen.key.id);
  say(session, `copied ${chosen.key.id}`);
}

/** Loads the worked example of the key in the pane, anew each time the key is opened. */
export async function loadExample(session: Session, id: string): Promise<void> {
  const example = hereTried(session, await ask(session, 'keys.example', { id }));
  if (!example || current(session)?.key.id !== id) return;
  session.ui.setState(({ keys }) => ({ keys: { ...keys, example: { ...example, id } } }));
}

/** Returns the example with a command that starts the program as it was started here. */
export function hereTried<E extends KeyExample | null>(session: Session, example: E): E {
  return example === null
    ? example
    : { ...example, command: example.command.replace(/^outcry(?= )/, session.program) };
}
