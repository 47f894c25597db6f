/** How a console and its desk start, end, and return. */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { answer } from '../../support/terminal/dialogs.ts';
import { type Attached, LAUNCHER, ROOT, Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';
import { gone } from '../../support/terminal/wait.ts';

/** The sequence that leaves the alternate screen. */
const MAIN_SCREEN = '\x1b[?1049l';
const CURSOR_SHOWN = '\x1b[?25h';
const CURSOR_HIDDEN = '\x1b[?25l';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

interface Hosted {
  readonly dataDir: string;
  readonly terminal: Terminal;
  readonly attached: Attached;
  readonly client: Client;
  readonly pid: number;
}

async function host(): Promise<Hosted> {
  const dataDir = stage.dataDir();
  const terminal = await stage.hostHeld(dataDir);
  const attached = await stage.attach(dataDir);
  const client = await stage.client(attached);
  return { dataDir, terminal, attached, client, pid: await stage.deskPid(dataDir) };
}

function place(client: Client, price: string) {
  return client.orders.place({
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price,
  });
}

/** Quits: `d` detaches, `s` stops the desk. */
async function quit(terminal: Terminal, key: 'd' | 's'): Promise<void> {
  terminal.press('q');
  await answer(terminal, /─ Leave ─/, key);
}

function expectRestored(terminal: Terminal): void {
  const { raw } = terminal;
  expect(raw.lastIndexOf(MAIN_SCREEN)).toBeGreaterThan(raw.lastIndexOf('\x1b[?1049h'));
  expect(raw.lastIndexOf(CURSOR_SHOWN)).toBeGreaterThan(raw.lastIndexOf(CURSOR_HIDDEN));
  expect(terminal.emulator.buffer.active.type).toBe('normal');
}

async function expectPortClosed(apiUrl: string): Promise<void> {
  const { hostname, port } = new URL(apiUrl);
  const code = await new Promise<string>((resolve) => {
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve('open');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
  });
  expect(code).toBe('ECONNREFUSED');
}

test('the window is closed: the desk goes on, and two new consoles show the same orders', async () => {
  const { dataDir, terminal, attached, client, pid } = await host();
  await place(client, '90000');
  await terminal.waitFor(/open +1/, 'the order on the screen');
  terminal.hangUp();
  await terminal.ended;
  await place(client, '80000');
  const first = stage.show(dataDir);
  const second = stage.show(dataDir, { columns: 200, rows: 50 });
  for (const console of [first, second]) {
    await console.waitFor(/open +2/, 'both orders counted');
    console.press('2');
    await console.waitFor(/90,000\.00 .*OPENED/, 'the order from before');
    await console.waitFor(/80,000\.00 .*OPENED/, 'the order from meanwhile');
  }
  const third = await place(client, '70000');
  for (const console of [first, second]) await console.waitFor(/70,000\.00 .*OPENED/, 'a new order on both');
  await client.orders.cancel({ exchange: 'paper-spot', id: third.id });
  for (const console of [first, second]) await console.waitFor(/70,000\.00 .*CANCELLED/, 'its end on both');
  expect(await stage.deskPid(dataDir)).toBe(pid);
  // An attached console leaves without a question.
  first.press('q');
  expect(await first.ended).toEqual({ exitCode: 0, signal: 0 });
  expectRestored(first);
  expect(await client.ping()).toMatchObject({ message: expect.any(String) });
  expect(Object.keys((await attached.state()).orders)).toHaveLength(3);
});

describe.each([
  ['outcry', `'${process.execPath}' '${LAUNCHER}'`],
  ['npm start', `npm start --silent --prefix '${ROOT}' --`],
])('started in a shell with %s', (_name, outcry) => {
  test('q, detach: the shell has its prompt back, the desk goes on, outcry attaches again', async () => {
    const dataDir = stage.dataDir();
    const shell = stage.terminal('/bin/sh', ['-i']);
    await shell.waitFor(/[#$] *$/m, "the shell's own prompt");
    shell.type(`PS1='ready> '\r`);
    await shell.waitFor(/^ready>\s*$/m, 'the prompt');
    shell.type(`${outcry} --data-dir '${dataDir}' --port 0 --hold; echo "code $?"\r`);
    await shell.waitFor(/Watchlist/, 'the first screen');
    shell.press('.');
    await shell.waitFor(/BTCUSDT +\d/, 'the first prices');
    const attached = await stage.attach(dataDir);
    const client = await stage.client(attached);
    await place(client, '90000');
    await quit(shell, 'd');
    await shell.waitFor(/code 0\s+ready>\s*$/, 'the code and the prompt');
    expectRestored(shell);
    expect(shell.text()).toMatch(/^The desk goes on without a terminal \(process \d+\)/m);
    shell.type('echo "still $((40 + 2))"\r');
    await shell.waitFor(/^still 42$/m, "the shell's answer");
    expect(await client.orders.list()).toHaveLength(1);
    shell.type(`${outcry} --data-dir '${dataDir}'; echo "second code $?"\r`);
    await shell.waitFor(/open +1/, 'the order on the same desk');
    shell.press('q');
    await shell.waitFor(/second code 0\s+ready>\s*$/, 'the prompt again');
    expect(await client.orders.list()).toHaveLength(1);
  });
});

test('kill -9 under a shell: the shell has its terminal back', async () => {
  const dataDir = stage.dataDir();
  const shell = stage.terminal('/bin/sh', ['-i']);
  await shell.waitFor(/[#$] *$/m, "the shell's own prompt");
  shell.type(`PS1='ready> '\r`);
  await shell.waitFor(/^ready>\s*$/m, 'the prompt');
  shell.type(`'${process.execPath}' '${LAUNCHER}' --data-dir '${dataDir}' --port 0 --hold\r`);
  await shell.waitFor(/Watchlist/, 'the first screen');
  process.kill(await stage.deskPid(dataDir), 'SIGKILL');
  await shell.waitFor(/ready>\s*$/, 'the prompt again');
  expectRestored(shell);
  shell.type('echo "still $((40 + 2))"\r');
  await shell.waitFor(/^still 42$/m, "the shell's answer");
});

test('q, stop: the command ends with 0, the desk has ended and its port is closed', async () => {
  const { terminal, attached, pid } = await host();
  const { desk } = await attached.state();
  await quit(terminal, 's');
  expect(await terminal.ended).toEqual({ exitCode: 0, signal: 0 });
  expectRestored(terminal);
  await gone(pid);
  expect(await attached.closed).toMatch(/stopped at the terminal/);
  await expectPortClosed(desk.apiUrl);
});

test('SIGTERM to the hosting process: a clean stop with 0 and the terminal as before', async () => {
  const { terminal, attached, client, pid } = await host();
  const { desk } = await attached.state();
  await place(client, '90000');
  process.kill(pid, 'SIGTERM');
  expect(await terminal.ended).toEqual({ exitCode: 0, signal: 0 });
  expectRestored(terminal);
  await gone(pid);
  await expectPortClosed(desk.apiUrl);
});

test('kill -9 of the hosting process: a new start knows every acknowledged order', async () => {
  const { dataDir, terminal, client, pid } = await host();
  const prices = ['90000', '89000', '88000', '87000', '86000'];
  const placed = await Promise.all(prices.map((price) => place(client, price)));
  process.kill(pid, 'SIGKILL');
  await terminal.ended;
  await gone(pid);
  const again = stage.host(dataDir, { args: ['--hold'] });
  await again.waitFor(/open +5/, 'the orders counted');
  again.press('2');
  for (const price of ['90,000.00', '89,000.00', '88,000.00', '87,000.00', '86,000.00'])
    await again.waitFor(price, `the order at ${price}`);
  const { orders } = await (await stage.attach(dataDir)).state();
  expect(Object.keys(orders).sort()).toEqual(placed.map(({ id }) => id).sort());
});

describe('without a terminal', () => {
  test('one sentence says so, and the code is 2', async () => {
    const child = spawn(process.execPath, [LAUNCHER, '--data-dir', stage.dataDir()], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(2);
    expect(said).toMatch(/^outcry: [^\n]*terminal[^\n]*\n$/);
  });
});
