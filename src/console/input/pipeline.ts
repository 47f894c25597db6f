/**
 * Every key comes through here once: the text field first, then the tables in force. Characters that arrive in one
 * event (a slow line hands several over together) are taken one by one in lists and fields, the word of a confirmation
 * included. What a confirmation does is done by a key that came alone, 300 ms after the terminal had drawn the question as
 * it stands, so that no key meant for anything else can confirm it; Escape is heard at once.
 */
import type { Key } from 'ink';
import type { DeskState } from '../../desk/console/protocol.ts';
import { patchDialog, type Session } from '../app/session.ts';
import { isQuestion, type Question } from '../dialogs/question.ts';
import { type ActiveField, formOf } from '../forms/form.ts';
import { insert } from '../forms/text-area.ts';
import {
  activeArea,
  activeField,
  pastedText,
  withArea,
  withField,
  withPastedText,
} from '../forms/text-fields.ts';
import { tooSmall, topDialog, type UiState } from '../state/ui.ts';
import { symbolsOf } from '../trading/instruments.ts';
import type { CommandId } from './binding.ts';
import { keyNames, typed } from './key-names.ts';
import { activeScopes, commandFor, type LineState, needsNoDesk } from './scopes.ts';

/** Time in view, ms, from which on a confirmation hears its keys: shorter than anybody reads and answers. */
export const GUARD_MS = 300;

const EDITING = new Set(['left', 'right', 'backspace', 'delete']);
/** What questions do; a key for one of them that does not count lights the line that says so. */
const ACTS: ReadonlySet<CommandId> = new Set<CommandId>(['confirm.yes', 'quit.stop', 'quit.detach']);
/** What may be done at once, also on a terminal that does not answer any more: the desk goes on. */
const LEAVES: ReadonlySet<CommandId> = new Set<CommandId>(['quit.detach', 'quit.now']);

/** The field's value after a key; null when the key changes nothing. An arrow takes the selection off. */
function edit({ value, whole }: ActiveField, name: string, char: string | null): string | null {
  if (whole) return char ?? (name === 'left' || name === 'right' ? value : '');
  if (char !== null) return value + char;
  return name === 'backspace' ? [...value].slice(0, -1).join('') : null;
}

/** The field whose `ink-text-input` is listening. */
export interface ListeningField {
  readonly id: string;
  /** The value that it goes out from. */
  readonly value: string;
  readonly input: {
    /** Moves its cursor; false when there is no place to move to. */
    moved(by: -1 | 1): boolean;
    /** What it makes of the event is not taken. */
    dropped(): void;
  };
}

export class KeyPipeline {
  #listening: ListeningField | null = null;
  /** The event under way is handled here: the text input must drop its own reading of it. */
  #swallow = false;

  private readonly session: Session;
  private readonly run: (command: CommandId) => void;

  constructor(session: Session, run: (command: CommandId) => void) {
    this.session = session;
    this.run = run;
  }

  setListening(field: ListeningField | null): void {
    this.#listening = field;
  }

  /** One input event of the terminal. Called before any text input sees it. */
  handle(input: string, key: Partial<Key>): void {
    this.#swallow = false;
    this.session.client.touched();
    const names = keyNames(input, key);
    const field = activeField(this.session.ui.getState());
    const editing = names.every((name) => typed(name) !== null || EDITING.has(name));
    // An input that has not been drawn since the last key would go out from the text before it.
    const listening = this.#listening;
    const upToDate = field !== null && listening?.id === field.id && listening.value === field.value;
    if (upToDate && editing && !field.whole && !field.word) {
      const [name] = names;
      const by = name === 'left' ? -1 : name === 'right' ? 1 : 0;
      if (by === 0 || listening.input.moved(by)) return;
      this.#swallow = true;
      listening.input.dropped();
      return;
    }
    this.#swallow = true;
    for (const name of names) this.take(name, names.length === 1);
  }

  /** A bracketed paste: only text fields take it. A confirmation's word is typed, and says so. */
  paste(text: string): void {
    const ui = this.session.ui.getState();
    const pasted = withPastedText(ui, text);
    if (pasted) {
      this.session.ui.setState(pasted);
      this.session.fieldChanged();
      return;
    }
    const field = activeField(ui);
    if (!field) return;
    if (field.word) {
      patchDialog(this.session, 'confirm', () => ({ remark: 'pasted' }));
      return;
    }
    this.set(field.id, (field.whole ? '' : field.value) + pastedText(ui, field.id, text));
  }

  /** What the listening text input made of an event; false when the event was not for it. */
  edited(id: string, value: string): boolean {
    if (this.#swallow) return false;
    this.set(id, value);
    return true;
  }

  private set(id: string, value: string): void {
    const { ui, desk } = this.session;
    if (activeField(ui.getState())?.id !== id) return;
    ui.setState((now) => withField(now, id, value, symbolsFor(now, desk.getState().state)));
    this.session.fieldChanged();
  }

  /** `alone`: nothing else came in its event. */
  private take(name: string, alone: boolean): void {
    const ui = this.session.ui.getState();
    const line = lineOf(this.session);
    const field = line === 'open' ? activeField(ui) : null;
    const char = typed(name);
    if (field && (char !== null || EDITING.has(name))) {
      const value = edit(field, name, char);
      if (value === null) return;
      this.set(field.id, value);
      return;
    }
    if (line === 'open' && char !== null && activeArea(ui)) {
      this.session.ui.setState((now) => withArea(now, (area) => insert(area, char)));
      this.session.fieldChanged();
      return;
    }
    const command = commandFor(this.session.bindings, name, activeScopes(ui, line));
    const asked = topDialog(ui);
    if (
      !field &&
      line === 'open' &&
      !tooSmall(ui) &&
      isQuestion(asked) &&
      !this.counts(asked, name, command, alone)
    )
      return;
    if (command && (line !== 'opening' || needsNoDesk(command))) this.run(command);
  }

  /** Whether a key counts in a question that has all it needs but this one. */
  private counts(asked: Question, name: string, command: CommandId | null, alone: boolean): boolean {
    if (command === 'dialog.close' && name === 'esc') return alone;
    if (command !== null && LEAVES.has(command) && alone) return true;
    // Enter ends a word elsewhere: here it neither does what is asked nor gives it up, whatever it is bound to.
    if (asked.kind === 'confirm' && asked.word !== undefined && name === 'enter') return false;
    const seen = asked.shownAt !== null && this.session.monotonic() - asked.shownAt >= GUARD_MS;
    if (alone && seen) return true;
    if (command !== null && ACTS.has(command))
      patchDialog(this.session, asked.kind, () => ({ remark: 'again' }));
    return false;
  }
}

/** Symbols that the field in focus may mean: those of the account that its form is about. */
function symbolsFor(ui: UiState, state: DeskState | null): readonly string[] {
  const dialog = topDialog(ui);
  const account = dialog ? (formOf(ui, dialog).symbolsAt?.(dialog) ?? null) : null;
  return state && account !== null ? symbolsOf(state.instruments, account) : [];
}

function lineOf({ desk }: Session): LineState {
  const { state, lost } = desk.getState();
  if (lost !== null) return 'lost';
  return state === null ? 'opening' : 'open';
}
