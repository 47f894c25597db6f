/** Repeats something, each time a fixed wait after the time before. */
import type { Clock } from '../../domain/clock.ts';

export function every(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  let timer = clock.after(ms, function again() {
    run();
    timer = clock.after(ms, again);
  });
  return { cancel: () => timer.cancel() };
}
