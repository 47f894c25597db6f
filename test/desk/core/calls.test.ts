/** Calls that wait for their turn on a line whose place another one takes. */
import { expect, it } from 'vitest';
import { Calls } from '../../../src/desk/core/calls.ts';
import type { ReadableVenue } from '../../../src/desk/core/readable-venue.ts';
import type { Turn } from '../../../src/desk/core/turn.ts';
import type { Passage } from '../../../src/venues/venue.ts';
import { CAPS } from '../../engine/support/market.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

it('whoever has asked for an order or a cancel that waits hears that it never leaves', async () => {
  const turn = { begin: () => {}, end: () => {}, step: () => {} } as unknown as Turn;
  const venue = { account: { id: 'x-spot' }, caps: CAPS } as ReadableVenue;
  const calls = new Calls(venue, { turn, clock: new VirtualClock(), changed: () => {}, report: () => {} });
  const told: unknown[] = [];
  const waiting = (passage: Passage) =>
    new Promise<string>((resolve) => passage.onWaits(() => resolve('taken back')));
  const step = (outcome: unknown) => void told.push(outcome);
  calls.make({ run: waiting as never, step, orderId: 'order', terms: { lane: 'exit', waitMs: null } });
  calls.make({ run: waiting as never, step, orderId: 'order' });
  await Promise.resolve();
  calls.abandon();
  calls.close();
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(told).toEqual(['taken back', 'taken back']);
});
