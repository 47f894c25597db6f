/**
 * Executions and wallet changes of Bybit over time: which span each question covers, where the next one goes
 * on, what is told once and what again, and that nothing is left out between two of them.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import type { FillsPage, LedgerPage } from '../../../src/venues/venue.ts';
import { bybitRig, type Rig } from './bybit-rig.ts';

const EXECUTIONS = '/v5/execution/list';
const LOG = '/v5/account/transaction-log';
const MINUTE = 60_000;
const DAY = 86_400_000;
const WINDOW = 7 * DAY - 1;
const symbol = 'BTCUSDT';

let rig: Rig;
/** The exchange's time; it stands still until a question is asked. */
let now: number;

async function opens(kind: 'spot' | 'futures' = 'spot'): Promise<void> {
  rig = bybitRig({ kind });
  await rig.open();
  await rig.clock.advance(5_000);
  rig.forget();
  now = rig.emulator.now();
}

beforeEach(() => opens());

const execution = (execId: string, time: number, more: object = {}) => ({
  ...{ symbol, orderId: 'x1', orderLinkId: 'c1', side: 'Sell', execId, execType: 'Trade' },
  ...{ execPrice: '2', execQty: '3', execFee: '0', feeCurrency: 'USDT', execTime: String(time) },
  ...more,
});

describe('executions', () => {
  /** Asks once, with these rows as the answer; the time of asking is `now`. */
  async function page(
    after: string | null,
    since: number,
    rows: readonly object[] = [],
  ): Promise<FillsPage | null> {
    rig.list(EXECUTIONS, rows);
    now = rig.emulator.now();
    return rig.during(rig.venue.fills({ symbol, after, since }));
  }
  const spans = () =>
    rig.asked(EXECUTIONS).map(({ startTime, endTime }) => [Number(startTime), Number(endTime)]);

  it('are asked for by symbol, up to now, and told ascending, each once', async () => {
    const since = now - DAY;
    const rows = [
      ...[execution('b', since + 9), execution('a', since + 9), execution('c', since + 5)],
      ...[execution('a', since + 9), execution('f', since + 7, { execType: 'Funding' })],
    ];
    expect(await page(null, since, rows)).toEqual({
      fills: ['c', 'a', 'b'].map((tradeId) => expect.objectContaining({ tradeId, qty: '3', price: '2' })),
      next: `@${since}`,
      more: false,
    });
    expect(rig.asked(EXECUTIONS)).toEqual([
      {
        ...{ category: 'spot', symbol, startTime: String(since), endTime: String(now), limit: '100' },
      },
    ]);
  });

  it.each<[string, number, number | null, number]>([
    ['nothing for a day stays where it is', DAY, null, DAY],
    ['nothing for longer goes on to a minute before now', DAY + 1, null, MINUTE],
    ['an execution goes on to a minute before it', DAY, 3 * MINUTE, 4 * MINUTE],
    ['one within the first minute stays where it is', 5 * MINUTE, 5 * MINUTE - 1, 5 * MINUTE],
    ['one in the last moment, too', DAY, 0, MINUTE],
    ['a whole window up to now is no past one', WINDOW, null, MINUTE],
  ])('of a span with %s', async (_, age, executedAgo, next) => {
    const rows = executedAgo === null ? [] : [execution('a', now - executedAgo)];
    const told = await page(null, now - age, rows);
    expect(spans()).toEqual([[now - age, now]]);
    expect([told?.next, told?.more]).toEqual([`@${now - next}`, false]);
  });

  it('of long ago are read window by window, the last minute of each twice, from two years back on', async () => {
    const first = await page(null, 0, [execution('a', now - 729 * DAY)]);
    const end = now - 729 * DAY + WINDOW;
    expect(spans()).toEqual([[now - 729 * DAY, end]]);
    expect([first?.next, first?.more, first?.fills.length]).toEqual([`@${end - MINUTE}`, true, 1]);
    rig.forget();
    // From the place on, whatever time is given beside it.
    const second = await page(first?.next ?? null, now - 5);
    expect(spans()).toEqual([[end - MINUTE, end - MINUTE + WINDOW]]);
    expect([second?.next, second?.more]).toEqual([`@${end - 2 * MINUTE + WINDOW}`, true]);
  });

  it('go on from the time where a place is none of theirs', async () => {
    for (const after of ['y5', '@', '@x', '5', '@12345678901234567']) {
      rig.forget();
      const since = rig.emulator.now() - 7;
      await page(after, since);
      expect(spans()[0]?.[0]).toBe(since);
    }
  });

  it('of no time at all, or of the future, are asked nothing', async () => {
    for (const ahead of [0, 1, 60_000]) {
      const at = rig.emulator.now() + ahead;
      const ask = (after: string | null, since: number) =>
        rig.during(rig.venue.fills({ symbol, after, since }));
      expect(await ask(null, at)).toEqual({ fills: [], next: null, more: false });
      const place = `@${at + 60_000}`;
      expect(await ask(place, 0)).toEqual({ fills: [], next: place, more: false });
    }
    expect(rig.net.asked).toEqual([]);
  });

  it('that were not told are not known', async () => {
    rig.refuse(EXECUTIONS, 10_016);
    expect(await rig.during(rig.venue.fills({ symbol, after: null, since: now - DAY }))).toBeNull();
  });

  it('that are more than one answer gives are read page by page', async () => {
    rig.list(EXECUTIONS, [execution('c', now - 1)], 'next/1');
    rig.list(EXECUTIONS, [execution('b', now - 2)], 'next/2');
    rig.list(EXECUTIONS, [execution('a', now - 3)], '');
    const told = await rig.during(rig.venue.fills({ symbol, after: null, since: now - DAY }));
    expect(told?.fills.map(({ tradeId }) => tradeId)).toEqual(['a', 'b', 'c']);
    expect(rig.asked(EXECUTIONS).map(({ cursor }) => cursor)).toEqual([undefined, 'next/1', 'next/2']);
    rig.list(EXECUTIONS, [execution('c', now - 1)], 'next/1');
    rig.refuse(EXECUTIONS, 10_016);
    expect(await rig.during(rig.venue.fills({ symbol, after: null, since: now - DAY }))).toBeNull();
  });

  it('that are too many for a window are read from its first half, and the other half next', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => execution(`e${n}`, now - 1));
    const start = now - 4 * MINUTE;
    rig.list(EXECUTIONS, many, 'more');
    const first = await page(null, start, [execution('a', start)]);
    expect(spans()).toEqual([
      [start, start + 4 * MINUTE],
      [start, start + 2 * MINUTE],
    ]);
    expect(first).toMatchObject({ fills: [{ tradeId: 'a' }], next: `@${start + MINUTE}`, more: true });
    // Half a window of a minute has nothing left of it that could be read again.
    rig.forget();
    const last = rig.emulator.now() - 2 * MINUTE;
    rig.list(EXECUTIONS, many, 'more');
    const second = await page(`@${last}`, 0);
    expect([second?.next, second?.more]).toEqual([`@${last + MINUTE}`, true]);
  });

  it('that are too many for a millisecond are told as they are', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => execution(`e${n}`, now - 1));
    rig.list(EXECUTIONS, many, 'more');
    const told = await rig.during(rig.venue.fills({ symbol, after: null, since: now - 1 }));
    expect([told?.fills.length, told?.more]).toEqual([5_000, false]);
    expect(rig.asked(EXECUTIONS)).toHaveLength(1);
  });
});

describe('what executions have realised', () => {
  const close = (execId: string, time: number, more: object = {}) =>
    execution(execId, time, { closedSize: '1', ...more });
  const log = (tradeId: string, cashFlow: string) => ({
    ...{ id: '1', type: 'TRADE', symbol, currency: 'USDT', transactionTime: '1', change: '9' },
    ...{ cashFlow, tradeId },
  });
  const realised = async () => {
    const told = await rig.during(rig.venue.fills({ symbol, after: null, since: now - DAY }));
    return told?.fills.map(({ tradeId, rPnl }) => [tradeId, rPnl]);
  };

  it('is looked up once for all that have closed something and do not say it themselves', async () => {
    await opens('futures');
    rig.list(EXECUTIONS, [
      ...[close('e', now - 5_000), close('d', now - 6_000, { execPnl: '7' })],
      ...[close('c', now - 7_000, { closedSize: '0' }), close('b', now - 8_000, { closedSize: '' })],
      ...[close('a', now - 9_000), close('f', now - 20_000, { execType: 'Funding' })],
    ]);
    rig.list(LOG, [log('a', '-1.50'), log('', '5'), log('e', '2'), log('d', '99'), log('c', '')]);
    expect(await realised()).toEqual([
      ...[
        ['a', '-1.5'],
        ['b', null],
        ['c', null],
        ['d', '7'],
        ['e', '2'],
      ],
    ]);
    expect(rig.asked(LOG)).toEqual([
      {
        ...{ accountType: 'UNIFIED', category: 'linear', limit: '50' },
        ...{ startTime: String(now - 10_000), endTime: String(now - 4_000) },
      },
    ]);
  });

  it('is not asked for where nothing was closed, nor on spot, and leaves nothing told where it fails', async () => {
    for (const execPnl of ['5', '']) {
      rig.list(EXECUTIONS, [close('a', now - 5, { execPnl })]);
      expect([await realised(), rig.asked(LOG)]).toEqual([[['a', null]], []]);
    }
    await opens('futures');
    rig.list(EXECUTIONS, [close('a', now - 5, { closedSize: '0' })]);
    expect(await realised()).toEqual([['a', null]]);
    expect(rig.asked(LOG)).toEqual([]);
    rig.list(EXECUTIONS, [close('a', now - 5)]);
    rig.refuse(LOG, 10_016);
    expect(await realised()).toBeUndefined();
  });
});

describe('changes of the wallet', () => {
  const row = (id: string, time: number, more: object = {}) => ({
    ...{ id, type: 'TRANSFER_IN', symbol: '', currency: 'USDT', transactionTime: String(time) },
    ...{ change: '1.50', tradeId: '', ...more },
  });
  async function page(
    after: string | null,
    since: number,
    rows: readonly object[] = [],
    limit = 100,
  ): Promise<LedgerPage> {
    rig.list(LOG, rows);
    now = rig.emulator.now();
    const told = await rig.during(rig.venue.ledger?.({ after, since, limit }) ?? Promise.reject());
    if (!told) throw new Error('the question failed');
    return told;
  }
  const spans = () => rig.asked(LOG).map(({ startTime, endTime }) => [Number(startTime), Number(endTime)]);
  const ids = ({ rows }: LedgerPage) => rows.map(({ id }) => id.split(':')[0]);
  /** The span of the question that follows a page, by its age. */
  async function following({ next }: LedgerPage): Promise<readonly number[]> {
    rig.forget();
    await page(next, 0);
    return spans()[0] ?? [];
  }

  it.each([
    ['TRANSFER_IN', 'transfer'],
    ['TRANSFER_OUT', 'transfer'],
    ['SETTLEMENT', 'funding'],
    ['DELIVERY', 'settlement'],
    ['AIRDROP', 'bonus'],
    ['BONUS', 'bonus'],
    ['BONUS_RECOLLECT', 'bonus'],
    ['BONUS_TRANSFER_IN', 'bonus'],
    ['BONUS_TRANSFER_OUT', 'bonus'],
    ['FEE_REFUND', 'rebate'],
    ['INTEREST', 'interest'],
    ['CURRENCY_BUY', 'conversion'],
    ['CURRENCY_SELL', 'conversion'],
    ['CONVERT', 'conversion'],
    ['SPOT_REPAYMENT_SELL', 'conversion'],
    ['SPOT_REPAYMENT_BUY', 'conversion'],
    ['ANYTHING', 'other'],
    ['TRADE', null],
    ['LIQUIDATION', null],
    ['ADL', null],
    ['BORROW', null],
    ['REPAY', null],
  ])('of the type %s are of the kind %s', async (type, kind) => {
    const time = now - 5_000;
    const told = await page(null, now - DAY, [
      row('7', time, { type, change: '-0.250', currency: 'BTC', symbol: 'BTCPERP', tradeId: 't' }),
      row('8', time, { type, change: '0.00' }),
      row('9', time, { type, change: '' }),
    ]);
    const one = { id: `7:${type}:BTC:${time}:t`, time, asset: 'BTC', amount: '-0.25', kind };
    expect(told.rows).toEqual(kind === null ? [] : [{ ...one, symbol: 'BTCPERP' }]);
    const isTrade = ['TRADE', 'LIQUIDATION', 'ADL'].includes(type);
    expect(told.traded).toEqual(isTrade ? ['BTCPERP'] : undefined);
  });

  it('are asked for of the whole wallet, and told in their order with the symbols that were traded', async () => {
    const time = now - 5_000;
    const told = await page(null, now - DAY, [
      ...[row('9', time), row('8', time), row('7', time + 5), row('6', time - 5, { tradeId: undefined })],
      ...[row('1', time, { type: 'TRADE', symbol: 'AUSDT' }), row('2', time, { type: 'ADL', symbol: 'B' })],
      ...[row('3', time, { type: 'TRADE', symbol: 'AUSDT' }), row('4', time, { type: 'TRADE' })],
    ]);
    expect([ids(told), told.traded, told.more]).toEqual([['6', '8', '9', '7'], ['AUSDT', 'B'], false]);
    expect(told.rows[0]).toEqual({
      ...{ id: `6:TRANSFER_IN:USDT:${time - 5}:`, time: time - 5, asset: 'USDT', amount: '1.5' },
      kind: 'transfer',
    });
    expect(rig.asked(LOG)).toEqual([
      {
        ...{ accountType: 'UNIFIED', limit: '50' },
        ...{ startTime: String(now - DAY), endTime: String(now) },
      },
    ]);
  });

  it('that are more than are asked for come part by part of one and the same span, none twice', async () => {
    const since = now - DAY;
    const rows = ['5', '4', '3', '2', '1'].map((id) => row(id, since + Number(id)));
    const first = await page(null, since, rows, 2);
    const end = now;
    expect([ids(first), first.more]).toEqual([['1', '2'], true]);
    await rig.clock.advance(10 * MINUTE);
    const second = await page(first.next, 0, rows, 2);
    const third = await page(second.next, 0, rows, 2);
    expect([ids(second), second.more, ids(third)]).toEqual([['3', '4'], true, ['5']]);
    expect(spans()).toEqual([
      [since, end],
      [since, end],
      [since, end],
    ]);
    // The span has ended by now, and the next begins with what may have come late.
    expect(third.more).toBe(true);
    expect((await following(third))[0]).toBe(end - 5 * MINUTE);
  });

  it.each<[string, number, number | null, number]>([
    ['nothing for a day stays where it is', DAY, null, DAY],
    ['nothing for longer goes on to five minutes before now', DAY + 1, null, 5 * MINUTE],
    ['a row goes on to five minutes before it', DAY, 3 * MINUTE, 8 * MINUTE],
    ['a row of the first minutes stays where it is', DAY, DAY - MINUTE, DAY],
    ['a whole window up to now is no past one', WINDOW, null, 5 * MINUTE],
  ])('of a span with %s', async (_, age, rowAgo, next) => {
    const told = await page(null, now - age, rowAgo === null ? [] : [row('1', now - rowAgo)]);
    const at = now;
    expect(spans()).toEqual([[at - age, at]]);
    expect(told.more).toBe(false);
    expect((await following(told))[0]).toBe(at - next);
  });

  it('of long ago are read window by window, the last five minutes of each again, told once', async () => {
    const start = now - 729 * DAY;
    const end = start + WINDOW;
    const rows = [row('3', end), row('2', end - 5 * MINUTE), row('1', end - 5 * MINUTE - 1)];
    const first = await page(null, 0, rows);
    expect([spans(), ids(first), first.more]).toEqual([[[start, end]], ['1', '2', '3'], true]);
    rig.forget();
    const late = row('9', end - MINUTE);
    const second = await page(first.next, 0, [...rows.slice(0, 2), late]);
    expect(spans()).toEqual([[end - 5 * MINUTE, end - 5 * MINUTE + WINDOW]]);
    expect([ids(second), second.more]).toEqual([['9'], true]);
  });

  it('that come late are told once, however often their time is read again', async () => {
    const since = now - DAY;
    const at = now - MINUTE;
    let told = await page(null, since, [row('1', at)]);
    expect(ids(told)).toEqual(['1']);
    for (const [rows, news] of [
      [['1'], []],
      [['1', '2'], ['2']],
      [['1', '2', '3'], ['3']],
      [['1', '2', '3'], []],
    ] as const) {
      const listed = rows.map((id) => row(id, at - Number(id)));
      told = await page(told.next, 0, listed.with(0, row('1', at)));
      expect([ids(told), told.more]).toEqual([news, false]);
    }
  });

  it('in great number within five minutes have a place of no more than 256 characters', async () => {
    const rows = Array.from({ length: 60 }, (_, n) => row(`r${n}`, now - 1_000 + n));
    const told = await page(null, now - MINUTE, rows);
    expect(told.rows).toHaveLength(60);
    expect(told.next?.length).toBeLessThanOrEqual(256);
    const again = await page(told.next, 0, rows);
    // What is remembered is the last of them.
    expect(ids(again)).toEqual(Array.from({ length: 36 }, (_, n) => `r${n}`));
  });

  it('that are too many for the last minutes are told as far as they are, and the rest later', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => row(`m${n}`, now - 1));
    const start = now - 2 * MINUTE;
    rig.list(LOG, many, 'more');
    const told = await page(null, start, [row('b', start + 5), row('c', start + 5), row('a', start + 5)]);
    expect([ids(told), told.more]).toEqual([['a', 'b', 'c'], false]);
    expect((await following(told))[0]).toBe(start);
    // A moment cannot be halved.
    rig.forget();
    rig.list(LOG, many, 'more');
    const since = rig.emulator.now() - 1;
    const ask = rig.venue.ledger?.({ after: null, since, limit: 9_999 }) ?? Promise.reject();
    expect((await rig.during(ask))?.rows).toHaveLength(5_000);
    expect(rig.asked(LOG)).toHaveLength(1);
  });

  it('that differ in nothing but their kind, asset or trade are as many changes', async () => {
    const time = now - 5;
    const rows = [
      ...[row('1', time), row('1', time, { type: 'INTEREST' }), row('1', time, { currency: 'BTC' })],
      ...[row('1', time, { tradeId: 't' }), row('1', time + 1)],
    ];
    const told = await page(null, now - DAY, rows);
    expect(new Set(told.rows.map(({ id }) => id)).size).toBe(5);
    expect((await page(told.next, 0, rows)).rows).toEqual([]);
  });

  it('begin with the time where a place is none of theirs, and are not asked for of the future', async () => {
    for (const after of ['@5', 'y', 'yx', 'y5-', 'y5-6', 'y5-6-7-8']) {
      rig.forget();
      const since = rig.emulator.now() - 7;
      await page(after, since);
      expect(spans()[0]?.[0]).toBe(since);
    }
    rig.forget();
    const future = rig.emulator.now() + 60_000;
    for (const since of [future - 60_000, future]) {
      const told = await rig.during(rig.venue.ledger?.({ after: null, since, limit: 5 }) ?? Promise.reject());
      expect(told).toEqual({ rows: [], next: null, more: false });
    }
    expect(rig.net.asked).toEqual([]);
  });

  it('that were not told are not known', async () => {
    rig.refuse(LOG, 10_016);
    expect(
      await rig.during(rig.venue.ledger?.({ after: null, since: 0, limit: 5 }) ?? Promise.reject()),
    ).toBeNull();
  });

  it('that are too many for a window are read from its first half, then the rest', async () => {
    const many = Array.from({ length: 5_000 }, (_, n) => row(`m${n}`, now - 1));
    const start = now - 40 * MINUTE;
    rig.list(LOG, many, 'more');
    const first = await page(null, start, [row('a', start + 1)]);
    expect(spans()).toEqual([
      [start, start + 40 * MINUTE],
      [start, start + 20 * MINUTE],
    ]);
    expect([ids(first), first.more]).toEqual([['a'], true]);
    expect((await following(first))[0]).toBe(start + 15 * MINUTE);
    // Half a window that is over for more than five minutes is left behind as a whole.
    const short = rig.emulator.now() - 16 * MINUTE;
    rig.forget();
    rig.list(LOG, many, 'more');
    rig.list(LOG, many, 'more');
    const second = await page(`y${short}`, 0);
    expect(spans().at(-1)).toEqual([short, short + 4 * MINUTE]);
    expect(second.more).toBe(true);
    expect((await following(second))[0]).toBe(short + 4 * MINUTE);
  });
});
