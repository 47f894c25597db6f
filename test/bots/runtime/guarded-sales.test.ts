/**
 * What a guard of an account makes of the sales of bots on futures: one that closes what its run holds is
 * never kept back, one of a twap that would open a position is.
 */
import { describe, expect, it } from 'vitest';
import { FUTURES, OPERATOR } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

function guarded() {
  const b = new BotsBench({ maxLeverage: () => 125 }, { futures: true });
  b.restart();
  b.bench.event({ type: 'venue.balances', exchange: FUTURES, changed: [], all: true });
  b.bench.event({ type: 'venue.positions', exchange: FUTURES, changed: [], all: true });
  b.bench.event({ type: 'compared', exchange: FUTURES });
  const limit = (maxOrderValue: string) =>
    b.bench
      .ask({ type: 'guards', exchange: FUTURES, change: { maxOrderValue } }, { actor: OPERATOR })
      .reply();
  const orders = (id: string) =>
    [...b.bench.engine.memory.orders.values()]
      .filter(({ creatorId }) => creatorId === id)
      .map(({ side, type, origQty, phase }) => `${side} ${type} ${origQty} ${phase}`);
  return { b, limit, orders };
}

describe('a sale on an account that takes no order of more than 50', () => {
  it('of a twap that would open a position is kept back', () => {
    const { b, limit, orders } = guarded();
    b.tick('100', 1);
    expect(limit('50').status).toBe(200);
    const twap = { symbol: 'BTCUSDT', algo: 'twap', side: 'SELL', quantity: '2', duration: 2, slices: 2 };
    const { id } = b.started('ALGO', twap);
    b.tick('100', 2);
    expect(orders(id)).toEqual([]);
    expect(b.notices.map(({ text }) => text).join()).toContain('waits');
  });

  it('of a cell that closes what it holds is sent', () => {
    const { b, limit, orders } = guarded();
    b.tick('100', 1);
    const deposit = { value: '90', asset: 'USDT' };
    const { id } = b.started('CHANNEL', cells([['90', '110']], { deposit }));
    b.tick('100', 2);
    const [entry] = [...b.bench.engine.memory.orders.values()];
    if (!entry) throw new Error('no entry');
    expect(limit('50').status).toBe(200);
    b.bench.fill(b.bench.trade(entry, '1', { commAsset: 'USDT' }));
    b.obey();
    expect(orders(id)).toContain('SELL LIMIT 1 live');
  });
});
