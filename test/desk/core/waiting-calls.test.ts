/**
 * A request that waits for its turn may leave later only as long as the desk still knows of it: it is taken
 * back when memory was loaded again, and when the account gets another line.
 */
import { expect, it } from 'vitest';
import type { ExchangeOrder, SubmitOutcome } from '../../../src/domain/exchange.ts';
import { StoreError } from '../../../src/store/store.ts';
import type { Deadline, Dispatch } from '../../../src/venues/venue.ts';
import { LinkRig } from './link-rig.ts';

/** A desk whose account lets every order wait; `back`: the ids of those that were taken back. */
async function waiting() {
  const rig = await LinkRig.started();
  const back: string[] = [];
  const sent: string[] = [];
  rig.venue.submit = (order: ExchangeOrder, deadline?: Deadline) =>
    new Promise<SubmitOutcome>((resolve) => {
      sent.push(order.clientId);
      (deadline as Dispatch).onWaits(() => {
        back.push(order.clientId);
        const message = 'it was taken back';
        resolve({ kind: 'rejected', reason: 'UNREACHED', code: 'OTHER', message } as SubmitOutcome);
      });
    });
  void rig.place();
  await rig.clock.settle();
  expect([sent.length, back]).toEqual([1, []]);
  return { rig, sent, back };
}

it('when memory is loaded again after a commit that failed', async () => {
  const { rig, sent, back } = await waiting();
  const commit = rig.store.commit.bind(rig.store);
  rig.store.commit = () => {
    rig.store.commit = commit;
    throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
  };
  const { engine } = rig.core;
  void rig.place();
  await rig.clock.settle();
  expect(rig.core.engine).not.toBe(engine);
  expect(back).toEqual([sent[0]]);
});

it('when the account gets another line', async () => {
  const { rig, sent, back } = await waiting();
  const old = rig.link;
  await rig.until(rig.core.accounts.replace(rig.venue));
  expect(rig.link).not.toBe(old);
  expect(back).toEqual([sent[0]]);
});
