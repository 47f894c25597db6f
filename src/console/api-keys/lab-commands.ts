/** Commands of the signing lab: ask the desk which rule refuses a request. Changes nothing anywhere. */

import { ask, openDialog, patchDialog, type Session, say, wholeDesk } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import { EMPTY_LAB, LAB_LIMIT, LAB_METHODS, labRequest } from './key-lab.ts';
import { selectedKey } from './key-list.ts';

export function openLab(session: Session): void {
  const state = wholeDesk(session);
  const key = state ? selectedKey(state, session.ui.getState().keys) : null;
  if (!key) {
    say(session, 'no key is selected', 'warn');
    return;
  }
  const { id, label } = key;
  openDialog(session, {
    kind: 'lab-form',
    id,
    label,
    draft: EMPTY_LAB,
    focus: 'method',
    report: null,
    judged: null,
  });
}

/** Judges the draft; the response counts only if the draft is still the same. */
export async function judgeLab(session: Session): Promise<void> {
  const form = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'lab-form');
  const request = form ? labRequest(form) : null;
  if (!form || !request || form.draft.body.length > LAB_LIMIT) return;
  const { draft } = form;
  const report = await ask(session, 'keys.explain', request);
  if (report)
    patchDialog(session, 'lab-form', (now) => (now.draft === draft ? { report, judged: draft } : {}));
}

export function chooseInLab(session: Session, by: number): void {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'lab-form' || form.focus !== 'method') return;
  const at = LAB_METHODS.indexOf(form.draft.method) + by;
  const method = LAB_METHODS[(at + LAB_METHODS.length) % LAB_METHODS.length] ?? 'GET';
  patchDialog(session, 'lab-form', ({ draft }) => ({ draft: { ...draft, method } }));
  session.fieldChanged('lab-form');
}

/** Shows the private key in the notice, once; only the notice holds it, until the notice closes. */
export async function revealKey(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.keyId === undefined) return;
  const { keyId } = dialog;
  patchDialog(session, 'notice', () => ({ keyId: undefined }));
  const outcome = await ask(session, 'keys.reveal', { id: keyId });
  if (!outcome) return;
  if (!outcome.ok) {
    say(session, outcome.error.message, 'warn');
    return;
  }
  const { pem } = outcome.data;
  patchDialog(session, 'notice', (now) =>
    now.title === dialog.title
      ? {
          offset: 0,
          lines: [
            { text: 'Private key: shown this once; whoever has it can sign', tone: 'danger' },
            ...pem
              .trimEnd()
              .split('\n')
              .map((text) => ({ text })),
            { text: '' },
            ...now.lines,
          ],
        }
      : {},
  );
}
