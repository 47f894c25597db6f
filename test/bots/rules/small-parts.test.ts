/**
 * Divided orders, and parts of a position, that are too small for the exchange separately (strategies.md 1
 * "Rounding", 2 "orders", 5, 6).
 */
import { describe, expect, it } from 'vitest';
import { entryProblem, leastQty, quantityProblem } from '../../../src/bots/run/minimum.ts';
import { dec, mul, str } from '../../../src/domain/decimal.ts';
import { level, plays, refusesToStart } from '../../scenarios/scene.ts';
import { rules } from '../backtest/support.ts';
import { cell, fibo, PAIR, scale, squeeze } from './bots.ts';

const deposit = { value: '12', asset: 'USDT' };
const size = (side: 'buy' | 'sell', count: number) => ({ orders: { [side]: { size: count } } });

describe('orders.size', () => {
  // proves: bot orders buy size, bot rounding min-at-start
  it.each([
    ['CHANNEL', cell({ deposit, ...size('buy', 4) }), 'cell 100-110'],
    ['CHANNEL', scale({ deposit, entryPrice: '100', ...size('buy', 4) }, { orders: 0 }), 'base order'],
    ['FIBO', fibo({ deposit, ...size('buy', 4) }), 'channel 0.500'],
  ])('%s: a start is refused whose entry would be divided too far', async (type, settings, label) => {
    await refusesToStart(
      type,
      { settings, events: ['0 100'] },
      `${label}: order of 3.00 USDT is below the exchange minimum of 5 USDT`,
    );
  });

  it('of an entry: what is left after a part is divided into fewer', async () => {
    await plays('CHANNEL', {
      participation: '1',
      settings: cell({ deposit, ...size('buy', 2), range: [{ type: 'price', max: '105' }] }),
      events: ['0 104', '10 100 x0.05', '20 106 x0', '20 open: SELL LIMIT 110 0.05', '30 104 x0'],
      open: 'BUY LIMIT 100 0.07; SELL LIMIT 110 0.05',
    });
  });

  // proves: bot orders sell size
  it('of an exit: as many orders as the minimum allows', async () => {
    await plays('CHANNEL', {
      settings: cell({ deposit, ...size('sell', 4) }),
      events: ['0 105', '10 100'],
      open: 'SELL LIMIT 110 0.06; SELL LIMIT 110 0.06',
    });
  });

  it('of an exit on futures: as many as are wanted, which has no minimum there', async () => {
    await plays('CHANNEL', {
      futures: true,
      settings: cell({ deposit, ...size('sell', 4) }),
      events: ['0 105', '10 100'],
      open: 'SELL LIMIT 110 0.03; SELL LIMIT 110 0.03; SELL LIMIT 110 0.03; SELL LIMIT 110 0.03',
    });
  });
});

describe('parts of a position', () => {
  const intraday = (sizes: readonly number[], futures = false) => ({
    futures,
    settings: {
      ...PAIR,
      deposit,
      mode: 'breakout',
      trend: level(100),
      takeProfits: sizes.map((share, i) => ({ percent: String((i + 1) * 5), size: share })),
    },
    events: ['0 99', '10 101'],
  });

  // proves: bot INTRADAY targets
  it.each([
    // 0.118 were bought.
    [[25, 25, 25, 25], false, 'SELL LIMIT 121.2 0.118'],
    [[50, 30, 20], false, 'SELL LIMIT 106.05 0.059; SELL LIMIT 116.15 0.059'],
    [[50, 45, 5], false, 'SELL LIMIT 106.05 0.059; SELL LIMIT 111.1 0.059'],
    [[50, 30, 20], true, 'SELL LIMIT 106.05 0.059; SELL LIMIT 111.1 0.035; SELL LIMIT 116.15 0.024'],
  ])(
    'INTRADAY: take-profits of %j, futures %s, leave what is too small to the last',
    async (sizes, futures, open) => {
      await plays('INTRADAY', { ...intraday(sizes, futures), open });
    },
  );

  it('INTRADAY: a take-profit of just the least that the exchange takes is placed', async () => {
    const { settings, ...scene } = intraday([50, 50]);
    // 0.096 were bought; 0.047 at 106.05 would be less than 5.
    const own = { ...settings, deposit: { ...deposit, value: '9.7' } };
    const open = 'SELL LIMIT 106.05 0.048; SELL LIMIT 111.1 0.048';
    await plays('INTRADAY', { ...scene, settings: own, open });
  });

  // proves: bot SQUEEZE trailingPart
  it('SQUEEZE trailingPart: a half that is too small is trailed with the other', async () => {
    const percent = { buy: '1', sell: '10' };
    await plays('SQUEEZE', {
      settings: squeeze({ deposit: { value: '8', asset: 'USDT' }, trailingPart: true, price: { percent } }),
      events: ['0 100', '60 100', '70 99', '70 open: none', '80 120', '90 115'],
      fills: ['70 BUY 0.08 at 99 maker', '90 SELL 0.08 at 115 taker'],
    });
  });
});

describe('a twap', () => {
  // proves: bot partial twap
  it.each(['BUY', 'SELL'])('%s: completes with a rest that is too small for an order', async (side) => {
    await plays('ALGO', {
      participation: '1',
      settings: { symbol: 'BTCUSDT', algo: 'twap', side, quantity: '1', duration: 2 },
      balances: { USDT: '1000', BTC: '1' },
      events: ['0 100 x0.5', '59 100 x0.47', '60', '90 100 x5', '150 100 x5'],
      fills: [`0 ${side} 0.5 at 100 taker`, `60 ${side} 0.47 at 100 taker`],
      stats: { unfilled: '0.03' },
      status: 'STOPPED',
      reason: 'completed',
    });
  });

  it.each(['BUY', 'SELL'])(
    '%s: completes when what is left for its last order is too small',
    async (side) => {
      await plays('ALGO', {
        participation: '1',
        settings: { symbol: 'BTCUSDT', algo: 'twap', side, quantity: '1', duration: 1, limitOffset: '0.1' },
        balances: { USDT: '1000', BTC: '1' },
        events: [
          '0 100 x0',
          side === 'BUY' ? '30 99 x0.97' : '30 101 x0.97',
          '60',
          '90 100 x5',
          '150 100 x5',
        ],
        stats: { unfilled: '0.03' },
        status: 'STOPPED',
        reason: 'completed',
      });
    },
  );
});

describe('the least quantity of an order', () => {
  const spot = { minQty: dec('0.01'), minNotional: dec('5'), step: dec('0.001') } as const;
  it.each([
    ['just the minimum notional', 'spot', 'entry', '100', '0.05'],
    ['the step above the minimum notional', 'spot', 'entry', '99', '0.051'],
    ['the minimum quantity where that is more', 'spot', 'exit', '1000', '0.01'],
    ['any notional on futures, as an exit', 'futures', 'exit', '99', '0.01'],
    ['the minimum notional on futures, as an entry', 'futures', 'entry', '99', '0.051'],
  ] as const)('is %s', (_what, kind, role, price, least) => {
    expect(str(leastQty(role, dec(price), rules({ ...spot, kind })))).toBe(least);
  });
});

it.each([
  ['just the minimum notional', '0.05', '100', null],
  ['a step less', '0.049', '100', 'order of 4.90 USDT is below the exchange minimum of 5 USDT'],
  ['just the minimum quantity', '0.01', '1000', null],
  ['a step less of it', '0.009', '1000', 'order of 0.009 BTC is below the exchange minimum of 0.01 BTC'],
])('an entry of %s: %s at %s, %s', (_what, qty, price, words) => {
  const own = rules({ minQty: dec('0.01'), minNotional: dec('5'), step: dec('0.001') });
  const problem = quantityProblem('level', dec(qty), dec(price), own);
  expect(problem?.message ?? null).toBe(words === null ? null : `level: ${words}`);
  expect(entryProblem('level', mul(dec(qty), dec(price)), dec(price), own)?.message).toBe(problem?.message);
  // When divided, each of its orders must be large enough.
  expect(entryProblem('level', mul(dec(qty), dec(price)), dec(price), own, 2)).not.toBeNull();
});
