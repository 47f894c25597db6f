/** The same name on two exchanges, symbols or orders does not mean the same thing (S56). */
import { beforeEach, describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState } from '../../src/domain/exchange.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { EngineEvent } from '../../src/engine/step.ts';
import { Bench } from './support/bench.ts';
import { KEY_ACTOR, SPOT } from './support/market.ts';

const OTHER = 'bybit-spot';

let bench: Bench;

beforeEach(() => {
  bench = fresh();
});

function fresh(): Bench {
  return new Bench({ more: [{ id: OTHER, name: 'Other', kind: 'spot' }] });
}

/** A fill of an order that nobody here has placed. */
function foreignFill(clientId: string, tradeId: string, more: Partial<ExchangeFill> = {}): ExchangeFill {
  return {
    tradeId,
    clientId,
    symbol: 'BTCUSDT',
    side: 'BUY',
    price: '50000',
    qty: '0.4',
    comm: '0',
    commAsset: 'BTC',
    maker: true,
    rPnl: null,
    posSide: 'BOTH',
    time: bench.wall,
    ...more,
  };
}

function fills(exchange: string, fill: ExchangeFill): void {
  bench.event({ type: 'venue.fill', exchange, fill });
}

const orders = () => [...bench.engine.memory.orders.values()];

const executedOf = ({ id }: OrderRecord) =>
  str(bench.store.fillsOf(id).reduce((sum, { qty }) => sum + dec(qty), 0n));

describe('an order', () => {
  // proves: S56
  it('is not touched by anything that another exchange says, whatever the id', () => {
    const order = bench.resting();
    const state: ExchangeOrderState = bench.state(order, { status: 'CANCELLED', cumQty: '1' });
    const told: EngineEvent[] = [
      { type: 'venue.order', exchange: OTHER, state },
      { type: 'submitted', exchange: OTHER, orderId: order.id, outcome: { kind: 'accepted', state } },
      { type: 'cancelled', exchange: OTHER, orderId: order.id, outcome: { kind: 'done', state } },
      { type: 'queried', exchange: OTHER, orderId: order.id, outcome: { kind: 'found', state, fills: [] } },
      { type: 'venue.fill', exchange: OTHER, fill: bench.trade(order, '1') },
      { type: 'reconciled', exchange: OTHER, open: [state] },
    ];
    for (const event of told) bench.event(event);
    expect(order).toMatchObject({ exchange: SPOT, status: 'OPENED', executedQty: '0' });
    expect(bench.kinds('query')).toEqual([]);
  });

  // proves: S56
  it('of others whose id is taken on another exchange gets one of its own, which it keeps', () => {
    const order = bench.resting();
    fills(OTHER, foreignFill(order.id, 't1'));
    const foreign = orders().find(({ exchange }) => exchange === OTHER) as OrderRecord;
    expect(foreign.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(foreign.id).not.toBe(order.id);
    expect(foreign).toMatchObject({ external: true, executedQty: '0.4' });
    bench.restart();
    fills(OTHER, foreignFill(order.id, 't1'));
    fills(OTHER, foreignFill(order.id, 't2'));
    expect(orders()).toHaveLength(2);
    expect(bench.order(foreign.id).executedQty).toBe('0.8');
    expect(bench.order(order.id)).toMatchObject({ status: 'OPENED', executedQty: '0' });
    const { reply } = bench.ask({ type: 'cancel', exchange: OTHER, id: foreign.id }, { actor: KEY_ACTOR });
    expect(bench.kinds('cancel')).toMatchObject([{ orderId: foreign.id, clientId: order.id }]);
    const state = bench.state(foreign, { clientId: order.id, status: 'CANCELLED', cumQty: '0.8' });
    bench.cancelled(bench.order(foreign.id), { kind: 'done', state });
    expect(reply()).toMatchObject({ status: 200, order: { id: foreign.id, exchange: OTHER } });
  });

  it('of others whose id no path can carry gets one that can', () => {
    fills(OTHER, foreignFill('app.web/1:2', 't1'));
    fills(OTHER, foreignFill('app.web/1:2', 't2'));
    expect(orders()).toHaveLength(1);
    expect(orders()[0]?.id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('that its exchange calls otherwise is asked for, cancelled and compared under that name', () => {
    const order = bench.resting();
    fills(OTHER, foreignFill(order.id, 't1'));
    const foreign = orders().find(({ exchange }) => exchange === OTHER) as OrderRecord;
    expect(bench.engine.memory.atExchange(foreign)).toEqual({
      exchange: OTHER,
      orderId: foreign.id,
      clientId: order.id,
      symbol: 'BTCUSDT',
    });
    expect(bench.engine.memory.orderAt(OTHER, { clientId: foreign.id, symbol: 'BTCUSDT' })).toBeUndefined();
    bench.event({ type: 'reconciled', exchange: OTHER, open: [bench.state(order)] });
    expect(bench.kinds('log')).toEqual([]);
  });
});

describe('a trade id', () => {
  // proves: S56
  it('that two symbols have is of two fills', () => {
    fills(SPOT, foreignFill('a', '28457'));
    fills(SPOT, foreignFill('b', '28457', { symbol: 'ETHUSDT', qty: '0.3' }));
    expect(orders().map(executedOf)).toEqual(['0.4', '0.3']);
  });

  // proves: S56
  it('that both sides of a trade with oneself have is of two fills, also after a restart', () => {
    const buy = bench.resting({ quantity: '1' });
    const sell = bench.resting({ side: 'SELL', quantity: '1' });
    for (const order of [buy, sell]) bench.fill(bench.trade(order, '0.4', { tradeId: 'own' }));
    expect([buy, sell].map(executedOf)).toEqual(['0.4', '0.4']);
    bench.restart();
    for (const { id } of [buy, sell]) {
      const order = bench.order(id);
      expect(order.executedQty).toBe('0.4');
      bench.fill(bench.trade(order, '0.4', { tradeId: 'own' }));
      bench.fill(bench.trade(order, '0.1', { tradeId: `next of ${id}` }));
      expect(order.executedQty).toBe('0.5');
    }
  });
});
