/**
 * Orders of one terminal that are under way together, and many that were cancelled: each draft and each
 * cancelled order is kept once, and none takes the place of another.
 */
import { expect, it } from 'vitest';
import { CANCELLED_KEPT } from '../../../src/console/orders/again.ts';
import { type Outcome, ok, refuse } from '../../../src/domain/errors.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

it('an order that is answered while another is under way brings back its own draft, and not that of the other', async () => {
  const desk = new FakeDesk(deskState({ orders: {} }));
  const answers: ((outcome: Outcome<OrderView>) => void)[] = [];
  desk.answers['orders.place'] = () => new Promise((resolve) => void answers.push(resolve));
  const screen = await open(desk);
  const entry = () => screen.session.ui.getState().entry;
  const place = async (size: string) => {
    await screen.press('1', 'b', ...size, '\t', '5', CTRL_R);
    await screen.shows('y place this order');
    await screen.press('y', ESC);
  };
  await place('0.1');
  // Its ticket is closed while it is under way.
  await screen.press(ESC);
  await place('0.2');
  expect(answers).toHaveLength(2);
  answers[0]?.(refuse('INVALID_REQUEST', 'not today'));
  await screen.shows('refused: not today');
  expect(entry()).toMatchObject({ kept: { quantity: '0.1' }, sent: { quantity: '0.2' } });
  // The second one, closed now, is under way still: it is no draft that was left.
  await screen.press(ESC);
  expect(entry().kept).toMatchObject({ quantity: '0.1' });
  answers[1]?.(ok(order('new')));
  await screen.until(() => entry().sent === null);
  expect(entry()).toMatchObject({ kept: { quantity: '0.1' }, last: { quantity: '0.2' } });
});

it('a refusal leaves the draft in its ticket where that is open, and the one that was left before', async () => {
  const desk = new FakeDesk(deskState({ orders: {} }));
  desk.answers['orders.place'] = () => refuse('INVALID_REQUEST', 'not today');
  const screen = await open(desk);
  await screen.press('b', '0', '.', '3', ESC, 's', '0', '.', '4', '\t', '5', CTRL_R);
  await screen.shows('y place this order');
  await screen.press('y');
  await screen.shows('refused: not today');
  expect(screen.session.ui.getState().entry).toMatchObject({
    kept: { quantity: '0.3', side: 'BUY' },
    sent: null,
  });
});

it('of cancelled orders the last fifty can be placed again, each once', async () => {
  const desk = new FakeDesk(deskState({ orders: { own: order('own') } }));
  desk.answers['orders.cancel'] = ({ id }) => {
    const gone = { ...order(id), status: 'CANCELLED' as const };
    desk.push({ orders: { [id]: gone } });
    return ok(gone);
  };
  const screen = await open(desk);
  const cancelled = Array.from({ length: CANCELLED_KEPT }, (_, at) => order(`o${at}`));
  const ids = () => screen.session.ui.getState().cancelled.map(({ id }) => id);
  screen.session.ui.setState({ cancelled });
  await screen.press('2', 'x', 'y');
  await screen.until(() => ids().includes('own'));
  expect(ids()).toEqual([...cancelled.slice(1).map(({ id }) => id), 'own']);
  // The exchange had not cancelled it after all, and it is cancelled again.
  screen.session.ui.setState({ cancelled: [order('own'), order('o1')] });
  desk.push({ orders: { own: order('own') } });
  await screen.settle();
  await screen.press('x', 'y');
  await screen.until(() => ids().at(-1) === 'own');
  expect(ids()).toEqual(['o1', 'own']);
});

it('an order that was placed is the one under the cursor, and its account that of the next', async () => {
  const desk = new FakeDesk();
  const screen = await open(desk);
  desk.answers['orders.place'] = (wanted: CreateOrder) => {
    const placed = order('placed', { exchange: wanted.exchange, symbol: wanted.symbol });
    desk.push({ orders: { placed } });
    return ok(placed);
  };
  await screen.press(':', 'buy 0.1 btc 60000 futures', '\r', CTRL_R);
  await screen.shows('y place this order');
  await screen.press('y');
  await screen.until(() => screen.session.ui.getState().orders.account === 'paper-futures');
  expect(screen.session.ui.getState().orders.selection.id).toBe('placed');
});
