/**
 * Binance as a kind of exchange: what it offers where, at which addresses, and that each account and each
 * market goes to its own address, on which it shares what may be sent.
 */
import { describe, expect, it } from 'vitest';
import type { Connection, Environment, MarketKind } from '../../../src/domain/connection.ts';
import { binanceKind } from '../../../src/venues/binance/kind.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { answered, HandNet } from '../kit/hand-net.ts';
import { secretsOf } from './spot-support.ts';

function connected(environment: Environment, markets: readonly MarketKind[]) {
  const clock = new VirtualClock();
  const net = new HandNet();
  const kind = binanceKind(net);
  const connection: Connection = { name: 'mine', venue: 'binance', markets, environment, endpoints: {} };
  const found = addressesOf(kind, connection);
  if ('problem' in found) throw new Error(found.problem);
  const reports: string[] = [];
  const given = {
    ...{ connection, addresses: found.addresses, accounts: accountsOf(kind, connection), clock },
    ...{ secrets: secretsOf(), random: { id: () => 'id', next: () => 0 }, ways: new Addresses(clock) },
    report: (text: string) => reports.push(text),
  };
  return { kind, given, net, clock, reports };
}

describe('the kind Binance', () => {
  it('offers spot and futures, each where there is such a market', () => {
    const { title, markets, environments, credentials, makesKey, sharedWallet } = binanceKind(new HandNet());
    expect([title, markets, environments]).toEqual([
      'Binance',
      ['spot', 'futures'],
      { live: [['spot', 'futures']], testnet: [['spot']], demo: [['spot'], ['futures']] },
    ]);
    expect(credentials.map(({ name }) => name)).toEqual(['apiKey', 'secret']);
    expect([makesKey, sharedWallet]).toEqual([true, false]);
  });

  it.each<[Environment, Record<string, string>]>([
    [
      'live',
      {
        'spot-rest': 'https://api.binance.com',
        'spot-stream': 'wss://stream.binance.com:9443',
        'spot-api': 'wss://ws-api.binance.com/ws-api/v3',
        'futures-rest': 'https://fapi.binance.com',
        'futures-public': 'wss://fstream.binance.com/public',
        'futures-market': 'wss://fstream.binance.com/market',
        'futures-private': 'wss://fstream.binance.com/private',
      },
    ],
    [
      'testnet',
      {
        'spot-rest': 'https://testnet.binance.vision',
        'spot-stream': 'wss://stream.testnet.binance.vision',
        'spot-api': 'wss://ws-api.testnet.binance.vision/ws-api/v3',
      },
    ],
    [
      'demo',
      {
        'spot-rest': 'https://demo-api.binance.com',
        'spot-stream': 'wss://demo-stream.binance.com',
        'spot-api': 'wss://demo-ws-api.binance.com/ws-api/v3',
        'futures-rest': 'https://demo-fapi.binance.com',
        'futures-public': 'wss://demo-fstream.binance.com/public',
        'futures-market': 'wss://demo-fstream.binance.com/market',
        'futures-private': 'wss://demo-fstream.binance.com/private',
      },
    ],
  ])('has these addresses in %s', (environment, addresses) => {
    const { endpoints } = binanceKind(new HandNet());
    const found = endpoints.flatMap(({ name, addresses: of }) => {
      const address = of[environment];
      return address === undefined ? [] : [[name, address]];
    });
    expect(Object.fromEntries(found)).toEqual(addresses);
  });

  it('opens each account at the address of its market, with a budget of its own there', async () => {
    const { kind, given, net, clock } = connected('live', ['spot', 'futures']);
    const [spot, futures] = kind.open(given);
    expect([spot?.account, futures?.account].map((one) => `${one?.id} ${one?.kind} ${one?.market}`)).toEqual([
      'mine-spot spot binance-spot',
      'mine-futures futures binance-futures',
    ]);
    const sink = { order: () => {}, fill: () => {}, balances: () => {}, stream: () => {} };
    const opening = [spot?.open(sink), futures?.open(sink)].map((one) => one?.catch(() => {}));
    await clock.advance(10);
    expect(net.requests.map(({ request }) => `${request.origin}${request.path}`)).toEqual([
      'https://api.binance.com/api/v3/time',
      'https://fapi.binance.com/fapi/v1/time',
    ]);
    // A ban of one address is none of the other.
    net.requests[0]?.answer(answered(418, {}, { 'retry-after': '60' }));
    await clock.advance(10);
    expect(spot?.canSend?.('cancel', 'BTCUSDT')?.retryAfterMs).toBeGreaterThan(59_000);
    expect(futures?.canSend?.('cancel', 'BTCUSDT')).toBeNull();
    net.requests[1]?.answer(answered(500, {}));
    await Promise.all(opening);
  });

  it.each<[Environment, MarketKind, hasRights: boolean, converts: boolean]>([
    ['live', 'spot', true, true],
    ['live', 'futures', true, false],
    ['testnet', 'spot', false, false],
    ['demo', 'spot', false, false],
    ['demo', 'futures', false, false],
  ])(
    'asks in %s on %s what a key may do where there is a wallet',
    (environment, market, hasRights, converts) => {
      const { kind, given } = connected(environment, [market]);
      const [venue] = kind.open(given);
      expect([venue?.permissions !== undefined, venue?.conversion !== undefined]).toEqual([
        hasRights,
        converts,
      ]);
    },
  );

  it('asks the wallet of a futures account at the address of spot', async () => {
    const { kind, given, net, clock } = connected('live', ['futures']);
    const [futures] = kind.open(given);
    void futures?.permissions?.();
    await clock.advance(10);
    expect(net.requests.map(({ request }) => `${request.origin}${request.path}`)).toEqual([
      'https://api.binance.com/api/v3/time',
    ]);
    // A ban there is one of spot, and none of futures.
    net.requests[0]?.answer(answered(418, {}, { 'retry-after': '60' }));
    await clock.advance(10);
    expect(futures?.canSend?.('entry', 'BTCUSDT')).toBeNull();
    void futures?.permissions?.();
    await clock.advance(1_000);
    expect(net.requests).toHaveLength(1);
  });

  it('has no market that is not there', () => {
    const { kind, given } = connected('testnet', ['spot']);
    const wrong = { ...given, connection: { ...given.connection, markets: ['futures' as const] } };
    expect(() => kind.open(wrong)).toThrow('Binance has no futures here');
    const { kind: other, given: none } = connected('live', ['spot']);
    expect(() => other.open({ ...none, connection: { ...none.connection, markets: [] } })).toThrow(
      'Binance has no such market here',
    );
  });

  it('has the prices of each market, under the name of that market', async () => {
    const { kind, given, net, clock, reports } = connected('live', ['spot', 'futures']);
    const markets = kind.marketData(given);
    expect(markets.map(({ market }) => market)).toEqual(['binance-spot', 'binance-futures']);
    const sink = { ticks: () => {}, mark: () => {}, closed: () => {}, stale: () => {}, gap: () => {} };
    const opening = markets.map((one) => one.open(sink).catch((error: Error) => error.message));
    await clock.advance(10);
    expect(net.requests.map(({ request }) => `${request.origin}${request.path}`)).toEqual([
      'https://api.binance.com/api/v3/time',
      'https://fapi.binance.com/fapi/v1/time',
    ]);
    for (const { answer } of net.requests) answer(answered(500, 'busy'));
    await clock.advance(10);
    expect(await Promise.all(opening)).toEqual(Array(2).fill('it was answered 500: busy'));
    expect(reports).toEqual([]);
    const nowhere = { ...given, addresses: {} };
    expect(kind.marketData(nowhere)).toEqual([]);
  });

  it('hears prices and depth of each market on sockets of its own, subscribed by name', async () => {
    const { kind, given, net, clock } = connected('live', ['spot', 'futures']);
    const sink = {
      ...{ ticks: () => {}, mark: () => {}, closed: () => {}, stale: () => {}, gap: () => {} },
      depth: () => {},
    };
    for (const market of kind.marketData(given)) {
      const opening = market.open(sink);
      await clock.advance(10);
      net.requests.at(-1)?.answer(answered(200, { serverTime: clock.wall() }));
      await opening;
      market.watch(new Map([['BTCUSDT', [60_000]]]));
      market.watchDepth?.(new Set(['BTCUSDT']));
    }
    await clock.advance(1_000);
    for (const { events } of net.sockets) events.opened();
    await clock.advance(1_000);
    const depth = ['btcusdt@depth10@100ms'];
    const trades = ['btcusdt@aggTrade', 'btcusdt@kline_1m'];
    const marks = ['btcusdt@aggTrade', 'btcusdt@kline_1m', 'btcusdt@markPrice@1s'];
    const seen = net.sockets.map(({ request, sent }) => {
      const { method, params } = JSON.parse(sent[0] ?? '{}') as { method: string; params: string[] };
      return [request.url, method, params.toSorted(), sent.length];
    });
    expect(seen.sort()).toEqual([
      ['wss://fstream.binance.com/market/ws', 'SUBSCRIBE', marks, 1],
      ['wss://fstream.binance.com/public/stream', 'SUBSCRIBE', depth, 1],
      ['wss://stream.binance.com:9443/stream', 'SUBSCRIBE', depth, 1],
      ['wss://stream.binance.com:9443/ws', 'SUBSCRIBE', trades, 1],
    ]);
  });

  it('changes the socket of prices an hour before its day is over', async () => {
    const { kind, given, net, clock } = connected('live', ['spot', 'futures']);
    const long: { readonly ms: number; readonly run: () => void }[] = [];
    const after = clock.after.bind(clock);
    clock.after = (ms, run) => {
      if (ms > 3_600_000) long.push({ ms, run });
      return after(ms, run);
    };
    const sink = { ticks: () => {}, mark: () => {}, closed: () => {}, stale: () => {}, gap: () => {} };
    for (const market of kind.marketData(given)) {
      const opening = market.open(sink);
      await clock.advance(10);
      net.requests.at(-1)?.answer(answered(200, { serverTime: clock.wall() }));
      await opening;
      market.watch(new Map([['BTCUSDT', []]]));
    }
    await clock.advance(1_000);
    for (const { events } of net.sockets) events.opened();
    await clock.advance(1_000);
    for (const { events, sent } of net.sockets)
      events.message(JSON.stringify({ id: JSON.parse(sent[0] ?? '{}').id, result: null }));
    // The only timers as long as that; a day that passes in seconds.
    expect(long.map(({ ms }) => ms)).toEqual([23 * 3_600_000, 23 * 3_600_000]);
    expect(net.sockets).toHaveLength(2);
    for (const { run } of long) run();
    await clock.advance(1_000);
    expect(net.sockets).toHaveLength(4);
  });
});
