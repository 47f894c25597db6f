/** The turn of a desk: what its effects cost each other, and whose calls it waits for. */
import { describe, expect, it } from 'vitest';
import { LinkRig } from './link-rig.ts';

describe('an effect whose listener throws', () => {
  it('does not keep the order that was stored with it from its exchange', async () => {
    const rig = await LinkRig.started();
    rig.core.onChange((mark) => {
      if (mark.kind === 'order') throw new Error('a console went away');
    });
    const answer = rig.place({ price: '50000', quantity: '0.01' });
    await rig.clock.settle();
    expect(rig.venue.asked('submit')).toBe(1);
    expect((await answer).status).toBe(200);
    expect(rig.core.log.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/could not be told to everybody: a console went away/),
    );
  });
});

// proves: S55
describe('waiting for what is under way', () => {
  it('counts the calls of the accounts that are named, and of all when none is', async () => {
    const rig = await LinkRig.started();
    rig.venue.openOrdersAre = rig.unanswered;
    void rig.link.reconcile();
    await rig.clock.settle();
    expect(rig.core.turn.quiet(['another account'])).toBeUndefined();
    expect(rig.core.turn.quiet([rig.venue.account.id])).toBeInstanceOf(Promise);
    expect(rig.core.turn.quiet()).toBeInstanceOf(Promise);
  });
});
