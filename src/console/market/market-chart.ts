/**
 * The chart of the market screen as data: candles with the one in progress, averages, panels, own orders,
 * positions and fills. Pure.
 */
import type { DeskState, LookView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import type { OrderView } from '../../domain/order.ts';
import type { Candle } from '../../domain/rows.ts';
import { memoizeLast } from '../lists/rows.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { isOpen, mainPrice } from '../trading/orders.ts';
import { isLong, openPositions } from '../trading/positions.ts';
import { keyOfMarket } from '../trading/prices.ts';
import { numbersOf } from '../ui/candle-numbers.ts';
import { shortValue } from '../ui/chart-line.ts';
import type { ChartPanel } from '../ui/chart-panels.ts';
import type { ChartCurve, ChartLevel, PriceChart } from '../ui/chart-price.ts';
import { exact, onStep, read, rounded } from '../ui/format.ts';
import type { Room } from '../ui/room.ts';
import type { Token } from '../ui/theme.ts';
import { Curve, ema, ofCloses, plainOf, rsi, vwap } from './indicators.ts';
import { EMA_LENGTHS, type MarketAt, type MarketScreenView } from './market-view.ts';

/** The parts of the desk's state that the screen reads. */
export type MarketState = Pick<
  DeskState,
  'accounts' | 'instruments' | 'prices' | 'orders' | 'futures' | 'look'
>;

/** Glyphs and tones of the curves, shown with their names above the chart. */
const EMA_LINES: readonly { readonly glyph: string; readonly tone: Token }[] = [
  { glyph: '·', tone: 'key' },
  { glyph: '╌', tone: 'warn' },
  { glyph: '═', tone: 'focus' },
];
const VWAP_LINE = { glyph: '◌', tone: 'title' } as const;
const RSI_LENGTH = 14;
const RSI_RANGE = { low: 0, high: 100 };
/** Largest number of own orders on the chart. */
const MOST_ORDERS = 30;

export interface Legend {
  readonly glyph: string;
  readonly tone: Token;
  readonly name: string;
}

export function legendOf({ shows, frameMs }: Pick<MarketScreenView, 'shows' | 'frameMs'>): readonly Legend[] {
  const emas = EMA_LENGTHS.slice(0, shows.ema).flatMap((length, at): Legend[] => {
    const line = EMA_LINES[at];
    return line ? [{ ...line, name: `EMA ${length}` }] : [];
  });
  const vwap = shows.vwap && frameMs < 86_400_000;
  return vwap ? [...emas, { ...VWAP_LINE, name: 'VWAP' }] : emas;
}

/** The desk's live data of the symbol in view; null until the desk sends it. */
export function lookAt(
  { look }: Pick<DeskState, 'look'>,
  { at, frameMs }: Pick<MarketScreenView, 'at' | 'frameMs'>,
): LookView | null {
  const isIt = look && at && look.market === at.market && look.symbol === at.symbol;
  return isIt && look.frameMs === frameMs ? look : null;
}

/** Closed candles and the one in progress, oldest first. */
export function candlesOf(state: Pick<DeskState, 'look'>, view: MarketScreenView): readonly Candle[] {
  const { at, past, frameMs } = view;
  const isIt = at && past && past.key === marketKey(at.market, at.symbol) && past.frameMs === frameMs;
  const closed = isIt ? past.candles : [];
  const forming = lookAt(state, view)?.forming;
  if (!forming) return closed;
  let end = closed.length;
  while (end > 0 && (closed[end - 1] as Candle).time >= forming.time) end--;
  return [...closed.slice(0, end), forming];
}

/** Own open orders on a market, of every account. */
export function ordersAt(
  { orders, accounts }: Pick<DeskState, 'orders' | 'accounts'>,
  at: MarketAt,
): readonly OrderView[] {
  return lastOrders([orders, accounts, at], () => {
    const keyOf = keyOfMarket(accounts);
    const key = marketKey(at.market, at.symbol);
    return Object.values(orders).filter(
      (order) => order.symbol === at.symbol && isOpen(order) && keyOf(order) === key,
    );
  });
}

/** Cached: prices change many times a second, orders do not. */
const lastOrders = memoizeLast<readonly OrderView[]>();

/**
 * Price levels of the chart, most important first: the last price, positions with their liquidation, stops
 * and targets, then open orders.
 */
export function marketLevels(state: MarketState, at: MarketAt): readonly ChartLevel[] {
  const tick = instrumentOf(state.instruments, at)?.tickSize;
  const key = marketKey(at.market, at.symbol);
  const keyOf = keyOfMarket(state.accounts);
  const levels: ChartLevel[] = [];
  const add = (price: string | null | undefined, name: string, tone: Token, computed = false) => {
    if (price && read(price) !== null)
      levels.push({ price, text: computed ? rounded(price, tick) : onStep(price, tick), name, tone });
  };
  add(state.prices[key]?.last, 'last', 'title');
  for (const position of openPositions(state)) {
    if (position.symbol !== at.symbol || keyOf(position) !== key) continue;
    const long = isLong(position);
    add(position.entryPrice, long ? 'entry LONG' : 'entry SHORT', long ? 'buy' : 'sell', true);
    add(position.liquidationPrice, 'liquidation', 'danger', true);
  }
  const own = ordersAt(state, at).slice(0, MOST_ORDERS);
  for (const order of own) {
    const { type } = order;
    if (type.startsWith('STOP')) add(stopOf(order), `stop ${order.side}`, 'danger', true);
    else if (type.startsWith('TAKE')) add(order.stopPrice, `target ${order.side}`, 'ok');
  }
  for (const order of own)
    if (!/^(STOP|TAKE)/.test(order.type))
      add(mainPrice(order), `${order.side} ${exact(order.origQty)}`, order.side === 'BUY' ? 'buy' : 'sell');
  return levels;
}

/** The price at which a stop fires now. */
function stopOf(order: OrderView): string | null {
  return order.trail?.level ?? order.stopPrice;
}

/** The curves computed from the candles of one length. */
function curvesOf(frameMs: number) {
  return {
    emas: EMA_LENGTHS.map((length) => new Curve(ofCloses(ema(length)))),
    vwap: new Curve(vwap(frameMs)),
    rsi: new Curve(ofCloses(rsi(RSI_LENGTH))),
    volume: new Curve(plainOf((candle) => numbersOf(candle).volume)),
  };
}

/** Cached: from frame to frame only the last candle of a chart changes. */
const lastCurves = memoizeLast<ReturnType<typeof curvesOf>>();

/** The chart with everything that is switched on, for the given room. */
export function marketChart(state: MarketState, view: MarketScreenView, room: Room): PriceChart | null {
  const { at, shows, frameMs, fills, cursor, across } = view;
  if (!at) return null;
  const candles = candlesOf(state, view);
  const tick = instrumentOf(state.instruments, at)?.tickSize;
  const known = lastCurves([frameMs], () => curvesOf(frameMs));
  const curves: ChartCurve[] = known.emas.slice(0, shows.ema).map((curve, index) => ({
    values: curve.of(candles),
    ...(EMA_LINES[index] ?? VWAP_LINE),
  }));
  if (shows.vwap) curves.push({ values: known.vwap.of(candles), ...VWAP_LINE });
  return {
    candles,
    frameMs,
    levels: marketLevels(state, at),
    marks: fills?.key === marketKey(at.market, at.symbol) ? fills.marks : [],
    curves,
    panels: panelsOf(candles, known, view, room.height),
    reach: 0.5,
    cursor,
    across: across === null ? null : { price: across, text: `${onStep(across, tick)} ◂` },
    price: (price) => onStep(price, tick),
    ...room,
  };
}

/** The panels below the chart; both only where the candles keep most of the rows. */
function panelsOf(
  candles: readonly Candle[],
  known: ReturnType<typeof curvesOf>,
  { shows }: Pick<MarketScreenView, 'shows'>,
  height: number,
): readonly ChartPanel[] {
  const rows = height >= 36 ? 5 : height >= 20 ? 3 : 2;
  const panels: ChartPanel[] = [];
  const both = height >= 14;
  if (shows.volume && (both || !shows.rsi))
    panels.push({
      name: 'vol',
      values: known.volume.of(candles),
      height: rows,
      as: 'columns',
      text: shortValue,
    });
  if (shows.rsi)
    panels.push({
      name: `RSI ${RSI_LENGTH}`,
      values: known.rsi.of(candles),
      height: rows,
      as: 'line',
      range: RSI_RANGE,
      tone: 'key',
      text: (value) => value.toFixed(1),
    });
  return panels;
}
