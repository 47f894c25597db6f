/**
 * A desk with accounts on two markets where the same symbol has two prices: the figures of each account come
 * from the account's own market, and one market does not move, query or store anything of the other
 * (exchanges.md 2).
 */
import { expect, it, onTestFinished } from 'vitest';
import { openFacades } from '../../../src/desk/facades.ts';
import { compileDeskOptions } from '../../../src/desk/options.ts';
import type { ChangeMark, DirtyMarks } from '../../../src/desk/running.ts';
import { NO_SSH } from '../../../src/desk/ssh/open-ssh.ts';
import { embedded, openTrading } from '../../../src/desk/trading.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import type { Tick } from '../../../src/market/feed.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { squeeze } from '../../bots/rules/bots.ts';
import { FakeVenue } from '../../support/fake-venue.ts';
import { HandFeed } from '../../support/hand-feed.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { ok, temporaryFolder, until } from './support.ts';

const SPOT = 'other-spot';
const FUTURES = 'other-futures';
const MINUTE = 60_000;
const NOTHING: DirtyMarks = {
  orders: new Set(),
  prices: new Set(),
  portfolios: new Set(),
  positions: new Set(),
  bots: new Set(),
  instruments: new Set<string>(),
  alerts: false,
  clock: false,
  accounts: false,
  equity: false,
  wallets: false,
  keys: false,
  vault: false,
  maintenance: false,
  log: [],
};

const HELD: ExchangePosition = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '1',
  entryPrice: '29000',
  breakEvenPrice: '29000',
  markPrice: '31000',
  unrealizedProfit: '0',
  marginType: 'CROSSED',
  leverage: 10,
  isolatedWallet: '0',
  liquidationPrice: null,
  maintenanceMarginRate: '0.004',
  maintenanceMargin: '0',
  realizedPnl: '0',
  updateTime: 0,
};

/**
 * Opens a desk with the paper exchange and one with two other markets. `run` plays the paper feed's ticks.
 */
async function open({
  store = openSqliteStore(':memory:'),
  symbols = ['BTCUSDT'],
}: {
  store?: Store;
  symbols?: readonly string[];
} = {}) {
  const clock = new VirtualClock(undefined, { autoTurns: true });
  const start = clock.wall();
  const feed = new HandFeed({ symbols, startTime: start, live: true });
  const spot = new FakeVenue({ id: SPOT, market: SPOT });
  spot.answers.balances = async () => [
    { asset: 'USDT', free: '100000', locked: '0' },
    { asset: 'BTC', free: '1', locked: '0' },
  ];
  const futures = new FakeVenue({ id: FUTURES, kind: 'futures', market: FUTURES });
  futures.marks.set('BTCUSDT', '31000');
  futures.answers.positions = async () => [HELD];
  const options = compileDeskOptions({ dataDir: temporaryFolder(), port: 0 });
  let ids = 0;
  const trading = openTrading({
    options,
    ports: {
      openFeed: () => ({ feed, samplePrices: () => ['60000.00'] }),
      venues: (given) => {
        const own = embedded(given);
        return { all: [...own.all, spot, futures], paper: own.paper };
      },
    },
    clock,
    random: { id: (length) => (++ids).toString(32).padStart(length, '0'), next: () => 0.5 },
    store,
    targets: new Map(),
    logFile: () => {},
    fatal: (reason) => {
      throw new Error(reason);
    },
  });
  await trading.start();
  const faces = await openFacades({
    ssh: NO_SSH,
    options,
    clock,
    store,
    trading,
    stop: () => {},
  });
  trading.run();
  const { core } = trading;
  const marks: ChangeMark[] = [];
  core.onChange((mark) => marks.push(mark));
  const close = async () => {
    await trading.halt();
    await faces.close();
    await trading.close('the test is over');
  };
  onTestFinished(close);
  const tickOf = (price: string): Tick => ({ time: clock.wall(), symbol: 'BTCUSDT', price, volume: '1' });
  return {
    clock,
    trading,
    faces,
    marks,
    store,
    close,
    state: () => faces.state(),
    /** Sets a price on the feed of the paper market. */
    async paper(price: string): Promise<void> {
      await clock.advance(1_000);
      feed.push(tickOf(price));
      trading.market.driver.pause();
      trading.market.driver.play();
      await until({ clock }, () => faces.state().prices['paper BTCUSDT']?.last === price, {
        limitMs: 60_000,
      });
    },
    /** Sets a price on another market. */
    async other(market: string, price: string): Promise<void> {
      await clock.advance(1_000);
      core.turn.step({ type: 'tick', market, symbol: 'BTCUSDT', price });
      trading.told(market, tickOf(price));
      await clock.settle();
    },
  };
}

/** Sets a price on both spot markets, 60,000 and 30,000. */
async function priced() {
  const desk = await open();
  await desk.paper('60000');
  await desk.other(SPOT, '30000');
  return desk;
}

it('prices are told by market and symbol, each with its own minute closes', async () => {
  const desk = await priced();
  await desk.clock.advance(MINUTE);
  await desk.other(SPOT, '30010');
  expect(desk.state().prices).toMatchObject({
    'paper BTCUSDT': { market: 'paper', symbol: 'BTCUSDT', last: '60000', spark: [60_000] },
    'other-spot BTCUSDT': { market: SPOT, symbol: 'BTCUSDT', last: '30010', spark: [30_000, 30_010] },
  });
  // A terminal receives what has moved, and nothing else.
  expect(desk.marks.findLast(({ kind }) => kind === 'price')).toMatchObject({ market: SPOT });
  const { prices } = desk.faces.delta({ ...NOTHING, prices: new Set(['other-spot BTCUSDT']) });
  expect(Object.keys(prices ?? {})).toEqual(['other-spot BTCUSDT']);
});

it('what an account holds is worth what its market says, and so are its positions', async () => {
  const desk = await priced();
  const { portfolios, futures } = desk.state();
  const marked = () => desk.marks.flatMap((mark) => (mark.kind === 'positions' ? mark.exchange : []));
  const btc = (id: string) => portfolios[id]?.balances?.find(({ asset }) => asset === 'BTC')?.usd;
  expect(btc(SPOT)).toBe('30000.00');
  await desk.faces.call('paper.balance', { exchange: 'paper-spot', asset: 'BTC', amount: '1' });
  const paper = desk.state().portfolios['paper-spot'];
  expect(paper?.balances?.find(({ asset }) => asset === 'BTC')?.usd).toBe('60000.00');
  expect(futures[FUTURES]?.positions).toMatchObject([{ markPrice: '31000', unrealizedProfit: '2000.00' }]);
  const buy = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' } as const;
  ok(await desk.faces.call('orders.place', { exchange: 'paper-futures', ...buy }));
  // A fall of the paper market does not affect the others, and marks no account that trades elsewhere.
  desk.marks.length = 0;
  await desk.paper('40000');
  const after = desk.state();
  expect(after.futures[FUTURES]?.positions).toMatchObject([
    { markPrice: '31000', unrealizedProfit: '2000.00' },
  ]);
  expect(after.portfolios[SPOT]?.balances?.find(({ asset }) => asset === 'BTC')?.usd).toBe('30000.00');
  expect(after.futures['paper-futures']?.positions).toMatchObject([
    { markPrice: '40000', unrealizedProfit: '-2000.00' },
  ]);
  expect(marked()).toEqual(['paper-futures']);
  desk.marks.length = 0;
  await desk.other(FUTURES, '32000');
  expect(marked()).toEqual([FUTURES]);
});

it('a ticket and a ladder go by the price of their account', async () => {
  const desk = await priced();
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '1' } as const;
  const check = async (exchange: string) => {
    const { last, notional } = await desk.faces.call('orders.check', { exchange, ...order });
    return [last, notional];
  };
  expect(await check('paper-spot')).toEqual(['60000', '60000']);
  expect(await check(SPOT)).toEqual(['30000', '30000']);
  const ladder = async (exchange: string) => {
    const settings = squeeze({ exchange, deposit: { value: '1000', asset: 'USDT' } });
    const answer = await desk.faces.call('bots.ladder', { type: 'SQUEEZE', settings });
    return answer.ok ? answer.ladder.price : answer.text;
  };
  expect(await ladder('paper-spot')).toBe('60000');
  expect(await ladder(SPOT)).toBe('30000');
});

it('candles are asked for by market', async () => {
  const desk = await priced();
  const time = desk.clock.wall() - (desk.clock.wall() % MINUTE) - 5 * MINUTE;
  const candle = { time, open: '29000', high: '29500', low: '28000', close: '29100', volume: '3' };
  desk.store.commit([{ kind: 'candle', market: SPOT, symbol: 'BTCUSDT', candle }]);
  const asked = { symbol: 'BTCUSDT', frameMs: MINUTE, from: time, to: time + MINUTE };
  expect(await desk.faces.call('market.candles', { market: SPOT, ...asked })).toEqual([candle]);
  expect(await desk.faces.call('market.candles', { market: 'paper', ...asked })).toEqual([]);
});

it('a start takes the paper market up where it stood, whatever another one did meanwhile', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const first = await open({ store });
  await first.paper('60000');
  await first.other(SPOT, '30000');
  await first.close();
  const again = await open({ store });
  expect(again.state().prices).toMatchObject({ 'paper BTCUSDT': { market: 'paper', last: '60000' } });
  expect(again.trading.core.engine.memory.market('paper').prices.get('BTCUSDT')).toBe(dec('60000'));
  expect(Object.keys(again.state().prices)).toEqual(['paper BTCUSDT']);
});

it('an open order of another market needs no price of the paper one', async () => {
  const store = openSqliteStore(':memory:');
  onTestFinished(() => store.close());
  const first = await open({ store });
  await first.paper('60000');
  await first.other(SPOT, '30000');
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '25000', quantity: '1' } as const;
  const place = async (exchange: string) =>
    ok(await first.faces.call('orders.place', { exchange, ...order }));
  const { id } = await place(SPOT);
  await first.close();
  const again = await open({ store, symbols: ['ETHUSDT'] });
  expect(again.state().orders[id]).toMatchObject({ exchange: SPOT, status: 'OPENED' });
  await again.close();
  // A price of its own market does.
  const third = await open({ store });
  const paper = await third.faces.call('orders.place', { exchange: 'paper-spot', ...order, price: '50000' });
  expect(paper).toMatchObject({ ok: true });
  await third.close();
  await expect(open({ store, symbols: ['ETHUSDT'] })).rejects.toThrow('open order on BTCUSDT');
});
