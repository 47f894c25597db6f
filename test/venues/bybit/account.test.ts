/**
 * An account of Bybit over its emulator: opening, orders of both markets, executions, positions, settings,
 * ledger, keys.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { FillsPage } from '../../../src/venues/venue.ts';
import { TEST_KEY } from '../../emulators/bybit/keys.ts';
import { bybitRig, type Rig, type RigOptions } from './bybit-rig.ts';

async function opened(options: RigOptions = {}): Promise<Rig> {
  const rig = bybitRig(options);
  await rig.open();
  return rig;
}

const symbol = 'BTCUSDT';

describe('opening', () => {
  it('measures the clock, looks at the account, subscribes and only then tells what is traded', async () => {
    const rig = await opened({ settings: { clockAheadMs: -4_000 } });
    expect(rig.requests.map(({ path }) => path.split('?')[0])).toEqual([
      '/v5/market/time',
      '/v5/account/info',
      '/v5/market/instruments-info',
    ]);
    expect(rig.told.stream).toEqual(['up']);
    expect(rig.venue.health?.().clockOffsetMs).toBe(-4_000);
    expect(await rig.submit({ price: '50000', quantity: '0.01' })).toMatchObject({ kind: 'accepted' });
  });

  it.each([
    [
      'a classic account',
      {},
      (rig: Rig) => {
        rig.emulator.accountStatus = 1;
      },
      'upgrade it to a unified trading account',
    ],
    [
      'a key that is not known',
      { key: { apiKey: 'nobody', secret: TEST_KEY.secret } },
      () => {},
      'is it of this environment',
    ],
    [
      'a secret of another key',
      { key: { apiKey: TEST_KEY.apiKey, secret: 'wrong' } },
      () => {},
      'connect with the pair',
    ],
    [
      'maintenance',
      {},
      (rig: Rig) => {
        rig.emulator.maintenance = true;
      },
      '10016',
    ],
    [
      'no network',
      {},
      (rig: Rig) => {
        rig.net.down = true;
      },
      'ECONNREFUSED',
    ],
  ] as const)('says what to do where there is %s', async (_, options, before, words) => {
    const rig = bybitRig(options);
    before(rig);
    await expect(rig.open()).rejects.toThrow(words);
    expect(rig.told.stream).not.toContain('up');
  });

  it('names a symbol that is there and cannot be read, in the first list too', async () => {
    const rig = bybitRig();
    const path = '/v5/market/instruments-info';
    const { body } = rig.emulator.request({ method: 'GET', path: `${path}?category=spot`, headers: {} });
    const list = JSON.parse(body) as { result: { list: { symbol: string; status: string }[] } };
    const odd = list.result.list.find((one) => one.symbol === 'ETHUSDT');
    if (!odd) throw new Error('the emulator trades no ETHUSDT');
    odd.status = 'Odd';
    rig.net.says.push({ path, status: 200, body: JSON.stringify(list) });
    await rig.open();
    expect(rig.venue.instruments().map((one) => one.symbol)).not.toContain('ETHUSDT');
    expect(rig.venue.unreadSymbols?.()).toEqual(['ETHUSDT']);
  });

  it('reads the list of what is traded again when it is asked to', async () => {
    const rig = await opened();
    const path = '/v5/market/instruments-info';
    const { body } = rig.emulator.request({ method: 'GET', path: `${path}?category=spot`, headers: {} });
    const list = JSON.parse(body) as { result: { list: { symbol: string }[] } };
    list.result.list = list.result.list.filter(({ symbol }) => symbol !== 'ETHUSDT');
    rig.net.says.push({ path, status: 200, body: JSON.stringify(list) });
    rig.venue.relist?.();
    await rig.clock.advance(500);
    const symbols = () => rig.told.lists.at(-1)?.map(({ symbol }) => symbol);
    expect(symbols()).not.toContain('ETHUSDT');
    rig.venue.relist?.();
    await rig.clock.advance(500);
    expect(symbols()).toContain('ETHUSDT');
  });

  it('reads all pages of contracts, and of each contract its leverage and mode in the background', async () => {
    const rig = await opened({ kind: 'futures', settings: { instrumentsPage: 3 } });
    await rig.clock.advance(2_000);
    const symbols = rig.venue.instruments().map((one) => one.symbol);
    expect(symbols).toEqual(expect.arrayContaining(['BTCUSDT', 'BTCPERP', 'SHIB1000USDT']));
    expect(symbols).not.toContain('BTCUSDT-26MAR27');
    const asked = rig.venue.futures?.leverage(symbols);
    expect(asked && (await rig.during(asked))).toHaveLength(symbols.length);
    expect(rig.venue.futures?.brackets(symbol).length).toBeGreaterThan(0);
    expect(rig.told.stream).toEqual(['up', 'gap']);
  });

  it('reads again what a leverage is after events may have been missed, and has it compared where it is another', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.clock.advance(2_000);
    const leverage = async () => {
      const told = await rig.during(rig.venue.futures?.leverage(['BTCUSDT']) ?? Promise.reject());
      return told?.map((one) => one.leverage);
    };
    expect(await leverage()).toEqual([10]);
    rig.net.down = true;
    await rig.clock.advance(1_000);
    const change = { category: 'linear', symbol: 'BTCUSDT', buyLeverage: '7', sellLeverage: '7' };
    rig.post('/v5/position/set-leverage', change);
    rig.told.stream.length = 0;
    rig.net.down = false;
    await rig.clock.advance(60_000);
    expect(await leverage()).toEqual([7]);
    expect(rig.told.stream).toEqual(['up', 'gap']);
  });
});

// proves: S63
describe('an order that is acknowledged', () => {
  it('is accepted only when the exchange shows it', async () => {
    const rig = await opened({ settings: { matchMs: 400 } });
    const sentAt = rig.clock.monotonic();
    const outcome = await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    expect(outcome).toMatchObject({ kind: 'accepted', state: { status: 'WORKING', clientId: 'a' } });
    expect(rig.clock.monotonic() - sentAt).toBeGreaterThanOrEqual(400);
  });

  it('is not known after a second without a word of it, and is found when it has come', async () => {
    const rig = await opened({ settings: { matchMs: 3_000, hiddenMs: 3_000 } });
    const outcome = await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    expect(outcome).toMatchObject({ kind: 'unknown', cause: expect.stringContaining('acknowledged') });
    await rig.clock.advance(4_000);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: 'a', status: 'WORKING' });
    expect(await rig.during(rig.venue.query({ clientId: 'a', symbol }))).toMatchObject({ kind: 'found' });
  });

  it('is found by a question where the stream says nothing, and the stream is tried anew', async () => {
    const rig = await opened();
    rig.net.faults = { messageLost: 1 };
    const outcome = await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    expect(outcome).toMatchObject({ kind: 'accepted', state: { status: 'WORKING' } });
    rig.net.faults = {};
    await rig.clock.advance(15_000);
    expect(rig.told.stream).toEqual(['up', 'down', 'up']);
  });

  it('is watched for by a stream that was opened again while another one was owed its event', async () => {
    const rig = await opened();
    rig.net.faults = { messageLost: 1 };
    await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    rig.net.faults = {};
    await rig.open();
    rig.forget();
    rig.net.faults = { messageLost: 1 };
    await rig.submit({ price: '50000', quantity: '0.01', clientId: 'b' });
    rig.net.faults = {};
    await rig.clock.advance(15_000);
    expect(rig.told.stream).toEqual(['down', 'up']);
  });

  it('is refused where the engine refuses it afterwards, with the reason', async () => {
    const rig = await opened();
    rig.emulator.rejectNext('EC_InvalidSymbolStatus');
    const outcome = await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'SYMBOL_HALTED' });
    expect(rig.told.orders.at(-1)).toMatchObject({ status: 'REJECTED', reason: 'SYMBOL_HALTED' });
  });

  it.each(['spot', 'futures'] as const)('on %s is refused as POST_ONLY where it would take', async (kind) => {
    const rig = await opened({ kind });
    const outcome = await rig.submit({ type: 'LIMIT_MAKER', price: '61000', quantity: '0.01' });
    expect(outcome).toMatchObject({ kind: 'rejected', reason: 'POST_ONLY' });
  });

  it('and cancelled is done only when it has ended; one that lost the race is gone with its executions', async () => {
    const rig = await opened({ settings: { matchMs: 200 } });
    await rig.submit({ price: '59000', quantity: '0.01', clientId: 'a' });
    await rig.submit({ price: '59000', quantity: '0.01', clientId: 'b' });
    const cancelled = rig.venue.cancel({ clientId: 'a', symbol });
    expect(await rig.during(cancelled)).toMatchObject({ kind: 'done', state: { status: 'CANCELLED' } });
    const late = rig.venue.cancel({ clientId: 'b', symbol });
    await rig.clock.advance(50);
    rig.emulator.printSpot(symbol, '58000', '1');
    expect(await rig.during(late)).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED', cumQty: '0.01' },
    });
    const again = await rig.during(rig.venue.cancel({ clientId: 'b', symbol }));
    expect(again).toMatchObject({ kind: 'gone', state: { status: 'FILLED' } });
    expect(await rig.during(rig.venue.cancel({ clientId: 'nobody', symbol }))).toEqual({
      kind: 'gone',
      state: null,
    });
  });
});

describe('orders of spot', () => {
  it('over an amount end as filled with what they have bought', async () => {
    const rig = await opened();
    const outcome = await rig.submit({ type: 'MARKET', quoteOrderQty: '100', clientId: 'a' });
    expect(outcome).toMatchObject({ kind: 'accepted', state: { status: 'FILLED' } });
    await rig.clock.advance(1_000);
    const found = await rig.during(rig.venue.query({ clientId: 'a', symbol }));
    if (found.kind !== 'found') throw new Error('it is not there');
    const bought = found.fills.reduce((sum, { qty }) => sum + dec(qty), 0n);
    expect(found.state).toMatchObject({ origQty: str(bought), cumQty: str(bought) });
  });

  it('that wait for a trigger are cancelled in their own book, also by a process that has not sent them', async () => {
    const rig = await opened();
    const stop = {
      type: 'STOP_LIMIT',
      side: 'SELL',
      stopPrice: '58000',
      price: '57900',
      quantity: '0.01',
    } as const;
    for (const clientId of ['a', 'b'])
      expect(await rig.submit({ ...stop, clientId })).toMatchObject({
        kind: 'accepted',
        state: { status: 'PENDING' },
      });
    expect((await rig.during(rig.venue.openOrders()))?.map(({ clientId }) => clientId).sort()).toEqual([
      'a',
      'b',
    ]);
    expect(await rig.during(rig.venue.cancel({ clientId: 'a', symbol }))).toMatchObject({ kind: 'done' });
    const other = rig.again();
    await other.open();
    expect(await other.during(other.venue.cancel({ clientId: 'b', symbol }))).toMatchObject({
      kind: 'done',
      state: { status: 'CANCELLED' },
    });
  });

  it('keep one id through their trigger', async () => {
    const rig = await opened();
    const placed = await rig.submit({
      type: 'STOP_LIMIT',
      side: 'SELL',
      stopPrice: '58000',
      price: '50000',
      quantity: '0.01',
      clientId: 'a',
    });
    await rig.print('57990');
    const states = rig.told.orders.filter(({ clientId }) => clientId === 'a');
    expect(states.at(-1)).toMatchObject({ status: 'FILLED', cumQty: '0.01' });
    if (placed.kind !== 'accepted') throw new Error('it was refused');
    expect(new Set(states.flatMap(({ venueIds }) => venueIds ?? []))).toEqual(new Set(placed.state.venueIds));
    expect(rig.told.fills.filter(({ clientId }) => clientId === 'a')).toHaveLength(1);
  });

  it('are refused by code: value, funds, symbol, tick', async () => {
    const rig = await opened();
    for (const [order, reason] of [
      [{ price: '50000', quantity: '0.000001' }, 'NOTIONAL'],
      [{ price: '50000', quantity: '50' }, 'BALANCE'],
      [{ price: '50000', quantity: '1', symbol: 'NOPEUSDT' }, 'SYMBOL_UNKNOWN'],
      [{ price: '50000.01', quantity: '0.01' }, 'PRICE_FILTER'],
      [{ price: '50000', quantity: '0.0000011' }, 'LOT_SIZE'],
    ] as const)
      expect(await rig.submit(order)).toMatchObject({ kind: 'rejected', reason });
  });
});

describe('orders of contracts', () => {
  it('open, reduce and close positions, and tell what was realised', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.submit({ type: 'MARKET', quantity: '0.02', clientId: 'in' });
    await rig.print('61000');
    await rig.submit({ type: 'MARKET', side: 'SELL', quantity: '0.01', reduceOnly: true, clientId: 'half' });
    await rig.clock.advance(500);
    expect(rig.told.positions.at(-1)).toMatchObject({ symbol, side: 'BOTH', amount: '0.01' });
    const heard = rig.told.fills.find(({ clientId }) => clientId === 'half');
    expect(dec(heard?.rPnl ?? '0')).toBeGreaterThan(0n);
    // The same profit for an order from the list, which lacks it: taken from the transaction log.
    const found = await rig.during(rig.venue.query({ clientId: 'half', symbol }));
    expect(found.kind === 'found' && found.fills[0]?.rPnl).toBe(heard?.rPnl);
    const positions = rig.venue.futures?.positions();
    expect(positions && (await rig.during(positions))).toMatchObject([
      { symbol, amount: '0.01', leverage: 10 },
    ]);
    const close = { type: 'MARKET', side: 'SELL', closePosition: true } as const;
    expect(await rig.submit(close)).toMatchObject({ kind: 'accepted', state: { status: 'FILLED' } });
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0' });
    expect(await rig.submit({ ...close, quantity: '0.01' })).toMatchObject({
      kind: 'rejected',
      reason: 'REDUCE_ONLY',
    });
  });

  it('with a trigger wait in the list of open ones, and fire by the mark', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.submit({ type: 'MARKET', quantity: '0.02' });
    const stop = {
      type: 'STOP_MARKET',
      side: 'SELL',
      quantity: '0.02',
      reduceOnly: true,
      clientId: 's',
    } as const;
    expect(await rig.submit({ ...stop, stopPrice: '61000' })).toMatchObject({
      kind: 'rejected',
      reason: 'STOP_PASSED',
    });
    const placed = await rig.submit({ ...stop, clientId: 'sl', stopPrice: '58000' });
    expect(placed).toMatchObject({
      kind: 'accepted',
      state: { status: 'PENDING', terms: { type: 'STOP_MARKET' } },
    });
    const open = await rig.during(rig.venue.openOrders());
    expect(open).toMatchObject([{ clientId: 'sl', status: 'PENDING', terms: { workingType: 'MARK_PRICE' } }]);
    await rig.print('57900');
    expect(rig.told.orders.findLast(({ clientId }) => clientId === 'sl')?.status).toBe('FILLED');
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0' });
  });

  it('in hedge mode are of the side of their position', async () => {
    const rig = await opened({ kind: 'futures', settings: { hedge: true } });
    const mode = rig.venue.futures?.hedgeMode();
    expect(mode && (await rig.during(mode))).toBe(true);
    expect(await rig.submit({ type: 'MARKET', quantity: '0.01' })).toMatchObject({
      kind: 'rejected',
      reason: 'POSITION_SIDE',
    });
    await rig.submit({ type: 'MARKET', quantity: '0.02', positionSide: 'LONG', clientId: 'l' });
    await rig.submit({
      type: 'MARKET',
      side: 'SELL',
      quantity: '0.01',
      positionSide: 'SHORT',
      clientId: 's',
    });
    await rig.clock.advance(500);
    const positions = rig.venue.futures?.positions();
    const all = (positions && (await rig.during(positions))) ?? [];
    expect(all.map(({ side, amount }) => [side, amount]).sort()).toEqual([
      ['LONG', '0.02'],
      ['SHORT', '0.01'],
    ]);
    const page = await rig.during(
      rig.venue.fills({ symbol, after: null, since: rig.emulator.now() - 60_000 }),
    );
    expect(page?.fills.map(({ posSide }) => posSide)).toEqual(['LONG', 'SHORT']);
  });
});

describe('settings', () => {
  it('are read and set, what is so already is done, and a refusal says what to do', async () => {
    const rig = await opened({ kind: 'futures' });
    const { futures } = rig.venue;
    if (!futures) throw new Error('it has no contracts');
    const set = <T>(asked: Promise<T>) => rig.during(asked);
    expect(await set(futures.setLeverage({ symbol, leverage: 5 }))).toEqual({ kind: 'done' });
    expect(await set(futures.setLeverage({ symbol, leverage: 5 }))).toEqual({ kind: 'done' });
    expect(await set(futures.leverage([symbol]))).toMatchObject([
      { symbol, leverage: 5, marginType: 'CROSSED' },
    ]);
    expect(await set(futures.setLeverage({ symbol, leverage: 500 }))).toMatchObject({ kind: 'rejected' });
    expect(await set(futures.marginMode())).toBe(2);
    expect(await set(futures.setMarginType(symbol, 'CROSSED'))).toEqual({ kind: 'done' });
    expect(await set(futures.setMarginType(symbol, 'ISOLATED'))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('for the account'),
    });
    expect(await set(futures.setMarginMode(1))).toEqual({ kind: 'done' });
    expect(await set(futures.leverage([symbol]))).toMatchObject([{ marginType: 'ISOLATED' }]);
    expect(await set(futures.setMarginMode(4))).toMatchObject({ kind: 'rejected' });
    expect(await set(futures.setHedgeMode(true))).toEqual({ kind: 'done' });
    expect(await set(futures.hedgeMode())).toBe(true);
    await rig.clock.advance(3_000);
    const both = await set(futures.leverage(['ETHUSDT', 'BTCPERP']));
    expect(both?.map((one) => one.side)).toEqual(['LONG', 'SHORT', 'BOTH']);
    expect(await set(futures.setHedgeMode(false))).toEqual({ kind: 'done' });
    await rig.submit({ type: 'MARKET', quantity: '0.01' });
    // Bybit silently skips symbols with a position.
    expect(await set(futures.setHedgeMode(true))).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('close and cancel'),
    });
  });

  it('of a margin mode that is refused with reasons give the reasons', async () => {
    const rig = await opened({ kind: 'futures' });
    rig.say('/v5/account/set-margin-mode', {
      retCode: 3400045,
      retMsg: 'Set margin mode failed',
      result: { reasons: [{ reasonCode: '3400000', reasonMsg: 'Equity needs to be 1000 USDC' }] },
    });
    const asked = rig.venue.futures?.setMarginMode(3);
    expect(asked && (await rig.during(asked))).toMatchObject({
      kind: 'rejected',
      code: '3400045',
      message: expect.stringContaining('1000 USDC'),
    });
  });
});

describe('executions', () => {
  it('are told by symbol from a time or a place on, ascending, all of them over pages of the exchange', async () => {
    const rig = await opened();
    for (let n = 0; n < 102; n++) {
      await rig.submit({ type: 'MARKET', side: n % 2 === 0 ? 'BUY' : 'SELL', quantity: '0.001' });
      await rig.clock.advance(60);
    }
    await rig.clock.advance(2_000);
    const page = await rig.during(
      rig.venue.fills({ symbol, after: null, since: rig.emulator.now() - 3_600_000 }),
    );
    expect(page?.fills).toHaveLength(102);
    expect(page?.more).toBe(false);
    const times = page?.fills.map(({ time }) => time) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(page?.fills.map(({ tradeId }) => tradeId))).toEqual(
      new Set(rig.told.fills.map(({ tradeId }) => tradeId)),
    );
    const next = await rig.during(rig.venue.fills({ symbol, after: page?.next ?? null, since: 0 }));
    expect(next).toMatchObject({ more: false, next: page?.next });
    expect((await rig.during(rig.venue.fills({ symbol: 'ETHUSDT', after: null, since: 0 })))?.fills).toEqual(
      [],
    );
  });

  it('go over windows of seven days, one after the other, up to now', async () => {
    const rig = await opened();
    await rig.submit({ type: 'MARKET', quantity: '0.001', clientId: 'now' });
    const since = rig.emulator.now() - 20 * 24 * 3_600_000;
    const ids: string[] = [];
    let place: string | null = null;
    for (let pages = 1; ; pages++) {
      const page: FillsPage | null = await rig.during(rig.venue.fills({ symbol, after: place, since }));
      if (!page) throw new Error('the question failed');
      ids.push(...page.fills.map(({ clientId }) => clientId));
      expect(pages).toBeLessThan(6);
      if (!page.more) break;
      expect(page.next).not.toBe(place);
      place = page.next;
    }
    expect(new Set(ids)).toEqual(new Set(['now']));
  });

  it('of the last minute of a window are read again with the next: they may be listed late', async () => {
    const rig = await opened();
    await rig.submit({ type: 'MARKET', quantity: '0.001', clientId: 'late' });
    const end = rig.emulator.now() + 30_000;
    await rig.clock.advance(60_000);
    const asked = { symbol, since: end - 7 * 24 * 3_600_000 + 1 };
    const first = await rig.during(rig.venue.fills({ ...asked, after: null }));
    expect(first).toMatchObject({ more: true, fills: [{ clientId: 'late' }] });
    const second = await rig.during(rig.venue.fills({ ...asked, after: first?.next ?? null }));
    expect(second).toMatchObject({ more: false, fills: [{ clientId: 'late' }] });
  });

  it('of others, of a liquidation and of a reduction are told as such', async () => {
    const rig = await opened({ kind: 'futures' });
    rig.post('/v5/order/create', {
      category: 'linear',
      symbol,
      side: 'Buy',
      orderType: 'Market',
      qty: '0.02',
      positionIdx: 0,
    });
    await rig.clock.advance(200);
    expect(rig.told.orders.at(-1)).toMatchObject({ clientId: '', terms: { type: 'MARKET' } });
    expect(rig.told.fills.at(-1)).toMatchObject({ clientId: '', venueId: expect.any(String) });
    rig.emulator.acts.adl(rig.emulator.account('main'), symbol, 0, dec('0.01'));
    await rig.clock.advance(200);
    expect(rig.told.fills.at(-1)).toMatchObject({ qty: '0.01', side: 'SELL' });
    expect(rig.told.fills.at(-1)?.liquidation).toBeUndefined();
  });

  it('pay in a third asset where the account does', async () => {
    const rig = await opened();
    rig.emulator.account('main').paysInMnt = true;
    await rig.submit({ type: 'MARKET', quantity: '0.01' });
    await rig.clock.advance(500);
    expect(rig.told.fills.at(-1)?.commAsset).toBe('MNT');
  });
});

describe('the wallet', () => {
  it('is one of both accounts of a connection, whose names say so', () => {
    const { venues } = bybitRig({ markets: ['spot', 'futures'] });
    expect(venues.map(({ account }) => [account.id, account.wallet])).toEqual([
      ['mine-spot', 'mine'],
      ['mine-futures', 'mine'],
    ]);
  });

  it('has what orders of spot bind, and what went to nothing', async () => {
    const rig = await opened();
    await rig.submit({ price: '50000', quantity: '0.01', clientId: 'a' });
    const usdt = async () => (await rig.during(rig.venue.balances()))?.find(({ asset }) => asset === 'USDT');
    expect(await usdt()).toEqual({ asset: 'USDT', free: '99500', locked: '500' });
    await rig.submit({ type: 'MARKET', side: 'SELL', quantity: '10', symbol: 'ETHUSDT' });
    await rig.clock.advance(500);
    const eth = (await rig.during(rig.venue.balances()))?.find(({ asset }) => asset === 'ETH');
    expect(eth).toMatchObject({ free: '0', locked: '0' });
  });

  it('tells funding and transfers as rows, once, and executions as none', async () => {
    const rig = await opened({ kind: 'futures' });
    await rig.submit({ type: 'MARKET', quantity: '0.1' });
    rig.emulator.transfer('USDT', '25');
    await rig.clock.advance(4.1 * 3_600_000);
    const ask = async (after: string | null) => {
      const asked = rig.venue.ledger?.({ after, since: rig.emulator.now() - 86_400_000, limit: 100 });
      return (asked && (await rig.during(asked))) ?? null;
    };
    const page = await ask(null);
    expect(page?.rows.map(({ kind, asset }) => `${kind} ${asset}`)).toEqual(
      expect.arrayContaining(['transfer USDT', 'funding USDT']),
    );
    expect(page?.rows.every(({ kind }) => kind === 'transfer' || kind === 'funding')).toBe(true);
    // The traded symbols are reported, too: another client may have traded while this process was down.
    expect(page?.traded).toEqual(['BTCUSDT']);
    expect((await ask(page?.next ?? null))?.rows).toEqual([]);
  });
});

describe('the key', () => {
  const keyOf = (more: object) => ({ settings: { keys: [{ ...TEST_KEY, ...more }] } });
  const asked = async (rig: Rig) => {
    const told = rig.venue.permissions?.();
    return told && (await rig.during(told));
  };

  it('says who the account is, what it may do, from where and until when', async () => {
    const rig = await opened();
    const identity = rig.venue.identity?.();
    expect(identity && (await rig.during(identity))).toEqual({ id: '592324' });
    expect(await asked(rig)).toMatchObject({ trade: true, withdraw: false, transfer: false, addresses: [] });
    expect((await asked(rig))?.expiresAt).toBeGreaterThan(rig.emulator.now());
  });

  it('may trade one market and not the other', async () => {
    const permissions = {
      ContractTrade: [],
      Derivatives: [],
      Spot: ['SpotTrade'],
      Wallet: ['Withdraw', 'AccountTransfer'],
    };
    expect(await asked(await opened(keyOf({ permissions })))).toMatchObject({
      trade: true,
      withdraw: true,
      transfer: true,
    });
    expect(await asked(await opened({ kind: 'futures', ...keyOf({ permissions }) }))).toMatchObject({
      trade: false,
    });
    expect(await asked(await opened(keyOf({ readOnly: 1 })))).toMatchObject({ trade: false });
  });

  it('is not asked about on demo, where that is not served', () => {
    const { venue } = bybitRig({ environment: 'demo' });
    expect([venue.permissions, venue.identity, venue.feeRates, venue.conversion]).toEqual(
      Array(4).fill(undefined),
    );
  });
});

it('tells what is paid for executions', async () => {
  const rig = await opened({ kind: 'futures' });
  const rates = rig.venue.feeRates?.();
  expect(rates && (await rig.during(rates))).toEqual({ maker: '0.0002', taker: '0.00055' });
});

it('converts small balances, and says what they gave', async () => {
  const rig = await opened({ settings: { balances: { USDT: '100', ADA: '10', DOGE: '20' } } });
  const { conversion } = rig.venue;
  if (!conversion) throw new Error('it converts nothing');
  const list = await rig.during(conversion.list());
  expect(list?.assets.map(({ asset }) => asset).sort()).toEqual(['ADA', 'DOGE']);
  const outcome = await rig.during(conversion.convert(['ADA', 'DOGE'], 'USDT'));
  expect(outcome).toMatchObject({ kind: 'done', dust: { toAsset: 'USDT', converted: [{}, {}] } });
  expect(await rig.during(conversion.convert(['ADA'], 'BTC'))).toMatchObject({ kind: 'rejected' });
});

it.each([
  ['is only begun', 'init', []],
  [
    'is under way',
    'processing',
    [{ fromCoin: 'ADA', fromAmount: '10', toAmount: '0', status: 'processing' }],
  ],
])('waits for what a conversion gives while it %s', async (_how, status, subRecords) => {
  const rig = await opened({ settings: { balances: { USDT: '100', ADA: '10' } } });
  const { conversion } = rig.venue;
  if (!conversion) throw new Error('it converts nothing');
  const record = { toAmount: '0', status, subRecords };
  const body = JSON.stringify({ retCode: 0, retMsg: 'OK', result: { records: [record] } });
  rig.net.says.push({ path: '/v5/asset/covert/small-balance-history', status: 200, body });
  expect(await rig.during(conversion.convert(['ADA'], 'USDT'))).toMatchObject({
    kind: 'done',
    dust: { converted: [{ asset: 'ADA', amount: '10' }] },
  });
});
