/**
 * One seed twice: the same bots over the same market, once left alone and once with the desk dying under them. Dies only
 * where nothing of a run is on its way that the exchange would never get: everywhere else the exchange answers differently,
 * and so may the run. Judged are the fills up to the market time that both have seen.
 */
import type { FillRecord } from '../../src/domain/order.ts';
import { runIdOf } from './bot-watch.ts';
import { Dice } from './dice.ts';
import { type CrashPlan, type CrashPoint, planOf, type SeedPlan } from './plan.ts';
import { World } from './world.ts';

const POINTS: readonly CrashPoint[] = [
  'idle',
  'commit.before',
  'commit.after',
  'paper.before',
  'paper.after',
  'call.before',
  'call.after',
  'effect',
  'load',
];
const ACTIVE_MS = 60_000;
/** By then the bots have been started. */
const FIRST_CRASH_MS = 4_000;

export interface Played {
  /** Of the runs: a line an execution, in the order of the exchange. */
  readonly fills: readonly string[];
  readonly crashes: number;
}

interface PlayedWorld extends Played {
  readonly until: number;
}

export async function playTwice(seed: number): Promise<{ readonly alone: Played; readonly killed: Played }> {
  const plan = replayPlan(seed);
  const alone = await play({ ...plan, crashes: [] });
  const killed = await play(plan);
  const until = Math.min(alone.until, killed.until);
  return { alone: upTo(alone, until), killed: upTo(killed, until) };
}

function replayPlan(seed: number): SeedPlan {
  const plan = planOf(seed, { bots: true });
  const dice = new Dice(seed, 'replay');
  const crashes = Array.from(
    { length: dice.int(2, 8) },
    (): CrashPlan => ({
      at: dice.int(FIRST_CRASH_MS, ACTIVE_MS),
      point: dice.pick(POINTS),
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
    activeMs: ACTIVE_MS,
    clients: 0,
    shareTurn: 0,
    faults: {},
    paper,
    crashes,
    storeFailures: [],
    outages: [],
    longRest: false,
    cancelAtEnd: false,
    bots: {
      most: dice.int(3, 8),
      thinkMs: 200,
      speed: dice.pick([10, 60]),
      lockStep: true,
      once: true,
      stopAtEnd: false,
    },
  };
}

async function play(plan: SeedPlan): Promise<PlayedWorld> {
  const world = new World(plan, { bots: true });
  try {
    const { violation, crashes } = await world.run();
    if (violation)
      throw new Error(`seed ${plan.seed} breaks invariant ${violation.invariant}: ${violation.text}`);
    const rows = world.db.prepare('SELECT doc FROM fills ORDER BY seq').all() as { doc: string }[];
    const fills = rows
      .map(({ doc }) => JSON.parse(doc) as FillRecord)
      .filter(({ orderId }) => orderId.includes('_'))
      .map(textOf);
    return {
      fills,
      crashes,
      until: Math.max(...[...(world.desk?.prices.values() ?? [])].map(({ time }) => time)),
    };
  } finally {
    world.close();
  }
}

/** Market time, run, and what was traded. Not which order of the run it was: a start may have placed one more in vain. */
function textOf({ orderId, time, side, symbol, qty, price, comm }: FillRecord): string {
  return `${time} ${runIdOf(orderId)} ${side} ${symbol} ${qty} ${price} ${comm}`;
}

function upTo({ fills, crashes }: PlayedWorld, until: number): Played {
  return { fills: fills.filter((text) => Number.parseInt(text, 10) < until), crashes };
}
