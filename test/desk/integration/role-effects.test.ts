/**
 * Every call that a role may make has its effect when a terminal of that role makes it (remote.md 2): all
 * methods, by every role that may, each on a desk of its own. Refusals are tested by `roles.test.ts`.
 */
import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { METHOD_ROLES, type Needed } from '../../../src/desk/console/method-roles.ts';
import type { DeskState, Method } from '../../../src/desk/console/protocol.ts';
import { ROLES } from '../../../src/domain/operator.ts';
import { sshKey } from '../../support/ssh-key.ts';
import { LEVELS, openBots } from './bots-rig.ts';
import { openRoles, type RoleTerminal } from './roles-rig.ts';
import { EXCHANGE, MARKET_START, ok, type TestDesk } from './support.ts';

const FUTURES = 'paper-futures';
const CODE = { exchange: EXCHANGE, symbol: 'BTCUSDT' };
const LIMIT = { ...CODE, side: 'BUY', type: 'LIMIT', price: '80', quantity: '1' } as const;
const BOT = { type: LEVELS.type, settings: LEVELS.settings };
/** A vault that uses little memory: its cost is tested elsewhere. */
const ports = { vault: { cost: { memory: 64, passes: 1, lanes: 1 } } };
/** Methods that start a thread, which takes a second: one role is enough for them. */
const IN_THREADS: readonly Method[] = ['bots.ladder', 'bots.replay'];
const GOOD = 'correct horse battery';
const OTHER = 'staple correct horse';
const PUBLIC_KEY = 'O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik';

interface Act {
  readonly t: TestDesk;
  /** The terminal whose role is tested. */
  readonly me: RoleTerminal;
  readonly other: () => Promise<RoleTerminal>;
  /** Logs in again with the role. */
  readonly again: () => Promise<RoleTerminal>;
  readonly state: () => DeskState;
  /** Places a resting order. */
  readonly order: () => Promise<string>;
  readonly bot: () => Promise<string>;
  readonly run: () => Promise<{ id: string; runId: string }>;
  readonly key: () => Promise<string>;
}

const fine = expect.objectContaining({ ok: true });
const refused = (message: RegExp) =>
  expect.objectContaining({
    ok: false,
    error: expect.objectContaining({ message: expect.stringMatching(message) }),
  });
const botOf = ({ state }: Act, id: string) => state().bots[id];
const done = (outcome: unknown) => (outcome as { data: { id: string; runId: string } }).data;

const PLAY: Readonly<Record<Method, (a: Act) => Promise<void>>> = {
  'orders.place': async (a) => {
    const placed = await a.me.call('orders.place', LIMIT);
    expect(placed).toEqual(fine);
    expect(a.t.view(done(placed).id).status).toBe('OPENED');
  },
  'orders.check': async ({ me }) => expect(await me.call('orders.check', LIMIT)).toHaveProperty('problems'),
  'orders.cancel': async (a) => {
    const id = await a.order();
    expect(await a.me.call('orders.cancel', { exchange: EXCHANGE, id })).toEqual(fine);
    expect(a.t.view(id).status).toBe('CANCELLED');
  },
  'orders.cancelAll': async (a) => {
    const id = await a.order();
    await a.me.call('orders.cancelAll', { ids: [id] });
    expect(a.t.view(id).status).toBe('CANCELLED');
  },
  'orders.amend': async (a) => {
    const id = await a.order();
    expect(await a.me.call('orders.amend', { exchange: EXCHANGE, id, price: '79' })).toEqual(fine);
  },
  'orders.amendCheck': async (a) =>
    expect(
      await a.me.call('orders.amendCheck', { exchange: EXCHANGE, id: await a.order(), price: '79' }),
    ).toHaveProperty('problems'),
  'orders.split': async (a) => {
    const params = { exchange: EXCHANGE, id: await a.order(), prices: ['79', '78'] };
    expect(await a.me.call('orders.split', params)).toEqual(fine);
  },
  'orders.splitPreview': async (a) => {
    const params = { exchange: EXCHANGE, id: await a.order(), prices: ['79', '78'] };
    expect(await a.me.call('orders.splitPreview', params)).toMatchObject({ problems: [], parts: [{}, {}] });
  },
  'orders.detail': async (a) => {
    const id = await a.order();
    expect(await a.me.call('orders.detail', { id })).toMatchObject({ order: { id } });
  },
  'orders.closed': async ({ me }) =>
    expect(await me.call('orders.closed', { limit: 5 })).toHaveProperty('orders'),
  'orders.export': async ({ me }) => expect(await me.call('orders.export')).toEqual(fine),
  'trades.list': async ({ me }) => expect(await me.call('trades.list', { ...CODE, limit: 5 })).toEqual([]),
  'trades.page': async ({ me }) =>
    expect(await me.call('trades.page', { limit: 5 })).toHaveProperty('trades'),
  'trades.export': async ({ me }) => expect(await me.call('trades.export')).toEqual(fine),
  'portfolio.ledger': async ({ me }) =>
    expect(await me.call('portfolio.ledger', { exchange: EXCHANGE, limit: 5 })).toHaveProperty('rows'),
  'portfolio.dust': async ({ me }) =>
    expect(await me.call('portfolio.dust', { exchange: EXCHANGE })).toEqual(fine),
  'portfolio.export': async ({ me }) => {
    const made = (await me.call('portfolio.export')) as { data: { path: string } };
    expect(existsSync(made.data.path)).toBe(true);
  },
  'market.candles': async ({ me }) => {
    const params = {
      market: 'paper',
      symbol: 'BTCUSDT',
      frameMs: 60_000,
      from: MARKET_START,
      to: MARKET_START + 600_000,
    };
    expect(((await me.call('market.candles', params)) as unknown[]).length).toBeGreaterThan(0);
  },
  'market.look': async (a) => {
    const params = { market: 'paper', symbol: 'BTCUSDT', frameMs: 60_000 };
    expect(await a.me.call('market.look', params)).toEqual(fine);
  },
  'market.lookAway': async ({ me }) => expect(await me.call('market.lookAway')).toBeNull(),
  'memory.read': async ({ me }) => expect(await me.call('memory.read')).toBeNull(),
  'memory.write': async ({ me }) => {
    expect(await me.call('memory.write', { memory: { theme: 'mono' } })).toEqual(fine);
    expect(await me.call('memory.read')).toEqual({ theme: 'mono' });
  },
  'pnl.read': async ({ me }) =>
    expect(await me.call('pnl.read', { by: 'day' })).toMatchObject({ data: { by: 'day' } }),
  'pnl.export': async ({ me }) => {
    const made = (await me.call('pnl.export', { by: 'day', what: 'groups' })) as { data: { path: string } };
    expect(existsSync(made.data.path)).toBe(true);
  },
  'futures.set': async (a) => {
    const setting = { kind: 'leverage', symbol: 'BTCUSDT', leverage: 7 };
    expect(await a.me.call('futures.set', { exchange: FUTURES, setting })).toEqual(fine);
    expect(a.state().futures[FUTURES]?.leverage.BTCUSDT?.leverage).toBe(7);
  },
  'futures.brackets': async ({ me }) =>
    expect(
      ((await me.call('futures.brackets', { exchange: FUTURES, symbol: 'BTCUSDT' })) as unknown[]).length,
    ).toBeGreaterThan(0),
  'futures.marginMode': async ({ me }) =>
    expect(await me.call('futures.marginMode', { exchange: FUTURES })).toHaveProperty('mode'),
  'bots.create': async (a) => {
    const made = await a.me.call('bots.create', { bot: BOT });
    expect(botOf(a, done(made).id)?.type).toBe(BOT.type);
  },
  'bots.check': async ({ me }) => expect(await me.call('bots.check', BOT)).toMatchObject({ problems: [] }),
  'bots.ladder': async ({ me }) => expect(typeof (await me.call('bots.ladder', BOT))).toBe('object'),
  'bots.replay': async ({ me }) => {
    const played = me.call('bots.replay', { ...BOT, token: 'r' });
    await me.call('bots.replayEnd', { token: 'r' });
    expect(await played).toHaveProperty('done');
  },
  'bots.replayProgress': async ({ me }) =>
    expect(await me.call('bots.replayProgress', { token: 'x' })).toBeNull(),
  'bots.replayEnd': async ({ me }) => expect(await me.call('bots.replayEnd', { token: 'x' })).toBeNull(),
  'bots.manage': async (a) => {
    const bot = {
      type: 'ALGO',
      settings: {
        ...CODE,
        algo: 'bracket',
        side: 'BUY',
        quantity: '1',
        entry: { type: 'LIMIT', price: '80' },
        takeProfit: { price: '110' },
        stopLoss: { price: '70' },
      },
    } as const;
    const made = await a.me.call('bots.manage', { bot });
    expect(made).toEqual(fine);
    expect(botOf(a, done(made).id)?.options).toMatchObject({ managed: true });
  },
  'bots.patch': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.patch', { id, change: { metadata: 'm' } })).toEqual(fine);
  },
  'bots.tag': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.tag', { id, tag: 'mine' })).toEqual(fine);
    expect(botOf(a, id)?.tag).toBe('mine');
  },
  'bots.delete': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.delete', { id, force: false })).toEqual(fine);
    expect(botOf(a, id)).toBeUndefined();
  },
  'bots.start': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.start', { id })).toEqual(fine);
    expect(botOf(a, id)?.status).toMatch(/started|STARTED/i);
  },
  'bots.stop': async (a) => {
    const { id, runId } = await a.run();
    expect(await a.me.call('bots.stop', { id, runId, way: {} })).toEqual(fine);
    expect(botOf(a, id)?.status).toMatch(/stop/i);
  },
  'bots.message': async (a) => {
    const { id, runId } = await a.run();
    // A message that this type of bot does not know: the answer comes from the bot itself.
    expect(await a.me.call('bots.message', { id, runId, message: 'x', params: {} })).toMatchObject({
      ok: false,
    });
  },
  'bots.batch': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.batch', { op: 'delete', ids: [id] })).toEqual(fine);
    expect(botOf(a, id)).toBeUndefined();
  },
  'bots.detail': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('bots.detail', { id })).toMatchObject({ bot: { id } });
  },
  'alerts.mute': async (a) => {
    const id = await a.bot();
    expect(await a.me.call('alerts.mute', { kind: 'bot', id, on: true })).toEqual(fine);
    expect(JSON.stringify(a.state().mutes)).toContain(id);
  },
  'alerts.seen': async ({ me }) => expect(await me.call('alerts.seen', { ids: [] })).toBeNull(),
  'keys.list': async (a) => {
    await a.key();
    expect(((await a.me.call('keys.list')) as unknown[]).length).toBeGreaterThan(0);
  },
  'keys.check': async ({ me }) =>
    expect(await me.call('keys.check', { label: 'x', tier: 'read' })).toEqual([]),
  'keys.generate': async ({ me }) =>
    expect(await me.call('keys.generate', { label: 'made', tier: 'read' })).toEqual(fine),
  'keys.register': async (a) => {
    expect(await a.me.call('keys.register', { label: 'given', tier: 'read', publicKey: PUBLIC_KEY })).toEqual(
      fine,
    );
    expect(a.state().keys.some(({ label }) => label === 'given')).toBe(true);
  },
  'keys.revoke': async (a) => {
    const id = await a.key();
    expect(await a.me.call('keys.revoke', { id })).toEqual(fine);
    expect(a.state().keys.find((key) => key.id === id)?.revokedAt).not.toBeNull();
  },
  'keys.example': async ({ me }) => expect(await me.call('keys.example', { id: 'x' })).toBeNull(),
  'keys.reveal': async (a) => expect(await a.me.call('keys.reveal', { id: await a.key() })).toEqual(fine),
  'keys.explain': async (a) => {
    const id = await a.key();
    const request = { id, method: 'GET', target: '/v2/ping', body: '', timestamp: '1', signature: 'x' };
    expect(typeof (await a.me.call('keys.explain', request))).toBe('object');
  },
  'feed.control': async (a) => {
    expect(await a.me.call('feed.control', { action: 'step' })).toEqual(fine);
  },
  'feed.speed': async (a) => {
    expect(await a.me.call('feed.speed', { speed: 3 })).toEqual(fine);
    expect(a.state().clock.speed).toBe(3);
  },
  'exchange.confirmRights': async ({ me }) =>
    expect(await me.call('exchange.confirmRights', { exchange: EXCHANGE, rights: [] })).toHaveProperty('ok'),
  'exchange.takeOver': async ({ me }) =>
    expect(await me.call('exchange.takeOver', { exchange: EXCHANGE, of: 'held' })).toHaveProperty('ok'),
  'exchange.reconcile': async ({ me }) =>
    expect(await me.call('exchange.reconcile', { exchange: EXCHANGE })).toEqual(fine),
  'connections.list': async ({ me }) => expect(await me.call('connections.list')).toHaveProperty('kinds'),
  'connections.test': async ({ me }) =>
    expect(await me.call('connections.test', { name: 'none' })).toEqual(refused(/none/)),
  'connections.makeKey': async ({ me }) => {
    const request = { name: 'x', venue: 'none', markets: ['spot'], environment: 'testnet' };
    expect(await me.call('connections.makeKey', request)).toMatchObject({ ok: false });
  },
  'connections.add': async ({ me }) => {
    const request = {
      name: 'x',
      venue: 'none',
      markets: ['spot'],
      environment: 'testnet',
      secrets: {},
      rights: [],
    };
    expect(await me.call('connections.add', request)).toMatchObject({ ok: false });
  },
  'connections.remove': async ({ me }) =>
    expect(await me.call('connections.remove', { name: 'none', word: 'none' })).toEqual(refused(/none/)),
  'connections.confirm': async ({ me }) =>
    expect(await me.call('connections.confirm', { name: 'none', to: [], word: 'none' })).toEqual(
      refused(/none/),
    ),
  'guards.read': async ({ me }) =>
    expect(await me.call('guards.read', { exchange: EXCHANGE })).toHaveProperty('ok'),
  'guards.set': async ({ me }) =>
    expect(
      await me.call('guards.set', { exchange: EXCHANGE, change: { maxOpenOrders: 150 } }),
    ).toHaveProperty('ok'),
  'guards.lift': async ({ me }) =>
    expect(await me.call('guards.lift', { exchange: EXCHANGE })).toHaveProperty('ok'),
  'vault.init': async (a) => {
    expect(await a.me.call('vault.init', { passphrase: GOOD })).toEqual(fine);
    expect(a.state().vault.state).toBe('open');
  },
  'vault.lock': async (a) => {
    expect(await a.me.call('vault.lock')).toEqual(fine);
    expect(a.state().vault.state).toBe('locked');
  },
  'vault.unlock': async (a) => {
    expect(await a.me.call('vault.unlock', { passphrase: GOOD })).toEqual(fine);
    expect(a.state().vault.state).toBe('open');
  },
  'vault.change': async ({ me }) =>
    expect(await me.call('vault.change', { old: GOOD, passphrase: OTHER })).toEqual(fine),
  'vault.forget': async ({ me }) =>
    expect(await me.call('vault.forget', { connection: 'none' })).toEqual(refused(/none/)),
  'paper.configure': async ({ me }) =>
    expect(await me.call('paper.configure', { exchange: EXCHANGE, change: { slippageBps: 1 } })).toEqual(
      fine,
    ),
  'paper.balance': async (a) => {
    expect(await a.me.call('paper.balance', { exchange: EXCHANGE, asset: 'BTC', amount: '12' })).toEqual(
      fine,
    );
    expect(JSON.stringify(a.state().portfolios[EXCHANGE])).toContain('"12');
  },
  'paper.reset': async (a) => {
    for (const { id, runId } of Object.values(a.state().bots))
      if (runId !== undefined) await a.t.call('bots.stop', { id, runId, way: {} });
    const id = await a.order();
    expect(await a.me.call('paper.reset', { exchange: EXCHANGE })).toEqual(fine);
    expect(a.t.view(id).status).toBe('CANCELLED');
  },
  'paper.faults': async ({ me }) =>
    expect(await me.call('paper.faults', { exchange: EXCHANGE, heal: true })).toEqual(fine),
  'paper.fault': async ({ me }) =>
    expect(await me.call('paper.fault', { fault: 'delay', times: 0 })).toEqual(fine),
  'operators.list': async ({ me }) =>
    expect((await me.call('operators.list')) as unknown[]).toHaveLength(ROLES.length),
  'operators.set': async (a) => {
    expect(await a.me.call('operators.set', { name: 'new', role: 'viewer', key: sshKey() })).toEqual(fine);
    expect(await a.t.call('operators.list', {})).toHaveLength(ROLES.length + 1);
  },
  'operators.remove': async (a) => {
    ok(await a.t.call('operators.set', { name: 'new', role: 'viewer', key: sshKey(), replace: true }));
    expect(await a.me.call('operators.remove', { name: 'new' })).toEqual(fine);
    expect(await a.t.call('operators.list', {})).toHaveLength(ROLES.length);
  },
  'ssh.view': async ({ me }) => expect(await me.call('ssh.view')).toMatchObject({ state: 'off' }),
  'ssh.rotate': async ({ me }) =>
    expect(await me.call('ssh.rotate', { now: false })).toEqual(refused(/no sshd/)),
  'sessions.list': async ({ me }) =>
    expect(((await me.call('sessions.list')) as unknown[]).length).toBeGreaterThan(0),
  'sessions.end': async (a) => {
    const other = await a.other();
    const list = (await a.me.call('sessions.list')) as { id: string }[];
    expect(await a.me.call('sessions.end', { id: list.at(-1)?.id, reason: 'go' })).toEqual(fine);
    expect(other.bye()).toMatch(/go$/);
  },
  'session.pin': async ({ me }) => expect(await me.call('session.pin', { pin: null })).toEqual(fine),
  'panic.targets': async ({ me }) =>
    expect(await me.call('panic.targets', { part: 'orders' })).toHaveProperty('orders'),
  'desk.panic': async (a) => {
    expect(await a.me.call('desk.panic', { phase: 'start', parts: ['orders'], again: false })).toEqual(fine);
    expect(a.state().log.some(({ text }) => /panic/i.test(text))).toBe(true);
    expect(await a.me.call('desk.panic', { phase: 'end', all: 0, done: 0, failed: 0 })).toEqual(fine);
  },
  'desk.maintenance': async (a) => {
    expect(await a.me.call('desk.maintenance', { on: true })).toEqual(fine);
    expect(a.state().maintenance).not.toBeNull();
    expect(await a.me.call('desk.maintenance', { on: false })).toEqual(fine);
  },
  'session.lock': async ({ me }) => {
    expect(await me.call('session.lock')).toBeNull();
    expect(await me.call('orders.check', LIMIT)).toBe('this terminal is locked');
  },
  'session.unlock': async ({ me }) => expect(await me.call('session.unlock')).toHaveProperty('ok'),
  'desk.stop': async ({ t, again }) => {
    // Over SSH a locked terminal is unlocked by a new login.
    expect(await (await again()).call('desk.stop')).toBeNull();
    expect((await t.desk.stopping).reason).toMatch(/^stopped/);
  },
};

function may(role: Needed, needed: Needed): boolean {
  const rank = (one: Needed) => (one === 'local' ? ROLES.length : ROLES.indexOf(one));
  return rank(role) >= rank(needed);
}

it.each([...ROLES, 'local'] as const)(
  'does everything for a terminal of role %s that the role may',
  async (role) => {
    const market = await openBots(['100'], { ports });
    const { t } = market;
    await market.minutes(3);
    const { open } = await openRoles(t);
    ok(await t.call('feed.control', { action: 'step' }));
    const hello = role === 'local' ? {} : { as: `a-${role}`, from: '10.1.2.3' };
    const me = await open(hello, true);
    const bot = async () => ok(await t.call('bots.create', { bot: BOT })).id;
    let keys = 0;
    const act: Act = {
      t,
      me,
      bot,
      state: () => t.desk.state(),
      other: () => open({ as: 'a-viewer' }),
      again: () => open(hello, true),
      order: async () => ok(await t.call('orders.place', LIMIT)).id,
      async run() {
        const id = await bot();
        return { id, runId: ok(await t.call('bots.start', { id })).runId };
      },
      async key() {
        keys += 1;
        return ok(await t.call('keys.generate', { label: `k${keys}`, tier: 'trade' })).key.id;
      },
    };
    const tried: string[] = [];
    for (const [method, play] of Object.entries(PLAY) as [Method, (a: Act) => Promise<void>][]) {
      if (!may(role, METHOD_ROLES[method]) || (role !== 'viewer' && IN_THREADS.includes(method))) continue;
      tried.push(method);
      try {
        await play(act);
      } catch (error) {
        throw new Error(`${method}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      }
    }
    expect(tried.length).toBeGreaterThan(15);
  },
);
