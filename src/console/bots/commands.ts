/** Commands of the Bots screen: selecting, marking, and opening its dialogs. Changes nothing on the desk. */
import type { BotView } from '../../desk/console/protocol.ts';
import {
  ask,
  closeDialog,
  deskState,
  lookAlsoAt,
  openDialog,
  type Session,
  say,
  wholeDesk,
} from '../app/session.ts';
import { keyOf } from '../input/overrides.ts';
import { showRow } from '../lists/list-commands.ts';
import { topDialog } from '../state/ui.ts';
import { botName, isRunning, trades } from '../trading/bots.ts';
import { confirmDelete, confirmStart } from './bot-confirmations.ts';
import type { BotRuleForm } from './bot-forms.ts';
import { chosenBots, selectedBot } from './bot-list.ts';
import { fromRule } from './bot-rules.ts';
import type { BotsView } from './bots-view.ts';

export function patchBots(session: Session, change: Partial<BotsView>): void {
  session.ui.setState((ui) => ({ bots: { ...ui.bots, ...change } }));
}

/** Returns the state and the bots to act on: the marked ones, or the one under the cursor. */
function chosen(session: Session) {
  const state = deskState(session);
  if (!state) return null;
  const bots = chosenBots(state, session.ui.getState().bots);
  return { state, bots };
}

export function currentBot(session: Session): BotView | null {
  const state = deskState(session);
  return state ? selectedBot(state, session.ui.getState().bots) : null;
}

/**
 * Calls back with all settings of a bot: at once, or, if the console mirrors only a part of them, after the
 * desk has sent the rest; not if the operator has moved on by then.
 */
export function withWhole(session: Session, bot: BotView, act: (whole: BotView) => void): void {
  if (bot.abridged) void fetchWhole(session, bot, act);
  else act(bot);
}

async function fetchWhole(session: Session, bot: BotView, act: (whole: BotView) => void): Promise<void> {
  const detail = await ask(session, 'bots.detail', { id: bot.id });
  const { dialogs, screen } = session.ui.getState();
  if (dialogs.length > 0 || screen !== 'bots') return;
  if (detail) act(detail.bot);
  else say(session, `the settings of ${botName(bot)} could not be read`, 'warn');
}

/** Shows the screen with this bot selected and its detail open. */
export function showBot(session: Session, id: string): void {
  const bot = wholeDesk(session)?.bots[id];
  if (!bot) {
    say(session, 'that bot is not there any more', 'warn');
    return;
  }
  lookAlsoAt(session, bot.exchange);
  showRow(session, 'bots', id, { detailOpen: true, pane: 'list', detailOffset: 0 });
}

/** Goes from a notice to the bot it is about. */
export function showNoticeBot(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'notice' || dialog.botId === undefined) return;
  closeDialog(session);
  showBot(session, dialog.botId);
}

export function copyBotId(session: Session): void {
  const bot = currentBot(session);
  if (!bot) return;
  session.copy(bot.id);
  say(session, `copied ${bot.id}`);
}

// --- opening the dialogs ---

/**
 * Asks to start bots; the settings of a single bot are checked first. The response to the start reports what
 * depends on price and balance.
 */
export function startBots(session: Session): void {
  const now = chosen(session);
  const [bot] = now?.bots ?? [];
  if (!now || !bot) {
    say(session, 'nothing to start: no bot is selected', 'warn');
    return;
  }
  if (now.bots.length > 1) {
    openDialog(session, confirmStart(now.state, now.bots, []));
    return;
  }
  if (isRunning(bot)) {
    say(session, `${botName(bot)} is running already`, 'warn');
    return;
  }
  withWhole(session, bot, (whole) => void startOne(session, whole));
}

async function startOne(session: Session, bot: BotView): Promise<void> {
  const { type, settings, options } = bot;
  const check = await ask(session, 'bots.check', { type, settings, ...(options ? { options } : {}) });
  const { dialogs, screen } = session.ui.getState();
  const state = deskState(session);
  if (!check || !state || dialogs.length > 0 || screen !== 'bots') return;
  const remarks = (list: typeof check.problems) =>
    list.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (check.problems.length > 0) showProblems(session, bot, remarks(check.problems));
  else openDialog(session, confirmStart(state, [bot], remarks(check.warnings)));
}

/** Shows why a bot does not start, one reason per line. */
export function showProblems(session: Session, bot: BotView, problems: readonly string[]): void {
  openDialog(session, {
    kind: 'notice',
    title: `${botName(bot)} does not start`,
    offset: 0,
    lines: [
      ...problems.map((text) => ({ text: `✗ ${text}`, tone: 'warn' as const, words: true })),
      { text: '' },
      {
        text: `${keyOf(session.bindings, 'bot.edit')} opens its settings, to be mended there.`,
        tone: 'muted',
        words: true,
      },
    ],
  });
}

export function stopBots(session: Session): void {
  const now = chosen(session);
  const running = now?.bots.filter(isRunning) ?? [];
  const [bot] = running;
  if (!now || !bot) {
    say(session, 'nothing to stop: no bot runs here', 'warn');
    return;
  }
  openDialog(session, {
    kind: 'bot-stop',
    runs: running.map(({ id, runId = '' }) => [id, runId] as const),
    cleanup: 'cancelAllOrders',
    sell: false,
    force: false,
    focus: 'cleanup',
    detail: null,
  });
  session.fieldChanged('bot-stop');
}

export function deleteBots(session: Session): void {
  const now = chosen(session);
  if (!now || now.bots.length === 0) say(session, 'nothing to delete: no bot is selected', 'warn');
  else openDialog(session, confirmDelete(now.state, now.bots));
}

export function tagBot(session: Session): void {
  const bot = currentBot(session);
  if (!bot) say(session, 'nothing to tag: no bot is selected', 'warn');
  else
    openDialog(session, { kind: 'bot-tag', id: bot.id, value: bot.tag ?? '', focus: 'value', refusal: null });
}

export function openRules(session: Session): void {
  const bot = currentBot(session);
  if (!bot || bot.runId === undefined) {
    say(session, 'stop rules are given to a running bot; this one does not run', 'warn');
    return;
  }
  if (!trades(bot)) {
    say(session, `${bot.type} has no stop rules: it does not trade`, 'warn');
    return;
  }
  const { detail } = session.ui.getState().bots;
  const known = detail?.bot.id === bot.id ? detail : null;
  const form: BotRuleForm = {
    kind: 'bot-rule',
    id: bot.id,
    runId: bot.runId,
    command: 'add_stoploss',
    rule: 0,
    strategy: 'price_percent_buy',
    trigger: 'kline',
    value: '',
    percent: '',
    stopPrice: '',
    order: 'MARKET',
    complete: true,
    closed: false,
    disabled: false,
    focus: 'command',
    detail: known,
    refusal: null,
  };
  openDialog(session, form);
  session.fieldChanged('bot-rule');
}

/** Loads the values of the chosen rule into the form, after another rule was chosen. */
export function withRule(form: BotRuleForm): BotRuleForm {
  if (form.command === 'add_stoploss') return form;
  return { ...form, ...fromRule(form.detail?.live?.stops[form.rule]) };
}
