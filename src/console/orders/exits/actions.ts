/**
 * Carries out a confirmed entry with exits, or a confirmed pair for a position or holding. Called by
 * `confirm.ts` only.
 */
import type { Feature } from '../../app/feature.ts';
import { ask, refused, tell } from '../../app/session.ts';
import { settle } from '../../dialogs/settle.ts';
import { answered, sending } from '../ticket/drafts.ts';

export const EXITS_ACTIONS = {
  async exits(session, action, form) {
    sending(session, form);
    const outcome = await ask(session, 'bots.manage', { bot: action.bot });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    answered(session, form, outcome?.ok === true);
    if (!outcome?.ok) return;
    const { symbol } = action.bot.settings;
    tell(session, `${String(symbol)}: exits are watched, one cancels the other · ${outcome.data.id}`, 'ok');
  },
  async 'exits-off'(session, action, form) {
    const { bot, runId, symbol } = action;
    const outcome = await ask(session, 'bots.stop', { id: bot, runId, way: {} });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    if (outcome?.ok) tell(session, `${symbol}: its exits are not watched any more`, 'warn');
  },
} satisfies Feature['actions'];
