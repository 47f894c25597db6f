/** Names of candle frames: `1m`, `15m`, `4h`, `1d`, `1w`. Pure text and arithmetic. */

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS };
const NAME = /^([1-9]\d{0,3})([mhdw])$/;

/** Returns the length of a named frame in ms, null when the name is none. */
export function frameMsOf(name: string): number | null {
  const match = NAME.exec(name);
  return match ? Number(match[1]) * (UNITS[match[2] as string] as number) : null;
}

/**
 * Returns the shortest name of a frame, e.g. `1h` for 3,600,000. Throws RangeError below a minute or between
 * minutes.
 */
export function frameName(frameMs: number): string {
  for (const unit of ['w', 'd', 'h', 'm']) {
    const size = UNITS[unit] as number;
    if (frameMs >= size && frameMs % size === 0) return `${frameMs / size}${unit}`;
  }
  throw new RangeError(`not a candle frame: ${frameMs} ms`);
}
