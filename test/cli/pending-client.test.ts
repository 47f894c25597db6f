/**
 * The terminal's client while its connection is still being made: requests wait, and key presses are reported
 * once there is a desk to report them to.
 */
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
  // A key pressed before the connection is not reported to the desk: its idle clock begins with the
  // connection.
  expect(desk.touches).toBe(2);
});
