/**
 * What a run on futures keeps of the margin asset as its entries fill, are sold and end, with each way to
 * allocate, long and short, beside another run (strategies.md 2, deposit).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { FUTURES } from '../../engine/support/market.ts';
import { cells } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const bot = (allocate: string, short: boolean, value = '200') =>
  cells(
    short
      ? [
          ['100', '110'],
          ['90', '120'],
        ]
      : [
          ['90', '110'],
          ['80', '120'],
        ],
    { short, deposit: { value, asset: 'USDT', leverage: 20, allocate } },
  );

function desk() {
  const b = new BotsBench({ maxLeverage: () => 125 }, { futures: true });
  b.restart();
  b.tick(`${105}`, 1);
  return {
    b,
    /** `shown, excess` of the margin asset. */
    kept: () => {
      const kept = b.bench.engine.memory.account(FUTURES).wallet.reserved.get('USDT');
      return kept === undefined ? null : `${str(kept.shown)}, ${str(kept.excess)}`;
    },
    open: (id: string, price: string): OrderRecord => {
      const orders = [...b.bench.engine.memory.orders.values()];
      const order = orders.find((one) => one.creatorId === id && one.price === price && one.phase === 'live');
      if (!order) throw new Error(`no order at ${price}`);
      return order;
    },
    fill: (order: OrderRecord, qty: string, comm = '0') => {
      b.bench.fill(b.bench.trade(order, qty, { comm, commAsset: 'USDT' }));
      b.obey();
    },
  };
}

describe('a run at 20x', () => {
  // Entries of 22.222 at 90 and 25 at 80, margins of 99.999 and 100; short 18.181 at 110 and 16.666 at 120,
  // margins of 99.9955 and 99.996. The upper one fills in two parts, then 10 of it are sold with a profit.
  it.each([
    ['reserve', false, ['200, 0.001', '200, 0.001', '199.999, 0', '200, 45.001']],
    ['auto', false, ['199.999, 0', '199.999, 0', '199.999, 0', '154.999, 0']],
    ['no_reserve', false, [null, null, null, null]],
    ['reserve', true, ['200, 0.0085', '200, 0.0085', '199.9915, 0', '200, 55.0085']],
    ['auto', true, ['199.9915, 0', '199.9915, 0', '199.9915, 0', '144.9915, 0']],
    ['no_reserve', true, [null, null, null, null]],
  ] as const)('keeps by %s, short %s', (allocate, short, expected) => {
    const d = desk();
    const { id, runId } = d.b.started('CHANNEL', bot(allocate, short));
    d.b.tick('105', 2);
    const seen = [d.kept()];
    const entry = d.open(id, short ? '110' : '90');
    d.fill(entry, '10');
    seen.push(d.kept());
    // A fee is paid beside the margin.
    d.fill(entry, short ? '8.181' : '12.222', '0.9');
    seen.push(d.kept());
    d.fill(d.open(id, short ? '100' : '110'), '10', '0.55');
    seen.push(d.kept());
    expect(seen).toEqual(expected);
    // Beside another one, and after its end.
    const other = d.b.started('CHANNEL', bot('reserve', short, '300'));
    d.b.tick('105', 3);
    d.b.send({ type: 'bot.stop', id, runId, way: { cleanup: 'cancelAllOrders' } });
    d.b.obey();
    expect(d.b.engine.book.runs.has(runId)).toBe(false);
    expect(d.kept()).toMatch(/^300, 0/);
    d.b.restart();
    expect(d.kept()).toMatch(/^300, 0/);
    d.b.send({ type: 'bot.stop', id: other.id, runId: other.runId, way: {} });
    d.b.obey();
    expect(d.kept()).toBeNull();
  });
});
