/**
 * Depth and single trades of the three exchanges, over their emulators: one suite, as `MarketData` guarantees
 * them.
 */
import { describe, expect, it } from 'vitest';
import type { Connection, Environment } from '../../src/domain/connection.ts';
import { dec } from '../../src/domain/decimal.ts';
import type { Depth } from '../../src/domain/depth.ts';
import type { LiveTick, MarketData, MarketSink } from '../../src/market/market-data.ts';
import { binanceKind } from '../../src/venues/binance/kind.ts';
import { bybitKind } from '../../src/venues/bybit/kind.ts';
import { Addresses } from '../../src/venues/kit/addresses.ts';
import { ASK_AGAIN_MS } from '../../src/venues/kit/depth-books.ts';
import type { SocketEvents, SocketRequest, WireSocket } from '../../src/venues/kit/net.ts';
import { okxKind } from '../../src/venues/okx/kind.ts';
import { accountsOf, addressesOf } from '../../src/venues/venue-kind.ts';
import * as binance from '../emulators/binance/support.ts';
import * as bybit from '../emulators/bybit/support.ts';
import { EmulatorNet } from '../emulators/kit/emulator-net.ts';
import * as okx from '../emulators/okx/support.ts';
import { Dice } from '../simulation/dice.ts';

const VENUES = [
  ['Binance spot', binanceKind, binance.testEmulator, 'spot', 'spot', 'BTCUSDT'],
  ['Binance futures', binanceKind, binance.testEmulator, 'futures', 'futures', 'BTCUSDT'],
  ['Bybit spot', bybitKind, bybit.testEmulator, 'spot', 'spot', 'BTCUSDT'],
  ['Bybit futures', bybitKind, bybit.testEmulator, 'futures', 'linear', 'BTCUSDT'],
  ['OKX spot', okxKind, okx.testEmulator, 'spot', 'spot', 'BTC-USDT'],
  ['OKX swap', okxKind, okx.testEmulator, 'swap', 'swap', 'BTC-USDT-SWAP'],
] as const;

/** The parameters of a print; emulators name their markets and symbols as their exchange does. */
interface Printing {
  print(market: string, symbol: string, price: string, qty?: string): void;
  now(): number;
}

/** Loses the messages that it is told to lose. */
class LossyNet extends EmulatorNet {
  loses: (text: string) => boolean = () => false;
  made = 0;

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    this.made += 1;
    return super.socket(request, {
      ...events,
      message: (text) => this.loses(text) || events.message(text),
    });
  }
}

async function rigOf(venue: readonly unknown[]) {
  const [, kindOf, emulatorOf, kind, market, listed] = venue as (typeof VENUES)[number];
  const { emulator, clock } = (emulatorOf as typeof binance.testEmulator)();
  const net = new LossyNet({ emulator, clock, faults: {}, dice: new Dice(1, 'depth') } as never);
  const venueKind = (kindOf as typeof binanceKind)(net);
  const environment: Environment = 'live';
  const connection = { name: 'x', venue: venueKind.name, markets: [kind], environment, endpoints: {} };
  const found = addressesOf(venueKind, connection as Connection);
  if ('problem' in found) throw new Error(found.problem);
  const [data] = venueKind.marketData({
    connection: connection as Connection,
    addresses: found.addresses,
    clock,
    accounts: accountsOf(venueKind, connection as Connection),
    random: binance.randomOf(1),
    ways: new Addresses(clock),
    report: (text: string) => reports.push(text),
  }) as readonly MarketData[];
  if (!data) throw new Error('there is no market');
  const reports: string[] = [];
  const depths: { readonly symbol: string; readonly depth: Depth | null }[] = [];
  const ticks: LiveTick[] = [];
  const whys = new Map<string, string | null>();
  const sink: MarketSink = {
    ticks: (some) => ticks.push(...some),
    mark: () => {},
    closed: () => {},
    gap: () => {},
    stale: (symbol, why) => whys.set(symbol, why),
    depth: (symbol, depth) => depths.push({ symbol, depth }),
  };
  const open = data.open(sink);
  await clock.advance(1_000);
  await open;
  data.watch(new Map([['BTCUSDT', []]]));
  await clock.advance(2_000);
  const print = (price: string, qty = '1') =>
    (emulator as unknown as Printing).print(market, listed, price, qty);
  return { clock, net, data, depths, ticks, whys, reports, print };
}

function sound(depth: Depth | null | undefined): void {
  if (!depth) throw new Error('there is no depth');
  expect([depth.bids.length, depth.asks.length]).toEqual([10, 10]);
  const bids = depth.bids.map(([price]) => dec(price));
  const asks = depth.asks.map(([price]) => dec(price));
  expect(bids).toEqual(bids.toSorted((a, b) => (a < b ? 1 : -1)));
  expect(asks).toEqual(asks.toSorted((a, b) => (a > b ? 1 : -1)));
  expect(Number(depth.bids[0]?.[0])).toBeLessThan(Number(depth.asks[0]?.[0]));
}

describe.each(VENUES)('%s', (...venue) => {
  it('tells ten prices a side of what is looked at, as the market moves, and nothing any more afterwards', async () => {
    const x = await rigOf(venue);
    expect(x.depths).toEqual([]);
    x.data.watchDepth?.(new Set(['BTCUSDT']));
    await x.clock.advance(2_000);
    sound(x.depths.at(-1)?.depth);
    for (const price of ['60100', '60103', '60099', '61000']) {
      x.print(price);
      await x.clock.advance(1_200);
      const { depth } = x.depths.at(-1) ?? {};
      sound(depth);
      const [bid, ask] = [Number(depth?.bids[0]?.[0]), Number(depth?.asks[0]?.[0])];
      expect(Math.abs(bid - Number(price)) + Math.abs(ask - Number(price))).toBeLessThan(5);
    }
    x.data.watchDepth?.(new Set());
    await x.clock.advance(1_000);
    const before = x.depths.length;
    x.print('62000');
    await x.clock.advance(3_000);
    expect(x.depths.length).toBe(before);
    expect(x.reports).toEqual([]);
    await x.data.close();
  });

  it('says that the depth is not known while its stream is broken, and tells it anew', async () => {
    const x = await rigOf(venue);
    x.data.watchDepth?.(new Set(['BTCUSDT']));
    await x.clock.advance(2_000);
    x.net.down = true;
    await x.clock.advance(1_000);
    expect(x.depths.at(-1)).toEqual({ symbol: 'BTCUSDT', depth: null });
    x.net.down = false;
    await x.clock.advance(40_000);
    x.print('60500');
    await x.clock.advance(2_000);
    sound(x.depths.at(-1)?.depth);
    await x.data.close();
  });

  it('keeps telling prices where depth cannot be read, and asks again where a change is missing', async () => {
    const x = await rigOf(venue);
    x.data.watchDepth?.(new Set(['BTCUSDT']));
    await x.clock.advance(2_000);
    const { made } = x.net;
    let lost = 0;
    x.net.loses = (text) => /"update"|"delta"/.test(text.slice(0, 200)) && lost++ === 0;
    for (const price of ['60100', '60200', '60300']) {
      x.print(price);
      await x.clock.advance(500);
    }
    // Binance sends the whole depth each time.
    if (!venue[0].startsWith('Binance')) {
      expect(x.depths.at(-1)?.depth).toBeNull();
      await x.clock.advance(ASK_AGAIN_MS);
      expect(x.net.made).toBe(made + 1);
    }
    await x.clock.advance(2_000);
    x.print('60400');
    await x.clock.advance(2_000);
    sound(x.depths.at(-1)?.depth);
    expect(x.ticks.slice(-4).map(({ price }) => price)).toEqual(['60100', '60200', '60300', '60400']);
    expect(x.whys.get('BTCUSDT')).toBeNull();
    await x.data.close();
  });

  it('says of each trade when it was made and whether a buyer or a seller took it', async () => {
    const x = await rigOf(venue);
    x.print('60100', '2');
    await x.clock.advance(100);
    const { side, time } = x.ticks.at(-1) ?? {};
    expect(['BUY', 'SELL']).toContain(side);
    expect(time).toBeGreaterThan(0);
    await x.data.close();
  });
});
