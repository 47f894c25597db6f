import { describe, expect, it } from 'vitest';
import { MINUTE, marketRig } from './market-support.ts';

const wanted = (frames: readonly number[], ...symbols: string[]) =>
  new Map(symbols.map((symbol) => [symbol, frames] as const));

describe('trades of Binance', () => {
  it('are told in their order once a symbol is watched, and of no other symbol', async () => {
    const { market, told, pass, print } = await marketRig();
    print('BTCUSDT', '60001.00');
    market.watch(wanted([], 'BTCUSDT'));
    expect(told.whys.get('BTCUSDT')).toBe('its prices are being asked for');
    await pass(1_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    print('BTCUSDT', '60002.00', '0.5');
    print('ETHUSDT', '3000.00');
    print('BTCUSDT', '60000.50');
    await pass(100);
    expect(told.prices('BTCUSDT')).toEqual(['60001', '60002', '60000.5']);
    expect(told.all.map(({ volume }) => volume)).toEqual(['0', '0.5', '1']);
    expect(told.prices('ETHUSDT')).toEqual([]);
  });

  it('begin with the last price of a symbol that nobody trades: it is quiet, not stale', async () => {
    const { market, told, pass } = await marketRig();
    market.watch(wanted([], 'BTCUSDT', 'ETHUSDT'));
    await pass(3 * MINUTE);
    expect(told.prices('BTCUSDT')).toHaveLength(1);
    expect([...told.whys.values()]).toEqual([null, null]);
  });

  it('stop with the watch, and begin again with it', async () => {
    const { market, told, pass, print } = await marketRig();
    market.watch(wanted([], 'BTCUSDT'));
    await pass(1_000);
    market.watch(new Map());
    await pass(1_000);
    print('BTCUSDT', '60002.00');
    await pass(1_000);
    expect(market.sockets.all).toBe(0);
    expect(told.prices('BTCUSDT')).toHaveLength(1);
    market.watch(wanted([], 'BTCUSDT'));
    await pass(1_000);
    expect(told.prices('BTCUSDT').at(-1)).toBe('60002');
    expect(told.whys.get('BTCUSDT')).toBeNull();
  });

  it('of a symbol that is watched again at once are stale until they come again', async () => {
    const { market, told, pass, print } = await marketRig({ faults: { delayMs: [200, 200] } });
    const both = wanted([], 'BTCUSDT', 'ETHUSDT');
    market.watch(both);
    await pass(3_000);
    told.whys.clear();
    // Before the unsubscription is answered, and before the subscription that follows it is.
    for (let again = 0; again < 2; again++) {
      market.watch(wanted([], 'ETHUSDT'));
      market.watch(both);
      expect([...told.whys]).toEqual([['BTCUSDT', 'its prices are being asked for']]);
      told.whys.clear();
      await pass(150);
    }
    // Nothing tells of this price: the streams do not come yet.
    print('BTCUSDT', '60002.00');
    await pass(3_000);
    expect([...told.whys]).toEqual([['BTCUSDT', null]]);
    expect(told.prices('BTCUSDT').at(-1)).toBe('60002');
  });

  it('are newer than the last price that is asked for meanwhile: it is not told after them', async () => {
    const { market, told, pass, print, net } = await marketRig({ faults: { delayMs: [300, 300] } });
    market.watch(wanted([], 'BTCUSDT'));
    while (told.whys.get('BTCUSDT') !== null) await pass(10);
    // By now the exchange has answered, and the answer is still on its way.
    await pass(310);
    net.faults = { delayMs: [5, 5] };
    print('BTCUSDT', '60002.00');
    await pass(3_000);
    expect(told.prices('BTCUSDT')).toEqual(['60002']);
  });

  it('come once each while one socket takes the place of another before its day is over, and none is missed', async () => {
    const { market, told, pass, print, net, emulator } = await marketRig({
      limits: { rotateMs: 20_000 },
      faults: { delayMs: [5, 60] },
    });
    market.watch(wanted([MINUTE], 'BTCUSDT'));
    await pass(1_000);
    told.all.length = 0;
    const sockets: number[] = [];
    const printed: string[] = [];
    for (let at = 0; at < 2_000; at++) {
      printed.push(String(60_000 + (at % 50)));
      print('BTCUSDT', `${60_000 + (at % 50)}.00`);
      await pass(25);
      sockets.push(emulator.spotStreams.sockets.size);
    }
    await pass(100);
    expect(net.made).toBe(3);
    // Both sockets deliver for a while.
    expect([Math.min(...sockets), Math.max(...sockets)]).toEqual([1, 2]);
    // Each price once; while two sockets overlap, one may come after a later one.
    expect(told.prices('BTCUSDT').toSorted()).toEqual(printed.toSorted());
    expect(told.whys.get('BTCUSDT')).toBeNull();
    expect(told.gaps).toEqual([]);
  });

  it('go on over the exchange’s own announcement that it ends the socket', async () => {
    const { market, told, pass, print, emulator } = await marketRig();
    market.watch(wanted([], 'BTCUSDT'));
    await pass(1_000);
    emulator.shutdown();
    await pass(2);
    expect(emulator.spotStreams.sockets.size).toBe(2);
    await pass(2_000);
    print('BTCUSDT', '61000.00');
    await pass(100);
    expect(emulator.spotStreams.sockets.size).toBe(1);
    expect(told.prices('BTCUSDT').at(-1)).toBe('61000');
    expect(told.gaps).toEqual([]);
  });
});

describe('a break of the stream', () => {
  it('makes its symbols stale until it is up again, which is told as a gap and with the price as it is', async () => {
    const { market, told, pass, print, net } = await marketRig();
    market.watch(wanted([MINUTE], 'BTCUSDT', 'ETHUSDT'));
    await pass(1_000);
    net.down = true;
    await pass(100);
    expect(told.whys.get('BTCUSDT')).toBe('its stream has broken: the network is down');
    print('BTCUSDT', '59000.00');
    await pass(20_000);
    expect(told.gaps).toEqual([]);
    net.down = false;
    await pass(30_000);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    expect(told.gaps).toEqual(['BTCUSDT', 'ETHUSDT']);
    expect(told.prices('BTCUSDT').at(-1)).toBe('59000');
  });

  it('is found where nothing comes any more, though nobody says so', async () => {
    const { market, told, pass, net } = await marketRig();
    market.watch(wanted([], 'BTCUSDT'));
    await pass(100_000);
    net.isMute = true;
    await pass(9_000);
    expect([net.made, told.whys.get('BTCUSDT')]).toEqual([1, null]);
    await pass(22_000);
    net.isMute = false;
    await pass(12_000);
    expect(net.made).toBeGreaterThan(1);
    expect(told.whys.get('BTCUSDT')).toBeNull();
    expect(told.gaps).toEqual(['BTCUSDT']);
  });
});

describe('candles of Binance', () => {
  it('are told when the exchange closes them, and are those that it answers with', async () => {
    const { market, told, pass, print, nextMinute, emulator } = await marketRig();
    market.watch(wanted([MINUTE, 5 * MINUTE], 'BTCUSDT'));
    await nextMinute(1_000);
    const from = Math.floor(emulator.now() / MINUTE) * MINUTE;
    for (let minute = 0; minute < 10; minute++) {
      for (const cents of [3, 9, 1, 5]) {
        print('BTCUSDT', `${60_000 + minute}.0${cents}`, '0.01');
        await pass(2_000);
      }
      await nextMinute(1_000);
    }
    await pass(5_000);
    const to = from + 10 * MINUTE;
    const minutes = await asked(market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to }), pass);
    expect(minutes).toHaveLength(10);
    const toldOf = (frameMs: number) =>
      told.candles
        .filter((one) => one.frameMs === frameMs && one.candle.time >= from)
        .map(({ candle }) => candle);
    expect(toldOf(MINUTE)).toEqual(minutes);
    expect(minutes?.[0]).toMatchObject({
      open: '60000.03',
      high: '60000.09',
      low: '60000.01',
      close: '60000.05',
    });
    const fives = await asked(market.candles({ symbol: 'BTCUSDT', frameMs: 5 * MINUTE, from: 0, to }), pass);
    for (const candle of toldOf(5 * MINUTE)) expect(await lastOf(market, candle.time, pass)).toEqual(candle);
    expect(fives).toHaveLength(1_000);
  });

  it('are asked for in pages, the first ones first, and never while they may still change', async () => {
    const { market, pass, emulator, nextMinute, requests } = await marketRig();
    await nextMinute(500);
    const to = Math.floor(emulator.now() / MINUTE) * MINUTE;
    const from = to - 1_500 * MINUTE;
    const first = await asked(market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to }), pass);
    expect(first?.map(({ time }) => time)).toEqual(
      Array.from({ length: 1_000 }, (_, at) => from + at * MINUTE),
    );
    const last = await asked(
      market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: to - 3 * MINUTE, to }),
      pass,
    );
    // Within half a second after its end, the last candle may still change.
    expect(last?.map(({ time }) => time)).toEqual([to - 3 * MINUTE, to - 2 * MINUTE]);
    expect(requests.at(-1)?.path).toContain('limit=3');
  });

  it('are none where the question fails, and that is said once a minute', async () => {
    const { market, pass, net, lines } = await marketRig();
    net.faults = { htmlPage: 1 };
    for (let at = 0; at < 5; at++)
      expect(
        await asked(market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: 0, to: MINUTE }), pass),
      ).toBeNull();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^binance-spot: candles: it (was answered|is not JSON)/);
  });
});

describe('opening the market', () => {
  it('fails with what is wrong while the exchange is not reached', async () => {
    const rig = await marketRig();
    rig.net.down = true;
    const again = rig.market.open(rig.told).then(
      () => null,
      (error: Error) => error.message,
    );
    await rig.pass(1_000);
    expect(await again).toBe('connect ECONNREFUSED');
  });

  it('tells the exchange’s time, however wrong ours is', async () => {
    const { market, emulator } = await marketRig({ settings: { clockAheadMs: 3_600_000 } });
    expect(Math.abs(market.now() - emulator.now())).toBeLessThan(5);
  });
});

describe('a hundred symbols', () => {
  it('are subscribed in few messages, at the pace that the exchange takes', async () => {
    const { market, told, pass, emulator } = await marketRig();
    const frames = [MINUTE, 3 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, 60 * MINUTE, 120 * MINUTE];
    const symbols = Array.from({ length: 300 }, (_, at) => `S${at}USDT`);
    market.watch(wanted(frames, ...symbols));
    await pass(9_000);
    expect(emulator.spotStreams.sockets.size).toBe(3);
    expect([...emulator.spotStreams.sockets].map(({ names }) => names.size)).toEqual([1_016, 1_016, 368]);
    expect(symbols.filter((symbol) => told.whys.get(symbol) !== null)).toEqual([]);
  });
});

/** Awaits an answer for which virtual time must pass. */
async function asked<T>(question: Promise<T>, pass: (ms: number) => Promise<unknown>): Promise<T> {
  await pass(100);
  return question;
}

async function lastOf(
  market: Awaited<ReturnType<typeof marketRig>>['market'],
  time: number,
  pass: (ms: number) => Promise<unknown>,
) {
  const question = { symbol: 'BTCUSDT', frameMs: 5 * MINUTE, from: time, to: time + 5 * MINUTE };
  return (await asked(market.candles(question), pass))?.[0];
}
