/** Orders in words: one of them in short, and what several are worth. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type Dec, fixed, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { FillRecord, OrderView } from '../../domain/order.ts';
import { mainPrice } from '../trading/orders.ts';
import { dayTime, exact, group, onStep, read, signed } from '../ui/format.ts';

/** `BUY 0.5 BTCUSDT at 60,500.00`. */
export function orderWords(order: OrderView): string {
  return `${order.side} ${exact(order.origQty)} ${order.symbol} at ${exact(mainPrice(order))}`;
}

/** The notional of all, quote by quote: `51,990.50 USDT + 0.12500000 BTC`. */
export function notionals(
  { instruments }: Pick<DeskState, 'instruments'>,
  orders: readonly OrderView[],
): string {
  const rules = new Map(instruments.map((entry) => [`${entry.exchange} ${entry.symbol}`, entry]));
  const sums = new Map<string, Dec>();
  for (const order of orders) {
    const quantity = read(order.origQty);
    const price = read(mainPrice(order));
    const quote = rules.get(`${order.exchange} ${order.symbol}`)?.quote ?? `in the quote of ${order.symbol}`;
    const value = quantity === null || price === null ? ZERO : mul(quantity, price);
    sums.set(quote, (sums.get(quote) ?? ZERO) + value);
  }
  // Less than one is an amount of a coin.
  const places = (sum: Dec): number => (sum > ZERO && sum < ONE ? 8 : 2);
  return [...sums].map(([quote, sum]) => `${group(fixed(sum, places(sum)))} ${quote}`).join(' + ');
}

/**
 * Of an open trailing stop of which no level is known here: by how much it trails, from which price on, and, where its exchange follows
 * the price itself, since when. Exchanges say that much; none says in time where it fires now. Empty: not such an order.
 */
export function trailWords(
  { trailing, trail, held, specific }: Pick<OrderView, 'trailing' | 'trail' | 'held' | 'specific'>,
  tick: string | undefined,
): string {
  if (!trailing || trail) return '';
  const from = typeof specific.activationPrice === 'string' ? specific.activationPrice : null;
  const way = `${trailing.delta / 100} %${from === null ? '' : ` from ${onStep(from, tick)} on`}`;
  if (!held && trailing.time > 0)
    return `${way}, by the exchange since ${dayTime(trailing.time).slice(0, 11)}; level at exchange`;
  return held || from !== null ? `${way}, not armed yet` : `${way}, by the exchange; level at exchange`;
}

/** `PnL +18.94, net +12.38`: what fills have realised, and that less their fees where those are of one asset; null: nothing. */
export function profitWords(fills: readonly FillRecord[]): string | null {
  let profit = ZERO;
  let fees = ZERO;
  for (const { rPnl, comm } of fills) {
    profit += read(rPnl) ?? ZERO;
    fees += read(comm) ?? ZERO;
  }
  if (profit === ZERO) return null;
  const assets = new Set(fills.map(({ commAsset }) => commAsset));
  const net = assets.size === 1 ? `, net ${signed(profit - fees, 2)}` : '';
  return `PnL ${signed(profit, 2)}${net}`;
}
