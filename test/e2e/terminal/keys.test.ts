/** A key from the Keys screen to its end: made at the keyboard, used by a program, revoked at the keyboard. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../../../src/client/errors.ts';
import { answer, listening } from '../../support/terminal/dialogs.ts';
import { Stage } from '../../support/terminal/stage.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

test('a program signs with a key made on the Keys screen until it is revoked there', async () => {
  const dataDir = stage.dataDir();
  const terminal = await stage.hostHeld(dataDir, { columns: 110, rows: 32 });
  terminal.press('6');
  await terminal.waitFor(/No keys yet/, 'the Keys screen');
  terminal.press('n');
  await terminal.waitFor(/Generate a key/, 'the form');
  terminal.type('robot');
  terminal.press('tab');
  await terminal.waitFor(/▸ tier/, 'the tier in focus');
  terminal.press('right');
  await terminal.waitFor(/◂ trade ▸/, 'tier trade');
  terminal.press('ctrl-r');
  await answer(terminal, /y generate/, 'y');
  const pem = await terminal.waitFor(/(\/\S+robot\S*\.pem)/, 'the path of the private key');
  expect(terminal.text()).not.toMatch(/BEGIN PRIVATE KEY/);
  terminal.press('esc');
  await terminal.waitFor(/1 active/, 'the key in the list');

  const attached = await stage.attach(dataDir);
  const { desk } = await attached.state();
  const client = stage.clientWith(pem, desk.apiUrl);
  const order = await client.orders.place({
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    quantity: '0.01',
    price: '90000',
  });
  terminal.press('2');
  await terminal.waitFor(/BTCUSDT +BUY +LIMIT +0\.01000 +90,000\.00 .*OPENED/, "the program's order");
  terminal.press('x');
  await answer(terminal, /y cancel/, 'y');
  await terminal.waitFor(/90,000\.00 .*CANCELLED/, 'the order cancelled');
  const recent = await client.orders.list({ status: 'recent' });
  expect(recent.map(({ id, status }) => ({ id, status }))).toEqual([{ id: order.id, status: 'CANCELLED' }]);

  terminal.press('6');
  await terminal.waitFor(/robot/, 'the Keys screen');
  terminal.press('x');
  await listening(terminal, /type robot/);
  // The word is typed, not pasted: letters that come together count for nothing.
  let typed = '';
  for (const letter of 'robot') {
    terminal.press(letter);
    typed += letter;
    await terminal.waitFor(typed === 'robot' ? /y revoke/ : `type robot : ${typed}`, `${typed} typed`);
  }
  terminal.press('y');
  await terminal.waitFor(/0 active, 1 revoked/, 'the key revoked');
  const refused = await client.ping().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect((refused as ApiError).status).toBe(401);
});
