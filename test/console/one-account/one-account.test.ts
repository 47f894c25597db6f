/**
 * One account is viewed alone: no screen shows anything of another account, no action affects another, and no
 * order goes to another.
 */
import { describe, expect, it } from 'vitest';
import { selectedOrder } from '../../../src/console/orders/order-list.ts';
import { FIRST_ORDERS } from '../../../src/console/orders/orders-view.ts';
import { ofAccount } from '../../../src/console/trading/one-account.ts';
import type { DeskState } from '../../../src/desk/console/protocol.ts';
import { ok } from '../../../src/domain/errors.ts';
import type { FillRecord } from '../../../src/domain/order.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { CTRL_R, ENTER, ESC, type Rig } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, figures } from '../support/some-bots.ts';
import { account, deskState, somePortfolios } from '../support/some-desk.ts';
import { position, somePositions } from '../support/some-futures.ts';
import { NOON } from '../support/some-market.ts';
import { order, someOrders } from '../support/some-orders.ts';

const open = rigPerTest();

const LIVE = 'acme-main';
const OTHERS = /paper-|ETHUSDT|XRPUSDT/;

/** A real account with one order, one position and one bot, beside the two of paper. */
function mixedState(change: Partial<DeskState> = {}): DeskState {
  const usual = deskState();
  const place = { name: 'acme', venue: 'acme', place: 'LIVE', state: 'ready' } as const;
  const real = account(LIVE, { kind: 'futures', market: 'acme-futures', paper: null, connection: place });
  const [btc] = usual.instruments.filter(({ symbol }) => symbol === 'BTCUSDT');
  if (!btc) throw new Error('no instrument');
  return deskState({
    accounts: [...usual.accounts, real],
    instruments: [...usual.instruments, { ...btc, exchange: LIVE, kind: 'futures' }],
    prices: {
      ...usual.prices,
      'acme-futures BTCUSDT': {
        market: 'acme-futures',
        symbol: 'BTCUSDT',
        last: '61200.00',
        time: NOON,
        open24h: null,
        spark: [],
      },
    },
    orders: {
      ...someOrders(),
      real: order('real', { exchange: LIVE, price: '59000.00', isContract: true }),
      filled: order('filled', {
        exchange: LIVE,
        status: 'CLOSED',
        executedQty: '0.5',
        fillPrice: '60000',
        isWorking: false,
      }),
    },
    portfolios: {
      ...somePortfolios(),
      [LIVE]: { total: { usd: '7777.25', btc: '0.127' }, balances: [] },
    },
    futures: {
      ...somePositions(),
      [LIVE]: {
        hedgeMode: false,
        leverage: {},
        positions: [position('BTCUSDT', { exchange: LIVE, key: 'real' })],
      },
    },
    bots: {
      paper: bot('paper', { tag: 'paper-bot', status: 'STARTED', runId: 'r1', stats: figures() }),
      real: bot('real', {
        exchange: LIVE,
        settings: { exchange: LIVE },
        tag: 'real-bot',
        status: 'STARTED',
        runId: 'r2',
        stats: figures(),
      }),
    },
    log: [],
    ...change,
  });
}

const fill = (exchange: string, symbol: string): FillRecord => ({
  exchange,
  symbol,
  tradeId: `${exchange} 1`,
  orderId: 'filled',
  user: 'owner',
  side: 'BUY',
  price: '60000',
  qty: '0.5',
  comm: '0.1',
  commAsset: 'USDT',
  maker: true,
  rPnl: null,
  posSide: 'BOTH',
  time: NOON,
});

/** A desk whose store has a trade on each account. */
function mixedDesk(change: Partial<DeskState> = {}): FakeDesk {
  const desk = new FakeDesk(mixedState(change));
  desk.answers['trades.page'] = ({ exchange }) => ({
    trades: [fill(LIVE, 'BTCUSDT'), fill('paper-spot', 'ETHUSDT')].filter(
      (trade) => exchange === undefined || trade.exchange === exchange,
    ),
    next: null,
  });
  desk.answers['orders.place'] = (wanted) => ok(order('new', { ...wanted, status: 'OPENED' } as object));
  return desk;
}

const sent = (desk: FakeDesk, which: string) =>
  desk.calls.filter(({ method }) => method === which).map(({ params }) => params);

/** Chooses the account with the keys of the dialog, whichever account is viewed before. */
async function choose(screen: Rig, name = LIVE): Promise<void> {
  const isThere = (line: string): boolean => line.includes('│ ▸') && line.includes(`${name} `);
  await screen.press('@');
  for (let tries = 0; !screen.screenLines().some(isThere); tries++) {
    if (tries === 4) throw new Error(`${name} is not among the accounts`);
    await screen.press('j');
  }
  await screen.press(ENTER);
}

describe('one account', () => {
  it('is chosen among all of them, each with its mode and what there is of it', async () => {
    const screen = await open(mixedDesk());
    await screen.press('@');
    await screen.shows('One account, or all');
    const lines = screen.screenLines();
    expect(lines.find((line) => line.includes('all accounts'))).toContain('5 orders, 4 positions');
    expect(lines.find((line) => /LIVE +acme-main/.test(line))).toMatch(
      /futures +7,777.25 +1 order, 1 position/,
    );
    expect(lines.find((line) => /PAPER +paper-futures/.test(line))).toContain('1 order, 3 positions');
    await screen.press('k', ENTER);
    await screen.shows('only acme-main, LIVE');
  });

  it.each([
    [80, 24],
    [200, 50],
  ])('stands in the header with its mode and its equity at %d columns', async (columns, rows) => {
    const screen = await open(mixedDesk(), { columns, rows });
    await choose(screen);
    const [header = ''] = screen.screenLines();
    expect(header).toMatch(/LIVE .*@acme-main +LIVE/);
    expect(header).toContain('7,777.25');
    await choose(screen, 'paper-spot');
    expect(screen.screenLines()[0]).toMatch(/LIVE .*@paper-spot +PAPER/);
  });

  it('has its own PnL of the day and its own curve, and its own files', async () => {
    const points = Array.from({ length: 40 }, (_, n) => 7_000 + n);
    const desk = mixedDesk({ wallets: { [LIVE]: { dayStartUsd: '7700.25', points } } });
    const file = { path: '/x/exports/orders.csv', rows: 1, whole: true };
    for (const method of ['orders.export', 'trades.export', 'portfolio.export'] as const)
      desk.answers[method] = () => ok(file);
    const screen = await open(desk, { columns: 200, rows: 50 });
    await choose(screen);
    expect(screen.screenText()).toMatch(/today +\+77\.00 +\+1\.00 %/);
    expect(screen.screenText()).toContain('last 41 min');
    await screen.press('2', 'e', 't', 'e', '4', 'e');
    expect(desk.calls.filter(({ method }) => method.endsWith('.export'))).toEqual([
      { method: 'orders.export', params: { exchange: LIVE } },
      { method: 'trades.export', params: { exchange: LIVE } },
      { method: 'portfolio.export', params: { exchange: LIVE } },
    ]);
    // For an account that the day's figures do not contain, no figure is made up.
    await choose(screen, 'paper-spot');
    await screen.press('1');
    expect(screen.screenText()).toMatch(/today +– +–/);
  });

  it('hides everything of all others, on every screen that shows what belongs to an account', async () => {
    const desk = mixedDesk();
    const screen = await open(desk, { columns: 200, rows: 50 });
    await choose(screen);
    const seen: Record<string, string> = {};
    for (const key of ['1', '2', 't', '3', '4', '5', '8']) {
      await screen.press(key);
      seen[key] = screen.screenText();
      expect(seen[key], `screen ${key}`).not.toMatch(OTHERS);
    }
    expect(seen['2']).toContain('59,000.00');
    expect(seen.t).toContain('60,000.00');
    expect(seen['3']).toContain('real-bot');
    expect(seen['4']).toContain('7,777.25');
    expect(seen['5']).toContain('BTCUSDT');
    expect(sent(desk, 'trades.page').at(-1)).toMatchObject({ exchange: LIVE });
  });

  it('reads its own trades and ended orders when it is chosen on their screens, and all again later', async () => {
    const desk = mixedDesk();
    desk.answers['orders.closed'] = ({ exchange }) => ({
      orders: [order('old', { exchange: exchange ?? 'paper-spot', status: 'CLOSED' })],
      next: null,
    });
    const screen = await open(desk, { columns: 200, rows: 50 });
    await screen.press('2', 't');
    await screen.shows('ETHUSDT');
    await choose(screen);
    await screen.shows('Trades @acme-main');
    expect(screen.screenText()).not.toContain('ETHUSDT');
    await choose(screen, 'all accounts');
    await screen.shows('ETHUSDT');
    await screen.press('t', 'a');
    expect(sent(desk, 'orders.closed')).toHaveLength(1);
    const before = sent(desk, 'orders.closed').length;
    await choose(screen);
    await screen.until(() => sent(desk, 'orders.closed').length === before + 1);
    expect(sent(desk, 'orders.closed').at(-1)).toMatchObject({ exchange: LIVE });
  });

  it('leaves screens of the desk whole: Accounts lists all of them', async () => {
    const screen = await open(mixedDesk());
    await choose(screen);
    await screen.press('7');
    await screen.shows('paper-futures');
    await screen.press('j', 'j');
    expect(screen.screenText()).toContain('acme-main');
  });

  it('is all that cancel-all cancels', async () => {
    const desk = mixedDesk();
    const screen = await open(desk);
    await choose(screen);
    await screen.press('2', 'X');
    await screen.shows('type cancel 1');
    expect(screen.screenText()).toContain('LIVE');
  });

  it('is not all that panic means, and panic says so', async () => {
    const screen = await open(mixedDesk());
    await choose(screen);
    await screen.press('P');
    await screen.shows('All accounts are meant, not only acme-main');
    expect(screen.screenText()).toContain('cancel all orders    5');
  });

  it('is where orders go: a ticket has no other account to choose', async () => {
    const desk = mixedDesk();
    const screen = await open(desk);
    await choose(screen, 'paper-futures');
    await screen.press('2', 'n');
    await screen.shows('paper-futures');
    await screen.press('\x1b[Z', ' ', ' ');
    expect(screen.screenText()).not.toContain('paper-spot ');
    await screen.press(ESC);
    await choose(screen);
    await screen.press('1', 'b', '1', CTRL_R);
    await screen.shows('REAL MONEY');
    await screen.press('y');
    await screen.until(() => sent(desk, 'orders.place').length === 1);
    expect(sent(desk, 'orders.place')).toMatchObject([{ exchange: LIVE, symbol: 'BTCUSDT', side: 'BUY' }]);
  });

  it('refuses the last order of another account once more, and one that was cancelled there', async () => {
    const desk = mixedDesk();
    desk.answers['orders.cancel'] = ({ id }) => {
      const gone = { ...(desk.state.orders[id] ?? order(id)), status: 'CANCELLED' as const };
      desk.push({ orders: { [id]: gone } });
      return ok(gone);
    };
    const screen = await open(desk);
    await choose(screen, 'paper-spot');
    await screen.press('b', '1', CTRL_R, 'y');
    await screen.until(() => sent(desk, 'orders.place').length === 1);
    await screen.press('2', 'j', 'x', 'y');
    await screen.until(() => sent(desk, 'orders.cancel').length === 1);
    await choose(screen);
    await screen.press('R');
    await screen.shows('that is an order on paper-spot, and only acme-main is looked at');
    await screen.press('2', 'U');
    await screen.shows('that is an order on paper-spot, and only acme-main is looked at');
    expect(sent(desk, 'orders.place')).toHaveLength(1);
  });

  it('gives way to what is gone to elsewhere, which is said', async () => {
    const screen = await open(mixedDesk());
    await choose(screen);
    await screen.press('!');
    await screen.shows('of paper-spot: all accounts are shown again');
    expect(screen.screenText()).toContain('XRPUSDT');
    expect(screen.screenLines()[0]).not.toContain('@');
  });

  it('holds while it is not there: nothing is shown, and no order goes elsewhere', async () => {
    const desk = mixedDesk();
    const screen = await open(desk);
    await choose(screen);
    await screen.press('2');
    desk.push({ accounts: desk.state.accounts.filter(({ id }) => id !== LIVE) });
    await screen.shows('@acme-main not here');
    await screen.press('n');
    await screen.shows('acme-main is not here: @ chooses');
    expect(screen.screenText()).not.toContain('paper-');
  });

  it('is found again by its operator, who may be one that only looks', async () => {
    const desk = mixedDesk({
      me: { name: 'vera', role: 'viewer', local: false, session: 's' } as DeskState['me'],
    });
    const screen = await open(desk);
    await choose(screen);
    await screen.press('2');
    await screen.shows('Orders @acme-main');
    await screen.until(() => sent(desk, 'memory.write').length > 0);
    const kept = sent(desk, 'memory.write').at(-1) as { memory: Record<string, unknown> };
    expect(kept.memory.only).toBe(LIVE);
    const later = mixedDesk();
    later.answers['memory.read'] = () => kept.memory as never;
    const again = await open(later);
    await again.until(() => again.screenLines()[0]?.includes('@acme-main') === true);
  });

  it('is chosen in the palette, too', async () => {
    const screen = await open(mixedDesk());
    await screen.press(':', ...'@acme', ENTER);
    await screen.shows('only acme-main, LIVE');
    await screen.press(':', ...'@all', ENTER);
    await screen.shows('all accounts');
    expect(screen.screenLines()[0]).not.toContain('@');
  });
});

describe('sub-totals', () => {
  it('stand above the total where several accounts are shown, and not of one alone', async () => {
    const screen = await open(mixedDesk());
    await screen.press('5');
    await screen.shows('acme-main      1 position  PnL +616.99  margin 3,061.71');
    expect(screen.screenText()).toContain('paper-futures  3 positions  PnL +756.48  margin 4,425.66');
    await screen.press('4');
    await screen.shows('paper-futures  100,756.48 USD');
    expect(screen.screenText()).toContain('paper-spot      83,178.33 USD  partial');
    expect(screen.screenText()).toContain('acme-main        7,777.25 USD');
    await choose(screen, 'paper-spot');
    expect(screen.screenText()).not.toContain('83,178.33 USD  partial\n');
    expect(screen.screenText()).not.toContain('  paper-spot      83,');
    await screen.press('5');
    expect(screen.screenText()).not.toContain('margin 4,425.66');
  });
});

describe('the mode in each row', () => {
  it.each(['2', '3', '4', '5'])('stands first on screen %s, where accounts differ in it', async (key) => {
    const screen = await open(
      mixedDesk({ portfolios: { ...somePortfolios(), [LIVE]: somePortfolios()['paper-futures'] as never } }),
    );
    await screen.press(key);
    const lines = screen.screenLines();
    const head = lines.findIndex((line) => /^ +mode /.test(line));
    expect(head).toBeGreaterThan(0);
    const words = lines.slice(head + 1).map((line) => /^[ ▸]+(LIVE|PAPER) /.exec(line)?.[1]);
    const rows = words.slice(0, words.indexOf(undefined));
    expect(new Set(rows)).toEqual(new Set(['LIVE', 'PAPER']));
    const row = lines.findIndex((line, at) => at > head && line.includes('LIVE'));
    const at = (lines[row] ?? '').indexOf('LIVE');
    expect(screen.terminal.buffer.active.getLine(row)?.getCell(at)?.isInverse()).toBeTruthy();
  });

  it('stands before what is urgent on the Overview', async () => {
    const screen = await open(mixedDesk(), { columns: 200, rows: 50 });
    await screen.shows('! LIVE  BTCUSDT');
    expect(screen.screenText()).toContain('! PAPER BTCUSDT');
    expect(screen.screenText()).toContain('! PAPER XRPUSDT');
    expect(screen.screenText()).toMatch(/LIVE +real-bot/);
  });

  it('is left out where the word in the header is true of all', async () => {
    const screen = await open(new FakeDesk(deskState()));
    await screen.press('2');
    await screen.shows('BTCUSDT');
    expect(screen.screenText()).not.toContain('mode');
  });
});

describe('the desk as one account has it', () => {
  it('has nothing of another one in it', () => {
    expect(JSON.stringify(ofAccount(mixedState({ keys: [] }), LIVE))).not.toMatch(/paper-|paper /);
    expect(ofAccount(mixedState(), 'gone')).toMatchObject({
      accounts: [],
      orders: {},
      futures: {},
      prices: {},
    });
  });

  it('is the desk itself while no account is chosen', () => {
    const state = mixedState();
    expect(ofAccount(state, null)).toBe(state);
  });

  it('keeps the objects of what has not changed', () => {
    const state = mixedState();
    const later = { ...state, clock: { ...state.clock, wall: NOON + 1 } };
    const [one, two] = [ofAccount(state, LIVE), ofAccount(later, LIVE)];
    for (const part of [
      'accounts',
      'instruments',
      'prices',
      'orders',
      'bots',
      'futures',
      'portfolios',
    ] as const)
      expect(two[part], part).toBe(one[part]);
    expect(ofAccount(state, LIVE)).toBe(one);
    expect(selectedOrder(one, FIRST_ORDERS)?.exchange).toBe(LIVE);
  });
});
