/** The rows of the Bots screen; settings may hold anything. Filter, sort, selection. Pure. */

import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { byText, type Compare, falling, filterWords, hasWords, memoizeLast } from '../lists/rows.ts';
import { givenName, profitOf, symbolOf } from '../trading/bots.ts';
import type { BotSort } from './bot-forms.ts';
import type { BotsView } from './bots-view.ts';

const STATUS_RANK = { ERROR: 0, STARTED: 1, NEW: 2, STOPPED: 3 } as const;

const COMPARE: Record<BotSort, Compare<BotView>> = {
  status: (a, b) => STATUS_RANK[a.status] - STATUS_RANK[b.status],
  symbol: (a, b) => byText(symbolOf(a), symbolOf(b)),
  type: (a, b) => byText(a.type, b.type),
  PnL: (a, b) => falling(profitOf(a), profitOf(b)),
  age: (a, b) => b.createdAt - a.createdAt,
};

function textOf(bot: BotView): string {
  return [bot.id, givenName(bot), bot.type, symbolOf(bot), bot.exchange, bot.status, bot.state ?? ''].join(
    ' ',
  );
}

export function botRows(
  bots: Readonly<Record<string, BotView>>,
  { filter, sort, reverse }: Pick<BotsView, 'filter' | 'sort' | 'reverse'>,
): readonly BotView[] {
  const words = filterWords(filter);
  const rows = Object.values(bots).filter((bot) => words.length === 0 || hasWords(textOf(bot), words));
  const direction = reverse ? -1 : 1;
  const compare = COMPARE[sort];
  return rows.sort((a, b) => direction * compare(a, b) || b.createdAt - a.createdAt || byText(a.id, b.id));
}

const last = memoizeLast<readonly BotView[]>();

/** The rows of the screen. */
export function shownBots(state: Pick<DeskState, 'bots'>, view: BotsView): readonly BotView[] {
  return last([state.bots, view.filter, view.sort, view.reverse], () => botRows(state.bots, view));
}

export function selectedBot(state: Pick<DeskState, 'bots'>, view: BotsView): BotView | null {
  const rows = shownBots(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

/** Returns the marked bots that still exist; if none is marked, the one under the cursor. */
export function chosenBots(state: Pick<DeskState, 'bots'>, view: BotsView): readonly BotView[] {
  const marked = view.marked.flatMap((id) => state.bots[id] ?? []);
  if (marked.length > 0) return marked;
  const bot = selectedBot(state, view);
  return bot ? [bot] : [];
}
