/**
 * R12: an account or a symbol that accepts no entries. Bots of every type wait in the same way: their entries
 * are withdrawn or stay, exits and stops go on, nothing is counted, and the bot resumes by itself.
 */
import { describe, expect, it } from 'vitest';
import type { BotType } from '../../../src/bots/settings/compiled.ts';
import { str } from '../../../src/domain/decimal.ts';
import { cell, cells, fibo, type Settings, scale, squeeze, stop } from './bots.ts';
import { LiveTest } from './live.ts';

const TWAP: Settings = {
  symbol: 'BTCUSDT',
  algo: 'twap',
  side: 'BUY',
  quantity: '4',
  duration: 4,
};

/** Settings, and prices by seconds, after which the run has an entry at work. */
const TYPES: readonly [
  name: string,
  type: BotType,
  settings: Settings,
  prices: readonly [number, string][],
][] = [
  [
    'CHANNEL of cells',
    'CHANNEL',
    cells([
      ['100', '130'],
      ['90', '130'],
    ]),
    [
      [1, '105'],
      [2, '99'],
    ],
  ],
  ['CHANNEL SCALE', 'CHANNEL', scale(), [[1, '100']]],
  ['FIBO', 'FIBO', fibo(), [[1, '105']]],
  [
    'SQUEEZE',
    'SQUEEZE',
    squeeze(),
    [
      [1, '100'],
      [61, '100'],
      [62, '100'],
    ],
  ],
];

const resting = (t: LiveTest, role: 'entry' | 'exit') =>
  [...t.run.slots.orders()]
    .filter((order) => order.role === role && !order.cancelAsked)
    .map(({ side, price, stopPrice }) => `${side} ${str(price ?? stopPrice ?? 0n)}`);

function begun([, type, settings, prices]: (typeof TYPES)[number], more: Settings = {}): LiveTest {
  const t = new LiveTest(type, { ...settings, ...more });
  for (const [seconds, price] of prices) t.tick(seconds, price);
  return t;
}

const next = (t: LiveTest) => (t.run.now - t.run.state.startedAt) / 1_000 + 1;

describe.each(TYPES)('%s', (...row) => {
  // proves: bot ruling R12
  it('gives its entries back, keeps its exits, and has the same entries again', () => {
    const t = begun(row);
    const [entries, exits] = [resting(t, 'entry'), resting(t, 'exit')];
    expect(entries).not.toEqual([]);
    const label = t.run.label();
    t.pause('no entries');
    expect([resting(t, 'entry'), resting(t, 'exit')]).toEqual([[], exits]);
    expect(t.run.label()).toBe('paused');
    t.tick(next(t), str(t.run.price));
    expect(resting(t, 'entry')).toEqual([]);
    t.pause(null);
    expect([resting(t, 'entry'), resting(t, 'exit')]).toEqual([entries, exits]);
    expect(t.run.label()).toBe(label);
    expect(t.run.state.phase).toBe('running');
    for (const { rejected, skips = 0 } of t.run.slots.state.slots.values())
      expect([rejected, skips]).toEqual([0, 0]);
  });

  it('leaves them where they are when nobody can be asked', () => {
    const t = begun(row);
    const entries = resting(t, 'entry');
    t.pause('no line', false);
    expect(resting(t, 'entry')).toEqual(entries);
    expect(t.run.label()).toBe('paused');
    t.pause(null);
    expect(resting(t, 'entry')).toEqual(entries);
  });

  it('says so once, and that it goes on', () => {
    const t = begun(row, { noticeLevel: '3' });
    t.notices.length = 0;
    t.pause('the account is closed');
    t.tick(next(t), str(t.run.price));
    t.pause(null);
    const about = t.notices.filter((text) => /entries/.test(text)).map((text) => text.replace(/^\S+ /, ''));
    expect(about).toEqual(['1 entries wait: the account is closed', '2 entries go on']);
  });
});

describe('while it waits', () => {
  it('a stop rule sells what is held', () => {
    const t = new LiveTest('CHANNEL', cell({ stop: [stop('price_percent_buy', 'kline', { value: '5' })] }));
    t.tick(1, '105');
    t.tick(2, '100');
    expect(t.run.lots.total()).not.toBe(0n);
    t.pause('no entries');
    t.tick(3, '94');
    expect(t.run.lots.total()).toBe(0n);
  });

  it('an exit fills, and the next cycle waits', () => {
    const t = new LiveTest('CHANNEL', cell());
    t.tick(1, '105');
    t.tick(2, '100');
    t.pause('no entries');
    t.tick(3, '111');
    expect([t.run.lots.total(), t.run.state.stats.cycles]).toEqual([0n, 1]);
    expect(resting(t, 'entry')).toEqual([]);
    t.pause(null);
    expect(resting(t, 'entry')).toHaveLength(1);
  });

  it('nothing new is sent where nobody can be asked, and what is missing is sent once', () => {
    const t = new LiveTest('CHANNEL', cell());
    t.pause('no line', false);
    t.tick(1, '105');
    t.tick(2, '104');
    expect(resting(t, 'entry')).toEqual([]);
    t.pause(null);
    expect(resting(t, 'entry')).toHaveLength(1);
  });

  it('it is stopped as ever', () => {
    const t = new LiveTest('CHANNEL', cell());
    t.tick(1, '105');
    t.tick(2, '100');
    t.pause('no entries');
    t.host.stop({ cleanup: 'cancelAllOrders', sell: true, force: false });
    expect([t.run.state.phase, t.run.lots.total(), t.run.label()]).toEqual(['ended', 0n, 'stopped']);
  });

  it('a twap buys nothing, and goes on with its plan', () => {
    const t = new LiveTest('ALGO', TWAP);
    t.tick(1, '100');
    t.pause('no entries');
    const bought = t.run.lots.total();
    for (let seconds = 10; seconds < 130; seconds += 10) t.tick(seconds, '100');
    expect(t.run.lots.total()).toBe(bought);
    t.pause(null);
    for (let seconds = 130; seconds < 400; seconds += 10) t.tick(seconds, '100');
    expect(t.run.state.reason).toBe('completed');
  });
});
