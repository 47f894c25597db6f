/**
 * What happens to requests of the paper exchange that meet something else: an operation that fails in their
 * turn, the close of the account, an outage on their way, settings that change before a commit fails.
 */
import { describe, expect, it } from 'vitest';
import type { PaperDocuments } from '../../src/venues/paper/order-memory.ts';
import { PAPER_FUTURES } from '../../src/venues/paper/paper-venue.ts';
import { CONTRACTS } from './futures-support.ts';
import { limit, MemoryLane, openVenue } from './paper-support.ts';

const A = { clientId: 'a', symbol: 'BTCUSDT' };

describe('a turn', () => {
  it('in which an operation fails halfway has none of those before it, and goes on with those after it', async () => {
    const lane = new MemoryLane();
    await openVenue({ lane });
    const read = () => {
      throw new Error('the disk is gone');
    };
    const load = (): PaperDocuments => ({ get: (table) => lane.tables.get(table), past: { time: 0, read } });
    const { clock, errors, sink, venue } = await openVenue({ lane, load });
    const before = venue.setBalance('BTC', '5');
    // Whether the id is in use stands in the past, which cannot be read.
    const fails = venue.submit(limit('a', 'BUY', '99', '1'));
    const after = venue.setBalance('BTC', '6');
    await clock.settle();
    expect([await before, (await fails).kind, await after]).toEqual([false, 'unknown', true]);
    expect(errors.map(({ message }) => message)).toEqual(['the disk is gone']);
    expect(sink.lines).toEqual(['stream up', 'stream gap', 'balances BTC']);
    const page = venue.ledger?.({ after: null, since: 0, limit: 9 });
    await clock.settle();
    expect((await page)?.rows.map(({ id, amount }) => `${id} ${amount}`)).toEqual(['1 6']);
  });

  it('that ends with the close of the account is stored, told and answered', async () => {
    const { lane, sink, venue } = await openVenue();
    const answer = venue.submit(limit('a', 'BUY', '99', '1'));
    const set = venue.setBalance('BTC', '2');
    await venue.close();
    expect([(await answer).kind, await set]).toEqual(['accepted', true]);
    expect(sink.lines).toContain('order a WORKING 0');
    const again = await openVenue({ lane });
    expect(await again.venue.openOrders()).toMatchObject([{ clientId: 'a', status: 'WORKING' }]);
    expect((await again.venue.balances())?.find(({ asset }) => asset === 'BTC')?.free).toBe('2');
  });
});

it('a tick waits for all before it, also when the first of them has ended', async () => {
  const releases: (() => void)[] = [];
  const settle = () => new Promise<void>((resolve) => void releases.push(resolve));
  const { clock, sink, venue, tick } = await openVenue({ settle });
  for (const [id, price] of [
    ['a', '99'],
    ['b', '98'],
    ['c', '97'],
  ] as const)
    void venue.submit(limit(id, 'BUY', price, '1'));
  await clock.settle();
  const done = [tick('99'), tick('98')];
  const filled = async () => {
    await clock.settle();
    return sink.fills.map(({ clientId }) => clientId);
  };
  expect(await filled()).toEqual(['a']);
  releases.shift()?.();
  expect(await filled()).toEqual(['a', 'b']);
  done.push(tick('97'));
  expect(await filled()).toEqual(['a', 'b']);
  releases.shift()?.();
  expect(await filled()).toEqual(['a', 'b', 'c']);
  releases.shift()?.();
  await Promise.all(done);
});

describe('a connection that breaks', () => {
  it('leaves questions that are under way without an answer, and those after its end have one', async () => {
    const { clock, venue } = await openVenue({ options: { latencyMs: 100 } });
    void venue.submit(limit('a', 'BUY', '99', '1'));
    await clock.advance(100);
    const asked = [venue.openOrders(), venue.balances(), venue.fills({ ...A, after: null, since: 0 })];
    const query = venue.query(A);
    await clock.advance(50);
    venue.faults.downFor(100);
    await clock.advance(100);
    expect(await Promise.all(asked)).toEqual([null, null, null]);
    expect((await query).kind).toBe('unknown');
    const again = venue.query(A);
    await clock.advance(100);
    expect((await again).kind).toBe('found');
  });

  it('swallows a request that is late, about which nothing more is told', async () => {
    const { clock, venue, sink } = await openVenue();
    venue.faults.next('lateArrival', { ms: 2_000 });
    const answer = venue.submit(limit('a', 'BUY', '101', '1'));
    await clock.advance(1_000);
    expect(await answer).toEqual({ kind: 'unknown', cause: 'timeout' });
    venue.faults.downFor(3_000);
    await clock.advance(10_000);
    const query = venue.query(A);
    await clock.settle();
    expect([(await query).kind, sink.fills]).toEqual(['absent', []]);
  });

  it('does not keep the exchange from ending an order by itself; what cannot be stored has not ended', async () => {
    const { clock, lane, venue } = await openVenue();
    for (const id of ['a', 'b']) void venue.submit(limit(id, 'BUY', '99', '1'));
    await clock.settle();
    venue.faults.downFor(1_000);
    const ended = venue.end(A);
    await clock.settle();
    lane.failNext = true;
    const lost = venue.end({ ...A, clientId: 'b' });
    await clock.settle();
    expect([await ended, await lost]).toEqual([true, false]);
    await clock.advance(1_000);
    expect(await venue.openOrders()).toMatchObject([{ clientId: 'b', status: 'WORKING' }]);
    expect(await venue.query(A)).toMatchObject({ state: { status: 'CANCELLED' } });
  });
});

describe('settings', () => {
  it('of the exchange hold over a commit that failed, and a wrong one changes none of them', async () => {
    const { clock, lane, sink, venue } = await openVenue();
    const next = { takerRate: '0.01', startBalances: { USDT: '500' } };
    venue.configure(next);
    expect(() => venue.configure({ takerRate: '1' })).toThrow(RangeError);
    lane.failNext = true;
    void venue.setBalance('BTC', '1');
    await clock.settle();
    void venue.submit(limit('a', 'BUY', '101', '1'));
    await clock.settle();
    expect(sink.fills.map(({ comm, commAsset }) => `${comm} ${commAsset}`)).toEqual(['0.01 BTC']);
    void venue.reset();
    await clock.settle();
    expect(sink.balanceOf.get('USDT')).toMatchObject({ free: '500', locked: '0' });
  });

  it('of a contract that cannot be stored are not known, and not made', async () => {
    const { clock, lane, venue } = await openVenue({ account: PAPER_FUTURES, instruments: CONTRACTS });
    const { futures } = venue;
    if (!futures) throw new Error('no futures');
    const settled = async <T>(answer: Promise<T>) => {
      await clock.settle();
      return answer;
    };
    for (const set of [
      () => futures.setLeverage({ symbol: 'BTCUSDT', leverage: 7 }),
      () => futures.setMarginType('BTCUSDT', 'ISOLATED'),
      () => futures.setHedgeMode(true),
      () => futures.setMarginMode(2),
    ]) {
      lane.failNext = true;
      expect(await settled(set())).toEqual({
        kind: 'unknown',
        cause: 'the exchange could not store it: disk full',
      });
    }
    expect(await settled(futures.leverage(['BTCUSDT']))).toMatchObject([
      { side: 'BOTH', leverage: 20, marginType: 'CROSSED' },
    ]);
    expect([await settled(futures.hedgeMode()), await settled(futures.marginMode())]).toEqual([false, 1]);
  });
});
