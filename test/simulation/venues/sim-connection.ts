/**
 * The connection of a world's desk to its exchange, as a person has made it before the world begins: keys
 * sealed in the store, one line in the configuration. Each life of the desk has its own connection to the
 * network.
 */
import { createHash } from 'node:crypto';
import { Vault, type VaultPorts } from '../../../src/access/vault/vault.ts';
import { prepare, sealedUse } from '../../../src/desk/connections/entry.ts';
import type { Connection } from '../../../src/domain/connection.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { Store } from '../../../src/store/store.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import type { Dice } from '../dice.ts';
import type { Mutation } from '../mutations.ts';
import type { CrashPoint } from '../plan.ts';
import type { Life, SimClock } from '../sim-clock.ts';
import { LifeNet } from './life-net.ts';
import type { VenueExchange, VenueWorld } from './venue-world.ts';

const PASSPHRASE = 'correct horse battery';

export interface SimConnectionGiven {
  readonly world: VenueWorld;
  readonly exchange: VenueExchange;
  readonly clock: SimClock;
  readonly dice: Dice;
}

export class SimConnection {
  readonly connection: Connection;
  readonly accounts: readonly ExchangeAccount[];
  /** Substitutes for the vault's expensive and unpredictable parts. */
  readonly vault: Partial<VaultPorts>;
  readonly #o: SimConnectionGiven;
  /** The network connection of the present desk. */
  #net: LifeNet | null = null;

  constructor(given: SimConnectionGiven) {
    this.#o = given;
    const { world } = given;
    this.connection = {
      name: world.name,
      venue: world.name,
      markets: world.markets,
      environment: 'live',
      endpoints: {},
    };
    this.accounts = this.#prepared(given.exchange.kind(given.exchange.net)).accounts;
    this.vault = {
      derive: async (passphrase, salt) => createHash('sha256').update(passphrase).update(salt).digest(),
      randomBytes: (size) => Buffer.from(Array.from({ length: size }, () => given.dice.int(0, 255))),
    };
  }

  /** Stores its keys, sealed, as `outcry connect` does. */
  async seal(store: Store): Promise<void> {
    const prepared = this.#prepared(this.#o.exchange.kind(this.#o.exchange.net));
    const commit = async (rows: Row[]) => store.commit(rows);
    const ports = { stored: () => store.vault(), store: commit, monotonic: () => 0 };
    const vault = new Vault({ ...ports, randomBytes: Buffer.alloc, ...this.vault });
    const made = await vault.init(Buffer.from(PASSPHRASE));
    if (!made.ok) throw new Error(made.error.message);
    for (const [field, text] of Object.entries(this.#o.world.credentials)) {
      const sealed = vault.seal(sealedUse(prepared, field), Buffer.from(text));
      if (!sealed.ok) throw new Error(sealed.error.message);
      store.commit(sealed.data);
    }
  }

  /** The venue kind for one life of the desk. */
  kind(life: Life, point: (point: CrashPoint) => void, mutation: Mutation | null): VenueKind {
    const { exchange, clock } = this.#o;
    this.#net?.die();
    this.#net = new LifeNet({ net: exchange.net, clock, life, point });
    const kind = exchange.kind(mutation?.net?.(this.#net) ?? this.#net);
    const { venue } = mutation ?? {};
    return venue ? { ...kind, open: (given) => kind.open(given).map(venue) } : kind;
  }

  async unlock(vault: Vault): Promise<void> {
    const done = await vault.unlock(Buffer.from(PASSPHRASE));
    if (!done.ok) throw new Error(done.error.message);
  }

  /** Ends the network connection of a dead desk. */
  die(): void {
    this.#net?.die();
    this.#net = null;
  }

  #prepared(kind: VenueKind) {
    const found = prepare([kind], this.connection);
    if ('problem' in found) throw new Error(found.problem);
    return found.prepared;
  }
}
