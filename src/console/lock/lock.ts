/** A locked terminal: what is shown of it and what can be done there. Nothing of the accounts. Pure. */
import type { Me } from '../../desk/console/protocol.ts';
import { allows } from '../../domain/operator.ts';
import type { Mode } from '../dialogs/mode.ts';
import { PANIC_WORD } from '../panic/panic.ts';
import type { ConfirmDialog, Dialog } from '../state/ui.ts';

/** `back`: without a PIN. */
export type LockField = 'pin' | 'back' | 'panic' | 'leave';

/** In front of everything, first of the dialogs; those that were open come back with the figures. */
export interface LockDialog {
  readonly kind: 'lock';
  readonly focus: LockField;
  /** Drawn as stars. */
  readonly pin: string;
  readonly busy: boolean;
  readonly refusal: string | null;
}

export interface LockState {
  /** The dialogs that were open, without questions: whoever comes back is asked anew. */
  readonly kept: readonly Dialog[];
  /** Where orders go, as it was known before; the gravest where it was not. */
  readonly mode: Mode;
}

export function newLock(me: Me): LockDialog {
  return { kind: 'lock', focus: lockFields(me)[0] ?? 'leave', pin: '', busy: false, refusal: null };
}

/** Over SSH a new login is the proof; a viewer has no panic. */
export function lockFields({ local, pin, role }: Me): readonly LockField[] {
  return [
    ...(local ? [pin ? ('pin' as const) : ('back' as const)] : []),
    ...(allows(role, 'operator') ? (['panic'] as const) : []),
    'leave',
  ];
}

/** Why it is locked, and what brings it back. */
export function lockWords({ locked, local, pin }: Me): readonly string[] {
  const why = locked === 'idle' ? 'Nobody has touched a key for a while.' : 'This terminal was locked.';
  const back = !local ? 'Log in again to come back.' : pin ? 'The PIN unlocks it.' : 'Enter unlocks it.';
  return [
    `${why} ${back}`,
    'The desk goes on. Figures are hidden, and the desk takes nothing from here but a panic.',
  ];
}

/** The word is asked for as at any panic; no figure is shown. */
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

/** The PIN of the terminals of the desk's own machine: typed twice; empty takes it away. */
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
    /** Null: it is not locked. */
    readonly lock: LockState | null;
  }
  interface Dialogs {
    readonly lock: LockDialog | PinDialog;
  }
  interface Actions {
    readonly lock: { readonly type: 'lock-panic' };
  }
}
