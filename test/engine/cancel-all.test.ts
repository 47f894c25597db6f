/** Cancels by one request: when it includes no order that was not chosen, and what becomes of each order. */
import { describe, expect, it } from 'vitest';
import type { Actor } from '../../src/domain/actor.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { EngineExtension } from '../../src/engine/extension.ts';
import type { Effect } from '../../src/engine/step.ts';
import { Bench } from './support/bench.ts';
import { OPERATOR } from './support/market.ts';

/** The requests sent to the exchange, such as `all BTCUSDT: a b`, `one a`. */
function requests(bench: Bench, effects: readonly Effect[] = bench.effects): string[] {
  return effects.flatMap((effect) => {
    const name = (id: string) => bench.order(id).price ?? id;
    if (effect.kind === 'cancel') return [`one ${name(effect.orderId)}`];
    if (effect.kind !== 'cancel-all') return [];
    return [`all ${effect.symbol}: ${effect.orders.map(({ orderId }) => name(orderId)).join(' ')}`];
  });
}

function cancelTogether(bench: Bench, orders: readonly OrderRecord[], actor: Actor = OPERATOR) {
  const [first, ...rest] = orders.map(({ id }) => id);
  if (first === undefined) throw new Error('none');
  const { exchange } = bench;
  return bench.ask({ type: 'cancel', exchange, id: first, with: rest }, { actor });
}

const three = (bench: Bench) => ['50000', '49000', '48000'].map((price) => bench.resting({ price }));

describe('orders that are cancelled together', () => {
  it('are one request where they are all that is open of their symbol, and nothing is asked twice', () => {
    const bench = new Bench();
    const orders = three(bench);
    cancelTogether(bench, orders);
    expect(requests(bench)).toEqual(['all BTCUSDT: 49000 48000 50000']);
    for (const order of orders) expect(order.cancel).toMatchObject({ state: 'sent' });
    const waits = orders.slice(1).map(({ id }) => bench.cancel(id, { actor: OPERATOR }));
    expect(requests(bench)).toEqual([]);
    for (const order of orders) bench.cancelDone(order);
    for (const { reply } of waits) expect(reply().order.status).toBe('CANCELLED');
  });

  it('are one request for each symbol', () => {
    const bench = new Bench();
    const eth = ['2000', '1900'].map((price) => bench.resting({ symbol: 'ETHUSDT', price }));
    cancelTogether(bench, [...three(bench), ...eth]);
    expect(requests(bench)).toHaveLength(2);
  });

  it('are single requests where one that stays is open: kept, of others, on its way, alive though ended', () => {
    const stays: ((bench: Bench) => void)[] = [
      (bench) => bench.resting({ price: '47000' }),
      (bench) => bench.place({ price: '47000', quantity: '1' }),
      (bench) => bench.lost(bench.place({ price: '47000', quantity: '1' }).order),
      // Its cancel is wanted and waits for its turn.
      (bench) => bench.cancel(bench.place({ price: '47000', quantity: '1' }).order.id),
      (bench) => {
        const terms = { side: 'BUY', type: 'LIMIT', price: '46000', timeInForce: 'GTC' } as const;
        const rest = { reduceOnly: false, closePosition: false, positionSide: 'BOTH' } as const;
        const told = {
          clientId: 'web-1',
          symbol: 'BTCUSDT',
          status: 'WORKING',
          origQty: '1',
          cumQty: '0',
        } as const;
        const state = { ...told, seq: 1, time: bench.wall, venueIds: ['9'] };
        bench.stream({ ...state, terms: { ...terms, ...rest, workingType: 'CONTRACT_PRICE' } });
      },
      (bench) => {
        const order = bench.resting({ price: '47000' });
        bench.cancel(order.id);
        bench.cancelDone(order);
        bench.stream(bench.state(order));
      },
    ];
    for (const [n, stay] of stays.entries()) {
      const bench = new Bench();
      const orders = three(bench);
      stay(bench);
      cancelTogether(bench, orders);
      expect(requests(bench), `case ${n}`).toEqual(['one 49000', 'one 48000', 'one 50000']);
    }
  });

  it('are one request beside an order that is held here, which stays, and one whose cancel is under way', () => {
    const bench = new Bench();
    const orders = three(bench);
    const held = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '40000', quantity: '1' }).order;
    const leaving = bench.resting({ price: '47000' });
    bench.cancel(leaving.id);
    cancelTogether(bench, orders);
    expect(requests(bench)).toEqual(['all BTCUSDT: 49000 48000 50000']);
    expect(held.phase).toBe('held');
  });

  it('are single requests while it is not known what others have placed', () => {
    for (const link of [
      { up: true, gap: true },
      { up: false, gap: false },
    ]) {
      const bench = new Bench();
      const orders = three(bench);
      bench.event({ type: 'link', exchange: bench.exchange, ...link });
      cancelTogether(bench, orders);
      expect(requests(bench)).toHaveLength(3);
    }
  });

  it('are single requests where one of them is of a run that goes on, which may place anew', () => {
    const bench = new Bench();
    const orders = three(bench);
    const claim = (order: OrderRecord) => (order === orders[1] ? 'of a run' : null);
    const nothing = { before: () => {}, after: () => false, moved: () => [], stored: () => {} };
    bench.engine.extension = { ...nothing, claim } as unknown as EngineExtension;
    cancelTogether(bench, orders);
    expect(requests(bench)).toHaveLength(3);
  });

  it('are a single request where it is one', () => {
    const bench = new Bench();
    cancelTogether(bench, [bench.resting()]);
    expect(requests(bench)).toEqual(['one 50000']);
  });

  it('are those of the one who asks', () => {
    const bench = new Bench();
    const [mine, ...rest] = three(bench);
    if (!mine) throw new Error('none');
    const stranger: Actor = { kind: 'operator', user: 'somebody' };
    cancelTogether(bench, [mine, ...rest], stranger);
    expect(requests(bench)).toEqual([]);
    for (const order of [mine, ...rest]) expect(order.cancel).toBeUndefined();
  });
});

it('orders of an account that is configured no more are not cancelled, by themselves or with others', () => {
  const bench = new Bench();
  const [a, b] = [bench.resting(), bench.resting({ price: '49000' })];
  const held = bench.place({ type: 'STOP_MARKET', side: 'SELL', stopPrice: '55000', quantity: '1' }).order;
  const account = bench.engine.memory.account(bench.exchange);
  Object.assign(account, { absent: true, away: 'it is not configured any more' });
  const { reply } = cancelTogether(bench, [a, b]);
  expect(reply()).toMatchObject({ status: 503, message: expect.stringContaining('not configured any more') });
  expect([requests(bench), a.cancel, b.cancel]).toEqual([[], undefined, undefined]);
  expect(bench.cancel(held.id).reply().order.status).toBe('CANCELLED');
});

describe('one request for several', () => {
  it('asks for what it leaves open, and asks for the rest one by one', () => {
    const bench = new Bench();
    const [a, b] = three(bench) as [OrderRecord, OrderRecord, OrderRecord];
    cancelTogether(bench, [...bench.engine.memory.orders.values()]);
    bench.cancelDone(a);
    bench.cancelled(b, { kind: 'unknown', cause: 'the answer does not name this one' });
    bench.passToWake();
    const asked = bench.wake().filter(({ kind }) => kind === 'query');
    expect(asked).toMatchObject([{ orderId: b.id }]);
    bench.queried(b, { kind: 'found', state: bench.state(b), fills: [] });
    expect(requests(bench)).toEqual(['one 49000']);
  });

  it('is asked for again one by one after a restart that lost it', () => {
    const bench = new Bench();
    const orders = three(bench);
    cancelTogether(bench, orders);
    const asked = bench.restart().filter(({ kind }) => kind === 'query');
    expect(asked).toHaveLength(orders.length);
  });
});
