/**
 * Seeded randomness for generated prices: sfc32 (Chris Doty-Humphrey, PractRand), normals by Box-Muller. The
 * whole state can be saved and restored as plain numbers, so that a generator continues after a restart. Not
 * for secrets.
 */

/** Four words, and a normal if one is left over from the last pair. */
export type RandomState = readonly [number, number, number, number, number | null];

export class SeededRandom {
  #a: number;
  #b: number;
  #c: number;
  #counter: number;
  #spare: number | null;

  constructor(state: RandomState) {
    [this.#a, this.#b, this.#c, this.#counter, this.#spare] = state;
  }

  /** Makes a separate generator for every sequence of words, e.g. (seed, symbol's number, day). */
  static of(...words: readonly number[]): SeededRandom {
    let hash = 0x9e3779b9 | 0;
    for (const word of words) {
      hash = mix(hash ^ (word | 0));
      hash = mix(hash ^ Math.floor(word / 0x1_0000_0000));
    }
    const random = new SeededRandom([hash, mix(hash + 1), mix(hash + 2), 1, null]);
    for (let i = 0; i < 12; i++) random.#next();
    return random;
  }

  state(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter, this.#spare];
  }

  /** Returns a uniform number in [0, 1), 32 bits. */
  uniform(): number {
    return (this.#next() >>> 0) / 0x1_0000_0000;
  }

  /** Returns an exponential number with mean 1. */
  exponential(): number {
    return -Math.log(1 - this.uniform());
  }

  /** Returns a normal number with mean 0 and variance 1. */
  normal(): number {
    if (this.#spare !== null) {
      const spare = this.#spare;
      this.#spare = null;
      return spare;
    }
    const radius = Math.sqrt(2 * this.exponential());
    const angle = 2 * Math.PI * this.uniform();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }

  #next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return sum;
  }
}

/** Mixes bits by the finalizer of murmur3: every input bit affects every output bit. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
