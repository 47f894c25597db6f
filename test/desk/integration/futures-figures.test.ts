/**
 * Futures figures of the whole desk between two events, compared with those of the paper exchange at that
 * moment.
 */
import { describe, expect, it } from 'vitest';
import type { DeskPorts } from '../../../src/desk/open-desk.ts';
import {
  clientOf,
  deathsOf,
  flat,
  holding,
  MARKET_START,
  MINUTE_MS,
  ok,
  openTestDesk,
  place,
  type TestDesk,
  until,
  writeCandles,
} from './support.ts';

const FUTURES = 'paper-futures';

/** A desk whose market is paused after its first minute. */
async function heldDesk(series: Readonly<Record<string, readonly string[]>>, ports: DeskPorts = {}) {
  const candles = Object.entries(series).map(([symbol, prices]) => [symbol, prices.flatMap((p) => flat(p))]);
  const feed = writeCandles(Object.fromEntries(candles));
  const t = await openTestDesk({ feed, hold: true, ports });
  await to(t, 1);
  return { ...t, feed };
}

/** Steps until this many minutes of the market are over. */
async function to(t: TestDesk, minutes: number): Promise<void> {
  while (t.desk.state().clock.market < MARKET_START + minutes * MINUTE_MS - 1) {
    await t.call('feed.control', { action: 'step' });
    await t.clock.settle();
  }
}

/** Lets requests and events under way arrive, so that the desk can be stopped. */
async function atRest(t: TestDesk): Promise<void> {
  await t.clock.advance(10_000);
}

/** Waits for a call whose exchange takes time to answer. */
async function waited<T>(t: TestDesk, answer: Promise<T>): Promise<T> {
  let done = false;
  const settled = answer.finally(() => {
    done = true;
  });
  await until(t, () => done, { stepMs: 10 });
  return settled;
}

describe('when the mark has moved and nothing else has happened', () => {
  async function moved(ports: DeskPorts = {}) {
    const series = { BTCUSDT: ['60000', '60000', '54000'], ETHUSDT: ['3000', '3000', '3000'] };
    const t = await heldDesk(series, ports);
    await place(t, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '5' });
    await place(t, { exchange: FUTURES, symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '20' });
    await place(t, { exchange: FUTURES, side: 'BUY', type: 'LIMIT', price: '50000', quantity: '1' });
    await to(t, 3);
    return t;
  }

  it('program and console read what the exchange says', async () => {
    const t = await moved();
    const client = await clientOf(t);
    const look = async () => ({
      portfolio: await client.portfolio.get({ exchange: FUTURES }),
      positions: Object.values(await client.portfolio.positions({ exchange: FUTURES })).map(
        ({ symbol, mmr, liquidationPrice, unrealizedProfit }) => ({
          symbol,
          mmr,
          liquidationPrice,
          unrealizedProfit,
        }),
      ),
      console: [t.desk.state().portfolios[FUTURES], t.desk.state().futures[FUTURES]],
    });
    const before = await look();
    ok(await waited(t, t.call('exchange.reconcile', { exchange: FUTURES })));
    expect(await look()).toEqual(before);
    // Wallet: 100,000 less fees; half of a loss of 30,000 and of the margins at the new mark are locked.
    const [usdt] = before.portfolio.balances ?? [];
    expect(Number(usdt?.locked)).toBeCloseTo(30_000 + (5 * 54_000 + 50_000 + 20 * 3_000) / 20, 6);
  });

  // proves: bot run recovery
  it('a desk that goes on after a death says so before the next tick', async () => {
    const deaths = deathsOf();
    const t = await moved({ openStore: deaths.openStore });
    const figures = ({ desk }: TestDesk) => [desk.state().portfolios[FUTURES], desk.state().futures[FUTURES]];
    const before = figures(t);
    // The market's position is stored together with an order that has nothing to do with the contract.
    deaths.recording = true;
    await place(t, { side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.1' });
    const again = await openTestDesk({ feed: t.feed, hold: true, dataDir: deaths.folders.at(-1) });
    expect(figures(again)).toEqual(before);
  });

  it('the ticket shows what is available, and the exchange takes no order that needs more', async () => {
    const t = await moved();
    const order = { exchange: FUTURES, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET' } as const;
    const { available } = await t.call('orders.check', { ...order, quantity: '1' });
    const size = (share: number) => ((Number(available) * share * 20) / 54_000).toFixed(3);
    const more = await t.call('orders.place', { ...order, quantity: size(1.02) });
    expect(more).toMatchObject({ ok: false, error: { message: 'Margin is insufficient.' } });
    ok(await t.call('orders.place', { ...order, quantity: size(0.95) }));
  });
});

describe('what the ticket says of the account after an order', () => {
  const order = { exchange: FUTURES, symbol: 'BTCUSDT', type: 'MARKET' } as const;
  const position = (t: TestDesk) =>
    t.desk.state().futures[FUTURES]?.positions.find(({ symbol }) => symbol === 'BTCUSDT');

  /** The figures previewed before the order, and the account after it. */
  async function foretold(
    t: TestDesk,
    wanted: Partial<Parameters<typeof place>[1]> & { side: 'BUY' | 'SELL' },
  ) {
    const { after } = await t.call('orders.check', { ...order, ...wanted });
    await place(t, { ...order, ...wanted });
    const { positions = [] } = t.desk.state().futures[FUTURES] ?? {};
    const equity = t.desk
      .state()
      .portfolios[FUTURES]?.balances?.reduce(
        (sum, { free, locked }) => sum + Number(free) + Number(locked),
        0,
      );
    const profit = positions.reduce((sum, { unrealizedProfit }) => sum + Number(unrealizedProfit), 0);
    const held = positions.reduce(
      (sum, { amount, markPrice }) => sum + Math.abs(Number(amount) * Number(markPrice)),
      0,
    );
    return { after, now: position(t), exposure: held / ((equity ?? 0) + profit) };
  }

  it.each([
    ['opens a long', [{ side: 'BUY', quantity: '20' }]],
    ['opens a short', [{ side: 'SELL', quantity: '20' }]],
    [
      'adds to a long',
      [
        { side: 'BUY', quantity: '5' },
        { side: 'BUY', quantity: '7' },
      ],
    ],
    [
      'takes a part off',
      [
        { side: 'BUY', quantity: '9' },
        { side: 'SELL', quantity: '4', reduceOnly: true },
      ],
    ],
    [
      'turns a long into a short',
      [
        { side: 'BUY', quantity: '4' },
        { side: 'SELL', quantity: '30' },
      ],
    ],
    ['is isolated', [{ side: 'BUY', quantity: '3', marginType: 'ISOLATED' }]],
  ] as const)('is what the exchange says once it has filled: it %s', async (_name, orders) => {
    const t = await heldDesk({ BTCUSDT: ['60000', '60000'], ETHUSDT: ['3000', '3000'] });
    await place(t, { exchange: FUTURES, symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '20' });
    for (const wanted of orders) {
      const { after, now, exposure } = await foretold(t, wanted);
      expect(Number(after?.liquidation)).toBeCloseTo(Number(now?.liquidationPrice), 1);
      expect(after?.amount).toBe(now?.amount);
      expect(Number(after?.exposure)).toBeCloseTo(exposure, 1);
    }
  });

  it('is nothing once the position is closed, and is not there on spot', async () => {
    const t = await heldDesk({ BTCUSDT: ['60000', '60000'] });
    await place(t, { ...order, side: 'BUY', quantity: '5' });
    const { after } = await t.call('orders.check', { ...order, side: 'SELL', closePosition: true });
    expect(after).toMatchObject({ amount: '0', liquidation: null, distance: null, exposure: '0.00' });
    const spot = await t.call('orders.check', {
      ...order,
      exchange: 'paper-spot',
      side: 'BUY',
      quantity: '0.1',
    });
    expect(spot.after).toBeNull();
  });
});

describe('what a setting has changed', () => {
  it('is so for the next request, though the exchange takes its time to be read', async () => {
    const t = await heldDesk({ BTCUSDT: ['60000', '60000'] });
    ok(await t.call('paper.configure', { exchange: FUTURES, change: { latencyMs: 100 } }));
    const client = await clientOf(t);
    const leverage = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 5 } as const;
    ok(await waited(t, t.call('futures.set', { exchange: FUTURES, setting: leverage })));
    expect(await client.portfolio.leverage({ exchange: FUTURES, symbols: ['BTCUSDT'] })).toMatchObject([
      { leverage: '5' },
    ]);
    const hedge = { kind: 'hedgeMode', on: true } as const;
    ok(await waited(t, t.call('futures.set', { exchange: FUTURES, setting: hedge })));
    const order = {
      exchange: FUTURES,
      side: 'BUY',
      type: 'MARKET',
      quantity: '0.1',
      positionSide: 'LONG',
    } as const;
    expect((await waited(t, place(t, order))).positionSide).toBe('LONG');
    await atRest(t);
  });
});

describe('a balance that is set while prices move', () => {
  it('counts as paid in what was paid in, not what prices did meanwhile', async () => {
    const t = await heldDesk({ BTCUSDT: ['60000', '66000'] });
    await place(t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    await place(t, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '1' });
    ok(await t.call('paper.configure', { exchange: 'paper-spot', change: { latencyMs: 1_000 } }));
    const start = Number(t.desk.state().equity.dayStartUsd);
    const [usdt] = (t.desk.state().portfolios['paper-spot']?.balances ?? []).filter(
      ({ asset }) => asset === 'USDT',
    );
    const amount = String(Number(usdt?.free) + 500);
    const paying = t.call('paper.balance', { exchange: 'paper-spot', asset: 'USDT', amount });
    await t.clock.settle();
    // The price moves while the exchange is read.
    void t.call('feed.control', { action: 'step' });
    await t.clock.settle();
    expect(t.desk.state().prices['paper BTCUSDT']?.last).toBe('66000');
    ok(await waited(t, paying));
    await atRest(t);
    expect(Number(t.desk.state().equity.dayStartUsd) - start).toBeCloseTo(500, 2);
  });
});

describe('an account that no console could be shown yet', () => {
  it('appears whole once the last of it is read, whichever that is', async () => {
    const feed = writeCandles({ BTCUSDT: flat('60000', 2) });
    const deaf = holding((venue) => venue.faults.set({ queryFails: 1 }));
    const t = await openTestDesk({ feed, hold: true, ports: { venues: deaf } });
    const seen = () => [Object.keys(t.desk.state().portfolios), Object.keys(t.desk.state().futures)];
    expect(seen()).toEqual([[], []]);
    expect(t.desk.state().equity.partial).toBe(true);
    for (const exchange of ['paper-spot', FUTURES]) {
      ok(await t.call('paper.faults', { exchange, heal: true }));
      ok(await waited(t, t.call('exchange.reconcile', { exchange })));
    }
    expect(seen()).toEqual([['paper-spot', FUTURES], [FUTURES]]);
    expect(t.desk.state().equity.partial).toBe(false);
  });
});
