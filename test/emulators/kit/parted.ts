/** Compares the fields of two JSON values: an emulator's message and a recording of the exchange. */

type Json = Record<string, unknown>;

const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value;

/**
 * Returns a comparison: a line for each field that only one has, or that has another kind. `sometimes`:
 * fields that are present only where they apply. `less`, `more`: known differences.
 */
export function partedBut(sometimes: ReadonlySet<string>) {
  return parted;

  function parted(
    ours: unknown,
    recorded: unknown,
    less: readonly string[] = [],
    more: readonly string[] = [],
    path = '',
  ): string[] {
    if (Array.isArray(ours) && Array.isArray(recorded)) {
      if (ours.length === 0 || recorded.length === 0) return [];
      return parted(ours[0], recorded[0], less, more, `${path}[]`);
    }
    if (kindOf(ours) !== 'object' || kindOf(recorded) !== 'object') {
      const both = [kindOf(ours), kindOf(recorded)];
      return both[0] === both[1] || both.includes('null')
        ? []
        : [`${path} is ${both[0]}, recorded ${both[1]}`];
    }
    const a = ours as Json;
    const b = recorded as Json;
    const lines: string[] = [];
    for (const name of Object.keys(b))
      if (!(name in a) && !sometimes.has(name) && !less.includes(name))
        lines.push(`${path}.${name} is missing`);
    for (const name of Object.keys(a)) {
      if (!(name in b)) {
        if (!sometimes.has(name) && !more.includes(name)) lines.push(`${path}.${name} is not recorded`);
      } else lines.push(...parted(a[name], b[name], less, more, `${path}.${name}`));
    }
    return lines;
  }
}
