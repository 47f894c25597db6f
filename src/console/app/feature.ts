/**
 * The contract of a feature: everything the console has for one thing a person works with, as one value. Only
 * `features.ts` names the features; a feature adds the types of its dialogs, actions and state itself
 * (`declare module`).
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

/** Rows as cursors see them. */
export type Rows = readonly { readonly id: string }[];

/** What a confirmed dialog does on the desk. `form`: the one under the question, as confirmed; null: none. */
export type Perform<A extends Action = Action> = (
  session: Session,
  action: A,
  form: Dialog | null,
) => void | Promise<void>;

/** A list that is filtered and sorted; its view is in the state under the id of its place. */
export interface ListKind {
  /** The sort orders, the usual one first. */
  readonly sorts: readonly string[];
  rows(state: DeskState, ui: UiState): Rows;
  /** Tells whether a marked row still exists, shown or hidden. @default rows cannot be marked */
  marks?(state: DeskState, id: string): boolean;
  /** The group of a row: when the cursor's row moves to another group, the cursor stays at its position. */
  group?(state: DeskState, id: string): string;
}

/** The cursor of a place that is not a list: where it is, and how it moves. */
export interface Cursor {
  readonly name: string;
  readonly rows: Rows;
  readonly selection: Selection;
  moved(ui: UiState, selection: Selection): UiState;
  /** The group of a row: when the cursor's row moves to another group, the cursor stays at its position. */
  groupOf?(id: string): string;
}

/** A text field of a place, outside all dialogs and filters of lists. */
export interface PlaceField {
  active(ui: UiState): ActiveField | null;
  with(ui: UiState, text: string): UiState;
  changed(session: Session): void;
  /** Ends the editing: Enter (`keep`) or Escape. */
  done(session: Session, keep: boolean): void;
}

/** A screen, or the view that takes the place of one. */
export interface PlaceKind {
  readonly id: Place;
  readonly title: string;
  /** The key of a screen; views have none. */
  readonly digit?: string;
  /** The screen that the view replaces; views only. */
  readonly of?: ScreenId;
  /** The rows are the desk's: none is left out when only one account is looked at. */
  readonly whole?: true;
  View?(props: Room): ReactNode;
  /** Returns the view that is shown in place of the screen; null: the screen itself. */
  view?(ui: UiState): Place | null;
  /** Shows the view in place of its screen; every view has this. */
  show?(session: Session): void;
  /** The number beside the name in the tabs; 0: none. */
  badge?(state: DeskState): number;
  readonly list?: ListKind;
  readonly field?: PlaceField;
  cursor?(session: Session, state: DeskState, ui: UiState): Cursor;
  /** If the place has a cursor of its own: tells whether the cursor, or its row, may have changed. */
  isOtherCursor?(ui: UiState, before: UiState): boolean;
  /** The market under the cursor, with which a new order begins, and the price under a crosshair. */
  market?(
    state: DeskState,
    ui: UiState,
  ): { readonly exchange: string; readonly symbol: string; readonly crosshair?: string } | null;
  /** Cells at the right edge that are reserved for the ticket; 0: the ticket covers the place. */
  dock?(ui: UiState): number;
  /** Key tables that come before those of the place while the keyboard is in its detail. */
  detailScopes?(ui: UiState): readonly Scope[];
  /** Moves the cursor by a number of rows; lists do that themselves. Infinite: to an end. */
  move?(session: Session, by: number): void;
  /** Called after a list's cursor has moved. */
  moved?(session: Session, rows: Rows, selection: Selection): void;
  /** Handles Enter. */
  open?(session: Session): void;
  /** Handles Escape before pane, detail and filter are left; true: Escape has had its effect. */
  back?(session: Session): boolean;
  /** Handles Escape when the list has nothing more to leave. */
  leave?(session: Session): void;
  nextPane?(session: Session): void;
  scroll?(session: Session, by: number): void;
  /** The largest scroll offset of the detail, in rows. */
  lastOffset?(session: Session): number;
}

/** State that the operator finds again at the next start. Small, plain data: 64 KiB for all parts. */
export interface MemoryPart {
  /** The name under which it is stored; if its meaning changes, so does the name. */
  readonly name: string;
  /** Tells whether the part may have changed. */
  differs(ui: UiState, before: UiState): boolean;
  kept(ui: UiState): unknown;
  /** Returns the changes that restore a stored part; none if it cannot be read. */
  restored(ui: UiState, kept: unknown): Partial<UiState>;
}

export interface Feature {
  /** The feature's parts of the first state. */
  readonly state?: Partial<Lists & Slices>;
  readonly commands?: Partial<Readonly<Record<CommandId, Run>>>;
  /** The dialogs, by kind. */
  readonly forms?: Readonly<Partial<Record<Dialog['kind'], FormKind>>>;
  /** The places, by id. */
  readonly places?: Readonly<Partial<Record<Place, PlaceKind>>>;
  readonly actions?: { readonly [T in Action['type']]?: Perform<Extract<Action, { type: T }>> };
  /** The parts of its state that are kept for the operator. */
  readonly memory?: readonly MemoryPart[];
  /** Starts to follow desk and state; returns the function that ends that. */
  start?(session: Session): () => void;
}

declare module '../state/ui.ts' {
  interface Parts {
    /** All bindings, without the user's own keys. */
    readonly bindings: readonly BoundBinding[];
    readonly commands: Readonly<Record<CommandId, Run>>;
    readonly places: Readonly<Record<Place, PlaceKind>>;
    readonly actions: { readonly [T in Action['type']]: Perform<Extract<Action, { type: T }>> };
  }
}
