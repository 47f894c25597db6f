/** Paper accounts at the live prices of Bybit, a whole desk over its emulator. */
import { expect, it } from 'vitest';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import { BybitEmulator } from '../../emulators/bybit/emulator.ts';
import { randomOf } from '../../emulators/bybit/support.ts';
import { EmulatorNet } from '../../emulators/kit/emulator-net.ts';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { feedDesk, type World } from './live-feed-rig.ts';
import { ok } from './support.ts';

async function bybitDesk(feed: string) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 25, 12), { autoTurns: true });
  const emulator = new BybitEmulator({ clock, random: randomOf(1) });
  const net = new EmulatorNet({ emulator, clock, dice: new Dice(1, 'feed') });
  const world = { emulator, clock, net, kind: bybitKind(net), store: openSqliteStore(':memory:') };
  const desk = await feedDesk(world as unknown as World, { feed });
  await desk.pass(3_000);
  return { ...desk, bybit: emulator };
}

it.each([
  ['bybit', ['paper-futures', 'paper-spot']],
  ['bybit:spot', ['paper-spot']],
  ['bybit:futures', ['paper-futures']],
])('--feed %s opens %o', async (feed, accounts) => {
  const desk = await bybitDesk(feed);
  expect([...desk.core.engine.memory.accounts.keys()].sort()).toEqual(accounts);
});

it('trades what Bybit does, with its filters, at its prices', async () => {
  const desk = await bybitDesk('bybit');
  const { accounts } = desk.core.engine.memory;
  expect(accounts.get('paper-spot')?.account.market).toBe('bybit-spot');
  expect(accounts.get('paper-futures')?.instruments.get('SHIB1000USDT')).toMatchObject({
    multiplier: '1000',
  });
  desk.bybit.printSpot('BTCUSDT', '60123.4', '1');
  desk.bybit.printLinear('BTCUSDT', '60150', '1');
  await desk.pass(500);
  const { prices } = desk.faces.state();
  expect(prices['bybit-spot BTCUSDT']?.last).toBe('60123.4');
  expect(prices['bybit-futures BTCUSDT']?.last).toBe('60150');
  const order = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' };
  expect(ok(await desk.answered(desk.place(order)))).toMatchObject({ status: 'CLOSED', executedQty: '0.01' });
  const future = desk.faces.call('orders.place', { exchange: 'paper-futures', ...order } as never);
  expect(ok(await desk.answered(future))).toMatchObject({ status: 'CLOSED', executedQty: '0.01' });
});
