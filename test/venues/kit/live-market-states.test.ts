/**
 * A live market beside its prices: candles that are final, why a symbol is stale, opening and closing, and what
 * else is asked.
 */
import { describe, expect, it } from 'vitest';
import { answered } from './hand-net.ts';
import { fresh, LISTED, LiveCase, MINUTE } from './live-market-support.ts';

const ASKING = 'its prices are being asked for';

describe('candles', () => {
  const candle = (time: number) => ({ time, open: '1', high: '1', low: '1', close: '1', volume: '1' });

  it('that close are told with their frame, of what is watched alone', async () => {
    const c = await fresh({ A: [MINUTE, 5 * MINUTE, 7 * MINUTE], B: [] });
    expect(c.socket('business').sent.map((text) => JSON.parse(text).streams)).toEqual([['A@1m', 'A@5m']]);
    for (const [symbol, interval, time] of [
      ['A', '1m', 60_000],
      ['A', '5m', 300_000],
      ['A', '7m', 420_000],
      ['C', '1m', 60_000],
    ] as const)
      c.say('business', { kind: 'closed', symbol, interval, candle: candle(time) });
    expect(c.news()).toEqual([
      ['closed', 'A', MINUTE, 60_000],
      ['closed', 'A', 5 * MINUTE, 300_000],
    ]);
  });

  it('of the past are those of the span that are over by two seconds of the exchange’s time', async () => {
    const c = new LiveCase();
    // The exchange is a minute ahead of us.
    c.net.answers.set('/time', () => c.clock.wall() + MINUTE);
    await c.market.open(c.sink);
    const now = c.market.now();
    const from = now - 10 * MINUTE + 58_000;
    c.net.answers.set('/candles', () => [-1, 0, 1, 8, 9, 10].map((n) => candle(from + n * MINUTE)));
    const span = { symbol: 'A', frameMs: MINUTE, from, to: from + 10 * MINUTE };
    const times = async (to: number) =>
      (await c.market.candles({ ...span, to }))?.map(({ time }) => (time - from) / MINUTE);
    expect(await times(span.to)).toEqual([0, 1, 8]);
    expect(c.net.paths.at(-1)).toBe(`/candles?symbol=A&interval=1m&from=${from}&to=${span.to}&frame=60000`);
    expect(await times(from + 8 * MINUTE)).toEqual([0, 1]);
    await c.clock.advance(MINUTE - 1);
    expect(await times(span.to)).toEqual([0, 1, 8]);
    await c.clock.advance(1);
    expect(await times(span.to)).toEqual([0, 1, 8, 9]);
    const asked = c.net.paths.length;
    expect(await c.market.candles({ ...span, to: from })).toEqual([]);
    expect(await c.market.candles({ ...span, frameMs: 7 * MINUTE })).toEqual([]);
    expect(c.net.paths).toHaveLength(asked);
    for (const answer of [null, 503, 'odd']) {
      c.net.answers.set('/candles', () => answer);
      expect(await c.market.candles(span)).toBeNull();
    }
    expect(c.reports).toEqual(['made-up: the candles: it was cut']);
  });

  it('that nobody waits for leave two thirds to the others', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    c.net.answers.set('/candles', () => []);
    const ask = (isPatient: boolean) =>
      void c.market.candles({
        symbol: 'A',
        frameMs: MINUTE,
        from: 0,
        to: 1,
        ...(isPatient ? { isPatient } : {}),
      });
    for (let n = 0; n < 20; n++) ask(true);
    await c.clock.advance(0);
    const asked = () => c.net.paths.filter((path) => path.startsWith('/candles')).length;
    expect(asked()).toBe(13);
    for (let n = 0; n < 10; n++) ask(false);
    await c.clock.advance(0);
    expect(asked()).toBe(23);
  });
});

describe('a symbol', () => {
  it('is fresh when all its addresses send it, and says the reason of the first that does not', async () => {
    const c = new LiveCase();
    await c.market.open(c.sink);
    c.watch({ A: [MINUTE], B: [] });
    await c.up('stream');
    expect(c.news().filter(([, symbol]) => symbol === 'B')).toEqual([
      ['stale', 'B', ASKING],
      ['stale', 'B', null],
    ]);
    expect(c.told).toEqual([]);
    await c.up('business');
    expect(c.news()).toEqual([['stale', 'A', null]]);
    c.socket('business').events.closed('cut');
    expect(c.news()).toEqual([['stale', 'A', 'its stream has broken: cut']]);
    c.socket('stream').events.closed('gone');
    expect(c.news()).toEqual([
      ['stale', 'A', 'its stream has broken: gone'],
      ['stale', 'B', 'its stream has broken: gone'],
    ]);
    c.watch({ A: [MINUTE], B: [] });
    await c.clock.advance(500);
    await c.up('stream');
    expect(c.news().filter(([kind]) => kind === 'stale')).toEqual([
      ['stale', 'A', 'its stream has broken: cut'],
      ['stale', 'B', null],
    ]);
  });

  it('is fresh again when what breaks is of a frame that nobody wants any more', async () => {
    const c = await fresh({ A: [MINUTE], B: [] });
    c.socket('business').events.closed('cut');
    expect(c.news()).toEqual([['stale', 'A', 'its stream has broken: cut']]);
    c.watch({ A: [], B: [] });
    expect(c.news()).toEqual([['stale', 'A', null]]);
    c.watch({ A: [], B: [] });
    expect(c.news()).toEqual([]);
  });

  it('that the market does not have says why, until its lists have it', async () => {
    let has = false;
    const c = await fresh(
      { A: [] },
      { ...LISTED, missing: (symbol) => (symbol === 'NEW' && !has ? 'it is not listed' : null) },
    );
    expect(c.net.paths.slice(0, 2)).toEqual(['/time?', '/list?']);
    c.watch({ A: [], NEW: [] });
    expect(c.news()).toEqual([['stale', 'NEW', 'it is not listed']]);
    expect(c.socket('stream').sent.some((text) => text.includes('NEW'))).toBe(false);
    has = true;
    const lists = () => c.net.paths.filter((path) => path === '/list?').length;
    const keepAlive = async (ms: number) => {
      for (let at = 0; at < ms; at += 300_000) {
        await c.clock.advance(300_000);
        c.socket('stream').events.pinged();
      }
    };
    await keepAlive(1_800_000);
    expect(lists()).toBe(1);
    await keepAlive(300_000);
    expect(lists()).toBe(2);
    expect(c.net.sockets.some(({ sent }) => sent.some((text) => text.includes('NEW@trade')))).toBe(true);
  });

  it('may have missed something after a break, which is told of all on the socket', async () => {
    const c = await fresh({ A: [MINUTE], B: [] });
    c.socket('business').events.closed('cut');
    await c.clock.advance(500);
    const asked = c.net.paths.length;
    await c.up('business');
    expect(c.news()).toEqual([
      ['stale', 'A', 'its stream has broken: cut'],
      ['stale', 'A', null],
      ['gap', 'A'],
    ]);
    // Its trades came all the time: no price is asked for.
    expect(c.net.paths).toHaveLength(asked);
  });
});

describe('opening', () => {
  it('measures the clock, then reads the lists, and says why it cannot', async () => {
    for (const [path, answer, cause] of [
      ['/time', null, 'it was cut'],
      ['/time', 503, 'HTTP 503'],
      ['/time', 'odd', 'it is odd'],
      ['/list', 503, 'no list of made-up'],
    ] as const) {
      const c = new LiveCase(LISTED);
      const before = c.net.answers.get(path);
      c.net.answers.set(path, () => answer);
      await expect(c.market.open(c.sink)).rejects.toThrow(cause);
      c.watch({ A: [] });
      await c.clock.advance(0);
      expect([c.net.sockets.length, c.told]).toEqual([0, []]);
      c.net.answers.set(path, before as () => unknown);
      await c.market.open(c.sink);
      await c.clock.advance(0);
      expect(c.net.sockets.map(({ request }) => request.url)).toEqual(['wss://stream/public']);
    }
  });

  it('has the clock measured again when that is due, once at a time', async () => {
    const c = await fresh({});
    c.net.answers.delete('/time');
    await c.clock.advance(30 * MINUTE + 5_000);
    const asked = () => c.net.paths.filter((path) => path === '/time?').length;
    expect(asked()).toBe(2);
    c.net.requests[0]?.answer(answered(200, String(c.clock.wall() + 7_000)));
    await c.clock.advance(10_000);
    expect(asked()).toBe(2);
    // The answer took five seconds.
    expect(c.market.now() - c.clock.wall()).toBe(7_000 + 2_500);
  });

  it('that is closed meanwhile opens nothing; once closed, nothing is asked, told or left', async () => {
    const early = new LiveCase();
    early.net.answers.delete('/time');
    const opening = early.market.open(early.sink);
    await early.market.close();
    early.net.requests[0]?.answer(answered(200, String(early.clock.wall())));
    await opening;
    early.watch({ A: [] });
    await early.clock.advance(60_000);
    expect([early.net.sockets.length, early.told]).toEqual([0, []]);
    const c = await fresh({ A: [MINUTE], B: [] });
    c.market.watchDepth(new Set(['A']));
    await c.up('depth');
    c.news();
    const asked = c.net.paths.length;
    await c.market.close();
    c.trades('A', [1, '100']);
    c.watch({ A: [], C: [] });
    c.market.watchDepth(new Set(['B']));
    expect([
      await c.market.prices(),
      await c.market.funding('A', 0, 9),
      await c.market.instruments('x'),
    ]).toEqual([null, null, null]);
    await c.clock.advance(60 * MINUTE);
    expect([c.news(), c.net.paths.length, c.clock.pendingTimers]).toEqual([[], asked, 0]);
    expect(c.net.sockets.every(({ isClosed }) => isClosed)).toBe(true);
  });
});

it('messages that cannot be read are said once a minute for each kind, and the next ones are heard', async () => {
  const c = await fresh({ A: [MINUTE] });
  c.market.watchDepth(new Set(['A']));
  await c.up('depth');
  for (const url of ['stream', 'business', 'depth']) c.socket(url).events.message('odd');
  c.trades('A', [1, '100']);
  expect([c.reports, c.news().at(-1)]).toEqual([
    ['made-up: market stream: it is odd', 'made-up: depth, market stream: it is odd'],
    ['tick', 'A', '100', '2'],
  ]);
});

describe('what else is asked', () => {
  it('is funding of a span, and the instruments with what is wrong about them, each said once a minute', async () => {
    const c = await fresh({});
    const rows = [{ at: 5, rate: '0.0001', mark: '7' }];
    c.net.answers.set('/funding', () => rows);
    expect([await c.market.funding('A', 3, 9), c.net.paths.at(-1)]).toEqual([
      rows,
      '/funding?symbol=A&from=3&to=9',
    ]);
    const asked = c.net.paths.length;
    expect([await c.market.funding('A', 9, 9), c.net.paths.length]).toEqual([[], asked]);
    c.net.answers.set('/instruments', () => ({ instruments: ['one'], problems: ['X: odd', 'Y: odd'] }));
    for (let n = 0; n < 2; n++) expect(await c.market.instruments('mine')).toEqual(['one']);
    expect(c.net.paths.at(-1)).toBe('/instruments?exchange=mine');
    expect(c.reports).toEqual(['made-up: instruments X: odd: X: odd', 'made-up: instruments Y: odd: Y: odd']);
    c.net.answers.set('/instruments', () => null);
    expect(await c.market.instruments('mine')).toBeNull();
  });

  it('is the depth of what is looked at, on a socket of its own', async () => {
    const c = new LiveCase();
    c.market.watchDepth(new Set(['A', 'ODD']));
    expect(c.net.sockets).toHaveLength(0);
    await c.market.open(c.sink);
    await c.up('depth');
    expect(c.socket('depth').sent.map((text) => JSON.parse(text).streams)).toEqual([['A@depth']]);
    const news = {
      stream: 'A@depth',
      isWhole: true,
      bids: [['9', '1']],
      asks: [['10', '2']],
      at: 1,
    } as const;
    c.say('depth', news);
    c.say('depth', { ...news, stream: 'B@depth' });
    expect(c.news()).toEqual([
      ['depth', 'A', null],
      ['depth', 'A', { bids: [['9', '1']], asks: [['10', '2']] }],
    ]);
    const none = await fresh({ A: [] }, { depth: undefined } as never);
    none.market.watchDepth(new Set(['A']));
    await none.clock.advance(0);
    expect(none.net.sockets).toHaveLength(1);
  });

  it('a change of sockets that one address announces is made on all where they end together', async () => {
    for (const [more, all] of [
      [{}, 3],
      [{ endTogether: true as const }, 4],
    ] as const) {
      const c = await fresh({ A: [MINUTE] }, more);
      c.socket('business').events.message(JSON.stringify({ kind: 'shutdown' }));
      await c.clock.advance(0);
      expect(c.net.sockets).toHaveLength(all);
      expect(c.market.sockets).toEqual({ up: 2, all: 2 });
    }
  });

  it('the sockets wait for their turn where the form has one, each by its address', async () => {
    const turns: string[] = [];
    const c = await fresh(
      { A: [MINUTE] },
      {
        turn: async (address) => {
          turns.push(address);
          return `${address}?turn=${turns.length}`;
        },
      },
    );
    expect(turns).toEqual(['wss://stream/public', 'wss://business']);
    expect(c.net.sockets.map(({ request }) => request.url)).toEqual([
      'wss://stream/public?turn=1',
      'wss://business?turn=2',
    ]);
  });
});
