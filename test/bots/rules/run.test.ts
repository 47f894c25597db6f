/**
 * What every run shares, inspected directly: rejected orders, notices, figures (strategies.md 2, "A run").
 */
import { describe, expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { figuresOf } from '../../../src/bots/runtime/figures.ts';
import { cell, cells } from './bots.ts';
import { LiveTest, type Refuses } from './live.ts';

const no = (why: 'balance' | 'final' | 'other') => ({ reason: 'says the exchange', why });
/** Refuses orders of one role and records the times, in seconds, at which they came. */
function refusing(t: LiveTest, role: RunOrder['role'], why: 'balance' | 'final' | 'other') {
  const times: number[] = [];
  const start = t.host.now;
  const refuses: Refuses = (order) => {
    if (order.role !== role) return null;
    times.push((t.host.now - start) / 1_000);
    return no(why);
  };
  t.market.refuses = refuses;
  return times;
}

describe('a rejected entry', () => {
  // proves: bot run entry-retry, bot run all-problems
  it('is tried again after 1, 5 and 30 s, then the run is in ERROR', () => {
    const t = new LiveTest('CHANNEL', cell());
    const times = refusing(t, 'entry', 'other');
    t.tick(0, '105');
    t.pass(35.999);
    expect(times).toEqual([0, 1, 6]);
    expect(t.run.state.phase).toBe('running');
    t.pass(100);
    expect(times).toEqual([0, 1, 6, 36]);
    expect(t.run.state).toMatchObject({ phase: 'ended', reason: 'error', error: 'says the exchange' });
  });

  // proves: bot run entry-final, bot decided rejected-words
  it('that cannot heal ends the run at once, with the words of the exchange', () => {
    const t = new LiveTest('CHANNEL', cell());
    const times = refusing(t, 'entry', 'final');
    t.tick(0, '105');
    expect(times).toEqual([0]);
    expect(t.run.state).toMatchObject({ phase: 'ended', reason: 'error', error: 'says the exchange' });
    expect(t.notices.at(-1)).toBe('0 1 run ended, error: says the exchange');
  });

  // proves: bot run error-position
  it('takes no exit away: what is held goes on, and the entry is asked for again when the rules do', () => {
    const pairs = [
      ['100', '110'],
      ['103', '120'],
    ] as const;
    const t = new LiveTest('CHANNEL', cells(pairs));
    t.tick(0, '102');
    t.tick(10, '100');
    expect([...t.market.open()].map(({ order }) => order.side)).toEqual(['SELL']);
    // The upper cell may enter once the price has been above it.
    refusing(t, 'entry', 'final');
    t.tick(20, '104');
    expect(t.run.state.phase).toBe('running');
    expect(t.notices).toContain('20 1 cell 103-120: given up, what is held goes on with its exits');
    expect([...t.market.open()].map(({ order }) => order.side)).toEqual(['SELL']);
    t.market.refuses = () => null;
    t.tick(30, '110');
    expect([...t.market.open()].map(({ order }) => order.side)).toEqual(['BUY', 'BUY']);
  });

  // proves: bot deposit no_reserve
  it('of a no_reserve deposit that the balance does not cover is skipped and asked for again, with one notice', () => {
    const deposit = { value: '100', asset: 'USDT', allocate: 'no_reserve' };
    const t = new LiveTest('CHANNEL', cell({ deposit }), { balance: '50' });
    let tries = 0;
    t.market.refuses = () => {
      tries++;
      return null;
    };
    t.tick(0, '105');
    t.tick(10, '104');
    t.tick(20, '103');
    expect(tries).toBe(3);
    expect(t.run.state.phase).toBe('running');
    expect(t.notices.filter((text) => text.includes('skipped'))).toEqual([
      '0 1 cell 100-110: skipped, insufficient balance of USDT',
    ]);
  });
});

describe('a rejected exit', () => {
  // proves: bot run exit-retry
  it('is tried for ever, each failure a notice of level 1', () => {
    const t = new LiveTest('CHANNEL', cell());
    t.tick(0, '105');
    const times = refusing(t, 'exit', 'final');
    t.tick(10, '100');
    t.pass(140);
    // At once, 1, 5, and 30 s after the one before.
    expect(times).toEqual([10, 11, 16, 46, 76, 106, 136]);
    expect(t.run.state.phase).toBe('running');
    expect(t.notices.filter((text) => / 1 SELL .* was rejected: says the exchange$/.test(text))).toHaveLength(
      7,
    );
    t.market.refuses = () => null;
    t.pass(166);
    expect([...t.market.open()].map(({ order }) => order.side)).toEqual(['SELL']);
  });
});

describe('the notice level', () => {
  // proves: bot common noticeLevel 0, bot common noticeLevel 1, bot common noticeLevel 2, bot common noticeLevel 3
  it.each([
    [0, []],
    [1, ['stop fixed fired at 95', 'run ended, operator']],
    [
      2,
      [
        'BUY 1',
        'SELL 1',
        'cycle 1 complete',
        'BUY 1',
        'stop fixed fired at 95',
        'SELL 1',
        'run ended, operator',
      ],
    ],
    [
      3,
      [
        'entries pause: a filter does not pass',
        'entries go on: the filters pass',
        'BUY 1',
        'SELL 1',
        'cycle 1 complete',
        'BUY 1',
        'stop fixed fired at 95',
        'SELL 1',
        'run ended, operator',
      ],
    ],
  ])('%i', (noticeLevel, told) => {
    const rule = { strategy: 'fixed', trigger: { type: 'kline', value: '95' } };
    const t = new LiveTest(
      'CHANNEL',
      cell({ noticeLevel, stop: rule, range: { type: 'price', max: '120' } }),
    );
    t.tick(0, '105');
    t.tick(1, '121');
    t.tick(2, '105');
    t.tick(10, '100');
    t.tick(20, '110');
    t.tick(30, '100');
    t.tick(40, '95');
    t.host.stop({ cleanup: 'cancelAllOrders', sell: false, force: false });
    const texts = t.notices.map((text) => text.split(' ').slice(2).join(' '));
    expect(texts.map((text, i) => (text.startsWith(told[i] ?? '-') ? told[i] : text))).toEqual(told);
  });
});

describe('the figures of a run', () => {
  // proves: bot stats unrealised, bot stats roi, bot stats drawdown, bot stats annualised
  it('follow what is held: profit not taken yet, its share of the budget, the worst of it; over a year only after a day', () => {
    const t = new LiveTest('CHANNEL', cell());
    t.tick(0, '105');
    t.tick(10, '100');
    t.tick(20, '90');
    t.pass(60);
    t.tick(70, '104');
    expect(figuresOf(t.run)).toMatchObject({
      budget: '100',
      realised: '0',
      unrealised: '4',
      roi: '4',
      maxDrawdown: '10',
      annualised: null,
    });
    t.pass(86_400);
    expect(figuresOf(t.run).annualised).toBeNull();
    t.pass(2 * 86_400);
    // 4 % in two days.
    expect(figuresOf(t.run).annualised).toBe('730');
  });

  // proves: bot stats cycles
  it('a sale by a stop that completes no cycle is not the loss of the next cycle', () => {
    const stop = [{ strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' } }];
    const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '100', sell: '101' }], stop }), { fees: '0' });
    for (const [i, price] of ['105', '100', '95', '105', '100', '101'].entries()) t.tick(10 * i, price);
    expect(t.run.state.stats.fills).toBe(4);
    const { cycles, winningCycles, realised } = figuresOf(t.run);
    expect([cycles, winningCycles, realised.startsWith('-')]).toEqual([1, 1, true]);
  });

  // proves: bot stats base-fees, bot stats fees
  it('count base fees as cost, and dust at its cost', () => {
    const t = new LiveTest('CHANNEL', cell({ levels: [{ buy: '99', sell: '110' }] }), { fees: '0.001' });
    t.tick(0, '105');
    t.tick(10, '99');
    t.tick(20, '110');
    // 1.01 for 99.99; 1.00899 held, 1.008 of it sold for 110.88 less 0.11088.
    const { realised, unrealised, fees, volume, cycles, winningCycles } = figuresOf(t.run);
    expect(Number(realised)).toBeCloseTo(110.88 - 0.110_88 - (99.99 * 1.008) / 1.008_99, 9);
    expect(Number(unrealised)).toBeCloseTo(0.000_99 * 110 - (99.99 * 0.000_99) / 1.008_99, 9);
    expect([fees, volume, cycles, winningCycles]).toEqual(['0.21087', '210.87', 1, 1]);
  });
});
