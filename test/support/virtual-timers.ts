/**
 * The timers and clocks of the whole process, driven by a virtual clock: `setTimeout`, `setInterval`,
 * `Date.now` and `performance.now` of the tested code and of its libraries. `setImmediate` stays real: it
 * separates turns of the loop and measures no time. Code that installs them must remove them again.
 */
import type { Cancelable } from '../../src/domain/clock.ts';
import type { VirtualClock } from './virtual-clock.ts';

const WAIT_LIMIT_MS = 600_000;

/** The return value of `setTimeout`: as much of Node's own as libraries use. */
class VirtualTimer {
  cancelable: Cancelable | null = null;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}

type Callback = (...args: unknown[]) => void;

/** Installs them: from here on only the clock moves time. Returns a function that removes them. */
export function installTimers(clock: VirtualClock): () => void {
  const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
  const realNow = Date.now;
  const start = (run: Callback, delayMs = 0, args: unknown[], again: boolean): VirtualTimer => {
    const timer = new VirtualTimer();
    // Node treats a delay of 0 as one millisecond.
    const ms = delayMs >= 1 ? delayMs : 1;
    const set = (): void => {
      timer.cancelable = clock.after(ms, () => {
        if (again) set();
        run(...args);
      });
    };
    set();
    return timer;
  };
  const stop = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.cancelable?.cancel();
    // The timer was set before the clock was installed.
    else clearTimeout(timer as NodeJS.Timeout | undefined);
  };
  Object.assign(globalThis, {
    setTimeout: (run: Callback, delayMs?: number, ...args: unknown[]) => start(run, delayMs, args, false),
    setInterval: (run: Callback, delayMs?: number, ...args: unknown[]) => start(run, delayMs, args, true),
    clearTimeout: stop,
    clearInterval: stop,
  });
  Date.now = () => clock.wall();
  Object.defineProperty(performance, 'now', {
    value: () => clock.monotonic(),
    configurable: true,
    writable: true,
  });
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout, setInterval, clearInterval });
    Date.now = realNow;
    Reflect.deleteProperty(performance, 'now');
  };
}

/** Resolves like the promise, moving the clock on by a millisecond at a time until it is settled. */
export async function passUntil<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const end = (): void => {
    settled = true;
  };
  promise.then(end, end);
  await clock.settle();
  for (let ms = 0; !settled; ms++) {
    if (ms === WAIT_LIMIT_MS) throw new Error('virtual timers: what is waited for does not come');
    await clock.advance(1);
  }
  return promise;
}
