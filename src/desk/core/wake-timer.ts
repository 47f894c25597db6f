/** Calls back at the engine's next wake-up: one timer, moved when an earlier time is wanted. */
import type { Cancelable, Clock } from '../../domain/clock.ts';

export class WakeTimer {
  readonly #clock: Clock;
  readonly #wake: () => void;
  #armed: { readonly at: number; readonly timer: Cancelable } | null = null;
  #stopped = false;

  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /**
   * Sets the timer. `at`: monotonic. A wake-up that comes too early asks again by itself, so a later time
   * does not move it.
   */
  arm(at: number): void {
    if (this.#stopped || (this.#armed && this.#armed.at <= at)) return;
    this.#armed?.timer.cancel();
    const timer = this.#clock.after(Math.max(0, at - this.#clock.monotonic()), () => {
      this.#armed = null;
      this.#wake();
    });
    this.#armed = { at, timer };
  }

  stop(): void {
    this.#stopped = true;
    this.#armed?.timer.cancel();
  }
}
