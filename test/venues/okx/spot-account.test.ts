/** A spot account of OKX against the emulator: the whole life of an order, and every native order form. */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangeOrder } from '../../../src/domain/exchange.ts';
import { INSTRUMENTS, instrumentRow } from '../../emulators/okx/instruments.ts';
import { TEST_KEY } from '../../emulators/okx/keys.ts';
import { Rig } from './rig.ts';

describe('an order', () => {
  it('is placed, told, asked about, listed, filled with its fee, and cancelled', async () => {
    const rig = await new Rig().open();
    const { venue } = rig;
    expect(rig.stream).toEqual(['up']);
    const placed = await rig.submit({ clientId: 'one', price: '59000', quantity: '0.02' });
    expect(placed).toMatchObject({
      kind: 'accepted',
      state: { clientId: 'one', symbol: 'BTCUSDT', status: 'WORKING', origQty: '0.02', cumQty: '0' },
    });
    await rig.pass(200);
    expect(rig.last('one')).toMatchObject({
      status: 'WORKING',
      terms: { side: 'BUY', type: 'LIMIT', price: '59000', timeInForce: 'GTC', positionSide: 'BOTH' },
    });
    const found = await rig.result(venue.query({ clientId: 'one', symbol: 'BTCUSDT' }));
    expect(found).toMatchObject({ kind: 'found', state: { status: 'WORKING' }, fills: [] });
    expect(await rig.result(venue.openOrders())).toMatchObject([{ clientId: 'one' }]);
    await rig.trade('BTC-USDT', '59000', '0.005');
    await rig.pass(500);
    const [fill] = rig.fills;
    expect(fill).toMatchObject({
      clientId: 'one',
      symbol: 'BTCUSDT',
      side: 'BUY',
      price: '59000',
      maker: true,
      rPnl: null,
      commAsset: 'BTC',
      posSide: 'BOTH',
    });
    expect(Number(fill?.comm)).toBeGreaterThan(0);
    const gone = await rig.result(venue.cancel({ clientId: 'one', symbol: 'BTCUSDT' }));
    expect(gone.kind === 'done' || gone.kind === 'gone').toBe(true);
    const end = await rig.result(venue.query({ clientId: 'one', symbol: 'BTCUSDT' }));
    if (end.kind !== 'found') throw new Error(end.kind);
    expect(end.fills).toEqual(rig.fills);
    expect(await rig.result(venue.openOrders())).toEqual([]);
  });
});

const LIMIT = { quantity: '0.01', price: '59000' } as const;

describe('a spot account', () => {
  it('names a symbol that is there and cannot be read, in the first list too', async () => {
    const rig = new Rig();
    const rows = INSTRUMENTS.filter(({ instType }) => instType === 'SPOT').map(instrumentRow);
    const data = rows.map((row) => (row.instId === 'ADA-USDT' ? { ...row, state: 'odd' } : row));
    rig.net.answers.set('/api/v5/public/instruments', () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      body: JSON.stringify({ code: '0', msg: '', data }),
    }));
    await rig.open();
    expect(rig.venue.instruments().map(({ symbol }) => symbol)).not.toContain('ADAUSDT');
    expect(rig.venue.unreadSymbols?.()).toContain('ADAUSDT');
  });

  it.each<[string, Partial<ExchangeOrder>, status: string, type: string]>([
    ['LIMIT', LIMIT, 'WORKING', 'LIMIT'],
    ['LIMIT that is IOC', { ...LIMIT, timeInForce: 'IOC' }, 'CANCELLED', 'LIMIT'],
    ['LIMIT that is FOK', { ...LIMIT, timeInForce: 'FOK' }, 'CANCELLED', 'LIMIT'],
    ['LIMIT_MAKER', { type: 'LIMIT_MAKER', ...LIMIT }, 'WORKING', 'LIMIT_MAKER'],
    ['MARKET', { type: 'MARKET', quantity: '0.01' }, 'FILLED', 'MARKET'],
    ['MARKET for an amount', { type: 'MARKET', quoteOrderQty: '600' }, 'FILLED', 'MARKET'],
    ['MARKET that sells', { type: 'MARKET', side: 'SELL', quantity: '0.01' }, 'FILLED', 'MARKET'],
    ['STOP_MARKET', { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '61000' }, 'PENDING', 'STOP_MARKET'],
    [
      ...([
        'STOP_LIMIT',
        { type: 'STOP_LIMIT', quantity: '0.01', stopPrice: '61000', price: '62000' },
      ] as const),
      ...(['PENDING', 'STOP_LIMIT'] as const),
    ],
    [
      ...([
        'TAKE_PROFIT_MARKET',
        { type: 'TAKE_PROFIT_MARKET', quantity: '0.01', stopPrice: '58000' },
      ] as const),
      ...(['PENDING', 'TAKE_PROFIT_MARKET'] as const),
    ],
  ])('places %s, and events and questions say the same of it', async (_, order, status, type) => {
    const rig = await new Rig().open();
    const placed = await rig.submit(order);
    if (placed.kind !== 'accepted') throw new Error(JSON.stringify(placed));
    await rig.pass(300);
    const { clientId, symbol } = placed.state;
    const found = await rig.result(rig.venue.query({ clientId, symbol }));
    if (found.kind !== 'found') throw new Error(JSON.stringify(found));
    expect(found.state).toMatchObject({ status, terms: { type } });
    expect(rig.last(clientId)).toMatchObject({ status, terms: found.state.terms });
    expect(rig.last(clientId)?.seq).toBe(found.state.seq);
    expect(placed.state.seq).toBeLessThanOrEqual(found.state.seq);
    const byId = (a: { tradeId: string }, b: { tradeId: string }) => (a.tradeId < b.tradeId ? -1 : 1);
    expect(found.fills.toSorted(byId)).toEqual(rig.fills.toSorted(byId));
    expect(rig.reports).toEqual([]);
  });

  it.each<[string, Partial<ExchangeOrder>, reason: string]>([
    ['more than there is', { quantity: '50', price: '59000' }, 'BALANCE'],
    ['less than the least size', { quantity: '0.000001', price: '59000' }, 'LOT_SIZE'],
    ['far from the market', { quantity: '0.01', price: '90000' }, 'PERCENT_PRICE'],
    ['a stop that is passed', { type: 'STOP_MARKET', quantity: '0.01', stopPrice: '58000' }, 'STOP_PASSED'],
    ['a symbol that is not there', { symbol: 'NOPEUSDT', ...LIMIT }, 'SYMBOL_UNKNOWN'],
  ])('is refused %s by its code', async (_, order, reason) => {
    const rig = await new Rig().open();
    expect(await rig.submit(order)).toMatchObject({ kind: 'rejected', reason });
  });

  it('has a post-only order that would take refused after it was taken in', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'maker', type: 'LIMIT_MAKER', quantity: '0.01', price: '60500' });
    await rig.pass(300);
    expect(rig.last('maker')).toMatchObject({ status: 'REJECTED', reason: 'POST_ONLY' });
    expect(rig.fills).toEqual([]);
  });

  it('has what a trigger makes told as the order that waited, its executions too, in any process', async () => {
    for (const algoLagMs of [0, 2_000]) {
      const rig = await new Rig({ settings: { algoLagMs } }).open();
      await rig.submit({
        clientId: 'stop',
        type: 'STOP_MARKET',
        side: 'SELL',
        quantity: '0.01',
        stopPrice: '59000',
      });
      await rig.trade('BTC-USDT', '58900');
      await rig.pass(3_000);
      expect(rig.last('stop')).toMatchObject({ status: 'FILLED', cumQty: '0.01' });
      expect(rig.last('stop')?.venueIds).toHaveLength(2);
      expect(new Set(rig.fills.map(({ clientId }) => clientId))).toEqual(new Set(['stop']));
      const next = await rig.again().open();
      const page = await next.result(
        next.venue.fills({ symbol: 'BTCUSDT', after: null, since: rig.emulator.now() - 60_000 }),
      );
      expect(page?.fills).toEqual(rig.fills);
      const found = await next.result(next.venue.query({ clientId: 'stop', symbol: 'BTCUSDT' }));
      expect(found).toMatchObject({
        kind: 'found',
        state: { status: 'FILLED', terms: { type: 'STOP_MARKET' } },
      });
      if (found.kind === 'found') expect(found.fills).toEqual(rig.fills);
    }
  });

  it('cancels what waits, what its trigger has made, and says of what is gone how it ended', async () => {
    const rig = await new Rig().open();
    const stop = {
      type: 'STOP_LIMIT',
      side: 'SELL',
      quantity: '0.01',
      stopPrice: '59000',
      price: '62000',
    } as const;
    await rig.submit({ clientId: 'a', ...stop });
    await rig.submit({ clientId: 'b', ...stop });
    const cancel = (clientId: string) => rig.result(rig.venue.cancel({ clientId, symbol: 'BTCUSDT' }));
    expect(await cancel('a')).toMatchObject({ kind: 'done', state: { clientId: 'a', status: 'CANCELLED' } });
    await rig.trade('BTC-USDT', '58900');
    expect(await cancel('b')).toMatchObject({ kind: 'done', state: { clientId: 'b', status: 'CANCELLED' } });
    expect(await cancel('b')).toMatchObject({ kind: 'gone' });
    expect(await cancel('nobody')).toEqual({ kind: 'gone', state: null });
    expect(await rig.result(rig.venue.openOrders())).toEqual([]);
  });

  it('does not take an id that is in use for a refusal, and never sends one again that has ended', async () => {
    const rig = await new Rig().open();
    await rig.submit({ clientId: 'same', ...LIMIT });
    expect(await rig.submit({ clientId: 'same', ...LIMIT })).toMatchObject({ kind: 'unknown' });
  });

  it('knows its balances: what orders lock, what is gone, each with its time', async () => {
    const rig = await new Rig({ settings: { balances: { USDT: '1000', ADA: '10' } } }).open();
    await rig.submit({ quantity: '0.01', price: '59000' });
    await rig.pass(200);
    const of = async (asset: string) =>
      (await rig.result(rig.venue.balances()))?.find((one) => one.asset === asset);
    expect(await of('USDT')).toMatchObject({ free: '410', locked: '590', time: expect.any(Number) });
    expect(rig.balances.findLast(({ asset }) => asset === 'USDT')).toMatchObject({
      free: '410',
      locked: '590',
    });
    await rig.submit({ symbol: 'ADAUSDT', type: 'MARKET', side: 'SELL', quantity: '10' });
    await rig.pass(200);
    expect(await of('ADA')).toMatchObject({ free: '0', locked: '0' });
  });

  it('hears that nothing is left of a currency, which the channel of the account leaves out', async () => {
    const rig = await new Rig({ settings: { balances: { USDT: '1000', ADA: '10', BTC: '1' } } }).open();
    const told = (asset: string) => rig.balances.findLast((one) => one.asset === asset);
    await rig.submit({ symbol: 'ADAUSDT', type: 'MARKET', side: 'SELL', quantity: '10' });
    await rig.pass(1_000);
    expect(told('ADA')).toMatchObject({ free: '0', locked: '0', time: expect.any(Number) });
    await rig.submit({ symbol: 'ADAUSDT', type: 'MARKET', quantity: '20' });
    await rig.pass(1_000);
    expect(Number(told('ADA')?.free)).toBeGreaterThan(19);
    // What no execution explains is read in the ledger.
    await rig.pass(60_000);
    const before = rig.moved;
    rig.emulator.exchange.transfer('main', 'BTC', dec('-1'));
    await rig.pass(1_000);
    expect(told('BTC')).toMatchObject({ free: '0', locked: '0' });
    expect(rig.moved).toBeGreaterThan(before);
  });

  it('has each balance as of when the account was read, though a currency’s own time stands still while orders lock it', async () => {
    const rig = await new Rig({ settings: { cashTimes: true, balances: { USDT: '1000' } } }).open();
    const usdt = async () => (await rig.result(rig.venue.balances()))?.find(({ asset }) => asset === 'USDT');
    const before = await usdt();
    await rig.pass(5_000);
    await rig.submit(LIMIT);
    await rig.pass(200);
    const after = await usdt();
    expect(after?.locked).not.toBe('0');
    expect((after?.time ?? 0) - (before?.time ?? 0)).toBeGreaterThanOrEqual(5_000);
  });

  it('reads executions from where they are known, page by page, and names each once more at most', async () => {
    const rig = await new Rig().open();
    const page = (after: string | null) =>
      rig.result(rig.venue.fills({ symbol: 'BTCUSDT', after, since: rig.emulator.now() - 60_000 }));
    for (let n = 0; n < 3; n++) await rig.submit({ type: 'MARKET', quantity: '0.001' });
    const first = await page(null);
    expect(first?.fills.map(({ clientId }) => clientId)).toEqual(['t1', 't2', 't3']);
    await rig.submit({ type: 'MARKET', quantity: '0.001' });
    const second = await page(first?.next ?? null);
    expect(second?.fills.map(({ clientId }) => clientId)).toEqual(['t4']);
    expect(await page(second?.next ?? null)).toMatchObject({ fills: [], more: false });
    const next = await rig.again().open();
    expect(
      await next.result(next.venue.fills({ symbol: 'BTCUSDT', after: first?.next ?? null, since: 0 })),
    ).toEqual(second);
  });

  it('says which account it is, what its key may do, what it pays, and how it stands with its limits', async () => {
    const keys = [
      { ...TEST_KEY, permissions: ['read_only', 'trade', 'withdraw'] as const, ips: ['127.0.0.1'] },
    ];
    const rig = await new Rig({ settings: { keys } }).open();
    const { venue } = rig;
    expect(await rig.result(venue.identity?.() ?? Promise.resolve(null))).toMatchObject({
      id: expect.stringMatching(/^\d+$/),
    });
    expect(await rig.result(venue.permissions?.() ?? Promise.resolve(null))).toEqual({
      trade: true,
      withdraw: true,
      transfer: false,
      addresses: ['127.0.0.1'],
      expiresAt: null,
    });
    expect(await rig.result(venue.feeRates?.() ?? Promise.resolve(null))).toEqual({
      maker: '0.0008',
      taker: '0.001',
    });
    const health = venue.health?.();
    expect(Math.abs(health?.clockOffsetMs ?? 1e9)).toBeLessThan(100);
    expect(health?.budgets.length).toBeGreaterThan(0);
    expect(venue.canSend?.('entry', 'BTCUSDT')).toBeNull();
  });

  it('converts small balances into OKB, five at a time', async () => {
    const rig = await new Rig({ settings: { balances: { USDT: '100', ADA: '10', DOGE: '20' } } }).open();
    const { conversion } = rig.venue;
    const list = await rig.result(conversion?.list() ?? Promise.resolve(null));
    expect(list?.assets.map(({ asset }) => asset)).toContain('ADA');
    expect(await rig.result(conversion?.convert(['ADA'], 'BTC') ?? Promise.reject())).toMatchObject({
      kind: 'rejected',
    });
    await rig.pass(3_000);
    const outcome = await rig.result(conversion?.convert(['ADA']) ?? Promise.reject());
    expect(outcome).toMatchObject({ kind: 'done', dust: { toAsset: 'OKB', converted: [{ asset: 'ADA' }] } });
  });

  it('tells orders of others with their own ids', async () => {
    const rig = await new Rig().open();
    rig.exchange.order({
      instId: 'BTC-USDT',
      tdMode: 'cash',
      side: 'buy',
      ordType: 'limit',
      px: '59000',
      sz: '0.01',
    });
    await rig.pass(300);
    expect(rig.orders.at(-1)).toMatchObject({
      clientId: '',
      status: 'WORKING',
      venueIds: [expect.any(String)],
    });
  });
});

describe('the mode of an account', () => {
  it.each(['1', '2', '3', '4'] as const)('%s trades spot as it must', async (acctLv) => {
    const rig = await new Rig({ settings: { acctLv } }).open();
    expect(await rig.submit(LIMIT)).toMatchObject({ kind: 'accepted' });
    expect(rig.bodies('/api/v5/trade/order')).toMatchObject([{ tdMode: acctLv < '3' ? 'cash' : 'cross' }]);
  });

  it.each([
    ['delta neutral', { stgyType: '1' }, /delta neutral/],
    ['copies others', { spotRoleType: '2' }, /copies the trades.*end copy trading/],
    ['leads others', { spotRoleType: '1' }, /leads copy trading.*sub-account/],
    ['of a mode that is new', { acctLv: '9' }, /mode that is not known/],
  ])('that is %s is refused with what to do', async (_, change, words) => {
    const rig = new Rig();
    rig.net.answers.set('/api/v5/account/config', () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      body: JSON.stringify({
        code: '0',
        msg: '',
        data: [{ uid: '1', acctLv: '2', posMode: 'net_mode', perm: 'trade', ...change }],
      }),
    }));
    await expect(rig.open()).rejects.toThrow(words);
  });
});
