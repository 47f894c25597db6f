/** Calls that wait for their turn on a line that is replaced by another one. */
import { expect, it } from 'vitest';
import { Calls } from '../../../src/desk/core/calls.ts';
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
