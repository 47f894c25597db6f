/**
 * Which of two reports about the same thing is the newer one (S58): balances, positions and settings come as events and as
 * answers to questions, and neither arrives in the order in which it was made. In memory only: after a start the first
 * report of each counts. Pure.
 */

/** A report's own age. */
export interface ReportAge {
  /** The exchange's time, Unix ms; left out: it tells none. */
  readonly time?: number | undefined;
  /** Of an answer: `Versions.heard` when its question was sent; left out: it is an event, and of the moment it is heard. */
  readonly askedAt?: number | undefined;
  /** It tells just what is known. */
  readonly same?: boolean | undefined;
}

interface Version {
  /** Number of the last event, or of the moment at which the question was sent whose answer this is. */
  readonly at: number;
  /** The exchange's time of what is known, where it was told with it. */
  readonly time: number | undefined;
  /** What is known is not older than this, exchange's time: an event from before it is late. */
  readonly since: number | undefined;
  /** The latest time of events that were left out as late. */
  readonly late?: number;
  /** Of an answer: number of the moment at which it was heard. */
  readonly answeredAt?: number;
  /** An answer since then was left out, and may have been newer. */
  readonly isDoubtful?: true;
}

export class Versions {
  /** How many events were heard: what a question that is sent now is ordered by. */
  heard = 0;
  /** Answers that were left out and may have been newer than what is known: the question is to be asked again. */
  undecided = 0;
  readonly #known = new Map<string, Version>();

  /** Whether a report of `key` is to be taken. An equal time is not older: several changes fall into one millisecond. */
  takes(key: string, { time, askedAt, same = false }: ReportAge = {}): boolean {
    return askedAt === undefined ? this.#event(key, time) : this.#answer(key, askedAt, time, same);
  }

  /** What is known of `key` may be older than an answer that was left out: it is asked for again. */
  doubts(key: string): boolean {
    return this.#known.get(key)?.isDoubtful === true;
  }

  /** Takes over what another memory of the same account knows. */
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
      // It has been heard all the same: an answer to a question from before it may be older than it.
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
    // Of two answers that cross the one asked for later may have been made by a replica that is further behind.
    const crosses = known?.answeredAt !== undefined && known.answeredAt > askedAt;
    if (crosses && time !== undefined && known.time !== undefined && time < known.time) return false;
    // Asked after everything that was heard, so it counts whatever its time. Where the exchange's clock was set back, events
    // were left out as late: from here on they count again.
    this.#known.set(key, { at: askedAt, time, since: time ?? known?.late ?? known?.since, answeredAt });
    return true;
  }
}
