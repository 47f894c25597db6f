/**
 * The text of a header from outside: bounded first, then trimmed character by character, so that no value
 * costs more work than the bound. Pure.
 */

/** Most characters of a header value that are read; the longest valid one (X-SVC-SIGN) has 86. */
export const MAX_HEADER_VALUE = 256;

/**
 * A value without spaces and tabs around it. One that is too long is cut and not trimmed, so that it has no
 * valid form.
 */
export function headerText(value: string): string {
  if (value.length > MAX_HEADER_VALUE) return value.slice(0, MAX_HEADER_VALUE);
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value.charCodeAt(start))) start++;
  while (end > start && isBlank(value.charCodeAt(end - 1))) end--;
  return value.slice(start, end);
}

/** HTTP's optional white space: a space or a tab. */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
