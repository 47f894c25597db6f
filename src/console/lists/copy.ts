/** What can be copied of the row under the cursor: the whole row as shown, or one of its values. Pure. */

/** A column of the row, as shown but never cut. */
export interface ShownCell {
  readonly title: string;
  readonly text: string;
}

/** The content of the table in view; empty without one. */
export interface InView {
  cells(): readonly ShownCell[];
  /** Id of the row at these cells of the terminal, from 1. */
  rowAt(column: number, row: number): string | null;
}

export const NOTHING_IN_VIEW: InView = { cells: () => [], rowAt: () => null };

export interface CopyDialog {
  readonly kind: 'copy';
  readonly cells: readonly ShownCell[];
  /** Index of the entry under the cursor: 0 is the row, then its values. */
  readonly focus: string;
}

/** The entries to choose from, the row first. */
export function copyChoices(
  cells: readonly ShownCell[],
): readonly (ShownCell & { readonly copied: string })[] {
  const texts = cells.map(({ text }) => text);
  return [
    { title: 'the row', text: texts.join('  '), copied: texts.join('\t') },
    ...cells.map((cell) => ({ ...cell, copied: plain(cell.text) })),
  ];
}

const GROUPED = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?(?= %$|$)/;

/** Removes the thousands separators of a number: programs take it so. */
function plain(text: string): string {
  return text.replace(GROUPED, (number) => number.replaceAll(',', ''));
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly copy: CopyDialog;
  }
}
