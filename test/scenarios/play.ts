/**
 * Plays a scenario in both places where bots run, and compares: on the tick market of the backtest, and on a
 * whole desk.
 */
import { dec, roundTo, str } from '../../src/domain/decimal.ts';
import { playOnDesk } from './on-desk.ts';
import { playOnTickMarket } from './on-tick-market.ts';
import { differences, type Scenario } from './scenario.ts';

/** The precision of a bot's figures: eight places at most. */
const TOLD = dec('0.00000001');
type Stats = Readonly<Record<string, string | number>>;

/** Returns every difference from what the scenario expects, a line each; empty = it passes. */
export async function playScenario(type: string, scenario: Scenario): Promise<string[]> {
  const quick = differences(scenario, playOnTickMarket(type, scenario));
  const outcome = await playOnDesk(type, scenario);
  const expected = { ...scenario, expect: { ...scenario.expect, stats: told(scenario.expect.stats) } };
  const whole = differences(expected, { ...outcome, stats: told(outcome.stats) });
  return [...quick.map((line) => `backtest: ${line}`), ...whole.map((line) => `desk: ${line}`)];
}

/** The figures in that precision. Figures that do not exist yet stay null: no scenario mentions them. */
function told(stats: Stats = {}): Stats {
  const rounded = Object.entries(stats).map(([name, value]) => [
    name,
    value === null ? value : str(roundTo(dec(String(value)), TOLD)),
  ]);
  return Object.fromEntries(rounded);
}
