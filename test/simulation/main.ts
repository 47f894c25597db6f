/** `npm run sim`: runs seeds of the simulation and tells the first invariant that breaks. Exit code 1 when one does. */
import { parseArgs } from 'node:util';
import { MUTATION_NAMES, type MutationName } from './mutations.ts';
import { describeViolation, runPool, seedRange } from './pool.ts';
import { runSeed } from './world.ts';

const USAGE = `npm run sim -- [--seeds N] [--from S] [--workers W] [--bots]    N seeds from S on (1000 from 1, 2 workers)
npm run sim -- --seed S [--bots] [--trace]                       one seed, with all that happened
  --bots             bots run beside the clients
  --mutation NAME    plants a bug: ${MUTATION_NAMES.join(', ')}
`;
const PROGRESS_MS = 5_000;
const VIOLATIONS_MAX = 5;

interface Options {
  readonly seeds: readonly number[];
  readonly workers: number;
  readonly trace: boolean;
  readonly bots: boolean;
  readonly mutation: MutationName | undefined;
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
      trace: { type: 'boolean', default: false },
      bots: { type: 'boolean', default: false },
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
  return { seeds, workers: whole('workers', 2, 1), trace: values.trace, bots: values.bots, mutation };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Exit code. */
async function runMany({ seeds, workers, bots, mutation }: Options): Promise<number> {
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
  const progress = () => {
    const seconds = (performance.now() - startedAt) / 1_000;
    const rate = (sum.seeds / seconds).toFixed(1);
    say(
      `${sum.seeds} of ${seeds.length} seeds, ${rate}/s, ${sum.events} events, ${sum.crashes} crashes, ${sum.orders} orders, ${sum.requests} requests,${bots ? ` ${sum.runs} runs of bots, ${sum.botFills} fills of theirs,` : ''} ${sum.violations} violations`,
    );
  };
  const timer = setInterval(progress, PROGRESS_MS);
  try {
    await runPool({
      seeds,
      workers,
      bots,
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
        if (!result.violation) return;
        sum.violations += 1;
        say(describeViolation(result, { bots, mutation }));
      },
    });
  } finally {
    clearInterval(timer);
  }
  progress();
  if (sum.seeds < seeds.length) say(`stopped after ${sum.violations} violations`);
  return sum.violations > 0 ? 1 : 0;
}

async function runOne({ seeds, trace, bots, mutation }: Options): Promise<number> {
  const result = await runSeed(seeds[0] ?? 0, { bots, ...(mutation ? { mutation } : {}) });
  if (trace) for (const line of result.trace) say(line);
  const { events, crashes, orders, calls } = result;
  say(
    `seed ${result.seed}: ${events} events, ${crashes} crashes, ${orders} orders, ${calls} requests, trace ${result.hash}`,
  );
  if (!result.violation) return 0;
  say(describeViolation(result, { bots, mutation }));
  return 1;
}

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = await (options.seeds.length === 1 ? runOne(options) : runMany(options));
} catch (error) {
  const usage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!usage) throw error;
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
