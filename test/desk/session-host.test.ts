import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { DeskClient } from '../../src/desk/console/protocol.ts';
import { hostDesk, STOP_LIMIT_MS } from '../../src/desk/hosting/host.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket } from '../../src/desk/hosting/transports/unix-socket.ts';
import { DeskStartError } from '../../src/desk/start-error.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { INFO } from './session-fake-desk.ts';

const worker = new URL('./session-host-worker.ts', import.meta.url);
let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'outcry-test-'));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const closed = (client: DeskClient) => new Promise<string>((resolve) => client.onClosed(resolve));

test('a hosted desk serves its own terminal and attached ones, and stops in order', async () => {
  const desk = await hostDesk({ dataDir }, { worker });
  expect(desk.info).toEqual(INFO);
  const own = await desk.connect();
  const other = await connectUnixSocket(dataDir, systemClock);
  if (!other) throw new Error('nobody listens');
  expect(await own.call('orders.closed', { limit: 1 })).toEqual({ limit: 1 });
  expect(await other.call('orders.closed', { limit: 2 })).toEqual({ limit: 2 });
  const reasons = [closed(own), closed(other)];
  await desk.stop('SIGTERM');
  await desk.stop('again');
  expect(await Promise.all(reasons)).toEqual(['SIGTERM', 'SIGTERM']);
  expect(await desk.ended).toEqual({ reason: 'SIGTERM', exitCode: 0 });
  expect(existsSync(join(dataDir, 'outcry.sock'))).toBe(false);
  await expect(desk.connect()).rejects.toThrow('lost');
});

test('an attached terminal can stop the desk', async () => {
  const desk = await hostDesk({ dataDir }, { worker });
  const other = await connectUnixSocket(dataDir, systemClock);
  await other?.call('desk.stop', {});
  expect(await desk.ended).toEqual({ reason: 'stopped at the terminal', exitCode: 0 });
});

test('a desk that gives up by itself ends with its reason and exit code', async () => {
  const desk = await hostDesk({ dataDir }, { worker });
  const own = await desk.connect();
  await own.call('feed.control', { action: 'pause' });
  expect(await desk.ended).toEqual({ reason: 'the store is broken', exitCode: 1 });
});

test('a desk that does not start says why, with the exit code it asks for', async () => {
  const start = hostDesk({ dataDir, feed: 'refuse' }, { worker });
  await expect(start).rejects.toThrow(DeskStartError);
  await expect(start).rejects.toMatchObject({ message: 'Option --feed is wrong', exitCode: 2 });
});

test('the death of the thread is an ending with exit code 1, and its terminals hear of it', async () => {
  const desk = await hostDesk({ dataDir }, { worker });
  const own = await desk.connect();
  const reason = closed(own);
  await own.call('orders.detail', { id: 'a' }).catch(() => {});
  expect(await desk.ended).toEqual({ reason: "the desk's thread failed: a bug", exitCode: 1 });
  expect(await reason).toBe('the line to the desk was lost');
  await desk.stop('too late');
});

test('a desk that does not stop is ended by force', async () => {
  const clock = new VirtualClock();
  const desk = await hostDesk({ dataDir, feed: 'stuck' }, { worker, clock });
  const stopped = desk.stop('SIGTERM');
  await clock.advance(STOP_LIMIT_MS);
  await stopped;
  expect(await desk.ended).toMatchObject({
    exitCode: 1,
    reason: expect.stringContaining('did not stop within'),
  });
});
