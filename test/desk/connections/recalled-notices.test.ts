/**
 * Notices of orders that left memory after their end and are there again because of a late report: what was
 * told of them before is not told again, what is new is.
 */
import { describe, expect, it } from 'vitest';
import { NOTICE_KINDS } from '../../../src/domain/notices.ts';
import { ok } from '../integration/support.ts';
import { openRig, REQUEST, type Rig } from './rig.ts';
import { acme } from './test-kind.ts';

const HOUR = 3_600_000;
const ALL = { to: Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, ['console']])) };
/** Prices that come only as the test says. */
const FEED = { feed: 'okx', notices: ALL } as const;
const ASKED = { exchange: 'acme-spot', symbol: 'BTCUSDT', side: 'SELL', quantity: '0.01' } as const;

const messages = ({ desk }: Rig) => desk.state().alerts.map(({ message }) => message);

/** The order's next trade at its exchange. */
async function trades(rig: Rig, clientId: string, tradeId: string, qty: string): Promise<void> {
  const { symbol, side } = ASKED;
  const trade = { clientId, symbol, side, tradeId, qty, price: '50000', comm: '0', commAsset: 'USDT' };
  const at = { maker: true, rPnl: '0', posSide: 'BOTH', time: rig.clock.wall() } as const;
  rig.acme.line('acme-spot').sink?.fill({ ...trade, ...at });
  await rig.clock.advance(100);
}

/** The exchange's report of the order. */
async function told(rig: Rig, clientId: string, state: object): Promise<void> {
  const about = { clientId, symbol: 'BTCUSDT', origQty: '0.01', time: rig.clock.wall() };
  rig.acme.line('acme-spot').sink?.order({ ...about, ...state } as never);
  await rig.clock.advance(100);
}

/** A desk with a limit order and a stop, each executed in part and cancelled. */
async function ended() {
  const exchange = acme();
  const rig = await openRig({ ...FEED, exchange: { ...exchange, kind: { ...exchange.kind, name: 'okx' } } });
  ok(await rig.ask('connections.add', { ...REQUEST, venue: 'okx', markets: ['spot'] }));
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
  rig.acme.line('acme-spot').sink?.balances([{ asset: 'BTC', free: '0.05', locked: '0' }]);
  await rig.clock.advance(1_000);
  const limit = ok(await rig.ask('orders.place', { ...ASKED, type: 'LIMIT', price: '61000' } as never));
  const stop = ok(
    await rig.ask('orders.place', { ...ASKED, type: 'STOP_MARKET', stopPrice: '55000' } as never),
  );
  // The desk holds the stop until the price is there.
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '54000']);
  await rig.clock.advance(1_000);
  const [limitId = '', stopId = ''] = rig.acme.line('acme-spot').sent.map(({ clientId }) => clientId);
  await trades(rig, limitId, '1', '0.004');
  await trades(rig, stopId, '2', '0.003');
  await told(rig, limitId, { seq: 5, cumQty: '0.004', status: 'CANCELLED' });
  await told(rig, stopId, { seq: 6, cumQty: '0.003', status: 'CANCELLED' });
  expect([limit, stop].map(({ id }) => rig.desk.state().orders[id]?.status)).toEqual([
    'CANCELLED',
    'CANCELLED',
  ]);
  return { rig, limitId, stopId };
}

const BEFORE = [
  'partly filled: 0.004 of SELL 0.01 BTCUSDT on acme-spot at 50000',
  'stop hit: SELL 0.003 BTCUSDT at 50000 on acme-spot',
];

/** Each makes the orders leave memory. */
const LEAVING: [string, (rig: Rig) => Promise<Rig>][] = [
  [
    'slept through the hour in which they are kept',
    async (rig) => {
      rig.clock.jump(2 * HOUR);
      await rig.clock.advance(90_000);
      return rig;
    },
  ],
  [
    'was started again long after',
    async (rig) => {
      await rig.wait(rig.stop());
      await rig.clock.advance(2 * HOUR);
      return rig.again(FEED);
    },
  ],
];

describe.each(LEAVING)('an order that is reported again after a desk %s', (_, leave) => {
  it('is not told of as executed once more, but of what is executed since', async () => {
    const { rig: first, limitId, stopId } = await ended();
    expect(messages(first)).toEqual(BEFORE);
    const rig = await leave(first);
    await rig.clock.advance(1_000);
    expect(rig.desk.state().orders).toEqual({});
    await told(rig, limitId, { seq: 7, cumQty: '0.004', status: 'WORKING' });
    expect(rig.log().at(-1)).toContain('CONTRADICTION');
    expect(messages(rig)).toEqual(BEFORE);
    await trades(rig, stopId, '3', '0.002');
    await trades(rig, limitId, '4', '0.006');
    const after = [
      'partly filled: 0.005 of SELL 0.01 BTCUSDT on acme-spot at 50000',
      'partly filled: 0.01 of SELL 0.01 BTCUSDT on acme-spot at 50000',
    ];
    expect(messages(rig)).toEqual([...BEFORE, ...after]);
  });
});
