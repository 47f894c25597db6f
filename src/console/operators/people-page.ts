/** What a terminal looks at of operators and sessions, their dialogs, and what those do once confirmed. */
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
  /** As they were read last; null before. */
  readonly operators: readonly OperatorRecord[] | null;
  readonly ssh: SshView | null;
  /** Why they were not read. */
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

/** A new operator, or another form of one that is there. */
export interface OperatorDialog {
  readonly kind: 'operator';
  /** Null: a new one. */
  readonly known: OperatorRecord | null;
  readonly name: string;
  readonly role: Role;
  /** A line of a public key file. */
  readonly key: string;
  /** Networks, apart by blanks. */
  readonly from: string;
  /** The last day in the zone of the times shown; empty: for ever. */
  readonly end: string;
  readonly ca: boolean;
  readonly verify: boolean;
  readonly focus: OperatorField;
  readonly refusal: string | null;
}

export type OperatorField = 'name' | 'role' | 'key' | 'from' | 'end' | 'ca' | 'verify' | 'review';

/** Ends a session with words that are shown there. */
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
