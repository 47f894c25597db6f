/**
 * BOT_UPDATE: a run whose label or figures have changed is reported at most once a second, wall time (S42).
 * Pure.
 */
import type { LiveRun } from './live-run.ts';

const EVERY_MS = 1_000;

export class UpdatePace {
  /** Runs to report, in the order in which they changed. */
  readonly #due = new Set<LiveRun>();

  changed(live: LiveRun): void {
    this.#due.add(live);
  }

  /** Forgets a run that is gone. */
  forget(live: LiveRun): void {
    this.#due.delete(live);
  }

  /** Returns the bots that are to be reported now. */
  take(wall: number): string[] {
    const now: string[] = [];
    for (const live of this.#due) {
      if (live.going && wall - live.toldAt < EVERY_MS) continue;
      this.#due.delete(live);
      if (live.going) now.push(live.parts.botId);
    }
    return now;
  }
}
