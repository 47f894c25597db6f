/**
 * Facts of a bot that every screen needs, whatever its settings are: its name, market, money, whether it
 * runs. Pure.
 */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { wordsOf } from '../../schemas/bots/index.ts';
import { group, read } from '../ui/format.ts';
import { isOpen } from './orders.ts';

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

/** The symbol at the venue; `all` for a scanner without one, empty when the settings name none. */
export function symbolOf({ settings, type }: Pick<BotView, 'settings' | 'type'>): string {
  const { ticker, symbol } = settings;
  if (typeof ticker === 'string' && ticker !== '') return ticker;
  if (typeof symbol === 'string') return symbol;
  if (isFields(symbol) && typeof symbol.base === 'string' && typeof symbol.quote === 'string')
    return symbol.base + symbol.quote;
  return wordsOf(type).scans ? 'all' : '';
}

/** The deposit in words, `200 USDT`, `5 % USDT`; null without one. */
export function depositOf({ settings }: Pick<BotView, 'settings'>): string | null {
  const { deposit } = settings;
  if (!isFields(deposit)) return null;
  const { value, asset, strategy } = deposit;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const amount = `${group(String(value))}${strategy === 'percent' ? ' %' : ''}`;
  return typeof asset === 'string' ? `${amount} ${asset}` : amount;
}

/** Fields of one block of the settings; empty without that block. */
export function blockOf(settings: BotView['settings'], name: string): Readonly<Record<string, unknown>> {
  const block = settings[name];
  return isFields(block) ? block : {};
}

export function isShort({ settings }: Pick<BotView, 'settings'>): boolean {
  return settings.short === true;
}

/** Whether the bot has an active run. */
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

/** Number of open orders by bot, counted once for a whole table. */
export function orderCounts(orders: Readonly<Record<string, OrderView>>): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const order of Object.values(orders)) {
    if (order.creator !== 'BOT' || !isOpen(order)) continue;
    counts.set(order.creatorId, (counts.get(order.creatorId) ?? 0) + 1);
  }
  return counts;
}

/** Realised plus unrealised profit; null before the first run, and for bots that do not trade. */
export function profitOf({ type, stats }: Pick<BotView, 'type' | 'stats'>): bigint | null {
  if (!trades({ type })) return null;
  const realised = read(stats?.realised);
  const unrealised = read(stats?.unrealised);
  return realised === null ? null : realised + (unrealised ?? 0n);
}

/** Current market time, as runs use it, Unix ms. */
export function marketNow({ clock }: Pick<DeskState, 'clock'>, wall: number): number {
  return clock.live && !clock.held ? Math.max(clock.market, wall) : clock.market;
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
