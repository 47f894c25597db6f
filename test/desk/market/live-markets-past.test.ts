/** What a bot's command waits for before its step: the history that the bots it starts lack, and nothing else. */
import { expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { LiveMarkets } from '../../../src/desk/market/live/live-markets.ts';
import type { BotRecord } from '../../../src/domain/bot.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { OrderCommand } from '../../../src/engine/step.ts';
import { BTC, CAPS } from '../../engine/support/market.ts';
import { FakeMarket, MINUTE } from '../../support/fake-market.ts';
import { VIRTUAL_START, VirtualClock } from '../../support/virtual-clock.ts';

const [ONE, TWO] = ['one-spot', 'two-spot'];
/** Bots with their accounts: the last two trade on no live market, one on an account that is gone. */
const BOTS = { a: ONE, b: TWO, c: ONE, paper: 'paper-spot', gone: 'gone-spot' };

/** Two live markets of which both are being asked for candles. */
async function rig() {
  const clock = new VirtualClock(VIRTUAL_START, { autoTurns: true });
  const data = [ONE, TWO].map((market) => new FakeMarket(clock, { market }));
  const hub = new CandleHub({ time: VIRTUAL_START, told: true });
  const { memory } = new Engine();
  for (const id of [ONE, TWO, 'paper-spot'])
    memory.addAccount({ id, name: id, kind: 'spot', market: id }, CAPS, [{ ...BTC, exchange: id }]);
  const checked: string[] = [];
  const list = Object.entries(BOTS).map(([id, exchange]) => ({
    id,
    exchange,
    settings: { symbol: 'BTCUSDT', period: 5 },
  }));
  const bots = {
    book: { bots: new Map(list.map((bot) => [bot.id, bot])), runs: new Map() },
    lacksPast: ({ id, settings }: BotRecord, now: number) => {
      checked.push(`${id} ${settings.symbol} ${settings.period} ${now - VIRTUAL_START}`);
      return id !== 'c';
    },
  } as unknown as BotEngine;
  const live = new LiveMarkets(data, {
    clock,
    now: () => clock.wall(),
    hub: () => hub,
    memory: () => memory,
    bots: () => bots,
    step: () => {},
    told: () => {},
    staleness: () => {},
    report: () => {},
  });
  await live.open();
  live.run();
  const answers = data.map((market) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    market.answers.candles = (asked) => promise.then(() => market.history(asked));
    live.candles(market.market)?.read('BTCUSDT', MINUTE, VIRTUAL_START - 3 * MINUTE, VIRTUAL_START);
    return resolve;
  });
  await clock.settle();
  const over = async (wait: Promise<void>) => {
    let isOver = false;
    void wait.then(() => {
      isOver = true;
    });
    await clock.settle();
    return isOver;
  };
  return { clock, live, answers, checked, over };
}

const PATCH = { restart: true, config: { symbol: 'ETHUSDT' } };

it.each<[object, readonly (0 | 1)[] | null, readonly string[]]>([
  [{ type: 'bot.start', id: 'a' }, [0], ['a BTCUSDT 5 0']],
  [{ type: 'bot.start', id: 'b' }, [1], ['b BTCUSDT 5 0']],
  [
    { type: 'bot.batchStart', ids: ['nobody', 'paper', 'c', 'b', 'a'] },
    [0, 1],
    ['c BTCUSDT 5 0', 'b BTCUSDT 5 0', 'a BTCUSDT 5 0'],
  ],
  [{ type: 'bot.batchStart', ids: ['b', 'a'] }, [1, 0], ['b BTCUSDT 5 0', 'a BTCUSDT 5 0']],
  [{ type: 'bot.patch', id: 'a', change: PATCH }, [0], ['a ETHUSDT 5 0']],
  [{ type: 'bot.patch', id: 'a', change: { config: { symbol: 'ETHUSDT' } } }, null, []],
  [{ type: 'bot.start', id: 'c' }, null, ['c BTCUSDT 5 0']],
  [{ type: 'bot.start', id: 'paper' }, null, []],
  [{ type: 'bot.start', id: 'gone' }, null, []],
  [{ type: 'bot.start', id: 'nobody' }, null, []],
  [{ type: 'bot.stop', id: 'a', runId: 'r', way: 'leaveAllOrders' }, null, []],
])('%j waits for the markets %j', async (command, markets, seen) => {
  const { live, answers, checked, over } = await rig();
  const wait = live.past(command as OrderCommand);
  expect(checked).toEqual(seen);
  if (!markets || !wait) {
    expect([wait, markets]).toEqual([null, null]);
    return;
  }
  for (const at of markets) {
    expect(await over(wait)).toBe(false);
    answers[at]?.();
  }
  expect(await over(wait)).toBe(true);
  await live.close();
});

it('a command waits ten seconds for a market that does not answer, and no longer', async () => {
  const { clock, live, over } = await rig();
  const wait = live.past({ type: 'bot.start', id: 'a' }) as Promise<void>;
  await clock.advance(9_999);
  expect(await over(wait)).toBe(false);
  await clock.advance(1);
  expect(await over(wait)).toBe(true);
  await live.close();
});
