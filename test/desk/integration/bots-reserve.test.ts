/** A run's reservation is counted once, however often the desk is loaded from its store. */
import { describe, expect, it } from 'vitest';
import type { Row } from '../../../src/domain/rows.ts';
import type { Order } from '../../../src/schemas/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { EXCHANGE, flat, writeCandles } from './support.ts';

const FUTURES = 'paper-futures';

// proves: bot deposit reserve
it('a run that waits for its leverage when a commit fails reserves its deposit once', async () => {
  let left = 0;
  const openStore = (file: string) => {
    let rows: readonly Row[] = [];
    const store = openSqliteStore(file, {
      beforeCommit: () => {
        const ofRun = rows.some(({ kind }) => kind === 'run');
        if (!ofRun || left === 0 || --left > 0) return;
        throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      },
    });
    const commit = store.commit.bind(store);
    store.commit = (given) => {
      rows = given;
      commit(given);
    };
    return store;
  };
  const r = await openBots(['100'], { ports: { openStore } });
  await r.minutes(1);
  const deposit = { value: '1000', asset: 'USDT', leverage: 3 };
  const bot = await r.make({ ...LEVELS, settings: { ...LEVELS.settings, exchange: FUTURES, deposit } });
  // The start is stored; what follows the exchange's response about the leverage is not.
  left = 2;
  await r.done('POST', `/bots/${bot.id}/runs`);
  await r.minutes(2);
  expect(left).toBe(0);
  expect((await r.bot(bot.id)).status).toBe('STARTED');
  const { balances } = await r.done('GET', `/portfolio?exchange=${FUTURES}&full=true`);
  expect(balances.find(({ asset }: { asset: string }) => asset === 'USDT').lockedByBot).toBe('1000');
});

it('what one of two runs keeps stays kept when the other ends', async () => {
  const r = await openBots(['100', '100', '89', '89']);
  await r.minutes(1);
  const kept = async () => {
    const { balances } = await r.done('GET', `/portfolio?exchange=${FUTURES}&full=true`);
    return balances.find(({ asset }: { asset: string }) => asset === 'USDT').lockedByBot;
  };
  const ids: string[] = [];
  for (const value of ['180', '360']) {
    const deposit = { value, asset: 'USDT' };
    const settings = { ...LEVELS.settings, exchange: FUTURES, deposit, levels: [{ buy: '90', sell: '110' }] };
    ids.push((await r.started({ ...LEVELS, settings })).id);
  }
  await r.minutes(2);
  // Each run has spent its whole deposit: it reserves what it holds, and nothing more.
  expect(await kept()).toBe('540');
  await r.done('DELETE', `/bots/${ids[0]}?force=true`);
  await r.t.clock.settle();
  expect(await kept()).toBe('360');
});

describe('what a run holds', () => {
  const reason = /insufficient balance: .* BTC available \(.* reserved by bots\)/;

  /** A run that holds 5.54999445 BTC without a resting order; the account has no other BTC. */
  async function holding() {
    const r = await openBots(['100', '100', '89', '89', '89', '84']);
    await r.minutes(1);
    const orders = { sell: { type: 'MARKET' } };
    await r.started({ ...LEVELS, settings: { ...LEVELS.settings, orders } });
    await r.minutes(3);
    const held = (await r.balance('BTC')).wallet;
    expect(await r.balance('BTC')).toMatchObject({ wallet: '5.54999445', lockedByBot: held, free: held });
    return r;
  }

  const algo = (settings: object) => ({
    type: 'ALGO',
    settings: { exchange: EXCHANGE, symbol: 'BTCUSDT', ...settings },
  });

  const noticesOf = async (r: BotsRig, id: string) =>
    (await r.t.call('bots.detail', { id }))?.notices.map(({ text }) => text).join();

  // proves: bot deposit reserve
  it.each([
    [
      'take-profit and stop',
      { algo: 'tpsl', side: 'SELL', quantity: '1', takeProfit: { price: '100' }, stopLoss: { price: '50' } },
    ],
    ['twap', { algo: 'twap', side: 'SELL', quantity: '1', duration: 2, slices: 2 }],
  ])('is not sold by the %s of another', async (_what, settings) => {
    const r = await holding();
    const { id } = await r.started(algo(settings));
    await r.minutes(1);
    expect(await noticesOf(r, id)).toMatch(reason);
    expect((await r.orders('recent')).filter(({ side }) => side === 'SELL')).toEqual([]);
    expect((await r.balance('BTC')).wallet).toBe('5.54999445');
  });

  it('is not there for a sale that went out before it was bought: what is not there is refused at once', async () => {
    const r = await openBots(['100', '100', '100']);
    await r.minutes(1);
    const twap = { algo: 'twap', side: 'SELL', quantity: '1', duration: 2, slices: 2 };
    const { id } = await r.started(algo(twap));
    await r.minutes(1);
    expect(await noticesOf(r, id)).toMatch(/insufficient balance: 0 BTC available, the order needs/);
    expect((await r.orders('recent')).filter(({ side }) => side === 'SELL')).toEqual([]);
  });

  it('leaves to others what the account has beside it', async () => {
    const r = await holding();
    const { id } = await r.started(
      algo({
        algo: 'tpsl',
        side: 'SELL',
        quantity: '1',
        takeProfit: { price: '100' },
        stopLoss: { price: '50' },
      }),
    );
    await r.minutes(1);
    const symbol = { exchange: EXCHANGE, symbol: 'BTCUSDT' };
    await r.done('POST', '/orders', { ...symbol, side: 'BUY', type: 'MARKET', quantity: '1.1' });
    await r.minutes(1);
    expect(await r.open()).toContain('SELL 100');
    expect((await r.bot(id)).status).toBe('STARTED');
  });

  it('does not hold back the exits of another that has bought and keeps nothing', async () => {
    const r = await holding();
    const { id } = await r.started(
      algo({
        algo: 'bracket',
        side: 'BUY',
        quantity: '1',
        entry: { type: 'MARKET' },
        takeProfit: { price: '120' },
        stopLoss: { price: '85' },
      }),
    );
    await r.minutes(1);
    expect(await r.open()).toContain('SELL 120');
    await r.minutes(2);
    expect((await r.bot(id)).status).toBe('STOPPED');
    expect(await noticesOf(r, id)).not.toMatch(/rejected/);
  });
});

// proves: S25
describe('a small balance that a run holds', () => {
  /**
   * A run that bought 0.08879112 BTC for 7.90 USDT: they are locked in its exit, or free until it sells at
   * market.
   */
  async function small(sell: string) {
    const prices = ['100', '100', ...Array(64).fill('89')];
    const feed = writeCandles({
      BTCUSDT: prices.flatMap((price) => flat(price)),
      BNBUSDT: flat('600', prices.length),
    });
    const r = await openBots(['100'], { feed });
    await r.minutes(1);
    const orders = { sell: { type: sell } };
    const deposit = { value: '16', asset: 'USDT' };
    await r.started({ ...LEVELS, settings: { ...LEVELS.settings, orders, deposit } });
    await r.minutes(3);
    expect((await r.balance('BTC')).lockedByBot).toBe('0.08879112');
    return r;
  }

  it.each(['LIMIT', 'MARKET'])('is no dust while it waits to be sold by a %s order', async (sell) => {
    const r = await small(sell);
    expect((await r.done('GET', `/portfolio/dust?exchange=${EXCHANGE}`)).assets).toEqual([]);
    const convert = { exchange: EXCHANGE, assets: ['BTC'] };
    expect(await r.refused('POST', '/portfolio/dust/convert', convert)).toEqual([
      400,
      'INVALID_REQUEST',
      'BTC: reserved by bots, not to be converted',
    ]);
    expect((await r.balance('BTC')).wallet).toBe('0.08879112');
  });
});

describe('a split', () => {
  const rested = (orders: readonly Order[]) =>
    orders.filter(({ side }) => side === 'BUY').map(({ creator, price }) => `${creator} ${price}`);

  it('of an order of a run that goes is refused; the run would lay the order anew beside its parts', async () => {
    const r = await openBots(['100', '100', '100', '100']);
    await r.minutes(1);
    const bot = await r.started(LEVELS);
    await r.minutes(1);
    const before = await r.orders('open');
    const { id } = before.find(({ price }) => price === '90') ?? { id: '' };
    const split = ['POST', `/orders/${id}/split`, { exchange: EXCHANGE, prices: ['90', '89'] }] as const;
    expect(await r.refused(...split)).toEqual([
      400,
      'INVALID_REQUEST',
      `order ${id} belongs to the run of bot ${bot.id}; stop the bot first, leaving its orders`,
    ]);
    await r.minutes(2);
    expect(rested(await r.orders('open'))).toEqual(rested(before));
    const way = { cleanup: 'leaveAllOrders', force: false } as const;
    await r.t.call('bots.batch', { op: 'stop', runs: [[bot.id, bot.runId]], way });
    expect(await r.done(...split)).toHaveLength(2);
  });

  // proves: S25
  it('does not spend what a run reserves', async () => {
    const r = await openBots(['100', '100', '100', '89', '89', '89']);
    await r.minutes(1);
    const levels = [
      { buy: '89.5', sell: '110' },
      { buy: '80', sell: '120' },
    ];
    await r.started({ ...LEVELS, settings: { ...LEVELS.settings, levels } });
    const limit = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '80' };
    const order = await r.done('POST', '/orders', { ...limit, quantity: '1237.5' });
    const split = { exchange: EXCHANGE, prices: ['80', '81.5'] };
    const [status, , message] = await r.refused('POST', `/orders/${order.id}/split`, split);
    expect([status, message]).toEqual([400, expect.stringContaining('reserved by bots)')]);
    expect((await r.orders('open')).map(({ id }) => id)).toContain(order.id);
  });
});
