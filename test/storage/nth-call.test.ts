/**
 * Layer 6 (borders.md 7): the store and the exchange fail at their N-th call, N = 1, 2, 3... until a day
 * passes without a fault. Then everything works again, and every invariant must hold: nothing sent twice,
 * nothing unresolved, no partial change.
 */
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import type { Venue } from '../../src/venues/venue.ts';
import { readStored } from './checks.ts';
import {
  COMMIT_FAULTS,
  Countdown,
  commitFaults,
  READ_FAULTS,
  readFaults,
  VENUE_FAULTS,
  venueFaults,
} from './faulty-ports.ts';
import { EXCHANGE, Rig, type RigOptions, SYMBOL } from './rig.ts';
import { dayAtTheDesk } from './scenario.ts';

/** More calls than a day has: the loop must end by itself. */
const MOST_CALLS = 500;

interface Ports {
  readonly storePort?: (store: Store) => Store;
  readonly venuePort?: (venue: Venue) => Venue;
}

/** Runs the day for every N; returns the number of runs and all violations, each with its N. */
async function everyCall(exchange: RigOptions['exchange'], ports: (countdown: Countdown) => Ports) {
  const violations: string[] = [];
  const stray = (error: unknown) => violations.push(`a promise was rejected: ${String(error)}`);
  process.on('unhandledRejection', stray);
  try {
    for (let n = 1; n <= MOST_CALLS; n++) {
      const countdown = new Countdown(n);
      const db = openDatabase(':memory:');
      const rig = new Rig({ db, exchange, ...ports(countdown) });
      try {
        await dayAtTheDesk(rig);
        await rig.judge();
      } catch (error) {
        rig.violations.push(`the day broke off: ${error instanceof Error ? error.stack : error}`);
      }
      rig.crash();
      db.close();
      const where = `call ${n} (${countdown.reached})`;
      violations.push(...rig.violations.map((text) => `${where}: ${text}`));
      if (countdown.reached === null) return { runs: n, violations };
    }
  } finally {
    process.off('unhandledRejection', stray);
  }
  throw new Error(`${MOST_CALLS} calls were not enough`);
}

for (const exchange of ['embedded', 'external'] as const) {
  describe(`with an ${exchange} exchange`, () => {
    for (const fault of exchange === 'embedded' ? COMMIT_FAULTS : (['full', 'landed'] as const)) {
      it(`keeps every promise whichever commit fails: ${fault}`, async () => {
        const { runs, violations } = await everyCall(exchange, (countdown) => ({
          storePort: commitFaults(countdown, fault),
        }));
        expect(violations.slice(0, 20)).toEqual([]);
        expect(runs).toBeGreaterThan(30);
      });
    }
  });
}

it('stores and sends nothing more once it has given up', async () => {
  const db = openDatabase(':memory:');
  // The start commits the exchange and when it was first connected; the order's commit is the third and
  // fails, after which the store cannot be read either.
  const rig = new Rig({ db, exchange: 'embedded', storePort: commitFaults(new Countdown(3), 'load') });
  await rig.up();
  await rig.tick('100');
  const { core } = rig.desk;
  const stop = { side: 'BUY', type: 'STOP_MARKET', stopPrice: '101', quantity: '0.1' } as const;
  rig.begin('a held order', { type: 'place', request: { exchange: EXCHANGE, symbol: SYMBOL, ...stop } });
  await rig.clock.settle();
  expect(rig.desk.fatal).toMatch(/could not be read again/);
  // Memory has the order, the store does not.
  core.turn.step({ type: 'tick', market: 'paper', symbol: SYMBOL, price: '102' });
  await rig.clock.settle();
  await core.stop();
  expect(rig.sent).toEqual([]);
  expect(readStored(db).orders.size).toBe(0);
  rig.crash();
  db.close();
});

for (const fault of READ_FAULTS) {
  it(`keeps every promise whichever read fails: ${fault}`, async () => {
    const { runs, violations } = await everyCall('embedded', (countdown) => ({
      storePort: readFaults(countdown, fault),
    }));
    expect(violations.slice(0, 20)).toEqual([]);
    expect(runs).toBeGreaterThan(8);
  });
}

for (const fault of VENUE_FAULTS) {
  it(`keeps every promise whichever call of the exchange fails: ${fault}`, async () => {
    const { runs, violations } = await everyCall('external', (countdown) => ({
      venuePort: venueFaults(countdown, fault),
    }));
    expect(violations.slice(0, 20)).toEqual([]);
    expect(runs).toBeGreaterThan(12);
  });
}
