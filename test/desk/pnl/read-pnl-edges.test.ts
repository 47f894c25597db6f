/**
 * What the PnL book says beside its figures: differences to what is held, notes, the stop of a trade, points of
 * the curve; and how it is read: some rows at a time, each once, with those that come meanwhile.
 */
import { describe, expect, it } from 'vitest';
import { readPnl } from '../../../src/desk/pnl/read-pnl.ts';
import { PNL_PAGE } from '../../../src/desk/pnl/wallet-rows.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { FUTURES, NOW, OWN, pnlRig, SPOT } from './pnl-rig.ts';

const SECOND = 1_000;

describe('what balances and positions hold beyond the rows', () => {
  /** Rows that explain 90 USDT and 2 BTC of one wallet, a short of 3 ETH, and 7 USDT of the other wallet. */
  const explained = () => {
    const rig = pnlRig();
    rig.ledger('uni', NOW - 9, { amount: '290' });
    rig.fill(SPOT, NOW - 8, { qty: '2' });
    rig.fill(FUTURES, NOW - 7, { symbol: 'ETHUSDT', side: 'SELL', qty: '3', rPnl: '0' });
    rig.ledger(OWN, NOW - 6, { amount: '7' });
    rig.holds(SPOT, 'USDT', '90');
    rig.holds(SPOT, 'BTC', '0.5', '1.5');
    rig.holds(OWN, 'USDT', '3', '4');
    rig.position('ETHUSDT', { amount: '-3' });
    return rig;
  };

  it('is nothing where they agree, what is locked included', async () => {
    expect((await explained().read()).differences).toEqual([]);
  });

  it('is told by wallet and asset, more and less', async () => {
    const rig = explained();
    rig.holds(SPOT, 'USDT', '91.5');
    rig.holds(SPOT, 'BTC', '0.5', '1');
    rig.holds(SPOT, 'DOGE', '6');
    rig.engine.memory.account(OWN).wallet.balances.clear();
    expect((await rig.read()).differences).toEqual([
      { wallet: 'uni', what: 'USDT', amount: '1.5' },
      { wallet: 'uni', what: 'BTC', amount: '-0.5' },
      { wallet: 'uni', what: 'DOGE', amount: '6' },
      { wallet: OWN, what: 'USDT', amount: '-7' },
    ]);
    expect((await rig.read({ exchange: OWN })).differences).toHaveLength(1);
    expect((await rig.read({ to: NOW })).differences).toEqual([]);
  });

  it('is told of positions: one of another size, one without rows, one that only the rows know, both sides of one', async () => {
    const other = explained();
    other.position('ETHUSDT', { amount: '-5' });
    other.position('BTCUSDT', { amount: '0.25' });
    const at = (name: string) => ({ wallet: 'uni', what: `${FUTURES} ${name}` });
    expect((await other.read()).differences).toEqual([
      { ...at('ETHUSDT BOTH'), amount: '-2' },
      { ...at('BTCUSDT BOTH'), amount: '0.25' },
    ]);
    const hedged = explained();
    hedged.engine.memory.account(FUTURES).futures?.positions.clear();
    hedged.position('ETHUSDT', { side: 'SHORT', amount: '2' });
    hedged.position('ETHUSDT', { side: 'LONG', amount: '4' });
    expect((await hedged.read()).differences).toEqual([
      { ...at('ETHUSDT SHORT'), amount: '-2' },
      { ...at('ETHUSDT LONG'), amount: '4' },
      { ...at('ETHUSDT BOTH'), amount: '3' },
    ]);
  });

  it('is not told where the desk was loaded anew while the rows were read', async () => {
    const rig = pnlRig();
    for (let n = 0; n < 501; n++) rig.ledger('uni', NOW - 9_000 + n, {});
    rig.paused = () => Object.assign(rig.desk.core, { engine: new Engine() });
    expect((await rig.read()).differences).toEqual([]);
    const still = pnlRig();
    for (let n = 0; n < 501; n++) still.ledger('uni', NOW - 9_000 + n, {});
    expect((await still.read()).differences).toEqual([{ wallet: 'uni', what: 'USDT', amount: '-501' }]);
  });
});

describe('what is not included', () => {
  it('is a wallet whose opening is not known, by its name, and nothing else', async () => {
    const rig = pnlRig();
    rig.ledger('uni', NOW - 9, { amount: '290' });
    rig.ledger(OWN, NOW - 6, { amount: '7' });
    const { ledger } = rig.engine.memory.account(SPOT).wallet;
    if (ledger?.place) ledger.place.opened = false;
    const view = await rig.read();
    expect([view.notes, view.total.deposits, view.from]).toEqual([
      ['uni: what it had at first is not known yet, so it is left out'],
      '7',
      NOW - 6,
    ]);
  });

  it('is what is of no known symbol, counted by wallet', async () => {
    const rig = pnlRig();
    for (const exchange of [SPOT, SPOT, OWN]) rig.fill(exchange, NOW - 9, { symbol: 'GONE' });
    rig.fill(OWN, NOW - 8, {});
    expect((await rig.read()).notes).toEqual([
      'uni: 2 rows are of symbols that are not known any more',
      `${OWN}: 1 rows are of symbols that are not known any more`,
    ]);
  });

  it('is told only of rows within the range', async () => {
    const rig = pnlRig();
    rig.ledger(OWN, NOW - 50, { amount: '5' });
    rig.fill(OWN, NOW - 40, { symbol: 'GONE' });
    rig.ledger(OWN, NOW - 40, { asset: 'ODD', amount: '4' });
    const { notes, unpriced } = await rig.read({ to: NOW - 40 });
    expect([notes, unpriced]).toEqual([[], []]);
    const more = await rig.read({ to: NOW - 39 });
    expect([more.notes.length, more.unpriced]).toEqual([1, ['ODD']]);
  });

  it('is an asset that never had a price, whichever wallet has it', async () => {
    const rig = pnlRig();
    rig.ledger('uni', NOW - 9, { asset: 'ODD', amount: '4' });
    rig.ledger(OWN, NOW - 8, { asset: 'ODD', amount: '2' });
    rig.ledger(OWN, NOW - 8, { asset: 'ELSE', amount: '2' });
    rig.ledger(OWN, NOW - 7, { asset: 'ELSE', amount: '-2' });
    rig.ledger(OWN, NOW - 7, { asset: 'USDT', amount: '5' });
    const { unpriced, total } = await rig.read();
    expect([unpriced, total.deposits]).toEqual([['ODD'], '5']);
  });
});

describe('the stop of a trade', () => {
  /** A long from 100 to 110 on futures within these times, and its stops. */
  const [opened, closed] = [NOW - 60 * SECOND, NOW - 10 * SECOND];
  const stopped = async (...stops: Partial<OrderRecord>[]) => {
    const rig = pnlRig();
    const of = { posSide: 'LONG', rPnl: '0', qty: '2' } as const;
    rig.fill(FUTURES, opened, of);
    for (const [n, stop] of stops.entries())
      rig.order(`s${n}`, {
        exchange: FUTURES,
        side: 'SELL',
        type: 'STOP_MARKET',
        status: 'CANCELLED',
        positionSide: 'LONG',
        stopPrice: '95',
        orderTime: opened + 1 + n,
        ...stop,
      });
    rig.fill(FUTURES, closed, { ...of, side: 'SELL', price: '110', rPnl: '20', comm: '1' });
    const [trade] = (await rig.read()).trades;
    return [trade?.stop, trade?.r];
  };

  it('is the first one that would have ended it at a loss, and measures what it has brought', async () => {
    // Net 19, 2 x 5 at risk; at 96 it was 2 x 4.
    expect(await stopped({})).toEqual(['95', '1.9']);
    expect(await stopped({ type: 'STOP_LIMIT' })).toEqual(['95', '1.9']);
    expect(await stopped({ stopPrice: '96' }, {})).toEqual(['96', '2.375']);
    expect(await stopped({ stopPrice: '100' }, {})).toEqual(['95', '1.9']);
    expect(await stopped({ stopPrice: '105' }, { stopPrice: '90' })).toEqual(['90', '0.95']);
  });

  it('may be placed in its first and in its last moment, not outside', async () => {
    for (const orderTime of [opened, closed]) expect(await stopped({ orderTime })).toEqual(['95', '1.9']);
    for (const orderTime of [opened - 1, closed + 1])
      expect(await stopped({ orderTime })).toEqual([null, null]);
  });

  it.each<[string, Partial<OrderRecord>]>([
    ['would have added to it', { side: 'BUY' }],
    ['takes profit', { type: 'TAKE_PROFIT_MARKET' }],
    ['is of the other side of the position', { positionSide: 'SHORT' }],
    ['is of another account', { exchange: SPOT }],
    ['is of another symbol', { symbol: 'ETHUSDT' }],
    ['is somebody else’s', { user: 'other' }],
  ])('is none that %s', async (_, stop) => {
    expect(await stopped(stop)).toEqual([null, null]);
    expect(await stopped(stop, { stopPrice: '90' })).toEqual(['90', '0.95']);
  });

  it('of a short is above its entry and buys, on spot it has no side', async () => {
    const rig = pnlRig();
    const of = { symbol: 'ETHUSDT', rPnl: '0' } as const;
    rig.fill(FUTURES, opened, { ...of, side: 'SELL' });
    const stop = { exchange: FUTURES, symbol: 'ETHUSDT', type: 'STOP_MARKET', orderTime: opened } as const;
    rig.order('s1', { ...stop, side: 'SELL', stopPrice: '103' });
    rig.order('s2', { ...stop, side: 'BUY', stopPrice: '96', orderTime: opened + 1 });
    rig.order('s3', { ...stop, side: 'BUY', stopPrice: '104', orderTime: opened + 2 });
    rig.fill(FUTURES, closed, { ...of, price: '98', rPnl: '2' });
    rig.fill(OWN, opened, {});
    rig.order('s4', {
      ...stop,
      exchange: OWN,
      symbol: 'BTCUSDT',
      side: 'SELL',
      stopPrice: '92',
      positionSide: 'LONG',
    });
    rig.fill(OWN, closed, { side: 'SELL', price: '104' });
    const { trades } = await rig.read();
    expect(trades.map(({ account, stop: at, r }) => [account, at, r]).sort()).toEqual([
      [OWN, '92', '0.5'],
      [FUTURES, '104', '0.5'],
    ]);
  });
});

describe('the curve', () => {
  it('has its ends and so many points between, at even times, whatever the groups need', async () => {
    const from = Date.UTC(2026, 10, 20, 6);
    const to = from + 4 * 86_400_000;
    const rig = pnlRig();
    rig.ledger(OWN, from - 1, { amount: '3' });
    rig.ledger(OWN, from, { amount: '10' });
    rig.ledger(OWN, from + 2 * 86_400_000, { amount: '20' });
    const curve = async (points?: number, by: 'day' | 'symbol' = 'day') =>
      (await rig.read({ from, to, by, points: points as number })).curve;
    expect(await curve(3)).toEqual([
      { time: from, equity: '3', net: '0', deposits: '0' },
      { time: from + 86_400_000, equity: '13', net: '0', deposits: '10' },
      { time: from + 2 * 86_400_000, equity: '13', net: '0', deposits: '10' },
      { time: from + 3 * 86_400_000, equity: '33', net: '0', deposits: '30' },
      { time: to, equity: '33', net: '0', deposits: '30' },
    ]);
    for (const by of ['day', 'symbol'] as const) {
      const counts = await Promise.all([-5, 0, 1, 2.9, 400, 401, 9_999].map((points) => curve(points, by)));
      expect(counts.map(({ length }) => length)).toEqual([3, 3, 3, 4, 402, 402, 402]);
    }
    const whole = await readPnl(rig.desk, { from, to, by: 'symbol' });
    expect(whole.ok && whole.data.curve.length).toBe(102);
  });

  it('of a moment has its ends alone', async () => {
    const rig = pnlRig();
    rig.ledger(OWN, 5, { amount: '10' });
    const { curve } = await rig.read({ from: 5, to: 6, points: 50 });
    expect(curve.map(({ time, equity }) => [time, equity])).toEqual([
      [5, '0'],
      [6, '10'],
    ]);
  });
});

describe('a long history', () => {
  it('is read some rows at a time, between which the desk goes on, each row once', async () => {
    const rig = pnlRig();
    for (let n = 0; n < 2 * PNL_PAGE + 1; n++) rig.ledger('uni', NOW - 9_000 + n, { amount: '2' });
    for (let n = 0; n < PNL_PAGE; n++) rig.ledger(OWN, NOW - 9_000 + n, { amount: '3' });
    const view = await rig.read();
    expect(view.total.deposits).toBe(String(2 * (2 * PNL_PAGE + 1) + 3 * PNL_PAGE));
    expect(rig.pauses).toBe(2 + 1);
  });

  it('goes on with what is stored while it is read', async () => {
    const rig = pnlRig();
    for (let n = 0; n < PNL_PAGE; n++) rig.ledger('uni', NOW - 9_000 + n, {});
    rig.paused = () => {
      rig.paused = () => {};
      rig.fill(SPOT, NOW - 10, { qty: '2', comm: '0.5' });
    };
    rig.holds(SPOT, 'USDT', String(PNL_PAGE - 200.5));
    rig.holds(SPOT, 'BTC', '2');
    const view = await rig.read();
    expect([view.total.fees, view.differences]).toEqual(['0.5', []]);
  });

  it('tells of all its closed trades, some at a time, and answers with the newest 500', async () => {
    const rig = pnlRig();
    const count = 620;
    for (let n = 0; n < count; n++) {
      const of = { orderId: `a${n}`, rPnl: '0', qty: '1' };
      rig.fill(FUTURES, NOW - 9_000 + 2 * n, of);
      rig.fill(FUTURES, NOW - 8_999 + 2 * n, { ...of, side: 'SELL', rPnl: String(n) });
    }
    const { trades, stats } = await rig.read();
    expect([trades.length, stats.trades]).toEqual([500, count]);
    expect([trades[0]?.realised, trades.at(-1)?.realised]).toEqual([String(count - 1), String(count - 500)]);
    expect(rig.told.flat().map(({ realised }) => realised)).toEqual(
      Array.from({ length: count }, (_, n) => String(n)),
    );
    expect(rig.told.length).toBeGreaterThan(2);
    expect(rig.told.every(({ length }) => length > 0)).toBe(true);
  });
});
