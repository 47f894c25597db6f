/**
 * A whole desk on OKX: connected with its passphrase, trading both accounts of one wallet, and paper with its
 * prices.
 */
import { describe, expect, it } from 'vitest';
import { dec } from '../../../src/domain/decimal.ts';
import { okxKind } from '../../../src/venues/okx/kind.ts';
import { accountsOf, addressesOf, marketsProblem, placeOf } from '../../../src/venues/venue-kind.ts';
import { openRig } from '../../desk/connections/rig.ts';
import type { Acme } from '../../desk/connections/test-kind.ts';
import { ok } from '../../desk/integration/support.ts';
import { EmulatorNet } from '../../emulators/kit/emulator-net.ts';
import { OkxEmulator } from '../../emulators/okx/emulator.ts';
import { TEST_KEY } from '../../emulators/okx/keys.ts';
import type { EmulatorSettings } from '../../emulators/okx/settings.ts';
import { randomOf } from '../../emulators/okx/support.ts';
import { Dice } from '../../simulation/dice.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const { apiKey, secret, passphrase } = TEST_KEY;
const REQUEST = {
  name: 'okx',
  venue: 'okx',
  environment: 'live',
  rights: [] as [],
  markets: ['spot', 'swap'],
  secrets: { apiKey, secret, passphrase },
} as const;

function exchange(settings: EmulatorSettings = {}) {
  const clock = new VirtualClock(Date.UTC(2026, 10, 25, 12), { autoTurns: true });
  const emulator = new OkxEmulator({ clock, random: randomOf(1), settings });
  const net = new EmulatorNet({ emulator, clock, dice: new Dice(1, 'desk') });
  return { clock, emulator, net, kind: okxKind(net) };
}

describe('a connection', () => {
  it('gives an account of each market on one wallet, which trade, and no secret is in log or state', async () => {
    const { clock, emulator, kind } = exchange({ balances: { USDT: '100000' } });
    const rig = await openRig({ exchange: { kind } as Acme, clock });
    const view = ok(await rig.ask('connections.add', REQUEST as never));
    expect(view).toMatchObject({
      name: 'okx',
      state: 'ready',
      place: 'LIVE',
      accounts: ['okx-spot', 'okx-swap'],
    });
    await rig.clock.advance(5_000);
    for (const instId of ['BTC-USDT', 'BTC-USDT-SWAP']) emulator.trade(instId, '60000');
    await rig.clock.advance(1_000);
    const order = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '59000',
      quantity: '0.01',
    } as const;
    const spot = ok(await rig.ask('orders.place', { exchange: 'okx-spot', ...order }));
    const swap = ok(await rig.ask('orders.place', { exchange: 'okx-swap', ...order }));
    expect([spot.status, swap.status]).toEqual(['OPENED', 'OPENED']);
    for (const instId of ['BTC-USDT', 'BTC-USDT-SWAP']) emulator.trade(instId, '58900');
    await rig.clock.advance(3_000);
    const state = (id: string) => rig.desk.state().orders[id]?.status;
    expect([state(spot.id), state(swap.id)]).toEqual(['CLOSED', 'CLOSED']);
    const portfolio = rig.desk.state().portfolios['okx-swap'];
    expect(portfolio?.sharedWith).toEqual(['okx-spot']);
    const btc = portfolio?.balances?.find(({ asset }) => asset === 'BTC');
    expect(dec(btc?.wallet ?? '0')).toBeGreaterThan(dec('0.0099'));
    expect(rig.log().join('\n')).not.toContain(secret);
    expect(JSON.stringify(rig.desk.state())).not.toContain(passphrase);
  });

  it('is tried first, and each thing that is wrong is a line with what to do', async () => {
    const { clock, kind } = exchange({ acctLv: '1' });
    const rig = await openRig({ exchange: { kind } as Acme, clock });
    const { rights: _, ...rest } = REQUEST;
    const found = ok(await rig.ask('connections.test', rest as never));
    const lines = found.lines.map(({ exchange: of, name, level, text }) => `${of} ${name} ${level} ${text}`);
    expect(lines.some((line) => line.startsWith('okx-spot reachable ok'))).toBe(true);
    expect(lines.find((line) => line.startsWith('okx-swap'))).toMatch(/Spot mode.*choose Futures mode/);
    expect(found.passed).toBe(false);
  });
});

describe('as a kind of exchange it', () => {
  const { kind } = exchange();

  it('has live and demo, both markets by one key, and a wallet for both', () => {
    for (const environment of ['live', 'demo'] as const) {
      expect(marketsProblem(kind, ['spot', 'swap'], environment)).toBeNull();
      const found = addressesOf(kind, { markets: ['spot'], environment, endpoints: {} });
      if ('problem' in found) throw new Error(found.problem);
      expect(Object.keys(found.addresses)).toEqual([
        'rest',
        'public-stream',
        'private-stream',
        'business-stream',
      ]);
      expect(placeOf(kind, environment, found.addresses)).toBe(environment === 'live' ? 'LIVE' : 'DEMO');
    }
    expect(marketsProblem(kind, ['spot'], 'testnet')).toMatch(/no testnet/);
    const connection = {
      name: 'mine',
      venue: 'okx',
      environment: 'demo',
      markets: ['spot', 'swap'],
      endpoints: {},
    } as const;
    expect(
      accountsOf(kind, connection).map(({ id, kind: of, market, wallet }) => [id, of, market, wallet]),
    ).toEqual([
      ['mine-spot', 'spot', 'okx-demo-spot', 'mine'],
      ['mine-swap', 'futures', 'okx-demo-swap', 'mine'],
    ]);
  });

  it('refuses hosts of the live exchange under demo', () => {
    const endpoints = { 'private-stream': 'wss://ws.okx.com:8443/ws/v5/private' };
    expect(addressesOf(kind, { markets: ['spot'], environment: 'demo', endpoints })).toMatchObject({
      problem: expect.stringContaining('is OKX live, not demo'),
    });
  });
});

it('paper accounts at its prices trade what it lists: spot on spot, futures on swaps', async () => {
  const { clock, emulator, kind } = exchange();
  const rig = await openRig({ exchange: { kind } as Acme, clock, feed: 'okx', vault: 'none' });
  await rig.clock.advance(10_000);
  for (const [instId, price] of [
    ['BTC-USDT', '60123.4'],
    ['BTC-USDT-SWAP', '60150.5'],
  ] as const)
    emulator.trade(instId, price);
  await rig.clock.advance(1_000);
  const market = { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' } as const;
  for (const [of, price] of [
    ['paper-spot', '60123.4'],
    ['paper-futures', '60150.5'],
  ] as const) {
    const order = ok(await rig.ask('orders.place', { exchange: of, ...market }));
    expect(order).toMatchObject({ status: 'CLOSED', executedQty: '0.01' });
    const last = rig.desk.state().prices[`${of === 'paper-spot' ? 'okx-spot' : 'okx-swap'} BTCUSDT`]?.last;
    expect(last).toBe(price);
    const detail = await rig.ask('orders.detail', { id: order.id });
    expect(JSON.stringify(detail)).toContain(price);
  }
});
