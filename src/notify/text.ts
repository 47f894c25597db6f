/**
 * Makes foreign text safe for messages and logs: on one line, without control, format or private characters.
 */

const SPACES = /[\s\p{Zl}\p{Zp}]+/gu;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const MARK = '\u{fffd}';

/** Replaces invisible characters by a visible mark and line breaks by a space. */
export function cleanLine(text: string): string {
  return text.replace(SPACES, ' ').replace(UNSEEN, MARK).trim();
}

/**
 * Cuts a text to at most `max` UTF-16 units, with an ellipsis where something is missing; never half a
 * character.
 */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max - 1);
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
