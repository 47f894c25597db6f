/** Plays both sides of a case and compares them. */
import { playOnDesk } from '../scenarios/on-desk.ts';
import { playOnTickMarket } from '../scenarios/on-tick-market.ts';
import type { Outcome, Scenario } from '../scenarios/scenario.ts';
import { type DiffCase, LEFT_OUT, type Mode } from './case.ts';
import { type Difference, difference, linesOf } from './compare.ts';
import { Killer } from './kills.ts';

/** A difference made on purpose, to see that it is noticed: what one of the sides plays instead. */
export interface Planted {
  readonly expected?: (scenario: Scenario) => Scenario;
  readonly got?: (scenario: Scenario) => Scenario;
}

export interface Played {
  /** Name in `LEFT_OUT`; null: it was compared. */
  readonly leftOut: string | null;
  /** Neither side could start. */
  readonly refused: boolean;
  readonly fills: number;
  readonly alerts: number;
  /** Number of times the desk was ended. */
  readonly kills: number;
  /** Result of `backtest` or of the undisturbed desk. */
  readonly expected: readonly string[];
  /** Result of the desk, or of the one that was ended. */
  readonly got: readonly string[];
  readonly difference: Difference | null;
}

const NOTHING = { refused: false, fills: 0, alerts: 0, kills: 0, expected: [], got: [], difference: null };

export async function playCase(one: DiffCase, mode: Mode, planted: Planted = {}): Promise<Played> {
  for (const [name, { before }] of Object.entries(LEFT_OUT))
    if (before?.(one, mode)) return { ...NOTHING, leftOut: name };
  const { scenario } = one;
  const changed = (side: keyof Planted) => planted[side]?.(scenario) ?? scenario;
  const killer = mode === 'killed' ? new Killer(one) : null;
  const [expected, got] = [
    await attempt(mode === 'killed', () =>
      mode === 'killed'
        ? playOnDesk(one.type, changed('expected'))
        : playOnTickMarket(one.type, changed('expected')),
    ),
    await attempt(mode === 'killed', () =>
      playOnDesk(one.type, changed('got'), killer ? { watcher: killer.watcher, before: killer.before } : {}),
    ),
  ];
  for (const [name, { after }] of Object.entries(LEFT_OUT))
    if (got.outcome && after?.(got.outcome)) return { ...NOTHING, leftOut: name };
  const lines = [...got.lines, ...(killer?.broken ?? [])];
  return {
    leftOut: null,
    refused: expected.outcome?.startError != null && got.outcome?.startError != null,
    fills: got.outcome?.fills.length ?? 0,
    alerts: got.outcome?.alerts.length ?? 0,
    kills: killer?.struck ?? 0,
    expected: expected.lines,
    got: lines,
    difference: difference(expected.lines, lines),
  };
}

/** The lines of a side; if it throws, the error. */
async function attempt(
  killed: boolean,
  play: () => Promise<Outcome> | Outcome,
): Promise<{ readonly outcome: Outcome | null; readonly lines: readonly string[] }> {
  try {
    const outcome = await play();
    return { outcome, lines: linesOf(outcome, { labels: !killed }) };
  } catch (error) {
    return {
      outcome: null,
      lines: [`broken: ${error instanceof Error ? (error.stack ?? error.message) : error}`],
    };
  }
}
