/**
 * State of the pages of operators and sessions, their dialogs, and the actions that follow a confirmation.
 */
import type {
  OperatorForm,
  OperatorRecord,
  Role,
  SessionView,
  SshView,
} from '../../desk/console/protocol.ts';
import { type ListView, newList } from '../lists/rows.ts';

export type OperatorSort = 'name' | 'role' | 'end' | 'added';
export const OPERATOR_SORTS: readonly OperatorSort[] = ['name', 'role', 'end', 'added'];

export interface OperatorsPage extends ListView<OperatorSort> {
  readonly open: boolean;
  /** The operators read last; null: not read yet. */
  readonly operators: readonly OperatorRecord[] | null;
  readonly ssh: SshView | null;
  /** Why reading failed; null: it did not. */
  readonly failed: string | null;
}

export const FIRST_OPERATORS: OperatorsPage = {
  ...newList<OperatorSort>('name'),
  open: false,
  operators: null,
  ssh: null,
  failed: null,
};

export type SessionSort = 'since' | 'who' | 'idle' | 'bytes';
export const SESSION_SORTS: readonly SessionSort[] = ['since', 'who', 'idle', 'bytes'];

export interface SessionsPage extends ListView<SessionSort> {
  readonly open: boolean;
  readonly sessions: readonly SessionView[] | null;
  readonly failed: string | null;
}

export const FIRST_SESSIONS: SessionsPage = {
  ...newList<SessionSort>('since'),
  open: false,
  sessions: null,
  failed: null,
};

/** The form of a new or an existing operator. */
export interface OperatorDialog {
  readonly kind: 'operator';
  /** Null: a new operator. */
  readonly known: OperatorRecord | null;
  readonly name: string;
  readonly role: Role;
  /** The line of a public key file. */
  readonly key: string;
  /** Networks, separated by blanks. */
  readonly from: string;
  /** The last valid day in the zone in which times are shown; empty: no end. */
  readonly end: string;
  readonly ca: boolean;
  readonly verify: boolean;
  readonly focus: OperatorField;
  readonly refusal: string | null;
}

export type OperatorField = 'name' | 'role' | 'key' | 'from' | 'end' | 'ca' | 'verify' | 'review';

/** Ends a session, with words that are shown at that terminal. */
export interface SessionEndDialog {
  readonly kind: 'session-end';
  readonly session: SessionView;
  readonly reason: string;
  readonly focus: 'reason' | 'review';
  readonly refusal: string | null;
}

export type PeopleAction =
  | { readonly type: 'operator-set'; readonly form: OperatorForm; readonly replace: boolean }
  | { readonly type: 'operator-remove'; readonly name: string }
  | { readonly type: 'session-end'; readonly id: string; readonly name: string; readonly reason: string };

declare module '../state/ui.ts' {
  interface Views {
    readonly operators: true;
    readonly sessions: true;
  }
  interface Lists {
    readonly operators: OperatorsPage;
    readonly sessions: SessionsPage;
  }
  interface Dialogs {
    readonly operators: OperatorDialog | SessionEndDialog;
  }
  interface Actions {
    readonly operators: PeopleAction;
  }
}
