/**
 * In a replay the market's time differs from the desk's: a shown time says which one it is. Live, there is
 * one time.
 */
import { describe, expect, it } from 'vitest';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import type { FillRecord, OrderView } from '../../../src/domain/order.ts';
import type { FakeDesk } from '../support/fake-desk.ts';
import { ENTER } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { alert, botDesk } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { someOrders } from '../support/some-orders.ts';

const open = rigPerTest();
const DAY = 86_400_000;

const FILL: FillRecord = {
  exchange: 'paper-spot',
  tradeId: 't1',
  orderId: 'oc-7f3k2m9q1a2f',
  user: 'owner',
  symbol: 'BTCUSDT',
  side: 'BUY',
  price: '60000',
  qty: '0.1',
  comm: '0.0001',
  commAsset: 'BTC',
  maker: true,
  rPnl: null,
  posSide: 'BOTH',
  time: NOON - DAY,
};

function desk(live: boolean): FakeDesk {
  const { clock } = deskState();
  const replay: DeskState['clock'] = { ...clock, feed: 'candles', live: false, market: NOON - DAY };
  const made = botDesk({
    clock: live ? clock : replay,
    orders: someOrders(),
    futures: somePositions(),
    alerts: [alert('a1', { at: NOON, market: live ? NOON : NOON - DAY })],
  });
  made.answers['orders.detail'] = ({ id }) => ({
    order: made.state.orders[id] as OrderView,
    events: [
      {
        orderId: id,
        user: 'owner',
        at: NOON,
        market: NOON - DAY,
        kind: 'created',
        status: 'NEW',
        text: 'asked by operator',
      },
    ],
    fills: [FILL],
  });
  made.answers['trades.page'] = () => ({ trades: [FILL], next: null });
  return made;
}

const DOWN = 'j';
/** Places that show times, the keys that lead there, and the labels of the times in a replay. */
const SHOWN: [what: string, keys: string[], labels: RegExp[]][] = [
  ['the Overview', [], [/─ Open orders .*market time/, /─ Log .*wall time/, /─ Alerts .*wall time/]],
  ['the orders', ['2'], [/─ Orders .*market time/]],
  ['when they changed', ['2'], [/changed, wall/]],
  ['why, and the fills', ['2', ENTER], [/Why +wall time/, /Fills 1 +market time/]],
  ['the trades', ['2', 't'], [/─ Trades .*market time/]],
  ['since when a stop protects', ['5', DOWN, DOWN, ENTER], [/since .* wall time/]],
  ['the runs of a bot', ['3', ENTER, 'v'], [/v next · market time/]],
  ['the log of a bot', ['3', ENTER, 'v', 'v'], [/v next · market time/]],
  ['the alerts', ['8'], [/─ Alerts .*wall time/]],
  ['an alert', ['8', ENTER], [/UTC wall time, market time/]],
  ['the log', ['9'], [/─ Log .*wall time/]],
  ['a line of the log', ['9', ENTER], [/UTC wall time/]],
];

describe.each(SHOWN)('%s', (_what, keys, labels) => {
  const WIDE = { columns: 240, rows: 60 };

  it('of a replay say which time they tell', async () => {
    const screen = await open(desk(false), WIDE);
    await screen.press(...keys);
    for (const label of labels) await screen.until(() => label.test(screen.screenText()));
  });

  it('of a live market need not', async () => {
    const screen = await open(desk(true), WIDE);
    await screen.press(...keys);
    for (const label of labels) expect(screen.screenText()).not.toMatch(label);
  });
});
