/**
 * Parts that the paper exchange loads later than at its start: ended orders and trades, read when they are
 * needed or after a second.
 */
import { describe, expect, it } from 'vitest';
import type { PaperCore } from '../../src/venues/paper/core.ts';
import type { PaperDocuments } from '../../src/venues/paper/order-memory.ts';
import { CoreBench, limit, type MemoryLane, openVenue } from './paper-support.ts';

type Doc = { readonly end: number; readonly time: number };

/**
 * The documents of a lane as a store returns them, with a count of reads of the past. `failing`: the past
 * cannot be read.
 */
function putOff(lane: MemoryLane) {
  const past = { reads: 0, failing: false };
  const load = (): PaperDocuments => {
    const orders = [...(lane.tables.get('spot.order') ?? [])] as [string, Doc][];
    const trades = [...(lane.tables.get('spot.trade')?.values() ?? [])];
    const open = new Map(orders.filter(([, { end }]) => end === 0));
    const ended = orders.flatMap(([, doc]) => (doc.end > 0 ? [doc] : []));
    const tables = new Map([...lane.tables, ['spot.order', open], ['spot.trade', new Map()]] as const);
    return {
      get: (table) => tables.get(table),
      past: {
        time: Math.max(0, ...orders.map(([, { time }]) => time)),
        read: () => {
          if (past.failing) throw new Error('the disk is gone');
          past.reads++;
          return { orders: [...ended], trades: [...trades] };
        },
      },
    };
  };
  return { past, load };
}

/**
 * A BUY of 1 at 99 half filled, one at 98, a filled MARKET order and, after the last price, a cancelled one.
 * The store keeps no more than these.
 */
function traded(): CoreBench {
  const b = new CoreBench({ participation: '0.5', finishedKept: 2, tradesKept: 2 });
  b.tick('100');
  b.buy('99', '1', { clientId: 'half' });
  b.buy('98', '1', { clientId: 'whole' });
  b.place({ type: 'MARKET', quantity: '1', clientId: 'ended' });
  b.tick('99', '1');
  b.keep(b.core.priceRows());
  b.cancel(b.buy('97', '1'));
  return b;
}

const ref = (clientId: string) => ({ clientId, symbol: 'BTCUSDT' });

describe('the past of a restarted account', () => {
  it.each<[string, (core: PaperCore) => unknown]>([
    ['open orders', (core) => core.openOrders()],
    ['balances', (core) => core.balances()],
    ['the time', (core) => core.time],
    ['an open order without a fill', (core) => core.query(ref('whole'))],
    ['fills later than any', (core) => core.fills({ symbol: 'BTCUSDT', from: core.time + 1 })],
    ['a price that reaches no order', (core) => core.beginTick('BTCUSDT', '101', '1', 50)],
  ])('is not read for %s', (_, ask) => {
    const b = traded();
    const { past, load } = putOff(b.lane);
    expect(ask(b.restarted(load()))).toEqual(ask(b.core));
    expect(past.reads).toBe(0);
  });

  it.each<[string, (core: PaperCore) => unknown]>([
    ['an ended order', (core) => core.query(ref('ended'))],
    ['an order nobody knows', (core) => core.query(ref('nobody'))],
    ['an open order with a fill', (core) => core.query(ref('half'))],
    ['fills', (core) => core.fills({ symbol: 'BTCUSDT', from: 0 })],
    ['a used id', (core) => core.submit(limit('ended', 'BUY', '90', '1'), 50).outcome],
    ['a new order', (core) => core.submit(limit('new', 'BUY', '90', '1'), 50).rows],
    ['a cancel', (core) => core.cancel(ref('whole'), 50).rows],
    ['a cancel of an ended order', (core) => core.cancel(ref('ended'), 50).outcome],
    ['a reset', (core) => core.reset(50).rows],
    ['a match', (core) => [core.beginTick('BTCUSDT', '97', '9', 50), core.nextMatch()?.rows]],
    ['its documents', (core) => [...core.documents()]],
  ])('is read once for %s, and makes no difference', (_, ask) => {
    const b = traded();
    const { past, load } = putOff(b.lane);
    const core = b.restarted(load());
    expect(ask(core)).toEqual(ask(b.core));
    expect(core.fills({ symbol: 'BTCUSDT', from: 0 })).toEqual(b.core.fills({ symbol: 'BTCUSDT', from: 0 }));
    core.audit();
    expect(past.reads).toBe(1);
  });
});

describe('a venue after a restart', () => {
  async function restarted() {
    const b = traded();
    const { past, load } = putOff(b.lane);
    return { past, ...(await openVenue({ lane: b.lane, load })) };
  }

  it('reads the past a second after it was opened', async () => {
    const { clock, past } = await restarted();
    await clock.advance(999);
    expect(past.reads).toBe(0);
    await clock.advance(1);
    expect(past.reads).toBe(1);
  });

  it('leaves it when it is closed before', async () => {
    const { clock, past, venue } = await restarted();
    await venue.close();
    expect(clock.pendingTimers).toBe(0);
    await clock.advance(2_000);
    expect(past.reads).toBe(0);
  });

  it('does nothing and knows nothing while the past cannot be read', async () => {
    const { clock, errors, lane, past, venue } = await restarted();
    past.failing = true;
    lane.commits = [];
    await clock.advance(1_000);
    expect(errors.map(String)).toEqual(['Error: the disk is gone']);
    const [query, submit, fills] = [
      venue.query(ref('ended')),
      venue.submit(limit('new', 'BUY', '90', '1')),
      venue.fills({ symbol: 'BTCUSDT', after: null, since: 0 }),
    ];
    await clock.settle();
    expect(await query).toMatchObject({ kind: 'unknown' });
    expect(await submit).toMatchObject({ kind: 'unknown' });
    expect(await fills).toBeNull();
    expect(lane.commits).toEqual([]);
    past.failing = false;
    const again = [venue.query(ref('ended')), venue.submit(limit('new', 'BUY', '90', '1'))];
    await clock.settle();
    expect(await Promise.all(again)).toMatchObject([{ kind: 'found' }, { kind: 'accepted' }]);
  });
});

it('a memory that takes the place of one whose operation could not be stored has the volume of the tick that no row tells of', () => {
  const b = new CoreBench({ participation: '1' });
  b.tick('100', '5');
  b.place({ type: 'MARKET', quantity: '4' });
  expect(b.core.beginTick('BTCUSDT', '100', '3', b.now++)).toBe(false);
  const next = b.restarted(putOff(b.lane).load());
  next.goOnFrom(b.core);
  const bought = next.submit(
    { clientId: 'm', symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', timeInForce: 'IOC', quantity: '4' },
    b.now,
  );
  expect(bought.outcome).toMatchObject({ kind: 'accepted', state: { status: 'CANCELLED', cumQty: '3' } });
});

it('an execution of the very moment that is asked from is told after a start, though nothing came after it', () => {
  const b = new CoreBench();
  b.tick('100');
  b.place({ type: 'MARKET', quantity: '1' });
  const asked = { symbol: 'BTCUSDT', from: b.core.time };
  expect(b.core.fills(asked)).toHaveLength(1);
  expect(b.restarted(putOff(b.lane).load()).fills(asked)).toEqual(b.core.fills(asked));
});

it('such a memory goes on in the middle of a moment: a further tick of that time is matched', () => {
  const b = new CoreBench();
  b.tick('100');
  b.buy('98', '1', { clientId: 'rests' });
  const at = b.now + 5;
  // Two ticks of the same time, which no stored row shows.
  for (const price of ['100', '101']) expect(b.core.beginTick('BTCUSDT', price, '3', at)).toBe(false);
  const next = b.restarted(putOff(b.lane).load());
  next.goOnFrom(b.core);
  expect(next.beginTick('BTCUSDT', '98', '3', at)).toBe(true);
});

it('an order is told with those of its executions that are kept, after a start as before it', () => {
  const b = new CoreBench({ tradesKept: 1, participation: '1' });
  b.tick('100');
  const id = b.buy('99', '2');
  b.tick('99', '1');
  b.tick('99', '1');
  const executions = (core: PaperCore) => {
    const found = core.query(ref(id));
    return found.kind === 'found' ? found.fills.map(({ tradeId }) => tradeId) : [];
  };
  expect([executions(b.core), executions(b.reloaded())]).toEqual([['2'], ['2']]);
});
