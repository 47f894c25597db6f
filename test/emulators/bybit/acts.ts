/**
 * Acts of the exchange itself on an account: liquidation, reduction (ADL), funding, cancels for lost
 * connections. Sources: enum.mdx (createType, execType, cancelType), account/transaction-log.mdx SETTLEMENT,
 * order/dcp.mdx.
 */
import { type Dec, dec, mul, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, floored, type Position, positionOf, sizeOf } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { SymbolMarket } from './market.ts';
import { isActive, type Order, type PositionIdx } from './order.ts';

const EIGHT_HOURS = 28_800_000;
const TAKEOVER_FEE = dec('0.00055');

export class Acts {
  readonly #exchange: Exchange;
  #isLiquidating = false;

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  /** Liquidates after a new mark price: an account below its maintenance margin loses the positions. */
  onMark(): void {
    if (this.#isLiquidating) return;
    this.#isLiquidating = true;
    try {
      for (const account of this.#exchange.accounts.values()) this.#check(account);
    } finally {
      this.#isLiquidating = false;
    }
  }

  #check(account: Account): void {
    const { margin } = this.#exchange;
    const held = margin.held(account);
    if (held.length === 0) return;
    if (account.marginMode === 'ISOLATED_MARGIN') {
      for (const position of held) {
        const entry = margin.initialAtEntry(account, position) + position.added;
        if (entry + margin.unrealised(position) <= margin.maintenance(position))
          this.liquidate(account, position);
      }
      return;
    }
    const totals = margin.totals(account);
    if (totals.cushion > totals.maintenance) return;
    for (const category of ['linear', 'spot'] as const)
      for (const order of this.#exchange.openOrders(account, category))
        this.#exchange.end(account, order, 'CancelAllBeforeLiq', 'EC_NoError');
    for (const position of held) this.liquidate(account, position);
  }

  /** Closes the position at the bankruptcy price, here the mark: the engine takes it over. */
  liquidate(account: Account, position: Position): void {
    this.#close(
      account,
      position,
      sizeOf(position.amount),
      'CreateByTakeOver_PassThrough',
      'BustTrade',
      TAKEOVER_FEE,
    );
  }

  /** Reduces a position because of somebody else's liquidation. */
  adl(account: Account, symbol: string, idx: PositionIdx, qty: Dec): void {
    const position = positionOf(account, symbol, idx, this.#exchange.o.now());
    const size = sizeOf(position.amount);
    if (size === ZERO) return;
    this.#close(account, position, qty < size ? qty : size, 'CreateByAdl_PassThrough', 'AdlTrade', ZERO);
  }

  /**
   * Ends a contract: its orders are cancelled, positions are closed by a trade without an order (enum.mdx
   * CreateBySettle).
   */
  delist(symbol: string): void {
    const exchange = this.#exchange;
    const market = exchange.market('linear');
    market.change(symbol, { status: 'Closed' });
    for (const account of exchange.accounts.values()) {
      for (const order of exchange.openOrders(account, 'linear', symbol))
        exchange.end(account, order, 'CancelBySettle', 'EC_NoError');
      for (const position of exchange.margin.held(account))
        if (position.symbol === symbol)
          this.#close(account, position, sizeOf(position.amount), 'CreateBySettle', 'Delivery', ZERO);
    }
  }

  #close(
    account: Account,
    position: Position,
    qty: Dec,
    createType: string,
    execType: string,
    fee: Dec,
  ): void {
    const exchange = this.#exchange;
    const m = exchange.market('linear').of(position.symbol);
    const order: Order = {
      ...this.#blank(account, position, m, qty),
      createType,
    };
    if (createType !== 'CreateBySettle') account.orders.linear.add(order, '');
    exchange.fill(account, order, [{ price: m.mark, qty }], true, execType, fee);
  }

  #blank(account: Account, position: Position, m: SymbolMarket, qty: Dec): Order {
    const time = this.#exchange.o.now();
    return {
      account: account.name,
      category: 'linear',
      symbol: position.symbol,
      orderId: this.#exchange.newId('linear'),
      orderLinkId: '',
      parentOrderLinkId: '',
      side: position.amount > ZERO ? 'Sell' : 'Buy',
      orderType: 'Market',
      timeInForce: 'IOC',
      marketUnit: '',
      positionIdx: position.idx,
      orderFilter: 'Order',
      createType: '',
      stopOrderType: '',
      triggerBy: '',
      reduceOnly: true,
      closeOnTrigger: false,
      takeProfit: ZERO,
      stopLoss: ZERO,
      createdTime: time,
      lastPrice: m.last,
      triggerDirection: 0,
      triggerPrice: ZERO,
      distance: ZERO,
      best: ZERO,
      price: m.mark,
      qty,
      status: 'New',
      cancelType: 'UNKNOWN',
      rejectReason: 'EC_NoError',
      executed: ZERO,
      value: ZERO,
      closedPnl: ZERO,
      fees: new Map(),
      executions: [],
      updatedTime: time,
      queuedAt: time,
      isTold: true,
    };
  }

  /** Settles funding that is due: a row of the log, an execution of type Funding, and the wallet. */
  funding(m: SymbolMarket): void {
    const exchange = this.#exchange;
    const time = exchange.o.now();
    if (time < m.nextFunding) return;
    m.nextFunding = (Math.floor(time / EIGHT_HOURS) + 1) * EIGHT_HOURS;
    for (const account of exchange.accounts.values())
      for (const position of exchange.margin.held(account)) {
        if (position.symbol !== m.spec.symbol) continue;
        const received = -floored(mul(mul(position.amount, m.mark), m.fundingRate));
        if (received === ZERO) continue;
        this.#fund(account, position, m, received);
      }
  }

  #fund(account: Account, position: Position, m: SymbolMarket, received: Dec): void {
    const exchange = this.#exchange;
    const time = exchange.o.now();
    const coin = m.spec.settle ?? m.spec.quote;
    const size = sizeOf(position.amount);
    const side = position.amount > ZERO ? 'Buy' : 'Sell';
    const rate = side === 'Buy' ? m.fundingRate : -m.fundingRate;
    const execId = exchange.newId('linear');
    const order = {
      ...this.#blank(account, position, m, size),
      orderId: `${Math.floor(time / 1000)}-8-${account.uid}-${position.idx}-2`,
      side,
      price: ZERO,
    } as const;
    account.executions.linear.push({
      order,
      execId,
      price: m.mark,
      qty: size,
      // A payment is positive in the trade history, negative in the log.
      fee: -received,
      feeCurrency: coin,
      feeRate: rate,
      execType: 'Funding',
      isMaker: false,
      time,
      seq: ++exchange.seq,
      closedSize: ZERO,
      pnl: ZERO,
      leavesQty: ZERO,
      markPrice: m.mark,
    });
    exchange.ledger.income(account, {
      type: 'SETTLEMENT',
      symbol: position.symbol,
      category: 'linear',
      side,
      currency: coin,
      qty: size,
      size: position.amount,
      tradePrice: m.mark,
      funding: received,
      feeRate: rate,
      change: received,
      tradeId: execId,
      orderId: order.orderId,
    });
    position.realised += received;
    position.allRealised += received;
    exchange.teller.executions(account, order, account.executions.linear.slice(-1));
    exchange.teller.position(account, position);
    exchange.teller.wallet(account, [coin]);
  }

  /** Cancels the product's orders: every connection with its `dcp` topic has been gone for the set time. */
  disconnected(account: Account, product: 'SPOT' | 'DERIVATIVES'): void {
    for (const order of this.#exchange.openOrders(account, product === 'SPOT' ? 'spot' : 'linear'))
      if (isActive(order)) this.#exchange.cancel(account, order, 'CancelByDCP');
  }
}
