/**
 * A key that has worked and is refused: everybody who trades with it is told once, and again when it is
 * accepted.
 */
import { expect, it } from 'vitest';
import type { RejectCode } from '../../src/domain/reject-code.ts';
import { Bench } from './support/bench.ts';

const MINUTE = 60_000;

function trading() {
  const bench = new Bench();
  const said = () => bench.kinds('log').flatMap((one) => ('text' in one ? [one.text.split(':')[0]] : []));
  return {
    bench,
    works: () => {
      bench.resting();
      return said().filter((text) => text?.includes('its key'));
    },
    refused: (reason: RejectCode = 'BAD_CREDENTIALS') => {
      const { order } = bench.place({ price: '50000', quantity: '1' });
      bench.submitted(order, { kind: 'rejected', reason, code: '-2015', message: 'Invalid API-key' });
      return said().filter((text) => text?.includes('its key'));
    },
  };
}

const REFUSED = 'paper-spot refuses its key, which had worked';

it('is said when it has worked for ten minutes, however often it was used in them, and once', () => {
  const { bench, works, refused } = trading();
  expect(refused()).toEqual([]);
  for (let minute = 0; minute < 10; minute++) {
    works();
    bench.pass(MINUTE);
    // A new key may not be active everywhere yet.
    if (minute < 9) expect(refused()).toEqual([]);
  }
  expect(refused('BALANCE')).toEqual([]);
  expect([refused(), refused()]).toEqual([[REFUSED], []]);
});

it('is said to be taken again, and when it is refused once more', () => {
  const { bench, works, refused } = trading();
  works();
  bench.pass(10 * MINUTE - 1);
  expect(refused()).toEqual([]);
  bench.pass(1);
  expect(refused()).toEqual([REFUSED]);
  expect([works(), works()]).toEqual([['paper-spot takes its key again'], []]);
  expect(refused()).toEqual([REFUSED]);
});
