/**
 * The lab and the single display of a private key on a whole desk: the same words as the API's answer, and
 * nothing in any log.
 */
import { createPrivateKey, sign } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { clientOf, flat, ok, openTestDesk, writeCandles } from './support.ts';

async function deskWithKey() {
  const t = await openTestDesk({ feed: writeCandles({ BTCUSDT: flat('100', 5) }), hold: true });
  // Timestamps from before the start are refused for its first seconds.
  await t.clock.advance(60_000);
  const made = ok(await t.call('keys.generate', { label: 'bot', tier: 'read' }));
  const pem = readFileSync(made.path, 'utf8');
  return { t, made, pem };
}

it('the lab and the API refuse a request in the same words', async () => {
  const { t, made, pem } = await deskWithKey();
  const timestamp = String(t.clock.wall());
  const signature = sign(null, Buffer.from(`${timestamp}GET/v2/orders`), createPrivateKey(pem)).toString(
    'base64url',
  );
  const report = await t.call('keys.explain', {
    id: made.key.id,
    method: 'GET',
    target: '/v2/orders?status=open',
    body: '',
    timestamp,
    signature,
  });
  expect(report.hint).toBe('it was signed over the path without its query');
  const refusing = report.rules.find(({ verdict }) => verdict === 'refuses');
  const answer = await fetch(`${t.desk.info.apiUrl}/v2/orders?status=open`, {
    headers: { 'X-SVC-KEY': made.key.id, 'X-SVC-TIMESTAMP': timestamp, 'X-SVC-SIGN': signature },
  });
  const { error } = (await answer.json()) as { error: { code: string; message: string } };
  expect({ code: refusing?.code, message: refusing?.text }).toEqual({
    code: error.code,
    message: error.message,
  });
});

it('a request that the lab lets pass is let in afterwards: its signature was not used up', async () => {
  const { t, made, pem } = await deskWithKey();
  const timestamp = String(t.clock.wall());
  const signature = sign(null, Buffer.from(`${timestamp}GET/v2/ping`), createPrivateKey(pem)).toString(
    'base64url',
  );
  const request = { id: made.key.id, method: 'GET', target: '/v2/ping', body: '', timestamp, signature };
  for (let n = 0; n < 2; n++) {
    const { rules } = await t.call('keys.explain', request);
    expect(rules.filter(({ verdict }) => verdict === 'refuses')).toEqual([]);
  }
  const headers = { 'X-SVC-KEY': made.key.id, 'X-SVC-TIMESTAMP': timestamp, 'X-SVC-SIGN': signature };
  expect((await fetch(`${t.desk.info.apiUrl}/v2/ping`, { headers })).status).toBe(200);
  const post = await t.call('keys.explain', { ...request, method: 'POST', target: '/v2/orders' });
  expect(post.rules.find(({ name }) => name === 'tier')).toMatchObject({
    verdict: 'refuses',
    code: 'FORBIDDEN',
  });
  expect(await t.call('keys.explain', { ...request, id: 'nobody' })).toEqual({ rules: [], hint: null });
});

it('a private key is shown once, within ten minutes of its making, and is in no log', async () => {
  const { t, made, pem } = await deskWithKey();
  expect(ok(await t.call('keys.reveal', { id: made.key.id })).pem).toBe(pem);
  expect((await t.call('keys.reveal', { id: made.key.id })).ok).toBe(false);
  const late = ok(await t.call('keys.generate', { label: 'late', tier: 'read' }));
  await t.clock.advance(10 * 60_000 + 1);
  expect((await t.call('keys.reveal', { id: late.key.id })).ok).toBe(false);
  expect((await t.call('keys.reveal', { id: 'nobody' })).ok).toBe(false);
  const last = ok(await t.call('keys.generate', { label: 'last', tier: 'read' }));
  await t.clock.advance(10 * 60_000);
  expect((await t.call('keys.reveal', { id: last.key.id })).ok).toBe(true);
  const secret = pem.split('\n')[1] ?? '';
  await clientOf(t);
  const { log } = t.desk.state();
  expect(log.map(({ text }) => text)).toContain(
    `private key of ${made.key.id.slice(0, 8)} (bot) shown at a terminal`,
  );
  await t.stop();
  const folder = join(t.dataDir, 'log');
  const files = [...readdirSync(folder).map((name) => join(folder, name)), join(t.dataDir, 'outcry.db')];
  for (const file of files) expect(readFileSync(file, 'latin1')).not.toContain(secret);
});

it('of the keys made lately the newest 32 can be shown, and of these each', async () => {
  const { t, made } = await deskWithKey();
  const ids = [made.key.id];
  for (let n = 1; n < 33; n++) {
    ids.push(ok(await t.call('keys.generate', { label: `bot ${n}`, tier: 'read' })).key.id);
    // The number of active keys is limited.
    ok(await t.call('keys.revoke', { id: ids.at(-1) as string }));
  }
  const shown: boolean[] = [];
  for (const id of ids) shown.push((await t.call('keys.reveal', { id })).ok);
  expect(shown).toEqual([false, ...Array(32).fill(true)]);
});
