/**
 * `outcry doctor` with everything in order and with faults: the right line, the right exit code, nothing
 * written, a timely end.
 */
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DOCTOR_LIMIT_MS, doctor, examine } from '../../src/cli/doctor/doctor.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { realWorld, type World } from '../../src/cli/doctor/world.ts';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { connectDirect } from '../../src/desk/hosting/transports/direct.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { openRig, REQUEST } from '../desk/connections/rig.ts';
import { ok, openTestDesk, type TestDesk, temporaryFolder } from '../desk/integration/support.ts';
import { order } from '../store/rows.ts';
import { sshKey } from '../support/ssh-key.ts';

const DAY_MS = 86_400_000;
const NOBODY: World['connect'] = async () => null;

/** The state of a sound machine; `changed` breaks it. */
function worldOf(changed: Partial<World> = {}): World {
  return {
    ...realWorld({ connect: NOBODY }),
    env: { TERM: 'xterm-256color', LANG: 'C.UTF-8', COLORTERM: 'truecolor' },
    platform: 'linux',
    terminal: { columns: 120, rows: 40 },
    now: () => NOW,
    free: () => 50 * 1024 ** 3,
    answers: async () => false,
    holder: async () => null,
    program: (name) => `/usr/sbin/${name}`,
    ask: async () => 'yes\n',
    coreBytes: () => 0,
    ...changed,
  };
}

/** The time of all files that a test has written. */
const NOW = Date.UTC(2026, 0, 5);

function dated(folder: string): string {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (existsSync(join(folder, name))) utimesSync(join(folder, name), NOW / 1_000, NOW / 1_000);
  return folder;
}

/** A data folder as a desk leaves it after an orderly stop. */
function folder(prepare: (file: string) => void = () => {}): string {
  const dir = join(temporaryFolder(), 'data');
  mkdirSync(dir, { mode: 0o700 });
  const file = join(dir, 'outcry.db');
  const store = openSqliteStore(file, { onMaintainError: () => {} });
  store.close();
  prepare(file);
  return dated(dir);
}

/** Runs the doctor; returns its findings and its exit. */
async function ask(dataDir: string, changed: Partial<World> = {}) {
  let text = '';
  const out = (more: string) => {
    text += more;
  };
  const shell = { out, err: out, ask: null, secret: null, connect: NOBODY };
  const code = await doctor({ dataDir, json: true }, shell, worldOf(changed));
  const report = JSON.parse(text) as { ok: boolean; lines: Finding[] };
  expect(report.ok).toBe(code === 0);
  const bad = report.lines.filter(({ level }) => level !== 'ok');
  expect(bad.every(({ remedy }) => (remedy ?? '').length > 5)).toBe(true);
  return {
    code,
    lines: report.lines,
    bad: bad.map(({ check, level, text: said }) => `${level} ${check}: ${said}`),
  };
}

function terminalOf({ desk, clock }: TestDesk): World['connect'] {
  const hub = createSessionHub({ desk, clock, report: () => {} });
  return (_folder, how) => connectDirect(hub.accept, clock, how);
}

/** Names, sizes and times of all files in the folder. */
function contents(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { size, mtimeMs, mode } = statSync(join(dir, name));
      return `${name} ${size} ${mtimeMs} ${mode}`;
    });
}

describe('a sound world', () => {
  it('has a line for each look, all of them ok, and exit code 0', async () => {
    const { code, bad, lines } = await ask(folder());
    expect([code, bad]).toEqual([0, []]);
    expect(lines.map(({ check }) => check)).toEqual([
      'runtime',
      'folder',
      'disk',
      'config',
      'store',
      'desk',
      'port',
      'clock',
      'terminal',
      'sshd',
      'connections',
    ]);
  });

  it('is one without a data folder, too, and none is made', async () => {
    const dir = join(temporaryFolder(), 'none');
    expect(await ask(dir)).toMatchObject({ code: 0, bad: [] });
    expect(existsSync(dir)).toBe(false);
  });

  it('is left as it was, whether a desk runs, has stopped, or was killed', async () => {
    const t = await openTestDesk({ feed: 'synthetic' });
    const { connect, answers } = { connect: terminalOf(t), answers: async () => true };
    dated(t.dataDir);
    const running = contents(t.dataDir);
    expect(await ask(t.dataDir, { connect, answers })).toMatchObject({ code: 0, bad: [] });
    expect(contents(t.dataDir)).toEqual(running);
    // The files that a killed desk leaves: copied from a running one.
    const killed = join(temporaryFolder(), 'killed');
    mkdirSync(killed, { mode: 0o700 });
    for (const name of ['outcry.db', 'outcry.db-wal', 'outcry.db-shm'])
      writeFileSync(join(killed, name), readFileSync(join(t.dataDir, name)), { mode: 0o600 });
    dated(killed);
    const before = contents(killed);
    expect(await ask(killed)).toMatchObject({ code: 0, bad: [] });
    expect(contents(killed)).toEqual(before);
    await t.stop();
    const stopped = contents(dated(t.dataDir));
    expect(await ask(t.dataDir)).toMatchObject({ code: 0, bad: [] });
    expect(contents(t.dataDir)).toEqual(stopped);
  });
});

describe('a broken world', () => {
  it('without rights to the folder fails at the folder', async () => {
    const user = (process.getuid?.() ?? 0) + 1;
    const { code, bad } = await ask(folder(), { user });
    expect([code, bad]).toEqual([1, [expect.stringMatching(/^fail folder: .* belongs to another user/)]]);
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    expect((await ask(join(file, 'data'))).code).toBe(1);
  });

  it('with a full disk fails at the disk', async () => {
    const { code, bad } = await ask(folder(), { free: () => 1_000_000 });
    expect([code, bad]).toEqual([1, [expect.stringMatching(/^fail disk: .* is full: 0 MiB free/)]]);
  });

  it('with a wrong clock fails at the clock', async () => {
    const { code, bad } = await ask(folder(), { now: () => NOW - DAY_MS });
    expect([code, bad]).toEqual([
      1,
      ['fail clock: it says 2026-01-04 00:00 UTC, but the data folder was written at 2026-01-05 00:00 UTC'],
    ]);
    expect(await ask(folder(), { ask: async () => 'no\n' })).toMatchObject({
      code: 0,
      bad: [expect.stringMatching(/^warn clock: .*nothing keeps it right/)],
    });
  });

  it('whose port is taken fails at the port, and says by whom', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { answers, holder } = realWorld({ connect: NOBODY });
    const dir = folder((file) =>
      writeFileSync(join(dirname(file), 'config.toml'), `[api]\nport = ${port}\n`, { mode: 0o600 }),
    );
    const taken = await ask(dir, { answers, holder });
    await new Promise((resolve) => server.close(resolve));
    const by = process.platform === 'linux' ? `process ${process.pid} \\(` : 'process';
    expect([taken.code, taken.bad]).toEqual([
      1,
      [expect.stringMatching(new RegExp(`^fail port: 127\\.0\\.0\\.1:${port} is held by ${by}`))],
    ]);
    expect(await ask(dir, { answers, holder })).toMatchObject({ code: 0, bad: [] });
  });

  it.each([
    ['in its middle', 4_096 * 3],
    ['at its beginning', 0],
  ])('whose store is damaged %s fails at the store', async (_where, at) => {
    const dir = folder((file) => {
      const fd = openSync(file, 'r+');
      writeSync(fd, Buffer.alloc(4_096, 0xa5), 0, 4_096, at);
    });
    const { code, bad } = await ask(dir);
    expect([code, bad]).toEqual([1, [expect.stringMatching(/^fail store: .*damaged/)]]);
  });

  it('whose store another version has written fails at the store', async () => {
    const dir = folder((file) => {
      const version = Buffer.alloc(4);
      version.writeUInt32BE(99);
      writeSync(openSync(file, 'r+'), version, 0, 4, 60);
    });
    const { code, bad, lines } = await ask(dir);
    expect([code, bad]).toEqual([1, [expect.stringMatching(/^fail store: .*newer Outcry \(format 99/)]]);
    expect(lines.find(({ check }) => check === 'store')?.remedy).toBe('start it with that version');
  });

  it('whose stops wait in a desk that does not run warns of them, and of them alone', async () => {
    const stopped = (held: number) =>
      folder((file) => {
        const store = openSqliteStore(file, { onMaintainError: () => {} });
        const orders = Array.from({ length: held }, (_, n) => order(`held ${n}`, { phase: 'held' }));
        const ended = order('ended', { phase: 'held', status: 'CANCELLED', endedAt: 1 });
        const all = [...orders, ended, order('rests')];
        store.commit(all.map((one) => ({ kind: 'order', order: one })));
        store.close();
      });
    expect(await ask(stopped(0))).toMatchObject({ code: 0, bad: [] });
    for (const [held, words] of [
      [1, '1 order waits'],
      [2, '2 orders wait'],
    ] as const)
      expect(await ask(stopped(held))).toMatchObject({
        code: 0,
        bad: [`warn stops: ${words} in this desk, not at an exchange, and it does not run`],
      });
  });

  it('with operators and no sshd fails at sshd', async () => {
    const t = await openTestDesk({ feed: 'synthetic' });
    ok(await t.call('operators.set', { name: 'alice', role: 'viewer', key: sshKey() }));
    const connect = terminalOf(t);
    const broken = { program: () => null, connect, answers: async () => true };
    const line = /^fail sshd: there is no sshd on this machine: 1 operator cannot log in/;
    expect(await ask(dated(t.dataDir), broken)).toMatchObject({
      code: 1,
      bad: [expect.stringMatching(line)],
    });
    await t.stop();
    expect(await ask(dated(t.dataDir), { program: () => null })).toMatchObject({
      code: 1,
      bad: [expect.stringMatching(line)],
    });
    expect(await ask(t.dataDir)).toMatchObject({ code: 0, bad: [expect.stringMatching(/^warn sshd:/)] });
  });

  it('whose vault is locked fails at the connections that wait, and before the start it warns', async () => {
    const first = await openRig();
    ok(await first.ask('connections.add', REQUEST));
    const rig = await first.again({ vault: 'locked' });
    const looks = { answers: async () => true, connect: terminalOf(rig) };
    const { code, bad, lines } = await rig.wait(ask(dated(rig.dataDir), looks));
    expect([code, bad]).toEqual([1, ['fail connections: acme waits: the vault is locked']]);
    expect(lines.find(({ check }) => check === 'connections')?.remedy).toBe('outcry vault unlock');
  });

  it.each([
    [{ env: { TERM: 'dumb', LANG: 'C.UTF-8' } }, /TERM is dumb/],
    [{ env: { LANG: 'C.UTF-8' } }, /TERM is not set/],
    [{ env: { TERM: 'xterm', LANG: 'C' } }, /not UTF-8/],
    [{ terminal: { columns: 79, rows: 24 } }, /79x24 cells; the console needs 80x24/],
  ] satisfies [Partial<World>, RegExp][])('with a wrong terminal warns of it: %o', async (changed, words) => {
    const { code, bad } = await ask(folder(), changed);
    expect([code, bad.length, bad[0]]).toEqual([0, 1, expect.stringMatching(/^warn terminal: /)]);
    expect(bad[0]).toMatch(words);
  });

  it('that an exchange has banned fails at the connections until the ban is over', async () => {
    const dir = folder((file) => {
      const store = openSqliteStore(file, { onMaintainError: () => {} });
      store.commit([{ kind: 'meta', name: 'ban https://api.acme.example', value: NOW + 60_000 }]);
      store.close();
    });
    expect(await ask(dir)).toMatchObject({
      code: 1,
      bad: [
        'fail connections: https://api.acme.example has banned this machine until 2026-01-05 00:01 UTC: nothing is sent there',
      ],
    });
    expect(await ask(dir, { now: () => NOW + 60_000 })).toMatchObject({ code: 0, bad: [] });
  });

  it('with a wrong configuration fails at it; with an odd one it warns', async () => {
    const configured = (text: string) =>
      folder((file) => writeFileSync(join(dirname(file), 'config.toml'), text, { mode: 0o600 }));
    expect(await ask(configured('[api]\nport = "x"\n'))).toMatchObject({
      code: 1,
      bad: [expect.stringMatching(/^fail config: .*api\.port/)],
    });
    expect(await ask(configured('[api]\nprot = 1\n'))).toMatchObject({
      code: 0,
      bad: [expect.stringMatching(/^warn config: .*prot/)],
    });
  });
});

describe('a desk that hangs', () => {
  afterEach(() => void vi.useRealTimers());

  it('does not keep the doctor: its line says so in time', async () => {
    vi.useFakeTimers();
    const looked = examine(folder(), worldOf({ connect: () => new Promise(() => {}) }));
    await vi.advanceTimersByTimeAsync(DOCTOR_LIMIT_MS);
    const desk = (await looked).find(({ check }) => check === 'desk');
    expect(desk).toMatchObject({
      level: 'fail',
      text: expect.stringMatching(/no answer within 6 s/) as string,
    });
  });
});

describe('what is printed', () => {
  it('has nothing that commands a terminal', async () => {
    const dir = `${folder()}/\u001b[2J`;
    let text = '';
    const out = (more: string) => {
      text += more;
    };
    await doctor({ dataDir: dir }, { out, err: out, ask: null, secret: null, connect: NOBODY }, worldOf());
    expect(text).toMatch(/^ok {4}runtime/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
  });
});
