/** Nothing is bought and sold in a circle at one price, in the backtest and on a desk alike (R1). */
import { describe, expect, it } from 'vitest';
import { SendPace } from '../../../src/bots/run/send-pace.ts';
import { playOnDesk } from '../../scenarios/on-desk.ts';
import { playOnTickMarket } from '../../scenarios/on-tick-market.ts';
import type { Scenario } from '../../scenarios/scenario.ts';

const START = 1_700_000_040_000;
const DROP = START + 70_000;

/** The price falls through the entry and stands beyond the stop: what is bought is sold at once. */
const CIRCLE = {
  name: 'bought into a passed stop',
  instrument: {
    symbol: 'BTCUSDT',
    base: 'BTC',
    quote: 'USDT',
    kind: 'spot',
    tickSize: '0.01',
    stepSize: '0.001',
    minQty: '0.001',
    minNotional: '5',
    makerRate: '0.001',
    takerRate: '0.001',
  },
  balances: { USDT: '1000', BTC: '0' },
  settings: {
    symbol: { base: 'BTC', quote: 'USDT' },
    exchange: 'paper-spot',
    timeFrame: 60_000,
    deposit: { value: '900', asset: 'USDT' },
    price: { percent: { buy: '1', sell: '1' } },
    stop: [
      {
        strategy: 'fixed',
        trigger: { type: 'exchange', value: '97' },
        order: { type: 'MARKET' },
        complete: true,
      },
    ],
  },
  start: START,
  events: [
    { at: START, tick: '100' },
    { at: START + 60_000, advance: true },
    { at: DROP, tick: '96' },
  ],
  expect: {},
} as unknown as Scenario;

describe('a slot that sends at one moment of market time', () => {
  it.each([
    ['in the backtest', async () => playOnTickMarket('SQUEEZE', CIRCLE)],
    ['on a desk', () => playOnDesk('SQUEEZE', CIRCLE)],
  ])('does not buy again into the stop that has just sold, %s', async (_where, play) => {
    const { fills } = await play();
    expect(fills.map(({ at, side }) => `${at - DROP} ${side}`)).toEqual(['0 BUY', '0 SELL']);
  });

  it('has its three again at the next moment, and another slot has its own', () => {
    const pace = new SendPace();
    for (let n = 0; n < 3; n++) {
      expect(pace.allows('entry', 'entry', 5)).toBe(true);
      pace.sent('entry', 5);
    }
    expect(pace.allows('entry', 'entry', 5)).toBe(false);
    expect(pace.allows('exit', 'exit', 5)).toBe(true);
    expect(pace.allows('entry', 'entry', 6)).toBe(true);
  });
});
