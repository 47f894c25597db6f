/**
 * The PnL book on a whole desk: what terminals and the shell receive of fills, funding, deposits, a reset,
 * and the times between.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pnl } from '../../../src/cli/pnl.ts';
import { placeColumns, rowLine } from '../../../src/console/lists/table.ts';
import { groupColumns, totalRow } from '../../../src/console/pnl/pnl-groups.ts';
import { queryOf } from '../../../src/console/pnl/pnl-page.ts';
import type { DeskClient, PnlQuery, PnlView } from '../../../src/desk/console/protocol.ts';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { CandleText, TestDesk } from './support.ts';
import {
  EXCHANGE,
  flat,
  MARKET_START,
  ok,
  openTestDesk,
  place,
  temporaryFolder,
  until,
  writeCandles,
} from './support.ts';

const FUTURES = 'paper-futures';
const MINUTE_MS = 60_000;

/** One price a minute: the ticks of a minute are four. */
const PRICES = ['100', '100', '110', '120', '120'];

async function desk(): Promise<TestDesk> {
  const candles = PRICES.flatMap((price): CandleText[] => flat(price));
  const t = await openTestDesk({
    feed: writeCandles({ BTCUSDT: candles, BNBUSDT: flat('20', PRICES.length) }),
    hold: true,
  });
  await toMinute(t, 1);
  await until(t, async () => (await book(t)).notes.length === 0);
  return t;
}

/** Steps until the market is within that minute. */
async function toMinute(t: TestDesk, minute: number): Promise<void> {
  const at = MARKET_START + minute * MINUTE_MS;
  for (let n = 0; n < 60 && t.desk.state().clock.market <= at; n++)
    await t.call('feed.control', { action: 'step' });
}

async function book(t: TestDesk, q: Partial<PnlQuery> = {}): Promise<PnlView> {
  return ok(await t.call('pnl.read', { by: 'symbol', points: 3, ...q }));
}

async function filled(t: TestDesk, order: Omit<Parameters<typeof place>[1], 'type'>): Promise<void> {
  const { id } = await place(t, { ...order, type: 'MARKET' });
  await until(t, () => t.view(id).status === 'CLOSED');
}

/** The total equity, in the desk's own valuation. */
const equityOf = (t: TestDesk) => t.desk.state().equity.usd;

/** A desk with a buy and a sale on spot, a long with a stop on futures, and the rest of both still held. */
async function traded(): Promise<TestDesk> {
  const t = await desk();
  await filled(t, { side: 'BUY', quantity: '2' });
  await filled(t, { exchange: FUTURES, side: 'BUY', quantity: '1' });
  await place(t, {
    exchange: FUTURES,
    side: 'SELL',
    type: 'STOP_MARKET',
    stopPrice: '95',
    quantity: '1',
    reduceOnly: true,
  });
  await toMinute(t, 2);
  await filled(t, { side: 'SELL', quantity: '1' });
  await filled(t, { exchange: FUTURES, side: 'SELL', quantity: '1', reduceOnly: true });
  await filled(t, { exchange: FUTURES, side: 'SELL', quantity: '3' });
  await toMinute(t, 3);
  return t;
}

it('tells what trading has brought, and equity = net + deposits as the desk values it', async () => {
  const t = await traded();
  const view = await book(t);
  expect(view.differences).toEqual([]);
  expect(view.notes).toEqual([]);
  const [begin, ...points] = view.curve;
  const end = points.at(-1);
  expect(str(dec(begin?.equity ?? '') + dec(view.total.net) + dec(view.total.deposits))).toBe(end?.equity);
  expect(Number(end?.equity).toFixed(2)).toBe(equityOf(t));
  // 2 bought at 100 less 0.1 %, 1 sold at 110; 1 long from 100 to 110; 3 short from 110, now at 120.
  expect(view.rows.map(({ key }) => key)).toContain('BTCUSDT');
  const { realised, fees, deposits } = view.total;
  expect(Number(realised)).toBeCloseTo(10 + 10, 9);
  expect(Number(fees)).toBeCloseTo(0.2 + 0.11 + (100 + 110 + 330) * 0.0005, 9);
  expect(Number(deposits)).toBeCloseTo(
    Number(begin?.equity) + Number(end?.equity) - Number(view.total.net),
    9,
  );
  const [sale, long] = [
    view.trades.find(({ kind }) => kind === 'spot'),
    view.trades.find(({ kind }) => kind === 'futures'),
  ];
  expect(sale).toMatchObject({
    account: EXCHANGE,
    side: 'LONG',
    qty: '1',
    entry: '100',
    exit: '110',
    stop: null,
    r: null,
    bot: null,
  });
  expect(long).toMatchObject({
    account: FUTURES,
    side: 'LONG',
    entry: '100',
    exit: '110',
    realised: '10',
    stop: '95',
  });
  // Net of fees, divided by the loss that it would have made at 95.
  expect(Number(long?.r)).toBeCloseTo((10 - 0.105) / 5, 9);
  expect(view.stats).toMatchObject({ trades: 2, wins: 2, winRate: '1' });
});

it('measures a trade of hedge mode by the stop of its own side', async () => {
  const t = await desk();
  ok(await t.call('futures.set', { exchange: FUTURES, setting: { kind: 'hedgeMode', on: true } }));
  const futures = { exchange: FUTURES, quantity: '2' };
  const stop = { ...futures, side: 'SELL', type: 'STOP_MARKET' } as const;
  await filled(t, { ...futures, side: 'BUY', positionSide: 'LONG' });
  await place(t, { ...stop, positionSide: 'SHORT', stopPrice: '95' });
  await place(t, { ...stop, positionSide: 'LONG', stopPrice: '90' });
  await toMinute(t, 2);
  await filled(t, { ...futures, side: 'SELL', positionSide: 'LONG' });
  const { trades } = await book(t);
  expect(trades).toMatchObject([{ side: 'LONG', stop: '90' }]);
});

it('has a range its own net, and the parts of a range make the whole', async () => {
  const t = await traded();
  const middle = MARKET_START + 2 * MINUTE_MS + 1;
  const whole = await book(t, { by: 'account' });
  const first = await book(t, { by: 'account', to: middle });
  const second = await book(t, { by: 'account', from: middle });
  for (const name of ['realised', 'fees', 'unrealised', 'net', 'deposits'] as const)
    expect(str(dec(first.total[name]) + dec(second.total[name]))).toBe(whole.total[name]);
  expect(first.curve.at(-1)?.equity).toBe(second.curve[0]?.equity);
  expect(whole.rows.map(({ key }) => key).sort()).toEqual([FUTURES, EXCHANGE]);
  const spot = await book(t, { exchange: EXCHANGE });
  const futures = await book(t, { exchange: FUTURES });
  expect(str(dec(spot.total.net) + dec(futures.total.net))).toBe(whole.total.net);
  expect((await t.call('pnl.read', { by: 'day', from: 5, to: 5 })).ok).toBe(false);
  expect((await t.call('pnl.read', { by: 'day', exchange: 'nowhere' })).ok).toBe(false);
});

it('knows that a reset has ended positions that no fill has closed, and that it is no profit', async () => {
  const t = await traded();
  // The last closed candle closed at the present price.
  await toMinute(t, 4);
  const before = await book(t);
  expect(Number(before.total.unrealised)).toBeCloseTo(20 * 0.998 - 30, 9);
  ok(await t.call('paper.reset', { exchange: FUTURES }));
  await until(t, async () => (await book(t)).differences.length === 0);
  const after = await book(t);
  expect(after.total.net).toBe(before.total.net);
  expect(Number(after.curve.at(-1)?.equity).toFixed(2)).toBe(equityOf(t));
});

it('is told by the shell as a table, JSON and CSV, and written by the desk whole', async () => {
  const t = await traded();
  const client = { call: t.call, close: () => {} } as unknown as DeskClient;
  const run = async (settings: Parameters<typeof pnl>[0]) => {
    const said = { out: '', err: '' };
    const shell = {
      out: (text: string) => {
        said.out += text;
      },
      err: (text: string) => {
        said.err += text;
      },
      ask: null,
      secret: null,
      connect: async () => client,
    };
    expect(await pnl({ dataDir: t.dataDir, ...settings }, shell)).toBe(0);
    expect(said.err).toBe('');
    return said.out;
  };
  const table = await run({ by: 'account' });
  expect(table).toContain('realised');
  expect(table).toMatch(/^paper-futures +\+10\.00 +-0\.27 /m);
  expect(table).toMatch(/^total /m);
  expect(table).toContain('closed trades 2, won 100.0 %, profit factor –');
  const json = JSON.parse(await run({ by: 'account', json: true })) as PnlView;
  expect(json.total).toEqual((await book(t)).total);
  expect(await run({ trades: true })).toMatch(/paper-futures +BTCUSDT +LONG +1 +100 +110 +\+9\.90 +\+1\.98R/);
  const csv = join(temporaryFolder(), 'pnl.csv');
  expect(await run({ by: 'symbol', csv })).toBe('');
  const lines = readFileSync(csv, 'utf8').trimEnd().split('\r\n');
  expect(lines[0]).toBe('symbol,realised,fees,funding,other,unrealised,net,deposits,trades');
  expect(
    lines
      .find((line) => line.startsWith('BTCUSDT,'))
      ?.split(',')
      .at(-1),
  ).toBe('2');
  const written = ok(await t.call('pnl.export', { by: 'symbol', what: 'groups' }));
  expect(readFileSync(written.path, 'utf8')).toBe(readFileSync(csv, 'utf8'));
  const trades = ok(await t.call('pnl.export', { by: 'day', what: 'trades' }));
  expect(trades).toMatchObject({ rows: 2, whole: true });
  expect((await t.call('pnl.export', { by: 'day', what: 'trades', from: 2, to: 1 })).ok).toBe(false);
});

it('knows a range by days of its time zone, and the screen has the sums that the shell has', async () => {
  const t = await traded();
  const day = new Date(MARKET_START).toISOString().slice(0, 10);
  const whole = await book(t, { from: Date.parse(day) });
  for (const range of [{ days: 1 }, { firstDay: day }, { firstDay: day, lastDay: day }])
    expect(await book(t, range)).toEqual(whole);
  expect((await book(t, { days: 7 })).from).toBe(Date.parse(day) - 6 * 86_400_000);
  expect((await book(t, { lastDay: '2025-02-02' })).total.net).toBe('0');
  expect((await t.call('pnl.read', { by: 'day', firstDay: '2025-02-30' })).ok).toBe(false);
  const client = { call: t.call, close: () => {} } as unknown as DeskClient;
  let table = '';
  const out = (text: string) => {
    table += text;
  };
  const shell = { out, err: () => {}, ask: null, secret: null, connect: async () => client };
  await pnl({ dataDir: t.dataDir, by: 'symbol', days: 30 }, shell);
  const view = await book(t, queryOf({ range: '30d', first: '', last: '', by: 'symbol', account: null }));
  for (const row of [...view.rows.map((each) => ({ ...each, id: each.key })), totalRow(view)]) {
    const cells = (text: string) => text.trim().split(/ +/);
    const shown = rowLine(placeColumns(groupColumns('symbol'), 196), row, false);
    const told = table.split('\n').find((line) => line.startsWith(`${row.key} `));
    expect(cells(shown.map((part) => part.text).join(''))).toEqual(cells(told ?? ''));
  }
});
