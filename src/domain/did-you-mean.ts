/**
 * Finds the name that somebody probably meant, comparing letters of any script. Pure; bounded by the lengths
 * of names.
 */

const MAX_LENGTH = 40;

/**
 * Returns the known name that is nearest to `name` by edits, if near enough; upper and lower case count as
 * equal.
 */
export function closest(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  const wanted = lettersOf(name);
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.ceil(wanted.length / 3) + 1);
  for (const candidate of known) {
    const distance = editDistance(wanted, lettersOf(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Returns the letters in lower case; also right where a letter is two UTF-16 units, or was composed of two.
 */
function lettersOf(name: string): readonly string[] {
  return [...name.normalize('NFC').toLowerCase()];
}

/** Returns the Levenshtein distance, computed row by row. */
function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
