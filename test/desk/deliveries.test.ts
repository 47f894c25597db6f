/**
 * The loop that delivers alerts, under the virtual clock: compared with a naive model, over crashes, failing
 * commits and hanging targets.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../support/virtual-clock.ts';
import { AlertsRig, asking, FAILING, HOPELESS, OK, type Reply } from './alerts-rig.ts';

const MINUTE_MS = 60_000;
/**
 * The numbers of docs/limits.md and docs/configuration.md, written again here so that a change in the code
 * is noticed.
 */
const WAITING_OF_TARGET = 250;
const STOP_WAIT_MS = 2_000;
const TRIES_AT_ONCE = 4;
const TRIES_IN_ALL = 16;
const TRY_LIMIT_MS = 10_000;
const EXPIRES_MS = 60 * MINUTE_MS;
const HANGING: Reply = { afterMs: 1_000_000_000, sent: OK };

/** Times of the sends, in seconds from the start of the test. */
const secondsOf = (sends: readonly { at: number }[]) => sends.map(({ at }) => (at - VIRTUAL_START) / 1_000);

describe('an alert', () => {
  // proves: S48, bot ALARM deliveries
  it('is delivered to each of its targets at once, and to no other', async () => {
    const rig = new AlertsRig();
    const id = rig.fire(['a', 'bell']);
    await rig.clock.settle();
    await rig.clock.advance(0);
    expect(rig.sends.map(({ target, alert }) => [target, alert])).toEqual([['a', id]]);
    expect(rig.alerts.of('owner')[0]?.deliveries).toEqual([
      { target: 'a', state: 'done', tries: 1, firstAt: VIRTUAL_START, nextAt: null, error: null },
      { target: 'bell', state: 'done', tries: 0, nextAt: null, error: null },
    ]);
    await rig.clock.advance(20 * MINUTE_MS);
    expect(rig.sends).toHaveLength(1);
    expect(rig.clock.pendingTimers).toBe(0);
    expect(rig.log).toEqual([]);
  });

  it('is tried at 0 s, 15 s, 1, 3 and 10 minutes, and has failed then', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 100, sent: FAILING });
    const id = rig.fire(['a']);
    await rig.clock.advance(9 * MINUTE_MS);
    expect(rig.delivery(id, 'a')).toMatchObject({ state: 'waiting', tries: 4, error: 'HTTP 503' });
    await rig.clock.advance(60 * MINUTE_MS);
    expect(secondsOf(rig.sends)).toEqual([0, 15, 60, 180, 600]);
    expect(rig.delivery(id, 'a')).toMatchObject({
      state: 'failed',
      tries: 5,
      nextAt: null,
      error: 'HTTP 503',
    });
    expect(rig.log).toEqual([
      'target a: HTTP 503 (try 1 of 5)',
      'target a: HTTP 503 (try 2 of 5)',
      'target a: HTTP 503 (try 3 of 5)',
      'target a: HTTP 503 (try 4 of 5)',
      'target a: given up: HTTP 503 (try 5 of 5)',
    ]);
    expect(rig.clock.pendingTimers).toBe(0);
  });

  it('whose target hangs, heeding the signal or not, is tried in time all the same', async () => {
    for (const deaf of [false, true]) {
      const rig = new AlertsRig();
      rig.reply = () => ({ ...HANGING, deaf });
      const id = rig.fire(['a']);
      await rig.clock.advance(20 * MINUTE_MS);
      expect(secondsOf(rig.sends)).toEqual([0, 15, 60, 180, 600]);
      expect(rig.delivery(id, 'a')).toMatchObject({ state: 'failed', error: 'no answer within 10 s' });
    }
  });

  it('survives a target that throws', async () => {
    const rig = new AlertsRig();
    rig.reply = () => {
      throw new Error('with https://hooks.example.org/secret in it');
    };
    const id = rig.fire(['a']);
    await rig.clock.advance(1_000);
    expect(rig.delivery(id, 'a')).toMatchObject({
      state: 'waiting',
      tries: 1,
      error: 'the request could not be made',
    });
  });

  it('to a target that is down does not hold up the others', async () => {
    const rig = new AlertsRig();
    rig.reply = ({ target }) => (target === 'a' ? HANGING : { afterMs: 10, sent: OK });
    const ids = Array.from({ length: 50 }, () => rig.fire(['a', 'b']));
    await rig.clock.advance(1_000);
    expect(ids.map((id) => rig.delivery(id, 'b')?.state)).toEqual(ids.map(() => 'done'));
  });

  it('goes on at the next start where it stopped', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    const id = rig.fire(['a']);
    await rig.clock.advance(20_000);
    await rig.crash(10_000);
    await rig.clock.advance(20 * MINUTE_MS);
    expect(secondsOf(rig.sends)).toEqual([0, 15, 60, 180, 600]);
    expect(rig.delivery(id, 'a')).toMatchObject({ state: 'failed', tries: 5 });
  });

  it('whose try was under way at a crash is tried again', async () => {
    const rig = new AlertsRig();
    rig.reply = (_send, nth) => (nth === 0 ? HANGING : { afterMs: 0, sent: OK });
    const id = rig.fire(['a']);
    await rig.clock.advance(5_000);
    await rig.crash(1_000);
    await rig.clock.advance(1_000);
    expect(secondsOf(rig.sends)).toEqual([0, 6]);
    expect(rig.delivery(id, 'a')).toMatchObject({ state: 'done', tries: 1 });
  });

  it('is not sent more than an hour after it fired', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    const id = rig.fire(['a', 'b']);
    await rig.clock.advance(1_000);
    await rig.crash(EXPIRES_MS);
    await rig.clock.advance(MINUTE_MS);
    expect(rig.sends).toHaveLength(2);
    expect(rig.delivery(id, 'a')).toMatchObject({
      state: 'failed',
      tries: 1,
      error: 'more than an hour old before it could be sent; last: HTTP 503',
    });
    expect(rig.log.at(-1)).toBe(
      'target b: given up: more than an hour old before it could be sent; last: HTTP 503',
    );
  });

  it('has failed when its target is no longer configured', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    const id = rig.fire(['a', 'b']);
    await rig.clock.advance(1_000);
    rig.targets = ['b'];
    await rig.crash(1_000);
    const error = 'no target named "a" in the configuration any more';
    expect(rig.delivery(id, 'a')).toMatchObject({ state: 'failed', tries: 1, nextAt: null, error });
    expect(rig.delivery(id, 'b')?.state).toBe('waiting');
    expect(rig.log.at(-1)).toBe(`target a: given up: ${error}`);
  });

  it('is delivered no more once its bot is deleted', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 5_000, sent: FAILING });
    rig.fire(['a'], 'bot-1');
    const kept = rig.fire(['a'], 'bot-2');
    await rig.clock.advance(1_000);
    rig.stored.delete('alert-1');
    rig.alerts.gone('bot-1');
    await rig.clock.advance(20 * MINUTE_MS);
    expect(rig.sends.filter(({ alert }) => alert === 'alert-1')).toHaveLength(1);
    expect(rig.sendsOf(kept, 'a')).toHaveLength(5);
    expect([...rig.stored.keys()]).toEqual([kept]);
    expect(rig.alerts.of('owner').map(({ id }) => id)).toEqual([kept]);
  });
});

describe('many alerts', () => {
  it('are under way to one target four at a time, in their order', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 1_000, sent: OK });
    const ids = Array.from({ length: 10 }, () => rig.fire(['a']));
    await rig.clock.settle();
    expect(rig.sends.map(({ alert }) => alert)).toEqual(ids.slice(0, TRIES_AT_ONCE));
    await rig.clock.advance(10_000);
    expect(rig.sends.map(({ alert }) => alert)).toEqual(ids);
    expect(mostAtOnce(rig)).toBe(TRIES_AT_ONCE);
  });

  it('that have not been tried yet come before others of the same target that have failed meanwhile', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 10_000, sent: FAILING });
    const ids = Array.from({ length: 12 }, () => rig.fire(['a']));
    await rig.clock.advance(25_000);
    // At 20 s the first four are due for the second time since 15 s, the last four since the start.
    expect(rig.sends.map(({ alert }) => alert)).toEqual(ids);
    expect(secondsOf(rig.sends).slice(8)).toEqual([20, 20, 20, 20]);
  });

  it('are under way sixteen at a time to all targets', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const rig = new AlertsRig((it) => {
      it.targets = names;
    });
    rig.reply = () => ({ afterMs: 1_000, sent: OK });
    for (let n = 0; n < 8; n++) rig.fire(names);
    await rig.clock.advance(30_000);
    expect(rig.sends).toHaveLength(48);
    expect(mostAtOnce(rig)).toBe(TRIES_IN_ALL);
  });

  it('beyond what a target may have waiting are not sent to it, and say so', async () => {
    const rig = new AlertsRig();
    rig.reply = ({ target }) => (target === 'a' ? HANGING : { afterMs: 0, sent: OK });
    for (let n = 0; n < WAITING_OF_TARGET; n++) rig.fire(['a']);
    const id = rig.fire(['a', 'b']);
    await rig.clock.advance(1_000);
    expect(rig.delivery(id, 'a')).toMatchObject({
      state: 'failed',
      tries: 0,
      error: `${WAITING_OF_TARGET} alerts wait for it already`,
    });
    expect(rig.delivery(id, 'b')?.state).toBe('done');
    // All of them end: none waits forever, however slow the target.
    await rig.clock.advance(2 * EXPIRES_MS);
    expect([...rig.alerts.waiting()]).toEqual([]);
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

it('at most 2,000 deliveries wait in all: one more is not sent, and says so, until they have gone', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  const rig = new AlertsRig((it) => {
    it.targets = [...names, 'free'];
  });
  rig.reply = ({ target }) => (target === 'free' ? { afterMs: 0, sent: OK } : HANGING);
  for (let n = 0; n < 249; n++) rig.fire(names);
  const last = rig.fire([...names.slice(1), 'free']);
  expect([...rig.alerts.waiting()]).toHaveLength(2_000);
  expect(rig.delivery(last, 'free')?.state).toBe('waiting');
  const beyond = rig.fire(['a']);
  expect(rig.delivery(beyond, 'a')).toMatchObject({
    state: 'failed',
    tries: 0,
    error: '2000 deliveries wait already',
  });
  // A delivery that has ended makes room again.
  rig.alerts.deliver(last, 'free', (one) => ({ ...one, state: 'done' }));
  const next = rig.fire(['free']);
  expect(rig.delivery(next, 'free')?.state).toBe('waiting');
});

/** The largest number of requests under way at the same time. */
function mostAtOnce({ sends }: AlertsRig): number {
  const under = (at: number) => sends.filter((one) => one.at <= at && (one.endedAt ?? Infinity) > at).length;
  return Math.max(...sends.map(({ at }) => under(at)));
}

describe('a wall clock that is set', () => {
  it('back does not stop the deliveries, nor bring all tries at once', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    rig.fire(['a']);
    await rig.clock.advance(20_000);
    rig.clock.jump(-24 * 3_600_000);
    const at = rig.clock.wall();
    await rig.clock.advance(30 * MINUTE_MS);
    expect(rig.sends).toHaveLength(5);
    const times = rig.sends.slice(2).map((send) => send.at - at);
    expect(times[0]).toBeLessThanOrEqual(MINUTE_MS);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(15_000);
  });

  it('forward brings the next try within a minute, and no second one with it', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    rig.fire(['a']);
    await rig.clock.advance(181_000);
    expect(rig.sends).toHaveLength(4);
    rig.clock.jump(30 * MINUTE_MS);
    await rig.clock.advance(MINUTE_MS);
    expect(rig.sends).toHaveLength(5);
  });
});

describe('a stop', () => {
  it('waits a little for what is under way, so that it is not sent again', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: STOP_WAIT_MS - 500, sent: OK });
    const id = rig.fire(['a']);
    await rig.clock.settle();
    void rig.deliveries.stop();
    await rig.clock.advance(STOP_WAIT_MS - 501);
    expect(rig.closed).toBe(0);
    await rig.clock.advance(1);
    expect(rig.closed).toBe(2);
    await rig.restart();
    await rig.clock.advance(20 * MINUTE_MS);
    expect(rig.sends).toHaveLength(1);
    expect(rig.stored.get(id)?.deliveries[0]).toMatchObject({ state: 'done', tries: 1 });
  });

  it.each([0, STOP_WAIT_MS - 1, STOP_WAIT_MS + 1, STOP_WAIT_MS + 999])(
    'believes a target that has taken the alert %i ms after it began, the signal that ends the try or not',
    async (afterMs) => {
      const rig = new AlertsRig();
      rig.reply = () => ({ afterMs, sent: OK, deaf: true });
      const id = rig.fire(['a']);
      await rig.clock.settle();
      await rig.restart();
      await rig.clock.advance(20 * MINUTE_MS);
      expect(rig.sends).toHaveLength(1);
      expect(rig.stored.get(id)?.deliveries[0]).toMatchObject({ state: 'done', tries: 1 });
    },
  );

  it.each([
    [false, STOP_WAIT_MS],
    [true, STOP_WAIT_MS + 1_000],
  ])('waits 2 s for a target that hangs, and a second more for one that is deaf (%s)', async (deaf, ms) => {
    const rig = new AlertsRig();
    rig.reply = () => ({ ...HANGING, deaf });
    rig.fire(['a']);
    await rig.clock.settle();
    void rig.deliveries.stop();
    await rig.clock.advance(ms - 1);
    expect(rig.closed).toBe(0);
    await rig.clock.advance(1);
    expect(rig.closed).toBe(2);
  });

  it.each([false, true])(
    'ends a target that hangs, and the next start tries again (deaf: %s)',
    async (deaf) => {
      const rig = new AlertsRig();
      rig.reply = (_send, nth) => (nth === 0 ? { ...HANGING, deaf } : { afterMs: 0, sent: OK });
      const id = rig.fire(['a']);
      await rig.clock.settle();
      await rig.restart();
      await rig.clock.advance(1_000);
      expect(rig.sends).toHaveLength(2);
      expect(rig.stored.get(id)?.deliveries[0]).toMatchObject({ state: 'done', tries: 1 });
    },
  );

  it('begins nothing more and needs no time when nothing is under way', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 0, sent: FAILING });
    rig.fire(['a']);
    await rig.clock.advance(1_000);
    await rig.deliveries.stop();
    await rig.deliveries.stop();
    // The loop no longer looks at what waits, either.
    expect(rig.clock.pendingTimers).toBe(0);
    rig.fire(['b']);
    await rig.clock.advance(20 * MINUTE_MS);
    expect(rig.sends).toHaveLength(1);
    expect(rig.closed).toBe(2);
  });
});

describe('a store that fails', () => {
  it('does not make an alert be sent again while the desk lives', async () => {
    const rig = new AlertsRig();
    const id = rig.fire(['a']);
    rig.failing = 3;
    await rig.clock.advance(10_000);
    expect(rig.sends).toHaveLength(1);
    // Consoles see the stored state.
    expect(rig.delivery(id, 'a')?.state).toBe('waiting');
    await rig.clock.advance(10 * MINUTE_MS);
    expect(rig.sends).toHaveLength(1);
    expect(rig.delivery(id, 'a')?.state).toBe('done');
    expect(rig.stored.get(id)?.deliveries[0]?.state).toBe('done');
  });

  it('has it sent once more after a crash, and not twice', async () => {
    const rig = new AlertsRig();
    const id = rig.fire(['a']);
    rig.failing = 1;
    await rig.clock.advance(1_000);
    await rig.crash(0);
    await rig.clock.advance(MINUTE_MS);
    await rig.crash(0);
    await rig.clock.advance(MINUTE_MS);
    expect(rig.sendsOf(id, 'a')).toHaveLength(2);
  });

  it('is not asked for each delivery while it is in trouble', async () => {
    const rig = new AlertsRig();
    rig.reply = () => ({ afterMs: 100, sent: OK });
    rig.failing = 1_000;
    const ids = Array.from({ length: 40 }, () => rig.fire(['a']));
    await rig.clock.advance(14_000);
    expect(rig.sends).toHaveLength(40);
    expect(1_000 - rig.failing).toBeLessThanOrEqual(TRIES_AT_ONCE);
    rig.failing = 0;
    await rig.clock.advance(10_000);
    expect(ids.map((id) => rig.stored.get(id)?.deliveries[0]?.state)).toEqual(ids.map(() => 'done'));
  });

  it('gets the last word at the stop', async () => {
    const rig = new AlertsRig();
    const id = rig.fire(['a']);
    rig.failing = 1;
    await rig.clock.advance(1_000);
    expect(rig.stored.get(id)?.deliveries[0]?.state).toBe('waiting');
    await rig.deliveries.stop();
    rig.alerts.close();
    await rig.clock.settle();
    expect(rig.stored.get(id)?.deliveries[0]?.state).toBe('done');
    expect(rig.clock.pendingTimers).toBe(0);
  });
});

const reply: fc.Arbitrary<Reply> = fc.record({
  afterMs: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 20_000 })),
  sent: fc.oneof(
    { weight: 4, arbitrary: fc.constant(FAILING) },
    { weight: 1, arbitrary: fc.constant(OK) },
    { weight: 1, arbitrary: fc.constant(HOPELESS) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 800_000 }).map(asking) },
  ),
});
const replies = fc.array(reply, { minLength: 5, maxLength: 5 });

/**
 * When tries begin and how the delivery ends: a second implementation from strategies.md 8 and
 * docs/configuration.md.
 */
function modelled(given: readonly Reply[]): { tries: number[]; state: string } {
  const plan = [0, 15, 60, 180, 600].map((seconds) => seconds * 1_000);
  const tries: number[] = [];
  let at = 0;
  for (const [n, { afterMs, sent }] of given.entries()) {
    tries.push(at);
    const late = afterMs >= TRY_LIMIT_MS;
    const end = at + Math.min(afterMs, TRY_LIMIT_MS);
    if (!late && sent.ok) return { tries, state: 'done' };
    if (!late && !sent.ok && !sent.retryable) return { tries, state: 'failed' };
    const next = plan[n + 1];
    if (next === undefined) break;
    const planned = Math.max(next, at + 15_000);
    const asked = late || sent.ok || sent.retryAfterMs === null ? 0 : end + sent.retryAfterMs;
    if (asked > 600_000 && asked > planned) return { tries, state: 'failed' };
    at = Math.max(planned, asked);
  }
  return { tries, state: 'failed' };
}

describe('whatever targets answer', () => {
  it('the tries are those of the model', async () => {
    const alerts = fc.array(
      fc.record({ firedMs: fc.integer({ min: 0, max: 900_000 }), a: replies, b: replies }),
      {
        minLength: 1,
        maxLength: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(alerts, async (given) => {
        const rig = new AlertsRig();
        const scripts = new Map<string, Readonly<Record<string, readonly Reply[]>>>();
        rig.reply = ({ alert, target }, nth) => scripts.get(alert)?.[target]?.[nth] as Reply;
        const fired = [...given].sort((x, y) => x.firedMs - y.firedMs);
        for (const [n, { firedMs, a, b }] of fired.entries()) {
          await rig.clock.advance(VIRTUAL_START + firedMs - rig.clock.wall());
          scripts.set(`alert-${n + 1}`, { a, b });
          expect(rig.fire(['a', 'b'])).toBe(`alert-${n + 1}`);
        }
        await rig.clock.advance(30 * MINUTE_MS);
        for (const [n, { firedMs, a, b }] of fired.entries()) {
          for (const [target, script] of [
            ['a', a],
            ['b', b],
          ] as const) {
            const { tries, state } = modelled(script);
            const sends = rig.sendsOf(`alert-${n + 1}`, target);
            expect(sends.map(({ at }) => at - VIRTUAL_START - firedMs)).toEqual(tries);
            expect(rig.delivery(`alert-${n + 1}`, target)).toMatchObject({ state, tries: tries.length });
          }
        }
        expect(rig.clock.pendingTimers).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('crashes and failing commits cost at most one more try each, and everything ends', async () => {
    const event = fc.oneof(
      fc.record({ kind: fc.constant('fire' as const), bot: fc.constantFrom('bot-1', 'bot-2') }),
      fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 200_000 }) }),
      fc.record({ kind: fc.constant('crash' as const), ms: fc.integer({ min: 0, max: 100_000 }) }),
      fc.record({ kind: fc.constant('restart' as const) }),
      fc.record({ kind: fc.constant('fail' as const), commits: fc.integer({ min: 1, max: 3 }) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { minLength: 8, maxLength: 30, size: 'max' }),
        fc.array(reply, { minLength: 7, maxLength: 7 }),
        async (events, script) => {
          const rig = new AlertsRig();
          rig.reply = ({ alert, target }, nth) =>
            script[(nth + Number(alert.slice(6)) + (target === 'a' ? 0 : 3)) % script.length] as Reply;
          const ids: string[] = [];
          let starts = 0;
          let failures = 0;
          for (const one of events) {
            if (one.kind === 'fire') ids.push(rig.fire(['a', 'b'], one.bot));
            if (one.kind === 'pass') await rig.clock.advance(one.ms);
            if (one.kind === 'fail') {
              rig.failing += one.commits;
              failures += one.commits;
            }
            if (one.kind === 'crash') await rig.crash(one.ms);
            if (one.kind === 'restart') await rig.restart();
            if (one.kind === 'crash' || one.kind === 'restart') starts++;
          }
          rig.failing = 0;
          await rig.clock.advance(2 * EXPIRES_MS);
          for (const id of ids) {
            for (const target of ['a', 'b']) {
              const delivery = rig.stored.get(id)?.deliveries.find((d) => d.target === target);
              const sends = rig.sendsOf(id, target);
              expect(delivery?.state).toMatch(/^(done|failed)$/);
              // The tries made again are those that a crash took from the record: the one under way, and
              // those not stored.
              const again = sends.length - (delivery?.tries ?? 0);
              expect(again).toBeGreaterThanOrEqual(0);
              expect(again).toBeLessThanOrEqual(starts === 0 ? 0 : starts + failures);
              expect(rig.delivery(id, target)).toEqual(delivery);
            }
          }
          expect(rig.clock.pendingTimers).toBe(0);
        },
      ),
      { numRuns: 200 },
    );
  });
});
