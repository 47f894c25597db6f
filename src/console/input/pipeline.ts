/**
 * Handles every key of a terminal: the text field takes it first, then the key tables in force. Characters
 * that arrive in one event (a slow line delivers several together) are taken one by one in lists and fields,
 * the word of a confirmation included. A confirmation only obeys a key that came alone, at least 300 ms after
 * the terminal has drawn the question in its present form, so that no key meant for anything else can confirm
 * it; Escape works at once.
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

/**
 * Time for which a confirmation must have been in view before it obeys keys, ms: shorter than anybody reads
 * and answers.
 */
export const GUARD_MS = 300;

const EDITING = new Set(['left', 'right', 'backspace', 'delete']);
/**
 * The commands that questions run; a key for one of them that comes too early lights the line that says so.
 */
const ACTS: ReadonlySet<CommandId> = new Set<CommandId>(['confirm.yes', 'quit.stop', 'quit.detach']);
/** Commands that work at once, also on a terminal that does not answer any more: the desk keeps running. */
const LEAVES: ReadonlySet<CommandId> = new Set<CommandId>(['quit.detach', 'quit.now']);

/** The field's value after a key; null when the key changes nothing. An arrow removes the selection. */
function edit({ value, whole }: ActiveField, name: string, char: string | null): string | null {
  if (whole) return char ?? (name === 'left' || name === 'right' ? value : '');
  if (char !== null) return value + char;
  return name === 'backspace' ? [...value].slice(0, -1).join('') : null;
}

/** The field whose `ink-text-input` is listening. */
export interface ListeningField {
  readonly id: string;
  /** The value that the input starts from. */
  readonly value: string;
  readonly input: {
    /** Moves the cursor; false when there is no place to move to. */
    moved(by: -1 | 1): boolean;
    /** Tells the input that its own reading of the event is ignored. */
    dropped(): void;
  };
}

export class KeyPipeline {
  #listening: ListeningField | null = null;
  /** The event in progress is handled here: the text input must drop its own reading of it. */
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

  /** Handles one input event of the terminal. Called before any text input sees it. */
  handle(input: string, key: Partial<Key>): void {
    this.#swallow = false;
    this.session.client.touched();
    const names = keyNames(input, key);
    const field = activeField(this.session.ui.getState());
    const editing = names.every((name) => typed(name) !== null || EDITING.has(name));
    // An input that has not been drawn since the last key would start from the text before that key.
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

  /**
   * Handles a bracketed paste: only text fields take it. The word of a confirmation must be typed; a remark
   * says so.
   */
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

  /** Takes the value that the listening text input made of an event; false when the event was not for it. */
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

  /** `alone`: the event held no other key. */
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

  /** Whether a key is accepted by a question that waits for nothing but this key. */
  private counts(asked: Question, name: string, command: CommandId | null, alone: boolean): boolean {
    if (command === 'dialog.close' && name === 'esc') return alone;
    if (command !== null && LEAVES.has(command) && alone) return true;
    // Enter often ends a typed word: here it neither confirms nor cancels, whatever it is bound to.
    if (asked.kind === 'confirm' && asked.word !== undefined && name === 'enter') return false;
    const seen = asked.shownAt !== null && this.session.monotonic() - asked.shownAt >= GUARD_MS;
    if (alone && seen) return true;
    if (command !== null && ACTS.has(command))
      patchDialog(this.session, asked.kind, () => ({ remark: 'again' }));
    return false;
  }
}

/** Symbols that the field in focus may mean: those of the account of its form. */
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
