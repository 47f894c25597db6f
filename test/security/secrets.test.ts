/**
 * Private keys, webhook secrets and bot tokens are where they were stored and in nothing else that a desk
 * writes, answers or shows.
 */
import { spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/cli/config.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../../src/desk/hosting/transports/unix-socket.ts';
import { MAIN, temporaryFolder, until } from '../e2e/support/desk-process.ts';
import { attacked } from '../support/attacks.ts';
import { setup } from '../support/build-once.ts';

const CLASS = 'secrets in files, logs, streams, command lines';
const INLINE = 'inline-secret-0123456789abcdef';
const IN_FILE = 'secret-of-a-file-0123456789abcdef';
const TOKEN = '987654321:BBExampleTokenExampleTokenExample-1';

beforeAll(setup, 120_000);

function configured(): string {
  const dir = join(temporaryFolder(), 'data');
  mkdirSync(dir, { mode: 0o700 });
  const url = 'https://127.0.0.1:9/hook';
  writeFileSync(
    join(dir, 'config.toml'),
    `[log]\nstderr = true\n[targets.a]\ntype = "webhook"\nurl = "${url}"\nsecret = "${INLINE}"\n
[targets.b]\ntype = "webhook"\nurl = "${url}"\nsecret_file = "b.secret"\n
[targets.c]\ntype = "telegram"\ntoken_file = "c.token"\nchat = 1\n`,
    { mode: 0o600 },
  );
  writeFileSync(join(dir, 'b.secret'), `${IN_FILE}\n`, { mode: 0o600 });
  writeFileSync(join(dir, 'c.token'), TOKEN, { mode: 0o600 });
  return dir;
}

it('in a desk that has all of them', async () => {
  const dir = configured();
  const child = spawn(process.execPath, [MAIN, 'serve', '--data-dir', dir, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (data) => {
      said[name] += data;
    });
  try {
    await until('the desk listens', () => said.stdout.includes('\n'), 30_000);
    const line = await connectUnixSocket(dir, systemClock);
    if (line === null) throw new Error('the desk does not listen on its socket');
    let state: unknown = null;
    line.onState((message, ack) => {
      if ('snapshot' in message) state = message.snapshot;
      ack();
    });
    const made = await line.call('keys.generate', { label: 'secret', tier: 'trade' });
    if (!made.ok) throw new Error(made.error.message);
    await until('the state', () => state !== null);
    const pem = readFileSync(made.data.path, 'utf8');
    const seed = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' }).subarray(-32);
    const secrets = [
      INLINE,
      IN_FILE,
      TOKEN,
      (pem.split('\n')[1] ?? '').slice(20),
      seed.toString('hex'),
      seed.toString('base64url'),
    ];
    expect(secrets.every((secret) => secret.length > 16)).toBe(true);
    const proc = (name: string) =>
      existsSync(`/proc/${child.pid}/${name}`) ? readFileSync(`/proc/${child.pid}/${name}`, 'latin1') : '';
    const files = (name: string) =>
      readdirSync(join(dir, name), { withFileTypes: true })
        .filter((entry) => entry.isFile() && !/config\.toml|b\.secret|c\.token/.test(entry.name))
        .map((entry) => readFileSync(join(dir, name, entry.name), 'latin1'))
        .join('');
    const places: Record<string, string> = {
      state: JSON.stringify(state),
      detail: JSON.stringify(made),
      store: files('.'),
      log: files('log'),
      stdout: said.stdout,
      stderr: said.stderr,
      cmdline: proc('cmdline'),
      environ: proc('environ'),
    };
    // The log is on stderr too: the searched text is not empty.
    expect(said.stderr).toContain('desk started');
    expect(places.log).toContain('desk started');
    const found = Object.entries(places).flatMap(([place, text]) =>
      secrets.filter((secret) => text.includes(secret)).map((secret) => `${place}: ${secret}`),
    );
    expect(found).toEqual([]);
    const tries = secrets.length * Object.keys(places).length;
    attacked(CLASS, tries, tries - found.length);
    line.close();
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

describe.skipIf(process.platform === 'win32')('a secret in a file', () => {
  const read = (text: string, mode = 0o600, more = '') => {
    const dir = temporaryFolder();
    writeFileSync(join(dir, 's'), text);
    // The umask reduces the mode of a new file.
    chmodSync(join(dir, 's'), mode);
    const toml = `[targets.t]\ntype = "webhook"\nurl = "https://x.example/"\nsecret_file = "s"\n${more}`;
    return parseConfig(join(dir, 'config.toml'), toml).options.targets;
  };

  it('is taken without its line end, from beside the configuration', () => {
    expect(read(`${IN_FILE}\n`)).toEqual([expect.objectContaining({ name: 't', secret: IN_FILE })]);
  });

  it.each([
    ['others can read', IN_FILE, 0o644, '', 'run chmod 600 on it'],
    ['is too short', 'short', 0o600, '', 'the file does not hold 16 to 256 printable ASCII characters'],
    ['has two lines', `${IN_FILE}\n${IN_FILE}`, 0o600, '', 'the file does not hold'],
    ['is far too large', 'x'.repeat(5_000), 0o600, '', 'is larger than 4096 bytes'],
    ['is given twice', IN_FILE, 0o600, `secret = "${INLINE}"`, 'are both given: give one'],
  ])('that %s refuses the start, and is not shown', (_name, text, mode, more, words) => {
    let message = '';
    try {
      read(text, mode, more);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(words);
    expect(message).not.toContain(IN_FILE);
  });
});
