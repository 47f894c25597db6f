/**
 * Decides whether an order request may be sent. Collects every problem, each naming its field, and plans the
 * order when there is none. The ticket's live checks and the API's 400 are this same function. Pure.
 */
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../domain/decimal.ts';
import type { RefusalReason } from '../domain/errors.ts';
import type { Instrument, InstrumentNumbers } from '../domain/instrument.ts';
import { notTraded } from '../domain/lookalike.ts';
import type { CreateOrder, MarginType, OrderType, TimeInForce } from '../schemas/order.ts';
import { availability } from './balances.ts';
import { isClosing } from './closing.ts';
import { checkGrid, checkPrice, checkQuantity, type Problem } from './filters.ts';
import { tradedSymbols } from './instruments.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { orderForms } from './order-forms.ts';
import { lockOf, type OrderLock } from './order-lock.ts';
import { surelyReducible } from './positions.ts';
import { valueProblem, wholeCloseProblem } from './small-closes.ts';
import { knowsAsset } from './unread.ts';
import { checkFutures } from './validate-futures.ts';

/** What is needed beyond the request to create the record. */
export interface OrderPlan {
  readonly account: AccountMemory;
  readonly instrument: Instrument;
  readonly quantity: Dec;
  readonly timeInForce: TimeInForce;
  /** The engine holds the order until its trigger; otherwise it is sent at once. */
  readonly held: boolean;
  /** The exchange cannot do some part of it by itself (S26). */
  readonly emulated: boolean;
  readonly activationPrice: Dec | null;
  readonly lock: OrderLock;
  /** Futures: the margin type to set before the order is sent. */
  readonly marginType: MarginType | null;
}

export type Validation = { readonly problems: readonly Problem[]; readonly plan: OrderPlan | null };

const LIMIT_TYPES: ReadonlySet<OrderType> = new Set([
  'LIMIT',
  'LIMIT_MAKER',
  'STOP_LIMIT',
  'TAKE_PROFIT_LIMIT',
]);
const STOP_TYPES: ReadonlySet<OrderType> = new Set([
  'STOP_MARKET',
  'STOP_LIMIT',
  'TAKE_PROFIT_MARKET',
  'TAKE_PROFIT_LIMIT',
]);
const MARKET_TYPES: ReadonlySet<OrderType> = new Set(['MARKET', 'STOP_MARKET', 'TAKE_PROFIT_MARKET']);

/** Returns whether the price must rise to the trigger: stop of a buy, take-profit of a sell. */
export function triggersAbove(type: OrderType, side: 'BUY' | 'SELL'): boolean {
  return type.startsWith('STOP') === (side === 'BUY');
}

/** Returns the problem of a trigger that the current price meets already. */
export function stopSideProblem(type: OrderType, side: 'BUY' | 'SELL', stop: Dec, last: Dec): Problem | null {
  const above = triggersAbove(type, side);
  if (above ? last < stop : last > stop) return null;
  return {
    field: 'stopPrice',
    message: `stopPrice ${str(stop)} would trigger at once: the last price is ${str(last)}; a ${type} ${side} needs a stopPrice ${above ? 'above' : 'below'} it`,
    reason: 'STOP_SIDE',
  };
}

/** What a bot knows before the exchange has reported it: fills come before balances and positions. */
export interface BotKnowledge {
  /** Returns the run's own part of the reserved balances. */
  readonly own: (asset: string) => Dec;
  /** Returns what orders of runs have released before their runs were notified. */
  readonly unheard: (asset: string) => Dec;
  /** The bot sells what it holds. */
  readonly exits: boolean;
}

const NO_BOT: BotKnowledge = { own: () => ZERO, unheard: () => ZERO, exits: false };

export function validateOrder(
  memory: EngineMemory,
  request: Partial<CreateOrder>,
  marketTime: number,
  /** The knowledge of the bot, for a bot's order. */
  bot: BotKnowledge = NO_BOT,
): Validation {
  return new OrderCheck(memory, request, marketTime, bot).run();
}

class OrderCheck {
  private readonly problems: Problem[] = [];
  private readonly memory: EngineMemory;
  private readonly r: Partial<CreateOrder>;
  private readonly marketTime: number;
  private readonly bot: BotKnowledge;

  constructor(memory: EngineMemory, request: Partial<CreateOrder>, marketTime: number, bot: BotKnowledge) {
    this.bot = bot;
    this.memory = memory;
    this.r = request;
    this.marketTime = marketTime;
  }

  run(): Validation {
    const { r } = this;
    const account = r.exchange === undefined ? undefined : this.memory.accounts.get(r.exchange);
    if (!account) {
      const names = [...this.memory.accounts.keys()].join(', ');
      return this.stop(
        'exchange',
        r.exchange === undefined
          ? `exchange is missing; connected: ${names}`
          : `exchange ${JSON.stringify(r.exchange)} is not connected; connected: ${names}`,
        'EXCHANGE',
      );
    }
    const instrument = r.symbol === undefined ? undefined : account.instruments.get(r.symbol);
    const numbers = r.symbol === undefined ? undefined : account.numbers.get(r.symbol);
    if (!instrument || !numbers) return this.unknownSymbol(account);
    if (instrument.delisted) {
      const text = `symbol ${JSON.stringify(r.symbol)} is no longer traded on ${account.account.id}`;
      return this.stop('symbol', text, 'SYMBOL');
    }
    if (!r.side) this.add('side', 'side is missing; BUY or SELL');
    if (!r.type) this.add('type', 'type is missing; for example LIMIT or MARKET');
    if (!r.side || !r.type) return { problems: this.problems, plan: null };

    const last = account.market.prices.get(instrument.symbol);
    this.checkMarketKind(account);
    const known = { ...r, symbol: instrument.symbol, side: r.side, type: r.type };
    const futures = checkFutures(this.memory, account, known, this.bot.exits);
    this.problems.push(...futures.problems);
    const trigger = futures.mark ?? last;
    const price = this.checkLimitPrice(r.type, instrument, numbers, last);
    const stop = this.checkStopPrice(r.type, r.side, instrument, numbers, trigger);
    const activation = this.checkTrailing(r.type, r.side, instrument, numbers, trigger);
    const timeInForce = this.checkTimeInForce(r.type);
    const asked = { ...r, type: r.type, timeInForce };
    const forms = orderForms(this.memory, account, asked, instrument, this.marketTime);
    this.problems.push(...forms.problems);
    const reference = LIMIT_TYPES.has(r.type) ? price : (stop ?? activation ?? last ?? null);
    const isWhole = r.closePosition === true && account.futures !== null;
    if (isWhole) this.push(wholeCloseProblem(account, known, last, instrument));
    const quantity = isWhole
      ? futures.reducible
      : this.checkSize(known, account, instrument, numbers, last, reference);
    if (quantity !== null && !forms.refuses('iceberg'))
      this.checkIceberg(timeInForce, quantity, instrument, numbers);
    this.checkOpenOrders(account, instrument);
    if (this.problems.length > 0 || quantity === null) return { problems: this.problems, plan: null };

    const lock = lockOf(account, instrument, {
      side: r.side,
      positionSide: r.positionSide ?? 'BOTH',
      quantity,
      price: price ?? stop ?? last ?? ZERO,
      quoteOrderQty: r.quoteOrderQty === undefined ? null : dec(r.quoteOrderQty),
      closes: futures.closes,
      reducible: surelyReducible(account, instrument.symbol, r.side, r.positionSide ?? 'BOTH'),
    });
    if (this.mustBeCovered(account, lock)) this.checkBalance(account, lock);
    if (this.problems.length > 0) return { problems: this.problems, plan: null };
    const plan: OrderPlan = {
      account,
      instrument,
      quantity,
      timeInForce,
      ...forms.plan,
      activationPrice: activation,
      lock,
      marginType: futures.marginType,
    };
    return { problems: [], plan };
  }

  private unknownSymbol(account: AccountMemory): Validation {
    const { symbol } = this.r;
    const known = tradedSymbols(account);
    if (symbol === undefined)
      return this.stop('symbol', `symbol is missing; for example ${known[0]}`, 'SYMBOL');
    return this.stop('symbol', notTraded(symbol, account.account.id, known), 'SYMBOL');
  }

  /** Refuses futures-only fields on a spot account, and a marketType that contradicts the account (S24). */
  private checkMarketKind(account: AccountMemory): void {
    const { r } = this;
    const { id, kind } = account.account;
    if (r.marketType !== undefined && r.marketType !== kind) {
      this.add(
        'marketType',
        `marketType ${r.marketType} contradicts ${id}, which is ${kind}; leave it out or send ${kind}`,
      );
    }
    if (kind !== 'spot') return;
    const futuresOnly = (field: string, given: boolean) => {
      if (given) this.add(field, `${field} is for futures only; ${id} is spot: leave it out`);
    };
    futuresOnly('closePosition', r.closePosition === true);
    futuresOnly('reduceOnly', r.reduceOnly === true);
    futuresOnly('positionSide', r.positionSide !== undefined && r.positionSide !== 'BOTH');
    futuresOnly('marginType', r.marginType !== undefined);
  }

  private checkLimitPrice(
    type: OrderType,
    instrument: Instrument,
    n: InstrumentNumbers,
    last: Dec | undefined,
  ): Dec | null {
    if (!LIMIT_TYPES.has(type)) {
      if (this.r.price !== undefined)
        this.add('price', `price does not apply to ${type} orders; leave it out`);
      return null;
    }
    const price = this.decimal('price', this.r.price, `price is required for ${type} orders`);
    if (price === null) return null;
    const bad = checkPrice('price', price, instrument, n, last);
    this.push(bad);
    return bad ? null : price;
  }

  private checkStopPrice(
    type: OrderType,
    side: 'BUY' | 'SELL',
    instrument: Instrument,
    n: InstrumentNumbers,
    last: Dec | undefined,
  ): Dec | null {
    const { r } = this;
    if (r.trailingDelta !== undefined) {
      if (r.stopPrice !== undefined) {
        this.add(
          'stopPrice',
          'stopPrice does not go with trailingDelta; activationPrice is the price at which the trailing stop arms',
        );
      }
      return null;
    }
    if (!STOP_TYPES.has(type)) {
      if (r.stopPrice !== undefined)
        this.add('stopPrice', `stopPrice does not apply to ${type} orders; leave it out`);
      return null;
    }
    const stop = this.decimal('stopPrice', r.stopPrice, `stopPrice is required for ${type} orders`);
    if (stop === null) return null;
    const bad = checkPrice('stopPrice', stop, instrument, n, last);
    this.push(bad);
    if (!bad && last !== undefined) this.push(stopSideProblem(type, side, stop, last));
    return stop;
  }

  /**
   * Checks the trailing fields; returns the activation price (S32: percentPrice is relative to the current
   * price), null when armed at once.
   */
  private checkTrailing(
    type: OrderType,
    side: 'BUY' | 'SELL',
    instrument: Instrument,
    n: InstrumentNumbers,
    last: Dec | undefined,
  ): Dec | null {
    const { r } = this;
    if (r.trailingDelta === undefined) {
      for (const field of ['activationPrice', 'percentPrice'] as const) {
        if (r[field] !== undefined) this.add(field, `${field} goes with trailingDelta only`);
      }
      return null;
    }
    if (type !== 'STOP_MARKET') {
      this.add('trailingDelta', `trailingDelta goes with STOP_MARKET only, not with ${type}`);
    }
    const { trailingMinBps, trailingMaxBps } = instrument;
    if (
      !(r.trailingDelta >= trailingMinBps && r.trailingDelta <= trailingMaxBps) ||
      r.trailingDelta % 1 !== 0
    ) {
      this.problems.push({
        field: 'trailingDelta',
        message: `trailingDelta ${r.trailingDelta} must be a whole number of basis points from ${trailingMinBps} to ${trailingMaxBps} (100 = 1 %)`,
        reason: 'TRAILING',
      });
    }
    if (r.activationPrice !== undefined && r.percentPrice !== undefined) {
      this.add('percentPrice', 'activationPrice and percentPrice exclude each other; give one');
      return null;
    }
    if (r.activationPrice !== undefined) {
      const price = this.decimal('activationPrice', r.activationPrice, '');
      if (price !== null) this.push(checkPrice('activationPrice', price, instrument, n, last));
      return price;
    }
    if (r.percentPrice === undefined) return null;
    const percent = this.decimal('percentPrice', r.percentPrice, '');
    if (percent === null) return null;
    if (last === undefined) {
      this.noPrice(instrument);
      return null;
    }
    const change = mul(last, div(percent, dec('100')));
    const price = floorTo(side === 'SELL' ? last + change : last - change, n.tick);
    if (price <= ZERO) {
      this.add(
        'percentPrice',
        `percentPrice ${str(percent)} leads to a price of zero or less; it must be below 100`,
      );
      return null;
    }
    return price;
  }

  private checkTimeInForce(type: OrderType): TimeInForce {
    const { r } = this;
    if (MARKET_TYPES.has(type)) return 'GTC';
    const timeInForce = r.timeInForce ?? 'GTC';
    if (type === 'LIMIT_MAKER' && (timeInForce === 'IOC' || timeInForce === 'FOK')) {
      this.add(
        'timeInForce',
        `timeInForce ${timeInForce} contradicts LIMIT_MAKER, which must rest; use GTC or GTD`,
      );
    }
    if (timeInForce === 'GTD') {
      if (r.goodTillDate === undefined) {
        this.add('goodTillDate', 'goodTillDate (Unix ms) is required with timeInForce GTD');
      } else if (r.goodTillDate <= this.marketTime) {
        this.add(
          'goodTillDate',
          `goodTillDate ${r.goodTillDate} is in the past; market time is ${this.marketTime}`,
        );
      }
    } else if (r.goodTillDate !== undefined) {
      this.add('goodTillDate', `goodTillDate goes with timeInForce GTD, not with ${timeInForce}`);
    }
    return timeInForce;
  }

  /**
   * Returns the quantity in base units, from `quantity` or from `quoteOrderQty` (S32), after checking its
   * filters.
   */
  private checkSize(
    r: Partial<CreateOrder> & Pick<CreateOrder, 'symbol' | 'side' | 'type'>,
    account: AccountMemory,
    instrument: Instrument,
    n: InstrumentNumbers,
    last: Dec | undefined,
    reference: Dec | null,
  ): Dec | null {
    const { type } = r;
    const market = MARKET_TYPES.has(type);
    if (r.quoteOrderQty !== undefined) {
      if (type !== 'MARKET') {
        this.add(
          'quoteOrderQty',
          `quoteOrderQty goes with MARKET orders only, not with ${type}; give quantity`,
        );
        return null;
      }
      const amount = this.decimal('quoteOrderQty', r.quoteOrderQty, '');
      if (amount === null) return null;
      if (last === undefined) return this.noPrice(instrument);
      const quantity = floorTo(div(amount, last), n.step);
      if (quantity < n.minQty || mul(quantity, last) < n.minNotional) {
        this.problems.push({
          field: 'quoteOrderQty',
          message: `quoteOrderQty ${str(amount)} buys ${str(quantity)} ${instrument.base}, below the minimum order of ${instrument.minNotional} ${instrument.quote} and ${instrument.minQty} ${instrument.base}`,
          reason: 'MIN_NOTIONAL',
        });
        return null;
      }
      this.push(checkQuantity('quoteOrderQty', quantity, instrument, n, true));
      return quantity;
    }
    const quantity = this.decimal('quantity', r.quantity, `quantity is required for ${type} orders`);
    if (quantity === null) return null;
    const bad = checkQuantity('quantity', quantity, instrument, n, market);
    this.push(bad);
    if (bad) return quantity;
    if (reference === null) {
      if (account.futures && isClosing(account, r)) return quantity;
      if (LIMIT_TYPES.has(type) || (STOP_TYPES.has(type) && r.trailingDelta === undefined)) return quantity;
      return this.noPrice(instrument);
    }
    const size = { field: 'quantity', quantity, price: reference };
    this.push(valueProblem(this.memory, account, r, size, instrument, n));
    return quantity;
  }

  private checkIceberg(
    timeInForce: TimeInForce,
    quantity: Dec,
    instrument: Instrument,
    n: InstrumentNumbers,
  ): void {
    if (this.r.icebergQty === undefined) return;
    const bad = (message: string) => this.problems.push({ field: 'icebergQty', message, reason: 'ICEBERG' });
    if (this.r.type !== 'LIMIT' || timeInForce !== 'GTC') {
      bad('icebergQty goes with LIMIT orders of timeInForce GTC only');
      return;
    }
    const visible = this.decimal('icebergQty', this.r.icebergQty, '');
    if (visible === null) return;
    this.push(checkGrid('icebergQty', visible, n.step, 'step size', 'ICEBERG'));
    if (visible > quantity) bad(`icebergQty ${str(visible)} is more than the quantity ${str(quantity)}`);
    const parts = (quantity + visible - 1n) / visible;
    if (parts > BigInt(instrument.maxIcebergParts)) {
      bad(`icebergQty ${str(visible)} would make ${parts} parts; at most ${instrument.maxIcebergParts}`);
    }
  }

  private checkOpenOrders(account: AccountMemory, instrument: Instrument): void {
    const open = this.memory.openOn(account.account.id, instrument.symbol);
    if (open < instrument.maxOrders) return;
    this.problems.push({
      field: 'symbol',
      message: `${instrument.symbol} has ${open} open orders already; at most ${instrument.maxOrders}`,
      reason: 'MAX_ORDERS',
    });
  }

  /**
   * Returns whether the amount must be available here. On futures the exchange decides: unrealised profit
   * counts there, and the cost of an order has further parts. An exit may always sell what its run has
   * reserved. Any other amount must leave what other runs have reserved, and be available: what another run
   * buys while the order is on its way does not count. Where the available amount is unknown the exchange
   * decides.
   */
  private mustBeCovered(account: AccountMemory, lock: OrderLock): boolean {
    // Only closing orders get here with a balance that is not read yet (S59).
    if (!knowsAsset(account, lock.asset)) return false;
    const own = this.bot.own(lock.asset);
    const othersKeep = (account.wallet.reserved.get(lock.asset)?.excess ?? ZERO) > own;
    if (this.bot.exits) {
      return !account.futures && lock.amount > own && (othersKeep || !account.wallet.untold.hasDoubt);
    }
    return !account.futures || othersKeep;
  }

  /** Checks that the balance covers the lock (S25). */
  private checkBalance(account: AccountMemory, lock: OrderLock): void {
    const { available, reserved } = availability(account, lock.asset, this.bot.unheard(lock.asset));
    const own = this.bot.own(lock.asset);
    if (lock.amount <= available + own) return;
    const others = reserved - own;
    const bots = others > ZERO ? ` (${str(others)} reserved by bots)` : '';
    this.problems.push({
      field: this.r.quoteOrderQty === undefined ? 'quantity' : 'quoteOrderQty',
      message: `insufficient balance: ${str(available + own)} ${lock.asset} available${bots}, the order needs ${str(lock.amount)}`,
      reason: others > ZERO ? 'RESERVED' : 'BALANCE',
    });
  }

  private decimal(field: string, text: string | undefined, missing: string): Dec | null {
    if (text === undefined || text === '') {
      this.add(field, missing || `${field} is empty`);
      return null;
    }
    if (!/^(0|[1-9]\d{0,19})(\.\d{1,20})?$/.test(text)) {
      this.add(
        field,
        `${field} ${JSON.stringify(text.slice(0, 40))} is not a decimal such as 0.01 or 61234.56`,
      );
      return null;
    }
    const value = dec(text);
    if (value === ZERO) {
      this.add(field, `${field} must be more than zero`);
      return null;
    }
    return value;
  }

  private noPrice(instrument: Instrument): null {
    if (this.problems.some((p) => p.reason === 'NO_PRICE')) return null;
    this.problems.push({
      field: 'symbol',
      message: `no price of ${instrument.symbol} is known yet; a LIMIT order does not need one`,
      reason: 'NO_PRICE',
    });
    return null;
  }

  private add(field: string, message: string): void {
    this.problems.push({ field, message, reason: 'FIELD' });
  }

  private push(problem: Problem | null): void {
    if (problem) this.problems.push(problem);
  }

  private stop(field: string, message: string, reason: RefusalReason): Validation {
    this.problems.push({ field, message, reason });
    return { problems: this.problems, plan: null };
  }
}
