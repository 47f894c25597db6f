/**
 * The free balance of a futures account after a fill, before its exchange has reported the position and the
 * wallet.
 */
import { expect, it } from 'vitest';
import { str } from '../../src/domain/decimal.ts';
import { availability } from '../../src/engine/balances.ts';
import { balanceNow } from '../../src/engine/margins.ts';
import { Bench } from './support/bench.ts';
import { FUTURES } from './support/market.ts';

const POSITION = {
  symbol: 'BTCUSDT',
  side: 'BOTH',
  amount: '1',
  entryPrice: '60000',
  markPrice: '60000',
  leverage: 20,
  marginType: 'CROSSED',
  isolatedWallet: '0',
  unrealizedProfit: '0',
  realizedPnl: '0',
  liquidationPrice: null,
  breakEvenPrice: '60000',
  maintenanceMargin: '0',
  maintenanceMarginRate: '0.004',
} as const;

function figures(bench: Bench): { free: string; available: string } {
  const account = bench.engine.memory.account(FUTURES);
  return {
    free: str(balanceNow(account, 'USDT').free),
    available: str(availability(account, 'USDT').available),
  };
}

it('is less by margin and fee at once, whichever of fill, position and wallet is told first', () => {
  for (const first of ['fill', 'position', 'wallet'] as const) {
    const bench = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '10000', locked: '0' }] });
    bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
    const { order } = bench.place({ type: 'MARKET', quantity: '1' });
    expect(figures(bench)).toEqual({ free: '10000', available: '7000' });
    // Accepted, and neither filled nor resting: its reservation stays.
    bench.accepted(order);
    expect(figures(bench).available).toBe('7000');
    bench.pass(5);
    const position = { ...POSITION, updateTime: bench.wall };
    const balance = { asset: 'USDT', free: '6970', locked: '3000', time: bench.wall };
    const told = {
      fill: () => bench.fill(bench.trade(order, '1', { comm: '30', commAsset: 'USDT', rPnl: '0' })),
      position: () => bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [position] }),
      wallet: () => bench.event({ type: 'venue.balances', exchange: FUTURES, changed: [balance] }),
    };
    told[first]();
    if (first === 'fill') expect(figures(bench)).toEqual({ free: '6970', available: '6970' });
    else expect(Number(figures(bench).available)).toBeLessThanOrEqual(7000);
    for (const one of ['position', 'wallet', 'fill'] as const) if (one !== first) told[one]();
    const { untold, versions } = bench.engine.memory.account(FUTURES).wallet;
    // Position and wallet with the fill's own time came before it: they may include it or not, until the
    // account is asked.
    expect(untold.hasDoubt).toBe(first !== 'fill');
    if (untold.hasDoubt) {
      expect(Number(figures(bench).available)).toBeLessThanOrEqual(6970);
      const answer = { exchange: FUTURES, all: true, askedAt: versions.heard } as const;
      bench.event({ type: 'venue.balances', changed: [balance], ...answer });
      bench.event({ type: 'venue.positions', changed: [position], ...answer });
    }
    expect(untold.hasDoubt).toBe(false);
    expect(figures(bench)).toEqual({ free: '6970', available: '6970' });
  }
});

it('is all there again once an answer knows of no position, where a question of a start has told the fill that closed it', () => {
  const bench = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '10000', locked: '0' }] });
  const order = bench.resting({ side: 'SELL', price: '60000', quantity: '1' });
  // The order has closed a position at the exchange, without an event: the account is read as flat before
  // the order is queried.
  bench.pass(5);
  const fill = bench.trade(order, '1', { comm: '0', commAsset: 'USDT', rPnl: '0' });
  const state = bench.state(order, { status: 'FILLED', cumQty: '1' });
  bench.restart();
  bench.queried(order, { kind: 'found', state, fills: [fill] });
  const { untold, versions } = bench.engine.memory.account(FUTURES).wallet;
  expect(untold.hasDoubt).toBe(true);
  const answer = { exchange: FUTURES, all: true } as const;
  const balance = { asset: 'USDT', free: '10000', locked: '0', time: bench.wall };
  bench.event({ type: 'venue.balances', changed: [balance], ...answer, askedAt: versions.heard });
  bench.event({ type: 'venue.positions', changed: [], ...answer, askedAt: versions.heard });
  expect(untold.hasDoubt).toBe(false);
  expect(figures(bench)).toEqual({ free: '10000', available: '10000' });
});

it('is no more than there is where the position may know of a fill that a later one of the other side outweighs', () => {
  const bench = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '10000', locked: '0' }] });
  bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  const { order } = bench.place({ type: 'MARKET', quantity: '1' });
  bench.accepted(order);
  bench.pass(5);
  const position = { ...POSITION, updateTime: bench.wall };
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [position] });
  bench.fill(bench.trade(order, '1', { comm: '0', commAsset: 'USDT', rPnl: '0' }));
  bench.pass(5);
  const { order: sale } = bench.place({ type: 'MARKET', side: 'SELL', quantity: '1.8' });
  bench.accepted(sale);
  bench.fill(bench.trade(sale, '1.8', { comm: '0', commAsset: 'USDT', rPnl: '0' }));
  // It is short 0.8 now; were the first fill counted twice, it would be long 0.2.
  expect(figures(bench)).toEqual({ free: '7600', available: '7600' });
});

it('is set aside for all that an order opens, also where the position that it would close is gone by a fill', () => {
  const bench = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '100000', locked: '0' }] });
  bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  const short = { ...POSITION, amount: '-1', updateTime: bench.wall };
  bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [short] });
  bench.pass(5);
  const { order } = bench.place({ type: 'MARKET', quantity: '3' });
  bench.accepted(order);
  bench.pass(5);
  bench.fill(bench.trade(order, '3', { comm: '0', commAsset: 'USDT', rPnl: '0' }));
  // Long 2 by now, whatever was reported last: 6,000 of margin, and as much for an addition to it.
  expect(figures(bench)).toEqual({ free: '94000', available: '94000' });
  bench.place({ type: 'LIMIT', price: '60000', quantity: '2' });
  expect(figures(bench).available).toBe('88000');
});

it('is set aside for what an order would open if the position, as it was told, did not know of a sale yet', () => {
  const bench = new Bench({ futures: true, balances: [{ asset: 'USDT', free: '100000', locked: '0' }] });
  bench.event({ type: 'mark', market: 'paper', symbol: 'BTCUSDT', price: '60000' });
  const told = () => {
    const position = { ...POSITION, updateTime: bench.wall };
    bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [position] });
  };
  told();
  const { order: sale } = bench.place({ type: 'MARKET', side: 'SELL', quantity: '0.4' });
  bench.accepted(sale);
  bench.pass(5);
  // Reported again at the very time of the sale: 1 with it, or 1 before it.
  told();
  bench.fill(bench.trade(sale, '0.4', { comm: '0', commAsset: 'USDT', rPnl: '0' }));
  expect(bench.engine.memory.account(FUTURES).wallet.untold.hasDoubt).toBe(true);
  const { order } = bench.place({ type: 'LIMIT', side: 'SELL', price: '60000', quantity: '1' });
  expect(order.lock?.amount).toBe('1200');
});
