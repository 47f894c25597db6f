/**
 * A desk that may have 1,024 files open, and a stranger who opens 1,200 connections and keeps them: the
 * operator's console still attaches and trades, with the limit per address and without it, and the log
 * rotates to its next file.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOG_FILE_BYTES } from '../../../src/desk/core/log-file.ts';
import { attacked } from '../../support/attacks.ts';
import { EXCHANGE, startDesk, temporaryFolder, until } from '../support/desk-process.ts';

const OPEN_FILES = 1_024;
const CONNECTIONS = 1_200;

/** Opens a connection and sends one byte, so that it does not count as silent. */
async function hold(port: number): Promise<Socket | null> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  const connected = await Promise.race([
    new Promise<boolean>((resolve) => socket.once('connect', () => resolve(true))),
    new Promise<boolean>((resolve) => socket.once('close', () => resolve(false))),
  ]);
  if (connected) socket.write('G');
  return connected ? socket : null;
}

/** Bytes left for the lines of a start. */
const ROOM = 2_000;

/** Writes a log that is almost full. */
function fillLog(folder: string): void {
  mkdirSync(folder, { mode: 0o700 });
  writeFileSync(join(folder, 'outcry.log'), `${'x'.repeat(LOG_FILE_BYTES - ROOM)}\n`, { mode: 0o600 });
}

it.runIf(process.platform === 'linux')('connections of strangers leave the console its place', async () => {
  let held = 0;
  for (const [places, most] of [
    ['', 200],
    ['address_sockets = 1_000_000', OPEN_FILES - 256],
  ] as const) {
    const dataDir = join(temporaryFolder(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, 'config.toml'), `[limits]\n${places}\n`, { mode: 0o600 });
    fillLog(join(dataDir, 'log'));
    const desk = await startDesk(dataDir, [], { openFiles: OPEN_FILES });
    const before = readdirSync(`/proc/${desk.pid}/fd`).length;
    const sockets: Socket[] = [];
    while (sockets.length < CONNECTIONS) {
      const some = await Promise.all(Array.from({ length: 50 }, () => hold(Number(new URL(desk.url).port))));
      sockets.push(...some.filter((socket) => socket !== null));
    }
    const open = () => sockets.filter(({ destroyed }) => !destroyed).length;
    await until('the rest is closed', () => open() <= most);
    expect(readdirSync(`/proc/${desk.pid}/fd`).length).toBeLessThanOrEqual(before + most + 5);

    const console = await desk.attach();
    await until('the console has the state', () => console.state()?.prices['paper BTCUSDT']);
    const draft = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '80000',
      quantity: '0.01',
    } as const;
    const isRotated = () => readdirSync(join(dataDir, 'log')).includes('outcry.log.1');
    expect(isRotated()).toBe(false);
    for (let lines = 0; lines < ROOM / 50 && !isRotated(); lines++) {
      const placed = await console.client.call('orders.place', { exchange: EXCHANGE, ...draft });
      expect(placed).toMatchObject({ ok: true });
    }
    expect(isRotated()).toBe(true);
    expect(await console.client.call('orders.place', { exchange: EXCHANGE, ...draft })).toMatchObject({
      ok: true,
    });
    expect(readFileSync(join(dataDir, 'log/outcry.log'), 'utf8')).toContain('80000');
    held += 1;
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    expect(await desk.kill('SIGTERM')).toBe(0);
  }
  attacked('connections until none is left', 2, held);
});
