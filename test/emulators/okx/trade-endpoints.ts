/**
 * Orders: place, amend, cancel, close, one by one or in lists. Sources: the pages of OKX v5 "Order Book
 * Trading", "Trade".
 */
import { type Dec, ZERO } from '../../../src/domain/decimal.ts';
import type { Account, MgnMode } from './account.ts';
import type { Exchange } from './exchange.ts';
import { CANCEL, isOpen, type OkxOrder } from './order.ts';
import { missing, type Params, wrong } from './params.ts';
import { closable, posSideOf, readWish, reducersOf } from './rules.ts';
import { type Call, type Endpoint, Refusal, type RowsEndpoint } from './wire.ts';

export interface TradeOptions {
  readonly exchange: Exchange;
  readonly countdowns: Countdowns;
  readonly after: (delayMs: number, run: () => void) => void;
  /** Time between the acceptance of a cancel or an amendment and its execution, ms. */
  readonly cancelLagMs: () => number;
  readonly amendLagMs: () => number;
}

/** The dead-man switch: `cancel-all-after`. */
export interface Countdowns {
  set(account: Account, seconds: number, tag: string): number;
}

const PLACE =
  'instId! tdMode! ccy clOrdId tag side! posSide ordType! sz! px reduceOnly? tgtCcy banAmend? pxAmendType tradeQuoteCcy slippagePct stpMode isElpTakerAccess? attachAlgoOrds[';
const CANCEL_NAMES = 'instId! ordId clOrdId';
const AMEND = 'instId! cxlOnFail? ordId clOrdId reqId newSz newPx pxAmendType attachAlgoOrds[';

export function tradeEndpoints(o: TradeOptions): Endpoint[] {
  const { exchange, countdowns } = o;
  const canceling = new WeakSet<OkxOrder>();
  const { market, settings, now } = exchange.o;
  const accountOf = ({ account }: Call) => exchange.account(account);

  const place: Omit<RowsEndpoint, 'path' | 'limit' | 'rowsMax' | 'source'> = {
    method: 'POST',
    permission: 'trade',
    parameters: PLACE,
    rule: 'user+inst',
    expires: true,
    countsForAccount: true,
    isTimed: true,
    row: (call) => {
      const account = accountOf(call);
      const wish = readWish(call.params, market, account, settings.isolatedSwaps);
      const order = exchange.place(account, wish);
      return placed(order.clOrdId, order.ordId, order.tag);
    },
    refused: (params) => placed(params.text('clOrdId'), '', params.text('tag')),
  };
  const placed = (clOrdId: string, ordId: string, tag: string) => ({
    clOrdId,
    ordId,
    tag,
    ts: String(now()),
    subCode: '',
  });

  const cancel: Omit<RowsEndpoint, 'path' | 'limit' | 'rowsMax' | 'source'> = {
    method: 'POST',
    permission: 'trade',
    parameters: CANCEL_NAMES,
    rule: 'user+inst',
    expires: false,
    countsForAccount: false,
    isTimed: true,
    row: (call) => {
      const account = accountOf(call);
      const order = named(account, call.params);
      if (!order || !isOpen(order))
        throw new Refusal(
          '51400',
          'Order cancellation failed as the order has been filled, canceled or does not exist.',
        );
      if (canceling.has(order))
        throw new Refusal(
          '51410',
          'Cancellation failed as the order is already in canceling status or pending settlement.',
        );
      const lag = o.cancelLagMs();
      if (lag > 0) {
        canceling.add(order);
        o.after(lag, () => exchange.cancel(account, order));
      } else exchange.cancel(account, order);
      return { clOrdId: order.clOrdId, ordId: order.ordId, ts: String(now()) };
    },
    refused: (params) => ({
      clOrdId: params.text('clOrdId'),
      ordId: params.text('ordId'),
      ts: String(now()),
    }),
  };

  const amend: Omit<RowsEndpoint, 'path' | 'limit' | 'rowsMax' | 'source'> = {
    method: 'POST',
    permission: 'trade',
    parameters: AMEND,
    rule: 'user+inst',
    expires: true,
    countsForAccount: true,
    isTimed: true,
    row: (call) => {
      const { params } = call;
      const account = accountOf(call);
      const newSz = params.positive('newSz');
      const newPx = params.positive('newPx');
      const reqId = params.clientId('reqId');
      if (newSz === null && newPx === null)
        throw new Refusal('51500', 'You must enter a price, quantity, or TP/SL');
      const order = named(account, params);
      if (!order) throw new Refusal('51603', 'Order does not exist.');
      if (!isOpen(order)) throw new Refusal('51503', 'Your order has already been filled or canceled.');
      const ends = params.flag('cxlOnFail');
      const lag = o.amendLagMs();
      if (lag > 0) o.after(lag, () => amendLate(account, order, newSz, newPx, reqId, ends));
      else amendNow(account, order, newSz, newPx, reqId, ends);
      return { clOrdId: order.clOrdId, ordId: order.ordId, reqId, ts: String(now()), subCode: '' };
    },
    refused: (params) => ({
      clOrdId: params.text('clOrdId'),
      ordId: params.text('ordId'),
      reqId: params.text('reqId'),
      ts: String(now()),
      subCode: '',
    }),
  };

  return [
    {
      ...place,
      path: '/api/v5/trade/order',
      rowsMax: null,
      limit: [60, 2000],
      source: 'Trade "Place order"',
    },
    {
      ...place,
      path: '/api/v5/trade/batch-orders',
      rowsMax: 20,
      single: '/api/v5/trade/order',
      limit: [300, 2000],
      source: 'Trade "Place multiple orders"',
    },
    {
      ...cancel,
      path: '/api/v5/trade/cancel-order',
      rowsMax: null,
      limit: [60, 2000],
      source: 'Trade "Cancel order"',
    },
    {
      ...cancel,
      path: '/api/v5/trade/cancel-batch-orders',
      rowsMax: 20,
      single: '/api/v5/trade/cancel-order',
      limit: [300, 2000],
      source: 'Trade "Cancel multiple orders"',
    },
    {
      ...amend,
      path: '/api/v5/trade/amend-order',
      rowsMax: null,
      limit: [60, 2000],
      source: 'Trade "Amend order"',
    },
    {
      ...amend,
      path: '/api/v5/trade/amend-batch-orders',
      rowsMax: 20,
      single: '/api/v5/trade/amend-order',
      limit: [300, 2000],
      source: 'Trade "Amend multiple orders"',
    },
    {
      method: 'POST',
      path: '/api/v5/trade/close-position',
      permission: 'trade',
      parameters: 'instId! posSide mgnMode! ccy autoCxl? clOrdId tag',
      limit: [20, 2000],
      rule: 'user+inst',
      source: 'Trade "Close positions"',
      handle: (call) => [close(accountOf(call), call.params)],
    },
    {
      method: 'POST',
      path: '/api/v5/trade/cancel-all-after',
      permission: 'trade',
      parameters: 'timeOut! tag',
      limit: [1, 1000],
      rule: 'user+tag',
      source: 'Trade "Cancel All After"',
      handle: (call) => {
        const seconds = call.params.whole('timeOut');
        if (seconds === null || (seconds !== 0 && (seconds < 10 || seconds > 120))) throw wrong('timeOut');
        const tag = call.params.tag();
        const at = countdowns.set(accountOf(call), seconds, tag);
        return [{ triggerTime: String(at), tag, ts: String(now()) }];
      },
    },
    {
      method: 'GET',
      path: '/api/v5/trade/account-rate-limit',
      permission: 'read_only',
      parameters: '',
      limit: [1, 1000],
      rule: 'user',
      source: 'Trade "Account rate limit"',
      handle: () => [
        { accRateLimit: '1000', fillRatio: '', mainFillRatio: '', nextAccRateLimit: '', ts: String(now()) },
      ],
    },
  ];

  function amendNow(
    account: Account,
    order: OkxOrder,
    newSz: Dec | null,
    newPx: Dec | null,
    reqId: string,
    ends: boolean,
  ): void {
    try {
      exchange.amend(account, order, newSz, newPx, reqId);
    } catch (error) {
      if (error instanceof Refusal && ends) exchange.cancel(account, order, CANCEL.system);
      throw error;
    }
  }

  /** Executes an accepted amendment; the stream reports its failure. */
  function amendLate(
    account: Account,
    order: OkxOrder,
    newSz: Dec | null,
    newPx: Dec | null,
    reqId: string,
    ends: boolean,
  ): void {
    try {
      if (!isOpen(order)) throw new Refusal('51503', 'Your order has already been filled or canceled.');
      exchange.amend(account, order, newSz, newPx, reqId);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const amendResult = ends && isOpen(order) ? '1' : '-1';
      exchange.tell(account, order, { reqId, amendResult, code: error.code, msg: error.message });
      if (ends) exchange.cancel(account, order, CANCEL.system);
    }
  }

  /** Closes a position. Its order has the given client id, and no answer contains its number. */
  function close(account: Account, params: Params): Record<string, unknown> {
    const m = market.of(params.required('instId'));
    const instId = m.spec.symbol;
    if (m.spec.instType !== 'SWAP') throw wrong('instId');
    const posSide = posSideOf(params, account, 'SWAP');
    const mgnMode = params.oneOf('mgnMode', ['cross', 'isolated']) as MgnMode;
    const clOrdId = params.clientId('clOrdId');
    const tag = params.tag();
    const position = account.positions.get(`${instId} ${mgnMode} ${posSide}`);
    if (!position || position.amount === ZERO) throw new Refusal('51023', "Position doesn't exist.");
    const side = position.amount > ZERO ? 'sell' : 'buy';
    const like = { instId, side, posSide, tdMode: mgnMode } as const;
    const pending = reducersOf(account, like);
    if (pending.length > 0 && !params.flag('autoCxl'))
      throw new Refusal('51115', 'Cancel all pending close-orders before liquidation.', 429);
    exchange.rules.clientId(account, clOrdId);
    for (const order of pending) exchange.cancel(account, order, CANCEL.closedAtMarket);
    exchange.accept(
      account,
      {
        m,
        side,
        posSide,
        tdMode: mgnMode,
        ordType: 'market',
        px: null,
        sz: closable(account, like),
        tgtCcy: '',
        reduceOnly: account.posMode === 'net_mode',
        banAmend: true,
        amendsPrice: false,
        clOrdId,
        tag,
        stpMode: 'cancel_maker',
      },
      {},
    );
    return { clOrdId, instId, posSide, tag };
  }
}

/** Finds an order by `ordId`, or by the client id (the newest); 51000 if the instrument differs. */
export function named(account: Account, params: Params): OkxOrder | null {
  const ordId = params.text('ordId');
  const clOrdId = params.clientId('clOrdId');
  if (ordId === '' && clOrdId === '')
    throw new Refusal('51407', 'Either order ID or client order ID is required.');
  if (ordId !== '' && !/^\d{1,20}$/.test(ordId)) throw wrong('ordId');
  const order = ordId !== '' ? account.orders.byId(ordId) : account.orders.byClient(clOrdId);
  const instId = params.text('instId');
  if (instId === '') throw missing('instId');
  return order && order.instId === instId ? order : null;
}
