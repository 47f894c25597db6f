/** Carries out the confirmed dialogs of operators and sessions. Called by `confirm.ts` only. */
import type { Outcome } from '../../domain/errors.ts';
import { ask, openDialog, type Session, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';
import type { Dialog } from '../state/ui.ts';
import { readPeople } from './commands.ts';
import { loginLines } from './operator-list.ts';
import type { PeopleAction } from './people-page.ts';

/** `form`: the confirmed form. */
export async function performPeople(
  session: Session,
  action: PeopleAction,
  form: Dialog | null,
): Promise<void> {
  switch (action.type) {
    case 'operator-set': {
      const { replace } = action;
      const outcome = await ask(session, 'operators.set', {
        ...action.form,
        ...(replace ? { replace } : {}),
      });
      if (!settled(session, action, form, outcome) || !outcome?.ok) return;
      const { name, role, key } = outcome.data;
      tell(
        session,
        replace ? `${name} is ${role}` : `${name} may log in as ${role} with ${key.fingerprint}`,
        'ok',
      );
      const { ssh } = session.ui.getState().operators;
      if (!replace && ssh)
        openDialog(session, {
          kind: 'notice',
          title: `How ${name} logs in`,
          lines: loginLines(name, ssh),
          offset: 0,
        });
      break;
    }
    case 'operator-remove': {
      const outcome = await ask(session, 'operators.remove', { name: action.name });
      if (settled(session, action, form, outcome))
        tell(session, `${action.name} is no operator any more`, 'ok');
      break;
    }
    case 'session-end': {
      const { id, name, reason } = action;
      const outcome = await ask(session, 'sessions.end', { id, ...(reason === '' ? {} : { reason }) });
      if (settled(session, action, form, outcome)) tell(session, `${id} of ${name} is ended`, 'ok');
    }
  }
  await readPeople(session);
}

function settled(
  session: Session,
  action: PeopleAction,
  form: Dialog | null,
  outcome: Outcome<unknown> | null,
): boolean {
  const problem = outcome === null ? 'no answer' : outcome.ok ? null : `refused: ${outcome.error.message}`;
  settle(session, action, form, problem);
  if (problem !== null) tell(session, problem, 'danger');
  return problem === null;
}
