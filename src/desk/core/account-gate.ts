/**
 * Decides whether anything may be sent to an account after a start: it is the same account as before, no copy
 * of this store may still trade it, and no orders of another desk are there (money-at-risk.md 1). The check
 * runs before the first send and only asks questions. Until the exchange has said which account this is,
 * nothing is sent, not even a cancel: it could act on the money of another account.
 */
import { type AccountIdentity, identityName } from '../../domain/account-identity.ts';
import type { DeskIdentity } from '../../domain/desk-id.ts';
import { namesOf, type OrderNames } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import { activeSymbols } from '../../engine/active-symbols.ts';
import { closedByOthersWhy, isOfOtherDesk } from '../../engine/other-desk.ts';
import { decodeIdentity } from './decode.ts';
import { type FillsReader, untilAnswered } from './fills-reader.ts';
import type { ReadableVenue } from './readable-venue.ts';
import type { Turn } from './turn.ts';

/** At most this many ids of other desks are collected in one check: more would not change the result. */
const FOUND_MAX = 50;

/**
 * `another`: it is not the same account as before. `held`: a copy of this store may trade it. `others`:
 * another desk has orders there.
 */
export type ShutKind = 'another' | 'held' | 'others';

export interface Shut {
  readonly kind: ShutKind;
  /** One sentence, or the end of one that begins with the account's name. */
  readonly why: string;
}

export interface AccountGateOptions {
  readonly venue: ReadableVenue;
  readonly turn: Turn;
  readonly desk: DeskIdentity;
  readonly fills: Pick<FillsReader, 'known' | 'peek' | 'since'>;
  /** Meta rows of the store at the start. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** See `VenueLinkOptions`. */
  readonly recall: (names: OrderNames, makes: boolean) => boolean;
  /** Asks one question, bounded in time; null: it failed. */
  readonly ask: <T>(run: () => Promise<T | null>) => Promise<T | null>;
}

export class AccountGate {
  /** The account's identity as the exchange first reported it; null: it never did. */
  identity: AccountIdentity | null;
  /** Why nothing is sent; null: the account is open, or has not been checked yet. */
  shut: Shut | null = null;
  readonly #o: AccountGateOptions;
  readonly #exchange: string;
  /** The id of the desk for which an owner has confirmed that no other desk trades the account. */
  #confirmed: unknown;

  constructor(options: AccountGateOptions) {
    this.#o = options;
    this.#exchange = options.venue.account.id;
    const stored = decodeIdentity(options.meta.get(identityName(this.#exchange)) as AccountIdentity);
    this.identity = stored.ok ? stored.value : null;
    this.#confirmed = options.meta.get(confirmedName(this.#exchange));
  }

  /** Checks the account. Null: it is open. Throws while a question has no answer. */
  async pass(): Promise<Shut | null> {
    this.shut = (await this.#another()) ?? this.#held() ?? (await this.#others());
    return this.shut;
  }

  /** Returns the row by which an owner confirms that the desk this store was copied from is stopped. */
  confirmation(): Row {
    return { kind: 'meta', name: confirmedName(this.#exchange), value: this.#o.desk.id };
  }

  /** Called once that row is stored. */
  confirmed(): void {
    this.#confirmed = this.#o.desk.id;
  }

  async #another(): Promise<Shut | null> {
    const { venue, ask, turn } = this.#o;
    if (!venue.tellsIdentity) return null;
    const told = await ask(() => venue.identity());
    if (!told) throw new Error('it has not said which account it is');
    const { identity } = this;
    if (identity && identity.id !== told.id) {
      const why = `${this.#exchange} was account ${identity.id} and is ${told.id} now; choose another name`;
      return { kind: 'another', why };
    }
    if (!identity) turn.keep({ kind: 'meta', name: identityName(this.#exchange), value: told });
    this.identity ??= told;
    return null;
  }

  #held(): Shut | null {
    const { desk, fills, turn } = this.#o;
    if (!desk.held || this.#confirmed === desk.id) return null;
    if (fills.since === null) {
      // If there is a copy, it was made before the account was connected, so the copy does not know the
      // account.
      turn.keep(this.confirmation());
      this.confirmed();
      return null;
    }
    const why =
      'this data folder was moved or copied, and the desk it comes from may still trade: stop that one, then confirm it on Accounts or start with --takeover';
    return { kind: 'held', why };
  }

  async #others(): Promise<Shut | null> {
    const memory = () => this.#o.turn.engine.memory.account(this.#exchange).others;
    if (memory()?.state === 'taking') return null;
    if (memory()?.state !== 'closed') {
      const ids = await this.#look();
      if (ids.length === 0) return null;
      this.#o.turn.step({ type: 'others-found', exchange: this.#exchange, ids });
    }
    const others = memory();
    return { kind: 'others', why: others ? closedByOthersWhy(others) : '' };
  }

  /** Returns the ids of open orders and executions that another desk must have made. */
  async #look(): Promise<readonly string[]> {
    const { venue, ask, turn, recall, fills } = this.#o;
    const found = new Set<string>();
    const see = (names: OrderNames): void => {
      if (!recall(names, true)) throw new Error('its orders could not be looked for in the store');
      const { memory } = turn.engine;
      if (found.size >= FOUND_MAX || memory.orderAt(this.#exchange, names)) return;
      if (isOfOtherDesk(memory, this.#exchange, names.clientId)) found.add(names.clientId);
    };
    const open = await untilAnswered(() => ask(() => venue.openOrders()));
    if (!open) throw new Error('its open orders could not be read');
    for (const state of open) see(namesOf(state));
    const symbols = [...activeSymbols(turn.engine.memory, this.#exchange), ...fills.known];
    if (!(await fills.peek(symbols, (fill) => see(namesOf(fill)))))
      throw new Error('its executions could not be read');
    return [...found];
  }
}

function confirmedName(exchange: string): string {
  return `desk confirmed ${exchange}`;
}
