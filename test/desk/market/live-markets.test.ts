/**
 * What the live markets of a desk add to every commit: the last prices of the symbols that runs trade, until
 * a commit succeeds.
 */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { LiveMarkets } from '../../../src/desk/market/live/live-markets.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { FakeMarket } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const SYMBOL = 'BTCUSDT';

async function running() {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const data = new FakeMarket(clock);
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { memory } = new Engine();
  const run = { parts: { market: data.market }, run: { settings: { symbol: SYMBOL } } };
  const bots = { book: { runs: new Map([['r1', run]]) } } as unknown as BotEngine;
  const live = new LiveMarkets([data], {
    clock,
    now: () => clock.wall(),
    hub: () => hub,
    memory: () => memory,
    bots: () => bots,
    step: (event) => {
      if (event.type === 'market') hub.lastPrice(event.symbol, event.time, dec(event.price));
    },
    told: () => {},
    staleness: () => {},
    report: () => {},
  });
  await live.open();
  live.run();
  await clock.settle();
  return {
    clock,
    data,
    live,
    tick: async (price: string) => {
      await clock.advance(10);
      data.ticks([SYMBOL, price], ['ETHUSDT', '7']);
      await clock.settle();
    },
    told: () => [...live.known(new Map(live.deferredRows().map(nameAndValue)))].map(([, [, price]]) => price),
  };
}

const nameAndValue = (row: Row) =>
  row.kind === 'meta' ? ([row.name, row.value] as const) : (['', null] as const);

it('last prices of runs go with each commit until one has them, and again when they have moved', async () => {
  const { live, tick, told } = await running();
  await tick('100');
  expect(told()).toEqual(['100']);
  // That commit failed.
  expect(told()).toEqual(['100']);
  live.deferredStored();
  expect(told()).toEqual([]);
  await tick('101');
  expect(told()).toEqual(['101']);
  // The price moves while the commit is under way.
  await tick('102');
  live.deferredStored();
  expect(told()).toEqual(['102']);
  live.deferredStored();
  expect(told()).toEqual([]);
  await live.close();
});

it('a market that was let go and has come again tells its prices anew', async () => {
  const { live, tick, told, data } = await running();
  await tick('100');
  told();
  live.deferredStored();
  await live.remove(data.market);
  expect(told()).toEqual([]);
  await live.add(data);
  await tick('103');
  expect(told()).toEqual(['103']);
  await live.close();
});
