/**
 * Every key comes through here once: the text field first, then the tables in force. Characters that arrive in one
 * event are taken one by one in lists and fields, and not at all by confirmations; those are also deaf for 300 ms
 * after they open, so that no key meant for the screen below can confirm anything.
 */
import type { Key } from 'ink';
import { insert } from '../model/bot-area.ts';
import type { Session } from '../session.ts';
import {
  type ActiveField,
  activeArea,
  activeField,
  pastedText,
  withArea,
  withField,
  withPastedText,
} from '../state/text-fields.ts';
import { topDialog } from '../state/ui.ts';
import type { CommandId } from './bindings.ts';
import { keyNames, typed } from './key-names.ts';
import { activeScopes, commandFor, type LineState, needsNoDesk } from './scopes.ts';

/** Time after opening in which a confirmation hears nothing. */
export const GUARD_MS = 300;

const EDITING = new Set(['left', 'right', 'backspace', 'delete']);

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
  private listening: ListeningField | null = null;
  /** The event under way is handled here: the text input must drop its own reading of it. */
  private swallow = false;

  private readonly session: Session;
  private readonly run: (command: CommandId) => void;

  constructor(session: Session, run: (command: CommandId) => void) {
    this.session = session;
    this.run = run;
  }

  setListening(field: ListeningField | null): void {
    this.listening = field;
  }

  /** One input event of the terminal. Called before any text input sees it. */
  handle(input: string, key: Partial<Key>): void {
    this.swallow = false;
    const names = keyNames(input, key);
    if (this.guarded(names.length)) {
      this.swallow = true;
      return;
    }
    const field = activeField(this.session.ui.getState());
    const editing = names.every((name) => typed(name) !== null || EDITING.has(name));
    // An input that has not been drawn since the last key would go out from the text before it.
    const { listening } = this;
    const upToDate = field !== null && listening?.id === field.id && listening.value === field.value;
    if (upToDate && editing && !field.whole) {
      const [name] = names;
      const by = name === 'left' ? -1 : name === 'right' ? 1 : 0;
      if (by === 0 || listening.input.moved(by)) return;
      this.swallow = true;
      listening.input.dropped();
      return;
    }
    this.swallow = true;
    for (const name of names) {
      this.take(name);
      if (this.guarded(names.length)) return;
    }
  }

  /** A bracketed paste: only text fields take it, confirmation words do not. */
  paste(text: string): void {
    const ui = this.session.ui.getState();
    const pasted = withPastedText(ui, text);
    if (pasted) {
      this.session.ui.setState(pasted);
      this.session.fieldChanged('bot');
      return;
    }
    const field = activeField(ui);
    if (!field || field.guarded) return;
    this.session.ui.setState(
      withField(ui, field.id, (field.whole ? '' : field.value) + pastedText(field.id, text)),
    );
    this.session.fieldChanged(field.id);
  }

  /** What the listening text input made of an event; false when the event was not for it. */
  edited(id: string, value: string): boolean {
    if (this.swallow) return false;
    this.session.ui.setState((ui) => withField(ui, id, value));
    this.session.fieldChanged(id);
    return true;
  }

  private take(name: string): void {
    const ui = this.session.ui.getState();
    const line = lineOf(this.session);
    const field = line === 'open' ? activeField(ui) : null;
    const char = typed(name);
    if (field && (char !== null || EDITING.has(name))) {
      const value = edit(field, name, char);
      if (value === null) return;
      this.session.ui.setState(withField(ui, field.id, value));
      this.session.fieldChanged(field.id);
      return;
    }
    if (line === 'open' && char !== null && activeArea(ui)) {
      this.session.ui.setState((now) => withArea(now, (area) => insert(area, char)));
      this.session.fieldChanged('bot');
      return;
    }
    const command = commandFor(this.session.bindings, name, activeScopes(ui, line));
    if (command && (line !== 'opening' || needsNoDesk(command))) this.run(command);
  }

  private guarded(count: number): boolean {
    const dialog = topDialog(this.session.ui.getState());
    if (dialog?.kind !== 'confirm' && dialog?.kind !== 'quit') return false;
    return count > 1 || this.session.now() - dialog.openedAt < GUARD_MS;
  }
}

function lineOf({ desk }: Session): LineState {
  const { state, lost } = desk.getState();
  if (lost !== null) return 'lost';
  return state === null ? 'opening' : 'open';
}
