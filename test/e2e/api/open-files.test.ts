/**
 * A desk that may have 1,024 files open, and a stranger who opens 1,200 connections and holds them: the operator's console
 * still attaches and trades, with the limit of one address and without it.
 */
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { attacked } from '../../support/attacks.ts';
import { EXCHANGE, startDesk, temporaryFolder, until } from '../support/desk-process.ts';

const OPEN_FILES = 1_024;
const CONNECTIONS = 1_200;

/** Opens a connection and says one byte, so that it is no silent one. */
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

it.runIf(process.platform === 'linux')('connections of strangers leave the console its place', async () => {
  let held = 0;
  for (const [places, most] of [
    ['', 200],
    ['address_sockets = 1_000_000', OPEN_FILES - 256],
  ] as const) {
    const dataDir = join(temporaryFolder(), 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, 'config.toml'), `[limits]\n${places}\n`, { mode: 0o600 });
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
    await until('the console has the state', () => console.state()?.prices.BTCUSDT);
    const draft = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '80000',
      quantity: '0.01',
    } as const;
    const placed = await console.client.call('orders.place', { exchange: EXCHANGE, ...draft });
    expect(placed).toMatchObject({ ok: true });
    held += 1;
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')));
    expect(await desk.kill('SIGTERM')).toBe(0);
  }
  attacked('connections until none is left', 2, held);
});
