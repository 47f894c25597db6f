/** BOT_UPDATE: a run whose label or figures have changed is told of at most once a second, wall time (S42). Pure. */
import type { LiveRun } from './live-run.ts';

const EVERY_MS = 1_000;

export class UpdatePace {
  /** In the order in which they changed. */
  readonly #due = new Set<LiveRun>();

  changed(live: LiveRun): void {
    this.#due.add(live);
  }

  /** The run is gone. */
  forget(live: LiveRun): void {
    this.#due.delete(live);
  }

  /** Bots that are to be told of now. */
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
