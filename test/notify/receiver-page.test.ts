/**
 * The receiver of docs/configuration.md, run as printed, with a fixed process clock: it accepts genuine and
 * fresh messages, once.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Webhook } from '../../src/notify/webhook.ts';
import { ALERT, closing, NOW, sending } from './receiver.ts';

const SECRET = 'a-secret-of-the-test-0123456789';
const PAGE = readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
const STILL = `data:text/javascript,Date.now=()=>${NOW + 2_000}`;

let folder: string;
let program: ChildProcess;
let lines: string[];
beforeEach(() => {
  const [, text = ''] = /<!-- example: receive\.mjs -->\n```js\n([\s\S]*?)```/.exec(PAGE) ?? [];
  folder = mkdtempSync(join(tmpdir(), 'outcry-receive-'));
  writeFileSync(join(folder, 'receive.mjs'), text);
  lines = [];
  program = spawn(process.execPath, ['--import', STILL, join(folder, 'receive.mjs'), '0'], {
    env: { ...process.env, SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  program.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n').filter(Boolean)));
});
afterEach(async () => {
  const ended = new Promise((resolve) => program.once('exit', resolve));
  program.kill();
  await ended;
  rmSync(folder, { recursive: true });
});

/** Resolves with its output once that has this many lines. */
function printed(count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (lines.length >= count) resolve(lines);
    };
    program.stdout?.on('data', look);
    program.once('exit', (code) => reject(new Error(`the example ended with ${code}`)));
    look();
  });
}

// proves: bot ALARM signature
it('the receiver of the configuration page takes an alert once, and only from who knows the secret', async () => {
  const [first = ''] = await printed(1);
  const url = `http://127.0.0.1:${/^listening on (\d+)$/.exec(first)?.[1]}/`;
  const hook = (secret: string) => closing(new Webhook({ type: 'webhook', name: 'hook', url, secret }));
  const sign = hook(SECRET);
  expect(await sign.send(ALERT, sending())).toEqual({ ok: true });
  expect(await sign.send(ALERT, sending())).toEqual({ ok: true });
  expect(await hook(`${SECRET}!`).send({ ...ALERT, id: 'forged' }, sending())).toMatchObject({
    reason: 'HTTP 401',
  });
  expect(await sign.send({ ...ALERT, id: 'old' }, { ...sending(), now: NOW - 61_000 })).toMatchObject({
    reason: 'HTTP 401',
  });
  expect(await sign.send({ ...ALERT, id: 'next', message: 'second' }, sending())).toEqual({ ok: true });
  expect(await printed(3)).toEqual([first, ALERT.message, 'second']);
});
