/**
 * The one text field that has the keyboard, if any: its identity, its value and how to set it. The precedence
 * "text field > dialog > pane > screen > global" starts here. Values are cleaned as they come in. In a
 * terminal that is too small to show a field, none has the keyboard.
 */

import { activeFilter, withList } from '../lists/list-views.ts';
import { type Dialog, placeOf, tooSmall, topDialog, type UiState } from '../state/ui.ts';
import { type ActiveField, formOf } from './form.ts';
import { insert, type TextArea } from './text-area.ts';

const MAX_FIELD = 512;
/** Longest paste, in characters. */
const MAX_PASTE = 8_192;

/** Cleans text for a field: one line, nothing invisible, no half of a pair, as Backspace leaves it. */
export function fieldText(text: string, most = MAX_FIELD): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .slice(0, most)
    .replace(/\p{Cs}$/u, '');
}

/** Returns what the active field takes of a paste. */
export function pastedText(ui: UiState, id: string, text: string): string {
  const dialog = topDialog(ui);
  const own = dialog && formOf(ui, dialog).pasted?.(id, text);
  return own ?? fieldText(text, MAX_PASTE).trim();
}

/** The text field that has the keyboard. */
export function activeField(ui: UiState): ActiveField | null {
  if (tooSmall(ui)) return null;
  const dialog = topDialog(ui);
  if (dialog) return formOf(ui, dialog).text?.(dialog) ?? null;
  const own = ui.parts.places[placeOf(ui)].field?.active(ui);
  if (own) return own;
  const filter = activeFilter(ui);
  return filter ? { id: `filter.${filter.list}`, value: filter.text } : null;
}

/** The text of several lines that has the keyboard, if any. */
export function activeArea(ui: UiState): TextArea | null {
  const dialog = topDialog(ui);
  return dialog && !tooSmall(ui) ? (formOf(ui, dialog).area?.(dialog) ?? null) : null;
}

/** Changes the text of several lines that has the keyboard. */
export function withArea(ui: UiState, change: (area: TextArea) => TextArea): UiState {
  const dialog = topDialog(ui);
  const area = dialog && formOf(ui, dialog).area?.(dialog);
  if (!dialog || !area) return ui;
  const next = change(area);
  return next === area ? ui : withTop(ui, formOf(ui, dialog).withArea?.(dialog, next) ?? dialog);
}

/** Lets the innermost dialog use a whole paste; null: the paste is handled like typed text. */
export function withPastedText(ui: UiState, text: string): UiState | null {
  const dialog = topDialog(ui);
  if (!dialog || tooSmall(ui)) return null;
  if (activeArea(ui)) return withArea(ui, (area) => insert(area, text));
  const next = formOf(ui, dialog).withPaste?.(dialog, text) ?? null;
  return next && withTop(ui, next);
}

/**
 * Sets the active field's value; changes nothing if that field no longer has the keyboard. `known`: symbols
 * of the account that a symbol field is about.
 */
export function withField(ui: UiState, id: string, raw: string, known: readonly string[] = []): UiState {
  const field = activeField(ui);
  if (field?.id !== id) return ui;
  const dialog = topDialog(ui);
  const kind = dialog && formOf(ui, dialog);
  // Composed: text that is typed or pasted in parts must equal the word that is searched and traded.
  const value = kind?.typed?.(id, raw) ?? fieldText(raw).normalize('NFC');
  if (value === field.value && !field.whole) return ui;
  if (dialog) return withTop(ui, kind?.withText?.(dialog, value, known) ?? dialog);
  const filter = activeFilter(ui);
  if (filter) return withList(ui, filter.list, { filter: value });
  return ui.parts.places[placeOf(ui)].field?.with(ui, value) ?? ui;
}

function withTop(ui: UiState, dialog: Dialog): UiState {
  return { ...ui, dialogs: [...ui.dialogs.slice(0, -1), dialog] };
}
