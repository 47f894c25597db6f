/**
 * Cuts what a text ends with, character by character: a pattern such as `0+$` looks at every run of zeros anew from each of
 * its characters, which takes quadratic time. Pure.
 */

/** Without the zeros behind, and the point if nothing else is left behind it. The text has a point. */
export function withoutZeros(text: string): string {
  const cut = withoutTail(text, '0');
  return cut.length < text.length && cut.endsWith('.') ? cut.slice(0, -1) : cut;
}

/** Without any of these characters behind. */
export function withoutTail(text: string, signs: string): string {
  let end = text.length;
  while (end > 0 && signs.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Without any of these characters at either end. */
export function withoutEnds(text: string, signs: string): string {
  const cut = withoutTail(text, signs);
  let start = 0;
  while (start < cut.length && signs.includes(cut.charAt(start))) start++;
  return cut.slice(start);
}
