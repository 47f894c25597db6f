/** How executions of a futures account are read, by number and by week, also those that appear late. */
import { describe, expect, it } from 'vitest';
import { FuturesFills } from '../../../src/venues/binance/futures/futures-fills.ts';
import type { FuturesTrade } from '../../../src/venues/binance/futures/messages.ts';
import { OrderNamesKept } from '../../../src/venues/binance/futures/order-names.ts';
import type { Questions } from '../../../src/venues/binance/futures/questions.ts';
import { FUTURES } from '../../../src/venues/binance/futures/requests.ts';
import type { RequestForm } from '../../../src/venues/kit/requests.ts';

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

describe('executions of orders that nobody here knows', () => {
  const row = (id: number, orderId: number | string, more: object = {}) => ({
    ...{ symbol: SYMBOL, id, orderId, side: 'SELL', price: '5.10', qty: '0.20', time: NOW - 1_000 + id },
    ...{ commission: '0.010', commissionAsset: 'USDT', maker: false, realizedPnl: '-1.50', ...more },
  });

  /** The pages of fills of an exchange with these trades and orders. */
  function strangers(trades: object[], answers: (orderId: string) => object[] | null, learns: () => boolean) {
    const names = new OrderNamesKept();
    const asked: Record<string, string>[] = [];
    const reader = new FuturesFills({
      questions: {
        value: async (form: RequestForm, of: Record<string, string>) => {
          if (form === FUTURES.trades) return trades;
          asked.push(of);
          return answers(of.orderId ?? '');
        },
      } as unknown as Questions,
      names,
      now: () => NOW,
      learn: async () => learns(),
    });
    const page = () => reader.page({ symbol: SYMBOL, after: null, since: NOW - DAY });
    return { names, asked, page };
  }
  const orders = (...all: (readonly [id: string, clientOrderId: string])[]) =>
    all.map(([orderId, clientOrderId]) => ({ orderId, clientOrderId }));

  it('are told under the ids that are found for them, the order with the lowest number first', async () => {
    const { names, asked, page } = strangers(
      [row(3, '100'), row(1, '9'), row(2, '20'), row(4, '9')],
      () => orders(['9', 'bf-9'], ['20', 'bf-20'], ['100', 'bf-100']),
      () => true,
    );
    const told = await page();
    expect(told?.fills.map(({ tradeId, clientId, venueId }) => `${tradeId} ${clientId} ${venueId}`)).toEqual([
      ...['1 bf-9 9', '2 bf-20 20', '3 bf-100 100', '4 bf-9 9'],
    ]);
    expect(told?.fills[0]).toEqual({
      ...{ tradeId: '1', clientId: 'bf-9', venueId: '9', symbol: SYMBOL, side: 'SELL', price: '5.1' },
      ...{ qty: '0.2', comm: '0.01', commAsset: 'USDT', maker: false, rPnl: '-1.5', posSide: 'BOTH' },
      time: NOW - 999,
    });
    expect(asked).toEqual([{ symbol: SYMBOL, orderId: '9', limit: '1000' }]);
    expect(names.known(SYMBOL, '100')?.clientId).toBe('bf-100');
    // Next time they are known.
    await page();
    expect(asked).toHaveLength(1);
  });

  it('that a trigger has made are of the order that waited, without another question', async () => {
    const { names, asked, page } = strangers(
      [row(1, '9')],
      () => null,
      () => {
        names.algo(SYMBOL, '5', 'bf-a', '9');
        return true;
      },
    );
    expect((await page())?.fills).toMatchObject([{ clientId: 'bf-a', venueId: '9' }]);
    expect(asked).toEqual([]);
  });

  it('whose order the exchange has forgotten are told without an id, after it was asked about once', async () => {
    const { asked, page } = strangers(
      [row(1, '9'), row(2, '20'), row(3, '30')],
      (orderId) => (orderId === '9' ? orders(['30', 'bf-30']) : []),
      () => true,
    );
    expect((await page())?.fills.map(({ clientId }) => clientId)).toEqual(['', '', 'bf-30']);
    expect(asked.map(({ orderId }) => orderId)).toEqual(['9', '9', '20']);
  });

  it('are asked about five times at most, and are told then', async () => {
    const { asked, page } = strangers(
      Array.from({ length: 8 }, (_, at) => row(at + 1, String(at + 10))),
      (orderId) => orders([orderId, `bf-${orderId}`]),
      () => true,
    );
    expect((await page())?.fills.map(({ clientId }) => clientId)).toEqual([
      ...['bf-10', 'bf-11', 'bf-12', 'bf-13', 'bf-14', '', '', ''],
    ]);
    expect(asked).toHaveLength(5);
  });

  it('are not told where a question about their orders fails', async () => {
    expect(
      await strangers(
        [row(1, '9')],
        () => null,
        () => true,
      ).page(),
    ).toBeNull();
    expect(
      await strangers(
        [row(1, '9')],
        () => [],
        () => false,
      ).page(),
    ).toBeNull();
    // Without an execution there is nobody to ask for.
    expect(
      await strangers(
        [],
        () => null,
        () => false,
      ).page(),
    ).toMatchObject({ fills: [], more: false });
  });

  it('come in the order in which they were made, by number within a moment, and have what is told', async () => {
    const { page } = strangers(
      [
        row(12, '9', { time: 5 }),
        row(9, '9', { time: 5 }),
        row(3, '9', { time: 7, realizedPnl: undefined, positionSide: 'SHORT', maker: true }),
        row(20, '9', { time: 4 }),
      ],
      () => orders(['9', 'bf-9']),
      () => true,
    );
    const told = await page();
    expect(told?.fills.map(({ tradeId }) => tradeId)).toEqual(['20', '9', '12', '3']);
    expect(told?.fills.at(-1)).toMatchObject({ rPnl: null, posSide: 'SHORT', maker: true });
    expect(told).toMatchObject({ next: '3@7', more: false });
  });
});

describe('the cursor of executions', () => {
  const page = (after: string | null, list: object[] = []) => {
    const asked: Record<string, string>[] = [];
    const reader = new FuturesFills({
      questions: {
        value: async (_form: unknown, of: Record<string, string>) => {
          asked.push(of);
          return list;
        },
      } as unknown as Questions,
      names: { known: () => ({ clientId: 'ours', venueIds: [] }) } as unknown as OrderNamesKept,
      now: () => NOW,
      learn: async () => true,
    });
    return reader
      .page({ symbol: SYMBOL, after, since: NOW - 2 * DAY })
      .then((told) => ({ asked: asked[0], next: told?.next, more: told?.more, told: told?.fills.length }));
  };
  const WEEK = 7 * DAY - 1;

  it('goes by number for six days, then by time, and never back behind what the exchange keeps', async () => {
    const by = async (time: number) => {
      const { asked, ...rest } = await page(`7@${time}`);
      return { ...asked, ...rest };
    };
    const edge = NOW - WEEK + DAY;
    expect(await by(edge + 1)).toMatchObject({
      fromId: '7',
      limit: '1000',
      next: `7@${edge + 1}`,
      more: false,
    });
    const times = (start: number) => ({ startTime: String(start), endTime: String(start + WEEK) });
    expect(await by(edge)).toMatchObject({ ...times(edge), next: `7@${NOW - 60_000}`, more: false });
    expect(await by(NOW - WEEK)).toMatchObject({ ...times(NOW - WEEK), more: false });
    expect(await by(NOW - WEEK - 1)).toMatchObject({
      ...{ ...times(NOW - WEEK - 1), next: `7@${NOW - 60_000}`, more: true },
    });
    expect(await by(NOW - 30 * DAY)).toMatchObject({
      ...{ ...times(NOW - 30 * DAY), next: `7@${NOW - 30 * DAY + WEEK + 1}`, more: true },
    });
    expect(await by(NOW - 200 * DAY)).toMatchObject(times(NOW - 89 * DAY));
  });

  it('stays where it is for a day without an execution, since each move is stored', async () => {
    expect(await page(`@${NOW - DAY}`)).toMatchObject({ next: `@${NOW - DAY}`, more: false });
    expect(await page(`@${NOW - DAY - 1}`)).toMatchObject({ next: `@${NOW - 60_000}`, more: false });
    for (const after of [null, 'odd', '7@x', `@${NOW}x`, '7', '-1@5'])
      expect(await page(after)).toMatchObject({ asked: { startTime: String(NOW - 2 * DAY) } });
  });

  it('goes on behind a full page, and gives up where all of it is known', async () => {
    const trades = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...{
          symbol: SYMBOL,
          id: at + 1,
          orderId: '7',
          side: 'BUY',
          price: '1',
          qty: '1',
          time: NOW - DAY + at,
        },
        ...{ commission: '0', commissionAsset: 'USDT', maker: true },
      }));
    const since = `@${NOW - DAY}`;
    expect(await page(since, trades(999))).toMatchObject({ told: 999, more: false });
    expect(await page(since, trades(1_000))).toMatchObject({
      ...{ told: 1_000, more: true, next: `1000@${NOW - DAY + 999}` },
    });
    expect(await page(`998@${NOW - DAY}`, trades(1_000))).toMatchObject({ told: 2, more: true });
    expect(await page(`1000@${NOW - DAY}`, trades(1_000))).toEqual({
      ...{ asked: expect.anything(), next: undefined, more: undefined, told: undefined },
    });
    expect(await page(`999@${NOW - DAY}`, trades(999))).toMatchObject({ told: 0, more: false });
  });
});
