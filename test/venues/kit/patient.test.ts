/** Patient requests, for which nobody waits, leave two thirds of an address's limit to all others. */
import { expect, it } from 'vitest';
import { Budget, type BudgetRow } from '../../../src/venues/kit/budget.ts';
import { Lanes } from '../../../src/venues/kit/lanes.ts';
import { patientCosts } from '../../../src/venues/kit/patient.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { WEIGHT, weight } from './some-rows.ts';

/** Ten requests of weight two are a third of the limit. */
const ROW: BudgetRow = { ...WEIGHT, limit: 60 };

it('use a third of a window and wait for the next one, and what somebody waits for passes them', async () => {
  const clock = new VirtualClock();
  const lanes = new Lanes(new Budget(clock.monotonic()), clock);
  const left: string[] = [];
  const ask = (name: string, costs: Parameters<typeof patientCosts>[0], yields = false) =>
    void lanes.send({
      lane: 'read',
      costs,
      yields,
      notAfter: Number.POSITIVE_INFINITY,
      run: async (_leftAt, ended) => {
        left.push(name);
        ended();
      },
    });
  const patient = (name: string) => ask(name, patientCosts([weight(2, ROW)]), true);
  for (let n = 0; n < 25; n++) patient('patient');
  await clock.settle();
  expect(left).toHaveLength(10);
  for (let n = 0; n < 10; n++) ask('waited for', [weight(2, ROW)]);
  await clock.settle();
  expect(left.filter((name) => name === 'waited for')).toHaveLength(10);
  await clock.advance(6_100);
  expect(left.filter((name) => name === 'patient')).toHaveLength(20);
  await clock.advance(6_100);
  expect(left.filter((name) => name === 'patient')).toHaveLength(25);
});

it('that cost more than a third at once are asked, one in a window', async () => {
  const clock = new VirtualClock();
  const lanes = new Lanes(new Budget(clock.monotonic()), clock);
  const costs = patientCosts([weight(30, ROW)]);
  let left = 0;
  const run = async () => void left++;
  for (let n = 0; n < 2; n++)
    void lanes.send({ lane: 'read', costs, notAfter: Number.POSITIVE_INFINITY, run });
  await clock.settle();
  expect(left).toBe(1);
  await clock.advance(6_100);
  expect(left).toBe(2);
});

it('of each user have a third of their own', async () => {
  const clock = new VirtualClock();
  const lanes = new Lanes(new Budget(clock.monotonic()), clock);
  const left: string[] = [];
  for (const of of ['7', '8', '7', '8', '7'])
    void lanes.send({
      lane: 'read',
      costs: patientCosts([{ row: { ...ROW, limit: 6 }, of, amount: 1 }]),
      yields: true,
      notAfter: Number.POSITIVE_INFINITY,
      run: async () => void left.push(of),
    });
  await clock.settle();
  expect(left).toEqual(['7', '8', '7', '8']);
  await clock.advance(6_100);
  expect(left).toEqual(['7', '8', '7', '8', '7']);
});
