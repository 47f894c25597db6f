/**
 * A leverage that is changed elsewhere while a contract is flat, at exchanges that report this to nobody: no
 * run trades with that leverage.
 */
import { describe, expect, it } from 'vitest';
import type { MarketKind } from '../../src/domain/connection.ts';
import type { PublicBot } from '../../src/schemas/bot.ts';
import { bybitKind } from '../../src/venues/bybit/kind.ts';
import type { WireAnswer, WireRequest } from '../../src/venues/kit/net.ts';
import { okxKind } from '../../src/venues/okx/kind.ts';
import { openRig } from '../desk/connections/rig.ts';
import type { Acme } from '../desk/connections/test-kind.ts';
import { ok } from '../desk/integration/support.ts';
import { TEST_KEY as BYBIT_KEY } from '../emulators/bybit/keys.ts';
import { testEmulator as bybitEmulator } from '../emulators/bybit/support.ts';
import { EmulatorNet } from '../emulators/kit/emulator-net.ts';
import type { VenueEmulator } from '../emulators/kit/wire.ts';
import { TEST_KEY as OKX_KEY } from '../emulators/okx/keys.ts';
import { testEmulator as okxEmulator } from '../emulators/okx/support.ts';
import { Dice } from '../simulation/dice.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

const START = Date.UTC(2026, 10, 25, 12);
const OWN = 5;

/** An exchange, its owner's changes at another place, and the leverage there. */
interface Exchange {
  readonly emulator: VenueEmulator;
  readonly change: (leverage: number) => void;
  readonly leverage: () => number;
  readonly price: (price: string) => void;
}

const bybit = (clock: VirtualClock): Exchange => {
  const { emulator, get, post } = bybitEmulator({}, 1, clock);
  return {
    emulator,
    change: (leverage) => {
      const both = { buyLeverage: String(leverage), sellLeverage: String(leverage) };
      post('/v5/position/set-leverage', { category: 'linear', symbol: 'BTCUSDT', ...both });
    },
    leverage: () =>
      Number(get('/v5/position/list', { category: 'linear', symbol: 'BTCUSDT' }).result.list[0].leverage),
    price: (price) => emulator.printLinear('BTCUSDT', price, '1'),
  };
};

const okx = (clock: VirtualClock): Exchange => {
  const { emulator, get, post } = okxEmulator({ balances: { USDT: '100000' } }, 1, clock);
  const instrument = { instId: 'BTC-USDT-SWAP', mgnMode: 'cross' };
  return {
    emulator,
    change: (leverage) =>
      void post('/api/v5/account/set-leverage', { ...instrument, lever: String(leverage) }),
    leverage: () => Number(get('/api/v5/account/leverage-info', instrument).body.data[0].lever),
    price: (price) => emulator.trade('BTC-USDT-SWAP', price),
  };
};

/** Loses this many settings of the leverage, or their answers. */
class LosingNet extends EmulatorNet {
  loses: 'request' | 'answer' = 'request';
  left = 0;
  tried = 0;

  override async request(request: WireRequest): Promise<WireAnswer> {
    if (!request.path.includes('set-leverage')) return super.request(request);
    this.tried += 1;
    if (this.left === 0) return super.request(request);
    this.left -= 1;
    if (this.loses === 'answer') await super.request(request);
    return { kind: 'lost', cause: `the ${this.loses} was lost` };
  }
}

async function traded(name: 'bybit' | 'okx') {
  const clock = new VirtualClock(START, { autoTurns: true });
  const exchange = name === 'okx' ? okx(clock) : bybit(clock);
  const net = new LosingNet({ emulator: exchange.emulator, clock, dice: new Dice(1, 'leverage') });
  const kind = (name === 'okx' ? okxKind : bybitKind)(net);
  const rig = await openRig({ exchange: { kind } as Acme, clock });
  const { apiKey, secret } = name === 'okx' ? OKX_KEY : BYBIT_KEY;
  const market: MarketKind = name === 'okx' ? 'swap' : 'futures';
  ok(
    await rig.ask('connections.add', {
      name: 'mine',
      venue: name,
      environment: 'live',
      markets: [market],
      rights: [],
      secrets: { apiKey, secret, ...(name === 'okx' ? { passphrase: OKX_KEY.passphrase } : {}) },
    } as never),
  );
  exchange.price('60000');
  await rig.clock.advance(5_000);
  const account = `mine-${market}`;
  const settings = {
    exchange: account,
    symbol: { base: 'BTC', quote: 'USDT' },
    flavor: 'LEVELS',
    deposit: { value: '150', asset: 'USDT', leverage: OWN },
    levels: [{ buy: '59000', sell: '61000' }],
  };
  const { id } = ok(
    await rig.ask('bots.create', { bot: { type: 'CHANNEL', settings } } as never),
  ) as PublicBot;
  const bot = () => rig.desk.state().bots[id];
  const resting = () =>
    Object.values(rig.desk.state().orders).filter(
      ({ exchange: of, status }) => of === account && status === 'OPENED',
    ).length;
  const start = async () => {
    ok(await rig.ask('bots.start', { id } as never));
    await rig.clock.advance(1_000);
    exchange.price('60000');
    await rig.clock.advance(2_000);
  };
  const stop = async () => {
    const runId = bot()?.runId;
    ok(await rig.ask('bots.stop', { id, runId, way: { cleanup: 'cancelAllOrders', force: true } } as never));
    await rig.clock.advance(3_000);
  };
  await start();
  return { rig, net, exchange, bot, resting, start, stop };
}

it.each(['bybit', 'okx'] as const)(
  'a start at %s sets the leverage that it asks for, also where the last that was told is the same',
  async (name) => {
    const { exchange, bot, resting, start, stop } = await traded(name);
    expect([exchange.leverage(), resting(), bot()?.status]).toEqual([OWN, 1, 'STARTED']);
    await stop();
    exchange.change(20);
    await start();
    expect([exchange.leverage(), resting(), bot()?.status]).toEqual([OWN, 1, 'STARTED']);
  },
);

describe('a start that cannot set it', () => {
  it('tries again where answers or requests are lost, four times at most; while the line is down it waits', async () => {
    const { net, exchange, bot, resting, start, stop, rig } = await traded('okx');
    await stop();
    exchange.change(20);
    Object.assign(net, { loses: 'answer', left: 3, tried: 0 });
    await start();
    expect([bot()?.status, resting(), net.tried, exchange.leverage()]).toEqual(['STARTED', 1, 4, OWN]);

    await stop();
    exchange.change(20);
    net.down = true;
    await rig.clock.advance(30_000);
    net.tried = 0;
    await start();
    expect([bot()?.status, resting(), net.tried, exchange.leverage()]).toEqual(['STARTED', 0, 0, 20]);
    net.down = false;
    await rig.clock.advance(30_000);
    exchange.price('60000');
    await rig.clock.advance(2_000);
    expect([bot()?.status, resting(), net.tried, exchange.leverage()]).toEqual(['STARTED', 1, 1, OWN]);

    await stop();
    exchange.change(20);
    Object.assign(net, { loses: 'request', left: 4, tried: 0 });
    await start();
    expect([bot()?.status, resting(), net.tried, exchange.leverage()]).toEqual(['ERROR', 0, 4, 20]);
  });
});
