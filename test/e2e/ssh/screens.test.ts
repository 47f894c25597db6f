/**
 * What a role sees and may do over a real login: keys by role, the lock and its panic, the list of sessions,
 * and sessions that are ended or whose operator is removed meanwhile.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answer, typeWord } from '../../support/terminal/dialogs.ts';
import { SshDesk, sshTests } from '../support/ssh-desk.ts';

const LIMIT = { exchange: 'paper-spot', symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT' } as const;
const ORDER = { ...LIMIT, price: '50000', quantity: '0.01' };

sshTests('the screens over SSH', () => {
  let desk: SshDesk;
  beforeAll(async () => {
    desk = await SshDesk.open();
    await desk.operator('alice');
    await desk.operator('bob', 'viewer');
    await desk.operator('carol', 'owner');
  });
  afterAll(() => desk.close());

  it('of a viewer have the badge, and no key that his role refuses', async () => {
    const bob = await desk.console('bob', { columns: 80, rows: 24 });
    bob.press('2');
    await bob.waitFor((text) => /VIEWER/.test(text) && /n new +\/ filter/.test(text), 'the keys of a viewer');
    bob.press('q');
    expect((await bob.ended).exitCode).toBe(0);
  });

  it.each([
    [80, 24],
    [200, 50],
  ])('of a locked operator show nothing and do a panic, at %ix%i', async (columns, rows) => {
    expect((await desk.owner.desk.call('orders.place', ORDER)).ok).toBe(true);
    const alice = await desk.console('alice', { columns, rows });
    alice.press(':');
    await alice.waitFor(/new order +n/, 'the palette');
    alice.type('lock this');
    await alice.waitFor(/▸ lock this terminal/, 'the command');
    alice.press('enter');
    await alice.waitFor((text) => /OUTCRY is locked/.test(text) && !/BTCUSDT|Orders/.test(text), 'the lock');
    alice.press('2', 'n', 'x');
    alice.resize(columns + 10, rows + 2);
    alice.press('enter');
    await typeWord(alice, 'panic');
    await alice.waitFor(/panic: 1 of 1 done/, 'the result');
    await desk.owner.when('no order', ({ orders }) =>
      Object.values(orders).every(({ status }) => status !== 'OPENED' && status !== 'NEW'),
    );
    expect(alice.text()).toContain('OUTCRY is locked');
    alice.press('tab', 'enter');
    expect((await alice.ended).exitCode).toBe(0);
  });

  it('of an owner end a session with words that are shown there, and remove who is logged in', async () => {
    const carol = await desk.console('carol', { columns: 200, rows: 50 });
    const alice = await desk.console('alice');
    const { id = '' } = (await desk.sessions()).find(({ name }) => name === 'alice') ?? {};
    carol.press('7', 'S');
    await carol.waitFor(new RegExp(`${id} +alice`), 'the sessions');
    carol.press('/');
    carol.type('alice');
    carol.press('enter', 'X');
    await carol.waitFor(/End a session/, 'the form');
    carol.type('lunch break');
    carol.press('ctrl-r');
    await answer(carol, /y end s\d+/, 'y');
    expect((await alice.ended).exitCode).not.toBe(0);
    expect(alice.raw).toContain('lunch break');
    const again = await desk.console('alice');
    carol.press('P');
    await carol.waitFor(/─ Operators/, 'the operators');
    await carol.waitFor(/▸ alice/, 'alice');
    carol.press('x');
    await typeWord(carol, 'alice');
    await carol.waitFor(/alice is no operator any more/, 'the removal');
    expect((await again.ended).exitCode).not.toBe(0);
    carol.press('q');
    await carol.ended;
  });
});
