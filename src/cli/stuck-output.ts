/**
 * Bounds the memory of a terminal that reads nothing, or less than its keys make the console draw (remote.md
 * 1): the unsent output is checked every second, and the session ends if it stays too large for long, or is
 * far too large at once.
 */
import type { Cancelable, Clock } from '../domain/clock.ts';

/** Unsent output above this for `STUCK_MS` ends the session; so does any that does not move for so long. */
export const UNSENT_BYTES = 65_536;
export const STUCK_MS = 30_000;
/** More unsent output than this ends the session at once. */
export const UNSENT_MAX_BYTES = 8 * 1_024 * 1_024;
const LOOK_MS = 1_000;

/** The part of `process.stdout` that is used. */
export interface WatchedOutput {
  /** Bytes that wait to be written. */
  readonly writableLength: number;
  /** Bytes accepted so far, including those that wait. */
  readonly bytesWritten?: number;
}

/** Watches the output and calls `stuck` once, with the reason. */
export function watchOutput(
  output: WatchedOutput,
  clock: Clock,
  stuck: (reason: string) => void,
): Cancelable {
  let timer: Cancelable;
  let since = clock.monotonic();
  let sentBefore = -1;
  const look = () => {
    const unsent = output.writableLength;
    const sent = (output.bytesWritten ?? 0) - unsent;
    const moves = unsent === 0 || (unsent <= UNSENT_BYTES && sent !== sentBefore);
    sentBefore = sent;
    if (moves) since = clock.monotonic();
    if (unsent > UNSENT_MAX_BYTES || clock.monotonic() - since >= STUCK_MS) {
      stuck(`the terminal does not read what it is sent; ${Math.round(unsent / 1_024)} KiB wait for it`);
      return;
    }
    timer = clock.after(LOOK_MS, look);
  };
  timer = clock.after(LOOK_MS, look);
  return { cancel: () => timer.cancel() };
}
