/**
 * The owner's equity and its value when the day began: the base of today's PnL, over days, restarts and
 * payments.
 */
import { describe, expect, it } from 'vitest';
import { dayCounter } from '../../../src/desk/market/market-day.ts';
import type { MarketHistory } from '../../../src/desk/market/market-history.ts';
import { type EquityDay, MarketView } from '../../../src/desk/market/market-view.ts';
import { dec } from '../../../src/domain/decimal.ts';
import type { ExchangeAccount } from '../../../src/domain/exchange.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { EngineMemory } from '../../../src/engine/memory.ts';
import { ACCOUNT, BTC, CAPS, FUTURES_ACCOUNT } from '../../engine/support/market.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const MIDNIGHT = Date.UTC(2026, 0, 5);
const NO_PAST: MarketHistory = { frameMs: () => MINUTE, has: () => true, candles: () => [] };
const OTHERS: ExchangeAccount = { id: 'ann-spot', name: 'Ann', kind: 'spot', user: 'ann' };

function world(accounts: readonly ExchangeAccount[] = [ACCOUNT]) {
  const { memory } = new Engine();
  for (const account of accounts) {
    memory.addAccount(account, CAPS, [BTC]);
    memory.account(account.id).unread.clear();
  }
  const hold = (id: string, asset: string, free: string, locked = '0') =>
    memory.account(id).wallet.balances.set(asset, { free: dec(free), locked: dec(locked) });
  const price = (value: string) => memory.market('paper').prices.set('BTCUSDT', dec(value));
  return { memory, hold, price };
}

const viewOf = (day: EquityDay | null = null, zone?: string) =>
  new MarketView(NO_PAST, day, dayCounter(zone));
const startOf = (view: MarketView, memory: EngineMemory) => view.equity(memory).dayStartUsd;

describe('the equity at the start of the day', () => {
  it('is that of the first moment seen of each day, and stays through the day', () => {
    const { memory, hold } = world();
    const view = viewOf();
    const sample = (usd: string, time: number) => {
      hold(ACCOUNT.id, 'USDT', usd);
      return view.sampleEquity(memory, time);
    };
    expect(startOf(view, memory)).toBeNull();
    expect(sample('100', MIDNIGHT + 5 * MINUTE)).toBe(true);
    expect(sample('150', MIDNIGHT + DAY - 1)).toBe(false);
    expect(startOf(view, memory)).toBe('100.00');
    expect(sample('160.005', MIDNIGHT + DAY)).toBe(true);
    expect(sample('170', MIDNIGHT + DAY + MINUTE)).toBe(false);
    expect(view.equityDay).toMatchObject({ day: dayCounter()(MIDNIGHT) + 1 });
    expect(Number(view.equityDay?.usd)).toBeCloseTo(160, 1);
    expect(sample('90', MIDNIGHT + 3 * DAY)).toBe(true);
    expect(startOf(view, memory)).toBe('90.00');
  });

  it('is taken up by a start on the same day, and taken anew by one on a later day', () => {
    const { memory, hold } = world();
    hold(ACCOUNT.id, 'USDT', '80');
    const stored = { day: dayCounter()(MIDNIGHT), usd: '100.00', wallets: { [ACCOUNT.id]: '100.00' } };
    const same = viewOf(stored);
    expect(startOf(same, memory)).toBe('100.00');
    expect(same.sampleEquity(memory, MIDNIGHT + DAY - 1)).toBe(false);
    expect(startOf(same, memory)).toBe('100.00');
    const later = viewOf(stored);
    expect(later.sampleEquity(memory, MIDNIGHT + DAY)).toBe(true);
    expect(later.equityDay).toEqual({
      day: stored.day + 1,
      usd: '80.00',
      wallets: { [ACCOUNT.id]: '80.00' },
    });
  });

  it('begins when the day does in the zone that is set', () => {
    const { memory, hold } = world();
    const view = viewOf(null, 'Europe/Berlin');
    hold(ACCOUNT.id, 'USDT', '100');
    view.sampleEquity(memory, MIDNIGHT - 61 * MINUTE);
    hold(ACCOUNT.id, 'USDT', '200');
    expect(view.sampleEquity(memory, MIDNIGHT - 60 * MINUTE)).toBe(true);
    expect(view.sampleEquity(memory, MIDNIGHT)).toBe(false);
    expect(startOf(view, memory)).toBe('200.00');
  });

  it('moves by what is paid in or out, of the day that has begun alone', () => {
    const { memory, hold } = world();
    const view = viewOf();
    view.pay(dec('5'), ACCOUNT.id);
    expect(view.equityDay).toBeNull();
    hold(ACCOUNT.id, 'USDT', '100');
    view.sampleEquity(memory, MIDNIGHT);
    view.pay(dec('25.5'), ACCOUNT.id);
    expect(view.equityDay).toMatchObject({ day: dayCounter()(MIDNIGHT), usd: '125.50' });
    view.pay(dec('-100.25'), ACCOUNT.id);
    expect(startOf(view, memory)).toBe('25.25');
    hold(ACCOUNT.id, 'USDT', '7');
    view.sampleEquity(memory, MIDNIGHT + DAY);
    expect(startOf(view, memory)).toBe('7.00');
  });

  it('takes an account that is connected for no profit, and one that is disconnected for no loss', () => {
    const { memory, hold, price } = world();
    const view = viewOf();
    const profit = () => Number(view.equity(memory).usd) - Number(startOf(view, memory));
    hold(ACCOUNT.id, 'USDT', '100');
    view.sampleEquity(memory, MIDNIGHT);
    hold(ACCOUNT.id, 'USDT', '110');
    memory.addAccount(FUTURES_ACCOUNT, CAPS, [BTC]);
    memory.account(FUTURES_ACCOUNT.id).unread.clear();
    hold(FUTURES_ACCOUNT.id, 'USDT', '300');
    hold(FUTURES_ACCOUNT.id, 'BTC', '1');
    expect(profit()).toBe(10);
    expect(view.sampleEquity(memory, MIDNIGHT + MINUTE)).toBe(false);
    price('1000');
    expect(profit()).toBe(10);
    expect(view.sampleEquity(memory, MIDNIGHT + 2 * MINUTE)).toBe(true);
    price('1500');
    expect(profit()).toBe(510);
    // A deposit made into it since is removed together with it.
    hold(FUTURES_ACCOUNT.id, 'USDT', '370');
    view.pay(dec('70'), FUTURES_ACCOUNT.id);
    expect(profit()).toBe(510);
    memory.accounts.delete(FUTURES_ACCOUNT.id);
    expect(profit()).toBe(10);
  });

  it('counts a wallet after a minute though an asset of it has no price, and what it wins from then on', () => {
    const { memory, hold } = world();
    const view = viewOf();
    hold(ACCOUNT.id, 'USDT', '100');
    hold(ACCOUNT.id, 'XYZ', '3');
    expect(view.sampleEquity(memory, MIDNIGHT)).toBe(true);
    expect(view.equityDay?.wallets).toEqual({});
    // A deposit made before the wallet counts is part of what it holds by then.
    hold(ACCOUNT.id, 'USDT', '150');
    view.pay(dec('50'), ACCOUNT.id);
    expect(startOf(view, memory)).toBe('150.00');
    expect(view.sampleEquity(memory, MIDNIGHT + MINUTE)).toBe(true);
    expect(view.equityDay?.wallets).toEqual({ [ACCOUNT.id]: '150.00' });
    hold(ACCOUNT.id, 'USDT', '155');
    expect(view.sampleEquity(memory, MIDNIGHT + 2 * MINUTE)).toBe(false);
    expect(startOf(view, memory)).toBe('150.00');
  });

  it('waits until every account of the owner was read: what is missing is no loss', () => {
    const { memory, hold } = world([ACCOUNT, FUTURES_ACCOUNT, OTHERS]);
    hold(ACCOUNT.id, 'USDT', '100');
    hold(FUTURES_ACCOUNT.id, 'USDT', '300');
    hold(OTHERS.id, 'USDT', '7000');
    const view = viewOf();
    memory.account(FUTURES_ACCOUNT.id).unread.add('balances');
    memory.account(OTHERS.id).unread.add('balances');
    expect(view.sampleEquity(memory, MIDNIGHT)).toBe(false);
    expect(startOf(view, memory)).toBeNull();
    // Within the same minute, as soon as possible; accounts of other users are neither waited for nor
    // counted.
    memory.account(FUTURES_ACCOUNT.id).unread.clear();
    expect(view.sampleEquity(memory, MIDNIGHT + 1)).toBe(true);
    expect(startOf(view, memory)).toBe('400.00');
  });
});

describe('of each wallet', () => {
  it('begin of the day and curve are its own, and add up to those of all', () => {
    const { memory, hold } = world([ACCOUNT, FUTURES_ACCOUNT, OTHERS]);
    const view = viewOf();
    hold(OTHERS.id, 'USDT', '7000');
    for (let n = 0; n < 70; n++) {
      hold(ACCOUNT.id, 'USDT', String(100 + n));
      hold(FUTURES_ACCOUNT.id, 'USDT', String(300 - n));
      view.sampleEquity(memory, MIDNIGHT + n * MINUTE);
    }
    const { [ACCOUNT.id]: spot, [FUTURES_ACCOUNT.id]: futures, ...others } = view.wallets;
    expect(others).toEqual({});
    expect(spot).toEqual({ dayStartUsd: '100.00', points: Array.from({ length: 59 }, (_, n) => 111 + n) });
    expect(futures).toEqual({
      dayStartUsd: '300.00',
      points: Array.from({ length: 59 }, (_, n) => 289 - n),
    });
    expect(startOf(view, memory)).toBe('400.00');
    view.pay(dec('25'), FUTURES_ACCOUNT.id);
    expect(view.wallets[FUTURES_ACCOUNT.id]?.dayStartUsd).toBe('325.00');
    expect(view.wallets[ACCOUNT.id]).toBe(spot);
  });

  it('are another object once a minute, and not at each price', () => {
    const { memory, hold } = world();
    const view = viewOf();
    hold(ACCOUNT.id, 'USDT', '100');
    view.sampleEquity(memory, MIDNIGHT);
    const { wallets } = view;
    view.sampleEquity(memory, MIDNIGHT + MINUTE - 1);
    expect(view.wallets).toBe(wallets);
    view.sampleEquity(memory, MIDNIGHT + MINUTE);
    expect(view.wallets).not.toBe(wallets);
  });

  it('without a counted begin of the day have none', () => {
    const { memory, hold } = world();
    const view = viewOf();
    hold(ACCOUNT.id, 'XYZ', '3');
    view.sampleEquity(memory, MIDNIGHT);
    expect(view.wallets[ACCOUNT.id]).toEqual({ dayStartUsd: null, points: [0] });
  });
});

it('a wallet that two accounts share is counted once, and stays while one of them does', () => {
  const shared = { wallet: 'uni' };
  const { memory, hold } = world([
    { ...ACCOUNT, ...shared },
    { ...FUTURES_ACCOUNT, ...shared },
  ]);
  const view = viewOf();
  hold(ACCOUNT.id, 'USDT', '100');
  view.sampleEquity(memory, MIDNIGHT);
  expect(view.equityDay).toMatchObject({ usd: '100.00', wallets: { uni: '100.00' } });
  hold(FUTURES_ACCOUNT.id, 'USDT', '130');
  view.pay(dec('20'), 'uni');
  expect([view.equity(memory).usd, startOf(view, memory)]).toEqual(['130.00', '120.00']);
  view.sampleEquity(memory, MIDNIGHT + MINUTE);
  expect(view.wallets).toEqual({ uni: { dayStartUsd: '120.00', points: [100, 130] } });
  memory.accounts.delete(FUTURES_ACCOUNT.id);
  expect([view.equity(memory).usd, startOf(view, memory)]).toEqual(['130.00', '120.00']);
});

it('of two wallets that come, one waits for a price and the other does not', () => {
  const { memory, hold } = world([ACCOUNT, FUTURES_ACCOUNT]);
  const view = viewOf();
  hold(ACCOUNT.id, 'USDT', '100');
  hold(FUTURES_ACCOUNT.id, 'USDT', '7');
  hold(ACCOUNT.id, 'XYZ', '3');
  view.sampleEquity(memory, MIDNIGHT);
  expect(view.equityDay).toMatchObject({ usd: '7.00', wallets: { [FUTURES_ACCOUNT.id]: '7.00' } });
  view.sampleEquity(memory, MIDNIGHT + MINUTE);
  expect(view.equityDay).toMatchObject({ usd: '107.00', wallets: { [ACCOUNT.id]: '100.00' } });
});

describe('the equity', () => {
  it('is what all the owner’s accounts hold at the prices of now, what is locked too, in dollars and in bitcoin', () => {
    const { memory, hold, price } = world([ACCOUNT, FUTURES_ACCOUNT, OTHERS]);
    price('50000');
    hold(ACCOUNT.id, 'BTC', '1', '0.5');
    hold(ACCOUNT.id, 'USDT', '10000', '5000');
    hold(FUTURES_ACCOUNT.id, 'USDT', '9999.999', '0.01');
    hold(OTHERS.id, 'USDT', '7000');
    const view = viewOf();
    expect(view.equity(memory)).toMatchObject({ usd: '100000.01', btc: '2.00000018', partial: false });
    hold(ACCOUNT.id, 'XYZ', '3');
    expect(view.equity(memory)).toMatchObject({ usd: '100000.01', partial: true });
    hold(ACCOUNT.id, 'XYZ', '0');
    memory.account(OTHERS.id).unread.add('balances');
    expect(view.equity(memory).partial).toBe(false);
  });

  it('without a price of bitcoin is told in dollars alone', () => {
    const { memory, hold } = world();
    hold(ACCOUNT.id, 'USDT', '1.005');
    expect(viewOf().equity(memory)).toMatchObject({ btc: null, partial: false });
  });

  it('is drawn from one point a minute, 59 of them and the present one', () => {
    const { memory, hold } = world();
    const view = viewOf();
    const at = (n: number, usd: number) => {
      hold(ACCOUNT.id, 'USDT', String(usd));
      view.sampleEquity(memory, MIDNIGHT + n);
    };
    at(0, 1);
    at(MINUTE - 1, 50);
    at(MINUTE, 2);
    expect(view.equity(memory).spark).toEqual([1, 2, 2]);
    for (let n = 2; n < 100; n++) at(n * MINUTE, n + 1);
    hold(ACCOUNT.id, 'USDT', '7');
    expect(view.equity(memory).spark).toEqual([...Array.from({ length: 59 }, (_, n) => 42 + n), 7]);
  });
});
