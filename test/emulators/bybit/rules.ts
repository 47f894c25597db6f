/**
 * Reasons why the gateway refuses an order before it acknowledges it: form, filters, funds, limits, each with
 * its code. Sources: order/create-order.mdx, market/instrument.mdx, error.mdx, facts-bybit-okx 1.2, 1.3
 * (pybit#156, #168, #284).
 */
import { type Dec, dec, div, isMultiple, minDec, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, isHedged, leverageOf, sizeOf } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { Market, SymbolMarket } from './market.ts';
import type { OrderFilter, PositionIdx } from './order.ts';
import { bad, type Params } from './params.ts';
import { placesOf, tiersOf } from './symbols.ts';
import { type Category, Refusal } from './wire.ts';
import type { Wish } from './wish.ts';

const LINK_ID = /^[A-Za-z0-9_-]{1,36}$/;
const TIFS = ['GTC', 'IOC', 'FOK', 'PostOnly', 'RPI'] as const;
const TRIGGERS = ['LastPrice', 'IndexPrice', 'MarkPrice'] as const;
const ACTIVE_MAX = 500;
const CONDITIONAL_MAX: Readonly<Record<Category, number>> = { linear: 10, spot: 30 };

export function readOrder(params: Params, exchange: Exchange, account: Account): Wish {
  const category = params.traded();
  const market = exchange.market(category);
  const m = market.of(params.required('symbol'));
  const side = params.oneOf('side', ['Buy', 'Sell']);
  if (side === null) throw category === 'spot' ? new Refusal(170117, 'Invalid side.') : bad('Side invalid');
  const orderType = params.oneOf('orderType', ['Limit', 'Market']);
  if (orderType === null) throw bad('OrderType invalid');
  tradable(m, category, params.flag('reduceOnly'));
  const isMarket = orderType === 'Market';
  const timeInForce = params.oneOf('timeInForce', TIFS) ?? 'GTC';
  if (timeInForce === 'RPI')
    throw category === 'spot'
      ? new Refusal(170355, 'RPI orders are restricted to approved market makers only')
      : new Refusal(110119, 'Order failed. RPI orders are restricted to approved market makers only');
  const orderFilter = filterOf(params, category);
  // A spot order without `orderFilter` is an ordinary one, even if it names a trigger (pybit#156).
  const isConditional = category === 'linear' ? params.has('triggerPrice') : orderFilter !== 'Order';
  const base = {
    category,
    symbol: m.spec.symbol,
    side,
    orderType,
    timeInForce: isMarket ? 'IOC' : timeInForce,
    orderFilter,
    orderLinkId: linkId(params, category),
    price: isMarket ? ZERO : priceOf(params, 'price', m, category),
    positionIdx: category === 'linear' ? positionIdx(params, account, m) : (0 as PositionIdx),
    reduceOnly: category === 'linear' && params.flag('reduceOnly'),
    closeOnTrigger: category === 'linear' && params.flag('closeOnTrigger'),
    takeProfit: params.has('takeProfit') ? priceOf(params, 'takeProfit', m, category) : ZERO,
    stopLoss: params.has('stopLoss') ? priceOf(params, 'stopLoss', m, category) : ZERO,
    triggerBy:
      category === 'linear' && isConditional ? (params.oneOf('triggerBy', TRIGGERS) ?? 'LastPrice') : '',
    ...trigger(params, m, category, isConditional),
  } as const;
  if (base.reduceOnly && base.takeProfit + base.stopLoss > ZERO)
    throw new Refusal(110057, 'Conditional order or limit order contains TP/SL related params');
  const marketUnit = unitOf(params, category, isMarket, side);
  const qty =
    category === 'spot'
      ? spotQty(params, m, base, marketUnit, isMarket)
      : linearQty(params, m, exchange, account, base, isMarket);
  const wish: Wish = { ...base, marketUnit, qty };
  checkNumbers(wish, exchange, account, isConditional);
  if (!isConditional || orderFilter === 'tpslOrder') checkFunds(wish, exchange, account);
  return wish;
}

function tradable(m: SymbolMarket, category: Category, reduceOnly: boolean): void {
  const { status = 'Trading' } = m.spec;
  if (status === 'Trading' || (status === 'Delivering' && reduceOnly)) return;
  if (category === 'spot') throw new Refusal(170157, 'The trading pair is not available for api trading');
  throw status === 'Delivering'
    ? new Refusal(
        110042,
        'Currently,due to pre-delivery status, you can only reduce your position on this contract.',
      )
    : new Refusal(110074, 'This contract is not live');
}

function filterOf(params: Params, category: Category): OrderFilter {
  const filter = params.text('orderFilter');
  if (filter === null || category === 'linear') return 'Order';
  if (filter === 'Order' || filter === 'StopOrder' || filter === 'tpslOrder') return filter;
  throw new Refusal(170201, 'Invalid orderFilter parameter');
}

function linkId(params: Params, category: Category): string {
  const id = params.text('orderLinkId') ?? '';
  if (id === '' || LINK_ID.test(id)) return id;
  throw category === 'spot'
    ? new Refusal(170130, "Data sent for paramter 'orderLinkId' is not valid.")
    : bad('OrderLinkedID invalid');
}

function positionIdx(params: Params, account: Account, m: SymbolMarket): PositionIdx {
  const idx = params.integer('positionIdx') ?? 0;
  if (idx !== 0 && idx !== 1 && idx !== 2) throw bad('positionIdx invalid');
  if (isHedged(account, m) !== idx > 0) throw new Refusal(10001, 'position idx not match position mode');
  return idx;
}

function trigger(params: Params, m: SymbolMarket, category: Category, isConditional: boolean) {
  if (!isConditional) return { triggerPrice: ZERO, triggerDirection: 0 as const };
  if (!params.has('triggerPrice')) throw new Refusal(170202, 'Please enter the TP/SL price.');
  const triggerPrice = priceOf(params, 'triggerPrice', m, category);
  // Spot has no trigger direction: it follows from the present price.
  if (category === 'spot') {
    if (triggerPrice === m.last) throw new Refusal(170210, 'New order rejected.');
    return { triggerPrice, triggerDirection: triggerPrice > m.last ? (1 as const) : (2 as const) };
  }
  const direction = params.integer('triggerDirection');
  if (direction !== 1 && direction !== 2) throw bad('TriggerDirection invalid');
  const by = params.oneOf('triggerBy', TRIGGERS) ?? 'LastPrice';
  const now = by === 'MarkPrice' ? m.mark : by === 'IndexPrice' ? m.index : m.last;
  const shown = (value: Dec) => str(value * 10_000n);
  if (direction === 1 && triggerPrice <= now)
    throw new Refusal(
      110092,
      `expect Rising, but trigger_price[${shown(triggerPrice)}] <= current[${shown(now)}]??${by}`,
    );
  if (direction === 2 && triggerPrice >= now)
    throw new Refusal(
      110093,
      `expect Falling, but trigger_price[${shown(triggerPrice)}] >= current[${shown(now)}]??${by}`,
    );
  return { triggerPrice, triggerDirection: direction as 1 | 2 };
}

function unitOf(
  params: Params,
  category: Category,
  isMarket: boolean,
  side: 'Buy' | 'Sell',
): Wish['marketUnit'] {
  if (category === 'linear' || !isMarket) return '';
  return params.oneOf('marketUnit', ['baseCoin', 'quoteCoin']) ?? (side === 'Buy' ? 'quoteCoin' : 'baseCoin');
}

export function priceOf(params: Params, name: string, m: SymbolMarket, category: Category): Dec {
  const price = params.decimal(name);
  if (price === null) throw bad(`${name} invalid`);
  if (price < m.tick)
    throw category === 'spot'
      ? new Refusal(170133, 'Order price lower than the minimum.')
      : bad('price invalid');
  if (!isMultiple(price, m.tick))
    throw category === 'spot'
      ? new Refusal(170134, 'Order price decimal too long.')
      : bad('price is not a multiple of the tick');
  return price;
}

export function spotQty(
  params: Params,
  m: SymbolMarket,
  wish: { readonly price: Dec; readonly triggerPrice: Dec },
  unit: Wish['marketUnit'],
  isMarket: boolean,
): Dec {
  const { spec } = m;
  const qty = params.positive('qty');
  if (qty === null) throw bad('qty invalid');
  const fractions = (params.required('qty').split('.')[1] ?? '').replace(/0+$/, '').length;
  if (unit === 'quoteCoin') {
    if (fractions > placesOf(spec.quoteStep ?? '0.01'))
      throw new Refusal(170148, 'Market order amount decimal too long');
  } else if (!isMultiple(qty, m.step)) throw new Refusal(170137, 'Order volume decimal too long');
  const price = isMarket ? (wish.triggerPrice > ZERO ? wish.triggerPrice : m.last) : wish.price;
  const value = unit === 'quoteCoin' ? qty : mul(qty, price);
  if (value < dec(spec.minNotional)) throw new Refusal(170140, 'Order value exceeded lower limit.');
  const size = unit === 'quoteCoin' ? div(qty, price) : qty;
  if (size > dec(isMarket ? spec.maxMarketQty : spec.maxQty))
    throw new Refusal(170124, 'Order amount too large.');
  return qty;
}

function linearQty(
  params: Params,
  m: SymbolMarket,
  exchange: Exchange,
  account: Account,
  wish: Omit<Wish, 'qty' | 'marketUnit'>,
  isMarket: boolean,
): Dec {
  const { spec } = m;
  const qty = params.decimal('qty');
  if (qty === null) throw bad('Qty invalid');
  const held = exchange.margin.closable(account, wish);
  const max = dec(isMarket ? spec.maxMarketQty : spec.maxQty);
  const reduces = exchange.reduces(account, wish);
  if (reduces && held === ZERO)
    throw new Refusal(110017, 'current position is zero, cannot fix reduce-only order qty');
  // create-order.mdx: "0" closes the position, only with both flags.
  if (qty === ZERO && wish.reduceOnly && wish.closeOnTrigger) return minDec(held, max);
  const price = isMarket ? (wish.triggerPrice > ZERO ? wish.triggerPrice : m.mark) : wish.price;
  checkContracts(qty, price, m, max, reduces);
  return reduces ? minDec(qty, held) : qty;
}

/** Checks smallest size, step, largest size and value of a linear order. */
export function checkContracts(qty: Dec, price: Dec, m: SymbolMarket, max: Dec, reduces: boolean): void {
  const { spec } = m;
  if (qty < dec(spec.minQty)) throw bad('The number of contracts exceeds minimum limit allowed');
  if (!isMultiple(qty, m.step)) throw bad('Qty invalid');
  if (qty > max && !reduces)
    throw bad(
      `The number of contracts exceeds maximum limit allowed: ${str(qty * 100_000_000n)} > ${str(max * 100_000_000n)}`,
    );
  if (!reduces && mul(qty, price) < dec(spec.minNotional))
    throw new Refusal(110_094, 'Order does not meet minimum order value 5USDT');
}

function checkNumbers(wish: Wish, exchange: Exchange, account: Account, isConditional: boolean): void {
  const { category } = wish;
  const store = account.orders[category];
  if (wish.orderLinkId !== '' && store.byClient(wish.orderLinkId) !== null)
    throw category === 'spot'
      ? new Refusal(170141, 'Duplicate clientOrderId.')
      : new Refusal(110072, 'OrderLinkedID is duplicate');
  const open = exchange.openOrders(account, category);
  const here = open.filter(({ symbol }) => symbol === wish.symbol);
  const waiting = here.filter(
    ({ status, orderFilter }) => status === 'Untriggered' && orderFilter === wish.orderFilter,
  );
  if (isConditional && waiting.length >= CONDITIONAL_MAX[category])
    throw category === 'spot'
      ? new Refusal(170810, 'Cannot exceed maximum of 500 conditional, TP/SL and active orders.')
      : new Refusal(110009, 'The number of stop orders exceeds the maximum allowable limit');
  if (category === 'spot' && open.length >= ACTIVE_MAX)
    throw new Refusal(170810, 'Cannot exceed maximum of 500 conditional, TP/SL and active orders.');
  if (category === 'linear' && !isConditional && here.length - waiting.length >= ACTIVE_MAX)
    throw new Refusal(110020, 'Not allowed to have more than 500 active orders.');
  if (wish.orderType === 'Limit' && !isConditional)
    checkBand(wish, exchange.market(category).of(wish.symbol), exchange.market(category));
}

/** The highest price of a buy and the lowest of a sell (market/order-price-limit.mdx). */
export function bandOf(m: SymbolMarket): { readonly buy: Dec; readonly sell: Dec } {
  const part = mul(m.mark, dec(m.spec.priceLimitRatio));
  return { buy: m.mark + part, sell: m.mark - part };
}

export function checkBand(
  wish: Pick<Wish, 'side' | 'price' | 'category'>,
  m: SymbolMarket,
  market: Market,
): void {
  const { buy, sell } = bandOf(m);
  const isSpot = wish.category === 'spot';
  if (wish.side === 'Buy' && wish.price > buy)
    throw isSpot
      ? new Refusal(170193, `Buy order price cannot be higher than ${market.priceText(m, buy)}.`)
      : new Refusal(110003, 'Order price exceeds the allowable range.');
  if (wish.side === 'Sell' && wish.price < sell)
    throw isSpot
      ? new Refusal(170194, `Sell order price cannot be lower than ${market.priceText(m, sell)}.`)
      : new Refusal(110003, 'Order price exceeds the allowable range.');
}

/** Checks that the account can pay the order. Throws Refusal 170131, 110007, 110090. */
export function checkFunds(wish: Wish, exchange: Exchange, account: Account): void {
  const market = exchange.market(wish.category);
  const m = market.of(wish.symbol);
  const { base, quote, settle } = m.spec;
  const best = market.quotes(m, wish.side === 'Buy' ? 'BUY' : 'SELL')[0]?.price ?? m.last;
  const price = wish.orderType === 'Limit' ? wish.price : best;
  if (wish.category === 'spot') {
    const inQuote = wish.side === 'Buy';
    const amount =
      wish.marketUnit === 'quoteCoin'
        ? inQuote
          ? wish.qty
          : div(wish.qty, price)
        : inQuote
          ? mul(wish.qty, price)
          : wish.qty;
    if (amount > exchange.margin.spendable(account, inQuote ? quote : base))
      throw new Refusal(170131, 'Insufficient balance.');
    return;
  }
  if (exchange.reduces(account, wish)) return;
  const held = exchange.margin.closable(account, wish);
  const opening = wish.qty > held ? wish.qty - held : ZERO;
  const leverage = dec(leverageOf(account, wish.symbol, wish.side));
  const needed = div(mul(opening, price), leverage) + mul(mul(opening, price), account.fees.linear.taker);
  if (opening > ZERO && needed > exchange.margin.available(account, settle ?? quote))
    throw new Refusal(110007, 'ab not enough for new order');
  const same =
    held > ZERO ? ZERO : sizeOf(account.positions.get(`${wish.symbol} ${wish.positionIdx}`)?.amount ?? ZERO);
  const most = tiersOf(m.spec).findLast(({ maxLeverage }) => dec(maxLeverage) >= leverage)?.limit ?? '0';
  if (opening > ZERO && mul(opening + same, price) > dec(most))
    throw new Refusal(
      110090,
      `Order placement failed as your position may exceed the max limit. Please adjust your leverage to ${tiersOf(m.spec).at(-1)?.maxLeverage} or below to increase the max. position limit`,
    );
}
