/**
 * `crossChannelSell`: exits sell quantities, whatever lots those are, so an exit may outlive its lot. Whatever
 * fills in whichever parts, all exits together sell what is held and no more; what is too little for an order
 * of its own is sold with what is bought next.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RunOrder } from '../../../../src/bots/run/contract.ts';
import { dec, floorTo, mul } from '../../../../src/domain/decimal.ts';
import { Lonely } from '../../run/lonely.ts';

const channel = (name: string, depositePercent: string, fiboPrice: string) => ({
  name,
  depositePercent,
  fiboPrice,
});
const SETTINGS = {
  crossChannelSell: true,
  onetime: false,
  channels: [
    channel('0', '0', '42000'),
    channel('0.382', '30', '43000'),
    channel('0.500', '30', '44000'),
    channel('0.618', '40', '45000'),
    channel('1', '0', '47000'),
  ],
};
const STEP = dec('0.00001');
/** More than the exchange's minimum of 10 USDT at the lowest target. */
const LEAST = dec('0.00024');

const steps = fc.array(
  fc.record({
    which: fc.nat(20),
    /** Part of what is left of the order. */
    part: fc.constantFrom('0.3', '0.5', '1'),
    /** The exchange carries out the cancels before the next fill. */
    cancels: fc.boolean(),
  }),
  { maxLength: 25 },
);

/** Exits sell each other's lots, so that a lot is left of which too little is not on sale. */
const SOLD_CROSSWISE = [
  { which: 11, part: '0.3', cancels: false },
  { which: 0, part: '1', cancels: false },
  { which: 0, part: '1', cancels: false },
  { which: 11, part: '0.3', cancels: false },
  { which: 14, part: '1', cancels: false },
];

it('all exits together sell what is held, and no more, however entries and exits fill', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const lonely = new Lonely('FIBO', SETTINGS, '46000');
      const open = new Map<string, RunOrder>();
      const leaving = new Set<string>();
      /** Takes the run's requests; true: nothing is left to be carried out. */
      const listen = () => {
        const asked = lonely.asked();
        for (const action of asked) {
          if (action.do === 'place') {
            open.set(action.order.key, action.order);
            lonely.change({ key: action.order.key, kind: 'accepted' });
          } else if (action.do === 'cancel') leaving.add(action.key);
        }
        return asked.length === 0;
      };
      const cancel = () => {
        do {
          for (const key of leaving) if (open.delete(key)) lonely.change({ key, kind: 'ended' });
          leaving.clear();
        } while (!listen());
      };
      /** What all exits that rest would still sell. */
      const onSale = () =>
        [...open.values()].reduce(
          (sum, { role, qty, executed }) => (role === 'exit' ? sum + qty - executed : sum),
          0n,
        );
      listen();
      for (const { which, part, cancels } of all) {
        const order = [...open.values()][which % Math.max(open.size, 1)];
        if (!order) continue;
        const left = order.qty - order.executed;
        const most = floorTo(mul(left, dec(part)), STEP);
        const qty = most === 0n ? left : most;
        if (qty === left) open.delete(order.key);
        lonely.part(order, qty, order.role === 'entry' ? '43000' : '47000');
        listen();
        expect(onSale()).toBeLessThanOrEqual(lonely.run.lots.total());
        if (cancels) cancel();
        // The next tick is no price of theirs.
        lonely.tick('46000');
        listen();
      }
      const settle = () => {
        cancel();
        lonely.tick('46000');
        cancel();
        expect(lonely.run.lots.state.oversold).toBe(0n);
        return lonely.run.lots.total() - onSale();
      };
      // What is too little for an order waits.
      const waiting = settle();
      expect(waiting).toBeGreaterThanOrEqual(0n);
      expect(waiting).toBeLessThan(LEAST);
      // It joins what is bought next.
      const entry = [...open.values()].find(
        ({ role, qty, executed }) => role === 'entry' && qty - executed >= LEAST,
      );
      if (!entry) return;
      open.delete(entry.key);
      lonely.part(entry, entry.qty - entry.executed, '43000');
      expect(settle()).toBe(0n);
    }),
    { numRuns: 150, examples: [[SOLD_CROSSWISE]] },
  );
});
