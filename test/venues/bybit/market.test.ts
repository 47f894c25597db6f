/**
 * Live prices of Bybit over its emulator: trades, closed candles, marks and funding, breaks, and past candles
 * by request.
 */
import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { MarketData, MarketSink } from '../../../src/market/market-data.ts';
import { bybitKind } from '../../../src/venues/bybit/kind.ts';
import {
  readFunding,
  readKlines,
  readPrices,
  readStream,
} from '../../../src/venues/bybit/market/messages.ts';
import { Addresses } from '../../../src/venues/kit/addresses.ts';
import type { SocketEvents, SocketRequest, WireSocket } from '../../../src/venues/kit/net.ts';
import { accountsOf, addressesOf } from '../../../src/venues/venue-kind.ts';
import { randomOf, testEmulator } from '../../emulators/bybit/support.ts';
import { EmulatorNet, type NetFaults } from '../../emulators/kit/emulator-net.ts';
import { Dice } from '../../simulation/dice.ts';
import { readShared } from '../../support/shared-data.ts';

const MINUTE = 60_000;

class ToldNet extends EmulatorNet {
  /** Messages sent on sockets. */
  readonly said: { op: string; args?: string[] }[] = [];

  override socket(request: SocketRequest, events: SocketEvents): WireSocket {
    const socket = super.socket(request, events);
    return {
      ...socket,
      send: (text) => {
        this.said.push(JSON.parse(text));
        return socket.send(text);
      },
      close: () => socket.close(),
    };
  }
}

async function marketRig(kind: 'spot' | 'futures' = 'spot', faults: NetFaults = {}) {
  const { emulator, clock } = testEmulator();
  const net = new ToldNet({ emulator, clock, faults, dice: new Dice(1, 'market') });
  const told = {
    ticks: [] as string[],
    marks: [] as { symbol: string; price: string; funding?: unknown }[],
    candles: [] as { frameMs: number; candle: Candle }[],
    gaps: [] as string[],
    whys: new Map<string, string | null>(),
    reports: [] as string[],
  };
  const sink: MarketSink = {
    ticks: (ticks) =>
      told.ticks.push(...ticks.map(({ symbol, price, volume }) => `${symbol} ${price} ${volume}`)),
    mark: (symbol, price, funding) => told.marks.push({ symbol, price, funding }),
    closed: (_symbol, frameMs, candle) => told.candles.push({ frameMs, candle }),
    stale: (symbol, why) => told.whys.set(symbol, why),
    gap: (symbol) => told.gaps.push(symbol),
  };
  const venueKind = bybitKind(net);
  const connection: Connection = {
    name: 'bybit',
    venue: 'bybit',
    markets: [kind],
    environment: 'live',
    endpoints: {},
  };
  const found = addressesOf(venueKind, connection);
  if ('problem' in found) throw new Error(found.problem);
  const [market] = venueKind.marketData({
    connection,
    addresses: found.addresses,
    accounts: accountsOf(venueKind, connection),
    clock,
    random: randomOf(1),
    ways: new Addresses(clock),
    report: (text) => told.reports.push(text),
  });
  if (!market) throw new Error('there is no market');
  const during = async <T>(asked: Promise<T>): Promise<T> => {
    let isOver = false;
    asked.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(20);
    return asked;
  };
  await during(market.open(sink));
  const print = (price: string, symbol = 'BTCUSDT', qty = '1') =>
    kind === 'spot' ? emulator.printSpot(symbol, price, qty) : emulator.printLinear(symbol, price, qty);
  return { emulator, clock, net, market: market as MarketData, told, during, print };
}

const wanted = (frames: readonly number[], ...symbols: string[]) =>
  new Map(symbols.map((one) => [one, frames]));

describe('trades of Bybit', () => {
  it('are told in their order once a symbol is watched, beginning with the last price', async () => {
    const { market, told, clock, print } = await marketRig();
    print('60001');
    market.watch(wanted([], 'BTCUSDT'));
    expect(told.whys.get('BTCUSDT')).toBe('its prices are being asked for');
    await clock.advance(1_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    print('60002', 'BTCUSDT', '0.5');
    print('2600', 'ETHUSDT');
    print('60000.5');
    await clock.advance(200);
    expect(told.ticks).toEqual(['BTCUSDT 60001 0', 'BTCUSDT 60002 0.5', 'BTCUSDT 60000.5 1']);
    expect(told.reports).toEqual([]);
  });

  it('are asked for in as many messages as spot takes, ten at a time, and kept by a ping', async () => {
    const { market, net, clock, told, emulator } = await marketRig();
    const symbols = emulator.settings.spotSymbols.map(({ symbol }) => symbol);
    market.watch(wanted([MINUTE, 5 * MINUTE], ...symbols));
    await clock.advance(60_000);
    const asked = net.said.filter(({ op }) => op === 'subscribe');
    expect(Math.max(...asked.map(({ args = [] }) => args.length))).toBe(10);
    expect(new Set(asked.flatMap(({ args = [] }) => args)).size).toBe(symbols.length * 3);
    expect(net.said.filter(({ op }) => op === 'ping').length).toBeGreaterThanOrEqual(2);
    expect([...told.whys.values()].every((why) => why === null)).toBe(true);
  });

  it('stop with the watch, and begin again with it', async () => {
    const { market, told, clock, print } = await marketRig();
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(1_000);
    market.watch(new Map());
    await clock.advance(500);
    print('60002');
    await clock.advance(500);
    expect(told.ticks).toHaveLength(1);
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(1_000);
    expect(told.ticks.at(-1)).toBe('BTCUSDT 60002 0');
  });

  it('may be missing over a break, which is said', async () => {
    const { market, told, clock, net, print } = await marketRig();
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(1_000);
    net.cut('cut');
    await clock.advance(10);
    expect(told.whys.get('BTCUSDT')).toContain('broken');
    print('61000');
    await clock.advance(3_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    expect(told.gaps).toEqual(['BTCUSDT']);
    expect(told.ticks.at(-1)).toBe('BTCUSDT 61000 0');
  });

  it('of a symbol that there is not are refused, and it says so', async () => {
    const { market, told, clock } = await marketRig();
    market.watch(wanted([], 'NOPEUSDT'));
    await clock.advance(2_000);
    expect(told.whys.get('NOPEUSDT')).toContain('refused');
  });

  it('come once where messages come twice', async () => {
    const { market, told, clock, print } = await marketRig('spot', { duplicate: 1 });
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(1_000);
    for (const price of ['60001', '60002', '60003']) print(price);
    await clock.advance(500);
    expect(told.ticks).toHaveLength(4);
  });
});

describe('candles', () => {
  it('that are told as closed are those that a question tells', async () => {
    const { market, told, clock, emulator, print, during } = await marketRig();
    market.watch(wanted([MINUTE], 'BTCUSDT'));
    await clock.advance(MINUTE - (emulator.now() % MINUTE) + 100);
    const from = emulator.now() - (emulator.now() % MINUTE);
    for (let n = 0; n < 40; n++) {
      print(String(60_000 + ((n * 37) % 90)));
      await clock.advance(5_000);
    }
    await clock.advance(5_000);
    const asked = await during(
      market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to: from + 3 * MINUTE }),
    );
    expect(asked).toHaveLength(3);
    const heard = told.candles.map(({ candle }) => candle).filter(({ time }) => time >= from);
    expect(heard.slice(0, 3)).toEqual(asked);
  });

  it('of a long span come first ones first, a page at a time, and none that still runs', async () => {
    const { market, emulator, during } = await marketRig();
    const to = emulator.now() + MINUTE;
    const from = to - 3_000 * MINUTE;
    const page = await during(market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to }));
    expect(page).toHaveLength(1_000);
    expect(page?.[0]?.time).toBe(Math.ceil(from / MINUTE) * MINUTE);
    const last = await during(
      market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: to - 3 * MINUTE, to }),
    );
    expect(last?.every(({ time }) => time + MINUTE <= emulator.now())).toBe(true);
  });
});

it('the past that nobody waits for uses a third of what may be asked, and what is waited for passes it', async () => {
  const { market, clock, emulator } = await marketRig();
  const to = emulator.now() - (emulator.now() % MINUTE);
  const span = { symbol: 'BTCUSDT', frameMs: MINUTE, from: to - 3 * MINUTE, to };
  let patient = 0;
  let waited = 0;
  for (let n = 0; n < 250; n++) void market.candles({ ...span, isPatient: true }).then(() => patient++);
  for (let n = 0; n < 5; n++) void market.candles(span).then(() => waited++);
  await clock.advance(1_000);
  // Bybit allows 600 requests within five seconds from an address.
  expect([patient < 250, waited]).toEqual([true, 5]);
  await clock.advance(10_000);
  expect(patient).toBe(250);
});

describe('contracts', () => {
  it('tell two parts in one moment, and both count', async () => {
    const { market, told, clock, print } = await marketRig('futures');
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(2_000);
    // The last price is sent first, then the mark price, in the same millisecond.
    print('61000');
    await clock.advance(200);
    expect(told.marks.at(-1)).toMatchObject({ symbol: 'BTCUSDT', price: '61000' });
  });

  it('tell their marks and what they pay, a part at a time', async () => {
    const { market, told, clock, print } = await marketRig('futures');
    market.watch(wanted([], 'BTCUSDT'));
    await clock.advance(1_000);
    print('60100');
    await clock.advance(1_000);
    const marks = told.marks.filter(({ symbol }) => symbol === 'BTCUSDT');
    expect(marks.length).toBeGreaterThan(0);
    expect(marks.at(-1)).toMatchObject({
      price: expect.any(String),
      funding: { rate: expect.any(String), at: expect.any(Number) },
    });
    expect(told.whys.get('BTCUSDT')).toBeNull();
  });

  it('are listed for a mirror, and tell what they have paid', async () => {
    const { market, during, emulator } = await marketRig('futures');
    const list = await during(market.instruments?.('paper-futures') ?? Promise.resolve(null));
    expect(list?.map(({ symbol }) => symbol)).toContain('BTCPERP');
    expect(list?.every(({ exchange }) => exchange === 'paper-futures')).toBe(true);
    const now = emulator.now();
    const paid = await during(
      market.funding?.('BTCUSDT', now - 90 * 86_400_000, now) ?? Promise.resolve(null),
    );
    const times = paid?.map(({ at }) => at) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(times.length);
  });

  it('have last prices of all there is', async () => {
    const { market, during } = await marketRig('futures');
    expect(new Map((await during(market.prices())) ?? []).get('BTCUSDT')).toBe('60020');
  });
});

describe('a message', () => {
  const trade = (more: object) =>
    JSON.stringify({
      topic: 'publicTrade.BTCUSDT',
      type: 'snapshot',
      ts: 1,
      data: [{ T: 1, s: 'BTCUSDT', S: 'Buy', v: '0.1', p: '60000.0', i: 'x', BT: false, ...more }],
    });

  it('of a block trade tells no price, and an odd one is unreadable as a whole', () => {
    expect(readStream(trade({}))).toMatchObject({ ok: true, value: { kind: 'event' } });
    expect(readStream(trade({ BT: true }))).toEqual({ ok: true, value: { kind: 'other' } });
    for (const odd of [{ p: '0' }, { p: '1e3' }, { s: '' }, { v: '-1' }])
      expect(readStream(trade(odd)).ok).toBe(false);
  });

  it('of a candle counts only when it is confirmed', () => {
    const kline = (confirm: boolean, high = '2') =>
      JSON.stringify({
        topic: 'kline.5.BTCUSDT',
        data: [{ start: 0, interval: '5', open: '1', close: '2', high, low: '1', volume: '3', confirm }],
      });
    expect(readStream(kline(false))).toEqual({ ok: true, value: { kind: 'other' } });
    expect(readStream(kline(true))).toMatchObject({ value: { event: { kind: 'closed', interval: '5' } } });
    expect(readStream(kline(true, '1')).ok).toBe(false);
  });

  it('that answers is of its number, and one of nothing is said', () => {
    const reply = { success: false, ret_msg: 'handler not found', req_id: '7', op: 'subscribe' };
    expect(readStream(JSON.stringify(reply))).toMatchObject({
      value: { kind: 'reply', id: 7, problem: 'handler not found' },
    });
    expect(readStream('{"success":false,"ret_msg":"no such op","op":"x"}').ok).toBe(false);
    expect(readStream('{"success":true,"ret_msg":"pong","op":"ping"}')).toMatchObject({
      value: { kind: 'other' },
    });
  });
});

const shared = readShared('payloads/bybit.json');
it.skipIf(shared === null)('recorded payloads of prices are read (payloads/bybit.json)', () => {
  const { payloads } = JSON.parse(shared ?? '') as { payloads: Record<string, unknown> };
  const text = (name: string) => JSON.stringify(payloads[name]);
  expect(readKlines(text('http_get_klines_linear'))).toMatchObject({ ok: true, value: [{ close: '27455' }] });
  expect(readFunding(text('http_get_funding_history'))).toMatchObject({ ok: true, value: [{}, {}] });
  expect(readStream(text('ws_ticker_linear'))).toMatchObject({
    value: { event: { kind: 'mark', price: '17217.33', funding: { rate: '-0.000212' } } },
  });
  expect(readStream(text('ws_subscription_failure')).ok).toBe(false);
  expect(
    readPrices('{"result":{"list":[{"symbol":"A","lastPrice":"1.50"},{"symbol":"B","lastPrice":""}]}}'),
  ).toEqual({
    ok: true,
    value: [['A', '1.5']],
  });
});
