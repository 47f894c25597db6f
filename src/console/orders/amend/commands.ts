/**
 * Changing an order: opening its form, the desk's check while it is filled in, and opening its confirmation.
 */
import type { OrderView } from '../../../domain/order.ts';
import type { Feature } from '../../app/feature.ts';
import {
  ask,
  deskState,
  openDialog,
  patchDialog,
  refused,
  type Session,
  say,
  tell,
} from '../../app/session.ts';
import { settle } from '../../dialogs/settle.ts';
import { CHECK_DELAY_MS, type FormKind, REVIEW } from '../../forms/form.ts';
import { topDialog } from '../../state/ui.ts';
import { problemWords } from '../../ui/labels.ts';
import { selectedOrder } from '../order-list.ts';
import { priceFactsOf } from '../ticket/typed.ts';
import { AmendView } from './AmendView.tsx';
import {
  type AmendDialog,
  amendFields,
  amendForm,
  amendmentOf,
  isNothing,
  notAmendable,
  typedInto,
} from './amend-form.ts';
import { confirmAmend } from './confirm-amend.ts';

export function openAmend(session: Session): void {
  const state = deskState(session);
  const order = state ? selectedOrder(state, session.ui.getState().orders) : null;
  const problem = order ? notAmendable(order) : 'nothing to change: no order is selected';
  if (!order || problem !== null) {
    say(session, problem ?? '', 'warn');
    return;
  }
  openAmendOf(session, order);
}

/** Opens the form for this very order, which the caller has found amendable. */
export function openAmendOf(session: Session, order: OrderView): void {
  const state = deskState(session);
  openDialog(session, amendForm(order, state && priceFactsOf(state, order)));
  session.fieldChanged('amend');
}

/**
 * Lets the desk check the form as it is; a response for an older form is dropped. Null: the form has changed
 * or was closed.
 */
async function checked(session: Session, dialog: AmendDialog): Promise<AmendDialog | null> {
  const state = deskState(session);
  if (!state) return null;
  const { order, values } = dialog;
  const { change, problem } = amendmentOf(state, dialog);
  const { exchange, id } = order;
  const check =
    problem === null && !isNothing(change)
      ? await ask(session, 'orders.amendCheck', { exchange, id, ...change })
      : null;
  patchDialog(session, 'amend', (now) => (now.values === values ? { check, stale: false } : {}));
  const now = topDialog(session.ui.getState());
  return now?.kind === 'amend' && now.values === values ? now : null;
}

export async function checkAmend(session: Session): Promise<void> {
  const dialog = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'amend');
  if (dialog) await checked(session, dialog);
}

/** Opens the confirmation, if a new check by the desk finds no problem with exactly this change. */
async function reviewAmend(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  const state = deskState(session);
  if (dialog?.kind !== 'amend' || !state) return;
  const { change, problem } = amendmentOf(state, dialog);
  if (problem !== null || isNothing(change)) {
    say(session, problem ?? 'nothing is to be another yet', 'warn');
    return;
  }
  const now = await checked(session, dialog);
  if (!now?.check) return;
  const first = now.check.problems[0];
  const order = state.orders[now.order.id] ?? now.order;
  if (first) say(session, problemWords(first), 'warn');
  else openDialog(session, confirmAmend(state, order, change, now.check));
}

export const AMEND: FormKind<AmendDialog> = {
  kind: 'amend',
  View: AmendView,
  confirmed: true,
  fields: ({ order }) => [...amendFields(order), REVIEW],
  withFocus: (dialog, field) => ({ ...dialog, focus: field as AmendDialog['focus'], whole: true }),
  text({ focus, values, whole }) {
    if (focus === REVIEW) return null;
    return { id: `amend.${focus}`, value: values[focus], whole: whole && values[focus] !== '' };
  },
  withText: withTyped,
  review: (session) => void reviewAmend(session),
  changed: (session) => session.later('amend', CHECK_DELAY_MS, () => void checkAmend(session)),
  isSame: (now, confirmed) => now.values === confirmed.values,
};

function withTyped(dialog: AmendDialog, text: string): AmendDialog {
  const { focus, values } = dialog;
  if (focus === REVIEW) return dialog;
  const value = typedInto(dialog, text);
  return { ...dialog, values: { ...values, [focus]: value }, whole: false, stale: true, refusal: null };
}

export const AMEND_ACTIONS = {
  async amend(session, action, form) {
    const { exchange, id, change } = action;
    const outcome = await ask(session, 'orders.amend', { exchange, id, ...change });
    const problem = refused(session, outcome);
    settle(session, action, form, problem);
    if (!outcome?.ok) return;
    const { symbol, amendPending, id: living } = outcome.data;
    tell(session, `${symbol} ${amendPending ? 'change wanted' : 'changed'} · ${living}`, 'ok');
    session.ui.setState((ui) => ({ orders: { ...ui.orders, selection: { id: living, index: 0 } } }));
  },
} satisfies Feature['actions'];
