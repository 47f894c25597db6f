/**
 * `npm run bench [-- --json] [-- --only NAME]`: runs every bench in turn and prints its result lines
 * (testing.md, "Benchmarks"). Asserts nothing.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backtestFibo, backtestSqueeze } from './backtest.ts';
import { consoleBudgets, consoleMemory, marketTick } from './console.ts';
import { fanOut } from './fan-out.ts';
import { firstBot } from './first-bot.ts';
import { firstFrame } from './first-frame.ts';
import { getOrders } from './get-orders.ts';
import { hostile } from './hostile.ts';
import { idle } from './idle.ts';
import { botMemory, liveBots } from './live-bots.ts';
import { liveMarkets } from './live-markets.ts';
import { loopDelay } from './loop-delay.ts';
import { neighbours } from './neighbours.ts';
import { postOrders } from './post-orders.ts';
import { restart } from './restart.ts';
import { ssh } from './ssh.ts';
import { submit } from './submit.ts';
import { cleanUp, ROOT } from './support/children.ts';
import { type BenchResult, jsonOf, lineOf } from './support/report.ts';
import { userEvents } from './user-events.ts';

const BENCHES: Readonly<Record<string, () => Promise<BenchResult | readonly BenchResult[]>>> = {
  'post-orders': postOrders,
  'get-orders': getOrders,
  'fan-out': fanOut,
  'first-frame': firstFrame,
  restart,
  'loop-delay': loopDelay,
  idle,
  hostile,
  'backtest-squeeze': backtestSqueeze,
  'backtest-fibo': backtestFibo,
  'live-bots': liveBots,
  'live-markets': liveMarkets,
  neighbours,
  submit,
  'user-events': userEvents,
  'first-bot': firstBot,
  'bot-memory': botMemory,
  console: consoleBudgets,
  market: marketTick,
  'console-memory': consoleMemory,
  ssh,
};

async function main(): Promise<void> {
  const names = Object.keys(BENCHES);
  const { values } = parseArgs({
    options: { json: { type: 'boolean' }, only: { type: 'string', multiple: true } },
  });
  const only = values.only ?? names;
  const unknown = only.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`there is no bench ${unknown}; there are ${names.join(', ')}`);
  // The benches of whole processes run the built program.
  spawnSync(process.execPath, [join(ROOT, 'bin/outcry.js'), '@build'], { stdio: 'inherit' });
  const results: BenchResult[] = [];
  for (const name of only) {
    try {
      const lines = [await BENCHES[name]?.()].flat().filter((line) => line !== undefined);
      results.push(...lines);
      if (!values.json) for (const line of lines) process.stdout.write(`${lineOf(line)}\n`);
    } finally {
      await cleanUp();
    }
  }
  if (values.json) process.stdout.write(`${jsonOf(results)}\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void cleanUp().finally(() => process.exit(1)));
}
try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
// A pseudo-terminal whose program has ended still keeps the process alive.
process.exit();
