/**
 * Futures figures between two events: whatever happens on the paper exchange and however prices move without
 * an event, the engine shows what the exchange would answer, to the last digit.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OWNER } from '../../src/domain/actor.ts';
import { dec, str } from '../../src/domain/decimal.ts';
import { bracketsOf } from '../../src/domain/margin/tiers.ts';
import type { Setting, SettingOutcome } from '../../src/domain/position.ts';
import { Engine } from '../../src/engine/engine.ts';
import { balanceNow, positionsNow } from '../../src/engine/margins.ts';
import type { Effect, EngineEvent, OrderCommand } from '../../src/engine/step.ts';
import type { CreateOrder } from '../../src/schemas/order.ts';
import { FUTURES_CAPS, PAPER_FUTURES } from '../../src/venues/paper/accounts.ts';
import type { PaperEvent, PaperStep } from '../../src/venues/paper/changes.ts';
import { tiersOf } from '../../src/venues/paper/futures/brackets.ts';
import type { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import type { PaperOptions } from '../../src/venues/paper/options.ts';
import { CONTRACTS, FuturesBench } from '../venues/futures-support.ts';

const EXCHANGE = PAPER_FUTURES.id;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'DOGEUSDT'] as const;
const BASE: Record<string, string> = { BTCUSDT: '60000', ETHUSDT: '3000', DOGEUSDT: '0.2' };
/** Size of one unit of a random order. */
const UNIT: Record<string, string> = { BTCUSDT: '0.013', ETHUSDT: '0.17', DOGEUSDT: '1999' };

/** The paper futures core and an engine that receives every event and answer of it. */
class Pair {
  readonly bench: FuturesBench;
  readonly engine = new Engine();
  #token = 0;
  #heard = 0;

  constructor(options: PaperOptions) {
    this.bench = new FuturesBench(options);
    this.engine.memory.addAccount(PAPER_FUTURES, FUTURES_CAPS, CONTRACTS, {
      brackets: (symbol) => bracketsOf(tiersOf(symbol.replace('USDT', ''))),
    });
    const { core } = this.bench;
    this.#step({ type: 'venue.balances', exchange: EXCHANGE, changed: core.balances(), all: true });
    this.#step({
      type: 'venue.settings',
      exchange: EXCHANGE,
      hedge: core.hedgeMode(),
      leverage: core.leverage(SYMBOLS),
    });
    this.#step({ type: 'venue.positions', exchange: EXCHANGE, changed: core.positions(), all: true });
    for (const symbol of SYMBOLS) this.tick(symbol, BASE[symbol] as string);
  }

  tick(symbol: string, price: string, after = 1): void {
    this.bench.tick(price, { symbol, after, between: () => this.#listen() });
    this.#listen();
    const mark = this.bench.core.markPrice(symbol);
    if (mark !== null) this.#step({ type: 'mark', market: 'paper', symbol, price: str(mark) });
    this.#step({ type: 'tick', market: 'paper', symbol, price });
  }

  ask(command: OrderCommand): void {
    this.#token += 1;
    this.#step({
      type: 'command',
      token: this.#token,
      actor: { kind: 'operator', user: OWNER },
      command,
      context: { requestId: `r${this.#token}` },
      entropy: this.#token.toString(32).padStart(11, '0'),
    });
  }

  set(setting: Setting): void {
    this.ask({ type: 'setting', exchange: EXCHANGE, setting });
  }

  place(request: Partial<CreateOrder>): void {
    this.ask({ type: 'place', request: { exchange: EXCHANGE, ...request } as CreateOrder });
  }

  cancel(pick: number): void {
    const open = [...this.engine.memory.orders.values()].filter(({ phase }) => phase === 'live');
    const order = open[pick % Math.max(1, open.length)];
    if (order) this.ask({ type: 'cancel', exchange: EXCHANGE, id: order.id });
  }

  get shown() {
    const account = this.engine.memory.account(EXCHANGE);
    const { free, locked } = balanceNow(account, 'USDT');
    return {
      balance: { asset: 'USDT', free: str(free), locked: str(locked) },
      positions: bySide(positionsNow(account)),
    };
  }

  get truth() {
    const { core } = this.bench;
    const [{ time: _, ...balance } = { asset: '', free: '', locked: '' }] = core.balances();
    return { balance, positions: bySide(core.positions()) };
  }

  #step(event: EngineEvent): void {
    const now = { wall: this.bench.now, mono: this.bench.now, market: this.bench.now };
    for (const effect of this.engine.step(event, now).effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    const { bench } = this;
    if (effect.kind === 'submit') {
      const outcome = bench.submit(effect.order);
      this.#listen();
      this.#step({ type: 'submitted', exchange: EXCHANGE, orderId: effect.order.clientId, outcome });
    } else if (effect.kind === 'cancel') {
      const outcome = bench.keep(
        bench.core.cancel({ clientId: effect.orderId, symbol: effect.symbol }, bench.now),
      );
      this.#listen();
      this.#step({ type: 'cancelled', exchange: EXCHANGE, orderId: effect.orderId, outcome });
    } else if (effect.kind === 'setting') {
      const outcome = bench.set((core) => madeBy(core, effect.setting));
      // The answer arrives before the stream's event.
      this.#step({ type: 'setting-done', id: effect.id, outcome });
      this.#listen();
    }
  }

  #listen(): void {
    const heard = this.bench.events.slice(this.#heard);
    this.#heard = this.bench.events.length;
    for (const event of heard) if (event.kind !== 'ledger') this.#step(eventOf(event));
  }
}

function eventOf(event: Exclude<PaperEvent, { kind: 'ledger' }>): EngineEvent {
  switch (event.kind) {
    case 'order':
      return { type: 'venue.order', exchange: EXCHANGE, state: event.state };
    case 'fill':
      return { type: 'venue.fill', exchange: EXCHANGE, fill: event.fill };
    case 'balances':
      return { type: 'venue.balances', exchange: EXCHANGE, changed: event.changed };
    case 'positions':
      return { type: 'venue.positions', exchange: EXCHANGE, changed: event.changed };
  }
}

function madeBy(core: FuturesCore, setting: Setting): PaperStep<SettingOutcome> {
  switch (setting.kind) {
    case 'leverage':
      return core.setLeverage(setting.symbol, setting.leverage);
    case 'marginType':
      return core.setMarginType(setting.symbol, setting.marginType);
    case 'hedgeMode':
      return core.setHedgeMode(setting.on);
    case 'marginMode':
      return core.setMarginMode(setting.mode);
    case 'dust':
      throw new Error('futures have no dust');
  }
}

function bySide<T extends { readonly symbol: string; readonly side: string }>(positions: readonly T[]): T[] {
  return [...positions].sort((a, b) => (`${a.symbol} ${a.side}` < `${b.symbol} ${b.side}` ? -1 : 1));
}

function priceAt(symbol: string, percent: number): string {
  const exact = (dec(BASE[symbol] as string) * BigInt(percent)) / 100n;
  return str(exact);
}

const symbol = fc.constantFrom(...SYMBOLS);
const percent = fc.integer({ min: 80, max: 120 });

type Action =
  | { readonly do: 'place'; readonly request: Partial<CreateOrder> }
  | { readonly do: 'cancel'; readonly pick: number }
  | { readonly do: 'tick'; readonly symbol: string; readonly percent: number; readonly after: number }
  | { readonly do: 'set'; readonly setting: Setting };

const request: fc.Arbitrary<Partial<CreateOrder>> = fc
  .record({
    symbol,
    side: fc.constantFrom('BUY' as const, 'SELL' as const),
    type: fc.constantFrom<CreateOrder['type'][]>(
      'MARKET',
      'MARKET',
      'LIMIT',
      'LIMIT',
      'LIMIT',
      'STOP_LIMIT',
      'STOP_MARKET',
    ),
    units: fc.integer({ min: 1, max: 200 }),
    price: percent,
    stop: percent,
    timeInForce: fc.constantFrom('GTC' as const, 'GTC' as const, 'GTC' as const, 'IOC' as const),
    positionSide: fc.constantFrom('LONG' as const, 'SHORT' as const),
    reduceOnly: fc.constantFrom(false, false, false, true),
    marginType: fc.constantFrom(undefined, undefined, undefined, 'ISOLATED' as const, 'CROSSED' as const),
  })
  .map((o) => {
    const limit = o.type.includes('LIMIT');
    return {
      symbol: o.symbol,
      side: o.side,
      type: o.type,
      quantity: str(dec(UNIT[o.symbol] as string) * BigInt(o.units)),
      ...(limit ? { price: priceAt(o.symbol, o.price), timeInForce: o.timeInForce } : {}),
      ...(o.type.startsWith('STOP') ? { stopPrice: priceAt(o.symbol, o.stop) } : {}),
      positionSide: o.positionSide,
      reduceOnly: o.reduceOnly,
      ...(o.marginType === undefined ? {} : { marginType: o.marginType }),
    };
  });

const setting: fc.Arbitrary<Setting> = fc.oneof(
  fc.record({
    kind: fc.constant('leverage' as const),
    symbol,
    leverage: fc.constantFrom(1, 3, 7, 20, 50),
  }),
  fc.record({
    kind: fc.constant('marginType' as const),
    symbol,
    marginType: fc.constantFrom('ISOLATED' as const, 'CROSSED' as const),
  }),
);

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('place' as const), request }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const), pick: fc.nat(20) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('tick' as const),
      symbol,
      percent,
      after: fc.constantFrom(1, 1_000, 9 * 3_600_000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('set' as const), setting }) },
);

function perform(pair: Pair, todo: Action, hedge: boolean): void {
  if (todo.do === 'place') pair.place(hedge ? todo.request : { ...todo.request, positionSide: 'BOTH' });
  else if (todo.do === 'cancel') pair.cancel(todo.pick);
  else if (todo.do === 'tick') pair.tick(todo.symbol, priceAt(todo.symbol, todo.percent), todo.after);
  else pair.set(todo.setting);
}

describe('between two events', () => {
  it('free, locked, margins and liquidation prices are those the exchange would answer, to the last digit', () => {
    let held = 0;
    fc.assert(
      fc.property(
        fc.boolean(),
        fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
        fc.constantFrom(0, 5_000),
        fc.constantFrom('', '0.2'),
        fc.array(action, { minLength: 5, maxLength: 60, size: 'max' }),
        (hedge, isolated, markLagMs, participation, actions) => {
          const pair = new Pair({
            startBalances: { USDT: '50000' },
            markLagMs,
            ...(participation === '' ? {} : { participation }),
          });
          if (hedge) pair.set({ kind: 'hedgeMode', on: true });
          SYMBOLS.forEach((name, n) => {
            if (isolated[n]) pair.set({ kind: 'marginType', symbol: name, marginType: 'ISOLATED' });
          });
          for (const todo of actions) {
            perform(pair, todo, hedge);
            expect(pair.shown).toEqual(pair.truth);
            if (pair.shown.positions.length > 1) held += 1;
          }
        },
      ),
      { numRuns: 150 },
    );
    // A sufficient number of cases with several positions.
    expect(held).toBeGreaterThan(500);
  });
});
