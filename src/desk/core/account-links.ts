/**
 * The links to all exchange accounts of a desk, from its start on and while accounts are added, wait, are
 * reconnected and are removed. The engine knows an account before anything is asked of it.
 */
import type { Clock } from '../../domain/clock.ts';
import type { DeskIdentity } from '../../domain/desk-id.ts';
import { walletOf } from '../../domain/exchange.ts';
import type { Row } from '../../domain/rows.ts';
import type { JoiningAccount } from '../../engine/joining.ts';
import type { Venue } from '../../venues/venue.ts';
import { atMost } from './at-most.ts';
import { DeadMan } from './dead-man.ts';
import { joiningAccount, NOT_CONFIGURED } from './known-accounts.ts';
import type { Turn } from './turn.ts';
import { VenueLink, type VenueLinkOptions } from './venue-link.ts';

/** How long removing an account waits at most for an exchange that does not answer, ms. */
const CLOSE_WAIT_MS = 5_000;

export interface AccountLinksOptions extends Pick<VenueLinkOptions, 'changed' | 'report'> {
  /** All accounts of the desk, those of the start and later ones; kept up to date here. */
  readonly venues: Venue[];
  readonly turn: () => Turn;
  readonly clock: Clock;
  /** The desk whose orders are sent. */
  readonly desk: DeskIdentity;
  /** Meta rows as they are stored now, or will be with the next commit. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** Why an account is not to be opened yet; null: it may be opened. */
  readonly waits: (exchange: string) => string | null;
  /** Removes the credentials that may be in a text of an account's adapter. */
  readonly hide: (exchange: string, text: string) => string;
  readonly recall: (exchange: string, ...asked: Parameters<VenueLinkOptions['recall']>) => boolean;
  readonly inLedger: (wallet: string, id: string) => boolean;
}

export class AccountLinks {
  readonly all = new Map<string, VenueLink>();
  readonly deadMen = new Map<string, DeadMan>();
  readonly #o: AccountLinksOptions;
  #begun = false;

  constructor(options: AccountLinksOptions) {
    this.#o = options;
  }

  /** Opens the accounts of the start; resolves when each is open, waits, or has failed its first try. */
  async open(): Promise<void> {
    this.#begun = true;
    const links = this.#o.venues.map((venue) => this.#make(venue));
    await Promise.all(links.map((link) => this.#begin(link)));
  }

  /** Adds an account that is new, or known only because of its orders; resolves when it is stored. */
  async join(venue: Venue, settings: Pick<JoiningAccount, 'guards' | 'rights'>): Promise<void> {
    this.#o.venues.push(venue);
    await this.set(venue, settings);
    const link = this.#make(venue);
    await this.#opened(link);
  }

  /** Sets what an owner has given with the keys of an account; resolves when it is stored. */
  set(venue: Venue, settings: Pick<JoiningAccount, 'guards' | 'rights'>): Promise<void> {
    const turn = this.#o.turn();
    const joining = { ...joiningAccount(venue, this.#o.meta, 'it is being connected'), ...settings };
    turn.step({ type: 'joined', joining });
    turn.commitSoon();
    return turn.read(() => {});
  }

  /** Gives the account a new link, because its keys changed or because it begins or stops to wait. */
  async replace(venue: Venue): Promise<void> {
    const { venues } = this.#o;
    const { id } = venue.account;
    const at = venues.findIndex((one) => one.account.id === id);
    const old = this.all.get(id);
    if (at >= 0) venues[at] = venue;
    else venues.push(venue);
    // The start opens the account.
    if (!this.#begun) return;
    // A request that waits for its turn on the old link would be lost with it, and nobody would be told.
    old?.requests.abandon();
    const link = this.#make(venue);
    if (old) void this.#close(old);
    await this.#opened(link);
  }

  /** Removes an account without open orders and running bots; its stored rows stay. */
  async leave(exchange: string): Promise<void> {
    const { venues } = this.#o;
    const at = venues.findIndex((one) => one.account.id === exchange);
    if (at >= 0) venues.splice(at, 1);
    const link = this.all.get(exchange);
    this.all.delete(exchange);
    this.deadMen.get(exchange)?.close();
    this.deadMen.delete(exchange);
    this.#o.turn().step({ type: 'left', exchange, why: NOT_CONFIGURED });
    if (link) await this.#close(link);
    this.#o.changed();
  }

  /**
   * Takes back the dead-man switches of these accounts, or of all, before something that soon keeps the desk
   * from renewing them. Null: none runs.
   */
  takeBack(why: string, exchanges: readonly string[] = [...this.all.keys()]): Promise<unknown> | null {
    const running = exchanges.flatMap((id) => {
      const deadMan = this.deadMen.get(id);
      return deadMan?.view?.running ? [deadMan.takeBackAll(why)] : [];
    });
    return running.length === 0 ? null : Promise.all(running);
  }

  async close(): Promise<void> {
    for (const deadMan of this.deadMen.values()) deadMan.close();
    for (const link of this.all.values()) await link.close();
  }

  #make(venue: Venue): VenueLink {
    const { turn, clock, desk, meta, hide, recall, inLedger, changed, report } = this.#o;
    const { id } = venue.account;
    const told: VenueLinkOptions['report'] = (level, text) => report(level, hide(id, text));
    const link: VenueLink = new VenueLink(venue, {
      turn: turn(),
      clock,
      desk,
      meta,
      changed: () => {
        if (this.all.get(id) === link) deadMan.lineChanged();
        changed();
      },
      report: told,
      hide: (text) => hide(id, text),
      recall: (names, makes) => recall(id, names, makes),
      inLedger: (row) => inLedger(walletOf(venue.account), row),
      named: (exchange, symbols) => this.all.get(exchange)?.reconciliation.named(symbols),
    });
    const deadMan = new DeadMan({
      venue: link.venue,
      turn: turn(),
      clock,
      changed,
      report: told,
      isOpen: () => link.away === null,
    });
    // The new link takes over the countdowns that run at the exchange.
    this.deadMen.get(id)?.close();
    this.all.set(id, link);
    this.deadMen.set(id, deadMan);
    return link;
  }

  #begin(link: VenueLink): Promise<void> {
    const why = this.#o.waits(link.venue.account.id);
    if (why === null) return link.open();
    link.wait(why);
    return Promise.resolve();
  }

  /** Opens an account and compares it, as far as both are possible now. */
  async #opened(link: VenueLink): Promise<void> {
    await this.#begin(link);
    if (link.away === null) await link.reconcile();
  }

  async #close(link: VenueLink): Promise<void> {
    await atMost(this.#o.clock, CLOSE_WAIT_MS, link.close()).catch((error: unknown) =>
      this.#o.report('warn', `${link.venue.account.id} was not closed: ${String(error)}`),
    );
  }
}

/**
 * Adds rows to the meta rows as they are, or will be, stored: those of the start and those committed or kept
 * since.
 */
export function noteMeta(meta: Map<string, unknown>, rows: readonly Row[]): void {
  for (const row of rows) {
    if (row.kind !== 'meta') continue;
    if (row.value === null || row.value === undefined) meta.delete(row.name);
    else meta.set(row.name, row.value);
  }
}
