import { beforeEach, describe, expect, test } from 'vitest';
import { applyDelta, type FromDesk, LOG_LINES, PROTOCOL_VERSION } from '../../src/desk/console/protocol.ts';
import {
  createSessionHub,
  MAX_MARKED,
  MAX_SESSIONS,
  type SessionHub,
  STATE_INTERVAL_MS,
} from '../../src/desk/console/session.ts';
import { MAX_CALLS_IN_FLIGHT } from '../../src/desk/hosting/transports/client.ts';
import { directLines } from '../../src/desk/hosting/transports/direct.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { emptyState, FakeDesk } from './session-fake-desk.ts';

let clock: VirtualClock;
let desk: FakeDesk;
let hub: SessionHub;
let reports: string[];

beforeEach(() => {
  clock = new VirtualClock();
  desk = new FakeDesk();
  reports = [];
  hub = createSessionHub({ desk, clock, report: (doing, error) => reports.push(`${doing}: ${error}`) });
});

/** A terminal that does nothing by itself. */
function terminal() {
  const ends = directLines();
  const got: FromDesk[] = [];
  let closed: string | null = null;
  ends.terminal.onMessage((message) => got.push(message));
  ends.terminal.onClosed((reason) => {
    closed = reason;
  });
  hub.accept(ends.desk);
  return {
    got,
    send: (message: unknown) => ends.terminal.send(message as never),
    close: () => ends.terminal.close(),
    closed: () => closed,
    states: () => got.filter((message) => message.t === 'snapshot' || message.t === 'delta'),
    async hello() {
      ends.terminal.send({ t: 'hello', protocol: PROTOCOL_VERSION });
      await clock.settle();
    },
    async ack() {
      const last = got.findLast((message) => message.t === 'snapshot' || message.t === 'delta');
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

  test('sends a whole state when more is marked than a delta should hold', async () => {
    const one = await liveTerminal();
    for (let i = 0; i <= MAX_MARKED; i++) desk.mark({ kind: 'order', id: `o${i}` });
    await clock.advance(0);
    expect(one.got.at(-1)).toMatchObject({ t: 'snapshot', seq: 2 });
    expect(desk.deltas).toEqual([]);
    await one.ack();
    desk.mark({ kind: 'order', id: 'a' });
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
    for (const message of one.states())
      mirror = message.t === 'snapshot' ? message.state : applyDelta(mirror, message.delta);
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
    const all = Array.from({ length: MAX_SESSIONS }, () => terminal());
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
  });
});
