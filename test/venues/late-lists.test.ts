/**
 * Lists of the past, as all exchanges give them: a row may appear later than its time, and a cursor is all
 * that is known after a start. Every reader gives each row, whatever lies between the rows and whenever it
 * reads.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FuturesFills } from '../../src/venues/binance/futures/futures-fills.ts';
import { ledgerPage as binanceLedger } from '../../src/venues/binance/futures/futures-ledger.ts';
import type { OrderNamesKept as BinanceNames } from '../../src/venues/binance/futures/order-names.ts';
import type { Questions as BinanceQuestions } from '../../src/venues/binance/futures/questions.ts';
import { SpotQuestions } from '../../src/venues/binance/spot/account-questions.ts';
import { BybitFills } from '../../src/venues/bybit/fills.ts';
import { ledgerPage as bybitLedger } from '../../src/venues/bybit/ledger.ts';
import { OrderNamesKept as BybitNames } from '../../src/venues/bybit/order-names.ts';
import type { Questions as BybitQuestions } from '../../src/venues/bybit/questions.ts';
import { BYBIT } from '../../src/venues/bybit/requests.ts';
import type { Caller, CallResult } from '../../src/venues/kit/caller.ts';
import type { Complaints } from '../../src/venues/kit/complaints.ts';
import { readOn } from '../../src/venues/okx/cursor-reader.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 25);
/** No exchange here lists rows of more than 89 days ago. */
const SPAN = 85 * DAY;

interface Row {
  readonly id: number;
  readonly time: number;
  /** From this time on the exchange lists the row. */
  readonly shownAt: number;
}

interface Page {
  readonly ids: readonly string[];
  readonly next: string | null;
  readonly more: boolean;
}

/** What one exchange lists, and what has been read of it. */
class Listed {
  readonly rows: Row[] = [];
  readonly told: number[] = [];
  readonly #reader: Reader;
  now = NOW;
  after: string | null = null;
  limit = 500;
  /** The most rows that a question about a window gives; the newest ones are left. */
  most = 10_000;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  add(lagMs: number): void {
    const before = this.#reader.inOrder ? (this.rows.at(-1)?.shownAt ?? 0) : 0;
    const shownAt = Math.max(before, this.now + lagMs);
    this.rows.push({ id: 1_001 + this.rows.length, time: this.now, shownAt });
  }

  /** The rows of a span, both ends included, oldest first. */
  within(start: string | undefined, end: string | undefined): readonly Row[] {
    return this.rows.filter(
      ({ time, shownAt }) => time >= Number(start) && time <= Number(end) && shownAt <= this.now,
    );
  }

  /** Reads on until there is no more. */
  async read(pagesMax = 60): Promise<void> {
    for (let pages = 0; pages < pagesMax; pages++) {
      const page = await this.#reader.page(this, NOW);
      if (!page) throw new Error('the question failed');
      this.told.push(...page.ids.map(Number));
      this.after = page.next;
      this.now += 50;
      if (!page.more) return;
    }
    throw new Error('it never ends');
  }
}

interface Reader {
  /** The longest time for which a row may be missing, ms. */
  readonly lateMs: number;
  /** The longest span of one question, ms. */
  readonly windowMs: number;
  /** Rows appear in their order: the whole list lags. */
  readonly inOrder?: boolean;
  /** A row may be given again while others may still appear. */
  readonly again?: boolean;
  page(listed: Listed, since: number): Promise<Page | null>;
}

const READERS: Readonly<Record<string, Reader>> = {
  'income of Binance futures': {
    lateMs: 5 * 60_000,
    windowMs: 7 * DAY,
    async page(listed, since) {
      const value = async (_form: unknown, { startTime, endTime, page, limit }: Record<string, string>) => {
        const from = (Number(page) - 1) * Number(limit);
        return listed
          .within(startTime, endTime)
          .map(({ id, time }) => ({
            incomeType: 'TRANSFER',
            income: '1',
            asset: 'USDT',
            tranId: String(id),
            time,
          }))
          .slice(from, from + Number(limit));
      };
      const { after, limit, now } = listed;
      const page = await binanceLedger(
        { value } as unknown as BinanceQuestions,
        { after, since, limit },
        now,
      );
      return page && { ...page, ids: page.rows.map(({ id }) => id.split(':')[1] ?? '') };
    },
  },
  'executions of Binance futures': {
    lateMs: 60_000,
    windowMs: 7 * DAY,
    inOrder: true,
    async page(listed, since) {
      const value = async (_form: unknown, { fromId, startTime, endTime, limit }: Record<string, string>) => {
        const found =
          fromId === undefined
            ? listed.within(startTime, endTime)
            : // Without a time only those of the last week are given.
              listed
                .within(String(listed.now - 7 * DAY), String(listed.now))
                .filter(({ id }) => id >= Number(fromId));
        const money = { price: '1', qty: '1', commission: '0', commissionAsset: 'USDT', maker: true };
        return found
          .map(({ id, time }) => ({
            symbol: 'BTCUSDT',
            side: 'BUY',
            id: String(id),
            orderId: '7',
            time,
            ...money,
          }))
          .slice(0, Number(limit));
      };
      const fills = new FuturesFills({
        questions: { value } as unknown as BinanceQuestions,
        names: { known: () => ({ clientId: 'ours', venueIds: [] }) } as unknown as BinanceNames,
        now: () => listed.now,
        learn: async () => true,
      });
      const page = await fills.page({ symbol: 'BTCUSDT', after: listed.after, since });
      return page && { ...page, ids: page.fills.map(({ tradeId }) => tradeId) };
    },
  },
  'executions of Binance spot': {
    lateMs: 60_000,
    windowMs: DAY,
    inOrder: true,
    async page(listed, since) {
      const ask = async (
        _form: unknown,
        { fromId, startTime, endTime, limit }: Record<string, string>,
        read: (called: CallResult) => unknown,
      ) => {
        const all = listed.within(startTime ?? '0', endTime ?? String(listed.now));
        // Without a number or a time the newest ones are given.
        const found =
          fromId !== undefined
            ? all.filter(({ id }) => id >= Number(fromId)).slice(0, Number(limit))
            : startTime !== undefined
              ? all.slice(0, Number(limit))
              : all.slice(-Number(limit));
        const money = { price: '1', qty: '1', commission: '0', commissionAsset: 'BNB' };
        const rows = found.map(({ id, time }) => ({
          ...{ symbol: 'BTCUSDT', id, orderId: 7, time, isBuyer: true, isMaker: true },
          ...money,
        }));
        return read({ kind: 'answer', status: 200, text: JSON.stringify(rows) });
      };
      const questions = new SpotQuestions({
        caller: { ask } as unknown as Caller,
        complaints: { say: () => {} } as unknown as Complaints,
        now: () => listed.now,
      });
      const page = await questions.page({ symbol: 'BTCUSDT', after: listed.after, since });
      return page && { ...page, ids: page.fills.map(({ tradeId }) => tradeId) };
    },
  },
  'log of Bybit': {
    lateMs: 5 * 60_000,
    windowMs: 7 * DAY,
    async page(listed, since) {
      const { after, limit, now } = listed;
      const list = newestFirst(listed, ({ id, time }) => ({
        id: String(id),
        type: 'TRANSFER_IN',
        currency: 'USDT',
        change: '1',
        transactionTime: String(time),
      }));
      const page = await bybitLedger(
        { list } as unknown as BybitQuestions,
        BYBIT.spot,
        { after, since, limit },
        now,
      );
      return page && { ...page, ids: page.rows.map(({ id }) => id.split(':')[0] ?? '') };
    },
  },
  'executions of Bybit': {
    lateMs: 60_000,
    windowMs: 7 * DAY,
    again: true,
    async page(listed, since) {
      const list = newestFirst(listed, ({ id, time }) => ({
        symbol: 'BTCUSDT',
        orderId: '1',
        side: 'Buy',
        execId: String(id),
        execType: 'Trade',
        execPrice: '1',
        execQty: '1',
        execTime: String(time),
      }));
      const fills = new BybitFills({
        category: 'spot',
        names: new BybitNames(),
        requests: BYBIT.spot,
        now: () => listed.now,
        instrumentOf: () => undefined,
        isHedged: () => false,
        questions: { list } as unknown as BybitQuestions,
      });
      const page = await fills.page({ symbol: 'BTCUSDT', after: listed.after, since });
      return page && { ...page, ids: page.fills.map(({ tradeId }) => tradeId) };
    },
  },
  'bills and executions of OKX': {
    lateMs: 10_000,
    windowMs: 30 * DAY,
    async page(listed, since) {
      const { after, limit, now } = listed;
      const recentMs = 70 * 3_600_000;
      const page = await readOn({
        after,
        since,
        limit,
        now,
        recentMs,
        ask: async ({ isRecent, begin, end, after: last }) =>
          listed
            .within(String(Number(begin) + 1), String(Number(end) - 1))
            .filter(({ time }) => !isRecent || time > now - recentMs)
            .filter(({ id }) => last === null || id < Number(last))
            .toReversed()
            .map(({ id, time }) => ({ billId: String(id), ts: String(time) }))
            .slice(0, 100),
      });
      return page && { ...page, ids: page.rows.map(({ billId }) => billId) };
    },
  },
};

/** A list of Bybit, which is given up where it has more rows than are taken. */
function newestFirst<T>(listed: Listed, rowOf: (row: Row) => T) {
  return async (_form: unknown, { startTime, endTime }: Record<string, string>) => {
    const rows = listed.within(startTime, endTime).toReversed();
    const taken = rows.slice(0, listed.most);
    return { kind: 'found', value: { rows: taken.map(rowOf), isWhole: rows.length === taken.length } };
  };
}

describe.each(Object.entries(READERS))('%s', (_name, reader) => {
  const { lateMs, windowMs, again = false } = reader;
  const gap = fc.oneof(
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: 0, max: 2 * lateMs }),
    fc.integer({ min: 0, max: 12 * DAY }),
    // The end of a window is about now.
    fc.integer({ min: 0, max: 3 * lateMs }).map((ms) => windowMs - ms),
  );
  const pause = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 * lateMs }));
  const lag = fc.oneof(fc.constant(0), fc.constant(lateMs - 100), fc.integer({ min: 0, max: lateMs - 100 }));
  const steps = fc.array(fc.record({ gap, pause, lag, isRow: fc.boolean(), reads: fc.boolean() }), {
    minLength: 1,
    maxLength: 9,
  });

  it('are given once each, however late they appear and whenever they are read', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(3, 500), async (all, limit) => {
        const listed = new Listed(reader);
        listed.limit = limit;
        for (const { gap: before, pause: after, lag: lagMs, isRow, reads } of all) {
          if (listed.now + before + after > NOW + SPAN) break;
          listed.now += before;
          if (isRow) listed.add(lagMs);
          listed.now += after;
          if (reads) await listed.read();
        }
        listed.now += lateMs;
        await listed.read();
        const ids = listed.rows.map(({ id }) => id);
        const told = listed.told.toSorted((a, b) => a - b);
        expect(again ? [...new Set(told)] : told).toEqual(ids);
      }),
      { numRuns: 250 },
    );
  });

  it('move their cursor seldom while nothing comes, since each move is stored', async () => {
    const listed = new Listed(reader);
    listed.add(0);
    listed.now += 2 * lateMs;
    await listed.read();
    const place = listed.after;
    for (let n = 0; n < 20; n++) {
      listed.now += 3_600_000;
      await listed.read();
    }
    expect(listed.after).toBe(place);
    listed.now += 2 * DAY;
    await listed.read();
    const moved = listed.after;
    await listed.read();
    expect(listed.after).toBe(moved);
  });
});

describe('rows of one number', () => {
  it('of Binance and Bybit are several where kind, asset or symbol differ', async () => {
    const income = [
      { incomeType: 'AUTO_EXCHANGE', asset: 'BTC' },
      { incomeType: 'AUTO_EXCHANGE', asset: 'USDT' },
      { incomeType: 'TRANSFER', asset: 'USDT' },
      { incomeType: 'FUNDING_FEE', asset: 'USDT', symbol: 'BTCUSDT' },
      { incomeType: 'FUNDING_FEE', asset: 'USDT', symbol: 'ETHUSDT' },
    ].map((row) => ({ ...row, income: '1', tranId: '5', time: NOW }));
    const log = [
      { type: 'TRANSFER_IN', currency: 'USDT' },
      { type: 'TRANSFER_IN', currency: 'BTC' },
      { type: 'AIRDROP', currency: 'USDT' },
      { type: 'SETTLEMENT', currency: 'USDT', tradeId: '1' },
      { type: 'SETTLEMENT', currency: 'USDT', tradeId: '2' },
    ].map((row) => ({ ...row, change: '1', id: '5', transactionTime: String(NOW) }));
    const q = { after: null, since: NOW - DAY, limit: 500 };
    const value = async () => income;
    const list = async () => ({ kind: 'found', value: { rows: log, isWhole: true } });
    const pages = [
      await binanceLedger({ value } as unknown as BinanceQuestions, q, NOW + 1),
      await bybitLedger({ list } as unknown as BybitQuestions, BYBIT.spot, q, NOW + 1),
    ];
    for (const page of pages) expect(new Set(page?.rows.map(({ id }) => id)).size).toBe(5);
  });
});

describe('a crowd of rows', () => {
  it('of OKX is given in pages, in order and once, also where a moment has more than a cursor remembers', async () => {
    const listed = new Listed(READERS['bills and executions of OKX'] as Reader);
    for (let n = 0; n < 1_400; n++) {
      if (n % 70 === 0) listed.now += 1;
      listed.add(0);
    }
    listed.now += 1_000;
    listed.limit = 60;
    await listed.read();
    expect(listed.told).toEqual(listed.rows.map(({ id }) => id));
    // Of the last ones as many are known again as a cursor remembers.
    await listed.read();
    expect(listed.told.length).toBeLessThan(1_400 + 24);
  });

  it('of Binance is given in pages, and none of it again while others may appear', async () => {
    const listed = new Listed(READERS['income of Binance futures'] as Reader);
    for (let n = 0; n < 10; n++) {
      listed.now += 1_000;
      listed.add(0);
    }
    listed.limit = 4;
    await listed.read();
    for (let n = 0; n < 3; n++) {
      listed.now += 1_000;
      listed.limit = 500;
      await listed.read();
    }
    expect(listed.told).toEqual(listed.rows.map(({ id }) => id));
  });

  it('of Binance spot is given from the first one on, however many came since, and over days without any', async () => {
    const listed = new Listed(READERS['executions of Binance spot'] as Reader);
    for (let n = 0; n < 2_300; n++) {
      listed.now += n % 800 === 0 ? 3 * DAY : 1_000;
      listed.add(0);
    }
    listed.now += DAY;
    await listed.read();
    expect(listed.told).toEqual(listed.rows.map(({ id }) => id));
    await listed.read();
    expect(listed.told).toHaveLength(2_300);
  });

  it('of Binance spot is given whole where the moment that it begins with has more than a page', async () => {
    const listed = new Listed(READERS['executions of Binance spot'] as Reader);
    for (let n = 0; n < 1_300; n++) listed.add(0);
    listed.now += 1_000;
    await listed.read();
    expect(listed.told).toEqual(listed.rows.map(({ id }) => id));
  });

  it('of Bybit is given in pages of its windows, which are halved until they are read whole', async () => {
    const listed = new Listed(READERS['log of Bybit'] as Reader);
    for (let n = 0; n < 40; n++) {
      listed.now += 3_600_000;
      listed.add(0);
    }
    listed.now += DAY;
    listed.most = 12;
    listed.limit = 3;
    await listed.read();
    expect(listed.told).toEqual(listed.rows.map(({ id }) => id));
  });
});
