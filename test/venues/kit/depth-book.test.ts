import { describe, expect, it } from 'vitest';
import type { DepthLevel } from '../../../src/domain/depth.ts';
import { DepthBook } from '../../../src/venues/kit/depth-book.ts';
import { Dice } from '../../simulation/dice.ts';

const stream = 'books';

describe('a book of depth', () => {
  it('has, after any messages, what a plain table of prices has, best first', () => {
    for (let seed = 1; seed <= 5; seed++) {
      const dice = new Dice(seed, 'depth');
      const book = new DepthBook();
      let model = { bids: new Map<number, string>(), asks: new Map<number, string>() };
      const side = (least: number, whole: boolean): DepthLevel[] =>
        Array.from({ length: dice.int(0, 8) }, () => [
          `${least + dice.int(0, 40)}.50`,
          !whole && dice.int(0, 2) === 0 ? '0.000' : String(dice.int(1, 9)),
        ]);
      for (let at = 1; at <= 200; at++) {
        const isWhole = at === 1 || dice.int(0, 30) === 0;
        if (isWhole) model = { bids: new Map(), asks: new Map() };
        const [bids, asks] = [side(100, isWhole), side(200, isWhole)];
        for (const [levels, into] of [
          [bids, model.bids],
          [asks, model.asks],
        ] as const)
          for (const [price, quantity] of levels)
            if (Number(quantity) === 0) into.delete(Number(price));
            else into.set(Number(price), quantity);
        expect(book.take({ stream, isWhole, bids, asks, at })).toBe('taken');
        const best = (of: ReadonlyMap<number, string>, sign: number) =>
          [...of]
            .sort(([a], [b]) => (a - b) * sign)
            .slice(0, 10)
            .map(([price, quantity]) => [String(price), quantity]);
        expect(book.top(10)).toEqual({ bids: best(model.bids, -1), asks: best(model.asks, 1) });
      }
    }
  });

  it('takes what names the message before it, whatever its own number is, passes over what it has, and is empty after a hole', () => {
    const book = new DepthBook();
    const change = (at: number, after: number) =>
      book.take({ stream, isWhole: false, bids: [['99', String(at)]], asks: [], at, after });
    expect(change(5, 4)).toBe('gap');
    book.take({ stream, isWhole: true, bids: [['99', '1']], asks: [['101', '1']], at: 10 });
    expect(change(15, 10)).toBe('taken');
    expect(change(12, 11)).toBe('old');
    expect(change(15, 15)).toBe('taken');
    expect(change(3, 15)).toBe('taken');
    expect(book.top(1).bids).toEqual([['99', '3']]);
    expect(change(30, 20)).toBe('gap');
    expect(book.top(10)).toEqual({ bids: [], asks: [] });
    expect(change(31, 30)).toBe('gap');
  });

  it('is of no use where a buyer bids what a seller asks', () => {
    const book = new DepthBook();
    const [bids, asks] = [[['100', '1']], [['101', '1']]] as const;
    book.take({ stream, isWhole: true, bids, asks, at: 1 });
    expect(book.take({ stream, isWhole: false, bids: [['101', '2']], asks: [], at: 2 })).toBe('gap');
    expect(book.top(10)).toEqual({ bids: [], asks: [] });
  });

  it('keeps no more prices than it needs', () => {
    const book = new DepthBook();
    const bids = Array.from({ length: 5_000 }, (_, at): DepthLevel => [String(at + 1), '1']);
    book.take({ stream, isWhole: true, bids, asks: [], at: 1 });
    expect(book.top(10_000).bids).toHaveLength(500);
    expect(book.top(1).bids).toEqual([['5000', '1']]);
  });
});
