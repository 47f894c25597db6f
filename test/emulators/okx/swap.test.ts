/**
 * Swaps: contracts, positions, margin, modes, leverage, acts of the exchange itself. Sources: OKX v5 "Trading
 * Account", "Trade".
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { testEmulator } from './support.ts';

const BUY = { instId: 'BTC-USDT-SWAP', tdMode: 'cross', side: 'buy', ordType: 'market', sz: '10' };
const SELL = { ...BUY, side: 'sell' };

describe('swaps', () => {
  it('counts in contracts of 0.01 BTC, signs the position in net mode, and keeps margin by leverage', () => {
    const { order, get, row } = testEmulator();
    order({ ...BUY, clOrdId: 's1' });
    const position = row(get('/api/v5/account/positions'));
    expect(position).toMatchObject({
      pos: '10',
      posSide: 'net',
      avgPx: '60020.1',
      lever: '3',
      margin: '',
      mgnMode: 'cross',
      ccy: 'USDT',
      // 10 contracts x 0.01 BTC x (mark 60020 - 60020.1).
      upl: '-0.01',
      notionalUsd: '6002',
      // Fee: 5 of 10,000 on 6,002.01.
      fee: '-3.001005',
    });
    expect(dec(position.imr)).toBe(dec('2000.6666666666'));
    const [usdt] = get('/api/v5/account/balance', { ccy: 'USDT' }).body.data[0].details;
    expect(usdt).toMatchObject({ cashBal: '99996.998995', eq: '99996.988995', imr: '2000.6666666666' });
    order({ ...SELL, sz: '30' });
    expect(row(get('/api/v5/account/positions'))).toMatchObject({ pos: '-20' });
  });

  it('realizes profit in the margin currency, by contracts, in fills, orders, bills and the wallet', () => {
    const { order, get, emulator, row } = testEmulator();
    order(BUY);
    emulator.trade('BTC-USDT-SWAP', '61020.2');
    order({ ...SELL, sz: '4', reduceOnly: true, clOrdId: 'out' });
    // 4 contracts x 0.01 BTC x (61020.1 - 60020.1).
    expect(row(get('/api/v5/trade/fills'))).toMatchObject({ fillPnl: '40', fillPx: '61020.1', fillSz: '4' });
    const fee = '-1.220402';
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', clOrdId: 'out' }))).toMatchObject({
      pnl: '40',
      fee,
    });
    expect(row(get('/api/v5/account/bills'))).toMatchObject({
      pnl: '40',
      fee,
      balChg: '38.779598',
      subType: '2',
    });
    expect(row(get('/api/v5/account/positions'))).toMatchObject({
      pos: '6',
      pnl: '40',
      realizedPnl: '35.778593',
    });
  });

  it('refuses reduce-only without a position, on its side, and beyond its size as a whole', () => {
    const { order, get, row } = testEmulator();
    const reduce = { ...SELL, reduceOnly: true };
    expect(order(reduce)).toMatchObject({ sCode: '51169' });
    order(BUY);
    expect(order({ ...BUY, reduceOnly: true })).toMatchObject({ sCode: '51170' });
    expect(order({ ...reduce, sz: '11' })).toMatchObject({ sCode: '51112' });
    expect(row(get('/api/v5/account/positions'))).toMatchObject({ pos: '10' });
    expect(order({ ...reduce, sz: '10' })).toMatchObject({ sCode: '0' });
    // It is not in the list any more; by name it is returned as flat.
    expect(get('/api/v5/account/positions').body.data).toEqual([]);
    expect(row(get('/api/v5/account/positions', { instId: 'BTC-USDT-SWAP' }))).toMatchObject({ pos: '0' });
    expect(row(get('/api/v5/account/positions-history'))).toMatchObject({
      closeTotalPos: '10',
      direction: 'long',
    });
  });

  it('ends resting reduce-only orders when the position goes', () => {
    const { order, get, row } = testEmulator();
    order(BUY);
    order({ ...SELL, ordType: 'limit', px: '61000', sz: '10', reduceOnly: true, clOrdId: 'rest' });
    order({ ...SELL, reduceOnly: true, sz: '10' });
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', clOrdId: 'rest' }))).toMatchObject({
      state: 'canceled',
      cancelSource: '17',
    });
  });

  it('wants long or short in long/short mode, and closes only what is held', () => {
    const { order, get, post } = testEmulator();
    expect(post('/api/v5/account/set-position-mode', { posMode: 'long_short_mode' }).body.code).toBe('0');
    expect(order(BUY)).toMatchObject({ sCode: '51000', sMsg: 'Parameter posSide error' });
    expect(order({ ...BUY, posSide: 'net' })).toMatchObject({ sCode: '51000' });
    order({ ...BUY, posSide: 'long' });
    order({ ...SELL, posSide: 'short', sz: '4' });
    expect(
      get('/api/v5/account/positions').body.data.map(({ pos, posSide }: Record<string, string>) => [
        posSide,
        pos,
      ]),
    ).toEqual([
      ['long', '10'],
      ['short', '4'],
    ]);
    expect(order({ ...SELL, posSide: 'long', sz: '11' })).toMatchObject({ sCode: '51112' });
    expect(order({ ...SELL, posSide: 'long' })).toMatchObject({ sCode: '0' });
    expect(post('/api/v5/account/set-position-mode', { posMode: 'net_mode' }).body.code).toBe('59000');
  });

  it('closes a position without telling the order’s number, but with the client id', () => {
    const { order, get, post, row } = testEmulator();
    const close = { instId: 'BTC-USDT-SWAP', mgnMode: 'cross', clOrdId: 'close1' };
    expect(post('/api/v5/trade/close-position', close).body.code).toBe('51023');
    order(BUY);
    order({ ...SELL, ordType: 'limit', px: '61000', sz: '5', reduceOnly: true });
    expect(post('/api/v5/trade/close-position', close).status).toBe(429);
    expect(row(post('/api/v5/trade/close-position', { ...close, autoCxl: true }))).toEqual({
      clOrdId: 'close1',
      instId: 'BTC-USDT-SWAP',
      posSide: 'net',
      tag: '',
    });
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', clOrdId: 'close1' }))).toMatchObject({
      state: 'filled',
      reduceOnly: 'true',
    });
  });

  it('goes by the account’s level: none on 1, cross on 3, isolated nowhere above 2', () => {
    const on = (acctLv: '1' | '2' | '3' | '4') => testEmulator({ acctLv }).order;
    const spot = { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', px: '59000', sz: '0.01' };
    expect(on('1')(BUY)).toMatchObject({ sCode: '51010' });
    expect(on('2')({ ...BUY, tdMode: 'isolated' })).toMatchObject({ sCode: '0' });
    expect(on('3')(BUY)).toMatchObject({ sCode: '0' });
    expect(on('3')({ ...BUY, tdMode: 'isolated' })).toMatchObject({ sCode: '50072' });
    expect(on('3')({ ...spot, tdMode: 'cash' })).toMatchObject({
      sCode: '51000',
      sMsg: 'Parameter tdMode error',
    });
    expect(on('3')({ ...spot, tdMode: 'cross' })).toMatchObject({ sCode: '0' });
    expect(on('1')({ ...spot, tdMode: 'cross' })).toMatchObject({ sCode: '51010' });
    expect(on('1')({ ...spot, tdMode: 'cash', reduceOnly: true })).toMatchObject({ sCode: '51139' });
    expect(on('3')({ ...spot, tdMode: 'cross', reduceOnly: true })).toMatchObject({ sCode: '51133' });
  });

  it('may cancel the rest of a market order: it is a limit at the band, and the book may end', () => {
    const settings = testEmulator().emulator.settings;
    const instruments = settings.instruments.map((spec) => ({ ...spec, isThin: true }));
    const { order, get, row } = testEmulator({ instruments, levelNotional: '600' });
    order({ ...BUY, sz: '50', clOrdId: 'thin' });
    expect(row(get('/api/v5/trade/order', { instId: 'BTC-USDT-SWAP', clOrdId: 'thin' }))).toMatchObject({
      state: 'canceled',
      accFillSz: '10',
      cancelSource: '14',
    });
  });

  it('sets leverage by contract, refuses too much of it and any change under open orders', () => {
    const { order, post, get } = testEmulator();
    const set = (more: Record<string, unknown>) =>
      post('/api/v5/account/set-leverage', { instId: 'BTC-USDT-SWAP', mgnMode: 'cross', ...more }).body;
    expect(set({ lever: '10' })).toMatchObject({
      code: '0',
      data: [{ lever: '10', mgnMode: 'cross', posSide: '' }],
    });
    expect(set({ lever: '10' })).toMatchObject({ code: '0' });
    expect(set({ lever: '101' })).toMatchObject({ code: '59102' });
    order({ ...BUY, ordType: 'limit', px: '59000' });
    expect(set({ lever: '5' })).toMatchObject({ code: '59107' });
    expect(
      get('/api/v5/account/leverage-info', { instId: 'BTC-USDT-SWAP', mgnMode: 'cross' }).body.data,
    ).toEqual([{ ccy: '', instId: 'BTC-USDT-SWAP', mgnMode: 'cross', posSide: 'net', lever: '10' }]);
  });

  it('refuses what the margin does not cover, with the part of the code that says so', () => {
    const { order } = testEmulator({ balances: { USDT: '100' } });
    expect(order(BUY)).toMatchObject({
      sCode: '51008',
      subCode: '1001',
      sMsg: 'Order failed. Insufficient USDT margin in account',
    });
  });

  it('settles funding every eight hours: longs pay, with a bill and an event', async () => {
    const { order, get, clock, socket, log } = testEmulator();
    order(BUY);
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'balance_and_position' });
    // From noon to four: the next settlement.
    for (let i = 0; i < 4 * 180; i++) {
      stream.session.message('ping');
      await clock.advance(20_000);
    }
    expect(stream.rows('balance_and_position').at(-1)).toMatchObject({ eventType: 'funding_fee' });
    // 10 contracts x 0.01 x 60020 x 0.0001.
    expect(get('/api/v5/account/bills', { type: '8' }).body.data[0]).toMatchObject({
      subType: '173',
      balChg: '-0.6002',
      pnl: '-0.6002',
      instId: 'BTC-USDT-SWAP',
    });
    expect(log.filter(({ kind }) => kind === 'income')).toMatchObject([
      { incomeType: 'FUNDING_FEE', income: '-0.6002' },
    ]);
  });

  it('liquidates when the mark has eaten the margin: no client id, trade 0 in orders and below zero in fills', () => {
    const { order, get, post, emulator, row, socket } = testEmulator({ balances: { USDT: '700' } });
    post('/api/v5/account/set-leverage', { instId: 'BTC-USDT-SWAP', mgnMode: 'cross', lever: '10' });
    order(BUY);
    const stream = socket('private', true);
    stream.op('subscribe', { channel: 'orders', instType: 'SWAP' });
    emulator.trade('BTC-USDT-SWAP', '53000');
    const [liquidation] = get('/api/v5/trade/orders-history', {
      instType: 'SWAP',
      category: 'full_liquidation',
    }).body.data;
    expect(liquidation).toMatchObject({
      clOrdId: '',
      category: 'full_liquidation',
      state: 'filled',
      tradeId: '0',
    });
    expect(Number(row(get('/api/v5/trade/fills', { instType: 'SWAP' })).tradeId)).toBeLessThan(0);
    expect(stream.rows('orders').at(-1)).toMatchObject({
      category: 'full_liquidation',
      execType: '',
      tradeId: '0',
    });
    expect(get('/api/v5/account/positions').body.data).toEqual([]);
  });

  it('reduces a position for others', () => {
    const { order, get, emulator, row } = testEmulator();
    order(BUY);
    emulator.acts.adl('main', 'BTC-USDT-SWAP', 'cross', 'net', dec('4'));
    expect(row(get('/api/v5/account/positions'))).toMatchObject({ pos: '6' });
    expect(row(get('/api/v5/trade/fills', { instType: 'SWAP' }))).toMatchObject({
      subType: '128',
      execType: '',
    });
    expect(row(get('/api/v5/account/bills', { type: '9' }))).toMatchObject({ subType: '128' });
  });

  it('keeps the money of an isolated position apart, and moves more into it', () => {
    const { order, get, post, row } = testEmulator();
    order({ ...BUY, tdMode: 'isolated' });
    const position = row(get('/api/v5/account/positions'));
    expect(position).toMatchObject({ mgnMode: 'isolated', imr: '', margin: '2000.67' });
    const [usdt] = get('/api/v5/account/balance', { ccy: 'USDT' }).body.data[0].details;
    expect(usdt).toMatchObject({ cashBal: '97996.328995', isoEq: '2000.66', eq: '99996.988995' });
    const move = { instId: 'BTC-USDT-SWAP', posSide: 'net', type: 'add', amt: '100' };
    expect(post('/api/v5/account/position/margin-balance', move).body.code).toBe('0');
    expect(row(get('/api/v5/account/positions'))).toMatchObject({ margin: '2100.67' });
  });

  it('pays a rebate where the rate is below zero', () => {
    const { order, get, emulator, row } = testEmulator({ fees: { swapMaker: '-0.0001' } });
    order({ ...BUY, ordType: 'limit', px: '60000' });
    emulator.trade('BTC-USDT-SWAP', '59999');
    expect(row(get('/api/v5/trade/fills'))).toMatchObject({ fee: '0.6', execType: 'M', feeRate: '' });
    expect(row(get('/api/v5/account/trade-fee', { instType: 'SWAP' }))).toMatchObject({
      makerU: '0.0001',
      takerU: '-0.0005',
    });
  });

  it('charges by fee group, and tells the groups', () => {
    const { order, get, row } = testEmulator({
      fees: {
        groups: { 'SWAP 3': { maker: '0.0003', taker: '0.0006' }, 'SPOT 2': { maker: '0', taker: '0.0001' } },
      },
      balances: { USDC: '10000', USDT: '100', BTC: '1' },
    });
    order({ ...BUY, instId: 'BTC-USDC-SWAP', sz: '100' });
    // 100 contracts x 0.0001 BTC x 60015.1 x 0.0006.
    expect(row(get('/api/v5/trade/fills'))).toMatchObject({ fee: '-0.3600906', feeCcy: 'USDC' });
    const groups = (params: Record<string, string>) => row(get('/api/v5/account/trade-fee', params)).feeGroup;
    expect(groups({ instType: 'SWAP', instFamily: 'BTC-USDC' })).toEqual([
      { elpMaker: '', groupId: '3', maker: '-0.0003', taker: '-0.0006' },
    ]);
    expect(groups({ instType: 'SPOT', instId: 'ETH-BTC' })).toEqual([
      { elpMaker: '', groupId: '2', maker: '0', taker: '-0.0001' },
    ]);
    expect(groups({ instType: 'SPOT' }).map(({ groupId }: { groupId: string }) => groupId)).toEqual([
      '1',
      '2',
      '9',
    ]);
  });
});
