/** Commands of the bot editor: opening, editing, saving (after `y` in a confirmation). They start no bot. */
import type { BotView } from '../../../desk/console/protocol.ts';
import type { NewBot } from '../../../domain/bot.ts';
import { type BotType, USUAL_TYPE } from '../../../schemas/bots/index.ts';
import {
  ask,
  closeDialog,
  deskState,
  openDialog,
  patchDialog,
  type Session,
  say,
} from '../../app/session.ts';
import { keyOf } from '../../input/overrides.ts';
import { topDialog } from '../../state/ui.ts';
import { botName, isRunning, marketNow } from '../../trading/bots.ts';
import { confirmCreate } from '../bot-confirmations.ts';
import { currentBot, withWhole } from '../commands.ts';
import { newBotJson, templateOf } from '../new-bot.ts';
import { bodyOf, type Draft, differences, draftOfBot } from './draft.ts';
import {
  type BotEditor,
  choseIn,
  isDirty,
  listEdited,
  type Move,
  movedFocus,
  openedEditor,
  rowsOfEditor,
  toProblem,
} from './editor.ts';
import { endReplay } from './live-commands.ts';
import { confirmPatch } from './save.ts';
import { NEW_BOT_WAYS } from './types.ts';

export function patchEditor(session: Session, change: (editor: BotEditor) => Partial<BotEditor>): void {
  patchDialog(session, 'bot-editor', change);
}

/** Returns the editor if it has the keyboard. */
function topEditor(session: Session): BotEditor | null {
  const dialog = topDialog(session.ui.getState());
  return dialog?.kind === 'bot-editor' ? dialog : null;
}

// --- opening ---

export function newBot(session: Session): void {
  if (templateOf(session, USUAL_TYPE) === null) say(session, 'no exchange account with instruments', 'warn');
  else openDialog(session, { kind: 'bot-type', index: 0 });
}

export function moveType(session: Session, by: number): void {
  const count = NEW_BOT_WAYS.length;
  patchDialog(session, 'bot-type', ({ index }) => ({ index: (index + by + count) % count }));
}

/** Opens the editor for the chosen type, on the current symbol. */
export function takeType(session: Session): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'bot-type') return;
  const { name = 'JSON' } = NEW_BOT_WAYS[dialog.index] ?? {};
  closeDialog(session);
  if (name === 'JSON') {
    newBotJson(session);
    return;
  }
  const text = templateOf(session, name);
  if (text === null) return;
  const { settings } = JSON.parse(text) as { settings: Draft };
  open(session, { type: name, botId: null, title: 'New', draft: settings });
}

/** Opens the editor for a new bot with the settings of the selected one. */
export function cloneBot(session: Session): void {
  const bot = currentBot(session);
  if (!bot) say(session, 'nothing to clone: no bot is selected', 'warn');
  else
    withWhole(session, bot, (whole) =>
      open(session, {
        type: whole.type,
        botId: null,
        title: `Clone of ${botName(whole)},`,
        draft: draftOfBot(whole),
      }),
    );
}

export function editBot(session: Session): void {
  const bot = currentBot(session);
  if (!bot) say(session, 'nothing to edit: no bot is selected', 'warn');
  else if (isRunning(bot)) {
    say(
      session,
      `${botName(bot)} is running: stop it first, or ${keyOf(session.bindings, 'bot.clone')} makes a new bot of its settings`,
      'warn',
    );
  } else {
    withWhole(session, bot, (whole) => {
      const { id, type } = whole;
      open(session, { type, botId: id, title: `Edit ${botName(whole)},`, draft: draftOfBot(whole) });
      void loadLastRun(session, whole);
    });
  }
}

function open(
  session: Session,
  start: { type: BotType; botId: string | null; title: string; draft: Draft },
): void {
  const state = deskState(session);
  if (!state) return;
  const prices = Object.values(state.prices);
  const now = Math.max(marketNow(state, 0), ...prices.map(({ time }) => time));
  openDialog(session, openedEditor({ ...start, now }));
  session.fieldChanged('bot-editor');
}

async function loadLastRun(session: Session, bot: BotView): Promise<void> {
  const detail = await ask(session, 'bots.detail', { id: bot.id });
  const [run] = detail?.runs ?? [];
  if (!run) return;
  const { tag, metadata } = bot;
  const draft = draftOfBot({ settings: run.settings, options: run.options, tag, metadata });
  patchEditor(session, (editor) => (editor.botId === bot.id ? { lastRun: { runId: run.runId, draft } } : {}));
}

// --- keys ---

export function moveEditor(session: Session, move: Move): void {
  patchEditor(session, (editor) => movedFocus(editor, move));
}

/** Enter moves to the next field; at the last one it opens the confirmation of saving, and does no more. */
export function enterEditor(session: Session): void {
  const editor = topEditor(session);
  if (editor?.focus === 'review') reviewEditor(session);
  else if (editor?.focus.startsWith('+')) chooseInEditor(session, 1);
  else moveEditor(session, 'next');
}

export function chooseInEditor(session: Session, by: number): void {
  changeEditor(session, (editor) => choseIn(editor, by, accountIds(session)));
}

export function editList(session: Session, how: 'add' | 'remove' | 'raise' | 'lower'): void {
  changeEditor(session, (editor) => listEdited(editor, how));
}

/** Changes the editor; a change of the draft updates the live results. */
function changeEditor(session: Session, change: (editor: BotEditor) => BotEditor): void {
  const before = topEditor(session);
  patchEditor(session, change);
  if (topEditor(session)?.form !== before?.form) session.fieldChanged('bot-editor');
}

export function nextEditorPane(session: Session): void {
  patchEditor(session, ({ pane }) => ({ pane: pane === 'form' ? 'live' : 'form' }));
}

export function scrollEditor(session: Session, by: number): void {
  patchEditor(session, ({ offset }) => ({ offset: Math.min(Math.max(0, offset + by), MAX_OFFSET) }));
}

/** Largest offset: no result has more lines; the view itself stops at its end. */
const MAX_OFFSET = 600;

export function showProblem(session: Session): void {
  patchEditor(session, toProblem);
}

/** Goes from the results to the form, or leaves it; a second call is needed if changes would be lost. */
export function leaveEditor(session: Session): void {
  const editor = topEditor(session);
  if (!editor) return;
  if (editor.pane === 'live') patchEditor(session, () => ({ pane: 'form' }));
  else if (!isDirty(editor) || editor.leaving) {
    endReplay(session);
    closeDialog(session);
  } else patchEditor(session, () => ({ leaving: true }));
}

function accountIds(session: Session): readonly string[] {
  return (deskState(session)?.accounts ?? []).map(({ id }) => id);
}

// --- saving ---

export function reviewEditor(session: Session): void {
  const editor = topEditor(session);
  const state = deskState(session);
  if (!editor || !state) return;
  const unread = Object.keys(editor.form.texts).find((path) =>
    rowsOfEditor(editor).some((row) => row.remark?.path === path && row.remark.unread),
  );
  if (unread !== undefined && editor.botId === null && editor.check?.draft !== editor.form.draft) {
    say(session, 'still checking; press again', 'muted');
    session.fieldChanged('bot-editor');
    return;
  }
  const said = editor.check?.draft === editor.form.draft ? editor.check.problems : null;
  if (said === null) {
    say(session, 'still checking; press again', 'muted');
    session.fieldChanged('bot-editor');
    return;
  }
  const problems = said.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  if (editor.botId === null) {
    openDialog(session, confirmCreate(state, newBotOf(editor), problems));
    return;
  }
  const bot = state.bots[editor.botId];
  const changes = differences(editor.given, editor.form.draft);
  if (!bot) say(session, 'that bot is not there any more', 'warn');
  else if (changes.length === 0) say(session, 'nothing has changed', 'muted');
  else openDialog(session, confirmPatch(state, bot, editor, changes, problems));
}

function newBotOf({ type, form }: BotEditor): NewBot {
  return { type, ...bodyOf(form.draft) };
}
