/**
 * A question before something is done: how it begins, what in it is easily mistaken, and what is missing before its `y` counts.
 * Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import { foreignLetters } from '../../domain/lookalike.ts';
import type { ConfirmDialog, Dialog, InfoRow } from '../state/ui.ts';
import { modeOf } from './mode.ts';

export type QuestionParts = Pick<ConfirmDialog, 'title' | 'rows' | 'next' | 'verb' | 'keep' | 'word'> & {
  readonly action: ConfirmDialog['action'];
};

/** A question that has not been drawn yet, nothing typed. */
export function question(
  state: Pick<DeskState, 'desk'> & Partial<Pick<DeskState, 'accounts'>>,
  parts: QuestionParts,
): ConfirmDialog {
  const rows = [...parts.rows, ...letterRows(parts.rows)];
  // Where none is named it may be about all of them.
  const named = parts.rows.filter(({ name }) => name === 'account').map(({ value }) => value);
  const mode = named.length > 0 ? modeOf(state, named) : modeOf(state);
  return { kind: 'confirm', mode, typed: '', shownAt: null, busy: false, ...parts, rows };
}

/** Symbols and names may have letters of any script, some of which look like others: those that are not of A-Z are named. */
function letterRows(rows: readonly InfoRow[]): readonly InfoRow[] {
  const foreign = foreignLetters(rows.map(({ name, value }) => `${name} ${value}`).join(' '));
  return foreign === '' ? [] : [{ name: 'letters', value: `outside A-Z: ${foreign}`, tone: 'warn' }];
}

/** A dialog whose keys do something: it listens once it has been in view for a moment. */
export type Question = Extract<Dialog, { readonly shownAt: number | null }>;

export function isQuestion(dialog: Dialog | undefined): dialog is Question {
  return dialog !== undefined && 'shownAt' in dialog;
}

/** Its word has been typed, or it has none. */
export function hasWord({ word, typed }: Pick<ConfirmDialog, 'word' | 'typed'>): boolean {
  return word === undefined || typed === word;
}

/** Whether both ask the same: a figure that moved or a remark does not make another question of it. */
export function sameQuestion(one: Question, other: Question | undefined): boolean {
  if (one.kind !== 'confirm') return one.kind === other?.kind;
  return other?.kind === 'confirm' && one.action === other.action && hasWord(one) === hasWord(other);
}
