/**
 * After a crash: orders that only a query can settle are settled together with the balances at once, and
 * their money can be used.
 */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { PaperVenue } from '../../../src/venues/paper/paper-venue.ts';
import { flat, holding, openTestDesk, place, temporaryFolder, writeCandles } from './support.ts';

/**
 * A line that can be cut: the exchange carries out requests, and nobody receives its answers until the line
 * is restored.
 */
function cuttable() {
  const mended = Promise.withResolvers<void>();
  const line = { cut: false, mend: mended.resolve };
  const venues = holding((paper: PaperVenue) => {
    const { open, submit } = paper;
    paper.open = (sink) =>
      open.call(paper, {
        ...sink,
        order: (state) => line.cut || sink.order(state),
        fill: (fill) => line.cut || sink.fill(fill),
        balances: (changed) => line.cut || sink.balances(changed),
      });
    paper.submit = async (...asked) => {
      const answer = await submit.apply(paper, asked);
      if (line.cut) await mended.promise;
      return answer;
    };
  });
  return { line, ports: { venues } };
}

// proves: S58
it('an order that ended without an execution while the desk died keeps nothing from the next one', async () => {
  const { line, ports } = cuttable();
  const feed = writeCandles({ BTCUSDT: flat('100', 20) });
  const first = await openTestDesk({ feed, hold: true, ports });
  await first.call('feed.control', { action: 'step' });
  const order = { side: 'BUY', type: 'LIMIT', price: '90', quantity: '1000' } as const;
  line.cut = true;
  const unheard = place(first, { ...order, timeInForce: 'IOC' });
  await first.clock.settle();
  const dataDir = join(temporaryFolder(), 'died');
  cpSync(first.dataDir, dataDir, { recursive: true });
  rmSync(join(dataDir, 'outcry.lock'), { force: true });
  line.cut = false;
  line.mend();
  await unheard;
  const again = await openTestDesk({ feed, hold: true, dataDir, clock: first.clock, ports });
  await again.clock.settle();
  expect(Object.values(again.desk.state().orders)).toMatchObject([{ status: 'CANCELLED' }]);
  expect(await place(again, order)).toMatchObject({ status: 'OPENED' });
});
