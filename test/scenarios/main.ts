/**
 * `npm run scenarios -- DIR [NAME]`: plays every scenario of a folder, or those whose type and name contain
 * NAME; a line each, then `N passed, M failed`. Exit 1 on a failure, 2 when there is nothing to play.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { playScenario } from './play.ts';
import type { Scenario, ScenarioFile } from './scenario.ts';

const [folder, only = ''] = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const file of scenarioFiles()) {
  for (const { name, lines } of await playFile(file)) {
    if (lines.length === 0) passed++;
    else failed++;
    process.stdout.write(`${lines.length === 0 ? 'ok  ' : 'FAIL'}  ${name}\n`);
    for (const line of lines) process.stdout.write(`      ${line}\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
if (passed + failed === 0) stop(`there is no scenario in ${folder}${only && ` whose name holds ${only}`}`);

function scenarioFiles(): string[] {
  if (folder === undefined) return stop('which folder? npm run scenarios -- DIR');
  // npm tells in which folder it was called; the launcher works in the project's.
  const dir = resolve(process.env.INIT_CWD ?? '.', folder);
  try {
    const names = readdirSync(dir).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => join(dir, name));
  } catch (error) {
    return stop(`${dir} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function* playAll({ type, scenarios }: ScenarioFile) {
  for (const scenario of scenarios) {
    const name = `${type} ${scenario.name}`;
    if (name.includes(only)) yield { name, lines: await play(type, scenario) };
  }
}

async function playFile(path: string): Promise<{ name: string; lines: string[] }[]> {
  try {
    const played: { name: string; lines: string[] }[] = [];
    for await (const one of playAll(JSON.parse(readFileSync(path, 'utf8')))) played.push(one);
    return played;
  } catch (error) {
    return [{ name: path, lines: [words(error)] }];
  }
}

async function play(type: string, scenario: Scenario): Promise<string[]> {
  try {
    return await playScenario(type, scenario);
  } catch (error) {
    return [words(error)];
  }
}

function words(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function stop(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
