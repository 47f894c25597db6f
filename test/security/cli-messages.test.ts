/**
 * Texts from servers, arguments and files reach the terminal as harmless text: no escape, control, bidi or
 * invisible character.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { generateKeyFile } from '../../src/access/key-files.ts';
import { MESSAGE_LENGTH } from '../../src/cli/shown.ts';
import { runMain, temporaryFolder } from '../e2e/support/desk-process.ts';
import { attacked } from '../support/attacks.ts';
import { setup } from '../support/build-once.ts';

beforeAll(setup, 120_000);

const CLASS = 'hostile text in messages of the command line';
const HOSTILE = '\u001b]0;TITLE\u0007\u001b[2J\u001b[31mred\u009b31mC1\u202eRLO\u200b\u2066\r\nforged line';
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Whether a text is one line of harmless text, not longer than a message may be. */
function isHarmless(text: string): boolean {
  const line = text.replace(/\n$/, '');
  return text !== '' && !FORBIDDEN.test(line) && text.length < MESSAGE_LENGTH + 200;
}

async function pingOf(status: number, body: unknown) {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dir = temporaryFolder();
  const { path } = generateKeyFile({ dir, label: 'test', randomBytes: (size) => Buffer.alloc(size, 5) });
  try {
    return await runMain(['ping', '--key', path, '--url', `http://127.0.0.1:${port}/api`]);
  } finally {
    server.close();
  }
}

it('a server that is pinged', { timeout: 60_000 }, async () => {
  const meta = { requestId: 'r', timestamp: 1 };
  const error = (code: string, message: string) => ({ error: { code, status: 401, message }, meta });
  const answers: [number, unknown][] = [
    [200, { data: { message: HOSTILE, timestamp: Date.UTC(2026, 0, 5) }, meta }],
    [200, { data: { message: 'x'.repeat(100_000), timestamp: Date.UTC(2026, 0, 5) }, meta }],
    [200, { data: { message: 'pong', timestamp: 1e300 }, meta }],
    [200, { data: { message: ['pong'], timestamp: HOSTILE }, meta }],
    [200, { data: null, meta }],
    [401, error('INVALID_KEY', HOSTILE)],
    [401, error(HOSTILE, 'message')],
    [401, error('INVALID_KEY', 'x'.repeat(100_000))],
  ];
  const ended = await Promise.all(answers.map(([status, body]) => pingOf(status, body)));
  const held = ended.filter(({ code, stdout, stderr }) => code === 1 && stdout === '' && isHarmless(stderr));
  attacked(CLASS, answers.length, held.length);
  const good = await pingOf(200, { data: { message: 'pong', timestamp: Date.UTC(2026, 0, 5) }, meta });
  expect(good.stdout).toMatch(/^pong from http:/);
});

it('arguments, configuration and TOML errors', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const config = (text: string) => writeFileSync(join(dataDir, 'config.toml'), text, { mode: 0o600 });
  const bare = HOSTILE.replaceAll('\r\n', ' ');
  const tries: [string, readonly string[]][] = [
    ['', [`--${bare}`]],
    ['', [bare]],
    ['', ['serve', '--port', bare]],
    ['', ['serve', '--feed', `csv:${bare}@1m`, '--data-dir', dataDir]],
    ['', ['ping', '--key', bare]],
    ['', ['backtest', '--config', bare, '--candles', bare]],
    [`[api]\nhost = ${JSON.stringify(bare)}\n`, ['serve', '--data-dir', dataDir]],
    [`[api\u202e\nhost = "\u009b`, ['serve', '--data-dir', dataDir]],
  ];
  let held = 0;
  for (const [text, args] of tries) {
    config(text);
    const { code, stdout, stderr } = await runMain(args);
    const lines = stderr.split('\n').filter((line) => line !== '');
    if (code !== 0 && stdout === '' && lines.length > 0 && lines.every(isHarmless)) held += 1;
    else process.stdout.write(`${JSON.stringify({ args, code, stdout, stderr })}\n`);
  }
  attacked(CLASS, tries.length, held);
});
