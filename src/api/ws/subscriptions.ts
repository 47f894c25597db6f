/**
 * The subscriptions of one socket and their topics (specification, "Filter rules"; D39, D40, S45). A
 * subscription that can never deliver is kept like any other, so that it is acknowledged and can be removed.
 * Pure.
 */
import { isMarketName } from '../../domain/market-name.ts';
import type { StreamChannel } from '../../schemas/stream.ts';
import type { Filter } from './client-message.ts';

/** The form of account ids; no other text can match one. */
const ACCOUNT = /^[A-Za-z0-9._:-]+$/;

/**
 * Events of a channel that a socket gets: all (`''`), those of an exchange, or those of an exchange and
 * symbol (`exchange symbol`).
 */
export interface Topic {
  readonly channel: StreamChannel;
  readonly key: string;
}

export class Subscriptions {
  readonly #limit: number;
  readonly #filters = new Map<string, Filter>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#filters.size;
  }

  /** Adds a subscription. False: there are as many as allowed. Adding an existing one changes nothing. */
  add(filter: Filter): boolean {
    const name = nameOf(filter);
    if (!this.#filters.has(name) && this.#filters.size >= this.#limit) return false;
    this.#filters.set(name, filter);
    return true;
  }

  remove(filter: Filter): void {
    this.#filters.delete(nameOf(filter));
  }

  /**
   * Returns topics that cover the subscriptions and do not cover each other: so an event reaches a socket
   * through one of them at most. `allowed`: the key's shield; null = all exchanges.
   */
  topics(allowed: readonly string[] | null): Topic[] {
    const byChannel = new Map<StreamChannel, Filter[]>();
    for (const filter of this.#filters.values()) {
      if (!canDeliver(filter)) continue;
      const filters = byChannel.get(filter.channel);
      if (filters) filters.push(filter);
      else byChannel.set(filter.channel, [filter]);
    }
    return [...byChannel].flatMap(([channel, filters]) =>
      keysOf(filters, allowed).map((key) => ({ channel, key })),
    );
  }
}

/** The keys under which an event of an exchange (and symbol) is found. */
export function topicKeys(exchange: string, symbol?: string): readonly string[] {
  return symbol === undefined ? ['', exchange] : ['', exchange, `${exchange} ${symbol}`];
}

function nameOf({ channel, exchange, symbol }: Filter): string {
  return JSON.stringify([channel, exchange ?? null, symbol ?? null]);
}

/**
 * Whether a filter can deliver. `exchange` narrows all channels but botStatus; `symbol` narrows only orders,
 * together with `exchange`.
 */
function canDeliver({ channel, exchange, symbol }: Filter): boolean {
  if (exchange !== undefined && !ACCOUNT.test(exchange)) return false;
  const narrowed = symbol !== undefined;
  if (narrowed && (channel !== 'orders' || exchange === undefined || !isMarketName(symbol))) return false;
  return channel !== 'botStatus' || exchange === undefined;
}

function keysOf(filters: readonly Filter[], allowed: readonly string[] | null): string[] {
  const whole = filters.some(({ exchange }) => exchange === undefined);
  if (whole) return allowed === null ? [''] : [...new Set(allowed)];
  const permitted = filters.filter(({ exchange = '' }) => allowed === null || allowed.includes(exchange));
  const exchanges = new Set<string>();
  for (const { exchange = '', symbol } of permitted) if (symbol === undefined) exchanges.add(exchange);
  const keys = new Set(exchanges);
  for (const { exchange = '', symbol } of permitted) {
    if (symbol !== undefined && !exchanges.has(exchange)) keys.add(`${exchange} ${symbol}`);
  }
  return [...keys];
}
