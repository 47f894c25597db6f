/**
 * Counts the alerts of each bot in the present minute of market time; alerts beyond the limit are counted but
 * not kept. Pure.
 */
import { MAX_ALERTS_PER_MINUTE } from '../../domain/bot-bounds.ts';
import { utcText } from '../../domain/utc-time.ts';
import type { LiveRun } from './live-run.ts';

const MINUTE_MS = 60_000;

interface Minute {
  /** The run that has sent the last alert. */
  live: LiveRun;
  alerts: number;
}

/** A bot that has sent more alerts in a minute than are kept. */
export interface Beyond {
  readonly live: LiveRun;
  readonly text: string;
}

export class AlertPace {
  #minute = Number.NEGATIVE_INFINITY;
  readonly #bots = new Map<string, Minute>();
  #beyond: Beyond[] = [];

  /** Counts one more alert. True: it is to be kept. */
  admits(live: LiveRun, time: number): boolean {
    this.#turn(time);
    const known = this.#bots.get(live.parts.botId) ?? { live, alerts: 0 };
    known.live = live;
    known.alerts++;
    this.#bots.set(live.parts.botId, known);
    return known.alerts <= MAX_ALERTS_PER_MINUTE;
  }

  /** Yields the bots that went beyond the limit in the minutes that are over at `time`, each once. */
  *over(time: number): Generator<Beyond> {
    this.#turn(time);
    const over = this.#beyond;
    if (over.length === 0) return;
    this.#beyond = [];
    yield* over;
  }

  /** Inputs of one step may have earlier times than inputs before them: the minute never goes back. */
  #turn(time: number): void {
    const minute = Math.floor(time / MINUTE_MS);
    if (minute <= this.#minute) return;
    for (const { live, alerts } of this.#bots.values()) {
      const more = alerts - MAX_ALERTS_PER_MINUTE;
      if (more > 0) this.#beyond.push({ live, text: wordsOf(more, this.#minute * MINUTE_MS) });
    }
    this.#bots.clear();
    this.#minute = minute;
  }
}

function wordsOf(more: number, minute: number): string {
  const alerts = more === 1 ? '1 more alert' : `${more} more alerts`;
  return `${alerts} in the minute from ${utcText(minute)}: ${MAX_ALERTS_PER_MINUTE} are kept, the others only counted`;
}
