/**
 * Candles of a live market where its exchange answers more than was asked, a little at a time, or for one
 * symbol alone.
 */
import { expect, it } from 'vitest';
import { LiveCandles } from '../../../src/desk/market/live/live-candles.ts';
import type { Candle } from '../../../src/domain/rows.ts';
import type { CandleQuestion } from '../../../src/market/market-data.ts';
import { exchangeCandle, FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const [BTC, ETH] = ['BTCUSDT', 'ETHUSDT'];

function rig() {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const market = new FakeMarket(clock);
  const candles = new LiveCandles({ data: market, clock, loaded: () => {}, failed: () => {} });
  const minute = () => Math.floor(clock.wall() / MINUTE) * MINUTE;
  return {
    clock,
    market,
    candles,
    answer: (how: (asked: CandleQuestion) => readonly Candle[]) => {
      market.answers.candles = async (asked) => how(asked);
    },
    /** Reads this many of the newest closed candles. */
    read: (count: number, symbol = BTC) =>
      candles.read(symbol, MINUTE, minute() - count * MINUTE, clock.wall()),
    truth: (count: number) =>
      Array.from({ length: count }, (_, at) => exchangeCandle(minute() - (count - at) * MINUTE, MINUTE)),
  };
}

it('reports that are missing of one symbol are asked for of it alone, whatever is kept before it', async () => {
  const { clock, market, candles, read } = rig();
  for (const symbol of [BTC, ETH]) read(3, symbol);
  await clock.settle();
  await clock.advance(MINUTE);
  const asked = async (symbol: string) => {
    market.asked.length = 0;
    candles.gap(symbol);
    await clock.settle();
    return market.asked.map((one) => one.symbol);
  };
  expect(await asked(ETH)).toEqual([ETH]);
  expect(await asked(ETH)).toEqual([]);
  await clock.advance(MINUTE);
  expect(await asked('')).toEqual([BTC, ETH]);
});

it('of an answer only what was asked for counts: no candle that still runs, none from before, none between two', async () => {
  const { clock, market, candles, read, truth, answer } = rig();
  answer((asked) => [
    exchangeCandle(asked.from - MINUTE, MINUTE),
    ...market.history(asked),
    { ...exchangeCandle(asked.to - MINUTE, MINUTE), time: asked.to - MINUTE / 2, close: '7' },
    { ...exchangeCandle(asked.to, MINUTE), close: '8' },
  ]);
  read(5);
  await clock.settle();
  expect(read(5)).toEqual(truth(5));
  await clock.advance(30_000);
  candles.gap('');
  await clock.settle();
  expect(candles.at(BTC, MINUTE, VIRTUAL_START)).toBeNull();
  await clock.advance(30_000);
  candles.gap('');
  await clock.settle();
  expect(read(6)).toEqual(truth(6));
});

it('an exchange that answers a few at a time is asked on until all is here, and nothing is made up meanwhile', async () => {
  const { clock, market, read, truth } = rig();
  market.page = 2;
  const meanwhile = new Set<number | undefined>();
  market.answers.candles = async (asked) => {
    await Promise.resolve();
    meanwhile.add(read(350)?.length);
    return market.history(asked);
  };
  read(350);
  await clock.settle();
  expect([...meanwhile]).toEqual([undefined]);
  expect(read(350)).toEqual(truth(350));
  expect(market.asked).toHaveLength(175);
});

it('what is still asked for after a minute is not let go of, and is asked for once', async () => {
  const { clock, market, candles, read, truth } = rig();
  const answer = Promise.withResolvers<void>();
  market.answers.candles = (asked) => answer.promise.then(() => market.history(asked));
  read(5);
  await clock.advance(61_000);
  candles.look();
  expect(candles.frames(BTC)).toEqual([MINUTE]);
  expect(read(5)).toBeNull();
  expect(market.asked).toHaveLength(1);
  answer.resolve();
  await clock.settle();
  expect(read(5)).toEqual(truth(5).slice(0, -1));
});

it('all that somebody waits for is here only when the questions that had to wait are answered as well', async () => {
  const { clock, market, candles, read } = rig();
  const open: (() => void)[] = [];
  market.answers.candles = (asked) =>
    new Promise((resolve) => {
      open.push(() => resolve(market.history(asked)));
    });
  for (let n = 0; n < 6; n++) read(3, `S${n}USDT`);
  let isSettled = false;
  void candles.settled().then(() => {
    isSettled = true;
  });
  for (const answered of [4, 2]) {
    expect([isSettled, open.length]).toEqual([false, answered]);
    for (const give of open.splice(0)) give();
    await clock.settle();
  }
  expect(isSettled).toBe(true);
});
