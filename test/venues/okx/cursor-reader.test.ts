/**
 * Reading on in OKX's lists from a cursor: pages, windows that are too full or too old, rows that appear late
 * or at one time, and what the cursor remembers.
 */
import { describe, expect, it } from 'vitest';
import { readOn, type TimedRow } from '../../../src/venues/okx/cursor-reader.ts';

const DAY_MS = 24 * 3_600_000;
const WINDOW_MS = 30 * DAY_MS;
const NOW = 1_760_000_000_000;

/** A list that is read as the exchange gives it: newest first, 100 rows a page, by time and number. */
class List {
  readonly rows: TimedRow[] = [];
  readonly asked: { readonly begin: number; readonly end: number; readonly after: string | null }[] = [];
  readonly recent: boolean[] = [];
  recentMs = 0;
  limit = 100;
  /** The number of the request that fails; 0: none. */
  failsAt = 0;
  /** The exchange takes both ends of a window as inside. */
  isWide = false;
  /** Rows of one moment come in the order in which they were added. */
  isMixed = false;
  #sorted: TimedRow[] | null = null;
  cursor: string | null = null;

  add(billId: string, time: number): void {
    this.rows.push({ billId, ts: String(time) });
    this.#sorted = null;
  }

  /** Adds rows that are this far from each other, the first with number 1. */
  fill(count: number, from: number, stepMs: number): void {
    for (let n = 0; n < count; n++) this.add(String(n + 1), from + n * stepMs);
  }

  read(now: number, since: number) {
    return readOn({
      after: this.cursor,
      since,
      limit: this.limit,
      now,
      recentMs: this.recentMs,
      ask: async ({ isRecent, begin, end, after }) => {
        this.asked.push({ begin: Number(begin), end: Number(end), after });
        this.recent.push(isRecent);
        if (this.asked.length === this.failsAt) return null;
        const reach = this.isWide ? 1 : 0;
        const byNumber = this.isMixed ? 0 : 1;
        this.#sorted ??= this.rows.toSorted(
          (a, b) => Number(b.ts) - Number(a.ts) || byNumber * (Number(b.billId) - Number(a.billId)),
        );
        return this.#sorted
          .filter(({ ts }) => Number(ts) > Number(begin) - reach && Number(ts) < Number(end) + reach)
          .filter(({ billId }) => after === null || Number(billId) < Number(after))
          .slice(0, 100);
      },
    });
  }

  /** Reads the next page at this time; returns the numbers of its rows, and whether there is more. */
  async page(now: number, since: number): Promise<readonly [ids: string, more: boolean]> {
    const read = await this.read(now, since);
    if (!read) throw new Error('the question failed');
    this.cursor = read.next;
    return [read.rows.map(({ billId }) => billId).join(' '), read.more];
  }

  /** Reads until there is no more; returns all numbers in the order in which they came. */
  async all(now: number, since: number): Promise<string[]> {
    const ids: string[] = [];
    for (let pages = 0; pages < 200; pages++) {
      const [some, more] = await this.page(now, since);
      expect(this.cursor?.length).toBeLessThanOrEqual(256);
      if (some !== '') ids.push(...some.split(' '));
      if (!more) return ids;
    }
    throw new Error('it has no end');
  }
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

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

describe('a window', () => {
  it('is read in pages of a hundred, each after the last row of the one before, and told oldest first', async () => {
    const list = new List();
    list.limit = 1_000;
    list.fill(230, NOW - 400_000, 1_000);
    expect(await list.page(NOW, NOW - 500_000)).toEqual([numbers(230).join(' '), false]);
    expect(list.asked.map(({ after }) => after)).toEqual([null, '131', '31']);
    for (const { begin, end } of list.asked)
      expect([begin, end]).toEqual([NOW - 500_001, NOW - 500_000 + WINDOW_MS + 1]);
  });

  it('of exactly a hundred rows has one more page asked for, which is empty', async () => {
    const list = new List();
    list.fill(100, NOW - 200_000, 1_000);
    expect((await list.all(NOW, NOW - 300_000)).length).toBe(100);
    expect(list.asked.map(({ after }) => after)).toEqual([null, '1']);
  });

  it('that is too full for ten pages is halved until it is not, and nothing is left out or twice', async () => {
    const list = new List();
    list.limit = 10_000;
    list.fill(2_500, NOW - 2_500_000, 1_000);
    expect(await list.all(NOW, NOW - 3_000_000)).toEqual(numbers(2_500));
    // Ten pages say that it is too full; the halves are of the time until now.
    expect(list.asked.slice(0, 10).map(({ end }) => end)).toEqual(
      Array.from({ length: 10 }, () => NOW - 3_000_000 + WINDOW_MS + 1),
    );
    expect(list.asked[10]?.end).toBe(NOW - 1_500_000 + 1);
  });

  it('of one moment with more rows than can be read fails, and is not told in part', async () => {
    const list = new List();
    list.fill(1_000, NOW - 5_000, 0);
    expect(await list.read(NOW, NOW - 5_000)).toBeNull();
  });

  it('is not told where one of its pages fails', async () => {
    for (const failsAt of [1, 2]) {
      const list = new List();
      list.fill(150, NOW - 200_000, 1_000);
      list.failsAt = failsAt;
      expect(await list.read(NOW, NOW - 300_000)).toBeNull();
    }
  });

  it('has both its ends in it and nothing beyond them, whichever way the exchange takes them', async () => {
    for (const isWide of [false, true]) {
      const list = new List();
      list.isWide = isWide;
      const since = NOW - WINDOW_MS - DAY_MS;
      const end = since + WINDOW_MS;
      list.add('1', since - 1);
      list.add('2', since);
      list.add('3', end);
      list.add('4', end + 1);
      expect(await list.page(NOW, since)).toEqual(['2 3', true]);
      expect(await list.page(NOW, since)).toEqual(['4', false]);
    }
  });

  it('begins where the exchange still lists rows, 89 days ago', async () => {
    const list = new List();
    list.add('1', NOW - 89 * DAY_MS - 1);
    list.add('2', NOW - 89 * DAY_MS);
    list.add('3', NOW - 40 * DAY_MS);
    list.add('4', NOW - 1_000);
    expect(await list.all(NOW, 0)).toEqual(['2', '3', '4']);
    expect(list.asked.map(({ begin }) => begin)).toEqual([
      NOW - 89 * DAY_MS - 1,
      NOW - 59 * DAY_MS - 1,
      NOW - 29 * DAY_MS - 1,
    ]);
  });

  it('is asked for in the quick list only where all of it is there', async () => {
    const recentMs = 5 * DAY_MS;
    for (const [since, isRecent] of [
      [NOW - recentMs, false],
      [NOW - recentMs + 1, true],
      [NOW - recentMs - 1, false],
    ] as const) {
      const list = new List();
      list.recentMs = recentMs;
      await list.page(NOW, since);
      expect(list.recent).toEqual([isRecent]);
    }
  });
});

describe('a cursor', () => {
  it('goes on within one moment by number, not by the order of the answer', async () => {
    const list = new List();
    list.isMixed = true;
    list.limit = 2;
    for (const id of ['9', '10', '11', '2', '100']) list.add(id, NOW - 60_000);
    list.add('1', NOW - 59_999);
    expect(await list.page(NOW, NOW - 70_000)).toEqual(['2 9', true]);
    expect(await list.page(NOW, NOW - 70_000)).toEqual(['10 11', true]);
    expect(await list.page(NOW, NOW - 70_000)).toEqual(['100 1', false]);
    expect(await list.page(NOW, NOW - 70_000)).toEqual(['', false]);
  });

  it('looks back ten seconds for rows that appear late, and no further', async () => {
    const list = new List();
    const at = NOW - 60_000;
    list.add('5', at);
    expect(await list.page(NOW, NOW - 300_000)).toEqual(['5', false]);
    list.add('3', at - 10_000);
    list.add('2', at - 10_001);
    list.add('4', at - 1);
    list.add('6', at);
    expect(await list.page(NOW, NOW - 300_000)).toEqual(['3 4 6', false]);
    expect(await list.page(NOW, NOW - 300_000)).toEqual(['', false]);
    // Rows before those ten seconds take no room in it.
    const long = new List();
    long.fill(60, NOW - 60_000, 1_000);
    await long.page(NOW, NOW - 300_000);
    expect(long.cursor?.split('.')).toHaveLength(12);
    long.add('900', NOW - 10_500);
    expect(await long.page(NOW, NOW - 300_000)).toEqual(['900', false]);
  });

  it('keeps its number while its time stays, and only then', async () => {
    const list = new List();
    list.limit = 26;
    list.fill(30, NOW - 60_000, 0);
    expect(await list.page(NOW, NOW - 70_000)).toEqual([numbers(26).join(' '), true]);
    expect((await list.page(NOW, 0))[0]).toBe('27 28 29 30');
    const [again] = await list.page(NOW, 0);
    expect(again.split(' ')).not.toContain('1');
    expect(again.split(' ')).not.toContain('2');
    const other = new List();
    other.cursor = `b${NOW - 60_000}-500`;
    other.add('501', NOW - 40_000);
    expect(await other.page(NOW, 0)).toEqual(['501', false]);
    other.add('499', NOW - 50_000);
    expect(await other.page(NOW, 0)).toEqual(['499', false]);
  });

  it('never goes back before where it was', async () => {
    const list = new List();
    const since = NOW - 60_000;
    list.add('2', since + 1_000);
    expect(await list.page(NOW, since)).toEqual(['2', false]);
    list.add('1', since - 1);
    list.add('3', since + 500);
    expect(await list.page(NOW, since)).toEqual(['3', false]);
    expect(list.asked.at(-1)?.begin).toBe(since - 1);
  });

  it('remembers 24 rows; of more at once it gives up those before, and tells none twice', async () => {
    for (const [count, late] of [
      [23, '900'],
      [24, '900'],
      [25, '900'],
      [26, ''],
      [60, ''],
    ] as const) {
      const list = new List();
      const from = NOW - 60_000;
      list.fill(count, from, 10);
      expect(await list.page(NOW, from - 100_000)).toEqual([numbers(count).join(' '), false]);
      expect(list.cursor?.split('.')).toHaveLength(1 + Math.min(count, 24));
      // A row that appears late behind the first: it is found where only the first is forgotten.
      list.add('900', from + 5);
      expect([count, await list.page(NOW, 0)]).toEqual([count, [late, false]]);
    }
  });

  it('has room for all that it remembers, however often the same seconds are read', async () => {
    const list = new List();
    for (let n = 1; n <= 60; n++) {
      list.add(String(n), NOW - 9_000 + n);
      const [ids] = await list.page(NOW, NOW - 100_000);
      expect(ids.split(' ').at(-1)).toBe(String(n));
      if (n <= 25) expect(ids).toBe(String(n));
      expect(list.cursor?.length).toBeLessThanOrEqual(256);
    }
    expect(list.cursor?.split('.')).toHaveLength(25);
  });

  it('remembers what it has told over several pages of the same seconds', async () => {
    const list = new List();
    list.limit = 3;
    list.fill(10, NOW - 20_000, 100);
    expect(await list.all(NOW, NOW - 100_000)).toEqual(numbers(10));
    list.add('77', NOW - 19_950);
    expect(await list.all(NOW, NOW - 100_000)).toEqual(['77']);
    expect(await list.all(NOW, NOW - 100_000)).toEqual([]);
  });

  it('stands still while nothing comes, and moves once a day has passed', async () => {
    const list = new List();
    const since = NOW - DAY_MS;
    await list.page(NOW, since);
    const { cursor } = list;
    expect(cursor).toBe(`b${since}-`);
    await list.page(NOW, 0);
    expect(list.cursor).toBe(cursor);
    await list.page(NOW + 1, 0);
    expect(list.cursor).toBe(`b${NOW + 1 - 10_000}-`);
  });

  it('that is none of ours counts as none', async () => {
    const list = new List();
    list.add('7', NOW - 1_000);
    for (const cursor of ['', 'x', `b${NOW}`, `b${NOW}-1.TOOLARGE`, `a${NOW}-`]) {
      list.cursor = cursor;
      expect(await list.page(NOW, NOW - 5_000)).toEqual(['7', false]);
    }
    list.cursor = `b${NOW - 1_000}-7`;
    expect(await list.page(NOW, 0)).toEqual(['', false]);
    list.cursor = `b${NOW - 1_000}-6`;
    expect(await list.page(NOW, 0)).toEqual(['7', false]);
  });
});
