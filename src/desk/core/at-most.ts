/** A wait with a time limit. */
import type { Clock } from '../../domain/clock.ts';

/** Resolves when the promise does or the time is over; rejects when the promise does before that. */
export function atMost(clock: Clock, ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, resolve);
    const end = (then: () => void) => () => {
      timer.cancel();
      then();
    };
    promise.then(end(resolve), (error: unknown) => end(() => reject(error))());
  });
}
