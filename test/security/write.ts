/**
 * Runs the attack tests and writes docs/security-tests.md from their counts:
 * `node bin/outcry.js @attacks`.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attacked } from '../support/attacks.ts';
import { countingTests, DOCUMENT, renderSecurityTests } from './document.ts';

const folder = mkdtempSync(join(tmpdir(), 'outcry-attacks-'));
const counts = join(folder, 'counts');
writeFileSync(counts, '');
const files = countingTests().map(({ file }) => `test/${file}`);
const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...files], {
  stdio: 'inherit',
  env: { ...process.env, OUTCRY_ATTACKS: counts },
});
if (run.status === 0) {
  const lines = readFileSync(counts, 'utf8').trim().split('\n').filter(Boolean);
  writeFileSync(DOCUMENT, renderSecurityTests(lines.map((line) => JSON.parse(line) as Attacked)));
  process.stdout.write(`${DOCUMENT}\n`);
}
rmSync(folder, { recursive: true });
process.exitCode = run.status ?? 1;
