/**
 * The channel botStatus on a whole desk, and which bots a key with a shield may see and command.
 * Specification, "Events".
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { GeneratedKey } from '../../../src/desk/console/protocol.ts';
import type { PublicBot } from '../../../src/schemas/bot.ts';
import { WsSigner } from '../../api/ws/session-rig.ts';
import { StreamClient } from '../../api/ws/support.ts';
import { type BotsRig, LEVELS, openBots } from './bots-rig.ts';
import { clientOf, EXCHANGE } from './support.ts';

const FUTURES = 'paper-futures';
const ON_FUTURES = { ...LEVELS, settings: { ...LEVELS.settings, exchange: FUTURES } };
/** All fields that an event of a bot may have. */
const KEYS = 'alert exchange id metadata options runId settings state stats status symbol tag type'.split(
  ' ',
);

async function hear(r: BotsRig, key: GeneratedKey, filter: object = {}): Promise<StreamClient> {
  const signer = new WsSigner(readFileSync(key.path, 'utf8'));
  const client = await StreamClient.open(r.t.desk.info.wsUrl, signer, () => r.t.clock.wall());
  await client.authenticate();
  return client.subscribe({ channel: 'botStatus', ...filter });
}

interface BotEvent {
  readonly event: string;
  readonly bot: PublicBot;
}

async function heard(client: StreamClient): Promise<BotEvent[]> {
  await client.settle();
  return client.all('update.botStatus').map(({ data }) => data as unknown as BotEvent);
}

const names = (events: readonly BotEvent[]) => events.map(({ event, bot }) => `${event} ${bot.status}`);

async function open(prices: readonly string[] = ['100', '100', '89', '100', '100']): Promise<BotsRig> {
  const r = await openBots(prices);
  await r.minutes(1);
  return r;
}

describe('the channel botStatus', () => {
  // proves: ws-message update.botStatus, rule ws-bot-status, bot-state start, bot-state stop, bot record
  it('tells the life of a bot, never with more than may be shown', async () => {
    const r = await open();
    const key = await r.key({ tier: 'read' });
    const client = await hear(r, key);
    const { id, runId } = await r.started({
      ...LEVELS,
      tag: 'mine',
      metadata: 'x',
      options: { reuse: true },
    });
    await r.t.clock.advance(1_000);
    await r.minutes(3);
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    await r.done('PATCH', `/bots/${id}`, { metadata: 'y' });
    await r.done('DELETE', `/bots/${id}`);
    const events = await heard(client);
    expect(names(events).filter((name, i, all) => name !== all[i - 1])).toEqual([
      'BOT_UPDATE NEW',
      'BOT_STARTED STARTED',
      'BOT_UPDATE STARTED',
      'BOT_STOPPED STOPPED',
      'BOT_UPDATE STOPPED',
    ]);
    for (const { bot } of events) {
      expect(KEYS).toEqual(expect.arrayContaining(Object.keys(bot)));
      expect(bot).toMatchObject({
        id,
        type: 'CHANNEL',
        exchange: EXCHANGE,
        symbol: LEVELS.settings.symbol,
        tag: 'mine',
      });
      expect(bot.runId).toBe(bot.status === 'STARTED' ? runId : undefined);
    }
    const told = JSON.stringify(client.all('update.botStatus'));
    expect(told).not.toMatch(/owner|"user|keyId|createdAt|updatedAt|restartAt|"slots"|"lots"|\$n/);
    expect(told).not.toContain(key.key.id);
    expect(client.all('update.botStatus')[0]).toMatchObject({ channel: 'botStatus', ts: expect.any(Number) });
  });

  // proves: bot-state fail, ws-message update.botStatus
  it('tells of a failure', async () => {
    const r = await open(['100']);
    const client = await hear(r, await r.key());
    const { id } = await r.started();
    await r.fault({ fault: 'reject', times: 8 });
    await r.minutes(2);
    const last = (await heard(client)).at(-1);
    expect(last).toMatchObject({ event: 'BOT_ERROR', bot: { id, status: 'ERROR' } });
    expect(last?.bot).not.toHaveProperty('runId');
  });

  it('tells nothing of a bot that does nothing', async () => {
    const r = await open(Array(12).fill('100'));
    const client = await hear(r, await r.key());
    await r.started();
    const updates = async () => (await heard(client)).length;
    for (let i = 0; i < 2; i++) {
      await r.minutes(1);
      await r.t.clock.advance(2_000);
    }
    const before = await updates();
    for (let i = 0; i < 5; i++) {
      await r.minutes(1);
      await r.t.clock.advance(2_000);
    }
    expect(await updates()).toBe(before);
  });

  // proves: S42, bot decided update-rate
  it('tells of figures and labels once a second at most', async () => {
    const r = await open(['100', '100', '89', '111', '89', '111', '100']);
    const client = await hear(r, await r.key());
    await r.started();
    const at = new Set<number>();
    for (let i = 0; i < 6; i++) {
      at.add(r.t.clock.wall());
      await r.minutes(1);
      await r.t.clock.advance(400);
    }
    const messages = (await heard(client)).length > 0 ? client.all('update.botStatus') : [];
    const updates = messages.filter(
      ({ data }) => data.event === 'BOT_UPDATE' && data.bot.status === 'STARTED',
    );
    expect(updates.length).toBeGreaterThan(0);
    for (const [i, { ts }] of updates.entries()) {
      const before = updates[i - 1]?.ts;
      if (before !== undefined) expect(ts - before).toBeGreaterThanOrEqual(1_000);
    }
  });

  // proves: S42, ws-message update.botStatus, bot ALARM notice
  it('tells of an alert', async () => {
    const r = await open(['100', '100', '106', '106']);
    const client = await hear(r, await r.key());
    const line = { '1738540000000': 105, '1738550000000': 105 };
    const { id } = await r.started({
      type: 'ALARM',
      settings: {
        exchange: EXCHANGE,
        symbol: { base: 'BTC', quote: 'USDT' },
        ticker: 'BTCUSDT',
        range: [{ type: 'price', trend: line }],
        message: '{symbol} is at {price}',
      },
    });
    await r.minutes(3);
    const alerts = (await heard(client)).filter(({ bot }) => bot.alert !== undefined);
    expect(alerts).toMatchObject([
      {
        event: 'BOT_UPDATE',
        bot: {
          id,
          status: 'STARTED',
          alert: {
            symbol: 'BTCUSDT',
            condition: 'range[0]',
            message: 'BTCUSDT is at 106',
            time: expect.any(Number),
          },
        },
      },
    ]);
    expect(await r.bot(id)).not.toHaveProperty('alert');
  });

  it('tells of a delete by force as of a stop', async () => {
    const r = await open();
    const client = await hear(r, await r.key());
    const { id } = await r.started();
    await r.done('DELETE', `/bots/${id}?force=true`);
    expect((await heard(client)).at(-1)).toMatchObject({
      event: 'BOT_STOPPED',
      bot: { id, status: 'STOPPED' },
    });
  });

  // proves: rule ws-filter-bot-status
  it('with an exchange or a symbol is acknowledged and never delivers', async () => {
    const r = await open();
    const key = await r.key();
    const clients = [
      await hear(r, key, { exchange: EXCHANGE }),
      await hear(r, key, { symbol: 'BTCUSDT' }),
      await hear(r, key, { exchange: EXCHANGE, symbol: 'BTCUSDT' }),
    ];
    const { id, runId } = await r.started();
    await r.done('DELETE', `/bots/${id}/runs/${runId}`);
    for (const client of clients) expect(await heard(client)).toEqual([]);
  });

  it('tells of the orders of a bot on the channel of orders, with its ids', async () => {
    const r = await open();
    const key = await r.key();
    const client = await (await hear(r, key)).subscribe({ channel: 'orders' });
    const { id, runId } = await r.started();
    await r.minutes(2);
    await client.settle();
    const orders = client.all('update.orders').map(({ data }) => data.order);
    expect(orders.length).toBeGreaterThan(3);
    for (const order of orders) {
      expect(order).toMatchObject({ creator: 'BOT', creatorId: id });
      expect(order.id.endsWith(`_${runId}`)).toBe(true);
    }
  });
});

describe('a key with a shield', () => {
  /** A desk with one running bot on each exchange, and a key for spot alone. */
  async function shielded() {
    const r = await open();
    const spot = await r.started();
    const futures = await r.started(ON_FUTURES);
    const key = await r.key({ allowedExchanges: [EXCHANGE] });
    return { r, spot, futures, key, client: await clientOf(r.t, key) };
  }

  const DENIED = 'the request names a bot on an exchange account that this key may not use';

  // proves: bot-rule shield, rule shield, error EXCHANGE_NOT_ALLOWED
  it('does nothing to a bot elsewhere, and is not told of it', async () => {
    const { r, spot, futures, client } = await shielded();
    const { id, runId } = futures;
    const before = await r.bot(id);
    const pair = [
      [spot.id, spot.runId],
      [id, runId],
    ];
    const stop = { message: 'add_stoploss', params: {} };
    for (const [method, path, body] of [
      ['GET', `/bots/${id}`],
      ['PATCH', `/bots/${id}`, { metadata: 'x' }],
      ['DELETE', `/bots/${id}?force=true`],
      ['POST', `/bots/${id}/runs`],
      ['DELETE', `/bots/${id}/runs/${runId}`],
      ['POST', `/bots/${id}/runs/${runId}/message`, stop],
      ['POST', '/bots/batch/runs', { bots: [id] }],
      ['DELETE', '/bots/batch/runs', { bots: pair }],
      ['DELETE', '/bots/batch', { bots: [id] }],
    ] as const) {
      const refused = await r.refused(method, path, body, { client });
      expect([method, path, ...refused]).toEqual([method, path, 403, 'EXCHANGE_NOT_ALLOWED', DENIED]);
    }
    expect(await r.done('GET', '/bots', undefined, { client })).toMatchObject([{ id: spot.id }]);
    expect(await r.done('GET', '/bots')).toHaveLength(2);
    expect(await r.bot(id)).toEqual(before);
    expect((await r.bot(spot.id)).status).toBe('STARTED');
    expect((await r.refused('GET', '/bots/bnothing', undefined, { client }))[0]).toBe(404);
  });

  // proves: bot-rule shield
  it('makes no bot elsewhere and moves none there, but does all on its own exchange', async () => {
    const { r, spot, client } = await shielded();
    const words = `this key may use ${EXCHANGE} only, not "${FUTURES}"`;
    expect((await r.refused('POST', '/bots', ON_FUTURES, { client }))[2]).toBe(words);
    await r.done('DELETE', `/bots/${spot.id}/runs/${spot.runId}`, undefined, { client });
    const move = { config: { exchange: FUTURES } };
    expect((await r.refused('PATCH', `/bots/${spot.id}`, move, { client }))[2]).toBe(words);
    await r.done('PATCH', `/bots/${spot.id}`, { metadata: 'mine' }, { client });
    await r.done('POST', `/bots/${spot.id}/runs`, undefined, { client });
    await r.done('DELETE', `/bots/${spot.id}?force=true`, undefined, { client });
    await r.done('POST', '/bots', LEVELS, { client });
  });

  // proves: D40
  it('hears of its own exchange only', async () => {
    const { r, spot, futures, key } = await shielded();
    const client = await hear(r, key);
    await r.done('DELETE', `/bots/${futures.id}/runs/${futures.runId}`);
    await r.done('DELETE', `/bots/${spot.id}/runs/${spot.runId}`);
    const events = await heard(client);
    expect(events.length).toBeGreaterThan(0);
    for (const { bot } of events) expect(bot.id).toBe(spot.id);
  });

  // proves: rule reads-for-read-keys, rule writes-for-trade-keys
  it('of tier read changes nothing', async () => {
    const r = await open();
    const { id } = await r.make();
    const client = await clientOf(r.t, await r.key({ tier: 'read' }));
    expect((await r.refused('POST', `/bots/${id}/runs`, undefined, { client })).slice(0, 2)).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect((await r.refused('POST', '/bots', LEVELS, { client }))[1]).toBe('FORBIDDEN');
    expect(await r.done('GET', '/bots', undefined, { client })).toHaveLength(1);
    expect(await r.done('GET', `/bots/${id}`, undefined, { client })).toMatchObject({ id });
  });
});
