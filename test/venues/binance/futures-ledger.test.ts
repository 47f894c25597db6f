/**
 * How the income of a futures account is read: weeks of the past, full pages, and rows that appear later than
 * their time.
 */
import { describe, expect, it } from 'vitest';
import { ledgerPage } from '../../../src/venues/binance/futures/futures-ledger.ts';
import type { Income } from '../../../src/venues/binance/futures/messages.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';

const DAY = 24 * 3_600_000;
const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 25);

/** An exchange that shows a row only from a given request number on. */
class Wallet {
  readonly rows: (Income & { readonly from: number })[] = [];
  readonly asked: Record<string, string>[] = [];
  now = NOW;
  after: string | null = null;
  readonly told: string[] = [];

  pay(time: number, from = 0): string {
    const tranId = String(this.rows.length + 1);
    this.rows.push({ incomeType: 'TRANSFER', income: '1', asset: 'USDT', time, tranId, from } as never);
    return `TRANSFER:${tranId}:USDT`;
  }

  readonly questions = {
    value: async (_form: unknown, asked: Record<string, string>) => {
      this.asked.push(asked);
      const [start, end, page, limit] = ['startTime', 'endTime', 'page', 'limit'].map((of) =>
        Number(asked[of]),
      );
      const known = this.rows.filter(
        ({ time, from }) => time >= (start as number) && time <= (end as number) && from <= this.asked.length,
      );
      const sorted = known.toSorted((a, b) => a.time - b.time);
      return sorted.slice(((page as number) - 1) * (limit as number), (page as number) * (limit as number));
    },
  } as unknown as Questions;

  /** Reads on until there is no more. */
  async read(since: number, limit = 100): Promise<void> {
    for (let n = 0; n < 30; n++) {
      const page = await ledgerPage(this.questions, { after: this.after, since, limit }, this.now);
      if (!page) throw new Error('the question failed');
      this.told.push(...page.rows.map(({ id }) => id));
      this.after = page.next;
      if (!page.more) return;
    }
    throw new Error('it never ends');
  }
}

describe('the income of a futures account', () => {
  it('is read week by week up to now, each row once, also those at the very ends of the weeks', async () => {
    const wallet = new Wallet();
    const since = NOW - 20 * DAY;
    const ids = [0, 7 * DAY - 1, 7 * DAY, 13 * DAY, 14 * DAY - 2, 20 * DAY].map((at) =>
      wallet.pay(since + at),
    );
    await wallet.read(since);
    expect(wallet.told).toEqual(ids);
    const spans = wallet.asked.map(({ startTime, endTime }) => Number(endTime) - Number(startTime));
    expect(Math.max(...spans)).toBeLessThan(7 * DAY);
  });

  it('has a row that is told only after the week in which it was made was asked for', async () => {
    const wallet = new Wallet();
    const since = NOW - 10 * DAY;
    const end = since + 7 * DAY;
    const early = wallet.pay(end - 2 * MINUTE);
    const late = wallet.pay(end - MINUTE, 2);
    await wallet.read(since);
    expect(wallet.told).toEqual([early, late]);
  });

  it('has a row that is told up to five minutes late, and no row twice', async () => {
    const wallet = new Wallet();
    const since = NOW - DAY;
    const [first, newest] = [wallet.pay(NOW - 10 * MINUTE), wallet.pay(NOW - MINUTE)];
    const late = wallet.pay(NOW - 5 * MINUTE, 2);
    await wallet.read(since);
    wallet.now += 30_000;
    await wallet.read(since);
    await wallet.read(since);
    expect(wallet.told).toEqual([first, newest, late]);
  });

  it('has no row twice where the last minutes have several pages', async () => {
    const wallet = new Wallet();
    const since = NOW - DAY;
    const ids = [4, 3.5, 3, 2, 1, 0.5].map((minutes) => wallet.pay(NOW - minutes * MINUTE));
    for (let times = 0; times < 3; times++) {
      await wallet.read(since, 4);
      wallet.now += 20_000;
    }
    ids.push(wallet.pay(wallet.now - 1_000));
    await wallet.read(since, 4);
    expect(wallet.told).toEqual(ids);
  });

  it('goes on in a window whose end stands still while its pages are full', async () => {
    const wallet = new Wallet();
    const since = NOW - DAY;
    const ids = Array.from({ length: 7 }, (_, n) => wallet.pay(since + n * MINUTE));
    const page = await ledgerPage(wallet.questions, { after: null, since, limit: 3 }, NOW);
    wallet.after = page?.next ?? null;
    wallet.told.push(...(page?.rows ?? []).map(({ id }) => id));
    wallet.now += MINUTE;
    await wallet.read(since, 3);
    expect(wallet.told).toEqual(ids);
    expect(new Set(wallet.asked.slice(0, 3).map(({ endTime }) => endTime)).size).toBe(1);
  });
});

describe('a row of the income', () => {
  const row = (incomeType: string, more: object = {}) => ({
    ...{ incomeType, income: '-1.50', asset: 'USDT', time: NOW - MINUTE, tranId: '9', ...more },
  });
  const pageOf = (rows: object[] | null, after: string | null = null, since = NOW - DAY) => {
    const asked: Record<string, string>[] = [];
    const questions = {
      value: async (_form: unknown, of: Record<string, string>) => {
        asked.push(of);
        return rows;
      },
    } as unknown as Questions;
    return ledgerPage(questions, { after, since, limit: 100 }, NOW).then((page) => ({ page, asked }));
  };

  it('has the kind that its type is, and its symbol where it has one', async () => {
    const kinds: Record<string, string> = {
      ...{ TRANSFER: 'transfer', INTERNAL_TRANSFER: 'transfer', CROSS_COLLATERAL_TRANSFER: 'transfer' },
      ...{
        STRATEGY_UMFUTURES_TRANSFER: 'transfer',
        COIN_SWAP_DEPOSIT: 'transfer',
        COIN_SWAP_WITHDRAW: 'transfer',
      },
      ...{
        WELCOME_BONUS: 'bonus',
        CONTEST_REWARD: 'bonus',
        FUNDING_FEE: 'funding',
        INSURANCE_CLEAR: 'insurance',
      },
      ...{
        REFERRAL_KICKBACK: 'rebate',
        COMMISSION_REBATE: 'rebate',
        API_REBATE: 'rebate',
        FEE_RETURN: 'rebate',
      },
      ...{
        AUTO_EXCHANGE: 'conversion',
        DELIVERED_SETTELMENT: 'settlement',
        OPTIONS_SETTLE_PROFIT: 'settlement',
      },
      ...{ BFUSD_REWARD: 'interest', SOMETHING_NEW: 'other' },
    };
    const { page } = await pageOf(Object.keys(kinds).map((type) => row(type, { symbol: '' })));
    expect(Object.fromEntries(page?.rows.map(({ id, kind }) => [id.split(':')[0], kind]) ?? [])).toEqual(
      kinds,
    );
    const { page: other } = await pageOf([
      row('FUNDING_FEE', { symbol: 'BTCUSDT' }),
      row('FUNDING_FEE', { symbol: 'ETHUSDT', income: '0.250', tranId: 9_007_199_254 }),
      row('TRANSFER', { symbol: null, asset: 'BNB' }),
    ]);
    const entry = { time: NOW - MINUTE, asset: 'USDT', amount: '-1.5', kind: 'funding', symbol: 'BTCUSDT' };
    expect(other?.rows).toEqual([
      { ...entry, id: 'FUNDING_FEE:9:USDT:BTCUSDT' },
      { ...entry, id: 'FUNDING_FEE:9007199254:USDT:ETHUSDT', amount: '0.25', symbol: 'ETHUSDT' },
      { id: 'TRANSFER:9:BNB', time: NOW - MINUTE, asset: 'BNB', amount: '-1.5', kind: 'transfer' },
    ]);
    expect(other).not.toHaveProperty('traded');
  });

  it('that an execution tells already is none, and names what was traded', async () => {
    const { page } = await pageOf([
      row('REALIZED_PNL', { symbol: 'BTCUSDT' }),
      row('COMMISSION', { symbol: 'ETHUSDT' }),
      row('COMMISSION', { symbol: 'BTCUSDT', tranId: '10' }),
      row('COMMISSION', { symbol: '' }),
      row('FUNDING_FEE', { symbol: 'XRPUSDT' }),
    ]);
    expect(page?.rows.map(({ id }) => id)).toEqual(['FUNDING_FEE:9:USDT:XRPUSDT']);
    expect(page?.traded).toEqual(['BTCUSDT', 'ETHUSDT']);
  });

  it('is asked for in weeks, of the last three months, and not of the future', async () => {
    const span = async (since: number, after: string | null = null) =>
      (await pageOf([], after, since)).asked[0];
    const of = (start: number, end: number) => ({
      startTime: String(start),
      endTime: String(end),
      page: '1',
      limit: '100',
    });
    expect(await span(NOW - DAY)).toEqual(of(NOW - DAY, NOW));
    expect(await span(NOW - 7 * DAY + 1)).toEqual(of(NOW - 7 * DAY + 1, NOW));
    expect(await span(NOW - 8 * DAY)).toEqual(of(NOW - 8 * DAY, NOW - DAY - 1));
    expect(await span(NOW - 300 * DAY)).toEqual(of(NOW - 89 * DAY, NOW - 82 * DAY - 1));
    expect(await span(NOW)).toEqual(of(NOW, NOW));
    const { page, asked } = await pageOf([], `i${NOW + 1}`);
    expect([page, asked]).toEqual([{ rows: [], next: `i${NOW + 1}`, more: false }, []]);
    expect((await pageOf(null)).page).toBeNull();
    for (const after of ['odd', 'i', 'i1-2', 'i1-2-3.TOOLONG1', `i${NOW}-`])
      expect(await span(NOW - DAY, after)).toEqual(of(NOW - DAY, NOW));
    expect(await span(0, `i${NOW - 5}-${NOW - 3}-4.abc`)).toEqual({
      ...{ startTime: String(NOW - 5), endTime: String(NOW - 3), page: '4', limit: '100' },
    });
  });

  it('leads a cursor on only as far as no row can be missed behind it', async () => {
    const next = async (since: number, rows: object[] = []) => (await pageOf(rows, null, since)).page?.next;
    const start = (cursor: string | null | undefined) => Number(/^i(\d+)/.exec(cursor ?? '')?.[1]);
    // Nothing for a day: it stays.
    expect(start(await next(NOW - DAY))).toBe(NOW - DAY);
    expect(start(await next(NOW - DAY - 1))).toBe(NOW - 5 * MINUTE);
    // A row up to now: five minutes before the newest, and never backwards.
    const at = (...minutes: number[]) => minutes.map((one) => row('TRANSFER', { time: NOW - one * MINUTE }));
    expect(start(await next(NOW - DAY, at(60, 20)))).toBe(NOW - 25 * MINUTE);
    expect(start(await next(NOW - 3 * MINUTE, at(1)))).toBe(NOW - 3 * MINUTE);
    // A whole week of the past: five minutes before its end.
    expect(start(await next(NOW - 10 * DAY, at(13_000)))).toBe(NOW - 3 * DAY - 1 - 5 * MINUTE);
  });

  it('that is asked for again is remembered, the newest two dozen of them', async () => {
    const rows = Array.from({ length: 30 }, (_, at) =>
      row('TRANSFER', { tranId: String(at), time: NOW - 100 + at }),
    );
    const { page } = await pageOf(rows);
    const told = (page?.next ?? '').split('.').length - 1;
    expect([page?.rows.length, told, (page?.next ?? '').length < 256]).toEqual([30, 24, true]);
    const again = await pageOf(rows, page?.next ?? null);
    expect(again.page?.rows.map(({ id }) => id)).toEqual(
      rows.slice(0, 6).map(({ tranId }) => `TRANSFER:${tranId}:USDT`),
    );
    // One at the very time from which it is asked again is remembered, one before it is not asked for.
    const edge = [5 * MINUTE + 1_000, 5 * MINUTE, 0].map((ago, at) =>
      row('TRANSFER', { tranId: String(at), time: NOW - 1_000 - ago }),
    );
    const { page: last } = await pageOf(edge);
    expect((last?.next ?? '').split('.').length - 1).toBe(2);
  });
});
