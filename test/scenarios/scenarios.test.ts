/** Every committed scenario of the bots, on the backtest's exchange and on a whole desk (strategies.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { playOnDesk } from './on-desk.ts';
import { playOnTickMarket } from './on-tick-market.ts';
import { playScenario } from './play.ts';
import { differences, type Outcome, type Scenario, type ScenarioFile } from './scenario.ts';
import { scenarioOf } from './scene.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/scenarios', import.meta.url));
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.json'))
  .sort()
  .map((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as ScenarioFile);

// proofs.ts lists what each scenario proves.
describe.each(FILES)('$type comes to what the scenario says', ({ type, scenarios }) => {
  it.each(scenarios)('$name', async (scenario) => {
    expect(await playScenario(type, scenario)).toEqual([]);
  });
});

describe('a command of a scenario that is refused', () => {
  const passed = {
    strategy: 'fixed',
    trigger: { type: 'kline', value: '96' },
    order: { type: 'MARKET' },
  };
  const scene = scenarioOf({
    settings: {
      symbol: { base: 'BTC', quote: 'USDT' },
      deposit: { value: '100', asset: 'USDT' },
      flavor: 'SCALE',
      scale: { orders: 0, step: '1', takeProfit: '10' },
    },
    events: [
      '0 100',
      `10 add_stoploss ${JSON.stringify(passed)}`,
      '20 95',
      `30 add_stoploss ${JSON.stringify(passed)}`,
    ],
    fills: ['0 BUY 1 at 100 taker', '20 SELL 1 at 95 taker'],
  });

  it('is a remark of the backtest and of the desk, in the same words, and no difference', async () => {
    const late = { ...scene, events: [...scene.events.slice(0, 1), ...scene.events.slice(2)] };
    const expected = { ...late, expect: { ...late.expect, fills: late.expect.fills?.slice(0, 1) ?? [] } };
    const quick = playOnTickMarket('CHANNEL', expected);
    const whole = await playOnDesk('CHANNEL', expected);
    expect(quick.refused).toEqual([expect.stringContaining('the stop has already fired')]);
    expect(whole.refused).toEqual(quick.refused);
    expect(await playScenario('CHANNEL', expected)).toEqual([]);
    expect(await playScenario('CHANNEL', scene)).toEqual([]);
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
