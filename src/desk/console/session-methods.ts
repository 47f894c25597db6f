/** A terminal's calls about operators and sessions (remote.md). Types only. */
import type { Outcome } from '../../domain/errors.ts';
import type { OperatorForm, OperatorRecord, Role } from '../../domain/operator.ts';
import type { LookMethods } from './look-views.ts';

/** One terminal at the desk. */
export interface SessionView {
  /** Id such as `s7`; never used again while the desk runs. */
  readonly id: string;
  /** The operator's name; `local`: the owner of the data folder. */
  readonly name: string;
  readonly role: Role;
  /** The address that it comes from; null: this machine. */
  readonly from: string | null;
  /** Start of the session, wall, Unix ms. */
  readonly since: number;
  /** Time since the last key press, ms. */
  readonly idleMs: number;
  /** Age of the data on its screen, ms; null: it mirrors no state. */
  readonly ageMs: number | null;
  /** Bytes sent to it so far. */
  readonly bytes: number;
  /** Its own description, such as `xterm-256color 200x50`. */
  readonly terminal: string;
  /** Version of the terminal's program. */
  readonly version: string;
  readonly locked: boolean;
}

/** A terminal's identity at the desk; comes with its snapshot. */
export interface Me {
  readonly session: string;
  readonly name: string;
  readonly role: Role;
  /** An owner at the desk's own machine. */
  readonly local: boolean;
  /** Why figures are hidden and calls refused until it is unlocked; null: it is not locked. */
  readonly locked: 'idle' | 'asked' | null;
  /** A PIN unlocks it. */
  readonly pin: boolean;
}

/** Answered by the sessions, not by the desk behind them. */
export interface SessionMethods extends LookMethods {
  /** All terminals, oldest first. */
  'sessions.list': [Record<string, never>, readonly SessionView[]];
  /** Ends a session; the reason is shown there. */
  'sessions.end': [{ id: string; reason?: string }, Outcome<null>];
  /** Locks the calling terminal. */
  'session.lock': [Record<string, never>, null];
  'session.unlock': [{ pin?: string }, Outcome<null>];
  /** Sets the PIN of local terminals; null removes it. */
  'session.pin': [{ pin: string | null }, Outcome<null>];
}

/** The desk's own sshd. */
export interface SshView {
  /** Addresses; empty: there is no sshd. */
  readonly listen: readonly { readonly host: string; readonly port: number }[];
  readonly state: 'off' | 'down' | 'listening';
  /** Why nobody can log in, and what helps; null: no reason is known. */
  readonly problem: string | null;
  /** The system account for logins; null: it has no name. */
  readonly account: string | null;
  /** `line`: `ssh-ed25519 AAAA...`; null: not read yet. */
  readonly hostKey: { readonly line: string; readonly fingerprint: string } | null;
  /** The key of the next rotation, which clients learn at their logins; null: none is made. */
  readonly nextHostKey: { readonly line: string; readonly fingerprint: string } | null;
}

export interface OperatorMethods {
  'operators.list': [Record<string, never>, readonly OperatorRecord[]];
  /** Adds an operator, or with `replace` changes an existing one. */
  'operators.set': [OperatorForm & { replace?: boolean }, Outcome<OperatorRecord>];
  /** Removes an operator, whose sessions end within a second. */
  'operators.remove': [{ name: string }, Outcome<{ name: string }>];
  'ssh.view': [Record<string, never>, SshView];
  /**
   * Makes the next host key, or with `now` replaces the present one with it; sshd is restarted, logins stay.
   */
  'ssh.rotate': [{ now: boolean }, Outcome<SshView>];
}

/** How a terminal introduces itself. It gives no rights: it can only lower those of the connection. */
export interface Introduction {
  /** Name of an operator; left out: the owner of the data folder. */
  readonly as?: string;
  /** The highest role that it asks for. */
  readonly role?: Role;
  /** Address that the login came from, as sshd reports it. */
  readonly from?: string;
  /** Such as `xterm-256color 200x50`. */
  readonly terminal?: string;
  readonly version?: string;
}
