/**
 * One terminal's session: the line to the desk, its stores and its ways out. Everything a command or a component may
 * use, so that several consoles in one process share nothing. No React here.
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
  /** The desk's host is this process: leaving asks whether the desk goes on. */
  readonly hosting: boolean;
  readonly depth: Depth;
  /** Folders with themes, the user's own first. */
  readonly themeFolders: readonly string[];
  /** Lines are written to be read aloud: nothing is drawn, nothing scrolls. */
  readonly plain: boolean;
  /** Percent of the equity that `1r` of a ticket risks: a decimal string. */
  readonly riskPercent: string;
  /** The table of keys, with the user's own in it and without what this terminal's role may not do. */
  readonly bindings: readonly BoundBinding[];
  /** How the program is started here: a hint that names it is to work as it stands. */
  readonly program: string;
  /** What of the configuration is ignored and why, one sentence each. */
  readonly problems: readonly string[];
  /** This terminal's clock, Unix ms. */
  now(): number;
  /** A clock that nobody sets, ms: how long something has been in view goes by it. */
  monotonic(): number;
  /** The desk's wall clock, Unix ms. */
  wall(): number;
  exit(exit: ConsoleExit): void;
  redraw(): void;
  /** What the table in view shows. It sets this itself. */
  inView: InView;
  /** Titles of the columns of each list, as it was drawn last. */
  readonly tables: Map<string, readonly string[]>;
  /** Puts text on the clipboard of the person at the terminal (OSC 52). */
  copy(text: string): void;
  /** The text as the person's own editor leaves it, or why it was not changed. The terminal is that program's meanwhile. */
  editText(text: string, name: string): Promise<Edited>;
  /** Something typed or chosen has changed, in the innermost dialog or the one named: its live checks follow. */
  fieldChanged(kind?: Dialog['kind']): void;
  /** Rings the bell of the terminal. */
  ring(): void;
  /** Runs once after `delayMs`; what waits under the same name is put off by it. */
  later(name: string, delayMs: number, run: () => void): void;
}

/** The desk's state, or null before the first snapshot: of the account that alone is looked at, else of all. */
export function deskState(session: Session): DeskState | null {
  const state = wholeDesk(session);
  return state && ofAccount(state, session.ui.getState().only);
}

/** The same with all accounts, whatever is looked at: for what concerns the desk, and for what is gone to from elsewhere. */
export function wholeDesk(session: Session): DeskState | null {
  return session.desk.getState().state;
}

/** What the rows of the place in view are of. */
export function deskInView(session: Session): DeskState | null {
  const ui = session.ui.getState();
  return ui.parts.places[placeOf(ui)].whole ? wholeDesk(session) : deskState(session);
}

/** Something of that account comes into view: another one is not looked at alone any more, which is said. */
export function lookAlsoAt(session: Session, exchange: string): void {
  const { only } = session.ui.getState();
  if (only === null || only === exchange) return;
  session.ui.setState({ only: null });
  // Stays when the screen changes, which it is about to.
  tell(session, `of ${exchange}: all accounts are shown again`, 'warn');
}

/** One line for the person, above the footer, until the next dialog, edit or screen, or for some seconds. */
export function say(session: Session, text: string, tone: Message['tone'] = 'muted'): void {
  session.ui.setState({ message: { text, tone, result: false } });
}

/** As `say`, of what became of an order or a key: stays for some seconds whatever is looked at next. */
export function tell(session: Session, text: string, tone: Message['tone']): void {
  session.ui.setState({ message: { text, tone, result: true } });
}

/** A question is asked of nobody whose role may do nothing of what it is about. */
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

/** Changes the innermost dialog of a kind, wherever it stands; nothing happens when it has gone. */
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

/** A call whose failure (not refusal) is told in the message line; null then. */
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

/** Does what a key of the table stands for. */
export function runCommand(session: Session, command: CommandId): void {
  session.ui.getState().parts.commands[command](session);
}

/** The words of a refusal, which are told at once; null when it went well. */
export function refused(session: Session, outcome: Outcome<unknown> | null): string | null {
  if (outcome === null) return 'no answer';
  if (outcome.ok) return null;
  const { message, reason } = outcome.error;
  const words = inLabels(message);
  const text = reason ? `refused: ${words} (${reason})` : `refused: ${words}`;
  tell(session, text, 'danger');
  return text;
}
