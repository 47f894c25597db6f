/**
 * Data of one user, market or side never affects another: the number of bots, closes and ticks, moved
 * positions, stored candles.
 */

import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import { FirstCandlePool } from '../../../src/bots/market/first-candle-pool.ts';
import { MarketHubs } from '../../../src/bots/market/market-hubs.ts';
import type { RunWorld } from '../../../src/bots/run/contract.ts';
import type { Run } from '../../../src/bots/run/run.ts';
import { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { BotEngine } from '../../../src/bots/runtime/bot-engine.ts';
import { CandleRows } from '../../../src/bots/runtime/candle-rows.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { RunClock } from '../../../src/bots/runtime/run-clock.ts';
import { LiveRunWorld } from '../../../src/bots/runtime/run-world.ts';
import { SharedPositions } from '../../../src/bots/runtime/shared-positions.ts';
import { Subscriptions } from '../../../src/bots/runtime/subscribe.ts';
import type { SymbolUse } from '../../../src/bots/runtime/symbol-users.ts';
import type { CompiledSettings, MarketRules } from '../../../src/bots/settings/compiled.ts';
import type { BotRecord } from '../../../src/domain/bot.ts';
import { dec, ONE, str } from '../../../src/domain/decimal.ts';
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
    const claim = (id: string, creator: string) => runs.ownershipRefusal({ id, creator } as OrderRecord);
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

describe('the closes of a candle', () => {
  const M5 = 5 * M;
  function subscribed(own: string, frames: readonly { symbol?: string; frameMs: number }[]) {
    const run = { settings: { symbol: own }, needs: () => ({ frames, days: [] }) } as unknown as Run;
    const past = { hub: new CandleHub({ time: 0 }), history: () => [] };
    const subscriptions = new Subscriptions(run, past);
    subscriptions.follow();
    return (symbol: string, frameMs: number) => subscriptions.hears(symbol, frameMs);
  }

  it('are for the run of that symbol alone, in the frames that it reads', () => {
    const hears = subscribed('BTCUSDT', [{ frameMs: M }, { symbol: 'ETHUSDT', frameMs: M5 }]);
    expect([hears('BTCUSDT', M), hears('BTCUSDT', M5), hears('BTCUSDT', 3 * M)]).toEqual([true, true, false]);
    expect([hears('ETHUSDT', M), hears('ETHUSDT', M5)]).toEqual([false, false]);
  });

  it('of all symbols are for a run that scans them all', () => {
    const symbols = ['BTCUSDT', 'ETHUSDT'];
    const hears = subscribed(
      '',
      symbols.map((symbol) => ({ symbol, frameMs: M })),
    );
    for (const symbol of symbols) expect([hears(symbol, M), hears(symbol, M5)]).toEqual([true, false]);
  });
});

// Exchanges report a SHORT as an amount above zero.
it.each([
  ['one-way', 'BTCUSDT BOTH', '2', { long: '2', short: '2' }],
  ['one-way', 'BTCUSDT BOTH', '-2', { long: '-2', short: '-2' }],
  ['hedge', 'BTCUSDT LONG', '2', { long: '2', short: null }],
  ['hedge', 'BTCUSDT SHORT', '2', { long: null, short: '-2' }],
  ['hedge', 'BTCUSDT SHORT', '0', { long: null, short: null }],
  ['one-way', 'ETHUSDT BOTH', '2', { long: null, short: null }],
])('a run reads the signed size of its own side: %s, %s %s', (mode, key, amount, expected) => {
  const positions = new Map([[key, { amount, entryPrice: '100' }]]);
  const account = { futures: { positions, hedge: mode === 'hedge' } };
  const memory = { account: () => account } as unknown as EngineMemory;
  // No other run is on it.
  const shared = { positionOf: (_use: SymbolUse, whole: RunWorld['position']) => whole() };
  const bots = { shared } as unknown as BotEngine;
  const read = (short: boolean) => {
    const settings = { short } as CompiledSettings;
    const rules = { symbol: 'BTCUSDT', kind: 'futures' } as MarketRules;
    const position = new LiveRunWorld(bots, memory, {
      runId: 'r',
      exchange: 'f',
      settings,
      rules,
    }).position();
    return position && str(position.amount);
  };
  expect({ long: read(false), short: read(true) }).toEqual(expected);
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
      runId: 'r',
      exchange: 'f',
      settings: { type: 'CHANNEL', short: side === 'SHORT', positionSide: side },
      rules: { kind: 'futures', symbol: 'BTCUSDT' },
    } as unknown as SymbolUse;
    shared.begins('f');
    shared.positions('f', [], true);
    positions.set(`BTCUSDT ${side}`, { symbol: 'BTCUSDT', side, positionAmt: amount, amount });
    shared.positions('f', ['BTCUSDT'], false);
    shared.compared('f');
    // Another run holds it: the known size is the last one reported.
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
  // The commit failed.
  expect(values()).toEqual(all);
  rows.stored();
  expect(values()).toEqual(forming);
  hubs.other.closedVersion += 1;
  expect(values()).toEqual([...forming, closed[1]]);
  // A market that delivers its candles itself delivers them again after a start.
  Object.assign(hubs.other, { isTold: true });
  expect(values()).toEqual([forming[0]]);
});

it('the first candle of a run goes with each commit until one has it, and then only when it has changed', () => {
  const firsts = new FirstCandlePool();
  const hub = { firsts, isTold: true };
  const rows = new CandleRows({ all: () => [['paper', hub]] } as unknown as MarketHubs);
  const names = () => rows.rows().map((row) => (row.kind === 'meta' ? row.name : ''));
  const id = firsts.take('BTCUSDT', 60_000, 30_000);
  const own = [`bot-first-candle ${id}`];
  expect([names(), names()]).toEqual([own, own]);
  rows.stored();
  expect(names()).toEqual([]);
  firsts.tick('BTCUSDT', 31_000, 100n, 1n);
  expect(names()).toEqual(own);
  rows.stored();
  firsts.release(id);
  expect([names(), names()]).toEqual([own, own]);
  rows.stored();
  expect(names()).toEqual([]);
});
