/**
 * Notices on a whole desk: each kind is sent once to the chosen targets and stored with its cause; kinds
 * that nobody chose are not sent.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/cli/config.ts';
import { DOWN_MS, LOOK_MS } from '../../../src/desk/alerts/condition-notices.ts';
import { NOTICES_PER_MINUTE } from '../../../src/desk/alerts/notice-pace.ts';
import type { NoticeKind, NoticeOptions } from '../../../src/domain/notices.ts';
import { NOTICE_KINDS } from '../../../src/domain/notices.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { ok, openTestDesk, place, type TestDesk } from './support.ts';

const FUTURES = 'paper-futures';

const all = (names: readonly string[]): NoticeOptions['to'] =>
  Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, names])) as Record<NoticeKind, readonly string[]>;

/** A desk with one price a minute, of which the first is known. */
async function rig(prices: readonly string[], notices: NoticeOptions = { to: all(['console']) }) {
  const r = await openBots(prices, { notices });
  await r.minutes(1);
  return r;
}

/** The messages sent for a condition. */
function told({ desk }: TestDesk, condition?: string): string[] {
  return desk
    .state()
    .alerts.filter((alert) => condition === undefined || alert.condition === condition)
    .map(({ message }) => message);
}

describe('a notice', () => {
  it('tells of an order that has filled, of none that a bot has placed, unless it is asked for', async () => {
    for (const ofBots of [false, true]) {
      const r = await rig(['100', '95', '85'], { to: all(['console']), ofBots });
      await r.started(LEVELS);
      await place(r.t, { side: 'BUY', type: 'LIMIT', price: '96', quantity: '0.5' });
      await r.minutes(2);
      const own = 'filled: BUY 0.5 BTCUSDT on paper-spot at 96';
      const filled = told(r.t, 'ORDER_FILLED');
      expect(filled.filter((text) => text === own)).toEqual([own]);
      expect(filled.length > 1).toBe(ofBots);
      expect(r.t.desk.state().alerts[0]).toMatchObject({
        botId: '',
        runId: '',
        symbol: 'BTCUSDT',
        seen: false,
      });
    }
  });

  it('tells of a stop that was hit, and not that it has filled besides', async () => {
    const r = await rig(['100', '100', '90']);
    await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    await place(r.t, { side: 'SELL', type: 'STOP_MARKET', stopPrice: '95', quantity: '0.5' });
    await r.minutes(2);
    expect(told(r.t)).toEqual([
      'filled: BUY 1 BTCUSDT on paper-spot at 100',
      expect.stringMatching(/^stop hit: SELL 0\.5 BTCUSDT at 9\d(\.\d+)? on paper-spot$/),
    ]);
  });

  it('tells once of an order whose outcome got lost', async () => {
    const r = await rig(['100']);
    await r.fault({ fault: 'loseAnswer', on: 'submit', times: 1 });
    await r.fault({ fault: 'dropEvent', on: 'order', times: 1 });
    await r.fault({ fault: 'queryFails', times: 3 });
    await place(r.t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '1' });
    await r.t.clock.advance(20_000);
    expect(told(r.t, 'ORDER_UNRESOLVED')).toEqual([
      expect.stringMatching(
        /^BUY 1 BTCUSDT on paper-spot: its outcome is unknown \(.*\); the exchange is being asked$/,
      ),
    ]);
  });

  it('tells of a line that stays down, again after it was up, and of none that is back at once', async () => {
    const r = await rig(['100']);
    const down = async (ms: number) => {
      await r.fault({ fault: 'down', ms });
      await r.t.clock.advance(ms + DOWN_MS + 10_000);
    };
    await r.t.clock.advance(LOOK_MS * 2);
    await down(DOWN_MS / 2);
    expect(told(r.t, 'STREAM_DOWN')).toEqual([]);
    await down(60_000);
    expect(told(r.t, 'STREAM_DOWN')).toEqual([expect.stringMatching(/^no connection to paper-spot/)]);
    await down(60_000);
    expect(told(r.t, 'STREAM_DOWN')).toHaveLength(2);
  });

  it('tells of a guard that is four fifths full, once, until it has been clear of that', async () => {
    const r = await rig(['100']);
    ok(await r.t.call('guards.set', { exchange: 'paper-spot', change: { maxOpenOrders: 8 } }));
    const placed: string[] = [];
    const put = async (count: number) => {
      for (let n = 0; n < count; n++)
        placed.push((await place(r.t, { side: 'BUY', type: 'LIMIT', price: '50', quantity: '1' })).id);
      await r.t.clock.advance(LOOK_MS * 2);
    };
    const take = async (count: number) => {
      for (const id of placed.splice(0, count))
        ok(await r.t.call('orders.cancel', { exchange: 'paper-spot', id }));
      await r.t.clock.advance(LOOK_MS * 2);
    };
    await put(6);
    expect(told(r.t, 'GUARD_NEAR')).toEqual([]);
    await put(1);
    expect(told(r.t, 'GUARD_NEAR')).toEqual(['guard at 87 %: 7 of 8 open orders on paper-spot']);
    // Three quarters of the limit is not low enough to clear it.
    await take(1);
    await put(1);
    expect(told(r.t, 'GUARD_NEAR')).toHaveLength(1);
    await take(2);
    await put(2);
    expect(told(r.t, 'GUARD_NEAR')).toHaveLength(2);
  });

  it('tells of a liquidation that comes nearer than was set', async () => {
    const r = await rig(['100', '100', '97', '92'], { to: all(['console']), liquidationPercent: 6 });
    ok(
      await r.t.call('futures.set', {
        exchange: FUTURES,
        setting: { kind: 'leverage', symbol: 'BTCUSDT', leverage: 10 },
      }),
    );
    ok(
      await r.t.call('futures.set', {
        exchange: FUTURES,
        setting: { kind: 'marginType', symbol: 'BTCUSDT', marginType: 'ISOLATED' },
      }),
    );
    await place(r.t, { exchange: FUTURES, side: 'BUY', type: 'MARKET', quantity: '1' });
    await r.minutes(1);
    await r.t.clock.advance(LOOK_MS * 2);
    expect(told(r.t, 'LIQUIDATION_NEAR')).toEqual([]);
    await r.minutes(2);
    await r.t.clock.advance(LOOK_MS * 2);
    expect(told(r.t, 'LIQUIDATION_NEAR')).toEqual([
      expect.stringMatching(/^liquidation near: LONG 1 BTCUSDT on paper-futures is \d\.\d\d % from \d+/),
    ]);
  });

  it('is not made of a kind that goes nowhere, and asks for no look where it goes to targets only', async () => {
    const silent = await rig(['100'], { to: all([]) });
    await place(silent.t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    expect(told(silent.t)).toEqual([]);
    const away = await openBots(['100'], {
      notices: { to: { ...all([]), fill: ['hook'] } },
      targets: [{ type: 'webhook', name: 'hook', url: 'http://127.0.0.1:9/' }],
    });
    await away.minutes(1);
    await place(away.t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    expect(away.t.desk.state().alerts).toMatchObject([{ seen: true, deliveries: [{ target: 'hook' }] }]);
  });

  it('has a bound a minute, beyond which they are counted in the log', async () => {
    const r = await rig(['100']);
    for (let n = 0; n < NOTICES_PER_MINUTE + 3; n++)
      await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '0.1' });
    expect(told(r.t, 'ORDER_FILLED')).toHaveLength(NOTICES_PER_MINUTE);
    await r.t.clock.advance(60_000);
    await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '0.1' });
    expect(r.t.desk.state().log.map(({ text }) => text)).toContain(
      'notices: 3 more of fill within a minute were not told',
    );
  });

  it('stands in one commit with what it tells, and is not told again after a restart', async () => {
    const commits: string[][] = [];
    const openStore = (...args: Parameters<typeof openSqliteStore>): Store => {
      const store = openSqliteStore(...args);
      return {
        ...bound(store),
        commit(rows) {
          commits.push(rows.map(({ kind }) => kind));
          store.commit(rows);
        },
      };
    };
    const notices = { to: all(['console']) };
    const r = await openBots(['100'], { notices, ports: { openStore } });
    await r.minutes(1);
    await place(r.t, { side: 'BUY', type: 'MARKET', quantity: '1' });
    const withAlert = commits.filter((kinds) => kinds.includes('alert'));
    expect(withAlert).toEqual([expect.arrayContaining(['order', 'fill', 'alert'])]);
    await r.t.stop();
    const again = await openTestDesk({ feed: r.feed, hold: true, dataDir: r.t.dataDir, notices });
    await again.clock.advance(60_000);
    expect(told(again, 'ORDER_FILLED')).toHaveLength(1);
  });
});

/** The methods of a store as own properties of an object. */
function bound(store: Store): Store {
  const names = Object.getOwnPropertyNames(Object.getPrototypeOf(store)) as (keyof Store)[];
  const methods = names.filter((name) => typeof store[name] === 'function');
  return Object.fromEntries(
    methods.map((name) => [name, (store[name] as (...args: unknown[]) => unknown).bind(store)]),
  ) as unknown as Store;
}

describe('[notices] of the configuration', () => {
  const read = (text: string) => parseConfig('/c.toml', text).options.notices;

  it('names where each kind goes', () => {
    expect(
      read(
        '[notices]\nfill = ["console", "bell", "osc9", "ops"]\nliquidation_percent = 2.5\nof_bots = true\n[targets.ops]\ntype = "webhook"\nurl = "https://x.example/"\n',
      ),
    ).toEqual({ to: { fill: ['console', 'bell', 'osc9', 'ops'] }, liquidationPercent: 2.5, ofBots: true });
    expect(read('')).toBeUndefined();
  });

  it.each([
    ['[notices]\nfill = ["ops"]\n', /notices\.fill cannot name "ops": it takes console, bell, osc9/],
    ['[notices]\nfill = "console"\n', /notices\.fill/],
    ['[notices]\nguard_percent = 0\n', /notices\.guard_percent cannot be 0/],
    ['notices = 1\n', /notices takes a table/],
    ['[targets.osc9]\ntype = "webhook"\nurl = "https://x.example/"\n', /targets\.osc9 cannot be the name/],
  ])('that is wrong is refused with what is right: %s', (text, words) => {
    expect(() => read(text)).toThrow(words);
  });
});
