/** How executions of a futures account are read, by number and by week, also those that appear late. */
import { describe, expect, it } from 'vitest';
import { FuturesFills } from '../../../src/venues/binance/futures/futures-fills.ts';
import type { FuturesTrade } from '../../../src/venues/binance/futures/messages.ts';
import type { OrderNamesKept } from '../../../src/venues/binance/futures/order-names.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 25);
const SYMBOL = 'BTCUSDT';

/** An exchange that shows a trade only from a given request number on, and knows all its orders. */
class Trades {
  readonly list: (FuturesTrade & { readonly from: number })[] = [];
  readonly asked: Record<string, string>[] = [];
  now = NOW;
  after: string | null = null;
  readonly told: string[] = [];
  failing = false;

  trade(time: number, from = 0): string {
    const id = String(this.list.length + 1);
    const trade = { symbol: SYMBOL, id, orderId: '7', side: 'BUY', price: '1', qty: '1', time, from };
    const money = { commission: '0', commissionAsset: 'USDT', maker: true, realizedPnl: '0' };
    this.list.push({ ...trade, ...money } as never);
    return id;
  }

  readonly reader = new FuturesFills({
    questions: {
      value: async (_form: unknown, asked: Record<string, string>) => {
        this.asked.push(asked);
        if (this.failing) return null;
        const known = this.list.filter(({ from }) => from <= this.asked.length);
        const { fromId, startTime, endTime, limit } = asked;
        const found =
          fromId === undefined
            ? known.filter(({ time }) => time >= Number(startTime) && time <= Number(endTime))
            : known.filter(({ id }) => Number(id) >= Number(fromId));
        return found.slice(0, Number(limit));
      },
    } as unknown as Questions,
    names: { known: () => ({ clientId: 'ours', venueIds: [] }) } as unknown as OrderNamesKept,
    now: () => this.now,
    learn: async () => true,
  });

  /** Reads on until there is no more. */
  async read(since: number): Promise<void> {
    for (let n = 0; n < 30; n++) {
      const page = await this.reader.page({ symbol: SYMBOL, after: this.after, since });
      if (!page) throw new Error('the question failed');
      this.told.push(...page.fills.map(({ tradeId }) => tradeId));
      this.after = page.next;
      if (!page.more) return;
    }
    throw new Error('it never ends');
  }
}

describe('executions of a symbol', () => {
  it('of weeks ago are read week by week, then by their numbers, each once', async () => {
    const trades = new Trades();
    const since = NOW - 20 * DAY;
    const ids = [0, 7 * DAY - 1, 7 * DAY, 15 * DAY, 20 * DAY].map((at) => trades.trade(since + at));
    await trades.read(since);
    expect(trades.told).toEqual(ids);
    trades.now += 60_000;
    const later = trades.trade(trades.now);
    await trades.read(since);
    expect(trades.told).toEqual([...ids, later]);
    expect(trades.asked.at(-1)).toMatchObject({ fromId: ids.at(-1) });
  });

  it('that are told up to a minute late are read, though nothing was executed for days', async () => {
    const trades = new Trades();
    const since = NOW - 3 * DAY;
    const late = trades.trade(NOW - 30_000, 2);
    await trades.read(since);
    expect(trades.told).toEqual([]);
    await trades.read(since);
    expect(trades.told).toEqual([late]);
  });

  it('are asked for again where the question failed', async () => {
    const trades = new Trades();
    const id = trades.trade(NOW - DAY);
    trades.failing = true;
    await expect(trades.read(NOW - 3 * DAY)).rejects.toThrow('failed');
    expect(trades.after).toBeNull();
    trades.failing = false;
    await trades.read(NOW - 3 * DAY);
    expect(trades.told).toEqual([id]);
  });
});
