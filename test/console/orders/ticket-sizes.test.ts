/**
 * Sizes and prices that a ticket computes: from what its own account holds of its own symbol, and from the
 * fields that its order has, whatever was typed into others before.
 */
import { describe, expect, it } from 'vitest';
import { emptyDraft, type TicketDraft } from '../../../src/console/orders/ticket/ticket-draft.ts';
import { typedTicket } from '../../../src/console/orders/ticket/typed.ts';
import type { TicketCheck } from '../../../src/desk/console/protocol.ts';
import { account, deskState, somePortfolios } from '../support/some-desk.ts';
import { position } from '../support/some-futures.ts';

/** Two accounts of contracts; the first holds 1 BTC and 30 ETH, the second -4 BTC and 8 ETH. */
function state() {
  const usual = deskState();
  const real = account('acme-main', { kind: 'futures', market: 'acme-futures' });
  const contracts = usual.instruments.filter(({ exchange }) => exchange === 'paper-futures');
  const held = (exchange: string, btc: string, eth: string) => ({
    hedgeMode: false,
    leverage: {},
    positions: [
      position('BTCUSDT', { exchange, amount: btc, key: `${exchange} BTCUSDT` }),
      position('ETHUSDT', { exchange, amount: eth, key: `${exchange} ETHUSDT` }),
    ],
  });
  return deskState({
    accounts: [...usual.accounts, real],
    instruments: [...usual.instruments, ...contracts.map((one) => ({ ...one, exchange: 'acme-main' }))],
    futures: { 'paper-futures': held('paper-futures', '1', '30'), 'acme-main': held('acme-main', '-4', '8') },
  });
}

it.each([
  ['paper-futures', 'BTCUSDT', 'SELL', '0.5'],
  ['paper-futures', 'ETHUSDT', 'SELL', '15'],
  ['acme-main', 'BTCUSDT', 'BUY', '2'],
  ['acme-main', 'ETHUSDT', 'SELL', '4'],
])('half of what is closed on %s in %s by a %s is %s', (exchange, symbol, side, quantity) => {
  const draft = {
    ...emptyDraft(exchange, symbol),
    side,
    type: 'MARKET',
    reduceOnly: 'yes',
    quantity: '50%',
  };
  expect(typedTicket(state(), draft, null, '1').draft.quantity).toBe(quantity);
});

/** A ticket of BTCUSDT, whose last price is 61,234.10, on its tick of 0.01. */
function typed(change: Partial<TicketDraft>, check: Partial<TicketCheck> | null = null, of = state()) {
  const draft = { ...emptyDraft('paper-spot', 'BTCUSDT'), ...change };
  return typedTicket(of, draft, check as TicketCheck | null, '1');
}

describe('a price that is computed', () => {
  const prices = (side: 'BUY' | 'SELL') => {
    const { draft } = typed({
      side,
      type: 'STOP_LIMIT',
      price: '-1%',
      stopPrice: '-1%',
      takeProfit: '-1%',
      stopLoss: '-1%',
    });
    return [draft.price, draft.stopPrice, draft.takeProfit, draft.stopLoss];
  };

  it('is never worse than meant for its order; trigger and exits are rounded the other way', () => {
    // 1 % under 61,234.10 is 60,621.759.
    expect(prices('BUY')).toEqual(['60621.75', '60621.76', '60621.76', '60621.76']);
    expect(prices('SELL')).toEqual(['60621.76', '60621.75', '60621.75', '60621.75']);
  });

  it('goes by the mark price of the check, which is newer than that of the position', () => {
    const on = { exchange: 'paper-futures', price: 'mark' };
    expect(typed(on).draft.price).toBe('61234.1');
    expect(typed(on, { mark: '61000.5' }).draft.price).toBe('61000.5');
  });

  it('that cannot be is said of the first such field alone', () => {
    const { problem } = typed({ price: 'bid', takeProfit: 'x', stopLoss: 'y' });
    expect(problem?.field).toBe('price');
    expect(typed({ price: '1', takeProfit: 'x', stopLoss: 'y' }).problem?.field).toBe('takeProfit');
  });
});

describe('a share of what is free', () => {
  const of = () => ({ ...state(), portfolios: somePortfolios() });
  const half = (side: 'BUY' | 'SELL', check: Partial<TicketCheck> | null) =>
    typed({ side, type: 'MARKET', quantity: '50%' }, check, of()).draft.quantity;

  it('is one of what the check says is available, where it speaks of the same asset', () => {
    expect(half('SELL', null)).toBe('0.31172');
    expect(half('SELL', { available: '0.5', availableAsset: 'BTC' })).toBe('0.25');
    // The check of the order before: a buy, which is paid in another asset.
    expect(half('SELL', { available: '1000', availableAsset: 'USDT' })).toBe('0.31172');
    expect(half('SELL', { available: null, availableAsset: 'BTC' })).toBe('0.31172');
    expect(half('BUY', { available: '61234.1', availableAsset: 'USDT' })).toBe('0.5');
  });
});

describe('what was typed into a field that the order does not have', () => {
  it('is no price of its size: a market order costs the last price', () => {
    expect(typed({ type: 'MARKET', price: '30617.05', quantity: '6123.41usdt' }).draft.quantity).toBe('0.1');
    expect(typed({ type: 'LIMIT', price: '30617.05', quantity: '6123.41usdt' }).draft.quantity).toBe('0.2');
    expect(
      typed({ type: 'STOP_MARKET', stopPrice: '30617.05', quantity: '6123.41usdt' }).draft.quantity,
    ).toBe('0.2');
    expect(typed({ type: 'MARKET', stopPrice: '30617.05', quantity: '6123.41usdt' }).draft.quantity).toBe(
      '0.1',
    );
  });

  it('is no stop that a risk is measured to', () => {
    const risk = { type: 'LIMIT', price: '60000', quantity: '1r', stopPrice: '59000' };
    const { problem } = typed(risk, null, { ...state(), portfolios: somePortfolios() });
    expect(problem?.message).toBe('r is the risk down to a stop: give the stop first');
  });

  it('is no problem of the order', () => {
    expect(typed({ type: 'LIMIT', price: '60000', stopPrice: 'mark' }).problem).toBeNull();
    expect(
      typed({ type: 'MARKET', sizeIn: 'quote', quoteOrderQty: '100', quantity: '1r' }).problem,
    ).toBeNull();
    const close = { exchange: 'paper-futures', type: 'MARKET', closePosition: 'yes', quantity: '1r' };
    const { problem, draft } = typed({ ...close, takeProfit: 'x', stopLoss: '1' });
    expect([problem, draft.takeProfit, draft.stopLoss]).toEqual([null, '', '']);
  });

  it('is no side of a position where there is one a symbol', () => {
    const on = { exchange: 'paper-futures', side: 'SELL', type: 'MARKET', positionSide: 'LONG' };
    const meant = typed({ ...on, quantity: '50%' }, { available: '6123.41', availableAsset: 'USDT' });
    expect(meant.meanings.quantity).toContain('50% of 6,123.41 USDT');
  });
});
