/** A desk whose commit has failed loads its orders again: what it has heard of the account beside them stays true. */
import { expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import { balanceNow } from '../../../src/engine/margins.ts';
import { StoreError } from '../../../src/store/store.ts';
import { LinkRig } from './link-rig.ts';

it('what a fill has brought that no report of the balances knows of is still there after a commit that failed', async () => {
  const rig = await LinkRig.started();
  await rig.until(rig.place());
  const [order] = rig.orders;
  if (!order) throw new Error('nothing was placed');
  const { id: clientId, symbol } = order;
  const trade = { tradeId: 't1', clientId, symbol, side: 'BUY', price: '50000', qty: '0.004' } as const;
  const cost = { comm: '0', commAsset: 'BTC', maker: true, rPnl: null, posSide: 'BOTH' } as const;
  // The exchange tells no balances from now on, neither by itself nor when it is asked.
  rig.venue.balancesAre = rig.unanswered;
  rig.venue.sink?.fill({ ...trade, ...cost, time: rig.clock.wall() });
  await rig.clock.settle();
  const figures = () =>
    ['BTC', 'USDT'].map((asset) => {
      const { free, locked } = balanceNow(rig.core.engine.memory.account(rig.venue.account.id), asset);
      return [asset, str(free), str(locked)];
    });
  const before = figures();
  expect(before).toEqual([
    ['BTC', '0.004', '0'],
    ['USDT', '99500', '300'],
  ]);
  const { engine } = rig.core;
  const commit = rig.store.commit.bind(rig.store);
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  await rig.until(rig.place());
  expect(rig.core.engine).not.toBe(engine);
  expect(figures()).toEqual(before);
});

it('what is of others, what has moved and what waits for its order stay known, too', async () => {
  const rig = new LinkRig('futures', 2, undefined, { triggersMakeOrders: true });
  await rig.until(rig.core.start());
  const fill = (clientId: string, time: number, symbol = 'BTCUSDT') => ({
    tradeId: clientId,
    clientId,
    symbol,
    side: 'SELL' as const,
    price: '50000',
    qty: '0.004',
    comm: '0',
    commAsset: 'USDT',
    maker: true,
    rPnl: null,
    posSide: 'BOTH' as const,
    time,
  });
  rig.venue.submitted = async ({ clientId, symbol, quantity = '0' }) => ({
    kind: 'accepted',
    state: { clientId, symbol, status: 'PENDING', origQty: quantity, cumQty: '0', seq: 1, time: 1 },
  });
  await rig.until(rig.place({ side: 'SELL', type: 'STOP_LIMIT', stopPrice: '51000' }));
  const [stop] = rig.orders;
  const asked: string[] = [];
  rig.venue.fills = async ({ symbol, after }) => {
    asked.push(symbol);
    return { fills: [], next: after, more: false };
  };
  // Of the stop, which is not known to be triggered.
  rig.venue.query = rig.unanswered;
  rig.venue.sink?.fill(fill('child', rig.clock.wall()));
  rig.position('S1USDT', '1');
  await rig.clock.settle();
  const commit = rig.store.commit.bind(rig.store);
  const { engine } = rig.core;
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  asked.length = 0;
  await rig.until(rig.place({ price: '49000' }));
  expect(rig.core.engine).not.toBe(engine);
  rig.venue.sink?.stream('gap');
  await rig.clock.settle();
  expect(asked).toContain('S1USDT');
  // Its past is still its past.
  rig.venue.sink?.fill(fill('web_old', 1, 'S1USDT'));
  rig.venue.sink?.order({
    clientId: stop?.id ?? '',
    symbol: 'BTCUSDT',
    status: 'WORKING',
    origQty: '0.01',
    cumQty: '0.004',
    seq: 2,
    time: 2,
    venueIds: ['child-id'],
  });
  await rig.clock.settle();
  expect(rig.orders.map(({ id }) => id)).not.toContain('web_old');
  const waiting = rig.core.engine.memory.parked.map(({ fill: { clientId } }) => clientId);
  expect(waiting).toEqual(['child']);
});
