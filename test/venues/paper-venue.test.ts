/**
 * The paper exchange behind the port: commits before answers, order of delivery, ticks in lock-step with the
 * desk, restarts.
 */
import { describe, expect, it } from 'vitest';
import type { Tick } from '../../src/market/feed.ts';
import { createPaperVenue } from '../../src/venues/paper/paper-venue.ts';
import {
  fillText,
  INSTRUMENTS,
  limit,
  MemoryLane,
  openVenue,
  plain,
  RecordingSink,
  seeded,
} from './paper-support.ts';

describe('a submit', () => {
  it('is stored before it is told, and told before it is answered', async () => {
    const { clock, lane, sink, venue } = await openVenue();
    lane.commits = [];
    const answer = venue.submit(limit('a', 'BUY', '101', '1')).then((outcome) => {
      sink.lines.push(`answer ${outcome.kind}`);
      return outcome;
    });
    expect([lane.commits.length, sink.lines.length]).toEqual([0, 1]);
    await clock.settle();
    expect(sink.lines.slice(1)).toEqual([
      'fill a BUY 1 @ 100 taker',
      'order a FILLED 1',
      'balances BTC USDT',
      'answer accepted',
    ]);
    expect(await answer).toMatchObject({ state: { status: 'FILLED', time: 1_000 } });
    expect(lane.commits).toHaveLength(1);
  });

  it('shares one commit with all of its turn, each row once', async () => {
    const { clock, lane, venue } = await openVenue();
    lane.commits = [];
    const answers = ['a', 'b', 'c'].map((id) => venue.submit(limit(id, 'BUY', '99', '1')));
    const open = venue.openOrders();
    await clock.settle();
    expect((await Promise.all(answers)).map((outcome) => outcome.kind)).toEqual([
      'accepted',
      'accepted',
      'accepted',
    ]);
    expect(await open).toHaveLength(3);
    expect(
      lane.commits.map((rows) => rows.map((row) => (row.kind === 'paper' ? row.table : '')).sort()),
    ).toEqual([['spot.balance', 'spot.meta', 'spot.order', 'spot.order', 'spot.order', 'spot.price']]);
  });

  it('that is refused stores nothing', async () => {
    const { clock, lane, venue } = await openVenue();
    lane.commits = [];
    const answer = venue.submit(limit('a', 'BUY', '99.001', '1'));
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'rejected', code: '-1013' });
    expect(lane.commits).toEqual([]);
  });

  it('takes market time from the desk when it has one', async () => {
    const { clock, venue } = await openVenue({ marketTime: () => 5_000 });
    const answer = venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    expect(await answer).toMatchObject({ state: { time: 5_000 } });
  });

  it('arrives after the latency', async () => {
    const { clock, venue, sink } = await openVenue({ options: { latencyMs: 30, jitterMs: 10 } });
    void venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.advance(29);
    expect(sink.orders).toEqual([]);
    await clock.advance(11);
    expect(sink.orders).toHaveLength(1);
  });
});

describe('a commit that fails', () => {
  it('leaves every outcome of its turn unknown, and nothing happened', async () => {
    const { clock, lane, sink, venue, errors } = await openVenue();
    const before = plain(lane.tables);
    lane.failNext = true;
    const answers = [
      venue.submit(limit('a', 'BUY', '101', '1')),
      venue.submit(limit('b', 'BUY', '1.001', '1')),
      venue.cancel({ clientId: 'a', symbol: 'BTCUSDT' }),
    ];
    const question = venue.query({ clientId: 'a', symbol: 'BTCUSDT' });
    await clock.settle();
    for (const outcome of await Promise.all(answers)) {
      expect(outcome).toEqual({ kind: 'unknown', cause: 'the exchange could not store it: disk full' });
    }
    expect((await question).kind).toBe('unknown');
    expect(plain(lane.tables)).toEqual(before);
    expect(sink.lines).toEqual(['stream up', 'stream gap']);
    expect(errors.map((error) => error.message)).toEqual(['disk full']);
  });

  it('loses no price: the next order meets the same market', async () => {
    const { clock, lane, venue } = await openVenue();
    lane.failNext = true;
    void venue.submit(limit('a', 'BUY', '101', '1'));
    await clock.settle();
    const answer = venue.submit(limit('a', 'BUY', '101', '1'));
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'accepted', state: { status: 'FILLED' } });
  });

  it('during a tick gives up that tick and fills at the next', async () => {
    const { clock, lane, sink, venue, tick } = await openVenue();
    void venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    lane.failNext = true;
    await tick('98');
    expect(sink.fills).toEqual([]);
    await tick('98');
    expect(sink.fills).toMatchObject([{ clientId: 'a', price: '99' }]);
  });

  it('leaves the last tick what it has left of its volume, also over a start that gives it again', async () => {
    const options = { participation: '1' };
    const { clock, lane, sink, venue } = await openVenue({ options });
    const tick: Tick = { time: 2_000, symbol: 'BTCUSDT', price: '99', volume: '3' };
    void venue.submit(limit('a', 'BUY', '99', '2'));
    await clock.settle();
    await venue.tick(tick);
    lane.failNext = true;
    void venue.submit(limit('b', 'BUY', '99', '5'));
    await clock.settle();
    void venue.submit(limit('b', 'BUY', '99', '5'));
    await clock.settle();
    expect(sink.fills.map(fillText)).toEqual(['BUY 2 @ 99 maker', 'BUY 1 @ 99 taker']);
    const again = await openVenue({ lane, options });
    await again.venue.tick(tick);
    expect(again.sink.fills).toEqual([]);
    await again.venue.tick({ ...tick, time: 2_001 });
    expect(again.sink.fills.map(fillText)).toEqual(['BUY 3 @ 99 maker']);
  });

  it('and a store that cannot be read keep everything unknown until it can', async () => {
    const lane = new MemoryLane();
    let broken = false;
    const load = () => {
      if (broken) throw new Error('no such file');
      return lane.tables;
    };
    const { clock, venue, errors } = await openVenue({ lane, load });
    broken = true;
    lane.failNext = true;
    const first = venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    const second = venue.submit(limit('b', 'BUY', '99', '1'));
    const balances = venue.balances();
    await clock.settle();
    broken = false;
    const third = venue.submit(limit('c', 'BUY', '99', '1'));
    await clock.settle();
    expect([(await first).kind, (await second).kind, (await third).kind]).toEqual([
      'unknown',
      'unknown',
      'accepted',
    ]);
    expect(await balances).toBeNull();
    expect(errors[0]?.message).toBe('disk full');
  });
});

describe('a tick', () => {
  it('that reaches nothing returns at once and stores nothing', async () => {
    const { clock, lane, venue, tick } = await openVenue();
    void venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    lane.commits = [];
    expect(tick('99.01')).toBeUndefined();
    expect(lane.commits).toEqual([]);
    expect(venue.lastPrice('BTCUSDT')).toBe('99.01');
  });

  it('lets the desk handle each match before the next', async () => {
    const lines: string[] = [];
    let release: (() => void) | null = null;
    const settle = () => {
      lines.push('settle');
      return new Promise<void>((resolve) => {
        release = resolve;
      });
    };
    const { clock, lane, sink, venue, tick } = await openVenue({ settle });
    for (const id of ['a', 'b']) void venue.submit(limit(id, 'BUY', '99', '1'));
    await clock.settle();
    lane.commits = [];
    const done = Promise.resolve(tick('98'));
    expect([sink.fills.length, lane.commits.length, lines.length]).toEqual([1, 1, 1]);
    const cancelled = venue.cancel({ clientId: 'b', symbol: 'BTCUSDT' });
    const taken = venue.submit(limit('c', 'BUY', '98', '1'));
    await clock.settle();
    expect([(await cancelled).kind, (await taken).kind]).toEqual(['done', 'accepted']);
    (release as unknown as () => void)();
    await done;
    expect(sink.fills.map((fill) => `${fill.clientId} ${fill.price}`)).toEqual(['a 99', 'c 98']);
  });

  it('waits for the one before it', async () => {
    const { clock, sink, venue, tick } = await openVenue({ settle: () => Promise.resolve() });
    for (const [id, price] of [
      ['a', '99'],
      ['b', '98'],
      ['c', '97'],
    ] as const) {
      void venue.submit(limit(id, 'BUY', price, '1'));
    }
    await clock.settle();
    await Promise.all([tick('98'), tick('97'), tick('97.5')]);
    expect(sink.fills.map((fill) => [fill.clientId, fill.time])).toEqual([
      ['a', 1_001],
      ['b', 1_001],
      ['c', 1_002],
    ]);
    expect(venue.lastPrice('BTCUSDT')).toBe('97.5');
  });
});

describe('a restart', () => {
  it('continues the same account', async () => {
    const { clock, lane, venue, tick } = await openVenue();
    void venue.submit(limit('a', 'BUY', '99', '1'));
    void venue.submit(limit('b', 'SELL', '101', '1'));
    await clock.settle();
    tick('100.5');
    await venue.close();
    const sink = new RecordingSink();
    const again = createPaperVenue({
      instruments: INSTRUMENTS,
      load: () => lane.tables,
      lane,
      clock,
      random: seeded(1),
    });
    await again.open(sink);
    expect(again.lastPrice('BTCUSDT')).toBe('100.5');
    expect(await again.openOrders()).toMatchObject([{ clientId: 'a', status: 'WORKING' }]);
    await again.tick({ time: 9_000, symbol: 'BTCUSDT', price: '99', volume: '1' });
    expect(sink.fills).toMatchObject([{ clientId: 'a', tradeId: '1' }]);
  });

  it('closed: nothing is known and nothing is told', async () => {
    const { clock, sink, venue, tick } = await openVenue();
    void venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    await venue.close();
    const told = sink.lines.length;
    const answer = venue.submit(limit('b', 'BUY', '99', '1'));
    await tick('90');
    await clock.settle();
    expect(await answer).toMatchObject({ kind: 'unknown' });
    expect(await venue.openOrders()).toBeNull();
    expect(sink.lines).toHaveLength(told);
  });
});

describe('the account', () => {
  it('starts with 100,000 USDT, can be set and reset', async () => {
    const { clock, sink, venue } = await openVenue();
    const time = 1_000;
    expect(await venue.balances()).toEqual([{ asset: 'USDT', free: '100000', locked: '0', time }]);
    expect(() => venue.setBalance('BTC', '-1')).toThrow(RangeError);
    const set = venue.setBalance('BTC', '2.5');
    await clock.settle();
    expect(await set).toBe(true);
    expect(sink.balanceOf.get('BTC')).toEqual({ asset: 'BTC', free: '2.5', locked: '0', time });
    const reset = venue.reset();
    await clock.settle();
    expect(await reset).toBe(true);
    expect(sink.balanceOf.get('BTC')).toMatchObject({ asset: 'BTC', free: '0', locked: '0' });
  });

  it('a price from before the last one is no news', async () => {
    const { venue, tick } = await openVenue();
    tick('101');
    venue.seedPrice('BTCUSDT', '90', 1_000);
    expect(venue.lastPrice('BTCUSDT')).toBe('101');
    venue.seedPrice('BTCUSDT', '102', 5_000);
    expect(venue.lastPrice('BTCUSDT')).toBe('102');
  });

  it('a start that tells a tick which has matched nothing gives an order its volume', async () => {
    const { clock, venue, sink } = await openVenue({ options: { participation: '1' } });
    venue.seedPrice('BTCUSDT', '102', 5_000, 1, '3');
    void venue.submit(limit('a', 'BUY', '103', '5'));
    await clock.settle();
    expect(sink.fills.map(fillText)).toEqual(['BUY 3 @ 102 taker']);
  });

  it('converts dust by wall time', async () => {
    const { clock, venue } = await openVenue();
    venue.seedPrice('BNBUSDT', '600', 1);
    void venue.setBalance('BTC', '0.05');
    await clock.settle();
    expect(venue.dust()).toMatchObject({ assets: [{ asset: 'BTC' }], waitMs: 0 });
    const done = venue.convertDust(['BTC']);
    await clock.settle();
    expect((await done).kind).toBe('done');
    await clock.advance(3_600_000);
    expect(venue.dust()).toEqual({ assets: [], waitMs: 5 * 3_600_000 });
  });
});

describe('what is asked by name', () => {
  it('is found under its own symbol alone: an order, its cancel, its executions', async () => {
    const { venue, clock } = await openVenue();
    const found = async <T>(answer: Promise<T>) => {
      await clock.settle();
      return answer;
    };
    await found(venue.submit(limit('a', 'BUY', '99', '1')));
    await found(venue.submit(limit('b', 'BUY', '101', '1')));
    for (const id of ['a', 'b']) {
      expect(await found(venue.query({ clientId: id, symbol: 'BNBUSDT' }))).toEqual({ kind: 'absent' });
      expect(await found(venue.cancel({ clientId: id, symbol: 'BNBUSDT' }))).toEqual({
        kind: 'gone',
        state: null,
      });
    }
    expect(await found(venue.query({ clientId: 'a', symbol: 'BTCUSDT' }))).toMatchObject({
      state: { status: 'WORKING' },
    });
    expect(await found(venue.cancel({ clientId: 'b', symbol: 'BTCUSDT' }))).toMatchObject({
      kind: 'gone',
      state: { status: 'FILLED' },
    });
    const fills = (symbol: string) => found(venue.fills({ symbol, after: null, since: 0 }));
    expect((await fills('BTCUSDT'))?.fills).toHaveLength(1);
    expect((await fills('BNBUSDT'))?.fills).toEqual([]);
  });

  it('is told from a moment on, that moment included, and goes on where it was left', async () => {
    const { venue, clock, tick } = await openVenue();
    const page = async (query: { after: string | null; since: number }) => {
      const answer = venue.fills({ symbol: 'BTCUSDT', ...query });
      await clock.settle();
      const found = await answer;
      return found && { times: found.fills.map(({ time }) => time), next: found.next };
    };
    for (const id of ['a', 'b']) {
      void venue.submit(limit(id, 'BUY', '101', '1'));
      await clock.settle();
      tick('100');
    }
    expect(await page({ after: null, since: 1_000 })).toEqual({ times: [1_000, 1_001], next: '1002' });
    expect(await page({ after: null, since: 1_001 })).toEqual({ times: [1_001], next: '1002' });
    expect(await page({ after: null, since: 1_002 })).toEqual({ times: [], next: '1002' });
    // The cursor counts, not the start time of the first request.
    expect(await page({ after: '1001', since: 0 })).toEqual({ times: [1_001], next: '1002' });
    expect(await page({ after: '1002', since: 0 })).toEqual({ times: [], next: '1002' });
  });
});

it('the port converts small balances into the one token there is', async () => {
  const { venue, clock } = await openVenue();
  const found = async <T>(answer: Promise<T>) => {
    await clock.settle();
    return answer;
  };
  await found(venue.setBalance('BTC', '0.05'));
  venue.tick({ time: 2_000, symbol: 'BNBUSDT', price: '500', volume: '1' });
  const { conversion } = venue;
  if (!conversion) throw new Error('no conversion');
  expect(await conversion.list()).toEqual({
    assets: [{ asset: 'BTC', free: '0.05', value: '5', toAsset: 'BNB', toAmount: '0.0098' }],
  });
  expect(conversion.waitMs()).toBe(0);
  const other = {
    kind: 'rejected',
    code: '-1109',
    message: 'paper-spot converts into BNB only, not into ETH',
  };
  expect(await found(conversion.convert(['BTC'], 'ETH'))).toEqual(other);
  expect(await found(conversion.convert(['BTC']))).toEqual({
    kind: 'done',
    dust: {
      converted: [{ asset: 'BTC', amount: '0.05', received: '0.0098', fee: '0.0002' }],
      toAsset: 'BNB',
      received: '0.0098',
    },
  });
  expect(conversion.waitMs()).toBe(6 * 3_600_000);
});

it('closed, it has nothing on its way any more, and nothing that would wake somebody', async () => {
  const { clock, venue, sink } = await openVenue({ options: { latencyMs: 500 } });
  const told: string[] = [];
  void venue.submit(limit('a', 'BUY', '101', '1')).then(({ kind }) => told.push(kind));
  void venue.query({ clientId: 'a', symbol: 'BTCUSDT' }).then(({ kind }) => told.push(kind));
  await clock.advance(100);
  const lines = sink.lines.length;
  await venue.close();
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(60_000);
  expect(told).toEqual([]);
  expect(sink.lines).toHaveLength(lines);
});

it('that is down when it is closed stays so without a word', async () => {
  const { clock, venue, sink } = await openVenue();
  venue.faults.onDown?.(60_000);
  const lines = sink.lines.length;
  await venue.close();
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(120_000);
  expect(sink.lines).toHaveLength(lines);
});
