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

describe('what waits for a commit', () => {
  it('goes with one that an exchange of this process makes, and with no later one', async () => {
    const rig = await LinkRig.started();
    const stored = () => rig.store.load(0).log.map(({ text }) => text);
    rig.core.report('info', 'desk', 'said once');
    rig.core.turn.commitBeside([{ kind: 'meta', name: 'of-the-exchange', value: 1 }]);
    expect(stored()).toContain('said once');
    await rig.until(rig.place());
    expect(rig.orders).toMatchObject([{ status: 'OPENED' }]);
    rig.core.turn.flush(true);
    expect(stored().filter((text) => text === 'said once')).toEqual(['said once']);
  });

  it('stays behind while an input is pending, whose order must not be stored without its request', async () => {
    const rig = await LinkRig.started();
    rig.core.report('info', 'desk', 'said once');
    const placed = rig.place();
    rig.core.turn.commitBeside([{ kind: 'meta', name: 'of-the-exchange', value: 1 }]);
    expect(rig.store.load(0)).toMatchObject({ orders: [] });
    expect(rig.store.load(0).meta.get('of-the-exchange')).toBe(1);
    expect(rig.store.load(0).log.map(({ text }) => text)).not.toContain('said once');
    await rig.until(placed);
    const texts = rig.store.load(0).log.map(({ text }) => text);
    expect(texts.filter((text) => text === 'said once')).toEqual(['said once']);
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
