/** A locked terminal: what it shows and what can be done there. It shows nothing of the accounts. Pure. */
import type { Me } from '../../desk/console/protocol.ts';
import { allows } from '../../domain/operator.ts';
import type { Mode } from '../dialogs/mode.ts';
import { PANIC_WORD } from '../panic/panic.ts';
import type { ConfirmDialog, Dialog } from '../state/ui.ts';

/** `back`: unlocks without a PIN. */
export type LockField = 'pin' | 'back' | 'panic' | 'leave';

/** Covers everything, as the first of the dialogs; the dialogs that were open return with the figures. */
export interface LockDialog {
  readonly kind: 'lock';
  readonly focus: LockField;
  /** Drawn as stars. */
  readonly pin: string;
  readonly busy: boolean;
  readonly refusal: string | null;
}

export interface LockState {
  /** The dialogs that were open, without questions: those must be asked again. */
  readonly kept: readonly Dialog[];
  /** The mode known before the lock; LIVE where none was known. */
  readonly mode: Mode;
}

export function newLock(me: Me): LockDialog {
  return { kind: 'lock', focus: lockFields(me)[0] ?? 'leave', pin: '', busy: false, refusal: null };
}

/** The rows for this terminal: over SSH only a new login unlocks it; a viewer has no panic. */
export function lockFields({ local, pin, role }: Me): readonly LockField[] {
  return [
    ...(local ? [pin ? ('pin' as const) : ('back' as const)] : []),
    ...(allows(role, 'operator') ? (['panic'] as const) : []),
    'leave',
  ];
}

/** Why the terminal is locked, and how to unlock it. */
export function lockWords({ locked, local, pin }: Me): readonly string[] {
  const why = locked === 'idle' ? 'Nobody has touched a key for a while.' : 'This terminal was locked.';
  const back = !local ? 'Log in again to come back.' : pin ? 'The PIN unlocks it.' : 'Enter unlocks it.';
  return [
    `${why} ${back}`,
    'The desk goes on. Figures are hidden, and the desk takes nothing from here but a panic.',
  ];
}

/** The question before a panic, with the same word to type as any panic; shows no figures. */
export function confirmLockPanic(mode: Mode): ConfirmDialog {
  return {
    kind: 'confirm',
    mode,
    typed: '',
    shownAt: null,
    busy: false,
    title: 'Panic',
    rows: [
      { name: 'bots', value: 'all are stopped', tone: 'danger' },
      { name: 'orders', value: 'all are cancelled, protective stops too', tone: 'danger' },
      { name: 'positions', value: 'all are closed at market', tone: 'danger' },
    ],
    next: 'Spot balances stay as they are. What fails is counted here and named once the terminal is unlocked.',
    verb: 'stop, cancel and close everything',
    word: PANIC_WORD,
    action: { type: 'lock-panic' },
  };
}

/** The form of the PIN for terminals on the desk's own machine: typed twice; empty removes the PIN. */
export interface PinDialog {
  readonly kind: 'pin';
  readonly pin: string;
  readonly again: string;
  readonly focus: 'pin' | 'again' | 'review';
  readonly busy: boolean;
  readonly refusal: string | null;
}

declare module '../state/ui.ts' {
  interface Slices {
    /** Null: not locked. */
    readonly lock: LockState | null;
  }
  interface Dialogs {
    readonly lock: LockDialog | PinDialog;
  }
  interface Actions {
    readonly lock: { readonly type: 'lock-panic' };
  }
}
