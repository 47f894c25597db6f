/**
 * A swap account of OKX against the emulator: positions in base units, hedge mode, settings, actions of the
 * exchange itself.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { FuturesVenue } from '../../../src/venues/venue.ts';
import { Rig, type RigOptions } from './rig.ts';

const INST = 'BTC-USDT-SWAP';
const opened = (options: RigOptions = {}) => new Rig({ kind: 'swap', ...options }).open();
const futuresOf = (rig: Rig): FuturesVenue => {
  const { futures } = rig.venue;
  if (!futures) throw new Error('it has no positions');
  return futures;
};
const BUY = { type: 'MARKET', quantity: '0.02' } as const;
const SELL = { type: 'MARKET', side: 'SELL', quantity: '0.02', reduceOnly: true } as const;

describe('a position', () => {
  it('is told in base units by events and by a question, and is flat when it is closed', async () => {
    const rig = await opened();
    await rig.submit(BUY);
    await rig.pass(300);
    expect(rig.bodies('/api/v5/trade/order')).toMatchObject([{ instId: INST, tdMode: 'cross', sz: '2' }]);
    expect(rig.fills).toMatchObject([{ qty: '0.02', maker: false, commAsset: 'USDT', posSide: 'BOTH' }]);
    const told = rig.positions.at(-1);
    expect(told).toMatchObject({ symbol: 'BTCUSDT', side: 'BOTH', amount: '0.02', marginType: 'CROSSED' });
    const asked = await rig.result(futuresOf(rig).positions());
    expect(asked).toMatchObject([{ symbol: 'BTCUSDT', amount: '0.02', entryPrice: told?.entryPrice }]);
    await rig.submit({ ...SELL, quantity: '0.03' });
    await rig.submit(SELL);
    await rig.pass(300);
    expect(rig.positions.at(-1)).toMatchObject({ symbol: 'BTCUSDT', amount: '0' });
    expect(await rig.result(futuresOf(rig).positions())).toEqual([]);
    const realized = rig.fills.reduce((sum, { rPnl, comm }) => sum + dec(rPnl ?? '0') - dec(comm), 0n);
    const usdt = (await rig.result(rig.venue.balances()))?.find(({ asset }) => asset === 'USDT');
    expect(dec(usdt?.free ?? '0') + dec(usdt?.locked ?? '0')).toBe(dec('100000') + realized);
  });

  it('that is not there cannot be reduced; one that others close already may be, later', async () => {
    const rig = await opened();
    expect(await rig.submit(SELL)).toMatchObject({ kind: 'rejected', reason: 'REDUCE_ONLY' });
    await rig.submit(BUY);
    await rig.pass(300);
    await rig.submit({ type: 'LIMIT', side: 'SELL', quantity: '0.02', price: '61000', reduceOnly: true });
    const again = await rig.submit({
      type: 'LIMIT',
      side: 'SELL',
      quantity: '0.02',
      price: '61500',
      reduceOnly: true,
    });
    if (again.kind === 'rejected') expect(again.reason).toBe('EXITS_REST');
  });

  it('in hedge mode has a side and no sign, and is closed by it without the flag', async () => {
    const rig = await opened({ settings: { posMode: 'long_short_mode' } });
    await rig.submit({ ...BUY, positionSide: 'LONG' });
    await rig.submit({ ...BUY, side: 'SELL', quantity: '0.03', positionSide: 'SHORT' });
    await rig.pass(300);
    const positions = await rig.result(futuresOf(rig).positions());
    expect(positions?.map(({ side, amount }) => [side, amount]).sort()).toEqual([
      ['LONG', '0.02'],
      ['SHORT', '0.03'],
    ]);
    expect(await rig.submit({ ...SELL, positionSide: 'LONG' })).toMatchObject({ kind: 'accepted' });
    await rig.pass(300);
    expect(rig.positions.findLast(({ side }) => side === 'LONG')?.amount).toBe('0');
    for (const body of rig.bodies('/api/v5/trade/order')) expect(body).not.toHaveProperty('reduceOnly');
    expect(await rig.submit(BUY)).toMatchObject({ kind: 'rejected' });
  });

  it('in hedge mode has a leverage on each side, whether OKX tells it of each or once', async () => {
    const rig = await opened({ settings: { posMode: 'long_short_mode' } });
    expect(await rig.result(futuresOf(rig).setLeverage({ symbol: 'BTCUSDT', leverage: 7 }))).toEqual({
      kind: 'done',
    });
    const infos = await rig.result(futuresOf(rig).leverage(['BTCUSDT']));
    expect(infos?.map(({ side, leverage }) => [side, leverage]).sort()).toEqual([
      ['LONG', 7],
      ['SHORT', 7],
    ]);
    // A leverage that is reported once, for the contract, applies to both sides.
    rig.net.answers.set('/api/v5/account/leverage-info', () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      body: JSON.stringify({
        code: '0',
        msg: '',
        data: [{ instId: 'BTC-USDT-SWAP', mgnMode: 'cross', posSide: 'net', lever: '9' }],
      }),
    }));
    const once = await rig.result(futuresOf(rig).leverage(['BTCUSDT']));
    expect(once?.map(({ side, leverage }) => [side, leverage]).sort()).toEqual([
      ['LONG', 9],
      ['SHORT', 9],
    ]);
  });

  it('is protected by a stop of all of it, which goes with its size', async () => {
    const rig = await opened();
    await rig.submit(BUY);
    await rig.submit({
      clientId: 'stop',
      type: 'STOP_MARKET',
      side: 'SELL',
      stopPrice: '59000',
      closePosition: true,
    });
    await rig.submit({ ...BUY, quantity: '0.03' });
    await rig.pass(300);
    expect(rig.last('stop')).toMatchObject({ status: 'PENDING', terms: { closePosition: true } });
    await rig.trade(INST, '58900');
    await rig.pass(500);
    expect(rig.last('stop')?.status).toBe('FILLED');
    expect(
      rig.fills.filter(({ clientId }) => clientId === 'stop').reduce((sum, { qty }) => sum + dec(qty), 0n),
    ).toBe(dec('0.05'));
    expect(rig.positions.at(-1)?.amount).toBe('0');
  });

  it('is followed by a trailing stop of the exchange', async () => {
    const rig = await opened();
    await rig.submit(BUY);
    const trailing = { type: 'STOP_MARKET', side: 'SELL', quantity: '0.02', trailingDelta: 100 } as const;
    expect(await rig.submit({ clientId: 'trail', ...trailing, reduceOnly: true })).toMatchObject({
      kind: 'accepted',
    });
    await rig.pass(300);
    expect(rig.last('trail')).toMatchObject({ status: 'PENDING', armedAt: expect.any(Number) });
    await rig.trade(INST, '61000');
    await rig.trade(INST, '60300');
    await rig.pass(500);
    expect(rig.last('trail')?.status).toBe('FILLED');
    const gone = await rig.result(rig.venue.cancel({ clientId: 'trail', symbol: 'BTCUSDT' }));
    expect(gone).toMatchObject({ kind: 'gone', state: { status: 'FILLED' } });
  });

  it('that the exchange liquidates is told by executions of its own, each once, whoever tells it', async () => {
    const rig = await opened({ settings: { balances: { USDT: '1000' } } });
    await rig.result(futuresOf(rig).setLeverage({ symbol: 'BTCUSDT', leverage: 50 }));
    await rig.submit({ ...BUY, quantity: '0.4' });
    await rig.pass(300);
    for (const price of ['59500', '59000', '58500', '58000', '57500']) await rig.trade(INST, price);
    await rig.pass(1_000);
    const forced = rig.fills.filter(({ liquidation }) => liquidation);
    expect(forced.length).toBeGreaterThan(0);
    expect(forced[0]).toMatchObject({
      side: 'SELL',
      symbol: 'BTCUSDT',
      tradeId: expect.stringMatching(/^-\d+$/),
    });
    const page = await rig.result(
      rig.venue.fills({ symbol: 'BTCUSDT', after: null, since: rig.emulator.now() - 60_000 }),
    );
    const told = new Set(rig.fills.map(({ tradeId }) => tradeId));
    expect(new Set(page?.fills.map(({ tradeId }) => tradeId))).toEqual(told);
    expect(rig.positions.at(-1)?.amount).toBe('0');
  });
});

describe('settings', () => {
  it('are read and changed, and a change that is none is done', async () => {
    const rig = await opened();
    const futures = futuresOf(rig);
    expect(await rig.result(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }))).toEqual({
      kind: 'done',
    });
    expect(await rig.result(futures.leverage(['BTCUSDT']))).toMatchObject([
      { symbol: 'BTCUSDT', side: 'BOTH', leverage: 7, marginType: 'CROSSED' },
    ]);
    expect(await rig.result(futures.setLeverage({ symbol: 'BTCUSDT', leverage: 500 }))).toMatchObject({
      kind: 'rejected',
      code: '59102',
      message: expect.stringContaining('set a lower leverage'),
    });
    expect(await rig.result(futures.hedgeMode())).toBe(false);
    expect(await rig.result(futures.setHedgeMode(true))).toEqual({ kind: 'done' });
    expect(await rig.result(futures.hedgeMode())).toBe(true);
    await rig.submit({ ...BUY, positionSide: 'LONG' });
    expect(await rig.result(futures.setHedgeMode(false))).toMatchObject({
      kind: 'rejected',
      code: '59000',
      message: expect.stringContaining('close all positions'),
    });
    expect(await rig.result(futures.marginMode())).toBe(1);
    expect(await rig.result(futures.setMarginMode(1))).toEqual({ kind: 'done' });
    expect(await rig.result(futures.setMarginMode(2))).toMatchObject({ kind: 'rejected' });
    expect(await rig.result(futures.setMarginType('BTCUSDT', 'CROSSED'))).toEqual({ kind: 'done' });
    expect(await rig.result(futures.setMarginType('BTCUSDT', 'ISOLATED'))).toMatchObject({
      kind: 'rejected',
    });
  });

  it('of an account in spot mode are none: it says so, and what to do', async () => {
    await expect(opened({ settings: { acctLv: '1' } })).rejects.toThrow(
      /Spot mode, which has no perpetual contracts: choose Futures mode/,
    );
  });

  it('of portfolio margin have the leverage that a contract allows', async () => {
    const rig = await opened({ settings: { acctLv: '4' } });
    expect(await rig.result(futuresOf(rig).leverage(['BTCUSDT']))).toMatchObject([{ leverage: 100 }]);
    expect(await rig.result(futuresOf(rig).marginMode())).toBe(3);
  });

  it('have tiers at the mark price once somebody has wanted them', async () => {
    const rig = await opened();
    const futures = futuresOf(rig);
    expect(futures.brackets('BTCUSDT')).toEqual([]);
    await rig.pass(1_000);
    const [first, second] = futures.brackets('BTCUSDT');
    expect(first).toMatchObject({ notionalFloor: '0', initialLeverage: 100, cumulative: '0' });
    expect(Number(second?.notionalFloor)).toBeGreaterThan(0);
    expect(dec(second?.notionalFloor ?? '0')).toBeGreaterThanOrEqual(dec(first?.notionalCap ?? '0'));
    expect(futures.markPrice('BTCUSDT')).toBe('60020');
    const asked = rig.requests.filter(({ path }) => path.includes('position-tiers'));
    expect(asked).toHaveLength(1);
    futures.brackets('BTCUSDT');
    await rig.pass(1_000);
    expect(rig.requests.filter(({ path }) => path.includes('position-tiers'))).toHaveLength(1);
  });

  it('whose answer is lost may have been made', async () => {
    const rig = await opened();
    rig.net.loses = { what: 'answer', paths: ['/api/v5/account/set-leverage'] };
    expect(await rig.result(futuresOf(rig).setLeverage({ symbol: 'BTCUSDT', leverage: 9 }))).toMatchObject({
      kind: 'unknown',
    });
    expect(await rig.result(futuresOf(rig).leverage(['BTCUSDT']))).toMatchObject([{ leverage: 9 }]);
  });
});

describe('one wallet', () => {
  it('is told alike by both accounts of it: balances, and a ledger in which no execution is', async () => {
    const markets = ['spot', 'swap'] as const;
    const swap = await opened({ markets });
    const spot = await new Rig({ kind: 'spot', markets }, swap.exchange).open();
    await swap.submit(BUY);
    await spot.submit({ type: 'MARKET', quantity: '0.01' });
    swap.emulator.exchange.transfer('main', 'USDT', dec('5'));
    // Funding is due at once.
    swap.emulator.market.of(INST).nextFunding = swap.emulator.now();
    swap.emulator.acts.funding(swap.emulator.market.of(INST));
    await swap.pass(1_000);
    const since = swap.emulator.now() - 60_000;
    const page = (rig: Rig) =>
      rig.result(rig.venue.ledger?.({ after: null, since, limit: 100 }) ?? Promise.resolve(null));
    const { rows: told = [], traded } = (await page(swap)) ?? {};
    expect((await page(spot))?.rows).toEqual(told);
    // Symbols that were traded: another client may have traded while this process was down.
    expect(traded).toEqual(['BTCUSDT']);
    expect(told.map(({ kind, asset }) => [kind, asset])).toContainEqual(['transfer', 'USDT']);
    expect(told.find(({ kind }) => kind === 'funding')).toMatchObject({ symbol: 'BTCUSDT', asset: 'USDT' });
    const money = async (rig: Rig) =>
      ((await rig.result(rig.venue.balances())) ?? [])
        .map(({ asset, free, locked }) => [asset, free, locked])
        .sort();
    expect(await money(spot)).toEqual(await money(swap));
    // The present balances equal the start plus executions and ledger rows.
    const fills = [...spot.fills, ...swap.fills];
    const usdt = [...told.filter(({ asset }) => asset === 'USDT').map(({ amount }) => dec(amount))];
    for (const { symbol, qty, price, comm, commAsset, rPnl } of fills) {
      if (rPnl !== null) usdt.push(dec(rPnl));
      else if (symbol === 'BTCUSDT') usdt.push(-(dec(qty) * dec(price)) / 10n ** 30n);
      if (commAsset === 'USDT') usdt.push(-dec(comm));
    }
    const [, free = '0', locked = '0'] = (await money(spot)).find(([asset]) => asset === 'USDT') ?? [];
    expect(dec(free) + dec(locked)).toBe(dec('100000') + usdt.reduce((sum, one) => sum + one, 0n));
  });

  it('has what is traded elsewhere in its ledger where no account here tells it', async () => {
    const rig = await opened({ markets: ['swap'] });
    const since = rig.emulator.now();
    rig.exchange.order({
      instId: 'BTC-USDT',
      tdMode: 'cash',
      side: 'buy',
      ordType: 'market',
      sz: '100',
      tgtCcy: 'quote_ccy',
    });
    await rig.pass(500);
    const page = await rig.result(
      rig.venue.ledger?.({ after: null, since, limit: 100 }) ?? Promise.resolve(null),
    );
    expect(page?.rows.map(({ kind, asset }) => [kind, asset]).sort()).toEqual([
      ['other', 'BTC'],
      ['other', 'USDT'],
    ]);
  });
});
