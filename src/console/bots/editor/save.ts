/** What saving an edited bot changes, and the confirmation that shows it. Pure. */
import type { BotView, DeskState } from '../../../desk/console/protocol.ts';
import type { BotChange } from '../../../domain/bot.ts';
import { question } from '../../dialogs/question.ts';
import type { ConfirmDialog, InfoRow } from '../../state/ui.ts';
import { botRow, marketRow } from '../bot-confirmations.ts';
import { bodyOf, type Difference, type Draft, type Fields } from './draft.ts';
import type { BotEditor } from './editor.ts';

/** How many changes a question names. */
const NAMED = 8;

/** Builds a PATCH: given top-level fields replace, null removes. The tag is separate; null: unchanged. */
export function changeOf(before: Draft, after: Draft): { change: BotChange; tag: string | null } {
  const [old, now] = [bodyOf(before), bodyOf(after)];
  const config = patchOf(old.settings, now.settings);
  const options = patchOf(old.options ?? {}, now.options ?? {});
  const metadata = (now.metadata ?? '') === (old.metadata ?? '') ? null : (now.metadata ?? '');
  return {
    change: {
      ...(config ? { config } : {}),
      ...(options ? { options } : {}),
      ...(metadata === null ? {} : { metadata }),
    },
    tag: (now.tag ?? '') === (old.tag ?? '') ? null : (now.tag ?? ''),
  };
}

function patchOf(before: Fields, after: Fields): Fields | null {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  if (changed.length === 0) return null;
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

export function confirmPatch(
  state: DeskState,
  bot: BotView,
  editor: BotEditor,
  changes: readonly Difference[],
  problems: readonly string[],
): ConfirmDialog {
  const { settings } = bodyOf(editor.form.draft);
  const exchange = String(settings.exchange ?? bot.exchange);
  const named = changes.slice(0, NAMED).map(
    ({ path, before, after }): InfoRow => ({
      name: path.replace('@', ''),
      value: `${before ?? 'not given'} → ${after ?? 'not given'}`,
      tone: after === null ? 'warn' : undefined,
    }),
  );
  const more = changes.length - named.length;
  const rows: InfoRow[] = [
    { name: 'account', value: exchange },
    botRow(bot),
    marketRow(state, { ...bot, exchange, settings }),
    ...named,
    ...(more > 0 ? [{ name: '', value: `and ${more} more changes` }] : []),
  ];
  if (problems.length > 0) {
    const others = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
    rows.push({ name: 'problem', value: `${problems[0]}${others}`, tone: 'warn' });
  }
  return question(state, {
    title: 'Save changes',
    rows,
    next:
      problems.length > 0
        ? 'The bot stays stopped. With these settings it would not start.'
        : 'The bot stays stopped; the changes hold from its next start, with s.',
    verb: 'save these changes',
    action: { type: 'bot-patch', id: bot.id, ...changeOf(editor.given, editor.form.draft) },
  });
}
