/**
 * The stored candles of the bots: two rows for each market, of which the larger is written only when a candle
 * has closed, and one row for each candle in which runs have started. Pure.
 */
import type { Row } from '../../domain/rows.ts';
import type { FirstCandleSnapshot } from '../market/first-candle.ts';
import type { FirstCandleRow } from '../market/first-candle-pool.ts';
import type { MarketHubs } from '../market/market-hubs.ts';

/** Names of a market's rows. The paper market keeps the names of old stores, which had no other market. */
export function candleRows(market: string) {
  const of = market === 'paper' ? '' : ` ${market}`;
  return {
    forming: `bot-candles${of}`,
    closed: `bot-closed-candles${of}`,
    first: `bot-first-candle${of} `,
  } as const;
}

/** The stored candles in which runs of a market have started. */
export function storedFirsts(meta: ReadonlyMap<string, unknown>, market: string): FirstCandleRow[] {
  const { first } = candleRows(market);
  return [...meta].flatMap(([name, value]) => {
    const id = name.startsWith(first) ? name.slice(first.length) : '';
    return /^\d+$/.test(id) ? [[Number(id), value as FirstCandleSnapshot | null] as const] : [];
  });
}

export class CandleRows {
  readonly #hubs: MarketHubs;
  /** `closedVersion` of each market's hub: the stored one, and the one that is being written. */
  readonly #stored = new Map<string, number>();
  readonly #written = new Map<string, number>();

  constructor(hubs: MarketHubs) {
    this.#hubs = hubs;
  }

  /** Returns the rows for a commit. */
  rows(): Row[] {
    const rows: Row[] = [];
    for (const [market, hub] of this.#hubs.all()) {
      const names = candleRows(market);
      for (const [id, value] of hub.firsts.rows())
        rows.push({ kind: 'meta', name: `${names.first}${id}`, value });
      // An exchange that reports closed candles reports them again after a start.
      if (hub.isTold) continue;
      rows.push({ kind: 'meta', name: names.forming, value: hub.formingSnapshot() });
      const { closedVersion } = hub;
      if (closedVersion === this.#stored.get(market)) continue;
      this.#written.set(market, closedVersion);
      rows.push({ kind: 'meta', name: names.closed, value: hub.closedSnapshot() });
    }
    return rows;
  }

  /** Notes that the commit is stored. */
  stored(): void {
    for (const [market, version] of this.#written) this.#stored.set(market, version);
    for (const [, hub] of this.#hubs.all()) hub.firsts.stored();
  }
}
