/**
 * The one text field that has the keyboard, if any: its identity, its value and how to set it. The precedence
 * "text field > dialog > pane > screen > global" starts here. Values are cleaned as they come in.
 */
import { type Dialog, type PositionAsk, topDialog, type UiState } from './ui.ts';

export interface ActiveField {
  readonly id: string;
  readonly value: string;
  /** Ignores several characters in one event (confirmation words). */
  readonly guarded: boolean;
  /** The value stands selected: what is typed takes its place. */
  readonly whole?: boolean;
}

const MAX_FIELD = 512;

/** Text as a field may hold it: one line, nothing invisible. */
export function fieldText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .slice(0, MAX_FIELD);
}

export function activeField(ui: UiState): ActiveField | null {
  const dialog = topDialog(ui);
  if (dialog) return dialogField(dialog);
  return ui.screen === 'orders' && ui.orders.filtering
    ? { id: 'filter', value: ui.orders.filter, guarded: false }
    : null;
}

const TICKET_TEXT = new Set([
  'symbol',
  'quantity',
  'quoteOrderQty',
  'price',
  'stopPrice',
  'goodTillDate',
  'icebergQty',
  'trailingDelta',
  'activationPrice',
  'percentPrice',
]);

/** What a position's form has typed; the rest is chosen. */
const TYPED: ReadonlySet<PositionAsk> = new Set(['limit', 'stop', 'leverage']);

function dialogField(dialog: Dialog): ActiveField | null {
  switch (dialog.kind) {
    case 'ticket':
      return dialog.field !== 'review' && TICKET_TEXT.has(dialog.field)
        ? {
            id: `ticket.${dialog.field}`,
            value: dialog.draft[dialog.field],
            guarded: false,
            whole: dialog.field === 'symbol' && dialog.whole && dialog.draft.symbol !== '',
          }
        : null;
    case 'confirm':
      return dialog.word !== undefined && dialog.typed !== dialog.word && !dialog.busy
        ? { id: 'confirm', value: dialog.typed, guarded: true }
        : null;
    case 'split':
      return dialog.focus === 'text' ? { id: 'split', value: dialog.text, guarded: false } : null;
    case 'position-form':
      return dialog.focus === 'symbol' || (dialog.focus === 'value' && TYPED.has(dialog.what))
        ? {
            id: `position.${dialog.focus}`,
            value: dialog.focus === 'symbol' ? dialog.symbol : dialog.value,
            guarded: false,
          }
        : null;
    case 'key-form':
      return dialog.field === 'label' || dialog.field === 'publicKey'
        ? { id: `key.${dialog.field}`, value: dialog[dialog.field], guarded: false }
        : null;
    case 'palette':
      return { id: 'palette', value: dialog.text, guarded: false };
    default:
      return null;
  }
}

/** The state with the active field's value set; unchanged when that field no longer has the keyboard. */
export function withField(ui: UiState, id: string, raw: string): UiState {
  const field = activeField(ui);
  if (field?.id !== id) return ui;
  const value = fieldText(raw);
  if (value === field.value && !field.whole) return ui;
  const dialog = topDialog(ui);
  if (!dialog) return { ...ui, orders: { ...ui.orders, filter: value } };
  return { ...ui, dialogs: [...ui.dialogs.slice(0, -1), withValue(dialog, value)] };
}

function withValue(dialog: Dialog, value: string): Dialog {
  switch (dialog.kind) {
    case 'ticket': {
      if (dialog.field === 'review') return dialog;
      const text = dialog.field === 'symbol' ? value.toUpperCase() : value;
      return {
        ...dialog,
        draft: { ...dialog.draft, [dialog.field]: text },
        whole: false,
        stale: true,
        refusal: null,
      };
    }
    case 'confirm':
      return { ...dialog, typed: value };
    case 'split':
      return { ...dialog, text: value, stale: true };
    case 'position-form':
      return dialog.focus === 'symbol'
        ? { ...dialog, symbol: value.toUpperCase(), brackets: null, stale: true, refusal: null }
        : { ...dialog, value, stale: true, refusal: null };
    case 'key-form':
      return dialog.field === 'label' || dialog.field === 'publicKey'
        ? { ...dialog, [dialog.field]: value, problem: null }
        : dialog;
    case 'palette':
      return { ...dialog, text: value, index: 0 };
    default:
      return dialog;
  }
}
