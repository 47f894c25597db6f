/**
 * The worst drawdown of a run: at each close, the candle's worst price for what is held against the best
 * equity at the closes so far (strategies.md 2, run rule 6), for a long and a short.
 */
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../../src/bots/runtime/figures.ts';
import { cell } from '../rules/bots.ts';
import { LiveTest } from '../rules/live.ts';

/** A cell that has entered 1 BTC at 100 after ten seconds; `price(d)`: one that is d better than that. */
function entered(short: boolean) {
  const price = (better: number) => String(short ? 100 - better : 100 + better);
  const levels = short ? [{ buy: '50', sell: '100' }] : [{ buy: '100', sell: '150' }];
  const t = new LiveTest('CHANNEL', cell({ short, levels }), { kind: 'futures' });
  t.tick(0, price(5));
  t.tick(10, price(0));
  expect(t.market.fills).toHaveLength(1);
  return {
    /** Feeds prices from the second on, ten apart, up to the next close; returns the figure then. */
    minute: (from: number, ...better: number[]) => {
      for (const [i, one] of better.entries()) t.tick(from + 10 * i, price(one));
      const before = figuresOf(t.run).maxDrawdown;
      t.pass(Math.ceil((from + 1) / 60) * 60);
      return [before, figuresOf(t.run).maxDrawdown];
    },
  };
}

describe.each([false, true])('short %s', (short) => {
  it('is looked at with each close, from its worst price, and goes by the best close, not by the best price', () => {
    const { minute } = entered(short);
    expect(minute(20, -10, 3)).toEqual(['0', '10']);
    // Closes 4 better, after 30 and 2.
    expect(minute(70, 30, 2, 4)).toEqual(['10', '10']);
    expect(minute(130, -3, 2)).toEqual(['10', '10']);
    // 82 of 104.
    expect(minute(190, -18, 1)).toEqual(['10', '21.153846153846']);
    expect(minute(250, 30, 30)).toEqual(['21.153846153846', '21.153846153846']);
    // 102.5 of 130 are as far as 82 of 104, 102 are further
    expect(minute(310, 2.5)).toEqual(['21.153846153846', '21.153846153846']);
    expect(minute(370, 2)).toEqual(['21.153846153846', '21.538461538462']);
  });
});
