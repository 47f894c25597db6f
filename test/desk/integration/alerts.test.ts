/**
 * Alerts on a whole desk, from the price that crosses a line to the request that arrives: once, also after a
 * crash.
 */
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AlertRecord } from '../../../src/domain/bot.ts';
import type { Row } from '../../../src/domain/rows.ts';
import type { TargetOptions } from '../../../src/notify/target-options.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { StoreError } from '../../../src/store/store.ts';
import { type Answer, openReceiver, type Receiver } from '../../notify/receiver.ts';
import {
  type CandleText,
  deathsOf,
  EXCHANGE,
  flat,
  MARKET_START,
  MINUTE_MS,
  ok,
  openTestDesk,
  type TestDesk,
  type TestDeskOptions,
  writeCandles,
} from './support.ts';

const SECRET = 'a-secret-of-the-test-0123456789';
const TOKEN = '123456789:AAExampleTokenExampleTokenExample-0';
const HALF = TOKEN.slice(10);

/** Crosses 103 upwards in the third minute, at its close. */
const CROSSING: readonly CandleText[] = [...flat('100', 2), ['100', '104', '100', '104'], ...flat('104', 60)];
const CROSSED_AT = MARKET_START + 2 * MINUTE_MS + MINUTE_MS / 2;

const LINE = { type: 'price', trend: { [MARKET_START]: 103, [MARKET_START + 60 * MINUTE_MS]: 103 } };

function alarm(notify: readonly string[], more: object = {}) {
  const symbol = { base: 'BTC', quote: 'USDT' };
  return {
    type: 'ALARM',
    settings: { type: 'ALARM', exchange: EXCHANGE, symbol, range: [LINE], notify, ...more },
  } as const;
}

const hookTarget = (hook: Receiver, more: object = {}): TargetOptions => ({
  type: 'webhook',
  name: 'hook',
  url: `${hook.url}/path-secret?query-secret`,
  secret: SECRET,
  ...more,
});

const market = () => writeCandles({ BTCUSDT: CROSSING });

function openDesk(targets: readonly TargetOptions[], options: Partial<TestDeskOptions> = {}) {
  return openTestDesk({ feed: market(), hold: true, targets, ...options });
}

/** Plays the next minutes of the market. */
async function play(t: TestDesk, minutes: number): Promise<void> {
  for (let ticks = 0; ticks < minutes * 4; ticks++) {
    await t.call('feed.control', { action: 'step' });
    await t.clock.settle();
  }
}

async function startAlarm(t: TestDesk, bot: object = alarm(['console', 'bell', 'hook'])): Promise<string> {
  await t.call('feed.control', { action: 'step' });
  const { id } = ok(await t.call('bots.create', { bot: bot as ReturnType<typeof alarm> }));
  ok(await t.call('bots.start', { id }));
  return id;
}

/** Waits until the consoles see the wanted alerts. Waits for changes, not for time. */
async function alertsOf({ desk }: TestDesk, wanted: (alerts: readonly AlertRecord[]) => boolean) {
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!wanted(desk.state().alerts)) return;
      stop();
      resolve();
    };
    const stop = desk.onChange((mark) => {
      if (mark.kind === 'alerts') look();
    });
    look();
  });
  return desk.state().alerts;
}

const settled = (alerts: readonly AlertRecord[]) =>
  alerts.length > 0 &&
  alerts.every(({ deliveries }) => deliveries.every(({ state }) => state === 'done' || state === 'failed'));

/** The content of all files in a data folder, as text. */
function filesOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');
}

/** A store that fails `times` commits in all, among those for which `select` returns true. */
function failing(times: number, select: (row: Row) => boolean, onFailed = () => {}) {
  let rows: readonly Row[] = [];
  let left = times;
  return (file: string) => {
    const store = openSqliteStore(file, {
      beforeCommit: () => {
        if (left === 0 || !rows.some(select)) return;
        left--;
        onFailed();
        throw new StoreError('FULL', 'the disk is full, says the test', { cause: { errcode: 13 } });
      },
    });
    const commit = store.commit.bind(store);
    store.commit = (given) => {
      rows = given;
      commit(given);
    };
    return store;
  };
}

describe('an alarm whose price is crossed', () => {
  // proves: S48, bot ALARM deliveries, bot ALARM notify, bot ALARM signature
  it('arrives at the webhook once, signed, and is listed as delivered', async () => {
    const hook = await openReceiver();
    const feed = market();
    const t = await openDesk([hookTarget(hook)], { feed });
    const botId = await startAlarm(t);
    await play(t, 4);
    const [alert] = await alertsOf(t, settled);
    const [request] = hook.received;
    expect(hook.received).toHaveLength(1);
    expect(alert).toMatchObject({
      botId,
      user: 'owner',
      symbol: 'BTCUSDT',
      condition: 'range[0]',
      price: '104',
      market: CROSSED_AT,
      seen: false,
      deliveries: [
        { target: 'bell', state: 'done' },
        { target: 'hook', state: 'done', tries: 1, nextAt: null, error: null },
      ],
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      id: alert?.id,
      bot: botId,
      run: alert?.runId,
      symbol: 'BTCUSDT',
      condition: 'range[0]',
      message: alert?.message,
      price: '104',
      time: alert?.at,
      market: CROSSED_AT,
    });
    expect(request?.headers['x-outcry-delivery']).toBe(alert?.id);
    const timestamp = request?.headers['x-outcry-timestamp'];
    expect(Number(timestamp)).toBeGreaterThanOrEqual(alert?.at ?? Infinity);
    expect(request?.headers['x-outcry-signature']).toBe(
      `sha256=${createHmac('sha256', SECRET).update(`${timestamp}.${request?.body}`).digest('hex')}`,
    );
    await t.call('alerts.seen', { ids: [alert?.id ?? ''] });
    await alertsOf(t, ([one]) => one?.seen === true);

    await t.stop();
    const again = await openDesk([hookTarget(hook)], { feed, dataDir: t.dataDir });
    await again.clock.advance(60_000);
    expect(again.desk.state().alerts).toMatchObject([{ id: alert?.id, seen: true }]);
    expect(hook.received).toHaveLength(1);
  });

  it('of a price alert outlives the bot that it was, which goes with it', async () => {
    const feed = market();
    const t = await openDesk([], { feed });
    await t.call('feed.control', { action: 'step' });
    ok(await t.call('bots.manage', { bot: alarm(['bell']) }));
    await play(t, 4);
    const told = { symbol: 'BTCUSDT', price: '104', seen: false };
    expect(await alertsOf(t, settled)).toMatchObject([told]);
    expect(t.desk.state().bots).toEqual({});
    await t.stop();
    const again = await openDesk([], { feed, dataDir: t.dataDir });
    expect(again.desk.state().alerts).toMatchObject([told]);
  });

  it('of a price alert goes where the configuration sends them, whatever the console names', async () => {
    const hook = await openReceiver();
    const t = await openDesk([hookTarget(hook)], { notices: { to: { price_alert: ['hook'] } } });
    await t.call('feed.control', { action: 'step' });
    ok(await t.call('bots.manage', { bot: alarm(['bell']) }));
    await play(t, 4);
    expect(await alertsOf(t, settled)).toMatchObject([{ deliveries: [{ target: 'hook', state: 'done' }] }]);
    expect(hook.received).toHaveLength(1);
  });

  it('arrives at a Telegram chat', async () => {
    const api = await openReceiver();
    const phone = { type: 'telegram', name: 'phone', token: TOKEN, chat: '42', baseUrl: api.url } as const;
    const t = await openDesk([phone]);
    await startAlarm(t, alarm(['phone'], { message: '{symbol} at {price}' }));
    await play(t, 4);
    await alertsOf(t, settled);
    expect(api.received.map(({ url, body }) => [url, JSON.parse(body)])).toEqual([
      [`/bot${TOKEN}/sendMessage`, { chat_id: 42, text: 'BTCUSDT at 104\n2025-02-03 02:02:30 UTC' }],
    ]);
  });

  // proves: bot ALARM notify
  it('needs no target: the console hears of it always', async () => {
    const t = await openDesk([]);
    await startAlarm(t, alarm([]));
    await play(t, 4);
    expect(t.desk.state().alerts).toMatchObject([{ condition: 'range[0]', deliveries: [] }]);
  });
});

describe('the name of a target', () => {
  // proves: bot decided targets
  it('is checked against the configuration', async () => {
    const hook = await openReceiver();
    const t = await openDesk([hookTarget(hook)]);
    const check = async (notify: readonly string[]) => {
      const { type, settings } = alarm(notify);
      return (await t.call('bots.check', { type, settings })).problems;
    };
    expect(await check(['console', 'bell', 'hook'])).toEqual([]);
    expect(await check(['bell', 'ops'])).toMatchObject([
      { path: 'notify[1]', message: 'no target named "ops" in the configuration' },
    ]);
  });
});

describe('a desk that dies', () => {
  it('while a webhook hangs delivers the same alert at its next start', async () => {
    const hook = await openReceiver();
    hook.answer(() => {});
    const deaths = deathsOf();
    const feed = market();
    const t = await openDesk([hookTarget(hook)], { feed, ports: { openStore: deaths.openStore } });
    await startAlarm(t);
    deaths.recording = true;
    await play(t, 4);
    await hook.request(1);
    const dataDir = deaths.folders.at(-1) ?? '';
    hook.answer(204);
    const again = await openDesk([hookTarget(hook)], { feed, dataDir });
    const [alert] = await alertsOf(again, settled);
    expect(alert?.deliveries[1]).toMatchObject({ target: 'hook', state: 'done', tries: 1 });
    expect(hook.received.map(({ headers }) => headers['x-outcry-delivery'])).toEqual([alert?.id, alert?.id]);
    hook.hangUp();
  });

  it('at any commit has neither lost the alert nor fires it twice', async () => {
    const hook = await openReceiver();
    const deaths = deathsOf();
    const feed = market();
    const t = await openDesk([hookTarget(hook)], { feed, ports: { openStore: deaths.openStore } });
    await startAlarm(t);
    deaths.recording = true;
    await play(t, 4);
    await alertsOf(t, settled);
    deaths.recording = false;
    expect(deaths.folders.length).toBeGreaterThanOrEqual(2);
    for (const [n, dataDir] of deaths.folders.entries()) {
      const before = hook.received.length;
      const again = await openDesk([hookTarget(hook)], { feed, dataDir });
      await play(again, 4);
      const alerts = await alertsOf(again, settled);
      expect(alerts, `death ${n}`).toHaveLength(1);
      expect(hook.received.length - before, `death ${n}`).toBeLessThanOrEqual(1);
      await again.stop();
    }
  });

  it('and starts without the target says so', async () => {
    const hook = await openReceiver();
    hook.answer(503);
    const feed = market();
    const t = await openDesk([hookTarget(hook)], { feed });
    await startAlarm(t);
    await play(t, 4);
    await alertsOf(t, ([alert]) => alert?.deliveries[1]?.tries === 1);
    await t.stop();
    const again = await openDesk([], { feed, dataDir: t.dataDir });
    const [alert] = await alertsOf(again, settled);
    expect(alert?.deliveries[1]).toMatchObject({
      state: 'failed',
      tries: 1,
      error: 'no target named "hook" in the configuration any more',
    });
    expect(again.desk.state().log.at(-1)).toMatchObject({ level: 'warn', source: 'alert' });
  });
});

describe('a commit that fails', () => {
  it('with the alert sends nothing; the next price fires it, once', async () => {
    const hook = await openReceiver();
    const openStore = failing(1, (row) => row.kind === 'alert');
    const t = await openDesk([hookTarget(hook)], { ports: { openStore } });
    await startAlarm(t);
    await play(t, 1);
    // Stores the current price: a failed commit goes back to it.
    ok(await t.call('bots.create', { bot: alarm([]) }));
    await play(t, 4);
    const alerts = await alertsOf(t, settled);
    expect(alerts).toHaveLength(1);
    expect(alerts[0]?.market).toBeGreaterThan(CROSSED_AT);
    expect(hook.received).toHaveLength(1);
  });

  it('with the outcome does not send it again, and is made good', async () => {
    const hook = await openReceiver();
    const isDone = (row: Row) =>
      row.kind === 'alert' &&
      row.alert.deliveries.some(({ target, state }) => target === 'hook' && state === 'done');
    const t = await openDesk([hookTarget(hook)], { ports: { openStore: failing(2, isDone) } });
    await startAlarm(t);
    await play(t, 4);
    await hook.request(1);
    const done = alertsOf(t, settled);
    await t.clock.advance(10 * MINUTE_MS);
    expect((await done)[0]?.deliveries[1]).toMatchObject({ state: 'done', tries: 1 });
    expect(hook.received).toHaveLength(1);
  });
});

describe('a bot that is deleted', () => {
  it('takes its alerts and what they had waiting with it', async () => {
    const hook = await openReceiver();
    hook.answer(503);
    const feed = market();
    const t = await openDesk([hookTarget(hook)], { feed });
    const id = await startAlarm(t);
    await play(t, 4);
    await alertsOf(t, ([alert]) => alert?.deliveries[1]?.tries === 1);
    ok(await t.call('bots.delete', { id, force: true }));
    await alertsOf(t, (alerts) => alerts.length === 0);
    await t.clock.advance(15 * MINUTE_MS);
    expect(hook.received).toHaveLength(1);
    await t.stop();
    const again = await openDesk([hookTarget(hook)], { feed, dataDir: t.dataDir });
    expect(again.desk.state().alerts).toEqual([]);
  });
});

describe('a bot that is muted', () => {
  it('and deleted leaves no mute behind, also for the next start; what else is muted stays', async () => {
    const feed = market();
    const t = await openDesk([], { feed });
    const [gone, stays] = [await startAlarm(t, alarm([])), await startAlarm(t, alarm([]))];
    for (const id of [gone, stays]) ok(await t.call('alerts.mute', { kind: 'bot', id, on: true }));
    ok(await t.call('alerts.mute', { kind: 'target', id: 'bell', on: true }));
    ok(await t.call('bots.delete', { id: gone, force: true }));
    const left = { bots: [stays], targets: ['bell'] };
    expect(t.desk.state().mutes).toEqual(left);
    await t.stop();
    const again = await openDesk([], { feed, dataDir: t.dataDir });
    expect(again.desk.state().mutes).toEqual(left);
  });
});

describe('a stop', () => {
  it('stores what arrives while it waits, though an outcome before could not be stored', async () => {
    const hook = await openReceiver();
    const slow = await openReceiver();
    const held = Promise.withResolvers<() => void>();
    slow.answer((response) => held.resolve(() => response.writeHead(204).end()));
    const targets = [hookTarget(hook), hookTarget(slow, { name: 'slow', url: slow.url })];
    const isDone = (row: Row) =>
      row.kind === 'alert' &&
      row.alert.deliveries.some(({ target, state }) => target === 'hook' && state === 'done');
    const failed = Promise.withResolvers<void>();
    const feed = market();
    const openStore = failing(1, isDone, failed.resolve);
    const t = await openDesk(targets, { feed, ports: { openStore } });
    await startAlarm(t, alarm(['hook', 'slow']));
    await play(t, 4);
    await failed.promise;
    const answer = await held.promise;
    const stopped = t.stop();
    answer();
    await stopped;
    const again = await openDesk(targets, { feed, dataDir: t.dataDir });
    expect(again.desk.state().alerts).toMatchObject([
      {
        deliveries: [
          { target: 'hook', state: 'done' },
          { target: 'slow', state: 'done' },
        ],
      },
    ]);
    await again.clock.advance(MINUTE_MS);
    expect([hook.received.length, slow.received.length]).toEqual([1, 1]);
  });
});

describe('the secrets of targets', () => {
  it('are in no log, state, error or stored row', async () => {
    const hook = await openReceiver();
    const api = await openReceiver();
    const echo: Answer = (response) =>
      response.writeHead(400, { location: `/bot${TOKEN}/${SECRET}` }).end(
        JSON.stringify({
          description: `no /bot${TOKEN}/sendMessage, no ${SECRET}, path-secret, query-secret`,
        }),
      );
    hook.answer(echo);
    api.answer(echo);
    const phone = { type: 'telegram', name: 'phone', token: TOKEN, chat: '42', baseUrl: api.url } as const;
    const nobody = hookTarget(hook, { name: 'nobody', url: 'http://127.0.0.1:1/path-secret?query-secret' });
    const t = await openDesk([hookTarget(hook), phone, nobody]);
    await startAlarm(t, alarm(['hook', 'phone', 'nobody']));
    await play(t, 4);
    const [alert] = await alertsOf(t, ([one]) => one?.deliveries.every(({ tries }) => tries > 0) === true);
    expect(alert?.deliveries).toMatchObject([
      { target: 'hook', state: 'failed', error: 'HTTP 400' },
      { target: 'phone', state: 'failed', error: 'HTTP 400' },
      { target: 'nobody', state: 'waiting', error: 'the connection was refused' },
    ]);
    const { log } = t.desk.state();
    expect(
      log
        .filter(({ source }) => source === 'alert')
        .map(({ level, text }) => `${level} ${text}`)
        .sort(),
    ).toEqual([
      'warn target hook: given up: HTTP 400 (try 1 of 5)',
      'warn target nobody: the connection was refused (try 1 of 5)',
      'warn target phone: given up: HTTP 400 (try 1 of 5)',
    ]);
    const detail = await t.call('bots.detail', { id: alert?.botId ?? '' });
    const told = JSON.stringify([t.desk.state(), detail]);
    await t.stop();
    for (const text of [told, filesOf(t.dataDir)]) {
      expect(text).toContain('HTTP 400');
      for (const secret of [SECRET, HALF, 'path-secret', 'query-secret']) expect(text).not.toContain(secret);
    }
  });
});
