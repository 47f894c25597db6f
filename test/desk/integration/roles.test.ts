/**
 * Roles are decided at the desk, call by call (remote.md 2, 3): a real desk, and terminals with different
 * roles.
 */
import { expect, it } from 'vitest';
import { CALL_PARAMS } from '../../../src/desk/console/call-params.ts';
import { METHOD_ROLES, type Needed } from '../../../src/desk/console/method-roles.ts';
import type { Method, Role } from '../../../src/desk/console/protocol.ts';
import { ROLES } from '../../../src/domain/operator.ts';
import { sshKey } from '../../support/ssh-key.ts';
import { openRoles } from './roles-rig.ts';
import { ok } from './support.ts';

/** Written again here instead of read from the table: a method that moves to a lower role is noticed. */
const VIEWERS = [
  'orders.check',
  'orders.amendCheck',
  'orders.splitPreview',
  'orders.detail',
  'orders.closed',
  'trades.list',
  'trades.page',
  'portfolio.ledger',
  'portfolio.dust',
  'market.candles',
  'futures.brackets',
  'futures.marginMode',
  'bots.check',
  'bots.ladder',
  'bots.replay',
  'bots.replayProgress',
  'bots.replayEnd',
  'bots.detail',
  'session.lock',
  'session.unlock',
  'market.look',
  'market.lookAway',
  'memory.read',
  'memory.write',
  'pnl.read',
];
const OPERATORS = [
  'orders.place',
  'orders.cancel',
  'orders.cancelAll',
  'orders.amend',
  'orders.split',
  'futures.set',
  'bots.create',
  'bots.manage',
  'bots.patch',
  'bots.tag',
  'bots.delete',
  'bots.start',
  'bots.stop',
  'bots.message',
  'bots.batch',
  'alerts.mute',
  'alerts.seen',
  'exchange.reconcile',
  'panic.targets',
  'desk.panic',
];
const LOCAL = [
  'orders.export',
  'trades.export',
  'portfolio.export',
  'pnl.export',
  'keys.generate',
  'keys.reveal',
  'session.pin',
  'ssh.rotate',
];

function neededOf(method: string): Role | 'local' {
  if (VIEWERS.includes(method)) return 'viewer';
  if (OPERATORS.includes(method)) return 'operator';
  return LOCAL.includes(method) ? 'local' : 'owner';
}

const rig = openRoles;

it('names every method once, each with the role that it needs', () => {
  const methods = Object.keys(CALL_PARAMS);
  expect(Object.keys(METHOD_ROLES).sort()).toEqual(methods.sort());
  expect(Object.fromEntries(methods.map((method) => [method, neededOf(method)]))).toEqual(
    Object.fromEntries(methods.map((method) => [method, METHOD_ROLES[method as Method]])),
  );
});

/**
 * Methods that a terminal of the role may call. The parameters are invalid for every method: an allowed call
 * is refused for that, and does nothing.
 */
async function letThrough(role: Role): Promise<string[]> {
  const { open } = await rig();
  const one = await open({ as: `a-${role}`, from: '10.1.2.3' });
  const mays: string[] = [];
  for (const method of Object.keys(CALL_PARAMS) as Method[]) {
    const answer = await one.call(method, { nonsense: 1 });
    expect(typeof answer, method).toBe('string');
    if (!/needs the role|for an owner at/.test(String(answer))) mays.push(method);
  }
  return mays;
}

function expectedOf(role: Role): string[] {
  return Object.keys(CALL_PARAMS).filter((method) => {
    const needed = neededOf(method);
    return needed !== 'local' && ROLES.indexOf(needed) <= ROLES.indexOf(role);
  });
}

it.each(ROLES)(
  'lets a %s call what its role may, and refuses everything else, parameters unseen',
  async (role) => {
    expect(await letThrough(role)).toEqual(expectedOf(role));
  },
);

const LOWERED: readonly [Method, Needed, Role][] = [
  ['orders.place', 'viewer', 'viewer'],
  ['guards.set', 'operator', 'operator'],
  ['keys.reveal', 'owner', 'owner'],
];
it.each(LOWERED)('notices that %s was lowered to %s', async (method, to, role) => {
  const table = METHOD_ROLES as Record<Method, Needed>;
  const before = table[method];
  table[method] = to;
  try {
    const got = await letThrough(role);
    expect(got.filter((one) => !expectedOf(role).includes(one))).toEqual([method]);
  } finally {
    table[method] = before;
  }
});

it('takes the lower of the table’s role and the one of the line, whatever a terminal says', async () => {
  const { open } = await rig();
  const low = await open({ as: 'a-owner', role: 'viewer' });
  expect(await low.call('keys.list')).toBe('keys.list needs the role owner; yours is viewer');
  const high = await open({ as: 'a-viewer', role: 'owner' });
  expect(await high.call('orders.cancelAll', {})).toBe(
    'orders.cancelAll needs the role operator; yours is viewer',
  );
  const local = await open({ role: 'operator' });
  expect(await local.call('desk.maintenance', { on: true })).toMatch(/needs the role owner/);
});

it('turns away who is no operator, and ends a session within the second when its operator is removed or lowered', async () => {
  const { t, open, audit } = await rig();
  expect((await open({ as: 'mallory' })).bye()).toBe('this name is no operator of the desk');
  const gone = await open({ as: 'a-operator', from: '10.1.2.3' });
  const lowered = await open({ as: 'a-owner' });
  ok(await t.call('operators.remove', { name: 'a-operator' }));
  ok(await t.call('operators.set', { name: 'a-owner', role: 'viewer', key: sshKey(), replace: true }));
  await t.clock.settle();
  expect(gone.bye()).toBe('this name is no operator of the desk');
  expect(lowered.bye()).toBe('your role is viewer now; log in again');
  expect(audit).toContain('a-operator/s2 10.1.2.3 came as operator');
});

it('lets nobody in past the end of an access, and ends the session then', async () => {
  const { t, open } = await rig();
  const expiresAt = t.clock.wall() + 90_000;
  ok(await t.call('operators.set', { name: 'guest', role: 'operator', key: sshKey(), expiresAt }));
  const guest = await open({ as: 'guest' });
  await t.clock.advance(89_000);
  expect(guest.bye()).toBeNull();
  await t.clock.advance(1_000);
  expect(guest.bye()).toMatch(/has expired/);
  expect((await open({ as: 'guest' })).bye()).toMatch(/has expired/);
});

it('writes who asked into the story of an order and into the log', async () => {
  const { t, open } = await rig();
  const one = await open({ as: 'a-operator', from: '10.1.2.3' });
  const order = {
    exchange: 'paper-spot',
    symbol: 'BTCUSDT',
    side: 'BUY',
    type: 'LIMIT',
    price: '20000',
    quantity: '0.01',
  };
  const placed = (await one.call('orders.place', order)) as { ok: boolean; data: { id: string } };
  expect(placed.ok).toBe(true);
  const detail = await t.call('orders.detail', { id: placed.data.id });
  expect(detail?.events[0]?.text).toMatch(/asked by a-operator\/s1 10\.1\.2\.3$/);
});

it('keeps keys, and the lines about keys and people, from everybody but an owner', async () => {
  const { t, open } = await rig();
  ok(await t.call('keys.generate', { label: 'bot', tier: 'trade' }));
  const [viewer, owner] = [await open({ as: 'a-viewer' }, true), await open({ as: 'a-owner' }, true)];
  const sources = (one: typeof viewer) => new Set(one.state()?.log.map(({ source }) => source));
  expect([viewer.state()?.keys.length, owner.state()?.keys.length]).toEqual([0, 1]);
  expect([sources(viewer).has('operator'), sources(owner).has('operator')]).toEqual([false, true]);
  expect(viewer.state()?.me).toMatchObject({ name: 'a-viewer', role: 'viewer', local: false, locked: null });
});

it('hides everything of a terminal that nobody touched for ten minutes, and lets a panic through, nothing else', async () => {
  const { t, open } = await rig();
  const one = await open({ as: 'a-operator', from: '10.1.2.3' }, true);
  await t.clock.advance(599_000);
  one.key();
  await t.clock.advance(599_000);
  expect(one.state()?.me?.locked).toBeNull();
  await t.clock.advance(2_000);
  const { me, portfolios, equity, orders } = one.state() ?? {};
  expect([me?.locked, portfolios, equity?.usd, orders]).toEqual(['idle', {}, '0', {}]);
  const order = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.01' };
  expect(await one.call('orders.place', order)).toBe('this terminal is locked');
  expect(await one.call('orders.detail', { id: 'x' })).toBe('this terminal is locked');
  expect(await one.call('session.unlock', {})).toMatchObject({ ok: false });
  expect(await one.call('panic.targets', { part: 'orders' })).toBe('this terminal is locked');
  expect(await one.call('desk.panic', { phase: 'start', parts: ['orders'], again: false })).toMatchObject({
    ok: true,
  });
  expect(await one.call('panic.targets', { part: 'orders' })).toMatchObject({ orders: {} });
  expect(await one.call('orders.cancelAll', {})).toEqual([]);
  expect(await one.call('orders.place', order)).toBe('this terminal is locked');
  expect(await one.call('desk.panic', { phase: 'end', all: 0, done: 0, failed: 0 })).toMatchObject({
    ok: true,
  });
  expect(await one.call('orders.cancelAll', {})).toBe('this terminal is locked');
  await t.clock.advance(30 * 60_000);
  expect(one.bye()).toMatch(/half an hour/);
});

it('never locks a viewer, and unlocks a terminal of the desk’s own machine by its PIN alone, where one is set', async () => {
  const { t, open } = await rig();
  const viewer = await open({ as: 'a-viewer' }, true);
  const local = await open({}, true);
  await t.clock.advance(601_000);
  expect([viewer.state()?.me?.locked, local.state()?.me?.locked]).toEqual([null, 'idle']);
  expect(await local.call('session.unlock', {})).toMatchObject({ ok: true });
  await t.clock.advance(200);
  expect(local.state()?.me?.locked).toBeNull();
});

it('tells an owner who is there, and ends whom the owner names, with the reason', async () => {
  const { open, audit } = await rig();
  const one = await open(
    { as: 'a-operator', from: '10.1.2.3', terminal: 'xterm\u001b[2J 80x24', version: '1' },
    true,
  );
  const owner = await open({ as: 'a-owner' });
  const list = (await owner.call('sessions.list')) as { id: string; name: string; terminal: string }[];
  expect(list.map(({ id, name }) => `${id} ${name}`)).toEqual(['s1 a-operator', 's2 a-owner']);
  expect(list[0]?.terminal).toBe('xterm␛[2J 80x24');
  expect(await one.call('sessions.end', { id: 's2' })).toMatch(/needs the role owner/);
  expect(await owner.call('sessions.end', { id: 's1', reason: 'go home' })).toMatchObject({ ok: true });
  expect(one.bye()).toBe('ended by a-owner/s2: go home');
  expect(await owner.call('sessions.end', { id: 's1' })).toMatchObject({ ok: false });
  expect(audit).toContain('a-operator/s1 10.1.2.3 may not sessions.end');
  // Calls that a screen repeats all the time are not logged.
  expect(audit).toContain('a-owner/s2 asks for sessions.end');
  expect(audit.join('\n')).not.toContain('asks for sessions.list');
});

it('keeps a place for the machine’s own terminal and one for an owner, and four for one operator', async () => {
  const { t, open } = await rig();
  for (let n = 0; n < 10; n++)
    ok(await t.call('operators.set', { name: `x${n}`, role: 'viewer', key: sshKey() }));
  const four = await Promise.all([1, 2, 3, 4, 5].map(() => open({ as: 'x0' })));
  expect(four.map((one) => one.bye() === null)).toEqual([true, true, true, true, false]);
  for (let n = 1; n < 8; n++) for (let i = 0; i < 4; i++) await open({ as: `x${n}` });
  expect((await open({ as: 'x8' })).bye()).toMatch(/attached to this desk already/);
  expect((await open({ as: 'a-owner' })).bye()).toBeNull();
  expect((await open({ as: 'a-owner' })).bye()).toMatch(/attached/);
  expect((await open({})).bye()).toBeNull();
});
