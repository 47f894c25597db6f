/** Every committed scenario of the bots, on the backtest's exchange and on a whole desk (strategies.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { playScenario } from './play.ts';
import { differences, type Outcome, type Scenario, type ScenarioFile } from './scenario.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/scenarios', import.meta.url));
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as ScenarioFile);

// What each proves stands in proofs.ts.
describe.each(FILES)('$type comes to what the scenario says', ({ type, scenarios }) => {
  it.each(scenarios)('$name', async (scenario) => {
    expect(await playScenario(type, scenario)).toEqual([]);
  });
});

describe('a scenario that comes to something else', () => {
  const outcome: Outcome = {
    startError: null,
    fills: [{ at: 1, side: 'BUY', price: '1.50', qty: '2', maker: true }],
    open: [{ side: 'SELL', type: 'LIMIT', price: '2', qty: '2' }],
    balances: { USDT: { total: '7' } },
    position: null,
    alerts: [],
    status: 'STARTED',
    state: 'holding',
    reason: null,
    stats: { cycles: 0 },
    opens: [],
  };
  const expecting = (expect: Scenario['expect']): Scenario => ({
    name: 'x',
    about: '',
    settings: {},
    start: 0,
    events: [],
    expect,
  });

  it.each<[string, Scenario['expect'], string[]]>([
    ['nothing that is expected', { status: 'STARTED', balances: { USDT: { total: '7.0' } } }, []],
    [
      'a fill',
      { fills: [{ at: 1, side: 'BUY', price: '1.5', qty: '2', maker: false }] },
      ['fill 0: expected 1 BUY 2 at 1.5 taker, got 1 BUY 2 at 1.5 maker'],
    ],
    ['a missing fill', { fills: [] }, ['fill 0: expected none, got 1 BUY 2 at 1.5 maker']],
    ['an open order', { open: [] }, ['open at the end: not expected SELL LIMIT 2 2']],
    ['a balance', { balances: { USDT: { total: '8' } } }, ['balance of USDT: expected "8", got "7"']],
    ['the state', { state: 'waiting' }, ['state: expected "waiting", got "holding"']],
    ['a figure', { stats: { cycles: 1 } }, ['stats.cycles: expected "1", got "0"']],
    ['a start that should have failed', { startError: ['below'] }, ['the start was expected to fail']],
  ])('is told by %s', (_what, expected, lines) => {
    expect(differences(expecting(expected), outcome)).toEqual(lines);
  });
});
