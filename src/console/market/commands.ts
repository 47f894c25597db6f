/**
 * The market screen: opening it for a symbol, choosing its candles and curves, the crosshair, and opening a
 * ticket from it.
 */
import { marketKey, marketOf } from '../../domain/exchange.ts';
import type { OrderView } from '../../domain/order.ts';
import { showScreen } from '../app/navigation.ts';
import { deskState, type Session, say } from '../app/session.ts';
import { notAmendable } from '../orders/amend/amend-form.ts';
import { openAmendOf } from '../orders/amend/commands.ts';
import { openTicket } from '../orders/ticket/commands.ts';
import { bodyRows, type UiState } from '../state/ui.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { isOpen, mainPrice } from '../trading/orders.ts';
import { marketAt } from '../trading/prices.ts';
import { selectedPrice } from '../trading/watch.ts';
import { chartGrid, movedCursor } from '../ui/chart-price.ts';
import { placesOf } from '../ui/format.ts';
import { candlesOf, marketChart } from './market-chart.ts';
import { marketBoxes } from './market-lines.ts';
import { type ChartShows, EMA_LENGTHS, FRAMES, type MarketScreenView } from './market-view.ts';

function patch(session: Session, change: Partial<MarketScreenView>): void {
  session.ui.setState((ui) => ({ market: { ...ui.market, ...change } }));
}

/** Opens the screen for a symbol, as the account trades it. */
export function openMarket(session: Session, exchange: string, symbol: string): void {
  const state = deskState(session);
  if (!state) return;
  const market = marketAt(state.accounts, exchange) ?? '';
  const known = state.accounts.some(({ id }) => id === exchange);
  const own = known ? exchange : accountFor(session, market, symbol);
  if (own === undefined || !instrumentOf(state.instruments, { exchange: own, symbol })) {
    say(session, `no account here trades ${symbol}`, 'warn');
    return;
  }
  session.ui.setState((ui) => ({
    market: {
      ...ui.market,
      at: { market, symbol, exchange: own },
      from: ui.screen === 'market' ? ui.market.from : ui.screen,
      ...NEWEST,
      refusal: null,
    },
  }));
  showScreen(session, 'market');
}

const NEWEST = { cursor: null, across: null } as const;

/** Opens the screen for a symbol of a market, with the first account that trades it there. */
export function openMarketOf(
  session: Session,
  price: { readonly market: string; readonly symbol: string },
): void {
  const exchange = accountFor(session, price.market, price.symbol);
  if (exchange === undefined) say(session, `no account here trades ${price.symbol}`, 'warn');
  else openMarket(session, exchange, price.symbol);
}

function accountFor(session: Session, market: string, symbol: string): string | undefined {
  return accountsOf(session, market, symbol)[0];
}

/** Accounts that trade a symbol of a market. */
function accountsOf(session: Session, market: string, symbol: string): readonly string[] {
  const state = deskState(session);
  return (state?.accounts ?? [])
    .filter((account) => marketOf(account) === market)
    .map(({ id }) => id)
    .filter((exchange) => instrumentOf(state?.instruments ?? [], { exchange, symbol }) !== undefined);
}

/** Opens the symbol under the cursor of the place in view; without one the symbol of the watchlist. */
export function openShownMarket(session: Session): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  if (!state) return;
  const place = ui.parts.places[ui.screen].view?.(ui) ?? ui.screen;
  const row = ui.parts.places[place].market?.(state, ui);
  const watched = selectedPrice(state, ui);
  if (row) openMarket(session, row.exchange, row.symbol);
  else if (watched && place === 'overview') openMarketOf(session, watched);
  else say(session, 'no symbol is selected', 'warn');
}

/** Handles Escape: removes the crosshair first, then leaves the screen. */
export function leaveMarket(session: Session): void {
  const { market } = session.ui.getState();
  if (market.cursor !== null || market.across !== null) patch(session, NEWEST);
  else showScreen(session, market.from);
}

/** Switches to the next account that trades the same symbol here: a new ticket begins with it. */
export function nextAccount(session: Session): void {
  const { at } = session.ui.getState().market;
  if (!at) return;
  const all = accountsOf(session, at.market, at.symbol);
  const exchange = all[(all.indexOf(at.exchange) + 1) % all.length];
  if (exchange === undefined || exchange === at.exchange) say(session, 'no other account trades it');
  else patch(session, { at: { ...at, exchange } });
}

export function stepFrame(session: Session, by: -1 | 1): void {
  const { frameMs } = session.ui.getState().market;
  const at = FRAMES.findIndex(({ ms }) => ms === frameMs) + by;
  const next = FRAMES[at];
  if (next) patch(session, { frameMs: next.ms, cursor: null });
  else say(session, by < 0 ? 'there are no shorter candles' : 'there are no longer candles');
}

export function toggle(session: Session, what: keyof Omit<ChartShows, 'ema'>): void {
  const { shows } = session.ui.getState().market;
  patch(session, { shows: { ...shows, [what]: !shows[what] } });
}

/** Switches the averages: none, then one more with each press. */
export function nextEma(session: Session): void {
  const { shows } = session.ui.getState().market;
  const ema = (shows.ema + 1) % (EMA_LENGTHS.length + 1);
  patch(session, { shows: { ...shows, ema } });
  const names = EMA_LENGTHS.slice(0, ema).join(', ');
  say(session, ema === 0 ? 'no averages' : `averages of ${names} candles`);
}

/** The cells left for the screen beside a docked ticket. */
export function roomOf(ui: UiState) {
  const dock = ui.parts.places.market.dock?.(ui) ?? 0;
  return { width: ui.columns - dock, height: bodyRows(ui) };
}

/** Moves the crosshair by candles; without one it starts at the newest. */
export function moveAlong(session: Session, by: number): void {
  const state = deskState(session);
  const { market } = session.ui.getState();
  if (!state) return;
  const candles = candlesOf(state, market);
  const cursor = movedCursor(candles, market.cursor, by);
  if (cursor === null) return;
  const close = candles.findLast(({ time }) => time <= cursor)?.close ?? null;
  patch(session, { cursor, across: market.across ?? close });
}

/**
 * Moves the crosshair's price by rows of the chart; without one it starts at the last price; an infinite step
 * goes to the edge.
 */
export function moveAcross(session: Session, rows: number): void {
  const state = deskState(session);
  const ui = session.ui.getState();
  const { market } = ui;
  if (!state || !market.at) return;
  const chart = marketChart(state, market, marketBoxes(state, market, roomOf(ui)).chart);
  const grid = chart && chartGrid(chart);
  if (!grid) return;
  const last = state.prices[marketKey(market.at.market, market.at.symbol)]?.last;
  const from = Number(market.across ?? last ?? grid.low);
  const step = (grid.high - grid.low) / Math.max(1, grid.rows - 1);
  const to = Math.min(grid.high, Math.max(grid.low, Number.isFinite(rows) ? from - rows * step : -rows));
  patch(session, { across: onTick(to, instrumentOf(state.instruments, market.at)?.tickSize) });
}

/** A price of the chart rounded to the tick size, valid for an order. */
function onTick(price: number, tick: string | undefined): string {
  const places = placesOf(tick) ?? 8;
  const step = Number(tick ?? 0);
  const value = step > 0 ? Math.round(price / step) * step : price;
  return Math.max(0, value).toFixed(places);
}

/**
 * Opens the form for the amendable order of this account nearest to the crosshair, without a crosshair to the
 * last price.
 */
export function amendHere(session: Session): void {
  const state = deskState(session);
  const { at, across } = session.ui.getState().market;
  if (!state || !at) return;
  const open = Object.values(state.orders).filter(
    (order) => order.exchange === at.exchange && order.symbol === at.symbol && isOpen(order),
  );
  const price = Number(across ?? state.prices[marketKey(at.market, at.symbol)]?.last ?? 0);
  const distance = (order: OrderView): number => Math.abs(Number(mainPrice(order) ?? 0) - price);
  const [nearest] = open
    .filter((order) => notAmendable(order) === null)
    .sort((a, b) => distance(a) - distance(b) || (a.id < b.id ? -1 : 1));
  if (!nearest) {
    const [one] = open;
    const none = `nothing to change: no order of ${at.exchange} rests here`;
    say(session, (one && notAmendable(one)) ?? none, 'warn');
    return;
  }
  openAmendOf(session, nearest);
  if (open.length > 1)
    say(session, `the nearest of ${open.length} orders here; the crosshair points at others`);
}

/** Opens a ticket for the symbol in view, with the price under the crosshair. */
export function tradeHere(session: Session): void {
  if (session.ui.getState().market.at) openTicket(session);
}
