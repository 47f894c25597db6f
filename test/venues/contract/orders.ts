/**
 * The contract of every adapter for orders: types and outcomes, requests lost on the way, races of a cancel,
 * partial executions, events twice and out of order, broken connections, another process, orders of others.
 * An adapter's test calls this with a connection to its exchange. A row of its capabilities leaves out what
 * the exchange does not have; races and restarts are never left out.
 */
import { expect, it } from 'vitest';
import { dec, str } from '../../../src/domain/decimal.ts';
import {
  ENDS,
  type ExchangeFill,
  type ExchangeOrder,
  type ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { Venue } from '../../../src/venues/venue.ts';

/**
 * An exchange with a symbol that last traded at 60,000; 0.01 is a valid quantity and 10 a price step, and the
 * balance suffices for one unit.
 */
export interface OrderedExchange {
  readonly venue: Venue;
  readonly symbol: string;
  /** Order states reported so far. */
  readonly orders: readonly ExchangeOrderState[];
  readonly fills: readonly ExchangeFill[];
  readonly stream: readonly string[];
  /** Trades the symbol as another client; its effects are reported by the time it resolves. */
  readonly trade: (price: string, volume: string) => Promise<void>;
  /** Lets time pass until the answer comes. */
  readonly settle: <T>(answer: Promise<T>) => Promise<T>;
  /** Loses the next order or cancel, or its answer. */
  readonly lose: (what: 'request' | 'answer', of: 'order' | 'cancel') => void;
  /** Sets how events arrive from now on. */
  readonly events: (how: 'in order' | 'twice' | 'swapped') => void;
  /** Breaks the event connections, runs `meanwhile`, and resolves when the connections are there again. */
  readonly broken: (meanwhile: () => Promise<void>) => Promise<void>;
  /** The same account from another process, which has received no events. */
  readonly again: () => Promise<OrderedExchange>;
  /**
   * Places an order as another client of the account: a limit order of 0.02 that rests at 49,000; resolves
   * with its id at the exchange.
   */
  readonly stranger: () => Promise<string>;
  /** Ends one of the process's orders as another client. */
  readonly endedElsewhere: (clientId: string) => Promise<void>;
}

type Opens = () => Promise<OrderedExchange>;

async function submit(x: OrderedExchange, clientId: string, more: Partial<ExchangeOrder> = {}) {
  const order = { symbol: x.symbol, side: 'BUY', type: 'LIMIT', price: '50000', quantity: '0.02' } as const;
  return x.settle(x.venue.submit({ ...order, timeInForce: 'GTC', clientId, ...more }));
}

async function place(x: OrderedExchange, clientId: string, more: Partial<ExchangeOrder> = {}) {
  expect(await submit(x, clientId, more)).toMatchObject({ kind: 'accepted', state: { clientId } });
}

const ref = (x: OrderedExchange, clientId: string) => ({ clientId, symbol: x.symbol });

async function found(x: OrderedExchange, clientId: string) {
  const outcome = await x.settle(x.venue.query(ref(x, clientId)));
  if (outcome.kind !== 'found') throw new Error(`${clientId} is ${outcome.kind}`);
  return outcome;
}

async function openIds(x: OrderedExchange): Promise<string[]> {
  return ((await x.settle(x.venue.openOrders())) ?? []).map(({ clientId }) => clientId).sort();
}

/** Reads page by page to the end. */
async function executions(x: OrderedExchange, from: string | null) {
  const fills: ExchangeFill[] = [];
  for (let after = from; ; ) {
    const page = await x.settle(x.venue.fills({ symbol: x.symbol, after, since: 0 }));
    if (!page) throw new Error('the question failed');
    fills.push(...page.fills);
    if (page.more) expect(page.next).not.toBe(after);
    after = page.next;
    if (!page.more) return { fills, next: after };
  }
}

/** The sum by trade id, however often each trade was reported. */
function sum(fills: readonly ExchangeFill[], clientId: string): string {
  const own = new Map(fills.filter((fill) => fill.clientId === clientId).map((fill) => [fill.tradeId, fill]));
  return str([...own.values()].reduce((all, { qty }) => all + dec(qty), 0n));
}

/** The newest state by the exchange's own version, which is not the order of arrival. */
function newest(x: OrderedExchange, clientId: string): ExchangeOrderState | undefined {
  const own = x.orders.filter((state) => state.clientId === clientId);
  return own.toSorted((a, b) => a.seq - b.seq || (dec(a.cumQty) < dec(b.cumQty) ? -1 : 1)).at(-1);
}

export function carriesOrders(open: Opens): void {
  it.each([
    ['a limit order rests', { type: 'LIMIT' }, 'WORKING', '0'],
    ['a limit order that crosses is filled', { type: 'LIMIT', price: '61000' }, 'FILLED', '0.02'],
    ['a market order is filled', { type: 'MARKET', price: undefined }, 'FILLED', '0.02'],
    ['what is not filled at once of an IOC ends', { timeInForce: 'IOC' }, 'ENDED', '0'],
    ['a FOK that cannot be filled leaves nothing', { timeInForce: 'FOK' }, 'ENDED', '0'],
    ['a post-only order rests', { type: 'LIMIT_MAKER' }, 'WORKING', '0'],
    [
      'a post-only order that would take leaves nothing',
      { type: 'LIMIT_MAKER', price: '61000' },
      'ENDED',
      '0',
    ],
    ['a stop waits', { type: 'STOP_LIMIT', stopPrice: '65000', price: '66000' }, 'PENDING', '0'],
  ] as const)('%s', async (_, more, status, executed) => {
    const x = await open();
    const { price, ...rest } = { price: '50000', ...more };
    const order = {
      symbol: x.symbol,
      side: 'BUY',
      quantity: '0.02',
      timeInForce: 'GTC',
      type: 'LIMIT',
    } as const;
    const all: ExchangeOrder = {
      ...order,
      clientId: 'a',
      ...rest,
      ...(price === undefined ? {} : { price }),
    };
    const outcome = await x.settle(x.venue.submit(all));
    if (outcome.kind === 'rejected') {
      expect(status).toBe('ENDED');
      expect(await openIds(x)).toEqual([]);
      return;
    }
    expect(outcome).toMatchObject({ kind: 'accepted', state: { clientId: 'a', symbol: x.symbol } });
    const { state } = await found(x, 'a');
    const isSo =
      status === 'ENDED' ? ENDS.has(state.status) && state.status !== 'FILLED' : state.status === status;
    expect([state.status, isSo]).toEqual([state.status, true]);
    expect([state.cumQty, sum(x.fills, 'a')]).toEqual([executed, executed]);
    expect(await openIds(x)).toEqual(ENDS.has(state.status) ? [] : ['a']);
  });

  it('a stop whose price is met becomes the order that it was to be, under its id', async () => {
    const x = await open();
    await place(x, 'a', { type: 'STOP_LIMIT', stopPrice: '61000', price: '62000' });
    await x.trade('61500', '1');
    await x.trade('61500', '1');
    expect(sum(x.fills, 'a')).toBe('0.02');
    expect((await found(x, 'a')).state).toMatchObject({ status: 'FILLED', cumQty: '0.02' });
    expect(newest(x, 'a')?.status).toBe('FILLED');
  });

  it.each([
    ['off the tick', { price: '50000.001234567' }],
    ['off the step', { quantity: '0.0200000001' }],
    ['too little', { quantity: '0.00000001' }],
    ['more than the account has', { quantity: '900' }],
    ['a symbol that is not there', { symbol: 'NOSUCH' }],
  ])('refuses, and leaves nothing: %s', async (_, more) => {
    const x = await open();
    const outcome = await submit(x, 'a', more);
    expect(outcome).toMatchObject({ kind: 'rejected' });
    if (outcome.kind === 'rejected') expect(outcome.message).not.toBe('');
    expect(await openIds(x)).toEqual([]);
    expect(x.fills).toEqual([]);
  });

  it('one id is one order: sent again while it rests there is no second one', async () => {
    const x = await open();
    await place(x, 'a');
    // The second request is refused, or answered with the resting order, or taken for a copy of the first: no
    // second order results.
    await submit(x, 'a');
    expect(await openIds(x)).toEqual(['a']);
    await x.trade('50000', '1');
    expect(sum(x.fills, 'a')).toBe('0.02');
  });

  it.each(['request', 'answer'] as const)(
    'does not know when the %s of an order is lost, and can be asked',
    async (what) => {
      const x = await open();
      x.lose(what, 'order');
      expect(await submit(x, 'a')).toMatchObject({ kind: 'unknown' });
      const asked = await x.settle(x.venue.query(ref(x, 'a')));
      expect(asked.kind).toBe(what === 'request' ? 'absent' : 'found');
      expect(await openIds(x)).toEqual(what === 'request' ? [] : ['a']);
    },
  );
}

export function cancelsOrders(open: Opens): void {
  it('cancels what rests, tells it, and says that it is gone afterwards', async () => {
    const x = await open();
    await place(x, 'a');
    expect(await x.settle(x.venue.cancel(ref(x, 'a')))).toMatchObject({
      kind: 'done',
      state: { status: 'CANCELLED' },
    });
    expect(newest(x, 'a')?.status).toBe('CANCELLED');
    expect(await x.settle(x.venue.cancel(ref(x, 'a')))).toMatchObject({ kind: 'gone' });
    expect(await x.settle(x.venue.cancel(ref(x, 'nobody')))).toEqual({ kind: 'gone', state: null });
  });

  it('a fill that is faster wins, whatever the cancel says', async () => {
    const x = await open();
    await place(x, 'a');
    await x.trade('50000', '1');
    const outcome = await x.settle(x.venue.cancel(ref(x, 'a')));
    expect(outcome.kind).toBe('gone');
    if (outcome.kind === 'gone' && outcome.state)
      expect(outcome.state).toMatchObject({ status: 'FILLED', cumQty: '0.02' });
    expect(sum(x.fills, 'a')).toBe('0.02');
  });

  it('keeps the part that was executed, and tells both', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.04' });
    await x.trade('50000', '0.01');
    await x.trade('50000', '0.01');
    expect(newest(x, 'a')).toMatchObject({ status: 'WORKING', cumQty: '0.02' });
    await x.settle(x.venue.cancel(ref(x, 'a')));
    const { state, fills } = await found(x, 'a');
    expect(state).toMatchObject({ status: 'CANCELLED', origQty: '0.04', cumQty: '0.02' });
    expect([sum(x.fills, 'a'), sum(fills, 'a')]).toEqual(['0.02', '0.02']);
  });

  it.each(['request', 'answer'] as const)('does not know when the %s of a cancel is lost', async (what) => {
    const x = await open();
    await place(x, 'a');
    x.lose(what, 'cancel');
    expect(await x.settle(x.venue.cancel(ref(x, 'a')))).toMatchObject({ kind: 'unknown' });
    expect((await found(x, 'a')).state.status).toBe(what === 'request' ? 'WORKING' : 'CANCELLED');
    expect(await x.settle(x.venue.cancel(ref(x, 'a')))).toMatchObject({
      kind: what === 'request' ? 'done' : 'gone',
    });
  });
}

export function tellsOrders(open: Opens): void {
  it.each(['twice', 'swapped'] as const)('events that come %s tell the same in the end', async (how) => {
    const x = await open();
    x.events(how);
    await place(x, 'a', { quantity: '0.03' });
    for (let n = 0; n < 3; n++) await x.trade('50000', '0.01');
    await place(x, 'b');
    await x.settle(x.venue.cancel(ref(x, 'b')));
    expect(sum(x.fills, 'a')).toBe('0.03');
    expect(newest(x, 'a')).toMatchObject({ status: 'FILLED', cumQty: '0.03' });
    expect(newest(x, 'b')?.status).toBe('CANCELLED');
    // Repeated reports of one trade are equal.
    for (const fill of x.fills)
      for (const other of x.fills) if (fill.tradeId === other.tradeId) expect(other).toEqual(fill);
  });

  it('says that a line has broken, and tells what was missed to whoever asks from where it was', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.03' });
    await x.trade('50000', '0.01');
    const { next } = await executions(x, null);
    const told = x.stream.length;
    await x.broken(() => x.trade('50000', '0.01'));
    expect(x.stream.slice(told)).toContain('down');
    expect(x.stream.at(-1)).not.toBe('down');
    expect((await found(x, 'a')).state).toMatchObject({ status: 'WORKING', cumQty: '0.02' });
    expect((await executions(x, next)).fills.map(({ qty }) => qty)).toEqual(['0.01']);
    await x.trade('50000', '0.01');
    expect(newest(x, 'a')).toMatchObject({ status: 'FILLED', cumQty: '0.03' });
  });

  it('another process finds the same orders under the same ids, and every execution by its number', async () => {
    const x = await open();
    await place(x, 'a', { quantity: '0.03' });
    await place(x, 'stop', { type: 'STOP_LIMIT', stopPrice: '65000', price: '66000' });
    await x.trade('50000', '0.01');
    const y = await x.again();
    expect(await openIds(y)).toEqual(['a', 'stop']);
    const { state, fills } = await found(y, 'a');
    expect(state).toMatchObject({ status: 'WORKING', cumQty: '0.01' });
    expect(fills.map(({ tradeId }) => tradeId)).toEqual(x.fills.map(({ tradeId }) => tradeId));
    expect(await y.settle(y.venue.cancel(ref(y, 'stop')))).toMatchObject({ kind: 'done' });
    await y.trade('50000', '0.02');
    expect(newest(y, 'a')).toMatchObject({ status: 'FILLED', cumQty: '0.03' });
  });

  it('tells of the orders of others under their own names, and never as one of ours', async () => {
    const x = await open();
    await place(x, 'a');
    const number = await x.stranger();
    const told = x.orders.findLast(({ venueIds = [] }) => venueIds.includes(number));
    expect(told).toMatchObject({
      status: 'WORKING',
      origQty: '0.02',
      terms: { side: 'BUY', price: '49000' },
    });
    expect(told?.clientId).not.toBe('a');
    const listed = await x.settle(x.venue.openOrders());
    expect(listed?.some(({ venueIds = [] }) => venueIds.includes(number))).toBe(true);
    await x.trade('48990', '1');
    expect(x.fills.filter(({ venueId }) => venueId === number).map(({ qty }) => qty)).toEqual(['0.02']);
    const y = await x.again();
    const asked = await y.settle(y.venue.query({ clientId: '', symbol: y.symbol, venueIds: [number] }));
    expect(asked).toMatchObject({ kind: 'found', state: { status: 'FILLED', cumQty: '0.02' } });
  });

  it('tells of an order of ours that somebody else has ended', async () => {
    const x = await open();
    await place(x, 'a');
    await x.endedElsewhere('a');
    expect(newest(x, 'a')?.status).toBe('CANCELLED');
    expect(await openIds(x)).toEqual([]);
  });
}
