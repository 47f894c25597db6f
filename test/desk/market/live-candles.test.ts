/**
 * The candles of a live market compared with those of its exchange: whatever is lost, late, doubled or fails
 * on the way, a candle that is read equals the exchange's or is missing; once the exchange answers again it
 * is there.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASK_AFTER_MS, LiveCandles } from '../../../src/desk/market/live/live-candles.ts';
import { exchangeCandle, FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const SYMBOL = 'BTCUSDT';

function rig(options: { since?: number; frames?: readonly number[] } = {}) {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const market = new FakeMarket(clock, options);
  const loaded: string[] = [];
  const failed: string[] = [];
  const candles = new LiveCandles({
    data: market,
    clock,
    loaded: (symbol) => loaded.push(symbol),
    failed: (text) => failed.push(text),
  });
  return {
    clock,
    market,
    candles,
    loaded,
    failed,
    /** Lets a second pass of a market that somebody watches. */
    look: () => {
      candles.follow(SYMBOL, MINUTE, clock.wall());
      candles.look();
    },
    /** Reads this many of the newest closed candles. */
    read: (count: number, frameMs = MINUTE) => {
      const to = clock.wall();
      return candles.read(SYMBOL, frameMs, Math.floor(to / frameMs) * frameMs - count * frameMs, to);
    },
    truth: (count: number, frameMs = MINUTE) => {
      const end = Math.floor(clock.wall() / frameMs) * frameMs;
      return Array.from({ length: count }, (_, at) => exchangeCandle(end - (count - at) * frameMs, frameMs));
    },
  };
}

describe('what is read', () => {
  it("is loaded when it is asked for, in pages, and is then the exchange's own", async () => {
    const { clock, market, read, truth, loaded } = rig();
    market.page = 100;
    expect(read(250)).toBeNull();
    await clock.settle();
    expect(loaded).toEqual([SYMBOL]);
    expect(read(250)).toEqual(truth(250));
    expect(market.asked.map(({ from, to }) => (to - from) / MINUTE)).toEqual([250, 150, 50]);
    // More history than is loaded: what is loaded stays readable.
    expect(read(400)).toBeNull();
    expect(read(250)).toEqual(truth(250));
    await clock.settle();
    expect(read(400)).toEqual(truth(400));
  });

  it('of a frame that the exchange does not have is made of the largest one that fits', async () => {
    const { clock, market, read, truth } = rig({ frames: [MINUTE, 5 * MINUTE] });
    expect(read(20, 15 * MINUTE)).toBeNull();
    expect(read(20, 3 * MINUTE)).toBeNull();
    await clock.settle();
    expect(new Set(market.asked.map(({ frameMs }) => frameMs))).toEqual(new Set([5 * MINUTE, MINUTE]));
    expect(read(20, 15 * MINUTE)).toEqual(truth(20, 15 * MINUTE));
    expect(read(20, 3 * MINUTE)).toEqual(truth(20, 3 * MINUTE));
  });

  it('of a symbol that is younger is what there is', async () => {
    const { clock, read, truth } = rig({ since: VIRTUAL_START - 30 * MINUTE });
    read(250);
    await clock.settle();
    expect(read(250)).toEqual(truth(30));
  });

  it('of no frame at all is nothing', () => {
    const { read } = rig({ frames: [MINUTE] });
    expect(read(5, 30_000)).toEqual([]);
  });
});

it('what the exchange does not close is asked for two seconds after its end', async () => {
  const { clock, market, look, read, truth } = rig();
  read(10);
  await clock.settle();
  const asked = market.asked.length;
  await clock.advance(MINUTE + ASK_AFTER_MS - 1);
  look();
  expect(market.asked).toHaveLength(asked);
  await clock.advance(1);
  look();
  await clock.settle();
  expect(market.asked).toHaveLength(asked + 1);
  expect(read(11)).toEqual(truth(11));
});

it('a candle that comes before the one before it closes nothing: what is missing is asked for', async () => {
  const { clock, market, candles, read, truth } = rig();
  read(10);
  await clock.settle();
  market.answers.candles = async () => null;
  await clock.advance(2 * MINUTE);
  candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + MINUTE, MINUTE));
  await clock.settle();
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toBeNull();
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START + MINUTE)).toBeNull();
  market.answers.candles = async (question) => market.history(question);
  candles.gap('ETHUSDT');
  await clock.settle();
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toBeNull();
  // Requested at once, whatever failed before.
  candles.gap('');
  await clock.settle();
  expect(read(12)).toEqual(truth(12));
});

it('a candle that closes while those before it are asked for is neither here twice nor flat', async () => {
  const { clock, market, candles, look, read, truth } = rig();
  read(5);
  await clock.settle();
  await clock.advance(3 * MINUTE);
  market.answers.candles = async (question) => {
    const answer = market.history(question);
    await new Promise<void>((resolve) => clock.after(5_000, resolve));
    return answer;
  };
  look();
  await clock.settle();
  for (const at of [0, 1])
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + at * MINUTE, MINUTE));
  await clock.advance(5_000);
  await clock.settle();
  expect(read(8)).toEqual(truth(8));
});

it('one candle may be missing, the newest, and no second one', async () => {
  const { clock, market, read, truth } = rig();
  read(10);
  await clock.settle();
  market.answers.candles = async () => null;
  await clock.advance(MINUTE);
  expect(read(10)).toEqual(truth(10).slice(0, -1));
  await clock.advance(MINUTE);
  expect(read(10)).toBeNull();
});

it('a larger frame of which a part is missing is not closed', async () => {
  const { clock, market, candles } = rig({ frames: [MINUTE] });
  const frame = 5 * MINUTE;
  const of = () => candles.read(SYMBOL, frame, VIRTUAL_START - 10 * frame, clock.wall());
  of();
  await clock.settle();
  market.answers.candles = async () => null;
  await clock.advance(frame);
  for (let minute = 0; minute < 4; minute++)
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + minute * MINUTE, MINUTE));
  const whole = Array.from({ length: 10 }, (_, at) =>
    exchangeCandle(VIRTUAL_START - (10 - at) * frame, frame),
  );
  expect(of()).toEqual(whole);
  expect(candles.at(SYMBOL, frame, VIRTUAL_START)).toBeNull();
  candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + 4 * MINUTE, MINUTE));
  expect(of()).toEqual([...whole, exchangeCandle(VIRTUAL_START, frame)]);
});

it('a minute in which nothing was traded is flat, once it is long over', async () => {
  const { clock, market, candles, look, read, truth } = rig();
  read(3);
  await clock.settle();
  market.answers.candles = async () => [];
  await clock.advance(MINUTE + 3_000);
  look();
  await clock.settle();
  // The exchange may not have it yet.
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toBeNull();
  await clock.advance(8_000);
  look();
  await clock.settle();
  const { close } = truth(2)[0] as { close: string };
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toEqual({
    time: VIRTUAL_START,
    open: close,
    high: close,
    low: close,
    close,
    volume: '0',
  });
});

it('questions that fail are asked again with back-off, and said once', async () => {
  const { clock, market, candles, read, truth, loaded, failed } = rig();
  market.answers.candles = async () => null;
  read(5);
  const seconds: number[] = [];
  for (let second = 0; second < 20; second++) {
    const before = market.asked.length;
    candles.look();
    await clock.settle();
    if (market.asked.length > before || second === 0) seconds.push(second);
    await clock.advance(1_000);
  }
  expect(seconds).toEqual([0, 1, 3, 7, 15]);
  expect(failed).toEqual(['other-spot: candles of BTCUSDT could not be asked for; asking again']);
  market.answers.candles = async (question) => market.history(question);
  await clock.advance(30_000);
  expect(loaded).toEqual([]);
  candles.look();
  await clock.settle();
  expect(read(5)).toEqual(truth(5));
  expect(loaded).toEqual([SYMBOL]);
  // The earlier failures no longer count: the next failure is the first one again.
  market.answers.candles = async () => null;
  read(500);
  await clock.settle();
  expect(failed).toHaveLength(2);
});

it('asks for four at a time', async () => {
  const { clock, market, candles } = rig();
  const open: (() => void)[] = [];
  market.answers.candles = (question) =>
    new Promise((resolve) => {
      open.push(() => resolve(market.history(question)));
    });
  const to = clock.wall();
  for (let nth = 0; nth < 20; nth++) candles.read(`S${nth}USDT`, MINUTE, to - 5 * MINUTE, to);
  expect(open).toHaveLength(4);
  let answered = 0;
  while (answered < open.length) {
    open[answered++]?.();
    await clock.settle();
    expect(open.length - answered).toBeLessThanOrEqual(4);
  }
  expect(answered).toBe(20);
  for (let nth = 0; nth < 20; nth++)
    expect(candles.read(`S${nth}USDT`, MINUTE, to - 5 * MINUTE, to)).toHaveLength(5);
});

it('of a row that is only followed the newest stay, and what is read again is asked for again', async () => {
  const { clock, market, look, candles, read, truth } = rig();
  read(500);
  await clock.settle();
  await clock.advance(10_000);
  look();
  expect(read(500)).toEqual(truth(500));
  await clock.advance(10_001);
  const before = market.asked.length;
  look();
  // Candles that were dropped do not count as missing.
  look();
  await clock.settle();
  expect(market.asked).toHaveLength(before);
  expect(read(10)).toEqual(truth(10));
  await clock.advance(10_001);
  const asked = market.asked.length;
  look();
  expect(read(11)).toBeNull();
  await clock.settle();
  expect(market.asked).toHaveLength(asked + 1);
  expect(read(11)).toEqual(truth(11));
  // Closed candles that were not read yet stay as well.
  for (let minute = 0; minute < 30; minute++) {
    await clock.advance(MINUTE);
    candles.follow(SYMBOL, MINUTE, VIRTUAL_START);
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + minute * MINUTE, MINUTE));
    candles.look();
  }
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toEqual(exchangeCandle(VIRTUAL_START, MINUTE));
});

it('of a row that is read for long the oldest leave, and are not asked for again', async () => {
  const { clock, market, candles, read, truth } = rig();
  read(5_000);
  await clock.settle();
  const asked = market.asked.length;
  market.answers.candles = async () => null;
  for (let minute = 0; minute < 501; minute++) {
    await clock.advance(MINUTE);
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + minute * MINUTE, MINUTE));
    read(2);
    candles.look();
  }
  await clock.settle();
  expect(market.asked).toHaveLength(asked);
  expect(read(5_000)).toEqual(truth(5_000));
  // What has left is not here, and is no time before the first candle either.
  const gone = VIRTUAL_START - 5_000 * MINUTE;
  expect(candles.at(SYMBOL, MINUTE, gone)).toBeNull();
  expect(candles.isBefore(SYMBOL, MINUTE, gone)).toBe(false);
});

it('the candle in which somebody begins to follow stays until it was read', async () => {
  const { clock, candles, read } = rig();
  read(2);
  await clock.settle();
  await clock.advance(30_000);
  candles.follow(SYMBOL, MINUTE, clock.wall());
  for (let minute = 0; minute < 20; minute++) {
    await clock.advance(MINUTE);
    candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START + minute * MINUTE, MINUTE));
    candles.look();
    candles.follow(SYMBOL, MINUTE, VIRTUAL_START + 30_000);
  }
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).toEqual(exchangeCandle(VIRTUAL_START, MINUTE));
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START - MINUTE)).toBeNull();
});

it('a frame before the first candle of a young symbol will never come; the one with it does', async () => {
  const since = VIRTUAL_START - 7 * MINUTE;
  const { clock, candles, read } = rig({ since });
  read(20);
  await clock.settle();
  const isBefore = (time: number, frameMs = MINUTE) => candles.isBefore(SYMBOL, frameMs, time);
  expect([isBefore(since - 2 * MINUTE), isBefore(since - MINUTE), isBefore(since)]).toEqual([
    true,
    true,
    false,
  ]);
  // What is not loaded is not known, nor what is not over.
  expect([isBefore(VIRTUAL_START - 21 * MINUTE), isBefore(VIRTUAL_START)]).toEqual([false, false]);
  expect(candles.isBefore('ETHUSDT', MINUTE, since - MINUTE)).toBe(false);
});

it('two symbols fail, wait and are let go each for itself', async () => {
  const { clock, market, candles, loaded } = rig();
  const ETH = 'ETHUSDT';
  const read = (symbol: string) => candles.read(symbol, MINUTE, clock.wall() - 3 * MINUTE, clock.wall());
  market.answers.candles = async (question) => (question.symbol === ETH ? null : market.history(question));
  expect([read(SYMBOL), read(ETH)]).toEqual([null, null]);
  await clock.settle();
  expect([read(SYMBOL)?.length, read(ETH), loaded]).toEqual([3, null, [SYMBOL]]);
  await clock.advance(MINUTE);
  candles.closed(SYMBOL, MINUTE, exchangeCandle(VIRTUAL_START, MINUTE));
  expect(candles.at(SYMBOL, MINUTE, VIRTUAL_START)).not.toBeNull();
  expect(candles.at(ETH, MINUTE, VIRTUAL_START)).toBeNull();
  market.answers.candles = async (question) => market.history(question);
  candles.look();
  await clock.settle();
  expect(read(ETH)?.length).toBe(3);
  await clock.advance(59_999);
  candles.look();
  read(ETH);
  await clock.advance(2);
  candles.look();
  expect([candles.frames(SYMBOL), candles.frames(ETH)]).toEqual([[], [MINUTE]]);
});

it('what nobody reads is let go a minute later', async () => {
  const { clock, candles, read } = rig();
  read(5);
  await clock.settle();
  await clock.advance(60_000);
  candles.look();
  expect(candles.frames(SYMBOL)).toEqual([MINUTE]);
  await clock.settle();
  await clock.advance(1);
  candles.look();
  expect(candles.frames(SYMBOL)).toEqual([]);
});

type Act =
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'tell'; readonly back: number; readonly frame: 0 | 1 }
  | { readonly do: 'read'; readonly count: number; readonly frame: 0 | 1 | 2 }
  | { readonly do: 'gap' }
  | { readonly do: 'answers'; readonly how: 'all' | 'none' | 'few' | 'throws' | 'late' };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 200_000 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('tell' as const),
      back: fc.nat(3),
      frame: fc.constantFrom(0 as const, 1 as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      count: fc.integer({ min: 1, max: 60 }),
      frame: fc.constantFrom(0 as const, 1 as const, 2 as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'gap' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('answers' as const),
      how: fc.constantFrom(...(['all', 'none', 'few', 'throws', 'late'] as const)),
    }),
  },
);

it("whatever is lost, late or told twice: never another candle than the exchange's", async () => {
  const frames = [MINUTE, 5 * MINUTE, 15 * MINUTE] as const;
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
      const { clock, market, candles, read, truth } = rig();
      const correct = (count: number, frameMs: number) => {
        const got = read(count, frameMs);
        if (got === null) return false;
        // Only the one that has just ended may still be missing.
        const all = truth(count, frameMs);
        expect([all, all.slice(0, -1)]).toContainEqual(got);
        return true;
      };
      for (const one of acts) {
        if (one.do === 'pass') await clock.advance(one.ms);
        else if (one.do === 'gap') candles.gap('');
        else if (one.do === 'tell') {
          const frameMs = frames[one.frame];
          const time = (Math.floor(clock.wall() / frameMs) - 1 - one.back) * frameMs;
          candles.closed(SYMBOL, frameMs, exchangeCandle(time, frameMs));
        } else if (one.do === 'read') correct(one.count, frames[one.frame]);
        else
          market.answers.candles = async (question) => {
            if (one.how === 'throws') throw new Error('no connection');
            if (one.how === 'none') return null;
            if (one.how === 'late') await new Promise<void>((resolve) => clock.after(40_000, resolve));
            return market.history(question).slice(0, one.how === 'few' ? 2 : undefined);
          };
        candles.look();
        await clock.settle();
      }
      market.answers.candles = async (question) => market.history(question);
      for (const frameMs of frames) correct(60, frameMs);
      for (let second = 0; second < 70; second++) {
        candles.look();
        await clock.advance(1_000);
        for (const frameMs of frames) read(60, frameMs);
      }
      for (const frameMs of frames) expect(correct(60, frameMs)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

describe('what nobody waits for', () => {
  const OTHERS = Array.from({ length: 20 }, (_, n) => `C${n}USDT`);

  it('is asked for so, and keeps nobody waiting who does', async () => {
    const { clock, market, candles, read, truth } = rig();
    const { candles: answer } = market.answers;
    market.answers.candles = (question) => (question.isPatient ? new Promise(() => {}) : answer(question));
    const to = clock.wall();
    for (const symbol of OTHERS) expect(candles.read(symbol, MINUTE, to - 9 * MINUTE, to, true)).toBeNull();
    await clock.settle();
    expect(market.asked.map(({ isPatient }) => isPatient)).toEqual([true, true]);
    let isSettled = false;
    void candles.settled().then(() => {
      isSettled = true;
    });
    await clock.settle();
    expect(isSettled).toBe(true);
    expect(read(50)).toBeNull();
    await clock.settle();
    expect(read(50)).toEqual(truth(50));
  });

  it('comes all the same, and is waited for once somebody does', async () => {
    const { clock, market, candles, loaded } = rig();
    const to = clock.wall();
    for (const symbol of OTHERS) candles.read(symbol, MINUTE, to - 9 * MINUTE, to, true);
    await clock.settle();
    expect(new Set(loaded)).toEqual(new Set(OTHERS));
    const last = OTHERS[19] as string;
    expect(candles.read(last, MINUTE, to - 20 * MINUTE, to)).toBeNull();
    expect(market.asked.at(-1)).toEqual(expect.not.objectContaining({ isPatient: true }));
  });
});
