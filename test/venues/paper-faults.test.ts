/** Every fault switch: what the caller learns, what really happened, and that a query finds it out. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream } from '../../src/venues/paper/event-stream.ts';
import { PaperFaults } from '../../src/venues/paper/faults.ts';
import type { VenueSink } from '../../src/venues/venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { limit, openVenue, plain, seeded } from './paper-support.ts';

const A = { clientId: 'a', symbol: 'BTCUSDT' };

async function submitted(fault: (faults: PaperFaults) => void, more: Parameters<typeof openVenue>[0] = {}) {
  const made = await openVenue(more);
  fault(made.venue.faults);
  let outcome: unknown = 'waiting';
  void made.venue.submit(limit('a', 'BUY', '99', '1')).then((answer) => {
    outcome = answer;
  });
  await made.clock.settle();
  const exists = async () => {
    const asked = made.venue.query(A);
    await made.clock.settle();
    return (await asked).kind;
  };
  return { ...made, outcome: () => outcome, exists };
}

const ALL = { symbol: 'BTCUSDT', after: null, since: 0 };

describe('the switches', () => {
  const fates = (faults: PaperFaults, count: number) =>
    Array.from({ length: count }, () => faults.request('submit', 5_000).fault);

  it('count every Nth order from when they are set', () => {
    const faults = new PaperFaults({ next: () => 0.5 });
    faults.set({ rejectNth: 3 });
    expect(fates(faults, 2)).toEqual(['none', 'none']);
    faults.set({ rejectNth: 3 });
    expect(fates(faults, 3)).toEqual(['none', 'none', 'reject']);
    // Another fault does not change the count.
    expect(fates(faults, 1)).toEqual(['none']);
    faults.set({ delayMs: 7 });
    expect(fates(faults, 2)).toEqual(['none', 'reject']);
  });

  it('hit the kind of request that they are for, and are used up by that alone', () => {
    const faults = new PaperFaults({ next: () => 0.5 });
    faults.next('loseAnswer', { on: 'cancel' });
    expect(fates(faults, 2)).toEqual(['none', 'none']);
    expect([faults.toCome, faults.request('cancel', 5_000).fault, faults.toCome]).toEqual([
      1,
      'loseAnswer',
      0,
    ]);
    faults.next('loseAnswer');
    expect([faults.request('cancel', 5_000).fault, ...fates(faults, 2)]).toEqual([
      'none',
      'loseAnswer',
      'none',
    ]);
  });

  it('are all off once healed, those that were still to come too', () => {
    const faults = new PaperFaults({ next: () => 0 });
    let changes = 0;
    faults.onChanged = () => changes++;
    faults.next('reject', { times: 3 });
    faults.next('dropEvent');
    faults.next('queryFails');
    faults.set({ loseRequest: 1, answerTimeoutMs: 9 });
    expect([fates(faults, 1), faults.toCome, changes]).toEqual([['reject'], 4, 5]);
    faults.heal();
    expect([faults.toCome, faults.mix.answerTimeoutMs, changes]).toEqual([0, 0, 6]);
    // One fault set afterwards is the only one.
    faults.next('loseAnswer', { on: 'cancel' });
    expect([fates(faults, 2), faults.event('order'), faults.question()]).toEqual([
      ['none', 'none'],
      'none',
      false,
    ]);
  });
});

it('an event that waits for the next one is lost with the connection, and never told after its end', async () => {
  const clock = new VirtualClock();
  const faults = new PaperFaults({ next: () => 0.5 });
  const told: string[] = [];
  const sink = {
    order: ({ clientId }: { clientId: string }) => told.push(clientId),
    stream: (state: string) => told.push(state),
  };
  const stream = new EventStream(sink as unknown as VenueSink, clock, faults);
  const order = (clientId: string) => stream.tell({ kind: 'order', state: { clientId } } as never);
  const late = (clientId: string) => {
    faults.next('reorderEvent');
    order(clientId);
  };
  late('a');
  order('b');
  late('c');
  await clock.advance(50);
  late('lost');
  stream.state('down');
  stream.state('up');
  order('d');
  await clock.advance(50);
  late('too late');
  stream.close();
  await clock.advance(50);
  expect(told).toEqual(['b', 'a', 'c', 'down', 'up', 'd']);
});

describe('a request', () => {
  it('that is refused by the switch, once', async () => {
    const { outcome, exists, venue, clock } = await submitted((faults) => faults.next('reject'));
    expect(outcome()).toMatchObject({ kind: 'rejected' });
    expect(await exists()).toBe('absent');
    const again = venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.settle();
    expect((await again).kind).toBe('accepted');
  });

  it('is refused every Nth time', async () => {
    const { clock, venue } = await openVenue();
    venue.faults.set({ rejectNth: 3 });
    const answers = [1, 2, 3, 4, 5, 6].map((n) => venue.submit(limit(`n${n}`, 'BUY', '99', '1')));
    await clock.settle();
    const kinds = (await Promise.all(answers)).map((outcome) => outcome.kind);
    expect(kinds).toEqual(['accepted', 'accepted', 'rejected', 'accepted', 'accepted', 'rejected']);
  });

  it('that is lost never arrives', async () => {
    const { outcome, exists, clock } = await submitted((faults) => faults.next('loseRequest'));
    expect(outcome()).toEqual({ kind: 'unknown', cause: 'timeout' });
    await clock.advance(60_000);
    expect(await exists()).toBe('absent');
  });

  it('that arrives late is unknown first and there afterwards', async () => {
    const { outcome, exists, clock, sink } = await submitted((faults) =>
      faults.next('lateArrival', { ms: 4_000 }),
    );
    expect(outcome()).toMatchObject({ kind: 'unknown' });
    expect(await exists()).toBe('absent');
    await clock.advance(4_000);
    expect(await exists()).toBe('found');
    expect(sink.orders).toMatchObject([{ clientId: 'a', status: 'WORKING' }]);
  });

  it('never arrives later than its validity window', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const { exists, clock } = await submitted((faults) => faults.set({ lateArrival: 1 }), {
        random: seeded(seed),
      });
      await clock.advance(5_000);
      expect(await exists()).toBe('found');
    }
  });

  it('that is held up beyond the window is refused', async () => {
    const { outcome, exists, clock } = await submitted((faults) => faults.next('delay', { ms: 5_001 }));
    expect(outcome()).toBe('waiting');
    await clock.advance(5_001);
    expect(outcome()).toMatchObject({ kind: 'rejected', code: '-1021' });
    expect(await exists()).toBe('absent');
  });

  it('that is held up within the window is answered then', async () => {
    const { outcome, clock } = await submitted((faults) => faults.next('delay', { ms: 5_000 }));
    await clock.advance(4_999);
    expect(outcome()).toBe('waiting');
    await clock.advance(1);
    expect(outcome()).toMatchObject({ kind: 'accepted' });
  });

  it('whose answer is lost was executed', async () => {
    const { outcome, exists, clock } = await submitted((faults) => {
      faults.set({ answerTimeoutMs: 2_000 });
      faults.next('loseAnswer');
    });
    expect(await exists()).toBe('found');
    expect(outcome()).toBe('waiting');
    await clock.advance(2_000);
    expect(outcome()).toEqual({ kind: 'unknown', cause: 'timeout' });
  });

  it('answered by a 5xx was executed', async () => {
    const { outcome, exists } = await submitted((faults) => faults.next('serverErrorAfterAccept'));
    expect(outcome()).toEqual({ kind: 'unknown', cause: 'HTTP 503 Service Unavailable' });
    expect(await exists()).toBe('found');
  });

  it('to cancel has the same faults', async () => {
    const { clock, venue, exists } = await submitted((faults) => faults.next('loseAnswer', { on: 'cancel' }));
    const cancelled = venue.cancel(A);
    await clock.settle();
    expect((await cancelled).kind).toBe('unknown');
    expect(await exists()).toBe('found');
    expect(await venue.openOrders()).toEqual([]);
  });

  it('may use the id of a finished order again when the switch says so', async () => {
    const { clock, venue, tick } = await submitted((faults) => faults.set({ acceptUsedId: true }));
    await tick('99');
    const again = venue.submit(limit('a', 'BUY', '98', '1'));
    await clock.settle();
    expect((await again).kind).toBe('accepted');
    await tick('98');
    expect((await venue.fills(ALL))?.fills).toHaveLength(2);
  });
});

describe('a question', () => {
  it('that fails proves nothing', async () => {
    const { venue } = await submitted((faults) => faults.set({ queryFails: 1 }));
    expect(await venue.query(A)).toMatchObject({ kind: 'unknown' });
    expect(await venue.openOrders()).toBeNull();
    expect(await venue.fills(ALL)).toBeNull();
    expect(await venue.balances()).toBeNull();
    venue.faults.heal();
    expect(await venue.openOrders()).toHaveLength(1);
  });
});

describe('an event', () => {
  async function filledWith(fault: (faults: PaperFaults) => void) {
    const made = await submitted(() => {});
    made.sink.lines.length = 0;
    fault(made.venue.faults);
    await made.tick('99');
    return made;
  }

  it('dropped can be asked for', async () => {
    const { sink, venue } = await filledWith((faults) => faults.set({ dropEvent: 1 }));
    expect(sink.lines).toEqual([]);
    expect(await venue.query(A)).toMatchObject({ state: { status: 'FILLED' }, fills: [{ tradeId: '1' }] });
    expect(await venue.fills(ALL)).toMatchObject({ fills: [{ tradeId: '1' }], more: false });
    expect(await venue.balances()).toMatchObject([
      { asset: 'BTC', free: '0.999', locked: '0' },
      { asset: 'USDT' },
    ]);
  });

  it('of one kind can be hit alone', async () => {
    const { sink } = await filledWith((faults) => faults.next('dropEvent', { on: 'fill' }));
    expect(sink.lines).toEqual(['order a FILLED 1', 'balances BTC USDT']);
  });

  it('can come twice', async () => {
    const { sink } = await filledWith((faults) => faults.next('duplicateEvent', { on: 'fill' }));
    expect(sink.fills.map((fill) => fill.tradeId)).toEqual(['1', '1']);
  });

  it('can come after the next one', async () => {
    const { sink } = await filledWith((faults) => faults.next('reorderEvent', { on: 'fill' }));
    expect(sink.lines).toEqual(['order a FILLED 1', 'fill a BUY 1 @ 99 maker', 'balances BTC USDT']);
  });

  it('held back comes by itself when nothing follows', async () => {
    const { sink, clock } = await filledWith((faults) => faults.next('reorderEvent', { on: 'balances' }));
    expect(sink.lines).toHaveLength(2);
    await clock.advance(50);
    expect(sink.lines[2]).toBe('balances BTC USDT');
  });
});

it('an event that is held back waits its own time, whatever was held back before', async () => {
  const { clock, sink, venue } = await openVenue();
  sink.lines.length = 0;
  const set = async (asset: string, isLate: boolean) => {
    if (isLate) venue.faults.next('reorderEvent', { on: 'balances' });
    void venue.setBalance(asset, '5');
    await clock.settle();
  };
  await set('BTC', true);
  await clock.advance(10);
  await set('BNB', false);
  const told = () => sink.lines.splice(0).filter((line) => line.startsWith('balances'));
  // The word of the ledger was the next event.
  expect(told()).toEqual(['balances BTC', 'balances BNB']);
  await clock.advance(10);
  await set('DOGE', true);
  await clock.advance(49);
  expect(told()).toEqual([]);
  await clock.advance(1);
  expect(told()).toEqual(['balances DOGE']);
});

describe('an outage', () => {
  it('goes on where what was done meanwhile could not be stored, and nothing is told before its end', async () => {
    const { clock, lane, sink, venue } = await openVenue();
    venue.faults.downFor(3_000);
    sink.lines.length = 0;
    lane.failNext = true;
    const failed = venue.setBalance('BTC', '5');
    await clock.settle();
    const done = venue.setBalance('BTC', '6');
    await clock.settle();
    expect([await failed, await done, sink.lines]).toEqual([false, true, ['stream gap']]);
    await clock.advance(3_000);
    expect(sink.lines.slice(1)).toEqual(['stream up', 'stream gap']);
  });

  it('loses requests and events, matches go on, and ends with a gap', async () => {
    const { clock, sink, venue, tick } = await submitted(() => {});
    sink.lines.length = 0;
    venue.faults.downFor(3_000);
    const answer = venue.submit(limit('b', 'BUY', '98', '1'));
    await tick('99');
    await clock.settle();
    expect((await answer).kind).toBe('unknown');
    expect(await venue.openOrders()).toBeNull();
    await clock.advance(3_000);
    expect(sink.lines).toEqual(['stream down', 'stream up', 'stream gap']);
    expect(await venue.query(A)).toMatchObject({ state: { status: 'FILLED' } });
    expect((await venue.query({ clientId: 'b', symbol: 'BTCUSDT' })).kind).toBe('absent');
  });

  it('lasts as the latest one says, whatever came before it, and ends once', async () => {
    const outage = fc.record({
      after: fc.integer({ min: 0, max: 900 }),
      ms: fc.integer({ min: 1, max: 900 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(outage, { minLength: 1, maxLength: 6 }), async (outages) => {
        const { clock, sink, venue } = await openVenue();
        sink.lines.length = 0;
        const told: string[] = [];
        let end: number | null = null;
        let now = 0;
        const pass = async (ms: number) => {
          await clock.advance(ms);
          now += ms;
          if (end === null || end > now) return;
          told.push('stream up', 'stream gap');
          end = null;
        };
        for (const { after, ms } of outages) {
          await pass(after);
          if (end === null) told.push('stream down');
          venue.faults.downFor(ms);
          end = now + ms;
          expect(sink.lines).toEqual(told);
          expect(await venue.openOrders()).toBeNull();
        }
        await pass(1_000);
        expect(sink.lines).toEqual(told);
        await clock.advance(2_000);
        expect(sink.lines).toEqual(told);
      }),
    );
  });

  it('swallows what was on its way', async () => {
    const { clock, venue } = await openVenue({ options: { latencyMs: 100 } });
    const answer = venue.submit(limit('a', 'BUY', '99', '1'));
    venue.faults.downFor(1_000);
    await clock.advance(2_000);
    expect(await answer).toEqual({ kind: 'unknown', cause: 'the connection to the exchange broke' });
    const open = venue.openOrders();
    await clock.advance(200);
    expect(await open).toEqual([]);
  });
});

describe('a mix of faults', () => {
  const chance = fc.constantFrom(0, 0.2, 0.5);
  const mix = fc.record({
    loseRequest: chance,
    lateArrival: chance,
    loseAnswer: chance,
    serverErrorAfterAccept: chance,
    delay: chance,
    delayMs: fc.constantFrom(100, 7_000),
    dropEvent: chance,
    duplicateEvent: chance,
    reorderEvent: chance,
  });

  async function storm(seed: number, chosen: Parameters<PaperFaults['set']>[0]) {
    const random = seeded(seed);
    const made = await openVenue({ random, faults: new PaperFaults(random) });
    const { clock, venue, sink, tick } = made;
    venue.faults.set(chosen);
    const outcomes = new Map<string, string>();
    void venue.setBalance('BTC', '10');
    await clock.settle();
    for (let n = 0; n < 30; n++) {
      const id = `n${n}`;
      const side = n % 3 === 0 ? 'SELL' : 'BUY';
      void venue
        .submit(limit(id, side, String(97 + (n % 7)), '0.1'))
        .then((answer) => outcomes.set(id, answer.kind));
      if (n % 4 === 0) void venue.cancel({ clientId: `n${n - 3}`, symbol: 'BTCUSDT' });
      await clock.advance(300);
      await tick(String(98 + (n % 5)));
    }
    venue.faults.heal();
    await clock.advance(15_000);
    return { ...made, outcomes, sink };
  }

  it('never makes the exchange contradict itself: once healed, asking tells everything', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), mix, async (seed, chosen) => {
        const { venue, sink, outcomes, clock } = await storm(seed, chosen);
        expect(outcomes.size).toBe(30);
        const fills = (await venue.fills(ALL))?.fills ?? [];
        const known = new Set(fills.map((fill) => fill.tradeId));
        for (const fill of sink.fills) expect(known.has(fill.tradeId)).toBe(true);
        for (const [clientId, kind] of outcomes) {
          const found = (await venue.query({ clientId, symbol: 'BTCUSDT' })).kind;
          if (kind === 'accepted') expect(found).toBe('found');
          if (kind === 'rejected') expect(found).toBe('absent');
        }
        await clock.settle();
      }),
      { numRuns: 40 },
    );
  });

  it('repeats bit by bit from its seed', async () => {
    const chosen = {
      loseRequest: 0.2,
      lateArrival: 0.2,
      loseAnswer: 0.2,
      dropEvent: 0.2,
      reorderEvent: 0.2,
      delay: 0.3,
    };
    const first = await storm(7, chosen);
    const second = await storm(7, chosen);
    expect(second.sink.lines).toEqual(first.sink.lines);
    expect(plain(second.lane.tables)).toEqual(plain(first.lane.tables));
    expect(second.outcomes).toEqual(first.outcomes);
  });
});
