/**
 * Which market each paper account mirrors, what it asks of that one, and what is refused; the funding of the
 * contracts that no feed tells of.
 */
import { describe, expect, it } from 'vitest';
import type { LiveMarkets } from '../../../src/desk/market/live/live-markets.ts';
import { type Mirrors, mirrorOf, openMirrors } from '../../../src/desk/paper/mirrors.ts';
import { paperFunding } from '../../../src/desk/paper/paper-funding.ts';
import type { MarketKind } from '../../../src/domain/connection.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { VenueKind } from '../../../src/venues/venue-kind.ts';
import { BTC, CAPS, ETH, FUTURES_CAPS } from '../../engine/support/market.ts';
import { FakeMarket } from '../../support/fake-market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { acme } from '../connections/test-kind.ts';

const [SPOT, FUTURES] = ['paper-spot', 'paper-futures'];

function kinds() {
  const exchange = acme();
  const given: Parameters<VenueKind['marketData']>[0][] = [];
  const kind = (name: string, markets: readonly MarketKind[]): VenueKind => ({
    ...exchange.kind,
    name,
    markets,
    environments: { live: [markets] },
    marketData: (asked) => {
      given.push(asked);
      return exchange.kind.marketData(asked).toReversed();
    },
  });
  return { given, list: [kind('okx', ['spot', 'swap']), kind('bybit', ['futures'])] };
}

function opened(feed: string, more: object = {}) {
  const clock = new VirtualClock();
  const { given, list } = kinds();
  const options = { feed, speed: 1, hold: false, ...more };
  const common = { clock, random: { id: () => '', next: () => 0 }, ways: {} as never, report: () => {} };
  return { given, mirrors: openMirrors({ options, kinds: list, ...common }) };
}

const found = ({ mirrors }: { mirrors: Mirrors | null }) =>
  mirrors && [
    mirrors.accounts.map(({ id }) => id),
    [SPOT, FUTURES].map((account) => mirrors.marketOf(account)?.market),
  ];

describe('a feed', () => {
  it('of an exchange is mirrored by the accounts of its markets, each by that of its own kind', () => {
    const whole = opened('okx');
    const [spot, swap] = (found(whole)?.[1] ?? []) as string[];
    expect(found(whole)?.[0]).toEqual([SPOT, FUTURES]);
    expect(new Set([spot, swap]).size).toBe(2);
    expect(whole.mirrors?.markets.map(({ market }) => market).toSorted()).toEqual([spot, swap].toSorted());
    expect(whole.given[0]?.connection).toEqual({
      name: 'okx',
      venue: 'okx',
      markets: ['spot', 'swap'],
      environment: 'live',
      endpoints: {},
    });
    expect(found(opened('okx:spot'))).toEqual([[SPOT], [spot, undefined]]);
    expect(found(opened('okx:futures'))).toEqual([[FUTURES], [undefined, swap]]);
    const single = found(opened('bybit'));
    expect(single?.[0]).toEqual([FUTURES]);
    expect(single?.[1]?.[0]).toBeUndefined();
    expect(single?.[1]?.[1]).toMatch(/bybit/);
  });

  it('of its own is none', () => {
    for (const feed of ['synthetic', 'csv:/tmp/x']) expect(opened(feed).mirrors).toBeNull();
  });

  it('has no ticks, and is of its own name from the start', () => {
    const opening = opened('okx').mirrors?.openFeed;
    const { feed, samplePrices } = opening?.({} as never, {} as never, 5_000, () => {}) ?? {};
    expect([feed?.label, feed?.pushed, feed?.live, feed?.symbols, samplePrices?.('BTCUSDT')]).toEqual([
      'okx',
      true,
      true,
      [],
      [],
    ]);
  });

  it('takes the addresses that are set for it, and no others', () => {
    const feeds = {
      okx: { 'spot-rest': 'http://127.0.0.1:9' },
      bybit: { 'spot-rest': 'http://127.0.0.1:8' },
    };
    expect(opened('okx', { feeds }).given[0]?.addresses['spot-rest']).toBe('http://127.0.0.1:9');
    expect(() => opened('okx', { feeds: { okx: { nowhere: 'http://127.0.0.1:9' } } })).toThrow(
      /^\[feeds\.okx\] /,
    );
  });

  it.each([
    ['okx', { speed: 2 }, '--feed okx runs with the clock; leave out --speed and --hold'],
    ['okx', { hold: true }, '--feed okx runs with the clock; leave out --speed and --hold'],
    ['binance', {}, '--feed binance: binance is not built in'],
    ['bybit:spot', {}, '--feed bybit:spot: Acme has no spot market here'],
  ])('%s with %j is refused', (feed, options, words) => {
    expect(() => opened(feed, options)).toThrow(words);
  });
});

describe('an account that mirrors a market', () => {
  const mirrored = (data: FakeMarket, live: object | undefined, account = SPOT) => {
    const meta = new Map([
      [`instruments ${SPOT}`, [BTC]],
      [`instruments ${FUTURES}`, [ETH, BTC]],
    ]);
    const of = (market: string) => (market === data.market ? live : undefined);
    return mirrorOf(data, account, meta, () => ({ of }) as unknown as LiveMarkets);
  };

  it('asks it for instruments and past funding of its own, and knows those of before', async () => {
    const data = new FakeMarket(new VirtualClock());
    const bare = mirrored(data, undefined);
    expect(await bare.instruments()).toBeNull();
    expect(await bare.funding('BTCUSDT', 1, 2)).toBeNull();
    expect(bare.before.map(({ symbol }) => symbol)).toEqual(['BTCUSDT']);
    expect(mirrored(data, undefined, FUTURES).before).toHaveLength(2);
    const asked: unknown[] = [];
    Object.assign(data, {
      instruments: async (account: string) => {
        asked.push(account);
        return [ETH];
      },
      funding: async (...of: unknown[]) => {
        asked.push(of);
        return [{ at: 1, rate: '0.1', mark: null }];
      },
    });
    const mirror = mirrored(data, undefined, FUTURES);
    expect([await mirror.instruments(), await mirror.funding('ETHUSDT', 3, 9)]).toEqual([
      [ETH],
      [{ at: 1, rate: '0.1', mark: null }],
    ]);
    expect(asked).toEqual([FUTURES, ['ETHUSDT', 3, 9]]);
  });

  it('is without prices where its market is gone, else as that says', () => {
    const data = new FakeMarket(new VirtualClock());
    const gone = mirrored(data, undefined);
    expect([gone.isFresh('BTCUSDT'), gone.isBroken('BTCUSDT')]).toEqual([false, true]);
    gone.want('BTCUSDT');
    gone.opened([BTC]);
    const wanted: unknown[][] = [];
    const there = mirrored(data, {
      isFresh: (symbol: string) => symbol === 'BTCUSDT',
      isBroken: (symbol: string) => symbol === 'ETHUSDT',
      want: (...of: unknown[]) => void wanted.push(of),
    });
    expect(['BTCUSDT', 'ETHUSDT'].map((symbol) => [there.isFresh(symbol), there.isBroken(symbol)])).toEqual([
      [true, false],
      [false, true],
    ]);
    there.want('ODDUSDT');
    // Of what it trades, the usual symbols are watched from then on.
    there.opened([ETH, { ...BTC, symbol: 'ODDUSDT' }, BTC]);
    expect(wanted[0]).toEqual(['ODDUSDT']);
    expect(wanted.slice(1).toSorted()).toEqual([
      ['BTCUSDT', true],
      ['ETHUSDT', true],
    ]);
  });
});

it('funding of a paper contract is its own rate at the next eighth hour; of anything else there is none', () => {
  const { memory } = new Engine();
  memory.addAccount({ id: SPOT, name: SPOT, kind: 'spot', market: 'paper' }, CAPS, [BTC]);
  memory.addAccount({ id: FUTURES, name: FUTURES, kind: 'futures', market: 'paper' }, FUTURES_CAPS, [ETH]);
  memory.addAccount({ id: 'x', name: 'x', kind: 'futures', market: 'other' }, FUTURES_CAPS, [BTC]);
  const hours = (hour: number, ms = 0) => Date.UTC(2026, 0, 5, hour) + ms;
  expect(paperFunding(memory, 'paper', 'ETHUSDT', hours(7, 3_599_999))).toEqual({
    rate: '0.0001',
    at: hours(8),
  });
  expect(paperFunding(memory, 'paper', 'ETHUSDT', hours(8))?.at).toBe(hours(16));
  expect(paperFunding(memory, 'paper', 'BTCUSDT', hours(8))).toBeNull();
  expect(paperFunding(memory, 'other', 'ETHUSDT', hours(8))).toBeNull();
});
