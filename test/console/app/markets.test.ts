/**
 * Two accounts on two markets where the same symbol has two prices: every figure, chart and question belongs
 * to the account's own market. With only one market, nothing names it.
 */
import { describe, expect, it } from 'vitest';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import { confirmCancel } from '../../../src/console/orders/confirmations.ts';
import { orderColumns } from '../../../src/console/orders/order-columns.ts';
import { detailLines } from '../../../src/console/orders/order-detail.ts';
import { ticketChart, ticketLevels } from '../../../src/console/orders/ticket/chart-ticket.ts';
import { emptyDraft } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { nearestOrders, watchColumns } from '../../../src/console/overview/watchlist.ts';
import {
  balanceRows,
  FIRST_PORTFOLIO,
  shownBalances,
} from '../../../src/console/portfolio/portfolio-list.ts';
import { accountsAt, hasMarkets, marketAt, priceOf } from '../../../src/console/trading/prices.ts';
import { shownPrices } from '../../../src/console/trading/watch.ts';
import type { DeskState, PriceView } from '../../../src/desk/console/protocol.ts';
import { FakeDesk } from '../support/fake-desk.ts';
import { ENTER, ESC } from '../support/rig.tsx';
import { rigPerTest } from '../support/rig-per-test.ts';
import { bot, botDesk, SQUEEZE_SETTINGS } from '../support/some-bots.ts';
import { account, deskState } from '../support/some-desk.ts';
import { NOON } from '../support/some-market.ts';
import { order } from '../support/some-orders.ts';

const open = rigPerTest();

const DOWN = '\x1b[B';
const RIGHT = '\x1b[C';
const UP = '\x1b[A';
const OTHER = 'other-spot';
const PAPER = 'paper-spot';

/** BTCUSDT at 61,234.10 on the paper market, at 30,000 on the other. */
function two(change: Partial<DeskState> = {}): DeskState {
  const base = deskState();
  const btc = base.instruments.find(({ exchange, symbol }) => exchange === PAPER && symbol === 'BTCUSDT');
  const price = {
    market: OTHER,
    symbol: 'BTCUSDT',
    last: '30000',
    time: NOON,
    open24h: '20000',
    spark: [29_000, 30_000],
  };
  return {
    ...base,
    accounts: [...base.accounts, account(OTHER, { name: 'Other spot', market: OTHER })],
    instruments: [...base.instruments, ...(btc ? [{ ...btc, exchange: OTHER, tickSize: '0.1' }] : [])],
    prices: { ...base.prices, [`${OTHER} BTCUSDT`]: price },
    orders: {
      a: order('a', { exchange: PAPER, price: '60000', origQty: '1' }),
      b: order('b', { exchange: OTHER, price: '27000', origQty: '1' }),
    },
    ...change,
  };
}

const textOf = (lines: readonly (readonly { readonly text: string }[])[]): string =>
  lines.map((line) => line.map(({ text }) => text).join('')).join('\n');

describe('the price of an account', () => {
  it('is that of its market; of one that is not there that of the one market there is', () => {
    const state = two();
    const last = (exchange: string, of = state) => priceOf(of, exchange, 'BTCUSDT')?.last;
    expect([last(PAPER), last('paper-futures'), last(OTHER)]).toEqual(['61234.10', '61234.10', '30000']);
    expect([last('gone'), last('gone', deskState())]).toEqual([undefined, '61234.10']);
    expect([hasMarkets(state.accounts), hasMarkets(deskState().accounts), hasMarkets([])]).toEqual([
      true,
      false,
      false,
    ]);
    expect([marketAt(state.accounts, OTHER), marketAt([], OTHER)]).toEqual([OTHER, undefined]);
  });

  it('orders, their detail and their questions are far from it', () => {
    const state = two();
    const orders = Object.values(state.orders);
    const details = orders.map((one) => textOf(detailLines(one, null, state, NOON, 80)));
    expect(details[0]).toContain('-2.02 %');
    expect(details[1]).toContain('-10.00 %');
    const questions = orders.map((one) =>
      confirmCancel(state, one).rows.find(({ name }) => name === 'distance'),
    );
    expect(questions.map((row) => row?.value)).toEqual([
      '-2.02 % from last 61,234.10',
      '-10.00 % from last 30,000.0',
    ]);
    const placed = placeColumns(orderColumns(state, NOON), 200);
    const rows = orders.map((one) => textOf([rowLine(placed, one, false)]));
    expect(rows[0]).toContain('-2.02 %');
    expect(rows[1]).toContain('-10.00 %');
  });

  it('balances are worth BTC of their own market', () => {
    const balance = (usd: string) => ({
      asset: 'USDT',
      name: 'USDT',
      free: usd,
      wallet: usd,
      total: usd,
      locked: '0',
      lockedByBot: null,
      usd,
    });
    const portfolios = {
      [PAPER]: { total: { usd: '61234.10' }, balances: [balance('61234.10')] },
      [OTHER]: { total: { usd: '60000' }, balances: [balance('60000')] },
    };
    const state: { -readonly [K in keyof DeskState]: DeskState[K] } = two({ portfolios });
    expect(balanceRows(state).map(({ exchange, btc }) => [exchange, btc])).toEqual([
      [PAPER, '1.00000000'],
      [OTHER, '2.00000000'],
    ]);
    // When only the other market moves, the rows are still made anew.
    const shown = () => shownBalances(state, FIRST_PORTFOLIO).find(({ exchange }) => exchange === OTHER)?.btc;
    expect(shown()).toBe('2.00000000');
    const moved = { ...state.prices[`${OTHER} BTCUSDT`], last: '15000' } as PriceView;
    state.prices = { ...state.prices, [`${OTHER} BTCUSDT`]: moved };
    expect(shown()).toBe('4.00000000');
  });

  it('a ticket’s chart has its minutes, its price and the own orders of its market', () => {
    const state = two();
    const levels = (exchange: string) =>
      ticketLevels(state, emptyDraft(exchange, 'BTCUSDT')).map(({ name, price }) => `${name} ${price}`);
    expect(levels(PAPER)).toEqual(['last 61234.10', 'own BUY 60000']);
    expect(levels(OTHER)).toEqual(['last 30000', 'own BUY 27000']);
    const chart = (exchange: string) =>
      textOf(ticketChart(state, emptyDraft(exchange, 'BTCUSDT'), { width: 60, height: 10 }));
    expect(chart(OTHER)).toContain('30,000');
    expect(chart(OTHER)).not.toContain('61,234');
    expect(chart(PAPER)).not.toContain('30,000');
  });
});

describe('the watchlist', () => {
  it('has a row for each market’s symbol, with the own orders there, and says which', () => {
    const state = two();
    const rows = shownPrices(state).filter(({ symbol }) => symbol === 'BTCUSDT');
    expect(rows.map(({ market, last }) => [market, last])).toEqual([
      ['paper', '61234.10'],
      [OTHER, '30000'],
    ]);
    const nearest = nearestOrders(state.orders, state.accounts);
    expect([nearest.get('paper BTCUSDT')?.buy, nearest.get(`${OTHER} BTCUSDT`)?.buy]).toEqual([
      '60000',
      '27000',
    ]);
    const titles = (named: boolean) => watchColumns(new Map(), nearest, named).map(({ title }) => title);
    expect(titles(true)).toEqual(['symbol', 'market', ...titles(false).slice(1)]);
  });

  it('knows the nearest own order of each side, in whatever order they come', () => {
    const own = [
      order('low', { side: 'BUY', price: '50000' }),
      order('high', { side: 'BUY', price: '60000' }),
      order('near', { side: 'SELL', price: '62000' }),
      order('far', { side: 'SELL', price: '70000' }),
    ];
    for (const orders of [own, own.toReversed()]) {
      const nearest = nearestOrders(
        Object.fromEntries(orders.map((one) => [one.id, one])),
        deskState().accounts,
      );
      expect([...nearest.values()]).toEqual([{ buy: '60000', sell: '62000' }]);
    }
  });

  it('names markets on the screen only where there are several', async () => {
    const one = await open(new FakeDesk(deskState()));
    await one.shows('Watchlist');
    expect(one.screenText()).not.toMatch(/symbol +market/);
    const several = await open(new FakeDesk(two()), { columns: 120, rows: 40 });
    await several.shows('Watchlist');
    expect(several.screenText()).toMatch(/symbol +market/);
    expect(several.screenText()).toMatch(/BTCUSDT +other-spot +30,000\.0/);
    expect(several.screenText()).toMatch(/BTCUSDT +paper +61,234\.10/);
  });

  it('the row under the cursor opens a ticket of an account that trades there, with its price', async () => {
    const desk = new FakeDesk(two());
    const screen = await open(desk, { columns: 120, rows: 40 });
    await screen.press(':');
    await screen.press(...'btcusdt other');
    await screen.shows('BTCUSDT other-spot');
    await screen.press(ENTER, 'n');
    await screen.shows('BUY BTCUSDT');
    await screen.shows('30,000.0');
    expect(screen.screenText()).toContain(OTHER);
    await screen.press(ESC);
  });

  it('accounts at a price are those of its market; all where none is', () => {
    const { accounts } = two();
    const ids = (market: string) => accountsAt(accounts, { market }).map(({ id }) => id);
    expect([ids(OTHER), ids('nowhere').length]).toEqual([[OTHER], 3]);
    expect(accountsAt(accounts, undefined)).toHaveLength(3);
  });
});

it('a bot’s chart asks for the candles of its account’s market', async () => {
  const settings = { ...SQUEEZE_SETTINGS, exchange: OTHER };
  const own = bot('b1', {
    exchange: OTHER,
    settings,
    status: 'STARTED',
    runId: 'r1',
    startedAt: NOON - 60_000,
  });
  const desk = botDesk({ ...two(), bots: { b1: own } });
  const asked: unknown[] = [];
  desk.answers['market.candles'] = ({ market, symbol }) => {
    asked.push([market, symbol]);
    return [{ time: 0, open: '1', high: '2', low: '1', close: '2', volume: '1' }];
  };
  const screen = await open(desk, { columns: 120, rows: 40 });
  await screen.press('3', ENTER);
  await screen.shows('candles of');
  expect(asked[0]).toEqual([OTHER, 'BTCUSDT']);
});

it('a chart in the editor is asked for anew when the account of another market is chosen', async () => {
  const desk = botDesk(two());
  const asked: string[] = [];
  desk.answers['market.candles'] = ({ market, symbol }) => {
    asked.push(`${market} ${symbol}`);
    return [{ time: 0, open: '1', high: '2', low: '1', close: '2', volume: '1' }];
  };
  const screen = await open(desk, { columns: 200, rows: 50 });
  await screen.press('3', 'n', DOWN, DOWN, ENTER);
  await screen.shows('New SQUEEZE');
  const chart = () => {
    const editor = screen.session.ui.getState().dialogs.find((one) => one.kind === 'bot-editor');
    return editor?.kind === 'bot-editor' ? editor.chart : null;
  };
  await screen.until(() => chart()?.market === 'paper');
  expect(asked).toEqual(['paper BTCUSDT']);
  // The other account is on the same market: nothing is asked again.
  await screen.press(UP, RIGHT);
  await screen.shows('◂ paper-futures ▸');
  await screen.settle();
  expect(asked).toEqual(['paper BTCUSDT']);
  await screen.press(RIGHT);
  await screen.shows('◂ other-spot ▸');
  await screen.until(() => chart()?.market === OTHER);
  expect(asked).toEqual(['paper BTCUSDT', `${OTHER} BTCUSDT`]);
});
