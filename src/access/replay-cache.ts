/**
 * Remembers which signatures were used (borders.md 1, D21, S60): each is accepted at most once, over restarts
 * and whatever the clock does. Exact while a signature's timestamp is in the window; what was used before a
 * start, or before the clock was set far back, is known by each key's mark. Only verified requests enter, so
 * a stranger cannot fill it. Pure: time is passed in. Bounded: when it is full it says so and the request is
 * refused.
 */
import { hash } from 'node:crypto';
import { ReplayMarks } from './replay-marks.ts';

/** Largest age of a timestamp, inclusive, ms (specification, "Timestamp and replay rules"). */
export const WINDOW_MS = 5000;
/**
 * How long after the start timestamps from before it are refused: what an earlier process saw is not known
 * any more.
 */
export const BLIND_MS = 10_000;
const CAPACITY = 200_000;
const BUCKET_MS = 1000;

/**
 * What is remembered of a request: a digest over the decoded bytes, so that another spelling does not pass.
 */
export function replayKey(publicKey: Uint8Array, timestamp: string, signature: Uint8Array): string {
  const bytes = Buffer.concat([publicKey, Buffer.from(timestamp, 'latin1'), signature]);
  return hash('sha256', bytes, 'base64').slice(0, 22);
}

export interface ReplayCacheOptions {
  /** Marks of what earlier processes have admitted; raised here. */
  readonly marks?: ReplayMarks;
  readonly capacity?: number;
}

/**
 * `duplicate`: already used; `used`: perhaps used before the start or before the clock was set back; `full`:
 * no room, refuse it.
 */
export type Admission = 'fresh' | 'duplicate' | 'used' | 'full';

export class ReplayCache {
  /** Digests, keyed by the second in which they leave. */
  readonly #buckets = new Map<number, Set<string>>();
  readonly #capacity: number;
  #size = 0;
  readonly #marks: ReplayMarks;
  /** The marks when this cache began: timestamps up to them may have been used before it. */
  #floors: ReadonlyMap<string, number>;
  /** The cache is complete from this time on. */
  #since: number;
  /** The latest time seen: entries do not return when the clock is set back a little. */
  #latest: number;

  constructor(
    startedAt: number,
    { marks = new ReplayMarks(), capacity = CAPACITY }: ReplayCacheOptions = {},
  ) {
    this.#since = startedAt;
    this.#latest = startedAt;
    this.#marks = marks;
    this.#floors = marks.copy();
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#size;
  }

  /** The latest time that was passed in. */
  get latest(): number {
    return this.#latest;
  }

  /** Returns the timestamp up to which a key may have signed before this cache began; 0: none. */
  usedUpTo(keyId: string): number {
    return this.#floors.get(keyId) ?? 0;
  }

  /**
   * Whether a timestamp inside the window is older than this cache can judge: from before the start (for the
   * first 10 s), or already forgotten because the clock was set back. Such a request must be refused as
   * expired.
   */
  isBlindTo(timestamp: number, now: number): boolean {
    this.#advance(now);
    if (timestamp + WINDOW_MS < this.#latest) return true;
    return timestamp < this.#since && this.#latest - this.#since < BLIND_MS;
  }

  /** Admits a verified request: `digest` is its `replayKey`. */
  admit(keyId: string, digest: string, timestamp: number, now: number): Admission {
    this.#advance(now);
    const leaves = Math.floor((timestamp + WINDOW_MS) / BUCKET_MS);
    const bucket = this.#buckets.get(leaves);
    if (bucket?.has(digest)) return 'duplicate';
    if (timestamp <= this.usedUpTo(keyId)) return 'used';
    if (this.#size >= this.#capacity) return 'full';
    if (bucket) bucket.add(digest);
    else this.#buckets.set(leaves, new Set([digest]));
    this.#size += 1;
    this.#marks.raise(keyId, timestamp);
    return 'fresh';
  }

  #advance(now: number): void {
    if (now <= this.#latest - BLIND_MS) {
      // The clock was set far back: the same as after a restart. The marks cover what was used until then.
      this.#buckets.clear();
      this.#size = 0;
      this.#floors = this.#marks.copy();
      this.#since = now;
      this.#latest = now;
      return;
    }
    const before = Math.floor(this.#latest / BUCKET_MS);
    this.#latest = Math.max(this.#latest, now);
    const present = Math.floor(this.#latest / BUCKET_MS);
    if (present === before) return;
    // A bucket's last entry is valid up to the end of its second. At most about eleven buckets exist.
    for (const [leaves, bucket] of this.#buckets) {
      if (leaves >= present) continue;
      this.#buckets.delete(leaves);
      this.#size -= bucket.size;
    }
  }
}
