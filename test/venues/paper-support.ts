/**
 * Helpers of the paper exchange's tests: one instrument, a core with its stored rows, a recording sink, a
 * venue.
 */
import { isDeepStrictEqual } from 'node:util';
import { dec } from '../../src/domain/decimal.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../src/domain/exchange.ts';
import type { Instrument } from '../../src/domain/instrument.ts';
import type { ExchangePosition } from '../../src/domain/position.ts';
import type { Row } from '../../src/domain/rows.ts';
import type { PaperEvent, PaperStep } from '../../src/venues/paper/changes.ts';
import { PaperCore } from '../../src/venues/paper/core.ts';
import type { ExchangeCore } from '../../src/venues/paper/exchange-core.ts';
import type { FuturesCore } from '../../src/venues/paper/futures/futures-core.ts';
import { compilePaperOptions, type PaperOptions } from '../../src/venues/paper/options.ts';
import type { PaperDocuments } from '../../src/venues/paper/order-memory.ts';
import { createPaperVenue, type PaperVenueOptions } from '../../src/venues/paper/paper-venue.ts';
import type { VenueSink } from '../../src/venues/venue.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

export const BTC: Instrument = {
  exchange: 'paper-spot',
  symbol: 'BTCUSDT',
  base: 'BTC',
  quote: 'USDT',
  kind: 'spot',
  tickSize: '0.01',
  minPrice: '0.01',
  maxPrice: '1000000',
  stepSize: '0.001',
  minQty: '0.001',
  maxQty: '1000',
  marketMaxQty: '100',
  minNotional: '5',
  maxNotional: '9000000',
  percentDown: '0.2',
  percentUp: '5',
  trailingMinBps: 10,
  trailingMaxBps: 2000,
  maxOrders: 200,
  maxIcebergParts: 100,
};
export const BNB: Instrument = { ...BTC, symbol: 'BNBUSDT', base: 'BNB' };
export const DOGE: Instrument = {
  ...BTC,
  symbol: 'DOGEUSDT',
  base: 'DOGE',
  tickSize: '0.00001',
  minPrice: '0.00001',
  stepSize: '1',
};
export const INSTRUMENTS = [BTC, BNB, DOGE];

/** A store of paper documents in memory. `failNext` makes the next commit throw. */
export class MemoryLane {
  readonly tables = new Map<string, Map<string, unknown>>();
  commits: Row[][] = [];
  failNext = false;

  commit(rows: readonly Row[]): void {
    if (this.failNext) {
      this.failNext = false;
      throw new Error('disk full');
    }
    this.commits.push([...rows]);
    for (const row of rows) {
      if (row.kind !== 'paper') throw new Error(`a ${row.kind} row from the paper exchange`);
      const table = this.tables.get(row.table) ?? new Map<string, unknown>();
      this.tables.set(row.table, table);
      if (row.doc === null) table.delete(row.id);
      else table.set(row.id, JSON.parse(JSON.stringify(row.doc)));
    }
  }
}

/** A core whose rows are kept as a store keeps them, with short commands. Times are market ms from 1. */
export class CoreBench {
  readonly lane = new MemoryLane();
  readonly events: PaperEvent[] = [];
  core: PaperCore;
  readonly #options: PaperOptions;
  readonly #told = new Told();
  now = 1;
  #ids = 0;

  constructor(options: PaperOptions = {}) {
    this.#options = options;
    this.core = this.#load();
    this.keep(this.core.begin());
  }

  keep<T>(step: PaperStep<T>): T {
    this.lane.commit(step.rows);
    this.events.push(...step.events);
    this.core.audit();
    this.#told.hear(step.events);
    this.#told.check(this.core);
    checkStored(this.lane, this.core, () => this.#load());
    return step.outcome;
  }

  submit(order: Partial<ExchangeOrder>) {
    const clientId = order.clientId ?? `o${++this.#ids}`;
    return this.keep(
      this.core.submit(
        { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', ...order, clientId },
        this.now++,
      ),
    );
  }

  /** Submits and expects `accepted`; returns the client id. */
  place(order: Partial<ExchangeOrder>): string {
    const outcome = this.submit(order);
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    return outcome.state.clientId;
  }

  buy(price: string, quantity: string, more: Partial<ExchangeOrder> = {}): string {
    return this.place({ side: 'BUY', price, quantity, ...more });
  }

  sell(price: string, quantity: string, more: Partial<ExchangeOrder> = {}): string {
    return this.place({ side: 'SELL', price, quantity, ...more });
  }

  cancel(clientId: string) {
    return this.keep(this.core.cancel({ clientId, symbol: 'BTCUSDT' }, this.now++));
  }

  /** Plays one tick with all its matches; `between` runs after each. Returns its fills. */
  tick(
    price: string,
    volume = '1000000',
    between?: (events: readonly PaperEvent[]) => void,
    symbol = 'BTCUSDT',
  ): ExchangeFill[] {
    const before = this.events.length;
    if (this.core.beginTick(symbol, price, volume, this.now++)) {
      for (let step = this.core.nextMatch(); step; step = this.core.nextMatch()) {
        this.keep(step);
        between?.(step.events);
      }
    }
    return fillsIn(this.events.slice(before));
  }

  give(asset: string, amount: string): void {
    this.keep(this.core.setBalance(asset, amount));
  }

  state(clientId: string): ExchangeOrderState {
    const found = this.core.query({ clientId, symbol: 'BTCUSDT' });
    if (found.kind !== 'found') throw new Error(`${clientId} is ${found.kind}`);
    return found.state;
  }

  /** A balance as `free/locked`. */
  balance(asset: string): string {
    const held = this.core.balances().find((balance) => balance.asset === asset);
    return held ? `${held.free}/${held.locked}` : '0/0';
  }

  /** Fills as text: `BUY 1 @ 100 maker`. */
  fills(): string[] {
    return this.core.fills({ symbol: 'BTCUSDT', from: 0 }).map(fillText);
  }

  /** The core as it is after a clean stop (which stores the newest prices) and a start from the rows. */
  reloaded(): PaperCore {
    this.lane.commit(this.core.priceRows().rows);
    return this.#load();
  }

  /** A core started from other documents. */
  restarted(documents: PaperDocuments): PaperCore {
    const options = compilePaperOptions(this.#options);
    return new PaperCore({ kind: 'spot', instruments: INSTRUMENTS, options }, documents);
  }

  #load(): PaperCore {
    // A store does not guarantee any order of its documents.
    const tables = [...this.lane.tables].map(
      ([name, table]) => [name, new Map([...table].reverse())] as const,
    );
    return this.restarted(new Map(tables));
  }
}

export function fillText(fill: ExchangeFill): string {
  return `${fill.side} ${fill.qty} @ ${fill.price} ${fill.maker ? 'maker' : 'taker'}`;
}

export function fillsIn(events: readonly PaperEvent[]): ExchangeFill[] {
  return events.flatMap((event) => (event.kind === 'fill' ? [event.fill] : []));
}

/** Documents in a comparable form. */
export function plain(documents: ReadonlyMap<string, ReadonlyMap<string, unknown>>): unknown {
  const tables = [...documents].filter(([, table]) => table.size > 0);
  const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]) => (a[0] < b[0] ? -1 : 1);
  return tables.sort(byKey).map(([name, table]) => [name, [...table].sort(byKey)]);
}

/**
 * Checks that the stored rows equal the core's memory, and the state after a start; except prices, which are
 * stored later.
 */
export function checkStored(
  lane: MemoryLane,
  core: Pick<ExchangeCore, 'documents'>,
  load: () => Pick<ExchangeCore, 'documents'>,
): void {
  const text = (documents: ReadonlyMap<string, ReadonlyMap<string, unknown>>) =>
    JSON.stringify(plain(new Map([...documents].filter(([name]) => !name.endsWith('.price')))));
  const memory = text(core.documents());
  for (const [what, has] of [
    ['store', text(lane.tables)],
    ['start', text(load().documents())],
  ] as const)
    if (has !== memory) throw new Error(`the ${what} has something else:\n${has}\nmemory:\n${memory}`);
}

/** The knowledge of a subscriber that has received every event. */
export class Told {
  readonly orders = new Map<string, ExchangeOrderState>();
  readonly balances = new Map<string, ExchangeBalance>();
  /** Positions by `SYMBOL SIDE`, without flat ones. */
  readonly positions = new Map<string, ExchangePosition>();
  readonly fills = new Set<string>();

  hear(events: readonly PaperEvent[]): void {
    for (const event of events) {
      if (event.kind === 'order') this.orders.set(event.state.clientId, event.state);
      else if (event.kind === 'fill') this.fills.add(event.fill.tradeId);
      else if (event.kind === 'balances')
        for (const balance of event.changed) this.balances.set(balance.asset, balance);
      else if (event.kind === 'positions')
        for (const position of event.changed) {
          const key = `${position.symbol} ${position.side}`;
          if (position.amount === '0') this.positions.delete(key);
          else this.positions.set(key, position);
        }
    }
  }

  /**
   * Checks that queries return the same as the events: no change is unreported. Fields that move with the
   * mark price are left out.
   */
  check(core: PaperCore | FuturesCore): void {
    const same = (what: string, told: unknown, is: unknown) => {
      if (!isDeepStrictEqual(told, is))
        throw new Error(`${what}: told ${JSON.stringify(told)}, is ${JSON.stringify(is)}`);
    };
    for (const [clientId, state] of this.orders) {
      const found = core.query({ clientId, symbol: state.symbol });
      // A query also returns the terms, which events contain only when they change.
      if (found.kind === 'found') same(clientId, { terms: found.state.terms, ...state }, found.state);
    }
    const open = core.openOrders().map(({ clientId }) => clientId);
    same(
      'open orders',
      open.filter((id) => this.orders.has(id)),
      open,
    );
    if (core.kind === 'futures') {
      const told = this.balances.get('USDT');
      same('wallet', told && dec(told.free) + dec(told.locked), core.amounts().wallet);
      const lasting = (all: Iterable<ExchangePosition>) =>
        [...all].map((one) => LASTING.map((field) => one[field]).join(' ')).sort();
      same('positions', lasting(this.positions.values()), lasting(core.positions()));
      return;
    }
    for (const { time: _, ...is } of core.balances()) {
      const { time: __, ...told } = this.balances.get(is.asset) ?? {
        asset: is.asset,
        free: '0',
        locked: '0',
      };
      same(is.asset, told, is);
    }
  }
}

/** Fields of a position that do not move with the mark price. */
const LASTING = [
  'symbol',
  'side',
  'amount',
  'entryPrice',
  'cost',
  'breakEvenPrice',
  'marginType',
  'leverage',
  'isolatedWallet',
  'realizedPnl',
  'updateTime',
] as const;

/** Records a venue's reports. */
export class RecordingSink implements VenueSink {
  readonly lines: string[] = [];
  readonly fills: ExchangeFill[] = [];
  readonly orders: ExchangeOrderState[] = [];
  readonly balanceOf = new Map<string, ExchangeBalance>();

  order(state: ExchangeOrderState): void {
    this.orders.push(state);
    this.lines.push(`order ${state.clientId} ${state.status} ${state.cumQty}`);
  }

  fill(fill: ExchangeFill): void {
    this.fills.push(fill);
    this.lines.push(`fill ${fill.clientId} ${fillText(fill)}`);
  }

  balances(changed: readonly ExchangeBalance[]): void {
    for (const balance of changed) this.balanceOf.set(balance.asset, balance);
    this.lines.push(`balances ${changed.map((balance) => balance.asset).join(' ')}`);
  }

  stream(state: 'up' | 'down' | 'gap'): void {
    this.lines.push(`stream ${state}`);
  }
}

/** An opened venue on a virtual clock at price 100. */
export async function openVenue({
  lane = new MemoryLane(),
  ...more
}: Partial<PaperVenueOptions> & { lane?: MemoryLane } = {}) {
  const clock = new VirtualClock();
  const sink = new RecordingSink();
  const errors: Error[] = [];
  const random = seeded(1);
  const venue = createPaperVenue({
    instruments: INSTRUMENTS,
    load: () => lane.tables,
    lane,
    clock,
    random,
    onError: (error) => errors.push(error),
    ...more,
  });
  await venue.open(sink);
  let time = 1_000;
  const tick = (price: string, volume = '1000000') =>
    venue.tick({ time: time++, symbol: 'BTCUSDT', price, volume });
  tick('100');
  return { clock, lane, sink, venue, errors, tick };
}

export function limit(
  clientId: string,
  side: 'BUY' | 'SELL',
  price: string,
  quantity: string,
): ExchangeOrder {
  return { clientId, symbol: 'BTCUSDT', side, type: 'LIMIT', price, quantity, timeInForce: 'GTC' };
}

/** Mulberry32: small, seeded, uniform in [0, 1). */
export function seeded(seed: number): { next(): number } {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
    },
  };
}
