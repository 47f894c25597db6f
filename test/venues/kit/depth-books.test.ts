/** The depth of what is looked at: a book for each symbol, and a new subscription where one has broken. */
import { describe, expect, it } from 'vitest';
import type { DepthNews } from '../../../src/venues/kit/depth-book.ts';
import { DepthBooks, type DepthEvents } from '../../../src/venues/kit/depth-books.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

class Case {
  readonly clock = new VirtualClock();
  readonly told: string[] = [];
  /** The streams that were wanted, each time they were set. */
  readonly wanted: string[] = [];
  wires = 0;
  isClosed = false;
  events: DepthEvents | null = null;
  readonly books = new DepthBooks({
    clock: this.clock,
    streamOf: (symbol) => (symbol === 'ODD' ? null : `${symbol}@depth`),
    wire: (events) => {
      this.wires += 1;
      this.events = events;
      return {
        watch: (wanted) =>
          this.wanted.push([...wanted].map(([symbol, streams]) => `${symbol}:${[...streams]}`).join(' ')),
        close: () => {
          this.isClosed = true;
        },
      };
    },
    tell: (symbol, depth) =>
      this.told.push(`${symbol} ${depth === null ? 'unknown' : JSON.stringify([depth.bids, depth.asks])}`),
  });

  watch(...symbols: string[]): void {
    this.books.watch(new Set(symbols));
  }

  whole(symbol: string, at: number, bid: string, ask: string): void {
    this.say(symbol, { isWhole: true, bids: [[bid, '1']], asks: [[ask, '2']], at });
  }

  say(symbol: string, news: Omit<DepthNews, 'stream'>): void {
    this.events?.news({ stream: `${symbol}@depth`, ...news });
  }

  news(): string[] {
    return this.told.splice(0);
  }
}

const CHANGE = { isWhole: false, bids: [], asks: [] } as const;

describe('the depth of symbols', () => {
  it('is told of each by itself after each message that changes it, ten prices a side', () => {
    const c = new Case();
    c.watch('ODD');
    expect([c.wires, c.wanted]).toEqual([0, []]);
    c.watch('A', 'ODD', 'B');
    expect(c.wanted).toEqual(['A:A@depth B:B@depth']);
    c.whole('A', 5, '9', '10');
    c.whole('B', 5, '19', '20');
    c.say('A', { ...CHANGE, bids: [['8', '3']], at: 6 });
    // Known already: nothing is told.
    c.say('A', { ...CHANGE, bids: [['7', '3']], at: 6 });
    c.whole('C', 1, '1', '2');
    expect(c.news()).toEqual([
      'A [[["9","1"]],[["10","2"]]]',
      'B [[["19","1"]],[["20","2"]]]',
      'A [[["9","1"],["8","3"]],[["10","2"]]]',
    ]);
    c.say('B', { ...CHANGE, bids: Array.from({ length: 12 }, (_, n) => [`${n + 1}`, '4'] as const), at: 6 });
    expect(JSON.parse(c.news()[0]?.slice(2) ?? '')[0]).toHaveLength(10);
    c.watch('B');
    c.say('A', { ...CHANGE, bids: [['7', '3']], at: 7 });
    expect([c.wanted.at(-1), c.wires, c.news()]).toEqual(['B:B@depth', 1, []]);
    // Who is looked at again begins with nothing.
    c.watch('A', 'B');
    c.say('A', { ...CHANGE, bids: [['7', '3']], at: 8 });
    expect(c.news()).toEqual(['A unknown']);
  });

  it('is unknown while its stream is down, and begins with a whole one afterwards', () => {
    const c = new Case();
    c.watch('A', 'B');
    c.whole('A', 5, '9', '10');
    c.whole('B', 5, '19', '20');
    c.news();
    c.events?.state('A', 'cut');
    c.events?.state('C', 'cut');
    c.events?.state('B', null);
    expect(c.news()).toEqual(['A unknown']);
    c.events?.state('A', null);
    c.whole('A', 2, '8', '11');
    c.say('B', { ...CHANGE, asks: [['20', '7']], at: 6 });
    expect(c.news()).toEqual(['A [[["8","1"]],[["11","2"]]]', 'B [[["19","1"]],[["20","7"]]]']);
  });

  it('that has a hole is subscribed to again five seconds later, all such at once, and the others go on', async () => {
    const c = new Case();
    c.watch('A', 'B', 'C');
    for (const symbol of ['A', 'B', 'C']) c.whole(symbol, 5, '9', '10');
    c.news();
    c.say('A', { ...CHANGE, at: 9, after: 8 });
    expect([c.news(), c.wanted.slice(1)]).toEqual([['A unknown'], ['B:B@depth C:C@depth']]);
    // What still comes of it is of no use.
    c.whole('A', 10, '9', '10');
    await c.clock.advance(3_000);
    c.say('B', { ...CHANGE, at: 9, after: 8 });
    c.say('C', { ...CHANGE, bids: [['8', '1']], at: 6, after: 5 });
    expect([c.news(), c.wanted.slice(2)]).toEqual([
      ['B unknown', 'C [[["9","1"],["8","1"]],[["10","2"]]]'],
      ['C:C@depth'],
    ]);
    await c.clock.advance(1_999);
    expect(c.wanted).toHaveLength(3);
    await c.clock.advance(1);
    expect(c.wanted.slice(3)).toEqual(['A:A@depth B:B@depth C:C@depth']);
    c.whole('A', 11, '7', '12');
    expect(c.news()).toEqual(['A [[["7","1"]],[["12","2"]]]']);
    // The second hole is as the first.
    c.say('A', { ...CHANGE, at: 20, after: 19 });
    await c.clock.advance(5_000);
    expect(c.wanted.slice(4)).toEqual(['B:B@depth C:C@depth', 'A:A@depth B:B@depth C:C@depth']);
  });

  it('that has a hole and is looked at anew meanwhile is subscribed to at once', async () => {
    const c = new Case();
    c.watch('A', 'B');
    c.whole('A', 5, '9', '10');
    c.say('A', { ...CHANGE, at: 9, after: 8 });
    c.watch('B');
    c.watch('A', 'B');
    expect(c.wanted.slice(1)).toEqual(['B:B@depth', 'B:B@depth', 'A:A@depth B:B@depth']);
    c.news();
    c.whole('A', 10, '9', '10');
    expect(c.news()).toHaveLength(1);
  });

  it('is told no more once it is closed, and nothing is asked for again', async () => {
    const c = new Case();
    c.watch('A');
    c.whole('A', 5, '9', '10');
    c.say('A', { ...CHANGE, at: 9, after: 8 });
    c.news();
    c.books.close();
    c.whole('A', 10, '9', '10');
    c.events?.state('A', 'cut');
    await c.clock.advance(60_000);
    expect([c.isClosed, c.news(), c.wanted.length, c.clock.pendingTimers]).toEqual([true, [], 2, 0]);
  });
});
