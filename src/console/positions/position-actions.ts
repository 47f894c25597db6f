/** What the confirmed dialogs of the Positions screen do on the desk. Called by `confirm.ts` only. */
import type { Feature } from '../app/feature.ts';
import { ask, refused, tell } from '../app/session.ts';
import { settle } from '../dialogs/settle.ts';

export const POSITION_ACTIONS = {
  async futures(session, action, form) {
    const { exchange, setting, done } = action;
    const outcome = await ask(session, 'futures.set', { exchange, setting });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    if (problem === null) tell(session, done, 'ok');
  },
} satisfies Feature['actions'];
