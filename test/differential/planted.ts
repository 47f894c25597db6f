/** Differences made on purpose, and what the tester must find in them. For tests of the tester itself. */
import type { Scenario, ScenarioEvent } from '../scenarios/scenario.ts';
import type { Planted } from './play.ts';

export const PLANTED = {
  'the desk charges another fee': {
    got: (scenario) => withInstrument(scenario, { makerRate: '0.0031', takerRate: '0.0031' }),
  },
  'the backtest misses a tick': {
    expected: (scenario) => ({ ...scenario, events: withoutOne(scenario.events) }),
  },
  'the desk has a coarser step': { got: (scenario) => withInstrument(scenario, { stepSize: '50' }) },
  'the desk has another balance': {
    got: (scenario) => ({ ...scenario, balances: { ...scenario.balances, USDT: '100001' } }),
  },
} as const satisfies Readonly<Record<string, Planted>>;

function withInstrument(scenario: Scenario, change: Partial<NonNullable<Scenario['instrument']>>): Scenario {
  return scenario.instrument ? { ...scenario, instrument: { ...scenario.instrument, ...change } } : scenario;
}

/** The events without the second tick: the first opens the market. */
function withoutOne(events: readonly ScenarioEvent[]): readonly ScenarioEvent[] {
  const ticks = events.filter((event) => 'tick' in event);
  return events.filter((event) => event !== ticks[1]);
}
