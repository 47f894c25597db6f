/**
 * The text of a header from outside: bounded first, then trimmed character by character, so that a value of any length and
 * make costs no more than its bound. Pure.
 */

/** Characters of a header value that are looked at; the longest right one (X-SVC-SIGN) has 86. */
export const MAX_HEADER_VALUE = 256;

/** A value without the blanks and tabs around it; one that is too long is cut and keeps them, so that it is of no right form. */
export function headerText(value: string): string {
  if (value.length > MAX_HEADER_VALUE) return value.slice(0, MAX_HEADER_VALUE);
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

/** HTTP's optional white space: a blank or a tab. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
