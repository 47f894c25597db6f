/** The queue of end dates against a plain list. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EndDates } from '../../src/engine/end-dates.ts';

const action = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), id: fc.nat(4), at: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('delete' as const), id: fc.nat(4), at: fc.constant(0) }),
  fc.record({ kind: fc.constant('due' as const), id: fc.constant(0), at: fc.integer({ min: 0, max: 10 }) }),
);

it('the soonest end date and those that have come are what a list says, whatever is added, moved and removed', () => {
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const dates = new EndDates();
      const list = new Map<string, number>();
      for (const { kind, id, at } of actions) {
        const name = `o${id}`;
        if (kind === 'due') {
          const due = [...list].filter(([, one]) => one <= at).map(([one]) => one);
          expect(dates.takeDue(at)).toEqual(due);
          for (const one of due) list.delete(one);
        } else {
          // A date that is moved is removed first, as `setEndDate` does.
          dates.delete(name);
          list.delete(name);
          if (kind === 'add') dates.add(name, at);
          if (kind === 'add') list.set(name, at);
        }
        expect(dates.next).toBe(Math.min(Number.POSITIVE_INFINITY, ...list.values()));
      }
    }),
  );
});
