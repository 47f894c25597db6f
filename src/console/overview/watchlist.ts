/** Columns of the watchlist, with the distance to the nearest own orders on both sides. Pure. */
import type { AccountView, PriceView } from '../../desk/console/protocol.ts';
import { marketKey } from '../../domain/exchange.ts';
import type { OrderView } from '../../domain/order.ts';
import type { Column } from '../lists/table.ts';
import { isOpen, mainPrice } from '../trading/orders.ts';
import { keyOfMarket } from '../trading/prices.ts';
import { onStep, percent, percentChange, read } from '../ui/format.ts';
import { sparkline } from '../ui/glyphs.ts';
import { span } from '../ui/line.ts';

/** Prices of the nearest own orders of a market: the highest buy, the lowest sell. */
export interface Nearest {
  readonly buy: string | null;
  readonly sell: string | null;
}

/** The nearest orders by `marketKey`. */
export function nearestOrders(
  orders: Readonly<Record<string, OrderView>>,
  accounts: readonly AccountView[],
): ReadonlyMap<string, Nearest> {
  const keyOf = keyOfMarket(accounts);
  const found = new Map<string, { buy: string | null; sell: string | null }>();
  for (const order of Object.values(orders)) {
    if (!isOpen(order)) continue;
    const price = mainPrice(order);
    const value = read(price);
    if (value === null) continue;
    const entry = found.get(keyOf(order)) ?? { buy: null, sell: null };
    const best = read(order.side === 'BUY' ? entry.buy : entry.sell);
    if (order.side === 'BUY' && (best === null || value > best)) entry.buy = price;
    if (order.side === 'SELL' && (best === null || value < best)) entry.sell = price;
    found.set(keyOf(order), entry);
  }
  return found;
}

/** The columns. Tick sizes and nearest orders by `marketKey`; `named`: each row names its market. */
export function watchColumns(
  ticks: ReadonlyMap<string, string>,
  nearest: ReadonlyMap<string, Nearest>,
  named: boolean,
): readonly Column<PriceView>[] {
  return [
    { title: 'symbol', width: 12, priority: 1, cell: (price) => span(price.symbol) },
    ...(named ? [MARKET] : []),
    {
      title: 'last',
      width: 13,
      align: 'right',
      priority: 2,
      cell: (price) => span(onStep(price.last, ticks.get(keyOf(price)))),
    },
    { title: '24 h', width: 11, align: 'right', priority: 3, cell: dayChange },
    {
      title: '1 h',
      width: 12,
      grow: 1,
      priority: 4,
      cell: (price, width) => span(sparkline(price.spark, Math.min(60, width)), slope(price.spark)),
    },
    {
      title: 'own BUY',
      width: 9,
      align: 'right',
      priority: 5,
      cell: (price) => distance(price.last, nearest.get(keyOf(price))?.buy, 'buy'),
    },
    {
      title: 'own SELL',
      width: 9,
      align: 'right',
      priority: 6,
      cell: (price) => distance(price.last, nearest.get(keyOf(price))?.sell, 'sell'),
    },
  ];
}

const MARKET: Column<PriceView> = {
  title: 'market',
  width: 15,
  priority: 2,
  cell: ({ market }) => span(market, 'muted'),
};

function keyOf({ market, symbol }: PriceView): string {
  return marketKey(market, symbol);
}

function dayChange(price: PriceView) {
  if (price.stale !== undefined) return span('! stale', 'danger');
  const change = percentChange(price.open24h, price.last);
  if (change === null) return span('–', 'muted');
  const sign = change > 0n ? '▲' : change < 0n ? '▼' : ' ';
  return span(`${sign} ${percent(change)}`, change > 0n ? 'up' : change < 0n ? 'down' : 'muted');
}

function slope(values: readonly number[]): 'up' | 'down' | 'muted' {
  const first = values[0];
  const last = values.at(-1);
  if (first === undefined || last === undefined || first === last) return 'muted';
  return last > first ? 'up' : 'down';
}

function distance(last: string, price: string | null | undefined, tone: 'buy' | 'sell') {
  const change = percentChange(last, price);
  return change === null ? span('–', 'muted') : span(percent(change), tone);
}
