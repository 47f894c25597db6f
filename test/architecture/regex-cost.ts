/**
 * Says whether a regular expression can take more than linear time on a text that does not match. Builds the
 * position automaton (Glushkov) of the pattern with the search loop of an engine in front, and looks for two
 * ways to read the same characters again and again: from one state back to itself (exponential), or from one
 * loop into another (polynomial, as in `x+$`, where the search itself is the first loop). Ways through a
 * state in which the match has already succeeded are left out, since nothing is tried again after them.
 */

/** Characters that represent their kind: the patterns here name no characters but these and their own. */
const SAMPLES = [
  ...Array.from({ length: 0x180 }, (_, code) => String.fromCharCode(code)),
  ...'\u0301\u03a9\u0416\u05d0\u2003\u200b\u2028\u2029\u202e\u2500\u25a0\u2801\u4e00\ud800\udc00\ue000\ufe0f\ufeff\uff1d',
  '\u{1f600}',
  '\u{e0100}',
];
/** Larger repetitions are treated as loops or as this few: `{0,61}` is handled as `{0,3}`. */
const COPIES = 3;

/** How a part can match the empty text: freely, only where the text begins, or under another condition. */
interface Empty {
  readonly free: boolean;
  readonly atStart: boolean;
  readonly conditional: boolean;
}

interface Part {
  readonly empty: Empty;
  readonly first: readonly { readonly at: number; readonly atStart: boolean }[];
  readonly last: readonly { readonly at: number; readonly conditional: boolean }[];
}

const NOTHING: Part = { empty: { free: true, atStart: false, conditional: false }, first: [], last: [] };
const CONDITION: Empty = { free: false, atStart: false, conditional: true };

class Automaton {
  /** For every position, the samples that it matches. */
  readonly takes: Set<number>[] = [];
  /** How many ways lead from a position to the next one. */
  readonly follow: Map<number, number>[] = [];
  readonly #pattern: string;
  readonly #flags: string;
  readonly samples: readonly string[];
  #at = 0;

  constructor(pattern: string, flags: string) {
    this.#pattern = pattern;
    this.#flags = flags.replace(/[gyd]/g, '');
    this.samples = [...new Set([...SAMPLES, ...pattern])];
  }

  whole(): Part {
    const part = this.#alternatives();
    if (this.#at < this.#pattern.length) throw this.#unknown('text behind the end');
    return part;
  }

  #alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return {
      empty: {
        free: parts.some(({ empty }) => empty.free),
        atStart: parts.some(({ empty }) => empty.atStart),
        conditional: parts.some(({ empty }) => empty.conditional),
      },
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
    };
  }

  #sequence(): Part {
    let whole = NOTHING;
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern.charAt(this.#at))) {
      whole = this.#joined(whole, this.#quantified());
    }
    return whole;
  }

  #quantified(): Part {
    const from = this.#at;
    const part = this.#atom();
    const end = this.#at;
    const count = this.#quantifier();
    if (count === null) return part;
    const [least, most] = count;
    const again = (): Part => {
      const back = this.#at;
      this.#at = from;
      const copy = this.#atom();
      this.#at = back;
      return copy;
    };
    if (end === from) throw this.#unknown('nothing to repeat');
    if (most === Number.POSITIVE_INFINITY) {
      let whole = part;
      for (let i = 1; i < Math.min(least, COPIES); i++) whole = this.#joined(whole, again());
      const loop = least > 1 ? again() : part;
      for (const { at } of loop.last) for (const next of loop.first) this.#link(at, next.at);
      if (least > 1) whole = this.#joined(whole, this.#optional(loop));
      return least === 0 ? this.#optional(whole) : whole;
    }
    if (most === 0) return NOTHING;
    const copies = Math.min(most, COPIES);
    const needed = least === most ? copies : Math.min(least, copies);
    // The copies are nested, `(x(x)?)?`: side by side they would be several ways to read one x.
    let whole = NOTHING;
    for (let i = copies; i > 0; i--) {
      whole = this.#joined(i === 1 ? part : again(), whole);
      if (i > needed) whole = this.#optional(whole);
    }
    return whole;
  }

  /** Reads a quantifier: `[least, most]`, or null. */
  #quantifier(): [number, number] | null {
    const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(this.#pattern.slice(this.#at));
    if (match === null) return null;
    this.#at += match[0].length;
    const sign = match[0].charAt(0);
    if (sign === '*') return [0, Number.POSITIVE_INFINITY];
    if (sign === '+') return [1, Number.POSITIVE_INFINITY];
    if (sign === '?') return [0, 1];
    const [, least = '0', comma, most = ''] = match;
    if (comma === '') return [Number(least), Number(least)];
    return [Number(least), most === '' ? Number.POSITIVE_INFINITY : Number(most)];
  }

  #atom(): Part {
    const rest = this.#pattern.slice(this.#at);
    if (rest.startsWith('(')) return this.#group(rest);
    if (rest.startsWith('^')) {
      this.#at += 1;
      if (this.#flags.includes('m')) return { ...NOTHING, empty: CONDITION };
      return { ...NOTHING, empty: { free: false, atStart: true, conditional: false } };
    }
    const condition = /^(?:\$|\\[bB])/.exec(rest)?.[0];
    if (condition !== undefined) {
      this.#at += condition.length;
      return { ...NOTHING, empty: CONDITION };
    }
    if (/^\\(?:[1-9]|k<)/.test(rest)) throw this.#unknown('a back reference');
    const unicode = /[uv]/.test(this.#flags);
    const own =
      /^(?:\[(?:[^\\\]]|\\[\s\S])*\]|\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|[pP]\{[^}]+\}|c[a-z]|[\s\S]))/i.exec(
        rest,
      )?.[0] ?? (unicode ? String.fromCodePoint(rest.codePointAt(0) as number) : rest.charAt(0));
    this.#at += own.length;
    return this.#position(own);
  }

  #group(rest: string): Part {
    const opening = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest)?.[0] as string;
    this.#at += opening.length;
    const before = this.takes.length;
    const body = this.#alternatives();
    if (!this.#take(')')) throw this.#unknown('a group that does not end');
    if (!/[=!]$/.test(opening)) return body;
    // A lookahead's content is read and then given up: ways lead into it, none lead out.
    if (!opening.startsWith('(?<')) return { empty: CONDITION, first: body.first, last: [] };
    const loops = [...this.takes.keys()].slice(before).some((at) => this.#reaches(at).has(at));
    if (loops) throw this.#unknown('a loop in a look behind');
    return { empty: CONDITION, first: [], last: [] };
  }

  #position(source: string): Part {
    const one = new RegExp(`^(?:${source})$`, this.#flags);
    const at = this.takes.length;
    this.takes.push(new Set(this.samples.flatMap((sample, i) => (one.test(sample) ? [i] : []))));
    this.follow.push(new Map());
    return {
      empty: { free: false, atStart: false, conditional: false },
      first: [{ at, atStart: false }],
      last: [{ at, conditional: false }],
    };
  }

  #optional(part: Part): Part {
    return { ...part, empty: { ...part.empty, free: true } };
  }

  #joined(left: Part, right: Part): Part {
    for (const { at } of left.last) {
      for (const next of right.first) if (!next.atStart) this.#link(at, next.at);
    }
    const { empty: a } = left;
    const { empty: b } = right;
    const passing = a.free || a.conditional;
    const canA = passing || a.atStart;
    const canB = b.free || b.atStart || b.conditional;
    return {
      empty: {
        free: a.free && b.free,
        atStart: canA && canB && (a.atStart || b.atStart),
        conditional: canA && canB && (a.conditional || b.conditional),
      },
      first: [
        ...left.first,
        ...(canA ? right.first.map((one) => ({ ...one, atStart: one.atStart || !passing })) : []),
      ],
      last: [
        ...right.last,
        ...(canB ? left.last.map((one) => ({ ...one, conditional: one.conditional || !b.free })) : []),
      ],
    };
  }

  #link(from: number, to: number): void {
    const ways = this.follow[from] as Map<number, number>;
    ways.set(to, (ways.get(to) ?? 0) + 1);
  }

  #reaches(from: number): Set<number> {
    const seen = new Set<number>();
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const next of (this.follow[at] as Map<number, number>).keys()) {
        if (!seen.has(next)) open.push(next);
        seen.add(next);
      }
    }
    return seen;
  }

  #take(sign: string): boolean {
    if (!this.#pattern.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  #unknown(what: string): Error {
    return new Error(`/${this.#pattern}/ cannot be judged: ${what} at ${this.#at}`);
  }
}

/** States, symbols and moves, without what already matches. */
interface Machine {
  readonly states: readonly number[];
  readonly symbols: readonly number[];
  /** The next states for a symbol; a state is listed twice when two ways lead there. */
  readonly moves: (state: number, symbol: number) => readonly number[];
}

const SEARCH = -1;

function machineOf(pattern: string, flags: string): Machine {
  const automaton = new Automaton(pattern, flags);
  const { first, last } = automaton.whole();
  const matched = new Set(last.flatMap(({ at, conditional }) => (conditional ? [] : [at])));
  const kept = automaton.takes.map((_, at) => at).filter((at) => !matched.has(at));
  const entries = first.filter(({ at, atStart }) => !atStart && !matched.has(at));
  const search = !flags.includes('y');
  // One sample for each set of positions that take it.
  const bySet = new Map<string, number>();
  for (const i of automaton.samples.keys()) {
    bySet.set(kept.filter((at) => automaton.takes[at]?.has(i)).join(), i);
  }
  const cache = new Map<string, number[]>();
  return {
    states: search ? [SEARCH, ...kept] : kept,
    symbols: [...bySet.values()],
    moves(state, symbol) {
      const name = `${state} ${symbol}`;
      let found = cache.get(name);
      if (found === undefined) {
        found = state === SEARCH ? [SEARCH] : [];
        const ways =
          state === SEARCH
            ? entries.map(({ at }) => [at, 1] as const)
            : [...(automaton.follow[state] as Map<number, number>)];
        for (const [to, count] of ways) {
          if (matched.has(to) || !automaton.takes[to]?.has(symbol)) continue;
          found.push(to);
          if (count > 1) found.push(to);
        }
        cache.set(name, found);
      }
      return found;
    },
  };
}

/** Every tuple of states that several readers of the same characters can reach in one character or more. */
function reached(machine: Machine, from: readonly number[]): Set<string> {
  const seen = new Set<string>();
  const open = [from];
  for (let tuple = open.pop(); tuple !== undefined; tuple = open.pop()) {
    for (const symbol of machine.symbols) {
      let tuples: number[][] = [[]];
      for (const state of tuple) {
        const next = new Set(machine.moves(state, symbol));
        tuples = tuples.flatMap((begun) => [...next].map((to) => [...begun, to]));
      }
      for (const one of tuples) {
        if (seen.has(one.join())) continue;
        seen.add(one.join());
        open.push(one);
      }
    }
  }
  return seen;
}

/** The problem with the cost of a pattern; null when it is linear. */
export function regexProblem(pattern: string, flags = ''): 'exponential' | 'polynomial' | null {
  const machine = machineOf(pattern, flags);
  const alone = new Map(machine.states.map((state) => [state, reached(machine, [state])]));
  const loops = machine.states.filter((state) => alone.get(state)?.has(`${state}`));
  for (const state of loops) {
    const pairs = reached(machine, [state, state]);
    for (const pair of pairs) {
      const [a, b] = pair.split(',').map(Number) as [number, number];
      if (a !== b && reached(machine, [a, b]).has(`${state},${state}`)) return 'exponential';
    }
    const doubled = (to: number, symbol: number) =>
      machine.moves(state, symbol).filter((one) => one === to).length > 1;
    for (const symbol of machine.symbols) {
      for (const to of machine.moves(state, symbol)) {
        if (doubled(to, symbol) && (to === state || alone.get(to)?.has(`${state}`))) return 'exponential';
      }
    }
  }
  for (const p of loops) {
    for (const q of loops) {
      if (p === q || !alone.get(p)?.has(`${q}`)) continue;
      if (reached(machine, [p, p, q]).has(`${p},${q},${q}`)) return 'polynomial';
    }
  }
  return null;
}
