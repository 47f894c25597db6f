/** Random commands, prices and mishaps for a world, as plain data that fast-check can shrink and print. */
import fc from 'fast-check';
import { dec, str } from '../../../src/domain/decimal.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { CreateOrder, OrderType } from '../../../src/schemas/order.ts';
import { checkAlways } from './checks.ts';
import { BTC, SPOT } from './market.ts';
import type { FaultMix, World } from './world.ts';

export interface PlaceAction {
  readonly do: 'place';
  readonly type: OrderType | 'TRAILING';
  readonly side: 'BUY' | 'SELL';
  readonly steps: number;
  /** Distance of price and stop from the last price, in units of 10 USDT. */
  readonly away: number;
  readonly stopAway: number;
  readonly tif: 'GTC' | 'IOC' | 'FOK' | 'GTD';
  readonly gtdMs: number;
  readonly extra: 'none' | 'iceberg' | 'quote' | 'activation' | 'percent';
  readonly delta: number;
  readonly keyed: boolean;
}

export type Action =
  | PlaceAction
  | {
      readonly do: 'cancel' | 'split';
      readonly pick: number;
      /** The number of parts of a split; a cancel is kept at 2. */
      readonly parts: number;
      readonly keyed: boolean;
    }
  | { readonly do: 'repeat'; readonly pick: number; readonly altered: boolean }
  | { readonly do: 'tick'; readonly move: number }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'kill'; readonly pick: number; readonly status: 'CANCELLED' | 'REJECTED' }
  | { readonly do: 'reconcile' }
  | { readonly do: 'crash'; readonly mode: 'uncommitted' | 'committed' | 'amid' }
  | { readonly do: 'failCommit' };

const pick = fc.nat(30);
const keyed = fc.boolean();

const place: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('place' as const),
  type: fc.constantFrom<PlaceAction['type'][]>(
    'MARKET',
    'LIMIT',
    'LIMIT',
    'LIMIT',
    'LIMIT_MAKER',
    'STOP_MARKET',
    'STOP_LIMIT',
    'TAKE_PROFIT_MARKET',
    'TAKE_PROFIT_LIMIT',
    'TRAILING',
  ),
  side: fc.constantFrom('BUY' as const, 'SELL' as const),
  steps: fc.integer({ min: 1, max: 400 }),
  away: fc.integer({ min: -30, max: 30 }),
  stopAway: fc.integer({ min: 1, max: 20 }),
  tif: fc.constantFrom('GTC' as const, 'GTC' as const, 'IOC' as const, 'FOK' as const, 'GTD' as const),
  gtdMs: fc.integer({ min: 1, max: 20_000 }),
  extra: fc.constantFrom<PlaceAction['extra'][]>('none', 'none', 'iceberg', 'quote', 'activation', 'percent'),
  delta: fc.integer({ min: 10, max: 60 }),
  keyed,
});

const tick: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('tick' as const),
  move: fc.integer({ min: -25, max: 25 }),
});
const pass: fc.Arbitrary<Action> = fc.record({
  do: fc.constant('pass' as const),
  ms: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 12_000 })),
});
const others: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('repeat' as const), pick, altered: fc.boolean() }),
  fc.record({
    do: fc.constant('kill' as const),
    pick,
    status: fc.constantFrom('CANCELLED' as const, 'REJECTED' as const),
  }),
  fc.record({ do: fc.constant('reconcile' as const) }),
);
const onOrder: fc.Arbitrary<Action> = fc.record({
  do: fc.constantFrom('cancel' as const, 'split' as const),
  pick,
  parts: fc.integer({ min: 2, max: 5 }),
  keyed,
});
const breaks: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    do: fc.constant('crash' as const),
    mode: fc.constantFrom('uncommitted' as const, 'committed' as const, 'amid' as const),
  }),
  fc.record({ do: fc.constant('failCommit' as const) }),
);

const peaceful = [
  { arbitrary: place, weight: 6 },
  { arbitrary: onOrder, weight: 4 },
  { arbitrary: tick, weight: 5 },
  { arbitrary: pass, weight: 6 },
  { arbitrary: others, weight: 2 },
];

/** Actions without crashes and failed commits: every command must be answered and the stream is complete. */
export const unbrokenActions = fc.array(fc.oneof(...peaceful), { maxLength: 60, size: 'max' });
export const anyActions = fc.array(fc.oneof(...peaceful, { arbitrary: breaks, weight: 2 }), {
  maxLength: 60,
  size: 'max',
});

const share = (max: number) =>
  fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 10 }).map((tenths) => (max * tenths) / 10),
  );

/** Each run draws its own mix; half of the faults are off in it. */
export const faultMix: fc.Arbitrary<FaultMix> = fc.record({
  loseRequest: share(0.4),
  loseAnswer: share(0.4),
  breakAnswer: share(0.4),
  doubleAnswer: share(0.5),
  slowRequest: share(0.5),
  slowAnswer: share(0.6),
  refuse: share(0.3),
  refuseCancel: share(0.3),
  dropEvent: share(0.8),
  doubleEvent: share(0.5),
  lateEvent: share(0.7),
  failReconcile: share(0.7),
  groupCommit: share(0.7),
});

export function perform(world: World, actions: readonly Action[]): void {
  for (const action of actions) {
    act(world, action);
    checkAlways(world);
  }
}

function act(world: World, action: Action): void {
  switch (action.do) {
    case 'place':
      world.command({ type: 'place', request: requestOf(world, action) }, keyFor(world, action.keyed));
      return;
    case 'cancel':
    case 'split': {
      const orders = [...world.engine.memory.orders.values()];
      // Mostly orders that can be split or cancelled; every seventh time any order.
      const good = (o: OrderRecord) =>
        (action.do === 'split' ? o.type === 'LIMIT' : true) && o.phase === 'live';
      const ids = orders.filter((o) => action.pick % 7 === 0 || good(o)).map((o) => o.id);
      const id = ids.at(-1 - (action.pick % Math.max(1, ids.length))) ?? 'ps-none';
      if (action.do === 'cancel') {
        const keep = action.parts === 2 ? ({ keep: true } as const) : {};
        world.command({ type: 'cancel', exchange: SPOT, id, ...keep }, keyFor(world, action.keyed));
        return;
      }
      const base = world.engine.memory.orders.get(id)?.price ?? '60000';
      const prices = Array.from({ length: action.parts }, (_, i) => str(dec(base) + dec(`${i * 10}`)));
      world.command({ type: 'split', exchange: SPOT, id, prices }, keyFor(world, action.keyed));
      return;
    }
    case 'repeat': {
      const keyed = world.commands.filter((c) => c.context.idempotency);
      const old = keyed.at(-1 - (action.pick % Math.max(1, keyed.length)));
      if (!old?.context.idempotency) return;
      const { key, fingerprint } = old.context.idempotency;
      // Altered: other parameters under the same key. The expected result is in checks.ts.
      world.command(old.command, {
        key,
        fingerprint: action.altered ? `${fingerprint}-altered` : fingerprint,
      });
      return;
    }
    case 'tick': {
      const price =
        world.exchange.price + dec(`${Math.abs(action.move) * 10}`) * (action.move < 0 ? -1n : 1n);
      if (price > dec('30000')) world.tick(price);
      return;
    }
    case 'pass':
      world.pass(action.ms);
      return;
    case 'kill': {
      const open = world.exchange.open();
      const state = open[action.pick % Math.max(1, open.length)];
      if (state) world.exchange.kill(state.clientId, action.status);
      return;
    }
    case 'reconcile':
      world.reconcile();
      return;
    case 'crash':
      world.crash(action.mode);
      return;
    case 'failCommit':
      world.failCommit();
      return;
  }
}

function keyFor(world: World, keyed: boolean): { key: string; fingerprint: string } | undefined {
  const n = world.commands.length + 1;
  return keyed ? { key: `key-${n}`, fingerprint: `print-${n}` } : undefined;
}

/** A request that is valid most of the time; some are refused on purpose. */
function requestOf(world: World, a: PlaceAction): CreateOrder {
  const last = world.exchange.price;
  const at = (units: number) => str(last + BigInt(units) * dec('10'));
  const common = {
    exchange: SPOT,
    symbol: BTC.symbol,
    side: a.side,
    quantity: str(BigInt(a.steps) * dec('0.001')),
  };
  const above = a.side === 'BUY' ? 1 : -1;
  const dated = a.tif === 'GTD' ? { goodTillDate: world.now + a.gtdMs } : {};
  const timed = { timeInForce: a.tif, ...dated };
  switch (a.type) {
    case 'MARKET':
      if (a.extra !== 'quote') return { ...common, type: 'MARKET' };
      return {
        exchange: SPOT,
        symbol: BTC.symbol,
        side: a.side,
        type: 'MARKET',
        quoteOrderQty: `${a.steps * 60}`,
      };
    case 'LIMIT': {
      const iceberg = a.extra === 'iceberg' && a.tif === 'GTC' ? { icebergQty: '0.02' } : {};
      return { ...common, type: 'LIMIT', price: at(a.away), ...timed, ...iceberg };
    }
    case 'LIMIT_MAKER':
      return { ...common, type: 'LIMIT_MAKER', price: at(a.away) };
    case 'STOP_MARKET':
      return { ...common, type: 'STOP_MARKET', stopPrice: at(above * a.stopAway) };
    case 'STOP_LIMIT':
      return {
        ...common,
        type: 'STOP_LIMIT',
        stopPrice: at(above * a.stopAway),
        price: at(a.away),
        ...timed,
      };
    case 'TAKE_PROFIT_MARKET':
      return { ...common, type: 'TAKE_PROFIT_MARKET', stopPrice: at(-above * a.stopAway) };
    case 'TAKE_PROFIT_LIMIT':
      return { ...common, type: 'TAKE_PROFIT_LIMIT', stopPrice: at(-above * a.stopAway), price: at(a.away) };
    case 'TRAILING': {
      const armed =
        a.extra === 'activation'
          ? { activationPrice: at(-above * a.stopAway) }
          : a.extra === 'percent'
            ? { percentPrice: '0.1' }
            : {};
      return { ...common, type: 'STOP_MARKET', trailingDelta: a.delta, ...armed };
    }
  }
}
