/**
 * How an account of OKX is set: which modes trade which market and how, what the owner is told, and what
 * becomes of an account whose settings change while it is open.
 */
import { describe, expect, it } from 'vitest';
import { AccountMode } from '../../../src/venues/okx/account-mode.ts';
import type { Config } from '../../../src/venues/okx/messages.ts';
import { Rig } from './rig.ts';

const CONFIG: Config = { uid: '11', acctLv: '2', posMode: 'net_mode', perm: 'read_only,trade' };
const modeOf = (more: Partial<Config> = {}) => {
  const mode = new AccountMode();
  mode.set({ ...CONFIG, ...more });
  return mode;
};

describe('an account', () => {
  it.each([
    ['1', 'cash', null, 1, { isSpotMode: true, isPortfolio: false }],
    ['2', 'cash', 'cross', 1, { isSpotMode: false, isPortfolio: false }],
    ['3', 'cross', 'cross', 2, { isSpotMode: false, isPortfolio: false }],
    ['4', 'cross', 'cross', 3, { isSpotMode: false, isPortfolio: true }],
    ['5', null, null, 1, { isSpotMode: false, isPortfolio: false }],
  ])('of level %s trades spot as %s, swaps as %s', (acctLv, spot, swap, marginMode, is) => {
    const mode = modeOf({ acctLv });
    expect([mode.tdMode('spot'), mode.tdMode('swap'), mode.marginMode]).toEqual([spot, swap, marginMode]);
    expect({ isSpotMode: mode.isSpotMode, isPortfolio: mode.isPortfolio }).toEqual(is);
    expect([mode.problem('spot') === null, mode.problem('swap') === null]).toEqual([
      spot !== null,
      swap !== null,
    ]);
  });

  it.each<[Partial<Config>, spot: RegExp | null, swap: RegExp | null]>([
    [{ acctLv: '1' }, null, /in Spot mode, which has no perpetual contracts: choose Futures mode/],
    [{ acctLv: '12345678901234' }, /not known here \(1234567890\)/, /not known here \(1234567890\)/],
    [{ stgyType: '1' }, /delta neutral/, /delta neutral/],
    [{ stgyType: '0' }, null, null],
    [{ roleType: '2' }, null, /copies the trades of others/],
    [{ roleType: '1' }, null, /leads copy trading/],
    [{ spotRoleType: '2' }, /copies the trades of others/, null],
    [{ spotRoleType: '1' }, /leads copy trading/, null],
    [{ roleType: '1', spotRoleType: '2' }, /copies/, /leads/],
    [{ roleType: '0', spotRoleType: '3' }, null, null],
  ])('that is %o is traded in each market or says why not', (more, spot, swap) => {
    const mode = modeOf(more);
    for (const [kind, words] of [
      ['spot', spot],
      ['swap', swap],
    ] as const) {
      if (words === null) expect(mode.problem(kind)).toBeNull();
      else expect(mode.problem(kind)).toMatch(words);
      expect(mode.tdMode(kind) === null).toBe(words !== null);
    }
  });

  it.each<[Partial<Config>, told: boolean]>([
    [{ acctLv: '1', enableSpotBorrow: true }, true],
    [{ acctLv: '1', enableSpotBorrow: false, autoLoan: true }, false],
    [{ acctLv: '1' }, false],
    [{ acctLv: '2', autoLoan: true }, true],
    [{ acctLv: '3', autoLoan: true }, true],
    [{ acctLv: '2', autoLoan: false, enableSpotBorrow: true }, false],
    [{ acctLv: '2' }, false],
  ])('that is %o borrows by itself: %s, which spot is told', (more, told) => {
    expect(modeOf(more).notices('spot')).toEqual(told ? [expect.stringContaining('borrows by itself')] : []);
    expect(modeOf(more).notices('swap')).toEqual([]);
  });

  it('is a sub-account where its main account is another one', () => {
    expect(modeOf({ mainUid: '7' }).identity).toEqual({ id: '11', mainId: '7' });
    for (const main of [{}, { mainUid: '' }, { mainUid: '11' }])
      expect(modeOf(main).identity).toEqual({ id: '11' });
  });

  it.each([
    ['read_only', undefined, { trade: false, withdraw: false, addresses: [] }],
    ['read_only,trade', '', { trade: true, withdraw: false, addresses: [] }],
    ['withdraw', '10.0.0.1', { trade: false, withdraw: true, addresses: ['10.0.0.1'] }],
    [
      'read_only, withdraw, trade',
      '10.0.0.1, 10.0.0.2,',
      { trade: true, withdraw: true, addresses: ['10.0.0.1', '10.0.0.2'] },
    ],
  ])('has the rights of a key with %s from %s', (perm, ip, rights) => {
    const more = ip === undefined ? {} : { ip };
    expect(modeOf({ perm, ...more }).permissions).toEqual({ ...rights, transfer: false, expiresAt: null });
  });

  it('that has not been read yet is nothing that could be traded', () => {
    const mode = new AccountMode();
    expect([mode.isKnown, mode.isSpotMode, mode.isPortfolio]).toEqual([false, false, false]);
    expect([mode.hedge, mode.marginMode, mode.identity, mode.permissions]).toEqual([null, null, null, null]);
    for (const kind of ['spot', 'swap'] as const) {
      expect([mode.tdMode(kind), mode.notices(kind)]).toEqual([null, []]);
      expect(mode.problem(kind)).toMatch(/could not be read/);
    }
    mode.set({ ...CONFIG, posMode: 'long_short_mode' });
    expect([mode.isKnown, mode.hedge, modeOf().hedge]).toEqual([true, true, false]);
  });
});

describe('an open account', () => {
  const CONFIG_PATH = '/api/v5/account/config';
  const configured = (rig: Rig, more: object) =>
    rig.net.answers.set(CONFIG_PATH, () => ({
      kind: 'answer',
      status: 200,
      headers: {},
      body: JSON.stringify({ code: '0', msg: '', data: [{ ...CONFIG, ...more }] }),
    }));

  it('that borrows by itself says so when it is opened, for spot alone', async () => {
    for (const kind of ['spot', 'swap'] as const) {
      const rig = new Rig({ kind });
      configured(rig, { autoLoan: true });
      await rig.open();
      expect(rig.reports).toEqual(
        kind === 'spot'
          ? [expect.stringMatching(/^mine-spot: the account: the account borrows by itself/)]
          : [],
      );
    }
  });

  it('is read again each hour: in another mode it says so, and sends no order; back in it, it trades', async () => {
    const rig = await new Rig({ kind: 'swap' }).open();
    const lists = () => rig.requests.filter(({ path }) => path.includes('/public/instruments')).length;
    const before = lists();
    configured(rig, { acctLv: '1' });
    await rig.pass(3_599_000);
    expect([lists(), rig.reports]).toEqual([before, []]);
    await rig.pass(2_000);
    expect(lists()).toBe(before + 1);
    expect(rig.reports).toEqual([expect.stringContaining('the account is in Spot mode')]);
    const order = { type: 'MARKET', quantity: '0.01' } as const;
    expect(await rig.submit(order)).toMatchObject({
      kind: 'rejected',
      reason: 'ACCOUNT_RESTRICTED',
      code: 'FORM',
      message: expect.stringMatching(/^not sent: .*Spot mode/),
    });
    expect(rig.bodies('/api/v5/trade/order')).toEqual([]);
    rig.net.answers.clear();
    await rig.pass(3_600_000);
    expect(rig.reports).toHaveLength(1);
    expect(lists()).toBe(before + 2);
    expect(rig.lists.map((list) => list.length)).toEqual([7, 7]);
    expect(await rig.submit(order)).toMatchObject({ kind: 'accepted' });
    await rig.venue.close();
    await rig.pass(2 * 3_600_000);
    expect(lists()).toBe(before + 2);
  });

  it('whose list or settings cannot be read goes on with what it knows, and says why', async () => {
    const rig = await new Rig().open();
    rig.net.answers.set('/api/v5/public/instruments', () => ({ kind: 'lost', cause: 'no answer' }));
    rig.venue.relist?.();
    await rig.pass(1_000);
    expect(rig.reports).toEqual(['mine-spot: what is traded: no answer']);
    expect(rig.venue.instruments()).toHaveLength(10);
    rig.net.answers.clear();
    configured(rig, { acctLv: 7 });
    await rig.pass(61_000);
    rig.venue.relist?.();
    await rig.pass(1_000);
    expect(rig.reports.at(-1)).toMatch(/^mine-spot: the account: the answer could not be read/);
    expect(await rig.submit({ quantity: '0.01', price: '59000' })).toMatchObject({ kind: 'accepted' });
  });

  it('names nobody and no rights while they cannot be read', async () => {
    const rig = await new Rig().open();
    rig.net.answers.set(CONFIG_PATH, () => ({ kind: 'lost', cause: 'no answer' }));
    expect(await rig.result(rig.venue.identity?.() ?? Promise.reject())).toBeNull();
    expect(await rig.result(rig.venue.permissions?.() ?? Promise.reject())).toBeNull();
  });

  it.each([
    ['nothing that is traded', '/api/v5/public/instruments', { code: '0', data: [] }, /names nothing/],
    ['no settings', '/api/v5/account/config', { code: '0', data: [] }, /empty/],
    ['no time', '/api/v5/public/time', { code: '0', data: [] }, /cannot be read/],
    [
      'no list',
      '/api/v5/public/instruments',
      { code: '50001', msg: 'maintenance', data: [] },
      /maintenance \(50001\)/,
    ],
  ])('does not open with %s, and no socket stays', async (_, path, body, words) => {
    const rig = new Rig();
    const given = {
      kind: 'answer',
      status: 200,
      headers: {},
      body: JSON.stringify({ msg: '', ...body }),
    } as const;
    rig.net.answers.set(path, () => given);
    await expect(rig.open()).rejects.toThrow(words);
    expect([rig.net.sockets, rig.stream]).toEqual([0, []]);
  });
});
