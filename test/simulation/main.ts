/**
 * `npm run sim`: runs seeds of the simulation and prints the first invariant that breaks. Exit code 1 when
 * one does. With `--mutations` it searches the seeds that catch the planted bugs; exit code 1 when one is not
 * caught.
 */
import { parseArgs } from 'node:util';
import { searchSeeds } from './caught.ts';
import { MUTATION_NAMES, type MutationName } from './mutations.ts';
import { describeViolation, type Mode, runPool, seedRange } from './pool.ts';
import { runMode } from './run-mode.ts';
import { isVenueName, VENUE_NAMES } from './venues/venue-names.ts';

const USAGE = `npm run sim -- [--seeds N] [--from S] [--workers W] [--bots | --rough | --amends | --replay | --venue V]    N seeds from S on (1000 from 1, 2 workers)
npm run sim -- --seed S [--bots | --rough | --amends | --replay | --venue V] [--trace]            one seed, with all that happened
npm run sim -- --mutations [--venue V] [--workers W]             the first seed that catches each planted bug, into mutations.json
  --bots             bots run beside the clients
  --rough            an exchange that errs is there beside the paper one
  --amends           orders are changed all the time, mostly by others that take their place; even seeds have the exchange that errs
  --venue NAME       a desk connected to ${VENUE_NAMES.join(' or ')}: its adapter over a virtual network that errs
  --replay           bots on a replay: a desk that is killed and resumed trades as one that was left alone
  --mutation NAME    plants a bug: ${MUTATION_NAMES.join(', ')}
`;
const PROGRESS_MS = 5_000;
const VIOLATIONS_MAX = 5;

interface Options {
  readonly seeds: readonly number[];
  readonly workers: number;
  readonly trace: boolean;
  readonly mode: Mode;
  readonly mutation: MutationName | undefined;
  readonly mutations: boolean;
}

class UsageError extends Error {}

function readOptions(args: string[]): Options {
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      seeds: number,
      from: number,
      seed: number,
      workers: number,
      mutation: { type: 'string' },
      mutations: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      bots: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      rough: { type: 'boolean', default: false },
      amends: { type: 'boolean', default: false },
      venue: { type: 'string' },
    },
  });
  const whole = (name: 'seeds' | 'from' | 'seed' | 'workers', standard: number, least: number): number => {
    const text = values[name];
    if (text === undefined) return standard;
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least)
      throw new UsageError(`--${name} must be a whole number from ${least}`);
    return value;
  };
  const mutation = MUTATION_NAMES.find((name) => name === values.mutation);
  if (values.mutation !== undefined && !mutation)
    throw new UsageError(`there is no mutation ${values.mutation}`);
  const seeds =
    values.seed === undefined
      ? seedRange(whole('from', 1, 0), whole('seeds', 1_000, 1))
      : [whole('seed', 0, 0)];
  const { trace, mutations } = values;
  const { venue } = values;
  if (venue !== undefined && !isVenueName(venue))
    throw new UsageError(`there is no venue ${venue}; there is ${VENUE_NAMES.join(', ')}`);
  const named = (['bots', 'rough', 'replay', 'amends'] as const).filter((name) => values[name]);
  const [mode = 'orders', ...others] = [...named, ...(venue === undefined ? [] : [venue])];
  if (others.length > 0) throw new UsageError('only one of --bots, --rough, --amends, --replay and --venue');
  return { seeds, workers: whole('workers', 2, 1), trace, mode, mutation, mutations };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Returns the exit code. */
async function runMany({ seeds, workers, mode, mutation }: Options): Promise<number> {
  const startedAt = performance.now();
  const sum = {
    seeds: 0,
    events: 0,
    crashes: 0,
    orders: 0,
    requests: 0,
    runs: 0,
    botFills: 0,
    violations: 0,
  };
  /** By fault: in how many seeds it struck, and how often in all. */
  const struck = new Map<string, { readonly seeds: number; readonly all: number }>();
  const progress = () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const rate = (sum.seeds / seconds).toFixed(1);
    say(
      `${sum.seeds} of ${seeds.length} seeds, ${rate}/s, ${sum.events} events, ${sum.crashes} crashes, ${sum.orders} orders, ${sum.requests} requests,${sum.runs > 0 ? ` ${sum.runs} runs of bots, ${sum.botFills} fills of theirs,` : ''} ${sum.violations} violations`,
    );
  };
  const timer = setInterval(progress, PROGRESS_MS);
  try {
    await runPool({
      seeds,
      workers,
      mode,
      stopAfter: VIOLATIONS_MAX,
      ...(mutation ? { mutation } : {}),
      onResult: (result) => {
        sum.seeds += 1;
        sum.events += result.events;
        sum.crashes += result.crashes;
        sum.orders += result.orders;
        sum.requests += result.calls;
        sum.runs += result.runs;
        sum.botFills += result.botFills;
        for (const [name, times] of result.strikes) {
          const { seeds, all } = struck.get(name) ?? { seeds: 0, all: 0 };
          struck.set(name, { seeds: seeds + 1, all: all + times });
        }
        if (!result.violation) return;
        sum.violations += 1;
        say(describeViolation(result, { mode, mutation }));
      },
    });
  } finally {
    clearInterval(timer);
  }
  progress();
  for (const [name, { seeds, all }] of [...struck].sort(([a], [b]) => (a < b ? -1 : 1)))
    say(
      `  ${name.padEnd(24)} struck in ${String(seeds).padStart(5)} seeds, ${String(all).padStart(7)} times`,
    );
  if (sum.seeds < seeds.length) say(`stopped after ${sum.violations} violations`);
  return sum.violations > 0 ? 1 : 0;
}

async function runOne({ seeds, trace, mode, mutation }: Options): Promise<number> {
  const result = await runMode(seeds[0] ?? 0, mode, mutation);
  if (trace) for (const line of result.trace) say(line);
  const { events, crashes, orders, calls } = result;
  say(
    `seed ${result.seed}: ${events} events, ${crashes} crashes, ${orders} orders, ${calls} requests, trace ${result.hash}`,
  );
  if (!result.violation) return 0;
  say(describeViolation(result, { mode, mutation }));
  return 1;
}

/** Returns the exit code. */
async function run(options: Options): Promise<number> {
  if (options.mutations) {
    const only = options.mode === 'orders' ? undefined : options.mode;
    return (await searchSeeds(options.workers, say, only)).length > 0 ? 1 : 0;
  }
  return await (options.seeds.length === 1 ? runOne(options) : runMany(options));
}

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = await run(options);
} catch (error) {
  const usage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!usage) throw error;
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
