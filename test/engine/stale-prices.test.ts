/** Prices that do not arrive (exchanges.md 2): who is told, and who may not enter at them. */
import { expect, it } from 'vitest';
import { Bench } from './support/bench.ts';
import { SPOT } from './support/market.ts';

const STOP = { type: 'STOP_MARKET', side: 'SELL', quantity: '0.1', stopPrice: '55000' } as const;

/** The notices about a symbol's stale price. */
const stale = (b: Bench, symbol: string, why: string | null): string[] =>
  b
    .event({ type: 'stale', market: 'paper', symbol, why })
    .flatMap((effect) => (effect.kind === 'log' ? [`${effect.level}: ${effect.text}`] : []));

it('of a symbol is said once of the orders that are held on it, again when it comes back', () => {
  const b = new Bench();
  expect(stale(b, 'BTCUSDT', 'silent')).toEqual([]);
  stale(b, 'BTCUSDT', null);
  b.place(STOP);
  expect(stale(b, 'ETHUSDT', 'silent')).toEqual([]);
  const one = 'error: no prices of BTCUSDT on paper: silent; an order that is held here waits for them';
  expect(stale(b, 'BTCUSDT', 'silent')).toEqual([one]);
  expect(stale(b, 'BTCUSDT', 'silent')).toEqual([]);
  expect(stale(b, 'BTCUSDT', null)).toEqual([]);
  b.place(STOP);
  const two = 'error: no prices of BTCUSDT on paper: away; 2 orders that are held here wait for them';
  expect(stale(b, '', 'away')).toEqual([two]);
});

it('of all symbols holds for each until all are back, and then only what was said of one of them', () => {
  const { market } = new Bench().engine.memory.account(SPOT);
  market.setStale('', 'away');
  market.setStale('BTCUSDT', 'silent');
  expect(['BTCUSDT', 'ETHUSDT'].map((symbol) => market.staleWhy(symbol))).toEqual(['silent', 'away']);
  market.setStale('', null);
  expect(['BTCUSDT', 'ETHUSDT'].map((symbol) => market.staleWhy(symbol))).toEqual(['silent', null]);
  market.setStale('BTCUSDT', null);
  expect(market.staleWhy('BTCUSDT')).toBeNull();
});

it('keeps nobody from placing by hand', () => {
  const b = new Bench();
  stale(b, '', 'away');
  b.place({ type: 'LIMIT', side: 'BUY', quantity: '1', price: '50000' });
  expect(b.kinds('submit')).toHaveLength(1);
});
