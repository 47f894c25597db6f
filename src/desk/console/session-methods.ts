/** What a terminal calls about operators and sessions (remote.md). Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { OperatorForm, OperatorRecord, Role } from '../../domain/operator.ts';
import type { LookMethods } from './look-views.ts';

/** One terminal at the desk. */
export interface SessionView {
  /** `s7`; never used again while the desk runs. */
  readonly id: string;
  /** The operator's name; `local`: the owner of the data folder. */
  readonly name: string;
  readonly role: Role;
  /** Where it comes from; null: from this machine. */
  readonly from: string | null;
  /** Wall, Unix ms. */
  readonly since: number;
  /** Since the last key press, ms. */
  readonly idleMs: number;
  /** How old what its screen shows is, ms; null: it mirrors no state. */
  readonly ageMs: number | null;
  /** Sent to it so far. */
  readonly bytes: number;
  /** `xterm-256color 200x50`, as it says. */
  readonly terminal: string;
  /** Of its program. */
  readonly version: string;
  readonly locked: boolean;
}

/** Who a terminal is to the desk; comes with its snapshot. */
export interface Me {
  readonly session: string;
  readonly name: string;
  readonly role: Role;
  /** An owner at the desk's own machine. */
  readonly local: boolean;
  /** Figures are hidden and calls refused until it is unlocked; why. */
  readonly locked: 'idle' | 'asked' | null;
  /** It is unlocked by a PIN. */
  readonly pin: boolean;
}

/** Answered by what holds the terminals, not by the desk behind it. */
export interface SessionMethods extends LookMethods {
  /** All terminals, oldest first. */
  'sessions.list': [Record<string, never>, readonly SessionView[]];
  /** Ends one; the reason is shown there. */
  'sessions.end': [{ id: string; reason?: string }, Outcome<null>];
  /** Locks the terminal that asks. */
  'session.lock': [Record<string, never>, null];
  'session.unlock': [{ pin?: string }, Outcome<null>];
  /** Sets the PIN of local terminals; null takes it away. */
  'session.pin': [{ pin: string | null }, Outcome<null>];
}

/** The desk's own sshd. */
export interface SshView {
  /** Empty: there is none. */
  readonly listen: readonly { readonly host: string; readonly port: number }[];
  readonly state: 'off' | 'down' | 'listening';
  /** Why nobody can log in, with what helps; null: nothing is known. */
  readonly problem: string | null;
  /** The account that one logs in to; null: it has no name. */
  readonly account: string | null;
  /** `line`: `ssh-ed25519 AAAA...`; null: not read yet. */
  readonly hostKey: { readonly line: string; readonly fingerprint: string } | null;
  /** That of the next rotation, which clients learn at their logins; null: none is made. */
  readonly nextHostKey: { readonly line: string; readonly fingerprint: string } | null;
}

export interface OperatorMethods {
  'operators.list': [Record<string, never>, readonly OperatorRecord[]];
  /** A new one, or with `replace` another form of one that is there. */
  'operators.set': [OperatorForm & { replace?: boolean }, Outcome<OperatorRecord>];
  /** Its sessions end within a second. */
  'operators.remove': [{ name: string }, Outcome<{ name: string }>];
  'ssh.view': [Record<string, never>, SshView];
  /** Makes the next host key, or with `now` puts it in the place of the present one; sshd is started anew, logins stay. */
  'ssh.rotate': [{ now: boolean }, Outcome<SshView>];
}

/** How a terminal introduces itself. Nothing of it gives a right: what it names can only lower what the line has. */
export interface Introduction {
  /** Name of an operator; left out: the owner of the data folder. */
  readonly as?: string;
  /** At most this. */
  readonly role?: Role;
  /** Address that the login came from, as sshd says it. */
  readonly from?: string;
  /** `xterm-256color 200x50`. */
  readonly terminal?: string;
  readonly version?: string;
}
