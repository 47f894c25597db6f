/** Stop rules in settings and as runtime commands (strategies.md 2, "stop"; Bots rule 6). */
import { describe, expect, it } from 'vitest';
import { problemsText } from '../../../src/bots/settings/check.ts';
import type { StopRule } from '../../../src/bots/settings/compiled.ts';
import { compileStopCommand } from '../../../src/bots/settings/stop-command.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { compiled, LEVEL, LINE, NOW, problems, STRATEGIES, warnings, world } from './support.ts';

type Rule = Record<string, unknown> & { trigger?: unknown };

const VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  price: { value: LINE },
  price_percent_buy: { value: '5' },
  trend_percent_price: { value: LINE, percent: '2' },
  breakeven: { value: 1 },
  timeout_buy: { value: '60000' },
  fixed: { value: '95.5' },
  trailing: { value: '0.8' },
};

function rule(strategy: string, type: string, trigger: Record<string, unknown> = {}, rest: Rule = {}): Rule {
  return { strategy, trigger: { type, ...VALUES[strategy], ...trigger }, order: { type: 'MARKET' }, ...rest };
}

function stopOf(stop: unknown): StopRule {
  const [first] = compiled('FIBO', { stop }).stops;
  if (!first) throw new Error('no rule');
  return first;
}

// proves: bot stop-rule form, bot blocks
describe('a stop rule', () => {
  it('has its defaults', () => {
    const given = { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' } };
    expect(stopOf(given)).toEqual({
      strategy: 'price_percent_buy',
      trigger: {
        type: 'kline',
        value: dec('5'),
        line: null,
        percent: null,
        edge: 'close',
        closed: false,
        timeFrame: 60_000,
        time: null,
      },
      order: { type: 'MARKET', stopPrice: null, workingType: null, correction: null },
      complete: false,
      disabled: false,
      snoozeDuration: 0,
      maxStops: null,
      raw: given,
    });
  });

  it('looks at the candles of its bot unless it names its own', () => {
    const stop = rule('price_percent_buy', 'kline');
    expect(compiled('SQUEEZE', { stop, timeFrame: 300_000 }).stops[0]?.trigger.timeFrame).toBe(300_000);
    expect(compiled('GRID', { stop }).stops[0]?.trigger.timeFrame).toBe(60_000);
    expect(compiled('TWAP', { stop, timeFrame: 5 }).stops[0]?.trigger.timeFrame).toBe(300_000);
    const own = rule('price_percent_buy', 'kline', { timeFrame: 900_000 });
    expect(compiled('SQUEEZE', { stop: own }).stops[0]?.trigger.timeFrame).toBe(900_000);
  });

  it('may be one or several', () => {
    const stop = [rule('trailing', 'kline'), rule('breakeven', 'kline', {}, { complete: true, maxStops: 2 })];
    expect(compiled('FIBO', { stop }).stops).toMatchObject([
      { strategy: 'trailing', complete: false },
      { strategy: 'breakeven', complete: true, maxStops: 2 },
    ]);
    expect(problems('FIBO', { stop: [rule('trailing', 'kline'), rule('none', 'kline')] })).toEqual([
      'stop[1].strategy: must be one of price, price_percent_buy, trend_percent_price, breakeven, timeout_buy, fixed, trailing, got "none"',
    ]);
  });

  it('is kept when it is disabled', () => {
    expect(stopOf(rule('trailing', 'kline', {}, { disabled: true })).disabled).toBe(true);
  });

  it('reads its value by its strategy', () => {
    const line = { t1: 1_700_000_000_000, p1: dec('100'), t2: 1_700_003_600_000, p2: dec('110') };
    expect(stopOf(rule('price', 'kline')).trigger).toMatchObject({ line, value: null, percent: null });
    expect(stopOf(rule('trend_percent_price', 'kline')).trigger).toMatchObject({ line, percent: dec('2') });
    expect(stopOf(rule('breakeven', 'kline')).trigger).toMatchObject({ line: null, value: dec('1') });
    expect(stopOf(rule('timeout_buy', 'timeout')).trigger).toMatchObject({ value: dec('60000') });
    expect(stopOf(rule('fixed', 'kline')).trigger.value).toBe(dec('95.5'));
  });

  it('may take its price from its order', () => {
    const order = { type: 'MARKET', stopPrice: '95' };
    const fixed = stopOf(rule('fixed', 'kline', { value: undefined }, { order }));
    expect([fixed.trigger.value, fixed.order.stopPrice]).toEqual([null, dec('95')]);
    const price = stopOf(rule('price', 'exchange', { value: undefined }, { order }));
    expect(price.trigger.line).toMatchObject({ p1: dec('95'), p2: dec('95') });
  });

  it.each([
    ['price_percent_buy', { value: 0 }, 'value: must be a decimal above 0 and below 100, got 0'],
    ['price_percent_buy', { value: '100' }, 'value: must be a decimal above 0 and below 100, got "100"'],
    ['price_percent_buy', { value: undefined }, 'value: missing; must be a percent'],
    ['price_percent_buy', { value: LINE }, 'value: must be a decimal above 0 and below 100, got an object'],
    ['trailing', { value: '-1' }, 'value: must be a decimal above 0 and below 100, got "-1"'],
    ['breakeven', { value: -1 }, 'value: must be a decimal of at least 0 and below 100, got -1'],
    [
      'trend_percent_price',
      { percent: undefined },
      'percent: missing; must be the percent between the line and the stop',
    ],
    ['trend_percent_price', { percent: 100 }, 'percent: must be a decimal above -100 and below 100, got 100'],
    ['timeout_buy', { value: 0 }, 'value: must be a decimal of at least 1, got 0'],
    ['timeout_buy', { value: '1.5' }, 'value: must be a whole number of ms'],
    ['timeout_buy', { value: undefined }, 'value: missing; must be a duration in ms'],
    ['fixed', { value: undefined }, 'value: missing; must be a price, or order.stopPrice given'],
    ['fixed', { value: 0 }, 'value: must be a decimal above 0, got 0'],
    ['fixed', { value: 0.001 }, 'value: must be at least 0.01, the tick size of BTCUSDT, got 0.001'],
    [
      'trailing',
      { edge: 'middle' },
      'edge: must be one of open, close, high, low, hl2, oc2, hlc3, ohlc4, got "middle"',
    ],
    ['trailing', { closed: 1 }, 'closed: must be true or false, got 1'],
    [
      'trailing',
      { timeFrame: 1 },
      'timeFrame: must be an integer from 60000 to 604800000 in steps of 60000, got 1',
    ],
    ['trailing', { type: 'daily' }, 'type: must be one of kline, exchange, time, timeout, got "daily"'],
    ['trailing', { type: undefined }, 'type: missing; must be one of kline, exchange, time, timeout'],
    ['trailing', { type: 'timeout' }, 'type: timeout is for timeout_buy only, not for trailing'],
    ['trailing', { type: 'time' }, 'time: missing; must be a moment in Unix ms'],
    ['trailing', { type: 'time', time: -1 }, 'time: must be an integer that is not negative, got -1'],
  ])('%s refuses the trigger %j', (strategy, trigger, problem) => {
    for (const kind of STRATEGIES) {
      expect(problems(kind, { stop: rule(strategy, 'kline', trigger) })).toEqual([
        `stop[0].trigger.${problem}`,
      ]);
    }
  });

  it.each([
    [
      { strategy: undefined },
      'strategy: missing; must be one of price, price_percent_buy, trend_percent_price, breakeven, timeout_buy, fixed, trailing',
    ],
    [{ trigger: undefined }, 'trigger: missing; must be an object'],
    [{ complete: 'all' }, 'complete: must be true or false, got "all"'],
    [{ disabled: 0 }, 'disabled: must be true or false, got 0'],
    [{ snoozeDuration: -1 }, 'snoozeDuration: must be an integer that is not negative, got -1'],
    [{ maxStops: 0 }, 'maxStops: must be an integer of at least 1, got 0'],
    [{ order: 'MARKET' }, 'order: must be an object, got "MARKET"'],
    [{ order: { type: 'STOP_MARKET' } }, 'order.type: must be MARKET or LIMIT, got "STOP_MARKET"'],
    [{ order: { stopPrice: '0' } }, 'order.stopPrice: must be a decimal above 0, got "0"'],
  ])('refuses %j', (rest, problem) => {
    expect(problems('FIBO', { stop: rule('trailing', 'kline', {}, rest) })).toEqual([`stop[0].${problem}`]);
  });

  it('of a short bot may lie more than 100 percent above', () => {
    const short = { short: true, exchange: 'paper-futures' };
    expect(
      problems('SQUEEZE', { ...short, stop: rule('price_percent_buy', 'kline', { value: 150 }) }),
    ).toEqual([]);
  });

  it('of type time needs no value', () => {
    for (const strategy of Object.keys(VALUES)) {
      const trigger = { value: undefined, percent: undefined, time: NOW + 1 };
      expect(stopOf(rule(strategy, 'time', trigger)).trigger).toMatchObject({ type: 'time', time: NOW + 1 });
    }
  });

  it('is warned of where it cannot have an effect', () => {
    expect(warnings('FIBO', { stop: rule('trailing', 'time', { time: NOW - 1 }) })).toEqual([
      'stop[0].trigger.time: lies in the past: the rule never fires',
    ]);
    expect(warnings('FIBO', { stop: rule('trailing', 'time', { time: NOW + 1 }) })).toEqual([]);
    expect(warnings('FIBO', { stop: rule('trailing', 'kline', { time: NOW + 1 }) })).toEqual([
      'stop[0].trigger.time: has no effect with type kline',
    ]);
    expect(warnings('FIBO', { stop: rule('trailing', 'kline', { percent: 1 }) })).toEqual([
      'stop[0].trigger.percent: has an effect with trend_percent_price only',
    ]);
    expect(warnings('FIBO', { stop: rule('trailing', 'kline', {}, { order: { correction: 1 } }) })).toEqual([
      'stop[0].order.correction: unknown field and ignored',
    ]);
  });
});

// proves: bot stop-rule exchange-line
describe('a stop rule at the exchange', () => {
  it.each(['price_percent_buy', 'fixed', 'breakeven', 'trailing'])('may be %s', (strategy) => {
    expect(stopOf(rule(strategy, 'exchange')).trigger.type).toBe('exchange');
  });

  it('may be a horizontal line', () => {
    expect(stopOf(rule('price', 'exchange', { value: LEVEL })).trigger.type).toBe('exchange');
    expect(problems('FIBO', { stop: rule('price', 'exchange') })).toEqual([
      'stop[0]: price cannot rest at the exchange unless its line is horizontal',
    ]);
  });

  it.each(['trend_percent_price', 'timeout_buy'])('may not be %s', (strategy) => {
    expect(problems('FIBO', { stop: rule(strategy, 'exchange') })).toEqual([
      `stop[0]: ${strategy} cannot rest at the exchange`,
    ]);
  });
});

// proves: bot INTRADAY settings
describe('a stop rule of INTRADAY', () => {
  it('may rest as an order of its own, moved away by a correction', () => {
    const order = { type: 'STOP_LIMIT', stopPrice: '95', workingType: 'CONTRACT_PRICE', correction: 0.5 };
    const stop = rule('fixed', 'exchange', { value: undefined }, { order });
    expect(compiled('INTRADAY', { stop }).stops[0]?.order).toEqual({
      type: 'STOP_LIMIT',
      stopPrice: dec('95'),
      workingType: 'CONTRACT_PRICE',
      correction: dec('0.5'),
    });
  });

  it('cannot rest as an order when its strategy cannot', () => {
    const order = { type: 'STOP_MARKET' };
    expect(problems('INTRADAY', { stop: rule('timeout_buy', 'kline', {}, { order }) })).toEqual([
      'stop[0]: timeout_buy cannot rest at the exchange',
    ]);
  });

  it.each([
    [
      { type: 'TAKE_PROFIT' },
      'type: must be one of MARKET, LIMIT, STOP_MARKET, STOP_LIMIT, got "TAKE_PROFIT"',
    ],
    [{ workingType: 'LAST' }, 'workingType: must be MARK_PRICE or CONTRACT_PRICE, got "LAST"'],
    [{ correction: -1 }, 'correction: must be a decimal of at least 0 and below 100, got -1'],
  ])('refuses the order %j', (order, problem) => {
    expect(problems('INTRADAY', { stop: rule('trailing', 'exchange', {}, { order }) })).toEqual([
      `stop[0].order.${problem}`,
    ]);
  });
});

// proves: bot command form, bot command value-optional
describe('a stop command', () => {
  const rules = world().instrument('paper-spot', 'BTCUSDT');
  const command = (params: unknown, short = false) => {
    if (!rules) throw new Error('no rules');
    const result = compileStopCommand(params, { timeFrame: 300_000, short }, rules, NOW);
    return result.ok ? result.rule : problemsText(result.problems);
  };

  it('is a rule like those of the settings, of any bot type', () => {
    const params = {
      strategy: 'fixed',
      trigger: { type: 'exchange' },
      order: { type: 'STOP_MARKET', stopPrice: '95' },
      complete: true,
    };
    expect(command(params)).toMatchObject({
      strategy: 'fixed',
      trigger: { type: 'exchange', timeFrame: 300_000 },
      order: { type: 'STOP_MARKET', stopPrice: dec('95') },
      complete: true,
      raw: params,
    });
  });

  it('needs its strategy, trigger and order, and nothing but kline or exchange', () => {
    expect(command({})).toBe(
      'order: missing; must be an object; strategy: missing; must be one of price, price_percent_buy, trend_percent_price, breakeven, timeout_buy, fixed, trailing; trigger: missing; must be an object',
    );
    expect(command(rule('trailing', 'time', { time: NOW + 1 }))).toBe(
      'trigger.type: must be kline or exchange, got "time"',
    );
    expect(command(rule('trend_percent_price', 'exchange'))).toBe(
      'trend_percent_price cannot rest at the exchange',
    );
    expect(command('stop')).toBe('params: must be an object, got "stop"');
  });

  it('is judged by the side of its bot and the tick of its symbol', () => {
    const rise = rule('price_percent_buy', 'kline', { value: 150 });
    expect(command(rise)).toBe('trigger.value: must be a decimal above 0 and below 100, got 150');
    expect(command(rise, true)).toMatchObject({ trigger: { value: dec('150') } });
    expect(command(rule('fixed', 'kline', { value: '0.001' }))).toBe(
      'trigger.value: must be at least 0.01, the tick size of BTCUSDT, got 0.001',
    );
  });

  it.each(['STOP_MARKET', 'STOP_LIMIT'])(
    'with a %s rests at the exchange, whatever its trigger says',
    (type) => {
      const order = { type, stopPrice: '95' };
      expect(command(rule('fixed', 'kline', { value: undefined }, { order }))).toMatchObject({
        trigger: { type: 'exchange', value: null },
        order: { type, stopPrice: dec('95') },
      });
    },
  );
});
