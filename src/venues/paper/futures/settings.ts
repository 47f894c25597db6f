/**
 * Leverage, margin type, margin mode and position mode of the futures account, and when the exchange allows a
 * change (Binance's codes).
 */
import { str, ZERO } from '../../../domain/decimal.ts';
import { available, exposure } from '../../../domain/margin/account.ts';
import { maxLeverage, maxNotional } from '../../../domain/margin/tiers.ts';
import type { LeverageInfo, MarginMode, SettingOutcome } from '../../../domain/position.ts';
import type { MarginType } from '../../../schemas/order.ts';
import type { Changes } from '../changes.ts';
import type { FuturesState } from './futures-state.ts';

const DONE: SettingOutcome = { kind: 'done' };

function no(code: string, message: string): SettingOutcome {
  return { kind: 'rejected', code, message };
}

/**
 * Sets the leverage of a symbol, for both sides. Refused when the symbol's positions and orders are too large
 * for it, when the margin for a lower leverage is missing, and when lowered under an isolated position.
 */
export function setLeverage(
  state: FuturesState,
  symbol: string,
  leverage: number,
  changes: Changes,
): SettingOutcome {
  const book = state.books.get(symbol);
  if (!book) return no('-1121', `Invalid symbol: ${symbol}.`);
  const most = maxLeverage(book.tiers);
  if (!Number.isInteger(leverage) || leverage < 1 || leverage > most) {
    return no('-4028', `Leverage ${leverage} is not valid: ${symbol} allows 1 to ${most}.`);
  }
  const before = state.setting(symbol);
  if (before.leverage === leverage) return DONE;
  const held = exposure(state, symbol, null);
  const cap = maxNotional(book.tiers, leverage);
  if (held > cap) {
    return no(
      '-2027',
      `Positions and orders of ${str(held)} USDT are more than ${str(cap)}, the most at ${leverage}x.`,
    );
  }
  if (
    before.marginType === 'ISOLATED' &&
    leverage < before.leverage &&
    state.positionsOf(symbol).length > 0
  ) {
    return no('-4161', 'Leverage reduction is not supported in Isolated Margin Mode with open positions.');
  }
  // The additional margin that the same notional needs at the new leverage, in USDT.
  const more = before.leverage > leverage ? held / BigInt(leverage) - held / BigInt(before.leverage) : ZERO;
  if (more > ZERO && more > available(state)) {
    return no('-2028', 'Leverage is smaller than permitted: insufficient margin balance.');
  }
  state.setSetting(symbol, { ...before, leverage }, changes);
  touchPositions(state, symbol);
  return DONE;
}

export function setMarginType(
  state: FuturesState,
  symbol: string,
  marginType: MarginType,
  changes: Changes,
): SettingOutcome {
  const book = state.books.get(symbol);
  if (!book) return no('-1121', `Invalid symbol: ${symbol}.`);
  const before = state.setting(symbol);
  if (before.marginType === marginType) return DONE;
  if (book.size > 0) {
    return no('-4047', 'Margin type cannot be changed if there exists open orders.');
  }
  if (state.positionsOf(symbol).length > 0) {
    return no('-4048', 'Margin type cannot be changed if there exists position.');
  }
  state.setSetting(symbol, { ...before, marginType }, changes);
  return DONE;
}

/**
 * Sets the margin mode. Modes 2 and 3 are stored; with USDT as the only margin asset they work like mode 1.
 */
export function setMarginMode(state: FuturesState, mode: MarginMode): SettingOutcome {
  if (mode !== 1 && mode !== 2 && mode !== 3) {
    return no('-4170', `Margin mode ${mode} cannot be set; 1, 2 and 3 can.`);
  }
  if (state.marginMode !== mode) {
    state.marginMode = mode;
    state.touchAccount();
  }
  return DONE;
}

export function setHedgeMode(state: FuturesState, on: boolean): SettingOutcome {
  if (state.hedge === on) return DONE;
  if (state.open.size > 0) {
    return no('-4067', 'Position side cannot be changed if there exists open orders.');
  }
  if (state.positions.size > 0) {
    return no('-4068', 'Position side cannot be changed if there exists position.');
  }
  state.hedge = on;
  state.touchAccount();
  return DONE;
}

/** Returns one entry per symbol in one-way mode, two in hedge mode. Unknown symbols are left out. */
export function leverageOf(state: FuturesState, symbols: readonly string[]): LeverageInfo[] {
  const sides = state.hedge ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const);
  return symbols
    .filter((symbol) => state.books.has(symbol))
    .flatMap((symbol) =>
      sides.map((side) => ({
        symbol,
        side,
        ...state.setting(symbol),
        realizedPnl: str(state.position(symbol, side)?.realized ?? ZERO),
      })),
    );
}

/** Sends the symbol's positions again, since the state of a position includes its leverage. */
function touchPositions(state: FuturesState, symbol: string): void {
  for (const position of state.positionsOf(symbol)) {
    const { updateTime } = position;
    state.touch(position);
    position.updateTime = updateTime;
  }
}
