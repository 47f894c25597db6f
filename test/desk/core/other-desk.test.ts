/**
 * Which orders are signs of another desk, and which of our own could look like one: each event and answer of
 * the exchange by itself.
 */
import { describe, expect, it } from 'vitest';
import type { ExchangeFill, ExchangeOrderState } from '../../../src/domain/exchange.ts';
import { loadOthers } from '../../../src/engine/other-desk.ts';
import { LinkRig } from './link-rig.ts';

const OTHERS_ID = 'ps-ab3de01234567890123456';
const HOUR_MS = 3_600_000;

const others = ({ core, venue }: LinkRig) => core.engine.memory.account(venue.account.id).others;

function state(clientId: string, more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
  return {
    clientId,
    symbol: 'BTCUSDT',
    status: 'WORKING',
    origQty: '0.01',
    cumQty: '0',
    seq: 5,
    time: 0,
    terms: {
      side: 'BUY',
      type: 'LIMIT',
      price: '50000',
      timeInForce: 'GTC',
      reduceOnly: false,
      closePosition: false,
      positionSide: 'BOTH',
      workingType: 'CONTRACT_PRICE',
    },
    ...more,
  } as ExchangeOrderState;
}

function fill(rig: LinkRig, more: Partial<ExchangeFill>): ExchangeFill {
  return {
    tradeId: '1',
    clientId: '',
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '50000',
    qty: '0.01',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: rig.clock.wall(),
    ...more,
  } as ExchangeFill;
}

describe('another desk is seen', () => {
  it.each([
    ['an order', (rig: LinkRig) => rig.venue.sink?.order(state(OTHERS_ID))],
    [
      'one that has ended',
      (rig: LinkRig) => rig.venue.sink?.order(state(OTHERS_ID, { status: 'CANCELLED' })),
    ],
    ['an execution', (rig: LinkRig) => rig.venue.sink?.fill(fill(rig, { clientId: OTHERS_ID }))],
  ])('by %s', async (_, tell) => {
    const rig = await LinkRig.started();
    tell(rig);
    await rig.clock.settle();
    expect(others(rig)).toEqual({ state: 'paused', ids: [OTHERS_ID], more: false });
  });

  it('by an execution that names no order, once the exchange says what the order is called', async () => {
    const rig = await LinkRig.started();
    rig.venue.query = async () => ({
      kind: 'found',
      state: state(OTHERS_ID, { venueIds: ['77'] }),
      fills: [],
    });
    rig.venue.sink?.fill(fill(rig, { venueId: '77' }));
    await rig.clock.advance(1_000);
    expect(others(rig)).toMatchObject({ state: 'paused', ids: [OTHERS_ID] });
  });

  it('and an entry that waits for its margin type then is not sent any more', async () => {
    const rig = await LinkRig.started('futures');
    const { futures } = rig.venue;
    if (!futures) throw new Error('no futures');
    const set = Promise.withResolvers<{ kind: 'done' }>();
    futures.setMarginType = () => set.promise;
    const placed = rig.place({ marginType: 'ISOLATED' });
    await rig.clock.settle();
    expect(rig.orders).toMatchObject([{ phase: 'waiting' }]);
    rig.venue.sink?.order(state(OTHERS_ID.replace('ps', rig.venue.caps.idPrefix)));
    await rig.clock.settle();
    expect(others(rig)?.state).toBe('paused');
    set.resolve({ kind: 'done' });
    const { outcome } = await rig.until(placed);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'INVALID_REQUEST' } });
    expect(rig.orders[0]).toMatchObject({
      status: 'ERROR',
      text: expect.stringMatching(/^not sent: .* by another desk too/),
    });
    expect(rig.venue.asked('submit')).toBe(0);
  });
});

describe('no sign of another desk is', () => {
  it('what somebody gives the id of an order of ours on another symbol', async () => {
    const rig = await LinkRig.started('spot', 2);
    await rig.until(rig.place());
    const [{ id = '' } = {}] = rig.orders;
    rig.venue.sink?.order(state(id, { symbol: 'S1USDT' }));
    await rig.clock.settle();
    expect(rig.orders).toHaveLength(2);
    expect(others(rig)?.state).toBe('none');
  });

  it('an order of ours that ended long ago and has left memory', async () => {
    const rig = await LinkRig.started();
    await rig.until(rig.place());
    const [{ id = '' } = {}] = rig.orders;
    rig.venue.sink?.order(state(id, { status: 'CANCELLED' }));
    await rig.clock.advance(2 * HOUR_MS);
    expect(rig.orders).toEqual([]);
    rig.venue.sink?.order(state(id, { status: 'CANCELLED', seq: 9 }));
    await rig.clock.settle();
    expect(others(rig)?.state).toBe('none');
    // Neither does an execution that does not name it.
    await rig.clock.advance(2 * HOUR_MS);
    expect(rig.orders).toEqual([]);
    const found = state(id, { status: 'CANCELLED', venueIds: ['77'], cumQty: '0.01', seq: 9 });
    rig.venue.query = async () => ({ kind: 'found', state: found, fills: [] });
    rig.venue.sink?.fill(fill(rig, { venueId: '77' }));
    await rig.clock.advance(5_000);
    expect(others(rig)?.state).toBe('none');
  });

  it('one that cannot be looked for in the store', async () => {
    const rig = await LinkRig.started();
    const { orderAt } = rig.store;
    rig.store.orderAt = () => {
      throw new Error('the disk is gone');
    };
    rig.venue.sink?.order(state(OTHERS_ID));
    await rig.clock.settle();
    expect(others(rig)?.state).toBe('none');
    rig.store.orderAt = orderAt;
    rig.venue.sink?.order(state(OTHERS_ID));
    await rig.clock.settle();
    expect(others(rig)?.state).toBe('paused');
  });
});

it('a start whose store cannot be read sends nothing until it can', async () => {
  const rig = new LinkRig();
  rig.venue.openOrdersAre = async () => [state('web-1')];
  const { orderAt } = rig.store;
  rig.store.orderAt = () => {
    throw new Error('the disk is gone');
  };
  await rig.until(rig.core.start());
  expect(rig.link.away).toBe('its orders could not be looked for in the store');
  rig.store.orderAt = orderAt;
  await rig.clock.advance(5_000);
  expect(rig.link.away).toBeNull();
});

it.each([7, 'closed', {}, { state: 'open' }, { state: 'closed', ids: [1, 'a'] }])(
  'a row %j closes',
  (row) => {
    expect(loadOthers(new Map([['other desk said-spot', row]]), 'said-spot').state).toBe('closed');
  },
);

it.each([
  ['nothing', 1],
  ['a balance', 2],
])(
  'what is compared after %s was told that nobody listened to is compared until no answer can lag',
  async (what, least) => {
    const rig = new LinkRig('spot', 1, undefined, { settleMs: 60_000 });
    rig.venue.openOrdersAre = async () => null;
    await rig.until(rig.core.start());
    await rig.clock.advance(120_000);
    if (what !== 'nothing') rig.venue.sink?.balances([{ asset: 'USDT', free: '1', locked: '0' }]);
    expect(rig.link.away).not.toBeNull();
    rig.venue.openOrdersAre = async () => [];
    await rig.clock.advance(120_000);
    expect(rig.link.away).toBeNull();
    const asked = rig.venue.asked('balances');
    if (least === 1) expect(asked).toBe(1);
    else expect(asked).toBeGreaterThanOrEqual(least);
  },
);
