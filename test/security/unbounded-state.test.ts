/**
 * Limits of what a trade key can make the desk store: whatever it tries, consoles attach, and the bounds hold
 * on every path.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSessionHub } from '../../src/desk/console/session-hub.ts';
import { MAX_FRAME_BYTES } from '../../src/desk/hosting/transports/frames.ts';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { connectUnixSocket, listenUnixSocket } from '../../src/desk/hosting/transports/unix-socket.ts';
import type { AlertRecord, BotRecord } from '../../src/domain/bot.ts';
import { MAX_BOT_BYTES, MAX_BOTS } from '../../src/domain/bot-bounds.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import { LEVELS, openBots } from '../desk/integration/bots-rig.ts';
import { ok, openTestDesk, place, type TestDesk, temporaryFolder } from '../desk/integration/support.ts';
import { attacked } from '../support/attacks.ts';

const CLASS = 'state without bound';

async function attach({ desk }: TestDesk, state?: false) {
  const folder = temporaryFolder();
  const hub = createSessionHub({ desk, clock: systemClock, report: () => {} });
  const listener = await listenUnixSocket({ dataDir: folder, clock: systemClock, accept: hub.accept });
  const client = await connectUnixSocket(folder, systemClock, state === undefined ? {} : { state });
  if (!client) throw new Error('nobody listens');
  return {
    client,
    snapshot: () =>
      new Promise<ReturnType<typeof desk.state>>((resolve) =>
        client.onState((message, ack) => {
          ack();
          if ('snapshot' in message) resolve(message.snapshot);
        }),
      ),
    async end() {
      client.close();
      hub.closeAll('the test is over');
      await listener.close();
    },
  };
}

/** A store as before the bounds: very large bots, long alerts, many orders. */
async function fatStore(): Promise<{ r: Awaited<ReturnType<typeof openBots>>; rows: Row[]; id: string }> {
  const r = await openBots(['100']);
  const { id } = await r.make();
  const placed = await place(r.t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '0.5' });
  await r.t.clock.settle();
  await r.t.stop();
  const store = openSqliteStore(join(r.t.dataDir, 'outcry.db'));
  const loaded = store.load(0);
  const bot = loaded.bots.find((one) => one.id === id) as BotRecord;
  const order = loaded.orders.find((one) => one.id === placed.id) as OrderRecord;
  const junk = 'x'.repeat(2_500);
  const long = 'm'.repeat(200_000);
  const rows: Row[] = [
    ...Array.from({ length: 10_000 }, (_, i): Row => {
      const settings = { ...bot.settings, name: `fat ${i}`, junk: junk.repeat(1 + (i % 3)) };
      return { kind: 'bot', bot: { ...bot, id: `bfat${i}`, settings, metadata: i % 2 === 0 ? junk : null } };
    }),
    // A bot that changes have made larger than a frame.
    { kind: 'bot', bot: { ...bot, settings: { ...bot.settings, junk: 'x'.repeat(MAX_FRAME_BYTES + 1) } } },
    ...Array.from({ length: 3_000 }, (_, i): Row => {
      const metadata = JSON.stringify({ note: 'o'.repeat(4_000) });
      return { kind: 'order', order: { ...order, id: `fat${i}`, status: 'CANCELLED', metadata } };
    }),
    ...Array.from({ length: 300 }, (_, i): Row => {
      const alert: AlertRecord = {
        id: `a${i}`,
        botId: id,
        runId: 'r',
        user: bot.user,
        market: 1,
        at: i,
        symbol: 'BTCUSDT',
        condition: 'range[0]',
        message: long,
        price: null,
        seen: false,
        deliveries: [],
      };
      return { kind: 'alert', alert };
    }),
  ];
  store.commit(rows);
  store.close();
  return { r, rows, id };
}

describe('a store with far more than a message can hold', () => {
  it('is attached to by a console all the same, with every bot, order and alert in its mirror', async () => {
    const { r, rows, id } = await fatStore();
    expect(JSON.stringify(rows).length).toBeGreaterThan(5 * MAX_FRAME_BYTES);
    const t = await openTestDesk({ dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed, hold: true });
    const { client, snapshot, end } = await attach(t);
    const state = await snapshot();
    expect(Object.keys(state.bots)).toHaveLength(10_001);
    expect(Object.keys(state.orders).length).toBeGreaterThanOrEqual(3_000);
    expect(state.alerts).toHaveLength(200);
    expect(state.bots.bfat1).toMatchObject({ abridged: true, settings: { name: 'fat 1' } });
    // Parts left out are sent when asked for, and a detail that is too long to be sent does not end the
    // console.
    const detail = await client.call('bots.detail', { id: 'bfat1' });
    expect(detail?.bot.settings.junk).toHaveLength(5_000);
    await expect(client.call('bots.detail', { id })).rejects.toThrow(/too long/);
    ok(await client.call('bots.delete', { id, force: false }));
    await end();
    attacked(CLASS, 1, 1);
  });

  it('is no matter to a connection that asks for no state: keys are revoked, bots stopped', async () => {
    const { r } = await fatStore();
    const t = await openTestDesk({ dataDir: r.t.dataDir, clock: r.t.clock, feed: r.feed, hold: true });
    const { client, end } = await attach(t, false);
    const made = ok(await client.call('keys.generate', { label: 'again', tier: 'read' }));
    ok(await client.call('keys.revoke', { id: made.key.id }));
    await end();
    attacked(CLASS, 1, 1);
  });
});

describe('a trade key that makes as much as it can', () => {
  it('comes to a bounded number of bots of a bounded size, by creation and by changes', async () => {
    const r = await openBots(['100']);
    const junk = 'x'.repeat(60_000);
    const fat = { ...LEVELS, settings: { ...LEVELS.settings, junk } };
    let made = 0;
    for (let i = 0; i < MAX_BOTS + 20; i++)
      made += (await r.ask('POST', '/bots', fat)).status === 200 ? 1 : 0;
    const bots = await r.done('GET', '/bots');
    const [first] = bots as { id: string }[];
    let grown = 0;
    for (let i = 0; i < 25; i++) {
      const { status } = await r.ask('PATCH', `/bots/${first?.id}`, { config: { [`grow${i}`]: junk } });
      grown += status === 200 ? 1 : 0;
    }
    expect([made, grown]).toEqual([MAX_BOTS, 0]);
    expect(JSON.stringify(await r.done('GET', '/bots')).length).toBeLessThan(
      MAX_BOTS * (MAX_BOT_BYTES + 1_000),
    );
    const { snapshot, end } = await attach(r.t);
    expect(Object.keys((await snapshot()).bots)).toHaveLength(MAX_BOTS);
    await end();
    attacked(CLASS, 2, 2);
  });
});
