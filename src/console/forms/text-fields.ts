/**
 * The one text field that has the keyboard, if any: its identity, its value and how to set it. The precedence
 * "text field > dialog > pane > screen > global" starts here. Values are cleaned as they come in. In a terminal too small to
 * show a field none has the keyboard.
 */

import { activeFilter, withList } from '../lists/list-views.ts';
import { type Dialog, placeOf, tooSmall, topDialog, type UiState } from '../state/ui.ts';
import { type ActiveField, formOf } from './form.ts';
import { insert, type TextArea } from './text-area.ts';

const MAX_FIELD = 512;
/** Characters of a paste. */
const MAX_PASTE = 8_192;

/** Text as a field may hold it: one line, nothing invisible, no half of a letter, as Backspace leaves it of a pair. */
export function fieldText(text: string, most = MAX_FIELD): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .slice(0, most)
    .replace(/\p{Cs}$/u, '');
}

/** What the field that has the keyboard takes of a paste. */
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

/** The state with that text changed. */
export function withArea(ui: UiState, change: (area: TextArea) => TextArea): UiState {
  const dialog = topDialog(ui);
  const area = dialog && formOf(ui, dialog).area?.(dialog);
  if (!dialog || !area) return ui;
  const next = change(area);
  return next === area ? ui : withTop(ui, formOf(ui, dialog).withArea?.(dialog, next) ?? dialog);
}

/** The state with a paste taken in whole by the innermost dialog; null when it goes the way of what is typed. */
export function withPastedText(ui: UiState, text: string): UiState | null {
  const dialog = topDialog(ui);
  if (!dialog || tooSmall(ui)) return null;
  if (activeArea(ui)) return withArea(ui, (area) => insert(area, text));
  const next = formOf(ui, dialog).withPaste?.(dialog, text) ?? null;
  return next && withTop(ui, next);
}

/**
 * The state with the active field's value set; unchanged when that field no longer has the keyboard. `known`: symbols of the
 * account that a symbol's field is about.
 */
export function withField(ui: UiState, id: string, raw: string, known: readonly string[] = []): UiState {
  const field = activeField(ui);
  if (field?.id !== id) return ui;
  const dialog = topDialog(ui);
  const kind = dialog && formOf(ui, dialog);
  // Composed: what is typed or pasted in parts is the same word as what is searched and traded.
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
