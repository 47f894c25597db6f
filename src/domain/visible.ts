/**
 * Makes text from outside safe to show: removes control, format, surrogate, private-use and separator code
 * points, so that it can neither command a terminal nor pass for another text (borders.md 6).
 */

/** ASCII, and the characters with which the console itself draws: such a text needs no further check. */
const PLAIN = /^[\x20-\x7e\u00b7\u2013\u2026\u2500-\u25ff\u2800-\u28ff]*$/;
const HOSTILE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;
const MARK = /\p{M}/u;
/** Variation selectors; they only change how wide a terminal draws the character before, and are dropped. */
const VARIATION = /[\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]/u;
/** Largest number of combining marks kept on one base character. */
const MAX_MARKS = 2;

/** Returns one line of harmless text; a character that must not be drawn becomes a visible mark. */
export function visible(value: string): string {
  if (PLAIN.test(value)) return value;
  let out = '';
  let marks = 0;
  for (const char of value.toWellFormed()) {
    if (VARIATION.test(char)) continue;
    if (MARK.test(char)) {
      if (++marks <= MAX_MARKS) out += char;
      continue;
    }
    marks = 0;
    out += HOSTILE.test(char) ? visibleMark(char) : char;
  }
  // NFC, because a syllable written in parts is then as wide as one.
  return out.normalize('NFC');
}

/** Returns `␛` and the like for the C0 controls, `�` for everything else that must not be drawn. */
function visibleMark(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : '\ufffd';
}
