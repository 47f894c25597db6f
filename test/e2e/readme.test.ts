/** The README is correct: its signed example runs as printed. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { startDesk, temporaryFolder } from './support/desk-process.ts';

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

describe('README', () => {
  it('has an example of signing that places and lists an order', async () => {
    const [, example = ''] = /<!-- example: sign\.mjs -->\n```js\n([\s\S]*?)```/.exec(README) ?? [];
    const folder = temporaryFolder();
    const desk = await startDesk(folder, ['--hold']);
    const made = await desk.line.call('keys.generate', { label: 'readme', tier: 'trade' });
    if (!made.ok) throw new Error(made.error.message);
    const script = join(folder, 'sign.mjs');
    writeFileSync(script, example);
    const { stdout } = await promisify(execFile)(process.execPath, [script, made.data.path, desk.url]);
    expect(stdout).toContain("status: 'OPENED'");
    expect(stdout.match(/id: 'ps-/g)).toHaveLength(2);
  });
});
