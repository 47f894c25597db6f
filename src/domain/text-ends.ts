/**
 * Removes characters from the end of a text, one by one: a pattern such as `0+$` would scan every run of
 * zeros again from each of its characters, which takes quadratic time. Pure.
 */

/** Removes the zeros at the end, and then the point if it is last. The text must have a point. */
export function withoutZeros(text: string): string {
  const cut = withoutTail(text, '0');
  return cut.length < text.length && cut.endsWith('.') ? cut.slice(0, -1) : cut;
}

/** Removes any of these characters at the end. */
export function withoutTail(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Removes any of these characters at either end. */
export function withoutEnds(text: string, signs: string): string {
  const cut = withoutTail(text, signs);
  let start = 0;
  while (start < cut.length && signs.includes(cut.charAt(start))) start++;
  return cut.slice(start);
}
