/**
 * The vault of a real process: made, locked, opened by a file at the start. Secrets stored in it or typed at
 * it occur in nothing that the desk writes or prints.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type SecretUse, Vault } from '../../../src/access/vault/vault.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { MIGRATIONS } from '../../../src/store/sqlite/migrations.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { setup } from '../../support/build-once.ts';
import { ROOMY_CONFIG } from '../../support/roomy-limits.ts';
import { runMain, startDesk, temporaryFolder } from '../support/desk-process.ts';

beforeAll(setup, 120_000);

/** A random tag: values of an earlier run cannot be mistaken for those of this one. */
const tag = randomBytes(6).toString('hex');
const WRONG = `wrong passphrase ${tag}`;
const FIRST = `first "passphrase" of ${tag} äöü`;
const SECOND = `second 🔑 passphrase ${tag}`;

/** Secrets as exchanges issue them, and in forms that they may have later. */
const SECRETS: readonly string[] = [
  ...Array.from(
    { length: 6 },
    (_, i) => `hmac${i}${tag}NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j`,
  ),
  ...Array.from({ length: 4 }, () => randomBytes(32).toString('base64')),
  ...Array.from({ length: 4 }, () => randomBytes(32).toString('base64url')),
  ...Array.from({ length: 2 }, () => randomBytes(32).toString('hex')),
  ...Array.from(
    { length: 3 },
    () => `-----BEGIN PRIVATE KEY-----\n${randomBytes(48).toString('base64')}\n-----END PRIVATE KEY-----\n`,
  ),
  `"quoted \\"${tag}\\" and more of it"`,
  `{"apiKey":"${tag}-in-json"}`,
  `пароль ${tag} из слов`,
  `emoji 🔑🔑 ${tag} 👩‍💻`,
  `${tag}\ttabs\tand\nlines`,
];

const madeFor = (at: number): SecretUse => ({
  connection: `planted-${at}`,
  venue: 'binance',
  environment: 'live',
  field: 'secret',
  origins: ['https://api.binance.com'],
});

const bytes = (text: string) => Buffer.from(text, 'utf8');

/** The forms in which a secret could be written: plain, encoded, or as text within JSON. */
function formsOf(secret: string): Buffer[] {
  const plain = bytes(secret);
  const texts = [plain.toString('base64'), plain.toString('base64url'), plain.toString('hex')];
  // The middle part is found in an encoding whatever precedes the secret there.
  const middle = plain.subarray(3, -3);
  return [
    plain,
    middle,
    Buffer.from(secret, 'utf16le'),
    ...[...texts, JSON.stringify(secret).slice(1, -1)].map(bytes),
  ];
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Makes a vault in the folder with all secrets in it, without a desk. */
async function planted(dataDir: string): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const store = openSqliteStore(join(dataDir, 'outcry.db'));
  const vault = new Vault({
    stored: () => store.vault(),
    store: async (rows) => store.commit(rows),
    monotonic: () => 0,
    randomBytes,
    cost: { memory: 1_024, passes: 1, lanes: 1 },
  });
  expect(await vault.init(bytes(FIRST))).toEqual({ ok: true, data: null });
  for (const [at, secret] of SECRETS.entries()) {
    const rows = vault.seal(madeFor(at), bytes(secret));
    if (!rows.ok) throw new Error(rows.error.message);
    store.commit(rows.data);
  }
  // The secrets are in the vault: the search below does not miss them because they were never stored.
  for (const [at, secret] of SECRETS.entries()) {
    const found = vault.open(`planted-${at}`, 'secret', madeFor(at));
    expect(found.ok && found.secret.toString('utf8')).toBe(secret);
  }
  store.close();
}

it('keeps 24 planted secrets and its passphrases out of everything', { timeout: 120_000 }, async () => {
  expect(SECRETS).toHaveLength(24);
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  await planted(dataDir);
  const [first, second, wrong] = [FIRST, SECOND, WRONG].map((text, at) => {
    const file = join(folder, `passphrase-${at}`);
    writeFileSync(file, `${text}\n`, { mode: 0o600 });
    return file;
  }) as [string, string, string];
  writeFileSync(join(dataDir, 'config.toml'), `${ROOMY_CONFIG}\n[vault]\npassphrase_file = "${first}"\n`, {
    mode: 0o600,
  });
  const said: string[] = [];
  const outcry = async (...args: string[]) => {
    const ended = await runMain([...args, '--data-dir', dataDir]);
    said.push(ended.stdout, ended.stderr);
    return ended.code;
  };
  const desk = await startDesk(dataDir);
  const mirror = await desk.attach();
  expect(mirror.state()?.vault).toMatchObject({ state: 'open', retryAt: null });
  expect(mirror.state()?.vault.connections).toHaveLength(24);

  expect(await outcry('vault', 'init', '--passphrase-file', second)).toBe(1);
  expect(await outcry('vault', 'lock')).toBe(0);
  expect(await outcry('vault', 'unlock', '--passphrase-file', wrong)).toBe(1);
  // Unlocking is refused for a second after a wrong passphrase; a busy machine may start the command later
  // than that.
  if ((await outcry('vault', 'unlock', '--passphrase-file', first)) === 0)
    expect(await outcry('vault', 'lock')).toBe(0);
  expect(said.join()).toMatch(/try again in 1 s|wrong/);
  // Wrong calls that a terminal could make.
  const line = desk.line as { call(method: string, params: unknown): Promise<unknown> };
  for (const [method, params] of [
    ['vault.unlock', { passphrase: [SECOND] }],
    ['vault.unlock', { passphrase: SECOND.repeat(200) }],
    ['vault.unlock', { passphrase: SECOND, more: SECOND }],
    ['vault.change', { old: SECOND }],
    ['vault.forget', { connection: { SECOND } }],
  ] as const)
    said.push(await line.call(method, params).then(JSON.stringify, String));
  for (;;) {
    const came = await desk.line.call('vault.unlock', { passphrase: FIRST });
    said.push(JSON.stringify(came));
    if (came.ok) break;
    expect(came.error.code).toBe('RATE_LIMITED');
  }
  expect(await outcry('vault', 'change', '--passphrase-file', first, '--new-passphrase-file', second)).toBe(
    0,
  );
  expect(await outcry('vault', 'forget', 'planted-23', '--yes')).toBe(0);
  expect(await outcry('vault', 'forget', 'planted-23', '--yes')).toBe(1);
  for (const what of ['orders.export', 'trades.export', 'portfolio.export'] as const)
    said.push(JSON.stringify(await desk.line.call(what, {})));
  said.push(JSON.stringify(mirror.state()));
  for (const name of ['cmdline', 'environ']) {
    const file = `/proc/${desk.pid}/${name}`;
    if (existsSync(file)) said.push(readFileSync(file, 'utf8'));
  }
  // The folder while the desk runs, after a crash, and with the copy of a later version.
  const places = new Map<string, Buffer>();
  const look = (when: string) => {
    for (const file of filesIn(dataDir)) places.set(`${when} ${file}`, readFileSync(file));
  };
  look('running');
  await desk.kill('SIGKILL');
  look('killed');
  const later = { version: (MIGRATIONS.at(-1)?.version ?? 0) + 1, sql: 'CREATE TABLE later (a)' };
  openDatabase(join(dataDir, 'outcry.db'), [...MIGRATIONS, later]).close();
  look('copied');
  expect([...places.keys()].some((name) => name.endsWith('.bak'))).toBe(true);
  expect([...places.keys()].some((name) => name.includes('/log/'))).toBe(true);
  places.set('said', bytes(said.join('\n')));

  const found = [...places].flatMap(([place, content]) =>
    [...SECRETS, FIRST, SECOND, WRONG].flatMap((secret) =>
      formsOf(secret).some((form) => content.includes(form)) ? [`${place}: ${secret}`] : [],
    ),
  );
  expect(found).toEqual([]);
  // Proof that the search works: it finds a text that is there.
  expect(places.get('said')?.includes(bytes('planted-22'))).toBe(true);
  expect(statSync(join(dataDir, 'outcry.db')).mode & 0o077).toBe(0);
});

it('stays locked over a kill until somebody opens it, and with the passphrase of then', {
  timeout: 120_000,
}, async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, 'data');
  const file = join(folder, 'passphrase');
  writeFileSync(file, SECOND, { mode: 0o600 });
  const desk = await startDesk(dataDir);
  expect((await runMain(['vault', 'init', '--passphrase-file', file, '--data-dir', dataDir])).code).toBe(0);
  await desk.kill('SIGKILL');
  const again = await startDesk(dataDir);
  const mirror = await again.attach();
  expect(mirror.state()?.vault.state).toBe('locked');
  const unlocked = await runMain(['vault', 'unlock', '--passphrase-file', file, '--data-dir', dataDir]);
  expect([unlocked.code, unlocked.stdout]).toEqual([0, 'the vault is open\n']);
  await again.kill('SIGTERM');
});

const READS_MEMORY = process.platform === 'linux' && existsSync('/proc/self/mem');

/** Counts how often each of these occurs in the memory of a process. */
function inMemory(pid: number, wanted: readonly string[]): number[] {
  const forms = wanted.map((text) => [bytes(text), Buffer.from(text, 'utf16le')]);
  const counts = wanted.map(() => 0);
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
    const [, from = '', to = '', rights = ''] = /^([0-9a-f]+)-([0-9a-f]+) (\S+)/.exec(line) ?? [];
    if (!rights.startsWith('rw') || /vvar|vsyscall/.test(line)) continue;
    const start = Number.parseInt(from, 16);
    const part = Buffer.alloc(Number.parseInt(to, 16) - start);
    try {
      readSync(memory, part, 0, part.length, start);
    } catch {
      continue; // Not mapped any more.
    }
    for (const [at, ways] of forms.entries())
      for (const form of ways)
        for (let i = part.indexOf(form); i >= 0; i = part.indexOf(form, i + 1))
          counts[at] = (counts[at] ?? 0) + 1;
  }
  closeSync(memory);
  return counts;
}

it.runIf(READS_MEMORY)(
  'once locked is in no memory of the desk, nor what it was opened with',
  { timeout: 120_000 },
  async () => {
    const folder = temporaryFolder();
    const dataDir = join(folder, 'data');
    const passphrase = `for memory ${tag} and nothing else`;
    const secret = `${'secret'.repeat(4)}${tag}`;
    const file = join(folder, 'passphrase');
    writeFileSync(file, passphrase, { mode: 0o600 });
    // No server listens there: the account is opened, and its requests fail.
    const endpoints = {
      'spot-rest': 'http://127.0.0.1:9',
      'spot-stream': 'ws://127.0.0.1:9',
      'spot-api': 'ws://127.0.0.1:9',
    };
    mkdirSync(dataDir, { mode: 0o700 });
    const config = Object.entries(endpoints).map(([name, address]) => `${name} = "${address}"`);
    writeFileSync(
      join(dataDir, 'config.toml'),
      `${ROOMY_CONFIG}\n[vault]\npassphrase_file = "${file}"\n[exchanges.mine]\nvenue = "binance"\nmarkets = ["spot"]\n[exchanges.mine.endpoints]\n${config.join('\n')}\n`,
      { mode: 0o600 },
    );
    const store = openSqliteStore(join(dataDir, 'outcry.db'));
    const vault = new Vault({
      stored: () => store.vault(),
      store: async (rows) => store.commit(rows),
      monotonic: () => 0,
      randomBytes,
      cost: { memory: 1_024, passes: 1, lanes: 1 },
    });
    await vault.init(bytes(passphrase));
    const origins = [...new Set(Object.values(endpoints))].sort();
    for (const [field, text] of [
      ['apiKey', `key${tag}`],
      ['secret', secret],
    ] as const) {
      const use = { connection: 'mine', venue: 'binance', environment: 'live', field, origins };
      const rows = vault.seal(use, bytes(text));
      if (!rows.ok) throw new Error(rows.error.message);
      store.commit(rows.data);
    }
    store.close();

    const desk = await startDesk(dataDir);
    expect((await desk.attach()).state()?.vault).toMatchObject({ state: 'open' });
    // Proof that the search works: it finds the signing key.
    expect(inMemory(desk.pid, [passphrase, secret])).toEqual([
      0,
      expect.toSatisfy((count: number) => count > 0),
    ]);
    expect((await runMain(['vault', 'lock', '--data-dir', dataDir])).code).toBe(0);
    expect(inMemory(desk.pid, [passphrase, secret])).toEqual([0, 0]);
    await desk.kill('SIGTERM');
  },
);
