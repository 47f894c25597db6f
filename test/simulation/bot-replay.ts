/**
 * One seed twice: the same bots over the same market, once left alone and once with the desk dying under them. Dies only
 * where nothing of a run is on its way that the exchange would never get: everywhere else the exchange answers differently,
 * and so may the run. Judged are the fills up to the market time that both have seen.
 */
import type { FillRecord } from '../../src/domain/order.ts';
import { runIdOf } from './bot-watch.ts';
import { Dice } from './dice.ts';
import { CRASH_POINTS, type CrashPlan, planOf, type SeedPlan } from './plan.ts';
import { type RunOptions, type SeedResult, World } from './world.ts';

const ACTIVE_MS = 60_000;
/** By then the bots have been started. */
const FIRST_CRASH_MS = 4_000;

/** What a replay breaks where a killed and resumed desk trades otherwise than one that was left alone. */
export const REPLAY_INVARIANT = 12;

interface Played {
  readonly result: SeedResult;
  /** Of the runs: a line an execution, in the order of the market's time and of each exchange. */
  readonly fills: readonly string[];
  /** Market time that has been reached. */
  readonly until: number;
}

/** The result of the desk that was killed; a violation, too, where its runs did not trade as those that were left alone. */
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
  // What is left of a tick's volume is not known to an exchange that starts again.
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
      // Two accounts answer in one moment, and which one is first says nothing; nor does which of two runs is.
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
 * What a run trades in one moment on one side at one price has no order: cancels that a crash interrupted are asked again by
 * the age of their orders, not as the run asked them, and the orders that replace them follow.
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

/** Market time, run, and what was traded. Not which order of the run it was: a start may have placed one more in vain. */
function textOf({ orderId, time, side, symbol, qty, price, comm }: FillRecord): string {
  return `${time} ${runIdOf(orderId)} ${side} ${symbol} ${qty} ${price} ${comm}`;
}
