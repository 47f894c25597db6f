/**
 * A live market of Binance over the emulator: no sockets, a virtual clock, and a record of all its reports.
 */

import type { Candle } from '../../../src/domain/rows.ts';
import type { LiveTick, MarketSink } from '../../../src/market/market-data.ts';
import { binanceMarket } from '../../../src/venues/binance/market/binance-market.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { StreamLimits } from '../../../src/venues/kit/market-streams.ts';
import type { SocketEvents, SocketRequest, WireRequest, WireSocket } from '../../../src/venues/kit/net.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/binance/emulator-net.ts';
import type { EmulatorSettings } from '../../emulators/binance/settings.ts';
import { randomOf, testEmulator } from '../../emulators/binance/support.ts';
import { Dice } from '../../simulation/dice.ts';

export const MINUTE = 60_000;

export const ADDRESSES = {
  'spot-rest': 'https://rest',
  'spot-stream': 'wss://stream',
  'futures-rest': 'https://frest',
  'futures-market': 'wss://fstream/market',
};

export class Told implements MarketSink {
  readonly all: LiveTick[] = [];
  readonly candles: { readonly symbol: string; readonly frameMs: number; readonly candle: Candle }[] = [];
  readonly gaps: string[] = [];
  readonly marks: { readonly symbol: string; readonly price: string; readonly funding?: unknown }[] = [];
  /** The last reason reported for each symbol. */
  readonly whys = new Map<string, string | null>();

  ticks(ticks: readonly LiveTick[]): void {
    this.all.push(...ticks);
  }

  mark(symbol: string, price: string, funding?: unknown): void {
    this.marks.push({ symbol, price, funding });
  }

  closed(symbol: string, frameMs: number, candle: Candle): void {
    this.candles.push({ symbol, frameMs, candle });
  }

  stale(symbol: string, why: string | null): void {
    this.whys.set(symbol, why);
  }

  gap(symbol: string): void {
    this.gaps.push(symbol);
  }

  /** The reported prices of a symbol, in order. */
  prices(symbol: string): string[] {
    return this.all.filter((tick) => tick.symbol === symbol).map(({ price }) => price);
  }
}

/** Counts its requests. */
class CountingNet extends EmulatorNet {
  /** Number of sockets ever requested. */
  made = 0;
  /** Open sockets receive nothing, not even a ping, and are not reported as broken. */
  isMute = false;

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    this.made += 1;
    return super.socket(request, {
      ...events,
      message: (text) => this.isMute || events.message(text),
      pinged: () => this.isMute || events.pinged(),
    });
  }
}

export interface RigOptions {
  readonly limits?: Partial<StreamLimits>;
  readonly kind?: 'spot' | 'futures';
  readonly settings?: EmulatorSettings;
  readonly faults?: NetFaults;
  readonly seed?: number;
}

export async function marketRig({
  kind = 'spot',
  settings = {},
  faults = {},
  seed = 1,
  limits = {},
}: RigOptions = {}) {
  const { emulator, clock } = testEmulator(settings, seed);
  const requests: WireRequest[] = [];
  const net = new CountingNet({
    emulator,
    clock,
    faults,
    dice: new Dice(seed, 'market'),
    seen: (request) => requests.push(request),
  });
  const lines: string[] = [];
  const told = new Told();
  const market = binanceMarket({
    market: `binance-${kind}`,
    kind,
    net,
    clock,
    random: randomOf(seed),
    addresses: ADDRESSES,
    way: new Addresses(clock).way('https://rest'),
    report: (text) => lines.push(text),
    limits,
  });
  const open = market.open(told);
  await clock.advance(1_000);
  await open;
  /** Lets time pass, whatever waits in between. */
  const pass = (ms: number) => clock.advance(ms);
  const print = (symbol: string, price: string, qty = '1') => emulator.print(kind, symbol, price, qty);
  /** Lets time pass to the beginning of the next minute, and `beyondMs` further. */
  const nextMinute = async (beyondMs = 0) => {
    await pass(MINUTE - (emulator.now() % MINUTE) + beyondMs);
  };
  return { emulator, clock, net, market, told, lines, requests, pass, print, nextMinute };
}
