/** Stop rules added to, changed in and removed from a running run (Bots rule 6; strategies.md 2, "stop"). */
import { beforeEach, describe, expect, it } from 'vitest';
import { RunHost } from '../../../src/bots/backtest/run-host.ts';
import { TickMarket } from '../../../src/bots/backtest/tick-market.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { compileBot } from '../../../src/bots/settings/compile.ts';
import { kindOf } from '../../../src/bots/types/kinds.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import { M, rules, SYMBOL, squeeze, T, world } from './support.ts';

const stop = (strategy: string, value: unknown, more: Record<string, unknown> = {}) => ({
  strategy,
  trigger: { type: 'kline', ...(value === undefined ? {} : { value }), ...more },
  order: { type: 'MARKET' },
  complete: true,
});

let market: TickMarket;
let host: RunHost;
let now: number;

function tick(price: string, at = now + 1_000): string[] {
  const before = market.fills.length;
  now = at;
  host.tick(SYMBOL, dec(price), 0n, now);
  return market.fills.slice(before).map(({ side, price: paid }) => `${side} at ${str(paid)}`);
}

/** A SQUEEZE that has bought at 99, target 108.9; it ends when it has sold. */
beforeEach(() => {
  const bot = squeeze({ price: { percent: { buy: '1', sell: '10' } }, onetime: true });
  const compiled = compileBot(bot.type, bot.settings, undefined, { ...world(), now: T });
  if (!compiled.ok) throw new Error('the bot is wrong');
  market = new TickMarket({ rules: rules(), balances: new Map([['USDT', dec('10000')]]) });
  host = new RunHost({
    settings: compiled.settings,
    strategy: kindOf('SQUEEZE').strategy,
    market,
    hub: new CandleHub({ time: T }),
    history: () => [],
    start: T,
  });
  host.run.startProblems();
  host.start();
  now = T - 1_000;
  tick('100');
  expect(tick('99', T + M)).toEqual(['BUY at 99']);
});

// proves: bot-rule commands, S42, bot command add_stoploss, bot command fired, bot stop-rule disabled
describe('add_stoploss', () => {
  it('guards the position from then on', () => {
    expect(host.command('add_stoploss', stop('price_percent_buy', '2'))).toBeNull();
    expect(tick('97.1')).toEqual([]);
    expect(tick('97')).toEqual(['SELL at 97']);
  });

  it('rests at the exchange at once when it is to', () => {
    // The rule is held by the desk while the target rests: both would lock the same balance.
    expect(host.command('add_stoploss', stop('fixed', '96', { type: 'exchange' }))).toBeNull();
    expect(host.run.slots.get('stop:0')?.watch?.at).toBe(dec('96'));
    expect(tick('95.5')).toEqual(['SELL at 95.5']);
  });

  it('follows the price from the moment it is given', () => {
    tick('103');
    expect(host.command('add_stoploss', stop('trailing', '2'))).toBeNull();
    tick('102');
    expect(tick('100.9')).toEqual(['SELL at 100.9']);
  });

  it('counts the age of a lot that was there before', () => {
    expect(host.command('add_stoploss', stop('timeout_buy', '60000'))).toBeNull();
    expect(tick('99', T + 2 * M)).toEqual([]);
    expect(tick('99', T + 2 * M + 1)).toEqual(['SELL at 99']);
  });

  it('reads candles that nobody else reads', () => {
    const rule = stop('price_percent_buy', '2', { closed: true, timeFrame: 3 * M });
    expect(host.command('add_stoploss', rule)).toBeNull();
    expect(tick('90', T + 2 * M)).toEqual([]);
    host.advance(T + 3 * M);
    expect(market.fills.at(-1)).toMatchObject({ side: 'SELL', at: T + 3 * M });
  });

  it.each([
    [
      'an unknown message',
      'sell_all',
      stop('fixed', '90'),
      'message: must be one of add_stoploss, update_stoploss, delete_stoploss, got "sell_all"',
    ],
    [
      'a rule that would fire at once',
      'add_stoploss',
      stop('fixed', '99.5'),
      'the stop has already fired: price 99.0 is below 99.5',
    ],
    [
      'a rule that is none',
      'add_stoploss',
      { strategy: 'fixed' },
      /order: missing.*trigger: missing|trigger: missing.*order: missing/,
    ],
    [
      'a type that commands do not take',
      'add_stoploss',
      stop('price_percent_buy', '2', { type: 'time' }),
      /trigger\.type: must be/,
    ],
    ['nothing', 'add_stoploss', null, /^params/],
  ])('and the others refuse %s', (_what, message, params, words) => {
    const problem = host.command(message, params);
    if (typeof words === 'string') expect(problem).toBe(words);
    else expect(problem).toMatch(words);
    expect(host.run.stops.rules).toEqual([]);
  });

  it('takes a rule that has fired already when it is disabled', () => {
    expect(host.command('add_stoploss', { ...stop('fixed', '99.5'), disabled: true })).toBeNull();
    expect(tick('98')).toEqual([]);
  });

  it('refuses the same rule twice', () => {
    host.command('add_stoploss', stop('fixed', '95'));
    expect(host.command('add_stoploss', stop('fixed', '95.0'))).toBe(
      'this fixed stop is there already: update_stoploss changes it',
    );
  });
});

// proves: bot-rule commands, bot command update_stoploss, bot command update-only, bot command same-rule
describe('update_stoploss', () => {
  it('changes the only rule of its strategy', () => {
    host.command('add_stoploss', stop('price_percent_buy', '2'));
    host.command('add_stoploss', stop('fixed', '90'));
    expect(host.command('update_stoploss', stop('price_percent_buy', '1'))).toBeNull();
    expect(tick('98')).toEqual(['SELL at 98']);
  });

  it('changes the very rule where there are several of its strategy', () => {
    host.command('add_stoploss', stop('fixed', '95'));
    host.command('add_stoploss', stop('fixed', '90'));
    expect(host.command('update_stoploss', { ...stop('fixed', '95'), disabled: true })).toBeNull();
    expect(tick('94')).toEqual([]);
    expect(host.command('update_stoploss', stop('fixed', '93'))).toMatch(
      /^there is no fixed stop with this trigger/,
    );
  });

  it('changes the only rule that is left of its strategy, deleted ones aside', () => {
    host.command('add_stoploss', stop('fixed', '95'));
    host.command('delete_stoploss', stop('fixed', '95'));
    host.command('add_stoploss', stop('fixed', '90'));
    expect(host.command('update_stoploss', stop('fixed', '93'))).toBeNull();
    expect(tick('94')).toEqual([]);
    expect(tick('93')).toEqual(['SELL at 93']);
  });

  it('leaves a trailing rule the best price that it has seen, another strategy begins anew', () => {
    host.command('add_stoploss', stop('trailing', '5'));
    tick('104');
    tick('103');
    expect(host.command('update_stoploss', stop('trailing', '2'))).toBeNull();
    // 2 % below 104 are 101.92, below 103 they are 100.94.
    expect(tick('101.9')).toEqual(['SELL at 101.9']);
  });

  it('takes what rests at the exchange away with its trigger', () => {
    host.command('add_stoploss', stop('fixed', '96', { type: 'exchange' }));
    expect(host.command('update_stoploss', stop('fixed', '94'))).toBeNull();
    expect(tick('95')).toEqual([]);
    expect(tick('94')).toEqual(['SELL at 94']);
  });
});

// proves: bot-rule commands, bot command delete_stoploss, bot command same-rule
describe('delete_stoploss', () => {
  it('switches the rule off for good', () => {
    host.command('add_stoploss', stop('fixed', '96', { type: 'exchange' }));
    expect(host.command('delete_stoploss', stop('fixed', '96', { type: 'exchange' }))).toBeNull();
    expect(host.run.stops.levels()).toEqual([]);
    expect(tick('90')).toEqual([]);
    expect(host.command('delete_stoploss', stop('fixed', '96', { type: 'exchange' }))).toMatch(
      /^there is no fixed stop/,
    );
    // A rule of the same shape can be added again.
    expect(host.command('add_stoploss', stop('fixed', '85', { type: 'exchange' }))).toBeNull();
    expect(tick('85')).toEqual(['SELL at 85']);
  });

  it('needs the very rule', () => {
    host.command('add_stoploss', stop('fixed', '96'));
    expect(host.command('delete_stoploss', stop('fixed', '95'))).toMatch(/^there is no fixed stop/);
  });
});

// proves: bot-rule commands
it('a run that has ended takes no commands', () => {
  host.stop({ cleanup: 'cancelAllOrders', sell: true, force: false });
  expect(host.command('add_stoploss', stop('fixed', '90'))).toBe('the run is ending');
});
