/**
 * Algo orders: place, amend, cancel, list. Sources: the pages of OKX v5 "Order Book Trading", "Algo Trading".
 */
import type { Account } from './account.ts';
import { ALGO_TYPES, type AlgoOrder, algoRow } from './algo.ts';
import { readAlgo } from './algo-rules.ts';
import type { AlgoBook } from './algos.ts';
import type { Exchange } from './exchange.ts';
import { newestFirst } from './paging.ts';
import { type Params, wrong } from './params.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

const PLACE =
  'instId! tdMode! ccy side! posSide ordType! sz tag tgtCcy algoClOrdId closeFraction tradeQuoteCcy tpTriggerPx tpTriggerPxType tpOrdPx tpOrdKind slTriggerPx slTriggerPxType slOrdPx cxlOnClosePos? reduceOnly? triggerPx orderPx advanceOrdType triggerPxType callbackRatio callbackSpread activePx attachAlgoOrds[';
const AMEND =
  'instId! algoId algoClOrdId cxlOnFail? reqId newSz newTpTriggerPx newTpOrdPx newSlTriggerPx newSlOrdPx newTpTriggerPxType newSlTriggerPxType newTriggerPx newOrdPx newTriggerPxType attachAlgoOrds[';
const MONTHS_3 = 90 * 86_400_000;

export function algoEndpoints(exchange: Exchange, book: AlgoBook, hiddenMs: () => number): Endpoint[] {
  const { market, settings, now } = exchange.o;
  const accountOf = ({ account }: Call): Account => exchange.account(account);
  const isHidden = ({ cTime }: AlgoOrder) => now() - cTime < hiddenMs();
  const write = {
    method: 'POST',
    permission: 'trade',
    rule: 'user+inst',
    limit: [20, 2000],
    expires: false,
    countsForAccount: false,
    isTimed: false,
  } as const;
  const list = { method: 'GET', permission: 'read_only', rule: 'user', limit: [20, 2000] } as const;
  return [
    {
      ...write,
      path: '/api/v5/trade/order-algo',
      parameters: PLACE,
      rowsMax: null,
      source: 'Algo Trading "Place algo order"',
      row: (call) => {
        const account = accountOf(call);
        const wish = readAlgo(call.params, market, account, settings.isolatedSwaps);
        const algo = book.place(account, wish);
        return { algoId: algo.algoId, clOrdId: '', algoClOrdId: algo.algoClOrdId, tag: algo.tag };
      },
      refused: (params) => ({
        algoId: '',
        clOrdId: '',
        algoClOrdId: params.text('algoClOrdId'),
        tag: params.text('tag'),
      }),
    },
    {
      ...write,
      path: '/api/v5/trade/cancel-algos',
      parameters: 'instId! algoId algoClOrdId',
      rowsMax: 10,
      source: 'Algo Trading "Cancel algo order"',
      row: (call) => {
        const account = accountOf(call);
        const algo = named(account, call.params);
        if (algo?.state === 'effective')
          throw new Refusal('51416', "Order has been triggered and can't be canceled");
        if (algo?.state !== 'live')
          throw new Refusal(
            '51400',
            'Order cancellation failed as the order has been filled, canceled or does not exist.',
          );
        book.cancel(account, algo);
        return { algoId: algo.algoId, algoClOrdId: '', clOrdId: '', tag: '' };
      },
      refused: (params) => ({ algoId: params.text('algoId'), algoClOrdId: '', clOrdId: '', tag: '' }),
    },
    {
      ...write,
      path: '/api/v5/trade/amend-algos',
      parameters: AMEND,
      rowsMax: null,
      source: 'Algo Trading "Amend algo order"',
      row: (call) => {
        const account = accountOf(call);
        const algo = named(account, call.params);
        if (!algo) throw new Refusal('51603', 'Order does not exist.');
        book.amend(account, algo, call.params);
        return { algoId: algo.algoId, algoClOrdId: algo.algoClOrdId, reqId: call.params.text('reqId') };
      },
      refused: (params) => ({
        algoId: params.text('algoId'),
        algoClOrdId: params.text('algoClOrdId'),
        reqId: params.text('reqId'),
      }),
    },
    {
      ...list,
      path: '/api/v5/trade/order-algo',
      parameters: 'algoId algoClOrdId',
      source: 'Algo Trading "Algo order details"',
      handle: (call) => {
        const algo = named(accountOf(call), call.params);
        if (!algo || isHidden(algo)) throw new Refusal('51603', 'Order does not exist.');
        return [algoRow(algo)];
      },
    },
    {
      ...list,
      path: '/api/v5/trade/orders-algo-pending',
      parameters: 'ordType! algoId instType instId after before limit',
      source: 'Algo Trading "Algo order list"',
      handle: (call) => {
        const isWanted = wanted(call.params);
        return newestFirst(
          accountOf(call).algos.live(),
          call.params,
          ({ algoId }) => algoId,
          (algo) => !isHidden(algo) && isWanted(algo),
        ).map(algoRow);
      },
    },
    {
      ...list,
      path: '/api/v5/trade/orders-algo-history',
      parameters: 'ordType! state algoId instType instId after before limit',
      source: 'Algo Trading "Algo order history"',
      handle: (call) => {
        const { params } = call;
        const state = params.oneOf('state', ['effective', 'canceled', 'order_failed']);
        if (state === '' && !params.has('algoId'))
          throw new Refusal('51602', 'Either order status or order ID is required.');
        if (state !== '' && params.has('algoId'))
          throw new Refusal('51601', 'Order status and order id cannot exist at the same time.');
        const isWanted = wanted(params);
        return newestFirst(
          accountOf(call).algos.all,
          params,
          ({ algoId }) => algoId,
          (algo) =>
            algo.state !== 'live' &&
            now() - algo.uTime <= MONTHS_3 &&
            (state === '' || algo.state === state) &&
            isWanted(algo),
        ).map(algoRow);
      },
    },
  ];
}

/** The filter of a list by type: only `conditional` and `oco` may be requested together. */
function wanted(params: Params): (algo: AlgoOrder) => boolean {
  const words = params.required('ordType').split(',');
  const areStops = words.every((word) => word === 'conditional' || word === 'oco');
  if (words.length > 1 && !areStops) throw wrong('ordType');
  const known = [...ALGO_TYPES, 'chase', 'iceberg', 'twap', 'smart_iceberg'] as readonly string[];
  if (words.some((word) => !known.includes(word))) throw wrong('ordType');
  const instType = params.oneOf('instType', ['SPOT', 'SWAP', 'FUTURES', 'MARGIN']);
  const instId = params.text('instId');
  const algoId = params.text('algoId');
  return (algo) =>
    words.includes(algo.ordType) &&
    (instType === '' || algo.instType === instType) &&
    (instId === '' || algo.instId === instId) &&
    (algoId === '' || algo.algoId === algoId);
}

function named(account: Account, params: Params): AlgoOrder | null {
  const algoId = params.text('algoId');
  const algoClOrdId = params.clientId('algoClOrdId');
  if (algoId === '' && algoClOrdId === '')
    throw new Refusal('50015', 'Either parameter algoId or algoClOrdId is required', 400);
  const algo = algoId !== '' ? account.algos.byId(algoId) : account.algos.byClient(algoClOrdId);
  const instId = params.text('instId');
  return algo && (instId === '' || algo.instId === instId) ? algo : null;
}
