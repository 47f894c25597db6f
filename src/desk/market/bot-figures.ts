/**
 * Keeps what the consoles show of a position up to date: the engine tells of a bot when its run changes, and of a balance
 * when it moves; a price alone changes nothing in them but what they are worth. Looked at no more than once a second, after
 * a price, and only while somebody looks on.
 */
import type { BotEngine } from '../../bots/runtime/bot-engine.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import type { Dec } from '../../domain/decimal.ts';
import type { ChangeMark } from '../running.ts';

/** From a price to the look at what it has moved, wall. */
export const FIGURES_MS = 1_000;

export interface FiguresOptions {
  readonly clock: Clock;
  /** The bots of now: another engine may have taken over. */
  readonly bots: () => BotEngine | null;
  /** Is there a console? */
  readonly watched: () => boolean;
  readonly mark: (mark: ChangeMark) => void;
  /** Accounts whose balances consoles see. */
  readonly exchanges: () => readonly string[];
}

export interface BotFigures {
  /** A price has come. */
  moved(): void;
  cancel(): void;
}

export function watchFigures({ clock, bots, watched, mark, exchanges }: FiguresOptions): BotFigures {
  /** Open profit by run, as it was marked last. */
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
