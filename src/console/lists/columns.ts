/**
 * Which columns of a list its operator wants, and in which order; the others appear where there is room.
 * Pure.
 */
import type { Column } from './table.ts';

/**
 * `order`: titles; those that are missing from it keep their usual place. `always`: placed before the columns
 * that depend on room.
 */
export interface ColumnChoice {
  readonly order: readonly string[];
  readonly always: readonly string[];
  readonly never: readonly string[];
}

/** The choices by list. */
export type ColumnChoices = Readonly<Record<string, ColumnChoice>>;

export const USUAL_COLUMNS: ColumnChoice = { order: [], always: [], never: [] };

export type ColumnState = 'by room' | 'always' | 'never';
const STATES: readonly ColumnState[] = ['by room', 'always', 'never'];

/** Largest number of titles kept of a list, and the largest length of one. */
const MOST = 40;
const LONGEST = 24;

export interface ColumnsDialog {
  readonly kind: 'columns';
  readonly list: string;
  /** The title of the column under the cursor. */
  readonly focus: string;
}

/**
 * The columns as the operator wants them: those never wanted are left out, those always wanted are dropped
 * last.
 */
export function chosenColumns<T>(
  columns: readonly Column<T>[],
  choice: ColumnChoice = USUAL_COLUMNS,
): readonly Column<T>[] {
  const { order, always, never } = choice;
  if (order.length + always.length + never.length === 0) return columns;
  let before = -1;
  const placed = columns.map((column, at) => {
    const wanted = order.indexOf(column.title);
    // A column that is not named stays behind the one that it usually follows.
    before = wanted >= 0 ? wanted : order.length === 0 ? at : before;
    return { column, place: before };
  });
  return placed
    .filter(({ column: { title } }) => isFixed(title) || !never.includes(title))
    .toSorted((a, b) => a.place - b.place)
    .map(({ column }) => (always.includes(column.title) ? { ...column, priority: ALWAYS } : column));
}

/** Priority of columns that are always wanted: dropped after all that depend on room, but before the mode. */
const ALWAYS = 0.5;

/** Whether a column can be neither chosen nor moved: the mode of an account, and columns without a title. */
export function isFixed(title: string): boolean {
  return title === '' || title === MODE_TITLE;
}

/** Title of the column that says whether a row is about real money. */
export const MODE_TITLE = 'mode';

/** The titles that can be chosen, in their order. */
export function titlesOf(
  titles: readonly string[],
  { order }: ColumnChoice = USUAL_COLUMNS,
): readonly string[] {
  const known = [...new Set(titles)].filter((title) => !isFixed(title));
  const columns = known.map((title) => ({ title, width: 1, priority: 1, cell: () => ({ text: '' }) }));
  return chosenColumns(columns, { order, always: [], never: [] }).map(({ title }) => title);
}

export function stateOf({ always, never }: ColumnChoice, title: string): ColumnState {
  if (always.includes(title)) return 'always';
  return never.includes(title) ? 'never' : 'by room';
}

/** Switches a column from by room to always, to never, and back. The last column that is left stays. */
export function cycled(
  choice: ColumnChoice,
  titles: readonly string[],
  title: string,
  by: number,
): ColumnChoice {
  const shown = titles.filter((one) => stateOf(choice, one) !== 'never');
  const at = STATES.indexOf(stateOf(choice, title)) + by;
  let next = STATES[(at + STATES.length) % STATES.length] ?? 'by room';
  if (next === 'never' && shown.length === 1 && shown[0] === title) next = by > 0 ? 'by room' : 'always';
  const without = (list: readonly string[]) => list.filter((one) => one !== title);
  return {
    ...choice,
    always: next === 'always' ? [...without(choice.always), title] : without(choice.always),
    never: next === 'never' ? [...without(choice.never), title] : without(choice.never),
  };
}

/** Moves a column `by` places further back. */
export function shifted(
  choice: ColumnChoice,
  titles: readonly string[],
  title: string,
  by: number,
): ColumnChoice {
  const order = [...titles];
  const at = order.indexOf(title);
  const to = at + by;
  if (at < 0 || to < 0 || to >= order.length) return choice;
  order.splice(at, 1);
  order.splice(to, 0, title);
  return { ...choice, order };
}

/** Reads stored choices; anything that is not a valid choice is dropped. */
export function readColumns(kept: unknown, lists: readonly string[]): ColumnChoices {
  const found: Record<string, ColumnChoice> = {};
  for (const [list, choice] of Object.entries(fields(kept))) {
    if (!lists.includes(list)) continue;
    const { order, always, never } = fields(choice);
    found[list] = { order: titles(order), always: titles(always), never: titles(never) };
  }
  return found;
}

function titles(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const texts = value.filter((one): one is string => typeof one === 'string' && one.length <= LONGEST);
  return [...new Set(texts)].slice(0, MOST);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly columns: ColumnsDialog;
  }
}
