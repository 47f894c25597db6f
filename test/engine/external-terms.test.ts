/**
 * What is known of an order of others: each of its terms as its exchange tells them, through changes, ends and
 * restarts; and where such an order counts like one of the desk's own.
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import type { ExchangeFill, ExchangeOrderState, ExchangeOrderTerms } from '../../src/domain/exchange.ts';
import { availability } from '../../src/engine/balances.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { positionOf } from '../desk/core/link-rig.ts';
import { Bench } from './support/bench.ts';
import { ACCOUNT, BTC, ETH, FUTURES, OPERATOR, SPOT } from './support/market.ts';

const TERMS: ExchangeOrderTerms = {
  side: 'BUY',
  type: 'LIMIT',
  price: '50000',
  timeInForce: 'GTC',
  reduceOnly: false,
  closePosition: false,
  positionSide: 'BOTH',
  workingType: 'MARK_PRICE',
};

function state(seq: number, more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
  const figures = { status: 'WORKING', origQty: '1', cumQty: '0', time: 1, terms: TERMS } as const;
  return { clientId: 'web_1', symbol: 'BTCUSDT', seq, ...figures, ...more };
}

function fill(tradeId: string, more: Partial<ExchangeFill> = {}): ExchangeFill {
  const paid = { comm: '0', commAsset: 'USDT', maker: false, rPnl: '0' } as const;
  const what = { clientId: 'web_1', symbol: 'BTCUSDT', side: 'BUY', posSide: 'BOTH' } as const;
  return { tradeId, price: '50000', qty: '0.4', time: 1, ...what, ...paid, ...more };
}

describe('the terms of an order of others', () => {
  const { price: _, ...MARKET } = { ...TERMS, type: 'MARKET' as const };

  it.each<[string, ExchangeOrderTerms]>([
    ['a limit order', { ...TERMS, side: 'SELL', price: '61000.5', timeInForce: 'FOK' }],
    ['an iceberg', { ...TERMS, icebergQty: '0.25' }],
    ['a stop with a limit', { ...TERMS, type: 'STOP_LIMIT', stopPrice: '65000', price: '65500' }],
    ['a stop', { ...MARKET, side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', closePosition: true }],
    [
      'a take-profit of a side',
      {
        ...MARKET,
        side: 'SELL',
        type: 'TAKE_PROFIT_MARKET',
        stopPrice: '70000',
        positionSide: 'LONG',
        reduceOnly: true,
        workingType: 'CONTRACT_PRICE',
      },
    ],
  ])('of %s are its own, those and no others, over a restart as well', (_name, terms) => {
    const bench = new Bench({ futures: true });
    bench.stream(state(2, { status: 'PENDING', origQty: '0.7', terms }));
    const given = () => {
      const order = bench.order('web_1');
      const { side, type, price, stopPrice, icebergQty, timeInForce } = order;
      const { reduceOnly, closePosition, positionSide, workingType } = order;
      const all = { side, type, price, stopPrice, icebergQty, timeInForce };
      const flags = { reduceOnly, closePosition, positionSide, workingType };
      return JSON.parse(JSON.stringify({ ...all, ...flags }));
    };
    expect(given()).toEqual(terms);
    expect(bench.order('web_1')).toMatchObject({
      origQty: '0.7',
      status: 'NEW',
      isContract: true,
      creator: 'UI',
    });
    bench.restart();
    expect(given()).toEqual(terms);
  });

  it('follow what others make of them: price and size, each alone and both, and no older word', () => {
    const bench = new Bench();
    const at = () => [bench.order('web_1').price, bench.order('web_1').origQty];
    const tell = (seq: number, price: string, origQty: string) =>
      bench.stream(state(seq, { origQty, terms: { ...TERMS, price } }));
    tell(2, '50000', '1');
    tell(3, '51000', '1');
    expect(at()).toEqual(['51000', '1']);
    tell(4, '51000', '3');
    expect(at()).toEqual(['51000', '3']);
    tell(3, '48000', '7');
    expect(at()).toEqual(['51000', '3']);
    tell(6, '49000', '2');
    expect([at(), bench.kinds('order-event').length]).toEqual([['49000', '2'], 1]);
    tell(7, '49000', '2');
    expect(bench.kinds('order-event')).toEqual([]);
  });

  it('of one that is known by executions alone leave it as large as it has executed where they tell no size', () => {
    const bench = new Bench({ futures: true });
    bench.fill(fill('t1', { side: 'SELL' }));
    bench.fill(fill('t2', { side: 'SELL', qty: '0.2' }));
    expect(bench.order('web_1')).toMatchObject({ origQty: '0.6', executedQty: '0.6', status: 'OPENED' });
    const terms = { ...MARKET, side: 'SELL', closePosition: true } as const;
    const told = state(3, { origQty: '0', cumQty: '0.6', terms });
    bench.queried(bench.order('web_1'), { kind: 'found', state: told, fills: [] });
    expect(bench.order('web_1')).toMatchObject({ origQty: '0.6', closePosition: true, type: 'MARKET' });
    bench.stream(state(4, { status: 'FILLED', origQty: '0.6', cumQty: '0.6', terms }));
    expect(bench.order('web_1')).toMatchObject({ status: 'CLOSED', origQty: '0.6', executedQty: '0.6' });
  });
});

describe('an order of others counts', () => {
  it('among the open ones of its symbol and account, until it ends', () => {
    const bench = new Bench({ instruments: [{ ...BTC, maxOrders: 2 }, ETH] });
    const change = { maxOpenOrders: 2 };
    bench.stream(state(2));
    bench.stream(state(2, { clientId: 'web_2' }));
    const place = () => bench.place({ price: '50000', quantity: '1' });
    expect(place().reply().reason).toBe('MAX_ORDERS');
    bench.stream(state(3, { clientId: 'web_2', status: 'CANCELLED' }));
    bench.ask({ type: 'guards', exchange: SPOT, change }, { actor: OPERATOR });
    expect(bench.isAnswered(place().token)).toBe(false);
    expect(place().reply().reason).toBe('MAX_ORDERS');
  });

  it('among the open ones of a guard, and never among the entries of a minute', () => {
    const bench = new Bench();
    bench.stream(state(2));
    bench.fill(fill('t1', { clientId: 'web_9', qty: '0.1' }));
    const guard = (change: object) =>
      bench.ask({ type: 'guards', exchange: SPOT, change }, { actor: OPERATOR }).reply().status;
    const refusal = () => {
      const { token } = bench.place({ price: '50000', quantity: '1' });
      return bench.isAnswered(token) ? bench.reply(token).reason : 'sent';
    };
    expect(guard({ maxOrdersPerMinute: 1, maxOpenOrders: 2 })).toBe(200);
    expect(refusal()).toBe('GUARD_MAX_OPEN_ORDERS');
    expect(guard({ maxOpenOrders: 3 })).toBe(200);
    expect([refusal(), refusal()]).toEqual(['sent', 'GUARD_MAX_OPEN_ORDERS']);
    expect(guard({ maxOpenOrders: null })).toBe(200);
    expect(refusal()).toBe('GUARD_MAX_ORDERS_PER_MINUTE');
  });

  it('as what it still closes of a position, less what it has executed', () => {
    const bench = new Bench({ futures: true });
    const changed = [positionOf('BTCUSDT', '5', 1)];
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed, all: true });
    const terms = { ...TERMS, side: 'SELL', price: '61000' } as const;
    bench.stream(state(2, { origQty: '3', terms }));
    bench.event({ type: 'link', exchange: FUTURES, up: true, gap: true });
    const close = (quantity: string) => {
      const { token } = bench.place({ side: 'SELL', price: '60500', quantity });
      return bench.isAnswered(token) ? bench.reply(token).status : 'sent';
    };
    expect([close('2.001'), close('2')]).toEqual([503, 'sent']);
    bench.stream(state(3, { status: 'CANCELLED', origQty: '3', terms }));
    expect([close('3.001'), close('3')]).toEqual([503, 'sent']);
  });
});

describe('two orders of others', () => {
  it('of one name on two accounts are two, and each ends for itself', () => {
    const other = { ...ACCOUNT, id: 'paper-other' };
    const bench = new Bench({ more: [other] });
    for (const exchange of [SPOT, other.id])
      bench.event({
        type: 'venue.order',
        exchange,
        state: state(2, { origQty: exchange === SPOT ? '1' : '2' }),
      });
    const known = () =>
      [...bench.engine.memory.orders.values()].map(({ exchange, origQty, status }) => [
        exchange,
        origQty,
        status,
      ]);
    expect(known()).toEqual([
      [SPOT, '1', 'OPENED'],
      [other.id, '2', 'OPENED'],
    ]);
    bench.event({
      type: 'venue.order',
      exchange: other.id,
      state: state(3, { origQty: '2', status: 'CANCELLED' }),
    });
    expect(known().map(([, , status]) => status)).toEqual(['OPENED', 'CANCELLED']);
    bench.event({ type: 'venue.fill', exchange: SPOT, fill: fill('t1') });
    expect([...bench.engine.memory.orders.values()].map(({ executedQty }) => executedQty)).toEqual([
      '0.4',
      '0',
    ]);
  });

  it('lock what each of them locks, and give back each its own', () => {
    const bench = new Bench();
    bench.stream(state(2));
    bench.stream(
      state(2, { clientId: 'web_2', origQty: '2', terms: { ...TERMS, side: 'SELL', price: '61000' } }),
    );
    const changed = [
      { asset: 'USDT', free: '50000', locked: '50000', time: bench.wall },
      { asset: 'BTC', free: '8', locked: '2', time: bench.wall },
    ];
    bench.event({ type: 'venue.balances', exchange: SPOT, changed });
    const now = (asset: string) => {
      const { free, locked } = balanceNow(bench.engine.memory.account(SPOT), asset);
      return `${str(free)} ${str(locked)}`;
    };
    const time = bench.wall + 1;
    bench.fill(fill('t1', { clientId: 'web_2', side: 'SELL', price: '61000', qty: '0.5', time }));
    expect([now('USDT'), now('BTC')]).toEqual(['80500 50000', '8 1.5']);
    bench.stream(state(3, { clientId: 'web_2', origQty: '2', cumQty: '0.5', status: 'CANCELLED', time }));
    expect([now('USDT'), now('BTC')]).toEqual(['80500 50000', '9.5 0']);
    bench.stream(state(3, { status: 'CANCELLED', time }));
    expect([now('USDT'), now('BTC')]).toEqual(['130500 0', '9.5 0']);
    expect(str(availability(bench.engine.memory.account(SPOT), 'USDT').available)).toBe('130500');
  });
});

it('executions that a stop of ours and the order of its trigger have both told of are counted once, for ours', () => {
  const bench = new Bench({ futures: true, caps: { triggersMakeOrders: true } });
  const stop = { side: 'SELL', type: 'STOP_MARKET', stopPrice: '55000', quantity: '1' } as const;
  const { order } = bench.place(stop);
  bench.accepted(order, { status: 'PENDING', venueIds: ['algo-1'] });
  const { price: _, ...market } = { ...TERMS, side: 'SELL' as const, type: 'MARKET' as const };
  bench.stream(state(2, { clientId: 'x-1', venueIds: ['99'], terms: market }));
  const child = { clientId: 'x-1', venueId: '99', side: 'SELL' } as const;
  for (const tradeId of ['t1', 't2']) bench.fill(fill(tradeId, { ...child, qty: '0.2' }));
  expect(bench.order('x-1').executedQty).toBe('0.4');
  // An answer about the stop contains one of them, and one that is new.
  const told = ['t2', 't3'].map((tradeId) => fill(tradeId, { clientId: order.id, side: 'SELL', qty: '0.2' }));
  const asked = bench.state(order, { status: 'PENDING', venueIds: ['algo-1'] });
  bench.queried(order, { kind: 'found', state: asked, fills: told });
  const joined = bench.state(order, { status: 'WORKING', cumQty: '0.6', venueIds: ['algo-1', '99'] });
  bench.stream(joined);
  for (let times = 0; times < 2; times++) {
    const ours = bench.order(order.id);
    expect([ours.executedQty, ours.quoteQty, ours.status]).toEqual(['0.6', '30000', 'OPENED']);
    expect(bench.order('x-1')).toMatchObject({ executedQty: '0', status: 'CANCELLED' });
    bench.restart();
  }
  bench.fill(fill('t4', { ...child, qty: '0.4' }));
  expect(bench.order(order.id)).toMatchObject({ executedQty: '1', status: 'CLOSED' });
});
