/** The table of order states over real requests: the transitions, the fields of each state, the no-ops. */
import { beforeEach, describe, expect, it } from 'vitest';
import { type ContractDesk, FUTURES, openContractDesk, RESTING, SPOT } from './support.ts';

type Body = Record<string, unknown>;

const MARKET = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' };
const STOP = { ...MARKET, side: 'SELL', type: 'STOP_MARKET', stopPrice: '59500', quantity: '0.04' };

let t: ContractDesk;
beforeEach(async () => {
  t = await openContractDesk();
});

const placed = (body: Body) => t.data('POST', '/v2/orders', body);
const cancelled = (id: string, exchange = SPOT) => t.data('DELETE', `/v2/orders/${id}?exchange=${exchange}`);
const listed = async (query = '') =>
  (await t.data('GET', `/v2/orders${query}`)).map(({ id, status }: Body) => `${id} ${status}`);

describe('an order', () => {
  // proves: state none to NEW, state NEW to OPENED, field order isWorking, S30
  it('begins as NEW and is OPENED once it rests on the book', async () => {
    await placed(MARKET);
    expect(await placed(STOP)).toMatchObject({ status: 'NEW', isWorking: false });
    expect(await placed(RESTING)).toMatchObject({ status: 'OPENED', isWorking: true });
    const limit = { ...STOP, type: 'STOP_LIMIT', price: '59900' };
    const { id } = await placed(limit);
    expect(t.view(id)).toMatchObject({ status: 'NEW', isWorking: false });
    await t.moveTo('59000');
    expect(t.view(id)).toMatchObject({
      status: 'OPENED',
      isWorking: true,
      type: 'STOP_LIMIT',
      stopPrice: '59500',
    });
  });

  // proves: state OPENED to CLOSED, field order executedQty, field order fillPrice
  it('that is filled whole is CLOSED', async () => {
    const { id } = await placed({ ...RESTING, price: '59000', quantity: '0.2' });
    expect(t.view(id)).toMatchObject({ status: 'OPENED', executedQty: '0', fillPrice: null });
    await t.moveTo('59000');
    const recent = await t.data('GET', '/v2/orders?status=recent');
    expect(recent).toEqual([
      expect.objectContaining({
        id,
        status: 'CLOSED',
        executedQty: '0.2',
        fillPrice: '59000',
        isWorking: false,
      }),
    ]);
  });

  // proves: state open to CANCELLED, endpoint DELETE /orders/{id}, endpoint DELETE /orders, D31
  // proves: param DELETE /orders/{id} exchange
  it('in NEW or OPENED is CANCELLED by DELETE, whatever names it', async () => {
    await placed(MARKET);
    for (const body of [RESTING, STOP]) {
      const { id } = await placed(body);
      expect(await cancelled(id)).toMatchObject({ id, status: 'CANCELLED', isWorking: false });
      const second = await placed(body);
      const byQuery = `/v2/orders?exchange=${SPOT}&order=${second.id}`;
      expect(await t.data('DELETE', byQuery)).toMatchObject({ id: second.id, status: 'CANCELLED' });
      const third = await placed(body);
      expect(await t.data('DELETE', `/v2/orders?exchange=${SPOT}`, { order: third.id })).toMatchObject({
        id: third.id,
        status: 'CANCELLED',
      });
    }
  });

  // proves: state open to CANCELLED, field create-order goodTillDate, S26, S31
  it('with an end date is CANCELLED when the market gets there', async () => {
    const goodTillDate = t.desk.state().clock.market + 120_000;
    const { id } = await placed({ ...RESTING, timeInForce: 'GTD', goodTillDate });
    const futures = await placed({
      ...RESTING,
      exchange: FUTURES,
      price: '58000',
      timeInForce: 'GTD',
      goodTillDate,
    });
    await t.moveTo('59000');
    expect(t.view(id).status).toBe('CANCELLED');
    expect(t.view(futures.id).status).toBe('CANCELLED');
  });

  // proves: state OPENED to CANCELLED by split, endpoint POST /orders/{id}/split
  // proves: param POST /orders/{id}/split prices, param POST /orders/{id}/split exchange
  it('that is split is CANCELLED, and its parts add up to it under ids of their own', async () => {
    const { id } = await placed({ ...RESTING, quantity: '0.1' });
    const parts = await t.data('POST', `/v2/orders/${id}/split`, {
      exchange: SPOT,
      prices: ['50000', '49000', '48000'],
    });
    expect(parts.map(({ price, origQty, status }: Body) => [price, origQty, status])).toEqual([
      ['50000', '0.03333', 'OPENED'],
      ['49000', '0.03333', 'OPENED'],
      ['48000', '0.03334', 'OPENED'],
    ]);
    expect(new Set([id, ...parts.map((part: Body) => part.id)]).size).toBe(4);
    expect(t.view(id)).toMatchObject({ status: 'CANCELLED', executedQty: '0' });
    expect(await listed()).toHaveLength(3);
  });

  // proves: rule cancel-of-ended, endpoint DELETE /orders/{id}
  it('that has ended is answered as it is when it is cancelled again', async () => {
    const filled = await placed(MARKET);
    const gone = await placed(RESTING);
    await cancelled(gone.id);
    await t.ask('POST', '/v2/orders', { ...RESTING, type: 'LIMIT_MAKER', price: '60001' });
    const refused = (await t.data('GET', '/v2/orders?status=recent')).find(
      ({ status }: Body) => status === 'ERROR',
    );
    expect(await cancelled(filled.id)).toMatchObject({ status: 'CLOSED', executedQty: '0.1' });
    expect(await cancelled(gone.id)).toMatchObject({ status: 'CANCELLED' });
    expect(await cancelled(refused.id)).toMatchObject({ status: 'ERROR' });
  });

  // proves: rule orders-recent, limit recent-window
  it('is among the recent ones for an hour, to the millisecond', async () => {
    const { id } = await placed(RESTING);
    await cancelled(id);
    await t.clock.advance(3_600_000 - 1);
    expect(await listed('?status=recent')).toEqual([`${id} CANCELLED`]);
    await t.clock.advance(1);
    expect(await listed('?status=recent')).toEqual([]);
  });

  // proves: rule cancel-of-ended, rule orders-recent, limit recent-window, S50
  it('that ended hours ago is still answered, and is no more among the recent ones for that', async () => {
    const { id } = await placed(RESTING);
    await cancelled(id);
    await t.clock.advance(2 * 3_600_000);
    expect(await listed('?status=recent')).toEqual([]);
    expect(await cancelled(id)).toMatchObject({ id, status: 'CANCELLED' });
    expect(await listed('?status=recent')).toEqual([]);
  });
});

describe('the list of orders', () => {
  // proves: endpoint GET /orders, rule open-is-new-and-opened, rule orders-recent
  // proves: param GET /orders status, param GET /orders exchange, param GET /orders symbol
  it('is of NEW and OPENED ones, or of the recent ones too, narrowed as asked', async () => {
    await placed(MARKET);
    const stop = await placed(STOP);
    const spot = await placed(RESTING);
    const ether = await placed({ ...RESTING, symbol: 'ETHUSDT', price: '2900' });
    const futures = await placed({ ...RESTING, exchange: FUTURES, price: '59000' });
    await cancelled(spot.id);
    const open = [`${stop.id} NEW`, `${ether.id} OPENED`, `${futures.id} OPENED`];
    expect(await listed()).toEqual(open);
    expect(await listed('?status=open')).toEqual(open);
    expect(await listed(`?exchange=${FUTURES}`)).toEqual([`${futures.id} OPENED`]);
    expect(await listed('?symbol=ETHUSDT')).toEqual([`${ether.id} OPENED`]);
    expect(await listed(`?exchange=${FUTURES}&symbol=ETHUSDT`)).toEqual([]);
    const recent = await listed('?status=recent');
    expect(recent).toHaveLength(5);
    expect(recent).toEqual(expect.arrayContaining([...open, `${spot.id} CANCELLED`]));
  });

  // proves: rule orders-recent, limit recent-window
  it('forgets what ended an hour ago, and nothing that is open', async () => {
    const stays = await placed(RESTING);
    const goes = await placed(RESTING);
    await cancelled(goes.id);
    await t.clock.advance(3_500_000);
    expect(await listed('?status=recent')).toEqual([`${stays.id} OPENED`, `${goes.id} CANCELLED`]);
    await t.clock.advance(200_000);
    expect(await listed('?status=recent')).toEqual([`${stays.id} OPENED`]);
  });
});
