/**
 * A run on an exchange that answers only what the test says, so that its actions can be checked order by
 * order.
 */
import { expect } from 'vitest';
import { CandleHub } from '../../../src/bots/market/candle-hub.ts';
import type { OrderChange, RunAction, RunOrder, RunWorld } from '../../../src/bots/run/contract.ts';
import { Run } from '../../../src/bots/run/run.ts';
import { newRunState, type RunState } from '../../../src/bots/run/run-state.ts';
import { kindOf } from '../../../src/bots/types/kinds.ts';
import { type Dec, dec, ONE, ZERO } from '../../../src/domain/decimal.ts';
import { compiled, type Kind, NOW, world } from '../settings/support.ts';

const RICH = dec('1000000');

export class Lonely {
  run: Run;
  /** The account's position on futures. */
  position: ReturnType<RunWorld['position']>;
  /** Others have a part of the position. */
  shared = false;
  readonly #hub = new CandleHub({ time: NOW });
  readonly #options: ConstructorParameters<typeof Run>[0];
  #now = NOW;

  constructor(
    kind: Kind,
    changes: Record<string, unknown>,
    price: string,
    position: Lonely['position'] = null,
  ) {
    this.position = position;
    const settings = compiled(kind, changes);
    const rules = world().instrument(settings.exchange, settings.symbol);
    if (!rules) throw new Error(`${settings.symbol} is not traded`);
    const ofRun = {
      now: () => this.#now,
      available: () => RICH,
      reservedByOthers: () => ZERO,
      position: () => this.position,
      leverage: () => ONE,
      shared: () => this.shared,
      seed: () => 'seed',
      symbols: () => [],
    };
    const market = this.#hub.view(settings.symbol);
    const strategy = kindOf(settings.type).strategy;
    const { firsts } = this.#hub;
    const options = { settings, strategy, rules, world: ofRun, market, marketOf: () => market, firsts };
    this.#options = options;
    this.run = new Run(options, newRunState(NOW));
    this.#hub.lastPrice(settings.symbol, NOW, dec(price));
    expect(this.run.startProblems()).toEqual([]);
    this.run.start();
    this.tick(price);
  }

  /** Rebuilds the run from its state, as after a restart of the desk. */
  again(stored: (state: RunState) => RunState): Lonely {
    this.run = new Run(this.#options, stored(this.run.state));
    return this;
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

  /** Lets time pass without a tick; timers fire when they are due. */
  wait(ms: number): void {
    const until = this.#now + ms;
    for (let due = this.run.nextTimer(); due <= until; due = this.run.nextTimer()) {
      this.#now = Math.max(this.#now, due);
      for (const [name, at] of [...this.run.state.timers])
        if (at <= due) this.run.input({ type: 'timer', name });
    }
    this.#now = until;
  }

  /** Accepts the order and fills it completely, with a fee in base for a buy. */
  fill({ key, qty, side }: RunOrder, price: string): void {
    const buys = side === 'BUY';
    const fee = buys ? qty / 1_000n : ZERO;
    const fill = { price: dec(price), qty, fee, feeAsset: buys ? 'BTC' : 'USDT', maker: false };
    this.change({ key, kind: 'accepted' });
    this.change({ key, kind: 'fill', fill });
  }

  /** Fills a part of an order that is already accepted, without a fee. */
  part({ key }: RunOrder, qty: Dec, price: string): void {
    this.change({
      key,
      kind: 'fill',
      fill: { price: dec(price), qty, fee: ZERO, feeAsset: 'USDT', maker: true },
    });
  }

  /** Returns the actions since the last call. */
  asked(): RunAction[] {
    return this.run.actions.splice(0);
  }

  placed(): RunOrder[] {
    return this.asked().flatMap((action) => (action.do === 'place' ? [action.order] : []));
  }

  /** Returns the actions when the run checks everything again. */
  touched(): RunAction[] {
    this.asked();
    this.run.slots.touchAll();
    this.run.input({ type: 'timer', name: 'nothing' });
    return this.asked();
  }
}

/** A run that holds a lot, with an exit on its way. */
export function holding(changes: Record<string, unknown> = {}): { lonely: Lonely; exit: RunOrder } {
  const scale = { scale: { orders: 0, step: '1', takeProfit: '1' }, ...changes };
  const lonely = new Lonely('SCALE', scale, '45000');
  const [entry] = lonely.placed();
  lonely.fill(entry as RunOrder, '45000');
  const [exit] = lonely.placed();
  return { lonely, exit: exit as RunOrder };
}
