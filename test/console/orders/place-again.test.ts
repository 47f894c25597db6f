/**
 * A cancelled order is placed again: its remaining quantity, otherwise unchanged, after a review and never at
 * once.
 */
import { describe, expect, it } from 'vitest';
import { again } from '../../../src/console/orders/again.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { rigPerTest } from '../support/rig-per-test.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();
const BTC = 'oc-7f3k2m9q1a2b';
const ETH = 'oc-7f3k2m9q1a2c';

/** A desk that cancels the orders it is asked to. */
function cancelling(): FakeDesk {
  const desk = new FakeDesk();
  const cancel = (id: string) => {
    const gone = { ...(desk.state.orders[id] ?? order(id)), status: 'CANCELLED' as const };
    desk.push({ orders: { [id]: gone } });
    return ok(gone);
  };
  desk.answers['orders.cancel'] = ({ id }) => cancel(id);
  desk.answers['orders.cancelAll'] = ({ ids = [] }) => ids.map((id) => ({ id, outcome: cancel(id) }));
  desk.answers['orders.place'] = (wanted) => ok(order('new', { symbol: wanted.symbol, status: 'OPENED' }));
  return desk;
}

const placed = (desk: FakeDesk) =>
  desk.calls.filter(({ method }) => method === 'orders.place').map(({ params }) => params);

describe('U on Orders', () => {
  it('shows the order that was cancelled last, and places what is left of it after y', async () => {
    const desk = cancelling();
    const screen = await open(desk);
    await screen.press('2', 'j', 'j', 'x', 'y');
    await screen.shows('ETHUSDT CANCELLED; U places it again');
    await screen.press('U');
    await screen.shows('Place it again');
    expect(screen.screenText()).toContain('SELL 2.9 ETH ETHUSDT');
    expect(placed(desk)).toEqual([]);
    await screen.press('y');
    await screen.shows('ETHUSDT: OPENED');
    expect(placed(desk)).toEqual([
      {
        exchange: 'paper-spot',
        symbol: 'ETHUSDT',
        side: 'SELL',
        type: 'LIMIT',
        quantity: '2.9',
        price: '3205.00',
        timeInForce: 'GTC',
      },
    ]);
    await screen.press('U');
    await screen.shows('nothing was cancelled from this terminal');
  });

  it('gives back one after the other what was cancelled together', async () => {
    const desk = cancelling();
    const screen = await open(desk);
    await screen.press('2', 'j', ' ', 'j', ' ', 'x', ...'cancel 2', 'y', '\x1b[27u');
    await screen.press('U', 'y', 'U', 'y');
    await screen.until(() => placed(desk).length === 2);
    expect(placed(desk)).toMatchObject([{ symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }]);
  });

  it('has nothing of what was refused to be cancelled, which is said by name', async () => {
    const desk = cancelling();
    const all = desk.answers['orders.cancelAll'];
    desk.answers['orders.cancelAll'] = async ({ ids = [] }) => {
      const done = (await all?.({ ids: ids.filter((id) => id !== ETH) })) ?? [];
      return [{ id: ETH, outcome: refuse('CONFLICT', 'the exchange is down') }, ...done];
    };
    const screen = await open(desk);
    await screen.press('2', 'j', ' ', 'j', ' ', 'x', ...'cancel 2', 'y');
    await screen.shows('Cancelled 1 of 2 orders');
    expect(screen.screenText()).toMatch(/✗.*SELL 4\.2 ETHUSDT.*the exchange is down/);
    expect(screen.screenText()).toMatch(/✓.*BUY 0\.5 BTCUSDT.*cancelled/);
    await screen.press('\x1b[27u', 'U');
    await screen.shows('Place it again');
    expect(screen.screenText()).toContain('BUY 0.5 BTC BTCUSDT');
    await screen.press('y');
    await screen.until(() => placed(desk).length === 1);
    await screen.press('U');
    await screen.shows('nothing was cancelled from this terminal');
  });

  it('keeps an order that was refused when it was placed again', async () => {
    const desk = cancelling();
    const screen = await open(desk);
    await screen.press('2', 'j', ' ', 'j', ' ', 'x', ...'cancel 2', 'y', '\x1b[27u');
    const place = desk.answers['orders.place'];
    desk.answers['orders.place'] = () => refuse('CONFLICT', 'not today');
    await screen.press('U', 'y');
    await screen.shows('refused: not today');
    if (place) desk.answers['orders.place'] = place;
    await screen.press('U', 'y', 'U', 'y');
    await screen.until(() => placed(desk).length === 3);
    expect(placed(desk)).toMatchObject([{ symbol: 'BTCUSDT' }, { symbol: 'BTCUSDT' }, { symbol: 'ETHUSDT' }]);
  });

  it('waits until the cancel is through', async () => {
    const desk = cancelling();
    const pending = { ...order(BTC), cancelPending: true };
    desk.answers['orders.cancel'] = () => ok(pending);
    const screen = await open(desk);
    await screen.press('2', 'j', 'x', 'y');
    await screen.shows('BTCUSDT cancel wanted; U places it again');
    await screen.press('U');
    await screen.shows('BTCUSDT is not cancelled yet');
  });
});

describe('a cancelled order once more', () => {
  const gone = (change: Parameters<typeof order>[1]) =>
    again(order(ETH, { status: 'CANCELLED', ...change }), NOON);

  it('keeps side of the position, reduceOnly, trigger and what triggers it', () => {
    const stop = gone({
      isContract: true,
      type: 'STOP_MARKET',
      price: undefined,
      stopPrice: '58000',
      side: 'SELL',
      reduceOnly: true,
      positionSide: 'LONG',
      workingType: 'CONTRACT_PRICE',
    });
    expect(stop.order).toEqual({
      exchange: 'paper-spot',
      symbol: 'BTCUSDT',
      side: 'SELL',
      type: 'STOP_MARKET',
      quantity: '0.5',
      stopPrice: '58000',
      positionSide: 'LONG',
      reduceOnly: true,
      workingType: 'CONTRACT_PRICE',
    });
  });

  it('closes the whole position where it did', () => {
    const close = gone({
      isContract: true,
      type: 'STOP_MARKET',
      stopPrice: '58000',
      closePosition: true,
      origQty: '0',
    });
    expect(close.order).toMatchObject({ quantity: '0', closePosition: true });
  });

  it('keeps its end date and its iceberg', () => {
    const limit = gone({ timeInForce: 'GTD', goodTillDate: NOON + 1, specific: { icebergQty: '0.1' } });
    expect(limit.order).toMatchObject({ timeInForce: 'GTD', goodTillDate: NOON + 1, icebergQty: '0.1' });
    expect(gone({ executedQty: '0.4', specific: { icebergQty: '0.1' } }).order).not.toHaveProperty(
      'icebergQty',
    );
  });

  it.each([
    [{ creator: 'BOT' as const }, 'an order of a bot'],
    [{ trailing: { delta: 100, time: 0 } }, 'begin anew'],
    [{ executedQty: '0.5' }, 'nothing of it is left'],
    [{ goodTillDate: NOON }, 'has passed'],
  ])('is none where it cannot be the same: %j', (change, why) => {
    expect(gone(change)).toMatchObject({ order: null, problem: expect.stringContaining(why) });
  });
});
