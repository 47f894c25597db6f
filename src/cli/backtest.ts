/** `outcry backtest`: runs a bot over candle files and reports the result. Needs no desk or data folder. */
import { writeFileSync } from 'node:fs';
import { type BacktestOptions, type BacktestOutcome, backtestSteps } from '../bots/backtest/backtest.ts';
import { csvOf, svgOf } from './backtest-files.ts';
import { type InputSettings, readBacktest } from './backtest-input.ts';
import { reportOf } from './backtest-report.ts';
import { shownInLine } from './shown.ts';
import { EXIT_OK, EXIT_USAGE, UsageError } from './usage-error.ts';

export interface BacktestSettings extends InputSettings {
  readonly json?: boolean;
  readonly csv?: string;
  readonly svg?: string;
  readonly ascii?: boolean;
}

/** The outputs, and what else it uses of its environment. */
export interface BacktestSurroundings {
  readonly stdout: { write(text: string): unknown; readonly columns?: number };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A monotonic clock, ms. */
  readonly now: () => number;
}

/** A run that is shorter than this shows no progress bar. */
const BAR_AFTER_MS = 300;
const BAR_EVERY_MS = 100;
const BAR_CELLS = 30;
const MOST_COLUMNS = 120;

export async function backtest(
  settings: BacktestSettings,
  around: BacktestSurroundings = {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    now: () => performance.now(),
  },
): Promise<number> {
  const { options, filters } = readBacktest(settings);
  const outcome = run(options, around);
  if (!outcome.ok) {
    const lines = outcome.problems.map(({ path, message }) =>
      shownInLine(`  ${path === '' ? message : `${path}: ${message}`}`),
    );
    around.stderr.write(
      `outcry: ${shownInLine(settings.config)}: the bot cannot be started:\n${[...new Set(lines)].join('\n')}\n`,
    );
    return EXIT_USAGE;
  }
  const { result } = outcome;
  if (settings.csv !== undefined) write('--csv', settings.csv, csvOf(result));
  if (settings.svg !== undefined) write('--svg', settings.svg, svgOf(result));
  const { columns = 80 } = around.stdout;
  const ascii = settings.ascii === true || around.env.TERM === 'dumb';
  const width = Math.min(Math.max(columns, 60), MOST_COLUMNS);
  around.stdout.write(
    settings.json ? `${JSON.stringify(result)}\n` : reportOf(result, { width, ascii, filters }),
  );
  return EXIT_OK;
}

function run(options: BacktestOptions, { stderr, now }: BacktestSurroundings): BacktestOutcome {
  const startedAt = now();
  const steps = backtestSteps(options);
  let drawnAt: number | null = null;
  for (;;) {
    const step = steps.next();
    if (step.done) {
      if (drawnAt !== null) stderr.write('\r\x1b[K');
      return step.value;
    }
    if (!stderr.isTTY) continue;
    const at = now();
    if (at - startedAt < BAR_AFTER_MS || (drawnAt !== null && at - drawnAt < BAR_EVERY_MS)) continue;
    drawnAt = at;
    stderr.write(`\r${bar(step.value.done / step.value.of)}`);
  }
}

function bar(share: number): string {
  const full = Math.floor(share * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}] ${Math.floor(share * 100)} %`;
}

function write(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new UsageError(`option ${flag}: ${file} cannot be written (${code})`);
  }
}
