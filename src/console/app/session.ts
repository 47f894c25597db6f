/**
 * One terminal's session: the connection to the desk, its stores and its ways out. It is everything that
 * commands and components may use, so that several consoles in one process share nothing. No React here.
 */
import type { StoreApi } from 'zustand/vanilla';
import type { DeskClient, DeskState, Method, Params, Result } from '../../desk/console/protocol.ts';
import { errorText, type Outcome } from '../../domain/errors.ts';
import { mayAct } from '../input/allowed.ts';
import type { BoundBinding, CommandId } from '../input/binding.ts';
import type { InView } from '../lists/copy.ts';
import type { DeskStore } from '../state/desk-mirror.ts';
import { type Dialog, type Message, placeOf, type UiState } from '../state/ui.ts';
import { ofAccount } from '../trading/one-account.ts';
import { inLabels } from '../ui/labels.ts';
import type { Depth } from '../ui/theme.ts';
import type { Edited } from './external-editor.ts';

export interface ConsoleExit {
  readonly action: 'detach' | 'stop' | 'hangup';
  readonly reason?: string;
}

export interface Session {
  readonly client: DeskClient;
  readonly desk: StoreApi<DeskStore>;
  readonly ui: StoreApi<UiState>;
  /** The desk runs in this process: leaving asks whether it goes on. */
  readonly hosting: boolean;
  readonly depth: Depth;
  /** Folders with themes, the user's own first. */
  readonly themeFolders: readonly string[];
  /** Lines are written to be read aloud: nothing is drawn, nothing scrolls. */
  readonly plain: boolean;
  /** Percent of the equity that `1r` of a ticket risks: a decimal string. */
  readonly riskPercent: string;
  /** The active bindings, with the user's own keys and without what this terminal's role may not do. */
  readonly bindings: readonly BoundBinding[];
  /** How the program was started here, so that a command in a hint works as it is written. */
  readonly program: string;
  /** What of the configuration is ignored and why, one sentence each. */
  readonly problems: readonly string[];
  /** This terminal's clock, Unix ms. */
  now(): number;
  /** A monotonic clock, ms, that measures how long something has been in view. */
  monotonic(): number;
  /** The desk's wall clock, Unix ms. */
  wall(): number;
  exit(exit: ConsoleExit): void;
  redraw(): void;
  /** What the table in view shows; the table sets this itself. */
  inView: InView;
  /** Titles of each list's columns, as they were drawn last. */
  readonly tables: Map<string, readonly string[]>;
  /** Puts text on the clipboard of the person at the terminal (OSC 52). */
  copy(text: string): void;
  /**
   * Edits a text in the person's own editor; returns the result, or why the text was not changed. The editor
   * has the terminal meanwhile.
   */
  editText(text: string, name: string): Promise<Edited>;
  /** Starts the live checks after a change of a value, in the innermost dialog or in the one of `kind`. */
  fieldChanged(kind?: Dialog['kind']): void;
  /** Rings the bell of the terminal. */
  ring(): void;
  /** Runs a callback once after `delayMs`; a new call with the same name restarts the delay. */
  later(name: string, delayMs: number, run: () => void): void;
}

/** Returns the state of the desk, or of the one account that is looked at; null before the first snapshot. */
export function deskState(session: Session): DeskState | null {
  const state = wholeDesk(session);
  return state && ofAccount(state, session.ui.getState().only);
}

/** Returns the state with all accounts: for what concerns the desk, and for jumps from elsewhere. */
export function wholeDesk(session: Session): DeskState | null {
  return session.desk.getState().state;
}

/** Returns the state that the rows of the place in view come from. */
export function deskInView(session: Session): DeskState | null {
  const ui = session.ui.getState();
  return ui.parts.places[placeOf(ui)].whole ? wholeDesk(session) : deskState(session);
}

/** Shows all accounts again if something of another account comes into view, and says so. */
export function lookAlsoAt(session: Session, exchange: string): void {
  const { only } = session.ui.getState();
  if (only === null || only === exchange) return;
  session.ui.setState({ only: null });
  // This message outlives the change of the screen that follows.
  tell(session, `of ${exchange}: all accounts are shown again`, 'warn');
}

/** Shows one line above the footer until the next dialog, edit or screen, or for some seconds. */
export function say(session: Session, text: string, tone: Message['tone'] = 'muted'): void {
  session.ui.setState({ message: { text, tone, result: false } });
}

/** Like `say`, for the result of an order or a key: stays for some seconds, whatever is opened next. */
export function tell(session: Session, text: string, tone: Message['tone']): void {
  session.ui.setState({ message: { text, tone, result: true } });
}

/** Opens a dialog; a question is not asked if the role may not do the action. */
export function openDialog(session: Session, dialog: Dialog): void {
  const me = deskState(session)?.me;
  if (dialog.kind === 'confirm' && !mayAct(me)) {
    say(session, `your role is ${me?.role}: you can draft this, not do it`, 'warn');
    return;
  }
  session.ui.setState((ui) => ({ dialogs: [...ui.dialogs, dialog] }));
}

export function closeDialog(session: Session): void {
  session.ui.setState((ui) => {
    const { dialogs, parts } = ui;
    const top = dialogs.at(-1);
    const gone = top && parts.forms[top.kind].closed?.(top, ui);
    return { ...gone, dialogs: dialogs.slice(0, -1) };
  });
}

/** Changes the innermost dialog of a kind, whether or not it is on top; does nothing if it has gone. */
export function patchDialog<K extends Dialog['kind']>(
  session: Session,
  kind: K,
  change: (dialog: Extract<Dialog, { kind: K }>) => Partial<Extract<Dialog, { kind: K }>>,
): void {
  session.ui.setState((ui) => {
    const at = ui.dialogs.findLastIndex((dialog) => dialog.kind === kind);
    const old = ui.dialogs[at] as Extract<Dialog, { kind: K }> | undefined;
    if (!old) return ui;
    const dialogs = [...ui.dialogs];
    dialogs[at] = { ...old, ...change(old) };
    return { dialogs };
  });
}

/** Calls the desk. A failure (not a refusal) is shown in the message line, and the result is null. */
export async function ask<M extends Method>(
  session: Session,
  method: M,
  params: Params<M>,
): Promise<Result<M> | null> {
  try {
    return await session.client.call(method, params);
  } catch (error) {
    const why = errorText(error);
    tell(session, `${method}: ${why}`, 'danger');
    return null;
  }
}

/** Runs the command of a key. */
export function runCommand(session: Session, command: CommandId): void {
  session.ui.getState().parts.commands[command](session);
}

/** Returns the text of a refusal, and shows it at once; null on success. */
export function refused(session: Session, outcome: Outcome<unknown> | null): string | null {
  if (outcome === null) return 'no answer';
  if (outcome.ok) return null;
  const { message, reason } = outcome.error;
  const words = inLabels(message);
  const text = reason ? `refused: ${words} (${reason})` : `refused: ${words}`;
  tell(session, text, 'danger');
  return text;
}
