/**
 * The one text field that has the keyboard, if any: its identity, its value and how to set it. The precedence
 * "text field > dialog > pane > screen > global" starts here. Values are cleaned as they come in. In a terminal too small to
 * show a field none has the keyboard.
 */
import { spelled } from '../../domain/market-name.ts';
import { accountFields, withAccountValue } from '../model/account-forms.ts';
import { insert, replace, type TextArea } from '../model/bot-area.ts';
import { editedEditor, focusedCell, isTyped } from '../model/bot-editor.ts';
import type { BotRuleField } from '../model/bot-forms.ts';
import { laidOut } from '../model/bot-print.ts';
import { credentialText } from '../model/connect-form.ts';
import type { KeyFieldId } from '../model/key-draft.ts';
import { LAB_LIMIT, shownBytes } from '../model/key-lab.ts';
import { hasWord } from '../model/question.ts';
import { passphraseText } from '../model/vault-form.ts';
import { activeFilter, withList } from './list-views.ts';
import { type Dialog, type PositionAsk, tooSmall, topDialog, type UiState } from './ui.ts';

export interface ActiveField {
  readonly id: string;
  readonly value: string;
  /** The word of a confirmation: nothing goes in beyond its end, and no paste. */
  readonly word?: true;
  /** The value stands selected: what is typed takes its place. */
  readonly whole?: boolean;
}

const MAX_FIELD = 512;

/** Text as a field may hold it: one line, nothing invisible, no half of a letter, as Backspace leaves it of a pair. */
export function fieldText(text: string, most = MAX_FIELD): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\p{Cf}\p{Co}\p{Cs}]/gu, '')
    .slice(0, most)
    .replace(/\p{Cs}$/u, '');
}

/** What a field takes of a paste: a request's body to the last byte, but for line ends, of which terminals make CR. */
export function pastedText(id: string, text: string): string {
  if (isHidden(id)) return hiddenText(id, text);
  return id === 'lab.body' ? shownBytes(text.replace(/\r(?!\n)/g, '\n')) : fieldText(text, LAB_LIMIT).trim();
}

/** A field of which nothing is drawn, and that is kept as it was typed. */
function isHidden(id: string): boolean {
  return id.startsWith('vault.') || id.startsWith('secret.');
}

/** A passphrase is one line; a credential may be a file of several. */
function hiddenText(id: string, text: string): string {
  return id.startsWith('vault.') ? passphraseText(text) : credentialText(text);
}

/** Longer than elsewhere, and the body with what cannot be seen in it. */
function labText(id: string, raw: string): string {
  return id === 'lab.body' ? shownBytes(raw).slice(0, LAB_LIMIT + 1) : fieldText(raw, LAB_LIMIT);
}

export function activeField(ui: UiState): ActiveField | null {
  if (tooSmall(ui)) return null;
  const dialog = topDialog(ui);
  if (dialog) return dialogField(dialog);
  if (ui.screen === 'log' && ui.log.searching) return { id: 'log.search', value: ui.log.search };
  const filter = activeFilter(ui);
  return filter ? { id: `filter.${filter.list}`, value: filter.text } : null;
}

/** The text of several lines that has the keyboard, if any. */
export function activeArea(ui: UiState): TextArea | null {
  const dialog = topDialog(ui);
  return dialog?.kind === 'bot-form' && dialog.focus === 'json' && !tooSmall(ui) ? dialog.area : null;
}

/** The state with that text changed. */
export function withArea(ui: UiState, change: (area: TextArea) => TextArea): UiState {
  const dialog = topDialog(ui);
  if (dialog?.kind !== 'bot-form') return ui;
  const area = change(dialog.area);
  if (area === dialog.area) return ui;
  const next = {
    ...dialog,
    area,
    ...(area.text === dialog.area.text ? {} : { refusal: null, leaving: false }),
  };
  return { ...ui, dialogs: [...ui.dialogs.slice(0, -1), next] };
}

/**
 * The state with a paste taken into the text of several lines, which also takes it when the path of its file is asked for
 * and JSON comes; null when the paste is not for it.
 */
export function withPastedText(ui: UiState, text: string): UiState | null {
  const dialog = topDialog(ui);
  if (dialog?.kind !== 'bot-form' || tooSmall(ui)) return null;
  if (dialog.focus === 'json') return withArea(ui, (area) => insert(area, text));
  if (!/^\s*[{[]/.test(text)) return null;
  const area = replace(dialog.area, laidOut(text));
  const next = { ...dialog, area, focus: 'json' as const, refusal: null, leaving: false };
  return { ...ui, dialogs: [...ui.dialogs.slice(0, -1), next] };
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

/** What a key's form has typed; the rest is chosen. */
function isKeyText(field: KeyFieldId): field is 'label' | 'publicKey' | 'ipText' {
  return field === 'label' || field === 'publicKey' || field === 'ipText';
}

/** What a stop rule has typed; the rest is chosen. */
function isRuleText(field: BotRuleField): field is 'value' | 'percent' | 'stopPrice' {
  return field === 'value' || field === 'percent' || field === 'stopPrice';
}

function dialogField(dialog: Dialog): ActiveField | null {
  switch (dialog.kind) {
    case 'ticket':
      return dialog.field !== 'review' && TICKET_TEXT.has(dialog.field)
        ? {
            id: `ticket.${dialog.field}`,
            value: dialog.draft[dialog.field],
            whole: dialog.field === 'symbol' && dialog.whole && dialog.draft.symbol !== '',
          }
        : null;
    case 'confirm':
      return hasWord(dialog) || dialog.busy ? null : { id: 'confirm', value: dialog.typed, word: true };
    case 'split':
      return dialog.focus === 'text' ? { id: 'split', value: dialog.text } : null;
    case 'position-form':
      return dialog.focus === 'symbol' || (dialog.focus === 'value' && TYPED.has(dialog.what))
        ? {
            id: `position.${dialog.focus}`,
            value: dialog.focus === 'symbol' ? dialog.symbol : dialog.value,
          }
        : null;
    case 'lab-form':
      return dialog.focus === 'method'
        ? null
        : { id: `lab.${dialog.focus}`, value: dialog.draft[dialog.focus] };
    case 'account-form': {
      const field = accountFields(dialog).find(({ id }) => id === dialog.focus);
      const typed = field !== undefined && field.choices === undefined;
      const group = field?.hidden ? 'secret' : 'account';
      return typed ? { id: `${group}.${field.id}`, value: dialog.values[field.id] ?? '' } : null;
    }
    case 'key-form':
      return isKeyText(dialog.field)
        ? { id: `key.${dialog.field}`, value: dialog.draft[dialog.field] }
        : null;
    case 'maintenance-form':
      return dialog.focus === 'message' ? { id: 'maintenance.message', value: dialog.message } : null;
    case 'vault-form':
      return dialog.focus === 'review' || dialog.busy
        ? null
        : { id: `vault.${dialog.focus}`, value: dialog.values[dialog.focus] };
    case 'bot-form':
      return dialog.focus === 'file' ? { id: 'bot.file', value: dialog.file } : null;
    case 'bot-editor': {
      const cell = dialog.pane === 'form' ? focusedCell(dialog) : null;
      return cell && isTyped(cell) ? { id: `editor.${cell.path}`, value: cell.text } : null;
    }
    case 'bot-rule':
      return isRuleText(dialog.focus) ? { id: `bot.${dialog.focus}`, value: dialog[dialog.focus] } : null;
    case 'bot-tag':
      return dialog.focus === 'value' ? { id: 'bot.tag', value: dialog.value } : null;
    case 'palette':
      return { id: 'palette', value: dialog.text };
    default:
      return null;
  }
}

/**
 * The state with the active field's value set; unchanged when that field no longer has the keyboard. `known`: symbols of the
 * account that a symbol's field is about.
 */
export function withField(ui: UiState, id: string, raw: string, known: readonly string[] = []): UiState {
  const field = activeField(ui);
  if (field?.id !== id) return ui;
  // Composed: what is typed or pasted in parts is the same word as what is searched and traded.
  const value = fieldValue(id, raw);
  if (value === field.value && !field.whole) return ui;
  const dialog = topDialog(ui);
  if (!dialog) {
    const filter = activeFilter(ui);
    return filter
      ? withList(ui, filter.list, { filter: value })
      : { ...ui, log: { ...ui.log, search: value } };
  }
  return { ...ui, dialogs: [...ui.dialogs.slice(0, -1), withValue(dialog, value, known)] };
}

function fieldValue(id: string, raw: string): string {
  if (isHidden(id)) return hiddenText(id, raw);
  return id.startsWith('lab.') ? labText(id, raw) : fieldText(raw).normalize('NFC');
}

function withValue(dialog: Dialog, value: string, known: readonly string[]): Dialog {
  switch (dialog.kind) {
    case 'ticket': {
      if (dialog.field === 'review') return dialog;
      const text = dialog.field === 'symbol' ? spelled(value, known) : value;
      return {
        ...dialog,
        draft: { ...dialog.draft, [dialog.field]: text },
        whole: false,
        stale: true,
        refusal: null,
      };
    }
    case 'confirm':
      return { ...dialog, typed: value, shownAt: null, remark: undefined };
    case 'split':
      return { ...dialog, text: value, stale: true };
    case 'position-form':
      return dialog.focus === 'symbol'
        ? { ...dialog, symbol: spelled(value, known), brackets: null, stale: true, refusal: null }
        : { ...dialog, value, stale: true, refusal: null };
    case 'lab-form':
      return { ...dialog, draft: { ...dialog.draft, [dialog.focus]: value } };
    case 'account-form':
      return withAccountValue(dialog, dialog.focus, value);
    case 'key-form':
      return isKeyText(dialog.field)
        ? { ...dialog, draft: { ...dialog.draft, [dialog.field]: value }, refusal: null }
        : dialog;
    case 'maintenance-form':
      return { ...dialog, message: value };
    case 'vault-form':
      return dialog.focus === 'review'
        ? dialog
        : { ...dialog, values: { ...dialog.values, [dialog.focus]: value }, refusal: null };
    case 'bot-form':
      return { ...dialog, file: value, refusal: null };
    case 'bot-editor':
      return editedEditor(dialog, { do: 'type', path: dialog.focus, text: value });
    case 'bot-rule':
      return isRuleText(dialog.focus) ? { ...dialog, [dialog.focus]: value, refusal: null } : dialog;
    case 'bot-tag':
      return { ...dialog, value, refusal: null };
    case 'palette':
      return { ...dialog, text: value, index: 0 };
    default:
      return dialog;
  }
}
