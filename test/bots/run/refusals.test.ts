/** Runs whose orders are refused, given back, or changed by nobody: they go on, end when they are to, and leave what rests alone. */
import { describe, expect, it } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { OrderChange, RunAction, RunOrder } from '../../../src/bots/run/contract.ts';
import { Run } from '../../../src/bots/run/run.ts';
import { newRunState } from '../../../src/bots/run/run-state.ts';
import { strategyOf } from '../../../src/bots/strategies/index.ts';
import { dec, ONE, ZERO } from '../../../src/domain/decimal.ts';
import { compiled, type Kind, NOW, world } from '../settings/support.ts';

const RICH = dec('1000000');

/** A run on an exchange that answers only what the test says. */
class Lonely {
  readonly run: Run;
  readonly #hub = new CandleHub({ time: NOW });
  #now = NOW;

  constructor(kind: Kind, changes: Record<string, unknown>, price: string) {
    const settings = compiled(kind, changes);
    const rules = world().instrument(settings.exchange, settings.symbol);
    if (!rules) throw new Error(`${settings.symbol} is not traded`);
    const ofRun = {
      now: () => this.#now,
      available: () => RICH,
      reservedByOthers: () => ZERO,
      position: () => null,
      leverage: () => ONE,
      seed: () => 'seed',
      symbols: () => [],
    };
    const market = this.#hub.view(settings.symbol);
    const strategy = strategyOf(settings.type);
    const options = { settings, strategy, rules, world: ofRun, market, marketOf: () => market };
    this.run = new Run(options, newRunState(NOW));
    this.#hub.lastPrice(settings.symbol, NOW, dec(price));
    expect(this.run.startProblems()).toEqual([]);
    this.run.start();
    this.tick(price);
  }

  tick(price: string): void {
    this.#now += 1_000;
    this.#hub.advance(this.#now, () => {});
    this.#hub.tick(this.run.settings.symbol, this.#now, dec(price), ONE);
    this.run.input({ type: 'tick' });
  }

  change(change: OrderChange): void {
    this.run.input({ type: 'order', change });
  }

  /** Accepted and filled as a whole, with the base fee of a buy. */
  fill({ key, qty, side }: RunOrder, price: string): void {
    const buys = side === 'BUY';
    const fee = buys ? qty / 1_000n : ZERO;
    const fill = { price: dec(price), qty, fee, feeAsset: buys ? 'BTC' : 'USDT', maker: false };
    this.change({ key, kind: 'accepted' });
    this.change({ key, kind: 'fill', fill });
  }

  /** What it has asked for since last time. */
  asked(): RunAction[] {
    return this.run.actions.splice(0);
  }

  placed(): RunOrder[] {
    return this.asked().flatMap((action) => (action.do === 'place' ? [action.order] : []));
  }

  /** What it asks for when everything is looked at again. */
  touched(): RunAction[] {
    this.asked();
    this.run.slots.touchAll();
    this.run.input({ type: 'timer', name: 'nothing' });
    return this.asked();
  }
}

/** Holds a lot with an exit on its way. */
function holding(): { lonely: Lonely; exit: RunOrder } {
  const scale = { scale: { orders: 0, step: '1', takeProfit: '1' } };
  const lonely = new Lonely('SCALE', scale, '45000');
  const [entry] = lonely.placed();
  lonely.fill(entry as RunOrder, '45000');
  const [exit] = lonely.placed();
  return { lonely, exit: exit as RunOrder };
}

const STOP_AND_SELL = { type: 'stop', cleanup: 'cancelAllOrders', sell: true } as const;

// proves: bot run exit-retry
describe('a stop that sells', () => {
  it('sells when the exit that it withdraws turns out to have been rejected', () => {
    const { lonely, exit } = holding();
    lonely.run.input({ ...STOP_AND_SELL, force: false });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    lonely.change({ key: exit.key, kind: 'rejected', reason: 'it never arrived', why: 'other' });
    const [sale] = lonely.placed();
    expect(sale).toMatchObject({ type: 'MARKET', side: 'SELL', slot: 'end' });
    lonely.fill(sale as RunOrder, '45000');
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
  });

  it('ends when the exit that it withdraws has sold everything before its cancel', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ ...STOP_AND_SELL, force: false });
    lonely.asked();
    lonely.fill(exit, '45450');
    expect(lonely.placed()).toEqual([]);
    expect(lonely.run.state).toMatchObject({ phase: 'ended', reason: 'operator' });
  });

  it('asks again for a cancel that was refused, and does not end before', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ type: 'stop', cleanup: 'cancelAllOrders', sell: false, force: false });
    lonely.asked();
    lonely.change({ key: exit.key, kind: 'stays' });
    expect(lonely.run.state.phase).toBe('ending');
    expect(lonely.run.nextTimer()).toBeLessThan(NOW + 60_000);
    lonely.run.input({ type: 'timer', name: `retry ${exit.slot}` });
    expect(lonely.asked()).toContainEqual({ do: 'cancel', key: exit.key });
    lonely.change({ key: exit.key, kind: 'ended' });
    expect(lonely.run.state.phase).toBe('ended');
  });

  it('with force gives up a sale that the exchange takes and gives back', () => {
    const { lonely, exit } = holding();
    lonely.change({ key: exit.key, kind: 'accepted' });
    lonely.run.input({ ...STOP_AND_SELL, force: true });
    expect(lonely.run.state.phase).toBe('ended');
    lonely.asked();
    lonely.change({ key: exit.key, kind: 'ended' });
    const [sale] = lonely.placed();
    lonely.change({ key: (sale as RunOrder).key, kind: 'ended' });
    const after = lonely.asked();
    expect(after.map((action) => action.do)).toEqual(['notice']);
    expect([...lonely.run.slots.orders()]).toEqual([]);
  });
});

describe('an order that rests as it was wanted', () => {
  it('stays when the price moves under a stop entry that is sized by money', () => {
    const changes = {
      quantity: undefined,
      deposit: { value: '1000', asset: 'USDT' },
      entry: { type: 'STOP_MARKET', stopPrice: '46000' },
      takeProfit: { percent: '2' },
      stopLoss: { percent: '2' },
    };
    const lonely = new Lonely('BRACKET', changes, '45000');
    const [entry] = lonely.placed();
    lonely.change({ key: (entry as RunOrder).key, kind: 'accepted' });
    lonely.tick('42000');
    expect(lonely.touched()).toEqual([]);
  });

  it('stays when an exit of a part is less than its lot by the fee', () => {
    const lonely = new Lonely('FIBO', { crossChannelSell: true }, '47000');
    const [entry] = lonely.placed();
    lonely.fill(entry as RunOrder, '45000');
    for (const { key } of lonely.placed()) lonely.change({ key, kind: 'accepted' });
    expect(lonely.touched()).toEqual([]);
  });
});
