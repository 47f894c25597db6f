/**
 * Streams of prices on the sockets of one address: what is asked for and at what pace, when a symbol is fresh,
 * and what a refusal, a break or a change of sockets leaves of it.
 */
import { describe, expect, it } from 'vitest';
import { DIALECT, LIMITS, StreamCase } from './market-streams-support.ts';

const ASKING = 'its prices are being asked for';

/** Watches two symbols with three and two streams, and confirms them all. */
async function watched(more: ConstructorParameters<typeof StreamCase>[0] = {}) {
  const c = new StreamCase(more);
  c.watch({ A: 'a1 a2 a3', B: 'b1 b2' });
  const socket = await c.open();
  await c.confirm(socket);
  expect(c.news()).toEqual([`A: ${ASKING}`, `B: ${ASKING}`, 'A fresh', 'B fresh']);
  return { c, socket };
}

describe('a subscription', () => {
  it('is made in batches at the pace of the exchange, and a symbol is fresh once all of its own is confirmed', async () => {
    const c = new StreamCase();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2' });
    expect(c.net.sockets).toHaveLength(0);
    const socket = await c.open();
    expect(c.asked(socket)).toEqual([{ id: 1, on: true, streams: ['a1', 'a2'] }]);
    await c.clock.advance(LIMITS.messageEveryMs - 1);
    expect(c.asked(socket)).toEqual([]);
    await c.clock.advance(1);
    expect(c.asked(socket)).toEqual([{ id: 2, on: true, streams: ['a3', 'b1'] }]);
    c.hear(socket, { kind: 'reply', id: 2, problem: null });
    await c.clock.advance(LIMITS.messageEveryMs);
    expect(c.asked(socket)).toEqual([{ id: 3, on: true, streams: ['b2'] }]);
    c.hear(socket, { kind: 'reply', id: 3, problem: null });
    // Until all is answered the socket is not ready, and nothing on it counts.
    expect([c.news(), c.streams.sockets]).toEqual([[`A: ${ASKING}`, `B: ${ASKING}`], { up: 0, all: 1 }]);
    c.hear(socket, { kind: 'reply', id: 1, problem: null });
    expect([c.news(), c.streams.sockets]).toEqual([['A fresh', 'B fresh'], { up: 1, all: 1 }]);
    // An answer to nothing, or a second one, changes nothing.
    c.hear(socket, { kind: 'reply', id: 1, problem: 'no' }, { kind: 'reply', id: 77, problem: 'no' });
    await c.clock.advance(60_000);
    expect([c.news(), c.asked(socket), socket.isClosed]).toEqual([[], [], false]);
  });

  it('of a further symbol leaves the others fresh, and asks for what is new alone', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    expect(c.news()).toEqual([`C: ${ASKING}`]);
    expect(c.asked(socket)).toEqual([{ id: 4, on: true, streams: ['c1'] }]);
    c.hear(socket, { kind: 'reply', id: 4, problem: null });
    expect(c.news()).toEqual(['C fresh']);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    await c.clock.advance(1_000);
    expect([c.news(), c.asked(socket)]).toEqual([[], []]);
  });

  it('that a symbol needs no more ends, and what it has besides goes on', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a4', B: '' });
    // What is left first: a stream that comes back is asked for after it was left.
    expect([await c.confirm(socket), c.news()]).toEqual([
      ['-a2 a3', '-b1 b2', '+a4'],
      [`A: ${ASKING}`, 'A fresh'],
    ]);
    c.watch({ A: 'a1 a4', B: 'b1' });
    expect([await c.confirm(socket), c.news()]).toEqual([['+b1'], [`B: ${ASKING}`, 'B fresh']]);
  });

  it('that comes back before the exchange has said that it has left is fresh only when it is confirmed anew', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3' });
    expect(c.asked(socket)).toEqual([{ id: 4, on: false, streams: ['b1', 'b2'] }]);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2' });
    c.hear(socket, { kind: 'reply', id: 4, problem: null });
    expect(c.news()).toEqual([`B: ${ASKING}`]);
    await c.clock.advance(LIMITS.messageEveryMs);
    expect(c.asked(socket)).toEqual([{ id: 5, on: true, streams: ['b1', 'b2'] }]);
    expect(c.news()).toEqual([]);
    c.hear(socket, { kind: 'reply', id: 5, problem: null });
    expect(c.news()).toEqual(['B fresh']);
  });

  it('that waits, or is answered by nothing yet, is none, though its streams came until now', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    c.watch({ A: 'a1 a2 a3', C: 'c1' });
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    expect(c.news()).toEqual([`C: ${ASKING}`, `B: ${ASKING}`]);
    await c.clock.advance(2 * LIMITS.messageEveryMs);
    expect(c.asked(socket).map(({ on, streams }) => [on, ...streams])).toEqual([
      [true, 'c1'],
      [false, 'b1', 'b2'],
      [true, 'b1', 'b2'],
    ]);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    expect(c.news()).toEqual([]);
    c.hear(socket, { kind: 'reply', id: 4, problem: null }, { kind: 'reply', id: 5, problem: null });
    c.hear(socket, { kind: 'reply', id: 6, problem: 'no more room' });
    expect(c.news()).toEqual([
      'complaint of subscription: b1, b2 was refused: no more room',
      'C fresh',
      'B: the exchange refused its prices: no more room',
    ]);
  });

  it('that is not answered within five seconds ends its socket, whose symbols are asked for on another', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    await c.clock.advance(4_999);
    c.news();
    expect(socket.isClosed).toBe(false);
    await c.clock.advance(1);
    const broken = 'its stream has broken: a subscription was not answered within 5 s';
    expect([socket.isClosed, c.news()]).toEqual([true, [`A: ${broken}`, `B: ${broken}`, `C: ${broken}`]]);
    await c.clock.advance(500);
    const next = await c.open();
    expect([next === socket, await c.confirm(next)]).toEqual([false, ['+a1 a2', '+a3 b1', '+b2 c1']]);
    expect(c.news()).toEqual(['A fresh', 'B fresh', 'C fresh', 'gap A B C']);
  });

  it('that the socket does not take ends it', async () => {
    const { c, socket } = await watched();
    socket.isClosed = true;
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    expect(c.news().slice(0, 2)).toEqual(
      ['A', 'B'].map((symbol) => `${symbol}: its stream has broken: it takes no messages`),
    );
  });

  it('is answered a stream at a time where the exchange does so', async () => {
    const c = new StreamCase();
    c.watch({ A: 'a1 a2', B: 'b1' });
    const socket = await c.open();
    await c.clock.advance(LIMITS.messageEveryMs);
    c.news();
    c.hear(socket, { kind: 'granted', stream: 'a2' }, { kind: 'granted', stream: 'b1' });
    expect(c.news()).toEqual([]);
    c.hear(socket, { kind: 'granted', stream: 'a1' });
    expect(c.news()).toEqual(['A fresh', 'B fresh']);
    // To leave is answered by itself: that a stream comes is no answer to it.
    await c.clock.advance(LIMITS.messageEveryMs);
    c.asked(socket);
    c.watch({ A: 'a1 a2' });
    expect(c.asked(socket)).toEqual([{ id: 3, on: false, streams: ['b1'] }]);
    c.watch({ A: 'a1 a2', B: 'b1' });
    c.hear(socket, { kind: 'granted', stream: 'b1' });
    await c.clock.advance(LIMITS.messageEveryMs);
    expect(c.asked(socket)).toEqual([{ id: 4, on: true, streams: ['b1'] }]);
    c.hear(socket, { kind: 'left', stream: 'b1' });
    expect(c.news()).toEqual([`B: ${ASKING}`]);
    c.hear(socket, { kind: 'granted', stream: 'b1' });
    expect(c.news()).toEqual(['B fresh']);
    await c.clock.advance(60_000);
    expect(socket.isClosed).toBe(false);
  });
});

describe('a refusal', () => {
  it('makes the symbols of its streams stale with why, once, and leaves all others', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1', D: 'd1', E: 'e1' });
    c.news();
    c.hear(socket, { kind: 'reply', id: 4, problem: 'no such symbol' });
    const refused = 'the exchange refused its prices: no such symbol';
    expect(c.news()).toEqual(['complaint of subscription: c1, d1 was refused: no such symbol']);
    await c.clock.advance(LIMITS.messageEveryMs);
    c.hear(socket, { kind: 'reply', id: 5, problem: null });
    expect([c.news(), socket.isClosed]).toEqual([[`C: ${refused}`, `D: ${refused}`, 'E fresh'], false]);
    // Who leaves and comes back asks again.
    await c.clock.advance(LIMITS.messageEveryMs);
    c.asked(socket);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', E: 'e1' });
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', D: 'd1', E: 'e1' });
    expect([await c.confirm(socket), c.news()]).toEqual([
      ['-c1 d1', '+d1'],
      [`D: ${ASKING}`, 'D fresh'],
    ]);
  });

  it('of one stream stands while others of the symbol are asked for', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2 b3' });
    c.hear(socket, { kind: 'reply', id: 4, problem: 'no such frame' });
    const refused = 'B: the exchange refused its prices: no such frame';
    expect(c.news().slice(-1)).toEqual([refused]);
    c.watch({ A: 'a1 a2 a3', B: 'b4 b1 b2 b3' });
    await c.confirm(socket);
    expect(c.news()).toEqual([]);
    // A number that was never asked is nobody's: the socket is of no use.
    c.hear(socket, { kind: 'refused', id: 99, problem: 'what is this' });
    expect([socket.isClosed, c.news()[0]]).toEqual([true, 'A: its stream has broken: what is this']);
  });

  it('that names no subscription is of the oldest, and only of what is not confirmed of it', async () => {
    const c = new StreamCase();
    c.watch({ A: 'a1', B: 'b1', C: 'c1' });
    const socket = await c.open();
    await c.clock.advance(LIMITS.messageEveryMs);
    c.news();
    c.hear(socket, { kind: 'granted', stream: 'a1' }, { kind: 'refused', id: null, problem: 'gone' });
    expect(c.news()).toEqual(['complaint of subscription: b1 was refused: gone']);
    c.hear(socket, { kind: 'granted', stream: 'c1' });
    expect(c.news()).toEqual(['A fresh', 'B: the exchange refused its prices: gone', 'C fresh']);
    // Where nothing is asked it is of the socket.
    c.hear(socket, { kind: 'refused', id: null, problem: 'log in first' });
    const broken = 'its stream has broken: log in first';
    expect([socket.isClosed, c.news()]).toEqual([true, [`A: ${broken}`, `B: ${broken}`, `C: ${broken}`]]);
  });

  it('to be left leaves the stream out all the same', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3' });
    c.hear(socket, { kind: 'refused', id: 4, problem: 'never subscribed' });
    expect(c.news()).toEqual(['complaint of subscription: b1, b2 was refused: never subscribed']);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2' });
    expect([await c.confirm(socket), c.news()]).toEqual([
      ['-b1 b2', '+b1 b2'],
      [`B: ${ASKING}`, 'B fresh'],
    ]);
  });
});

describe('the sockets', () => {
  it('have as few as the streams need, with all of a symbol on one, and one that has none left is closed', async () => {
    const c = new StreamCase({ limits: { ...LIMITS, perSocket: 20 } });
    // Room for sixteen streams of one symbol is always kept: a socket of twenty takes a symbol until it has
    // more than four.
    c.watch({ A: 'a1 a2', B: 'b1 b2', C: 'c1', D: 'd1 d2' });
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(2);
    for (const socket of c.net.sockets) socket.events.opened();
    const [one, two] = [c.socket(0), c.socket(1)];
    expect([await c.confirm(one), await c.confirm(two)]).toEqual([['+a1 a2', '+b1 b2', '+c1'], ['+d1 d2']]);
    c.news();
    c.watch({ A: 'a1', C: 'c1', D: 'd1 d2', E: 'e1' });
    // A symbol stays where it is; a new one goes where there is room now.
    expect([await c.confirm(one), await c.confirm(two)]).toEqual([['-a2 b1', '-b2', '+e1'], []]);
    c.watch({ A: 'a1', C: 'c1', F: '' });
    expect([one.isClosed, two.isClosed, c.streams.sockets]).toEqual([false, true, { up: 1, all: 1 }]);
    c.watch({ F: '' });
    expect([one.isClosed, c.streams.sockets]).toEqual([true, { up: 0, all: 0 }]);
    await c.clock.advance(0);
    expect([c.clock.pendingTimers, c.net.sockets.length]).toEqual([0, 2]);
  });

  it('break one by one: only the symbols of the broken one are stale, and may have missed something', async () => {
    const c = new StreamCase({ limits: { ...LIMITS, perSocket: 20 } });
    c.watch({ A: 'a1 a2 a3 a4 a5', B: 'b1' });
    await c.clock.advance(0);
    for (const socket of c.net.sockets) {
      socket.events.opened();
      await c.confirm(socket);
    }
    c.news();
    c.socket(0).events.closed('cut');
    expect(c.news()).toEqual(['A: its stream has broken: cut']);
    await c.clock.advance(500);
    c.socket(2).events.opened();
    expect(c.news()).toEqual([]);
    await c.confirm(c.socket(2));
    expect(c.news()).toEqual(['A fresh', 'gap A']);
  });

  it('are kept alive by the message that the exchange wants, on each of its own time', async () => {
    const ping = { everyMs: 20_000, text: '"ping"' };
    const { c, socket } = await watched({ dialect: { ...DIALECT, ping } });
    const pings = () => socket.sent.filter((text) => text === ping.text).length;
    await c.clock.advance(18_000);
    expect(pings()).toBe(0);
    await c.clock.advance(2_000);
    expect(pings()).toBe(1);
    await c.clock.advance(40_000);
    expect(pings()).toBe(3);
    c.streams.close();
    await c.clock.advance(60_000);
    expect([pings(), c.clock.pendingTimers]).toEqual([3, 0]);
  });

  it('are all closed at the end, whatever is under way on them', async () => {
    const { c, socket } = await watched();
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1 c2 c3' });
    c.streams.rotate();
    const next = await c.open();
    c.news();
    c.streams.close();
    expect([socket.isClosed, next.isClosed, c.clock.pendingTimers]).toEqual([true, true, 0]);
    c.hear(socket, { kind: 'event', event: 'late' });
    await c.clock.advance(3_600_000);
    expect([c.news(), c.net.sockets.length]).toEqual([[], 2]);
  });
});

describe('a change of sockets', () => {
  it('keeps the old one for a second after the new one has all, and misses nothing meanwhile', async () => {
    const { c, socket: old } = await watched();
    c.streams.rotate();
    const next = await c.open();
    for (const [at, { id }] of [
      [1, { id: 4 }],
      [2, { id: 5 }],
      [3, { id: 6 }],
    ] as const) {
      expect(c.asked(next)).toHaveLength(1);
      c.hear(next, { kind: 'reply', id, problem: null });
      if (at < 3) await c.clock.advance(LIMITS.messageEveryMs);
    }
    c.hear(old, { kind: 'event', event: 'one' });
    c.hear(next, { kind: 'event', event: 'one' }, { kind: 'event', event: 'two' });
    await c.clock.advance(999);
    expect([old.isClosed, c.streams.sockets]).toEqual([false, { up: 1, all: 1 }]);
    c.hear(old, { kind: 'event', event: 'two' });
    await c.clock.advance(1);
    expect([old.isClosed, next.isClosed]).toEqual([true, false]);
    expect(c.news()).toEqual(['event one', 'event one', 'event two', 'event two']);
  });

  it('takes what is watched meanwhile along on both, and is over only when the new one has that too', async () => {
    const { c, socket: old } = await watched();
    c.streams.rotate();
    const next = await c.open();
    await c.confirm(next);
    c.watch({ A: 'a1 a2 a3', C: 'c1' });
    expect([c.asked(old), c.asked(next)]).toEqual([
      [{ id: 7, on: false, streams: ['b1', 'b2'] }],
      [{ id: 8, on: false, streams: ['b1', 'b2'] }],
    ]);
    await c.clock.advance(LIMITS.messageEveryMs);
    c.hear(old, { kind: 'reply', id: 7, problem: null }, { kind: 'reply', id: 9, problem: null });
    expect(c.news()).toEqual([`C: ${ASKING}`, 'C fresh']);
    c.hear(next, { kind: 'reply', id: 8, problem: null }, { kind: 'reply', id: 10, problem: null });
    await c.clock.advance(1_000);
    expect([old.isClosed, next.isClosed, c.news()]).toEqual([true, false, []]);
  });

  it('comes after as many subscriptions as one socket takes, and begins to count anew', async () => {
    const { c, socket } = await watched({ limits: { ...LIMITS, requests: 4 } });
    await c.clock.advance(0);
    expect(c.net.sockets).toHaveLength(1);
    c.watch({ A: 'a1 a2 a3', B: 'b1 b2', C: 'c1' });
    const next = await c.open();
    expect(c.net.sockets).toHaveLength(2);
    await c.confirm(socket);
    expect(await c.confirm(next)).toEqual(['+a1 a2', '+a3 b1', '+b2 c1']);
    await c.clock.advance(1_000);
    expect([socket.isClosed, next.isClosed, c.net.sockets.length]).toEqual([true, false, 2]);
    expect(c.news()).toEqual([`C: ${ASKING}`, 'C fresh']);
  });

  it('comes when the exchange says that it ends the socket, or is left to who wants to know', async () => {
    const { c, socket } = await watched();
    c.hear(socket, { kind: 'shutdown' }, { kind: 'shutdown' }, { kind: 'other' });
    await c.clock.advance(0);
    expect([c.net.sockets.length, c.news()]).toEqual([2, []]);
    let shutdowns = 0;
    const other = await watched({ shutdown: () => shutdowns++ });
    other.c.hear(other.socket, { kind: 'shutdown' });
    await other.c.clock.advance(0);
    expect([other.c.net.sockets.length, shutdowns]).toEqual([1, 1]);
  });
});

it('a message that cannot be read is said, and the next ones are heard', async () => {
  const { c, socket } = await watched();
  socket.events.message('odd');
  c.hear(socket, { kind: 'event', event: 'fine' });
  expect([c.news(), socket.isClosed]).toEqual([
    ['complaint of market stream: it is odd', 'event fine'],
    false,
  ]);
});
