/**
 * Plays one seed twice: the same bots over the same market, once undisturbed and once with crashes of the
 * desk. The desk crashes only while no request of a run is on its way that the exchange would never get:
 * otherwise the exchange answers differently, and so may the run. Only the fills up to the market time that
 * both have reached are compared.
 */
import type { FillRecord } from '../../src/domain/order.ts';
import { runIdOf } from './bot-watch.ts';
import { Dice } from './dice.ts';
import { CRASH_POINTS, type CrashPlan, planOf, type SeedPlan } from './plan.ts';
import { type RunOptions, type SeedResult, World } from './world.ts';

const ACTIVE_MS = 60_000;
/** By this time the bots have been started. */
const FIRST_CRASH_MS = 4_000;

/** The invariant that a replay breaks where a killed and resumed desk trades unlike an undisturbed one. */
export const REPLAY_INVARIANT = 12;

interface Played {
  readonly result: SeedResult;
  /** Fills of the runs: a line per execution, ordered by market time within each exchange. */
  readonly fills: readonly string[];
  /** Market time that was reached. */
  readonly until: number;
}

/**
 * Returns the result of the desk that was killed; it is a violation, too, if its runs traded unlike the
 * undisturbed ones.
 */
export async function runReplay(seed: number, options: RunOptions = {}): Promise<SeedResult> {
  const plan = replayPlan(seed);
  const alone = await play({ ...plan, crashes: [], stops: [] }, {});
  const killed = await play(plan, options);
  const { result } = killed;
  const broken = alone.result.violation ?? result.violation;
  if (broken) return { ...result, violation: broken };
  const until = Math.min(alone.until, killed.until);
  const [expected, got] = [alone, killed].map(({ fills }) =>
    fills.filter((text) => Number.parseInt(text, 10) < until),
  );
  const at = Array.from(expected ?? []).findIndex((text, i) => text !== got?.[i]);
  if (at < 0 && expected?.length === got?.length) return result;
  const where = at < 0 ? (expected?.length ?? 0) : at;
  const text = `left alone the ${where + 1}. execution is "${expected?.[where] ?? 'none'}", killed "${got?.[where] ?? 'none'}"`;
  return { ...result, violation: { invariant: REPLAY_INVARIANT, text, at: 0 } };
}

function replayPlan(seed: number): SeedPlan {
  const plan = planOf(seed, { bots: true });
  const dice = new Dice(seed, 'replay');
  const crashes = Array.from(
    { length: dice.int(2, 8) },
    (): CrashPlan => ({
      at: dice.int(FIRST_CRASH_MS, ACTIVE_MS),
      point: dice.pick(CRASH_POINTS),
      nth: dice.int(1, 8),
      downMs: dice.int(0, 3_000),
      again: 0,
    }),
  );
  // An exchange that starts again does not know what is left of a tick's volume.
  const { latencyMs: _, jitterMs: __, participation: ___, ...paper } = plan.paper;
  return {
    ...plan,
    hosting: 'embedded',
    market: { kind: 'replay', speed: dice.pick([10, 60]) },
    activeMs: ACTIVE_MS,
    tickEveryMs: dice.pick([300, 500]),
    clients: 0,
    lifts: false,
    large: null,
    shareTurn: 0,
    faults: {},
    paper,
    crashes,
    stops: Array.from({ length: dice.int(0, 2) }, () => ({
      at: dice.int(FIRST_CRASH_MS, ACTIVE_MS),
      downMs: dice.int(0, 3_000),
    })),
    clockFaults: [],
    storeFailures: [],
    outages: [],
    longRest: false,
    cancelAtEnd: false,
    bots: {
      most: dice.int(3, 8),
      thinkMs: 200,
      once: true,
      stopAtEnd: false,
    },
  };
}

async function play(plan: SeedPlan, options: RunOptions): Promise<Played> {
  const world = new World(plan, { ...options, bots: true });
  try {
    const result = await world.run();
    const rows = world.db.prepare('SELECT doc FROM fills ORDER BY seq').all() as { doc: string }[];
    const fills = rows
      .map(({ doc }) => JSON.parse(doc) as FillRecord)
      .filter(({ orderId }) => orderId.includes('_'))
      // Two accounts may answer at the same moment; which one comes first has no meaning, and the same holds
      // for two runs.
      .toSorted((a, b) => a.time - b.time || a.exchange.localeCompare(b.exchange) || byRun(a, b));
    return { result, fills: withoutTies(fills).map(textOf), until: world.lastTickTime };
  } finally {
    world.close();
  }
}

function byRun(a: FillRecord, b: FillRecord): number {
  return runIdOf(a.orderId).localeCompare(runIdOf(b.orderId));
}

/**
 * Sorts fills whose order has no meaning: those of a run at one moment, side and price. Cancels that a crash
 * interrupted are sent again by the age of their orders, not in the run's order, and the replacement orders
 * follow.
 */
function withoutTies(fills: readonly FillRecord[]): FillRecord[] {
  const ties: FillRecord[][] = [];
  for (const fill of fills) {
    const tie = ties.at(-1);
    if (tie?.[0] && isTie(tie[0], fill)) tie.push(fill);
    else ties.push([fill]);
  }
  return ties.flatMap((tie) => tie.toSorted((a, b) => a.qty.localeCompare(b.qty)));
}

function isTie(a: FillRecord, b: FillRecord): boolean {
  return (
    a.time === b.time &&
    byRun(a, b) === 0 &&
    a.symbol === b.symbol &&
    a.side === b.side &&
    a.price === b.price
  );
}

/**
 * A fill as text: market time, run, and what was traded. The order id is left out: a start may have placed
 * one order more in vain.
 */
function textOf({ orderId, time, side, symbol, qty, price, comm }: FillRecord): string {
  return `${time} ${runIdOf(orderId)} ${side} ${symbol} ${qty} ${price} ${comm}`;
}
