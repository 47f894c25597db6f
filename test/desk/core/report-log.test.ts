/**
 * How an answer of an exchange whose replicas lag is ordered: by what had been received a fixed time before
 * the request.
 */
import { describe, expect, it } from 'vitest';
import { ReportLog } from '../../../src/desk/core/report-log.ts';

describe('an answer is ordered by', () => {
  it('all that was heard until its question where nothing lags', () => {
    const log = new ReportLog(0);
    log.note(1_000, 3);
    expect(log.asked(1_000, 4)).toBe(4);
  });

  // proves: S58
  it('what was heard so long before its question as replicas lag at most', () => {
    const log = new ReportLog(500);
    expect(log.asked(0, 0)).toBe(0);
    log.note(1_000, 1);
    log.note(1_400, 2);
    expect([log.asked(1_499, 2), log.asked(1_500, 2), log.asked(1_899, 2)]).toEqual([0, 1, 1]);
    expect([log.asked(1_900, 2), log.asked(60_000, 2)]).toEqual([2, 2]);
  });

  it('nothing while the first that was heard is newer than that', () => {
    const log = new ReportLog(500);
    log.note(1_000, 7);
    expect([log.asked(1_499, 7), log.asked(1_500, 7)]).toEqual([0, 7]);
  });

  it('what was heard since without being noted counts from its first question on', () => {
    const log = new ReportLog(500);
    log.note(1_000, 1);
    expect(log.asked(5_000, 4)).toBe(1);
    expect([log.asked(5_499, 4), log.asked(5_500, 4)]).toEqual([1, 4]);
  });
});
