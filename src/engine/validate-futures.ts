/**
 * The additional checks of an order on a futures account: position sides, closing and reducing, margin
 * instead of funds, the margin type that has to be set first, and the price that triggers. Decisions S24 and
 * S32. Pure.
 */
import { type Dec, dec, decOfInt, div, maxDec, mul, ZERO } from '../domain/decimal.ts';
import { mayBeOpen } from '../domain/order.ts';
import type { Setting } from '../domain/position.ts';
import type { CreateOrder, MarginType, PositionSide } from '../schemas/order.ts';
import { isClosing } from './closing.ts';
import type { Problem } from './filters.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { reducible } from './positions.ts';
import { isUnread } from './unread.ts';

export interface FuturesCheck {
  readonly problems: readonly Problem[];
  /** Size of the position that the order would shrink. */
  readonly reducible: Dec;
  /**
   * reduceOnly, closePosition, or the closing side in hedge mode: exempt from the minimum notional, locks
   * nothing.
   */
  readonly closes: boolean;
  /** The margin type to set before the order is sent. */
  readonly marginType: MarginType | null;
  /** Mark price where the order's trigger watches it; undefined: the last price decides. */
  readonly mark: Dec | undefined;
}

/** Returns the initial margin of the part of an order that opens. */
export function openingMargin(
  account: AccountMemory,
  { symbol, side }: { symbol: string; side: PositionSide },
  opens: Dec,
  price: Dec,
): Dec {
  const leverage = account.futures?.leverage.of(symbol, side)?.leverage ?? 1;
  return div(mul(maxDec(opens, ZERO), price), decOfInt(leverage));
}

export function checkFutures(
  memory: EngineMemory,
  account: AccountMemory,
  r: Partial<CreateOrder> & Pick<CreateOrder, 'symbol' | 'side' | 'type'>,
  /**
   * A bot sells what a fill has just brought: the exchange's report of the balance may still be on its way.
   */
  trusted = false,
): FuturesCheck {
  const { futures } = account;
  const none: FuturesCheck = {
    problems: [],
    reducible: ZERO,
    closes: false,
    marginType: null,
    mark: undefined,
  };
  if (!futures) return none;
  const problems: Problem[] = [];
  const bad = (field: string, message: string) => problems.push({ field, message, reason: 'FIELD' });
  const side = r.positionSide ?? 'BOTH';
  // What is not read yet is left to the exchange (S59).
  const modeKnown = !isUnread(account, 'settings');
  if (modeKnown && futures.hedge && side === 'BOTH') {
    bad('positionSide', `positionSide must be LONG or SHORT: ${account.account.id} is in hedge mode`);
  }
  if (modeKnown && !futures.hedge && side !== 'BOTH') {
    bad(
      'positionSide',
      `positionSide ${side} needs hedge mode; ${account.account.id} is in one-way mode: leave it out`,
    );
  }
  const shrinks = reducible(futures, r.symbol, r.side, side);
  if (r.closePosition === true) {
    if (r.type !== 'MARKET' && r.type !== 'STOP_MARKET' && r.type !== 'TAKE_PROFIT_MARKET') {
      bad(
        'closePosition',
        `closePosition goes with MARKET, STOP_MARKET and TAKE_PROFIT_MARKET, not with ${r.type}`,
      );
    }
    if (r.quoteOrderQty !== undefined)
      bad('quoteOrderQty', 'quoteOrderQty does not go with closePosition; leave it out');
  }
  const isFlat = shrinks === ZERO && !trusted && !isUnread(account, 'positions');
  if ((r.closePosition === true || r.reduceOnly === true) && isFlat) {
    const field = r.closePosition === true ? 'closePosition' : 'reduceOnly';
    bad(field, `${field}: there is no ${r.symbol} position that a ${r.side} would reduce`);
  }
  const current = futures.leverage.of(r.symbol, side)?.marginType;
  const coming = comingMarginType(memory, account, r.symbol);
  const wrong = r.marginType !== undefined && r.marginType !== (coming?.marginType ?? current);
  // The order makes the same setting itself: the one of the order before it may fail.
  const marginType = r.marginType !== undefined && (wrong || coming) ? r.marginType : null;
  if (wrong && isBusy(memory, account, r.symbol)) {
    bad(
      'marginType',
      `marginType of ${r.symbol} is ${coming?.marginType ?? current ?? 'CROSSED'} and cannot change to ${marginType} while it has a position or orders`,
    );
  }
  return {
    problems,
    reducible: shrinks,
    closes: isClosing(account, r),
    marginType,
    mark: r.workingType === 'CONTRACT_PRICE' ? undefined : futures.marks.get(r.symbol),
  };
}

/** Returns the margin type that an order of this symbol is waiting for. */
function comingMarginType(
  memory: EngineMemory,
  account: AccountMemory,
  symbol: string,
): Extract<Setting, { kind: 'marginType' }> | null {
  for (const { exchange, setting, orderId } of memory.settings.values()) {
    if (orderId === undefined || exchange !== account.account.id) continue;
    if (setting.kind === 'marginType' && setting.symbol === symbol) return setting;
  }
  return null;
}

function isBusy(memory: EngineMemory, account: AccountMemory, symbol: string): boolean {
  for (const position of account.futures?.positions.values() ?? []) {
    if (position.symbol === symbol && dec(position.amount) !== ZERO) return true;
  }
  for (const order of memory.orders.values()) {
    if (order.exchange === account.account.id && order.symbol === symbol && mayBeOpen(order)) return true;
  }
  return false;
}
