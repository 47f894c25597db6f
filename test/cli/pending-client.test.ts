/** The terminal's end of a line that is still being laid: what is asked waits, and keys are told once there is somebody to tell. */
import { expect, it } from 'vitest';
import { pendingClient } from '../../src/cli/pending-client.ts';
import type { DeskClient } from '../../src/desk/console/protocol.ts';
import { FakeDesk } from '../console/support/fake-desk.ts';

it('has all that the client has which it stands for', async () => {
  const desk = new FakeDesk();
  const { promise, resolve } = Promise.withResolvers<DeskClient>();
  const client = pendingClient(promise);
  client.touched();
  const asked = client.call('session.lock', {});
  desk.answers['session.lock'] = () => null;
  resolve(desk);
  expect(await asked).toBeNull();
  client.touched();
  client.touched();
  // A key before the line stands is none at the desk: its clock begins with the line.
  expect(desk.touches).toBe(2);
});
