/** The lines of a bot's page "now": state, figures, chart, lots, stop rules, open orders, alerts. Pure. */
import type { BotDetail, BotView, DeskState } from '../../desk/console/protocol.ts';
import type { Candle } from '../../domain/rows.ts';
import { withoutTail } from '../../domain/text-ends.ts';
import { timeNote } from '../app/header.ts';
import { statusSpan as orderStatus } from '../orders/order-columns.ts';
import {
  blockOf,
  depositOf,
  isRunning,
  isShort,
  marketNow,
  ordersOf,
  symbolOf,
  trades,
} from '../trading/bots.ts';
import { mainPrice } from '../trading/orders.ts';
import { marketAt, priceOf } from '../trading/prices.ts';
import { type ChartLevel, priceChart } from '../ui/chart-price.ts';
import {
  dayTime,
  exact,
  groupedWords,
  span as length,
  MISSING,
  onStep,
  percent,
  percentChange,
  read,
  signed,
  tickPrice,
} from '../ui/format.ts';
import { cell, keyed, type Line, type Span, span, wrapWords } from '../ui/line.ts';
import { gainTone } from '../ui/tones.ts';
import { two } from '../ui/two-columns.ts';
import { frameName } from './bot-chart.ts';
import { moneySpan, runTime, shortMoney, statusSpan } from './bot-columns.ts';
import { settingsLevels } from './bot-levels.ts';

export interface BotChart {
  readonly id: string;
  readonly market: string;
  readonly symbol: string;
  readonly frameMs: number;
  readonly candles: readonly Candle[];
}

export interface BotDetailWorld {
  readonly state: Pick<DeskState, 'orders' | 'prices' | 'clock' | 'accounts' | 'alerts' | 'instruments'>;
  /** The bot's detail; null until the desk has answered. */
  readonly detail: BotDetail | null;
  readonly chart: BotChart | null;
  /** The candle under the crosshair, by its open time. */
  readonly cursor?: number | null;
  /** The desk's wall clock. */
  readonly wall: number;
  readonly width: number;
  /** Rows of the pane. */
  readonly height: number;
}

/** The heading of the chart. */
export const CHART_TITLE = '  Price ';
/** Largest width of the chart; more width would only lengthen its lines. */
const CHART_WIDTH = 144;

/** Writes a price on the symbol's tick: computed levels have more places than any order. */
export type PriceText = (price: string | null | undefined) => string;

export function pricesOf(bot: BotView, { instruments }: Pick<DeskState, 'instruments'>): PriceText {
  const symbol = symbolOf(bot);
  const found = instruments.find((entry) => entry.exchange === bot.exchange && entry.symbol === symbol);
  return (price) => (found ? tickPrice(price ?? null, found.tickSize) : price ? exact(tidy(price)) : MISSING);
}

/** Returns the function that writes the bot's quantities on the step of its symbol. */
function sizesOf(bot: BotView, { instruments }: Pick<DeskState, 'instruments'>): (qty: string) => string {
  const symbol = symbolOf(bot);
  const found = instruments.find((entry) => entry.exchange === bot.exchange && entry.symbol === symbol);
  return (qty) => onStep(qty, found?.stepSize);
}

export function botNowLines(bot: BotView, world: BotDetailWorld): readonly Line[] {
  const { detail, width } = world;
  const head = [headLine(bot, world), ...troubleLines(bot, world)];
  const loading: Line[] = detail ? [] : [[span('  loading', 'muted')]];
  if (!trades(bot))
    return [...head, ...alertFigures(bot, width), ...firedLines(bot, world), ...chartPart(bot, world)];
  const held = detail?.live ? [...lotLines(bot, detail, world), ...stopLines(bot, detail, world)] : [];
  return [
    ...head,
    ...figureLines(bot, world),
    ...chartPart(bot, world),
    ...loading,
    ...held,
    ...orderLines(bot, world),
  ];
}

function headLine(bot: BotView, { state, wall }: BotDetailWorld): Line {
  const running = isRunning(bot);
  return [
    span('  '),
    { ...statusSpan(bot), bold: true },
    ...(running ? [span(` ${bot.state ?? ''}`)] : []),
    span(`  ${bot.type}${isShort(bot) ? ' short' : ''} `),
    span(symbolOf(bot) || MISSING, 'text', { bold: true }),
    span(`  ${bot.exchange}`, 'muted'),
    ...(running ? [span('  runs ', 'muted'), span(runTime(bot, marketNow(state, wall)))] : []),
  ];
}

/** Why the bot does not trade: an error, a lost connection, a pending restart. */
function troubleLines(bot: BotView, { state, detail, wall, width }: BotDetailWorld): Line[] {
  const lines: Line[] = [];
  const link = state.accounts.find(({ id }) => id === bot.exchange)?.link;
  if (link === 'down')
    lines.push([span(`  ! ${bot.exchange}: the link is down, figures may be old`, 'danger')]);
  const error = bot.status === 'ERROR' ? detail?.runs[0]?.error : null;
  for (const text of error ? wrapWords(error, width - 4) : []) lines.push([span(`  ${text}`, 'danger')]);
  if (bot.restartAt !== null) {
    const due = bot.restartAt - marketNow(state, wall);
    lines.push([span(`  starts again in ${length(due)} of market time`, 'warn')]);
  }
  return lines;
}

function figureLines(bot: BotView, { width }: BotDetailWorld): Line[] {
  const { stats } = bot;
  const roi = read(stats?.roi);
  const yearly = read(stats?.annualised);
  const money = (text: string | undefined): Line => [
    span(text === undefined ? MISSING : exact(shortMoney(text))),
  ];
  const won = stats ? `${stats.winningCycles} won of ${stats.cycles}` : MISSING;
  return [
    two(width, ['realised', [moneySpan(stats?.realised)]], ['unrealised', [moneySpan(stats?.unrealised)]]),
    two(
      width,
      ['ROI', [span(percent(roi), gainTone(roi))]],
      ['a year', [span(percent(yearly), yearly === null ? 'muted' : gainTone(yearly))]],
    ),
    two(
      width,
      ['drawdown', [span(stats ? `${shortMoney(stats.maxDrawdown)} %` : MISSING)]],
      ['cycles', [span(won)]],
    ),
    two(width, ['fees', money(stats?.fees)], ['volume', money(stats?.volume)]),
    two(
      width,
      ['deposit', [span(depositOf(bot) ?? MISSING)]],
      ['fills', [span(stats ? String(stats.fills) : MISSING)]],
    ),
  ];
}

function alertFigures(bot: BotView, width: number): Line[] {
  const notify = bot.settings.notify;
  const told = Array.isArray(notify) ? notify.filter((name) => typeof name === 'string').join(' ') : '';
  const skipped = bot.stats ? String(bot.stats.skipped) : MISSING;
  return [two(width, ['tells', [span(told || 'this console')]], ['skipped', [span(skipped)]])];
}

function chartPart(bot: BotView, world: BotDetailWorld): Line[] {
  const { state, detail, chart, cursor, wall, width, height } = world;
  const symbol = symbolOf(bot);
  const last = priceOf(state, bot.exchange, symbol)?.last;
  const market = marketAt(state.accounts, bot.exchange);
  const own = chart?.id === bot.id && chart.symbol === symbol && chart.market === market;
  const mine = own ? chart : null;
  if (symbol === 'all' || (!mine && !last)) return [];
  const text = pricesOf(bot, state);
  const drawn = priceChart({
    candles: mine?.candles ?? [],
    frameMs: mine?.frameMs ?? 0,
    levels: priceLines(bot, detail, last, state, marketNow(state, wall)),
    marks: detail?.fills ?? [],
    cursor,
    price: text,
    width: Math.min(width, CHART_WIDTH) - 4,
    height: height >= 40 ? 18 : height >= 28 ? 13 : 9,
  });
  const frame = mine ? `candles of ${frameName(mine.frameMs)}` : 'candles are loading';
  const title: Line = [span(CHART_TITLE, 'title'), span(`${symbol}, ${frame}`, 'muted')];
  return [[], title, ...drawn.map((line): Line => [span('  '), ...line])];
}

/** All levels that have a price, the most important first. */
function priceLines(
  bot: BotView,
  detail: BotDetail | null,
  last: string | undefined,
  state: Pick<DeskState, 'orders' | 'instruments'>,
  now: number,
): readonly ChartLevel[] {
  const lines: ChartLevel[] = [];
  const text = pricesOf(bot, state);
  const add = (price: string | null | undefined, name: string, tone: ChartLevel['tone']) => {
    if (price) lines.push({ price, text: text(price), name, tone });
  };
  add(last, 'last', 'title');
  const live = detail?.bot.id === bot.id ? detail.live : undefined;
  for (const stop of live?.stops ?? []) if (!stop.disabled) add(stop.level, 'stop', 'danger');
  add(live?.averageEntry, 'entry', 'focus');
  for (const order of ordersOf(state.orders, bot.id)) {
    if (order.stopPrice !== null) add(order.stopPrice, 'stop', 'danger');
    else add(order.price, order.side, order.side === 'BUY' ? 'buy' : 'sell');
  }
  add(live?.breakEven, 'break-even', 'muted');
  for (const { price, name } of settingsLevels(bot, now)) add(price, name, 'muted');
  return lines;
}

function lotLines(bot: BotView, { live }: BotDetail, { state, wall }: BotDetailWorld): Line[] {
  const lots = live?.lots ?? [];
  const title: Line[] = [
    [],
    [span('  Lots ', 'title'), span(String(lots.length), 'muted'), ...timeNote(state.clock, 'market', '  ')],
  ];
  if (!live || lots.length === 0) return [...title, [span('  holds nothing', 'muted')]];
  const last = priceOf(state, bot.exchange, live.symbol)?.last;
  const now = marketNow(state, wall);
  const text = pricesOf(bot, state);
  const size = sizesOf(bot, state);
  return [
    ...title,
    ...lots.map((lot): Line => {
      const change = percentChange(lot.entryPrice, last);
      return [
        cell(`  ${lot.label}`, 19, 'left'),
        cell(size(lot.qty), 10, 'right'),
        span(' at ', 'muted'),
        cell(text(lot.entryPrice), 12, 'left'),
        cell(percent(change), 10, 'right', gainTone(change)),
        span(`  ${dayTime(lot.openedAt).slice(0, 11)}, ${length(now - lot.openedAt)}`, 'muted'),
      ];
    }),
  ];
}

function stopLines(bot: BotView, { live }: BotDetail, { state }: BotDetailWorld): Line[] {
  const stops = live?.stops ?? [];
  const title: Line[] = [[], [span('  Stop rules ', 'title'), span(String(stops.length), 'muted')]];
  if (!live || stops.length === 0)
    return [...title, [span('  none', 'warn'), keyed('bot.rule', '  r adds one', 'muted')]];
  const last = priceOf(state, bot.exchange, live.symbol)?.last;
  const text = pricesOf(bot, state);
  return [
    ...title,
    ...stops.map((stop): Line => {
      const away = percentChange(last, stop.level);
      const off = stop.disabled;
      return [
        cell(`  ${stop.strategy}`, 21, 'left', off ? 'muted' : 'text'),
        cell(stop.trigger, 9, 'left', 'muted'),
        cell(text(stop.level), 13, 'right', off ? 'muted' : 'danger'),
        cell(percent(away), 10, 'right', 'muted'),
        span(stop.rule.complete === true ? '  all' : '  newest lot', 'muted'),
        ...(off ? [span('  disabled', 'warn')] : []),
      ];
    }),
  ];
}

function orderLines(bot: BotView, { state }: BotDetailWorld): Line[] {
  const orders = [...ordersOf(state.orders, bot.id)].sort(
    (a, b) => Number(mainPrice(b) ?? 0) - Number(mainPrice(a) ?? 0),
  );
  const title: Line[] = [[], [span('  Open orders ', 'title'), span(String(orders.length), 'muted')]];
  if (orders.length === 0) return [...title, [span('  none', 'muted')]];
  const text = pricesOf(bot, state);
  const size = sizesOf(bot, state);
  return [
    ...title,
    ...orders.map((order): Line => {
      const away = percentChange(priceOf(state, order.exchange, order.symbol)?.last, mainPrice(order));
      return [
        cell(`  ${order.side}`, 7, 'left', order.side === 'BUY' ? 'buy' : 'sell'),
        cell(order.type, 13, 'left', 'muted'),
        cell(size(order.origQty), 14, 'right'),
        span(' at ', 'muted'),
        cell(text(mainPrice(order)), 12, 'left'),
        cell(percent(away), 10, 'right', 'muted'),
        span('  '),
        orderStatus(order),
      ];
    }),
  ];
}

/** The last alerts of an ALARM or NOTIFY bot, newest first. */
function firedLines(bot: BotView, { state }: BotDetailWorld): Line[] {
  const fired = state.alerts.filter(({ botId }) => botId === bot.id).slice(-10);
  const title: Line[] = [[], [span('  Last alerts', 'title'), ...timeNote(state.clock, 'wall', '  ')]];
  if (fired.length === 0) return [...title, [span('  none yet', 'muted')]];
  return [
    ...title,
    ...fired
      .reverse()
      .map(
        (alert): Line => [
          span(`  ${dayTime(alert.at)}  `, 'muted'),
          span(`${alert.symbol}  `),
          span(groupedWords(alert.message)),
        ],
      ),
  ];
}

/** Shortens a computed price with many places; keeps enough of them to tell prices apart. */
export function tidy(price: string): string {
  const [whole = '', fraction = ''] = price.split('.');
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const keep = whole.replace(/^-?0*/, '') === '' ? zeros + 5 : 4;
  const kept = withoutTail(fraction.slice(0, keep), '0');
  return kept === '' ? whole : `${whole}.${kept}`;
}

/** The deposit with leverage, as the dialogs show it. */
export function depositWords(bot: BotView): string {
  const { leverage, allocate } = blockOf(bot.settings, 'deposit');
  const times = typeof leverage === 'number' ? ` at ${leverage}x` : '';
  const kept = typeof allocate === 'string' ? ` (${allocate})` : '';
  return `${depositOf(bot) ?? MISSING}${times}${kept}`;
}

/** Writes a bot's profit as `+12.30`, or as missing. */
export function profitSpan(value: bigint | null): Span {
  return value === null ? span(MISSING, 'muted') : span(signed(value, 2), gainTone(value));
}
