/**
 * The contract of every adapter for requests that change resting orders: cancelling all of a symbol
 * (`Venue.cancelAll`) and amending in place (`Venue.amend`), of price and quantity or only to a smaller
 * quantity, as `caps.amends` says. An adapter's test calls the parts that it supports.
 */
import { expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import type {
  AmendOutcome,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
  OrderChange,
} from '../../../src/domain/exchange.ts';
import type { Venue } from '../../../src/venues/venue.ts';

/**
 * An exchange with two symbols that last traded at 60,000; 0.01 is a valid quantity and 10 a price step;
 * executions get the traded volume.
 */
export interface ChangedExchange {
  readonly venue: Venue;
  readonly symbol: string;
  readonly other: string;
  /** Order states reported so far. */
  readonly orders: readonly ExchangeOrderState[];
  readonly fills: readonly ExchangeFill[];
  /** Trades the symbol as another client. */
  readonly trade: (price: string, volume: string) => Promise<void>;
  /** Lets time pass until the answer comes. */
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
  /** Loses the next cancel or change, or its answer. */
  readonly lose: (what: 'request' | 'answer') => void;
}

const place = async (x: ChangedExchange, clientId: string, more: Partial<ExchangeOrder> = {}) => {
  const order = { symbol: x.symbol, side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.02' } as const;
  const all: ExchangeOrder = { ...order, timeInForce: 'GTC', clientId, ...more };
  expect(await x.settle(x.venue.submit(all))).toMatchObject({ kind: 'accepted' });
};
const stateOf = async (x: ChangedExchange, clientId: string, symbol = x.symbol) => {
  const found = await x.settle(x.venue.query({ clientId, symbol }));
  if (found.kind !== 'found') throw new Error(`${clientId} is ${found.kind}`);
  return found.state;
};
const openIds = async (x: ChangedExchange) =>
  ((await x.settle(x.venue.openOrders())) ?? []).map(({ clientId }) => clientId).sort();
const amend = async (x: ChangedExchange, change: OrderChange, clientId = 'a'): Promise<AmendOutcome> => {
  const asked = x.venue.amend?.({ clientId, symbol: x.symbol }, change);
  if (!asked) throw new Error('it amends nothing');
  return x.settle(asked);
};
const cancelAll = async (x: ChangedExchange) => {
  const asked = x.venue.cancelAll?.(x.symbol);
  if (!asked) throw new Error('it has no such request');
  return x.settle(asked);
};
const executed = (x: ChangedExchange, clientId: string) =>
  str(
    [...new Map(x.fills.map((fill) => [fill.tradeId, fill])).values()]
      .filter((fill) => fill.clientId === clientId)
      .reduce((sum, { qty }) => sum + dec(qty), 0n),
  );

/** Cancelling all orders of a symbol. */
export function cancelsAll(open: () => Promise<ChangedExchange>): void {
  it('cancels all of a symbol with one request, what waits for a trigger too, and nothing else', async () => {
    const x = await open();
    await place(x, 'a');
    await place(x, 'b', { price: '49000' });
    await place(x, 'stop', { type: 'STOP_LIMIT', price: '71000', stopPrice: '70000' });
    await place(x, 'other', { symbol: x.other });
    const outcome = await cancelAll(x);
    expect(outcome.kind).toBe('done');
    expect(await openIds(x)).toEqual(['other']);
    for (const id of ['a', 'b', 'stop']) {
      expect((await stateOf(x, id)).status).toBe('CANCELLED');
      expect(x.orders.findLast(({ clientId }) => clientId === id)?.status).toBe('CANCELLED');
    }
    // The outcome may name none of the orders, and names no other.
    const named = outcome.kind === 'done' ? outcome.states : [];
    for (const { clientId, status } of named)
      expect([['a', 'b', 'stop'].includes(clientId), status]).toEqual([true, 'CANCELLED']);
  });

  it('does so where there is nothing to cancel', async () => {
    const x = await open();
    await place(x, 'other', { symbol: x.other });
    expect(await cancelAll(x)).toMatchObject({ kind: 'done', states: [] });
    expect(await openIds(x)).toEqual(['other']);
  });

  it('keeps what was executed before', async () => {
    const x = await open();
    await place(x, 'a');
    await x.trade('50000', '0.01');
    await cancelAll(x);
    expect(await stateOf(x, 'a')).toMatchObject({ status: 'CANCELLED', cumQty: '0.01' });
    expect(executed(x, 'a')).toBe('0.01');
  });

  it.each(['request', 'answer'] as const)('says that it does not know when the %s is lost', async (what) => {
    const x = await open();
    await place(x, 'a');
    x.lose(what);
    expect(await cancelAll(x)).toMatchObject({ kind: 'unknown' });
    expect((await stateOf(x, 'a')).status).toBe(what === 'request' ? 'WORKING' : 'CANCELLED');
  });
}

/** Changes to a smaller quantity, with everything else kept: some exchanges support only these. */
export function changesToLess(open: () => Promise<ChangedExchange>): void {
  it('takes away from an order in its place, and executes no more than is left', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.04' });
    await x.trade('50000', '0.01');
    expect(await amend(x, { quantity: '0.03' })).toMatchObject({
      kind: 'done',
      state: { clientId: 'a', status: 'WORKING', origQty: '0.03', cumQty: '0.01' },
    });
    for (const state of [await stateOf(x, 'a'), x.orders.at(-1)])
      expect(state).toMatchObject({ clientId: 'a', status: 'WORKING', origQty: '0.03', cumQty: '0.01' });
    expect(await openIds(x)).toEqual(['a']);
    await x.trade('50000', '1');
    expect([executed(x, 'a'), (await stateOf(x, 'a')).status]).toEqual(['0.03', 'FILLED']);
  });

  it.each(['request', 'answer'] as const)(
    'says of less that it does not know when its %s is lost',
    async (what) => {
      const x = await open();
      await place(x, 'a');
      x.lose(what);
      expect(await amend(x, { quantity: '0.01' })).toMatchObject({ kind: 'unknown' });
      expect((await stateOf(x, 'a')).origQty).toBe(what === 'request' ? '0.02' : '0.01');
      await x.trade('50000', '1');
      expect(executed(x, 'a')).toBe(what === 'request' ? '0.02' : '0.01');
    },
  );

  it('says that what was filled on the way is gone, and what nobody knows', async () => {
    const x = await open();
    await place(x, 'a');
    await x.trade('50000', '1');
    expect(await amend(x, { quantity: '0.01' })).toMatchObject({ kind: 'gone' });
    expect(executed(x, 'a')).toBe('0.02');
    expect(await amend(x, { quantity: '0.01' }, 'nobody')).toEqual({ kind: 'gone', state: null });
  });

  it.each([
    ['off the step', { quantity: '0.0100000001' }],
    ['no number', { quantity: 'half' }],
    ['nothing', { quantity: '0' }],
  ])('leaves an order as it was when it refuses less: %s', async (_, change) => {
    const x = await open();
    await place(x, 'a');
    expect(await amend(x, change)).toMatchObject({ kind: 'rejected' });
    expect(await stateOf(x, 'a')).toMatchObject({ status: 'WORKING', origQty: '0.02', cumQty: '0' });
  });

  it('gives back what the order needs no more', async () => {
    const x = await open();
    const locked = async () =>
      (await x.settle(x.venue.balances()))?.find(({ asset }) => asset === 'USDT')?.locked;
    await place(x, 'b', { quantity: '0.01' });
    const wanted = await locked();
    await x.settle(x.venue.cancel({ clientId: 'b', symbol: x.symbol }));
    await place(x, 'a');
    await amend(x, { quantity: '0.01' });
    expect(await locked()).toBe(wanted);
  });
}

/** All changes, where price and quantity can be changed. */
export function changesOrders(open: () => Promise<ChangedExchange>): void {
  cancelsAll(open);
  changesToLess(open);

  it.each(['request', 'answer'] as const)(
    'says of a change that it does not know when its %s is lost',
    async (what) => {
      const x = await open();
      await place(x, 'b');
      x.lose(what);
      expect(await amend(x, { price: '51000' }, 'b')).toMatchObject({ kind: 'unknown' });
      await x.trade('51000', '1');
      expect(executed(x, 'b')).toBe(what === 'request' ? '0' : '0.02');
    },
  );

  it('changes an order in its place: price, quantity, both', async () => {
    const x = await open();
    await place(x, 'a');
    for (const [change, price, origQty] of [
      [{ price: '51000' }, '51000', '0.02'],
      [{ quantity: '0.03' }, '51000', '0.03'],
      [{ price: '52000', quantity: '0.01' }, '52000', '0.01'],
    ] as const) {
      const outcome = await amend(x, change);
      expect(outcome).toMatchObject({ kind: 'done', state: { clientId: 'a', status: 'WORKING', origQty } });
      for (const state of [await stateOf(x, 'a'), x.orders.at(-1)])
        expect(state).toMatchObject({ clientId: 'a', status: 'WORKING', origQty, terms: { price } });
      expect(await openIds(x)).toEqual(['a']);
    }
    await x.trade('52000', '1');
    expect([executed(x, 'a'), (await stateOf(x, 'a')).status]).toEqual(['0.01', 'FILLED']);
  });

  it('tells of an order that was never changed what it is, when it is asked', async () => {
    const x = await open();
    await place(x, 'a');
    expect(await stateOf(x, 'a')).toMatchObject({ origQty: '0.02', terms: { price: '50000' } });
    x.lose('request');
    expect(await amend(x, { price: '51000' })).toMatchObject({ kind: 'unknown' });
    expect(await stateOf(x, 'a')).toMatchObject({ terms: { price: '50000' } });
  });

  it('tells no older state under a newer number', async () => {
    const x = await open();
    await place(x, 'a');
    await amend(x, { price: '51000' });
    await x.trade('51000', '0.005');
    await amend(x, { price: '50500', quantity: '0.015' });
    const told = x.orders
      .filter(({ clientId }) => clientId === 'a')
      .toSorted((one, two) => one.seq - two.seq);
    expect(told.at(-1)).toMatchObject({ origQty: '0.015', cumQty: '0.005', terms: { price: '50500' } });
    expect((await stateOf(x, 'a')).seq).toBe(told.at(-1)?.seq);
  });

  it('does not change what was filled on the way, and says so', async () => {
    const x = await open();
    await place(x, 'a');
    await x.trade('50000', '1');
    const outcome = await amend(x, { price: '40000', quantity: '0.05' });
    expect(outcome).toMatchObject({ kind: 'gone' });
    if (outcome.kind === 'gone' && outcome.state)
      expect(outcome.state).toMatchObject({ status: 'FILLED', origQty: '0.02', cumQty: '0.02' });
    expect(executed(x, 'a')).toBe('0.02');
    expect(await amend(x, { price: '40000' }, 'nobody')).toEqual({ kind: 'gone', state: null });
  });

  it.each(['0.01', '0.005'])('ends what has executed its new quantity already: %s', async (quantity) => {
    const x = await open();
    await place(x, 'a');
    await x.trade('50000', '0.01');
    const outcome = await amend(x, { quantity });
    // An exchange may refuse this, too; then the order rests unchanged. An order with nothing left may be
    // called filled.
    if (outcome.kind === 'rejected')
      expect(await stateOf(x, 'a')).toMatchObject({ origQty: '0.02', cumQty: '0.01' });
    else {
      const status = expect.stringMatching(/^(?:CANCELLED|FILLED)$/);
      expect(outcome).toMatchObject({ kind: 'done', state: { status, cumQty: '0.01' } });
    }
    await x.trade('50000', '1');
    expect(executed(x, 'a')).toBe(outcome.kind === 'rejected' ? '0.02' : '0.01');
  });

  it('executes no more than the new quantity, what was executed before included', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.04' });
    await x.trade('50000', '0.01');
    expect(await amend(x, { quantity: '0.03' })).toMatchObject({ kind: 'done' });
    await x.trade('50000', '1');
    expect(executed(x, 'a')).toBe('0.03');
  });

  it('takes at once where the new price does, and no more than that', async () => {
    const x = await open();
    await place(x, 'a');
    await x.trade('60000', '1');
    const outcome = await amend(x, { price: '61000' });
    expect(outcome).toMatchObject({ kind: 'done', state: { status: 'FILLED', cumQty: '0.02' } });
    expect(executed(x, 'a')).toBe('0.02');
  });

  it.each([
    ['off the tick', { price: '50000.001234567' }],
    ['off the step', { quantity: '0.0200000001' }],
    ['more than the account has', { quantity: '900' }],
    ['no number', { price: 'fifty' }],
  ])('leaves an order as it was when it refuses the change: %s', async (_, change) => {
    const x = await open();
    await place(x, 'a');
    const before = await x.settle(x.venue.balances());
    expect(await amend(x, change)).toMatchObject({ kind: 'rejected' });
    expect(await stateOf(x, 'a')).toMatchObject({ status: 'WORKING', origQty: '0.02', cumQty: '0' });
    const money = (list: typeof before) => list?.map(({ time: _time, ...rest }) => rest);
    expect(money(await x.settle(x.venue.balances()))).toEqual(money(before));
    await x.trade('50000', '1');
    expect(executed(x, 'a')).toBe('0.02');
  });

  it('keeps its place among the orders of its price as it says', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.03' });
    await place(x, 'b');
    expect(await amend(x, { quantity: '0.02' })).toMatchObject({ kind: 'done' });
    await x.trade('50000', '0.02');
    const keeps = x.venue.caps.amends?.keepsPlace !== 'never';
    expect([executed(x, 'a'), executed(x, 'b')]).toEqual(keeps ? ['0.02', '0'] : ['0', '0.02']);
    const y = await open();
    await place(y, 'a');
    await place(y, 'b');
    expect(await amend(y, { quantity: '0.03' })).toMatchObject({ kind: 'done' });
    await y.trade('50000', '0.02');
    const always = y.venue.caps.amends?.keepsPlace === 'always';
    expect([executed(y, 'a'), executed(y, 'b')]).toEqual(always ? ['0.02', '0'] : ['0', '0.02']);
  });

  it('gives back what an order needs no more, and sets aside what it needs now', async () => {
    const x = await open();
    const locked = async () =>
      (await x.settle(x.venue.balances()))?.find(({ asset }) => asset === 'USDT')?.locked;
    await place(x, 'b', { quantity: '0.03', price: '49000' });
    const wanted = await locked();
    await x.settle(x.venue.cancel({ clientId: 'b', symbol: x.symbol }));
    await place(x, 'a');
    await amend(x, { quantity: '0.03', price: '49000' });
    expect(await locked()).toBe(wanted);
    await x.settle(x.venue.cancel({ clientId: 'a', symbol: x.symbol }));
    expect(await locked()).toBe('0');
  });
}
