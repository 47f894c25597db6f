/**
 * What an account of Bybit asks about orders, in which lists and by which names, and that only an answer
 * about that very order counts.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { QueryOutcome } from '../../../src/domain/exchange.ts';
import { bybitRig, type Rig, type RigOptions } from './bybit-rig.ts';

const REALTIME = '/v5/order/realtime';
const HISTORY = '/v5/order/history';
const EXECUTIONS = '/v5/execution/list';
const symbol = 'BTCUSDT';

let rig: Rig;
async function opens(options: RigOptions = {}): Promise<void> {
  rig = bybitRig(options);
  await rig.open();
  await rig.clock.advance(3_000);
  rig.forget();
}
beforeEach(() => opens());

const order = (orderId: string, more: object = {}) => ({
  ...{ orderId, orderLinkId: `c${orderId}`, symbol, side: 'Buy', orderType: 'Limit', orderStatus: 'New' },
  ...{ price: '5', qty: '9', cumExecQty: '0', timeInForce: 'GTC', updatedTime: '1700000000000' },
  ...more,
});
const execution = (execId: string, orderId: string, more: object = {}) => ({
  ...{ symbol, orderId, orderLinkId: `c${orderId}`, side: 'Buy', execId, execType: 'Trade' },
  ...{ execPrice: '5', execQty: '2', execFee: '0', feeCurrency: 'BTC', execTime: '1700000000000' },
  ...more,
});
const query = (venueIds?: readonly string[]): Promise<QueryOutcome> =>
  rig.during(rig.venue.query({ clientId: 'c1', symbol, ...(venueIds ? { venueIds } : {}) }));

describe('a question about an order', () => {
  it.each([
    [undefined, { orderLinkId: 'c1' }],
    [['1', '7'], { orderId: '1' }],
  ])('that is known as %o asks each list by one name alone, until it is found', async (venueIds, name) => {
    const asked = { category: 'spot', symbol, ...name };
    rig.list(REALTIME, [order('2'), order('1')]);
    expect(await query(venueIds)).toMatchObject({ kind: 'found', state: { venueIds: ['1'] }, fills: [] });
    expect(rig.net.asked).toHaveLength(1);
    expect(rig.asked(REALTIME)).toEqual([asked]);
    rig.list(REALTIME, [order('2')]);
    rig.list(HISTORY, [order('3'), order('1', { orderStatus: 'Cancelled' })]);
    expect(await query(venueIds)).toMatchObject({ kind: 'found', state: { status: 'CANCELLED' } });
    expect([rig.asked(HISTORY), rig.asked(EXECUTIONS)]).toEqual([[asked], []]);
    rig.forget();
    for (const path of [REALTIME, HISTORY]) rig.list(path, [order('2')]);
    rig.list(EXECUTIONS, [execution('a', '2')]);
    expect(await query(venueIds)).toEqual({ kind: 'absent' });
    expect(rig.asked(EXECUTIONS)).toEqual([{ ...asked, limit: '100' }]);
  });

  it('goes by the one name that it was asked with, whatever the other one says', async () => {
    const odd = order('1', { orderLinkId: 'other' });
    rig.list(REALTIME, [odd]);
    expect(await query(['1'])).toMatchObject({ kind: 'found', state: { clientId: 'other' } });
    for (const path of [REALTIME, HISTORY]) rig.list(path, [odd]);
    rig.list(EXECUTIONS, []);
    expect(await query()).toEqual({ kind: 'absent' });
  });

  it('has its executions with it where it has some, asked for by the id of the exchange, its own alone', async () => {
    rig.list(REALTIME, [order('1', { cumExecQty: '4', orderStatus: 'PartiallyFilled' })]);
    rig.list(EXECUTIONS, [execution('b', '1'), execution('x', '2'), execution('a', '1')]);
    const found = await query();
    expect(found).toMatchObject({
      ...{ kind: 'found', state: { cumQty: '4' } },
      fills: [
        { tradeId: 'a', clientId: 'c1', venueId: '1', qty: '2' },
        { tradeId: 'b', clientId: 'c1', venueId: '1', qty: '2' },
      ],
    });
    expect(rig.asked(EXECUTIONS)).toEqual([{ category: 'spot', symbol, orderId: '1', limit: '100' }]);
    rig.list(REALTIME, [order('1', { cumExecQty: '4' })]);
    rig.refuse(EXECUTIONS, 10_016);
    expect((await query()).kind).toBe('unknown');
  });

  it.each([
    [REALTIME, []],
    [HISTORY, [REALTIME]],
    [EXECUTIONS, [REALTIME, HISTORY]],
  ])('whose answer about %s fails proves nothing, and no further list is asked', async (path, before) => {
    for (const one of before) rig.list(one, []);
    rig.refuse(path, 10_016);
    expect((await query()).kind).toBe('unknown');
    expect(rig.net.asked).toHaveLength(before.length + 1);
  });

  it('of an order that is told in unknown words is not known', async () => {
    rig.list(REALTIME, [order('1', { orderStatus: 'Odd' })]);
    expect((await query()).kind).toBe('unknown');
  });

  it('that has executed under either name, and is in no list, is not known', async () => {
    for (const venueIds of [undefined, ['1']]) {
      for (const path of [REALTIME, HISTORY]) rig.list(path, []);
      rig.list(EXECUTIONS, [execution('a', '1')]);
      expect((await query(venueIds)).kind).toBe('unknown');
    }
  });
});

describe('open orders', () => {
  const open = () => rig.during(rig.venue.openOrders());

  it('of spot are all of the market, page by page, each once', async () => {
    rig.list(REALTIME, [order('1'), order('2')], 'p/1');
    rig.list(REALTIME, [order('2', { qty: '3' }), order('3', { symbol: 'ETHUSDT' })]);
    const all = await open();
    expect(all?.map(({ venueIds, origQty }) => [venueIds?.[0], origQty])).toEqual([
      ['1', '9'],
      ['2', '3'],
      ['3', '9'],
    ]);
    const asked = { category: 'spot', limit: '50' };
    expect(rig.asked(REALTIME)).toEqual([asked, { ...asked, cursor: 'p/1' }]);
  });

  it('of others, which have no id of ours, are as many as there are', async () => {
    rig.list(REALTIME, [order('1', { orderLinkId: '' }), order('2', { orderLinkId: '' }), order('3')]);
    expect((await open())?.map(({ clientId, venueIds }) => [clientId, venueIds?.[0]])).toEqual([
      ['', '1'],
      ['', '2'],
      ['c3', '3'],
    ]);
  });

  it('of contracts are those of both assets that they are settled in', async () => {
    await opens({ kind: 'futures' });
    rig.list(REALTIME, [order('1')]);
    rig.list(REALTIME, [order('2', { symbol: 'BTCPERP' })]);
    expect((await open())?.map(({ venueIds }) => venueIds?.[0])).toEqual(['1', '2']);
    const asked = { category: 'linear', limit: '50' };
    expect(rig.asked(REALTIME)).toEqual([
      { ...asked, settleCoin: 'USDT' },
      { ...asked, settleCoin: 'USDC' },
    ]);
    for (const isFirst of [true, false]) {
      if (!isFirst) rig.list(REALTIME, [order('1')]);
      rig.refuse(REALTIME, 10_016);
      expect(await open()).toBeNull();
    }
  });

  it('end with an empty page, and are not known where a later page fails or where they never end', async () => {
    rig.list(REALTIME, [order('1')], 'p/1');
    rig.list(REALTIME, [], 'p/2');
    expect(await open()).toHaveLength(1);
    rig.list(REALTIME, [order('1')], 'p/1');
    rig.refuse(REALTIME, 10_016);
    expect(await open()).toBeNull();
    rig.forget();
    for (let n = 0; n < 400; n++) rig.list(REALTIME, [order('1')], `p/${n}`);
    expect(await open()).toBeNull();
    expect(rig.net.asked).toHaveLength(400);
  });
});

it('an order, a change and a cancel whose events come are not asked about', async () => {
  const placed = await rig.submit({ clientId: 'c1', price: '50000', quantity: '0.01' });
  expect(placed).toMatchObject({ kind: 'accepted' });
  const changed = rig.venue.amend?.({ clientId: 'c1', symbol }, { price: '50001' }) ?? Promise.reject();
  expect(await rig.during(changed)).toMatchObject({ kind: 'done', state: { terms: { price: '50001' } } });
  expect(await rig.during(rig.venue.cancel({ clientId: 'c1', symbol }))).toMatchObject({ kind: 'done' });
  expect(rig.net.asked.map(({ path }) => path)).toEqual([
    ...['/v5/order/create', '/v5/order/amend', '/v5/order/cancel'],
  ]);
});
