/** Starts that must fail: one clear sentence on stderr, the right exit code, nothing damaged. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import {
  clientOf,
  EXCHANGE,
  generateKey,
  runMain,
  startDesk,
  temporaryFolder,
} from '../support/desk-process.ts';

/** Runs `serve` to its end and checks the form of its output; returns the sentence. */
async function refused(exitCode: 1 | 2, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runMain(['serve', ...args]);
  expect(stdout).toBe('');
  expect(stderr, stderr).toMatch(/^outcry: [^\n]+\n$/);
  expect(stderr).not.toMatch(/\bat .*\.(js|ts):\d+|\[object|undefined/);
  expect(code, stderr).toBe(exitCode);
  return stderr;
}

/** The database files: name to content. */
function contents(dataDir: string): Map<string, string> {
  const files = readdirSync(dataDir).filter((name) => name.startsWith('outcry.db') && !name.endsWith('-shm'));
  return new Map(files.sort().map((name) => [name, readFileSync(join(dataDir, name), 'base64')]));
}

const onAnyPort = (dataDir: string) => ['--data-dir', dataDir, '--port', '0'];

it('a second desk on the folder says which process has it, and the first one goes on', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const desk = await startDesk(dataDir);
  const client = clientOf(desk, await generateKey(desk));
  const sentence = await refused(1, onAnyPort(dataDir));
  expect(sentence).toContain('already runs');
  expect(sentence).toContain(dataDir);
  expect(sentence).toContain(String(desk.pid));
  const order = {
    exchange: EXCHANGE,
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: '80000',
    quantity: '0.01',
  };
  expect((await client.raw('POST', '/v2/orders', { body: JSON.stringify(order) })).status).toBe(200);
  expect(await desk.line.call('orders.closed', { limit: 1 })).toMatchObject({ orders: [] });
});

it('a damaged database is named, left as it is, and never replaced', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const desk = await startDesk(dataDir);
  await generateKey(desk);
  await desk.kill('SIGTERM');
  const file = join(dataDir, 'outcry.db');
  const whole = readFileSync(file);
  const cases: [string, Buffer][] = [
    ['no database at all', Buffer.from('not a database, but long enough to be read as a header '.repeat(4))],
    ['cut off in the middle', whole.subarray(0, Math.floor(whole.length / 2) + 100)],
    [
      'its first page is noise',
      Buffer.concat([whole.subarray(0, 100), Buffer.alloc(3_996, 0x5a), whole.subarray(4_096)]),
    ],
  ];
  for (const [name, bytes] of cases) {
    writeFileSync(file, bytes);
    const before = contents(dataDir);
    const sentence = await refused(1, onAnyPort(dataDir));
    expect(sentence, name).toContain(file);
    expect(contents(dataDir), name).toEqual(before);
  }
  writeFileSync(file, whole);
  const again = await startDesk(dataDir);
  expect((await again.attach()).client).toBeDefined();
});

it('a database of another program is refused and not touched', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  mkdirSync(dataDir, { mode: 0o700 });
  const file = join(dataDir, 'outcry.db');
  const other = new DatabaseSync(file);
  other.exec("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
  other.close();
  const before = contents(dataDir);
  expect(await refused(1, onAnyPort(dataDir))).toContain(file);
  expect(contents(dataDir)).toEqual(before);
});

it('an occupied port is named, and the folder can be used at once with another', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const server = createServer();
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  );
  try {
    const sentence = await refused(1, ['--data-dir', dataDir, '--port', String(port)]);
    expect(sentence).toContain(`port ${port}`);
    expect(sentence).toContain('--port');
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
  const desk = await startDesk(dataDir);
  expect(desk.pid).toBeGreaterThan(0);
});

it('an unreadable candle line is named with its file and number, and no folder is left half made', async () => {
  const folder = temporaryFolder();
  const candles = join(folder, 'candles');
  mkdirSync(candles);
  const line = (minute: number, close = '100') =>
    `${Date.UTC(2025, 1, 3) + minute * 60_000},100,101,99,${close},5`;
  const heading = 'time,open,high,low,close,volume';
  for (const [bad, what] of [
    [line(2, '1o0'), 'close'],
    [line(2, '150'), 'high'],
    [`${line(2)},7`, 'columns'],
    [line(1), 'twice'],
  ] as const) {
    writeFileSync(
      join(candles, 'BTCUSDT-1m.csv'),
      `${[heading, line(0), line(1), bad, line(3)].join('\n')}\n`,
    );
    const sentence = await refused(2, [...onAnyPort(join(folder, 'data')), '--feed', `csv:${candles}@1m`]);
    expect(sentence).toContain('BTCUSDT-1m.csv line 4');
    expect(sentence).toContain(what);
  }
});

it('options that cannot be are refused before anything is made', async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const cases: [string[], RegExp][] = [
    [['--prot', '0'], /unknown option --prot: did you mean --port\?/],
    [['--port', '70000'], /--port/],
    [['--speed', 'fast'], /--speed/],
    [['--feed', 'bitmex'], /--feed/],
    [['stray'], /no arguments/],
  ];
  await Promise.all(
    cases.map(async ([args, words]) => {
      expect(await refused(2, ['--data-dir', dataDir, ...args])).toMatch(words);
    }),
  );
  expect(existsSync(dataDir)).toBe(false);
});

it('a folder that cannot be one, and one that others use, are refused', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'mine');
  expect(await refused(1, onAnyPort(file))).toContain(file);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  const shared = join(folder, 'shared');
  mkdirSync(shared, { mode: 0o755 });
  cpSync(file, join(shared, 'theirs'));
  expect(await refused(1, onAnyPort(shared))).toContain('--data-dir');
  expect(statSync(shared).mode & 0o777).toBe(0o755);
});
