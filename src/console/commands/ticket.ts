/** The ticket: opening it with what the person was looking at, live checks, and the way to its confirmation. */
import type { TicketCheck } from '../../desk/protocol.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { confirmPlace } from '../model/confirmations.ts';
import { whenTriggered } from '../model/futures-ticket.ts';
import { selectedOrder, selectedPosition, selectedSymbol } from '../model/lists.ts';
import { draftOrder, emptyDraft, ticketAccounts, ticketFields } from '../model/ticket-draft.ts';
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
  const row =
    ui.screen === 'orders'
      ? selectedOrder(state, ui.orders)
      : ui.screen === 'positions'
        ? selectedPosition(state, ui.positions)
        : null;
  const futures = state.accounts.find(({ kind }) => kind === 'futures');
  const first = (ui.screen === 'positions' && futures) || state.accounts[0];
  const symbol = row?.symbol ?? selectedSymbol(state, ui) ?? '';
  const exchange = row?.exchange ?? first?.id ?? '';
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
  const fields = ticketFields(dialog.draft, ticketAccounts(state));
  return { fields, ...draftOrder(dialog.draft, fields, state?.clock.market ?? session.now()) };
}

/** The engine's word on an order. */
export async function checkOrder(session: Session, order: Partial<CreateOrder>): Promise<TicketCheck | null> {
  const check = await ask(session, 'orders.check', order);
  const state = deskState(session);
  if (!check || !state) return check;
  return { ...check, next: whenTriggered(state, order) ?? check.next };
}

/** Asks the engine about the draft; the answer counts only if the draft is still the same. */
export async function checkTicket(session: Session): Promise<void> {
  const dialog = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'ticket');
  if (!dialog) return;
  const { draft } = dialog;
  const { order } = ticketOrder(session, dialog);
  const check = await checkOrder(session, order);
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
