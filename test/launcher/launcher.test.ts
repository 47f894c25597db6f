/**
 * The launcher as a process, with a stand-in program in a folder laid out like an installed package: codes,
 * signals, streams and its own end. Where a bundled Node exists, asking for Node 99 forces the child path.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodePackagePath } from '../../bin/launcher-lib.js';

const BIN = fileURLToPath(new URL('../../bin', import.meta.url));
const BUNDLED = nodePackagePath(process.platform, process.arch);

const PROGRAM = `
const [what, ...rest] = process.argv.slice(2);
if (what === 'echo') {
  process.stdout.write(JSON.stringify(rest));
  process.stderr.write('noted');
} else if (what === 'stuck') {
  process.send({ outcry: 'leaving', code: 3 });
  for (;;);
} else if (what === 'exit') {
  process.exitCode = Number(rest[0]);
} else {
  process.on('SIGTERM', () => process.stdout.write('stopped ', () => process.exit(5)));
  process.on('SIGHUP', () => process.stdout.write('hup '));
  process.stdout.write('ready ');
  // Ends the stand-in if the launcher forgets it.
  setTimeout(() => process.exit(9), 60_000);
}
`;

let root = '';
const children: ChildProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outcry-launched-'));
  cpSync(BIN, join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'dist'));
  writeFileSync(join(root, 'dist/main.js'), PROGRAM);
  if (BUNDLED !== null) {
    const node = join(root, 'node_modules', BUNDLED);
    mkdirSync(dirname(node), { recursive: true });
    symlinkSync(process.execPath, node);
  }
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});

function requireNode(required: string): void {
  writeFileSync(
    join(root, 'package.json'),
    JSON.stringify({ type: 'module', engines: { node: `>=${required}` } }),
  );
}

function launch(required: string, ...args: string[]) {
  requireNode(required);
  return watch(
    spawn(process.execPath, [join(root, 'bin/outcry.js'), ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** Starts the launcher under a shell that waits for it and passes no signals on, as npm does. */
function launchUnderNpm(required: string) {
  requireNode(required);
  const command = `"${process.execPath}" "${join(root, 'bin/outcry.js')}" wait; exit $?`;
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  return watch(spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], env }));
}

function watch(child: ChildProcessByStdio<null, Readable, Readable>) {
  children.push(child);
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    said.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...said }));
  const until = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(said.stdout);
      if (match) return match;
      await once(child.stdout, 'data');
    }
  };
  return { child, ended, until };
}

it.skipIf(BUNDLED === null || process.platform === 'win32')(
  'a program that says that it leaves and stands still is ended, with the code it has named',
  async () => {
    expect(await launch('99.0.0', 'stuck').ended).toMatchObject({ code: 3, signal: null });
  },
);

describe.each([
  ['in its own process', '18.0.0'],
  ['in a child', '99.0.0'],
])('the program %s', (_where, required) => {
  const test = it.skipIf(required === '99.0.0' && (BUNDLED === null || process.platform === 'win32'));

  test('gets its arguments and the streams', async () => {
    const run = await launch(required, 'echo', 'a b', '--data-dir', '*').ended;
    expect(run).toEqual({
      code: 0,
      signal: null,
      stdout: JSON.stringify(['a b', '--data-dir', '*']),
      stderr: 'noted',
    });
  });

  test('gives its exit code', async () => {
    expect(await launch(required, 'exit', '7').ended).toMatchObject({ code: 7, signal: null });
  });

  test('gets signals and decides itself how to end', async () => {
    const { child, ended, until } = launch(required, 'wait');
    await until(/ready /);
    child.kill('SIGHUP');
    await until(/hup /);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 5, signal: null });
  });

  test('ends the launcher with the signal it ended of', async () => {
    const { child, ended, until } = launch(required, 'wait');
    await until(/ready /);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' });
  });

  test('ends in order when npm is told to end and only the shell between hears it', async () => {
    const { child, ended, until } = launchUnderNpm(required);
    await until(/ready /);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ signal: 'SIGTERM', stdout: 'ready stopped ' });
  });

  test('does not outlive a launcher that is killed', async () => {
    const { child, ended, until } = launch(required, 'wait');
    await until(/ready /);
    child.kill('SIGKILL');
    // `close` comes when the last process that holds the pipes is gone.
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });
  });
});

describe('the launcher', () => {
  it('says in one sentence that there is no Node to run on', async () => {
    rmSync(join(root, 'node_modules'), { recursive: true, force: true });
    const run = await launch('99.1.0', 'echo').ended;
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toBe(`outcry needs Node >= 99.1, found ${process.versions.node}\n`);
  });

  it.each(['@test', '@build', '@check'])('refuses %s outside a checkout', async (task) => {
    const run = await launch('18.0.0', task).ended;
    expect(run).toMatchObject({ code: 1, stderr: `${task} works in a source checkout only\n` });
  });

  it('refuses a task it does not know', async () => {
    const run = await launch('18.0.0', '@nothing').ended;
    expect(run).toMatchObject({ code: 1, stderr: 'outcry has no task @nothing\n' });
  });
});
