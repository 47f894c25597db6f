/**
 * Checks of the futures exchange before it accepts an order. Unknown parameters are ignored (facts-binance D
 * 2). Sources: USD-M "New Order", "New Algo Order", "Error Codes".
 */
import { type Dec, dec, decOfInt, isMultiple, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market, SymbolMarket } from '../market.ts';
import { illegal, missing, notRequired, type Params } from '../params.ts';
import { placesOf } from '../symbols.ts';
import { Refusal } from '../wire.ts';
import { type FuturesAccount, maxNotional, positionOf, settingOf, sizeOf } from './account.ts';
import type { AlgoType, PositionSide, Side } from './order.ts';

const CLIENT_ID = /^[.A-Z:/a-z0-9_-]{1,36}$/;
const ALGO_TYPES: readonly AlgoType[] = [
  'STOP',
  'STOP_MARKET',
  'TAKE_PROFIT',
  'TAKE_PROFIT_MARKET',
  'TRAILING_STOP_MARKET',
];
const TIFS = ['GTC', 'IOC', 'FOK', 'GTX', 'GTD', 'RPI'] as const;
const STP = ['EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'NONE'] as const;
const TEN_MINUTES = 600_000;
const LAST_DATE = 253_402_300_799_000;

export interface OrderWish {
  readonly symbol: string;
  readonly side: Side;
  readonly positionSide: PositionSide;
  readonly type: 'LIMIT' | 'MARKET';
  readonly timeInForce: 'GTC' | 'IOC' | 'FOK' | 'GTX' | 'GTD';
  readonly qty: Dec;
  readonly price: Dec;
  readonly reduceOnly: boolean;
  readonly clientOrderId: string | null;
  readonly stp: string;
  readonly goodTillDate: number;
  readonly respType: 'ACK' | 'RESULT';
}

export interface AlgoWish extends Omit<OrderWish, 'type' | 'clientOrderId' | 'respType'> {
  readonly type: AlgoType;
  readonly triggerPrice: Dec;
  readonly workingType: 'CONTRACT_PRICE' | 'MARK_PRICE';
  readonly closePosition: boolean;
  readonly priceProtect: boolean;
  readonly activatePrice: Dec;
  readonly callbackRate: string;
  readonly clientAlgoId: string | null;
}

function clientId(params: Params, name: string): string | null {
  const id = params.text(name);
  if (id !== null && id.length > 36)
    throw new Refusal(-4015, 'Client order id length should be less than 36 chars');
  if (id !== null && !CLIENT_ID.test(id)) throw illegal(name, '^[\\.A-Z\\:/a-z0-9_-]{1,36}$');
  return id;
}

function positionSide(params: Params, account: FuturesAccount): PositionSide {
  const side = params.oneOf('positionSide', ['BOTH', 'LONG', 'SHORT'], 'positionSide') ?? 'BOTH';
  if (account.hedge !== (side !== 'BOTH'))
    throw new Refusal(-4061, "Order's position side does not match user's setting.");
  return side;
}

export function readOrder(params: Params, market: Market, account: FuturesAccount, now: number): OrderWish {
  const m = market.of(params.required('symbol'));
  tradable(m);
  const side = params.oneOf('side', ['BUY', 'SELL'], 'side') as Side;
  const type = params.required('type');
  if ((ALGO_TYPES as readonly string[]).includes(type))
    throw new Refusal(
      -4120,
      'Order type not supported for this endpoint. Please use the Algo Order API endpoints instead.',
    );
  if (type !== 'LIMIT' && type !== 'MARKET') throw new Refusal(-1116, 'Invalid orderType.');
  const timeInForce = params.oneOf('timeInForce', TIFS, 'timeInForce');
  if (timeInForce === 'RPI') throw new Refusal(-4194, 'RPI orders are not allowed for this account.');
  if (type === 'LIMIT') {
    if (timeInForce === null) throw missing('timeInForce');
    if (!params.has('quantity')) throw missing('quantity');
    if (!params.has('price')) throw missing('price');
  } else {
    if (!params.has('quantity')) throw missing('quantity');
    if (params.has('price')) throw notRequired('price');
    if (params.has('timeInForce')) throw notRequired('timeInForce');
  }
  const positions = positionSide(params, account);
  if (account.hedge && params.has('reduceOnly')) throw notRequired('reduceOnly');
  return {
    symbol: m.spec.symbol,
    side,
    positionSide: positions,
    type,
    timeInForce: timeInForce ?? 'GTC',
    qty: quantity(params, m, type === 'MARKET'),
    price: type === 'LIMIT' ? priceOf(params, 'price', m) : ZERO,
    reduceOnly: params.flag('reduceOnly') ?? false,
    clientOrderId: clientId(params, 'newClientOrderId'),
    stp: params.oneOf('selfTradePreventionMode', STP, 'selfTradePreventionMode') ?? 'EXPIRE_MAKER',
    goodTillDate: goodTill(params, timeInForce, now),
    respType: params.oneOf('newOrderRespType', ['ACK', 'RESULT'], 'newOrderRespType') ?? 'ACK',
  };
}

export function readAlgo(params: Params, market: Market, account: FuturesAccount, now: number): AlgoWish {
  if (params.required('algoType') !== 'CONDITIONAL')
    throw new Refusal(-1130, "Data sent for parameter 'algoType' is not valid.");
  const m = market.of(params.required('symbol'));
  tradable(m);
  const side = params.oneOf('side', ['BUY', 'SELL'], 'side') as Side;
  const type = params.oneOf('type', ALGO_TYPES, 'type') as AlgoType;
  const isTrailing = type === 'TRAILING_STOP_MARKET';
  const hasLimit = type === 'STOP' || type === 'TAKE_PROFIT';
  const positions = positionSide(params, account);
  const closePosition = params.flag('closePosition') ?? false;
  if (account.hedge && params.has('reduceOnly')) throw notRequired('reduceOnly');
  if (closePosition) {
    if (params.has('quantity'))
      throw new Refusal(-4137, 'Quantity must be zero with closePosition equals true.');
    if (params.has('reduceOnly')) throw notRequired('reduceOnly');
    if (type !== 'STOP_MARKET' && type !== 'TAKE_PROFIT_MARKET') throw notRequired('closePosition');
    if ((side === 'BUY' && positions === 'LONG') || (side === 'SELL' && positions === 'SHORT'))
      throw new Refusal(-2022, 'ReduceOnly Order is rejected.');
  } else if (!params.has('quantity')) throw missing('quantity');
  if (isTrailing) {
    if (params.has('triggerPrice')) throw new Refusal(-2021, 'Order would immediately trigger.');
    if (!params.has('callbackRate')) throw missing('callbackRate');
  } else if (!params.has('triggerPrice')) throw missing('triggerPrice');
  if (hasLimit && !params.has('price')) throw missing('price');
  if (!hasLimit && params.has('price')) throw notRequired('price');
  const timeInForce = params.oneOf('timeInForce', TIFS, 'timeInForce');
  if (timeInForce === 'RPI') throw new Refusal(-4194, 'RPI orders are not allowed for this account.');
  const wish: AlgoWish = {
    symbol: m.spec.symbol,
    side,
    positionSide: positions,
    type,
    timeInForce: timeInForce ?? 'GTC',
    qty: closePosition ? ZERO : quantity(params, m, !hasLimit),
    price: hasLimit ? priceOf(params, 'price', m) : ZERO,
    reduceOnly: closePosition || (params.flag('reduceOnly') ?? false),
    stp: params.oneOf('selfTradePreventionMode', STP, 'selfTradePreventionMode') ?? 'EXPIRE_MAKER',
    goodTillDate: goodTill(params, timeInForce, now),
    triggerPrice: isTrailing ? ZERO : priceOf(params, 'triggerPrice', m),
    workingType:
      params.oneOf('workingType', ['CONTRACT_PRICE', 'MARK_PRICE'], 'workingType') ?? 'CONTRACT_PRICE',
    closePosition,
    priceProtect: params.flag('priceProtect') ?? false,
    activatePrice: isTrailing && params.has('activatePrice') ? priceOf(params, 'activatePrice', m) : ZERO,
    callbackRate: isTrailing ? callback(params) : '',
    clientAlgoId: clientId(params, 'clientAlgoId'),
  };
  checkTrigger(wish, m);
  return wish;
}

/** Refuses a trigger that would fire at once. */
function checkTrigger(wish: AlgoWish, m: SymbolMarket): void {
  const now = wish.workingType === 'MARK_PRICE' ? m.mark : m.last;
  const immediately = new Refusal(-2021, 'Order would immediately trigger.');
  if (wish.type === 'TRAILING_STOP_MARKET') {
    if (wish.activatePrice === ZERO) return;
    if (wish.side === 'BUY' ? wish.activatePrice >= now : wish.activatePrice <= now) throw immediately;
    return;
  }
  if (isTriggered(wish.side, wish.type, wish.triggerPrice, now)) throw immediately;
}

/** Whether a price fires the trigger; an equal price does. */
export function isTriggered(side: Side, type: AlgoType, triggerPrice: Dec, price: Dec): boolean {
  return (side === 'BUY') === type.startsWith('STOP') ? price >= triggerPrice : price <= triggerPrice;
}

function tradable(m: SymbolMarket): void {
  const { status = 'TRADING' } = m.spec;
  if (status !== 'TRADING') throw new Refusal(-4141, 'Symbol is closed.');
}

function goodTill(params: Params, timeInForce: string | null, now: number): number {
  const date = params.integer('goodTillDate');
  if (timeInForce !== 'GTD') return 0;
  if (date === null) throw missing('goodTillDate');
  if (date <= now + TEN_MINUTES || date >= LAST_DATE)
    throw new Refusal(
      -5040,
      'The goodTillDate timestamp must be greater than the current time plus 600 seconds and smaller than 253402300799000.',
    );
  // The exchange drops fractions of a second.
  return Math.floor(date / 1000) * 1000;
}

function callback(params: Params): string {
  const rate = params.positive('callbackRate') as Dec;
  if (rate < dec('0.1') || rate > decOfInt(20)) throw new Refusal(-2007, 'Invalid callBack rate');
  if (!isMultiple(rate, dec('0.1')))
    throw new Refusal(-1111, 'Precision is over the maximum defined for this asset.');
  return params.required('callbackRate');
}

const tooPrecise = () => new Refusal(-1111, 'Precision is over the maximum defined for this asset.');
const placesGiven = (params: Params, name: string): number => {
  const fraction = params.required(name).split('.')[1] ?? '';
  return fraction.replace(/0+$/, '').length;
};

export function quantity(params: Params, m: SymbolMarket, isMarket: boolean): Dec {
  const { spec } = m;
  const qty = params.positive('quantity') as Dec;
  if (placesGiven(params, 'quantity') > placesOf(spec.step)) throw tooPrecise();
  if (qty < m.step) throw new Refusal(-4004, 'Quantity less than min quantity.');
  if (qty > dec(isMarket ? spec.marketMaxQty : spec.maxQty))
    throw new Refusal(-4005, 'Quantity greater than max quantity.');
  if (!isMultiple(qty, m.step)) throw new Refusal(-4023, 'Qty not increased by step size.');
  return qty;
}

export function priceOf(params: Params, name: string, m: SymbolMarket): Dec {
  const price = params.positive(name) as Dec;
  if (placesGiven(params, name) > placesOf(m.spec.tick) + 1) throw tooPrecise();
  if (price < m.tick) throw new Refusal(-4013, 'Price less than min price.');
  if (!isMultiple(price, m.tick)) throw new Refusal(-4014, 'Price not increased by tick size.');
  return price;
}

/** The quantity of the order that closes an existing position. */
export function closable(
  account: FuturesAccount,
  wish: { symbol: string; side: Side; positionSide: PositionSide },
): Dec {
  const { amount } = positionOf(account, wish.symbol, wish.positionSide);
  return (wish.side === 'SELL') === amount > ZERO ? sizeOf(amount) : ZERO;
}

/** Whether side and direction close in hedge mode, whatever the position is. */
export function closesByForm(wish: { side: Side; positionSide: PositionSide }): boolean {
  return (
    (wish.positionSide === 'LONG' && wish.side === 'SELL') ||
    (wish.positionSide === 'SHORT' && wish.side === 'BUY')
  );
}

/** Checks the mark-price band, the smallest notional, and the limit of the leverage. Throws Refusal. */
export function checkOrder(wish: OrderWish, m: SymbolMarket, account: FuturesAccount): void {
  const { spec, mark } = m;
  if (wish.type === 'LIMIT') {
    const up = mul(mark, dec('1.05'));
    const down = mul(mark, dec('0.95'));
    if (wish.side === 'BUY' && wish.price > up)
      throw new Refusal(-4016, `Limit price can't be higher than ${shown(up)}.`);
    if (wish.side === 'SELL' && wish.price < down)
      throw new Refusal(-4024, `Limit price can't be lower than ${shown(down)}.`);
  }
  const price = wish.type === 'LIMIT' ? wish.price : mark;
  const reduces = wish.reduceOnly || closesByForm(wish);
  if (!reduces && mul(wish.qty, price) < dec(spec.minNotional))
    throw new Refusal(
      -4164,
      `Order's notional must be no smaller than ${spec.minNotional} (unless you choose reduce only).`,
    );
  const held = closable(account, wish);
  if (wish.reduceOnly && held === ZERO) throw new Refusal(-2022, 'ReduceOnly Order is rejected.');
  if (closesByForm(wish) && wish.qty > held) throw new Refusal(-2022, 'ReduceOnly Order is rejected.');
  if (reduces) return;
  const opening = wish.qty > held ? wish.qty - held : ZERO;
  const { leverage } = settingOf(account, wish.symbol);
  const same = held > ZERO ? ZERO : sizeOf(positionOf(account, wish.symbol, wish.positionSide).amount);
  const most = decOfInt(maxNotional(spec.maxLeverage ?? 75, leverage));
  if (opening > ZERO && mul(opening + same, price) > most)
    throw new Refusal(-2027, 'Exceeded the maximum allowable position at current leverage.');
}

function shown(value: Dec): string {
  return String(Number(value / 10n ** 22n) / 1e8);
}
