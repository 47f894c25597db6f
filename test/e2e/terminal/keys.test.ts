/**
 * A key from the Keys screen, from start to end: made at the keyboard, used by a program, revoked at the
 * keyboard.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ApiError } from '../../../src/client/errors.ts';
import { answer, typeWord } from '../../support/terminal/dialogs.ts';
import { Stage } from '../../support/terminal/stage.ts';
import type { Terminal } from '../../support/terminal/terminal.ts';

let stage: Stage;
beforeEach(() => {
  stage = new Stage();
});
afterEach(() => stage.close());

const ORDER = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  quantity: '0.01',
  price: '90000',
} as const;

async function keysScreen(dataDir: string, size: { columns: number; rows: number }): Promise<Terminal> {
  const terminal = await stage.hostHeld(dataDir, size);
  terminal.press('6');
  await terminal.waitFor(/No keys yet/, 'the Keys screen');
  return terminal;
}

/** Goes to the next field of a form. */
async function next(terminal: Terminal, shown: RegExp): Promise<void> {
  terminal.press('tab');
  await terminal.waitFor(shown, `the field with ${shown}`);
}

async function revoke(terminal: Terminal, label: string): Promise<void> {
  terminal.press('x');
  await typeWord(terminal, label);
}

// proves: rule revocation
test('a program signs with a key made on the Keys screen until it is revoked there', async () => {
  const dataDir = stage.dataDir();
  const terminal = await keysScreen(dataDir, { columns: 110, rows: 32 });
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
  const order = await client.orders.place(ORDER);
  terminal.press('2');
  await terminal.waitFor(/BTCUSDT +BUY +LIMIT +0\.01000 +90,000\.00 .*OPENED/, "the program's order");
  terminal.press('x');
  await answer(terminal, /y cancel/, 'y');
  await terminal.waitFor(/90,000\.00 .*CANCELLED/, 'the order cancelled');
  const recent = await client.orders.list({ status: 'recent' });
  expect(recent.map(({ id, status }) => ({ id, status }))).toEqual([{ id: order.id, status: 'CANCELLED' }]);

  terminal.press('6');
  await terminal.waitFor(/robot/, 'the Keys screen');
  await revoke(terminal, 'robot');
  await terminal.waitFor(/0 active, 1 revoked/, 'the key revoked');
  const refused = await client.ping().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect((refused as ApiError).status).toBe(401);
});

// proves: rule key-registration, error EXCHANGE_NOT_ALLOWED, rule revocation
test('a key limited to addresses and accounts by keyboard is used within them, seen in use, and revoked', async () => {
  const dataDir = stage.dataDir();
  const terminal = await keysScreen(dataDir, { columns: 80, rows: 24 });
  terminal.press('n');
  await terminal.waitFor(/Generate a key/, 'the form');
  terminal.type('shy');
  await next(terminal, /▸ tier/);
  terminal.press('right');
  await terminal.waitFor(/◂ trade ▸/, 'tier trade');
  await next(terminal, /▸ addresses/);
  terminal.press('right');
  await terminal.waitFor(/◂ only these ▸/, 'an address list');
  await next(terminal, /Addresses or ranges/);
  terminal.type('127.0.0.1/8');
  await terminal.waitFor(/✗ 127\.0\.0\.1\/8/, 'the wrong entry marked');
  await terminal.waitFor(/write 127\.0\.0\.0\/8 for the/, 'what would be right');
  terminal.press('ctrl-u');
  terminal.type('127.0.0.0/8 2001:db8::/32');
  await terminal.waitFor(/✓ 127\.0\.0\.0\/8 +✓ 2001:db8::\/32/, 'both entries good');
  await next(terminal, /▸ accounts/);
  terminal.press('right');
  await terminal.waitFor(/▸ accounts +◂ only these ▸/, 'a shield');
  await next(terminal, /▸ +\[ \] paper-spot/);
  terminal.press('space');
  await terminal.waitFor(/\[x\] paper-spot/, 'the account taken');
  terminal.press('ctrl-r');
  await terminal.waitFor(/accounts +paper-spot *│/, 'the shield in the confirmation');
  await terminal.waitFor(/addresses +127\.0\.0\.0\/8 2001:db8::\/32/, 'the list in the confirmation');
  await answer(terminal, /y generate/, 'y');
  await terminal.waitFor(/\.pem/, 'the path of the private key');
  terminal.press('esc');
  await terminal.waitFor(/shy +trade +paper-spot +2 listed +0 +never +active/, 'the key in the list');

  const attached = await stage.attach(dataDir);
  const { desk, keys } = await attached.state();
  const client = stage.clientWith(`${dataDir}/keys/${keys[0]?.file}`, desk.apiUrl);
  await client.ping();
  const order = await client.orders.place(ORDER);
  expect(order.exchange).toBe('paper-spot');
  const elsewhere = await client.orders
    .place({ ...ORDER, exchange: 'paper-futures' })
    .catch((error) => error);
  expect(elsewhere).toMatchObject({ status: 403, code: 'EXCHANGE_NOT_ALLOWED' });

  await terminal.waitFor(
    /shy +trade +paper-spot +2 listed +2 +\d\d-\d\d \d\d:\d\d +active/,
    'the use of the key',
  );
  terminal.press('enter');
  await terminal.waitFor(/from +127\.0\.0\.1/, 'from where it was used');
  await terminal.waitFor(/requests +2 today .* 2 in all/, 'the count');
  await terminal.waitFor(/refused +EXCHANGE_NOT_ALLOWED/, 'the refusal');

  await revoke(terminal, 'shy');
  await terminal.waitFor(/revoked shy; 0 sockets closed/, 'the sockets');
  await terminal.waitFor(/0 active, 1 revoked/, 'the key revoked and listed');
  const refused = await client.ping().catch((error: unknown) => error);
  expect(refused).toMatchObject({ status: 401, code: 'INVALID_KEY' });
});

/** Runs the command that only the palette has. */
async function maintenance(terminal: Terminal): Promise<void> {
  terminal.press(':');
  await terminal.waitFor(/╭─ Command/, 'the palette');
  terminal.type('maintenance');
  await terminal.waitFor(/▸ maintenance on\/off/, 'the command');
  terminal.press('enter');
}

// proves: S39
test('maintenance turned on at the keyboard turns a program away until it is turned off', async () => {
  const dataDir = stage.dataDir();
  const terminal = await stage.hostHeld(dataDir);
  const attached = await stage.attach(dataDir);
  const client = await stage.client(attached, 'read');
  const status = async () => (await client.raw('GET', '/v2/ping')).status;
  expect(await status()).toBe(200);
  await maintenance(terminal);
  await terminal.waitFor(/▸ message/, 'the form');
  terminal.type('back soon');
  terminal.press('ctrl-r');
  await answer(terminal, /y turn the API away/, 'y');
  await terminal.waitFor(/ MAINT /, 'the header');
  expect(await status()).toBe(503);
  await maintenance(terminal);
  await answer(terminal, /y serve the API again/, 'y');
  await terminal.waitFor((text) => !text.includes(' MAINT '), 'the header without it');
  expect(await status()).toBe(200);
});
