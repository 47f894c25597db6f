/**
 * Random orders and settings of the futures account: opening, closing, stops, trailing; some break a rule.
 */
import type { Setting } from '../../src/domain/position.ts';
import type { CreateOrder, Side } from '../../src/schemas/order.ts';
import type { Dice } from './dice.ts';
import { SYMBOLS } from './market.ts';
import type { FuturesPlan } from './plan.ts';

const KINDS = {
  limit: 16,
  market: 20,
  ioc: 3,
  fok: 3,
  gtd: 6,
  maker: 6,
  stopLimit: 4,
  takeLimit: 3,
  stopMarket: 6,
  takeMarket: 4,
  trailing: 8,
  reduceLimit: 6,
  reduceMarket: 6,
  reduceGtd: 3,
  closeMarket: 5,
  closeStop: 7,
  closeTake: 3,
  closeTrailing: 3,
  marginType: 5,
  wrong: 3,
} as const;

/** What a client knows about the account, which may be out of date. */
export interface FuturesView {
  readonly exchange: string;
  readonly hedge: boolean;
  readonly wallet: number;
  readonly leverage: (symbol: string) => number;
  /** Its positions with signed sizes. */
  readonly positions: readonly { readonly symbol: string; readonly amount: number }[];
  readonly last: (symbol: string) => number;
  readonly marketTime: number;
}

export function randomFuturesOrder(dice: Dice, plan: FuturesPlan, view: FuturesView): CreateOrder {
  // A greedy client opens with its whole buying power, and is liquidated.
  const greedy = dice.chance(plan.greed > 0.5 ? 0.4 : 0);
  const kind = greedy ? 'market' : dice.weighted(KINDS);
  const closes = kind.startsWith('reduce') || kind.startsWith('close');
  const held =
    view.positions.length > 0 && dice.chance(closes || greedy ? 0.9 : 0.3) ? dice.pick(view.positions) : null;
  const s = (held && SYMBOLS.find(({ symbol }) => symbol === held.symbol)) || dice.pick(SYMBOLS);
  const now = view.last(s.symbol);
  const closing: Side = (held?.amount ?? 0) > 0 ? 'SELL' : 'BUY';
  const adding: Side = closing === 'BUY' ? 'SELL' : 'BUY';
  const drawn = dice.pick(['BUY', 'SELL'] as const);
  const side: Side = !held || !(closes || greedy) ? drawn : closes ? closing : adding;
  // Most clients know the mode of the account.
  const hedge = dice.chance(0.97) ? view.hedge : !view.hedge;
  const long = closes ? side === 'SELL' : dice.chance(0.75) === (side === 'BUY');
  const price = (off: number) => (now * (1 + off)).toFixed(s.priceDigits);
  const away = (from: number, to: number) => (side === 'BUY' ? -1 : 1) * dice.between(from, to);
  const power = Math.max(view.wallet, 0) * view.leverage(s.symbol);
  const notional = Math.max(power * dice.between(0.01, plan.greed), dice.chance(0.9) ? 130 : 1);
  const size = closes && held ? Math.abs(held.amount) * dice.pick([0.3, 1, 1, 2]) : notional / now;
  const quantity = Math.max(size, 0.001).toFixed(3);
  const general = {
    exchange: view.exchange,
    symbol: s.symbol,
    side,
    ...(hedge ? { positionSide: long ? ('LONG' as const) : ('SHORT' as const) } : {}),
    ...(dice.chance(0.5) ? { workingType: dice.pick(['MARK_PRICE', 'CONTRACT_PRICE'] as const) } : {}),
    // A margin type is refused while the symbol has a position or an order; otherwise the order waits for the
    // change.
    ...(dice.chance(0.08) ? { marginType: dice.pick(['ISOLATED', 'CROSSED'] as const) } : {}),
  };
  const base = { ...general, quantity };
  // In hedge mode the side closes a position; one in ten sends reduceOnly all the same.
  const reducing = { ...base, ...(hedge && dice.chance(0.9) ? {} : { reduceOnly: true }) };
  const end = () => ({
    timeInForce: 'GTD' as const,
    goodTillDate: Math.floor(view.marketTime) + dice.int(500, 30_000),
  });
  switch (kind) {
    case 'limit':
      return { ...base, type: 'LIMIT', price: price(away(-0.001, 0.006)) };
    case 'market':
      return { ...base, type: 'MARKET' };
    case 'ioc':
      return { ...base, type: 'LIMIT', price: price(away(-0.003, 0.001)), timeInForce: 'IOC' };
    case 'fok':
      return { ...base, type: 'LIMIT', price: price(away(-0.003, 0.001)), timeInForce: 'FOK' };
    case 'gtd':
      return { ...base, type: 'LIMIT', price: price(away(-0.001, 0.006)), ...end() };
    case 'maker':
      return { ...base, type: 'LIMIT_MAKER', price: price(away(-0.0005, 0.004)) };
    case 'stopLimit':
      return {
        ...base,
        type: 'STOP_LIMIT',
        stopPrice: price(-away(0.0003, 0.004)),
        price: price(-away(0, 0.005)),
      };
    case 'takeLimit':
      return {
        ...base,
        type: 'TAKE_PROFIT_LIMIT',
        stopPrice: price(away(0.0003, 0.004)),
        price: price(away(-0.001, 0.005)),
      };
    case 'stopMarket':
      return { ...base, type: 'STOP_MARKET', stopPrice: price(-away(0.0003, 0.004)) };
    case 'takeMarket':
      return { ...base, type: 'TAKE_PROFIT_MARKET', stopPrice: price(away(0.0003, 0.004)) };
    case 'trailing':
    case 'closeTrailing':
      return {
        ...(kind === 'trailing' ? base : reducing),
        type: 'STOP_MARKET',
        trailingDelta: dice.int(10, 60),
        ...(dice.chance(0.4) ? { activationPrice: price(away(0, 0.002)) } : {}),
      };
    case 'reduceLimit':
      return { ...reducing, type: 'LIMIT', price: price(away(-0.001, 0.003)) };
    case 'reduceGtd':
      return { ...reducing, type: 'LIMIT', price: price(away(-0.001, 0.006)), ...end() };
    case 'reduceMarket':
      return { ...reducing, type: 'MARKET' };
    case 'closeMarket':
      return { ...general, type: 'MARKET', closePosition: true };
    case 'closeStop':
      return { ...general, type: 'STOP_MARKET', closePosition: true, stopPrice: price(-away(0.0003, 0.004)) };
    case 'closeTake':
      return {
        ...general,
        type: 'TAKE_PROFIT_MARKET',
        closePosition: true,
        stopPrice: price(away(0.0003, 0.004)),
      };
    case 'marginType':
      return {
        ...base,
        ...(dice.chance(0.5)
          ? { type: 'MARKET' as const }
          : { type: 'LIMIT' as const, price: price(away(0, 0.003)) }),
        marginType: dice.pick(['ISOLATED', 'CROSSED'] as const),
      };
    case 'wrong':
      return {
        ...base,
        type: 'LIMIT',
        price: dice.pick(['0.001', '1', price(0.0000001), '99999999']),
        stopPrice: '1',
      };
  }
}

/** Whether a client changes a setting now: most set their leverage before they trade. */
export function wantsSetting(dice: Dice, plan: FuturesPlan, view: FuturesView): boolean {
  const set = SYMBOLS.some(({ symbol }) => plan.leverages.includes(view.leverage(symbol)));
  return dice.chance(set ? 0.1 : 0.6);
}

export function randomSetting(dice: Dice, plan: FuturesPlan, hedge: boolean): Setting {
  const { symbol } = dice.pick(SYMBOLS);
  const marginType = dice.pick(['ISOLATED', 'CROSSED'] as const);
  if (dice.chance(plan.hedge)) return { kind: 'hedgeMode', on: dice.chance(0.8) ? !hedge : hedge };
  if (dice.chance(0.05)) return { kind: 'marginMode', mode: dice.pick([1, 2, 3] as const) };
  if (dice.chance(0.25)) return { kind: 'marginType', symbol, marginType };
  const leverage = dice.chance(0.03) ? 200 : dice.pick(plan.leverages);
  return { kind: 'leverage', symbol, leverage, ...(dice.chance(0.2) ? { marginType } : {}) };
}
