/** strategies.md 1: the market as a bot sees it, the tick market, rounding, lines, indicators. */
import { type Item, prefixed, section } from '../item.ts';

export const MARKET_ITEMS: readonly Item[] = [
  ...section(
    'Inputs',
    prefixed('bot input', {
      order: 'At one instant: candle, timer, order, tick, command.',
      'stops-first': 'Within one input the stop rules are looked at before the strategy.',
      'reference-first': 'At a close SQUEEZE renews its reference before both.',
      deterministic:
        'The same stream of inputs gives the same actions: no wall clock, no chance, no network.',
    }),
  ),
  ...section('Numbers of the settings', {
    'bot numbers': 'Exact decimals; a JSON number is accepted wherever a decimal string is.',
  }),
  ...section(
    'Candles',
    prefixed('bot candles', {
      bounds: 'A candle covers its period up to, not including, its close; periods are aligned to the epoch.',
      flat: 'It closes at its time also without a trade: flat at the close before, volume 0.',
      first: 'The candle in which a run starts counts, built from the ticks since the start.',
      unknown: 'A period before the first known price gives no candle.',
      history: 'What closed before the start counts for candles and indicators.',
      shared: 'Each candle and each indicator is computed once, however many bots read it.',
      edge: 'The eight values of a candle: open, close, high, low, hl2, oc2, hlc3, ohlc4.',
      day: 'The figures of 24 hours.',
    }),
  ),
  ...section(
    'Tick market',
    prefixed('bot tick', {
      jumps: '(1) The price jumps from tick to tick; nothing trades between two.',
      'limit-resting': '(2) A resting LIMIT fills at its limit when a tick is at or beyond it.',
      'market-price': '(3) A MARKET order fills at the current price, worsened by the slippage.',
      'limit-marketable': '(3) A marketable LIMIT fills at once at the current price, as taker.',
      'stop-market': '(4) STOP_MARKET fills at the price of the tick that is at or beyond its stopPrice.',
      'stop-limit': '(4) A triggered STOP_LIMIT is a LIMIT order, listed without stopPrice.',
      order: '(5) Buys from the highest price down, then sells from the lowest up, equal prices by age.',
      'fill-by-fill': '(5) The bot handles each fill before the next order is looked at.',
      'placed-within': '(5) An order placed during a tick fills in it only if it is marketable.',
      'candle-as-ticks': '(6) A candle is played as four ticks, low first when it rises, else high first.',
      'assumptions-said': '(6) Backtest and preview say so next to their result.',
      'fees-spot': '(7) Spot: the rate times the quantity of the asset received.',
      'fees-futures': '(7) Futures: the rate times the notional, of the margin asset.',
      'fees-maker': '(7) Maker rate for resting fills, taker rate for the rest.',
      'no-oco':
        'On spot, where both legs would lock one balance, the take-profit rests and the engine holds the stop.',
      partial: 'Partial fills: at most the tick’s volume times the participation rate; the rest stays.',
    }),
  ),
  ...section(
    'Partial fills',
    prefixed('bot partial', {
      FIBO: 'An exit for the filled part, enlarged with every further fill.',
      GRID: 'A cell sells what it has bought of its entry so far.',
      SCALE: 'The one exit follows every part of a fill.',
      SQUEEZE: 'The exit is placed on a fill in part and moved with every further one.',
      'SQUEEZE-remainder':
        'What has not filled of the entry is cancelled when the candle of its first fill closes.',
      INTRADAY: 'The take-profits follow what has filled.',
      bracket: 'What has filled of the entry is protected at once.',
      'pair-linked': 'When one leg of a pair fills in part the other is reduced to what remains.',
      twap: 'What a MARKET slice could not trade is carried over.',
      stop: 'A stop rule sells on until its lots are gone.',
    }),
  ),
  ...section(
    'Rounding',
    prefixed('bot rounding', {
      'buy-down': 'Buy limit prices go down to the tick.',
      'sell-up': 'Sell limit prices go up to the tick.',
      'stop-nearest': 'Stop and trigger prices go to the nearest tick, halves up.',
      'quantity-down': 'Quantities go down to the step.',
      'net-of-fees': 'Never more is sold than is held net of base fees; what remains below a step is dust.',
      'dust-joins': 'An exit sells the lot and the dust so far, rounded down; the rest is the new dust.',
      'dust-cycles': 'Dust carries over cycles.',
      'dust-restart': 'Dust does not go into a restarted run.',
      'dust-small-exit': 'An exit below minQty or minNotional is not placed; its quantity becomes dust.',
      'engine-unrounded': 'Conditions that the engine evaluates compare unrounded values.',
      levels: 'Computed levels have 30 significant digits; the ends of a grid are the given prices.',
      'one-buy': 'The MARKET buy for several lots is one order of the sum of the parts, each rounded down.',
      'one-sale': 'Every sale of a whole position is one order.',
      'min-never-sent': 'An order below minQty or minNotional is never sent.',
      'min-at-start': 'At start every planned entry is checked against the minimum.',
      'min-entry-price':
        'The check takes the current price for a MARKET entry, the rounded limit for a LIMIT.',
    }),
  ),
  ...section('Line values', {
    'bot line value': 'The line through its two points, extended in both directions.',
    'bot line given': 'Two entries with different timestamps and positive prices; anything else is refused.',
    'bot line not-positive': 'A line that is not positive when it is read never triggers.',
    'bot line crossing':
      'A crossing is a change of sides in the asked direction, each value at its own time.',
  }),
  ...section('Indicators', {
    'bot rsi formula': 'Wilder: simple means first, then smoothed; 100 without a loss, 50 with neither.',
    'bot ema formula': 'k = 2 / (n + 1), seeded with the simple mean of the first n closes.',
    'bot indicator closed': 'Both use closed candles only.',
    'bot indicator none':
      'Before the seed is complete there is no value, and a condition without one does not pass.',
  }),
];
