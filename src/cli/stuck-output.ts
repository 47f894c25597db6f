/**
 * A terminal that reads nothing, or too little of what its keys make the console draw, costs bounded memory (remote.md 1): what waits to be
 * written is looked at every second, and the session ended when it does not get less for long, or is too much at once.
 */
import type { Cancelable, Clock } from '../domain/clock.ts';

/** More unsent than this for `STUCK_MS` ends the session, and anything that does not move for as long. */
export const UNSENT_BYTES = 65_536;
export const STUCK_MS = 30_000;
/** More than this ends it at once. */
export const UNSENT_MAX_BYTES = 8 * 1_024 * 1_024;
const LOOK_MS = 1_000;

/** As `process.stdout` has it. */
export interface WatchedOutput {
  /** Waits to be written, bytes. */
  readonly writableLength: number;
  /** Taken so far, what waits included. */
  readonly bytesWritten?: number;
}

/** Calls `stuck` once, with the reason. */
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
