/**
 * Keeps what the consoles show of a position up to date: the engine reports a bot when its run changes, and a
 * balance when it moves; a price alone changes only what they are worth. Checked at most once a second, after
 * a price, and only while a console is connected.
 */
import type { BotEngine } from '../../bots/runtime/bot-engine.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { Dec } from '../../domain/decimal.ts';
import type { ChangeMark } from '../running.ts';

/** Time from a price to the check of what it has moved, ms, wall. */
export const FIGURES_MS = 1_000;

export interface FiguresOptions {
  readonly clock: Clock;
  /** The bots of the current engine: another engine may have replaced it. */
  readonly bots: () => BotEngine | null;
  /** Whether a console is connected. */
  readonly watched: () => boolean;
  readonly mark: (mark: ChangeMark) => void;
  /** Accounts whose balances consoles see. */
  readonly exchanges: () => readonly string[];
}

export interface BotFigures {
  /** Notes that a price has come. */
  moved(): void;
  cancel(): void;
}

export function watchFigures({ clock, bots, watched, mark, exchanges }: FiguresOptions): BotFigures {
  /** Open profit by run, as last marked. */
  let told: ReadonlyMap<string, Dec> = new Map();
  let timer: Cancelable | null = null;
  let over = false;
  return {
    moved() {
      if (timer || over || !watched()) return;
      timer = clock.after(FIGURES_MS, () => {
        timer = null;
        told = markMoved(bots(), told, mark);
        for (const exchange of exchanges()) mark({ kind: 'portfolio', exchange });
      });
    },
    cancel() {
      over = true;
      timer?.cancel();
    },
  };
}

function markMoved(
  bots: BotEngine | null,
  told: ReadonlyMap<string, Dec>,
  mark: FiguresOptions['mark'],
): ReadonlyMap<string, Dec> {
  const now = new Map<string, Dec>();
  for (const live of bots?.book.runs.values() ?? []) {
    if (!live.going || live.run.lots.open.length === 0) continue;
    const open = live.run.unrealised();
    now.set(live.id, open);
    if (told.get(live.id) !== open) mark({ kind: 'bot', id: live.parts.botId });
  }
  return now;
}
