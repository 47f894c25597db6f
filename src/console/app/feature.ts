/**
 * The contract of a feature: everything the console has of one thing a person works with, as one value. `features.ts` is the
 * only file that names them; types of their dialogs, actions and parts of the state they add themselves (`declare module`).
 */

import type { ReactNode } from 'react';
import type { DeskState } from '../../desk/console/protocol.ts';
import type { ActiveField, FormKind } from '../forms/form.ts';
import type { BoundBinding, CommandId, Scope } from '../input/binding.ts';
import type { Action, Dialog, Lists, Place, ScreenId, Selection, Slices, UiState } from '../state/ui.ts';
import type { Room } from '../ui/room.ts';
import type { Session } from './session.ts';

/** What a command does. */
export type Run = (session: Session) => void;

/** Rows as cursors know them. */
export type Rows = readonly { readonly id: string }[];

/** What a confirmed dialog does on the desk. `form`: the one under the question, as it was confirmed; null without. */
export type Perform<A extends Action = Action> = (
  session: Session,
  action: A,
  form: Dialog | null,
) => void | Promise<void>;

/** A list that is filtered and sorted; its view stands in the state under the id of its place. */
export interface ListKind {
  /** What it is sorted by, the usual one first. */
  readonly sorts: readonly string[];
  rows(state: DeskState, ui: UiState): Rows;
  /** Whether a row is there still, shown or not, for what is done to all that are marked. @default rows cannot be marked */
  marks?(state: DeskState, id: string): boolean;
  /** Rows of one group stay together: when the row under the cursor goes to another one, the cursor stays at its place. */
  group?(state: DeskState, id: string): string;
}

/** A cursor that is not a list's: where it is, and how it is put elsewhere. */
export interface Cursor {
  readonly name: string;
  readonly rows: Rows;
  readonly selection: Selection;
  moved(ui: UiState, selection: Selection): UiState;
  /** The group that a row is in, where the cursor stays at its place when its row goes to another one. */
  groupOf?(id: string): string;
}

/** A text field of a place, outside all dialogs and filters of lists. */
export interface PlaceField {
  active(ui: UiState): ActiveField | null;
  with(ui: UiState, text: string): UiState;
  changed(session: Session): void;
  /** Enter (`keep`) or Escape. */
  done(session: Session, keep: boolean): void;
}

/** A screen, or the view that takes the place of one. */
export interface PlaceKind {
  readonly id: Place;
  readonly title: string;
  /** The key of a screen; a view has none. */
  readonly digit?: string;
  /** The screen whose place it takes; of a view. */
  readonly of?: ScreenId;
  /** Its rows are of the desk: none is left out where one account alone is looked at. */
  readonly whole?: true;
  View?(props: Room): ReactNode;
  /** The view that is shown in place of the screen; null: the screen itself. */
  view?(ui: UiState): Place | null;
  /** Brings a view in the place of its screen; every view has it. */
  show?(session: Session): void;
  /** Figure beside its name in the tabs; 0: none. */
  badge?(state: DeskState): number;
  readonly list?: ListKind;
  readonly field?: PlaceField;
  cursor?(session: Session, state: DeskState, ui: UiState): Cursor;
  /** Where it has a cursor of its own: whether that, or what it stands on, may have changed. */
  isOtherCursor?(ui: UiState, before: UiState): boolean;
  /** The market under the cursor: what a new order begins with, and the price under a crosshair. */
  market?(
    state: DeskState,
    ui: UiState,
  ): { readonly exchange: string; readonly symbol: string; readonly crosshair?: string } | null;
  /** Cells at its right edge that the ticket has to itself, beside it; 0: it stands over it. */
  dock?(ui: UiState): number;
  /** Tables of keys before those of the place while the keyboard is in its detail. */
  detailScopes?(ui: UiState): readonly Scope[];
  /** The cursor by so many rows; a list moves by itself. Infinite: to an end. */
  move?(session: Session, by: number): void;
  /** After a list has moved. */
  moved?(session: Session, rows: Rows, selection: Selection): void;
  /** Enter. */
  open?(session: Session): void;
  /** Escape, before pane, detail and filter are left; true: that was all. */
  back?(session: Session): boolean;
  /** Escape, when nothing of a list is left to leave. */
  leave?(session: Session): void;
  nextPane?(session: Session): void;
  scroll?(session: Session, by: number): void;
  /** Rows by which the detail can be scrolled. */
  lastOffset?(session: Session): number;
}

/** Something of the state that the operator finds again. Plain data, small: all parts together have 64 KiB. */
export interface MemoryPart {
  /** Under which it is stored; another meaning takes another name. */
  readonly name: string;
  /** Whether it may be another one. */
  differs(ui: UiState, before: UiState): boolean;
  kept(ui: UiState): unknown;
  /** What changes with what was kept; nothing, where that cannot be read. */
  restored(ui: UiState, kept: unknown): Partial<UiState>;
}

export interface Feature {
  /** Its parts of the state as they are at first. */
  readonly state?: Partial<Lists & Slices>;
  readonly commands?: Partial<Readonly<Record<CommandId, Run>>>;
  /** By kind. */
  readonly forms?: Readonly<Partial<Record<Dialog['kind'], FormKind>>>;
  /** By id. */
  readonly places?: Readonly<Partial<Record<Place, PlaceKind>>>;
  readonly actions?: { readonly [T in Action['type']]?: Perform<Extract<Action, { type: T }>> };
  /** What of its state is kept for the operator. */
  readonly memory?: readonly MemoryPart[];
  /** From now on it follows desk and state; gives what ends that. */
  start?(session: Session): () => void;
}

declare module '../state/ui.ts' {
  interface Parts {
    /** Without the user's own keys. */
    readonly bindings: readonly BoundBinding[];
    readonly commands: Readonly<Record<CommandId, Run>>;
    readonly places: Readonly<Record<Place, PlaceKind>>;
    readonly actions: { readonly [T in Action['type']]: Perform<Extract<Action, { type: T }>> };
  }
}
