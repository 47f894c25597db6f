/**
 * What a dead-man switch must and must not have done, seen from the exchange: it never fires while a desk
 * lives and its connection works, a resting entry always has a countdown, and without an entry there is none.
 * Orders that it has ended say so.
 */
import { OWNER } from '../../src/domain/actor.ts';
import { WHOLE_ACCOUNT } from '../../src/domain/dead-man.ts';
import { ENDS } from '../../src/domain/exchange.ts';
import { mayBeOpen } from '../../src/domain/order.ts';
import { entrySymbols } from '../../src/engine/dead-man.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';
import type { Violate } from './checks.ts';
import type { Rough } from './rough/open-rough.ts';
import type { SimClock } from './sim-clock.ts';
import type { SimDesk } from './sim-desk.ts';
import { type Strikes, strike } from './sim-faults.ts';

/** Number of this invariant, beside those of design/testing.md. */
const DEAD_MAN = 16;
/** Longer than a request and its answer take. */
const WAY_MS = 1_500;

export interface DeadManGiven {
  readonly rough: Rough;
  readonly clock: SimClock;
  readonly desk: () => SimDesk | null;
  readonly healed: () => boolean;
  /** The wall clock is never set. */
  readonly steady: boolean;
  readonly strikes: Strikes;
  readonly violate: Violate;
}

export class DeadManWatch {
  readonly #o: DeadManGiven;
  /** True time since which nothing has kept the desk from renewing. */
  #calmSince: number;
  /** Countdowns that run without an entry, with the time at which each was first seen so. */
  readonly #idle = new Map<string, number>();

  constructor(o: DeadManGiven) {
    this.#o = o;
    this.#calmSince = o.clock.now;
    const { deadMan } = o.rough.line;
    if (!deadMan) return;
    deadMan.onLost = () => this.trouble();
    deadMan.onFired = (key) => this.#fired(key);
  }

  /** Notes that the desk was started, ended, asleep, or disconnected until now. */
  trouble(): void {
    this.#calmSince = this.#o.clock.now;
    // Whether there was an entry since the last look is unknown.
    this.#idle.clear();
  }

  /** Checks the switch at a moment of the world's choice. */
  look(desk: SimDesk): void {
    const { rough, clock, violate } = this.#o;
    const { deadMan } = rough.line;
    if (!deadMan) return;
    const { memory } = desk.core.engine;
    const account = memory.account(rough.exchange.account.id);
    if (account.away !== null || !account.link.up || desk.life.slept !== undefined) this.trouble();
    const { form, seconds, mostSymbols } = deadMan.plan;
    const settled = (seconds * 1_000) / 2 + WAY_MS;
    if (clock.now - this.#calmSince < settled) return;
    const keys = [...entrySymbols(memory, account)];
    const known = new Set(form === 'symbol' ? keys : keys.length > 0 ? [WHOLE_ACCOUNT] : []);
    if (form === 'symbol' && known.size > mostSymbols) return;
    const { running } = deadMan;
    const old = (order: { readonly updatedAt: number }) => clock.wall - order.updatedAt > settled;
    for (const order of memory.orders.values()) {
      if (order.exchange !== account.account.id || !mayBeOpen(order) || !old(order)) continue;
      const key = form === 'symbol' ? order.symbol : WHOLE_ACCOUNT;
      const doc = rough.exchange.doc(order.id);
      const rests = doc !== undefined && !ENDS.has(doc.status) && order.type !== 'MARKET';
      if (!rests || order.external || !known.has(key)) continue;
      if (!isEntry(order, account.futures !== null) || running.has(key)) continue;
      violate(DEAD_MAN, `${order.id} rests without the countdown of ${account.account.id} ${key}`);
    }
    for (const key of running) {
      const since = known.has(key) ? clock.now : (this.#idle.get(key) ?? clock.now);
      this.#idle.set(key, since);
      // The next renewal cancels the countdown; if that is lost, the one after it.
      if (clock.now - Math.max(since, this.#calmSince) > settled + seconds * 1_000)
        violate(DEAD_MAN, `${account.account.id} ${key} has a countdown and no entry`);
    }
    for (const key of this.#idle.keys()) if (!running.has(key)) this.#idle.delete(key);
    strike(this.#o.strikes, `${account.account.id}: its dead-man switch is looked at`);
  }

  /**
   * Checks at the end: an order that the switch has ended is known as such, unless somebody cancelled it or
   * it had ended by itself.
   */
  checkEnd(desk: SimDesk): void {
    const { rough, violate, strikes, steady } = this.#o;
    const { memory } = desk.core.engine;
    for (const id of rough.line.deadMan?.ended ?? []) {
      const order = memory.orders.get(id);
      if (!order || order.user !== OWNER || order.external) continue;
      const doc = rough.exchange.doc(id) as PaperOrderDoc;
      if (doc.status !== 'CANCELLED' || order.status !== 'CANCELLED') continue;
      const isNamed = /dead-man switch/.test(order.text ?? '');
      if (isNamed) strike(strikes, 'ended by a dead-man switch');
      if (steady && !isNamed && !/asked by|no longer known/.test(order.text ?? ''))
        violate(DEAD_MAN, `${id} was ended by the switch of ${order.exchange}, and says: ${order.text}`);
    }
  }

  #fired(key: string): void {
    const { rough, clock, desk, strikes, violate, healed } = this.#o;
    strike(strikes, `${rough.exchange.account.id}: its dead-man switch goes off`);
    const seconds = rough.line.deadMan?.plan.seconds ?? 0;
    const living = desk();
    // Bans, and others who use up the budget, are the exchange's doing.
    if (rough.limits && !healed()) return;
    if (!living?.ready || clock.now - this.#calmSince <= seconds * 1_000 + WAY_MS) return;
    violate(DEAD_MAN, `the switch of ${rough.exchange.account.id} ${key} went off beside a desk that lives`);
  }
}

function isEntry(
  {
    side,
    reduceOnly,
    closePosition,
    positionSide,
  }: {
    readonly side: string;
    readonly reduceOnly: boolean;
    readonly closePosition: boolean;
    readonly positionSide: string;
  },
  isFutures: boolean,
): boolean {
  if (!isFutures) return side === 'BUY';
  if (reduceOnly || closePosition) return false;
  return positionSide === 'BOTH' || (positionSide === 'LONG') === (side === 'BUY');
}
