/**
 * Behaviour of a bot that needs a whole desk: reservations, hedge mode, restarts, recovery, positions that
 * others move (strategies.md 2, 4, 7).
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeState, encodeState } from '../../../src/bots/run/codec.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { START_ERRORS } from '../../coverage/bots/errors.ts';
import { type BotsRig, LEVELS, openBots } from '../../desk/integration/bots-rig.ts';
import { EXCHANGE, MARKET_START } from '../../desk/integration/support.ts';

const FUTURES = 'paper-futures';

/** Cells of 500 each: the first rests at 90, the second is above the price and waits. */
const bot = (deposit: object = {}, more: object = {}) => ({
  type: 'CHANNEL',
  settings: {
    ...LEVELS.settings,
    deposit: { value: '1000', asset: 'USDT', ...deposit },
    levels: [
      { buy: '90', sell: '110' },
      { buy: '105', sell: '120' },
    ],
    ...more,
  },
});

async function opened(prices: readonly string[]): Promise<BotsRig> {
  const r = await openBots(prices);
  await r.minutes(1);
  return r;
}

const locked = async (r: BotsRig, asset: string) => {
  const { lockedByBot } = (await r.balance(asset)) ?? { lockedByBot: null };
  return lockedByBot === null ? null : Math.round(Number(lockedByBot) * 100) / 100;
};

describe('lockedByBot', () => {
  // proves: bot deposit reserve, bot deposit auto, bot deposit no_reserve
  it.each([
    ['reserve', 1_000, 500],
    ['auto', 500, 0],
    ['no_reserve', null, null],
  ])('%s: %d while its entry rests, %d of the quote while it holds', async (allocate, resting, holding) => {
    const r = await opened(['100', '100', '89', '89']);
    await r.started(bot({ allocate }));
    await r.minutes(1);
    expect(await r.open()).toEqual(['BUY 90']);
    expect(await locked(r, 'USDT')).toBe(resting);
    expect(await locked(r, 'BTC')).toBe(null);
    await r.minutes(2);
    expect(await r.open()).toEqual(['SELL 110']);
    expect((await locked(r, 'USDT')) || null).toBe(holding || null);
    expect(await locked(r, 'BTC')).toBe(allocate === 'no_reserve' ? null : 5.55);
  });

  // proves: bot common startTrigger standby, bot common startTrigger deposit
  it('is nothing on standby, and the deposit from the crossing on', async () => {
    const r = await opened(['100', '100', '102', '102']);
    const trend = { [MARKET_START]: 101, [MARKET_START + 60_000]: 101 };
    const { id } = await r.started(bot({}, { startTrigger: { trend } }));
    expect(await locked(r, 'USDT')).toBeNull();
    await r.minutes(1);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'standby' });
    expect([await locked(r, 'USDT'), await r.open()]).toEqual([null, []]);
    await r.minutes(2);
    expect(await r.bot(id)).toMatchObject({ status: 'STARTED', state: 'working' });
    expect([await locked(r, 'USDT'), await r.open()]).toEqual([1_000, ['BUY 90']]);
  });

  // proves: bot decided reservations, bot deposit reserve
  it('is not for orders of others', async () => {
    const r = await opened(['100']);
    await r.started(bot({ value: '99000' }));
    const order = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', price: '80' };
    const [status, , message] = await r.refused('POST', '/orders', { ...order, quantity: '20' });
    expect([status, message]).toEqual([
      400,
      expect.stringMatching(/^insufficient balance: 1000 USDT available \(99000 reserved by bots\)/),
    ]);
    await r.done('POST', '/orders', { ...order, quantity: '10' });
  });

  // proves: bot decided reservations, bot deposit reserve
  it('is not more than the wallet has where its last decimals are not shown', async () => {
    const r = await opened(['100.17']);
    const trade = { exchange: EXCHANGE, symbol: 'BTCUSDT', type: 'MARKET' };
    await r.done('POST', '/orders', { ...trade, side: 'BUY', quantity: '1.00105' });
    await r.done('POST', '/orders', { ...trade, side: 'SELL', quantity: '1.00004' });
    await r.started(bot({ value: '100', strategy: 'percent' }));
    const { wallet, lockedByBot } = await r.balance('USDT');
    expect({ wallet, lockedByBot }).toEqual({ wallet: '99999.7986542932', lockedByBot: '99999.79865429' });
  });

  // proves: bot decided reservations, bot deposit reserve
  it('is less by what the run has paid and not got back, be it for dust or for a loss', async () => {
    const r = await opened(['100', '100', '89', '80']);
    const stop = [{ strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' }, complete: true }];
    await r.started(bot({}, { stop }));
    const figures = [];
    for (let minute = 0; minute < 3; minute++) {
      await r.minutes(1);
      const { lockedByBot, wallet } = await r.balance('USDT');
      figures.push([lockedByBot, wallet]);
    }
    expect(figures).toEqual([
      ['1000', '100000'],
      ['500.0005', '99500.0005'],
      ['943.5557008', '99943.5557008'],
    ]);
  });

  // proves: bot deposit reserve, bot common profitAsset base
  it('is less by a loss that follows on a profit kept in base, which pays for nothing', async () => {
    const r = await opened(['100', '100', '89', '111', '100', '89', '80']);
    const stop = [{ strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' }, complete: true }];
    const levels = [{ buy: '90', sell: '110' }];
    const { id } = await r.started(bot({}, { stop, levels, profitAsset: 'base' }));
    await r.minutes(3);
    // The sale is rounded up to a step: its proceeds beyond the cost belong to the account.
    const before = await r.balance('USDT');
    expect(before.lockedByBot).toBe('1000');
    expect(Number(before.wallet)).toBeGreaterThanOrEqual(100_000);
    await r.minutes(3);
    const { wallet, lockedByBot } = await r.balance('USDT');
    expect(1_000 - Number(lockedByBot)).toBeCloseTo(Number(before.wallet) - Number(wallet), 6);
    expect(Number(wallet)).toBeLessThan(99_900);
    // The base units it kept are worth more than its loss.
    expect(Number((await r.bot(id)).stats?.realised)).toBeGreaterThan(0);
  });

  // proves: bot deposit reserve
  it.each(['that has them', 'that was stored before they were counted'])(
    'has no profit that another bot has taken since, though it is lost again, in a run %s',
    async (stored) => {
      const r = await opened(['100', '100', '89', '111', '100', '89', '80', '100', '89', '111']);
      const stop = [
        { strategy: 'price_percent_buy', trigger: { type: 'kline', value: '5' }, complete: true },
      ];
      const { id } = await r.started(bot({}, { stop, levels: [{ buy: '90', sell: '110' }] }));
      await r.minutes(3);
      const { stats } = await r.bot(id);
      expect(Number(stats?.realised)).toBeGreaterThan(200);
      await r.started(bot({ value: '100', strategy: 'percent' }, { levels: [{ buy: '50', sell: '120' }] }));
      const sums = async (rig: BotsRig) => {
        const { wallet, lockedByBot } = await rig.balance('USDT');
        return { wallet: Number(wallet), lockedByBot: Number(lockedByBot) };
      };
      const all = await sums(r);
      expect(all.wallet - all.lockedByBot).toBeCloseTo(0, 6);
      await r.t.stop();
      if (stored !== 'that has them') {
        const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
        const [run] = store.runs(id, 1);
        if (!run) throw new Error('there is no run');
        const state = run.state.replace(/"earned":\{"\$n":"\d+"\},/, '');
        expect(state).not.toBe(run.state);
        store.commit([{ kind: 'run', run: { ...run, state } }]);
        store.close();
      }
      const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
      await later.t.clock.settle();
      expect(await sums(later)).toEqual(all);
      for (let minute = 0; minute < 3; minute++) {
        await later.minutes(1);
        const { wallet, lockedByBot } = await sums(later);
        expect(lockedByBot).toBeLessThanOrEqual(wallet);
      }
      // Its whole loss is taken from its own budget; the rest is the cost of its dust.
      const { wallet, lockedByBot } = await sums(later);
      expect(all.wallet - wallet).toBeGreaterThan(100);
      expect(wallet - lockedByBot).toBeLessThan(0.01);
    },
  );

  // proves: bot decided reservations, bot deposit auto
  it('is not for the orders of an auto bot whose own budget has gone elsewhere', async () => {
    const r = await opened(['100', '100', '106', '106']);
    const auto = await r.started(bot({ value: '60000', allocate: 'auto' }));
    await r.minutes(1);
    const reserve = await r.started(bot({ value: '70000' }));
    await r.minutes(2);
    expect(await r.open()).toEqual(['BUY 105', 'BUY 90']);
    expect(await locked(r, 'USDT')).toBe(70_000);
    expect(await r.bot(auto.id)).toMatchObject({ status: 'ERROR' });
    expect(await r.bot(reserve.id)).toMatchObject({ status: 'STARTED' });
  });
});

// proves: bot start-error insufficient, bot deposit insufficient
it('a budget that is not covered is refused in the words of the document, with what other bots reserve', async () => {
  const r = await opened(['105']);
  const order = { exchange: EXCHANGE, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' };
  // Out of 100000, so that 520.5 are left.
  await r.done('POST', '/orders', { ...order, price: '100', quantity: '994.795' });
  await r.started(bot({ value: '200' }));
  const { id } = await r.make(bot({ value: '500' }));
  expect(await r.refused('POST', `/bots/${id}/runs`)).toEqual([
    400,
    'INVALID_REQUEST',
    START_ERRORS.insufficient,
  ]);
});

describe('on futures', () => {
  const futures = (settings: object) => ({
    type: 'CHANNEL',
    settings: { ...LEVELS.settings, exchange: FUTURES, ...settings },
  });
  const positions = async (r: BotsRig) =>
    Object.values(await r.done('GET', '/portfolio/positions')).map((one) => {
      const { side, amount } = one as { side: string; amount: string };
      return `${side} ${amount}`;
    });
  const manual = (r: BotsRig, side: string, quantity: string) =>
    r.done('POST', '/orders', { exchange: FUTURES, symbol: 'BTCUSDT', side, type: 'MARKET', quantity });

  // proves: bot common hedge both
  it('a long and a short bot hold a position each in hedge mode', async () => {
    const r = await opened(['100', '100', '89', '121', '121']);
    await r.done('POST', `/exchange/hedge-mode?exchange=${FUTURES}`, { dualSidePosition: true });
    await r.t.clock.settle();
    const levels = [{ buy: '90', sell: '130' }];
    await r.started(futures({ positionSide: 'LONG', levels }));
    await r.started(futures({ positionSide: 'SHORT', short: true, levels: [{ buy: '80', sell: '120' }] }));
    await r.minutes(4);
    expect((await positions(r)).sort()).toEqual(['LONG 11.111', 'SHORT 8.333']);
    expect(await r.open()).toEqual(['BUY 80', 'SELL 130']);
  });

  // proves: bot ALGO tpsl follows
  it('a tpsl on a whole position follows what others make of it, and completes when it is gone', async () => {
    const r = await opened(['100', '100', '101', '102', '103']);
    await manual(r, 'BUY', '4');
    const settings = {
      exchange: FUTURES,
      symbol: 'BTCUSDT',
      algo: 'tpsl',
      side: 'SELL',
      takeProfit: { price: '120' },
      stopLoss: { price: '80' },
    };
    const { id } = await r.started({ type: 'ALGO', settings });
    await r.minutes(1);
    const quantities = async () => (await r.orders()).map(({ type, origQty }) => `${type} ${origQty}`).sort();
    expect(await quantities()).toEqual(['LIMIT 4', 'STOP_MARKET 4']);
    await manual(r, 'SELL', '1');
    await r.minutes(1);
    expect(await quantities()).toEqual(['LIMIT 3', 'STOP_MARKET 3']);
    await manual(r, 'SELL', '3');
    await r.minutes(1);
    expect(await quantities()).toEqual([]);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', state: 'completed' });
  });

  it('a tpsl on a whole position earns on what others add to it, too, at the price that it began with', async () => {
    const r = await opened(['100', '100', '101', '125', '125']);
    await manual(r, 'BUY', '4');
    const prices = { takeProfit: { price: '120' }, stopLoss: { price: '80' } };
    const settings = { exchange: FUTURES, symbol: 'BTCUSDT', algo: 'tpsl', side: 'SELL', ...prices };
    const { id } = await r.started({ type: 'ALGO', settings });
    await r.minutes(1);
    await manual(r, 'BUY', '1');
    await r.minutes(3);
    const { state, stats } = await r.bot(id);
    expect(state).toBe('completed');
    // 5 at 100, sold at 120, less the fee of the sale.
    const { realised } = stats as { realised: string };
    expect(Number(realised)).toBeGreaterThan(99);
    expect(Number(realised)).toBeLessThan(100);
  });

  it('a tpsl on a whole position completes when others turn that to the other side', async () => {
    const r = await opened(['100', '100', '101', '101', '80']);
    await manual(r, 'BUY', '4');
    const prices = { takeProfit: { price: '120' }, stopLoss: { price: '90' } };
    const settings = { exchange: FUTURES, symbol: 'BTCUSDT', algo: 'tpsl', side: 'SELL', ...prices };
    const { id } = await r.started({ type: 'ALGO', settings });
    await r.minutes(1);
    const before = (await r.orders('recent')).length;
    await manual(r, 'SELL', '7');
    await r.minutes(1);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', state: 'completed', stats: { fills: 0 } });
    await r.minutes(2);
    expect([await r.open(), await positions(r)]).toEqual([[], ['BOTH -3']]);
    // Nothing was sent besides the order that turned the position.
    expect((await r.orders('recent')).length).toBe(before + 1);
  });
});

describe('options.restart', () => {
  const again = { ...bot(), options: { restart: true, restartDelay: 1_000 } };

  /** A bot that has completed its only cycle at 111, five minutes of market time before it starts again. */
  async function resting(): Promise<[BotsRig, string]> {
    const r = await opened(['100', '100', '89', '111', ...Array(12).fill('111')]);
    const options = { restart: true, restartDelay: 5 * 60_000 };
    const { id } = await r.started({ ...bot({}, { onetime: true }), options });
    await r.minutes(4);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', state: 'completed' });
    return [r, id];
  }

  it('starts a bot again that has ended by itself, by the time of the market', async () => {
    const [r, id] = await resting();
    await r.minutes(3);
    expect((await r.bot(id)).status).toBe('STOPPED');
    await r.minutes(3);
    expect((await r.bot(id)).status).toBe('STARTED');
  });

  it('does not start one by itself that was changed while it waited for that', async () => {
    const [r, id] = await resting();
    await r.done('PATCH', `/bots/${id}`, { metadata: 'changed' });
    await r.minutes(8);
    expect(await r.bot(id)).toMatchObject({ status: 'STOPPED', metadata: 'changed' });
  });

  // proves: bot options restart-not
  it('does not start a bot again that its operator has stopped, nor one in ERROR', async () => {
    const r = await opened(['100']);
    const stopped = await r.started(again);
    await r.done('DELETE', `/bots/${stopped.id}/runs/${stopped.runId}`);
    await r.minutes(2);
    expect(await r.bot(stopped.id)).toMatchObject({ status: 'STOPPED' });
    const failed = await r.started(again);
    await r.fault({ fault: 'reject', times: 20 });
    await r.minutes(3);
    expect(await r.bot(failed.id)).toMatchObject({ status: 'ERROR' });
  });
});

describe('a desk that starts again', () => {
  // proves: bot run recovery-unknown
  it('cancels orders of a run that its state does not know, and places what it wants and the exchange lacks', async () => {
    const r = await opened(['100']);
    const { id } = await r.started(LEVELS);
    await r.minutes(1);
    const [first] = await r.orders();
    await r.t.stop();
    const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
    const [run] = store.runs(id, 1);
    if (!run) throw new Error('there is no run');
    // The state names another order as its first entry, one that the exchange does not know.
    const state = decodeState(run.state);
    const slot = [...state.slots.slots.values()].find(({ orders }) => orders.length > 0);
    if (slot) slot.orders = slot.orders.map((order) => ({ ...order, key: '99' }));
    store.commit([{ kind: 'run', run: { ...run, state: encodeState(state) } }]);
    store.close();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    await later.minutes(1);
    const orders = await later.orders('recent');
    const status = new Map(orders.map((order) => [order.id, order.status]));
    expect(first && status.get(first.id)).toBe('CANCELLED');
    expect(await later.open()).toEqual(['BUY 80', 'BUY 90']);
  });

  it('goes on with a run that was stored before its wants had numbers', async () => {
    const r = await opened(['100', '100', '89', '89', '111', '111']);
    const { id } = await r.started({ ...LEVELS, settings: { ...LEVELS.settings, onetime: false } });
    await r.minutes(2);
    await r.t.stop();
    const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
    const [run] = store.runs(id, 1);
    if (!run) throw new Error('there is no run');
    expect(run.state).toContain('wantNumber');
    const state = run.state.replaceAll(/"(wantNumber|skips)":\d+,?/g, '').replaceAll(',}', '}');
    expect(encodeState(decodeState(state))).toBe(state);
    store.commit([{ kind: 'run', run: { ...run, state } }]);
    store.close();
    const later = await openBots([], { dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed });
    await later.t.clock.settle();
    expect(await later.open()).toEqual(['BUY 80', 'SELL 110']);
    await later.minutes(3);
    expect(await later.open()).toEqual(['BUY 80', 'BUY 90']);
    expect((await later.bot(id)).stats).toMatchObject({ cycles: 1, fills: 2 });
    // The resting orders were the wanted ones: none of them was placed again.
    expect((await later.orders('recent')).filter(({ status }) => status === 'CANCELLED')).toEqual([]);
  });
});

describe('changed fees of the paper exchange', () => {
  const changeTo = (r: BotsRig, makerRate: string) =>
    r.t.call('paper.configure', { exchange: EXCHANGE, change: { makerRate } });
  const sells = async (r: BotsRig) =>
    (await r.orders())
      .filter(({ side }) => side === 'SELL')
      .map(({ price, origQty }) => `${price} ${origQty}`);

  it('are those of a running run from its next order on', async () => {
    const r = await opened(['100', '100', '89', '79', '79']);
    const settings = { ...LEVELS.settings, profitAsset: 'base' };
    await r.started({ type: 'CHANNEL', settings });
    await r.minutes(2);
    // 499.9995 USDT were paid: at 110 less 0.1 % that is 4.549995..., rounded up to the step 4.55.
    expect(await sells(r)).toEqual(['110 4.55']);
    expect(await changeTo(r, '0.05')).toMatchObject({ ok: true });
    await r.minutes(1);
    // 500 USDT: at 120 less 5 % 4.385964... The resting order stays as it is.
    expect((await sells(r)).toSorted()).toEqual(['110 4.55', '120 4.38597']);
  });
});
