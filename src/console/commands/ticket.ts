/** The ticket: opening it with what the person was looking at, live checks, and the way to its confirmation. */
import type { CreateOrder } from '../../schemas/order.ts';
import { confirmPlace } from '../model/confirmations.ts';
import { selectedOrder, selectedSymbol } from '../model/lists.ts';
import { draftOrder, emptyDraft, ticketFields } from '../model/ticket-draft.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../session.ts';
import { type Dialog, topDialog } from '../state/ui.ts';

export type TicketDialog = Extract<Dialog, { kind: 'ticket' }>;

export function openTicket(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  if (state.accounts.length === 0) {
    say(session, 'no exchange account', 'warn');
    return;
  }
  const order = ui.screen === 'orders' ? selectedOrder(state, ui.orders) : null;
  const symbol = order?.symbol ?? selectedSymbol(state, ui) ?? '';
  const exchange = order?.exchange ?? state.accounts[0]?.id ?? '';
  openDialog(session, {
    kind: 'ticket',
    draft: emptyDraft(exchange, symbol),
    field: 'symbol',
    whole: true,
    check: null,
    stale: true,
    refusal: null,
  });
  session.fieldChanged('ticket');
}

/** Fields and order of the ticket as it stands. */
export function ticketOrder(session: Session, dialog: TicketDialog) {
  const state = deskState(session);
  const fields = ticketFields(dialog.draft, state?.accounts ?? []);
  return { fields, ...draftOrder(dialog.draft, fields, state?.clock.market ?? session.now()) };
}

/** Asks the engine about the draft; the answer counts only if the draft is still the same. */
export async function checkTicket(session: Session): Promise<void> {
  const dialog = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'ticket');
  if (!dialog) return;
  const { draft } = dialog;
  const { order } = ticketOrder(session, dialog);
  const check = await ask(session, 'orders.check', order);
  patchDialog(session, 'ticket', (now) => (now.draft === draft ? { check, stale: false } : {}));
}

/** Opens the confirmation; the engine's check must be of this very draft and without problems. */
export function reviewTicket(session: Session): void {
  const state = deskState(session);
  const dialog = topDialog(session.ui.getState());
  if (!state || dialog?.kind !== 'ticket') return;
  const { order, problem } = ticketOrder(session, dialog);
  if (problem) {
    patchDialog(session, 'ticket', () => ({ field: problem.field }));
    say(session, `${problem.field}: ${problem.message}`, 'warn');
    return;
  }
  if (dialog.stale || !dialog.check) {
    say(session, 'still checking; press again', 'muted');
    session.fieldChanged('ticket');
    return;
  }
  const first = dialog.check.problems[0];
  if (first) {
    say(session, `${first.field}: ${first.message}`, 'warn');
    return;
  }
  openDialog(session, confirmPlace(state, order as CreateOrder, dialog.check, session.now()));
}
