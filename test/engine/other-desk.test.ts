/**
 * Orders of another desk on an account: which state they lead to from each state there is, which ids are
 * kept, and that a start knows all of it again.
 */
import { describe, expect, it } from 'vitest';
import { loadOthers } from '../../src/engine/other-desk.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC } from './support/market.ts';

const OTHER = { ...ACCOUNT, id: 'shared-spot', name: 'Shared spot' };
/** Ids as only a desk of this program makes them. */
const ID = (n: number) => `ps-${'a'.repeat(20)}${String(n).padStart(2, '0')}`;
const ROW = `other desk ${OTHER.id}`;

function shared() {
  const bench = new Bench();
  const { memory } = bench.engine;
  const meta = new Map<string, unknown>();
  const others = loadOthers(meta, OTHER.id);
  memory.addAccount(OTHER, bench.caps, [BTC], { others });
  const exchange = OTHER.id;
  const reports: string[] = [];
  const take = () => {
    for (const row of bench.last.rows)
      if (row.kind === 'meta' && row.name === ROW) meta.set(ROW, structuredClone(row.value));
    for (const effect of bench.effects) if (effect.kind === 'log') reports.push(effect.text);
    // A start has what memory has.
    expect(loadOthers(meta, exchange)).toEqual(others);
  };
  const run = (event: Parameters<Bench['event']>[0]) => {
    bench.event(event);
    take();
  };
  let trade = 0;
  return {
    others,
    reports,
    /** An execution of an order with this id that is not known here. */
    trades: (clientId: string) => {
      const fill = bench.trade({ ...bench.resting(), id: clientId }, '1', { tradeId: `x${++trade}` });
      run({ type: 'venue.fill', exchange, fill });
    },
    found: (...ids: readonly string[]) => run({ type: 'others-found', exchange, ids }),
    taken: () => run({ type: 'others-taken', exchange }),
    compared: () => run({ type: 'compared', exchange }),
  };
}

describe('an order that only another desk can have made', () => {
  it('pauses the account, is kept once, and is said once of all that follow', () => {
    const { others, trades, reports } = shared();
    for (const n of [1, 2, 1]) trades(ID(n));
    expect(others).toEqual({ state: 'paused', ids: [ID(1), ID(2)], more: false });
    expect(reports.filter((text) => text.startsWith('ANOTHER DESK'))).toHaveLength(1);
  });

  it('is no news where its id is no such id', () => {
    const { others, trades } = shared();
    for (const id of ['web_1', `pf-${'a'.repeat(22)}`, `ps-${'a'.repeat(21)}`]) trades(id);
    expect(others.state).toBe('none');
  });

  it('is one of ten that are kept: of more it is said that there are more', () => {
    const { others, trades } = shared();
    for (let n = 0; n < 10; n++) trades(ID(n));
    expect([others.ids.length, others.more]).toEqual([10, false]);
    trades(ID(10));
    expect([others.ids.length, others.more, others.ids.includes(ID(10))]).toEqual([10, true, false]);
  });

  it('is one of those that exist while an owner takes them over, and a new one after the comparison', () => {
    const { others, found, taken, trades, compared } = shared();
    found(ID(1));
    expect(others).toMatchObject({ state: 'closed', ids: [ID(1)] });
    taken();
    trades(ID(2));
    expect(others).toMatchObject({ state: 'taking', ids: [ID(1)] });
    compared();
    expect(others).toEqual({ state: 'none', ids: [], more: false });
    trades(ID(3));
    expect(others).toMatchObject({ state: 'paused', ids: [ID(3)] });
  });
});

describe('an owner’s word', () => {
  it('ends a pause at once; a comparison ends none by itself', () => {
    const { others, trades, compared, taken } = shared();
    trades(ID(1));
    compared();
    expect(others.state).toBe('paused');
    taken();
    expect(others).toEqual({ state: 'none', ids: [], more: false });
  });

  it('is nothing where there is nothing to confirm', () => {
    const { others, taken, found, reports } = shared();
    taken();
    found();
    expect([others.state, reports]).toEqual(['none', []]);
  });
});

it.each<[unknown, string]>([
  [null, 'none'],
  [{}, 'closed'],
  ['paused', 'closed'],
  [{ state: 'none', ids: [] }, 'closed'],
  [{ state: 'paused', ids: [1, 'a'] }, 'paused'],
  [{ state: 'taking' }, 'taking'],
])('a stored row of %j is read as %s: what cannot be read is no permission', (stored, state) => {
  const read = loadOthers(new Map([[ROW, stored]]), OTHER.id);
  expect(read.state).toBe(state);
  expect(read.ids.every((id) => typeof id === 'string')).toBe(true);
});
