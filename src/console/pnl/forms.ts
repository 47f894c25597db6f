/** The dialog of the PnL book. */
import { type FormKind, REVIEW } from '../forms/form.ts';
import { takeDays } from './commands.ts';
import { PnlRangeView } from './PnlRangeView.tsx';
import type { PnlRangeForm } from './pnl-page.ts';

export const PNL_RANGE: FormKind<PnlRangeForm> = {
  kind: 'pnl-range',
  View: PnlRangeView,
  fields: () => ['first', 'last', REVIEW],
  text: ({ focus, first, last }) =>
    focus === 'review' ? null : { id: `pnl.${focus}`, value: focus === 'first' ? first : last },
  withText: (dialog, text) => ({ ...dialog, [dialog.focus]: text.trim() }),
  review: takeDays,
};
