/** One engine with one spot account, driven event by event: for tests that say exactly what the exchange says when. */
import type { Actor } from '../../../src/domain/actor.ts';
import type {
  CancelOutcome,
  ExchangeBalance,
  ExchangeCaps,
  ExchangeFill,
  ExchangeOrderState,
  QueryOutcome,
  SubmitOutcome,
} from '../../../src/domain/exchange.ts';
import type { Instrument } from '../../../src/domain/instrument.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { Engine } from '../../../src/engine/engine.ts';
import type { Answer, Effect, EngineEvent, OrderCommand, StepResult } from '../../../src/engine/step.ts';
import type { CreateOrder, Order } from '../../../src/schemas/order.ts';
import { ACCOUNT, BTC, CAPS, ETH, KEY_ACTOR, SPOT, START } from './market.ts';
import { RowStore } from './row-store.ts';

export interface BenchOptions {
  readonly instruments?: readonly Instrument[];
  readonly caps?: Partial<ExchangeCaps>;
  /** Null: no price is known. */
  readonly price?: string | null;
  readonly balances?: readonly ExchangeBalance[];
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

export class Bench {
  engine: Engine;
  store = new RowStore();
  wall = START;
  /** Effects of the last step. */
  effects: Effect[] = [];
  last: StepResult = { rows: [], effects: [], force: false };
  readonly answers = new Map<number, Answer>();
  readonly #options: BenchOptions;
  #token = 0;
  #seq = 1;
  #trade = 0;

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.engine = this.#fresh();
  }

  event(event: EngineEvent): Effect[] {
    this.last = this.engine.step(event, { wall: this.wall, market: this.wall });
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
    const full = { exchange: SPOT, symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', ...request } as CreateOrder;
    const asked = this.ask({ type: 'place', request: full }, more);
    const order = this.engine.memory.orders.get([...this.engine.memory.orders.keys()].at(-1) ?? '');
    return { ...asked, order: order as OrderRecord };
  }

  /** A LIMIT order on the book. */
  resting(request: Partial<CreateOrder> = {}): OrderRecord {
    const { order } = this.place({ price: '50000', quantity: '1', ...request });
    this.accepted(order);
    return order;
  }

  cancel(id: string, more: { actor?: Actor; key?: string; print?: string } = {}) {
    return this.ask({ type: 'cancel', exchange: SPOT, id }, more);
  }

  split(id: string, prices: string[], more: { key?: string; print?: string } = {}) {
    return this.ask({ type: 'split', exchange: SPOT, id, prices }, more);
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
    return this.event({ type: 'submitted', orderId: order.id, outcome });
  }

  accepted(order: OrderRecord, more: Partial<ExchangeOrderState> = {}): Effect[] {
    return this.submitted(order, { kind: 'accepted', state: this.state(order, more) });
  }

  lost(order: OrderRecord): Effect[] {
    return this.submitted(order, { kind: 'unknown', cause: 'HTTP 502' });
  }

  cancelled(order: OrderRecord, outcome: CancelOutcome): Effect[] {
    return this.event({ type: 'cancelled', orderId: order.id, outcome });
  }

  cancelDone(order: OrderRecord, cumQty = '0'): Effect[] {
    return this.cancelled(order, { kind: 'done', state: this.state(order, { status: 'CANCELLED', cumQty }) });
  }

  queried(order: OrderRecord, outcome: QueryOutcome, askedAt = this.wall): Effect[] {
    return this.event({ type: 'queried', orderId: order.id, outcome, askedAt });
  }

  stream(state: ExchangeOrderState): Effect[] {
    return this.event({ type: 'venue.order', exchange: SPOT, state });
  }

  fill(fill: ExchangeFill): Effect[] {
    return this.event({ type: 'venue.fill', exchange: SPOT, fill });
  }

  tick(price: string, symbol = 'BTCUSDT'): Effect[] {
    return this.event({ type: 'tick', symbol, price });
  }

  wake(): Effect[] {
    return this.event({ type: 'wake' });
  }

  /** The process dies and starts again from the rows. */
  restart(): Effect[] {
    this.engine = this.#fresh();
    return this.start();
  }

  /** `start` alone, after a load. */
  start(): Effect[] {
    this.last = this.engine.start({ wall: this.wall, market: this.wall });
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
    return this.engine.memory.account(SPOT).locks.get(asset) ?? 0n;
  }

  #take(): Effect[] {
    if (this.last.force) this.store.commit(this.last.rows);
    this.effects = this.last.effects;
    for (const effect of this.effects) {
      if (effect.kind !== 'answer') continue;
      if (this.answers.has(effect.token)) throw new Error(`command ${effect.token} was answered twice`);
      this.answers.set(effect.token, effect.answer);
    }
    return this.effects;
  }

  #fresh(): Engine {
    const engine = new Engine();
    const { caps, instruments = [BTC, ETH], price = '60000', balances = RICH } = this.#options;
    engine.memory.addAccount(ACCOUNT, { ...CAPS, ...caps }, instruments);
    engine.load(this.store.load(this.wall - 3_660_000));
    const now = { wall: this.wall, market: this.wall };
    if (price !== null) engine.step({ type: 'price', symbol: 'BTCUSDT', price }, now);
    engine.step({ type: 'venue.balances', exchange: SPOT, changed: balances }, now);
    return engine;
  }
}
