/**
 * A state sent in parts: joined it is the same, no part is too long, and there are no more parts than
 * needed.
 */
import { describe, expect, it } from 'vitest';
import { addPart, deltaParts, emptied, snapshotParts } from '../../../src/desk/console/state-parts.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import type { LogLine } from '../../../src/domain/rows.ts';
import { emptyState } from '../session-fake-desk.ts';

const PART = 1024 * 1024;
/** Approximate length of one entry in characters of JSON. */
const LONG = 100_000;

function stateOf(orders: number, lines: number) {
  const text = 'x'.repeat(LONG);
  return {
    ...emptyState(),
    orders: Object.fromEntries(
      Array.from({ length: orders }, (_, n) => [`o${n}`, { id: `o${n}`, text } as unknown as OrderView]),
    ),
    log: Array.from({ length: lines }, (_, n): LogLine => ({ at: n, level: 'info', source: 'desk', text })),
  };
}

describe.each([
  [0, 0, 1],
  [3, 3, 1],
  [11, 0, 1],
  [12, 0, 2],
  [35, 5, 4],
])('%d long orders and %d lines', (orders, lines, parts) => {
  const state = stateOf(orders, lines);

  it(`come in ${parts}, none much longer than it may be`, () => {
    const all = [...snapshotParts(state)];
    expect(all).toHaveLength(parts);
    for (const part of all) expect(JSON.stringify(part).length).toBeLessThan(PART + 2 * LONG);
    const whole = emptied(state);
    for (const part of all) addPart(whole, part);
    expect(whole).toEqual(state);
  });

  it('as a delta: what replaces a list comes once, with the first part', () => {
    const all = [...deltaParts({ orders: state.orders, log: state.log, maintenance: 'soon' })];
    expect(all).toHaveLength(Math.max(1, Math.ceil(orders / 11)));
    expect(all.map(({ log, maintenance }) => [log?.length, maintenance])).toEqual(
      all.map((_, n) => (n === 0 ? [lines, 'soon'] : [undefined, undefined])),
    );
    expect(Object.assign({}, ...all.map((part) => part.orders))).toEqual(state.orders);
  });
});
