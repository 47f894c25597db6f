/**
 * Changes of resting orders at the paper exchange: the contract of every adapter, and changes between the
 * matches of a tick.
 */
import { describe, expect, it } from 'vitest';
import { PAPER_FUTURES, PAPER_SPOT } from '../../src/venues/paper/paper-venue.ts';
import { type ChangedExchange, changesOrders } from './contract/changes.ts';
import { CONTRACTS, FuturesBench } from './futures-support.ts';
import { CoreBench, INSTRUMENTS, openVenue } from './paper-support.ts';

async function opened(account: typeof PAPER_SPOT): Promise<ChangedExchange> {
  const instruments = account.kind === 'spot' ? INSTRUMENTS : CONTRACTS;
  const options = { participation: '1', startBalances: { USDT: '100000' } };
  const { clock, venue, sink } = await openVenue({ account, instruments, options });
  const other = account.kind === 'spot' ? 'BNBUSDT' : 'ETHUSDT';
  let time = 2_000;
  const trade = async (price: string, volume: string, symbol = 'BTCUSDT') => {
    const matched = venue.tick({ time: time++, symbol, price, volume });
    await clock.settle();
    await matched;
  };
  for (const symbol of ['BTCUSDT', other]) await trade('60000', '1000', symbol);
  return {
    venue,
    symbol: 'BTCUSDT',
    other,
    orders: sink.orders,
    fills: sink.fills,
    trade: (price, volume) => trade(price, volume),
    settle: async (answer) => {
      await clock.settle();
      await clock.advance(20_000);
      return answer;
    },
    lose: (what) => venue.faults.next(what === 'request' ? 'loseRequest' : 'loseAnswer', { on: 'cancel' }),
  };
}

describe.each([PAPER_SPOT, PAPER_FUTURES])('on $id', (account) => {
  changesOrders(() => opened(account));
});

describe('an order that is amended between two matches of one tick', () => {
  it('is not filled at a price that the tick has not reached', () => {
    const bench = new CoreBench();
    bench.tick('60000');
    bench.buy('50500', '0.01');
    const second = bench.buy('50000', '0.01');
    const change = { price: '40000' };
    let isFirst = true;
    bench.tick('50000', undefined, () => {
      if (!isFirst) return;
      isFirst = false;
      bench.keep(bench.core.amend({ clientId: second, symbol: 'BTCUSDT' }, change, bench.now));
    });
    expect(bench.state(second)).toMatchObject({ status: 'WORKING', cumQty: '0' });
    expect(bench.fills()).toEqual(['BUY 0.01 @ 50500 maker']);
  });

  it('nor on futures', () => {
    const bench = new FuturesBench();
    bench.tick('60000');
    bench.place({ price: '50500', quantity: '0.01' });
    const second = bench.place({ price: '50000', quantity: '0.01' });
    const { core } = bench;
    core.beginTick('BTCUSDT', '50000', '1000000', bench.now + 1);
    const first = core.nextMatch();
    if (first) bench.keep(first);
    bench.keep(core.amend({ clientId: second, symbol: 'BTCUSDT' }, { price: '40000' }, bench.now + 1));
    for (let step = core.nextMatch(); step; step = core.nextMatch()) bench.keep(step);
    expect(core.query({ clientId: second, symbol: 'BTCUSDT' })).toMatchObject({
      kind: 'found',
      state: { status: 'WORKING', cumQty: '0' },
    });
  });
});

describe('an amended order', () => {
  it('ends where it is for what it has executed, no more and no less', () => {
    const bench = new CoreBench({ participation: '1' });
    bench.tick('60000');
    const id = bench.buy('50000', '0.02');
    bench.tick('50000', '0.01');
    const change = { quantity: '0.01' };
    const outcome = bench.keep(bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, change, bench.now));
    expect(outcome).toMatchObject({ kind: 'done', state: { status: 'CANCELLED', cumQty: '0.01' } });
  });

  it('needs margin for what is left of it, not for what it has executed', () => {
    const bench = new FuturesBench({ participation: '1', startBalances: { USDT: '620' } });
    bench.tick('60000');
    const id = bench.place({ price: '50000', quantity: '0.2' });
    bench.tick('50000', { volume: '0.15' });
    const amend = (quantity: string) =>
      bench.keep(
        bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, { price: '49000', quantity }, bench.now),
      );
    expect(amend('0.2')).toMatchObject({ kind: 'done', state: { cumQty: '0.15' } });
    expect(amend('0.4')).toMatchObject({ kind: 'rejected', code: '-2019' });
  });

  it('locks what is left of it on spot, not what it has executed', () => {
    const bench = new CoreBench({ participation: '1', startBalances: { USDT: '10000' } });
    bench.tick('60000');
    const id = bench.buy('50000', '0.2');
    bench.tick('50000', '0.15');
    const amend = (quantity: string) =>
      bench.keep(
        bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, { price: '49000', quantity }, bench.now),
      );
    expect(amend('0.2')).toMatchObject({ kind: 'done', state: { cumQty: '0.15' } });
    expect(amend('0.21')).toMatchObject({ kind: 'rejected', code: '-2010' });
    expect(amend('0.2')).toMatchObject({ kind: 'done' });
  });

  it('keeps its place for less of it at its price, and has the last at another, or for more', () => {
    const bench = new CoreBench({ participation: '1' });
    bench.tick('60000');
    const [a, b] = [bench.buy('50000', '0.03'), bench.buy('50000', '0.03')];
    const amend = (id: string, change: { price?: string; quantity?: string }) =>
      bench.keep(bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, change, bench.now));
    const filled = (price: string) => bench.tick(price, '0.001').map(({ clientId }) => clientId);
    amend(a, { quantity: '0.02' });
    expect(filled('50000')).toEqual([a]);
    const c = bench.buy('51000', '0.03');
    bench.tick('60000');
    amend(a, { price: '51000', quantity: '0.01' });
    expect(filled('51000')).toEqual([c]);
    bench.tick('60000');
    amend(a, { price: '50000' });
    bench.keep(bench.core.cancel({ clientId: c, symbol: 'BTCUSDT' }, bench.now));
    expect(filled('50000')).toEqual([b]);
    amend(b, { quantity: '0.04' });
    expect(filled('50000')).toEqual([a]);
    // Asked for as it is, it stays where it is, and nothing is told.
    const before = bench.events.length;
    expect(amend(a, { price: '50000.00', quantity: '0.010' })).toMatchObject({ kind: 'done' });
    expect([bench.events.length, filled('50000')]).toEqual([before, [a]]);
  });

  it('that only reduces, or closes a side, goes on doing so: it needs no margin', () => {
    for (const isHedged of [false, true]) {
      const bench = new FuturesBench({ startBalances: { USDT: '520' } });
      if (isHedged) bench.mustSet((core) => core.setHedgeMode(true));
      bench.tick('50000');
      const side = isHedged ? ({ positionSide: 'LONG' } as const) : {};
      bench.place({ side: 'BUY', type: 'MARKET', quantity: '0.2', ...side });
      const id = bench.place({
        side: 'SELL',
        price: '52000',
        quantity: '0.1',
        ...(isHedged ? side : { reduceOnly: true }),
      });
      const amend = (change: { price?: string; quantity?: string }) =>
        bench.keep(bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, change, bench.now));
      expect(amend({ price: '51000', quantity: '0.4' })).toMatchObject({
        kind: 'done',
        state: {
          status: 'WORKING',
          origQty: '0.4',
          terms: { price: '51000', reduceOnly: !isHedged, positionSide: isHedged ? 'LONG' : 'BOTH' },
        },
      });
      expect(amend({ quantity: '0.0001' })).toMatchObject({ kind: 'rejected' });
      expect(bench.tick('51000').map(({ qty, posSide }) => `${qty} ${posSide}`)).toEqual([
        `0.2 ${isHedged ? 'LONG' : 'BOTH'}`,
      ]);
      expect(bench.core.positions()).toEqual([]);
      expect(bench.state(id)).toMatchObject({ status: 'CANCELLED', cumQty: '0.2' });
    }
  });

  it('is the same after a start from the store', () => {
    const bench = new CoreBench();
    bench.tick('60000');
    const id = bench.buy('50000', '0.02');
    bench.keep(bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, { price: '51000' }, bench.now));
    const again = bench.reloaded().query({ clientId: id, symbol: 'BTCUSDT' });
    expect(again).toMatchObject({ kind: 'found', state: { terms: { price: '51000' }, origQty: '0.02' } });
  });

  it.each([
    ['a stop that waits', { type: 'STOP_LIMIT', stopPrice: '70000', price: '71000' }],
    ['an iceberg', { icebergQty: '0.01', price: '50000' }],
  ] as const)('is no %s', (_, more) => {
    const bench = new CoreBench();
    bench.tick('60000');
    const id = bench.place({ quantity: '0.02', ...more });
    const outcome = bench.keep(bench.core.amend({ clientId: id, symbol: 'BTCUSDT' }, { price: '51000' }, 9));
    expect(outcome).toMatchObject({ kind: 'rejected', code: '-1106' });
  });
});
