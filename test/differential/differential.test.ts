/**
 * The backtest and a whole desk have the same results, fill for fill, and so do an undisturbed desk and one
 * that is ended and restarted: the same cases every time, or new ones from OUTCRY_SEED on. `npm run diff`
 * plays thousands.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../scenarios/scenario.ts';
import { seedOr } from '../support/seeds.ts';
import type { DiffCase } from './case.ts';
import { BOT_KINDS, caseOf } from './draw.ts';
import { PLANTED } from './planted.ts';
import { playCase } from './play.ts';
import { runDiffPool } from './pool.ts';
import { shrunk } from './shrink.ts';

const WORKERS = 2;
const FROM = seedOr(1);
const CASES = 66;
const MINUTES_MS = 5 * 60_000;
/** Cases on which the two sides once differed, shrunk. */
const FOUND = new URL('./found/', import.meta.url);

// proves: bot backtest same
it.each(['backtest', 'killed'] as const)(
  'both sides of a case agree: %s',
  { timeout: MINUTES_MS },
  async (mode) => {
    const seeds = Array.from({ length: CASES }, (_, i) => FROM + i);
    const results = await runDiffPool({ seeds, workers: WORKERS, mode, kind: null, shrink: false });
    const differing = results.filter(({ difference }) => difference !== null);
    const told = differing.map(
      ({ seed, kind, difference }) => `seed ${seed}, ${kind}: ${JSON.stringify(difference)}`,
    );
    expect(told).toEqual([]);
    // Enough must have happened in the cases.
    const sum = (of: (result: (typeof results)[number]) => number) =>
      results.reduce((all, one) => all + of(one), 0);
    expect(new Set(results.map(({ kind }) => kind)).size).toBe(BOT_KINDS.length);
    expect(sum(({ fills }) => fills)).toBeGreaterThan(CASES / 2);
    expect(sum(({ alerts }) => alerts)).toBeGreaterThan(0);
    expect(sum(({ leftOut }) => (leftOut === null ? 0 : 1))).toBeLessThan(CASES / 4);
    if (mode === 'killed') expect(sum(({ kills }) => kills)).toBeGreaterThan(CASES);
  },
);

it.each(readdirSync(FOUND))('both sides agree on what they once differed on: %s', async (file) => {
  const found = JSON.parse(readFileSync(new URL(file, FOUND), 'utf8')) as DiffCase;
  expect((await playCase(found, found.kills.length > 0 ? 'killed' : 'backtest')).difference).toBeNull();
});

it('draws the same case again from its seed', () => {
  for (const seed of [1, 12, 23]) expect(caseOf(seed)).toEqual(caseOf(seed));
  expect(caseOf(12).scenario).not.toEqual(caseOf(1).scenario);
});

describe('the tester itself', () => {
  /** Bought at once, sold at the target, and again: five ticks and settings that say more than necessary. */
  const CASE: DiffCase = {
    seed: 0,
    kind: 'SCALE',
    type: 'CHANNEL',
    kills: [],
    scenario: scaleOf(['100', '100.5', '101', '99', '100.4', '101.5', '100', '102']),
  };

  it('finds nothing where there is nothing', async () => {
    expect((await playCase(CASE, 'backtest')).difference).toBeNull();
    expect((await playCase(CASE, 'backtest')).fills).toBeGreaterThan(2);
  });

  it.each([
    ['the desk charges another fee', /^fill .* fee/],
    ['the backtest misses a tick', /^fill /],
    ['the desk has a coarser step', /./],
    ['the desk has another balance', /^balance USDT/],
  ] as const)('notices when %s, and makes the case small', async (name, words) => {
    const planted = PLANTED[name];
    const { difference } = await playCase(CASE, 'backtest', planted);
    expect(difference?.got ?? difference?.expected).toMatch(words);
    const small = await shrunk(CASE, 'backtest', planted);
    expect((await playCase(small, 'backtest', planted)).difference).not.toBeNull();
    expect(small.scenario.events.length).toBeLessThan(CASE.scenario.events.length);
    expect(JSON.stringify(small.scenario.settings).length).toBeLessThan(
      JSON.stringify(CASE.scenario.settings).length,
    );
  });

  it('notices when a desk that goes on has lost something', async () => {
    const kills = [{ event: 4, point: 'idle', nth: 1 }] as const;
    const played = await playCase({ ...CASE, kills }, 'killed', PLANTED['the backtest misses a tick']);
    expect(played.kills).toBe(1);
    expect(played.difference?.got).toMatch(/^fill /);
    expect((await playCase({ ...CASE, kills }, 'killed')).difference).toBeNull();
  });
});

function scaleOf(prices: readonly string[]): Scenario {
  const start = Date.UTC(2025, 1, 3, 1);
  return {
    name: 'scale',
    about: '',
    instrument: {
      symbol: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      kind: 'spot',
      tickSize: '0.01',
      stepSize: '0.001',
      minQty: '0.001',
      minNotional: '5',
      makerRate: '0.001',
      takerRate: '0.001',
    },
    balances: { USDT: '100000' },
    settings: {
      exchange: 'paper-spot',
      symbol: { base: 'BTC', quote: 'USDT' },
      deposit: { value: '9000.25', asset: 'USDT' },
      flavor: 'SCALE',
      scale: { orders: 2, step: '0.5', takeProfit: '0.4' },
      noticeLevel: 2,
      timeout: { type: 'ttl', value: 3_600_000 },
    },
    known: prices[0] ?? '1',
    start,
    events: prices.map((tick, i) => ({ at: start + i * 15_000, tick, volume: '3' })),
    expect: {},
  };
}
