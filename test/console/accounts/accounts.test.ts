/** The Accounts screen: what it shows of exchanges and feed, and what its forms ask of the desk, and when. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  confirmAccount,
  confirmReset,
  standingFaultText,
} from '../../../src/console/accounts/account-confirmations.ts';
import {
  type AccountForm,
  accountFields,
  assetsOf,
  FAULT_WORDS,
  newAccountForm,
  percentText,
  readAccountForm,
  withAccountValue,
} from '../../../src/console/accounts/account-forms.ts';
import {
  accountColumns,
  accountLines,
  FIRST_ACCOUNTS,
  shownAccounts,
  stateSpan,
} from '../../../src/console/accounts/account-list.ts';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import { openPositions } from '../../../src/console/trading/positions.ts';
import { lineWidth } from '../../../src/console/ui/line.ts';
import type { AccountView, DeskState } from '../../../src/desk/console/protocol.ts';
import { refuse } from '../../../src/domain/errors.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot } from '../support/some-bots.ts';
import { account, deskState, somePortfolios } from '../support/some-desk.ts';
import { somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const SPOT = 'paper-spot';

const open = rigPerTest();

const world = (change: Partial<DeskState> = {}) => deskState({ portfolios: somePortfolios(), ...change });
const held = (change: Partial<DeskState> = {}) => new FakeDesk(world(change));
const sent = (desk: FakeDesk, method: string) =>
  desk.calls.filter((call) => call.method === method).map(({ params }) => params);

/** The clock of a replay that is held. */
const REPLAY = { ...deskState().clock, feed: 'csv:candles@1m', live: false, speed: 600, held: true };

/** A desk with faults: an exchange with budgets, one that is down, faults of both kinds. */
const troubled = () => {
  const spot = account(SPOT, {
    link: 'down',
    since: NOON - 42_000,
    reconciled: { at: NOON - 120_000, whole: false },
  });
  const futures = account('paper-futures', {
    kind: 'futures',
    name: 'Paper futures',
    latencyMs: null,
    clockOffsetMs: -12,
    reconciled: null,
    budgets: [
      { name: 'weight', used: 5_100, limit: 6_000, windowMs: 60_000 },
      { name: 'orders', used: 12, limit: 100, windowMs: 10_000 },
    ],
    paper: {
      makerRate: '0',
      takerRate: '0.00055',
      latencyMs: 80,
      jitterMs: 40,
      slippageBps: 2.5,
      faults: { rejectNth: 7, loseAnswer: 0.05 },
      faultsToCome: 3,
    },
  });
  return held({ accounts: [spot, futures], futures: somePositions(), clock: REPLAY });
};

describe('lists and lines', () => {
  it('are sorted and filtered; the order of the desk is the first', () => {
    const state = troubled().state;
    const ids = (change: Partial<typeof FIRST_ACCOUNTS>) =>
      shownAccounts(state, { ...FIRST_ACCOUNTS, ...change }).map(({ id }) => id);
    expect(ids({})).toEqual([SPOT, 'paper-futures']);
    expect(ids({ sort: 'worth' })).toEqual(['paper-futures', SPOT]);
    expect(ids({ sort: 'state', reverse: true })).toEqual(['paper-futures', SPOT]);
    expect(ids({ filter: 'stale' })).toEqual([SPOT]);
    expect(ids({ filter: 'fut conn' })).toEqual(['paper-futures']);
  });

  it('say why an account could not be opened, in the list and beside it', () => {
    const why = `getaddrinfo ENOTFOUND ${'www.okx.com '.repeat(20)}`;
    const away = account(SPOT, { link: 'down', since: NOON - 42_000, away: why });
    const lines = accountLines(away, world({ accounts: [away] }), NOON, 80);
    const text = lines.map((line) => line.map((part) => part.text).join('')).join('\n');
    expect(text).toContain('NOT OPEN 42 s');
    expect(text).toContain('getaddrinfo ENOTFOUND www.okx.com');
    for (const line of lines) expect(lineWidth(line)).toBeLessThanOrEqual(80);
  });

  it('say in red that a wallet has what nothing explains', () => {
    const lines = (unexplained?: number) =>
      accountLines(account(SPOT, unexplained === undefined ? {} : { unexplained }), world(), NOON, 80);
    const found = lines(2).flatMap((line) => line.filter(({ text }) => text.includes('explains')));
    expect(found).toMatchObject([{ text: '2 changes that nothing explains: see the log', tone: 'danger' }]);
    expect(
      lines()
        .flat()
        .some(({ text }) => text.includes('explains')),
    ).toBe(false);
  });

  it('say what the key may do, from where and until when, and why the account takes no entries', () => {
    const day = 24 * 3_600_000;
    const permissions = {
      trade: true,
      withdraw: false,
      transfer: false,
      addresses: ['203.0.113.7'],
      expiresAt: null as number | null,
    };
    const said = (more: Partial<AccountView>) =>
      accountLines(account(SPOT, more), world(), NOON, 100)
        .map((line) => ({
          text: line.map(({ text }) => text).join(''),
          tones: line.flatMap(({ tone }) => (tone && tone !== 'muted' ? [tone] : [])),
        }))
        .filter(({ text }) => /key|until|closed/.test(text));
    expect(said({})).toEqual([]);
    expect(said({ permissions })).toEqual([{ text: '  key         may trade from 203.0.113.7', tones: [] }]);
    const wide = { ...permissions, withdraw: true, transfer: true, addresses: [] };
    expect(said({ permissions: wide })).toEqual([
      { text: '  key         may trade, withdraw, transfer from any address', tones: ['warn', 'warn'] },
    ]);
    expect(said({ permissions: { ...permissions, trade: false } })[0]?.text).toContain('may only read');
    const until = (ms: number) => said({ permissions: { ...permissions, expiresAt: NOON + ms } })[1]?.tones;
    expect(until(14 * day)).toEqual([]);
    expect(until(14 * day - 1)).toEqual(['warn']);
    const closed = 'has a key that may withdraw: take that from it, or confirm it on Accounts';
    expect(said({ closed, unconfirmed: ['withdraw'] })).toEqual([
      { text: `  closed      takes no entries: it ${closed}; a accepts that`, tones: ['danger'] },
    ]);
    expect(said({ closed })[0]?.text).not.toContain('accepts');
  });

  it('never are wider than the screen, whatever its width', () => {
    const state = troubled().state;
    fc.assert(
      fc.property(fc.integer({ min: 40, max: 200 }), (width) => {
        const placed = placeColumns(accountColumns(state, NOON), width - 4);
        for (const row of state.accounts) {
          expect(lineWidth(rowLine(placed, row, true))).toBeLessThanOrEqual(width);
          for (const line of accountLines(row, state, NOON, Math.max(80, width)))
            expect(lineWidth(line)).toBeLessThanOrEqual(Math.max(80, width));
        }
      }),
    );
  });

  it('a rate in percent is exact', () => {
    expect(['0.001', '0', '0.00055', '0.1'].map(percentText)).toEqual(['0.1', '0', '0.055', '10']);
  });
});

describe('forms', () => {
  const filled = (what: AccountForm['what'], values: Record<string, string>, state = world()) =>
    Object.entries(values).reduce(
      (form, [id, value]) => withAccountValue(form, id, value),
      newAccountForm(what, SPOT, state),
    );
  const read = (what: AccountForm['what'], values: Record<string, string>, state = world()) =>
    readAccountForm(filled(what, values, state), state);

  it('settings: only what is changed is asked for', () => {
    expect(read('settings', { takerRate: '0.075', latencyMs: '250' })).toEqual({
      action: { type: 'paper-settings', exchange: SPOT, change: { takerRate: '0.00075', latencyMs: 250 } },
    });
    expect(read('settings', {})).toMatchObject({ problem: { message: 'nothing is changed' } });
    expect(read('settings', { makerRate: '100' })).toMatchObject({ problem: { field: 'makerRate' } });
    expect(read('settings', { jitterMs: '60001' })).toMatchObject({ problem: { field: 'jitterMs' } });
    expect(read('settings', { slippageBps: '5000.01' })).toMatchObject({ problem: { field: 'slippageBps' } });
  });

  it('settings: what a form shows and what it reads back is the same, for any settings', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99_999_999 }),
        fc.integer({ min: 0, max: 60_000 }),
        fc.integer({ min: 0, max: 500_000 }),
        (rate, latencyMs, slippage) => {
          const makerRate = `0.${String(rate).padStart(8, '0')}`.replace(/\.?0+$/, '');
          const paper = { ...account(SPOT).paper, makerRate, latencyMs, slippageBps: slippage / 100 };
          const state = world({ accounts: [account(SPOT, { paper: paper as never })] });
          expect(read('settings', {}, state)).toMatchObject({ problem: { message: 'nothing is changed' } });
          expect(read('settings', { jitterMs: '7' }, state)).toMatchObject({
            action: { change: { jitterMs: 7 } },
          });
        },
      ),
    );
  });

  it('balance: assets of the account only, plain amounts only', () => {
    expect(read('balance', { asset: 'btc', amount: '2.5' })).toEqual({
      action: { type: 'paper-balance', exchange: SPOT, asset: 'BTC', amount: '2.5' },
    });
    expect(read('balance', { asset: 'EUR', amount: '2' })).toMatchObject({ problem: { field: 'asset' } });
    for (const amount of ['', '-1', '1e3', '1.', '1,000'])
      expect(read('balance', { asset: 'BTC', amount })).toMatchObject({ problem: { field: 'amount' } });
  });

  it('faults: every choice becomes what the desk takes, or a sentence', () => {
    expect(read('faults', { fault: 'loseAnswer', value: '3', on: 'cancel' })).toEqual({
      action: {
        type: 'paper-fault',
        request: { fault: 'loseAnswer', exchange: SPOT, times: 3, on: 'cancel' },
      },
    });
    expect(read('faults', {})).toEqual({
      action: { type: 'paper-fault', request: { fault: 'reject', exchange: SPOT, times: 1 } },
    });
    expect(read('faults', { how: 'always', value: '7' })).toMatchObject({
      action: { change: { rejectNth: 7 } },
    });
    expect(read('faults', { fault: 'dropEvent', how: 'always', value: '2.5' })).toMatchObject({
      action: { change: { dropEvent: 0.025 } },
    });
    expect(read('faults', { fault: 'down', value: '30' })).toMatchObject({
      action: { request: { fault: 'down', ms: 30_000 } },
    });
    expect(read('faults', { fault: 'off' })).toMatchObject({ action: { heal: true } });
    expect(read('faults', { fault: 'delay', how: 'always', value: '101' })).toMatchObject({
      problem: { field: 'value' },
    });
  });

  it('take each bound itself, and nothing beyond it', () => {
    const bounds: [AccountForm['what'], Record<string, string>, string, string, string][] = [
      ['settings', {}, 'latencyMs', '60000', '60001'],
      ['settings', {}, 'jitterMs', '60000', '60001'],
      ['settings', {}, 'slippageBps', '5000', '5000.01'],
      ['settings', {}, 'makerRate', '99.999999', '100'],
      ['balance', { asset: 'BTC' }, 'amount', '0', '-0'],
      ['faults', { fault: 'down' }, 'value', '3600', '3601'],
      ['faults', { fault: 'down' }, 'value', '1', '0'],
      ['faults', { fault: 'delay' }, 'value', '1000', '1001'],
      ['faults', { fault: 'delay' }, 'value', '1', '0'],
      ['faults', { how: 'always' }, 'value', '1000000', '1000001'],
      ['faults', { how: 'always' }, 'value', '0', '-1'],
      ['faults', { fault: 'delay', how: 'always' }, 'value', '100', '100.0001'],
      ['speed', {}, 'speed', '1000000', '1000000.001'],
    ];
    const state = world({ clock: REPLAY });
    for (const [what, values, field, last, beyond] of bounds) {
      expect(read(what, { ...values, [field]: last }, state), `${what} ${field} ${last}`).toHaveProperty(
        'action',
      );
      expect(read(what, { ...values, [field]: beyond }, state)).toMatchObject({ problem: { field } });
    }
  });

  it('ask anew for a number when what it counts has changed, and forget the refusal', () => {
    const values = (...steps: [string, string][]) => {
      let form = newAccountForm('faults', SPOT, world());
      for (const [id, value] of steps) form = withAccountValue({ ...form, refusal: 'no' }, id, value);
      return form;
    };
    expect(values(['fault', 'down'])).toMatchObject({ values: { value: '10' }, refusal: null });
    expect(values(['value', '7'], ['how', 'always']).values.value).toBe('1');
    expect(values(['fault', 'delay'], ['how', 'always']).values.value).toBe('10');
    expect(values(['fault', 'delay'], ['how', 'always'], ['how', 'the next']).values.value).toBe('1');
    expect(values(['value', '7'], ['on', 'cancel']).values.value).toBe('7');
  });

  it('balance: on futures the margin asset alone, and of no other account', () => {
    const state = world();
    expect(assetsOf(state, 'paper-futures')).toEqual(['USDT']);
    const elsewhere = state.instruments.map((one) => ({ ...one, exchange: 'other', base: 'ELSE' }));
    expect(assetsOf({ ...state, instruments: [...state.instruments, ...elsewhere] }, SPOT)).toEqual(
      assetsOf(state, SPOT),
    );
  });

  it('faults: whatever is chosen, the field in focus exists and the answer is an action or a problem of a field', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...Object.keys(FAULT_WORDS)),
        fc.constantFrom('the next', 'always'),
        fc.oneof(fc.string(), fc.integer().map(String)),
        (fault, how, value) => {
          const form = filled('faults', { fault, how, value });
          const fields = accountFields(form).map(({ id }) => id);
          const answer = readAccountForm(form, world());
          if ('problem' in answer) expect(fields).toContain(answer.problem.field);
          else expect(answer.action.type).toMatch(/^paper-faults?$/);
        },
      ),
    );
  });

  it('speed: another one, above 0, or max', () => {
    const state = world({ clock: REPLAY });
    expect(read('speed', { speed: '60' }, state)).toEqual({ action: { type: 'feed-speed', speed: 60 } });
    expect(read('speed', { speed: 'max' }, state)).toEqual({ action: { type: 'feed-speed', speed: 'max' } });
    for (const speed of ['600', '0', '-1', 'fast', '', '1000001'])
      expect(read('speed', { speed }, state)).toMatchObject({ problem: { field: 'speed' } });
  });
});

describe.each([
  { columns: 80, rows: 24 },
  { columns: 200, rows: 50 },
])('the screen at $columns x $rows', (size) => {
  it('shows the accounts, one from all sides, and the feed', async () => {
    const screen = await open(held(), size);
    await screen.press('7');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says what is stale, since when, what was not compared, and which budget is used up', async () => {
    const screen = await open(troubled(), size);
    await screen.press('7');
    expect(screen.screenText()).toContain('STALE 42 s');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press('j');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('says of an account after a gap that it is being compared, and of one that is down that it is stale', () => {
    const gap = { gap: true as const };
    expect(stateSpan(account(SPOT, gap), NOON)).toMatchObject({ text: '● comparing', tone: 'warn' });
    expect(stateSpan(account(SPOT, { ...gap, link: 'down' }), NOON).text).toMatch(/STALE/);
    expect(stateSpan(account(SPOT), NOON).text).toBe('● connected');
  });

  it('says so when there is no account, or none matches', async () => {
    const screen = await open(held({ accounts: [] }), size);
    await screen.press('7');
    expect(screen.screenText()).toMatchSnapshot();
  });

  it('asks for settings, a balance, faults and a speed', async () => {
    const screen = await open(held({ clock: REPLAY }), size);
    for (const key of ['e', 'b', 'f', 's']) {
      await screen.press('7', key);
      await screen.shows('Review');
      expect(screen.screenText()).toMatchSnapshot();
      await screen.press(ESC);
    }
  });

  it('says what a reset ends, and asks for the name of the account', async () => {
    const desk = held({ futures: somePositions() });
    const screen = await open(desk, size);
    await screen.press('7', 'j', 'R');
    await screen.shows('type paper-futures');
    expect(screen.screenText()).toMatchSnapshot();
    await screen.press('y', ENTER, ENTER);
    expect(desk.acting).toEqual([]);
  });
});

describe('keys', () => {
  it('a reset needs the word and y', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('7', 'R', ...SPOT, ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press('R', ...SPOT, 'y');
    await screen.shows('paper-spot is a new account');
    expect(sent(desk, 'paper.reset')).toEqual([{ exchange: SPOT }]);
  });

  it('a refusal is told, and the form stays', async () => {
    const desk = held();
    desk.answers['paper.balance'] = () => refuse('SERVICE_UNAVAILABLE', 'paper-spot could not store it');
    const screen = await open(desk);
    await screen.press('7', 'b', 'BTC', ENTER, '2', CTRL_R, 'y');
    await screen.shows('refused: paper-spot could not store it');
    expect(screen.screenText()).toContain('Set a balance');
    expect(sent(desk, 'paper.balance')).toEqual([{ exchange: SPOT, asset: 'BTC', amount: '2' }]);
  });

  it('settings, faults and speed are changed after y, each once', async () => {
    const desk = held({ clock: REPLAY });
    const screen = await open(desk);
    await screen.press('7', 'e', '\t', '\x15', '0.2', CTRL_R, ENTER, CTRL_R, 'y');
    await screen.shows('paper-spot: settings changed');
    await screen.press('f', '\x1b[C', '\t', '\t', '2', CTRL_R, 'y');
    await screen.shows('paper-spot: fault set');
    await screen.press('s', '\x15', 'max', CTRL_R, 'y');
    await screen.shows('the feed plays at max');
    expect(sent(desk, 'paper.configure')).toEqual([{ exchange: SPOT, change: { takerRate: '0.002' } }]);
    expect(sent(desk, 'paper.fault')).toEqual([
      { fault: 'loseRequest', exchange: SPOT, times: 12, on: 'submit' },
    ]);
    expect(sent(desk, 'feed.speed')).toEqual([{ speed: 'max' }]);
  });

  it('what is wrong in a form is told, and nothing is asked', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('7', 'b', 'EUR', CTRL_R);
    expect(screen.screenText()).toContain('asset: EUR is not held on paper-spot');
    await screen.press(ESC, 's');
    expect(screen.screenText()).toContain('this market runs with the clock');
    expect(desk.acting).toEqual([]);
  });

  it('rights of a key are accepted by typing the account, those that were seen and no others', async () => {
    const desk = held();
    const [first, ...others] = desk.state.accounts;
    if (!first) throw new Error('no account');
    const screen = await open(desk);
    await screen.press('7', 'a');
    await screen.shows('nothing of paper-spot is to be confirmed');
    const closed =
      'has a key that may withdraw: take that from it at the exchange, or confirm it on Accounts';
    desk.push({ accounts: [{ ...first, closed, unconfirmed: ['withdraw'] }, ...others] });
    await screen.shows('takes no entries');
    await screen.press('a');
    expect(screen.screenText()).toContain('take money out of the account');
    expect(screen.screenText()).toContain('any address');
    await screen.press('y', ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press(ESC, 'a', ...first.id, 'y');
    await screen.shows('paper-spot takes entries');
    expect(sent(desk, 'exchange.confirmRights')).toEqual([{ exchange: first.id, rights: ['withdraw'] }]);
  });

  it.each([
    ['held', 'HELD', 'this data folder was moved or copied', 'confirm that it is stopped'],
    ['others', 'ANOTHER DESK', 'another desk has orders there', 'take it over'],
    ['paused', 'PAUSED', 'no entries are sent', 'confirm that it is stopped'],
  ] as const)('an account that is %s is taken over by typing its name', async (kind, state, why, verb) => {
    const desk = held();
    const [first, ...others] = desk.state.accounts;
    if (!first) throw new Error('no account');
    const screen = await open(desk);
    const ids = kind === 'held' ? [] : ['ro-ab3de0123456789012345'];
    const shut = { kind, ids, more: kind === 'others' };
    desk.push({ accounts: [{ ...first, identity: { id: '1234', mainId: '99' }, shut }, ...others] });
    await screen.shows(state);
    await screen.press('7');
    await screen.shows(why);
    expect(screen.screenText()).toContain('1234 of 99');
    for (const id of ids) expect(screen.screenText()).toContain(id);
    await screen.press('a');
    expect(screen.screenText()).toContain('Be sure that the other desk is stopped');
    await screen.press('y', ENTER);
    expect(desk.acting).toEqual([]);
    await screen.press(ESC, 'a', ...first.id);
    await screen.shows(verb);
    await screen.press('y');
    await screen.shows('paper-spot is traded from here');
    expect(sent(desk, 'exchange.takeOver')).toEqual([{ exchange: first.id, of: kind }]);
  });

  it('an account that is another one than it was cannot be taken over', async () => {
    const desk = held();
    const [first, ...others] = desk.state.accounts;
    if (!first) throw new Error('no account');
    const screen = await open(desk);
    const shut = { kind: 'another', ids: [], more: false } as const;
    desk.push({ accounts: [{ ...first, shut }, ...others] });
    await screen.press('7', 'a');
    await screen.shows('paper-spot is another account than it was: choose another name');
    expect(desk.acting).toEqual([]);
  });

  it('compares now, and says when something may differ', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('7', 'r');
    await screen.shows('paper-spot: the same as the exchange');
    desk.answers['exchange.reconcile'] = () => ({ ok: true, data: { at: NOON, whole: false } });
    await screen.press('r');
    await screen.shows('a question failed, so that something may differ');
  });

  it('plays, pauses and steps the feed', async () => {
    const desk = held();
    const screen = await open(desk);
    await screen.press('7', 'p');
    await screen.shows('p plays  . steps');
    await screen.press('.', 'p');
    await screen.until(() => desk.acting.length === 3);
    expect(sent(desk, 'feed.control')).toEqual([{ action: 'pause' }, { action: 'step' }, { action: 'play' }]);
  });

  it('tab goes to the account and its keys scroll it; esc comes back', async () => {
    const screen = await open(troubled());
    await screen.press('7', 'j');
    expect(screen.screenText()).toContain('1 more · tab, j');
    await screen.press('\t', 'j');
    expect(screen.screenText()).not.toContain('more · tab, j');
    await screen.press(ESC, '/', 'spot', ENTER);
    expect(screen.screenText()).not.toContain('▸ paper-futures');
    expect(screen.screenText()).toContain('Account paper-spot');
  });
});

describe('the question before a reset', () => {
  it('counts orders, positions and running bots of that account alone', () => {
    const running = (id: string, exchange: string) =>
      [id, bot(id, { exchange, status: 'STARTED', runId: `r${id}` })] as const;
    const orders = [
      order('a'),
      order('b', { exchange: 'paper-futures' }),
      order('c', { exchange: 'paper-futures' }),
      order('d', { exchange: 'paper-futures', status: 'CLOSED' }),
    ];
    const state = world({
      orders: Object.fromEntries(orders.map((one) => [one.id, one])),
      futures: somePositions(),
      bots: Object.fromEntries([
        running('b1', SPOT),
        running('b2', 'paper-futures'),
        running('b3', 'paper-futures'),
        ['b4', bot('b4', { exchange: 'paper-futures', status: 'STOPPED' })],
      ]),
    });
    const said = (exchange: string) =>
      Object.fromEntries(
        confirmReset(state, exchange).rows.map(({ name, value }) => [name, value.split(/[ :]/)[0]]),
      );
    expect(said(SPOT)).toMatchObject({ account: SPOT, orders: '1', positions: '0', bots: '1' });
    const positions = `${openPositions(state).length}`;
    expect(Number(positions)).toBeGreaterThan(0);
    expect(said('paper-futures')).toMatchObject({ orders: '2', positions, bots: '2' });
    expect(confirmReset(state, SPOT)).toMatchObject({
      word: SPOT,
      action: { type: 'paper-reset', exchange: SPOT },
    });
  });
});

it('of the budgets of an exchange the fullest is in the list, a warning from four fifths on', () => {
  const budget = (name: string, used: number, limit: number) => ({ name, used, limit, windowMs: 60_000 });
  const shown = (...budgets: ReturnType<typeof budget>[]) => {
    const column = accountColumns(world(), NOON).find(({ cell }) =>
      cell(account(SPOT, { budgets: [budget('marker', 1, 2)] }), 40).text.startsWith('marker'),
    );
    const { text, tone } = column?.cell(account(SPOT, { budgets }), 40) ?? {};
    return `${text} ${tone ?? ''}`.trim();
  };
  expect(shown(budget('weight', 5_000, 6_000), budget('orders', 99, 100))).toBe('orders 99/100 warn');
  expect(shown(budget('weight', 1_000, 6_000), budget('orders', 79, 100))).toBe('orders 79/100');
  expect(shown(budget('orders', 80, 100))).toBe('orders 80/100 warn');
});

it('accounts that share a wallet name each other, and what they have is counted once among all', () => {
  const state = world();
  const [one, two] = [SPOT, 'paper-futures'];
  const worth = (usd: string, ...sharedWith: string[]) => ({
    total: { usd },
    ...(sharedWith.length > 0 && { sharedWith }),
  });
  const portfolios = { [one]: worth('100', two), [two]: worth('100', one), third: worth('300') };
  const named = accountLines(account(one), { ...state, portfolios }, NOON, 100);
  expect(
    named.map((line) =>
      line
        .map(({ text }) => text)
        .join('')
        .trim(),
    ),
  ).toContain(`wallet      shared with ${two}`);
  const share = accountColumns({ portfolios }, NOON).find(({ title }) => title === 'share');
  expect([one, two, 'third'].map((id) => share?.cell(account(id), 40).text)).toEqual([
    '25.0 %',
    '25.0 %',
    '75.0 %',
  ]);
});

it('a fault that stands is said in words', () => {
  expect(
    [
      ['rejectNth', 0],
      ['rejectNth', 1],
      ['rejectNth', 3],
      ['loseAnswer', 0.05],
      ['delay', 1],
      ['delay', 0],
    ].map(([name, value]) => standingFaultText(String(name), Number(value))),
  ).toEqual(['off', 'every order', 'one of 3 orders', '5 %', '100 %', 'off']);
});

it('the question before a balance is set has what is free now, and what stays locked', () => {
  const state = world({
    portfolios: {
      [SPOT]: {
        ...(world().portfolios[SPOT] as DeskState['portfolios'][string]),
        balances: [
          {
            asset: 'BTC',
            name: 'BTC',
            free: '1',
            wallet: '1.5',
            total: '1.5',
            locked: '0.5',
            lockedByBot: null,
          },
        ],
      },
    },
  });
  const { rows } = confirmAccount(state, {
    type: 'paper-balance',
    exchange: SPOT,
    asset: 'BTC',
    amount: '3',
  } as Parameters<typeof confirmAccount>[1]);
  expect(rows.map(({ name, value }) => `${name}: ${value}`)).toEqual([
    `account: ${SPOT}`,
    'free BTC: 1 → 3',
    'locked: 0.5 stays',
  ]);
});
