/** Calls that wait for their turn on a line that is replaced by another one. */
import { describe, expect, it } from 'vitest';
import { type Call, Calls } from '../../../src/desk/core/calls.ts';
import type { ReadableVenue } from '../../../src/desk/core/readable-venue.ts';
import type { Turn } from '../../../src/desk/core/turn.ts';
import type { Dispatch } from '../../../src/venues/venue.ts';
import { CAPS } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('whoever has asked for an order or a cancel that waits hears that it never leaves', async () => {
  const turn = { begin: () => {}, end: () => {}, step: () => {} } as unknown as Turn;
  const venue = { account: { id: 'x-spot' }, caps: CAPS } as ReadableVenue;
  const calls = new Calls(venue, { turn, clock: new VirtualClock(), changed: () => {}, report: () => {} });
  const told: unknown[] = [];
  const waiting = (dispatch: Dispatch) =>
    new Promise<string>((resolve) => dispatch.onWaits(() => resolve('taken back')));
  const step = (outcome: unknown) => void told.push(outcome);
  calls.make({ run: waiting as never, step, orderId: 'order', terms: { lane: 'exit', waitMs: null } });
  calls.make({ run: waiting as never, step, orderId: 'order' });
  await Promise.resolve();
  calls.abandon();
  calls.close();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(told).toEqual(['taken back', 'taken back']);
});

it('the time of a call that waits counts from its leaving: its deadline, its time-out and how long it took', async () => {
  const clock = new VirtualClock();
  const counts: string[] = [];
  const turn = {
    begin: () => counts.push('begin'),
    end: () => counts.push('end'),
    step: ({ type }: { type: string }) => counts.push(type),
  } as unknown as Turn;
  const venue = { account: { id: 'x-spot' }, caps: { ...CAPS, sendWithinMs: 2_000 } } as ReadableVenue;
  const calls = new Calls(venue, { turn, clock, changed: () => {}, report: () => {} });
  const from = clock.monotonic();
  const steps: unknown[] = [];
  let waits: Dispatch | null = null;
  let answer: (outcome: string) => void = () => {};
  calls.make<string>({
    run: (dispatch) => {
      waits = dispatch;
      dispatch.onWaits(() => {});
      return new Promise((resolve) => {
        answer = resolve;
      });
    },
    step: (outcome, leftBy) => steps.push([outcome, leftBy - from]),
    orderId: 'order',
    terms: { lane: 'exit', waitMs: null },
  });
  const dispatch = waits as unknown as Dispatch;
  expect(dispatch.notAfter).toBe(from + 2_000);
  await clock.advance(60_000);
  // Nobody waits for a call that has not left; the caller is told once that it waits.
  expect([steps, counts]).toEqual([[], ['begin', 'end', 'waits']]);
  expect(dispatch.leaves()).toEqual({ notAfter: from + 62_000 });
  await clock.advance(9_999);
  expect(steps).toEqual([]);
  await clock.advance(1);
  expect(steps).toEqual([[{ kind: 'unknown', cause: 'no answer within 10 s' }, 62_000]]);
  await clock.advance(500);
  answer('late');
  await clock.settle();
  expect(steps.at(-1)).toEqual(['late', 62_000]);
  expect(calls.latencyMs).toBe(10_500);
  expect(counts.slice(3)).toEqual(['begin', 'end']);
});

/** Calls whose requests wait until the test lets them leave or be answered. */
function line() {
  const clock = new VirtualClock();
  const events: unknown[] = [];
  const counts: string[] = [];
  const turn = {
    begin: () => counts.push('begin'),
    end: () => counts.push('end'),
    step: (event: unknown) => void events.push(event),
  };
  const venue = { account: { id: 'x-spot' }, caps: { ...CAPS, sendWithinMs: 2_000 } } as ReadableVenue;
  const calls = new Calls(venue, {
    turn: turn as unknown as Turn,
    clock,
    changed: () => {},
    report: () => {},
  });
  const told: unknown[] = [];
  const made = new Map<string, Dispatch>();
  const answers = new Map<string, (outcome: string) => void>();
  /** `name`: also the outcome of a request that was taken back. */
  const make = (name: string, more: Partial<Call<string>> = {}, waits = true) =>
    calls.make<string>({
      run: (dispatch) => {
        made.set(name, dispatch);
        return new Promise((resolve) => {
          answers.set(name, resolve);
          if (waits) dispatch.onWaits(() => resolve(`${name} taken back`));
        });
      },
      step: (outcome) => told.push(outcome),
      ...more,
    });
  const settled = async () => {
    await clock.settle();
    return told.splice(0);
  };
  return { clock, calls, counts, events, make, made, answers, settled, told };
}

const EXIT = { lane: 'exit', waitMs: null } as const;

describe('what is taken back', () => {
  it('is the order that is named, while it waits: no other one, not its cancel, and not one that has left', async () => {
    const { calls, make, made, answers, settled } = line();
    for (const orderId of ['a', 'b', 'c']) make(orderId, { orderId, terms: EXIT });
    make('cancel of a', { orderId: 'a' });
    made.get('c')?.leaves();
    calls.withdraw('a');
    calls.withdraw('c');
    calls.withdraw('none');
    expect(await settled()).toEqual(['a taken back']);
    answers.get('c')?.('c accepted');
    calls.withdrawAll();
    expect(await settled()).toEqual(['c accepted', 'b taken back']);
    calls.abandon();
    expect(await settled()).toEqual(['cancel of a taken back']);
    calls.abandon();
    calls.withdraw('a');
    expect(await settled()).toEqual([]);
  });

  it('is an order that waits a second time, too', async () => {
    const { calls, make, made, settled } = line();
    make('a', { orderId: 'a', terms: EXIT });
    calls.withdraw('a');
    expect(await settled()).toEqual(['a taken back']);
    make('a', { orderId: 'a', terms: EXIT });
    expect(made.size).toBe(1);
    calls.withdrawAll();
    expect(await settled()).toEqual(['a taken back']);
  });
});

it('a request may wait as long as its terms say, and whoever asked hears once that it waits, where that has no end', async () => {
  const { clock, events, make, made, settled } = line();
  const from = clock.monotonic();
  make('entry', { orderId: 'e', terms: { lane: 'entry', waitMs: 1_500 } });
  make('exit', { orderId: 'x', terms: EXIT });
  make('gone', { orderId: 'g', terms: EXIT });
  make('question');
  const terms = [...made].map(([name, { lane, waitUntil }]) => [name, lane, waitUntil - from]);
  expect(terms).toEqual([
    ['entry', 'entry', 1_500],
    ['exit', 'exit', Number.POSITIVE_INFINITY],
    ['gone', 'exit', Number.POSITIVE_INFINITY],
    ['question', 'cancel', Number.POSITIVE_INFINITY],
  ]);
  await clock.advance(1_999);
  made.get('gone')?.leaves();
  expect(events).toEqual([]);
  await clock.advance(60_000);
  expect(events).toEqual([{ type: 'waits', exchange: 'x-spot', orderId: 'x' }]);
  // Only the one that has left has no answer in time.
  expect(await settled()).toEqual([{ kind: 'unknown', cause: 'no answer within 10 s' }]);
});

it('a request that did not have to wait has the deadline that it was given, and is one call', async () => {
  const { clock, counts, make, made, answers, settled } = line();
  const from = clock.monotonic();
  make('order', { orderId: 'o', terms: EXIT }, false);
  await clock.advance(700);
  expect(made.get('order')?.leaves()).toEqual({ notAfter: from + 2_000 });
  await clock.advance(300);
  answers.get('order')?.('accepted');
  expect([await settled(), counts]).toEqual([['accepted'], ['begin', 'end']]);
});

it('nobody is told of what waits on a line that is closed, and a call that is answered in time is lost no more', async () => {
  const { clock, calls, events, make, answers, settled } = line();
  make('exit', { orderId: 'x', terms: EXIT });
  make('sent', { orderId: 's', terms: EXIT }, false);
  await clock.advance(1_000);
  answers.get('sent')?.('done');
  expect(await settled()).toEqual(['done']);
  expect(calls.latencyMs).toBe(1_000);
  calls.close();
  await clock.advance(60_000);
  expect([events, await settled(), clock.pendingTimers]).toEqual([[], [], 0]);
});
