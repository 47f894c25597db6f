/**
 * Drafts of tickets that a terminal keeps: a draft that was left comes back; that of an order whose request
 * is in progress does not, so that nobody sends it twice; the last one placed can begin another.
 */
import type { Session } from '../../app/session.ts';
import type { Dialog, UiState } from '../../state/ui.ts';
import type { EntryView } from '../orders-view.ts';
import { emptyDraft, type TicketDraft, type TicketFieldId } from './ticket-draft.ts';

/** Whether nothing was typed into the draft yet. */
function isUntouched(draft: TicketDraft): boolean {
  const first = emptyDraft(draft.exchange, draft.symbol);
  return Object.entries(draft).every(
    ([field, value]) => field === 'side' || value === first[field as TicketFieldId],
  );
}

/** The change of state when a ticket is closed: its draft is kept. */
export function left(draft: TicketDraft, { entry }: Pick<UiState, 'entry'>): { entry?: EntryView } {
  return isUntouched(draft) || draft === entry.sent ? {} : { entry: { ...entry, kept: draft } };
}

/**
 * Takes the kept draft if it is for the account and symbol of the new one, with the crosshair's price. Null:
 * there is none.
 */
export function takeKeptDraft(session: Session, begun: TicketDraft, isSided: boolean): TicketDraft | null {
  const { entry } = session.ui.getState();
  const { kept } = entry;
  const isSame =
    kept?.exchange === begun.exchange &&
    kept.symbol === begun.symbol &&
    (!isSided || kept.side === begun.side);
  if (!kept || !isSame) return null;
  session.ui.setState({ entry: { ...entry, kept: null } });
  return begun.price === '' ? kept : { ...kept, price: begun.price };
}

/** Remembers the draft whose order is being sent. */
export function sending(session: Session, form: Dialog | null): void {
  if (form?.kind === 'ticket')
    session.ui.setState(({ entry }) => ({ entry: { ...entry, sent: form.draft } }));
}

/**
 * Handles the outcome: the draft of an order refused after its ticket was closed is kept like any draft that
 * was left.
 */
export function answered(session: Session, form: Dialog | null, taken: boolean): void {
  if (form?.kind !== 'ticket') return;
  const { draft } = form;
  session.ui.setState(({ entry, dialogs }) => {
    const isOpen = dialogs.some((dialog) => dialog.kind === 'ticket' && dialog.draft === draft);
    const sent = entry.sent === draft ? null : entry.sent;
    if (taken) return { entry: { ...entry, sent, last: draft } };
    return { entry: { ...entry, sent, kept: isOpen ? entry.kept : draft } };
  });
}
