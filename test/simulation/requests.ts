/** Random order requests around the last price: all types, mostly valid, some that break a rule. */
import type { CreateOrder, Side } from '../../src/schemas/order.ts';
import type { Dice } from './dice.ts';
import { SYMBOLS } from './market.ts';

const KINDS = {
  limit: 30,
  ioc: 4,
  fok: 4,
  gtd: 7,
  iceberg: 5,
  maker: 7,
  market: 10,
  quote: 4,
  stopLimit: 7,
  takeLimit: 5,
  stopMarket: 7,
  takeMarket: 5,
  trailing: 8,
  wrong: 3,
} as const;

/** `last`: price by symbol; `marketTime` for end dates. */
export function randomOrder(
  dice: Dice,
  exchange: string,
  last: (symbol: string) => number,
  marketTime: number,
): CreateOrder {
  const s = dice.pick(SYMBOLS);
  const side: Side = dice.chance(0.5) ? 'BUY' : 'SELL';
  const now = last(s.symbol);
  const price = (off: number) => (now * (1 + off)).toFixed(s.priceDigits);
  /** A price on the side where the order waits (buy below, sell above), or beyond the market. */
  const away = (from: number, to: number) => (side === 'BUY' ? -1 : 1) * dice.between(from, to);
  const notional = dice.chance(0.03) ? 500_000 : dice.between(20, dice.chance(0.2) ? 15_000 : 1_500);
  const quantity = (notional / now).toFixed(s.quantityDigits);
  const base = { exchange, symbol: s.symbol, side, quantity };
  const kind = dice.weighted(KINDS);
  switch (kind) {
    case 'limit':
      return { ...base, type: 'LIMIT', price: price(away(-0.001, 0.006)) };
    case 'ioc':
    case 'fok':
      return {
        ...base,
        type: 'LIMIT',
        price: price(away(-0.003, 0.001)),
        timeInForce: kind === 'ioc' ? 'IOC' : 'FOK',
      };
    case 'gtd':
      return {
        ...base,
        type: 'LIMIT',
        price: price(away(-0.001, 0.006)),
        timeInForce: 'GTD',
        goodTillDate: Math.floor(marketTime) + dice.int(500, 30_000),
      };
    case 'iceberg':
      return {
        ...base,
        type: 'LIMIT',
        price: price(away(-0.001, 0.003)),
        icebergQty: (notional / now / dice.int(2, 6)).toFixed(s.quantityDigits),
      };
    case 'maker':
      return { ...base, type: 'LIMIT_MAKER', price: price(away(-0.0005, 0.004)) };
    case 'market':
      return { ...base, type: 'MARKET' };
    case 'quote': {
      const { quantity: _, ...rest } = base;
      return { ...rest, type: 'MARKET', quoteOrderQty: dice.between(10, 2_000).toFixed(2) };
    }
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
    case 'trailing': {
      const start = dice.int(0, 2);
      return {
        ...base,
        type: 'STOP_MARKET',
        trailingDelta: dice.int(10, 60),
        ...(start === 1 ? { activationPrice: price(away(0, 0.002)) } : {}),
        ...(start === 2 ? { percentPrice: dice.between(0.01, 0.2).toFixed(2) } : {}),
      };
    }
    case 'wrong':
      return {
        ...base,
        type: 'LIMIT',
        price: dice.pick(['0.001', '1', price(0.0000001), '99999999']),
        stopPrice: '1',
      };
  }
}

/** Prices for a split around the last price. */
export function splitPrices(dice: Dice, symbol: string, side: Side, last: number): string[] {
  const digits = SYMBOLS.find((s) => s.symbol === symbol)?.priceDigits ?? 2;
  const sign = side === 'BUY' ? -1 : 1;
  return Array.from({ length: dice.int(2, 5) }, () =>
    (last * (1 + sign * dice.between(-0.0005, 0.005))).toFixed(digits),
  );
}
