/**
 * Checks the request target's characters before routing and before any signature (borders.md 1): the signed
 * message has no separator between path and body, so a target must not contain characters that a body begins
 * with. Pure.
 */

/** RFC 3986: path and query characters only. No `#`, no absolute form, and `%` only before two hex digits. */
const TARGET = /^\/(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*$/;

/**
 * What is wrong with a target as received (`/api/v2/...?...`), for 400 INVALID_REQUEST; null when nothing is.
 */
export function checkTarget(target: string): string | null {
  if (TARGET.test(target)) return null;
  if (!target.startsWith('/')) return 'the request target must be a path that starts with /';
  if (/%(?![0-9A-Fa-f]{2})/.test(target)) {
    return 'the request target has a % that is not followed by two hex digits; write a literal % as %25';
  }
  const bad = /[^A-Za-z0-9._~!$&'()*+,;=:@/%?-]/u.exec(target)?.[0] ?? '';
  return `the request target holds the character ${name(bad)}, which must be percent-encoded`;
}

function name(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return code > 0x20 && code < 0x7f ? `${character} (${hex})` : hex;
}
