/**
 * Liquidation, step by step (Binance FAQ 360033525271, "Liquidation Protocols"): when margin balance <=
 * maintenance margin the open orders of that margin are cancelled first, then the position is reduced to the
 * cap of the next lower bracket, step by step until the margin is sufficient or nothing is left. One step is
 * one operation: its rows are stored, then its events are sent.
 *
 * A step trades at the mark as taker, with the liquidation fee on what it closes, both paid from the margin
 * that is left. A position whose margin is used up is closed completely at its bankruptcy price: the
 * insurance fund takes it over and bears the difference to the mark, so no wallet ends below zero.
 */
import { ceilTo, type Dec, div, floorTo, maxDec, minDec, mul, ZERO } from '../../../domain/decimal.ts';
import { crossed, crossWallet, maintenanceOf, markOf, profitOf } from '../../../domain/margin/account.ts';
import { applyFill } from '../../../domain/margin/fill.ts';
import { abs, notional } from '../../../domain/margin/position.ts';
import { tierAt } from '../../../domain/margin/tiers.ts';
import type { Changes } from '../changes.ts';
import type { PaperOrder } from '../paper-order.ts';
import { cover, coverCross } from './execution.ts';
import { cancelOpen, recordFill, sweep } from './futures-matching.ts';
import type { FuturesState, Position } from './futures-state.ts';

const WHY = 'liquidation';

/** A margin that is no longer sufficient: that of one isolated position, or that of the crossed account. */
export interface Endangered {
  /** Identifies the margin within one tick. */
  readonly key: string;
  readonly isolated: Position | null;
}

/** The first margin whose balance is at or below its maintenance margin; isolated ones first. */
export function underMargined(state: FuturesState): Endangered | null {
  if (state.positions.size === 0) return null;
  for (const position of state.sorted()) {
    if (!state.isolated(position.symbol)) continue;
    const balance = position.isolated + profitOf(state, position);
    if (balance <= maintenanceOf(state, position)) {
      return { key: `${position.symbol} ${position.side}`, isolated: position };
    }
  }
  const { profit, maintenance, count } = crossed(state);
  return count > 0 && crossWallet(state) + profit <= maintenance ? { key: 'crossed', isolated: null } : null;
}

/** Cancels the open orders of the margin. False: there were none. */
export function cancelUnderMargined(state: FuturesState, margin: Endangered, changes: Changes): boolean {
  let any = false;
  for (const order of [...state.open.values()]) {
    const mine = margin.isolated
      ? order.symbol === margin.isolated.symbol && order.terms?.positionSide === margin.isolated.side
      : !state.isolated(order.symbol);
    if (!mine) continue;
    cancelOpen(state, order, state.bookOf(order), WHY, changes);
    any = true;
  }
  return any;
}

/** Reduces or closes one position of the margin, by an order of the exchange. */
export function reduceEndangered(state: FuturesState, margin: Endangered, changes: Changes): void {
  const position = margin.isolated ?? chooseCrossed(state);
  const mark = markOf(state, position);
  const balance = balanceOf(state, margin);
  const bankrupt = balance <= ZERO;
  const qty = bankrupt ? abs(position.amount) : stepSize(state, position, mark);
  const price = bankrupt ? takeoverPrice(state, position, mark, balance) : mark;
  const sells = position.amount > ZERO;
  const order = liquidationOrder(state, position, qty);
  const applied = applyFill(position, sells ? -qty : qty, price);
  const pnl = applied.pnl ?? ZERO;
  Object.assign(position, applied.after);
  state.amounts.realized += pnl;
  state.amounts.wallet += pnl;
  position.realized += pnl;
  if (margin.isolated) moveIsolated(state, position, pnl);
  else coverCross(state);
  state.amounts.insurance -= mul(qty, abs(price - mark));
  const comm = charge(state, margin, position, mul(qty, price));
  state.touch(position);
  recordFill(state, order, { qty, price, maker: false, comm, pnl, liquidation: true }, changes);
  order.text = WHY;
  order.status = 'FILLED';
  state.finish(order, changes);
  changes.order(order, state.time);
  changes.price(state.bookFor(position.symbol));
  sweep(state, position.symbol, position.side, changes);
}

/** Margin balance = wallet of the margin + unrealised PnL. */
function balanceOf(state: FuturesState, margin: Endangered): Dec {
  if (margin.isolated) return margin.isolated.isolated + profitOf(state, margin.isolated);
  return crossWallet(state) + crossed(state).profit;
}

/**
 * The crossed position with the largest maintenance margin; a winning one first when the wallet alone cannot
 * pay the loss.
 */
function chooseCrossed(state: FuturesState): Position {
  const all = state.sorted().filter((position) => !state.isolated(position.symbol));
  const most = (of: (position: Position) => Dec): Position =>
    all.reduce((best, position) => (of(position) > of(best) ? position : best));
  const largest = most((position) => maintenanceOf(state, position));
  if (crossWallet(state) + profitOf(state, largest) >= ZERO) return largest;
  const winner = most((position) => profitOf(state, position));
  return profitOf(state, winner) > ZERO ? winner : largest;
}

/** The size to close so that the rest fits under the next lower bracket; everything in the lowest one. */
function stepSize(state: FuturesState, position: Position, mark: Dec): Dec {
  const book = state.bookFor(position.symbol);
  const size = abs(position.amount);
  const { floor } = tierAt(book.tiers, notional(size, mark));
  const keep = floorTo(div(floor, mark), book.numbers.step);
  return keep < size ? size - keep : size;
}

/**
 * The bankruptcy price, at which the margin balance is zero, rounded to the tick in the trader's favour;
 * never on the other side of the mark.
 */
function takeoverPrice(state: FuturesState, position: Position, mark: Dec, balance: Dec): Dec {
  if (balance === ZERO || profitOf(state, position) > ZERO) return mark;
  const { tick } = state.bookFor(position.symbol).numbers;
  const distance = div(-balance, abs(position.amount));
  if (position.amount > ZERO) return ceilTo(mark + distance, tick);
  return maxDec(floorTo(maxDec(mark - distance, ZERO), tick), tick);
}

function moveIsolated(state: FuturesState, position: Position, pnl: Dec): void {
  position.isolated += pnl;
  if (position.isolated >= ZERO) return;
  cover(state, -position.isolated);
  position.isolated = ZERO;
}

/**
 * Charges taker fee and liquidation fee as far as the margin allows; returns their sum, which is the fill's
 * commission.
 */
function charge(state: FuturesState, margin: Endangered, position: Position, value: Dec): Dec {
  const book = state.bookFor(position.symbol);
  const left = margin.isolated ? position.isolated : crossWallet(state);
  const rest = margin.isolated
    ? position.isolated + profitOf(state, position)
    : crossWallet(state) + crossed(state).profit;
  const budget = maxDec(minDec(left, rest), ZERO);
  const fee = minDec(mul(value, state.options.takerRate), budget);
  const rate = state.options.liquidationFeeRate ?? book.liquidationFee;
  const liquidation = minDec(mul(value, rate), budget - fee);
  state.amounts.fees += fee;
  state.amounts.liquidationFees += liquidation;
  state.amounts.insurance += liquidation;
  state.amounts.wallet -= fee + liquidation;
  position.fees += fee + liquidation;
  if (margin.isolated) position.isolated -= fee + liquidation;
  return fee + liquidation;
}

function liquidationOrder(state: FuturesState, position: Position, qty: Dec): PaperOrder {
  const id = state.nextStamp();
  return {
    id,
    clientId: `liq-${id}`,
    symbol: position.symbol,
    side: position.amount > ZERO ? 'SELL' : 'BUY',
    type: 'MARKET',
    timeInForce: 'IOC',
    price: null,
    stopPrice: null,
    qty,
    iceberg: null,
    status: 'WORKING',
    cum: ZERO,
    visible: ZERO,
    lock: ZERO,
    age: id,
    end: 0,
    seq: 0,
    time: state.time,
    text: WHY,
    terms: {
      positionSide: position.side,
      reduceOnly: true,
      closePosition: false,
      workingType: 'MARK_PRICE',
      trailing: null,
      activationPrice: null,
      best: null,
      armedAt: null,
    },
    fills: [],
  };
}
