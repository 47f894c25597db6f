/**
 * Decides whether an order passes the guards of its account, equally for console, API and bots
 * (money-at-risk, section 3). Whether an order closes is computed from the position; closing orders pass
 * every guard, except that a person's limit price far on the losing side counts as a typing error. Exits of
 * runs and protective orders count as closing by their origin. An account without guards is never checked.
 * Pure.
 */
import { ceilTo, type Dec, dec, div, floorTo, mul, str, ZERO } from '../domain/decimal.ts';
import { GUARD_CODES, type GuardName, type Guards, isGuardCode } from '../domain/guards.ts';
import type { OrderRecord } from '../domain/order.ts';
import type { CreateOrder } from '../schemas/order.ts';
import { deadManProblem } from './dead-man.ts';
import type { Problem } from './filters.ts';
import {
  closesByOrigin,
  entriesOf,
  exposure,
  type GuardedOrder,
  type GuardMemory,
  guardedOf,
  openCount,
  othersTake,
  sizeOf,
  worthOf,
} from './guard-figures.ts';
import { lossProblem } from './loss-figure.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import type { StepContext } from './step-context.ts';
import { isUnread } from './unread.ts';
import { type BotKnowledge, type Validation, validateOrder } from './validate.ts';

const HUNDRED = dec('100');
const CENT = dec('0.01');

export interface Judging {
  /** The order is a run's exit. */
  readonly exits?: boolean;
  /** The order was placed by a person or a program, not by a run. */
  readonly byHand?: boolean;
  /** Its trigger has been met: a protective order must not be lost. */
  readonly fired?: boolean;
  /** Monotonic time; left out: the number of entries per minute is not checked. */
  readonly mono?: number;
  /** Other orders that are placed with it, and are not in memory. */
  readonly beside?: readonly GuardedOrder[];
}

export interface Judgement {
  readonly closes: boolean;
  readonly problem: Problem | null;
}

const PASSES: Judgement = { closes: false, problem: null };

/** Runs `validateOrder`, and then the guards. */
export function validateGuarded(
  memory: EngineMemory,
  request: Partial<CreateOrder>,
  now: { readonly market: number; readonly mono?: number },
  bot?: BotKnowledge,
): Validation {
  const valid = validateOrder(memory, request, now.market, bot);
  const { plan } = valid;
  if (!plan?.account.guards) return valid;
  const { side = 'BUY', type = 'LIMIT', positionSide = 'BOTH' } = request;
  const trigger = request.stopPrice === undefined ? plan.activationPrice : dec(request.stopPrice);
  const order: GuardedOrder = {
    symbol: plan.instrument.symbol,
    side,
    type,
    positionSide,
    trigger,
    quantity: plan.quantity,
    price: request.price === undefined ? null : dec(request.price),
    amount: request.quoteOrderQty === undefined ? null : dec(request.quoteOrderQty),
    reduces: request.reduceOnly === true || request.closePosition === true,
    endsPosition: request.closePosition === true,
  };
  const how = { byHand: bot === undefined, ...(bot?.exits ? { exits: true } : {}) };
  const pace = now.mono === undefined ? {} : { mono: now.mono };
  const { problem } = judge(memory, plan.account, order, { ...how, ...pace });
  return problem ? { problems: [problem], plan: null } : valid;
}

/** Checks an order just before it is sent: returns the objection; without one the order counts as sent. */
export function passGuards(step: StepContext, order: OrderRecord, how: Judging = {}): Problem | null {
  const account = step.memory.account(order.exchange);
  const { guards } = account;
  if (!guards) return null;
  const fired = how.fired ? { fired: true } : {};
  const { closes, problem } = judge(step.memory, account, guardedOf(order, how.fired === true), {
    ...fired,
    exits: order.creator === 'BOT' && closesByOrigin(account, order),
    mono: step.now.mono,
    ...(how.byHand ? { byHand: true } : {}),
  });
  if (!closes && problem === null && !closesByOrigin(account, order)) guards.sent.push(step.now.mono);
  return problem;
}

/**
 * Counts an order that was judged in this step already as sent, unless it closes or its exchange keeps it
 * from opening anything.
 */
export function noteSent(step: StepContext, order: OrderRecord, exits: boolean): void {
  const account = step.memory.account(order.exchange);
  if (!account.guards || exits || closesByOrigin(account, order)) return;
  if (!closes(step.memory, account, guardedOf(order, false), false)) account.guards.sent.push(step.now.mono);
}

/** Judges an order on an account that has guards; of several objections the gravest one counts. */
export function judge(
  memory: EngineMemory,
  account: AccountMemory,
  order: GuardedOrder,
  how: Judging,
): Judgement {
  const { guards } = account;
  if (!guards) return PASSES;
  const isClose = how.exits === true || closes(memory, account, order, how.fired === true);
  if (isClose) {
    const isSlip = how.byHand === true && how.exits !== true && !how.fired && isPlainLimit(order);
    return { closes: true, problem: isSlip ? bandProblem(account, guards.set, order, false) : null };
  }
  const { set } = guards;
  return {
    closes: false,
    problem:
      lossProblem(account) ??
      symbolProblem(account, set, order) ??
      deadManProblem(memory, account, order.symbol) ??
      valueProblem(account, set, order) ??
      bandProblem(account, set, order, true) ??
      positionProblem(memory, account, set, order, how.beside ?? []) ??
      countProblem(memory, account, set, order, how.beside ?? []) ??
      paceProblem(account, guards, how),
  };
}

/**
 * Returns whether the order is against the position, and not larger than the part that no other order closes.
 * For a `fired` order and one that ends the position its exchange decides about the size, which is not known
 * here while an execution is not in the position yet.
 */
function closes(memory: EngineMemory, account: AccountMemory, order: GuardedOrder, fired: boolean): boolean {
  const { symbol, side, positionSide, quantity, reduces, endsPosition } = order;
  // On spot only assets of the account can be sold.
  if (!account.futures) return side === 'SELL';
  const enforced = reduces || (positionSide !== 'BOTH' && (positionSide === 'LONG') === (side === 'SELL'));
  if (positionSide !== 'BOTH' && !enforced) return false;
  if (enforced && (fired || endsPosition || isUnread(account, 'positions'))) return true;
  const size = sizeOf(account, symbol, positionSide, side === 'SELL' ? 'BUY' : 'SELL');
  if (size <= ZERO) return false;
  return quantity <= (enforced ? size : size - othersTake(memory, account, order));
}

/** Returns whether an order at its exchange closes, on an account with guards or without. */
export function closesNow(memory: EngineMemory, account: AccountMemory, order: GuardedOrder): boolean {
  return closes(memory, account, order, false);
}

// --- each guard ---

function symbolProblem(
  { account }: AccountMemory,
  { symbols }: Guards,
  { symbol }: GuardedOrder,
): Problem | null {
  if (symbols === null || symbols.includes(symbol)) return null;
  return problem(
    'symbols',
    'symbol',
    account.id,
    `${symbol} is not among the symbols that`,
    symbols.join(' '),
  );
}

function valueProblem(
  account: AccountMemory,
  { maxOrderValue }: Guards,
  order: GuardedOrder,
): Problem | null {
  if (maxOrderValue === null) return null;
  const value = worthOf(account, order);
  if (value === null) return unpriced(account, 'maxOrderValue', order.symbol);
  if (value <= dec(maxOrderValue)) return null;
  const field = order.amount === null ? 'quantity' : 'quoteOrderQty';
  return problem(
    'maxOrderValue',
    field,
    account.account.id,
    `the order is worth ${money(value)} and`,
    `${maxOrderValue} USDT`,
  );
}

function positionProblem(
  memory: EngineMemory,
  account: AccountMemory,
  { maxPositionValue }: Guards,
  order: GuardedOrder,
  beside: readonly GuardedOrder[],
): Problem | null {
  if (maxPositionValue === null) return null;
  const value = exposure(memory, account, order, [order, ...beside]);
  if (value === null) return unpriced(account, 'maxPositionValue', order.symbol);
  if (value <= dec(maxPositionValue)) return null;
  const what = `position and entries of ${order.symbol} would be worth ${money(value)} and`;
  return problem('maxPositionValue', 'quantity', account.account.id, what, `${maxPositionValue} USDT`);
}

function countProblem(
  memory: EngineMemory,
  account: AccountMemory,
  { maxOpenOrders }: Guards,
  { id }: GuardedOrder,
  beside: readonly GuardedOrder[],
): Problem | null {
  if (maxOpenOrders === null) return null;
  const count = openCount(memory, account, id) + beside.length + 1;
  if (count <= maxOpenOrders) return null;
  const what = `${count} orders would be open and`;
  return problem('maxOpenOrders', 'symbol', account.account.id, what, `${maxOpenOrders}`);
}

function paceProblem(
  { account }: AccountMemory,
  guards: GuardMemory,
  { mono, beside = [] }: Judging,
): Problem | null {
  const { maxOrdersPerMinute } = guards.set;
  if (maxOrdersPerMinute === null || mono === undefined) return null;
  const count = entriesOf(guards, mono) + beside.length + 1;
  if (count <= maxOrdersPerMinute) return null;
  const what = `it would be entry ${count} within a minute and`;
  return problem('maxOrdersPerMinute', 'symbol', account.id, what, `${maxOrdersPerMinute}`);
}

function isPlainLimit({ type, price }: GuardedOrder): boolean {
  return price !== null && (type === 'LIMIT' || type === 'LIMIT_MAKER');
}

/**
 * Checks for a buy far above the market, or a sale far below; for an order with a trigger, above or below the
 * trigger price.
 */
function bandProblem(
  account: AccountMemory,
  { priceBand }: Guards,
  order: GuardedOrder,
  isEntry: boolean,
): Problem | null {
  const { price, side, symbol, trigger } = order;
  if (priceBand === null || price === null) return null;
  const from = trigger ?? account.market.prices.get(symbol);
  if (from === undefined) return isEntry ? unpriced(account, 'priceBand', symbol) : null;
  const band = div(mul(from, dec(priceBand)), HUNDRED);
  const edge = side === 'BUY' ? from + band : from - band;
  if (side === 'BUY' ? price <= edge : price >= edge) return null;
  const tick = account.numbers.get(symbol)?.tick ?? CENT;
  const bound = side === 'BUY' ? floorTo(edge, tick) : ceilTo(edge, tick);
  const what = `price ${str(price)} is too far on the losing side of ${str(from)} and`;
  const allowed = `${priceBand} %: ${side === 'BUY' ? 'at most' : 'at least'} ${str(bound)}`;
  return problem('priceBand', 'price', account.account.id, what, allowed);
}

const CURE: Readonly<Record<Exclude<GuardName, 'dailyLossLimit' | 'deadManSeconds'>, string>> = {
  maxOrderValue: 'make it smaller',
  maxPositionValue: 'make it smaller, or cancel or close something first',
  maxOpenOrders: 'cancel something first',
  maxOrdersPerMinute: 'try again in a minute',
  priceBand: 'change the price',
  symbols: 'take one of them',
};

function problem(
  name: keyof typeof CURE,
  field: string,
  exchange: string,
  what: string,
  allowed: string,
): Problem {
  const message = `${what} ${name} of ${exchange} allows ${allowed}; ${CURE[name]}, or change the guard on the Accounts screen`;
  return { field, message, reason: GUARD_CODES[name] };
}

function unpriced({ account }: AccountMemory, name: GuardName, symbol: string): Problem {
  const message = `${name} of ${account.id} cannot be judged: no price of ${symbol} is known; try again when there is one`;
  return { field: 'symbol', message, reason: GUARD_CODES[name] };
}

/** Rounds up, so that an amount over the limit never looks like an allowed one. */
function money(value: Dec): string {
  return `${str(ceilTo(value, CENT))} USDT`;
}

/**
 * Judges a split: the parts replace the whole. Returns the objection to the first part that does not pass.
 */
export function judgeParts(
  memory: EngineMemory,
  account: AccountMemory,
  whole: GuardedOrder,
  parts: readonly GuardedOrder[],
  mono: number | undefined,
): Problem | null {
  const exits = closes(memory, account, whole, false);
  const pace = mono === undefined ? {} : { mono };
  for (const part of parts) {
    const beside = parts.filter((other) => other !== part);
    const { problem } = exits
      ? { problem: account.guards && bandProblem(account, account.guards.set, part, false) }
      : judge(memory, account, part, { byHand: true, beside, ...pace });
    if (problem) return problem;
  }
  return null;
}

/** Ends an order that a guard has kept from being sent; returns the reason in words. */
export function endGuarded(
  step: StepContext,
  order: OrderRecord,
  { reason, message }: Pick<Problem, 'message'> & Partial<Problem>,
): string {
  if (isGuardCode(reason)) order.rejectCode = reason;
  const text = `not sent: ${message}`;
  step.move(order, 'ERROR', 'done', 'rejected', text);
  return text;
}
