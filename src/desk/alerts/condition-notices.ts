/**
 * Notices of conditions, not of events: a liquidation is near, a guard is nearly used up, the link to an
 * account is down. Checked soon after something of an account has changed, at most once a second; sent when
 * the condition begins, and again only after it has ended.
 */
import { OWNER } from '../../domain/actor.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { GuardMeters, Guards } from '../../domain/guards.ts';
import type { NoticeSettings } from '../../domain/notices.ts';
import { guardMeters } from '../../engine/guard-settings.ts';
import { positionsNow } from '../../engine/margins.ts';
import type { AccountMemory, EngineMemory } from '../../engine/memory.ts';
import { signedAmount } from '../../engine/positions.ts';
import { liquidationDistance, positionId } from '../console/futures-view.ts';
import type { Notice } from './notice.ts';

/** Time between two checks, ms. */
export const LOOK_MS = 1_000;
/** A link that returns within this time does not count as down, ms. */
export const DOWN_MS = 10_000;
/**
 * A condition ends only once its value is this part beyond the limit, so that a price at the limit does not
 * cause notices without end.
 */
const CLEAR = 0.1;

/** The link to an account. */
export interface LineLook {
  readonly exchange: string;
  readonly up: boolean;
  /** Start of the present state, wall, Unix ms. */
  readonly since: number;
  /** The link is not expected to be up: the vault is locked, or the account is closed. */
  readonly waits: boolean;
}

export interface ConditionOptions {
  readonly settings: NoticeSettings;
  readonly clock: Clock;
  readonly memory: () => EngineMemory;
  readonly lines: () => readonly LineLook[];
  readonly tell: (notice: Notice) => void;
}

interface Condition {
  readonly id: string;
  readonly notice: Notice;
  /** `near`: the condition neither begins nor ends. */
  readonly is: 'on' | 'near';
}

export class ConditionNotices {
  readonly #o: ConditionOptions;
  /** Conditions that were reported and have not ended. */
  #on = new Set<string>();
  /** Links that have been up since the start. */
  readonly #wasUp = new Set<string>();
  #timer: Cancelable | null = null;
  #closed = false;

  constructor(options: ConditionOptions) {
    this.#o = options;
  }

  /** Schedules a check: something of an account has changed. */
  changed(): void {
    if (this.#timer !== null || this.#closed) return;
    this.#timer = this.#o.clock.after(LOOK_MS, () => {
      this.#timer = null;
      this.#look();
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #look(): void {
    const now = [...this.#liquidations(), ...this.#guards(), ...this.#lines()];
    for (const { id, notice, is } of now) if (is === 'on' && !this.#on.has(id)) this.#o.tell(notice);
    const before = this.#on;
    this.#on = new Set(now.filter(({ id, is }) => is === 'on' || before.has(id)).map(({ id }) => id));
  }

  #chosen(kind: Notice['kind']): boolean {
    return this.#o.settings.to[kind].length > 0;
  }

  *#accounts(): Generator<AccountMemory> {
    const memory = this.#o.memory();
    for (const account of memory.accountsOf(OWNER)) if (account.unread.size === 0) yield account;
  }

  *#liquidations(): Generator<Condition> {
    if (!this.#chosen('liquidation')) return;
    const { liquidationPercent: limit } = this.#o.settings;
    for (const account of this.#accounts()) {
      if (!account.futures) continue;
      const exchange = account.account.id;
      for (const position of positionsNow(account)) {
        const { liquidationPrice, symbol } = position;
        const far = liquidationDistance(position);
        const amount = signedAmount(position);
        if (far === null || amount === ZERO) continue;
        const distance = Math.abs(Number(far));
        if (distance > limit * (1 + CLEAR)) continue;
        const side = amount < ZERO ? 'SHORT' : 'LONG';
        const size = str(amount < ZERO ? -amount : amount);
        const message = `liquidation near: ${side} ${size} ${symbol} on ${exchange} is ${distance.toFixed(2)} % from ${liquidationPrice}`;
        yield {
          id: `liquidation ${positionId(exchange, position)}`,
          notice: { kind: 'liquidation', symbol, message, price: str(dec(position.markPrice)) },
          is: distance <= limit ? 'on' : 'near',
        };
      }
    }
  }

  *#guards(): Generator<Condition> {
    if (!this.#chosen('guard')) return;
    const limit = this.#o.settings.guardPercent / 100;
    for (const account of this.#accounts()) {
      const set = account.guards?.set;
      const meters = guardMeters(this.#o.memory(), account, this.#o.clock.monotonic());
      if (!set || !meters) continue;
      for (const { name, share, words } of sharesOf(set, meters)) {
        if (share < limit * (1 - CLEAR)) continue;
        const { id } = account.account;
        const message = `guard at ${Math.floor(share * 100)} %: ${words} on ${id}`;
        yield {
          id: `guard ${id} ${name}`,
          notice: { kind: 'guard', symbol: '', message, price: null },
          is: share >= limit ? 'on' : 'near',
        };
      }
    }
  }

  *#lines(): Generator<Condition> {
    if (!this.#chosen('stream')) return;
    const now = this.#o.clock.wall();
    for (const { exchange, up, since, waits } of this.#o.lines()) {
      if (up) this.#wasUp.add(exchange);
      if (waits) this.#wasUp.delete(exchange);
      if (up || waits || !this.#wasUp.has(exchange)) continue;
      const late = since + DOWN_MS - now;
      // Nothing else may cause a check by then.
      if (late > 0) this.changed();
      const message = `no connection to ${exchange}: what happens there is not heard, and nothing new is sent`;
      yield {
        id: `stream ${exchange}`,
        notice: { kind: 'stream', symbol: '', message, price: null },
        is: late > 0 ? 'near' : 'on',
      };
    }
  }
}

interface Share {
  readonly name: string;
  /** Used part of the limit; 1: reached. */
  readonly share: number;
  readonly words: string;
}

/** Returns each guard that can be used up. Shares are compared with a percentage, so plain numbers do. */
function sharesOf(set: Guards, { position, openOrders, entries, loss }: GuardMeters): Share[] {
  const shares: Share[] = [];
  const add = (name: string, used: number, limit: number | null, words: string) => {
    if (limit !== null && limit > 0) shares.push({ name, share: used / limit, words });
  };
  if (position?.value != null && set.maxPositionValue !== null) {
    const words = `${position.symbol} is worth ${round(position.value)} of ${set.maxPositionValue} USDT`;
    add('position', Number(position.value), Number(set.maxPositionValue), words);
  }
  add('openOrders', openOrders, set.maxOpenOrders, `${openOrders} of ${set.maxOpenOrders} open orders`);
  add('entries', entries, set.maxOrdersPerMinute, `${entries} of ${set.maxOrdersPerMinute} entries a minute`);
  if (loss?.known === true) {
    const words = `lost ${round(loss.counted)} of ${round(loss.limit)} USDT today`;
    add('loss', Number(loss.counted), Number(loss.limit), words);
  }
  return shares;
}

function round(text: string): string {
  return Number(text).toFixed(2);
}
