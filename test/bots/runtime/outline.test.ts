/** What a chart and a pane are told of a run: its lots, what they have cost, and its stop rules. */
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import { LiveRun, type LiveRunParts } from '../../../src/bots/runtime/live-run.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { stop } from '../rules/bots.ts';
import { Lonely } from '../run/lonely.ts';

const LEVELS = {
  levels: [
    { buy: '44000', sell: '46000' },
    { buy: '43000', sell: '45500' },
  ],
};

/** A run that has bought three times: twice at the upper level, with fees in base, then at the lower one. */
function bought(changes: object) {
  const lonely = new Lonely('LEVELS', { ...LEVELS, ...changes }, '45000');
  const live = new LiveRun({ runId: 'r', botId: 'b', run: lonely.run } as LiveRunParts);
  const [upper, lower] = lonely.placed() as [RunOrder, RunOrder];
  const buy = ({ key }: RunOrder, qty: string, price: string, fee: string) => {
    lonely.tick('45000');
    const fill = { price: dec(price), qty: dec(qty), fee: dec(fee), feeAsset: 'BTC', maker: true };
    lonely.change({ key, kind: 'fill', fill });
    return lonely.run.now;
  };
  const first = buy(upper, '0.004', '44000', '0.00001');
  buy(upper, '0.004', '43000', '0.00001');
  const second = buy(lower, '0.008', '42500', '0');
  return { lonely, live, first, second };
}

it('of a run that holds two lots has each with its mean price before fees and its first fill’s time', () => {
  const rules = [
    stop('price_percent_buy', 'kline', { value: '10' }),
    stop('fixed', 'exchange', { value: '30000' }),
    stop('trailing', 'kline', { value: '50' }, { disabled: true }),
    stop('breakeven', 'kline', { value: '20' }),
  ];
  const { live, first, second } = bought({ stop: rules });
  const { symbol, lots, averageEntry, breakEven, stops } = live.outline();
  expect([symbol, averageEntry]).toEqual(['BTCUSDT', '43000']);
  expect(lots).toEqual([
    { label: 'cell 44000-46000', qty: '0.00798', entryPrice: '43500', openedAt: first },
    { label: 'cell 43000-45500', qty: '0.008', entryPrice: '42500', openedAt: second },
  ]);
  expect(Number(breakEven)).toBeCloseTo((43_000 * 1.0015) / 0.9985, 6);
  expect(stops.map(({ strategy, trigger, level, disabled }) => [strategy, trigger, level, disabled])).toEqual(
    [
      ['price_percent_buy', 'kline', '38700', false],
      ['fixed', 'exchange', '30000', false],
      ['trailing', 'kline', null, true],
      ['breakeven', 'kline', null, false],
    ],
  );
});

it('of a run that holds nothing has no lot and no price', () => {
  const lonely = new Lonely('LEVELS', LEVELS, '45000');
  const live = new LiveRun({ runId: 'r', botId: 'b', run: lonely.run } as LiveRunParts);
  expect(live.outline()).toEqual({
    symbol: 'BTCUSDT',
    lots: [],
    averageEntry: null,
    breakEven: null,
    stops: [],
  });
});
