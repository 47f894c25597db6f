/**
 * The lines to all exchange accounts of a desk: those of its start, and those that come, wait, are connected anew and go while it
 * runs. The engine knows of an account before anything is asked of it.
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

/** An exchange that hangs when its account is let go keeps nobody waiting longer, ms. */
const CLOSE_WAIT_MS = 5_000;

export interface AccountLinksOptions extends Pick<VenueLinkOptions, 'changed' | 'report'> {
  /** Those of the desk, of its start and later ones: kept true here. */
  readonly venues: Venue[];
  readonly turn: () => Turn;
  readonly clock: Clock;
  /** Whose orders are sent. */
  readonly desk: DeskIdentity;
  /** Meta rows as they are stored now, or will be with the next commit. */
  readonly meta: ReadonlyMap<string, unknown>;
  /** Why an account is not to be opened yet; null: it is. */
  readonly waits: (exchange: string) => string | null;
  /** A text of an account's adapter without the credentials that may be in it. */
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

  /** Of the start: resolves when each is open, waits, or has failed its first try. */
  async open(): Promise<void> {
    this.#begun = true;
    const links = this.#o.venues.map((venue) => this.#make(venue));
    await Promise.all(links.map((link) => this.#begin(link)));
  }

  /** A new account, or one that is known for its orders only, is there from now on; stored when this resolves. */
  async join(venue: Venue, settings: Pick<JoiningAccount, 'guards' | 'rights'>): Promise<void> {
    const turn = this.#o.turn();
    this.#o.venues.push(venue);
    const joining = { ...joiningAccount(venue, this.#o.meta, 'it is being connected'), ...settings };
    turn.step({ type: 'joined', joining });
    turn.commitSoon();
    await turn.read(() => {});
    const link = this.#make(venue);
    await this.#opened(link);
  }

  /** The account goes on by another line: its keys are other ones, or it waits, or does so no more. */
  async replace(venue: Venue): Promise<void> {
    const { venues } = this.#o;
    const { id } = venue.account;
    const at = venues.findIndex((one) => one.account.id === id);
    const old = this.all.get(id);
    if (at >= 0) venues[at] = venue;
    else venues.push(venue);
    // The start opens it.
    if (!this.#begun) return;
    // What waits for its turn on the old line would be lost with it, and nobody would ever hear of it.
    old?.requests.abandon();
    const link = this.#make(venue);
    if (old) void this.#close(old);
    await this.#opened(link);
  }

  /** Of an account without open orders and running bots: what is stored of it stays. */
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

  /** Before something that keeps the desk from renewing the dead-man switches of these accounts, or of all; soon. Null: none runs. */
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
    // What runs at the exchange is taken up by the new one.
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

  /** Opened, and compared as far as that goes now. */
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

/** Meta rows as they are stored or will be: those of a start, and what has been committed or kept since. */
export function noteMeta(meta: Map<string, unknown>, rows: readonly Row[]): void {
  for (const row of rows) {
    if (row.kind !== 'meta') continue;
    if (row.value === null || row.value === undefined) meta.delete(row.name);
    else meta.set(row.name, row.value);
  }
}
