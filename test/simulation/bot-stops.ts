/**
 * Random stop rules, as settings and as runtime commands: every strategy with every trigger that it allows.
 */
import type { BotMaker } from './bot-settings.ts';

const STRATEGIES = {
  price: 2,
  price_percent_buy: 5,
  trend_percent_price: 2,
  breakeven: 3,
  timeout_buy: 2,
  fixed: 2,
  trailing: 4,
} as const;
type Strategy = keyof typeof STRATEGIES;
type Rule = Record<string, unknown>;

/** A random rule for a bot's settings. */
export function randomStop(maker: BotMaker): Rule {
  const { dice } = maker;
  const strategy = dice.weighted(STRATEGIES);
  const { trigger, order } = ruleOf(maker, strategy, triggerOf(maker, strategy));
  return {
    strategy,
    trigger,
    ...(dice.chance(0.5) ? { order: { ...order, type: dice.pick(['MARKET', 'LIMIT']) } } : { order }),
    ...common(maker),
  };
}

/** Random params of `add_stoploss` and similar commands. */
export function randomStopCommand(maker: BotMaker): Rule {
  const { dice } = maker;
  const strategy = dice.weighted({ ...STRATEGIES, timeout_buy: 0 });
  const { trigger, order } = ruleOf(maker, strategy, dice.pick(['kline', 'exchange']));
  return { strategy, trigger, order: { ...order, type: dice.pick(['MARKET', 'LIMIT']) }, ...common(maker) };
}

function triggerOf({ dice }: BotMaker, strategy: Strategy): string {
  if (strategy === 'timeout_buy') return 'timeout';
  if (dice.chance(0.08)) return 'time';
  const rests = strategy !== 'trend_percent_price' && dice.chance(0.4);
  return rests ? 'exchange' : 'kline';
}

function ruleOf(maker: BotMaker, strategy: Strategy, type: string): { trigger: Rule; order: Rule } {
  const { dice, view } = maker;
  const closed = { closed: dice.chance(0.3), timeFrame: 60_000 };
  const kline = type === 'kline' && dice.chance(0.5) ? closed : {};
  const time = type === 'time' ? { time: Math.floor(view.marketTime) + dice.int(1, 20) * 20_000 } : {};
  const trigger = { type, ...kline, ...time };
  const flat = type === 'exchange' || dice.chance(0.5);
  switch (strategy) {
    case 'price':
      return { trigger: { ...trigger, value: maker.line(-5, -1, flat) }, order: {} };
    case 'trend_percent_price':
      return {
        trigger: { ...trigger, value: maker.line(-3, 0, flat), percent: maker.percent(0.3, 2) },
        order: {},
      };
    case 'price_percent_buy':
    case 'trailing':
      return { trigger: { ...trigger, value: maker.percent(0.7, 4) }, order: {} };
    case 'breakeven':
      return { trigger: { ...trigger, value: maker.percent(0.3, 2) }, order: {} };
    case 'timeout_buy':
      return { trigger: { ...trigger, value: `${dice.int(1, 20) * 10_000}` }, order: {} };
    case 'fixed':
      return dice.chance(0.5)
        ? { trigger: { ...trigger, value: maker.price(-5, -1) }, order: {} }
        : { trigger, order: { stopPrice: maker.price(-5, -1) } };
  }
}

function common({ dice }: BotMaker): Rule {
  return {
    ...(dice.chance(0.6) ? { complete: dice.chance(0.6) } : {}),
    ...(dice.chance(0.05) ? { disabled: true } : {}),
    ...(dice.chance(0.3) ? { snoozeDuration: dice.pick([1_000, 20_000]) } : {}),
    ...(dice.chance(0.3) ? { maxStops: dice.int(1, 3) } : {}),
  };
}
