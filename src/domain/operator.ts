/** People who reach the desk by name: their roles, their keys, and what of that counts at a moment (remote.md 1, 2). Pure. */

/** From least to most. */
export const ROLES = ['viewer', 'operator', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export function isRole(text: unknown): text is Role {
  return ROLES.some((role) => role === text);
}

/** `role` may do what needs `needed`. */
export function allows(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

export function lowerOf(a: Role, b: Role): Role {
  return allows(a, b) ? b : a;
}

/** An operator's name: also a word of a command line and of a file of OpenSSH, so nothing else may stand in it. */
export const OPERATOR_NAME = /^[a-z][a-z0-9_-]{0,31}$/;

/** The name of whoever reaches the desk without one: the owner of the data folder. No operator may have it. */
export const LOCAL_OWNER = 'local';

/** A public key of OpenSSH, as it was read and written anew. */
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
  /** The key is that of a CA: it signs certificates for this name. */
  readonly ca: boolean;
  /** Networks that a login may come from, as CIDR; empty: anywhere. */
  readonly from: readonly string[];
  /** No login and no call from this time on, wall, Unix ms; null: for ever. */
  readonly expiresAt: number | null;
  /** A security key must be touched, and PIN or finger given. Of `sk-` keys only. */
  readonly verify: boolean;
  readonly createdAt: number;
}

/** What a person gives of an operator. */
export interface OperatorForm {
  readonly name: string;
  readonly role: string;
  /** Text of a public key file. */
  readonly key: string;
  /** The key signs certificates instead of logging in itself. */
  readonly ca?: boolean;
  /** CIDR, each; left out or empty: anywhere. */
  readonly from?: readonly string[];
  /** Unix ms; left out or null: for ever. */
  readonly expiresAt?: number | null;
  readonly verify?: boolean;
}

/** What an operator may do at this moment, or why it may do nothing, in a sentence. */
export function standing(
  operator: OperatorRecord | undefined,
  wall: number,
): { readonly role: Role } | { readonly refused: string } {
  if (!operator) return { refused: 'this name is no operator of the desk' };
  if (operator.expiresAt !== null && wall >= operator.expiresAt)
    return { refused: 'the access of this operator has expired; an owner renews it' };
  return { role: operator.role };
}
