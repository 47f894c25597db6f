/** Reading on in OKX's lists from a cursor: rows that appear late, at the end of a window. */
import { expect, it } from 'vitest';
import { readOn, type TimedRow } from '../../../src/venues/okx/cursor-reader.ts';

const WINDOW_MS = 30 * 24 * 3_600_000;
const NOW = 1_760_000_000_000;

/** A list from which the rows of a time are read as the exchange gives them, newest first. */
class List {
  readonly rows: TimedRow[] = [];
  #cursor: string | null = null;

  add(billId: string, time: number): void {
    this.rows.push({ billId, ts: String(time) });
  }

  /** Reads the next page at this time; returns the numbers of its rows, and whether there is more. */
  async page(now: number, since: number): Promise<readonly [ids: string, more: boolean]> {
    const read = await readOn({
      after: this.#cursor,
      since,
      limit: 100,
      now,
      recentMs: 0,
      ask: async ({ begin, end }) =>
        this.rows
          .filter(({ ts }) => Number(ts) > Number(begin) && Number(ts) < Number(end))
          .toSorted((a, b) => Number(b.ts) - Number(a.ts)),
    });
    if (!read) throw new Error('the question failed');
    this.#cursor = read.next;
    return [read.rows.map(({ billId }) => billId).join(' '), read.more];
  }
}

it.each([1, 3_000, 7_999])(
  'what appears late in a window that has ended %d ms ago is read, and nothing is twice',
  async (agoMs) => {
    const list = new List();
    const end = NOW - agoMs;
    const since = end - WINDOW_MS;
    list.add('1', end - 20_000);
    list.add('2', end - 1);
    expect(await list.page(NOW, since)).toEqual(['1 2', true]);
    list.add('3', end);
    list.add('4', end - 2_000);
    expect(await list.page(NOW + 500, since)).toEqual(['4 3', false]);
    expect(await list.page(NOW + 900, since)).toEqual(['', false]);
  },
);
