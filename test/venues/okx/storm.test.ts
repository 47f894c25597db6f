/**
 * A desk that trades both accounts of OKX while responses and events are lost, doubled, late and cut: in the
 * end desk and exchange agree.
 */
import { expect, it } from 'vitest';
import { dec, str, ZERO } from '../../../src/domain/decimal.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { okxKind } from '../../../src/venues/okx/kind.ts';
import { openRig } from '../../desk/connections/rig.ts';
import type { Acme } from '../../desk/connections/test-kind.ts';
import { ok } from '../../desk/integration/support.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/kit/emulator-net.ts';
import { OkxEmulator } from '../../emulators/okx/emulator.ts';
import { TEST_KEY } from '../../emulators/okx/keys.ts';
import { randomOf } from '../../emulators/okx/support.ts';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { apiKey, secret, passphrase } = TEST_KEY;
const STORM: NetFaults = {
  delayMs: [1, 120],
  unsent: 0.03,
  requestLost: 0.04,
  answerLost: 0.06,
  duplicate: 0.1,
  swapped: 0.1,
  cutEveryMs: 20_000,
  messageLost: 0.02,
  socketRefused: 0.1,
};
/**
 * Number of seeds, from OUTCRY_RUNS. It takes half a minute of processor time: for searches beyond this
 * folder's other tests.
 */
const RUNS = Number(process.env.OUTCRY_RUNS ?? 0);
const SEEDS = Math.min(Math.max(RUNS, 1), 20);
const ACTS = 40;

it.skipIf(RUNS === 0).each(Array.from({ length: SEEDS }, (_, at) => at + 1))('seed %i', async (seed) => {
  const clock = new VirtualClock(Date.UTC(2026, 10, 25, 12), { autoTurns: true });
  const log: Record<string, unknown>[] = [];
  const emulator = new OkxEmulator({
    clock,
    random: randomOf(seed),
    settings: {},
    log: (row) => log.push(row),
  });
  const net = new EmulatorNet({ emulator, clock, dice: new Dice(seed, 'net') });
  const rig = await openRig({ exchange: { kind: okxKind(net) } as Acme, clock });
  ok(
    await rig.ask('connections.add', {
      name: 'okx',
      venue: 'okx',
      environment: 'live',
      rights: [],
      markets: ['spot', 'swap'],
      secrets: { apiKey, secret, passphrase },
      guards: { maxPositionValue: '1000000' },
    } as never),
  );
  const trade = (price: number) => {
    for (const instId of ['BTC-USDT', 'BTC-USDT-SWAP']) emulator.trade(instId, String(price), '1');
  };
  trade(60_000);
  await clock.advance(5_000);
  net.faults = STORM;
  const dice = new Dice(seed, 'acts');
  const ids: string[] = [];
  const asked: Promise<unknown>[] = [];
  for (let act = 0; act < ACTS; act++) {
    const exchange = dice.pick(['okx-spot', 'okx-swap']);
    const side = dice.pick(['BUY', 'SELL']);
    const near = side === 'BUY' ? -1 : 1;
    const order = { exchange, symbol: 'BTCUSDT', side, quantity: dice.pick(['0.001', '0.0024', '0.003']) };
    const price = String(60_000 + near * dice.int(1, 30) * 10);
    const stop = String(60_000 - near * dice.int(1, 30) * 10);
    const more = dice.pick([
      { type: 'MARKET' },
      { type: 'LIMIT', price },
      { type: 'LIMIT_MAKER', price },
      { type: 'STOP_MARKET', stopPrice: stop, workingType: 'CONTRACT_PRICE' },
    ]);
    const placed = rig.call('orders.place', { ...order, ...more } as CreateOrder);
    asked.push(placed.then((outcome) => outcome.ok && ids.push(ok(outcome).id)));
    const [id] = dice.chance(0.4) && ids.length > 0 ? [dice.pick(ids)] : [];
    const of = id === undefined ? undefined : rig.desk.state().orders[id];
    if (of) asked.push(rig.call('orders.cancel', { exchange: of.exchange, id: of.id }));
    trade(60_000 + dice.int(-30, 30) * 10);
    await clock.advance(dice.int(50, 1_500));
  }
  net.faults = {};
  await clock.advance(180_000);
  await Promise.all(asked);
  // The exchange's booked quantity, by the client id of each order.
  const booked = new Map<string, bigint>();
  const fills = log.filter(({ kind }) => kind === 'fill');
  for (const { algoClientId, clientOrderId, qty } of fills) {
    const wire = String(algoClientId || clientOrderId);
    const id = wire.replace(/^(o[sw])/, '$1-');
    booked.set(id, (booked.get(id) ?? ZERO) + dec(String(qty)));
  }
  expect(fills.length).toBeGreaterThan(0);
  const orders = Object.values(rig.desk.state().orders);
  for (const order of orders) {
    expect([order.id, order.executedQty]).toEqual([order.id, str(booked.get(order.id) ?? ZERO)]);
    booked.delete(order.id);
  }
  expect([...booked.keys()]).toEqual([]);
  const wallet = emulator.exchange.accounts.get('main');
  for (const { asset, wallet: whole } of rig.desk.state().portfolios['okx-spot']?.balances ?? [])
    expect([asset, whole]).toEqual([asset, str(wallet?.wallet.get(asset) ?? ZERO)]);
  const told = rig.log().filter((line) => /contradict|unexplained|ANOTHER DESK|doubled/i.test(line));
  expect(told).toEqual([]);
  for (const account of rig.desk.state().accounts.filter(({ id }) => id.startsWith('okx')))
    expect(account.link).toBe('up');
});
