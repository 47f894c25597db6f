/**
 * A desk with an account on a pushed market (exchanges.md 2): its bots see the exchange's own candles, start
 * with their history, and enter on nothing outdated.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { Ema } from '../../../src/bots/market/ema.ts';
import { openFacades } from '../../../src/desk/facades.ts';
import { compileDeskOptions } from '../../../src/desk/options.ts';
import { NO_SSH } from '../../../src/desk/ssh/open-ssh.ts';
import { embedded, openTrading } from '../../../src/desk/trading.ts';
import { dec } from '../../../src/domain/decimal.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { cell, fibo, squeeze } from '../../bots/rules/bots.ts';
import { exchangeCandle, FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { FakeVenue } from '../../support/fake-venue.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ok, temporaryFolder } from './support.ts';

const SPOT = 'other-spot';
const SYMBOL = 'BTCUSDT';
const PERIOD = 50;
/**
 * Buys 1 % below the low of the last candle while the fast average is above the slow one, or the other way
 * round.
 */
const FOLLOWER = squeeze({ exchange: SPOT, filters: { market: { trend: 'up' } } });

async function open({
  store = openSqliteStore(':memory:'),
  clock = new VirtualClock(undefined, { autoTurns: true }),
  prepare = (_: FakeMarket): void => {},
  btc = '0',
  live = true,
  hold = false,
} = {}) {
  const feed = new HandFeed({ symbols: [SYMBOL], startTime: clock.wall(), live });
  const venue = new FakeVenue({ id: SPOT, market: SPOT });
  venue.answers.balances = async () => [
    { asset: 'USDT', free: '100000', locked: '0' },
    { asset: 'BTC', free: btc, locked: '0' },
  ];
  const market = new FakeMarket(clock, { market: SPOT });
  prepare(market);
  const options = compileDeskOptions({ dataDir: temporaryFolder(), port: 0, hold });
  let ids = clock.wall();
  const trading = openTrading({
    options,
    ports: {
      openFeed: () => ({ feed, samplePrices: () => ['100.00'] }),
      venues: (given) => {
        const own = embedded(given);
        return { all: [...own.all, venue], paper: own.paper };
      },
      markets: [market],
    },
    clock,
    random: {
      id: (length) => [...(++ids).toString(32).padStart(length, '0')].reverse().join('').slice(0, length),
      next: () => 0.5,
    },
    store,
    targets: new Map(),
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  let isStarted = false;
  const starting = trading.start().then(() => {
    isStarted = true;
  });
  for (let second = 0; second < 30 && !isStarted; second++) {
    await clock.settle();
    if (!isStarted) await clock.advance(1_000);
  }
  await starting;
  const faces = await openFacades({
    ssh: NO_SSH,
    options,
    clock,
    store,
    trading,
    stop: () => {},
  });
  trading.run();
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await trading.halt();
    await faces.close();
    await trading.close('the test is over');
  };
  onTestFinished(close);
  const { core } = trading;
  return {
    clock,
    trading,
    core,
    faces,
    market,
    venue,
    close,
    store,
    log: () => core.log.map(({ text }) => text),
    create: async (type: 'CHANNEL' | 'FIBO' | 'NOTIFY' | 'SQUEEZE', settings: object): Promise<string> =>
      ok(await faces.call('bots.create', { bot: { type, settings } } as never)).id as string,
    start: (id: string) => faces.call('bots.start', { id }),
    /** Lets the market's time pass: the paper feed tells the time, four times a second. */
    async pass(ms: number, step = 1_000): Promise<void> {
      for (let left = ms; left > 0; left -= step) {
        await clock.advance(Math.min(step, left));
        feed.push({ time: clock.wall(), symbol: SYMBOL, price: '500', volume: '1' });
        trading.market.driver.pause();
        trading.market.driver.play();
        await clock.settle();
      }
    },
    /** The average of the minute closes as the bots read it, and computed from the exchange's own candles. */
    ema: () =>
      trading.live.of(SPOT) && core.bots?.book.runs.values().next().value?.run.market.ema(MINUTE, PERIOD),
    trueEma(): number | null {
      const ema = new Ema(PERIOD);
      const end = Math.floor(clock.wall() / MINUTE) * MINUTE;
      for (let time = end - 4_000 * MINUTE; time < end; time += MINUTE)
        ema.push(Number(exchangeCandle(time, MINUTE).close));
      return ema.value;
    },
  };
}

describe('a start', () => {
  it("waits for the candles that the bot reads, and sees the exchange's own", async () => {
    const desk = await open();
    const id = await desk.create('SQUEEZE', FOLLOWER);
    expect(desk.market.asked).toEqual([]);
    ok(await desk.start(id));
    expect(desk.ema()).toBeCloseTo(desk.trueEma() ?? 0, 9);
    // Regardless of the ticks: the stream loses most of them, and some closes.
    for (let minute = 0; minute < 60; minute++) {
      desk.market.ticks([SYMBOL, String(80 + minute)]);
      await desk.pass(MINUTE);
      const last = desk.clock.wall() - MINUTE;
      if (minute % 3 > 0) desk.market.tellClose(SYMBOL, MINUTE, last);
      await desk.pass(4_000);
      await desk.pass(56_000);
      desk.market.tellClose(SYMBOL, MINUTE, desk.clock.wall() - MINUTE);
      await desk.clock.settle();
      expect(desk.ema()).toBeCloseTo(desk.trueEma() ?? 0, 9);
    }
  });

  it('a second after a minute begins with the candle that is still to be closed', async () => {
    const desk = await open();
    await desk.pass(MINUTE + 500, 500);
    const last = desk.clock.wall() - 500 - MINUTE;
    const { history } = desk.market;
    // The exchange has not closed it yet.
    desk.market.answers.candles = async (question) =>
      history.call(desk.market, question).filter(({ time }) => time < last);
    ok(await desk.start(await desk.create('SQUEEZE', FOLLOWER)));
    desk.market.tellClose(SYMBOL, MINUTE, last);
    await desk.clock.settle();
    expect(desk.ema()).toBeCloseTo(desk.trueEma() ?? 0, 9);
  });

  it('by a change of the bot waits as well', async () => {
    const desk = await open();
    const id = await desk.create('SQUEEZE', squeeze({ exchange: SPOT }));
    const change = { config: { filters: { market: { trend: 'up' } } }, restart: true };
    ok(await desk.faces.call('bots.patch', { id, change } as never));
    expect(desk.ema()).toBeCloseTo(desk.trueEma() ?? 0, 9);
  });

  it('that waits in vain for ten seconds is refused, and nothing is done', async () => {
    const desk = await open();
    const id = await desk.create('SQUEEZE', FOLLOWER);
    desk.market.answers.candles = () => new Promise(() => {});
    const answer = desk.start(id);
    await desk.pass(11_000);
    expect(await answer).toMatchObject({ ok: false, error: { code: 'SERVICE_UNAVAILABLE' } });
    expect(desk.core.bots?.book.runs.size).toBe(0);
    expect(desk.faces.state().bots[id]).toMatchObject({ status: 'NEW' });
    desk.market.answers.candles = async (question) => desk.market.history(question);
  });

  it('of a NOTIFY waits for no candle, and delays nobody who does', async () => {
    const desk = await open();
    const { candles } = desk.market.answers;
    const settings = {
      exchange: SPOT,
      symbol: SYMBOL,
      timeFrame: 5 * MINUTE,
      conditions: [{ type: 'price_change', percent: '2' }],
      filters: { market: { trend: 'up' } },
    };
    desk.market.answers.candles = (question) =>
      question.isPatient ? new Promise(() => {}) : candles(question);
    const id = await desk.create('NOTIFY', settings);
    ok(await desk.start(id));
    expect(desk.faces.state().bots[id]).toMatchObject({ status: 'STARTED' });
    await desk.clock.settle();
    expect(desk.market.asked).toMatchObject([{ frameMs: 5 * MINUTE, isPatient: true }]);
    ok(await desk.start(await desk.create('SQUEEZE', FOLLOWER)));
    expect(desk.ema()).not.toBeNull();
    expect(desk.market.asked.at(-1)).not.toHaveProperty('isPatient');
  });

  it('in a batch waits once, and the item that misses it says so', async () => {
    const desk = await open();
    const there = await desk.create('FIBO', { ...fibo(), exchange: 'paper-spot' });
    const missing = await desk.create('SQUEEZE', FOLLOWER);
    desk.market.answers.candles = async () => null;
    const answer = desk.faces.call('bots.batch', { op: 'start', ids: [missing, there] });
    await desk.pass(11_000);
    expect(ok(await answer)).toMatchObject([
      { id: missing, success: false, error: { code: 'SERVICE_UNAVAILABLE' } },
      { id: there, success: true },
    ]);
  });
});

it("a candle closes by the exchange's word alone, or when it was asked two seconds after its end", async () => {
  const desk = await open();
  ok(await desk.start(await desk.create('SQUEEZE', FOLLOWER)));
  const closed = () => desk.core.bots?.book.runs.values().next().value?.run.market.lastClosed(MINUTE)?.time;
  const start = desk.clock.wall();
  expect(closed()).toBe(start - MINUTE);
  // Ticks of the next minute do not close a candle.
  await desk.pass(MINUTE);
  desk.market.ticks([SYMBOL, '101']);
  await desk.pass(1_000);
  expect(closed()).toBe(start - MINUTE);
  desk.market.tellClose(SYMBOL, MINUTE, start);
  await desk.clock.settle();
  expect(closed()).toBe(start);
  const asked = desk.market.asked.length;
  await desk.pass(MINUTE);
  expect(desk.market.asked).toHaveLength(asked);
  await desk.pass(2_000);
  expect(desk.market.asked).toHaveLength(asked + 1);
  expect(closed()).toBe(start + MINUTE);
});

it('no price between two turns is lost to a stop', async () => {
  const desk = await open({ btc: '1' });
  const order = { exchange: SPOT, symbol: SYMBOL, side: 'SELL', quantity: '1' } as const;
  desk.market.ticks([SYMBOL, '100']);
  await desk.pass(1_000);
  ok(await desk.faces.call('orders.place', { ...order, type: 'STOP_MARKET', stopPrice: '90' }));
  desk.market.ticks([SYMBOL, '95'], [SYMBOL, '89.9'], [SYMBOL, '99']);
  await desk.clock.settle();
  expect(desk.venue.sent).toMatchObject([{ side: 'SELL', type: 'MARKET', quantity: '1' }]);
  expect(desk.faces.state().prices[`${SPOT} ${SYMBOL}`]?.last).toBe('99');
});

it('on prices that do not arrive no bot enters, and what is held says that it waits', async () => {
  const desk = await open();
  desk.market.ticks([SYMBOL, '110']);
  await desk.pass(1_000);
  const order = { exchange: SPOT, symbol: SYMBOL, side: 'BUY', quantity: '1' } as const;
  ok(await desk.faces.call('orders.place', { ...order, type: 'STOP_MARKET', stopPrice: '150' }));
  desk.market.sink?.stale(SYMBOL, 'nothing was heard for 10 s');
  await desk.clock.settle();
  expect(desk.log()).toContain(
    `no prices of ${SYMBOL} on ${SPOT}: nothing was heard for 10 s; an order that is held here waits for them`,
  );
  ok(await desk.start(await desk.create('FIBO', { ...fibo(), exchange: SPOT })));
  desk.market.ticks([SYMBOL, '109']);
  await desk.pass(60_000);
  expect(desk.venue.sent).toEqual([]);
  desk.market.sink?.stale(SYMBOL, null);
  await desk.pass(31_000);
  expect(desk.venue.sent).toMatchObject([{ side: 'BUY', type: 'LIMIT', price: '100' }]);
});

it('a position is left whatever its prices are', async () => {
  const desk = await open();
  ok(await desk.start(await desk.create('FIBO', { ...fibo(), exchange: SPOT })));
  desk.market.ticks([SYMBOL, '110']);
  await desk.pass(1_000);
  const [entry] = desk.venue.sent;
  if (!entry) throw new Error('no entry');
  desk.market.sink?.stale(SYMBOL, 'nothing was heard for 10 s');
  await desk.clock.settle();
  const fill = {
    tradeId: '1',
    clientId: entry.clientId,
    symbol: SYMBOL,
    side: 'BUY',
    price: '100',
    qty: '1',
  } as const;
  desk.venue.sink?.fill({
    ...fill,
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: desk.clock.wall(),
  });
  await desk.pass(1_000);
  expect(desk.venue.sent.slice(1)).toMatchObject([{ side: 'SELL', type: 'LIMIT', price: '120' }]);
});

it('a price that was asked for is not newer than one that was told', async () => {
  const desk = await open();
  const price = () => desk.core.engine.memory.market(SPOT).prices.get(SYMBOL);
  let answer = (_: readonly (readonly [string, string])[]): void => {};
  desk.market.answers.prices = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  await desk.pass(10_000);
  answer([[SYMBOL, '99']]);
  await desk.clock.settle();
  expect(price()).toBe(dec('99'));
  const order = {
    exchange: SPOT,
    symbol: SYMBOL,
    side: 'BUY',
    type: 'LIMIT',
    price: '90',
    quantity: '1',
  } as const;
  ok(await desk.faces.call('orders.place', order));
  await desk.pass(10_000);
  desk.market.ticks([SYMBOL, '101']);
  await desk.pass(1_000);
  answer([[SYMBOL, '98']]);
  await desk.clock.settle();
  expect(price()).toBe(dec('101'));
});

it('the candle that is being built is that of now, also while the one before is not closed', async () => {
  const desk = await open();
  ok(await desk.start(await desk.create('SQUEEZE', FOLLOWER)));
  const view = () => desk.core.bots?.book.runs.values().next().value?.run.market;
  await desk.pass(MINUTE);
  const start = desk.clock.wall();
  desk.market.ticks([SYMBOL, '101']);
  await desk.clock.settle();
  desk.market.tellClose(SYMBOL, MINUTE, start - MINUTE);
  await desk.clock.settle();
  expect(view()?.forming(MINUTE)).toMatchObject({ time: start, open: dec('101') });
  expect(view()?.lastClosed(MINUTE)?.time).toBe(start - MINUTE);
});

it('what is watched is what has an order, a run or a holder, and a minute longer', async () => {
  const desk = await open();
  const watched = () => [...desk.market.watched].map(([symbol, frames]) => [symbol, ...frames]);
  await desk.pass(1_000);
  expect(watched()).toEqual([]);
  const id = await desk.create('SQUEEZE', FOLLOWER);
  const { runId } = ok(await desk.start(id)) as { runId: string };
  const release = desk.trading.live.of(SPOT)?.watched.hold('ETHUSDT');
  await desk.pass(1_000);
  expect(watched()).toEqual([[SYMBOL, MINUTE], ['ETHUSDT']]);
  release?.();
  ok(await desk.faces.call('bots.stop', { id, runId, way: 'stop' } as never));
  await desk.pass(59_000);
  expect(watched().map(([symbol]) => symbol)).toEqual([SYMBOL, 'ETHUSDT']);
  await desk.pass(3_000);
  expect(watched()).toEqual([]);
});

it('a run that is taken up again has its past before its first tick', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const first = await open({ store });
  ok(await first.start(await first.create('SQUEEZE', FOLLOWER)));
  await first.pass(5 * MINUTE);
  await first.close();
  const clock = new VirtualClock(first.clock.wall() + 90 * MINUTE + 7_000, { autoTurns: true });
  const again = await open({ store, clock });
  const told: unknown[] = [];
  again.core.onChange((mark) => {
    if (mark.kind === 'price' && mark.market === SPOT) told.push(again.ema());
  });
  again.market.ticks([SYMBOL, '100']);
  await clock.settle();
  expect(told).toEqual([expect.closeTo(again.trueEma() ?? 0, 9)]);
});

it('a run that is taken up again decides at the last price, not at none, when a candle closes before its first tick', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const levels = cell({
    exchange: SPOT,
    timeFrame: MINUTE,
    stopBelow: '50',
    levels: [{ buy: '90', sell: '120' }],
  });
  const first = await open({ store });
  ok(await first.start(await first.create('CHANNEL', levels)));
  first.market.ticks([SYMBOL, '100']);
  await first.pass(5_000);
  await first.close();
  const clock = new VirtualClock(first.clock.wall() + 1_000, { autoTurns: true });
  const again = await open({
    store,
    clock,
    // No price until the first tick.
    prepare: (market) => {
      market.answers.prices = async () => null;
    },
  });
  expect(again.faces.state().prices[`${SPOT} ${SYMBOL}`]?.last).toBe('100');
  await again.pass(2 * MINUTE);
  const states = Object.values(again.faces.state().bots).map(({ status, state }) => `${status} ${state}`);
  expect(states).toEqual(['STARTED working']);
});

it('a start without the network says of when the prices are that are shown, to whoever looks and whoever asks', async () => {
  const store = openSqliteStore(':memory:');
  const first = await open({ store });
  const settings = cell({ exchange: SPOT, stopBelow: '50', levels: [{ buy: '90', sell: '120' }] });
  const id = await first.create('CHANNEL', settings);
  ok(await first.start(id));
  first.market.ticks([SYMBOL, '100']);
  await first.pass(5_000);
  const told = first.faces.state().prices[`${SPOT} ${SYMBOL}`]?.time as number;
  await first.close();
  const clock = new VirtualClock(first.clock.wall() + 3_600_000, { autoTurns: true });
  const again = await open({
    store,
    clock,
    prepare: (market) => {
      market.answers.open = async () => {
        throw new Error('no route');
      };
    },
  });
  await again.pass(2_000);
  const at = new Date(told).toISOString().slice(0, 16);
  const old = `it is not connected; its prices are of ${at}`;
  const shown = again.faces.state().prices[`${SPOT} ${SYMBOL}`];
  expect(shown).toMatchObject({ last: '100', time: told, stale: expect.stringContaining(old) as string });
  expect(again.log().join('\n')).toContain(`no route; trying again; its prices are of ${at}`);
  again.market.answers.open = async () => {};
  await again.pass(5_000);
  again.market.ticks([SYMBOL, '101']);
  await again.pass(1_000);
  expect(again.faces.state().prices[`${SPOT} ${SYMBOL}`]).not.toHaveProperty('stale');
});

it('a market that cannot be opened stops nobody else, and is opened when it can be', async () => {
  const refused = async () => {
    throw new Error('no route');
  };
  const desk = await open({
    prepare: (market) => {
      market.answers.open = refused;
    },
  });
  await desk.clock.settle();
  expect(desk.core.engine.memory.market(SPOT).staleWhy(SYMBOL)).toBe('it is not connected');
  ok(await desk.start(await desk.create('FIBO', { ...fibo(), exchange: 'paper-spot' })));
  expect(desk.log()).toContain(`${SPOT} could not be opened: no route; trying again`);
  await desk.pass(60_000);
  expect(desk.market.opened).toBeGreaterThan(5);
  expect(desk.market.opened).toBeLessThan(12);
  expect(desk.core.engine.memory.market(SPOT).staleWhy(SYMBOL)).toBe('it is not connected');
  desk.market.answers.open = async () => {};
  await desk.pass(31_000);
  expect(desk.log()).toContain(`${SPOT} is connected`);
  expect(desk.core.engine.memory.market(SPOT).staleWhy(SYMBOL)).toBeNull();
});

it('a chart has its candles as soon as they are here; a price that is told asks for none', async () => {
  const desk = await open();
  desk.market.ticks([SYMBOL, '100']);
  await desk.pass(3 * MINUTE, 10_000);
  expect(desk.market.asked).toEqual([]);
  const from = desk.clock.wall() - 10 * MINUTE;
  const asked = { market: SPOT, symbol: SYMBOL, frameMs: MINUTE, from, to: desk.clock.wall() };
  const candles = await desk.faces.call('market.candles', asked);
  expect(candles).toEqual(Array.from({ length: 10 }, (_, at) => exchangeCandle(from + at * MINUTE, MINUTE)));
});

it.each([
  ['an open ticket', 'orders.check', () => ({ exchange: SPOT, symbol: SYMBOL })],
  [
    'a chart',
    'market.candles',
    (to: number) => ({ market: SPOT, symbol: SYMBOL, frameMs: MINUTE, from: to - 10 * MINUTE, to }),
  ],
] as const)(
  '%s has its symbol watched, and a minute longer; no symbol that is not traded',
  async (_, method, params) => {
    const desk = await open();
    const watched = () => [...desk.market.watched.keys()];
    // Its answer may wait for a request to the exchange.
    const asks = (more = {}) =>
      void desk.faces.call(method, { ...params(desk.clock.wall()), ...more } as never);
    asks({ symbol: 'NOTHINGUSDT' });
    await desk.pass(2_000);
    expect(watched()).toEqual([]);
    for (let minute = 0; minute < 3; minute++) {
      asks();
      await desk.pass(59_000);
      expect(watched()).toEqual([SYMBOL]);
    }
    await desk.pass(4_000);
    expect(watched()).toEqual([]);
  },
);

describe('beside a live market the paper one runs with the clock', () => {
  const says = 'the desk trades on other-spot, which runs with the clock: so must the paper market';

  it.each([{ live: false }, { hold: true }])('a start with %o is refused', async (how) => {
    await expect(open(how)).rejects.toThrow(`${says}; leave out --speed, --hold and --feed csv:`);
  });

  it('it cannot be paused or stepped', async () => {
    const desk = await open();
    for (const action of ['pause', 'step'] as const)
      expect(await desk.faces.call('feed.control', { action })).toMatchObject({
        ok: false,
        error: { code: 'CONFLICT', message: says },
      });
    expect(ok(await desk.faces.call('feed.control', { action: 'play' }))).toMatchObject({ held: false });
  });
});
