/**
 * The command palette: screens, commands, themes, symbols, bots and orders, matched as they are typed. An
 * entry shows or opens something; a command that would change the desk at once is left to its own key. Pure.
 */
import type { DeskState } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import { isOrderLine, type LineOrder, readOrderLine } from '../entry/order-line.ts';
import type { BoundBinding, CommandId, Scope } from '../input/binding.ts';
import type { MouseChoice, Place } from '../state/ui.ts';
import { botName, isRunning, symbolOf } from '../trading/bots.ts';
import { symbolsOf as tradedOn } from '../trading/instruments.ts';
import { isOpen, mainPrice } from '../trading/orders.ts';
import { hasMarkets } from '../trading/prices.ts';
import { asRow, shownPrices } from '../trading/watch.ts';
import type { Watchlists } from '../trading/watchlists.ts';
import type { Theme } from '../ui/theme.ts';
import { isZoneName } from '../ui/zone.ts';
import { holdsWords, scoreQuery } from './fuzzy.ts';

/** What an entry does when chosen. */
export type PaletteTarget =
  | { readonly to: 'command'; readonly command: CommandId; readonly acts: boolean }
  /** A command of another screen: goes there, and says its key. */
  | {
      readonly to: 'elsewhere';
      readonly screen: Place;
      readonly command: CommandId;
      readonly acts: boolean;
    }
  /** The filled ticket of an order written in one line. */
  | { readonly to: 'ticket'; readonly order: LineOrder }
  /** An order line that is still incomplete, with what is missing. */
  | { readonly to: 'unfinished'; readonly text: string }
  | { readonly to: 'theme' | 'watchlist' | 'zone'; readonly name: string }
  | { readonly to: 'mouse'; readonly choice: MouseChoice }
  /** Shows one account alone; null: all. */
  | { readonly to: 'only'; readonly account: string | null }
  /** `market`: opens the market screen of a symbol; `watch`: adds the symbol to the watchlist. */
  | { readonly to: 'symbol' | 'market' | 'watch' | 'unwatch' | 'bot' | 'order'; readonly id: string };

export interface PaletteEntry {
  readonly label: string;
  /** The key, or the kind of entry. */
  readonly hint: string;
  readonly target: PaletteTarget;
  /** Ids: the entry is also found by a part of this text. */
  readonly also?: string;
}

export interface PaletteDialog {
  readonly kind: 'palette';
  readonly text: string;
  readonly index: number;
  /** The matching entries; unchanged until the text changes, so that Enter takes the one under the cursor. */
  readonly entries: readonly PaletteEntry[];
  /** The theme in force when the palette was opened; restored when it is left. */
  readonly theme: Theme;
}

export interface PaletteSource {
  readonly state: Pick<DeskState, 'accounts' | 'instruments' | 'prices' | 'bots' | 'orders'> | null;
  readonly bindings: readonly BoundBinding[];
  readonly screen: Place;
  /** All places. */
  readonly places: readonly { readonly id: Place; readonly title: string }[];
  readonly themes: readonly string[];
  /** @default none */
  readonly watchlists?: Watchlists;
  /** All accounts, also while one alone is shown. @default none */
  readonly accounts?: readonly string[];
  /** Time zones by name. @default none */
  readonly zones?: readonly string[];
  /** The account and symbol in view, for an order line that names none. */
  readonly at: { readonly exchange: string; readonly symbol: string };
}

/** Largest number of entries. */
const LIMIT = 200;

/**
 * The matching entries, best first; without a text the screens, the commands that apply here and the themes.
 */
export function paletteEntries(text: string, source: PaletteSource): readonly PaletteEntry[] {
  const { state } = source;
  const here = [...commandsHere(source), ...source.themes.map(themeEntry)];
  const query = text.trim();
  if (query === '') return here;
  if (state && isOrderLine(query)) return [orderEntry(query, state, source.at)];
  const named = [
    ...here,
    ...commandsElsewhere(source),
    ...watchlistsOf(source, query),
    ...zonesOf(source, query),
    ...MOUSE,
    ...accountsOf(source),
    ...(state ? [...marketsOf(state, query), ...symbolsOf(state), ...botsOf(state)] : []),
  ];
  const found: { entry: PaletteEntry; score: number }[] = [];
  for (const entry of named) {
    // Scattered letters that match in an id are chance.
    const known = entry.also !== undefined && holdsWords(query, entry.also) ? 0 : null;
    const score = scoreQuery(query, entry.label) ?? known;
    if (score !== null) found.push({ entry, score });
  }
  for (const entry of state ? ordersOf(state, query) : [])
    found.push({ entry, score: scoreQuery(query, entry.label) ?? 0 });
  return found
    .sort((a, b) => b.score - a.score)
    .slice(0, LIMIT)
    .map(({ entry }) => entry);
}

/** The entry for an order in one line: its ticket, or what is missing. */
function orderEntry(line: string, state: State, at: PaletteSource['at']): PaletteEntry {
  const accounts = state.accounts.map(({ id, kind }) => ({
    id,
    kind,
    symbols: tradedOn(state.instruments, id),
  }));
  const { order, problem } = readOrderLine(line, accounts, at);
  if (!order) return { label: problem, hint: 'order', target: { to: 'unfinished', text: problem } };
  const { side, size, symbol, exchange, type, price, stop, takeProfit } = order;
  const parts = [side, size, symbol, type, price, stop && `stop ${stop}`, takeProfit && `tp ${takeProfit}`];
  return {
    label: [...parts, `on ${exchange}`].filter((part) => part !== '').join(' '),
    hint: 'enter: ticket',
    target: { to: 'ticket', order },
  };
}

function themeEntry(name: string): PaletteEntry {
  return { label: `theme ${name}`, hint: 'theme', target: { to: 'theme', name } };
}

function commandsHere({ bindings, screen }: PaletteSource): PaletteEntry[] {
  const entries: PaletteEntry[] = [];
  const seen = new Set<string>();
  for (const scope of [screen, 'global', 'always'] satisfies Scope[]) {
    for (const { command, label, keys, acts = false, scope: at } of bindings) {
      if (at !== scope || seen.has(command) || seen.has(label) || command === 'palette.open') continue;
      seen.add(command).add(label);
      const target = { to: 'command', command, acts } as const;
      entries.push({ label, hint: acts ? `only by ${keys[0]}` : (keys[0] ?? ''), target });
    }
  }
  return entries;
}

/** Commands of other screens that this one does not have: `Orders: cancel`. */
function commandsElsewhere({ bindings, screen, places }: PaletteSource): PaletteEntry[] {
  const here = new Set(bindings.filter(({ scope }) => scope === screen).map(({ command }) => command));
  return places
    .filter(({ id }) => id !== screen)
    .flatMap(({ id, title }) =>
      bindings
        .filter(({ scope, command }) => scope === id && !here.has(command) && !isWayBack(id, command))
        .map(({ command, label, keys, acts = false }) => ({
          label: `${title}: ${label}`,
          hint: keys[0] ?? '',
          target: { to: 'elsewhere', screen: id, command, acts } as const,
        })),
    );
}

/**
 * Whether a command leads from a view back to the screen whose place it takes; that screen has a command for
 * the way there.
 */
function isWayBack(place: Place, command: CommandId): boolean {
  return WAYS_BACK.some(([view, way]) => view === place && way === command);
}

const WAYS_BACK: readonly (readonly [Place, CommandId])[] = [
  ['trades', 'orders.trades'],
  ['pnl', 'pnl.close'],
  ['pnl-trades', 'pnl.close'],
  ['pnl-trades', 'pnl.trades'],
  ['operators', 'people.close'],
  ['sessions', 'people.close'],
  ['price-alerts', 'alerts.prices'],
];

type State = NonNullable<PaletteSource['state']>;

function symbolsOf(state: State): PaletteEntry[] {
  const named = hasMarkets(state.accounts);
  return shownPrices(state).map((price) => ({
    label: named ? `${price.symbol} ${price.market}` : price.symbol,
    hint: 'symbol',
    target: { to: 'symbol', id: asRow(price).id },
  }));
}

/**
 * `market BTCUSDT`, `chart BTCUSDT`, `watch BTCUSDT`, `unwatch BTCUSDT`: only once the first word is written.
 */
function marketsOf(state: State, query: string): PaletteEntry[] {
  const word = /^(market|chart|watch|unwatch)\s/i.exec(query)?.[1]?.toLowerCase();
  if (word === undefined) return [];
  const to = word === 'watch' || word === 'unwatch' ? word : 'market';
  return symbolsOf(state).map(({ label, target }) => ({
    label: `${word} ${label}`,
    hint: to === 'market' ? 'market' : 'watchlist',
    target: { ...target, to } as PaletteTarget,
  }));
}

/** Entries of the accounts: `@paper-spot`, `@all`. */
function accountsOf({ accounts = [] }: PaletteSource): PaletteEntry[] {
  const entry = (label: string, hint: string, account: string | null): PaletteEntry => ({
    label,
    hint,
    target: { to: 'only', account },
  });
  if (accounts.length === 0) return [];
  return [
    entry('@all', 'all accounts', null),
    ...accounts.map((id) => entry(`@${id}`, 'only this account', id)),
  ];
}

/** `watchlist majors`: the existing lists, all symbols, and a new list where no name matches. */
function watchlistsOf({ watchlists }: PaletteSource, query: string): PaletteEntry[] {
  const isNamed = /^watchlist\s/i.test(query);
  const name = isNamed ? query.slice('watchlist'.length).trim() : null;
  const known = watchlists?.lists.map((list) => list.name) ?? [];
  const isNew =
    name !== null && ![...known, 'all'].some((one) => one.toLowerCase().startsWith(name.toLowerCase()));
  const entry = (one: string, hint: string): PaletteEntry => ({
    label: `watchlist ${one}`,
    hint,
    target: { to: 'watchlist', name: one },
  });
  return [
    ...(known.length > 0 ? ['all', ...known] : []).map((one) => entry(one, 'watchlist')),
    ...(isNew ? [entry(name, 'new, with the symbol under the cursor')] : []),
  ];
}

const MOUSE: readonly PaletteEntry[] = [
  {
    label: 'mouse on',
    hint: 'the wheel scrolls, a press selects; Shift marks text',
    target: { to: 'mouse', choice: 'on' },
  },
  { label: 'mouse off', hint: 'the terminal marks text', target: { to: 'mouse', choice: 'off' } },
];

/** `zone Europe/Berlin`: only once the word is written, since there are hundreds. */
function zonesOf({ zones = [] }: PaletteSource, query: string): PaletteEntry[] {
  if (!/^zone\b/i.test(query)) return [];
  const typed = query.slice('zone'.length).trim();
  // The platform lists one name of a zone and accepts others: Asia/Kathmandu beside Asia/Katmandu.
  const other = typed.includes('/') && !zones.includes(typed) && isZoneName(typed) ? [typed] : [];
  return [...other, ...zones].map((name) => ({
    label: `zone ${name}`,
    hint: 'times are shown in it',
    target: { to: 'zone', name },
  }));
}

function botsOf(state: State): PaletteEntry[] {
  return Object.values(state.bots).map((bot) => ({
    label: [botName(bot), bot.type, symbolOf(bot)].filter((part) => part !== '').join(' '),
    hint: isRunning(bot) ? 'bot, running' : 'bot',
    also: bot.id,
    target: { to: 'bot', id: bot.id },
  }));
}

/** Orders that contain all words unchanged, open ones first, then the newest: there may be thousands. */
function ordersOf(state: State, query: string): PaletteEntry[] {
  const found: OrderView[] = [];
  for (const order of Object.values(state.orders)) {
    const { id, exchange, status } = order;
    if (holdsWords(query, `${orderLabel(order)} ${id} ${exchange} ${status}`)) found.push(order);
  }
  return found
    .sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)) || b.orderTime - a.orderTime)
    .slice(0, LIMIT)
    .map((order) => ({
      label: orderLabel(order),
      hint: `order, ${order.status}`,
      target: { to: 'order', id: order.id },
    }));
}

function orderLabel(order: OrderView): string {
  const price = mainPrice(order);
  return `${order.side} ${order.origQty} ${order.symbol} ${order.type}${price === null ? '' : ` ${price}`}`;
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly palette: PaletteDialog;
  }
}
