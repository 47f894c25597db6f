/**
 * Once a run is flat again, what happened before has no effect: over the same prices a second time it does
 * the same, order for order and cent for cent. Bots of every kind are drawn at random, without settings that
 * are meant to remember (`reuse`, maxStops, sloping lines) and without fees, whose dust is kept. The seeds
 * are fixed at every run: of some 800 other draws one remembers what it may, such as channels of a trailing
 * FIBO that were armed and not bought while its range forbade it.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runBacktest } from '../../../src/bots/backtest/backtest.ts';
import { ZERO } from '../../../src/domain/decimal.ts';
import { BOTS, M, onMarket, rules, table, walks, world } from '../backtest/support.ts';

type Row = readonly [number, number, number, number];
type Drawn = Record<string, unknown>;

const RUNS = 30;
const SEED = 20_260_105;
/** Flat minutes around a round: longer than every sleep, cooldown or wait for closes. */
const REST = 45;
/** Every frame divides a round. */
const FRAME_ROWS = 15;
const LINE = /^(trend|value)$/;

/** Types with one position only, and a scan that looks back further than the rest lasts. */
const FOR_ONCE = ['ALGO', 'NOTIFY'];

/** Prices beyond every level of the drawn bots, on the side from which the levels are reached. */
const AWAY = { long: 120, short: 80 } as const;

function roundOf(rows: readonly (Row | null)[], away: number): Row[] {
  const rest = Array.from({ length: REST }, (): Row => [away, away, away, away]);
  const path = rows.map((row): Row => row ?? [away, away, away, away]);
  const fill = FRAME_ROWS - ((path.length + 2 * REST) % FRAME_ROWS);
  return [...rest, ...path, ...rest, ...rest.slice(0, fill)];
}

/** The settings without memory, and with lines that have the same value at all times. */
function forgetful(settings: Drawn): Drawn {
  const { timeout, startTrigger, filters, rsi, trailUp, stopAbove, stopBelow, trailingFrom, ...rest } =
    settings;
  const own = rest.flavor === 'SCALE' ? { entryPrice: rest.entryPrice ?? '98' } : {};
  // Cells that buy at market at the same time hold lots that differ only in which is sold first.
  if (rest.flavor === 'GRID' || rest.flavor === 'LEVELS') delete rest.orders;
  const flat = JSON.parse(JSON.stringify({ ...rest, ...own }), (name, value) => {
    if (name === 'maxStops') return undefined;
    if (!LINE.test(name) || typeof value !== 'object' || value === null) return value;
    const [[t1, price] = [], [t2] = []] = Object.entries(value);
    return { [String(t1)]: price, [String(t2)]: price };
  }) as Drawn;
  return {
    ...flat,
    onetime: false,
    strategy: 'fixed',
    // A range would hide that a level is still touched.
    ...('mode' in flat ? { maxEntries: 50, range: undefined } : {}),
    ...('repeat' in flat ? { repeat: 'always' } : {}),
  };
}

/** Trades of the same time have no fixed order, so they are sorted. */
const inOrder = <V extends { readonly at: number; readonly label: string }>(trades: readonly V[]) =>
  trades.toSorted((a, b) => a.at - b.at || a.label.localeCompare(b.label));

it.each(Object.keys(BOTS).filter((name) => !FOR_ONCE.includes(name)))('%s', (name) => {
  let events = 0;
  fc.assert(
    fc.property(
      BOTS[name] as (typeof BOTS)[string],
      walks,
      fc.constantFrom('spot', 'futures', 'short'),
      (given, rows, market) => {
        const settings = forgetful(given.settings as Drawn);
        const bot = onMarket({ type: given.type, settings }, market as 'short');
        const round = roundOf(rows, market === 'short' ? AWAY.short : AWAY.long);
        const free = { makerRate: ZERO, takerRate: ZERO };
        const options = { bot, world: world(rules(market === 'spot' ? free : { ...free, kind: 'futures' })) };
        const once = runBacktest({ ...options, candles: [table(round)] });
        if (!once.ok || once.result.figures.position !== '0') return;
        const [run] = once.result.runs;
        // A level that has been touched stays touched.
        if (run?.endedAt !== null || run.state === 'touched' || run.state === 'broken') return;
        const twice = runBacktest({ ...options, candles: [table([...round, ...round])] });
        if (!twice.ok) throw new Error(twice.text);
        const later = <V extends { readonly at: number }>(all: readonly V[]) =>
          all.map((one) => ({ ...one, at: one.at + round.length * M }));
        const { trades, alerts, figures } = once.result;
        expect(inOrder(twice.result.trades)).toEqual(inOrder([...trades, ...later(trades)]));
        const told = ({ at, symbol, condition }: (typeof alerts)[number]) => ({ at, symbol, condition });
        expect(twice.result.alerts.map(told)).toEqual([...alerts, ...later(alerts)].map(told));
        const { cycles, winningCycles, fills } = twice.result.figures;
        expect([cycles, winningCycles, fills]).toEqual([
          2 * figures.cycles,
          2 * figures.winningCycles,
          2 * figures.fills,
        ]);
        events += trades.length + alerts.length;
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  // Bots that do nothing would prove nothing.
  expect(events).toBeGreaterThan(RUNS / 4);
});
