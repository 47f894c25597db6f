/** For each cell startBuy buys what the cell's resting entry would have bought (R5). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { playOnTickMarket } from '../../../scenarios/on-tick-market.ts';
import type { Scenario } from '../../../scenarios/scenario.ts';

const START = 1_700_000_040_000;

function played(levels: number, first: string, startBuy: boolean) {
  const scenario = {
    name: 'startBuy',
    instrument: {
      symbol: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      kind: 'spot',
      tickSize: '0.5',
      stepSize: '0.00001',
      minQty: '0.00001',
      minNotional: '1',
      makerRate: '0',
      takerRate: '0',
    },
    balances: { USDT: '100000' },
    settings: {
      exchange: 'paper-spot',
      symbol: { base: 'BTC', quote: 'USDT' },
      flavor: 'GRID',
      startBuy,
      deposit: { value: '1000', asset: 'USDT' },
      grid: { low: '41.5', high: '77.5', count: levels, spacing: 'geometric' },
    },
    start: START,
    events: [{ at: START, tick: first }],
    expect: {},
  } as unknown as Scenario;
  return playOnTickMarket('CHANNEL', scenario);
}

/** Sum in hundred thousandths. */
const sum = (quantities: readonly string[]) =>
  quantities.reduce((all, qty) => all + Math.round(Number(qty) * 100_000), 0);

// proves: bot ruling R5
it('has the quantities that rest when the price is beyond all levels', () => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 30 }), (levels) => {
      const resting = played(levels, '90', false);
      expect(resting.startError).toBeNull();
      const bought = played(levels, '30', true);
      expect(sum(bought.fills.map(({ qty }) => qty))).toBe(sum(resting.open.map(({ qty }) => qty)));
    }),
  );
});
