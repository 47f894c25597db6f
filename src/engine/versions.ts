/**
 * Which of two reports about the same thing is newer (S58): balances, positions and settings come as events
 * and as responses, and may arrive in another order than the one in which they were made. In memory only:
 * after a start the first report of each counts. Pure.
 */

/** The age of a report. */
export interface ReportAge {
  /** The exchange's time, Unix ms; left out: it reports none. */
  readonly time?: number | undefined;
  /**
   * For a response: `Versions.heard` when its query was sent; left out: it is an event, dated by its arrival.
   */
  readonly askedAt?: number | undefined;
  /** The report equals what is known. */
  readonly same?: boolean | undefined;
}

interface Version {
  /** Sequence number of the last event, or of the moment at which the query of this response was sent. */
  readonly at: number;
  /** The exchange's time of the known value, where it was reported. */
  readonly time: number | undefined;
  /** Earliest time of the known value by the exchange's clock: an event from before it is late. */
  readonly since: number | undefined;
  /** The latest time of events that were ignored as late. */
  readonly late?: number;
  /** For a response: sequence number of the moment at which it was received. */
  readonly answeredAt?: number;
  /** A response since then was ignored, and may have been newer. */
  readonly isDoubtful?: true;
}

export class Versions {
  /** Number of events received: a query that is sent now gets this sequence number. */
  heard = 0;
  /**
   * Number of ignored responses that may have been newer than the known value: the query is to be repeated.
   */
  undecided = 0;
  readonly #known = new Map<string, Version>();

  /**
   * Returns whether a report of `key` is to be taken. An equal time is not older: several changes fall into
   * one millisecond.
   */
  takes(key: string, { time, askedAt, same = false }: ReportAge = {}): boolean {
    return askedAt === undefined ? this.#event(key, time) : this.#answer(key, askedAt, time, same);
  }

  /** Returns whether the known value of `key` may be older than an ignored response: it is queried again. */
  doubts(key: string): boolean {
    return this.#known.get(key)?.isDoubtful === true;
  }

  /** Takes over the state of another memory of the same account. */
  copy(from: Versions): void {
    this.heard = from.heard;
    this.undecided = from.undecided;
    for (const [key, version] of from.#known) this.#known.set(key, version);
  }

  #event(key: string, time: number | undefined): boolean {
    this.heard += 1;
    const at = this.heard;
    const known = this.#known.get(key);
    if (time !== undefined && known?.since !== undefined && time < known.since) {
      // The event was received all the same: a response to an earlier query may be older than it.
      this.#known.set(key, { ...known, at, late: Math.max(known.late ?? time, time) });
      return false;
    }
    this.#known.set(key, { at, time, since: time ?? known?.since });
    return true;
  }

  #answer(key: string, askedAt: number, time: number | undefined, same: boolean): boolean {
    const known = this.#known.get(key);
    const answeredAt = this.heard;
    if (known && known.at > askedAt) {
      const isEqual = time !== undefined && time === known.time;
      if (time === undefined || known.time === undefined || isEqual || known.late !== undefined) {
        if (!isEqual || !same || known.late !== undefined) {
          this.undecided += 1;
          this.#known.set(key, { ...known, isDoubtful: true });
        }
        return false;
      }
      if (time < known.time) return false;
      this.#known.set(key, { at: known.at, time, since: time, answeredAt });
      return true;
    }
    // When two responses cross, the one that was queried later may come from a replica that is further
    // behind.
    const crosses = known?.answeredAt !== undefined && known.answeredAt > askedAt;
    if (crosses && time !== undefined && known.time !== undefined && time < known.time) return false;
    // Queried after everything that was received, so it counts whatever its time. Where the exchange's clock
    // was set back, events were ignored as late: from here on they count again.
    this.#known.set(key, { at: askedAt, time, since: time ?? known?.late ?? known?.since, answeredAt });
    return true;
  }
}
