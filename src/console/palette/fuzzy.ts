/**
 * Matches a few typed letters against a label, with a score. From best to worst: the whole label or its
 * beginning, the beginning of a word, consecutive letters anywhere, letters that only come in this order.
 * Pure.
 */

const PREFIX = 4;
const WORD = 3;
const INSIDE = 2;
const SCATTERED = 1;
const STEP = 10_000;

/**
 * How well one word matches a text, higher is better; null when the text does not have its letters in this
 * order. Case is ignored. An empty word matches everything alike.
 */
export function scoreWord(word: string, text: string): number | null {
  const wanted = word.toLowerCase();
  const low = text.toLowerCase();
  if (wanted === '') return 0;
  if (low.startsWith(wanted)) return score(PREFIX, low.length - wanted.length);
  const inside = low.indexOf(wanted);
  if (inside >= 0) {
    for (let at = inside; at >= 0; at = low.indexOf(wanted, at + 1))
      if (startsWord(low, at)) return score(WORD, at + (low.length - wanted.length));
    return score(INSIDE, inside + (low.length - wanted.length));
  }
  const gaps = scattered(wanted, low);
  return gaps === null ? null : score(SCATTERED, gaps * 10 + (low.length - wanted.length));
}

/** How well all words of a query match a text; null when one of them does not. */
export function scoreQuery(query: string, text: string): number | null {
  const words = query.trim().split(/\s+/);
  let sum = 0;
  for (const word of words) {
    const found = scoreWord(word, text);
    if (found === null) return null;
    sum += found;
  }
  const whole = words.length > 1 ? scoreWord(words.join(' '), text) : null;
  return Math.max(sum / words.length, whole ?? 0);
}

/** Whether every word appears in the text unchanged: for ids, in which scattered letters mean nothing. */
export function holdsWords(query: string, text: string): boolean {
  const low = text.toLowerCase();
  const words = query.trim().toLowerCase().split(/\s+/);
  return words.every((word) => low.includes(word));
}

/** The score within a kind of match: the fewer letters are skipped, the better. */
function score(kind: number, passed: number): number {
  return kind * STEP - Math.min(STEP - 1, passed);
}

function startsWord(text: string, at: number): boolean {
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? ' ');
}

/**
 * Number of letters skipped within the shortest stretch that ends where the first match ends; null without a
 * match.
 */
function scattered(wanted: string, text: string): number | null {
  let end = -1;
  for (const char of wanted) {
    end = text.indexOf(char, end + 1);
    if (end < 0) return null;
  }
  let at = end + 1;
  for (const char of [...wanted].reverse()) at = text.lastIndexOf(char, at - 1);
  return end - at + 1 - wanted.length;
}
