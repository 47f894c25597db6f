/**
 * Whether anything may be sent to an account after a start: it is the account that it was, no copy of this store may still trade it,
 * and nothing of another desk is there (money-at-risk.md 1). Asked before the first send, and answered by questions only. Until the
 * exchange has said who the account is nothing is sent, not even a cancel: by our books it would be a trade with another's money.
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

/** Ids of other desks that one look gathers at most: it has seen enough. */
const FOUND_MAX = 50;

/** `another`: it is not the account that it was. `held`: a copy of this store may trade it. `others`: another desk has orders there. */
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
  /** One question, bounded in time; null: it failed. */
  readonly ask: <T>(run: () => Promise<T | null>) => Promise<T | null>;
}

export class AccountGate {
  /** As first told by the exchange; null: it never was. */
  identity: AccountIdentity | null;
  /** Why nothing is sent; null: it is open, or has not been looked at. */
  shut: Shut | null = null;
  readonly #o: AccountGateOptions;
  readonly #exchange: string;
  /** Of the desk for which an owner has confirmed that no other trades the account. */
  #confirmed: unknown;

  constructor(options: AccountGateOptions) {
    this.#o = options;
    this.#exchange = options.venue.account.id;
    const stored = decodeIdentity(options.meta.get(identityName(this.#exchange)) as AccountIdentity);
    this.identity = stored.ok ? stored.value : null;
    this.#confirmed = options.meta.get(confirmedName(this.#exchange));
  }

  /** Null: it is open. Throws while a question is not answered. */
  async pass(): Promise<Shut | null> {
    this.shut = (await this.#another()) ?? this.#held() ?? (await this.#others());
    return this.shut;
  }

  /** The row by which an owner confirms that the desk this store was copied from is stopped. */
  confirmation(): Row {
    return { kind: 'meta', name: confirmedName(this.#exchange), value: this.#o.desk.id };
  }

  /** That row is stored. */
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
      // It was connected after the copy was made, if there is one: nobody else knows it from this store.
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

  /** Ids of open orders and executions that another desk must have made. */
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
