/** The dialog of the Positions screen. */
import { spelled } from '../../domain/market-name.ts';
import { patchDialog } from '../app/session.ts';
import { CHECK_DELAY_MS, type FormKind } from '../forms/form.ts';
import { nextOf } from '../forms/moving.ts';
import { checkPosition, reviewPosition } from './commands.ts';
import { PositionFormView } from './PositionFormView.tsx';
import type { PositionAsk, PositionForm } from './position-form.ts';
import { positionChoices, positionFields } from './position-orders.ts';

/** Forms whose value is typed; in the others it is chosen. */
const TYPED: ReadonlySet<PositionAsk> = new Set(['limit', 'stop', 'trail', 'leverage']);

export const POSITION_FORM: FormKind<PositionForm> = {
  kind: 'position-form',
  View: PositionFormView,
  confirmed: true,
  fields: ({ what }) => positionFields(what),
  text({ focus, what, symbol, value }) {
    if (focus === 'symbol') return { id: 'position.symbol', value: symbol };
    return focus === 'value' && TYPED.has(what) ? { id: 'position.value', value } : null;
  },
  withText(dialog, text, known) {
    if (dialog.focus === 'symbol')
      return { ...dialog, symbol: spelled(text, known), brackets: null, stale: true, refusal: null };
    return { ...dialog, value: text, stale: true, refusal: null };
  },
  symbolsAt: ({ focus, exchange }) => (focus === 'symbol' ? exchange : null),
  choose(session, { focus, what, value: now }, by) {
    const choices = positionChoices(what);
    if (focus !== 'value' || choices.length === 0) return;
    patchDialog(session, 'position-form', () => ({
      value: nextOf(choices, now, by),
      stale: true,
      refusal: null,
    }));
    if (what === 'part') session.fieldChanged('position-form');
  },
  review: (session) => void reviewPosition(session),
  changed: (session) => session.later('position', CHECK_DELAY_MS, () => void checkPosition(session)),
};
