/**
 * A frame of Ink's in fewer bytes that draw the same: steps over unchanged lines as one, colours that colour nothing
 * left out, blanks on an erased line stepped over. For links on which every byte is waited for. No line of a frame is wider
 * than the terminal: the cursor would step where blanks would wrap. Pure.
 */

/** Anything that is written: a sequence, a line's end, or text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: this is what escape sequences begin with
const PART = /\x1b\[[0-9;?<>=]*[ -/]*[@-~]|\n|[^\x1b\n]+|\x1b/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const STEPS = /(?:\x1b\[E){2,}/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const FOREGROUND = /^\x1b\[(?:39|3[0-7]|9[0-7]|38;5;\d+|38;2;\d+;\d+;\d+)m$/;
const GAP = / {6,}/g;
const ERASE_TO_END = '\x1b[K';

export function squeeze(frame: string): string {
  if (!frame.includes('\x1b[')) return frame;
  let out = '';
  /** The foreground asked for last and not written yet. */
  let colour = '';
  /** From the cursor on the line is blank. */
  let erased = false;
  /** Blanks would be seen. */
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

/** Follows what makes a blank visible; a sequence that is not known here counts as such until it is reset. */
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
