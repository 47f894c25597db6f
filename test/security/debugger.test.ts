/**
 * SIGUSR1, on which Node opens a debugger to every user of the machine, does nothing to a desk, however it
 * was started.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { startDesk, temporaryFolder, until } from '../e2e/support/desk-process.ts';
import { attacked } from '../support/attacks.ts';
import { setup } from '../support/build-once.ts';

const CLASS = 'the debugger, opened by a signal';
const INSPECTOR_PORT = 9229;
const LAUNCHER = fileURLToPath(new URL('../../bin/outcry.js', import.meta.url));

beforeAll(setup, 120_000);

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/** Sends the signal, and gives a debugger as much time as the desk's answers take. */
async function opens(pid: number, url: string): Promise<boolean> {
  for (let i = 0; i < 20; i++) {
    process.kill(pid, 'SIGUSR1');
    expect((await fetch(`${url}/v2/server/time`)).status).toBe(200);
    if (await listens(INSPECTOR_PORT)) return true;
  }
  return false;
}

it('the program', { timeout: 60_000 }, async () => {
  const desk = await startDesk(join(temporaryFolder(), 'data'));
  const opened = await opens(desk.pid, desk.url);
  attacked(CLASS, 1, opened ? 0 : 1);
});

it('the program as the launcher starts it', { timeout: 60_000 }, async () => {
  const child = spawn(
    process.execPath,
    [LAUNCHER, 'serve', '--data-dir', join(temporaryFolder(), 'data'), '--port', '0'],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  children.push(child);
  let said = '';
  let complained = '';
  child.stdout.on('data', (data) => {
    said += data;
  });
  child.stderr.on('data', (data) => {
    complained += data;
  });
  await until('the desk listens', () => said.includes('\n'), 30_000);
  const { url, pid } = JSON.parse(said) as { url: string; pid: number };
  const opened = await opens(pid, url);
  expect(complained).not.toContain('Debugger');
  attacked(CLASS, 1, opened ? 0 : 1);
  child.kill('SIGTERM');
  await once(child, 'exit');
});
