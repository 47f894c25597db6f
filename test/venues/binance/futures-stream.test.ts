/**
 * The user stream of a futures account: its key is kept, one that other programs end is made anew, and a
 * socket that tells nothing of an order is replaced, each time.
 */
import { describe, expect, it } from 'vitest';
import type { Asked, Questions } from '../../../src/venues/binance/futures/questions.ts';
import { FUTURES } from '../../../src/venues/binance/futures/requests.ts';
import { KEEP_EVERY_MS, OWED_MS, UserStream } from '../../../src/venues/binance/futures/user-stream.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { HandNet } from '../kit/hand-net.ts';
import { futuresRig } from './futures-rig.ts';
import { HandAnswers } from './hand-answers-support.ts';

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  kept = 0;
  key = 'k1';
  /** Answers instead of a key. */
  made: (() => Asked<unknown>) | null = null;
  /** An answer about the key that is still to come. */
  waits: Promise<Asked<string | null>> | null = null;
  keeping: () => Asked<string | null> = () => ({ kind: 'found', value: this.key });
  readonly stream = new UserStream({
    net: this.net,
    clock: this.clock,
    random: { next: () => 0 },
    gate: { shutMs: () => 0, refused: () => {} },
    address: 'wss://stream.example/private',
    questions: {
      ask: async (form: RequestForm) => {
        if (form === FUTURES.makeListenKey)
          return this.made?.() ?? { kind: 'found', value: { listenKey: this.key } };
        this.kept += 1;
        return this.waits ?? this.keeping();
      },
    } as unknown as Questions,
    message: (text) => this.told.push(text),
    up: () => this.told.push('up'),
    gap: () => this.told.push('gap'),
    down: () => this.told.push('down'),
  });

  /** Opens the newest socket that was asked for. */
  async opens(): Promise<void> {
    await this.clock.advance(600);
    this.net.sockets.at(-1)?.events.opened();
  }

  message(text = '{}'): void {
    this.net.sockets.at(-1)?.events.message(text);
  }

  /** An order that is taken now. */
  owes(): void {
    this.stream.owes(this.clock.monotonic());
  }

  /** Pings in time, so that no socket counts as dead. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 60_000) {
      await this.clock.advance(Math.min(left, 60_000));
      this.net.sockets.at(-1)?.events.pinged();
    }
  }
}

async function opened(): Promise<Case> {
  const c = new Case();
  void c.stream.open();
  await c.opens();
  expect(c.told.splice(0)).toEqual(['up']);
  return c;
}

describe('a stream that tells nothing of an order', () => {
  it('is replaced after a while where its key lives, and so is the one after it', async () => {
    const c = await opened();
    for (let round = 1; round <= 3; round++) {
      c.owes();
      await c.clock.advance(OWED_MS - 1);
      expect([c.kept, c.told]).toEqual([round - 1, []]);
      await c.clock.advance(1);
      expect([c.kept, c.told.splice(0)]).toEqual([round, ['down']]);
      await c.opens();
      expect(c.told.splice(0)).toEqual(['up']);
    }
  });

  it('is not, where it tells anything after the order, or has done so before its answer came', async () => {
    const c = await opened();
    c.owes();
    await c.clock.advance(OWED_MS - 1);
    c.message();
    await c.clock.advance(2 * OWED_MS);
    const since = c.clock.monotonic();
    await c.clock.advance(5);
    c.message();
    c.stream.owes(since);
    await c.clock.advance(2 * OWED_MS);
    expect([c.kept, c.told]).toEqual([0, ['{}', '{}']]);
    // One of before the order says nothing of it.
    await c.clock.advance(5);
    c.owes();
    await c.clock.advance(OWED_MS);
    expect([c.kept, c.told.at(-1)]).toEqual([1, 'down']);
  });

  it('is left alone where nobody knows whether its key lives, which is asked again a minute later', async () => {
    const c = await opened();
    c.keeping = () => ({ kind: 'failed', cause: 'busy' });
    c.owes();
    await c.clock.advance(OWED_MS);
    expect([c.kept, c.told]).toEqual([1, []]);
    await c.pass(60_000);
    expect([c.kept, c.told]).toEqual([2, []]);
  });
});

describe('the key of a stream', () => {
  it('is kept every half hour, as long as the stream is open', async () => {
    const c = await opened();
    for (let times = 1; times <= 3; times++) {
      await c.pass(KEEP_EVERY_MS);
      expect(c.kept).toBe(times);
    }
    c.stream.close();
    await c.clock.advance(2 * KEEP_EVERY_MS);
    expect([c.kept, c.told]).toEqual([3, []]);
  });

  it.each<[string, Asked<string | null>]>([
    ['is gone', { kind: 'failed', cause: 'gone', code: '-1125' }],
    ['is another one', { kind: 'found', value: 'of others' }],
  ])('that %s is made anew with its socket, each time, and is watched like the first', async (_, end) => {
    const c = await opened();
    for (let times = 1; times <= 2; times++) {
      c.keeping = () => end;
      c.key = `k${times + 1}`;
      await c.pass(KEEP_EVERY_MS);
      expect(c.told.splice(0)).toEqual(['down']);
      c.keeping = () => ({ kind: 'found', value: c.key });
      await c.opens();
      expect(c.net.sockets.at(-1)?.request.url).toContain(`listenKey=k${times + 1}`);
      expect(c.told.splice(0)).toEqual(['up']);
      c.owes();
      await c.clock.advance(OWED_MS);
      expect(c.told.splice(0)).toEqual(['down']);
      await c.opens();
      c.told.length = 0;
    }
  });
});

it('a socket that takes the place of another may have missed something', async () => {
  const c = await opened();
  await c.pass(23 * 3_600_000);
  await c.opens();
  expect(c.told).toEqual(['gap']);
  c.message('next');
  expect(c.told).toEqual(['gap', 'next']);
});

describe('a stream that has no key', () => {
  it('says why it does not open, and opens as soon as there is one', async () => {
    const c = new Case();
    c.made = () => ({ kind: 'failed', cause: 'busy' });
    let outcome: string | null | undefined;
    void c.stream.open().then((problem) => {
      outcome = problem;
    });
    await c.clock.advance(1);
    expect([outcome, c.net.sockets.length, c.told]).toEqual(['busy', 0, []]);
    c.made = null;
    await c.clock.advance(1_000);
    await c.opens();
    expect([c.net.sockets.length, c.told, outcome]).toEqual([1, ['up'], 'busy']);
  });

  it('asks for one with each socket, by an address in which the key is written safely', async () => {
    const c = new Case();
    c.key = 'k/1&x';
    void c.stream.open();
    await c.opens();
    expect(c.net.sockets[0]?.request.url).toBe('wss://stream.example/private/ws?listenKey=k%2F1%26x');
    c.key = 'k2';
    c.net.sockets[0]?.events.closed('cut');
    await c.opens();
    expect(c.net.sockets[1]?.request.url).toContain('listenKey=k2');
    expect(c.told).toEqual(['up', 'down', 'up']);
  });
});

describe('a stream that is closed', () => {
  it('resolves what waits for it, and neither keeps its key nor watches for an event', async () => {
    const c = new Case();
    const opening = c.stream.open();
    c.stream.close();
    expect(await opening).toBe('it was closed');
    const other = await opened();
    other.owes();
    other.stream.close();
    other.owes();
    other.stream.renew('of no use');
    await other.clock.advance(2 * KEEP_EVERY_MS);
    expect([other.kept, other.told, other.net.sockets.length]).toEqual([0, [], 1]);
  });

  it.each<[string, Asked<string | null>]>([
    ['is dead', { kind: 'failed', cause: 'gone', code: '-1125' }],
    ['nobody knows of', { kind: 'failed', cause: 'busy' }],
    ['lives', { kind: 'found', value: null }],
  ])('while it asks about its key, which %s, does not ask again', async (_, told) => {
    const c = await opened();
    let answer: (asked: Asked<string | null>) => void = () => {};
    c.waits = new Promise((resolve) => {
      answer = resolve;
    });
    await c.pass(KEEP_EVERY_MS);
    expect(c.kept).toBe(1);
    c.stream.close();
    answer(told);
    await c.clock.advance(2 * KEEP_EVERY_MS);
    expect([c.kept, c.told, c.net.sockets.length]).toEqual([1, [], 1]);
  });

  it('and opened again keeps its key and watches as before', async () => {
    const c = await opened();
    c.stream.close();
    void c.stream.open();
    await c.opens();
    expect(c.told.splice(0)).toEqual(['up']);
    c.owes();
    await c.clock.advance(OWED_MS);
    expect([c.kept, c.told.splice(0)]).toEqual([1, ['down']]);
    await c.opens();
    await c.pass(KEEP_EVERY_MS);
    expect(c.kept).toBe(2);
  });
});

it('an order is owed no event while the stream is down, and one watch is enough for two orders', async () => {
  const c = await opened();
  expect([c.stream.isUp, c.stream.silentMs]).toEqual([true, 0]);
  c.owes();
  await c.clock.advance(OWED_MS / 2);
  c.owes();
  await c.clock.advance(OWED_MS / 2);
  expect([c.kept, c.told.splice(0), c.stream.isUp]).toEqual([1, ['down'], false]);
  c.owes();
  await c.clock.advance(100);
  expect(c.stream.silentMs).toBeNull();
  await c.opens();
  await c.clock.advance(OWED_MS);
  expect([c.kept, c.told]).toEqual([1, ['up']]);
});

it('a message at the very moment of an order may be its event', async () => {
  const c = await opened();
  await c.clock.advance(5);
  c.message();
  c.owes();
  await c.clock.advance(OWED_MS);
  expect(c.kept).toBe(0);
});

it('a socket is silent for 200 seconds before it counts as dead', async () => {
  const c = await opened();
  await c.clock.advance(199_999);
  expect(c.told).toEqual([]);
  await c.clock.advance(1);
  expect(c.told).toEqual(['down']);
});

it('the key is kept again half an hour after each success, and a minute after each failure', async () => {
  const c = await opened();
  await c.pass(KEEP_EVERY_MS - 1_000);
  expect(c.kept).toBe(0);
  c.keeping = () => ({ kind: 'failed', cause: 'busy' });
  await c.pass(1_000);
  for (let times = 1; times <= 3; times++) {
    expect(c.kept).toBe(times);
    if (times === 3) c.keeping = () => ({ kind: 'found', value: null });
    await c.pass(59_000);
    expect(c.kept).toBe(times);
    await c.pass(1_000);
  }
  await c.pass(KEEP_EVERY_MS - 1_000);
  expect([c.kept, c.told]).toEqual([4, []]);
  await c.pass(1_000);
  expect(c.kept).toBe(5);
});

it.each<[string, string, number, keptAgainMs: number, sockets: number]>([
  ['nothing', '{}', 200, 30 * 60_000, 1],
  ['nothing, with space', '  {} ', 200, 30 * 60_000, 1],
  ['a word', '{"code":200,"msg":"success"}', 200, 30 * 60_000, 1],
  // A new socket has a key of its own, which is kept half an hour after it.
  ['another key', '{"listenKey":"of others"}', 200, 31 * 60_000, 2],
  ['a dead key', '{"code":-1125,"msg":"This listenKey does not exist."}', 400, 31 * 60_000, 2],
  ['another refusal', '{"code":-1000,"msg":"unknown"}', 400, 60_000, 1],
  ['an empty key', '{"listenKey":""}', 200, 60_000, 1],
  ['no answer', '[]', 200, 60_000, 1],
])('an account whose key is kept with %s', async (_, body, status, againMs, sockets) => {
  const rig = futuresRig();
  await rig.open();
  const hand = new HandAnswers(rig.net).on('PUT /fapi/v1/listenKey', body, status);
  const times: number[] = [];
  const kept = () => hand.names().filter((name) => name === 'PUT /fapi/v1/listenKey').length;
  for (let minutes = 1; minutes <= 61; minutes++) {
    await rig.clock.advance(60_000);
    for (let n = kept(); n > 0; n--) times.push(minutes);
    if (times.length === 2) break;
  }
  const [first = 0, second = 61] = times;
  expect([first, (second - first) * 60_000]).toEqual([30, againMs]);
  expect(Math.min(2, rig.sockets().length)).toBe(sockets);
});
