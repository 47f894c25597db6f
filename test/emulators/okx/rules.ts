/**
 * Checks of an order before it is accepted: form, account level, position side, sizes, prices, money. Each
 * refusal has the code and the words of OKX v5 "Error Code" (51000..51300); where the documents name no code
 * for a rule, the nearest is used (README).
 */
import {
  type Dec,
  dec,
  div,
  floorTo,
  isMultiple,
  minDec,
  mul,
  str,
  ZERO,
} from '../../../src/domain/decimal.ts';
import { type Account, leverOf, type Margin, type MgnMode, type PosSide, sizeOf } from './account.ts';
import { unitOf } from './instruments.ts';
import type { Instrument, OkxMarket } from './market.ts';
import { isOpen, type OkxOrder, ORDER_TYPES, type OrdType } from './order.ts';
import { missing, type Params, wrong } from './params.ts';
import { type InstType, Refusal } from './wire.ts';

export interface Wish {
  readonly m: Instrument;
  readonly side: 'buy' | 'sell';
  readonly posSide: PosSide;
  readonly tdMode: 'cash' | 'cross' | 'isolated';
  readonly ordType: OrdType;
  px: Dec | null;
  sz: Dec;
  readonly tgtCcy: '' | 'base_ccy' | 'quote_ccy';
  readonly reduceOnly: boolean;
  readonly banAmend: boolean;
  readonly amendsPrice: boolean;
  readonly clOrdId: string;
  readonly tag: string;
  readonly stpMode: string;
}

const LIMITS_OF_ALL = 4000;

/**
 * Reads the trade mode. Source: "Place order", tdMode by account level; 50072 where isolated was removed;
 * ccxt#14922 for cash above level 2.
 */
export function tradeModeOf(
  params: Params,
  account: Account,
  instType: InstType,
  isolatedSwaps: boolean,
): 'cash' | 'cross' | 'isolated' {
  const tdMode = params.required('tdMode');
  const { acctLv } = account;
  const unsupported = new Refusal('51010', 'Request unsupported under current account mode');
  if (tdMode !== 'cash' && tdMode !== 'cross' && tdMode !== 'isolated') throw wrong('tdMode');
  if (tdMode === 'isolated' && (acctLv === '3' || acctLv === '4'))
    throw new Refusal(
      '50072',
      'Isolated margin mode is no longer supported in multi-currency margin mode and portfolio margin mode.',
    );
  if (instType === 'SPOT') {
    if (acctLv === '3' || acctLv === '4') {
      if (tdMode === 'cash') throw wrong('tdMode');
      return 'cross';
    }
    // Cross and isolated make it a margin order, which this emulator does not support.
    if (tdMode !== 'cash') throw unsupported;
    return 'cash';
  }
  if (acctLv === '1') throw unsupported;
  if (tdMode === 'cash' || (tdMode === 'isolated' && !isolatedSwaps)) throw wrong('tdMode');
  return tdMode;
}

/** The position side: `net` in net mode; long or short in long/short mode (51000 without). */
export function posSideOf(params: Params, account: Account, instType: InstType): PosSide {
  const posSide = params.oneOf('posSide', ['net', 'long', 'short']);
  if (instType === 'SPOT') {
    if (posSide === 'long' || posSide === 'short') throw wrong('posSide');
    if (posSide !== '') params.odd('posSide of a spot order');
    return 'net';
  }
  if (account.posMode === 'net_mode') {
    if (posSide === 'long' || posSide === 'short') throw wrong('posSide');
    return 'net';
  }
  if (posSide !== 'long' && posSide !== 'short') throw wrong('posSide');
  return posSide;
}

/** Reads the body of an order. */
export function readWish(params: Params, market: OkxMarket, account: Account, isolatedSwaps: boolean): Wish {
  const m = market.of(params.required('instId'));
  const { instType } = m.spec;
  const tdMode = tradeModeOf(params, account, instType, isolatedSwaps);
  const posSide = posSideOf(params, account, instType);
  params.required('side');
  const side = params.oneOf('side', ['buy', 'sell']) as 'buy' | 'sell';
  params.required('ordType');
  const ordType = params.oneOf('ordType', ORDER_TYPES) as OrdType;
  if (ordType === 'optimal_limit_ioc' && instType === 'SPOT') throw wrong('ordType');
  const isMarket = ordType === 'market' || ordType === 'optimal_limit_ioc';
  const sz = params.positive('sz');
  if (sz === null) throw missing('sz');
  const px = params.positive('px');
  if (!isMarket && px === null) throw new Refusal('51204', 'The price for the limit order cannot be empty.');
  if (isMarket && px !== null) params.odd('px of a market order');
  const tgtCcy = params.oneOf('tgtCcy', ['base_ccy', 'quote_ccy']);
  if (tgtCcy !== '' && instType === 'SWAP')
    throw new Refusal(
      '59110',
      `The instrument corresponding to this ${m.spec.symbol} does not support the tgtCcy parameter.`,
    );
  if (tgtCcy !== '' && !isMarket) params.odd('tgtCcy of a limit order');
  const reduceOnly = params.flag('reduceOnly');
  if (reduceOnly && instType === 'SPOT') {
    throw account.acctLv === '3' || account.acctLv === '4'
      ? new Refusal(
          '51133',
          'Reduce-only feature is unavailable for spot transactions in multi-currency margin accounts.',
        )
      : new Refusal('51139', 'Reduce-only feature is unavailable for the spot transactions by spot mode.');
  }
  if (reduceOnly && account.acctLv === '4') throw new Refusal('51205', 'Reduce Only is not available.');
  const stpMode = params.oneOf('stpMode', ['cancel_maker', 'cancel_taker', 'cancel_both']);
  if (stpMode === 'cancel_both' && ordType === 'fok')
    throw new Refusal('50016', 'Parameter stpMode does not match parameter ordType');
  if (params.list('attachAlgoOrds').length > 0) throw wrong('attachAlgoOrds');
  const isSpotMarket = instType === 'SPOT' && ordType === 'market';
  return {
    m,
    side,
    posSide,
    tdMode,
    ordType,
    px: isMarket ? null : px,
    sz,
    tgtCcy: isSpotMarket ? tgtCcy || (side === 'buy' ? 'quote_ccy' : 'base_ccy') : '',
    // In long/short mode the flag is ignored: the sides decide.
    reduceOnly: reduceOnly && account.posMode === 'net_mode',
    banAmend: params.flag('banAmend'),
    amendsPrice: params.oneOf('pxAmendType', ['0', '1']) === '1',
    clOrdId: params.clientId('clOrdId'),
    tag: params.tag(),
    stpMode: stpMode || 'cancel_maker',
  };
}

/** Whether the order can only reduce a position: by its flag, or by its sides in long/short mode. */
export function reduces(
  account: Account,
  order: { side: string; posSide: PosSide; reduceOnly: boolean },
): boolean {
  // Spot orders have no position side in any mode.
  if (account.posMode === 'net_mode' || order.posSide === 'net') return order.reduceOnly;
  return (order.side === 'sell') === (order.posSide === 'long');
}

/** Contracts of the position that an order of this side would close. */
export function closable(
  account: Account,
  order: { instId: string; side: string; posSide: PosSide; tdMode: string },
): Dec {
  const position = account.positions.get(`${order.instId} ${order.tdMode} ${order.posSide}`);
  if (!position) return ZERO;
  const isAgainst = order.side === 'sell' ? position.amount > ZERO : position.amount < ZERO;
  return isAgainst ? sizeOf(position.amount) : ZERO;
}

/** The orders that reduce the same position, best price first, older first. */
export function reducersOf(
  account: Account,
  like: Pick<OkxOrder, 'instId' | 'side' | 'posSide' | 'tdMode'>,
): OkxOrder[] {
  return account.orders
    .open(like.instId)
    .filter(
      (order) =>
        order.side === like.side &&
        order.posSide === like.posSide &&
        order.tdMode === like.tdMode &&
        reduces(account, order),
    )
    .sort((a, b) =>
      a.px === b.px ? 0 : (a.px ?? ZERO) < (b.px ?? ZERO) === (like.side === 'sell') ? -1 : 1,
    );
}

export class Rules {
  readonly #market: OkxMarket;
  readonly #margin: Margin;
  readonly #maxPending: number;

  constructor(market: OkxMarket, margin: Margin, maxPending: number) {
    this.#market = market;
    this.#margin = margin;
    this.#maxPending = maxPending;
  }

  /** Checks an order; reduces a spot market order to the balance where that is allowed. Throws Refusal. */
  check(account: Account, wish: Wish): void {
    const { m } = wish;
    this.#state(m, wish.ordType);
    this.size(m, wish);
    if (wish.px !== null) wish.px = this.price(m, wish.side, wish.px, wish.amendsPrice);
    this.clientId(account, wish.clOrdId);
    this.#pending(account, m);
    if (m.spec.instType === 'SPOT') {
      this.#spotMoney(account, wish);
      return;
    }
    this.#reduction(account, wish);
    this.#swapMoney(account, wish);
  }

  clientId(account: Account, clOrdId: string): void {
    if (clOrdId === '') return;
    const known = account.orders.byClient(clOrdId);
    // Only among pending orders: the id of an ended one is free.
    if (known && isOpen(known)) throw new Refusal('51016', 'Client order ID already exists.');
  }

  #state({ spec }: Instrument, ordType: OrdType): void {
    if (spec.state === 'preopen') throw new Refusal('51021', 'The pair or contract is not yet listed');
    if (spec.state === 'post_only' && ordType !== 'post_only')
      throw new Refusal('51056', 'Action not allowed');
    if (spec.state !== 'live' && spec.state !== 'post_only')
      throw new Refusal('51022', 'Contract suspended.');
    if (spec.ctType === 'inverse')
      throw new Refusal(
        '51155',
        'Trading of this pair or contract is restricted due to local compliance requirements.',
      );
  }

  size(m: Instrument, wish: Pick<Wish, 'sz' | 'px' | 'tgtCcy' | 'ordType' | 'side'>): void {
    const { spec } = m;
    const price = wish.px ?? m.last;
    const inQuote = wish.tgtCcy === 'quote_ccy';
    const size = inQuote ? div(wish.sz, price) : wish.sz;
    if (size < dec(spec.minSz))
      throw new Refusal('51020', 'Your order should meet or exceed the minimum order amount.');
    if (!inQuote && !isMultiple(wish.sz, m.step))
      throw new Refusal('51121', 'Order quantity must be a multiple of the lot size.');
    const usd = mul(this.#market.value(m, size, price), this.#market.usd(spec.quote));
    const isMarket = wish.px === null;
    if (spec.instType === 'SWAP') {
      if (isMarket && size > dec(spec.maxMktSz))
        throw new Refusal('51202', 'Market order amount exceeds the maximum amount.');
      if (!isMarket && size > dec(spec.maxLmtSz))
        throw new Refusal(
          '51101',
          `Order failed, the sz of the current order can’t be more than ${spec.maxLmtSz} (contracts).`,
        );
    } else {
      if (isMarket && usd > dec(spec.maxMktSz))
        throw new Refusal('51202', 'Market order amount exceeds the maximum amount.');
      if (isMarket && usd > dec(spec.maxMktAmt))
        throw new Refusal('51201', `The value of a market order can't exceed ${spec.maxMktAmt}.`);
      if (!isMarket && size > dec(spec.maxLmtSz))
        throw new Refusal('51005', 'Your order amount exceeds the max order amount.');
    }
    if (!isMarket && usd > dec(spec.maxLmtAmt))
      throw new Refusal('51203', `Order amount exceeds the limit ${spec.maxLmtAmt}.`);
  }

  /** Checks tick and band; with `pxAmendType` 1 moves the price into the band. */
  price(m: Instrument, side: 'buy' | 'sell', px: Dec, amends: boolean): Dec {
    if (!isMultiple(px, m.tick))
      throw new Refusal('51150', 'The precision of the number of trades or the price exceeds the limit.');
    const bands = this.#market.bands(m);
    const isBeyond = side === 'buy' ? px > bands.buy : px < bands.sell;
    if (!isBeyond) return px;
    if (amends) return side === 'buy' ? bands.buy : bands.sell;
    if (m.spec.instType === 'SWAP')
      throw new Refusal(
        '51006',
        `Order price is not within the price limit (max buy price: ${str(bands.buy)}, min sell price: ${str(bands.sell)})`,
      );
    throw side === 'buy'
      ? new Refusal('51137', `The highest price limit for buy orders is ${str(bands.buy)}.`)
      : new Refusal('51138', `The lowest price limit for sell orders is ${str(bands.sell)}.`);
  }

  #pending(account: Account, m: Instrument): void {
    if (account.orders.open(m.spec.symbol).length >= this.#maxPending)
      throw new Refusal(
        '51102',
        `Order failed, the number of pending orders for this instId can’t be more than ${this.#maxPending} (orders)`,
      );
    if (account.orders.open().length >= LIMITS_OF_ALL)
      throw new Refusal('51025', 'Order count exceeds the limit.');
  }

  #spotMoney(account: Account, wish: Wish): void {
    const { m } = wish;
    const ccy = wish.side === 'buy' ? m.spec.quote : m.spec.base;
    const free = this.#margin.available(account, ccy);
    const short = new Refusal('51008', `Order failed. Insufficient ${ccy} balance in account`, 200, '1000');
    if (wish.px !== null) {
      const needs = wish.side === 'buy' ? mul(wish.sz, wish.px) : wish.sz;
      if (needs > free) throw short;
      return;
    }
    const best = this.#market.quotes(m, wish.side === 'buy' ? 'BUY' : 'SELL')[0]?.price ?? m.last;
    const inQuote = wish.tgtCcy === 'quote_ccy';
    if (wish.side === 'buy') {
      // 5 % more is locked, because the price may move until the fill.
      const needs = inQuote ? wish.sz : mul(mul(wish.sz, best), dec('1.05'));
      if (needs <= free) return;
      if (wish.banAmend || free === ZERO) throw short;
      wish.sz = inQuote ? free : floorTo(div(free, mul(best, dec('1.05'))), m.step);
    } else {
      const needs = inQuote ? div(wish.sz, best) : wish.sz;
      if (needs <= free) return;
      if (wish.banAmend || free === ZERO) throw short;
      wish.sz = inQuote ? mul(free, best) : floorTo(free, m.step);
    }
    const size = inQuote ? div(wish.sz, best) : wish.sz;
    if (size < dec(m.spec.minSz)) throw short;
  }

  /**
   * Checks a reducing order: a position on the other side exists, large enough for all earlier reducing
   * orders, too.
   */
  #reduction(account: Account, wish: Wish): void {
    const like = { instId: wish.m.spec.symbol, side: wish.side, posSide: wish.posSide, tdMode: wish.tdMode };
    if (!reduces(account, { ...like, reduceOnly: wish.reduceOnly })) return;
    const position = account.positions.get(`${like.instId} ${like.tdMode} ${like.posSide}`);
    if (!position || position.amount === ZERO)
      throw new Refusal(
        '51169',
        "Order failed because you don't have any positions in this direction for this contract to reduce or close.",
      );
    const held = closable(account, like);
    if (held === ZERO)
      throw new Refusal(
        '51170',
        'Failed to place order. A reduce-only order can’t be the same trading direction as your existing positions.',
      );
    const before = reducersOf(account, like)
      .filter(
        ({ px }) => wish.px !== null && px !== null && (wish.side === 'sell' ? px <= wish.px : px >= wish.px),
      )
      .reduce((sum, order) => sum + order.qty - order.filled, ZERO);
    if (wish.sz + before > held)
      throw new Refusal('51112', 'Close order size exceeds available size for this position.');
  }

  #swapMoney(account: Account, wish: Wish): void {
    const opening = openingOf(account, wish);
    if (opening === ZERO) return;
    const { spec } = wish.m;
    const needs = this.needs(account, wish.m, wish, opening, wish.px ?? wish.m.last);
    if (needs > this.#margin.forPositions(account, spec.settle))
      throw new Refusal('51008', `Order failed. Insufficient ${spec.settle} margin in account`, 200, '1001');
  }

  /** Margin for that many contracts. */
  needs(
    account: Account,
    m: Instrument,
    like: { tdMode: string; posSide: PosSide },
    contracts: Dec,
    price: Dec,
  ): Dec {
    const lever = leverOf(account, m.spec.symbol, like.tdMode as MgnMode, like.posSide);
    return div(mul(mul(contracts, unitOf(m.spec)), price), lever);
  }
}

/** Contracts of a swap order that open or enlarge a position. */
export function openingOf(account: Account, wish: Wish): Dec {
  if (reduces(account, wish)) return ZERO;
  const held = closable(account, { ...wish, instId: wish.m.spec.symbol });
  return wish.sz - minDec(wish.sz, held);
}
