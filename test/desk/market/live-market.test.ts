/**
 * The order of a live market's events within one turn: a decision at a tick sees everything that came before
 * the tick.
 */
import { expect, it } from 'vitest';
import { readCandle } from '../../../src/bots/market/candle.ts';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { LiveMarket, type LiveMarketOptions } from '../../../src/desk/market/live/live-market.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const SYMBOL = 'BTCUSDT';

async function open(
  prepare: (data: FakeMarket, clock: VirtualClock) => void = () => {},
  more: Partial<LiveMarketOptions> = {},
) {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const data = new FakeMarket(clock);
  prepare(data, clock);
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { memory } = new Engine();
  const events: EngineEvent[] = [];
  const reports: string[] = [];
  const live = new LiveMarket({
    data,
    clock,
    now: () => clock.wall(),
    hub: () => hub,
    memory: () => memory,
    bots: () => null,
    step: (event) => events.push(event),
    told: () => {},
    staleness: () => {},
    report: (_, text) => reports.push(text),
    ...more,
  });
  await live.open();
  return {
    clock,
    data,
    live,
    reports,
    said: () =>
      events.splice(0).map((event) => {
        const what = 'price' in event ? event.price : 'why' in event ? (event.why ?? '') : '';
        return [event.type, what].filter((part) => part !== '').join(' ');
      }),
  };
}

it('nothing is told before it runs, and nothing of it is lost', async () => {
  const { clock, data, live, said } = await open();
  data.sink?.mark(SYMBOL, '99');
  data.ticks([SYMBOL, '100']);
  await clock.settle();
  expect(said()).toEqual([]);
  live.run();
  await clock.settle();
  expect(said()).toEqual(['stale', 'mark 99', 'market 100', 'tick 100']);
});

it('staleness, then marks, then trades; of each the lowest, the highest and the last', async () => {
  const { clock, data, live, said } = await open();
  live.run();
  await clock.settle();
  said();
  data.ticks([SYMBOL, '100'], [SYMBOL, '90'], [SYMBOL, '101']);
  for (const mark of ['99', '80', '98']) data.sink?.mark(SYMBOL, mark);
  data.sink?.stale(SYMBOL, 'silent');
  await clock.settle();
  const trades = ['90', '101'].flatMap((price) => [`market ${price}`, `tick ${price}`]);
  expect(said()).toEqual(['stale silent', 'mark 99', 'mark 80', 'mark 98', ...trades]);
});

it('what closes and what was loaded is told before the marks and trades of its turn, whichever came first', async () => {
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { clock, data, live, said } = await open(undefined, { hub: () => hub });
  live.run();
  live.watched.hold(SYMBOL);
  hub.need(SYMBOL, MINUTE, {});
  await clock.advance(MINUTE);
  said();
  data.ticks([SYMBOL, '100']);
  data.sink?.mark(SYMBOL, '99');
  data.tellClose(SYMBOL, MINUTE, VIRTUAL_START);
  await clock.settle();
  expect(said()).toEqual(['history', 'closed', 'mark 99', 'market 100', 'tick 100']);
  await live.close();
});

it('accounts that mirror the market match a price after the bots have it and before the engine does', async () => {
  const order: string[] = [];
  const { clock, data, live } = await open(undefined, {
    step: (event) => void (event.type === 'stale' || order.push(`${event.type}`)),
    matched: ({ price }) => void order.push(`matched ${price}`),
    told: ({ price }) => void order.push(`told ${price}`),
  });
  live.run();
  data.ticks([SYMBOL, '90'], [SYMBOL, '80']);
  await clock.settle();
  expect(order).toEqual(
    ['90', '80'].flatMap((price) => ['market', `matched ${price}`, 'tick', `told ${price}`]),
  );
  await live.close();
});

it('the exchange is told what is wanted when that has changed alone: the symbols with their frames, small ones first', async () => {
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { clock, data, live } = await open(undefined, { hub: () => hub });
  const told: unknown[] = [];
  const watch = data.watch.bind(data);
  data.watch = (wanted) => {
    told.push([...wanted]);
    watch(wanted);
  };
  live.run();
  await clock.advance(3_000);
  expect(told).toEqual([]);
  live.watched.hold(SYMBOL);
  for (const frame of [5, 1]) hub.need(SYMBOL, frame * MINUTE, {});
  await clock.advance(5_000);
  expect(told).toEqual([[[SYMBOL, [MINUTE, 5 * MINUTE]]]]);
  await live.close();
});

it('a symbol that is wanted for always is watched for always, one that is wanted once for a minute', async () => {
  const { clock, data, live } = await open();
  live.run();
  live.want(SYMBOL, true);
  live.want('ETHUSDT');
  expect([...data.watched.keys()].toSorted()).toEqual([SYMBOL, 'ETHUSDT'].toSorted());
  await clock.advance(90_000);
  expect([...data.watched.keys()]).toEqual([SYMBOL]);
  await live.close();
});

it('nothing is told once it is closed: what had come, and what is answered later', async () => {
  const { clock, data, live, said } = await open();
  live.run();
  await clock.settle();
  const answer = Promise.withResolvers<readonly [string, string][]>();
  data.answers.prices = () => answer.promise;
  await clock.advance(10_000);
  said();
  data.ticks([SYMBOL, '100']);
  await live.close();
  answer.resolve([[SYMBOL, '70']]);
  data.sink?.mark(SYMBOL, '99');
  await clock.settle();
  expect(said()).toEqual([]);
});

it('a market that cannot be opened is without prices until it can, and the engine is told why', async () => {
  let isThere = false;
  const { clock, live, said } = await open(
    (market) => {
      market.answers.open = async () => {
        if (!isThere) throw new Error('no route');
      };
    },
    { pricesOf: () => VIRTUAL_START - MINUTE },
  );
  live.run();
  await clock.settle();
  expect(said()).toEqual(['stale it is not connected; its prices are of 2026-01-04T23:59:00.000Z, or older']);
  isThere = true;
  await clock.advance(500);
  expect(said()).toEqual(['stale']);
  await live.close();
});

it('a symbol that is watched again after it was let go of is not missed for what was said of it before', async () => {
  const { clock, data, live } = await open();
  live.run();
  await clock.settle();
  const release = live.watched.hold(SYMBOL);
  data.sink?.stale(SYMBOL, 'silent');
  await clock.advance(5_000);
  expect(live.isBroken(SYMBOL)).toBe(true);
  release();
  await clock.advance(70_000);
  const again = live.watched.hold(SYMBOL);
  await clock.advance(2_000);
  data.ticks([SYMBOL, '100']);
  await clock.settle();
  expect([live.isFresh(SYMBOL), live.isBroken(SYMBOL)]).toEqual([true, false]);
  again();
  await live.close();
});

it('a mark has the funding that came in its own turn, and none of an earlier one; the last one stays known', async () => {
  const marks: unknown[][] = [];
  const { clock, data, live } = await open(undefined, { marked: (...mark) => marks.push(mark) });
  live.run();
  const release = live.watched.hold(SYMBOL);
  const funding = { rate: '0.0001', at: VIRTUAL_START + 3_600_000 };
  data.sink?.mark(SYMBOL, '99', funding);
  await clock.settle();
  data.sink?.mark(SYMBOL, '98');
  await clock.settle();
  expect(marks).toEqual([
    [SYMBOL, '99', funding],
    [SYMBOL, '98', null],
  ]);
  expect(live.fundingOf(SYMBOL)).toEqual(funding);
  release();
  await live.close();
});

it('neither an opening nor a question for candles is waited for longer than ten seconds', async () => {
  let passes = new VirtualClock();
  const opening = open((market, clock) => {
    passes = clock;
    market.answers.open = () => new Promise(() => {});
  });
  let isOpen = false;
  void opening.then(() => {
    isOpen = true;
  });
  await passes.advance(9_999);
  expect(isOpen).toBe(false);
  await passes.advance(1);
  expect(isOpen).toBe(true);
  const { clock, data, live } = await open();
  const asked = [SYMBOL, MINUTE, VIRTUAL_START - 3 * MINUTE, VIRTUAL_START] as const;
  const answer = Promise.withResolvers<void>();
  data.answers.candles = (question) => answer.promise.then(() => data.history(question));
  const ask = async (ms: number) => {
    let count = -1;
    void live.history(...asked).then((candles) => {
      count = candles.length;
    });
    await clock.advance(ms);
    return count;
  };
  expect([await ask(9_999), await ask(10_000)]).toEqual([-1, 0]);
  answer.resolve();
  await clock.settle();
  expect(await ask(0)).toBe(3);
});

it('prices that cannot be asked for are said once, and again after they could', async () => {
  const { clock, data, live, reports } = await open();
  live.run();
  const text = 'other-spot: its prices could not be asked for; asking again';
  const ask = async (answer: () => Promise<readonly [] | null>) => {
    data.answers.prices = answer;
    await clock.advance(10_000);
  };
  await ask(async () => null);
  await ask(async () => {
    throw new Error('no route');
  });
  expect(reports).toEqual([text]);
  await ask(async () => []);
  await ask(async () => null);
  expect(reports).toEqual([text, text]);
  await live.close();
});

it('an answer for all prices, which may be older, moves nothing that is watched; for whatever reason it is', async () => {
  const { clock, data, live, said } = await open();
  live.run();
  await clock.settle();
  const release = live.watched.hold(SYMBOL);
  data.answers.prices = async () => [
    [SYMBOL, '70'],
    ['ETHUSDT', '7'],
  ];
  said();
  await clock.advance(10_000);
  expect(said().filter((line) => line.startsWith('price'))).toEqual(['price 7']);
  release();
  await live.close();
});

it('a symbol that was let go of is fresh only when another price of it has come', async () => {
  const { clock, data, live } = await open();
  live.run();
  const fresh = async () => {
    await clock.settle();
    return live.isFresh(SYMBOL);
  };
  const watched = () => data.watched.has(SYMBOL);
  live.want(SYMBOL);
  expect([await fresh(), watched()]).toEqual([false, true]);
  data.ticks([SYMBOL, '100']);
  expect(await fresh()).toBe(true);
  await clock.advance(90_000);
  expect([await fresh(), watched()]).toEqual([false, false]);
  live.want(SYMBOL);
  expect([await fresh(), watched()]).toEqual([false, true]);
  data.ticks([SYMBOL, '101']);
  expect(await fresh()).toBe(true);
  data.sink?.stale('', 'the line is down');
  expect(await fresh()).toBe(false);
  data.sink?.stale('', null);
  expect(await fresh()).toBe(false);
  data.ticks([SYMBOL, '102']);
  expect(await fresh()).toBe(true);
  await live.close();
});

it('prices that stay away are broken off after three seconds, however often that is said, and not once they come', async () => {
  const { clock, data, live } = await open();
  live.run();
  await clock.settle();
  live.watched.hold(SYMBOL);
  expect(live.isBroken(SYMBOL)).toBe(false);
  const broken: boolean[] = [];
  for (let second = 0; second < 5; second++) {
    data.sink?.stale(SYMBOL, `silent for ${second} s`);
    await clock.advance(1_000);
    broken.push(live.isBroken(SYMBOL));
  }
  expect(broken).toEqual([false, false, false, true, true]);
  expect(live.isBroken('ETHUSDT')).toBe(false);
  data.sink?.stale(SYMBOL, null);
  expect(live.isBroken(SYMBOL)).toBe(false);
  data.sink?.stale('', 'the line is down');
  await clock.advance(3_001);
  expect([live.isBroken(SYMBOL), live.isBroken('ETHUSDT')]).toEqual([true, true]);
  data.sink?.stale('', null);
  // One that has been silent for long is not better off because the line breaks off as well.
  data.sink?.stale(SYMBOL, 'silent');
  await clock.advance(3_001);
  data.sink?.stale('', 'the line is down');
  expect([live.isBroken(SYMBOL), live.isBroken('ETHUSDT')]).toEqual([true, false]);
  data.sink?.stale(SYMBOL, null);
  expect([live.isBroken(SYMBOL), live.isFresh(SYMBOL)]).toEqual([false, false]);
  await live.close();
});

it('single trades and depth are told of what is looked at closely, as long as it is', async () => {
  const looked: unknown[][] = [];
  const { clock, data, live } = await open(
    (market) => Object.assign(market, { watchDepth: (symbols: unknown) => looked.push(['watch', symbols]) }),
    {
      looked: {
        trades: (symbol, ticks) => looked.push(['trades', symbol, ticks.length]),
        depth: (symbol, depth) => looked.push(['depth', symbol, depth]),
      },
    },
  );
  live.run();
  const tell = () => {
    data.ticks([SYMBOL, '100'], [SYMBOL, '101']);
    data.ticks(['ETHUSDT', '7']);
    for (const symbol of [SYMBOL, 'ETHUSDT']) data.sink?.depth?.(symbol, null);
    return looked.splice(0);
  };
  expect([live.tellsDepth, tell()]).toEqual([true, []]);
  const end = live.lookAt(SYMBOL);
  expect(looked.splice(0)).toEqual([['watch', new Set([SYMBOL])]]);
  expect(data.watched.has(SYMBOL)).toBe(true);
  expect(tell()).toEqual([
    ['trades', SYMBOL, 2],
    ['depth', SYMBOL, null],
  ]);
  const other = live.lookAt('ETHUSDT');
  expect(looked.splice(0)).toEqual([['watch', new Set([SYMBOL, 'ETHUSDT'])]]);
  end();
  expect(looked.splice(0)).toEqual([['watch', new Set(['ETHUSDT'])]]);
  expect(tell()).toEqual([
    ['trades', 'ETHUSDT', 1],
    ['depth', 'ETHUSDT', null],
  ]);
  await clock.settle();
  await live.close();
  other();
  expect(looked).toEqual([]);
});

it('the funding of a symbol is known as long as it is watched', async () => {
  const { clock, data, live } = await open();
  live.run();
  const release = live.watched.hold(SYMBOL);
  data.sink?.mark(SYMBOL, '99', { rate: '0.0001', at: 5 });
  data.sink?.mark('ETHUSDT', '9', { rate: '0.0002', at: 6 });
  await clock.settle();
  expect(live.fundingOf(SYMBOL)).toEqual({ rate: '0.0001', at: 5 });
  await clock.advance(1_000);
  expect(live.fundingOf('ETHUSDT')).toBeNull();
  release();
  await clock.advance(62_000);
  expect(live.fundingOf(SYMBOL)).toBeNull();
  await live.close();
});

it('prices that were asked for are those of runs until a tick comes, and of nobody else', async () => {
  const run = { parts: { market: 'other-spot' }, run: { settings: { symbol: SYMBOL } } };
  const elsewhere = { parts: { market: 'elsewhere' }, run: { settings: { symbol: 'ETHUSDT' } } };
  const runs = new Map([
    ['r1', run],
    ['r2', elsewhere],
  ]);
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { live } = await open(
    (data) => {
      data.answers.prices = async () => [
        [SYMBOL, '70'],
        ['ETHUSDT', '7'],
      ];
    },
    { bots: () => ({ book: { runs } }) as never, hub: () => hub },
  );
  expect([SYMBOL, 'ETHUSDT'].map((symbol) => hub.view(symbol).price)).toEqual([dec('70'), null]);
  await live.close();
});

it('an end waits for no market that hangs, and fails for none', async () => {
  const hangs = await open();
  hangs.data.close = () => new Promise(() => {});
  let isOver = false;
  void hangs.live.close().then(() => {
    isOver = true;
  });
  await hangs.clock.advance(4_999);
  expect(isOver).toBe(false);
  await hangs.clock.advance(1);
  expect(isOver).toBe(true);
  const fails = await open();
  fails.data.close = async () => {
    throw new Error('no route');
  };
  await fails.live.close();
  expect(fails.reports).toEqual(['other-spot was not closed: no route']);
});

it('one that cannot be opened is tried again after half a second, 1, 2 .. 30 s, said once, and not once it is closed', async () => {
  const seconds: number[] = [];
  let isThere = false;
  const make = () => {
    seconds.length = 0;
    return open((data, clock) => {
      data.answers.open = async () => {
        seconds.push((clock.wall() - VIRTUAL_START) / 1_000);
        if (!isThere) throw new Error('no route');
      };
    });
  };
  const { clock, live, reports } = await make();
  await clock.advance(95_000);
  expect(seconds).toEqual([0, 0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 61.5, 91.5]);
  isThere = true;
  await clock.advance(60_000);
  expect(seconds.slice(9)).toEqual([121.5]);
  expect(reports).toEqual([
    'other-spot could not be opened: no route; trying again',
    'other-spot is connected',
  ]);
  await live.close();
  isThere = false;
  const shut = await make();
  await shut.live.close();
  await shut.clock.advance(60_000);
  expect(seconds).toEqual([0]);
});

it('periods before the first trade of a symbol keep nobody from hearing of those after it', async () => {
  const first = VIRTUAL_START + 4 * MINUTE;
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const data = new FakeMarket(clock, { since: first, frames: [MINUTE] });
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { memory } = new Engine();
  const closed: [number, number][] = [];
  const live = new LiveMarket({
    data,
    clock,
    now: () => clock.wall(),
    hub: () => hub,
    memory: () => memory,
    bots: () => null,
    step: (event) => {
      if (event.type !== 'closed') return;
      const { symbol, frameMs, candle } = event;
      closed.push([frameMs / MINUTE, (candle.time - VIRTUAL_START) / MINUTE]);
      hub.told(symbol, frameMs, readCandle(candle));
    },
    told: () => {},
    staleness: () => {},
    report: () => {},
  });
  await live.open();
  live.run();
  live.watched.hold(SYMBOL);
  for (const frame of [1, 3]) hub.need(SYMBOL, frame * MINUTE, {});
  await clock.advance(9 * MINUTE + 15_000);
  expect(closed.filter(([frame]) => frame === 1)).toEqual([4, 5, 6, 7, 8].map((at) => [1, at]));
  // The larger frame in which trading began contains only what was traded.
  expect(closed.filter(([frame]) => frame === 3)).toEqual([3, 6].map((at) => [3, at]));
  await live.close();
});
