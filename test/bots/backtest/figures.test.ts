/** The figures of a backtest: the position, the time held, the curve and its drawdowns, several runs. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawdowns } from '../../../src/bots/backtest/equity.ts';
import { RunRecorder } from '../../../src/bots/backtest/recorder.ts';
import { TickPosition } from '../../../src/bots/backtest/tick-position.ts';
import type { Run } from '../../../src/bots/run/run.ts';
import { type Dec, dec, ONE, ZERO } from '../../../src/domain/decimal.ts';
import { fills, M, played, squeeze, T, table } from './support.ts';

const whole = (value: number): Dec => BigInt(value) * ONE;

describe('a futures position', () => {
  const trades = fc.array(
    fc.record({
      side: fc.constantFrom('BUY' as const, 'SELL' as const),
      qty: fc.integer({ min: 1, max: 4 }),
      price: fc.integer({ min: 50, max: 150 }),
    }),
    { maxLength: 12 },
  );

  it('never gains or loses by how its profit is counted: realised and open are what was paid and what it is worth', () => {
    fc.assert(
      fc.property(trades, fc.integer({ min: 50, max: 150 }), (some, last) => {
        const position = new TickPosition({ amount: ZERO, entryPrice: ZERO });
        let realised = ZERO;
        let [cash, amount] = [0, 0];
        for (const { side, qty, price } of some) {
          realised += position.settle(side, whole(qty), whole(price));
          const signed = side === 'BUY' ? qty : -qty;
          amount += signed;
          cash -= signed * price;
          expect(position.amount).toBe(whole(amount));
          if (amount === 0) expect(position.entryPrice).toBe(ZERO);
        }
        const earned = Number(realised + position.profit(whole(last))) / 1e30;
        expect(earned).toBeCloseTo(cash + amount * last, 6);
      }),
    );
  });

  it.each([
    ['a long', 3, 'SELL', 'BUY'],
    ['a short', -3, 'BUY', 'SELL'],
  ] as const)('of %s is closed by the other side alone, and the rest opens', (_, held, closes, adds) => {
    const position = new TickPosition({ amount: whole(held), entryPrice: whole(100) });
    expect([position.closable(closes), position.closable(adds)]).toEqual([whole(3), ZERO]);
    expect([2, 3, 5].map((qty) => position.opening(closes, whole(qty)))).toEqual([ZERO, ZERO, whole(2)]);
    expect(position.opening(adds, whole(2))).toBe(whole(2));
    expect(position.profit(whole(110))).toBe(whole(10 * held));
  });
});

describe('the record of a run', () => {
  it('adds up the times in which something was held, the one that goes on included', () => {
    const open: unknown[] = [];
    const state = { cycleFrom: ZERO, stats: { cycles: 0 } };
    const recorder = new RunRecorder({ lots: { open }, state } as unknown as Run);
    const at = (now: number, lots: number) => {
      open.length = lots;
      recorder.follow(now);
    };
    at(5, 0);
    at(10, 1);
    at(15, 2);
    expect(recorder.heldMs(18)).toBe(8);
    at(20, 0);
    at(25, 0);
    expect(recorder.heldMs(90)).toBe(10);
    at(100, 1);
    at(103, 0);
    at(200, 1);
    expect(recorder.heldMs(207)).toBe(20);
  });
});

it('the record of a run adds up what cycles have won and what they have lost, and what belongs to none to neither', () => {
  const state = { cycleFrom: ZERO, stats: { cycles: 0 } };
  const recorder = new RunRecorder({ lots: { open: [] }, state } as unknown as Run);
  const to = (cycleFrom: number, cycles: number) => {
    Object.assign(state, { cycleFrom: whole(cycleFrom), stats: { cycles } });
    recorder.follow(0);
  };
  to(5, 1);
  // A stop has sold at a loss of 3, which completes no cycle where the bot goes on.
  to(2, 1);
  to(6, 2);
  to(4, 3);
  to(4, 4);
  to(3, 5);
  expect([recorder.gains, recorder.losses]).toEqual([whole(9), whole(3)]);
});

it('a drawdown is percent below the best equity before, the deposit at first; without a deposit there is none', () => {
  const points = [0, -100, 50, 155, -10, 155].map((earned, time) => ({ time, earned: whole(earned) }));
  const below = drawdowns(points, whole(1_000)).map((one) => Number(one) / 1e30);
  const expected = [0, 10, 0, 0, (165 / 1_155) * 100, 0];
  for (const [i, one] of below.entries()) expect(one).toBeCloseTo(expected[i] ?? 0, 6);
  expect(drawdowns(points, ZERO)).toEqual(points.map(() => ZERO));
});

describe('a bot that was started anew', () => {
  /** A bot that buys at 99 and holds until the run ends, with its position, after two minutes. */
  const bot = squeeze(
    { price: { percent: { buy: '1', sell: '50' } }, timeout: [{ type: 'ttl', value: String(2 * M) }] },
    { restart: true, restartDelay: 3 * M },
  );
  const flat = [100, 100, 100, 100] as const;
  const dip = [100, 100, 98, 100] as const;
  const result = played({
    bot,
    candles: [table([flat, dip, flat, flat, flat, flat, dip, flat, flat, flat])],
  });
  const { figures, runs, trades, equity } = result;

  it('holds nothing between its runs', () => {
    expect(runs.map(({ startedAt, endedAt }) => [startedAt - T, (endedAt ?? 0) - T])).toEqual([
      [0, 2 * M],
      [5 * M, 7 * M],
    ]);
    expect(fills(result)).toHaveLength(2);
    const held = trades.map(({ at }, i) => (runs[i]?.endedAt ?? 0) - at);
    const share = (held.reduce((sum, one) => sum + one, 0) / (10 * M - 1)) * 100;
    expect(Number(figures.timeInMarket)).toBeCloseTo(share, 6);
  });

  it('has the sums of all its runs, in its figures and at the end of its curve', () => {
    const sum = (of: (trade: (typeof trades)[number]) => string) =>
      trades.reduce((all, trade) => all + dec(of(trade)), ZERO);
    expect([figures.fills, dec(figures.volume)]).toEqual([2, sum(({ quote }) => quote)]);
    expect(dec(figures.position)).toBe(sum(({ qty }) => qty) - sum(({ fee }) => fee));
    const { realised, unrealised } = figures;
    expect(Number(equity.at(-1)?.equity)).toBeCloseTo(1_000 + Number(realised) + Number(unrealised), 6);
    expect(Number(unrealised)).not.toBe(0);
  });

  it('has a curve without two points of one time, also where it ends with a candle', () => {
    const once = played({ bot: { ...bot, options: {} }, candles: [table([flat, dip, flat, flat])] });
    const times = once.equity.map(({ time }) => time);
    expect(times.at(-1)).toBe(T + 2 * M);
    expect(new Set(times).size).toBe(times.length);
  });
});
