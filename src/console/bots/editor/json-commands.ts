/** Edits a bot's whole JSON in the person's own editor; problems are shown with their lines. */

import { ask, deskState, openDialog, patchDialog, type Session, say } from '../../app/session.ts';
import { topDialog } from '../../state/ui.ts';
import { readDraft } from '../bot-draft.ts';
import { printJson } from '../bot-print.ts';
import { bodyOf, draftOfBot } from './draft.ts';
import { type BotEditor, replacedDraft } from './editor.ts';

export async function editJson(session: Session): Promise<void> {
  const editor = topDialog(session.ui.getState());
  if (editor?.kind !== 'bot-editor') return;
  const before = editor.json ?? jsonOf(editor);
  const edited = await session.editText(before, `${editor.type.toLowerCase()}.json`);
  if (!edited.ok) {
    say(session, edited.problem, 'warn');
    return;
  }
  if (edited.text.trim() === before.trim()) {
    say(session, 'nothing has changed', 'muted');
    return;
  }
  await takeText(session, edited.text);
}

function jsonOf({ type, form }: BotEditor): string {
  return `${printJson({ type, ...bodyOf(form.draft) }).join('\n')}\n`;
}

/** Loads the text into the form; if it cannot be read, keeps it for the next time. */
async function takeText(session: Session, text: string): Promise<void> {
  const accounts = (deskState(session)?.accounts ?? []).map(({ id }) => id);
  const draft = readDraft(text, accounts);
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'bot-editor') return;
  const { bot } = draft;
  if (!bot || bot.type !== dialog.type) {
    patchDialog(session, 'bot-editor', () => ({ json: text, leaving: false }));
    const problems = bot
      ? [
          {
            line: draft.lineOf('type'),
            text: `type: this is a ${dialog.type}; it cannot become a ${bot.type}`,
          },
        ]
      : draft.problems;
    showLines(session, problems, 'It is kept as you wrote it: close this, and the same key opens it again.');
    return;
  }
  patchDialog(session, 'bot-editor', (editor) => replacedDraft(editor, draftOfBot(bot)));
  session.fieldChanged('bot-editor');
  const { type, settings, options } = bot;
  const answer = await ask(session, 'bots.check', { type, settings, ...(options ? { options } : {}) });
  const said = [...(answer?.problems ?? []), ...(answer?.warnings ?? [])];
  const lines = [
    ...draft.warnings,
    ...said.map(({ path, message }) => ({
      line: draft.lineOf(path),
      text: path === '' ? message : `${path}: ${message}`,
    })),
  ];
  if (lines.length === 0) return;
  showLines(session, lines, 'It is in the form: close this, and change it there or with the same key.');
}

function showLines(
  session: Session,
  problems: readonly { readonly line: number | null; readonly text: string }[],
  after: string,
): void {
  openDialog(session, {
    kind: 'notice',
    title: problems.length === 1 ? 'One remark on the text' : `${problems.length} remarks on the text`,
    offset: 0,
    lines: [
      ...problems.map(({ line, text }) => ({
        text: line === null || text.startsWith('line ') ? `✗ ${text}` : `✗ line ${line}: ${text}`,
        tone: 'warn' as const,
        words: true,
      })),
      { text: '' },
      { text: after, tone: 'muted' as const, words: true },
    ],
  });
}
