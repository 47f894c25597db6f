/**
 * If several levels wait for the price, the nearest one counts: a tick that reaches it and none of the others
 * is noticed (strategies.md 3 and 4), on the tick market, which skips ticks that change nothing, as on a
 * desk.
 */
import { describe, it } from 'vitest';
import { plays } from '../../scenarios/scene.ts';
import { cells, fibo, type Settings } from './bots.ts';

/** 90, 95, 100 and 105; a third of the deposit on each of the lower three, or, short, on the upper three. */
const levels = (short: boolean, changes: Settings = {}) =>
  fibo({
    deposit: { value: '300', asset: 'USDT' },
    channels: [
      { name: '0', depositePercent: short ? '0' : '33.34', fiboPrice: '90' },
      { name: '0.382', depositePercent: '33.33', fiboPrice: '95' },
      { name: '0.618', depositePercent: '33.33', fiboPrice: '100' },
      { name: '1', depositePercent: short ? '33.34' : '0', fiboPrice: '105' },
    ],
    short,
    ...changes,
  });

describe('a price that passes the nearest of the levels above it', () => {
  it.each([
    ['FIBO', levels(false)],
    [
      'CHANNEL',
      cells([
        ['90', '110'],
        ['95', '110'],
        ['100', '110'],
      ]),
    ],
    [
      'FIBO',
      // Prices of their own, in reverse order: 90 belongs to the highest level.
      levels(false, {
        channels: ['100', '95', '90', '120'].map((buy, i) => ({
          name: ['0', '0.382', '0.618', '1'][i],
          depositePercent: i < 3 ? (i === 0 ? '33.34' : '33.33') : '0',
          ...(i % 3 === 0 ? { fiboPrice: i === 0 ? '90' : '105' } : {}),
          buy,
          sell: '125',
        })),
      }),
    ],
  ] as const)('%s: lets its entry rest, and the farther ones wait', async (type, settings) => {
    await plays(type, {
      settings,
      events: ['0 85', '5 85', '10 90.01', '10 open: BUY LIMIT 90 1.111', '20 95.01'],
      open: 'BUY LIMIT 90 1.111; BUY LIMIT 95 1.052',
    });
  });

  it.each([
    ['FIBO', '0.999', levels(true)],
    [
      'CHANNEL',
      '1',
      cells(
        [
          ['90', '95'],
          ['90', '100'],
          ['90', '105'],
        ],
        { short: true },
      ),
    ],
  ] as const)('%s, short: mirrored', async (type, quantity, settings) => {
    await plays(type, {
      futures: true,
      settings,
      events: ['0 110', '5 110', '10 104.99', '10 open: SELL LIMIT 105 0.952', '20 99.99'],
      open: `SELL LIMIT 105 0.952; SELL LIMIT 100 ${quantity}`,
    });
  });
});

describe('of the levels below a FIBO that trails', () => {
  it('the nearest is armed first', async () => {
    await plays('FIBO', {
      settings: levels(false, { trailing: true }),
      events: ['0 104', '5 104', '10 99.9', '20 100.9'],
      // 99.99 / 100.9
      fills: ['20 BUY 0.99 at 100.9 taker'],
    });
    await plays('FIBO', {
      futures: true,
      settings: levels(true, { trailing: true }),
      events: ['0 91', '5 91', '10 95.1', '20 94.1'],
      fills: ['20 SELL 1.062 at 94.1 taker'],
    });
  });
});

describe('of bounds and levels', () => {
  it('the nearer one counts: stopAbove below a waiting cell, stopBelow above one', async () => {
    const pairs = [
      ['90', '130'],
      ['100', '130'],
    ] as const;
    await plays('CHANNEL', {
      settings: cells(pairs, { stopAbove: '95' }),
      events: ['0 85', '5 85', '10 94', '10 open: BUY LIMIT 90 1.111', '20 95.01'],
      open: 'none',
      reason: 'completed',
    });
    await plays('CHANNEL', {
      futures: true,
      settings: cells(
        [
          ['80', '100'],
          ['80', '90'],
        ],
        { short: true, stopBelow: '95' },
      ),
      events: ['0 110', '5 110', '10 96', '10 open: SELL LIMIT 100 1', '20 94.99'],
      open: 'none',
      reason: 'completed',
    });
  });
});
