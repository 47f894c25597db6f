/**
 * A spot exchange that is correct by construction. If everything has a time, it has one event queue for
 * orders and fills and one for balances: each is in order, and either may be faster. Without times there is
 * one queue, in which balances follow the orders and fills that cause them, and sometimes precede them.
 * Answers come at any time.
 */
import { type Dec, dec, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import type {
  ExchangeBalance,
  ExchangeFill,
  ExchangeOrder,
  ExchangeOrderState,
} from '../../../src/domain/exchange.ts';
import type { EngineEvent } from '../../../src/engine/step.ts';
import { type Dice, SPOT } from './market.ts';

/** The times in the exchange's events: none, one time for several events, or a time for each. */
export type Times = 'none' | 'coarse' | 'fine';

export interface Booked {
  readonly sent: ExchangeOrder;
  readonly symbol: string;
  readonly qty: Dec;
  /** The amount locked per unit; null: the order takes at once. */
  readonly limit: Dec | null;
  cum: Dec;
  status: ExchangeOrderState['status'];
  seq: number;
  readonly fills: ExchangeFill[];
  lock: { asset: string; amount: Dec };
  time: number | undefined;
}

export interface Question {
  readonly askedAt: number;
  answer: readonly EngineEvent[] | null;
  /** The last event sent before the answer and not received yet. */
  last?: EngineEvent | undefined;
}

const FEE = dec('0.001');

export class SpotModel {
  readonly wallet = new Map<string, { free: Dec; locked: Dec }>();
  readonly orders = new Map<string, Booked>();
  /** Orders sent by the desk that have not arrived yet. */
  readonly onTheWay: ExchangeOrder[] = [];
  readonly cancels: string[] = [];
  /** Events sent and not received yet; oldest first. */
  readonly orderLine: EngineEvent[] = [];
  readonly balanceLine: EngineEvent[];
  readonly answers: EngineEvent[] = [];
  readonly questions: Question[] = [];
  protected readonly dice: Dice;
  readonly #times: Times;
  /** Asset of all fees; null: what is received. */
  protected readonly feeAsset: string | null;
  #clock = 1_000;
  protected trades = 0;
  /** Position in the queue at which the present operation begins. */
  #begun = 0;

  constructor(dice: Dice, times: Times, feeAsset: string | null, start: Readonly<Record<string, string>>) {
    this.dice = dice;
    this.#times = times;
    this.feeAsset = feeAsset;
    this.balanceLine = times === 'fine' ? [] : this.orderLine;
    for (const [asset, free] of Object.entries(start))
      this.wallet.set(asset, { free: dec(free), locked: ZERO });
  }

  balances(): ExchangeBalance[] {
    const time = this.time();
    return [...this.wallet].map(([asset, { free, locked }]) => ({
      asset,
      free: str(free),
      locked: str(locked),
      ...(time === undefined ? {} : { time }),
    }));
  }

  /** Returns the account to which the order belongs. */
  protected exchangeOf(_sent: ExchangeOrder): string {
    return SPOT;
  }

  /** Returns what an order may use, and what others have locked. */
  balanceOf(asset: string): { free: Dec; locked: Dec } {
    return this.wallet.get(asset) ?? { free: ZERO, locked: ZERO };
  }

  /** Returns an answer about the account. */
  report(askedAt: number): EngineEvent[] {
    return [{ type: 'venue.balances', exchange: SPOT, changed: this.balances(), all: true, askedAt }];
  }

  /** Lets the oldest order on its way arrive. */
  arrive(price: Dec): void {
    const sent = this.onTheWay.shift();
    if (!sent) return;
    const qty = dec(sent.quantity ?? '0');
    const limit = sent.price === undefined ? null : dec(sent.price);
    const [base, quote] = [sent.symbol.slice(0, 3), 'USDT'];
    const asset = sent.side === 'BUY' ? quote : base;
    const amount = sent.side === 'BUY' ? mul(qty, limit ?? price) : qty;
    const held = this.of(asset);
    const there = this.balanceOf(asset).free;
    if (amount > there) throw new Error(`${sent.clientId} spends ${str(amount)} of ${str(there)}`);
    held.free -= amount;
    held.locked += amount;
    const booked: Booked = {
      sent,
      symbol: sent.symbol,
      qty,
      limit,
      cum: ZERO,
      status: 'WORKING',
      seq: 0,
      fills: [],
      lock: { asset, amount },
      time: this.tickOver(),
    };
    this.orders.set(sent.clientId, booked);
    this.changed(booked);
    if (limit === null) {
      this.execute(booked, qty, price);
      this.tellBalances();
    } else if (this.dice.chance(0.3)) {
      this.execute(booked, this.part(qty), limit);
      this.tellBalances();
    } else if (this.dice.chance(0.8)) this.tellBalances();
    const { state } = this.orderLine.findLast((event) => event.type === 'venue.order') as Extract<
      EngineEvent,
      { type: 'venue.order' }
    >;
    const outcome = { kind: 'accepted', state } as const;
    this.answers.push({ type: 'submitted', exchange: SPOT, orderId: sent.clientId, outcome });
  }

  /** Executes a resting order, in part or completely, at its price or a better one. */
  fillOne(): void {
    const open = [...this.orders.values()].filter(({ status }) => status === 'WORKING');
    const booked = open[this.dice.int(0, Math.max(0, open.length - 1))];
    if (!booked || booked.limit === null) return;
    booked.time = this.tickOver();
    const better = booked.sent.side === 'BUY' ? -1n : 1n;
    const price = booked.limit + better * dec(String(this.dice.int(0, 300)));
    this.execute(booked, this.part(booked.qty - booked.cum), price);
    this.tellBalances();
  }

  cancelOne(): void {
    const id = this.cancels.shift();
    const booked = id === undefined ? undefined : this.orders.get(id);
    if (!booked || id === undefined) return;
    if (booked.status === 'WORKING') {
      booked.time = this.tickOver();
      this.end(booked, 'CANCELLED');
      this.tellBalances();
    }
    const outcome = { kind: 'done', state: stateOf(booked) } as const;
    this.answers.push({ type: 'cancelled', exchange: this.exchangeOf(booked.sent), orderId: id, outcome });
  }

  /** Queries an order. */
  lookUp(): void {
    const known = [...this.orders.values()];
    const booked = known[this.dice.int(0, Math.max(0, known.length - 1))];
    if (!booked) return;
    const outcome = { kind: 'found', state: stateOf(booked), fills: [...booked.fills] } as const;
    this.answers.push({
      type: 'queried',
      exchange: this.exchangeOf(booked.sent),
      orderId: booked.sent.clientId,
      outcome,
    });
  }

  /** Deposits. */
  deposit(): void {
    this.tickOver();
    this.of('USDT').free += dec(String(this.dice.int(1, 500)));
    if (this.dice.chance(0.8)) this.tellBalances();
  }

  protected execute(booked: Booked, qty: Dec, price: Dec): void {
    const { sent, lock, limit } = booked;
    const base = sent.symbol.slice(0, 3);
    const buys = sent.side === 'BUY';
    const got = buys ? base : 'USDT';
    const unlocked = minDec(buys ? mul(qty, limit ?? price) : qty, lock.amount);
    lock.amount -= unlocked;
    const from = this.of(lock.asset);
    from.locked -= unlocked;
    from.free += unlocked - (buys ? mul(qty, price) : qty);
    this.of(got).free += buys ? qty : mul(qty, price);
    const commAsset = this.feeAsset ?? got;
    const comm = this.feeAsset === null ? mul(buys ? qty : mul(qty, price), FEE) : dec('0.0003');
    this.of(commAsset).free -= comm;
    booked.cum += qty;
    const fill: ExchangeFill = {
      tradeId: `t${++this.trades}`,
      clientId: sent.clientId,
      symbol: sent.symbol,
      side: sent.side,
      price: str(price),
      qty: str(qty),
      comm: str(comm),
      commAsset,
      maker: limit !== null,
      rPnl: null,
      posSide: 'BOTH',
      time: booked.time as number,
    };
    booked.fills.push(fill);
    this.orderLine.push({ type: 'venue.fill', exchange: this.exchangeOf(sent), fill });
    if (booked.cum === booked.qty) this.end(booked, 'FILLED');
    else this.changed(booked);
  }

  protected end(booked: Booked, status: Booked['status']): void {
    booked.status = status;
    const from = this.of(booked.lock.asset);
    from.free += booked.lock.amount;
    from.locked -= booked.lock.amount;
    booked.lock.amount = ZERO;
    this.changed(booked);
  }

  protected changed(booked: Booked): void {
    booked.seq += 1;
    this.orderLine.push({
      type: 'venue.order',
      exchange: this.exchangeOf(booked.sent),
      state: stateOf(booked),
    });
  }

  protected tellBalances(): void {
    const at = this.dice.chance(0.2) ? this.#begun : this.balanceLine.length;
    const told = { type: 'venue.balances', exchange: SPOT, changed: this.balances() } as const;
    this.balanceLine.splice(this.#times === 'fine' ? this.balanceLine.length : at, 0, told);
  }

  protected part(qty: Dec): Dec {
    const step = dec('0.001');
    const steps = Number(qty / step);
    return steps <= 1 || this.dice.chance(0.4) ? qty : BigInt(this.dice.int(1, steps - 1)) * step;
  }

  /** Advances the time; with coarse times several events share one. */
  protected tickOver(): number | undefined {
    this.#begun = this.orderLine.length;
    if (this.#times === 'fine' || (this.#times === 'coarse' && this.dice.chance(0.2))) this.#clock += 1;
    return this.time();
  }

  protected time(): number | undefined {
    return this.#times === 'none' ? undefined : this.#clock;
  }

  protected of(asset: string): { free: Dec; locked: Dec } {
    const held = this.wallet.get(asset) ?? { free: ZERO, locked: ZERO };
    this.wallet.set(asset, held);
    return held;
  }
}

export function stateOf({ sent, status, qty, cum, seq, time }: Booked): ExchangeOrderState {
  return {
    clientId: sent.clientId,
    symbol: sent.symbol,
    status,
    origQty: str(qty),
    cumQty: str(cum),
    seq,
    time: time as number,
  };
}
