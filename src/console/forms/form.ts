/**
 * The contract of a dialog: what keys, screen and desk need to know of one kind of dialog, as one value that
 * its feature exports (`forms` of its `Feature`). Code that handles dialogs uses this contract and never
 * names a kind.
 */
import type { ReactNode } from 'react';
import type { DeskState } from '../../desk/console/protocol.ts';
import type { Session } from '../app/session.ts';
import type { Scope } from '../input/binding.ts';
import type { Dialog, UiState } from '../state/ui.ts';
import type { Room } from '../ui/room.ts';
import type { TextArea } from './text-area.ts';

/** The text field that has the keyboard. */
export interface ActiveField {
  /** The id of its `TextField`: `ticket.symbol`. */
  readonly id: string;
  readonly value: string;
  /** The word of a confirmation: no text is accepted beyond its end, and no paste. */
  readonly word?: true;
  /** The value is selected: the next character replaces it. */
  readonly whole?: boolean;
}

/** The last row of a form, which opens its confirmation; it has no choices. */
export const REVIEW = 'review';

/** Delay from the last key to a live check. */
export const CHECK_DELAY_MS = 80;

export interface FormKind<D extends Dialog = Dialog> {
  readonly kind: D['kind'];
  View(props: { readonly dialog: D; readonly room: Room }): ReactNode;
  /** Active key tables, innermost first. @default those of a form, and of a choice if nothing is typed */
  scopes?(dialog: D, ui: UiState): readonly Scope[];

  /** Only this dialog, and dialogs above it, are shown and reachable. */
  readonly covers?: true;

  // --- moving through it ---

  /** The fields that can have the keyboard, in order, `review` last. @default none */
  fields?(dialog: D, state: DeskState | null): readonly string[];
  /** The field in focus. @default `dialog.focus` */
  focus?(dialog: D): string;
  /** Returns the dialog with the keyboard in another field. @default `focus` set */
  withFocus?(dialog: D, field: string): D;
  /** Handles left, right and space: the next choice of the field in focus. */
  choose?(session: Session, dialog: D, by: number): void;
  /** Handles Enter where it has a special meaning; false: it moves to the next field. */
  enter?(session: Session, dialog: D): boolean;
  /** Opens the confirmation, or says what is missing. Acts on the innermost dialog. */
  review?(session: Session): void;

  // --- what is typed ---

  /** The text field in focus; null: the field in focus is chosen, not typed. @default null */
  text?(dialog: D): ActiveField | null;
  /** Returns the dialog with the text set in the field in focus. `known`: symbols that the field may mean. */
  withText?(dialog: D, text: string, known: readonly string[]): D;
  /** The account whose symbols the field in focus may mean; null: the field is about no account. */
  symbolsAt?(dialog: D): string | null;
  /** Returns what is kept of a typed text. @default one line without invisible characters, composed */
  typed?(id: string, raw: string): string;
  /** Returns the text that a paste adds. @default one line, its ends trimmed */
  pasted?(id: string, raw: string): string;
  /** The text of several lines that has the keyboard; null: there is none. */
  area?(dialog: D): TextArea | null;
  withArea?(dialog: D, area: TextArea): D;
  /** Returns the dialog after it has used a whole paste; null: the paste is handled like typed text. */
  withPaste?(dialog: D, text: string): D | null;
  /** Called after a typed or chosen change: starts live checks (`session.later`). */
  changed?(session: Session): void;

  // --- its end ---

  /** A question above it confirms the dialog: success closes it, otherwise it shows the refusal. */
  readonly confirmed?: true;
  /** Tells whether this is still the confirmed form, unchanged. @default the same object */
  isSame?(now: D, confirmed: D): boolean;
  /** Changes of the state when the dialog is closed. */
  closed?(dialog: D, ui: UiState): Partial<UiState>;
}

/** Every kind of dialog with its contract. */
export type FormTable = Readonly<Record<Dialog['kind'], FormKind>>;

declare module '../state/ui.ts' {
  interface Parts {
    readonly forms: FormTable;
  }
}

/** The contract of a dialog. */
export function formOf(ui: Pick<UiState, 'parts'>, dialog: Dialog): FormKind {
  return ui.parts.forms[dialog.kind];
}

/** The focused field of a dialog; empty: there is none. */
export function focusOf(kind: FormKind, dialog: Dialog): string {
  return kind.focus?.(dialog) ?? ('focus' in dialog ? dialog.focus : '');
}

/** The dialog with the keyboard in that field. */
export function withFocus(kind: FormKind, dialog: Dialog, field: string): Dialog {
  return kind.withFocus?.(dialog, field) ?? ({ ...dialog, focus: field } as Dialog);
}
