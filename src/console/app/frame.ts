/** The commands that all features share: moving through screens, lists and forms; question and notice. */
import { closeUndone, confirmYes } from '../dialogs/confirm.ts';
import { CONFIRM, NOTICE } from '../dialogs/forms.ts';
import { choose, clearField, moveField, reviewForm } from '../forms/moving.ts';
import { COLUMNS } from '../lists/ColumnsView.tsx';
import { COPY } from '../lists/CopyView.tsx';
import { cycleColumn, moveColumn, openColumns, shiftColumn, usualColumns } from '../lists/column-commands.ts';
import { readColumns } from '../lists/columns.ts';
import { openCopy } from '../lists/copy-commands.ts';
import { endFilter } from '../lists/list-commands.ts';
import { listIds } from '../lists/list-views.ts';
import { bodyRows, halfPage } from '../state/ui.ts';
import type { Feature } from './feature.ts';
import {
  back,
  lastScreen,
  move,
  nextPane,
  open,
  scrollDetail,
  scrollNotice,
  showScreen,
  stepScreen,
} from './navigation.ts';
import type { Session } from './session.ts';

/** The rows of a list that fills the screen. */
const pageOf = (session: Session): number => bodyRows(session.ui.getState()) - 2;
const halfOf = (session: Session): number => halfPage(session.ui.getState());

export const FRAME = {
  forms: { confirm: CONFIRM, notice: NOTICE, copy: COPY, columns: COLUMNS },
  memory: [
    {
      name: 'columns',
      differs: (ui, before) => ui.columnChoices !== before.columnChoices,
      kept: ({ columnChoices }) => columnChoices,
      restored: (ui, kept) => ({ columnChoices: readColumns(kept, listIds(ui)) }),
    },
  ],
  commands: {
    'screen.overview': (s) => showScreen(s, 'overview'),
    'screen.orders': (s) => showScreen(s, 'orders'),
    'screen.bots': (s) => showScreen(s, 'bots'),
    'screen.portfolio': (s) => showScreen(s, 'portfolio'),
    'screen.accounts': (s) => showScreen(s, 'accounts'),
    'screen.positions': (s) => showScreen(s, 'positions'),
    'screen.keys': (s) => showScreen(s, 'keys'),
    'screen.alerts': (s) => showScreen(s, 'alerts'),
    'screen.log': (s) => showScreen(s, 'log'),
    'screen.back': (s) => stepScreen(s, -1),
    'screen.forward': (s) => stepScreen(s, 1),
    'screen.last': lastScreen,
    'screen.redraw': (s) => s.redraw(),
    'pane.next': nextPane,

    'list.down': (s) => move(s, 1),
    'list.up': (s) => move(s, -1),
    'list.top': (s) => move(s, Number.NEGATIVE_INFINITY),
    'list.bottom': (s) => move(s, Number.POSITIVE_INFINITY),
    'list.full-down': (s) => move(s, pageOf(s)),
    'list.full-up': (s) => move(s, -pageOf(s)),
    'list.page-down': (s) => move(s, halfOf(s)),
    'list.page-up': (s) => move(s, -halfOf(s)),
    'list.open': open,
    'list.copy': openCopy,
    'list.columns': openColumns,
    'columns.down': (s) => moveColumn(s, 1),
    'columns.up': (s) => moveColumn(s, -1),
    'columns.cycle': (s) => cycleColumn(s, 1),
    'columns.cycle-back': (s) => cycleColumn(s, -1),
    'columns.lower': (s) => shiftColumn(s, 1),
    'columns.raise': (s) => shiftColumn(s, -1),
    'columns.usual': usualColumns,
    'list.back': back,
    'filter.done': (s) => endFilter(s, true),
    'filter.clear': (s) => endFilter(s, false),

    'detail.down': (s) => scrollDetail(s, 1),
    'detail.up': (s) => scrollDetail(s, -1),
    'detail.top': (s) => scrollDetail(s, Number.NEGATIVE_INFINITY),
    'detail.bottom': (s) => scrollDetail(s, Number.POSITIVE_INFINITY),
    'detail.page-down': (s) => scrollDetail(s, halfOf(s)),
    'detail.page-up': (s) => scrollDetail(s, -halfOf(s)),

    'form.next': (s) => moveField(s, 1),
    'form.previous': (s) => moveField(s, -1),
    'form.enter': (s) => moveField(s, 1, true),
    'form.review': reviewForm,
    'choice.next': (s) => choose(s, 1),
    'choice.previous': (s) => choose(s, -1),
    'field.clear': clearField,
    'dialog.close': closeUndone,
    'confirm.yes': confirmYes,
    'notice.down': (s) => scrollNotice(s, 1),
    'notice.up': (s) => scrollNotice(s, -1),
  },
} satisfies Feature;
