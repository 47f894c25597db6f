/** Commands of the Bots screen's open forms: a stop, a stop rule, a tag; their fields, choices and checks. */

import {
  ask,
  closeDialog,
  deskState,
  openDialog,
  patchDialog,
  type Session,
  say,
  tell,
} from '../app/session.ts';
import { nextOf } from '../forms/moving.ts';
import { topDialog } from '../state/ui.ts';
import { marketNow, trades } from '../trading/bots.ts';
import { confirmRule } from './bot-confirmations.ts';
import {
  type BotRuleForm,
  type BotStopForm,
  CLEANUPS,
  RULE_ORDERS,
  RULE_STRATEGIES,
  STOP_COMMANDS,
} from './bot-forms.ts';
import { ruleParams, ruleProblem } from './bot-rules.ts';
import { confirmStop } from './bot-stop.ts';
import { withRule } from './commands.ts';
import { checkText } from './new-bot.ts';

/** Runs the live check of the open form; a response counts only for the form it was requested for. */
export async function checkBot(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind === 'bot-form') await checkText(session, dialog);
  else if (dialog?.kind === 'bot-stop') {
    const [run] = dialog.runs;
    if (!run || dialog.runs.length > 1) return;
    const detail = await ask(session, 'bots.detail', { id: run[0] });
    patchDialog(session, 'bot-stop', (now) => (now.runs === dialog.runs ? { detail } : {}));
  } else if (dialog?.kind === 'bot-rule') {
    const detail = await ask(session, 'bots.detail', { id: dialog.id });
    patchDialog(session, 'bot-rule', (now) => {
      if (now.id !== dialog.id) return {};
      // Only the first response sets values: later ones must not overwrite what is typed.
      if (now.detail === null) return withRule({ ...now, detail });
      const chosen = JSON.stringify(now.detail.live?.stops[now.rule]?.rule);
      const rule = detail?.live?.stops.findIndex((stop) => JSON.stringify(stop.rule) === chosen) ?? -1;
      // The chosen rule may be gone.
      return rule < 0 ? withRule({ ...now, detail, rule: 0 }) : { detail, rule };
    });
  }
}

export function reviewStop(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'bot-stop') return;
  const bot = state.bots[form.runs[0]?.[0] ?? ''];
  if (form.runs.length === 1 && form.detail === null && bot && trades(bot)) {
    say(session, 'still asking what it holds; press again');
    // Not delayed: while a key repeats, a delayed request would never be sent.
    void checkBot(session);
    return;
  }
  openDialog(session, confirmStop(state, form));
}

export function reviewRule(session: Session): void {
  const state = deskState(session);
  const form = topDialog(session.ui.getState());
  if (!state || form?.kind !== 'bot-rule') return;
  const bot = state.bots[form.id];
  const stops = form.detail?.live?.stops ?? [];
  const problem = bot ? ruleProblem(form, stops) : 'the bot is gone';
  if (problem !== null || !bot) {
    say(session, problem ?? '', 'warn');
    return;
  }
  const params = ruleParams(form, stops, marketNow(state, session.wall()));
  openDialog(session, confirmRule(state, bot, form, params));
}

/** Saves a tag without a confirmation, since nothing depends on it; the message names the old one. */
export async function saveTag(session: Session): Promise<void> {
  const form = topDialog(session.ui.getState());
  if (form?.kind !== 'bot-tag') return;
  const tag = form.value.trim();
  const before = deskState(session)?.bots[form.id]?.tag;
  const outcome = await ask(session, 'bots.tag', { id: form.id, tag });
  if (!outcome) return;
  if (!outcome.ok) {
    patchDialog(session, 'bot-tag', () => ({ refusal: outcome.error.message }));
    return;
  }
  if (topDialog(session.ui.getState())?.kind === 'bot-tag') closeDialog(session);
  const was = before === undefined ? '' : `; it was "${before}"`;
  tell(session, tag === '' ? `tag taken off${was}` : `tagged "${tag}"${was}`, 'ok');
}

/** Handles left and right in the form of a stop. */
export function chooseInStop(session: Session, { focus }: BotStopForm, by: number): void {
  patchDialog(session, 'bot-stop', ({ cleanup, sell, force }) => ({
    ...(focus === 'cleanup' ? { cleanup: nextOf(CLEANUPS, cleanup, by) } : {}),
    ...(focus === 'sell' ? { sell: !sell } : {}),
    ...(focus === 'force' ? { force: !force } : {}),
  }));
  // The bot's position may have changed meanwhile.
  session.fieldChanged('bot-stop');
}

/** Handles left and right in the form of a stop rule. */
export function chooseInRule(session: Session, _: BotRuleForm, by: number): void {
  patchDialog(session, 'bot-rule', (form) => ({ ...chosenInRule(form, by), refusal: null }));
}

function chosenInRule(form: BotRuleForm, by: number): BotRuleForm {
  switch (form.focus) {
    case 'command':
      return withRule({ ...form, command: nextOf(STOP_COMMANDS, form.command, by), rule: 0 });
    case 'rule': {
      const count = form.detail?.live?.stops.length ?? 0;
      return count === 0 ? form : withRule({ ...form, rule: (form.rule + by + count) % count });
    }
    case 'strategy':
      return { ...form, strategy: nextOf(RULE_STRATEGIES, form.strategy, by) };
    case 'trigger':
      return { ...form, trigger: form.trigger === 'kline' ? 'exchange' : 'kline' };
    case 'order':
      return { ...form, order: nextOf(RULE_ORDERS, form.order, by) };
    case 'complete':
    case 'closed':
    case 'disabled':
      return { ...form, [form.focus]: !form[form.focus] };
    default:
      return form;
  }
}
