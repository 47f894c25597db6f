/** The ticket: opening it with what the person was looking at, live checks, and the way to its confirmation. */

import type { TicketCheck } from '../../../desk/console/protocol.ts';
import type { CreateOrder } from '../../../schemas/order.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../../app/session.ts';
import { topDialog, type UiState } from '../../state/ui.ts';
import { accountsAt } from '../../trading/prices.ts';
import { selectedPrice } from '../../trading/watch.ts';
import { confirmPlace } from '../confirmations.ts';
import type { TicketDialog } from '../orders-view.ts';
import { whenTriggered } from './futures-ticket.ts';
import { draftOrder, emptyDraft, ticketAccounts, ticketFields } from './ticket-draft.ts';

export function openTicket(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  if (state.accounts.length === 0) {
    say(session, 'no exchange account', 'warn');
    return;
  }
  const row = ui.parts.places[ui.screen].market?.(state, ui);
  const watched = selectedPrice(state, ui);
  const accounts = accountsAt(state.accounts, watched);
  const futures = accounts.find(({ kind }) => kind === 'futures');
  const first =
    (ui.screen === 'positions' && futures) ||
    accounts.find(({ id }) => id === ui.orders.account) ||
    accounts[0];
  const symbol = row?.symbol ?? watched?.symbol ?? '';
  const exchange = row?.exchange ?? first?.id ?? '';
  openDialog(session, {
    kind: 'ticket',
    draft: { ...emptyDraft(exchange, symbol), price: row?.crosshair ?? '' },
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

/** Opens the confirmation, if the engine, asked once more, has nothing against this very draft. */
export async function reviewTicket(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'ticket') return;
  const { draft } = dialog;
  const { fields, order, problem } = ticketOrder(session, dialog);
  if (problem) {
    patchDialog(session, 'ticket', () => ({ field: problem.field }));
    say(session, `${problem.field}: ${problem.message}`, 'warn');
    return;
  }
  const check = await checkOrder(session, order);
  const state = deskState(session);
  const now = topDialog(session.ui.getState());
  if (!check || !state || now?.kind !== 'ticket' || now.draft !== draft) return;
  patchDialog(session, 'ticket', () => ({ check, stale: false }));
  const first = check.problems[0];
  if (first) {
    const field = fields.find(({ id }) => id === first.field)?.id;
    if (field) patchDialog(session, 'ticket', () => ({ field }));
    say(session, `${first.field}: ${first.message}`, 'warn');
  } else openDialog(session, confirmPlace(state, order as CreateOrder, check));
}

/** Whether a ticket or the question that came from it shows figures of the market. */
export function showsMarket({ dialogs }: UiState): boolean {
  return dialogs.some(({ kind }) => kind === 'ticket');
}

/** What the ticket says of the market, and the question that came from it, as they are now. */
export async function recheckTicket(session: Session): Promise<void> {
  await checkTicket(session);
  const { dialogs } = session.ui.getState();
  const [form, asked] = dialogs.slice(-2);
  const state = deskState(session);
  if (!state || form?.kind !== 'ticket' || asked?.kind !== 'confirm' || asked.action.type !== 'place') return;
  const { order } = asked.action;
  const { rows, next } = confirmPlace(state, order, form.check);
  patchDialog(session, 'confirm', (now) => (now.action === asked.action ? { rows, next } : {}));
}
