/** The paper exchange's ledger: the contract of every adapter, and which of its own operations are in it. */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeCore } from '../../src/venues/paper/exchange-core.ts';
import { PAPER_FUTURES, PAPER_SPOT } from '../../src/venues/paper/paper-venue.ts';
import { keepsLedger, type LedgerExchange } from './contract/ledger.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';
import { CoreBench, INSTRUMENTS, MemoryLane, openVenue } from './paper-support.ts';

const HOUR = 3_600_000;

/** Ledger rows as text: `1 -0.5 USDT funding BTCUSDT`. */
function entries(core: ExchangeCore): string[] {
  const { rows } = core.ledger({ after: '0', since: 0, limit: 1_000 });
  return rows.map(({ id, amount, asset, kind, symbol }) =>
    [id, amount, asset, kind, symbol ?? []].flat().join(' '),
  );
}

async function opened(account: typeof PAPER_SPOT, lane = new MemoryLane()): Promise<LedgerExchange> {
  const instruments = [...INSTRUMENTS, ...CONTRACTS];
  let told = 0;
  const { clock, venue, sink } = await openVenue({ account, instruments, lane, marketTime: () => 1_000 });
  Object.assign(sink, { ledger: () => told++ });
  const settle = async <T>(answer: Promise<T>): Promise<T> => {
    await clock.settle();
    return answer;
  };
  return {
    venue,
    asset: 'USDT',
    now: () => 1_000,
    pay: async (amount) => {
      const free = (await settle(venue.balances()))?.find(({ asset }) => asset === 'USDT')?.free ?? '0';
      await settle(venue.setBalance('USDT', str(dec(free) + dec(amount))));
    },
    told: () => told,
    settle,
    again: () => opened(account, lane),
    breakOff: () => venue.faults.downFor(60_000),
  };
}

describe.each([PAPER_SPOT, PAPER_FUTURES])('the ledger of $id', (account) => {
  keepsLedger(() => opened(account));
});

describe('the ledger of the paper exchange has', () => {
  it('what is paid in and taken out, and what a reset leaves of it', () => {
    const bench = new CoreBench();
    bench.give('BTC', '2');
    bench.give('BTC', '0.5');
    bench.give('BTC', '0.5');
    bench.keep(bench.core.reset(9));
    expect(entries(bench.core)).toEqual(['1 2 BTC transfer', '2 -1.5 BTC transfer', '3 -0.5 BTC transfer']);
  });

  it('what a reset gives of an asset that the account never had, since its first balances were changed', async () => {
    const lane = new MemoryLane();
    await openVenue({ lane, options: { startBalances: { USDT: '100' } } });
    const { venue, clock } = await openVenue({
      lane,
      options: { startBalances: { USDT: '70', BNB: '2' } },
    });
    const done = venue.reset();
    await clock.settle();
    expect(await done).toBe(true);
    const page = venue.ledger?.({ after: null, since: 0, limit: 10 });
    await clock.settle();
    expect((await page)?.rows.map(({ asset, amount, kind }) => `${amount} ${asset} ${kind}`).sort()).toEqual([
      '-30 USDT transfer',
      '2 BNB transfer',
    ]);
  });

  it('both sides of a conversion of small balances', () => {
    const bench = new CoreBench();
    bench.tick('0.2', '1', undefined, 'DOGEUSDT');
    bench.tick('600', '1', undefined, 'BNBUSDT');
    bench.give('DOGE', '40');
    bench.keep(bench.core.convertDust(['DOGE'], 0));
    expect(entries(bench.core).slice(1)).toEqual(['2 -40 DOGE conversion', '3 0.0130666634 BNB conversion']);
  });

  it('no fill, and no fee of one', () => {
    const bench = new CoreBench({ takerRate: '0.001' });
    bench.tick('100', '1000');
    bench.buy('101', '1');
    expect(bench.core.balances().length).toBeGreaterThan(1);
    expect(entries(bench.core)).toEqual([]);
  });

  it('funding of each contract, and what the insurance fund pays for', () => {
    const bench = new FuturesBench({ fundingRate: '0.0001', takerRate: '0', markLagMs: HOUR });
    bench.tick('50000');
    bench.set((core) => core.setMarginType('BTCUSDT', 'ISOLATED'));
    bench.place({ type: 'MARKET', quantity: '2', timeInForce: 'GTC' });
    bench.tick('50000', { after: 8 * HOUR });
    expect(entries(bench.core)).toEqual(['1 -10 USDT funding BTCUSDT']);
    // Closed by its owner beyond the bankruptcy price: the fund pays what the margin does not cover.
    bench.tick('47000');
    for (const _ of [1, 2]) bench.place({ side: 'SELL', type: 'MARKET', quantity: '1' });
    const { covered, funding, liquidationFees, fees, realized, wallet } = bench.core.amounts();
    const { rows } = bench.core.ledger({ after: '0', since: 0, limit: 100 });
    const of = (kind: string) =>
      rows.filter((row) => row.kind === kind).reduce((sum, { amount }) => sum + dec(amount), 0n);
    expect(covered).toBeGreaterThan(0n);
    expect([of('insurance'), of('funding')].map(str)).toEqual([covered, funding].map(str));
    const sum = rows.reduce((made, { amount }) => made + dec(amount), dec('100000'));
    expect(str(sum + realized - fees - liquidationFees)).toBe(str(wallet));
  });

  it('its rows in the order of their numbers, also after a start, however many digits they have', () => {
    const b = new CoreBench();
    for (let n = 1; n <= 12; n++) b.give('BTC', String(n));
    b.core = b.reloaded();
    b.give('BTC', '13');
    const ids = Array.from({ length: 13 }, (_, n) => String(n + 1));
    expect(b.core.ledger({ after: null, since: 0, limit: 99 }).rows.map(({ id }) => id)).toEqual(ids);
    const page = b.core.ledger({ after: '8', since: 0, limit: 3 });
    expect([page.rows.map(({ id }) => id), page.next, page.more]).toEqual([['9', '10', '11'], '11', true]);
  });

  it('its newest rows: the oldest are forgotten, their numbers are not given again', () => {
    const bench = new CoreBench();
    const rows: number[] = [];
    for (let n = 1; n <= 10_005; n++) bench.lane.commit(bench.core.setBalance('BTC', String(n)).rows);
    let after: string | null = '0';
    for (let page = bench.core.ledger({ after, since: 0, limit: 4_000 }); ; ) {
      rows.push(...page.rows.map(({ id }) => Number(id)));
      if (!page.more) break;
      after = page.next;
      page = bench.core.ledger({ after, since: 0, limit: 4_000 });
    }
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([10_000, 6, 10_005]);
    expect(bench.lane.tables.get('spot.ledger')?.size).toBe(10_000);
    const again = bench.reloaded();
    again.setBalance('BTC', '1');
    expect(again.ledger({ after: '10005', since: 0, limit: 9 }).rows.map(({ id }) => id)).toEqual(['10006']);
  });
});
