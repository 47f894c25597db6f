/** Orders in words: a short form of one, and the notional of several. Pure. */
import type { DeskState } from '../../desk/console/protocol.ts';
import { type Dec, fixed, mul, ONE, ZERO } from '../../domain/decimal.ts';
import type { FillRecord, OrderView } from '../../domain/order.ts';
import { mainPrice } from '../trading/orders.ts';
import { dayTime, exact, group, onStep, read, signed } from '../ui/format.ts';

/** An order in short: `BUY 0.5 BTCUSDT at 60,500.00`. */
export function orderWords(order: OrderView): string {
  return `${order.side} ${exact(order.origQty)} ${order.symbol} at ${exact(mainPrice(order))}`;
}

/** The summed notional per quote asset: `51,990.50 USDT + 0.12500000 BTC`. */
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
  // A sum below one is an amount of a coin and needs more decimals.
  const places = (sum: Dec): number => (sum > ZERO && sum < ONE ? 8 : 2);
  return [...sums].map(([quote, sum]) => `${group(fixed(sum, places(sum)))} ${quote}`).join(' + ');
}

/**
 * Words for an open trailing stop whose level is not known here: its distance, its activation price, and,
 * where the exchange itself follows the price, since when. Exchanges report that much; none reports the
 * current level in time. Empty: not such an order.
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

/**
 * Realised profit of fills, and that profit less their fees where all fees are in one asset: `PnL +18.94, net
 * +12.38`; null: none.
 */
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
