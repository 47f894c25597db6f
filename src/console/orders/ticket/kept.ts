/**
 * What a terminal keeps of its tickets: a draft that was left comes back, that of an order which is under way does not, so that
 * nobody sends it twice; the last one placed begins another.
 */
import type { Session } from '../../app/session.ts';
import type { Dialog, UiState } from '../../state/ui.ts';
import type { EntryView } from '../orders-view.ts';
import { emptyDraft, type TicketDraft, type TicketFieldId } from './ticket-draft.ts';

/** Nothing was written in it yet. */
function isUntouched(draft: TicketDraft): boolean {
  const first = emptyDraft(draft.exchange, draft.symbol);
  return Object.entries(draft).every(
    ([field, value]) => field === 'side' || value === first[field as TicketFieldId],
  );
}

/** Of a ticket that is closed: what it leaves. */
export function left(draft: TicketDraft, { entry }: Pick<UiState, 'entry'>): { entry?: EntryView } {
  return isUntouched(draft) || draft === entry.sent ? {} : { entry: { ...entry, kept: draft } };
}

/** The draft that was left of what is begun now, at the price that was pointed at; it is out of keeping then. Null: there is none. */
export function takeKept(session: Session, begun: TicketDraft, isSided: boolean): TicketDraft | null {
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

/** The order of this form is on its way. */
export function sending(session: Session, form: Dialog | null): void {
  if (form?.kind === 'ticket')
    session.ui.setState(({ entry }) => ({ entry: { ...entry, sent: form.draft } }));
}

/** It was taken, or not: what was refused after its ticket had been left is kept like any that was left. */
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
