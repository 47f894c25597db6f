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

class Case {
  readonly net = new HandNet();
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  kept = 0;
  key = 'k1';
  keeping: () => Asked<string | null> = () => ({ kind: 'found', value: this.key });
  readonly stream = new UserStream({
    net: this.net,
    clock: this.clock,
    random: { next: () => 0 },
    gate: { shutMs: () => 0, refused: () => {} },
    address: 'wss://stream.example/private',
    questions: {
      ask: async (form: RequestForm) => {
        if (form === FUTURES.makeListenKey) return { kind: 'found', value: { listenKey: this.key } };
        this.kept += 1;
        return this.keeping();
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
