/**
 * `npm run diff`: random bots on random markets, the backtest against a whole desk, and with `--killed` an
 * undisturbed desk against one that is repeatedly ended and restarted from its store. Exit code 1 when a case
 * differs.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { BotKind } from '../simulation/bot-settings.ts';
import { seedRange } from '../simulation/pool.ts';
import { type DiffCase, LEFT_OUT, type Mode } from './case.ts';
import { BOT_KINDS, caseOf } from './draw.ts';
import { type Played, playCase } from './play.ts';
import { type DiffResult, runDiffPool } from './pool.ts';
import { shrunk } from './shrink.ts';

const USAGE = `npm run diff -- [--cases N] [--from S] [--type T] [--killed] [--workers W] [--out DIR] [--all]    N cases from S on (2000 from 1, 2 workers)
npm run diff -- --seed S [--type T] [--killed] [--shrink] [--trace]     one case; all lines of both sides with --trace
npm run diff -- --case FILE [--killed] [--shrink] [--trace]             a case that was kept
  --type T      bots of this kind only: ${BOT_KINDS.join(', ')}
  --killed      a desk that is ended and started again against one that is left alone
  --out DIR     keeps the small case of every difference there
  --all         goes on after 25 differences
`;
const PROGRESS_MS = 5_000;
const DIFFERENCES_MAX = 25;

class UsageError extends Error {}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function readOptions(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const { values } = parseArgs({
    args,
    options: {
      cases: text,
      from: text,
      seed: text,
      workers: text,
      type: text,
      case: text,
      out: text,
      killed: flag,
      trace: flag,
      shrink: flag,
      all: flag,
    },
  });
  const whole = (name: 'cases' | 'from' | 'seed' | 'workers', standard: number, least: number): number => {
    const value = values[name] === undefined ? standard : Number(values[name]);
    if (Number.isSafeInteger(value) && value >= least) return value;
    throw new UsageError(`--${name} must be a whole number from ${least}`);
  };
  const kind = BOT_KINDS.find((name) => name === values.type?.toUpperCase()) ?? null;
  if (values.type !== undefined && !kind) throw new UsageError(`there is no type ${values.type}`);
  const mode: Mode = values.killed ? 'killed' : 'backtest';
  return {
    kind,
    mode,
    trace: values.trace,
    shrink: values.shrink,
    all: values.all,
    file: values.case === undefined ? null : fromWhereCalled(values.case),
    out: values.out === undefined ? null : fromWhereCalled(values.out),
    seed: values.seed === undefined ? null : whole('seed', 0, 0),
    seeds: seedRange(whole('from', 1, 0), whole('cases', 2_000, 1)),
    workers: whole('workers', 2, 1),
  };
}

/** npm tells in which folder it was called; the launcher works in the project's. */
function fromWhereCalled(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

type Options = ReturnType<typeof readOptions>;

async function runOne({ mode, trace, shrink }: Options, given: DiffCase): Promise<number> {
  const one = shrink ? await shrunk(given, mode) : given;
  const played = await playCase(one, mode);
  if (played.leftOut !== null) {
    say(`left out: ${LEFT_OUT[played.leftOut]?.why ?? played.leftOut}`);
    return 0;
  }
  const { scenario } = one;
  if (trace) {
    const { settings, options, instrument, balances, position, participation } = scenario;
    say(JSON.stringify({ type: one.type, settings, options, instrument, balances, position, participation }));
    for (const event of scenario.events) say(JSON.stringify(event));
    for (const [name, lines] of [
      [sides(mode)[0], played.expected],
      [sides(mode)[1], played.got],
    ] as const) {
      say(`${name}:`);
      for (const line of lines) say(`  ${line}`);
    }
  }
  if (!played.difference) {
    say(
      `${one.kind}: both sides agree, ${played.fills} fills, ${played.alerts} alerts, ${played.kills} kills`,
    );
    return 0;
  }
  for (const line of differenceLines(mode, played.difference)) say(line);
  if (shrink) say(JSON.stringify(one));
  return 1;
}

function sides(mode: Mode): readonly [string, string] {
  return mode === 'killed' ? ['left alone', 'killed'] : ['backtest', 'desk'];
}

function differenceLines(mode: Mode, difference: NonNullable<Played['difference']>): string[] {
  const [expected, got] = sides(mode);
  const width = Math.max(expected.length, got.length);
  return [
    `  ${expected.padEnd(width)}  ${difference.expected ?? 'nothing more'}`,
    `  ${got.padEnd(width)}  ${difference.got ?? 'nothing more'}`,
  ];
}

/** The seed, the first difference, and the shrunk case, which `--case` plays again. */
function describe(result: DiffResult, { mode, out, kind }: Options): string[] {
  const { seed, small } = result;
  const how = `${kind ? ` --type ${kind}` : ''}${mode === 'killed' ? ' --killed' : ''}`;
  const lines = [
    `seed ${seed} (${result.kind}${result.futures ? ', futures' : ', spot'}) differs: npm run diff -- --seed ${seed}${how} --trace`,
  ];
  if (result.difference) lines.push(...differenceLines(mode, result.difference));
  if (!small) return lines;
  if (small.difference) lines.push('  the small case:', ...differenceLines(mode, small.difference));
  if (!out) return [...lines, `  ${JSON.stringify(small.one)}`];
  const file = join(out, `${mode}-${result.kind}-${seed}.json`);
  mkdirSync(out, { recursive: true });
  writeFileSync(file, `${JSON.stringify(small.one, null, 1)}\n`);
  return [...lines, `  npm run diff -- --case ${file}${mode === 'killed' ? ' --killed' : ''}`];
}

interface Row {
  cases: number;
  refused: number;
  fills: number;
  alerts: number;
  kills: number;
  differ: number;
}

async function runMany(options: Options): Promise<number> {
  const { seeds, workers, mode, kind, all } = options;
  const startedAt = performance.now();
  const rows = new Map<string, Row>();
  const leftOut = new Map<string, number>();
  let played = 0;
  let differences = 0;
  const rate = () =>
    `${played} of ${seeds.length} cases, ${(played / ((performance.now() - startedAt) / 1_000)).toFixed(1)}/s, ${differences} differ`;
  const timer = setInterval(() => say(rate()), PROGRESS_MS);
  const onResult = (result: DiffResult) => {
    played++;
    if (result.leftOut !== null) {
      leftOut.set(result.leftOut, (leftOut.get(result.leftOut) ?? 0) + 1);
      return;
    }
    const side = result.short ? 'short' : 'long';
    const name = `${result.kind.padEnd(9)} ${(result.futures ? 'futures' : 'spot').padEnd(8)} ${side.padEnd(5)}`;
    const row = rows.get(name) ?? { cases: 0, refused: 0, fills: 0, alerts: 0, kills: 0, differ: 0 };
    rows.set(name, row);
    row.cases++;
    row.fills += result.fills;
    row.alerts += result.alerts;
    row.kills += result.kills;
    if (result.refused) row.refused++;
    if (!result.difference) return;
    row.differ++;
    differences++;
    for (const line of describe(result, options)) say(line);
  };
  try {
    const stopAfter = all ? Number.POSITIVE_INFINITY : DIFFERENCES_MAX;
    await runDiffPool({ seeds, workers, mode, kind, shrink: true, stopAfter, onResult });
  } finally {
    clearInterval(timer);
  }
  say(rate());
  const columns = ['cases', 'refused', 'fills', 'alerts', 'kills', 'differ'] as const;
  say(`  ${' '.repeat(24)}${columns.map((name) => name.padStart(9)).join('')}`);
  for (const [name, row] of [...rows].sort(([a], [b]) => (a < b ? -1 : 1)))
    say(`  ${name}${columns.map((column) => String(row[column]).padStart(9)).join('')}`);
  for (const [name, count] of leftOut) say(`  left out: ${count}, ${LEFT_OUT[name]?.why ?? name}`);
  if (played < seeds.length) say(`stopped after ${differences} differences`);
  return differences > 0 ? 1 : 0;
}

async function run(options: Options): Promise<number> {
  if (options.file !== null)
    return runOne(options, JSON.parse(readFileSync(options.file, 'utf8')) as DiffCase);
  if (options.seed !== null)
    return runOne(options, caseOf(options.seed, options.kind ?? kindOf(options.seed)));
  return runMany(options);
}

function kindOf(seed: number): BotKind {
  return BOT_KINDS[seed % BOT_KINDS.length] as BotKind;
}

try {
  process.exitCode = await run(readOptions(process.argv.slice(2)));
} catch (error) {
  const usage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!usage) throw error;
  process.stderr.write(`${(error as Error).message}\n${USAGE}`);
  process.exitCode = 2;
}
