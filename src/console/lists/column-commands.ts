/**
 * Choosing the columns of the list in view: which are shown, and in which order. Changes nothing on the desk.
 */
import { openDialog, patchDialog, type Session, say } from '../app/session.ts';
import { topDialog } from '../state/ui.ts';
import {
  type ColumnChoice,
  type ColumnsDialog,
  cycled,
  shifted,
  titlesOf,
  USUAL_COLUMNS,
} from './columns.ts';
import { listInView } from './list-views.ts';

export function openColumns(session: Session): void {
  const ui = session.ui.getState();
  const list = listInView(ui);
  const titles = list === null ? [] : titlesOf(session.tables.get(list) ?? [], ui.columnChoices[list]);
  const [focus] = titles;
  if (list === null || focus === undefined) say(session, 'there are no columns to choose here', 'warn');
  else openDialog(session, { kind: 'columns', list, focus });
}

/** The column titles of the dialog's list, and the operator's choice. */
export function columnsAt(session: Session, { list }: Pick<ColumnsDialog, 'list'>) {
  const choice = session.ui.getState().columnChoices[list] ?? USUAL_COLUMNS;
  return { choice, titles: titlesOf(session.tables.get(list) ?? [], choice) };
}

/** Moves the cursor among the columns; past one end it continues at the other. */
export function moveColumn(session: Session, by: number): void {
  patchDialog(session, 'columns', (dialog) => {
    const { titles } = columnsAt(session, dialog);
    const at = titles.indexOf(dialog.focus) + by;
    return { focus: titles[(at + titles.length) % titles.length] ?? dialog.focus };
  });
}

export function cycleColumn(session: Session, by: number): void {
  change(session, ({ focus }, choice, titles) => cycled(choice, titles, focus, by));
}

export function shiftColumn(session: Session, by: number): void {
  change(session, ({ focus }, choice, titles) => shifted(choice, titles, focus, by));
}

/** Restores the default columns. */
export function usualColumns(session: Session): void {
  change(session, () => USUAL_COLUMNS);
  patchDialog(session, 'columns', (dialog) => ({ focus: columnsAt(session, dialog).titles[0] ?? '' }));
}

function change(
  session: Session,
  make: (dialog: ColumnsDialog, choice: ColumnChoice, titles: readonly string[]) => ColumnChoice,
): void {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'columns') return;
  const { choice, titles } = columnsAt(session, dialog);
  const next = make(dialog, choice, titles);
  session.ui.setState(({ columnChoices }) => ({ columnChoices: { ...columnChoices, [dialog.list]: next } }));
}
