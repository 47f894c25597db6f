/**
 * What the order ticket and the split dialog show while they are filled in: the engine's own checks as a
 * read. Pure.
 */
import { type Dec, dec, decOfInt, div, fixed, minDec, mul, roundTo, str, ZERO } from '../domain/decimal.ts';
import type { FeeRates } from '../domain/exchange.ts';
import type { Amendment, OrderRecord } from '../domain/order.ts';
import type { CreateOrder, PositionSide, Side } from '../schemas/order.ts';
import { planAmend } from './amend-checks.ts';
import { availability } from './balances.ts';
import type { EngineExtension } from './extension.ts';
import { validateGuarded } from './guards.ts';
import { afterOrder } from './margins.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { closedToEntries } from './permissions.ts';
import { reducible } from './positions.ts';
import { planSplit, remainder, splitQuantities } from './split.ts';
import { knowsAsset, waitsForReading } from './unread.ts';
import { type OrderPlan, validateOrder } from './validate.ts';

/** The preview; decimal strings, null where a value cannot be known yet. */
export interface OrderPreview {
  /** Problems for which the engine would refuse the order, field first; empty: it would be accepted. */
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly last: string | null;
  /** Futures: the mark price. */
  readonly mark: string | null;
  readonly notional: string | null;
  readonly fee: string | null;
  readonly feeAsset: string | null;
  /** Percent from the last price, signed. */
  readonly distance: string | null;
  /** What this side can spend: quote for a buy, base for a sell; on futures the margin asset. */
  readonly available: string | null;
  readonly availableAsset: string | null;
  /** Futures: initial margin of the part that opens. */
  readonly margin: string | null;
  /** Futures: the account after the order has filled completely; null where that cannot be known. */
  readonly after: AfterOrder | null;
  /** One sentence: what happens when it is placed. */
  readonly next: string;
}

/** A futures account after an order has filled. */
export interface AfterOrder {
  /** Signed size of the position after the fill. */
  readonly amount: string;
  /** Null: no price liquidates it. */
  readonly liquidation: string | null;
  /** Distance from the fill price to the liquidation price, percent, signed. */
  readonly distance: string | null;
  /**
   * Notional of all positions of the account divided by its equity, two places; null when no equity is left.
   */
  readonly exposure: string | null;
}

const DECIMAL = /^(0|[1-9]\d{0,19})(\.\d{1,20})?$/;

/**
 * Computes the preview. `feeRates`: for an account whose exchange does not report its fees; `mono`: monotonic
 * time, for its guards.
 */
export function orderPreview(
  memory: EngineMemory,
  request: Partial<CreateOrder>,
  marketTime: number,
  feeRates: FeeRates,
  mono?: number,
): OrderPreview {
  const account = request.exchange === undefined ? undefined : memory.accounts.get(request.exchange);
  const unread = account && (waitsForReading(account, request) ?? closedToEntries(memory, account, request));
  const { problems, plan } = unread
    ? { problems: [{ field: 'exchange', message: unread.error.message }], plan: null }
    : validateGuarded(memory, request, { market: marketTime, ...(mono === undefined ? {} : { mono }) });
  const instrument = account?.instruments.get(request.symbol ?? '');
  const last = account?.market.prices.get(request.symbol ?? '');
  const mark = account?.futures?.marks.get(request.symbol ?? '');
  const own = firstDecimal(request.price, request.stopPrice, request.activationPrice);
  // An order with a limit price has no figures before that price is typed.
  const price =
    own ?? (request.type === 'MARKET' || request.trailingDelta !== undefined ? (last ?? null) : null);
  const quantity = plan?.quantity ?? firstDecimal(request.quantity);
  const notional =
    firstDecimal(request.quoteOrderQty) ??
    (quantity !== null && price !== null ? mul(quantity, price) : null);
  const taker = isTaker(request, price, last);
  const rates = account?.fees ?? feeRates;
  const rate = dec(taker ? rates.taker : rates.maker);
  const futures = account?.futures ?? null;
  const paysBase = futures === null && request.side !== 'SELL';
  const spendAsset = futures === null && request.side === 'SELL' ? instrument?.base : instrument?.quote;
  const taxed = paysBase ? quantity : notional;
  const fee = taxed === null ? null : mul(taxed, rate);
  return {
    problems: problems.map(({ field, message }) => ({ field, message })),
    last: last === undefined ? null : str(last),
    mark: mark === undefined ? null : str(mark),
    notional: notional === null ? null : str(notional),
    fee: fee === null ? null : str(fee),
    feeAsset: (paysBase ? instrument?.base : instrument?.quote) ?? null,
    distance: price === null || last === undefined ? null : percentOf(price - last, last),
    available:
      account && spendAsset && knowsAsset(account, spendAsset)
        ? str(availability(account, spendAsset).available)
        : null,
    availableAsset: spendAsset ?? null,
    margin: futures && plan ? str(plan.lock.amount) : null,
    after: account && plan && price !== null ? afterOf(account, request, plan, price, fee ?? ZERO) : null,
    next: whatHappens(
      request,
      plan?.held ?? false,
      taker,
      plan?.held ? nativeForm(memory, request, marketTime) : '',
    ),
  };
}

function afterOf(
  account: AccountMemory,
  request: Partial<CreateOrder>,
  plan: OrderPlan,
  price: Dec,
  fee: Dec,
): AfterOrder | null {
  const { symbol = '', side = 'BUY', positionSide = 'BOTH' } = request;
  if (!account.futures) return null;
  const closes =
    request.reduceOnly === true || request.closePosition === true || isClosing(side, positionSide);
  const most = reducible(account.futures, symbol, side, positionSide);
  const quantity = closes ? minDec(plan.quantity, most) : plan.quantity;
  const { marginType } = plan;
  const after = afterOrder(account, { symbol, side, positionSide, quantity, price, fee, marginType });
  if (!after) return null;
  const { liquidation, amount, exposure } = after;
  const tick = dec(account.instruments.get(symbol)?.tickSize ?? '0.00000001');
  return {
    amount: str(amount),
    liquidation: liquidation === null ? null : str(roundTo(liquidation, tick)),
    distance: liquidation === null ? null : percentOf(liquidation - price, price),
    exposure: exposure === null ? null : fixed(exposure, 2),
  };
}

/** Returns whether the side closes: in hedge mode one side of each position only closes it. */
function isClosing(side: Side, positionSide: PositionSide): boolean {
  return positionSide !== 'BOTH' && (positionSide === 'LONG') !== (side === 'BUY');
}

function percentOf(part: Dec, whole: Dec): string | null {
  return whole === ZERO ? null : signed(fixed(mul(div(part, whole), decOfInt(100)), 2));
}

/** The objections to a change of an order, and the quantity that would then be left to execute. */
export interface AmendFigures {
  /** Field first; empty: the change would be accepted. */
  readonly problems: readonly { readonly field: string; readonly message: string }[];
  readonly remaining: string | null;
  /** Notional of that quantity at the order's price; null: it has no price. */
  readonly notional: string | null;
  /** Its exchange cannot change it in place: it is cancelled and replaced by another order. */
  readonly anew?: true;
}

/** Computes these figures. `order`: null where no order has that id. */
export function amendFigures(
  memory: EngineMemory,
  order: OrderRecord | null,
  wanted: Amendment,
  extension: Pick<EngineExtension, 'claim'> | null,
  now: { readonly market: number; readonly mono?: number },
): AmendFigures {
  if (!order) {
    const message = 'there is no such open order';
    return { problems: [{ field: 'id', message }], remaining: null, notional: null };
  }
  const { problems, plan } = planAmend(memory, order, wanted, extension, now);
  const quantity = firstDecimal(wanted.quantity, order.origQty);
  const price = firstDecimal(wanted.price, order.price, wanted.stopPrice, order.stopPrice);
  const rest = quantity === null ? null : quantity - dec(order.executedQty);
  return {
    problems: problems.map(({ field, message }) => ({ field, message })),
    remaining: rest === null ? null : str(rest),
    notional: rest === null || price === null ? null : str(mul(rest, price)),
    ...(plan?.route === 'anew' ? { anew: true as const } : {}),
  };
}

export function splitFigures(
  memory: EngineMemory,
  order: OrderRecord,
  prices: readonly string[],
  extension: Pick<EngineExtension, 'claim'> | null,
  mono?: number,
) {
  const problems = planSplit(memory, order, prices, extension, mono).problems.map(({ message }) => message);
  const n = memory.account(order.exchange).numbers.get(order.symbol);
  const rest = remainder(order);
  const valid = prices.length > 0 && prices.length <= 50 && prices.every((p) => DECIMAL.test(p));
  const quantities = n && valid ? splitQuantities(rest, prices.length, n.step) : [];
  return {
    problems,
    remaining: str(rest),
    parts: quantities.map((quantity, i) => ({
      price: prices[i] ?? '0',
      quantity: str(quantity),
      notional: str(mul(quantity, dec(prices[i] ?? '0'))),
    })),
  };
}

function firstDecimal(...texts: (string | undefined)[]) {
  for (const text of texts) if (text !== undefined && DECIMAL.test(text)) return dec(text);
  return null;
}

function isTaker(request: Partial<CreateOrder>, price: bigint | null, last: bigint | undefined): boolean {
  if (request.type === 'LIMIT_MAKER') return false;
  if (request.type !== 'LIMIT') return request.type !== 'STOP_LIMIT' && request.type !== 'TAKE_PROFIT_LIMIT';
  if (price === null || last === undefined) return false;
  return request.side === 'BUY' ? price >= last : price <= last;
}

/** The warning about held orders (money-at-risk, section 7). */
const HELD = 'Held by this desk: does not work while it is stopped.';
/** How far beyond its stop price the suggested limit price is, percent. */
const BEYOND = dec('2');

/**
 * Suggests, as a further sentence, the same order with a limit price where the exchange itself keeps those.
 */
function nativeForm(memory: EngineMemory, request: Partial<CreateOrder>, marketTime: number): string {
  const { type, stopPrice, side, exchange = '', symbol = '' } = request;
  const limited =
    type === 'STOP_MARKET' ? 'STOP_LIMIT' : type === 'TAKE_PROFIT_MARKET' ? 'TAKE_PROFIT_LIMIT' : null;
  const tick = memory.accounts.get(exchange)?.numbers.get(symbol)?.tick;
  const stop = firstDecimal(stopPrice);
  if (limited === null || tick === undefined || stop === null) return '';
  const beyond = div(mul(stop, BEYOND), decOfInt(100));
  const price = str(roundTo(side === 'BUY' ? stop + beyond : stop - beyond, tick));
  const { plan } = validateOrder(
    memory,
    { ...request, type: limited, price, timeInForce: 'GTC' },
    marketTime,
  );
  return plan?.held === false
    ? ` As ${limited} with the price ${price}, 2 % beyond the stop, it would wait at ${exchange} itself.`
    : '';
}

function whatHappens(request: Partial<CreateOrder>, held: boolean, taker: boolean, native = ''): string {
  const { type, exchange = 'the exchange' } = request;
  if (request.trailingDelta !== undefined && !held) {
    return `It waits at ${exchange}, which follows the price and fills it once that turns by ${request.trailingDelta / 100} %.`;
  }
  if (request.trailingDelta !== undefined) {
    return `${HELD} It follows the price and sends a market order once that turns by ${request.trailingDelta / 100} %.`;
  }
  if (held) return `${HELD} It sends a market order once the stop price is reached.${native}`;
  if (type === 'STOP_MARKET' || type === 'TAKE_PROFIT_MARKET') {
    return `It waits at ${exchange} and fills at the market once the stop price is reached.`;
  }
  if (type === 'STOP_LIMIT' || type === 'TAKE_PROFIT_LIMIT') {
    return `It waits at ${exchange}; once the stop price is reached a limit order rests at its price.`;
  }
  if (type === 'MARKET') return 'It fills at once at the current price.';
  const until = request.timeInForce === 'GTD' ? ' until its end date' : '';
  if (taker) return `It crosses the current price: it fills at once as taker; what is left rests${until}.`;
  return `It rests on the book${until} and fills at its limit price.`;
}

function signed(text: string): string {
  return text.startsWith('-') || dec(text) === ZERO ? text : `+${text}`;
}
