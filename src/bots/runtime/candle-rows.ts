/** The stored candles of the bots: two rows a market, of which the larger is written only when a candle has closed. Pure. */
import type { Row } from '../../domain/rows.ts';
import type { MarketHubs } from '../market/market-hubs.ts';

/** Names of a market's rows. The paper market's are those of a store that knew of no other. */
export function candleRows(market: string): { readonly forming: string; readonly closed: string } {
  const of = market === 'paper' ? '' : ` ${market}`;
  return { forming: `bot-candles${of}`, closed: `bot-closed-candles${of}` };
}

export class CandleRows {
  readonly #hubs: MarketHubs;
  /** `closedVersion` of each market's hub that is stored, and the one on its way. */
  readonly #stored = new Map<string, number>();
  readonly #written = new Map<string, number>();

  constructor(hubs: MarketHubs) {
    this.#hubs = hubs;
  }

  /** For a commit. */
  rows(): Row[] {
    const rows: Row[] = [];
    for (const [market, hub] of this.#hubs.all()) {
      // What an exchange tells it tells again after a start.
      if (hub.isTold) continue;
      const names = candleRows(market);
      rows.push({ kind: 'meta', name: names.forming, value: hub.formingSnapshot() });
      const { closedVersion } = hub;
      if (closedVersion === this.#stored.get(market)) continue;
      this.#written.set(market, closedVersion);
      rows.push({ kind: 'meta', name: names.closed, value: hub.closedSnapshot() });
    }
    return rows;
  }

  /** The commit has them. */
  stored(): void {
    for (const [market, version] of this.#written) this.#stored.set(market, version);
  }
}
