/**
 * What an entry has bought may be too little to be sold: it becomes dust, completes no cycle, and the type
 * enters again as it did at first. The same for every type that goes on after a cycle.
 */
import { it } from 'vitest';
import { at, level, plays } from '../../scenarios/scene.ts';
import { DEPOSIT, PAIR, scale, squeeze } from './bots.ts';

const INTRADAY = {
  ...PAIR,
  deposit: DEPOSIT,
  mode: 'breakout',
  trend: level(100),
  takeProfits: [{ percent: '10', size: 100 }],
  maxEntries: 3,
};
const SMALL = { participation: '1', rules: { minNotional: '5' }, stats: { cycles: 0 }, status: 'STARTED' };

// What rests is bought for 2 of the 5 that an order must be worth.
it.each([
  ['CHANNEL', scale(), ['0 100 x0.02', '10 100 x3'], ['0 BUY 0.02 at 100 taker', '10 BUY 1 at 100 taker']],
  [
    'INTRADAY',
    INTRADAY,
    ['0 99', '10 101 x0.02', '20 99 x3', '30 101 x3'],
    ['10 BUY 0.02 at 101 taker', '30 BUY 0.99 at 101 taker'],
  ],
  [
    'SQUEEZE',
    squeeze(),
    ['0 100', '60', '70 99 x0.02', '119 100', '120', '130 98 x3'],
    ['70 BUY 0.02 at 99 maker', '130 BUY 1.02 at 98.01 maker'],
  ],
] as const)(
  '%s: it counts as no cycle, and the next entry is a whole one (%#)',
  async (type, settings, events, fills) => {
    await plays(type, { ...SMALL, settings, events: [...events], fills: [...fills] });
  },
);

it('INTRADAY: of a run that has expired meanwhile it is the end', async () => {
  const settings = { ...INTRADAY, orders: { buy: { type: 'LIMIT', price: 0.5 } }, expiresAt: at(25) };
  await plays('INTRADAY', {
    ...SMALL,
    settings,
    events: ['0 99', '10 101 x0.02', '25', '30 99 x3', '40 101 x3'],
    fills: ['10 BUY 0.02 at 101 taker'],
    open: 'none',
    status: 'STOPPED',
    state: 'expired',
    reason: 'expired',
  });
});
