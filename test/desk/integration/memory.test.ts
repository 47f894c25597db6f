/** What a console stores for its operator, over restarts of the desk. */
import { expect, it } from 'vitest';
import type { Caller } from '../../../src/desk/running.ts';
import { MEMORY_BYTES } from '../../../src/domain/operator-memory.ts';
import { sshKey } from '../../support/ssh-key.ts';
import { ok, openTestDesk } from './support.ts';

const of = (name: string): Caller => ({
  session: 's1',
  name,
  role: 'viewer',
  local: false,
  by: `${name}/s1 10.1.2.3`,
});

it('is each operator’s own, stored when it is answered, there after a restart, and gone with its operator', async () => {
  const first = await openTestDesk({ hold: true });
  const { dataDir } = first;
  ok(await first.call('operators.set', { name: 'alice', role: 'viewer', key: sshKey() }));
  expect(await first.call('memory.read', {})).toBeNull();
  ok(await first.call('memory.write', { memory: { theme: 'mono' } }));
  ok(await first.call('memory.write', { memory: { theme: 'light' } }, of('alice')));
  await first.stop();
  const second = await openTestDesk({ dataDir, hold: true });
  expect(await second.call('memory.read', {})).toEqual({ theme: 'mono' });
  expect(await second.call('memory.read', {}, of('alice'))).toEqual({ theme: 'light' });
  expect(await second.call('memory.read', {}, of('bob'))).toBeNull();
  ok(await second.call('operators.remove', { name: 'alice' }));
  expect(await second.call('memory.read', {}, of('alice'))).toBeNull();
  expect(await second.call('memory.read', {})).toEqual({ theme: 'mono' });
});

it('is at most 64 KiB as it is stored; what is more is refused, and what was there stays', async () => {
  const { call } = await openTestDesk({ hold: true });
  const of = (text: string) => ({ memory: { list: text } });
  const room = MEMORY_BYTES - JSON.stringify({ list: '' }).length;
  ok(await call('memory.write', of('x'.repeat(room))));
  // With a letter of three bytes in place of one.
  for (const text of ['x'.repeat(room + 1), `${'x'.repeat(room - 1)}€`])
    expect(await call('memory.write', of(text))).toMatchObject({
      ok: false,
      error: { code: 'INVALID_REQUEST' },
    });
  expect(await call('memory.read', {})).toEqual({ list: 'x'.repeat(room) });
});
