/**
 * Price alerts: for each the desk makes a bot that watches one price, and deletes it once it has fired. How
 * that bot is made, and the rows of the waiting alerts. Pure.
 */
import type { BotView, DeskState } from '../../desk/console/protocol.ts';
import type { NewBot } from '../../domain/bot.ts';
import { str } from '../../domain/decimal.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { ALERT_TYPE, wordsOf } from '../../schemas/bots/index.ts';
import { type PriceFacts, resolvePrice } from '../entry/prices.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { byText, falling, type ListView, listed, memoizeLast, newList } from '../lists/rows.ts';
import { symbolOf } from '../trading/bots.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { type Prices, priceOf } from '../trading/prices.ts';
import { onStep, percent, percentChange, read } from '../ui/format.ts';

/** A waiting price alert. `id`: the id of its bot. */
export interface PriceAlert {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly price: string;
  readonly createdAt: number;
}

export interface PriceAlertForm {
  readonly kind: 'price-alert';
  readonly exchange: string;
  readonly symbol: string;
  readonly value: string;
  /** A request is under way. */
  readonly busy: boolean;
  readonly refusal: string | null;
}

export const PRICE_ALERT_SORTS = ['symbol', 'price', 'made'] as const;
export type PriceAlertSort = (typeof PRICE_ALERT_SORTS)[number];

export interface PriceAlertsView extends ListView<PriceAlertSort> {
  /** The list is shown in place of the alerts. */
  readonly open: boolean;
}

export const FIRST_PRICE_ALERTS: PriceAlertsView = { ...newList<PriceAlertSort>('symbol'), open: false };

// --- one alert ---

type World = Prices & Pick<DeskState, 'instruments'>;

/** What the typed text means. `last`: null while unknown. `problem`: what is wrong with a typed text. */
export interface ResolvedAlert {
  readonly instrument: Instrument | undefined;
  readonly last: string | null;
  readonly price: string | null;
  /** The alert fires when the price rises to it; false: when it falls to it. */
  readonly above: boolean;
  /** Distance from the last price, as percent. */
  readonly distance: string;
  readonly problem: string | null;
}

export function resolveAlert(state: World, { exchange, symbol, value }: PriceAlertForm): ResolvedAlert {
  const instrument = instrumentOf(state.instruments, { exchange, symbol });
  const last = priceOf(state, exchange, symbol)?.last ?? null;
  const none = { instrument, last, price: null, above: false, distance: '' };
  if (!instrument) return { ...none, problem: `${exchange} does not trade ${symbol}` };
  if (last === null) return { ...none, problem: 'no price is known yet: nothing says whether it is above' };
  const facts: PriceFacts = {
    side: 'BUY',
    tickSize: instrument.tickSize,
    last,
    mark: null,
    bid: null,
    ask: null,
  };
  const meant = resolvePrice(value, facts);
  if (meant?.price == null) return { ...none, problem: meant?.problem ?? null };
  const [at, now] = [read(meant.price) ?? 0n, read(last) ?? 0n];
  const known = { ...none, price: str(at), distance: percent(percentChange(last, meant.price)) };
  if (at <= 0n) return { ...known, price: null, problem: 'a price is more than nothing' };
  if (at === now) return { ...known, price: null, problem: 'that is the price now' };
  return { ...known, above: at > now, problem: null };
}

/** The bot that implements a price alert. */
export function alertBot(market: Instrument, price: string): NewBot {
  return { type: ALERT_TYPE, settings: { ...wordsOf(ALERT_TYPE).alert?.settings(market, price) } };
}

/** Returns the price of a bot that was made for a price alert; null for all other bots. */
function alertPrice({ type, options, settings }: BotView): string | null {
  return options?.managed === true ? (wordsOf(type).alert?.price(settings) ?? null) : null;
}

// --- the waiting alerts ---

const lastAlerts = memoizeLast<readonly PriceAlert[]>();

export function priceAlerts({ bots }: Pick<DeskState, 'bots'>): readonly PriceAlert[] {
  return lastAlerts([bots], () =>
    Object.values(bots)
      .flatMap((bot): PriceAlert[] => {
        const price = alertPrice(bot);
        const { id, exchange, createdAt } = bot;
        return price === null ? [] : [{ id, exchange, symbol: symbolOf(bot), price, createdAt }];
      })
      .sort((a, b) => byText(a.symbol, b.symbol) || falling(read(a.price), read(b.price))),
  );
}

const lastShown = memoizeLast<readonly PriceAlert[]>();

export function shownPriceAlerts(
  { bots, instruments }: Pick<DeskState, 'bots' | 'instruments'>,
  view: PriceAlertsView,
): readonly PriceAlert[] {
  return lastShown([bots, instruments, view.filter, view.sort, view.reverse], () =>
    listed([...priceAlerts({ bots })], view, {
      text: ({ symbol, exchange }) => `${symbol} ${exchange}`,
      prices: (alert) => [priceText(alert, instruments)],
      compare: {
        symbol: null,
        price: (a, b) => falling(read(a.price), read(b.price)),
        made: (a, b) => b.createdAt - a.createdAt,
      },
    }),
  );
}

export function selectedPriceAlert(
  state: Pick<DeskState, 'bots' | 'instruments'>,
  view: PriceAlertsView,
): PriceAlert | null {
  const rows = shownPriceAlerts(state, view);
  return rows[selectedIndex(rows, view.selection)] ?? null;
}

export function priceText(alert: PriceAlert, instruments: readonly Instrument[]): string {
  return onStep(alert.price, instrumentOf(instruments, alert)?.tickSize);
}

declare module '../state/ui.ts' {
  interface Views {
    readonly 'price-alerts': true;
  }
  interface Lists {
    readonly 'price-alerts': PriceAlertsView;
  }
  interface Dialogs {
    readonly 'price-alerts': PriceAlertForm;
  }
}
