/** A live market of OKX over its emulator: no sockets, a virtual clock, and a record of all reports. */

import type { Depth } from '../../../src/domain/depth.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { LiveTick, MarketSink } from '../../../src/market/market-data.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { StreamLimits } from '../../../src/venues/kit/market-streams.ts';
import type { WireRequest } from '../../../src/venues/kit/net.ts';
import type { OkxMarketKind } from '../../../src/venues/okx/account-given.ts';
import { okxMarket } from '../../../src/venues/okx/market/okx-market.ts';
import type { NetFaults } from '../../emulators/kit/emulator-net.ts';
import { randomOf, testEmulator } from '../../emulators/okx/support.ts';
import { Dice } from '../../simulation/dice.ts';
import { ADDRESSES, MeddlingNet, REST } from './rig.ts';

export const MINUTE = 60_000;

export class Told implements MarketSink {
  readonly all: LiveTick[] = [];
  readonly candles: { readonly symbol: string; readonly frameMs: number; readonly candle: Candle }[] = [];
  readonly gaps: string[] = [];
  readonly marks: { readonly symbol: string; readonly price: string; readonly funding?: unknown }[] = [];
  readonly whys = new Map<string, string | null>();
  readonly depths: { readonly symbol: string; readonly depth: Depth | null }[] = [];

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

  depth(symbol: string, depth: Depth | null): void {
    this.depths.push({ symbol, depth });
  }

  gap(symbol: string): void {
    this.gaps.push(symbol);
  }

  prices(symbol: string): string[] {
    return this.all.filter((tick) => tick.symbol === symbol).map(({ price }) => price);
  }
}

export async function marketRig(
  kind: OkxMarketKind = 'spot',
  { limits = {}, faults = {} }: { limits?: Partial<StreamLimits>; faults?: NetFaults } = {},
) {
  const { emulator, clock } = testEmulator();
  const requests: WireRequest[] = [];
  const net = new MeddlingNet({
    emulator,
    clock,
    faults,
    dice: new Dice(1, 'market'),
    seen: (request) => requests.push(request),
  });
  const lines: string[] = [];
  const told = new Told();
  const market = okxMarket({
    market: `okx-${kind}`,
    kind,
    environment: 'live',
    net,
    clock,
    random: randomOf(1),
    limits,
    addresses: ADDRESSES,
    way: new Addresses(clock).way(REST),
    report: (text) => lines.push(text),
  });
  const open = market.open(told);
  await clock.advance(1_000);
  await open;
  const during = async <T>(asked: Promise<T>): Promise<T> => {
    await clock.advance(1_000);
    return asked;
  };
  const nextMinute = (beyond = 0) => clock.advance(MINUTE - (emulator.now() % MINUTE) + beyond);
  return { emulator, clock, net, market, told, lines, requests, during, nextMinute };
}

export const watched = (symbol: string, ...frames: number[]) => new Map([[symbol, frames]]);
