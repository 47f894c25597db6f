/** strategies.md 2: the blocks that bots share. */
import { type Item, prefixed, section } from '../item.ts';

const STRATEGIES = {
  price: 'price <= line(t)',
  price_percent_buy: 'price <= average entry less value percent',
  trend_percent_price: 'price <= line(t) less percent',
  breakeven: 'armed once value percent above the average entry, then price <= bep',
  timeout_buy: 'the first open lot is older than value ms',
  fixed: 'price <= order.stopPrice, or value as a plain price',
  trailing: 'price <= highest price since entry less value percent',
};
const CANNOT_REST = ['trend_percent_price', 'timeout_buy'];

/** Every stop strategy with every trigger. */
function matrix(): Record<string, string> {
  const rows: Record<string, string> = {};
  for (const [strategy, rule] of Object.entries(STRATEGIES)) {
    rows[`${strategy} kline`] = `At a tick, or at a close: ${rule}.`;
    rows[`${strategy} exchange`] = CANNOT_REST.includes(strategy)
      ? 'Refused: it cannot rest at the exchange.'
      : `A real stop order at its level: ${rule}.`;
    rows[`${strategy} time`] = 'Sells once, at the moment given, if a position is open.';
    rows[`${strategy} timeout`] =
      strategy === 'timeout_buy'
        ? `At its own moment: ${rule}.`
        : 'Refused: timeout is for timeout_buy only.';
  }
  return rows;
}

export const BLOCK_ITEMS: readonly Item[] = [
  ...section(
    'deposit',
    prefixed('bot deposit', {
      value: 'Above 0; an amount, or percent up to 100.',
      asset: 'The quote asset on spot, the margin asset on futures.',
      strategy: 'fixed by default, or percent.',
      percent: 'Percent of the free balance at the start.',
      'percent-bounds': 'Bounded by min and max, when given.',
      allocate: 'reserve by default, auto or no_reserve.',
      reserve: 'The unspent budget and what the bot holds are lockedByBot; nobody else can use them.',
      auto: 'Only what open orders and the position need is lockedByBot.',
      no_reserve:
        'lockedByBot does not change; an uncovered order is skipped and tried again, with one notice.',
      leverage: 'Futures only; set on the symbol before the first order.',
      margin: 'The budget is margin: notional = budget x leverage.',
      insufficient: 'A budget that is not covered at start is refused, with what other bots reserve.',
    }),
  ),
  ...section(
    'orders',
    prefixed('bot orders', {
      'left-out': 'The strategy’s own way.',
      'buy MARKET': 'Nothing rests; at the level a MARKET order goes out.',
      'buy LIMIT': 'At the level a LIMIT goes out, price percent above the current price.',
      'buy LIMIT-0': 'LIMIT with price 0 or none is as MARKET.',
      'sell MARKET': 'Nothing rests; at the target a MARKET order goes out.',
      'sell LIMIT': 'At the target a LIMIT goes out, price percent below the current price.',
      'sell LIMIT-0': 'LIMIT with price 0 or none is as MARKET.',
      'buy size': 'The quantity is divided over that many orders, the last takes the rest.',
      'sell size': 'The same of an exit.',
      'sell fixed': 'The target is computed once, when the lot was bought.',
      'sell dynamic': 'The one target of the whole position follows its average entry.',
      'sell trailing': 'At the target the exit is trailed.',
    }),
  ),
  ...section('stop: strategy x trigger', prefixed('bot stop', matrix())),
  ...section(
    'stop: short',
    prefixed(
      'bot stop-short',
      Object.fromEntries(
        Object.keys(STRATEGIES).map((strategy) => [strategy, 'The mirrored rule of a short bot.']),
      ),
    ),
  ),
  ...section(
    'stop',
    prefixed('bot stop-rule', {
      alone: 'One object or an array; each rule works alone.',
      form: 'Fields, defaults and bounds of a rule.',
      'average-entry': 'Mean of the open lots’ fill prices, weighted by filled quantities before base fees.',
      'break-even': 'bep adds the fees of both ways; mirrored for a short.',
      'best-price': 'The highest price since entry starts with the tick of the fill.',
      'kline-closed': 'closed: looked at each close of trigger.timeFrame, on its edge value.',
      'kline-forming': 'Not closed, the default: at each tick, on the forming candle’s edge value.',
      'kline-edge': 'The eight edges; default close.',
      'kline-frame': 'timeFrame defaults to the bot’s, 60000 if it has none.',
      'time-flat': 'time without an open position does nothing.',
      'exchange-placed': 'exchange: placed when the position opens, cancelled with it.',
      'exchange-replaced': 'Replaced whenever its price or quantity changes.',
      'exchange-line': 'price may rest when its line is horizontal.',
      'exchange-held': 'On spot held by the engine while exits of the same lots rest.',
      complete: 'complete sells the whole position.',
      newest: 'Else only the newest open lot.',
      'order MARKET': 'The exit is a MARKET order.',
      'order LIMIT': 'Or a LIMIT at the rule’s own price.',
      'order LIMIT-30s': 'A LIMIT exit that is open after 30 s turns into MARKET.',
      'cancels-exits': 'Firing cancels the exits of the lots it sells.',
      snoozeDuration: 'After a firing the rule sleeps.',
      maxStops: 'After maxStops firings of all rules together the run stops as max stops.',
      disabled: 'disabled rules are kept and shown only.',
      cycle: 'A complete exit by a rule completes the cycle and counts.',
      'cycle-goes-on': 'The bot then goes on with a new cycle.',
      'cycle-onetime': 'With onetime the run ends as completed.',
      'cycle-max': 'max stops comes before completed.',
      'cycle-cells': 'Not in GRID and LEVELS.',
      'freed-channel':
        'A channel that a rule has sold is free and waits until the price has been above its level.',
      'freed-cell': 'So is a cell.',
    }),
  ),
  ...section(
    'Runtime commands',
    prefixed('bot command', {
      add_stoploss: 'Adds a rule to a running bot.',
      update_stoploss: 'Changes one.',
      delete_stoploss: 'Takes one away.',
      form: 'One stop object; trigger kline or exchange only.',
      'same-rule': 'Rules are the same if strategy, trigger.type and trigger.value are.',
      'update-only': 'update falls back to the only rule of that strategy.',
      fired: 'A rule that would fire at once is rejected, with the prices.',
      'value-optional': 'trigger.value may be left out where order.stopPrice gives the price.',
      'no-trader': 'ALARM and NOTIFY take none.',
    }),
  ),
  ...section(
    'timeout',
    prefixed('bot timeout', {
      ttl: 'The run ends value ms after its start, all orders cancelled, as ttl.',
      position: 'The position is kept.',
      others: 'Other types are ignored.',
    }),
  ),
  ...section(
    'filters',
    prefixed('bot filter', {
      form: 'Fields, defaults and bounds.',
      all: 'All must pass when an entry is about to be placed.',
      resting: 'Resting entries are cancelled when they stop passing and placed again when they pass.',
      exits: 'Exits are not held back.',
      'volume.minVal': '24 h quote volume >= minVal.',
      'volume.percentChange': 'The last candle’s volume is that much above the mean of the 20 before it.',
      'price.minVal': 'Last price >= minVal.',
      'price.percentChange-up': 'Positive: 24 h change >= it.',
      'price.percentChange-down': 'Negative: 24 h change <= it.',
      'market.rsi': 'min <= RSI <= max.',
      'market.trend-up': 'EMA 50 > EMA 200.',
      'market.trend-down': 'EMA 50 < EMA 200.',
      blacklist: 'The symbol is not in the list.',
    }),
  ),
  ...section(
    'range',
    prefixed('bot range', {
      form: 'One or several; fields and bounds.',
      price: 'min <= price <= max.',
      kline_percent: 'The forming candle’s change from its open, percent.',
      scaled_price: 'The change from the run’s first price, percent.',
      trend_percent_price: 'The distance from line(t), percent.',
      several: 'All of an array must hold.',
    }),
  ),
  ...section(
    'Common fields',
    prefixed('bot common', {
      'profitAsset quote': 'All is sold.',
      'profitAsset base': 'Only what brings the cost back is sold; the rest is kept.',
      onetime: 'Stops after the first full cycle.',
      'noticeLevel 0': 'Nothing.',
      'noticeLevel 1': 'Errors, stops and the end of a run.',
      'noticeLevel 2': 'Also fills and cycles; the default.',
      'noticeLevel 3': 'Everything.',
      positionSide: 'Needed in hedge mode: LONG, or SHORT with short.',
      'hedge LONG': 'In hedge mode a bot trades the LONG side.',
      'hedge SHORT': 'In hedge mode a short bot trades the SHORT side.',
      'hedge twap': 'A twap trades the side it names.',
      'hedge both': 'A long and a short bot hold a position each on one symbol.',
      'startTrigger standby':
        'Until the price has crossed the line: STARTED, standby, no orders, nothing reserved.',
      'startTrigger up': 'Up through the line only.',
      'startTrigger down': 'Down through it only.',
      'startTrigger both': 'Either way; the default.',
      'startTrigger deposit': 'The deposit is checked and reserved at the crossing.',
      marginType: 'Futures only; set before the first order.',
      name: 'Free text.',
      ticker: 'Overrides the symbol made of base and quote.',
      exchange: 'An account that is connected.',
      symbol: 'A pair that trades there, in the form of the type.',
      timeFrame: 'Whole minutes up to a week, where the type has one.',
      short: 'Needs a futures or swap account.',
      type: 'A type in the settings must be the bot’s.',
      'unknown-field': 'Kept and ignored, with a warning that names the one meant.',
    }),
  ),
];
