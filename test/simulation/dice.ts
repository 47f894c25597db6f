/**
 * Seeded random numbers. Each part of a world draws from a stream of its own, so that a change in one leaves
 * the others alone.
 */

const BASE32 = '0123456789abcdefghijklmnopqrstuv';

export class Dice {
  #state: number;

  /** `stream`: the name of the part that draws. */
  constructor(seed: number, stream: string) {
    let hash = 0x811c9dc5 ^ seed;
    for (let i = 0; i < stream.length; i++) hash = Math.imul(hash ^ stream.charCodeAt(i), 0x01000193);
    this.#state = (hash ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
    this.next();
  }

  /** Uniform in [0, 1) (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Whole number in from .. to. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  /** Uniform in [from, to). */
  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(0, items.length - 1)] as T;
  }

  /** One of the keys, by their weights. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    return (entries.at(-1) as [K, number])[0];
  }

  /** `length` characters of lower-case base32. */
  id(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += BASE32[this.int(0, 31)];
    return text;
  }
}
