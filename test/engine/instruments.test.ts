/**
 * An exchange's instruments change while the desk runs (exchanges.md 4): reported once, and no open order is
 * affected.
 */
import { describe, expect, it } from 'vitest';
import { dec, str } from '../../src/domain/decimal.ts';
import { type Instrument, spotAssetOf } from '../../src/domain/instrument.ts';
import { usdPrice, valuation } from '../../src/engine/balances.ts';
import { orderPreview } from '../../src/engine/order-preview.ts';
import type { Effect } from '../../src/engine/step.ts';
import { formsOf } from '../support/forms.ts';
import { Bench } from './support/bench.ts';
import { BTC, ETH, FUTURES, FUTURES_BTC, SPOT, START } from './support/market.ts';

const NEW: Instrument = { ...BTC, symbol: 'NEWUSDT', base: 'NEW' };
const GONE = 'symbol "BTCUSDT" is no longer traded on paper-spot';
const STOP = { type: 'STOP_MARKET', side: 'SELL', quantity: '0.15', stopPrice: '55000' } as const;
const FEES = { maker: '0', taker: '0' };

function told(b: Bench, ...instruments: readonly Instrument[]): string[] {
  return logOf(b.event({ type: 'instruments', exchange: b.exchange, instruments }));
}

function logOf(effects: readonly Effect[]): string[] {
  return effects.flatMap((effect) => (effect.kind === 'log' ? [`${effect.level}: ${effect.text}`] : []));
}

const sent = (b: Bench) => b.kinds('submit').map((effect) => effect.kind === 'submit' && effect.order);

describe('a change is said', () => {
  it('once, in plain words', () => {
    const b = new Bench();
    const changed = { ...BTC, tickSize: '0.1', minNotional: '10' };
    const now = [changed, NEW];
    expect(told(b, ...now)).toEqual([
      'info: paper-spot: ETHUSDT is no longer traded',
      'info: paper-spot: BTCUSDT has a new tick size 0.1 (was 0.01), a new least order value 10 (was 5)',
      'info: paper-spot: NEWUSDT is traded now',
    ]);
    expect(told(b, ...now)).toEqual([]);
    expect(b.effects).toEqual([]);
    expect(told(b, changed, NEW, { ...ETH, maxOrders: 7 })).toEqual([
      'info: paper-spot: ETHUSDT is traded now',
    ]);
    expect(told(b, { ...changed, maxOrders: 7, tickSize: '0.10' }, NEW, { ...ETH, maxOrders: 7 })).toEqual([
      'info: paper-spot: BTCUSDT has other limits',
    ]);
  });

  it('of a few symbols, those first of which something is open, and of the others their number', () => {
    const many = Array.from({ length: 9 }, (_, i) => ({ ...BTC, symbol: `S${i}USDT`, base: `S${i}` }));
    const b = new Bench({ instruments: [...many, BTC] });
    b.resting();
    expect(told(b, ETH)).toEqual([
      'warn: paper-spot: BTCUSDT is no longer traded',
      ...[0, 1, 2, 3].map((i) => `info: paper-spot: S${i}USDT is no longer traded`),
      'info: paper-spot: 6 more symbols have changed',
    ]);
  });

  it('not of what was unknown before, and an empty list says nothing', () => {
    const b = new Bench({ instruments: [] });
    expect(told(b, BTC, ETH)).toEqual([]);
    expect(b.kinds('instruments')).toHaveLength(1);
    expect(told(b)).toEqual([]);
    expect(b.effects).toEqual([]);
  });

  it('of an account that is opened again, too', () => {
    const b = new Bench();
    const effects = b.event({ type: 'account', exchange: SPOT, away: null, instruments: [ETH] });
    expect(logOf(effects)).toEqual(['info: paper-spot: BTCUSDT is no longer traded']);
  });
});

it('what is not traded any more is forgotten where there are very many, never what is open', () => {
  const many = Array.from({ length: 2_000 }, (_, i) => ({ ...BTC, symbol: `S${i}USDT` }));
  const b = new Bench({ instruments: [BTC, ...many] });
  const order = b.resting();
  told(b, ...many.slice(1_000));
  told(b, ETH);
  const known = [...b.engine.memory.account(SPOT).instruments.keys()];
  expect(known).toHaveLength(1_002);
  expect(known.slice(0, 3)).toEqual(['ETHUSDT', 'BTCUSDT', 'S1000USDT']);
  b.fill(b.trade(order, '1'));
  expect(b.order(order.id).status).toBe('CLOSED');
});

describe('a symbol that is no longer traded', () => {
  it('takes no new order, in a sentence that says so', () => {
    const b = new Bench();
    told(b, ETH);
    for (const request of [
      { price: '50000', quantity: '1' },
      { type: 'MARKET', side: 'SELL', quantity: '1' },
      STOP,
    ] as const) {
      const { reply } = b.place(request);
      expect(reply()).toMatchObject({ status: 400, message: GONE, reason: 'SYMBOL' });
    }
    const figures = orderPreview(b.engine.memory, { exchange: SPOT, symbol: 'BTCUSDT' }, START, FEES);
    expect(figures.problems).toEqual([{ field: 'symbol', message: GONE }]);
    expect(b.place({ symbol: 'XUSDT' }).reply().message).toContain('for example ETHUSDT');
    told(b, ETH, BTC);
    b.resting();
    expect(b.kinds('submit')).toHaveLength(0);
  });

  it('leaves what is open alone: fills, states, cancels and questions go on', () => {
    const b = new Bench();
    const [filled, cancelled, lost] = [
      b.resting(),
      b.resting(),
      b.place({ price: '20000', quantity: '1' }).order,
    ];
    b.lost(lost);
    told(b, ETH);
    for (const id of [filled.id, cancelled.id]) expect(b.order(id)).toMatchObject({ status: 'OPENED' });
    b.fill(b.trade(filled, '0.4'));
    b.fill(b.trade(filled, '0.6'));
    expect(b.order(filled.id).status).toBe('CLOSED');
    b.cancel(cancelled.id);
    expect(b.kinds('cancel')).toHaveLength(1);
    b.cancelDone(cancelled);
    expect(b.order(cancelled.id).status).toBe('CANCELLED');
    b.passToWake();
    b.wake();
    b.queried(lost, { kind: 'found', state: b.state(lost), fills: [] });
    expect(b.order(lost.id).status).toBe('OPENED');
    b.restart();
    expect(b.order(lost.id).status).toBe('OPENED');
  });

  it('still fires what is held: the exchange decides', () => {
    const b = new Bench();
    const { order } = b.place(STOP);
    told(b, ETH);
    b.tick('54000');
    expect(sent(b)).toMatchObject([{ clientId: order.id, type: 'MARKET', quantity: '0.15' }]);
    const refused = { kind: 'rejected', reason: 'SYMBOL_UNKNOWN', code: '-1121', message: 'no' } as const;
    b.submitted(order, refused);
    expect(b.order(order.id)).toMatchObject({ status: 'ERROR', rejectCode: 'SYMBOL_UNKNOWN' });
  });

  it('goes on with a split that has begun, and begins none', () => {
    const b = new Bench();
    const order = b.resting();
    b.split(order.id, ['49000', '48000']);
    const other = b.resting();
    told(b, ETH);
    b.cancelDone(order);
    expect(sent(b)).toMatchObject([
      { quantity: '0.5', price: '49000' },
      { quantity: '0.5', price: '48000' },
    ]);
    const { reply } = b.split(other.id, ['49000', '48000']);
    expect(reply()).toMatchObject({ status: 400, message: GONE });
    expect(b.order(other.id).status).toBe('OPENED');
  });

  it('keeps the brackets and the quote asset of a position in it', () => {
    const b = new Bench({ futures: true });
    const brackets = new Map([
      [
        'BTCUSDT',
        [
          {
            initialLeverage: 20,
            notionalFloor: '0',
            notionalCap: '50000',
            maintenanceMarginRate: '0.01',
            cumulative: '0',
          },
        ],
      ],
    ]);
    const account = b.engine.memory.account(FUTURES);
    b.event({
      type: 'instruments',
      exchange: FUTURES,
      instruments: [{ ...FUTURES_BTC, tickSize: '0.1' }],
      brackets,
    });
    expect(account.futures?.tiers.has('BTCUSDT')).toBe(true);
    told(b, { ...FUTURES_BTC, symbol: 'ETHUSDC', quote: 'USDC' });
    expect(account.futures?.tiers.has('BTCUSDT')).toBe(true);
    expect([...(account.futures?.marginAssets ?? [])].sort()).toEqual(['USDC', 'USDT']);
    expect(account.instruments.get('BTCUSDT')).toMatchObject({ delisted: true, tickSize: '0.1' });
  });
});

describe('new steps', () => {
  const COARSE = { ...BTC, tickSize: '0.1', stepSize: '0.1', minQty: '0.1' };

  it('leave what rests alone and hold for what is new', () => {
    const b = new Bench();
    const order = b.resting({ price: '50000.05' });
    told(b, COARSE, ETH);
    expect(b.effects.filter(({ kind }) => kind !== 'log' && kind !== 'instruments')).toEqual([]);
    expect(b.order(order.id)).toMatchObject({ status: 'OPENED', price: '50000.05' });
    expect(b.place({ price: '50000.05', quantity: '1' }).reply()).toMatchObject({
      status: 400,
      reason: 'PRICE_TICK',
    });
    expect(b.split(order.id, ['49000.05', '48000']).reply().message).toContain('the tick size 0.1');
    told(b, BTC, ETH);
    expect(b.place({ price: '50000.05', quantity: '0.25' }).order.price).toBe('50000.05');
  });

  it('hold for an order that was held before, when it fires', () => {
    const b = new Bench();
    const market = b.place(STOP).order;
    const limit = b.place({
      type: 'TAKE_PROFIT_LIMIT',
      side: 'SELL',
      quantity: '0.3',
      price: '64000.05',
      stopPrice: '65000',
    });
    b.accepted(limit.order);
    const dated = b.place({ ...STOP, side: 'BUY', stopPrice: '65000.01', quantity: '0.25' }).order;
    told(b, COARSE, ETH);
    b.tick('54000');
    expect(sent(b)).toMatchObject([{ clientId: market.id, quantity: '0.1' }]);
    expect(logOf(b.effects)).toEqual([`warn: ${market.id}: 0.1 of 0.15: the step size is 0.1 now`]);
    b.tick('65100');
    expect(sent(b)).toMatchObject([{ clientId: dated.id, quantity: '0.2' }]);
  });

  it('leave the price of a held limit order as it was asked for: the exchange decides', () => {
    const b = new Bench({ caps: { forms: formsOf({ native: ['LIMIT', 'MARKET'] }) } });
    b.place({ type: 'STOP_LIMIT', side: 'SELL', quantity: '0.3', price: '60000.05', stopPrice: '55000' });
    told(b, COARSE, ETH);
    b.tick('54000');
    expect(sent(b)).toMatchObject([{ price: '60000.05', quantity: '0.3' }]);
  });
});

describe('a contract of several units of an asset', () => {
  const SHIB: Instrument = { ...FUTURES_BTC, symbol: '1000SHIBUSDT', base: '1000SHIB', multiplier: '1000' };

  it.each([
    ['1000SHIB', '1000', 'SHIB'],
    ['SHIB1000', '1000', 'SHIB'],
    ['1MBABYDOGE', '1000000', 'BABYDOGE'],
    ['SHIB', '1000', 'SHIB'],
    ['1000', '1000', '1000'],
    ['BTC', undefined, 'BTC'],
  ])('%s times %s is of %s', (base, multiplier, asset) => {
    expect(spotAssetOf({ base, ...(multiplier === undefined ? {} : { multiplier }) })).toBe(asset);
  });

  it('values one unit of it, where nothing prices that by itself', () => {
    const b = new Bench({ futures: true, instruments: [FUTURES_BTC, SHIB] });
    const account = b.engine.memory.account(FUTURES);
    expect(usdPrice(account.market, 'SHIB')).toBeNull();
    b.tick('0.02', '1000SHIBUSDT');
    expect(str(usdPrice(account.market, 'SHIB') ?? 0n)).toBe('0.00002');
    account.wallet.balances.clear();
    account.wallet.balances.set('SHIB', { free: dec('1000000'), locked: 0n });
    expect(str(valuation([account]).usd)).toBe('20');
    b.tick('0.00003', 'SHIBUSDT');
    expect(str(usdPrice(account.market, 'SHIB') ?? 0n)).toBe('0.00003');
  });

  it('becomes one when its exchange says so', () => {
    const b = new Bench({ futures: true, instruments: [FUTURES_BTC] });
    told(b, FUTURES_BTC, SHIB);
    b.tick('0.02', '1000SHIBUSDT');
    expect(usdPrice(b.engine.memory.account(FUTURES).market, 'SHIB')).not.toBeNull();
    expect(told(b, FUTURES_BTC, { ...SHIB, multiplier: '100' })).toEqual([
      'info: paper-futures: 1000SHIBUSDT has a new multiplier 100 (was 1000)',
    ]);
  });
});
