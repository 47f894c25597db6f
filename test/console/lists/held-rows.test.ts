/**
 * The cursor of a list keeps its row: rows that come and go above it never put another row under a pending
 * key.
 */
import { describe, expect, it } from 'vitest';
import { heldAt } from '../../../src/console/lists/list-views.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const ui = (screen: Rig) => screen.session.ui.getState();
/** Waits until the console knows the orders that the desk has now. */
const known = (screen: Rig, desk: FakeDesk) =>
  screen.until(() => {
    const { orders = {} } = screen.session.desk.getState().state ?? {};
    return Object.keys(orders).join() === Object.keys(desk.state.orders).join();
  });
const eth = order('a', { symbol: 'ETHUSDT' });
const newer = order('b', { orderTime: NOON });

describe('a row nobody has moved to', () => {
  it('keeps the cursor when another comes above it', async () => {
    const desk = new FakeDesk(deskState({ orders: { a: eth } }));
    const screen = await open(desk);
    await screen.press('2');
    await screen.shows('▸ 14:06:31  ETHUSDT');
    desk.push({ orders: { b: newer } });
    await screen.shows('BTCUSDT');
    await screen.press('x');
    expect(ui(screen).dialogs.at(-1)).toMatchObject({ action: { type: 'cancel', id: 'a' } });
  });

  it('keeps it also when it was the first of an empty list, and of one gone to from elsewhere', async () => {
    const desk = new FakeDesk(deskState({ orders: {} }));
    const screen = await open(desk);
    await screen.press('2');
    desk.push({ orders: { a: eth } });
    await known(screen, desk);
    desk.push({ orders: { b: newer } });
    await known(screen, desk);
    await screen.settle();
    expect(ui(screen).orders.selection).toEqual({ id: 'a', index: 1 });
  });

  it('keeps it on the positions', async () => {
    const futures = (...symbols: string[]) => ({
      'paper-futures': { hedgeMode: false, leverage: {}, positions: symbols.map((name) => position(name)) },
    });
    const desk = new FakeDesk(deskState({ futures: futures('ETHUSDT') }));
    const screen = await open(desk);
    await screen.press('5');
    await screen.shows('ETHUSDT');
    desk.push({ futures: futures('BTCUSDT', 'ETHUSDT') });
    await screen.shows('BTCUSDT');
    await screen.press('x');
    await screen.until(() => ui(screen).dialogs.length > 0);
    expect(ui(screen).dialogs.at(-1)).toMatchObject({ action: { order: { symbol: 'ETHUSDT' } } });
  });
});

describe('on the Overview', () => {
  const WIDE = { columns: 200, rows: 50 };
  const cursor = (screen: Rig): string => screen.screenLines().find((line) => line.includes('▸')) ?? '';

  it('a symbol that nobody has moved to keeps the cursor when the first price of another comes above it', async () => {
    const { 'paper ADAUSDT': ada, ...prices } = deskState().prices;
    const desk = new FakeDesk(deskState({ prices }));
    const screen = await open(desk, WIDE);
    expect(cursor(screen)).toContain('AVAXUSDT');
    if (ada) desk.push({ prices: { 'paper ADAUSDT': ada } });
    await screen.shows('ADAUSDT');
    await screen.settle();
    expect(cursor(screen)).toContain('AVAXUSDT');
    await screen.press(ENTER);
    expect(ui(screen)).toMatchObject({ screen: 'market', market: { at: { symbol: 'AVAXUSDT' } } });
  });

  it('an order that nobody has moved to keeps the cursor when a newer one comes above it', async () => {
    const desk = new FakeDesk(deskState({ orders: { a: eth } }));
    const screen = await open(desk, WIDE);
    await screen.press('\t');
    expect(ui(screen).overview.part).toBe('orders');
    desk.push({ orders: { b: newer } });
    await known(screen, desk);
    await screen.settle();
    expect(cursor(screen)).toContain('ETHUSDT');
    await screen.press(ENTER);
    expect(ui(screen).orders.selection.id).toBe('a');
  });

  it('the row now at its place has it when its own goes, wherever that has moved to', async () => {
    const orders = { a: eth, c: order('c', { symbol: 'SOLUSDT', orderTime: 5 }) };
    const desk = new FakeDesk(deskState({ orders }));
    const screen = await open(desk, WIDE);
    await screen.press('\t');
    desk.push({ orders: { b: newer } });
    await known(screen, desk);
    desk.push({ orders: { a: null } });
    await known(screen, desk);
    await screen.settle();
    expect(cursor(screen)).toContain('SOLUSDT');
  });
});

describe('when the order under the cursor ends', () => {
  const three = () => ({
    a: order('a', { symbol: 'ETHUSDT', orderTime: 30 }),
    b: order('b', { symbol: 'SOLUSDT', orderTime: 20 }),
    c: order('c', { symbol: 'XRPUSDT', orderTime: 10 }),
  });
  const ended = (id: 'a' | 'b' | 'c') => ({
    orders: { [id]: { ...three()[id], status: 'CLOSED' as const } },
  });
  const cursorAt = (screen: Rig) => ui(screen).orders.selection;

  it('the cursor stays at its place among the open ones, at their end too', async () => {
    const desk = new FakeDesk(deskState({ orders: three() }));
    const screen = await open(desk);
    await screen.press('2', 'j');
    desk.push(ended('b'));
    await screen.until(() => cursorAt(screen).id !== 'b');
    expect(cursorAt(screen)).toEqual({ id: 'c', index: 1 });
    desk.push(ended('c'));
    await screen.until(() => cursorAt(screen).id !== 'c');
    expect(cursorAt(screen)).toEqual({ id: 'a', index: 0 });
  });

  it('whoever has its detail open goes with it', async () => {
    const desk = new FakeDesk(deskState({ orders: three() }));
    const screen = await open(desk);
    await screen.press('2', 'j', ENTER);
    desk.push(ended('b'));
    await screen.until(() => screen.session.desk.getState().state?.orders.b?.status === 'CLOSED');
    await screen.settle();
    expect(cursorAt(screen)).toEqual({ id: 'b', index: 2 });
  });
});

describe('when the row under the cursor goes', () => {
  it('the cursor holds on to the one now at its place', async () => {
    const orders = { a: eth, b: order('b', { orderTime: NOON - 70_000 }), c: order('c', { orderTime: 5 }) };
    const desk = new FakeDesk(deskState({ orders }));
    const screen = await open(desk);
    await screen.press('2', 'j');
    expect(ui(screen).orders.selection.id).toBe('b');
    desk.push({ orders: { b: null } });
    await screen.until(() => ui(screen).orders.selection.id === 'c');
    desk.push({ orders: { d: order('d', { orderTime: NOON }) } });
    await known(screen, desk);
    await screen.settle();
    expect(ui(screen).orders.selection).toEqual({ id: 'c', index: 2 });
  });

  it('a filter that hides it while one types gives it back', async () => {
    const screen = await open(new FakeDesk());
    await screen.press('2', 'j');
    const { selection } = ui(screen).orders;
    await screen.press('/', 'SOLUSDT', ESC);
    expect(ui(screen).orders.selection).toEqual(selection);
  });

  it('a filter that hides it puts the cursor on one that is shown, and holds it there', async () => {
    const desk = new FakeDesk();
    const screen = await open(desk);
    await screen.press('2', '/', 'SOLUSDT', ENTER);
    const [sol] = Object.values(desk.state.orders).filter(({ symbol }) => symbol === 'SOLUSDT');
    expect(ui(screen).orders.selection.id).toBe(sol?.id);
    await screen.press(ESC);
    expect(ui(screen).orders.selection.id).toBe(sol?.id);
  });
});

it('a row gone to before the desk has told of it is waited for', async () => {
  const desk = new FakeDesk(deskState({ orders: { a: eth } }));
  const screen = await open(desk);
  await screen.press('2');
  screen.session.ui.setState(({ orders }) => ({ orders: { ...orders, selection: { id: 'b', index: 0 } } }));
  desk.push({ orders: { z: order('z', { orderTime: 7 }) } });
  await known(screen, desk);
  desk.push({ orders: { b: order('b', { orderTime: 6 }) } });
  await known(screen, desk);
  await screen.settle();
  expect(ui(screen).orders.selection).toEqual({ id: 'b', index: 2 });
});

it('nothing is written again for a cursor that already holds on', async () => {
  const desk = new FakeDesk(deskState({ orders: { a: eth } }));
  const screen = await open(desk);
  await screen.press('2');
  const state = ui(screen);
  expect(state.orders.selection).toEqual({ id: 'a', index: 0 });
  const { selection } = state.orders;
  expect(heldAt([{ id: 'a' }], selection, 'a')).toBe(selection);
  const { acks } = desk;
  desk.push({ clock: { ...desk.state.clock, wall: NOON + 1 } });
  await screen.until(() => desk.acks > acks);
  expect(ui(screen)).toBe(state);
});
