/**
 * All operators of a desk (remote.md 1): adding, changing, removing, and what each may do at a given time.
 * Pure state: it returns the rows to store, the desk commits them. Records are replaced, never changed in
 * place.
 */
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import {
  isRole,
  LOCAL_OWNER,
  OPERATOR_NAME,
  type OperatorForm,
  type OperatorRecord,
  type Role,
  standing,
} from '../domain/operator.ts';
import type { Row } from '../domain/rows.ts';
import { canonicalCidr } from './address.ts';
import { readSshKey } from './ssh-key.ts';

/** Most operators of one desk. */
export const OPERATORS_MAX = 100;
/** Most networks of one operator. */
export const FROM_MAX = 32;
/** Latest time that OpenSSH accepts, 9999-12-31, Unix ms. */
const LATEST = Date.UTC(9999, 11, 31);

export interface OperatorChange {
  readonly operator: OperatorRecord;
  readonly rows: readonly Row[];
}

export class Operators {
  readonly #all = new Map<string, OperatorRecord>();

  constructor(stored: Iterable<OperatorRecord> = []) {
    for (const operator of stored) this.#all.set(operator.name, operator);
  }

  /** Returns all operators, sorted by name. */
  list(): OperatorRecord[] {
    return [...this.#all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  get(name: string): OperatorRecord | undefined {
    return this.#all.get(name);
  }

  /** Returns what the operator may do now; else why nothing. */
  standing(name: string, wall: number): { readonly role: Role } | { readonly refused: string } {
    return standing(this.#all.get(name), wall);
  }

  /** Makes the change for a new operator, or for an existing one (`replace`). */
  set(form: OperatorForm, wall: number, replace = false): Outcome<OperatorChange> {
    const { name, role, ca = false, verify = false, expiresAt = null } = form;
    const named = nameProblem(name);
    if (named !== null) return bad(named);
    const known = this.#all.get(name);
    if (known && !replace) return refuse('CONFLICT', `${name} is an operator already; remove it first`);
    if (!known && this.#all.size >= OPERATORS_MAX)
      return refuse('CONFLICT', `a desk has at most ${OPERATORS_MAX} operators; remove one first`);
    if (!isRole(role)) return bad('role must be viewer, operator or owner');
    const key = readSshKey(form.key);
    if (!key.ok) return key;
    const other = this.list().find((one) => one.name !== name && one.key.blob === key.data.blob);
    if (other)
      return refuse('CONFLICT', `this key is that of ${other.name}; each operator has one of its own`);
    if (verify && !key.data.type.startsWith('sk-'))
      return bad('only a key on a security key can be verified by PIN or finger; its type begins with sk-');
    const from = readFrom(form.from ?? []);
    if (!from.ok) return from;
    if (expiresAt !== null && !(Number.isSafeInteger(expiresAt) && expiresAt > wall && expiresAt < LATEST))
      return bad('the end must be a time to come, before the year 9999');
    const operator: OperatorRecord = {
      name,
      role,
      key: key.data,
      ca,
      from: from.data,
      expiresAt,
      verify,
      createdAt: known?.createdAt ?? wall,
    };
    return ok({ operator, rows: [{ kind: 'operator', operator }] });
  }

  /** Applies a change once it is stored. */
  take({ operator }: OperatorChange): void {
    this.#all.set(operator.name, operator);
  }

  remove(name: string): Outcome<{ readonly rows: readonly Row[] }> {
    if (!this.#all.has(name))
      return refuse('NOT_FOUND', `there is no operator ${JSON.stringify(name.slice(0, 40))}`);
    return ok({ rows: [{ kind: 'operator-drop', name }] });
  }

  /** Removes an operator once that is stored. */
  drop(name: string): void {
    this.#all.delete(name);
  }
}

/** What is wrong with a name; null: nothing. */
export function nameProblem(name: string): string | null {
  if (!OPERATOR_NAME.test(name))
    return 'a name has 1 to 32 small letters, digits, - and _, and begins with a letter';
  return name === LOCAL_OWNER
    ? `${LOCAL_OWNER} is the name of the owner of the data folder; choose another`
    : null;
}

function readFrom(entries: readonly string[]): Outcome<string[]> {
  if (entries.length > FROM_MAX) return bad(`at most ${FROM_MAX} networks may be named`);
  const cidrs: string[] = [];
  for (const entry of entries) {
    const read = canonicalCidr(entry.trim());
    if ('problem' in read) return bad(`${JSON.stringify(entry.slice(0, 60))} ${read.problem}`);
    cidrs.push(read.cidr);
  }
  return ok([...new Set(cidrs)]);
}

function bad(message: string): Outcome<never> {
  return refuse('INVALID_REQUEST', message, 'FIELD');
}
