import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { applyDelta } from '../../src/console/state/apply-delta.ts';
import {
  type DeskState,
  type FromDesk,
  LOG_LINES,
  PROTOCOL_VERSION,
} from '../../src/desk/console/protocol.ts';
import { createSessionHub, type SessionHub } from '../../src/desk/console/session-hub.ts';
import { addPart, deltaParts, PART_CHARACTERS } from '../../src/desk/console/state-parts.ts';
import { directLines } from '../../src/desk/hosting/transports/direct.ts';
import type { ChangeMark } from '../../src/desk/running.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { emptyState, FakeDesk, INFO, withoutMe } from './session-fake-desk.ts';

/**
 * The numbers of docs/limits.md and the protocol, written again here so that a change in the code is
 * noticed.
 */
const STATE_INTERVAL_MS = 100;
const MAX_MARKED = 5_000;
const MAX_INSTRUMENTS = 1_000;
const MAX_SESSIONS = 32;
const MAX_SILENT = 32;
const HELLO_WAIT_MS = 5_000;
const MAX_CALLS_IN_FLIGHT = 64;

let clock: VirtualClock;
let desk: FakeDesk;
let hub: SessionHub;
let reports: string[];

beforeEach(() => {
  clock = new VirtualClock();
  desk = new FakeDesk();
  reports = [];
  hub = createSessionHub({
    desk,
    clock,
    idleLockMs: 0,
    report: (doing, error) => reports.push(`${doing}: ${error}`),
  });
});

type StateMessage = Extract<FromDesk, { t: 'snapshot' | 'part' | 'delta' }>;

function isState(message: FromDesk): message is StateMessage {
  return message.t === 'snapshot' || message.t === 'part' || message.t === 'delta';
}

/** The state that a terminal has after these messages. */
function mirrorOf(states: readonly StateMessage[]): DeskState {
  let mirror = emptyState();
  for (const message of states) {
    if (message.t === 'snapshot') mirror = { ...message.state };
    else if (message.t === 'part') addPart(mirror, message.part);
    else mirror = applyDelta(mirror, message.delta);
  }
  return mirror;
}

/** A terminal that does nothing by itself. */
function terminal() {
  const ends = directLines();
  const got: FromDesk[] = [];
  let closed: string | null = null;
  ends.terminal.onMessage((message) =>
    got.push(message.t === 'snapshot' ? { ...message, state: withoutMe(message.state) } : message),
  );
  ends.terminal.onClosed((reason) => {
    closed = reason;
  });
  hub.accept(ends.desk);
  return {
    got,
    send: (message: unknown) => ends.terminal.send(message as never),
    close: () => ends.terminal.close(),
    closed: () => closed,
    /** The desk's end of the connection. */
    end: ends.desk,
    states: () => got.filter(isState) as (StateMessage & { readonly more?: true })[],
    async hello() {
      ends.terminal.send({ t: 'hello', protocol: PROTOCOL_VERSION });
      await clock.settle();
    },
    async ack() {
      const last = got.findLast(isState);
      ends.terminal.send({ t: 'ack', seq: last?.seq ?? 0 });
      await clock.settle();
    },
  };
}

async function liveTerminal() {
  const one = terminal();
  await one.hello();
  await one.ack();
  await clock.advance(STATE_INTERVAL_MS);
  return one;
}

describe('a session', () => {
  test('says nothing before hello and the whole state after it', async () => {
    const one = terminal();
    desk.mark({ kind: 'clock' });
    await clock.advance(1_000);
    expect(one.got).toEqual([]);
    await one.hello();
    expect(one.got).toEqual([{ t: 'snapshot', seq: 1, state: emptyState() }]);
  });

  test('is told a change in a turn of its own, however many there are', async () => {
    const ends = [];
    for (let n = 0; n < 5; n++) ends.push((await liveTerminal()).end);
    let turn = 0;
    const turns: number[] = [];
    const endOfTurn = clock.endOfTurn.bind(clock);
    clock.endOfTurn = (run) =>
      endOfTurn(() => {
        turn += 1;
        run();
      });
    for (const end of ends) {
      const send = end.send.bind(end);
      end.send = (message) => {
        turns.push(turn);
        send(message);
      };
    }
    desk.mark({ kind: 'clock' });
    await clock.advance(0);
    expect(turns).toEqual([0, 1, 2, 3, 4]);
  });

  test('is told what has been read once for all who knew the same', async () => {
    const ones = [];
    for (let n = 0; n < 5; n++) ones.push(await liveTerminal());
    desk.orders = { a: { id: 'a' } as never };
    desk.mark({ kind: 'clock' }, { kind: 'order', id: 'a' });
    await clock.advance(0);
    expect(desk.deltas).toEqual([{ orders: ['a'], prices: [], log: [], clock: true, keys: false }]);
    for (const one of ones)
      expect(one.got.at(-1)).toEqual({ t: 'delta', seq: 2, delta: { orders: { a: { id: 'a' } } } });
  });

  test('is told what is read anew where the desk has changed, or some time has gone by', async () => {
    const [prompt, slow, slower] = [await liveTerminal(), await liveTerminal(), await liveTerminal()];
    desk.mark({ kind: 'clock' });
    await clock.advance(STATE_INTERVAL_MS);
    expect(desk.deltas).toHaveLength(1);
    desk.mark({ kind: 'keys' });
    await prompt.ack();
    await clock.advance(0);
    expect(desk.deltas).toHaveLength(2);
    await clock.advance(60);
    await slow.ack();
    await clock.advance(0);
    expect(desk.deltas).toHaveLength(3);
    desk.mark({ kind: 'order', id: 'a' });
    await slower.ack();
    await clock.advance(0);
    expect(desk.deltas.at(-1)).toEqual({ orders: ['a'], prices: [], log: [], clock: false, keys: true });
  });

  test('knows in the end what the desk has, whoever else was told what and when', async () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('order'), id: fc.constantFrom('a', 'b', 'c') }),
      fc.record({ kind: fc.constant('ack'), who: fc.nat(3) }),
      fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(0, 20, 60, 110) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const ones = [];
        for (let n = 0; n < 4; n++) ones.push(await liveTerminal());
        let told = 0;
        for (const one of steps) {
          if ('id' in one) {
            desk.orders = { ...desk.orders, [one.id]: { id: one.id, updatedAt: ++told } as never };
            desk.mark({ kind: 'order', id: one.id });
          } else if ('who' in one) await ones[one.who]?.ack();
          else await clock.advance(one.ms);
        }
        for (let n = 0; n < 3; n++) {
          for (const one of ones) await one.ack();
          await clock.advance(STATE_INTERVAL_MS);
        }
        for (const one of ones) {
          expect(mirrorOf(one.states()).orders).toEqual(desk.orders);
          one.close();
        }
        await clock.settle();
        expect(desk.listeners.size).toBe(0);
      }),
      { numRuns: 60 },
    );
  });

  test('is silent while nothing changes, and keeps no timer', async () => {
    const one = await liveTerminal();
    await clock.advance(60_000);
    expect(one.states()).toHaveLength(1);
    expect(clock.pendingTimers).toBe(0);
  });

  test('puts the changes of a turn into one message, each named once', async () => {
    const one = await liveTerminal();
    desk.mark(
      { kind: 'order', id: 'a' },
      { kind: 'order', id: 'a' },
      { kind: 'order', id: 'b' },
      { kind: 'keys' },
    );
    await clock.advance(0);
    expect(one.states()).toHaveLength(2);
    expect(desk.deltas).toEqual([{ orders: ['a', 'b'], prices: [], log: [], clock: false, keys: true }]);
  });

  test('sends at most ten states a second to a terminal that acknowledges at once', async () => {
    const one = await liveTerminal();
    const before = one.states().length;
    for (let ms = 10; ms < 1_000; ms += 10) {
      desk.mark({ kind: 'clock' });
      await clock.advance(10);
      await one.ack();
    }
    expect(one.states().length - before).toBe(10);
  });

  test('sends nothing more until the last state was acknowledged, then all that changed meanwhile', async () => {
    const one = await liveTerminal();
    desk.mark({ kind: 'order', id: 'a' });
    await clock.advance(0);
    desk.mark({ kind: 'order', id: 'b' });
    await clock.advance(10_000);
    desk.mark({ kind: 'order', id: 'c' });
    await clock.advance(10_000);
    expect(one.states()).toHaveLength(2);
    await one.ack();
    await clock.advance(0);
    expect(one.states()).toHaveLength(3);
    expect(desk.deltas.at(-1)?.orders).toEqual(['b', 'c']);
  });

  test('an acknowledgement of an older state opens nothing', async () => {
    const one = await liveTerminal();
    desk.mark({ kind: 'clock' });
    await clock.advance(0);
    desk.mark({ kind: 'clock' });
    one.send({ t: 'ack', seq: 1 });
    one.send({ t: 'ack', seq: 99 });
    await clock.advance(1_000);
    expect(one.states()).toHaveLength(2);
  });

  test('keeps no more log lines than a terminal shows, the newest', async () => {
    await liveTerminal();
    desk.log(...Array.from({ length: LOG_LINES + 50 }, (_, i) => `line ${i}`));
    await clock.advance(0);
    const sent = desk.deltas.at(-1)?.log ?? [];
    expect(sent).toHaveLength(LOG_LINES);
    expect(sent.at(-1)).toBe(`line ${LOG_LINES + 49}`);
  });

  test.each([
    ['orders', (id: string): ChangeMark => ({ kind: 'order', id })],
    ['prices', (symbol: string): ChangeMark => ({ kind: 'price', market: 'paper', symbol })],
    ['bots', (id: string): ChangeMark => ({ kind: 'bot', id })],
  ] as const)('sends a whole state when more %s are marked than a delta should hold', async (_, markOf) => {
    const one = await liveTerminal();
    const mark = (count: number) => {
      for (let i = 0; i < count; i++) desk.mark(markOf(`o${i}`));
    };
    mark(MAX_MARKED + 1);
    await clock.advance(0);
    expect(one.got.at(-1)).toMatchObject({ t: 'snapshot', seq: 2 });
    expect(desk.deltas).toEqual([]);
    await one.ack();
    mark(MAX_MARKED);
    await clock.advance(STATE_INTERVAL_MS);
    expect(one.got.at(-1)).toMatchObject({ t: 'delta', seq: 3 });
  });

  test('sends a whole state when very many instruments are marked', async () => {
    const one = await liveTerminal();
    const mark = (count: number) => {
      for (let i = 0; i < count; i++)
        desk.mark({ kind: 'instrument', exchange: 'paper-spot', symbol: `s${i}` });
    };
    mark(MAX_INSTRUMENTS + 1);
    await clock.advance(0);
    expect(one.got.at(-1)).toMatchObject({ t: 'snapshot', seq: 2 });
    await one.ack();
    mark(MAX_INSTRUMENTS);
    await clock.advance(STATE_INTERVAL_MS);
    expect(one.got.at(-1)).toMatchObject({ t: 'delta', seq: 3 });
  });

  test('the mirror of a terminal ends equal to the desk whatever was dropped on the way', async () => {
    const one = await liveTerminal();
    desk.orders = { a: { id: 'a' } as never };
    desk.mark({ kind: 'order', id: 'a' });
    await clock.advance(0);
    desk.orders = { b: { id: 'b' } as never };
    desk.mark({ kind: 'order', id: 'a' }, { kind: 'order', id: 'b' });
    await one.ack();
    await clock.advance(STATE_INTERVAL_MS);
    let mirror = emptyState();
    for (const message of one.states()) {
      if (message.t === 'snapshot') mirror = message.state;
      else if (message.t === 'delta') mirror = applyDelta(mirror, message.delta);
    }
    expect(mirror).toEqual(desk.state());
  });

  test('stops listening to the desk when the terminal has gone', async () => {
    const one = await liveTerminal();
    expect(desk.listeners.size).toBe(1);
    desk.mark({ kind: 'clock' });
    one.close();
    await clock.advance(1_000);
    expect(desk.listeners.size).toBe(0);
    expect(hub.size()).toBe(0);
    expect(one.states()).toHaveLength(1);
  });

  test('ends, with a report, when the desk cannot tell its state', async () => {
    const one = await liveTerminal();
    desk.delta = () => {
      throw new Error('broken');
    };
    desk.mark({ kind: 'clock' });
    await clock.advance(0);
    expect(one.got.at(-1)).toEqual({ t: 'bye', reason: 'the desk could not tell its state; see the log' });
    expect(reports).toEqual(['telling a terminal the state: Error: broken']);
    expect(one.closed()).not.toBeNull();
  });
});

describe('a session turns away', () => {
  test.each([
    [
      'another protocol version',
      [{ t: 'hello', protocol: PROTOCOL_VERSION + 1 }],
      new RegExp(`version ${PROTOCOL_VERSION} .* version ${PROTOCOL_VERSION + 1}: stop`),
    ],
    ['a call before hello', [{ t: 'call', id: 1, method: 'orders.detail', params: {} }], /hello first/],
    [
      'a second hello',
      [
        { t: 'hello', protocol: PROTOCOL_VERSION },
        { t: 'hello', protocol: PROTOCOL_VERSION },
      ],
      /hello once/,
    ],
    ['no message at all', ['nonsense'], /not understood/],
    ['a message of another kind', [{ t: 'dance' }], /not understood/],
    [
      'a call without parameters',
      [{ t: 'call', id: 1, method: 'desk.stop', params: null }],
      /not understood/,
    ],
    [
      'a call with an id that is no number',
      [{ t: 'call', id: 'x', method: 'desk.stop', params: {} }],
      /not understood/,
    ],
  ])('%s', async (_what, messages, reason) => {
    const one = terminal();
    for (const message of messages) one.send(message);
    await clock.settle();
    const bye = one.got.at(-1);
    expect(bye?.t === 'bye' && bye.reason).toMatch(reason);
    expect(one.closed()).not.toBeNull();
    expect(hub.size()).toBe(0);
    expect(desk.calls).toEqual([]);
  });

  test('one terminal too many, and takes it once another has gone', async () => {
    const all: Awaited<ReturnType<typeof liveTerminal>>[] = [];
    for (let i = 0; i < MAX_SESSIONS; i++) all.push(await liveTerminal());
    const late = terminal();
    await late.hello();
    expect(late.got).toMatchObject([
      { t: 'bye', reason: expect.stringMatching(/attached to this desk already/) },
    ]);
    all[0]?.close();
    await clock.settle();
    const next = terminal();
    await next.hello();
    expect(next.got).toMatchObject([{ t: 'snapshot' }]);
  });

  test('those that say no hello, after a while, so that their places are free again', async () => {
    const silent = terminal();
    await clock.advance(HELLO_WAIT_MS - 1);
    expect(silent.closed()).toBeNull();
    await clock.advance(1);
    expect(silent.got).toEqual([{ t: 'bye', reason: 'no hello came within 5 s' }]);
    expect(clock.pendingTimers).toBe(0);
  });

  test('the oldest of too many that say nothing, and none of those that have said hello', async () => {
    const served = await liveTerminal();
    const silent = Array.from({ length: MAX_SILENT + 8 }, () => terminal());
    await clock.settle();
    expect(silent.map((one) => one.closed() !== null)).toEqual(silent.map((_, i) => i < 8));
    expect(hub.size()).toBe(1);
    const next = terminal();
    await next.hello();
    expect(next.got).toMatchObject([{ t: 'snapshot' }]);
    expect(served.closed()).toBeNull();
  });

  test('everyone once the desk ends, with its reason', async () => {
    const one = await liveTerminal();
    hub.closeAll('the desk was stopped');
    await clock.settle();
    expect(one.got.at(-1)).toEqual({ t: 'bye', reason: 'the desk was stopped' });
    const late = terminal();
    await clock.settle();
    expect(late.got).toEqual([{ t: 'bye', reason: 'the desk was stopped' }]);
  });
});

describe('a connection that only calls', () => {
  const greeting = { t: 'hello', protocol: PROTOCOL_VERSION, state: false };

  test('is welcomed without a state, also where the state cannot be told, and hears of no change', async () => {
    desk.state = () => {
      throw new Error('too large');
    };
    const one = terminal();
    one.send(greeting);
    await clock.settle();
    desk.mark({ kind: 'clock' });
    await clock.advance(1_000);
    expect(one.got).toEqual([{ t: 'welcome', desk: INFO }]);
    one.send({ t: 'call', id: 7, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got.at(-1)).toEqual({ t: 'result', id: 7, value: { id: 'a' } });
    expect(desk.listeners.size).toBe(0);
    expect(reports).toEqual([]);
  });

  test('has a place while every place of a terminal is taken, up to a number of its own', async () => {
    for (let i = 0; i < MAX_SESSIONS; i++) await liveTerminal();
    const all: ReturnType<typeof terminal>[] = [];
    for (let i = 0; i <= MAX_SESSIONS; i++) {
      const one = terminal();
      one.send(greeting);
      await clock.settle();
      all.push(one);
    }
    expect(all.map(({ got }) => got[0]?.t)).toEqual([...Array(MAX_SESSIONS).fill('welcome'), 'bye']);
  });
});

describe('a state that is long', () => {
  const LENGTH = 300_000;
  const text = (i: number) => `${i} `.padEnd(LENGTH, 'x');
  const COUNT = 40;
  const large = () =>
    Object.fromEntries(
      Array.from({ length: COUNT }, (_, i) => [`o${i}`, { id: `o${i}`, metadata: text(i) } as never]),
    );

  /** The state that a client builds from the messages. */
  const mirrorOf = (messages: readonly FromDesk[]) => {
    let mirror = emptyState();
    for (const message of structuredClone(messages)) {
      if (message.t === 'snapshot') mirror = message.state;
      else if (message.t === 'part') addPart(mirror, message.part);
      else if (message.t === 'delta') mirror = applyDelta(mirror, message.delta);
    }
    return mirror;
  };
  const LONGEST = 4 * PART_CHARACTERS;

  test('goes out in parts, each after the one before was acknowledged, and is whole with the last', async () => {
    desk.orders = large();
    const one = terminal();
    await one.hello();
    expect(one.states()).toHaveLength(1);
    for (const seq of [0, 2, 99]) one.send({ t: 'ack', seq });
    await clock.settle();
    expect(one.states()).toHaveLength(1);
    expect(one.got[0]).toMatchObject({ t: 'snapshot', more: true });
    for (let n = 2; n <= COUNT && one.states().at(-1)?.more; n++) {
      await one.ack();
      expect(one.states()).toHaveLength(n);
    }
    expect(one.states().length).toBeGreaterThan(8);
    expect(
      one
        .states()
        .slice(0, -1)
        .every(({ more }) => more),
    ).toBe(true);
    for (const message of one.got) expect(JSON.stringify(message).length).toBeLessThan(LONGEST);
    expect(mirrorOf(one.got)).toEqual(desk.state());
    await one.ack();
    desk.mark({ kind: 'clock' });
    await clock.advance(STATE_INTERVAL_MS);
    expect(one.got.at(-1)).toMatchObject({ t: 'delta' });
  });

  test('that changes while it goes out is followed by what has changed', async () => {
    desk.orders = large();
    const one = terminal();
    await one.hello();
    await one.ack();
    desk.orders = { ...desk.orders, o0: { id: 'o0' } as never, late: { id: 'late' } as never };
    desk.mark({ kind: 'order', id: 'o0' }, { kind: 'order', id: 'late' });
    while (one.states().at(-1)?.more) await one.ack();
    await one.ack();
    await clock.advance(STATE_INTERVAL_MS);
    expect(one.got.at(-1)).toMatchObject({ t: 'delta' });
    expect(mirrorOf(one.got)).toEqual(desk.state());
  });

  test('is told in parts as a delta, too', async () => {
    const one = await liveTerminal();
    desk.orders = large();
    for (const id of Object.keys(desk.orders)) desk.mark({ kind: 'order', id });
    for (let n = 0; n < COUNT; n++) {
      await clock.advance(STATE_INTERVAL_MS);
      await one.ack();
    }
    for (const message of one.got) expect(JSON.stringify(message).length).toBeLessThan(LONGEST);
    expect(mirrorOf(one.got)).toEqual(desk.state());
  });

  test('tells what is no record once, however many parts there are', () => {
    const bots = Object.fromEntries([1, 2, 3].map((n) => [n, { id: 'x'.repeat(PART_CHARACTERS) }]));
    const line = { at: 1, level: 'info', source: 's', text: 'once' } as const;
    const delta = { log: [line], maintenance: null, orders: { gone: null }, bots, futures: {} } as never;
    const parts = [...deltaParts(delta)];
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.filter((part) => 'log' in part || 'maintenance' in part)).toEqual([parts[0]]);
    const whole = applyDelta(emptyState(), delta);
    expect(parts.reduce(applyDelta, emptyState())).toEqual(whole);
    expect(whole.log).toEqual([line]);
  });
});

describe('a call', () => {
  test('is answered at once, whether or not a state is unacknowledged', async () => {
    const one = terminal();
    await one.hello();
    one.send({ t: 'call', id: 7, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got.at(-1)).toEqual({ t: 'result', id: 7, value: { id: 'a' } });
    expect(desk.calls).toEqual([{ method: 'orders.detail', params: { id: 'a' } }]);
  });

  test.each(['orders.burn', 'toString', '__proto__'])(
    'to a method that is none (%s) is an error',
    async (method) => {
      const one = await liveTerminal();
      one.send({ t: 'call', id: 1, method, params: {} });
      await clock.settle();
      expect(one.got.at(-1)).toEqual({ t: 'error', id: 1, message: `there is no method ${method}` });
      expect(desk.calls).toEqual([]);
    },
  );

  test('that fails inside tells the terminal nothing of the inside, and the log all', async () => {
    const one = await liveTerminal();
    desk.answer = () => {
      throw new Error('SELECT secret');
    };
    one.send({ t: 'call', id: 1, method: 'orders.closed', params: { limit: 1 } });
    await clock.settle();
    expect(one.got.at(-1)).toEqual({
      t: 'error',
      id: 1,
      message: 'the desk failed internally at orders.closed; see the log',
    });
    expect(reports).toEqual(['answering orders.closed: Error: SELECT secret']);
  });

  test('whose result cannot travel is an error, and the session goes on', async () => {
    const one = await liveTerminal();
    desk.answer = () => () => 'a function';
    one.send({ t: 'call', id: 1, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got.at(-1)).toMatchObject({ t: 'error', id: 1 });
    expect(one.closed()).toBeNull();
  });

  test('over the bound of calls in flight is refused; others follow when some are answered', async () => {
    const one = await liveTerminal();
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    desk.answer = () => gate.then(() => null);
    for (let id = 1; id <= MAX_CALLS_IN_FLIGHT + 1; id++)
      one.send({ t: 'call', id, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got.filter((message) => message.t === 'error')).toMatchObject([
      { id: MAX_CALLS_IN_FLIGHT + 1 },
    ]);
    open();
    await clock.settle();
    one.send({ t: 'call', id: 100, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got.filter((message) => message.t === 'error')).toHaveLength(1);
    expect(one.got.filter((message) => message.t === 'result')).toHaveLength(MAX_CALLS_IN_FLIGHT + 1);
    // Calls that were answered, with success or an error, leave the limit where it was.
    desk.answer = () => {
      throw new Error('no');
    };
    for (let id = 200; id < 210; id++)
      one.send({ t: 'call', id, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    one.got.length = 0;
    desk.answer = () => new Promise(() => {});
    for (let id = 301; id <= 301 + MAX_CALLS_IN_FLIGHT; id++)
      one.send({ t: 'call', id, method: 'orders.detail', params: { id: 'a' } });
    await clock.settle();
    expect(one.got).toMatchObject([{ t: 'error', id: 301 + MAX_CALLS_IN_FLIGHT }]);
  });
});
