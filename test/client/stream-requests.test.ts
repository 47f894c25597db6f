/** The requests of one connection alone: ids, limits, ends. */
import { beforeEach, describe, expect, it } from 'vitest';
import { NetworkError } from '../../src/client/errors.ts';
import { StreamRequests } from '../../src/client/stream-requests.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

let clock: VirtualClock;
let sent: { id: string; op: string }[];
let heard: string[];
let silent: NetworkError[];
let requests: StreamRequests;
beforeEach(() => {
  clock = new VirtualClock();
  sent = [];
  heard = [];
  silent = [];
  requests = new StreamRequests({
    send: (text) => sent.push(JSON.parse(text)),
    after: (ms, run) => clock.after(ms, run),
    replyTimeoutMs: 5_000,
    silent: (error) => silent.push(error),
  });
});

const ping = (name: string) =>
  requests.send(
    { op: 'ping' },
    {
      answered: () => heard.push(name),
      failed: (error) => heard.push(`${name}: ${error.message}`),
    },
  );
const pong = (id = '') => requests.take({ op: 'pong', id, ts: 1 });

describe('requests', () => {
  it('are answered by id, in any order, once', () => {
    for (const name of ['a', 'b', 'c']) ping(name);
    const [a, b, c] = sent.map(({ id }) => id);
    expect([pong(c), pong(a), pong(c), pong('x'), pong(b)]).toEqual([true, true, false, false, true]);
    expect(heard).toEqual(['c', 'a', 'b']);
    expect(requests.take({ op: 'pong', ts: 1 })).toBe(false);
  });

  it('fail with an error of their id', () => {
    ping('a');
    const data = { code: 'RATE_LIMITED', message: 'slow down' } as const;
    expect(requests.take({ op: 'error', id: sent[0]?.id, ts: 1, data })).toBe(true);
    expect(heard).toEqual(['a: slow down']);
  });

  it('tell of each that nobody answers in time', async () => {
    ping('a');
    ping('b');
    pong(sent[0]?.id);
    await clock.advance(5_000);
    expect(silent.map(({ message }) => message)).toEqual(['no answer to ping']);
  });

  it('are at most 1,000 without an answer, and an answer makes room', async () => {
    for (let n = 0; n < 1_000; n++) ping(String(n));
    ping('too many');
    expect(heard).toEqual(['too many: more than 1000 requests are unanswered']);
    pong(sent[0]?.id);
    ping('again');
    expect(heard).toHaveLength(2);
  });

  it('that have not gone out yet have no answer', () => {
    for (let n = 0; n < 151; n++) ping(String(n));
    expect(sent).toHaveLength(150);
    expect(pong('151')).toBe(false);
  });

  it('wait for their answer from the moment they go out', async () => {
    for (let n = 0; n < 151; n++) ping(String(n));
    for (const { id } of sent) pong(id);
    await clock.advance(10_000);
    expect(sent).toHaveLength(151);
    await clock.advance(4_999);
    expect(silent).toEqual([]);
    await clock.advance(1);
    expect(silent).toHaveLength(1);
  });

  it('all fail with the connection and leave nothing behind', () => {
    for (let n = 0; n < 200; n++) ping(String(n));
    pong(sent[0]?.id);
    heard = [];
    requests.end(new NetworkError('gone'));
    expect(heard).toHaveLength(199);
    expect(heard[0]).toBe('1: gone');
    expect(clock.pendingTimers).toBe(0);
    expect(sent).toHaveLength(150);
  });
});
