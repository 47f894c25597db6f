/** The candle hubs of a desk, one a market: what forms on one says nothing about the symbol of the same name on another. Pure. */
import { CandleHub, type Close } from './candle-hub.ts';

export class MarketHubs {
  readonly #hubs = new Map<string, CandleHub>();
  readonly #make: (market: string) => CandleHub;

  /** `make`: the hub of a market that nobody has spoken of before. */
  constructor(make: (market: string) => CandleHub = () => new CandleHub({ time: 0 })) {
    this.#make = make;
  }

  of(market: string): CandleHub {
    let hub = this.#hubs.get(market);
    if (!hub) {
      hub = this.#make(market);
      // It begins now, whenever the others began.
      hub.advance(this.time, () => {});
      this.#hubs.set(market, hub);
    }
    return hub;
  }

  /** Those that somebody has spoken of. */
  all(): IterableIterator<[market: string, hub: CandleHub]> {
    return this.#hubs.entries();
  }

  /** The latest market time that any of them was told. */
  get time(): number {
    let time = Number.NEGATIVE_INFINITY;
    for (const hub of this.#hubs.values()) if (hub.time > time) time = hub.time;
    return time;
  }

  /** When the next candle of any market closes, Unix ms; Infinity when none is built. */
  get nextDue(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const hub of this.#hubs.values()) if (hub.nextDue < next) next = hub.nextDue;
    return next;
  }

  /** As `CandleHub.advance` on each, in order of close time over all of them. */
  advance(time: number, onClose: (market: string, close: Close) => void): void {
    for (let due = this.nextDue; due <= time; due = this.nextDue) {
      for (const [market, hub] of this.#hubs) hub.advance(due, (close) => onClose(market, close));
    }
    for (const hub of this.#hubs.values()) hub.advance(time, () => {});
  }
}
