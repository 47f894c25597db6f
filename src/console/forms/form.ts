/**
 * The contract of a dialog: what keys, screen and desk have to know of one kind of it, in one value that its feature
 * exports (`forms` of its `Feature`). Whoever handles dialogs asks here and never for a kind by name.
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
  /** As its `TextField` is named: `ticket.symbol`. */
  readonly id: string;
  readonly value: string;
  /** The word of a confirmation: nothing goes in beyond its end, and no paste. */
  readonly word?: true;
  /** The value stands selected: what is typed takes its place. */
  readonly whole?: boolean;
}

/** The row of a form that opens its confirmation; the last one, with nothing to choose in it. */
export const REVIEW = 'review';

/** A live check follows the last key by this much. */
export const CHECK_DELAY_MS = 80;

export interface FormKind<D extends Dialog = Dialog> {
  readonly kind: D['kind'];
  View(props: { readonly dialog: D; readonly room: Room }): ReactNode;
  /** Tables of keys that are in force, innermost first. @default those of a form, and of a choice where nothing is typed */
  scopes?(dialog: D, ui: UiState): readonly Scope[];

  /** Nothing but it, and what stands above it, is shown or reachable. */
  readonly covers?: true;

  // --- moving through it ---

  /** What the keyboard can be in, in order, `review` last. @default nothing */
  fields?(dialog: D, state: DeskState | null): readonly string[];
  /** Where it is. @default `dialog.focus` */
  focus?(dialog: D): string;
  /** The dialog with the keyboard in another of its fields. @default `focus` set */
  withFocus?(dialog: D, field: string): D;
  /** Left, right and space: the next choice of the field in focus. */
  choose?(session: Session, dialog: D, by: number): void;
  /** Enter where it means something of its own; false: it goes on to the next field. */
  enter?(session: Session, dialog: D): boolean;
  /** Opens the confirmation, or says what is missing. Acts on the innermost dialog. */
  review?(session: Session): void;

  // --- what is typed ---

  /** The text field in focus; null where something is chosen. @default null */
  text?(dialog: D): ActiveField | null;
  /** The dialog with that text in the field in focus. `known`: symbols that the field may mean. */
  withText?(dialog: D, text: string, known: readonly string[]): D;
  /** The account whose symbols the field in focus may mean; null where it is about none. */
  symbolsAt?(dialog: D): string | null;
  /** What is kept of a text as typed. @default one line without anything invisible, composed */
  typed?(id: string, raw: string): string;
  /** What a paste puts behind the text. @default one line, its ends trimmed */
  pasted?(id: string, raw: string): string;
  /** A text of several lines that has the keyboard; null where there is none. */
  area?(dialog: D): TextArea | null;
  withArea?(dialog: D, area: TextArea): D;
  /** The dialog with a paste taken in whole; null when it goes the way of what is typed. */
  withPaste?(dialog: D, text: string): D | null;
  /** Something typed or chosen has changed: live checks follow (`session.later`). */
  changed?(session: Session): void;

  // --- its end ---

  /** It is confirmed by a question above it, which closes it when it went well and leaves the refusal in it when not. */
  readonly confirmed?: true;
  /** Still the form that was confirmed. @default the same object */
  isSame?(now: D, confirmed: D): boolean;
  /** What of the state changes with it when it is closed. */
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

/** The field of a dialog in focus; empty where there is none. */
export function focusOf(kind: FormKind, dialog: Dialog): string {
  return kind.focus?.(dialog) ?? ('focus' in dialog ? dialog.focus : '');
}

/** The dialog with the keyboard in that field. */
export function withFocus(kind: FormKind, dialog: Dialog, field: string): Dialog {
  return kind.withFocus?.(dialog, field) ?? ({ ...dialog, focus: field } as Dialog);
}
