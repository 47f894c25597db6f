/**
 * Reads a line that is typed without being shown, as bytes: it never becomes a string, and every Buffer it
 * came in is filled with zeros.
 */

/** Longest line in bytes; further input is ignored. */
export const HIDDEN_LINE_BYTES = 4_096;

const ENTER = [0x0d, 0x0a];
const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_U = 0x15;
const BACKSPACE = [0x08, 0x7f];
const ESCAPE = 0x1b;

/** The part of `process.stdin` that is used. */
export interface RawInput {
  setRawMode(raw: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  off(event: 'data', listener: (chunk: Buffer) => void): unknown;
  off(event: 'end', listener: () => void): unknown;
  once(event: 'end', listener: () => void): unknown;
  unshift(chunk: Buffer): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** Reads the line, which the caller fills with zeros; null: Ctrl-C, Ctrl-D on an empty line, end of input. */
export function hiddenLine(
  input: RawInput,
  question: string,
  show: (text: string) => void,
): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const line = Buffer.alloc(HIDDEN_LINE_BYTES);
    const state = { length: 0, escape: 0 };
    const end = (typed: Buffer | null) => {
      input.off('data', take);
      input.off('end', ended);
      input.setRawMode(false);
      input.pause();
      show('\n');
      if (!typed) line.fill(0);
      resolve(typed);
    };
    const ended = () => end(null);
    const take = (chunk: Buffer) => {
      for (const [at, byte] of chunk.entries()) {
        const is = pressed(line, state, byte);
        if (is === 'typing') continue;
        // The rest of a paste is kept for the next question.
        const rest = Buffer.from(chunk.subarray(at + 1));
        chunk.fill(0);
        end(is === 'done' ? line.subarray(0, state.length) : null);
        if (rest.length > 0 && is === 'done') input.unshift(rest);
        return;
      }
      chunk.fill(0);
    };
    // Set before the question appears, so that no answer is ever shown.
    input.setRawMode(true);
    input.on('data', take);
    input.once('end', ended);
    show(question);
    input.resume();
  });
}

interface Typing {
  length: number;
  /** State of an escape sequence, such as that of an arrow key: 1 after ESC, 2 within `ESC [`, 0 outside. */
  escape: number;
}

function pressed(line: Buffer, state: Typing, byte: number): 'typing' | 'done' | 'given up' {
  if (ENTER.includes(byte)) return 'done';
  if (byte === CTRL_C || (byte === CTRL_D && state.length === 0)) return 'given up';
  if (state.escape > 0) {
    const opens = state.escape === 1 && (byte === 0x5b || byte === 0x4f);
    const goesOn = state.escape === 2 && byte < 0x40;
    state.escape = opens || goesOn ? 2 : 0;
  } else if (byte === ESCAPE) state.escape = 1;
  else if (BACKSPACE.includes(byte))
    state.length = wiped(line, state.length, lastCharacter(line, state.length));
  else if (byte === CTRL_U) state.length = wiped(line, state.length, 0);
  else if (byte >= 0x20 && state.length < line.length) line[state.length++] = byte;
  return 'typing';
}

function wiped(line: Buffer, from: number, to: number): number {
  line.fill(0, to, from);
  return to;
}

/** Returns the start of the last character; the further bytes of a character are 10xxxxxx. */
function lastCharacter(line: Buffer, length: number): number {
  let at = Math.max(0, length - 1);
  while (at > 0 && ((line[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
