/** When a delivery is tried again, as a table and as properties. strategies.md 8. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AlertDelivery } from '../../src/domain/bot.ts';
import {
  afterTry,
  dueAt,
  failed,
  isExpired,
  SHORTEST_WAIT_MS,
  SPAN_MS,
  TRIES_AT_MS,
} from '../../src/notify/schedule.ts';
import type { Sent } from '../../src/notify/target.ts';

const START = Date.UTC(2026, 0, 5);
const WAITING: AlertDelivery = { target: 'ops', state: 'waiting', tries: 0, nextAt: START, error: null };
const FAILING: Sent = { ok: false, reason: 'HTTP 503', retryable: true, retryAfterMs: null };
const asking = (seconds: number): Sent => ({ ...FAILING, reason: 'HTTP 429', retryAfterMs: seconds * 1_000 });

/** Attempts at the given seconds after the start, each of which lasts `took` seconds. */
function tried(sent: Sent, seconds: readonly number[], took = 0): AlertDelivery {
  return seconds.reduce((delivery, at) => {
    const begunAt = START + at * 1_000;
    return afterTry(delivery, { begunAt, endedAt: begunAt + took * 1_000, sent });
  }, WAITING);
}

const nextIn = ({ nextAt }: AlertDelivery) => (nextAt === null ? null : (nextAt - START) / 1_000);

describe('a delivery that fails', () => {
  // proves: bot ALARM deliveries
  it('is tried 5 times over 10 minutes, then it has failed', () => {
    expect(nextIn(tried(FAILING, [0]))).toBe(15);
    expect(nextIn(tried(FAILING, [0, 15]))).toBe(60);
    expect(nextIn(tried(FAILING, [0, 15, 60]))).toBe(180);
    expect(nextIn(tried(FAILING, [0, 15, 60, 180]))).toBe(600);
    expect(tried(FAILING, [0, 15, 60, 180, 600])).toEqual({
      target: 'ops',
      state: 'failed',
      tries: 5,
      firstAt: START,
      nextAt: null,
      error: 'HTTP 503',
    });
    expect(TRIES_AT_MS.at(-1)).toBe(SPAN_MS);
  });

  it('counts from the first try, not from the end of a slow one', () => {
    expect(nextIn(tried(FAILING, [0], 10))).toBe(15);
    expect(nextIn(tried(FAILING, [0, 15], 10))).toBe(60);
    expect(nextIn(tried(FAILING, [30]))).toBe(45);
  });

  it('keeps a distance when tries come late', () => {
    expect(nextIn(tried(FAILING, [0, 300]))).toBe(315);
    expect(nextIn(tried(FAILING, [0, 300, 315]))).toBe(330);
    expect(nextIn(tried(FAILING, [0, 300, 315, 330]))).toBe(600);
    expect(nextIn(tried(FAILING, [0, 15, 60, 900]))).toBe(915);
  });

  it('has failed at once when trying again is of no use', () => {
    const final: Sent = { ...FAILING, reason: 'HTTP 404', retryable: false };
    expect(tried(final, [0])).toMatchObject({ state: 'failed', tries: 1, nextAt: null, error: 'HTTP 404' });
  });

  it('is done by the try that arrives', () => {
    expect(
      afterTry(tried(FAILING, [0, 15]), {
        begunAt: START + 60_000,
        endedAt: START + 61_000,
        sent: { ok: true },
      }),
    ).toEqual({ target: 'ops', state: 'done', tries: 3, firstAt: START, nextAt: null, error: null });
  });
});

describe('a receiver that asks to wait', () => {
  it('is not tried sooner, nor sooner than planned', () => {
    expect(nextIn(tried(asking(40), [0], 2))).toBe(42);
    expect(nextIn(tried(asking(3), [0]))).toBe(15);
    expect(nextIn(tried(asking(0), [0]))).toBe(15);
    expect(nextIn(tried(asking(600), [0]))).toBe(600);
  });

  it('until the last try that is planned anyway is tried then, also when that is after the 10 minutes', () => {
    // The fourth attempt begins late, so the fifth is planned for 614 s.
    const late = (seconds: number) => tried(asking(seconds), [0, 15, 60, 599], 1);
    expect(late(10)).toMatchObject({ state: 'waiting', nextAt: START + 614_000 });
    expect(late(14)).toMatchObject({ state: 'waiting', nextAt: START + 614_000 });
    expect(late(15)).toMatchObject({ state: 'failed' });
  });

  it('for more than the 10 minutes is not tried again', () => {
    expect(tried(asking(601), [0])).toMatchObject({
      state: 'failed',
      tries: 1,
      error: 'HTTP 429, to be tried again only after 601 s',
    });
    expect(tried(asking(590), [0, 15]).state).toBe('failed');
    expect(tried(asking(585), [0, 15]).state).toBe('waiting');
  });
});

describe('a wall clock', () => {
  it('that was set back brings neither all tries at once nor a wait without end', () => {
    const before = tried(FAILING, [0]);
    const hourAgo = START - 3_600_000;
    expect(dueAt(before, hourAgo)).toBe(hourAgo);
    const after = afterTry(before, { begunAt: hourAgo, endedAt: hourAgo, sent: FAILING });
    expect(after.nextAt).toBe(hourAgo + 60_000);
    expect(dueAt(after, hourAgo + 1)).toBe(hourAgo + 60_000);
  });

  it('shows when an alert is old', () => {
    expect(isExpired(START, START + 3_600_000)).toBe(false);
    expect(isExpired(START, START + 3_600_001)).toBe(true);
    expect(isExpired(START, START - 1)).toBe(false);
  });
});

describe('whatever the clock and the receiver do', () => {
  it('there are at most 5 tries, each wait is between 15 s and 10 minutes, and the end is an end', () => {
    const step = fc.record({
      lateMs: fc.integer({ min: -7_200_000, max: 7_200_000 }),
      tookMs: fc.integer({ min: 0, max: 11_000 }),
      sent: fc.oneof(
        fc.constant(FAILING),
        fc.integer({ min: 0, max: 1_000_000_000 }).map((s) => asking(s)),
        fc.integer({ min: 0, max: 700 }).map((s) => asking(s)),
      ),
    });
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 5 }), (steps) => {
        let delivery = WAITING;
        for (const [n, { lateMs, tookMs, sent }] of steps.entries()) {
          const begunAt = (delivery.nextAt ?? 0) + lateMs;
          delivery = afterTry(delivery, { begunAt, endedAt: begunAt + tookMs, sent });
          expect(delivery.tries).toBe(n + 1);
          if (delivery.state === 'failed') {
            expect(delivery.nextAt).toBeNull();
            return;
          }
          const waitMs = (delivery.nextAt ?? 0) - begunAt;
          expect(waitMs).toBeGreaterThanOrEqual(SHORTEST_WAIT_MS);
          expect(waitMs).toBeLessThanOrEqual(SPAN_MS);
        }
        expect(delivery.state).toBe('failed');
      }),
    );
    expect(failed(WAITING, 'why')).toMatchObject({ state: 'failed', nextAt: null, error: 'why' });
  });
});
