/**
 * A locked terminal: nothing of the accounts is shown or reachable except a panic; after the unlock, what was
 * open is there again.
 */
import { describe, expect, it } from 'vitest';
import type { DeskState, Me } from '../../../src/desk/console/protocol.ts';
import { emptied } from '../../../src/desk/console/state-parts.ts';
import { ok, refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { SCREENS } from '../support/parts.ts';
import { CTRL_C, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { deskState } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const ME: Me = { session: 's1', name: 'local', role: 'owner', local: true, locked: null, pin: false };
const ALICE: Me = { ...ME, name: 'alice', role: 'operator', local: false };
const EQUITY = { usd: '0', btc: null, partial: true, spark: [], dayStartUsd: null };

/** The state that the desk sends to a locked terminal: who it is, and nothing of the accounts. */
const locked = (state: DeskState, me: Me): DeskState => ({
  ...emptied(state),
  equity: EQUITY,
  keys: [],
  log: [],
  me,
});

function desk(me: Me = ME): FakeDesk {
  const of = new FakeDesk(deskState({ me, futures: somePositions() }));
  const full = of.state;
  of.answers['session.lock'] = () => {
    of.show(locked(full, { ...me, locked: 'asked' }));
    return null;
  };
  of.answers['session.unlock'] = ({ pin }) => {
    if (me.pin && pin !== '2468') return refuse('FORBIDDEN', 'this is not the PIN');
    of.show(full);
    return ok(null);
  };
  return of;
}
const sent = (of: FakeDesk, method: string) =>
  of.calls.filter((call) => call.method === method).map(({ params }) => params);

async function lockedRig(of: FakeDesk, options = {}) {
  const rig = await open(of, options);
  await rig.press(':', ...'lock this', ENTER);
  await rig.shows('OUTCRY is locked');
  return rig;
}

describe('a locked terminal', () => {
  it.each([
    [80, 24],
    [200, 50],
  ])('at %ix%i', async (columns, rows) => {
    const rig = await lockedRig(desk({ ...ME, pin: true }), { columns, rows });
    expect(rig.screenText()).toMatchSnapshot();
  });

  it('shows no figure, and no key leads anywhere', async () => {
    const of = desk();
    const rig = await lockedRig(of);
    const text = rig.screenText();
    const before = of.calls.length;
    for (const { title } of SCREENS) expect(text).not.toContain(title);
    for (const word of ['201,482', 'BTCUSDT', 'paper-spot', 'unresolved']) expect(text).not.toContain(word);
    const keys = [...'2479nxs:?/!q-', ESC, '\x1b[D', '\x0c', '\x12', '\x10', '\x0f'];
    for (const key of keys) await rig.send(key);
    expect(rig.screenText()).toBe(text);
    expect(of.calls.length).toBe(before);
    expect(rig.exit()).toBeNull();
  });

  it('is unlocked by enter where there is no PIN, and what was open is there again, but for questions', async () => {
    const of = desk();
    const rig = await open(of);
    await rig.press('2', 'n', ...'ETH');
    of.answers['session.lock']?.({});
    await rig.shows('OUTCRY is locked');
    await rig.press(ENTER);
    await rig.shows('ETH');
    expect(rig.screenText()).toContain('201,482');
    await rig.press(ESC, 'x');
    expect(rig.session.ui.getState().dialogs.map(({ kind }) => kind)).toEqual(['confirm']);
    of.answers['session.lock']?.({});
    await rig.shows('OUTCRY is locked');
    await rig.press(ENTER);
    await rig.shows('Orders');
    expect(rig.session.ui.getState().dialogs).toEqual([]);
    expect(of.acting).toEqual([]);
  });

  it('is unlocked by its PIN, which is never drawn; a wrong one is told', async () => {
    const of = desk({ ...ME, pin: true });
    const rig = await lockedRig(of);
    await rig.press(...'1357', ENTER);
    await rig.shows('this is not the PIN');
    expect(rig.screenText()).not.toContain('1357');
    await rig.press(...'2468');
    expect(rig.screenText()).toContain('****');
    await rig.press(ENTER);
    await rig.shows('Watchlist');
    expect(sent(of, 'session.unlock')).toEqual([{ pin: '1357' }, { pin: '2468' }]);
    expect(rig.stdout.chunks.join('')).not.toMatch(/1357|2468/);
  });

  it('is there from the first frame on where the desk says so', async () => {
    const of = desk({ ...ME, pin: true });
    of.state = locked(of.state, { ...ME, pin: true, locked: 'asked' });
    const rig = await open(of);
    expect(rig.screenText()).toContain('OUTCRY is locked');
    expect(rig.stdout.chunks.join('')).not.toContain('Watchlist');
  });

  it('over SSH comes back by a new login, and leaves at once', async () => {
    const of = desk(ALICE);
    const rig = await lockedRig(of, { hosting: false });
    expect(rig.screenText()).toContain('Log in again');
    expect(rig.screenText()).toContain('alice, operator');
    await rig.press('\t', ENTER);
    await rig.until(() => rig.exit() !== null);
    expect(rig.exit()).toMatchObject({ action: 'detach' });
    expect(sent(of, 'session.unlock')).toEqual([]);
  });

  it('of a viewer has no panic', async () => {
    const rig = await lockedRig(desk({ ...ALICE, role: 'viewer' }));
    expect(rig.screenText()).not.toContain('Panic');
  });

  it('leaves by ctrl-c, and the desk goes on', async () => {
    const rig = await lockedRig(desk());
    await rig.press(CTRL_C);
    await rig.until(() => rig.exit() !== null);
    expect(rig.exit()).toMatchObject({ action: 'detach' });
  });

  it('keeps what a late answer opens for whoever comes back', async () => {
    const of = desk();
    const rig = await lockedRig(of);
    rig.session.ui.setState(({ dialogs }) => ({
      dialogs: [...dialogs, { kind: 'notice', title: 'Late', lines: [{ text: 'secret 42' }], offset: 0 }],
    }));
    await rig.settle();
    expect(rig.screenText()).not.toContain('secret 42');
    await rig.press(ENTER);
    await rig.shows('secret 42');
  });
});

describe('panic at a locked terminal', () => {
  it('asks for its word, does all of it, and shows counts only', async () => {
    const of = desk(ALICE);
    const orders = Object.fromEntries(
      [order('o1', { status: 'NEW' }), order('o2', { status: 'NEW' })].map((one) => [one.id, one]),
    );
    let there = true;
    of.answers['panic.targets'] = ({ part }) => ({
      bots: {},
      orders: part === 'orders' && there ? orders : {},
      futures: {},
      next: null,
    });
    of.answers['orders.cancelAll'] = ({ ids = [] }) => {
      there = false;
      return ids.map((id) => ({
        id,
        outcome:
          id === 'o1'
            ? ok({ ...order(id), status: 'CANCELLED' as const })
            : refuse('CONFLICT', 'BTCUSDT was gone'),
      }));
    };
    const rig = await lockedRig(of);
    await rig.press(ENTER);
    expect(rig.screenText()).toContain('all are cancelled, protective stops too');
    await rig.press(...'pani', ENTER, 'y');
    expect(of.acting).toEqual([]);
    await rig.press(ESC, ENTER, ...'panic', 'y');
    await rig.shows('panic: 1 of 2 done, 1 failed');
    expect(sent(of, 'orders.cancelAll')).toEqual([{ ids: ['o1', 'o2'] }]);
    expect(sent(of, 'desk.panic')).toEqual([
      { phase: 'start', parts: ['bots', 'orders', 'positions'], again: false },
      { phase: 'end', all: 2, done: 1, failed: 1 },
    ]);
    expect(rig.screenText()).not.toContain('BTCUSDT');
    expect(rig.screenText()).toContain('OUTCRY is locked');
  });

  it('says where money is at risk as it was known before the lock, and the gravest where it was not', async () => {
    const rig = await lockedRig(desk());
    await rig.press('\t', ENTER);
    expect(rig.screenText()).toContain('PAPER');
    const of = desk({ ...ME, pin: true });
    of.state = locked(of.state, { ...ME, pin: true, locked: 'asked' });
    const late = await open(of);
    await late.press('\t', ENTER);
    expect(late.screenText()).toContain('REAL MONEY');
  });
});

describe('the PIN', () => {
  it('is typed twice, set and taken away, and never drawn', async () => {
    const of = desk();
    of.answers['session.pin'] = () => ok(null);
    const rig = await open(of);
    await rig.press(':', ...'PIN of', ENTER, ...'2468', '\t', ...'2469', '\x12');
    expect(rig.screenText()).toContain('the two are not the same');
    await rig.press(...'2468', ENTER, ENTER);
    await rig.shows('the PIN is set');
    await rig.press(':', ...'PIN of', ENTER, '\x12');
    await rig.shows('the PIN is taken away');
    expect(sent(of, 'session.pin')).toEqual([{ pin: '2468' }, { pin: null }]);
    expect(rig.stdout.chunks.join('')).not.toContain('2468');
  });
});
