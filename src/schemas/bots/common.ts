/**
 * Single fields that several bot types share (specification, "Common trader fields"; strategies.md 2). No
 * logic.
 */
import { Type } from 'typebox';
import { described } from '../described.ts';
import { MarginType, MarketName, Name, PositionSide } from '../order.ts';
import { Deposit, Filters, Orders, Ranges, StartTrigger, Timeouts } from './blocks.ts';
import { choice, flag, integer, text } from './parts.ts';
import { Stops } from './stop.ts';

/** Symbol as an object: for all types except ALGO and NOTIFY. */
export const SymbolPair = Type.Object(
  {
    base: described(MarketName, 'Asset that is bought and sold.'),
    quote: described(MarketName, 'Asset that it is priced in.'),
  },
  { description: 'The pair.' },
);

export const Ticker = Type.Optional(
  described(MarketName, 'Symbol of the exchange, when it is not base and quote joined.'),
);

/** Fields of every type. */
export function everyBot(type: string) {
  return {
    type: Type.Optional(Type.Literal(type, { description: "The bot's type; may be left out." })),
    exchange: described(Name, 'Exchange account.'),
    name: Type.Optional(text('A name of your own.', 200)),
    noticeLevel: Type.Optional(
      integer('0 nothing, 1 errors, stops and the end of a run, 2 also fills and cycles, 3 everything.', {
        minimum: 0,
        maximum: 3,
        default: 2,
      }),
    ),
    timeout: Type.Optional(Timeouts),
  };
}

/** Fields of every type that trades. */
export function everyTrader(type: string) {
  return {
    ...everyBot(type),
    positionSide: Type.Optional(
      described(PositionSide, 'Needed in hedge mode: LONG, or SHORT with short. One-way mode: BOTH.'),
    ),
    marginType: Type.Optional(described(MarginType, 'Futures: set before the first order.')),
    filters: Type.Optional(Filters),
    range: Type.Optional(Ranges),
    startTrigger: Type.Optional(StartTrigger),
  };
}

/** Fields of FIBO, CHANNEL, SQUEEZE, INTRADAY. `onetime`: its default. */
export function everyStrategy(type: string, onetime: boolean) {
  return {
    ...everyTrader(type),
    symbol: SymbolPair,
    ticker: Ticker,
    deposit: Deposit,
    orders: Type.Optional(Orders),
    stop: Type.Optional(Stops),
    short: Type.Optional(flag('Mirrored: sells first, buys back lower. Needs a futures or swap account.')),
    onetime: Type.Optional(flag('Stop after the first full cycle.', onetime)),
    profitAsset: Type.Optional(
      choice(
        'quote: all is sold. base: only what brings the cost back is sold, the rest is kept.',
        ['quote', 'base'] as const,
        'quote',
      ),
    ),
  };
}
