/**
 * Schemas of the blocks that bot types share: deposit, orders, timeout, filters, range, start trigger
 * (specification, "Shared bot configuration blocks"; strategies.md 2). Descriptions are the help texts of the
 * console's form. No logic.
 */
import { Type } from 'typebox';
import { described } from '../described.ts';
import { MarketName, Name } from '../order.ts';
import {
  choice,
  decimal,
  duration,
  frame,
  integer,
  LAST_TIME,
  oneOrMany,
  POSITIVE,
  priceLine,
} from './parts.ts';

/** Values of a candle that a rule may use. */
export const EDGES = ['open', 'close', 'high', 'low', 'hl2', 'oc2', 'hlc3', 'ohlc4'] as const;
export const DIRECTIONS = ['up', 'down', 'both'] as const;
/** Number of candles that an indicator or a mean may go back; the market keeps no more. */
export const MAX_LOOKBACK = 500;

export const Deposit = Type.Object(
  {
    value: decimal('Amount, or percent of the free balance with strategy percent.', POSITIVE),
    asset: Type.String({ description: 'Quote asset on spot, margin asset on futures.' }),
    strategy: Type.Optional(
      choice(
        'fixed: value is an amount. percent: value is a percent of the free balance at the start.',
        ['fixed', 'percent'] as const,
        'fixed',
      ),
    ),
    min: Type.Optional(decimal('Least amount that percent may come to.', POSITIVE)),
    max: Type.Optional(decimal('Largest amount that percent may come to.', POSITIVE)),
    allocate: Type.Optional(
      choice(
        'reserve: all of it is kept for the bot from start to end. auto: only what open orders and the position need at the moment. no_reserve: nothing; an order that the balance does not cover is skipped and tried again.',
        ['reserve', 'auto', 'no_reserve'] as const,
        'reserve',
      ),
    ),
    leverage: Type.Optional(
      integer('Futures: leverage of the symbol, set before the first order; value is margin.', {
        minimum: 1,
        maximum: 125,
      }),
    ),
  },
  { description: 'What the bot may use.' },
);

const way = {
  type: Type.Optional(
    choice(
      'MARKET: nothing rests; at the level a MARKET order goes out. LIMIT with a price: at the level a LIMIT order goes out, price percent worse than the current price. Left out: as the strategy does by itself.',
      ['MARKET', 'LIMIT'] as const,
    ),
  ),
  price: Type.Optional(
    decimal('LIMIT: percent worse than the current price; 0 means as MARKET.', {
      minimum: 0,
      exclusiveMaximum: 100,
      default: '0',
    }),
  ),
  size: Type.Optional(
    integer('Number of orders that one quantity is divided over.', { minimum: 1, maximum: 100, default: 1 }),
  ),
};
export const BuyWay = Type.Object(way, { description: 'How entries go out.' });
export const SellWay = Type.Object(
  {
    ...way,
    priceStrategy: Type.Optional(
      choice(
        'fixed: the target is computed once, when the lot was bought. dynamic: one target of the whole position follows its average entry. trailing: at the target the exit is trailed. Left out: as the strategy does by itself.',
        ['fixed', 'dynamic', 'trailing'] as const,
      ),
    ),
  },
  { description: 'How exits go out.' },
);
export const Orders = Type.Object(
  { buy: Type.Optional(BuyWay), sell: Type.Optional(SellWay) },
  { description: 'How orders go out; left out: as the strategy does by itself.' },
);

export const Timeout = Type.Object({
  type: Type.Optional(
    Type.String({ description: 'ttl: the whole life of a run. Any other type is ignored.' }),
  ),
  value: Type.Optional(
    duration('ttl: the run ends that many ms after its start; orders are cancelled, the position is kept.'),
  ),
});
export const Timeouts = oneOrMany(Timeout, 'When a run ends by time.');

const anyPercent = { minimum: -100, maximum: 1_000_000 };
export const Filters = Type.Object(
  {
    volume: Type.Optional(
      Type.Object({
        minVal: Type.Optional(decimal('Least quote volume of the last 24 hours.', { minimum: 0 })),
        percentChange: Type.Optional(
          decimal(
            'Percent by which the volume of the last closed candle must be above the mean of the 20 before it.',
            anyPercent,
          ),
        ),
      }),
    ),
    price: Type.Optional(
      Type.Object({
        minVal: Type.Optional(decimal('Least last price.', { minimum: 0 })),
        percentChange: Type.Optional(
          decimal(
            'Percent of change over 24 hours: at least that much when positive, at most when negative.',
            anyPercent,
          ),
        ),
      }),
    ),
    market: Type.Optional(
      Type.Object({
        rsi: Type.Optional(
          Type.Object({
            period: Type.Optional(
              integer('Candles that RSI is computed over.', {
                minimum: 1,
                maximum: MAX_LOOKBACK,
                default: 14,
              }),
            ),
            timeFrame: Type.Optional(frame("Candles of RSI, ms. Default: the bot's, 60000 if it has none.")),
            min: Type.Optional(decimal('Least RSI.', { minimum: 0, maximum: 100 })),
            max: Type.Optional(decimal('Largest RSI.', { minimum: 0, maximum: 100 })),
          }),
        ),
        trend: Type.Optional(choice('up: EMA 50 above EMA 200. down: below.', ['up', 'down'] as const)),
      }),
    ),
    blacklist: Type.Optional(
      Type.Array(MarketName, { description: 'Symbols that are not entered.', maxItems: 5_000 }),
    ),
  },
  { description: 'Conditions of every entry; all must pass.' },
);

export const Range = Type.Object({
  type: choice(
    "price: the last price. kline_percent: the forming candle's change from its open. scaled_price: the change from the run's first price. trend_percent_price: the distance from the line. All but price in percent.",
    ['price', 'kline_percent', 'scaled_price', 'trend_percent_price'] as const,
  ),
  min: Type.Optional(decimal('Least value at which entries are placed.')),
  max: Type.Optional(decimal('Largest value at which entries are placed.')),
  trend: Type.Optional(priceLine('trend_percent_price: the line.')),
});
export const Ranges = oneOrMany(Range, 'Ranges in which entries are placed; all must hold.');

export const StartTrigger = Type.Object(
  {
    trend: priceLine('The line that the price must cross.'),
    direction: Type.Optional(choice('How it must cross.', DIRECTIONS, 'both')),
  },
  { description: 'Until the price has crossed this line the run stands by: no orders, nothing reserved.' },
);

/** `options` of a bot, beside its settings. */
export const BotOptions = Type.Object(
  {
    restart: Type.Optional(
      Type.Boolean({
        description: 'CHANNEL, SQUEEZE: a run that ended by itself is started anew.',
        default: false,
      }),
    ),
    restartDelay: Type.Optional(
      integer('CHANNEL, SQUEEZE: ms between the end of a run and its restart.', {
        maximum: LAST_TIME,
        default: 1_000,
      }),
    ),
    reuse: Type.Optional(
      Type.Boolean({
        description: "CHANNEL, SQUEEZE: the next cycle's deposit is the deposit plus the run's realised PnL.",
        default: false,
      }),
    ),
  },
  { title: 'BotOptions', description: 'What happens between runs and cycles.' },
);

/** RSI of alerts: a zone above, below, or both. */
export const RsiZone = {
  period: Type.Optional(
    integer('Candles that RSI is computed over.', { minimum: 1, maximum: MAX_LOOKBACK, default: 14 }),
  ),
  above: Type.Optional(decimal('The zone is RSI above this.', { minimum: 0, maximum: 100 })),
  below: Type.Optional(decimal('The zone is RSI below this.', { minimum: 0, maximum: 100 })),
};

export const Lookback = Type.Optional(
  integer('Candles before the last one to compare with.', { minimum: 1, maximum: MAX_LOOKBACK, default: 20 }),
);

/** Fields of ALARM and NOTIFY. */
export const alertFields = {
  message: Type.Optional(
    Type.String({
      description: 'Text of an alert; may hold {symbol}, {price}, {condition} and {time}.',
      minLength: 1,
      maxLength: 1_000,
    }),
  ),
  notify: Type.Optional(
    Type.Array(described(Name, 'console, bell, or the name of a target in the configuration.'), {
      description: 'Who hears of an alert, besides the console: bell, and targets of the configuration.',
      maxItems: 20,
    }),
  ),
};
