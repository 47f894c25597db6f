/** What is of one user, market or side is nobody else's: the number of bots, closes and ticks, positions that have moved, stored candles. */

import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { FirstCandlePool } from '../../../src/bots/market/first-candle-pool.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { CandleRows } from '../../../src/bots/runtime/candle-rows.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { RunClock } from '../../../src/bots/runtime/run-clock.ts';
import { SharedPositions } from '../../../src/bots/runtime/shared-positions.ts';
import type { SymbolUse } from '../../../src/bots/runtime/symbol-users.ts';
import type { BotRecord } from '../../../src/domain/bot.ts';
import { dec, ONE } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';
import type { StepContext } from '../../../src/engine/step-context.ts';

const STEP = {} as StepContext;
const M = 60_000;

describe('the bots of a user', () => {
  const book = new BotBook();
  for (const [id, user] of [
    ['a', 'ann'],
    ['b', 'ann'],
    ['c', 'bob'],
  ] as const)
    book.bots.set(id, { id, user } as BotRecord);

  it('alone are counted against the most there may be', () => {
    expect(book.full('ann', 3)).toBeNull();
    expect(book.full('ann', 2)).toMatchObject({ ok: false, error: { code: 'CONFLICT' } });
    expect(book.full('bob', 2)).toBeNull();
  });

  it('keep others from an order only while its run goes on', () => {
    const runs = new BotBook();
    const run = { settings: { symbol: 'BTCUSDT' } };
    const live = { id: 'run1', going: true, parts: { botId: 'a', market: 'paper' }, run };
    runs.add(live as unknown as LiveRun);
    const claim = (id: string, creator: string) => runs.claim({ id, creator } as OrderRecord);
    expect(claim('oc_1_run1', 'BOT')).toContain('belongs to the run of bot a');
    expect([claim('oc_1_run2', 'BOT'), claim('oc_1_run1', 'UI')]).toEqual([null, null]);
    live.going = false;
    expect(claim('oc_1_run1', 'BOT')).toBeNull();
  });

  it('are nobody else’s', () => {
    expect(book.of('ann').map(({ id }) => id)).toEqual(['a', 'b']);
    expect([book.one('ann', 'c'), book.one('bob', 'c')?.id]).toEqual([null, 'c']);
  });
});

describe('two runs on the same symbol of two markets', () => {
  function markets() {
    const hubs = new MarketHubs(() => new CandleHub({ time: 0 }));
    const given: string[] = [];
    const runOn = (market: string) => ({
      id: market,
      going: true,
      parts: { market, subscriptions: { hears: (symbol: string) => symbol === 'BTCUSDT' } },
      run: {
        settings: { symbol: 'BTCUSDT' },
        state: { started: true, timers: new Map() },
        nextTimer: () => Number.POSITIVE_INFINITY,
        wantsTick: () => true,
      },
    });
    const book = new BotBook();
    for (const name of ['one', 'two']) book.add(runOn(name) as unknown as LiveRun);
    const engine = {
      book,
      at: (_step: unknown, _at: number, act: () => void) => act(),
      give: (_step: unknown, live: { id: string }, { type }: { type: string }) =>
        given.push(`${live.id} ${type}`),
    };
    const clock = new RunClock(engine as unknown as BotEngine, hubs);
    return { hubs, clock, given };
  }

  it('hear the ticks of their own', () => {
    const { hubs, clock, given } = markets();
    for (const name of ['one', 'two']) hubs.of(name).tick('BTCUSDT', 1, dec('100'), ONE);
    clock.tick(STEP, 'two', 'BTCUSDT');
    clock.tick(STEP, 'two', 'ETHUSDT');
    expect(given).toEqual(['two tick']);
  });

  it('hear the closes of their own', () => {
    const { hubs, clock, given } = markets();
    hubs.of('two').need('BTCUSDT', M, {});
    hubs.of('one');
    hubs.of('two').tick('BTCUSDT', 1, dec('100'), ONE);
    clock.advance(STEP, M);
    expect(given).toEqual(['two candle']);
  });
});

it.each(['BOTH', 'LONG', 'SHORT'] as const)(
  'a position of side %s that has moved while the account was compared is not taken for what the comparison said',
  (side) => {
    const hedge = side !== 'BOTH';
    const amount = '2';
    const positions = new Map();
    const account = { futures: { positions, hedge }, versions: { undecided: 0 } };
    const memory = {
      accounts: new Map([['f', account]]),
      account: () => account,
      orders: new Map(),
    } as unknown as EngineMemory;
    const shared = new SharedPositions({ runs: new Map<string, LiveRun>() } as unknown as BotBook, memory);
    const use = {
      ...{ runId: 'r', exchange: 'f' },
      settings: { type: 'CHANNEL', short: side === 'SHORT', positionSide: side },
      rules: { kind: 'futures', symbol: 'BTCUSDT' },
    } as unknown as SymbolUse;
    shared.begins('f');
    shared.positions('f', [], true);
    positions.set(`BTCUSDT ${side}`, { symbol: 'BTCUSDT', side, positionAmt: amount, amount });
    shared.positions('f', ['BTCUSDT'], false);
    shared.compared('f');
    // Somebody else holds it: what is known of it is what was told last.
    expect(shared.isShared(use)).toBe(true);
  },
);

it('closed candles of each market go with each commit until one has them, and then with their next close', () => {
  const hub = (name: string) => ({
    firsts: new FirstCandlePool(),
    closedVersion: 1,
    formingSnapshot: () => `${name} forming`,
    closedSnapshot: () => `${name} closed`,
  });
  const hubs = { paper: hub('paper'), other: hub('other') };
  const rows = new CandleRows({ all: () => Object.entries(hubs) } as unknown as MarketHubs);
  const values = () => rows.rows().map((row) => (row.kind === 'meta' ? `${row.name}: ${row.value}` : ''));
  const forming = ['bot-candles: paper forming', 'bot-candles other: other forming'];
  const closed = ['bot-closed-candles: paper closed', 'bot-closed-candles other: other closed'];
  const all = [forming[0], closed[0], forming[1], closed[1]];
  expect(values()).toEqual(all);
  // The commit has failed.
  expect(values()).toEqual(all);
  rows.stored();
  expect(values()).toEqual(forming);
  hubs.other.closedVersion += 1;
  expect(values()).toEqual([...forming, closed[1]]);
  // A market that tells its candles itself tells them again after a start.
  Object.assign(hubs.other, { isTold: true });
  expect(values()).toEqual([forming[0]]);
});
