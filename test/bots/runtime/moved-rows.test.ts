/**
 * State that has followed the prices: it goes with each commit until one has it, of the runs that have moved
 * alone, and a restart from it goes on where the price had led.
 */
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../src/domain/bot.ts';
import { cell, stop } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const TRAILING = stop('trailing', 'kline', { value: '10' }, { complete: true });

/** Two runs that hold 1 BTC each, bought at 100; the first alone has a trailing stop. */
function held() {
  const b = new BotsBench();
  b.restart();
  const levels = [{ buy: '100', sell: '500' }];
  const [first, second] = [
    b.started('CHANNEL', cell({ levels, stop: TRAILING })),
    b.started('CHANNEL', cell({ levels })),
  ];
  b.tick('101', 1);
  for (const order of [...b.bench.engine.memory.orders.values()])
    b.bench.fill(b.bench.trade(order, '1', { price: '100', commAsset: 'USDT' }));
  b.obey();
  const runs = (): RunRecord[] => b.engine.moved().flatMap((row) => (row.kind === 'run' ? [row.run] : []));
  const sold = (id: string) =>
    [...b.bench.engine.memory.orders.values()].filter(
      ({ creatorId, side, type }) => creatorId === id && side === 'SELL' && type === 'MARKET',
    ).length;
  b.engine.stored();
  return { b, first, second, runs, sold };
}

it('goes with each commit until one is stored, and again with the next move', () => {
  const { b, first, runs } = held();
  b.tick('100', 2);
  expect(runs()).toEqual([]);
  b.tick('200', 3);
  const ids = () => runs().map(({ runId }) => runId);
  expect([ids(), ids()]).toEqual([[first.runId], [first.runId]]);
  b.engine.stored();
  expect(ids()).toEqual([]);
  b.tick('199', 4);
  expect(ids()).toEqual([]);
  b.tick('201', 5);
  expect(ids()).toEqual([first.runId]);
  // It is stored with what the run asks for, and needs no row beside that.
  b.tick('180', 6);
  expect([ids(), b.runs.get(first.runId)?.state.includes('"201')]).toEqual([[], true]);
});

it('is where a restart goes on; without it the price leads anew', () => {
  for (const isStored of [true, false]) {
    const { b, first, second, runs, sold } = held();
    b.tick('200', 2);
    if (isStored) for (const run of runs()) b.runs.set(run.runId, run);
    b.restart();
    b.tick('179', 3);
    expect([sold(first.id), sold(second.id)]).toEqual([isStored ? 1 : 0, 0]);
    b.tick('161', 4);
    expect(sold(first.id)).toBe(1);
  }
});

it('of a run that is gone is stored no more', () => {
  const { b, first, runs } = held();
  b.tick('200', 2);
  b.done({ type: 'bot.delete', id: first.id, force: true });
  b.obey();
  expect(runs()).toEqual([]);
});
