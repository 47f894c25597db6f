/**
 * The small chart of the ticket: the last hour of its symbol, with the typed prices and the own orders. Pure.
 */
import type { DeskState, PriceView } from '../../../desk/console/protocol.ts';
import type { Candle } from '../../../domain/rows.ts';
import { isOpen, mainPrice } from '../../trading/orders.ts';
import { keyOfMarket, type Prices, priceOf } from '../../trading/prices.ts';
import { type ChartLevel, priceChart } from '../../ui/chart-price.ts';
import { exact, onStep, read } from '../../ui/format.ts';
import type { Line } from '../../ui/line.ts';
import type { TicketDraft } from './ticket-draft.ts';

const MINUTE_MS = 60_000;
/** Largest number of own orders on the chart. */
const MOST_ORDERS = 8;

/** Closes of minutes as candles: each opens at the close before it. */
export function sparkCandles({ spark, time }: Pick<PriceView, 'spark' | 'time'>): readonly Candle[] {
  const minute = time - (time % MINUTE_MS);
  return spark.map((close, at) => {
    const open = spark[at - 1] ?? close;
    return {
      time: minute - (spark.length - 1 - at) * MINUTE_MS,
      open: String(open),
      high: String(Math.max(open, close)),
      low: String(Math.min(open, close)),
      close: String(close),
      volume: '0',
    };
  });
}

type World = Pick<DeskState, 'orders' | 'instruments'> & Prices;

/** Price levels of the chart: the typed prices, the last price, the own orders. */
export function ticketLevels(state: World, draft: TicketDraft): readonly ChartLevel[] {
  const { symbol, exchange, side } = draft;
  const tick = state.instruments.find(
    (entry) => entry.symbol === symbol && entry.exchange === exchange,
  )?.tickSize;
  const levels: ChartLevel[] = [];
  const add = (price: string | null | undefined, name: string, tone: ChartLevel['tone']) => {
    if (read(price) !== null && price) levels.push({ price, text: onStep(price, tick), name, tone });
  };
  add(draft.price, 'price', side === 'SELL' ? 'sell' : 'buy');
  add(draft.stopPrice, 'stop', 'danger');
  add(draft.activationPrice, 'arms', 'warn');
  add(priceOf(state, exchange, symbol)?.last, 'last', 'title');
  const keyOf = keyOfMarket(state.accounts);
  const own = Object.values(state.orders).filter((order) => isOpen(order) && keyOf(order) === keyOf(draft));
  for (const order of own.slice(0, MOST_ORDERS))
    add(mainPrice(order), `own ${order.side}`, order.side === 'BUY' ? 'buy' : 'sell');
  return levels;
}

/** The chart; empty without a price of the symbol. */
export function ticketChart(
  state: World,
  draft: TicketDraft,
  room: { readonly width: number; readonly height: number },
): readonly Line[] {
  const price = priceOf(state, draft.exchange, draft.symbol);
  if (!price) return [];
  return priceChart({
    candles: sparkCandles(price),
    frameMs: MINUTE_MS,
    levels: ticketLevels(state, draft),
    price: exact,
    ...room,
  });
}
