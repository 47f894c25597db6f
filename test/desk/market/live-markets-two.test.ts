/** Two live markets of a desk: each has its own prices, rows, symbols and end. */
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { inRealTime, LiveMarkets } from '../../../src/desk/market/live/live-markets.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { BTC, CAPS } from '../../engine/support/market.ts';
import { FakeMarket } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const [ONE, TWO] = ['one-spot', 'two-spot'];

async function rig() {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const data = [ONE, TWO, ONE].map((market) => new FakeMarket(clock, { market }));
  const hubs = new Map(
    [ONE, TWO].map((market) => [market, new CandleHub({ time: VIRTUAL_START, told: true })]),
  );
  const { memory } = new Engine();
  for (const id of [ONE, TWO])
    memory.addAccount({ id, name: id, kind: 'spot', market: id }, CAPS, [
      { ...BTC, exchange: id },
      { ...BTC, exchange: id, symbol: `ONLY${id}`.toUpperCase() },
    ]);
  const runs = [ONE, TWO, TWO].map((market, n) => [
    `r${n}`,
    { parts: { market }, run: { settings: { symbol: 'BTCUSDT' } } },
  ]);
  const told: string[] = [];
  const live = new LiveMarkets(data, {
    clock,
    now: () => clock.wall(),
    hub: (market) => hubs.get(market) as CandleHub,
    memory: () => memory,
    bots: () => ({ book: { runs: new Map(runs as never) } }) as unknown as BotEngine,
    step: (event) => {
      if (event.type === 'market')
        hubs.get(event.market)?.lastPrice(event.symbol, event.time, dec(event.price));
      if (event.type === 'tick' || event.type === 'mark')
        told.push(`${event.type} ${event.market} ${event.price}`);
    },
    told: (market, { price }) => void told.push(`told ${market} ${price}`),
    staleness: (market, symbol) => void told.push(`stale ${market} ${symbol}`),
    matched: (market, { price }) => void told.push(`matched ${market} ${price}`),
    marked: (market, symbol, price, funding) =>
      void told.push(`marked ${market} ${symbol} ${price} ${funding?.rate ?? 'none'}`),
    pricesOf: (market) => (market === ONE ? VIRTUAL_START - 60_000 : null),
    report: (_, text) => void told.push(text),
  });
  const [one, two, second] = data as [FakeMarket, FakeMarket, FakeMarket];
  return {
    clock,
    live,
    one,
    two,
    second,
    hubs,
    memory,
    said: () => told.splice(0),
    rows: () => live.deferredRows().map((row) => (row.kind === 'meta' ? [row.name, row.value] : [])),
    tick: async (market: FakeMarket, price: string) => {
      await clock.advance(10);
      market.ticks(['BTCUSDT', price]);
      await clock.settle();
    },
  };
}

async function running() {
  const made = await rig();
  await made.live.open();
  made.live.run();
  await made.clock.settle();
  made.said();
  return made;
}

it('a price is told of its own market, to accounts that mirror it, to the engine and to screens', async () => {
  const { tick, one, two, said, clock } = await running();
  await tick(one, '100');
  expect(said()).toEqual([`matched ${ONE} 100`, `tick ${ONE} 100`, `told ${ONE} 100`]);
  await tick(two, '200');
  expect(said()).toEqual([`matched ${TWO} 200`, `tick ${TWO} 200`, `told ${TWO} 200`]);
  two.sink?.mark('BTCUSDT', '201', { rate: '0.1', at: 5 });
  one.sink?.mark('BTCUSDT', '101');
  await clock.settle();
  expect(said().toSorted()).toEqual([
    `mark ${ONE} 101`,
    `mark ${TWO} 201`,
    `marked ${ONE} BTCUSDT 101 none`,
    `marked ${TWO} BTCUSDT 201 0.1`,
  ]);
  two.sink?.stale('BTCUSDT', 'silent');
  await clock.settle();
  expect(said()).toEqual([`stale ${TWO} BTCUSDT`]);
});

it('the last prices of each are stored when they have moved, and known again at the next start', async () => {
  const { tick, one, two, rows, live, clock } = await running();
  const times: number[] = [];
  const at = async (market: FakeMarket, price: string) => {
    await tick(market, price);
    times.push(clock.wall());
  };
  await at(one, '100');
  rows();
  live.deferredStored();
  await at(two, '200');
  const second = [`live-prices ${TWO}`, [['BTCUSDT', '200', times[1]]]];
  expect(rows()).toEqual([second]);
  // The other market moves while that commit is under way.
  await at(one, '101');
  live.deferredStored();
  const first = [`live-prices ${ONE}`, [['BTCUSDT', '101', times[2]]]];
  expect(rows()).toEqual([first]);
  live.deferredStored();
  expect(rows()).toEqual([]);
  const meta = new Map([first, second] as [string, unknown][]);
  expect([...live.known(meta)]).toEqual([
    [ONE, ['BTCUSDT', '101', times[2]]],
    [TWO, ['BTCUSDT', '200', times[1]]],
  ]);
  // The first one may have had none.
  const some = new Map([second, ['live-prices gone-spot', first[1]]] as [string, unknown][]);
  expect([...live.known(some)]).toEqual([[TWO, ['BTCUSDT', '200', times[1]]]]);
});

it('of two sources of one market the first is used', async () => {
  const { one, two, second, live, clock } = await running();
  expect([one.opened, two.opened, second.opened, [...live.names]]).toEqual([1, 1, 0, [ONE, TWO]]);
  await live.add(new FakeMarket(clock, { market: TWO }));
  expect(two.closed).toBe(false);
  await live.close();
  expect([one.closed, two.closed]).toEqual([true, true]);
});

describe('a market that comes later', () => {
  it('runs when the desk does', async () => {
    const { live, clock, said, tick } = await running();
    const data = new FakeMarket(clock, { market: 'three-spot' });
    await live.add(data);
    await tick(data, '300');
    expect(said()).toContain('told three-spot 300');
    expect(live.names.has('three-spot')).toBe(true);
    await live.remove('three-spot');
    expect([data.closed, live.of('three-spot')]).toEqual([true, undefined]);
    await live.remove('three-spot');
  });

  it('waits until the desk runs', async () => {
    const { live, clock, said, tick } = await rig();
    const data = new FakeMarket(clock, { market: 'three-spot' });
    await live.add(data);
    await tick(data, '300');
    expect(said()).toEqual([]);
    live.run();
    await clock.settle();
    expect(said()).toContain('told three-spot 300');
  });
});

it('a symbol is watched on the market of its account, and only where an account trades it', async () => {
  const { live, one, two, clock, memory } = await running();
  const watched = async () => {
    await clock.advance(1_000);
    return [[...one.watched.keys()], [...two.watched.keys()]];
  };
  const runs = [['BTCUSDT'], ['BTCUSDT']];
  expect(await watched()).toEqual(runs);
  const only = (id: string) => `ONLY${id}`.toUpperCase();
  live.look(ONE, only(TWO));
  live.look('three-spot', 'BTCUSDT');
  live.lookFor({ exchange: 'nowhere', symbol: only(ONE) });
  live.lookFor({ symbol: only(ONE) });
  expect(await watched()).toEqual(runs);
  live.look(TWO, only(TWO));
  live.lookFor({ exchange: ONE, symbol: only(ONE) });
  expect((await watched()).map((symbols) => symbols.toSorted())).toEqual([
    ['BTCUSDT', only(ONE)],
    ['BTCUSDT', only(TWO)],
  ]);
  expect(memory.accounts.size).toBe(2);
  await clock.advance(62_000);
  expect(await watched()).toEqual(runs);
});

it('one that cannot be opened says how old its own prices are, and holds up nobody', async () => {
  const { live, one, two, said, clock } = await rig();
  for (const market of [one, two]) market.answers.open = () => Promise.reject(new Error('no route'));
  await live.open();
  expect(said()).toEqual([
    `${ONE} could not be opened: no route; trying again; its prices are of 2026-01-04T23:59:00.000Z, or older`,
    `${TWO} could not be opened: no route; trying again`,
  ]);
  two.answers.open = async () => {};
  live.run();
  await clock.advance(500);
  expect([one.opened, two.opened, two.sink !== null, one.sink]).toEqual([2, 2, true, null]);
  // Waits are doubled, from half a second to half a minute.
  const opened: number[] = [];
  const began = clock.wall();
  one.answers.open = () => {
    opened.push(clock.wall() - began);
    return Promise.reject(new Error('no route'));
  };
  await clock.advance(130_000);
  expect(opened).toEqual([1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000, 121_000]);
  expect(said().filter((text) => text.startsWith(ONE))).toEqual([]);
  await live.close();
  await clock.advance(60_000);
  expect(opened).toHaveLength(8);
});

it('says why the paper market keeps to the clock', () => {
  expect(inRealTime([ONE, TWO])).toBe(
    'the desk trades on one-spot, two-spot, which runs with the clock: so must the paper market',
  );
});
