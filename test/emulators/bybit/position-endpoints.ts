/**
 * Positions and their settings: list, leverage, one-way or hedge mode, stops of a position, isolated margin,
 * closed profit. Sources: position/position.mdx, leverage.mdx, position-mode.mdx, trading-stop.mdx,
 * manual-add-margin.mdx, close-pnl.mdx.
 */
import { dec, div, floorTo, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type Account, isHedged, leverageOf, type Position, positionOf, UNIT } from './account.ts';
import type { Exchange } from './exchange.ts';
import type { SymbolMarket } from './market.ts';
import type { Execution, PositionIdx } from './order.ts';
import { windowOf } from './order-endpoints.ts';
import { bad, type Params } from './params.ts';
import { paged } from './public-endpoints.ts';
import { priceOf } from './rules.ts';
import type { Stops } from './stops.ts';
import { type Call, type Endpoint, Refusal } from './wire.ts';

export interface PositionOptions {
  readonly exchange: Exchange;
  readonly stops: Stops;
  readonly account: (name: string) => Account;
  readonly now: () => number;
}

const WEEK = 7 * 86_400_000;

export function positionEndpoints(o: PositionOptions): Endpoint[] {
  const { exchange, now } = o;
  const { teller } = exchange;
  const linear = exchange.market('linear');
  const write = { method: 'POST', security: 'signed', right: 'Position', perSecond: 10 } as const;
  const read = { method: 'GET', security: 'signed', right: 'read', perSecond: 50 } as const;
  const mine = (call: Call) => o.account(call.account);
  return [
    {
      ...read,
      path: '/v5/position/list',
      parameters: 'category! symbol baseCoin settleCoin limit:i cursor',
      source: 'position/position.mdx',
      handle: (call) => {
        const { params } = call;
        const category = params.text('category');
        if (category === 'inverse' || category === 'option')
          return { category, list: [], nextPageCursor: '' };
        if (category !== 'linear') throw bad('Illegal category');
        const account = mine(call);
        const symbol = params.text('symbol');
        const settle = params.text('settleCoin');
        if (symbol === null && settle === null)
          throw bad('Missing some parameters that must be filled in, symbol or settleCoin');
        const positions =
          symbol !== null
            ? teller
                .indices(account, linear.of(symbol).spec.symbol)
                .map((idx) => positionOf(account, symbol, idx, 0))
            : exchange.margin.held(account, settle ?? '');
        const { rows, next } = paged(params, positions, params.limit(20, 200));
        return {
          category,
          list: rows.map((position) => teller.positionRow(account, position, 'avgPrice')),
          nextPageCursor: next,
        };
      },
    },
    {
      ...write,
      path: '/v5/position/set-leverage',
      parameters: 'category! symbol! buyLeverage! sellLeverage!',
      source: 'position/leverage.mdx',
      handle: (call) => setLeverage(call.params, mine(call)),
    },
    {
      ...write,
      path: '/v5/position/switch-mode',
      parameters: 'category! symbol coin mode!:i',
      source: 'position/position-mode.mdx',
      handle: (call) => switchMode(call.params, mine(call)),
    },
    {
      ...write,
      path: '/v5/position/trading-stop',
      parameters:
        'category! symbol! tpslMode! positionIdx!:i takeProfit stopLoss trailingStop tpTriggerBy slTriggerBy activePrice tpSize slSize tpLimitPrice slLimitPrice tpOrderType slOrderType',
      source: 'position/trading-stop.mdx',
      handle: (call) => tradingStop(call.params, mine(call)),
    },
    {
      ...write,
      path: '/v5/position/add-margin',
      parameters: 'category! symbol! margin! positionIdx:i',
      source: 'position/manual-add-margin.mdx',
      handle: (call) => addMargin(call.params, mine(call)),
    },
    {
      ...read,
      path: '/v5/position/closed-pnl',
      parameters: 'category! symbol startTime:i endTime:i limit:i cursor',
      source: 'position/close-pnl.mdx',
      handle: (call) => {
        const { params } = call;
        if (params.traded() !== 'linear') throw bad('Illegal category');
        const { from, to } = windowOf(params, now(), WEEK);
        const rows = mine(call)
          .executions.linear.filter(
            (e) =>
              e.closedSize > ZERO &&
              e.time >= from &&
              e.time <= to &&
              (params.text('symbol') ?? e.order.symbol) === e.order.symbol,
          )
          .reverse();
        const { rows: page, next } = paged(params, rows, params.limit(50, 100));
        return { category: 'linear', list: page.map((e) => closedRow(e, mine(call))), nextPageCursor: next };
      },
    },
  ];

  function setLeverage(params: Params, account: Account): unknown {
    const m = marketOf(params);
    const [buy, sell] = [params.positive('buyLeverage'), params.positive('sellLeverage')];
    if (buy === null || sell === null) throw bad('leverage invalid');
    const mayDiffer = isHedged(account, m) && account.marginMode === 'ISOLATED_MARGIN';
    if (buy !== sell && !mayDiffer) throw new Refusal(10001, 'buy leverage not equal sell leverage');
    if (account.marginMode === 'PORTFOLIO_MARGIN')
      throw new Refusal(110038, 'You are not allowed to change leverage due to portfolio margin mode.');
    const max = dec(m.spec.maxLeverage ?? '50');
    if (buy < dec('1') || sell < dec('1') || buy > max || sell > max)
      throw new Refusal(110013, 'Cannot set leverage due to risk limit level.');
    const { symbol } = m.spec;
    if (dec(leverageOf(account, symbol, 'Buy')) === buy && dec(leverageOf(account, symbol, 'Sell')) === sell)
      throw new Refusal(110043, 'leverage not modified');
    account.leverages.set(symbol, [str(buy), str(sell)]);
    for (const idx of teller.indices(account, symbol))
      teller.position(account, positionOf(account, symbol, idx, now()));
    return {};
  }

  function switchMode(params: Params, account: Account): unknown {
    if (params.traded() !== 'linear') throw bad('Illegal category');
    const mode = params.integer('mode');
    if (mode !== 0 && mode !== 3) throw bad('mode invalid');
    const isOn = mode === 3;
    const symbol = params.text('symbol');
    if (symbol === null) {
      const coin = params.text('coin');
      if (coin === null) throw bad('Either symbol or coin is required');
      if (coin !== 'USDT') throw new Refusal(110029, 'Hedge mode is not supported for this symbol.');
      // Symbols with a position or an order are skipped silently.
      for (const m of linear.symbols.values())
        if (isBusy(account, m)) account.hedged.set(m.spec.symbol, isHedged(account, m));
      for (const m of linear.symbols.values()) if (!isBusy(account, m)) account.hedged.delete(m.spec.symbol);
      account.hedged.set('USDT', isOn);
      return {};
    }
    const m = linear.of(symbol);
    if (isOn && (m.spec.settle !== 'USDT' || m.spec.contractType !== 'LinearPerpetual'))
      throw new Refusal(110029, 'Hedge mode is not supported for this symbol.');
    if (isHedged(account, m) === isOn) throw new Refusal(110025, 'Position mode is not modified');
    if (exchange.margin.held(account).some((position) => position.symbol === symbol))
      throw new Refusal(110024, 'You have an existing position, so the position mode cannot be switched.');
    if (exchange.openOrders(account, 'linear', symbol).length > 0)
      throw new Refusal(110028, 'You have existing open orders, so the position mode cannot be switched.');
    account.hedged.set(symbol, isOn);
    return {};
  }

  function isBusy(account: Account, m: SymbolMarket): boolean {
    return (
      exchange.margin.held(account).some(({ symbol }) => symbol === m.spec.symbol) ||
      exchange.openOrders(account, 'linear', m.spec.symbol).length > 0
    );
  }

  function tradingStop(params: Params, account: Account): unknown {
    const m = marketOf(params);
    const mode = params.oneOf('tpslMode', ['Full', 'Partial']);
    if (mode === 'Partial') throw bad('tpslMode Partial is not emulated');
    const position = held(params, account, m);
    if (position.amount === ZERO) throw new Refusal(10001, 'can not set tp/sl/ts for zero position');
    const isLong = position.amount > ZERO;
    const wanted = (name: string) =>
      params.has(name)
        ? dec(params.required(name)) === ZERO
          ? ZERO
          : priceOf(params, name, m, 'linear')
        : null;
    const profit = wanted('takeProfit');
    const loss = wanted('stopLoss');
    const trailing = wanted('trailingStop');
    const by = (name: string) => params.oneOf(name, ['LastPrice', 'MarkPrice', 'IndexPrice']) ?? 'LastPrice';
    if (profit !== null && profit > ZERO && (isLong ? profit <= m.last : profit >= m.last))
      throw new Refusal(
        10001,
        `TakeProfit: ${str(profit)} set for ${isLong ? 'Buy' : 'Sell'} position should be ${isLong ? 'higher' : 'lower'} than base_price:${str(m.last)}??LastPrice`,
      );
    if (loss !== null && loss > ZERO && (isLong ? loss >= m.last : loss <= m.last))
      throw new Refusal(
        10001,
        `StopLoss: ${str(loss)} set for ${isLong ? 'Buy' : 'Sell'} position should be ${isLong ? 'lower' : 'higher'} than base_price:${str(m.last)}??LastPrice`,
      );
    const isSame =
      (profit ?? position.takeProfit) === position.takeProfit &&
      (loss ?? position.stopLoss) === position.stopLoss &&
      (trailing ?? position.trailingStop) === position.trailingStop;
    if (isSame) throw new Refusal(34_040, 'not modified');
    const active = params.has('activePrice') ? priceOf(params, 'activePrice', m, 'linear') : ZERO;
    if (profit !== null) o.stops.set(account, position, 'TakeProfit', profit, ZERO, by('tpTriggerBy'));
    if (loss !== null) o.stops.set(account, position, 'StopLoss', loss, ZERO, by('slTriggerBy'));
    if (trailing !== null) o.stops.set(account, position, 'TrailingStop', trailing, active, 'LastPrice');
    teller.position(account, position);
    return {};
  }

  function addMargin(params: Params, account: Account): unknown {
    const m = marketOf(params);
    const position = held(params, account, m);
    if (account.marginMode !== 'ISOLATED_MARGIN')
      throw new Refusal(110015, 'The position is in cross margin mode.');
    if (position.amount === ZERO) throw new Refusal(110033, "You can't set margin without an open position");
    const text = params.required('margin');
    if (!/^-?\d{1,12}(\.\d{1,4})?$/.test(text)) throw bad('margin invalid');
    const margin = text.startsWith('-') ? -dec(text.slice(1)) : dec(text);
    if (margin > exchange.margin.available(account, m.spec.settle ?? ''))
      throw new Refusal(110014, 'Insufficient available balance to add additional margin.');
    if (position.added + margin < ZERO)
      throw new Refusal(110078, 'Added margin more than max can reduce margin');
    position.added += margin;
    teller.position(account, position);
    return { ...teller.positionRow(account, position, 'avgPrice'), category: 'linear' };
  }

  function marketOf(params: Params): SymbolMarket {
    if (params.traded() !== 'linear') throw bad('Illegal category');
    return linear.of(params.required('symbol'));
  }

  function held(params: Params, account: Account, m: SymbolMarket): Position {
    const idx = params.integer('positionIdx') ?? 0;
    if (!(teller.indices(account, m.spec.symbol) as readonly number[]).includes(idx))
      throw new Refusal(10001, 'position idx not match position mode');
    return positionOf(account, m.spec.symbol, idx as PositionIdx, now());
  }

  function closedRow(e: Execution, account: Account): Record<string, unknown> {
    const { order } = e;
    const sign = order.side === 'Sell' ? 1n : -1n;
    const exit = mul(e.price, e.closedSize);
    const entry = exit - sign * e.pnl;
    return {
      symbol: order.symbol,
      orderId: order.orderId,
      side: order.side,
      qty: str(order.qty),
      orderPrice: str(order.price),
      orderType: order.orderType,
      execType: e.execType,
      closedSize: str(e.closedSize),
      cumEntryValue: str(entry),
      avgEntryPrice: str(floorTo(div(entry, e.closedSize), UNIT)),
      cumExitValue: str(exit),
      avgExitPrice: str(e.price),
      closedPnl: str(e.pnl - e.fee),
      fillCount: '1',
      leverage: leverageOf(account, order.symbol, order.side === 'Sell' ? 'Buy' : 'Sell'),
      openFee: '0',
      closeFee: str(e.fee),
      createdTime: String(order.createdTime),
      updatedTime: String(e.time),
    };
  }
}
