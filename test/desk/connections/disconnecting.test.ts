/**
 * Disconnecting an exchange in the cases that are easily forgotten: orders whose outcome is unknown, a locked vault,
 * a configuration that somebody has rewritten; and new keys in place of a confirmation.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ok } from '../integration/support.ts';
import { openRig, REQUEST, type Rig, refusal } from './rig.ts';
import { acme } from './test-kind.ts';

/** Prices that come only as the test says. */
const FEED = { feed: 'okx' } as const;
const ADD = { ...REQUEST, venue: 'okx' };
const LIMIT = {
  exchange: 'acme-spot',
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  quantity: '0.01',
} as const;

async function connected(): Promise<Rig> {
  const exchange = acme();
  const rig = await openRig({ ...FEED, exchange: { ...exchange, kind: { ...exchange.kind, name: 'okx' } } });
  ok(await rig.ask('connections.add', ADD));
  for (const market of rig.acme.markets) market.ticks(['BTCUSDT', '60000']);
  await rig.clock.advance(1_000);
  return rig;
}

const remove = (rig: Rig) => rig.ask('connections.remove', { name: 'acme', word: 'acme' });
const stateOf = async (rig: Rig) => (await rig.ask('connections.list', {})).connections[0]?.state;
const configOf = ({ dataDir }: Rig) => join(dataDir, 'config.toml');

it('an order whose outcome is unknown may be open, and hinders it', async () => {
  const rig = await connected();
  const line = rig.acme.line('acme-spot');
  line.answers.submit = async () => ({ kind: 'unknown', cause: 'HTTP 502' });
  await rig.ask('orders.place', LIMIT);
  expect(line.sent).toHaveLength(1);
  expect(refusal(await remove(rig))).toBe(
    'acme cannot be disconnected: it has 1 open order; cancel them first',
  );
  expect(await stateOf(rig)).toBe('ready');
  const state = { ...line.working(line.sent[0] as never), status: 'CANCELLED' } as const;
  line.answers.query = async () => ({ kind: 'found', state, fills: [] });
  await rig.clock.advance(60_000);
  ok(await remove(rig));
});

it('needs no open vault', async () => {
  const rig = await connected();
  await rig.lock();
  await rig.clock.advance(1_000);
  ok(await remove(rig));
  expect(rig.desk.state().vault.connections).toEqual([]);
  expect(rig.config()).not.toContain('acme');
  await rig.unlock();
  await rig.clock.advance(1_000);
  expect(rig.desk.state().accounts.map(({ id }) => id)).toEqual(['paper-spot', 'paper-futures']);
  ok(await rig.ask('connections.add', ADD));
});

it('whose block cannot be taken out is none: keys and lines stay, and a block that is gone is no hindrance', async () => {
  const rig = await connected();
  const line = rig.acme.line('acme-spot');
  const block = rig.config();
  writeFileSync(configOf(rig), '[exchanges]\nacme = { venue = "okx" }\n');
  expect(refusal(await remove(rig))).toContain('take [exchanges.acme] out of it by hand');
  expect([rig.desk.state().vault.connections, await stateOf(rig), line.closed]).toEqual([
    ['acme'],
    'ready',
    false,
  ]);
  writeFileSync(configOf(rig), block);
  const second = await rig.again(FEED);
  expect(await stateOf(second)).toBe('ready');
  writeFileSync(configOf(second), '# nothing\n');
  ok(await remove(second));
  expect([second.desk.state().vault.connections, second.config()]).toEqual([[], '# nothing\n']);
});

it('new keys for changed addresses need no confirmation, also not at the next start', async () => {
  const first = await connected();
  const elsewhere = '[exchanges.acme.endpoints]\nspot-rest = "https://elsewhere.example"\n';
  writeFileSync(configOf(first), `${readFileSync(configOf(first), 'utf8')}${elsewhere}`);
  const rig = await first.again(FEED);
  expect(await stateOf(rig)).toBe('closed');
  const secrets = { apiKey: 'newer-key-1', secret: 'newer-secret-1' };
  expect(ok(await rig.ask('connections.add', { ...ADD, secrets, replace: true })).state).toBe('ready');
  const second = await rig.again(FEED);
  expect(await stateOf(second)).toBe('ready');
  expect(second.acme.line('acme-spot').keys.map(String)).toEqual(Object.values(secrets));
});
