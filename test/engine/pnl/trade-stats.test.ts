/** Statistics of closed trades against plain sums over all of them. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decOfInt, div, str } from '../../../src/domain/decimal.ts';
import { TradeCounter } from '../../../src/engine/pnl/trade-stats.ts';

const sum = (values: readonly bigint[]) => values.reduce((all, value) => all + value, 0n);

it('statistics are of all trades: also where all were lost, won, or came to nothing', () => {
  const trade = fc.record({ net: fc.integer({ min: -5, max: 5 }), openedAt: fc.nat(50), lasts: fc.nat(50) });
  const signs = fc.constantFrom(
    (n: number) => n,
    Math.abs,
    (n: number) => -Math.abs(n),
  );
  fc.assert(
    fc.property(fc.array(trade, { maxLength: 8 }), signs, (drawn, sign) => {
      const nets = drawn.map(({ net }) => decOfInt(sign(net)));
      const counter = new TradeCounter();
      for (const [n, { openedAt, lasts }] of drawn.entries())
        counter.add({ net: nets[n] as bigint, openedAt, closedAt: openedAt + lasts });
      const [won, lost] = [nets.filter((net) => net > 0n), nets.filter((net) => net < 0n)];
      const sorted = nets.toSorted((a, b) => (a < b ? -1 : 1)).map(str);
      const count = BigInt(drawn.length);
      expect(counter.stats()).toEqual({
        trades: drawn.length,
        wins: won.length,
        losses: lost.length,
        winRate: count === 0n ? null : str(div(decOfInt(won.length), decOfInt(drawn.length))),
        profitFactor: lost.length === 0 ? null : str(div(sum(won), -sum(lost))),
        averageWin: won.length === 0 ? null : str(sum(won) / BigInt(won.length)),
        averageLoss: lost.length === 0 ? null : str(sum(lost) / BigInt(lost.length)),
        best: sorted.at(-1) ?? null,
        worst: sorted[0] ?? null,
        averageMs: count === 0n ? null : drawn.reduce((all, { lasts }) => all + lasts, 0) / drawn.length,
      });
    }),
    { numRuns: 200 },
  );
});
