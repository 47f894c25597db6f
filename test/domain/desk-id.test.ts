/**
 * The desk id of a store: kept in its place, drawn anew elsewhere, where the desk is held until an owner
 * has confirmed.
 */
import { describe, expect, it } from 'vitest';
import { DESK_ROW, findDesk, type Place } from '../../src/domain/desk-id.ts';

const HERE: Place = { machine: 'm1', file: '10' };
const THERE: Place = { machine: 'm1', file: '11' };

/** A generator that returns these ids in order. */
function drawing(...ids: string[]) {
  return () => {
    const id = ids.shift();
    if (id === undefined) throw new Error('one more id was drawn');
    return id;
  };
}

const find = (stored: unknown, place: Place, ids: string[] = [], takeover = false) =>
  findDesk(stored, place, { newId: drawing(...ids), takeover });

describe('the desk of a store', () => {
  it('is made once and stays while it lies where it lay', () => {
    const first = find(undefined, HERE, ['aaaaa']);
    expect(first).toEqual({
      desk: { id: 'aaaaa', earlier: [], held: false },
      store: { name: DESK_ROW, value: { id: 'aaaaa', earlier: [], held: false, place: HERE } },
      notice: null,
    });
    expect(find(first.store?.value, HERE)).toEqual({ desk: first.desk, store: null, notice: null });
  });

  it.each([
    ['another file', THERE],
    ['another machine', { ...HERE, machine: 'm2' }],
    ['a machine without an id', { ...HERE, machine: null }],
    ['a file that cannot be read', { ...HERE, file: null }],
  ])('is another one, and held, in %s', (_, place) => {
    const first = find(undefined, HERE, ['aaaaa']);
    // A drawn id may be an earlier one.
    const moved = find(first.store?.value, place, ['aaaaa', 'bbbbb']);
    expect(moved.desk).toEqual({ id: 'bbbbb', earlier: ['aaaaa'], held: true });
    expect(moved.notice).toBe('this data folder was moved or copied: the desk is bbbbb now');
    const still = find(moved.store?.value, place);
    expect(still).toMatchObject({ desk: moved.desk, store: null });
    // Moved back, it does not get its earlier id again.
    expect(find(moved.store?.value, HERE, ['ccccc']).desk).toEqual({
      id: 'ccccc',
      earlier: ['aaaaa', 'bbbbb'],
      held: true,
    });
  });

  it('is not held once it was taken over, and that is stored', () => {
    const first = find(undefined, HERE, ['aaaaa']);
    const taken = find(first.store?.value, THERE, ['bbbbb'], true);
    expect(taken.desk).toEqual({ id: 'bbbbb', earlier: ['aaaaa'], held: false });
    expect(find(taken.store?.value, THERE)).toEqual({ desk: taken.desk, store: null, notice: null });
    const later = find(find(first.store?.value, THERE, ['bbbbb']).store?.value, THERE, [], true);
    expect(later).toMatchObject({ desk: { held: false }, store: { value: { held: false } } });
    // With nothing to take over the flag changes and reports nothing.
    expect(find(first.store?.value, HERE, [], true)).toEqual({ desk: first.desk, store: null, notice: null });
  });

  it.each([null, 7, {}, { id: 'AAAAA' }, { id: 'aaaaaa' }])('that cannot be read (%j) is held', (stored) => {
    expect(find(stored, HERE, ['bbbbb']).desk).toEqual({ id: 'bbbbb', earlier: [], held: true });
  });

  it('keeps no list without an end', () => {
    let stored: unknown = find(undefined, HERE, ['00000']).store?.value;
    for (let n = 1; n <= 150; n++)
      stored = find(stored, n % 2 ? THERE : HERE, [n.toString(32).padStart(5, '0')]).store?.value;
    expect((stored as { earlier: string[] }).earlier).toHaveLength(100);
  });
});
