/** The stored countdowns of a dead-man switch give the same answers after a restart as before it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type Countdown,
  countdownsName,
  countdownsValue,
  storedCountdowns,
  TAKEN_BACK,
} from '../../src/domain/dead-man.ts';

const time = fc.integer({ min: 0, max: 2_000_000_000_000 });
const lapse = fc.record({ from: time, to: time });
const running = fc.record(
  { at: time, seconds: fc.integer({ min: 1, max: 600 }), lapse },
  { requiredKeys: ['at', 'seconds'] },
);
const takenBack = lapse.map((past): Countdown => ({ ...TAKEN_BACK, lapse: past }));

function restarted(value: unknown) {
  const stored = JSON.parse(JSON.stringify(value)) as unknown;
  return storedCountdowns(new Map([[countdownsName('usdm'), stored]]), 'usdm');
}

it('are read as they were: those that run, and what one before may have ended, be it taken back since', () => {
  const symbols = fc.constantFrom('', 'BTCUSDT', 'ETHUSDT');
  fc.assert(
    fc.property(fc.array(fc.tuple(symbols, fc.oneof(running, takenBack))), (list) => {
      const countdowns = new Map<string, Countdown>(list);
      expect(restarted(countdownsValue(countdowns))).toEqual(countdowns);
    }),
  );
});

it('of one that was taken back and has ended nothing there is nothing to store', () => {
  expect(countdownsValue(new Map([['', TAKEN_BACK]]))).toEqual({});
});

it('are left out where they cannot be read', () => {
  const value = {
    '': null,
    BTCUSDT: { at: 'now', seconds: 3 },
    ETHUSDT: { at: 5, seconds: 3, lapse: { from: 1 } },
    SOLUSDT: { lapse: { from: 1, to: null } },
  };
  expect([...restarted(value)]).toEqual([['ETHUSDT', { at: 5, seconds: 3 }]]);
  expect(restarted(7).size).toBe(0);
});
