/**
 * A terminal's identity and role at the desk (remote.md 2): the owner of the data folder, or an operator by
 * name, whose role is the lower one of the table's now and the one its connection came with. Checked again at
 * every call; nothing that a terminal says of itself raises it.
 */
import { lowerOf, type Role } from '../../domain/operator.ts';
import { visible } from '../../domain/visible.ts';
import type { Caller, Roster } from '../running.ts';
import type { Introduction } from './protocol.ts';

/** Most characters of a terminal's description of itself. */
const WORDS_MAX = 64;
/** The name of the owner of the data folder in the audit and the list of sessions. */
export const LOCAL_NAME = 'local';

export type Standing =
  | { readonly role: Role; readonly expiresAt: number | null }
  | { readonly refused: string };

export class Who {
  readonly session: string;
  /** The operator's name; null: the owner of the data folder. */
  readonly #as: string | null;
  readonly #most: Role;
  readonly from: string | null;
  readonly terminal: string;
  readonly version: string;
  readonly #roster: Roster | undefined;
  #caller: Caller | null = null;

  constructor(session: string, given: Introduction, roster: Roster | undefined) {
    this.session = session;
    this.#as = given.as ?? null;
    this.#most = given.role ?? 'owner';
    this.from = given.from === undefined ? null : words(given.from);
    this.terminal = words(given.terminal ?? '');
    this.version = words(given.version ?? '');
    this.#roster = roster;
  }

  get name(): string {
    return this.#as ?? LOCAL_NAME;
  }

  get isLocal(): boolean {
    return this.#as === null && this.from === null;
  }

  /** Returns the role at this moment, or why the terminal may do nothing. */
  standing(): Standing {
    if (this.#as === null) return { role: this.#most, expiresAt: null };
    const now = this.#roster?.standing(this.#as) ?? { refused: 'this desk has no operators' };
    return 'refused' in now ? now : { role: lowerOf(now.role, this.#most), expiresAt: now.expiresAt };
  }

  /**
   * Returns the same object while the role is the same: the desk stores what belongs to a caller by this
   * object.
   */
  caller(role: Role): Caller {
    if (this.#caller?.role !== role) this.#caller = this.#makeCaller(role);
    return this.#caller;
  }

  #makeCaller(role: Role): Caller {
    const { session, name, isLocal } = this;
    const who = { session, name, role, local: isLocal };
    if (isLocal) return who;
    return { ...who, by: `${name}/${session}${this.from === null ? '' : ` ${this.from}`}` };
  }
}

function words(text: string): string {
  return visible(text.slice(0, WORDS_MAX));
}
