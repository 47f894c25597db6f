/** The real clock: the only code in the desk's worker that reads time or sets timers. */
import type { Cancelable, Clock } from '../../../domain/clock.ts';

export const systemClock: Clock = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs: number, run: () => void): Cancelable {
    const timer = setTimeout(run, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  endOfTurn(run: () => void): void {
    setImmediate(run);
  },
};
