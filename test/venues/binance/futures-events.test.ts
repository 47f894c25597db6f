/**
 * Events of a futures account, as the whole account tells them: executions field by field, wallets and
 * positions, settings, and what cannot be read.
 */
import { describe, expect, it } from 'vitest';
import { account, algo, hearing, position, update } from './futures-events-support.ts';

const FILL = {
  ...{ tradeId: '5', clientId: 'bf-1', venueId: '77', symbol: 'BTCUSDT', side: 'SELL', price: '50.2' },
  ...{ qty: '0.5', comm: '0.01', commAsset: 'USDT', maker: true, rPnl: '-1.5', posSide: 'BOTH', time: 19 },
};

describe('an execution of futures', () => {
  it('is told after its order, with all that the event has, of two orders', async () => {
    const { rig, tell, order } = await hearing();
    tell(update({}));
    tell(
      update(
        {
          ...{
            s: 'ETHUSDT',
            c: 'bf-2',
            S: 'BUY',
            i: 78,
            t: 6,
            l: '2',
            z: '2',
            L: '3.10',
            n: '-0.2',
            N: 'BNB',
          },
          ...{ X: 'FILLED', m: false, rp: '0', ps: 'SHORT', T: undefined },
        },
        30,
      ),
    );
    expect(rig.told.fills).toEqual([
      FILL,
      {
        ...{ tradeId: '6', clientId: 'bf-2', venueId: '78', symbol: 'ETHUSDT', side: 'BUY', price: '3.1' },
        ...{ qty: '2', comm: '-0.2', commAsset: 'BNB', maker: false, rPnl: '0', posSide: 'SHORT', time: 30 },
      },
    ]);
    expect(rig.told.orders).toMatchObject([
      { clientId: 'bf-1', venueIds: ['77'], status: 'WORKING', cumQty: '0.75', seq: 20 },
      { clientId: 'bf-2', venueIds: ['78'], status: 'FILLED', cumQty: '2', seq: 30 },
    ]);
    expect([order, rig.told.stream, rig.reports]).toEqual([['orders', 'fills', 'orders', 'fills'], [], []]);
  });

  it('with a figure left out has none, and one of a liquidation goes before its order', async () => {
    const { rig, tell, order } = await hearing();
    tell(update({ n: null, N: null, m: undefined, rp: undefined, ps: undefined }));
    expect(rig.told.fills).toEqual([{ ...FILL, comm: '0', commAsset: '', maker: false, rPnl: '0' }]);
    rig.forget();
    order.length = 0;
    tell(update({ c: 'autoclose-1', x: 'CALCULATED', i: 79 }));
    expect(rig.told.fills).toEqual([{ ...FILL, clientId: 'autoclose-1', venueId: '79', liquidation: true }]);
    expect(order).toEqual(['fills', 'orders']);
  });

  it.each<[string, object]>([
    ['a new order', { x: 'NEW', X: 'NEW', t: 0, l: '0' }],
    ['a cancelled one, with the figures of its last execution', { x: 'CANCELED', X: 'CANCELED' }],
    ['an expired one, with the figures of its last execution', { x: 'EXPIRED', X: 'EXPIRED' }],
    ['an amended one', { x: 'AMENDMENT', X: 'PARTIALLY_FILLED' }],
    ['an execution without a number', { t: 0 }],
    ['an execution of no number', { t: undefined }],
    ['an execution of nothing', { l: '0.00' }],
    ['an execution of no quantity', { l: '' }],
  ])('is none where the event is of %s', async (_, more) => {
    const { rig, tell } = await hearing();
    tell(update(more));
    expect([rig.told.fills.length, rig.told.orders.length]).toEqual([0, 1]);
  });

  it('adds what it has realised to its position alone, on its side', async () => {
    const { rig, tell } = await hearing();
    tell(
      account('ORDER', undefined, [
        position({ ps: 'LONG' }),
        position({ ps: 'SHORT', pa: '-3' }),
        position({ s: 'ETHUSDT', ps: 'LONG' }),
      ]),
    );
    tell(update({ ps: 'LONG', rp: '4' }));
    tell(update({ ps: 'SHORT', rp: '-7', S: 'BUY', t: 6 }));
    // Nothing of it is an execution.
    tell(update({ ps: 'LONG', rp: '100', x: 'CANCELED', X: 'CANCELED' }));
    rig.told.positions.length = 0;
    tell(
      account('ORDER', undefined, [
        position({ ps: 'LONG', pa: '1' }),
        position({ ps: 'SHORT', pa: '-1' }),
        position({ s: 'ETHUSDT', ps: 'LONG', pa: '1' }),
      ]),
    );
    expect(rig.told.positions.map(({ realizedPnl }) => realizedPnl)).toEqual(['4', '-7', '0']);
  });
});

describe('an account update of futures', () => {
  it('tells wallets and positions as they are then, and only what it has', async () => {
    const { rig, tell, order } = await hearing();
    tell(
      account(
        'ORDER',
        [
          { a: 'USDT', wb: '10.50', cw: '9', bc: '1' },
          { a: 'BNB', wb: '0.0', cw: '0' },
        ],
        [
          position({}),
          position({
            s: 'ETHUSDT',
            pa: '-4',
            ep: '50',
            up: '-8.0',
            mt: 'cross',
            iw: '0',
            ps: 'SHORT',
            bep: undefined,
          }),
        ],
      ),
    );
    expect(rig.told.balances).toEqual([
      { asset: 'USDT', free: '10.5', locked: '0', time: 20 },
      { asset: 'BNB', free: '0', locked: '0', time: 20 },
    ]);
    expect(rig.told.positions).toMatchObject([
      {
        ...{ symbol: 'BTCUSDT', side: 'BOTH', amount: '2', entryPrice: '100', breakEvenPrice: '101' },
        ...{ markPrice: '105', unrealizedProfit: '10', marginType: 'ISOLATED', isolatedWallet: '7.5' },
        updateTime: 20,
      },
      {
        ...{ symbol: 'ETHUSDT', side: 'SHORT', amount: '4', entryPrice: '50', breakEvenPrice: '0' },
        ...{ markPrice: '52', unrealizedProfit: '-8', marginType: 'CROSSED', isolatedWallet: '0' },
      },
    ]);
    expect([order, rig.told.ledger]).toEqual([['balances', 'positions'], 0]);
    for (const [B, P, lists] of [
      [undefined, [position({})], ['positions']],
      [[{ a: 'USDT', wb: '1' }], undefined, ['balances']],
      [[], [], []],
    ] as const) {
      order.length = 0;
      tell(account('FUNDING_FEE', B && [...B], P && [...P]));
      expect(order).toEqual(lists);
    }
    expect(rig.told.ledger).toBe(3);
  });

  it('keeps what it does not say of a position, until that is flat', async () => {
    const { rig, hand, tell } = await hearing();
    hand.on('GET /fapi/v3/positionRisk', [
      {
        ...{
          symbol: 'BTCUSDT',
          positionSide: 'BOTH',
          positionAmt: '2',
          entryPrice: '100',
          breakEvenPrice: '101',
        },
        ...{
          markPrice: '104',
          unRealizedProfit: '8',
          liquidationPrice: '60.50',
          isolatedWallet: '7',
          updateTime: 1,
        },
        ...{ maintMargin: '0.80', notional: '208' },
      },
    ]);
    await rig.during(rig.venue.futures.positions());
    tell(account('ORDER', undefined, [position({})]));
    expect(rig.told.positions.at(-1)).toMatchObject({ liquidationPrice: '60.5', maintenanceMargin: '0.8' });
    expect(rig.venue.futures.markPrice('BTCUSDT')).toBe('105');
    tell(account('ORDER', undefined, [position({ pa: '0', up: '0' })], 30));
    // The last known mark: nothing can be computed from a flat position.
    expect(rig.told.positions.at(-1)).toMatchObject({ amount: '0', markPrice: '105' });
    expect(rig.venue.futures.markPrice('BTCUSDT')).toBe('105');
    tell(account('ORDER', undefined, [position({})], 40));
    expect(rig.told.positions.at(-1)).toMatchObject({ liquidationPrice: null, maintenanceMargin: '0' });
    tell(account('ORDER', undefined, [position({ s: 'ETHUSDT', pa: '0', up: '0' })], 40));
    expect(rig.told.positions.at(-1)).toMatchObject({ symbol: 'ETHUSDT', markPrice: '0' });
    expect(rig.venue.futures.markPrice('ETHUSDT')).toBeNull();
  });
});

describe('other events of futures', () => {
  it('change the leverage that positions have from then on, of their symbol alone', async () => {
    const { rig, tell } = await hearing();
    tell({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ac: { s: 'BTCUSDT', l: 33 } });
    expect(rig.told.stream).toEqual(['gap']);
    tell(account('ORDER', undefined, [position({}), position({ s: 'ETHUSDT' })]));
    expect(rig.told.positions.map(({ leverage }) => leverage)).toEqual([33, 20]);
  });

  it('turn multi-assets mode on and off: nothing new is opened meanwhile', async () => {
    const { rig, hand, tell } = await hearing();
    const mode = (j: boolean) => tell({ e: 'ACCOUNT_CONFIG_UPDATE', E: 1, T: 1, ai: { j } });
    mode(true);
    expect(rig.reports.splice(0)).toEqual([expect.stringContaining('multi-assets mode is on')]);
    expect(await rig.submit({ clientId: 'bf-1' })).toMatchObject({ kind: 'rejected', code: 'MULTI_ASSETS' });
    expect(hand.names()).toEqual([]);
    mode(false);
    expect([rig.reports, rig.told.stream]).toEqual([[], ['gap', 'gap']]);
    expect(await rig.submit({ clientId: 'bf-1' })).toMatchObject({ kind: 'accepted' });
  });

  it('say that the key has ended: there is another one, with its socket', async () => {
    const { rig, hand, tell } = await hearing();
    const sockets = rig.sockets().length;
    tell({ e: 'listenKeyExpired', E: 1, listenKey: 'old' });
    expect(rig.told.stream).toEqual(['down']);
    expect(rig.reports).toEqual([
      'mine-futures: the user stream is down: the key of the user stream has expired',
    ]);
    await rig.clock.advance(2_000);
    expect(rig.told.stream).toEqual(['down', 'up']);
    expect([hand.names(), rig.sockets().length]).toEqual([['POST /fapi/v1/listenKey'], sockets + 1]);
  });

  it('warn of a margin call, and leave out what is not needed or not known', async () => {
    const { rig, tell } = await hearing();
    tell({ e: 'MARGIN_CALL', E: 1, cw: '3', p: [] });
    expect(rig.reports.splice(0)).toEqual([expect.stringContaining('MARGIN CALL')]);
    for (const e of ['TRADE_LITE', 'CONDITIONAL_ORDER_TRIGGER_REJECT', 'STRATEGY_UPDATE', 'GRID_UPDATE'])
      tell({ e, E: 1, T: 1 });
    for (const event of [update({}), algo('NEW'), account('DEPOSIT', [{ a: 'BTC', wb: '1' }], [])])
      tell({ ...event, st: 2 });
    expect(rig.reports).toEqual([]);
    tell({ e: 'BRAND_NEW', E: 1 });
    expect(rig.reports).toEqual(['mine-futures: an event of an unknown kind: BRAND_NEW']);
    expect([rig.told.stream, rig.told.orders, rig.told.balances, rig.told.ledger]).toEqual([[], [], [], 0]);
    tell({ ...update({}), st: 1 });
    expect(rig.told.orders).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['no kind', { E: 1 }],
    ['an order without a number', update({ i: null })],
    ['an order whose status is new', update({ X: 'ODD' })],
    ['an order whose type is new', update({ o: 'ODD', ot: 'ODD' })],
    ['a conditional order without a number', algo('NEW', { aid: null })],
    ['a conditional order whose status is new', algo('ODD')],
    ['a conditional order whose type is new', algo('NEW', { o: 'ODD' })],
    ['an account', account('ORDER', [{ a: 'USDT', wb: 1 }], [])],
    ['a setting', { e: 'ACCOUNT_CONFIG_UPDATE', E: 1, ac: { s: 'BTCUSDT', l: 0 } }],
  ])('that cannot be read lead to one comparison in a minute: %s', async (_, event) => {
    const { rig, tell } = await hearing();
    tell(event);
    tell(event);
    expect([rig.told.stream, rig.told.orders, rig.told.fills]).toEqual([['gap'], [], []]);
    expect(rig.reports).toHaveLength(1);
    await rig.clock.advance(60_000);
    tell(event);
    expect(rig.told.stream).toEqual(['gap', 'gap']);
    tell(update({}));
    expect(rig.told.orders).toHaveLength(1);
  });
});
