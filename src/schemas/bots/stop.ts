/**
 * Schemas of stop rules, in the settings and as runtime commands (specification, "stop"; strategies.md 2). No
 * logic.
 */
import { Type } from 'typebox';
import { described } from '../described.ts';
import { WorkingType } from '../order.ts';
import { EDGES } from './blocks.ts';
import {
  choice,
  DECIMAL_PATTERN,
  decimal,
  duration,
  flag,
  frame,
  integer,
  LAST_TIME,
  moment,
  oneOrMany,
  POSITIVE,
  priceLine,
} from './parts.ts';

export const STOP_STRATEGIES = [
  'price',
  'price_percent_buy',
  'trend_percent_price',
  'breakeven',
  'timeout_buy',
  'fixed',
  'trailing',
] as const;

const strategy = choice(
  'price: at or below a line. price_percent_buy: value percent below the average entry. trend_percent_price: percent below a line. breakeven: armed value percent above the average entry, then at break-even. timeout_buy: the first open lot is older than value ms. fixed: at or below a price. trailing: value percent below the highest price since entry. (Short: mirrored.)',
  STOP_STRATEGIES,
);

/** Fields of a trigger; its value is a line for two strategies, a number for the others. */
const triggerFields = {
  value: Type.Optional(
    Type.Union([priceLine('Line.'), Type.String({ pattern: DECIMAL_PATTERN }), Type.Number()], {
      description:
        'A price line (price, trend_percent_price), a percent (price_percent_buy, breakeven, trailing), a price (fixed) or ms (timeout_buy).',
    }),
  ),
  percent: Type.Optional(
    decimal('trend_percent_price: percent between the line and the stop.', {
      exclusiveMinimum: -100,
      exclusiveMaximum: 100,
    }),
  ),
  edge: Type.Optional(choice('kline: the value of the candle that is compared.', EDGES, 'close')),
  closed: Type.Optional(
    flag('kline: true looks at closed candles only, false at the forming one on each tick.'),
  ),
  timeFrame: Type.Optional(frame("kline: its candles, ms. Default: the bot's, 60000 if it has none.")),
  time: Type.Optional(moment('time: the moment, Unix ms, at which an open position is sold.')),
};

const Trigger = Type.Object(
  {
    type: choice(
      'kline: looked at on candles. exchange: a real stop order at the exchange. time: once, at a moment. timeout: the age of timeout_buy.',
      ['kline', 'exchange', 'time', 'timeout'] as const,
    ),
    ...triggerFields,
  },
  { description: 'When the rule is looked at, and at what.' },
);
const CommandTrigger = Type.Object(
  { type: choice('kline or exchange.', ['kline', 'exchange'] as const), ...triggerFields },
  { description: 'When the rule is looked at, and at what.' },
);

const stopPrice = Type.Optional(decimal('fixed: the price of the stop.', POSITIVE));
const PlainOrder = Type.Object(
  {
    type: Type.Optional(
      choice("MARKET, or LIMIT at the rule's own price.", ['MARKET', 'LIMIT'] as const, 'MARKET'),
    ),
    stopPrice,
  },
  { description: 'The exit order; a LIMIT one still open after 30 s turns into MARKET.' },
);
const orderTypes = ['MARKET', 'LIMIT', 'STOP_MARKET', 'STOP_LIMIT'] as const;
const stopOrderFields = {
  stopPrice,
  workingType: Type.Optional(described(WorkingType, 'Price that triggers a resting stop.')),
  correction: Type.Optional(
    decimal('Percent that stopPrice is moved further away when it is placed.', {
      minimum: 0,
      exclusiveMaximum: 100,
    }),
  ),
};
const RestingOrder = Type.Object(
  {
    type: Type.Optional(
      choice(
        "MARKET, LIMIT at the rule's own price, or a stop that rests at the exchange.",
        orderTypes,
        'MARKET',
      ),
    ),
    ...stopOrderFields,
  },
  { description: 'The exit order; a LIMIT one still open after 30 s turns into MARKET.' },
);
const CommandOrder = Type.Object(
  {
    type: choice("MARKET, LIMIT at the rule's own price, or a stop that rests at the exchange.", orderTypes),
    ...stopOrderFields,
  },
  { description: 'The exit order.' },
);

const ruleFields = {
  complete: Type.Optional(flag('true sells the whole position, false only the newest open lot.')),
  disabled: Type.Optional(flag('Kept and shown, but never looked at.')),
  snoozeDuration: Type.Optional(
    duration('ms that the rule sleeps after it has fired.', { minimum: 0, default: 0 }),
  ),
  maxStops: Type.Optional(
    integer('After that many firings of all rules together the run stops.', {
      minimum: 1,
      maximum: LAST_TIME,
    }),
  ),
};

export const StopRule = Type.Object(
  { strategy, trigger: Trigger, order: Type.Optional(PlainOrder), ...ruleFields },
  { title: 'StopRule', description: 'One rule that sells; each works alone.' },
);
/** Rule of INTRADAY: its exit may rest at the exchange as a stop order. */
export const IntradayStopRule = Type.Object(
  { strategy, trigger: Trigger, order: Type.Optional(RestingOrder), ...ruleFields },
  { title: 'IntradayStopRule', description: 'One rule that sells; each works alone.' },
);
/** Params of `add_stoploss`, `update_stoploss` and `delete_stoploss` (Bots rule 6, S42). */
export const StopCommand = Type.Object(
  { strategy, trigger: CommandTrigger, order: CommandOrder, ...ruleFields },
  { title: 'StopCommand', description: 'A stop rule given to a running bot.' },
);

export const Stops = oneOrMany(StopRule, 'Stop rules.');
export const IntradayStops = oneOrMany(IntradayStopRule, 'Stop rules.');
