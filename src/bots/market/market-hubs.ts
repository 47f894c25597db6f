/**
 * The candle hubs of a desk, one for each market: candles of one market do not apply to the symbol of the
 * same name on another. Pure.
 */
import { CandleHub, type Close } from './candle-hub.ts';

export class MarketHubs {
  readonly #hubs = new Map<string, CandleHub>();
  readonly #make: (market: string) => CandleHub;

  /** `make` creates the hub of a market at its first use. */
  constructor(make: (market: string) => CandleHub = () => new CandleHub({ time: 0 })) {
    this.#make = make;
  }

  of(market: string): CandleHub {
    let hub = this.#hubs.get(market);
    if (!hub) {
      hub = this.#make(market);
      // Its time starts at the present market time, whenever the other hubs began.
      hub.advance(this.time, () => {});
      this.#hubs.set(market, hub);
    }
    return hub;
  }

  /** The hubs that were used so far. */
  all(): IterableIterator<[market: string, hub: CandleHub]> {
    return this.#hubs.entries();
  }

  /** The latest market time of all hubs. */
  get time(): number {
    let time = Number.NEGATIVE_INFINITY;
    for (const hub of this.#hubs.values()) if (hub.time > time) time = hub.time;
    return time;
  }

  /** Time at which the next candle of any market closes, Unix ms; Infinity when none is built. */
  get nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const hub of this.#hubs.values()) if (hub.nextDue < next) next = hub.nextDue;
    return next;
  }

  /** Like `CandleHub.advance` on each hub, in order of close time over all of them. */
  advance(time: number, onClose: (market: string, close: Close) => void): void {
    for (let due = this.nextDue; due <= time; due = this.nextDue) {
      for (const [market, hub] of this.#hubs) hub.advance(due, (close) => onClose(market, close));
    }
    for (const hub of this.#hubs.values()) hub.advance(time, () => {});
  }
}
