/**
 * Fills on a futures symbol that two bots trade: each fill moves the position once, whoever it belongs to,
 * and what is missing in the end is taken from those who hold it (strategies.md, R13).
 */
import { describe, expect, it } from 'vitest';
import { str } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { ExchangePosition } from '../../../src/domain/position.ts';
import { FUTURES } from '../../engine/support/market.ts';
import { cells, stop } from '../rules/bots.ts';
import { BotsBench } from './support.ts';

const LEVEL = cells([['90', '110']], { deposit: { value: '90', asset: 'USDT' } });

/** The same, and an entry further down that stays open. */
const LEVELS = cells(
  [
    ['90', '110'],
    ['80', '120'],
  ],
  { deposit: { value: '180', asset: 'USDT' } },
);

/** Two bots, of which `holders` hold 1 BTC each, with their exits at the exchange; the account has been compared. */
function two(settings: object = LEVEL, holders = 2) {
  const b = new BotsBench({ maxLeverage: () => 125 }, { futures: true });
  b.restart();
  const compare = (amount: string) => {
    const exchange = FUTURES;
    const position: ExchangePosition = {
      symbol: 'BTCUSDT',
      side: 'BOTH',
      amount,
      entryPrice: '90',
      breakEvenPrice: '90',
      markPrice: '100',
      unrealizedProfit: '0',
      leverage: 20,
      marginType: 'CROSSED',
      isolatedWallet: '0',
      liquidationPrice: null,
      maintenanceMarginRate: '0',
      maintenanceMargin: '0',
      realizedPnl: '0',
      updateTime: 0,
    };
    b.bench.event({ type: 'venue.balances', exchange, changed: [], all: true });
    const changed = amount === '0' ? [] : [position];
    b.bench.event({ type: 'venue.positions', exchange, changed, all: true });
    b.bench.event({ type: 'compared', exchange });
    b.obey();
  };
  compare('0');
  b.tick('100', 1);
  const [first, second] = [b.started('CHANNEL', settings), b.started('CHANNEL', settings)];
  b.tick('100', 2);
  const of = (id: string, side: string): OrderRecord => {
    const orders = [...b.bench.engine.memory.orders.values()];
    const one = orders.find(
      (order) => order.creatorId === id && order.side === side && order.phase === 'live',
    );
    if (!one) throw new Error(`no ${side} of ${id}`);
    return one;
  };
  const fill = (order: OrderRecord, qty: string, price = order.price ?? '0') => {
    b.bench.fill(b.bench.trade(order, qty, { price, commAsset: 'USDT' }));
    b.obey();
  };
  for (const { id } of [first, second].slice(0, holders)) fill(of(id, 'BUY'), '1');
  const lots = ({ runId }: { runId: string }) => {
    const live = b.engine.book.runs.get(runId);
    return live?.going ? str(live.run.lots.total()) : 'over';
  };
  /** A sale that somebody places by hand. */
  const byHand = (quantity: string): OrderRecord => {
    const { order } = b.bench.place({ side: 'SELL', price: '101', quantity });
    b.obey();
    return order;
  };
  return { b, first, second, of, fill, byHand, compare, held: () => [lots(first), lots(second)] };
}

describe('a fill', () => {
  it('of an exit is its own run’s, and leaves the other what it holds', () => {
    const d = two();
    expect(d.held()).toEqual(['1', '1']);
    d.fill(d.of(d.first.id, 'SELL'), '0.4');
    expect(d.held()).toEqual(['0.6', '1']);
    d.compare('1.6');
    expect(d.held()).toEqual(['0.6', '1']);
    d.fill(d.of(d.second.id, 'SELL'), '1');
    expect(d.held()[0]).toBe('0.6');
    d.compare('0.5');
    expect(d.held()[0]).toBe('0.5');
  });

  it('of an order that an ended run has left moves the position once: the other keeps what it holds', () => {
    const d = two();
    d.b.send({ type: 'bot.stop', ...d.first, way: { cleanup: 'leaveAllOrders' } });
    expect(d.held()).toEqual(['over', '1']);
    d.fill(d.of(d.first.id, 'SELL'), '0.3');
    d.fill(d.of(d.first.id, 'SELL'), '0.7');
    expect(d.held()).toEqual(['over', '1']);
    d.b.tick('101', 5);
    expect(d.held()).toEqual(['over', '1']);
    // By hand: that is the other one’s.
    d.fill(d.byHand('0.25'), '0.25');
    expect(d.held()).toEqual(['over', '0.75']);
    expect(d.of(d.second.id, 'SELL').origQty).toBe('0.75');
  });

  it('that is told after its order has ended is nobody’s: selling that much by hand takes nothing from them', () => {
    const d = two(LEVELS);
    expect(d.held()).toEqual(['1', '1']);
    const gone = d.of(d.first.id, 'BUY');
    d.b.bench.stream(d.b.bench.state(gone, { status: 'CANCELLED' }));
    d.b.obey();
    d.fill(gone, '0.5');
    d.fill(d.byHand('0.5'), '0.5');
    expect(d.held()).toEqual(['1', '1']);
    // More than that was theirs.
    d.fill(d.byHand('0.5'), '0.5');
    expect(d.held()).toEqual(['0.75', '0.75']);
  });

  it('of others before the restart is known after the first comparison, and what comes then counts at once', () => {
    const d = two();
    d.b.restart();
    const order = d.byHand('1');
    d.fill(order, '0.5');
    // Nothing is concluded yet.
    expect(d.held()).toEqual(['1', '1']);
    d.compare('1.5');
    expect(d.held()).toEqual(['0.75', '0.75']);
    d.fill(order, '0.5');
    expect(d.held()).toEqual(['0.5', '0.5']);
    for (const one of [d.first, d.second]) expect(d.of(one.id, 'SELL').origQty).toBe('0.5');
  });
});

describe('the stop of a run', () => {
  const GUARDED = { ...LEVEL, stop: stop('fixed', 'exchange', { value: '70' }, { complete: true }) };
  const sales = ({ b, first }: ReturnType<typeof two>) =>
    [...b.bench.engine.memory.orders.values()]
      .filter(({ creatorId, side, phase }) => creatorId === first.id && side === 'SELL' && phase === 'live')
      .map(({ type }) => type)
      .toSorted();

  it.each([
    ['stopped', { type: 'bot.stop', way: {} }],
    ['deleted by force', { type: 'bot.delete', force: true }],
  ] as const)(
    'rests beside its target as soon as the other run, which holds nothing, is %s, and not before',
    (_, command) => {
      const d = two(GUARDED, 1);
      expect([d.held(), sales(d)]).toEqual([['1', '0'], ['LIMIT']]);
      d.b.send({ ...command, id: d.second.id, runId: d.second.runId } as never);
      d.b.obey();
      d.b.obey();
      expect([d.held(), sales(d)]).toEqual([
        ['1', 'over'],
        ['LIMIT', 'STOP_MARKET'],
      ]);
      const third = d.b.started('CHANNEL', GUARDED);
      d.b.obey();
      expect([third.id !== d.first.id, sales(d)]).toEqual([true, ['LIMIT']]);
    },
  );
});
