/**
 * Encodes a frame of Ink's in fewer bytes that draw the same: unchanged lines are skipped in one step,
 * colours without effect are left out, blanks on an erased line are stepped over. For links on which every
 * byte costs time. No line of a frame may be wider than the terminal: the cursor would stop where blanks
 * would wrap. Pure.
 */

/** Any part of a frame: a sequence, a line feed, or text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences begin with
const PART = /\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\n|[^\x1b\n]+|\x1b/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const STEPS = /(?:\x1b\[E){2,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FOREGROUND = /^\x1b\[(?:39|3[0-7]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)m$/;
const GAP = / {6,}/g;
const ERASE_TO_END = '\x1b[K';

export function compactFrame(frame: string): string {
  if (!frame.includes('\x1b[')) return frame;
  let out = '';
  /** The foreground requested last and not written yet. */
  let colour = '';
  /** Whether the line is blank from the cursor on. */
  let erased = false;
  /** Which styles would make blanks visible. */
  const painted = { background: false, inverse: false, other: false };
  for (const [part] of frame.matchAll(PART)) {
    if (FOREGROUND.test(part)) {
      colour = part;
      continue;
    }
    out += colour;
    colour = '';
    if (part === '\n') erased = false;
    else if (part[0] !== '\x1b') {
      const plain = erased && !painted.background && !painted.inverse && !painted.other;
      out += plain ? part.replace(GAP, (blanks) => `\x1b[${blanks.length}C`) : part;
      continue;
    } else if (part.endsWith('m')) paint(painted, part);
    else erased = part === ERASE_TO_END && !painted.background && !painted.inverse;
    out += part;
  }
  return (out + colour).replace(STEPS, (steps) => `\x1b[${steps.length / 3}E`);
}

/** Tracks the styles that make blanks visible; an unknown sequence counts as such until it is reset. */
function paint(painted: { background: boolean; inverse: boolean; other: boolean }, sgr: string): void {
  const codes = sgr.slice(2, -1);
  if (codes === '' || codes === '0') {
    painted.background = painted.inverse = painted.other = false;
  } else if (/^(?:4[0-7]|10[0-7]|48;[0-9;]+)$/.test(codes)) painted.background = true;
  else if (codes === '49') painted.background = false;
  else if (codes === '7') painted.inverse = true;
  else if (codes === '27') painted.inverse = false;
  else if (!/^(?:1|2|22)$/.test(codes)) painted.other = true;
}
