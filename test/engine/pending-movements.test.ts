/** The movements received between two reports, against a plain list that is searched for everything. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Movement, PendingMovements, type Report } from '../../src/engine/pending-movements.ts';

type Kept = { movement: Movement; doubtful: boolean };

/** A list that is searched for everything; what a report includes is asked of a figure with one movement. */
class Listed {
  told: readonly bigint[] = [0n, 0n];
  last: Report | null = null;
  exact = false;
  kept: Kept[] = [];

  place(movement: Movement): Kept[] {
    const one = new PendingMovements(2);
    if (this.last) one.report(this.told, this.last);
    one.move(movement);
    return [...one.movements()].map(({ doubtful }) => ({ movement, doubtful: doubtful && !this.exact }));
  }

  move(movement: Movement): void {
    const { order, key } = movement;
    if (!this.kept.some((kept) => kept.movement.order === order && kept.movement.key === key))
      this.kept.push(...this.place(movement));
  }

  confirm(order: string, keys: readonly string[]): void {
    this.kept = this.kept.map(({ movement, doubtful }) => ({
      movement:
        movement.order === order && keys.includes(movement.key) ? { ...movement, answered: false } : movement,
      doubtful,
    }));
  }

  rename(from: string, to: string): void {
    this.kept = this.kept.map(({ movement, doubtful }) => ({
      movement: movement.order === from ? { ...movement, order: to } : movement,
      doubtful,
    }));
  }

  report(told: readonly bigint[], report: Report): void {
    const before = this.kept;
    const doubted = before.some(({ doubtful }) => doubtful);
    const wasExact = this.exact;
    this.last = report;
    const known = before.filter(({ movement }) => this.place(movement).length === 0);
    const proves = !doubted && known.some(({ movement }) => !movement.answered);
    this.exact =
      (wasExact || proves) &&
      this.told.every(
        (sum, i) => known.reduce((all, { movement }) => all + (movement.by[i] ?? 0n), sum) === told[i],
      );
    this.told = told;
    this.kept = before.flatMap(({ movement }) => this.place(movement));
  }
}

const order = fc.constantFrom('a', 'b', 'c');
const key = fc.constantFrom('1', '2', '3', '4');
const amount = fc.integer({ min: -3, max: 3 }).map(BigInt);
const time = fc.option(fc.nat(6), { nil: undefined });
const steps = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant('move' as const),
        order,
        key,
        amount,
        time,
        answered: fc.boolean(),
        sent: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constant('confirm' as const),
        order,
        keys: fc.array(key, { maxLength: 3 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('rename' as const), order, to: order }) },
    fc.record({ kind: fc.constant('report' as const), amount, time, asked: fc.boolean() }),
    fc.record({ kind: fc.constant('copy' as const) }),
  ),
  { maxLength: 40, size: 'max' },
);

describe('what has been heard between two reports', () => {
  it('is what looking through all of it finds, and a copy goes its own way', () => {
    fc.assert(
      fc.property(steps, (list) => {
        let figure = new PendingMovements(2);
        let model = new Listed();
        const left: { figure: PendingMovements; shown: string }[] = [];
        const shown = (of: Iterable<Kept>) =>
          JSON.stringify([...of], (_, value) => (typeof value === 'bigint' ? `${value}` : value));
        for (const [at, step] of list.entries()) {
          if (step.kind === 'move') {
            const { order, key, amount, time, answered, sent } = step;
            const by = [amount, -amount];
            const movement = { order, key, by, time, at, sentAt: sent ? at : undefined, answered };
            figure.move(movement);
            model.move(movement);
          } else if (step.kind === 'confirm') {
            figure.confirm(step.order, step.keys);
            model.confirm(step.order, step.keys);
          } else if (step.kind === 'rename') {
            figure.rename(step.order, step.to);
            model.rename(step.order, step.to);
          } else if (step.kind === 'report') {
            const { amount, time, asked } = step;
            const report = { time, askedAt: asked ? at - 2 : undefined, at };
            figure.report([amount, -amount], report);
            model.report([amount, -amount], report);
          } else {
            left.push({ figure, shown: shown(figure.movements()) });
            figure = figure.copy();
            // The copy starts without exactness: only a new report establishes it.
            const before = model;
            model = Object.assign(new Listed(), { told: before.told, last: before.last, kept: before.kept });
          }
          expect(shown(figure.movements())).toBe(shown(model.kept));
          expect(figure.hasDoubt).toBe(model.kept.some(({ doubtful }) => doubtful));
          expect(figure.isTold).toBe(model.kept.length === 0);
        }
        for (const one of left) expect(shown(one.figure.movements())).toBe(one.shown);
      }),
      { numRuns: 500 },
    );
  });
});
