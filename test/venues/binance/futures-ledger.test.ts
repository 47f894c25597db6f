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
