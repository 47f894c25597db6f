/** The rows of the Bots screen: names, market and money of a bot whatever its settings hold; filter, sort, selection. Pure. */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { wordsOf } from '../../schemas/bots/index.ts';
import { group, read } from '../format.ts';
import type { BotsView } from '../state/ui.ts';
import type { BotSort } from './bot-forms.ts';
import { isOpen, selectedIndex } from './order-list.ts';
import { byText, type Compare, falling, filterWords, hasWords, lastAnswer } from './rows.ts';

/** Characters of an id in lists and typed words. */
const SHORT_ID = 7;

export function shortId(id: string): string {
  return id.slice(0, SHORT_ID);
}

/** The name its owner gave it: the tag, else the name of the settings; empty without one. */
export function givenName({ tag, settings }: Pick<BotView, 'tag' | 'settings'>): string {
  if (tag !== undefined && tag !== '') return tag;
  return typeof settings.name === 'string' ? settings.name : '';
}

export function botName(bot: BotView): string {
  return givenName(bot) || shortId(bot.id);
}

/** The venue's symbol; `all` for a scanner without one, empty when the settings name none. */
export function symbolOf({ settings, type }: Pick<BotView, 'settings' | 'type'>): string {
  const { ticker, symbol } = settings;
  if (typeof ticker === 'string' && ticker !== '') return ticker;
  if (typeof symbol === 'string') return symbol;
  if (isFields(symbol) && typeof symbol.base === 'string' && typeof symbol.quote === 'string')
    return symbol.base + symbol.quote;
  return wordsOf(type).scans ? 'all' : '';
}

/** `200 USDT`, `5 % USDT`; null without a deposit. */
export function depositOf({ settings }: Pick<BotView, 'settings'>): string | null {
  const { deposit } = settings;
  if (!isFields(deposit)) return null;
  const { value, asset, strategy } = deposit;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const amount = `${group(String(value))}${strategy === 'percent' ? ' %' : ''}`;
  return typeof asset === 'string' ? `${amount} ${asset}` : amount;
}

/** Fields of one block of the settings; empty when there is none. */
export function blockOf(settings: BotView['settings'], name: string): Readonly<Record<string, unknown>> {
  const block = settings[name];
  return isFields(block) ? block : {};
}

export function isShort({ settings }: Pick<BotView, 'settings'>): boolean {
  return settings.short === true;
}

/** A run goes on. */
export function isRunning(bot: Pick<BotView, 'runId'>): boolean {
  return bot.runId !== undefined;
}

export function trades({ type }: Pick<BotView, 'type'>): boolean {
  return wordsOf(type).trades;
}

export function ordersOf(orders: Readonly<Record<string, OrderView>>, id: string): readonly OrderView[] {
  return Object.values(orders).filter(
    (order) => order.creator === 'BOT' && order.creatorId === id && isOpen(order),
  );
}

/** Open orders of every bot, counted once for a whole table. */
export function orderCounts(orders: Readonly<Record<string, OrderView>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const order of Object.values(orders)) {
    if (order.creator !== 'BOT' || !isOpen(order)) continue;
    counts.set(order.creatorId, (counts.get(order.creatorId) ?? 0) + 1);
  }
  return counts;
}

/** Realised and unrealised together; null before the first run, and of bots that do not trade. */
export function profitOf({ type, stats }: Pick<BotView, 'type' | 'stats'>): bigint | null {
  if (!trades({ type })) return null;
  const realised = read(stats?.realised);
  const unrealised = read(stats?.unrealised);
  return realised === null ? null : realised + (unrealised ?? 0n);
}

/** Market time of now, as runs count theirs. */
export function marketNow({ clock }: Pick<DeskState, 'clock'>, wall: number): number {
  return clock.live && !clock.held ? Math.max(clock.market, wall) : clock.market;
}

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

const last = lastAnswer<readonly BotView[]>();

/** Rows of the screen. */
export function shownBots(state: Pick<DeskState, 'bots'>, view: BotsView): readonly BotView[] {
  return last([state.bots, view.filter, view.sort, view.reverse], () => botRows(state.bots, view));
}

export function selectedBot(state: Pick<DeskState, 'bots'>, view: BotsView): BotView | null {
  const rows = shownBots(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

/** The marked bots that there still are; without any the one under the cursor. */
export function chosenBots(state: Pick<DeskState, 'bots'>, view: BotsView): readonly BotView[] {
  const marked = view.marked.flatMap((id) => state.bots[id] ?? []);
  if (marked.length > 0) return marked;
  const bot = selectedBot(state, view);
  return bot ? [bot] : [];
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
