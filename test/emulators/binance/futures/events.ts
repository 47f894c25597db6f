/**
 * Acts of the exchange itself on an account: liquidation, reduction (ADL), funding, warnings, countdowns to a
 * cancellation. Sources: USD-M "Event Order Update" (autoclose, adl_autoclose, CALCULATED), "Liquidation
 * Protocols", "Introduction to Funding".
 */
import { type Dec, dec, fixed, mul, ZERO } from '../../../../src/domain/decimal.ts';
import type { SymbolMarket } from '../market.ts';
import {
  type FuturesAccount,
  floorTo8,
  isOpenStatus,
  type Position,
  positionOf,
  settingOf,
  sizeOf,
} from './account.ts';
import { EXPIRY, type FuturesExchange } from './exchange.ts';
import type { FuturesOrder } from './order.ts';

const EIGHT_HOURS = 28_800_000;

export class ExchangeActs {
  readonly #exchange: FuturesExchange;
  readonly #forceOrder: (m: SymbolMarket, o: Record<string, unknown>) => void;
  readonly #countdowns = new Map<string, { readonly stop: () => void }>();
  #isLiquidating = false;
  #id = 9_000_000_000_000_000;

  constructor(exchange: FuturesExchange, forceOrder: (m: SymbolMarket, o: Record<string, unknown>) => void) {
    this.#exchange = exchange;
    this.#forceOrder = forceOrder;
  }

  /** Liquidates after a new mark price: an account below its maintenance margin loses the positions. */
  onMark(m: SymbolMarket): void {
    if (this.#isLiquidating) return;
    this.#isLiquidating = true;
    try {
      for (const account of this.#exchange.accounts.values()) this.#checkMargin(account, m.spec.quote);
    } finally {
      this.#isLiquidating = false;
    }
  }

  #checkMargin(account: FuturesAccount, asset: string): void {
    const { margin } = this.#exchange;
    for (const position of [...account.positions.values()]) {
      if (position.amount === ZERO || settingOf(account, position.symbol).marginType !== 'ISOLATED') continue;
      if (this.#exchange.o.market.of(position.symbol).spec.quote !== asset) continue;
      if (position.isolatedWallet + margin.unrealized(position) <= margin.maintenance(position))
        this.liquidate(account, position);
    }
    this.#cover(account, asset);
    const cross = [...margin.cross(account, asset)];
    if (cross.length === 0) return;
    const balance = margin.crossWallet(account, asset) + margin.crossUnrealized(account, asset);
    const needed = cross.reduce((sum, position) => sum + margin.maintenance(position), ZERO);
    if (balance > needed) return;
    for (const order of this.#exchange.openOrders(account))
      if (this.#exchange.o.market.of(order.symbol).spec.quote === asset)
        this.#exchange.end(order, 'EXPIRED', EXPIRY.liquidation);
    for (const position of cross) this.liquidate(account, position);
    this.#cover(account, asset);
  }

  /** Lets the insurance fund pay a balance that a liquidation has left below zero. */
  #cover(account: FuturesAccount, asset: string): void {
    const left = account.wallets.get(asset) ?? ZERO;
    if (left >= ZERO) return;
    account.wallets.set(asset, ZERO);
    const time = this.#exchange.o.now();
    this.#exchange.income(account, '', 'INSURANCE_CLEAR', -left, asset, '', time);
    this.#exchange.teller.update(account, 'INSURANCE_CLEAR', [asset], [], -left);
  }

  liquidate(account: FuturesAccount, position: Position): void {
    this.#close(account, position, sizeOf(position.amount), `autoclose-${++this.#id}`, dec('0.0125'), true);
  }

  /** Reduces a position because of somebody else's liquidation. */
  adl(account: FuturesAccount, symbol: string, side: 'BOTH' | 'LONG' | 'SHORT', qty: Dec): void {
    const position = positionOf(account, symbol, side);
    if (position.amount === ZERO) return;
    const size = sizeOf(position.amount);
    this.#close(account, position, qty < size ? qty : size, 'adl_autoclose', ZERO, false);
  }

  #close(
    account: FuturesAccount,
    position: Position,
    qty: Dec,
    client: string,
    fee: Dec,
    isLiquidation: boolean,
  ): void {
    const { o } = this.#exchange;
    const m = o.market.of(position.symbol);
    const side = position.amount > ZERO ? 'SELL' : 'BUY';
    const time = o.now();
    const order: FuturesOrder = {
      account: account.name,
      symbol: position.symbol,
      orderId: ++this.#id,
      clientOrderId: client,
      side,
      positionSide: position.side,
      type: 'LIMIT',
      origType: 'LIMIT',
      timeInForce: 'IOC',
      price: m.mark,
      qty,
      executed: ZERO,
      quote: ZERO,
      reduceOnly: true,
      closePosition: false,
      stopPrice: ZERO,
      workingType: 'CONTRACT_PRICE',
      priceProtect: false,
      stp: 'NONE',
      goodTillDate: 0,
      openingQty: ZERO,
      status: 'NEW',
      expiry: 0,
      time,
      updateTime: time,
      trades: [],
      amendments: [],
      algo: null,
      callbackRate: '',
      activatePrice: ZERO,
    };
    account.orders.add(order, order.clientOrderId);
    this.#exchange.event(order, 'NEW');
    this.#exchange.fill(account, order, m.mark, qty, true, 'CALCULATED', fee);
    if (!isLiquidation) return;
    const price = o.market.priceText(m, m.mark);
    const size = o.market.qtyText(m, qty);
    this.#forceOrder(m, {
      s: position.symbol,
      S: side,
      o: 'LIMIT',
      f: 'IOC',
      q: size,
      p: price,
      ap: price,
      X: 'FILLED',
      l: size,
      z: size,
      T: time,
    });
  }

  /** Settles funding that is due. */
  funding(m: SymbolMarket): void {
    const { o, margin } = this.#exchange;
    const time = o.now();
    if (time < m.nextFunding) return;
    m.nextFunding = (Math.floor(time / EIGHT_HOURS) + 1) * EIGHT_HOURS;
    for (const account of this.#exchange.accounts.values()) {
      for (const position of account.positions.values()) {
        if (position.symbol !== m.spec.symbol || position.amount === ZERO) continue;
        const paid = -floorTo8(mul(margin.notional(position), m.fundingRate));
        if (paid === ZERO) continue;
        const asset = m.spec.quote;
        account.wallets.set(asset, (account.wallets.get(asset) ?? ZERO) + paid);
        const isIsolated = settingOf(account, m.spec.symbol).marginType === 'ISOLATED';
        if (isIsolated) position.isolatedWallet += paid;
        this.#exchange.income(account, m.spec.symbol, 'FUNDING_FEE', paid, asset, '', time);
        this.#exchange.teller.update(account, 'FUNDING_FEE', [asset], isIsolated ? [position] : [], paid);
      }
    }
  }

  /** Sets the dead-man switch of one symbol; 0 turns it off. */
  countdown(account: FuturesAccount, symbol: string, ms: number): void {
    const name = `${account.name} ${symbol}`;
    this.#countdowns.get(name)?.stop();
    this.#countdowns.delete(name);
    if (ms === 0) return;
    let isOn = true;
    this.#countdowns.set(name, {
      stop: () => {
        isOn = false;
      },
    });
    this.#exchange.o.after(ms, () => {
      if (!isOn) return;
      for (const order of this.#exchange.openOrders(account, symbol))
        if (isOpenStatus(order.status)) this.#exchange.cancel(order);
    });
  }

  /** Sends MARGIN_CALL, which comes when the margin is low. */
  warn(account: FuturesAccount): void {
    const { o, margin } = this.#exchange;
    o.tell(account.name, {
      e: 'MARGIN_CALL',
      E: o.now(),
      cw: fixed(margin.crossWallet(account, 'USDT'), 8),
      p: [...account.positions.values()]
        .filter(({ amount }) => amount !== ZERO)
        .map((position) => {
          const m = o.market.of(position.symbol);
          return {
            s: position.symbol,
            ps: position.side,
            pa: o.market.qtyText(m, position.amount),
            mt: settingOf(account, position.symbol).marginType,
            iw: fixed(position.isolatedWallet, 8),
            mp: fixed(m.mark, 8),
            up: fixed(margin.unrealized(position), 8),
            mm: fixed(margin.maintenance(position), 8),
          };
        }),
    });
  }
}
