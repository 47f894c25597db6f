/**
 * Any mix of requests, delays and responses against a model of the exchange that counts each request when it
 * arrives: no window ever has more than its limit, no request waits because of one behind it, and every
 * waiting request leaves in the end.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LANES, type Lane } from '../../../src/domain/lane.ts';
import { Budget, type BudgetRow, type Cost } from '../../../src/venues/kit/budget.ts';
import { Lanes } from '../../../src/venues/kit/lanes.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';
import { ORDERS, orders, WEIGHT, weight } from './some-rows.ts';

interface Asked {
  readonly lane: Lane;
  readonly pauseMs: number;
  readonly isOrder: boolean;
  readonly weight: number;
  /** The time from leaving to arriving; `downMs`: from arriving to the response. */
  readonly upMs: number;
  readonly downMs: number;
  /** The longest wait; null: without limit. */
  readonly waitMs: number | null;
  /** The time after which the request is withdrawn; null: never. */
  readonly backMs: number | null;
}

const asked: fc.Arbitrary<Asked> = fc.record({
  lane: fc.constantFrom(...LANES),
  pauseMs: fc.constantFrom(0, 0, 0, 1, 40, 700, 2_001),
  isOrder: fc.boolean(),
  weight: fc.constantFrom(0, 1, 7, 20),
  upMs: fc.constantFrom(0, 3, 250, 1_999, 2_600),
  downMs: fc.constantFrom(0, 3, 400),
  waitMs: fc.constantFrom(null, null, 0, 900, 2_000),
  backMs: fc.constantFrom(null, null, null, 0, 500),
});

interface World {
  readonly asked: readonly Asked[];
  readonly clockRows: boolean;
  readonly phaseKnown: boolean;
  /** The error of the known clock: the exchange's clock minus the estimate, ms. */
  readonly errorMs: number;
  readonly spare: number;
}

const SLACK_MS = 120;
const world: fc.Arbitrary<World> = fc.record({
  asked: fc.array(asked, { minLength: 5, maxLength: 45 }),
  clockRows: fc.boolean(),
  phaseKnown: fc.boolean(),
  errorMs: fc.integer({ min: -SLACK_MS, max: SLACK_MS }),
  spare: fc.constantFrom(0, 1),
});

interface Leaving {
  readonly n: number;
  readonly one: Asked;
  readonly costs: readonly Cost[];
  readonly leftAt: number;
  endedAt: number;
}

/** The exchange's counter, by its own clock. */
class Counted {
  readonly #arrivals: { readonly at: number; readonly amount: number }[] = [];
  readonly row: BudgetRow;
  readonly offsetMs: number;

  constructor(row: BudgetRow, offsetMs: number) {
    this.row = row;
    this.offsetMs = offsetMs;
  }

  /** Counts a request; returns the window's use with it. */
  arrives(at: number, amount: number): number {
    this.#arrivals.push({ at, amount });
    const { windowMs, resets } = this.row;
    const window = (time: number) => Math.floor((time + this.offsetMs) / windowMs);
    return this.#arrivals
      .filter((one) => (resets === 'clock' ? window(one.at) === window(at) : one.at >= at - windowMs))
      .reduce((sum, one) => sum + one.amount, 0);
  }
}

async function play({ asked: all, clockRows, phaseKnown, errorMs, spare }: World) {
  const clock = new VirtualClock();
  const resets = clockRows ? ('clock' as const) : ('sliding' as const);
  const weights = { ...WEIGHT, resets, spare };
  const counts = { ...ORDERS, resets, spare };
  const budget = new Budget(clock.monotonic());
  const offsetMs = VIRTUAL_START - clock.monotonic() + 333;
  if (phaseKnown) budget.clockIs({ offsetMs: offsetMs + errorMs, slackMs: SLACK_MS });
  const lanes = new Lanes(budget, clock);
  const model = [weights, counts].map((row) => new Counted(row, offsetMs));
  const waiting = new Map<number, { lane: Lane; costs: readonly Cost[]; until: number }>();
  const left: Leaving[] = [];
  const ends = new Map<number, string>();
  const problems: string[] = [];
  const usedOf = (row: BudgetRow, now: number) =>
    left
      .filter(
        ({ endedAt }) => endedAt === Infinity || (resets === 'sliding' && endedAt + row.windowMs >= now),
      )
      .flatMap(({ costs }) => costs)
      .reduce((sum, cost) => sum + (cost.row === row ? cost.amount : 0), 0);
  for (const [n, one] of all.entries()) {
    await clock.advance(one.pauseMs);
    const costs = [
      ...(one.isOrder ? [orders(1, counts)] : []),
      ...(one.weight > 0 ? [weight(one.weight, weights)] : []),
    ];
    const now = clock.monotonic();
    let takeBack: (() => void) | null = null;
    const sent = lanes.send({
      lane: one.lane,
      costs,
      notAfter: one.waitMs === null ? Infinity : now + one.waitMs,
      onWaits: (take) => {
        waiting.set(n, { lane: one.lane, costs, until: one.waitMs === null ? Infinity : now + one.waitMs });
        takeBack = () => {
          waiting.delete(n);
          take();
        };
      },
      run: (leftAt) => {
        waiting.delete(n);
        if (ends.has(n)) problems.push(`${n} left after it had ended as ${ends.get(n)}`);
        const leaving: Leaving = { n, one, costs, leftAt, endedAt: Infinity };
        left.push(leaving);
        const rank = (lane: Lane) => LANES.indexOf(lane);
        const before = [...waiting].filter(
          ([m, { lane, until }]) =>
            until > leftAt && (rank(lane) < rank(one.lane) || (lane === one.lane && m < n)),
        );
        for (const { row } of costs) {
          const needs = before
            .flatMap(([, { costs: theirs }]) => theirs)
            .reduce((sum, cost) => sum + (cost.row === row ? cost.amount : 0), 0);
          if (needs > 0 && usedOf(row, leftAt) + needs > row.limit)
            problems.push(`${n} (${one.lane}) takes of ${row.name} what ${before.map(([m]) => m)} need`);
        }
        return new Promise<void>((resolve) => {
          clock.after(one.upMs, () => {
            for (const counted of model) {
              const amount = costs.find(({ row }) => row === counted.row)?.amount;
              if (amount === undefined) continue;
              const used = counted.arrives(clock.monotonic(), amount);
              if (used > counted.row.limit) problems.push(`${n} makes ${used} of ${counted.row.name}`);
            }
            clock.after(one.downMs, () => {
              leaving.endedAt = clock.monotonic();
              resolve();
            });
          });
        });
      },
    });
    void sent.then(({ kind }) => {
      ends.set(n, kind);
      if (kind !== 'sent') waiting.delete(n);
      if (kind === 'late' && clock.monotonic() !== now + (one.waitMs ?? -1))
        problems.push(`${n} was late at another time than its own`);
    });
    if (one.backMs !== null) clock.after(one.backMs, () => takeBack?.());
  }
  await clock.advance(600_000);
  for (const [n, one] of all.entries()) {
    const kind = ends.get(n);
    if (kind === undefined) problems.push(`${n} (${one.lane}) waits for ever`);
    if (kind !== 'sent' && left.some((leaving) => leaving.n === n))
      problems.push(`${n} was sent and is ${kind}`);
  }
  // First come, first served, among requests with the same costs.
  const name = ({ one, costs }: Leaving) =>
    `${one.lane} ${costs.map(({ row, amount }) => row.name + amount)}`;
  const last = new Map<string, number>();
  for (const leaving of left) {
    if ((last.get(name(leaving)) ?? -1) > leaving.n) problems.push(`${leaving.n} was overtaken in its lane`);
    last.set(name(leaving), leaving.n);
  }
  return { problems, waited: all.length, lanes, left };
}

describe('requests toward an exchange', () => {
  it('never exceed a window, never pass who is before them, and all leave in the end', async () => {
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const { problems, lanes } = await play(given);
        expect(problems).toEqual([]);
        expect(lanes.count()).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});
