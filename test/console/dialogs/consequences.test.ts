/**
 * Every question says what follows from it: liquidation and exposure, positions that lose their stop, bots
 * that use the order.
 */
import { describe, expect, it } from 'vitest';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot } from '../support/some-bots.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const STOP = order('stop-eth', {
  exchange: 'paper-futures',
  symbol: 'ETHUSDT',
  side: 'BUY',
  type: 'STOP_MARKET',
  isContract: true,
  price: undefined,
  stopPrice: '3200',
  origQty: '4',
  reduceOnly: true,
  orderTime: 3,
});
const OF_BOT = order('of-bot', { creator: 'BOT', creatorId: 'b1', price: '60100', orderTime: 2 });
const PLAIN = order('plain', { symbol: 'SOLUSDT', price: '140', origQty: '3', orderTime: 1 });
const RUNNING = bot('b1', { tag: 'dip', status: 'STARTED', runId: 'r1' });

function desk(orders = [STOP, OF_BOT, PLAIN]): FakeDesk {
  return new FakeDesk(
    deskState({
      futures: somePositions(),
      orders: Object.fromEntries(orders.map((each) => [each.id, each])),
      bots: { b1: RUNNING },
    }),
  );
}

const called = (fake: FakeDesk) =>
  fake.calls.findLast(({ method }) => method === 'orders.cancelAll')?.params as { ids: string[] } | undefined;

describe('cancelling one order', () => {
  it('says which position it leaves without a stop', async () => {
    const screen = await open(desk([STOP]));
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('SHORT 4 ETHUSDT: it will stand without a stop');
  });

  it('says how much other stops cover', async () => {
    const half = { ...STOP, id: 'other', origQty: '2', orderTime: 1 };
    const screen = await open(desk([STOP, half]));
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('SHORT 4 ETHUSDT: other stops cover 50 % of it');
  });

  it('counts of another stop what is left of it', async () => {
    const part = { ...STOP, id: 'other', origQty: '4', executedQty: '3', orderTime: 1 };
    const screen = await open(desk([STOP, part]));
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('SHORT 4 ETHUSDT: other stops cover 25 % of it');
  });

  it.each(['x', 's'])('says by %s that a running bot wants it', async (key) => {
    const screen = await open(desk([OF_BOT]));
    await screen.press('2', key, ...(key === 's' ? ['60000..60200 2', CTRL_R] : []));
    await screen.shows('bot dip, running: it will place it again');
  });

  it('says that what covers just as much covers it whole', async () => {
    const other = { ...STOP, id: 'other', orderTime: 1 };
    const screen = await open(desk([STOP, other]));
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('SHORT 4 ETHUSDT: other stops cover it whole');
  });

  it('says nothing of the kind of any other', async () => {
    const screen = await open(desk([PLAIN]));
    await screen.press('2', 'x');
    expect(screen.screenText()).toContain('Cancel order');
    expect(screen.screenText()).not.toMatch(/protects|belongs to/);
  });
});

describe('cancelling all', () => {
  it('leaves out stops and the orders of running bots, and counts them', async () => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('2', 'X');
    expect(screen.screenText()).toContain('[ ] ctrl-p  1 protective stop, left out');
    expect(screen.screenText()).toContain('[ ] ctrl-o  1 order of running bots, left out');
    await screen.press('cancel 1', 'y');
    await screen.until(() => called(fake) !== undefined);
    expect(called(fake)?.ids).toEqual(['plain']);
  });

  it.each([
    ['stops', ['\x10'], ['stop-eth', 'plain']],
    ['bots', ['\x0f'], ['of-bot', 'plain']],
    ['both', ['\x10', '\x0f'], ['stop-eth', 'of-bot', 'plain']],
    ['neither any more', ['\x10', '\x10'], ['plain']],
  ])('takes them with it when chosen: %s', async (_name, keys, ids) => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('2', 'X', 'canc', ...keys);
    expect(screen.screenText()).toContain(`type cancel ${ids.length} :`);
    await screen.press(`cancel ${ids.length}`, 'y');
    await screen.until(() => called(fake) !== undefined);
    expect(called(fake)?.ids).toEqual(ids);
  });

  it('asks anew when the choice changes after the word', async () => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('2', 'X', 'cancel 1', '\x10', 'y');
    expect(called(fake)).toBeUndefined();
    expect(screen.screenText()).toContain('type cancel 2 :');
  });

  it('counts what is open still when the choice changes', async () => {
    const fake = desk();
    const screen = await open(fake);
    await screen.press('2', 'X');
    await screen.shows('type cancel 1 :');
    fake.push({ orders: { plain: { ...PLAIN, status: 'CLOSED' } } });
    await screen.shows('2 open');
    await screen.press('\x10');
    await screen.shows('1 protective stop: nothing ends the loss then');
    await screen.press('cancel 1', 'y');
    await screen.until(() => called(fake) !== undefined);
    expect(called(fake)?.ids).toEqual(['stop-eth']);
  });

  it('does nothing where nothing is chosen', async () => {
    const fake = desk([STOP]);
    const screen = await open(fake);
    await screen.press('2', 'X', 'cancel 0', 'y');
    expect(called(fake)).toBeUndefined();
    expect(screen.screenText()).toContain('Nothing is chosen');
  });

  it('lists what came of each', async () => {
    const screen = await open(desk());
    await screen.press('2', 'X', '\x10', 'cancel 2', 'y');
    await screen.shows('Cancelled 2 of 2 orders');
    expect(screen.screenText()).toMatch(/✓ .*BUY 4 ETHUSDT at 3,200\b.* cancelled/);
    expect(screen.screenText()).toMatch(/✓ .*BUY 3 SOLUSDT at 140\b.* cancelled/);
  });
});

it('the review of a futures order says liquidation and exposure after it', async () => {
  const fake = desk([]);
  const usual = fake.answers['orders.check'];
  fake.answers['orders.check'] = async (draft) => ({
    ...((await usual?.(draft)) as never as object),
    ...({
      problems: [],
      mark: '3120.44',
      last: '3120.44',
      notional: '30250',
      fee: '1',
      feeAsset: 'USDT',
    } as const),
    ...({
      distance: '0.00',
      available: '100000',
      availableAsset: 'USDT',
      margin: '3025',
      next: 'It fills.',
    } as const),
    after: { amount: '-49', liquidation: '3166.3', distance: '+1.47', exposure: '44.02' },
  });
  const screen = await open(fake);
  await screen.press('5', 'j', 'x');
  await screen.shows('Close at market');
  expect(screen.screenText()).toContain('3,166.30 after this order (+1.47 %)');
  expect(screen.screenText()).toContain('44.02x equity after this order');
});
