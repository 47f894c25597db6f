/** A question before an action: its first state, letters that look alike, when its `y` counts. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { foreignLetters } from '../../domain/lookalike.ts';
import type { ConfirmDialog, Dialog, InfoRow } from '../state/ui.ts';
import { modeOf } from './mode.ts';

export type QuestionParts = Pick<ConfirmDialog, 'title' | 'rows' | 'next' | 'verb' | 'keep' | 'word'> & {
  readonly action: ConfirmDialog['action'];
};

/** Builds a question that has not been drawn yet; nothing is typed. */
export function question(
  state: Pick<DeskState, 'desk'> & Partial<Pick<DeskState, 'accounts'>>,
  parts: QuestionParts,
): ConfirmDialog {
  const rows = [...parts.rows, ...letterRows(parts.rows)];
  // A question that names no account may be about all of them.
  const named = parts.rows.filter(({ name }) => name === 'account').map(({ value }) => value);
  const mode = named.length > 0 ? modeOf(state, named) : modeOf(state);
  return { kind: 'confirm', mode, typed: '', shownAt: null, busy: false, ...parts, rows };
}

/** A warning row for letters outside A-Z, since letters of different scripts may look alike. */
function letterRows(rows: readonly InfoRow[]): readonly InfoRow[] {
  const foreign = foreignLetters(rows.map(({ name, value }) => `${name} ${value}`).join(' '));
  return foreign === '' ? [] : [{ name: 'letters', value: `outside A-Z: ${foreign}`, tone: 'warn' }];
}

/** A dialog whose keys act: it accepts keys only after it has been visible for a moment. */
export type Question = Extract<Dialog, { readonly shownAt: number | null }>;

export function isQuestion(dialog: Dialog | undefined): dialog is Question {
  return dialog !== undefined && 'shownAt' in dialog;
}

/** Tells whether the required word has been typed, or none is required. */
export function hasWord({ word, typed }: Pick<ConfirmDialog, 'word' | 'typed'>): boolean {
  return word === undefined || typed === word;
}

/** Tells whether both are the same question: a changed figure or remark does not make it another one. */
export function sameQuestion(one: Question, other: Question | undefined): boolean {
  if (one.kind !== 'confirm') return one.kind === other?.kind;
  return other?.kind === 'confirm' && one.action === other.action && hasWord(one) === hasWord(other);
}
