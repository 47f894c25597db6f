/** The dialogs of the Orders screen: the ticket and a split. */
import { spelled } from '../../domain/market-name.ts';
import { deskState, patchDialog } from '../app/session.ts';
import { TYPE_LETTERS } from '../entry/order-line.ts';
import { nextShare } from '../entry/sizes.ts';
import { CHECK_DELAY_MS, type FormKind, REVIEW } from '../forms/form.ts';
import { nextOf } from '../forms/moving.ts';
import { formScopes } from '../input/scopes.ts';
import type { SplitDialog, TicketDialog } from './orders-view.ts';
import { SplitView } from './SplitView.tsx';
import { previewSplit, reviewSplit } from './split.ts';
import { checkTicket, reviewTicket } from './ticket/commands.ts';
import { left } from './ticket/drafts.ts';
import { TicketView } from './ticket/TicketView.tsx';
import { type TicketDraft, type TicketFieldId, ticketAccounts, ticketFields } from './ticket/ticket-draft.ts';

/** Fields in which the arrows step by a tick. */
const STEPPED: ReadonlySet<string> = new Set([
  'price',
  'stopPrice',
  'activationPrice',
  'takeProfit',
  'stopLoss',
]);

/**
 * The draft after typing in the size: a letter in an empty size chooses the type, and a bare `%` goes through
 * the quarters; null: ordinary text.
 */
function sizeTyped(draft: TicketDraft, text: string): TicketDraft | null {
  const type = draft.quantity === '' ? TYPE_LETTERS[text] : undefined;
  if (type !== undefined) return { ...draft, type };
  if (text !== `${draft.quantity}%`) return null;
  const share = nextShare(draft.quantity);
  return share === null ? null : { ...draft, quantity: share };
}

export const TICKET: FormKind<TicketDialog> = {
  kind: 'ticket',
  View: TicketView,
  confirmed: true,
  fields: ({ draft }, state) => [...ticketFields(draft, ticketAccounts(state)).map(({ id }) => id), REVIEW],
  focus: ({ field }) => field,
  withFocus: (dialog, field) => ({
    ...dialog,
    field: field as TicketDialog['field'],
    whole: field === 'symbol',
  }),
  text(dialog) {
    const { draft, field, whole } = dialog;
    // Fields that are typed do not depend on the account.
    const spec = ticketFields(draft, []).find(({ id }) => id === field);
    if (!spec || spec.choices) return null;
    const value = draft[spec.id];
    return { id: `ticket.${field}`, value, whole: field === 'symbol' && whole && value !== '' };
  },
  withText(dialog, text, known) {
    const { field, draft } = dialog;
    const changed = field === 'quantity' ? sizeTyped(draft, text) : null;
    const value = field === 'symbol' ? spelled(text, known) : text;
    return {
      ...dialog,
      draft: changed ?? { ...draft, [field]: value },
      whole: false,
      stale: true,
      refusal: null,
    };
  },
  symbolsAt: ({ field, draft }) => (field === 'symbol' ? draft.exchange : null),
  choose(session, { draft, field }, by) {
    const spec = ticketFields(draft, ticketAccounts(deskState(session))).find(({ id }) => id === field);
    if (!spec?.choices?.length) return;
    const next = nextOf(spec.choices, draft[spec.id], by);
    patchDialog(session, 'ticket', () => ({
      draft: { ...draft, [field as TicketFieldId]: next },
      stale: true,
      refusal: null,
    }));
    session.fieldChanged('ticket');
  },
  review: (session) => void reviewTicket(session),
  changed: (session) => session.later('ticket', CHECK_DELAY_MS, () => void checkTicket(session)),
  isSame: (now, confirmed) => now.draft === confirmed.draft,
  scopes: (dialog, ui) => [
    ...(STEPPED.has(dialog.field) ? (['stepped'] as const) : []),
    ...formScopes(dialog, ui),
  ],
  closed: ({ draft }, ui) => left(draft, ui),
};

export const SPLIT: FormKind<SplitDialog> = {
  kind: 'split',
  View: SplitView,
  confirmed: true,
  fields: () => ['text', REVIEW],
  text: ({ focus, text }) => (focus === 'text' ? { id: 'split', value: text } : null),
  withText: (dialog, text) => ({ ...dialog, text, stale: true }),
  review: (session) => void reviewSplit(session),
  changed: (session) => session.later('split', CHECK_DELAY_MS, () => void previewSplit(session)),
};
