/** Chooses the length of a chart's candles. Pure. */

const FRAMES_MIN = [1, 3, 5, 15, 30, 60, 120, 240, 360, 480, 720, 1440];
const MINUTE_MS = 60_000;

/** Returns the candle length at which `spanMs` fits into `columns`. */
export function chartFrame(spanMs: number, columns: number): number {
  const fits = FRAMES_MIN.find((minutes) => minutes * MINUTE_MS * columns >= spanMs);
  return (fits ?? 1_440) * MINUTE_MS;
}

/** Returns this frame and the longer ones, to try in turn until the feed has candles. */
export function longerFrames(frameMs: number): readonly number[] {
  return FRAMES_MIN.map((minutes) => minutes * MINUTE_MS).filter((ms) => ms >= frameMs);
}

/** Writes a frame as `1 min`, `4 h` or `1 d`. */
export function frameName(frameMs: number): string {
  const minutes = Math.round(frameMs / MINUTE_MS);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 1_440 ? `${minutes / 60} h` : `${minutes / 1_440} d`;
}
