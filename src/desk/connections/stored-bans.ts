/**
 * Bans of exchange addresses, kept over a restart: one row is written when a ban begins, and nothing else.
 */
import type { Row } from '../../domain/rows.ts';
import type { Bans } from '../../venues/kit/addresses.ts';

export class StoredBans implements Bans {
  /** Stores a row; before the desk exists no exchange is asked, so no ban begins. */
  store: (row: Row) => void = () => {};
  readonly #until = new Map<string, number>();

  /** `meta`: rows of the store at the start. */
  constructor(meta: ReadonlyMap<string, unknown>) {
    for (const [name, until] of meta)
      if (name.startsWith(PREFIX) && Number.isFinite(until))
        this.#until.set(name.slice(PREFIX.length), until as number);
  }

  readonly until = (origin: string): number | null => this.#until.get(origin) ?? null;

  readonly began = (origin: string, until: number): void => {
    this.#until.set(origin, until);
    this.store({ kind: 'meta', name: `${PREFIX}${origin}`, value: until });
  };
}

const PREFIX = 'ban ';
