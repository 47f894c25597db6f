/**
 * The programs of docs/examples run as a script author runs them, against the built program with the
 * specification's limits. Where a machine lacks a tool, the test prints one line about it and passes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type DeskProcess, generateKey, startDesk, temporaryFolder, until } from './support/desk-process.ts';

const run = promisify(execFile);
const example = (name: string) => fileURLToPath(new URL(`../../docs/examples/${name}`, import.meta.url));
/** The machine's proxy is not used for loopback. */
const env = { ...process.env, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' };

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

interface Rig {
  readonly desk: DeskProcess;
  readonly keyFile: string;
  readonly privateKeyPem: string;
}

/** A desk whose market does not move; `config` replaces the specification's limits. */
async function rig(config = ''): Promise<Rig> {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'config.toml'), config, { mode: 0o600 });
  const desk = await startDesk(folder, ['--hold']);
  const { privateKeyPem } = await generateKey(desk);
  const keyFile = join(folder, 'example.pem');
  writeFileSync(keyFile, privateKeyPem, { mode: 0o600 });
  return { desk, keyFile, privateKeyPem };
}

/** The first line of a tool's own output, such as its version; null: the tool is missing. */
async function toolSays(command: string, ...args: string[]): Promise<string | null> {
  try {
    const { stdout } = await run(command, args, { env });
    return stdout.trim();
  } catch {
    return null;
  }
}

async function hasOpenSsl(): Promise<boolean> {
  return /^OpenSSL ([3-9]|\d\d)/.test((await toolSays('openssl', 'version')) ?? '');
}

function lacking(what: string): void {
  process.stdout.write(`an example needs ${what}, which is not here\n`);
}

/** Checks the output of a program that places an order and lists the open ones. */
function expectOnePlaced(stdout: string): void {
  const ids = stdout.match(/ps-[0-9a-z]+/g) ?? [];
  expect(ids).toHaveLength(2);
  expect(new Set(ids).size).toBe(1);
  expect(stdout.match(/OPENED/g)).toHaveLength(2);
}

describe('the program', () => {
  it('sign.mjs places and lists an order with nothing but Node', async () => {
    const { desk, keyFile } = await rig();
    const { stdout } = await run(process.execPath, [example('sign.mjs'), keyFile, desk.url], { env });
    expectOnePlaced(stdout);
  });

  it('sign.py places and lists an order with the package cryptography', async () => {
    if ((await toolSays('python3', '-c', 'import cryptography')) === null) return lacking('cryptography');
    const { desk, keyFile } = await rig();
    const { stdout } = await run('python3', [example('sign.py'), keyFile, desk.url], { env });
    expectOnePlaced(stdout);
  });

  it('sign.py places and lists an order with bare Python and OpenSSL', async () => {
    if ((await toolSays('python3', '--version')) === null) return lacking('python3');
    if (!(await hasOpenSsl())) return lacking('OpenSSL 3');
    const { desk, keyFile } = await rig();
    // -S: without installed packages.
    const { stdout } = await run('python3', ['-S', example('sign.py'), keyFile, desk.url], { env });
    expectOnePlaced(stdout);
  });

  it('sign.sh places and lists an order with OpenSSL and curl', async () => {
    if (!(await hasOpenSsl())) return lacking('OpenSSL 3');
    if ((await toolSays('curl', '--version')) === null) return lacking('curl');
    if (!/^\d{3}$/.test((await toolSays('date', '+%3N')) ?? '')) return lacking('GNU date');
    const { desk, keyFile } = await rig();
    const { stdout } = await run('sh', [example('sign.sh'), keyFile, desk.url], { env });
    expectOnePlaced(stdout);
  });

  it('retry.mjs comes again when it is told to, and places one order', async () => {
    const { desk, keyFile, privateKeyPem } = await rig('[limits.routes]\n"POST /orders" = 1\n');
    const first = await run(process.execPath, [example('retry.mjs'), keyFile, desk.url], { env });
    const second = await run(process.execPath, [example('retry.mjs'), keyFile, desk.url], { env });
    expect(first.stdout).toMatch(/^ps-[0-9a-z]+: OPENED\n$/);
    expect(second.stdout).toMatch(/^attempt 1: RATE_LIMITED, .*\nps-[0-9a-z]+: OPENED\n$/);
    const client = createClient({ baseUrl: desk.url, key: { privateKeyPem } });
    expect(await client.orders.list()).toHaveLength(2);
    await client.close();
  });

  it('retry.mjs gives up what will be refused again', async () => {
    const { desk, keyFile } = await rig();
    const root = `${desk.url}/nowhere`;
    const ended = run(process.execPath, [example('retry.mjs'), keyFile, root], { env });
    await expect(ended).rejects.toMatchObject({
      stdout: expect.stringMatching(/^attempt 1: NOT_FOUND, .*\n$/),
    });
  });

  it('websocket.mjs tells an order, and does not come back once its key is revoked', async () => {
    const { desk, keyFile, privateKeyPem } = await rig();
    const client = createClient({ baseUrl: desk.url, key: { privateKeyPem } });
    const child = spawn(
      process.execPath,
      [example('websocket.mjs'), keyFile, `${desk.url.replace('http', 'ws')}/v2/ws`],
      { env, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    children.push(child);
    let stdout = '';
    child.stdout.on('data', (data) => {
      stdout += data;
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until('the subscription', () => stdout.includes('"op":"subscribed"'));
    const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
    const { id } = await client.orders.place({ ...order, quantity: '0.01', price: '50000' });
    await until('the order', () => stdout.includes(`"event":"ORDER_CREATE","order":{"id":"${id}"`));
    await desk.line.call('keys.revoke', { id: client.keyId ?? '' });
    expect(await ended).toBe(0);
    expect(stdout).toMatch(/"code":"KEY_REVOKED".*\nclosed with 4003\n$/);
    await client.close();
  });

  it('websocket.mjs ends when its key is refused', async () => {
    const { desk, keyFile, privateKeyPem } = await rig();
    const client = createClient({ baseUrl: desk.url, key: { privateKeyPem } });
    await desk.line.call('keys.revoke', { id: client.keyId ?? '' });
    await client.close();
    const url = `${desk.url.replace('http', 'ws')}/v2/ws`;
    const ended = run(process.execPath, [example('websocket.mjs'), keyFile, url], { env });
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/"code":"INVALID_KEY"[\s\S]*closed with \d+\n$/),
    });
  });

  it('client.mjs imports the typed client by name, hears of its order and cancels it', async () => {
    const { desk, keyFile } = await rig();
    const { stdout } = await run(process.execPath, [example('client.mjs'), keyFile, desk.url], { env });
    expect(stdout.trim().split('\n')).toEqual([
      'stream: connecting',
      'stream: open',
      'subscribed: 0 open orders',
      'ORDER_CREATE BTCUSDT NEW',
      'ORDER_UPDATE BTCUSDT OPENED',
      'ORDER_UPDATE BTCUSDT CANCELLED',
      'stream: closed',
    ]);
  });

  it('bots.mjs has its settings refused, mends them, and runs, stops and deletes a bot', async () => {
    const { desk, keyFile } = await rig();
    const { stdout } = await run(process.execPath, [example('bots.mjs'), keyFile, desk.url], { env });
    const lines = stdout.trim().split('\n');
    // Responses and events come on different connections, so their order varies.
    expect(lines.filter((line) => line.startsWith('BOT_') && line !== 'BOT_UPDATE SQUEEZE STARTED')).toEqual([
      'BOT_UPDATE SQUEEZE NEW',
      'BOT_UPDATE SQUEEZE NEW',
      'BOT_STARTED SQUEEZE STARTED',
      'BOT_STOPPED SQUEEZE STOPPED',
    ]);
    expect(lines).toContainEqual(expect.stringMatching(/^INVALID_REQUEST: price\.percent\.sell: /));
    expect(lines.at(-1)).toBe('ended: operator');
  });
});
