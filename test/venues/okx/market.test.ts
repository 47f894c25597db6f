/** Live prices of OKX over its emulator: no sockets, a virtual clock, and a record of all reports. */
import { describe, expect, it } from 'vitest';
import { MINUTE, marketRig, watched } from './market-support.ts';

describe('prices', () => {
  it('are told once a symbol is watched, in base units, and of no other symbol', async () => {
    for (const [kind, instId] of [
      ['spot', 'BTC-USDT'],
      ['swap', 'BTC-USDT-SWAP'],
    ] as const) {
      const x = await marketRig(kind);
      x.market.watch(watched('BTCUSDT'));
      await x.clock.advance(2_000);
      expect(x.told.whys.get('BTCUSDT')).toBeNull();
      const before = x.told.all.length;
      for (const price of ['60001', '60002']) x.emulator.trade(instId, price, '3');
      x.emulator.trade('ETH-USDT', '2500', '3');
      await x.clock.advance(200);
      const ticks = x.told.all.slice(before);
      const volume = kind === 'spot' ? '3' : '0.03';
      expect(ticks).toEqual([
        { symbol: 'BTCUSDT', price: '60001', volume, side: 'SELL', time: expect.any(Number) },
        { symbol: 'BTCUSDT', price: '60002', volume, side: 'SELL', time: expect.any(Number) },
      ]);
      expect(x.lines).toEqual([]);
    }
  });

  it('begin with the last price of a symbol that nobody trades: it is quiet, not stale', async () => {
    const x = await marketRig();
    x.market.watch(watched('ADAUSDT'));
    await x.clock.advance(40_000);
    expect(x.told.prices('ADAUSDT')[0]).toBe('0.4');
    expect(x.told.whys.get('ADAUSDT')).toBeNull();
  });

  it('of a contract have marks and the funding that comes next', async () => {
    const x = await marketRig('swap');
    x.market.watch(watched('BTCUSDT'));
    await x.clock.advance(30_000);
    x.emulator.trade('BTC-USDT-SWAP', '60500');
    await x.clock.advance(1_000);
    const last = x.told.marks.at(-1);
    expect(last?.symbol).toBe('BTCUSDT');
    const funding = last?.funding as { rate: string; at: number } | undefined;
    expect(Number(funding?.rate)).not.toBeNaN();
    expect(funding?.at).toBeGreaterThan(x.emulator.now());
    expect(x.told.whys.get('BTCUSDT')).toBeNull();
  });

  it('stop with the watch, and begin again with it', async () => {
    const x = await marketRig();
    x.market.watch(watched('BTCUSDT'));
    await x.clock.advance(2_000);
    x.market.watch(new Map());
    await x.clock.advance(1_000);
    const before = x.told.all.length;
    x.emulator.trade('BTC-USDT', '61000');
    await x.clock.advance(200);
    expect(x.told.all).toHaveLength(before);
    x.market.watch(watched('BTCUSDT'));
    await x.clock.advance(2_000);
    expect(x.told.prices('BTCUSDT').at(-1)).toBe('61000');
  });

  it('come once each while another socket takes the place of one, by age or by its requests', async () => {
    for (const limits of [{ rotateMs: 10_000 }, { requests: 3 }]) {
      const x = await marketRig('spot', { limits });
      x.market.watch(watched('BTCUSDT'));
      await x.clock.advance(2_000);
      const from = x.told.prices('BTCUSDT').length;
      const printed: string[] = [];
      for (let n = 0; n < 30; n++) {
        if ('requests' in limits && n % 10 === 0)
          x.market.watch(new Map([['BTCUSDT', []], n % 20 === 0 ? ['ETHUSDT', []] : ['ADAUSDT', []]]));
        const price = String(60_000 + n);
        printed.push(price);
        x.emulator.trade('BTC-USDT', price);
        await x.clock.advance(1_000);
      }
      expect(x.told.prices('BTCUSDT').slice(from)).toEqual(printed);
    }
  });

  it('are stale after a break until they are there again, which is told as a gap', async () => {
    const x = await marketRig();
    x.market.watch(watched('BTCUSDT', MINUTE));
    await x.clock.advance(2_000);
    x.net.down = true;
    await x.clock.advance(1_000);
    expect(x.told.whys.get('BTCUSDT')).toMatch(/broken/);
    x.emulator.trade('BTC-USDT', '62000');
    x.net.down = false;
    await x.clock.advance(40_000);
    expect(x.told.whys.get('BTCUSDT')).toBeNull();
    expect(x.told.gaps).toContain('BTCUSDT');
    expect(x.told.prices('BTCUSDT').at(-1)).toBe('62000');
  });

  it('go on over the announcement that the service is upgraded', async () => {
    const x = await marketRig();
    x.market.watch(watched('BTCUSDT'));
    await x.clock.advance(2_000);
    const from = x.told.prices('BTCUSDT').length;
    x.emulator.shutdown();
    const printed: string[] = [];
    for (let n = 0; n < 70; n++) {
      printed.push(String(60_000 + n));
      x.emulator.trade('BTC-USDT', String(60_000 + n));
      await x.clock.advance(1_000);
    }
    expect(x.told.prices('BTCUSDT').slice(from)).toEqual(printed);
  });

  it('of a symbol that is not listed are stale, with why', async () => {
    const x = await marketRig();
    x.market.watch(watched('NOPEUSDT'));
    expect(x.told.whys.get('NOPEUSDT')).toMatch(/does not list/);
  });
});

describe('candles', () => {
  it('that nobody waits for use a third of what may be asked, and those that are waited for pass them', async () => {
    const x = await marketRig();
    const to = x.emulator.now() - (x.emulator.now() % MINUTE);
    const span = { symbol: 'BTCUSDT', frameMs: MINUTE, from: to - 3 * MINUTE, to };
    let patient = 0;
    let waited = 0;
    for (let n = 0; n < 30; n++) void x.market.candles({ ...span, isPatient: true }).then(() => patient++);
    for (let n = 0; n < 5; n++) void x.market.candles(span).then(() => waited++);
    await x.clock.advance(1_000);
    // OKX allows 40 within two seconds (OKX v5 "Get candlesticks").
    expect([patient, waited]).toEqual([13, 5]);
    await x.clock.advance(5_000);
    expect(patient).toBe(30);
  });

  it.each(['spot', 'swap'] as const)(
    'of %s are told when the exchange closes them, and are those that it answers with',
    async (kind) => {
      const x = await marketRig(kind);
      const instId = kind === 'spot' ? 'BTC-USDT' : 'BTC-USDT-SWAP';
      x.market.watch(watched('BTCUSDT', MINUTE, 5 * MINUTE));
      await x.nextMinute();
      const from = x.emulator.now() - (x.emulator.now() % MINUTE);
      for (let n = 0; n < 6; n++) {
        x.emulator.trade(instId, String(60_100 + 10 * n), '2');
        x.emulator.trade(instId, String(60_000 - n), '1');
        await x.nextMinute();
      }
      await x.clock.advance(4_000);
      const minutes = x.told.candles.filter(({ frameMs }) => frameMs === MINUTE).map(({ candle }) => candle);
      expect(minutes.length).toBeGreaterThanOrEqual(6);
      expect(x.told.candles.some(({ frameMs }) => frameMs === 5 * MINUTE)).toBe(true);
      const to = from + 6 * MINUTE;
      const asked = await x.during(x.market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to }));
      expect(asked).toHaveLength(6);
      expect(asked).toEqual(minutes.filter(({ time }) => time >= from && time < to));
    },
  );

  it('are asked for in pages, the first ones first, and never while they may still change', async () => {
    const x = await marketRig();
    await x.nextMinute(1_000);
    const now = x.emulator.now();
    const from = now - (now % MINUTE) - 400 * MINUTE;
    const first = await x.during(x.market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from, to: now }));
    expect(first?.[0]?.time).toBe(from);
    expect(first?.length).toBeLessThanOrEqual(300);
    const rest = (first?.at(-1)?.time ?? 0) + MINUTE;
    const second = await x.during(
      x.market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: rest, to: now + MINUTE }),
    );
    expect(second?.[0]?.time).toBe(rest);
    expect((second?.at(-1)?.time ?? 0) + MINUTE).toBeLessThanOrEqual(now);
  });

  it('are none where the question fails, and that is said once', async () => {
    const x = await marketRig();
    x.net.down = true;
    for (let n = 0; n < 3; n++)
      expect(
        await x.during(x.market.candles({ symbol: 'BTCUSDT', frameMs: MINUTE, from: 0, to: MINUTE })),
      ).toBeNull();
    expect(x.lines).toHaveLength(1);
  });
});

describe('questions', () => {
  it('give the prices of all, what is traded for a mirror, and funding of the past', async () => {
    const x = await marketRig('swap');
    const prices = new Map(await x.during(x.market.prices()));
    expect(prices.get('BTCUSDT')).toBe('60020');
    const list = await x.during(x.market.instruments('paper-futures'));
    expect(list?.find(({ symbol }) => symbol === 'BTCUSDT')).toMatchObject({
      exchange: 'paper-futures',
      kind: 'futures',
      stepSize: '0.0001',
      minQty: '0.0001',
    });
    const paid = await x.during(x.market.funding('BTCUSDT', 0, x.emulator.now()));
    expect(paid?.length).toBeGreaterThan(0);
    expect(paid?.every(({ at }, n) => n === 0 || at > (paid[n - 1]?.at ?? 0))).toBe(true);
  });

  it('tell the exchange’s time, and why it cannot be opened', async () => {
    const x = await marketRig();
    expect(Math.abs(x.market.now() - x.emulator.now())).toBeLessThan(100);
    x.net.down = true;
    const again = x.market.open(x.told);
    again.catch(() => {});
    await x.clock.advance(60_000);
    await expect(again).rejects.toThrow(/refused|ECONN|connect/);
  });
});
