/** The ticket: opening it for the symbol in view, live checks, and opening its confirmation. */

import type { TicketCheck } from '../../../desk/console/protocol.ts';
import type { CreateOrder } from '../../../schemas/order.ts';
import { ask, deskState, openDialog, patchDialog, type Session, say } from '../../app/session.ts';
import type { LineOrder } from '../../entry/order-line.ts';
import { stepped } from '../../entry/prices.ts';
import { topDialog, type UiState } from '../../state/ui.ts';
import { accountsAt } from '../../trading/prices.ts';
import { selectedPrice } from '../../trading/watch.ts';
import { inLabels, problemWords } from '../../ui/labels.ts';
import { confirmPlace } from '../confirmations.ts';
import { botForExits, confirmExits, hasExits, outcomeWords } from '../exits/exits.ts';
import type { TicketDialog } from '../orders-view.ts';
import { takeKeptDraft } from './drafts.ts';
import { whenTriggered } from './futures-ticket.ts';
import { draftOrder, emptyDraft, type TicketDraft, ticketAccounts, ticketFields } from './ticket-draft.ts';
import { priceFactsOf, typedTicket } from './typed.ts';

/** Opens a ticket for the symbol in view; a draft left for the same symbol comes back. */
export function openTicket(session: Session): void {
  const begun = newDraftForView(session);
  if (begun) openBegun(session, begun, 'symbol', false);
}

/** Does the same with the side set and the size in focus. */
export function openSide(session: Session, side: 'BUY' | 'SELL'): void {
  const begun = newDraftForView(session);
  if (begun) openBegun(session, { ...begun, side }, begun.symbol === '' ? 'symbol' : 'quantity', true);
}

function openBegun(
  session: Session,
  begun: TicketDraft,
  field: TicketDialog['field'],
  isSided: boolean,
): void {
  const kept = takeKeptDraft(session, begun, isSided);
  openDraft(session, kept ?? begun, field);
  if (kept) say(session, 'the draft that was left is back');
}

/** Opens a ticket with the draft of the last order placed from here. */
export function openLast(session: Session): void {
  const { last } = session.ui.getState().entry;
  if (last) openDraft(session, last, 'quantity');
  else say(session, 'no order was placed from here yet', 'warn');
}

/** Opens the ticket of an order written in one line, with its values as written. */
export function openLine(session: Session, order: LineOrder): void {
  const { exchange, symbol, side, type, price, size, stop, takeProfit } = order;
  const draft = { ...emptyDraft(exchange, symbol), side, type, price, quantity: size, takeProfit };
  openDraft(session, { ...draft, stopLoss: stop }, 'quantity');
}

export function openDraft(session: Session, draft: TicketDraft, field: TicketDialog['field']): void {
  const { only } = session.ui.getState();
  if (only !== null && draft.exchange !== only) {
    say(session, notHere(draft.exchange, only), 'warn');
    return;
  }
  openDialog(session, {
    kind: 'ticket',
    draft,
    field,
    whole: true,
    check: null,
    stale: true,
    refusal: null,
  });
  session.fieldChanged('ticket');
}

/** The message that refuses an order on another account while one account alone is shown. */
export function notHere(exchange: string, only: string): string {
  return `that is an order on ${exchange}, and only ${only} is looked at: @ chooses`;
}

/** Steps a price up or down by one tick, from its value or else from the last price. */
export function stepPrice(session: Session, by: 1 | -1): void {
  const dialog = topDialog(session.ui.getState());
  const state = deskState(session);
  if (!state) return;
  if (dialog?.kind !== 'ticket' || dialog.field === 'review') return;
  const { draft, field } = dialog;
  const facts = priceFactsOf(state, draft);
  const next = facts && stepped(draft[field], by, facts);
  if (next === null) return;
  patchDialog(session, 'ticket', () => ({ draft: { ...draft, [field]: next }, stale: true, refusal: null }));
  session.fieldChanged('ticket');
}

/** An empty draft for the account and symbol in view; null: there is no account to trade on. */
export function newDraftForView(session: Session): TicketDraft | null {
  const state = deskState(session);
  if (!state) return null;
  if (state.accounts.length === 0) {
    const { only } = session.ui.getState();
    say(session, only === null ? 'no exchange account' : `${only} is not here: @ chooses`, 'warn');
    return null;
  }
  const { exchange, symbol, crosshair } = marketInView(session);
  return { ...emptyDraft(exchange, symbol), price: crosshair };
}

/**
 * Account and symbol under the cursor, else those of the watchlist, and the price of a crosshair; empty where
 * there is none.
 */
export function marketInView(session: Session): {
  readonly exchange: string;
  readonly symbol: string;
  readonly crosshair: string;
} {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return { exchange: '', symbol: '', crosshair: '' };
  const row = ui.parts.places[ui.screen].market?.(state, ui);
  const watched = selectedPrice(state, ui);
  const accounts = accountsAt(state.accounts, watched);
  const futures = accounts.find(({ kind }) => kind === 'futures');
  const last = accounts.find(({ id }) => id === ui.orders.account);
  const first = (ui.screen === 'positions' && futures) || last || accounts[0];
  const symbol = row?.symbol ?? watched?.symbol ?? '';
  // While one account alone is shown, orders go to it, whatever account a cursor left earlier belongs to.
  return { exchange: ui.only ?? row?.exchange ?? first?.id ?? '', symbol, crosshair: row?.crosshair ?? '' };
}

/** Fields and order of the ticket in its current state. */
export function ticketOrder(session: Session, dialog: TicketDialog) {
  const state = deskState(session);
  const fields = ticketFields(dialog.draft, ticketAccounts(state));
  const typed = typedTicket(state, dialog.draft, dialog.check, session.riskPercent);
  const made = draftOrder(typed.draft, fields, state?.clock.market ?? session.now());
  return { fields, order: made.order, problem: typed.problem ?? made.problem, plain: typed.draft };
}

/** Lets the engine check an order. */
export async function checkOrder(session: Session, order: Partial<CreateOrder>): Promise<TicketCheck | null> {
  const check = await ask(session, 'orders.check', order);
  const state = deskState(session);
  if (!check || !state) return check;
  const problems = check.problems.map((one) => ({ ...one, message: inLabels(one.message) }));
  return { ...check, problems, next: whenTriggered(state, order) ?? check.next };
}

/** Lets the engine check the draft; the response is dropped if the draft has changed. */
export async function checkTicket(session: Session): Promise<void> {
  const dialog = session.ui.getState().dialogs.findLast((entry) => entry.kind === 'ticket');
  if (!dialog) return;
  const { draft } = dialog;
  const { order } = ticketOrder(session, dialog);
  const check = await checkOrder(session, order);
  patchDialog(session, 'ticket', (now) => (now.draft === draft ? { check, stale: false } : {}));
}

/** Opens the confirmation, if a new check by the engine finds no problem with exactly this draft. */
export async function reviewTicket(session: Session): Promise<void> {
  const dialog = topDialog(session.ui.getState());
  if (dialog?.kind !== 'ticket') return;
  const { draft } = dialog;
  const { fields, order, problem, plain } = ticketOrder(session, dialog);
  if (problem) {
    patchDialog(session, 'ticket', () => ({ field: problem.field }));
    say(session, problemWords(problem), 'warn');
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
    say(session, problemWords(first), 'warn');
  } else if (hasExits(plain)) await reviewExits(session, order as CreateOrder, plain, check);
  else openDialog(session, confirmPlace(state, order as CreateOrder, check));
}

/** Opens the question of an entry with exits, if the desk finds no problem with the pair. */
async function reviewExits(
  session: Session,
  order: CreateOrder,
  plain: TicketDraft,
  check: TicketCheck,
): Promise<void> {
  const exits = { takeProfit: plain.takeProfit.trim(), stopLoss: plain.stopLoss.trim() };
  const bot = botForExits(order, exits);
  const state = deskState(session);
  if (!state || typeof bot === 'string') {
    if (typeof bot === 'string') say(session, bot, 'warn');
    return;
  }
  const checked = await ask(session, 'bots.check', { type: bot.type, settings: bot.settings });
  const now = topDialog(session.ui.getState());
  if (!checked || now?.kind !== 'ticket') return;
  if (checked.problems.length > 0) {
    say(session, checked.text, 'warn');
    return;
  }
  const { rows } = confirmPlace(state, order, check);
  const price = order.price ?? order.stopPrice ?? check.last;
  const quote = check.availableAsset ?? '';
  const outcome =
    price === null || order.quantity === undefined
      ? []
      : [
          {
            name: 'comes to',
            value: outcomeWords({ ...order, quantity: order.quantity, price }, exits, quote),
          },
        ];
  openDialog(
    session,
    confirmExits(state, bot, [...rows, ...outcome], {
      title: 'Place order with exits',
      next: `${check.next} Once it has filled, both exits are watched: the one that fills cancels the other.`,
      verb: 'place this order',
    }),
  );
}

/** Whether market figures are shown by a ticket or by the question that it has opened. */
export function showsMarket({ dialogs }: UiState): boolean {
  return dialogs.some(({ kind }) => kind === 'ticket');
}

/** Updates the market figures of the ticket and of the question that it has opened. */
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
