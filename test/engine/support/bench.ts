/**
 * One engine with one account (spot, or `futures`), driven event by event: for tests that say exactly what
 * the exchange reports and when.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Actor } from '../../../src/domain/actor.ts';
import type { Now } from '../../../src/domain/clock.ts';
import type {
  CancelOutcome,
  ExchangeAccount,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Row } from '../../../src/domain/rows.ts';
import { loadDayBase } from '../../../src/engine/day-base.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { loadGuards } from '../../../src/engine/guard-settings.ts';
import { loadLedger } from '../../../src/engine/ledger.ts';
import type { Answer, Effect, EngineEvent, OrderCommand, StepResult } from '../../../src/engine/step.ts';
import type { CreateOrder, Order } from '../../../src/schemas/order.ts';
import {
  ACCOUNT,
  BTC,
  CAPS,
  ETH,
  FUTURES,
  FUTURES_ACCOUNT,
  FUTURES_BTC,
  FUTURES_CAPS,
  KEY_ACTOR,
  MONO_START,
  SPOT,
  START,
} from './market.ts';
import { RowStore } from './row-store.ts';

export interface BenchOptions {
  readonly instruments?: readonly Instrument[];
  readonly caps?: Partial<ExchangeCaps>;
  /** Further accounts. */
  readonly more?: readonly ExchangeAccount[];
  /** Null: no price is known. */
  readonly price?: string | null;
  readonly balances?: readonly ExchangeBalance[];
  /** A futures account in one-way mode at leverage 20, without positions. @default false */
  readonly futures?: boolean;
  /** The spot account, and such a futures account on the same wallet. @default false */
  readonly unified?: boolean;
  /** Its exchange has a ledger. @default false */
  readonly ledger?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly message: string;
  readonly reason: string | undefined;
  readonly order: Order;
  readonly orders: Order[];
  readonly answer: Answer;
}

const RICH: readonly ExchangeBalance[] = [
  { asset: 'USDT', free: '10000000', locked: '0' },
  { asset: 'BTC', free: '1000', locked: '0' },
];

/** The wallet that both accounts of a unified exchange share. */
export const WALLET = 'paper-unified';

const AT_20X = {
  hedge: false,
  leverage: [{ symbol: 'BTCUSDT', side: 'BOTH', leverage: 20, marginType: 'CROSSED', realizedPnl: '0' }],
} as const;

export class Bench {
  engine: Engine;
  store = new RowStore();
  /** Effects of the last step. */
  effects: Effect[] = [];
  last: StepResult = { rows: [], effects: [], force: false };
  readonly answers = new Map<number, Answer>();
  readonly exchange: string;
  readonly #options: BenchOptions;
  #wall = START;
  #mono = MONO_START;
  #token = 0;
  #seq = 1;
  #trade = 0;
  /** Orders that subscribers received, each with a copy as it was then. */
  readonly #published: (readonly [OrderRecord, OrderRecord])[] = [];
  /** Rows that wait for the next commit. */
  #riding: Row[] = [];

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.exchange = options.futures ? FUTURES : SPOT;
    this.engine = this.#fresh();
  }

  get wall(): number {
    return this.#wall;
  }

  /** Lets time pass until the wall clock shows this time. */
  set wall(wall: number) {
    this.#mono += wall - this.#wall;
    this.#wall = wall;
  }

  /** The capabilities of the account's exchange. */
  get caps(): ExchangeCaps {
    return { ...(this.#options.futures ? FUTURES_CAPS : CAPS), ...this.#options.caps };
  }

  get mono(): number {
    return this.#mono;
  }

  get now(): Now {
    return { wall: this.#wall, market: this.#wall, mono: this.#mono };
  }

  pass(ms: number): void {
    this.wall += ms;
  }

  /** Lets time pass until the engine's next wake. */
  passToWake(): void {
    this.pass(Math.max(0, this.engine.nextWake() - this.#mono));
  }

  /** Sets the wall clock, as a person or a sleeping machine does; no time passes. */
  setWall(wall: number): void {
    this.#wall = wall;
  }

  event(event: EngineEvent): Effect[] {
    this.last = this.engine.step(event, this.now);
    return this.#take();
  }

  ask(
    command: OrderCommand,
    more: { actor?: Actor; key?: string; print?: string } = {},
  ): { token: number; reply: () => Reply } {
    const token = ++this.#token;
    const entropy = token.toString(32).padStart(11, '0');
    const idempotency = more.key ? { key: more.key, fingerprint: more.print ?? 'p' } : undefined;
    const context = { requestId: `req-${token}`, ...(idempotency ? { idempotency } : {}) };
    this.event({ type: 'command', token, actor: more.actor ?? KEY_ACTOR, command, context, entropy });
    return { token, reply: () => this.reply(token) };
  }

  place(request: Partial<CreateOrder>, more: { actor?: Actor; key?: string; print?: string } = {}) {
    const full = {
      exchange: this.exchange,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      ...request,
    } as CreateOrder;
    const asked = this.ask({ type: 'place', request: full }, more);
    const order = this.engine.memory.orders.get([...this.engine.memory.orders.keys()].at(-1) ?? '');
    return { ...asked, order: order as OrderRecord };
  }

  /** Places a LIMIT order that rests on the book. */
  resting(request: Partial<CreateOrder> = {}): OrderRecord {
    const { order } = this.place({ price: '50000', quantity: '1', ...request });
    this.accepted(order);
    return order;
  }

  cancel(id: string, more: { actor?: Actor; key?: string; print?: string } = {}) {
    return this.ask({ type: 'cancel', exchange: this.exchange, id }, more);
  }

  split(id: string, prices: string[], more: { actor?: Actor; key?: string; print?: string } = {}) {
    return this.ask({ type: 'split', exchange: this.exchange, id, prices }, more);
  }

  reply(token: number): Reply {
    const answer = this.answers.get(token);
    if (!answer) throw new Error(`command ${token} was not answered`);
    const body = JSON.parse(answer.body);
    const reason = answer.outcome && !answer.outcome.ok ? answer.outcome.error.reason : undefined;
    const message = body.error?.message ?? '';
    return { status: answer.status, message, reason, order: body.data, orders: body.data, answer };
  }

  isAnswered(token: number): boolean {
    return this.answers.has(token);
  }

  state(order: OrderRecord, more: Partial<ExchangeOrderState> = {}): ExchangeOrderState {
    return {
      clientId: order.id,
      symbol: order.symbol,
      status: 'WORKING',
      origQty: order.origQty,
      cumQty: '0',
      seq: ++this.#seq,
      time: this.wall,
      ...more,
    };
  }

  trade(order: OrderRecord, qty: string, more: Partial<ExchangeFill> = {}): ExchangeFill {
    return {
      tradeId: `t${++this.#trade}`,
      clientId: order.id,
      symbol: order.symbol,
      side: order.side,
      price: order.price ?? '60000',
      qty,
      comm: '0',
      commAsset: 'BTC',
      maker: true,
      rPnl: null,
      posSide: 'BOTH',
      time: this.wall,
      ...more,
    };
  }

  submitted(order: OrderRecord, outcome: SubmitOutcome): Effect[] {
    return this.event({ type: 'submitted', exchange: order.exchange, orderId: order.id, outcome });
  }

  accepted(order: OrderRecord, more: Partial<ExchangeOrderState> = {}): Effect[] {
    return this.submitted(order, { kind: 'accepted', state: this.state(order, more) });
  }

  lost(order: OrderRecord): Effect[] {
    return this.submitted(order, { kind: 'unknown', cause: 'HTTP 502' });
  }

  cancelled(order: OrderRecord, outcome: CancelOutcome): Effect[] {
    return this.event({ type: 'cancelled', exchange: order.exchange, orderId: order.id, outcome });
  }

  cancelDone(order: OrderRecord, cumQty = '0'): Effect[] {
    return this.cancelled(order, { kind: 'done', state: this.state(order, { status: 'CANCELLED', cumQty }) });
  }

  queried(order: OrderRecord, outcome: QueryOutcome, askedAt = this.mono): Effect[] {
    return this.event({ type: 'queried', exchange: order.exchange, orderId: order.id, outcome, askedAt });
  }

  stream(state: ExchangeOrderState): Effect[] {
    return this.event({ type: 'venue.order', exchange: this.exchange, state });
  }

  fill(fill: ExchangeFill): Effect[] {
    return this.event({ type: 'venue.fill', exchange: this.exchange, fill });
  }

  tick(price: string, symbol = 'BTCUSDT'): Effect[] {
    return this.event({ type: 'tick', market: 'paper', symbol, price });
  }

  wake(): Effect[] {
    return this.event({ type: 'wake' });
  }

  /** The process dies and starts again from the rows. */
  restart(): Effect[] {
    this.engine = this.#fresh();
    return this.start();
  }

  /** Performs the start alone, after a load. */
  start(): Effect[] {
    this.last = this.engine.start(this.now);
    return this.#take();
  }

  reload(): Engine {
    return this.#fresh();
  }

  order(id: string): OrderRecord {
    const order = this.engine.memory.orders.get(id);
    if (!order) throw new Error(`no order ${id}`);
    return order;
  }

  kinds(kind: Effect['kind']): Effect[] {
    return this.effects.filter((effect) => effect.kind === kind);
  }

  locked(asset: string): bigint {
    return this.engine.memory.account(this.exchange).wallet.locks.get(asset) ?? 0n;
  }

  #take(): Effect[] {
    this.#riding.push(...this.last.rows);
    if (this.last.force) {
      this.store.commit(this.#riding);
      this.#riding = [];
      this.#checkStored();
    }
    this.effects = this.last.effects;
    for (const [order, asTold] of this.#published)
      if (!isDeepStrictEqual(order, asTold))
        throw new Error(`what was told of ${order.id} has changed since`);
    for (const effect of this.effects) {
      if (effect.kind === 'order-event') this.#published.push([effect.order, structuredClone(effect.order)]);
      if (effect.kind !== 'answer') continue;
      if (this.answers.has(effect.token)) throw new Error(`command ${effect.token} was answered twice`);
      this.answers.set(effect.token, effect.answer);
    }
    return this.effects;
  }

  /**
   * Checks that every change of an order is stored. Peaks of trailing stops may be missing: they go with
   * other commits.
   */
  #checkStored(): void {
    for (const [id, order] of this.engine.memory.orders) {
      const stored = this.store.orders.get(id);
      if (this.engine.memory.movedPeaks.has(id) || isDeepStrictEqual(stored, plain(order))) continue;
      throw new Error(
        `${id} is not stored as it is:\n stored ${JSON.stringify(stored)}\n memory ${JSON.stringify(order)}`,
      );
    }
  }

  #fresh(): Engine {
    this.#riding = [];
    const engine = new Engine();
    const { futures = false, unified = false, more = [], price = '60000', balances = RICH } = this.#options;
    const { instruments = futures ? [FUTURES_BTC] : [BTC, ETH] } = this.#options;
    const guards = loadGuards(this.store.meta, this.exchange);
    const first = futures ? FUTURES_ACCOUNT : ACCOUNT;
    const known = {
      guards,
      dayBase: loadDayBase(this.store.meta, this.exchange),
      ...(this.#options.ledger ? { ledger: loadLedger(this.store.meta, this.exchange) } : {}),
    };
    engine.memory.addAccount(unified ? { ...first, wallet: WALLET } : first, this.caps, instruments, known);
    const second = { ...FUTURES_ACCOUNT, wallet: WALLET };
    if (unified) engine.memory.addAccount(second, FUTURES_CAPS, [FUTURES_BTC]);
    for (const other of more) engine.memory.addAccount(other, this.caps, [BTC, ETH]);
    engine.load(this.store.load(this.wall - 3_660_000));
    if (price !== null) engine.step({ type: 'price', market: 'paper', symbol: 'BTCUSDT', price }, this.now);
    engine.step({ type: 'venue.balances', exchange: this.exchange, changed: balances, all: true }, this.now);
    if (futures || unified) {
      engine.step({ type: 'venue.settings', exchange: FUTURES, ...AT_20X }, this.now);
      engine.step({ type: 'venue.positions', exchange: FUTURES, changed: [], all: true }, this.now);
    }
    return engine;
  }
}

/** The record as a store has it: without fields that have no value. */
function plain(order: OrderRecord): unknown {
  return JSON.parse(JSON.stringify(order));
}
