/** `npm run scenarios -- DIR [NAME]`: plays every scenario of a folder, a line each, then `N passed, M failed`; exit 1 on a failure. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { playOnDesk } from './on-desk.ts';
import { playOnTickMarket } from './on-tick-market.ts';
import { differences, type ScenarioFile } from './scenario.ts';

const [folder, only] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('which folder? npm run scenarios -- DIR\n');
  process.exit(2);
}
const dir = resolve(process.env.INIT_CWD ?? '.', folder);
let passed = 0;
let failed = 0;
for (const file of readdirSync(dir)
  .filter((name) => name.endsWith('.json'))
  .sort()) {
  const { type, scenarios } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as ScenarioFile;
  for (const scenario of scenarios) {
    const name = `${type} ${scenario.name}`;
    if (only !== undefined && !name.includes(only)) continue;
    const lines = await play(type, scenario);
    if (lines.length === 0) passed++;
    else failed++;
    process.stdout.write(`${lines.length === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`);
    for (const line of lines) process.stdout.write(`      ${line}\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;

/** On the backtest's exchange, and on a whole desk. */
async function play(type: string, scenario: ScenarioFile['scenarios'][number]): Promise<string[]> {
  try {
    const quick = differences(scenario, playOnTickMarket(type, scenario));
    const whole = differences(scenario, await playOnDesk(type, scenario));
    return [...quick.map((line) => `backtest: ${line}`), ...whole.map((line) => `desk: ${line}`)];
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)];
  }
}
