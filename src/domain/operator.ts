/**
 * People who reach the desk by name: their roles, their keys, and their rights at a given moment (remote.md
 * 1, 2). Pure.
 */

/** The roles, from the fewest rights to the most. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text);
}

/** Returns whether `role` has the rights of `needed`. */
export function allows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function lowerOf(a: Role, b: Role): Role {
  return allows(a, b) ? b : a;
}

/**
 * The form of an operator's name: it is also a word of a command line and of an OpenSSH file, so other
 * characters are not allowed.
 */
export const OPERATOR_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/**
 * The name of a person who reaches the desk without one: the owner of the data folder. No operator may have
 * it.
 */
export const LOCAL_OWNER = 'local';

/** A public key of OpenSSH, as it was parsed and written again. */
export interface OperatorKey {
  /** `ssh-ed25519`, `sk-ssh-ed25519@openssh.com`, ... */
  readonly type: string;
  /** Base64 of the key's blob, canonical. */
  readonly blob: string;
  /** `SHA256:...`, as ssh-keygen shows it. */
  readonly fingerprint: string;
}

export interface OperatorRecord {
  readonly name: string;
  readonly role: Role;
  readonly key: OperatorKey;
  /** The key belongs to a CA: it signs certificates for this name. */
  readonly ca: boolean;
  /** Networks from which a login may come, as CIDR; empty: any. */
  readonly from: readonly string[];
  /** Time from which logins and calls are refused, wall, Unix ms; null: never. */
  readonly expiresAt: number | null;
  /** A security key must be touched, and PIN or finger given. Only for `sk-` keys. */
  readonly verify: boolean;
  readonly createdAt: number;
}

/** What a person enters about an operator. */
export interface OperatorForm {
  readonly name: string;
  readonly role: string;
  /** Text of a public key file. */
  readonly key: string;
  /** The key signs certificates instead of logging in itself. */
  readonly ca?: boolean;
  /** Networks from which a login may come, each as CIDR; left out or empty: any. */
  readonly from?: readonly string[];
  /** Time at which the access expires, Unix ms; left out or null: never. */
  readonly expiresAt?: number | null;
  readonly verify?: boolean;
}

/** Returns the role of an operator at this moment, or, as a sentence, why it may do nothing. */
export function standing(
  operator: OperatorRecord | undefined,
  wall: number,
): { readonly role: Role } | { readonly refused: string } {
  if (!operator) return { refused: 'this name is no operator of the desk' };
  if (operator.expiresAt !== null && wall >= operator.expiresAt)
    return { refused: 'the access of this operator has expired; an owner renews it' };
  return { role: operator.role };
}
