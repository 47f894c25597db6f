/** The orders and settings that the Positions screen makes, and the problems of its forms. Pure. */
import type { PositionView } from '../../desk/console/protocol.ts';
import { dec, decOfInt, div, floorTo, mul, str, ZERO } from '../../domain/decimal.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { closingSide, sizeOf } from '../trading/positions.ts';
import { exact, read } from '../ui/format.ts';
import type { PositionAsk, PositionForm } from './position-form.ts';

/** The fields of a form; a setting of a symbol can be made before there is a position. */
export function positionFields(what: PositionAsk): readonly PositionForm['focus'][] {
  return what === 'leverage' || what === 'marginType' ? ['symbol', 'value', 'review'] : ['value', 'review'];
}

/** Values to choose from; empty where the value is typed. */
export function positionChoices(what: PositionAsk): readonly string[] {
  switch (what) {
    case 'part':
      return PARTS;
    case 'marginType':
      return ['CROSSED', 'ISOLATED'];
    case 'hedgeMode':
      return ['off', 'on'];
    case 'marginMode':
      return MARGIN_MODES;
    default:
      return [];
  }
}

/** Shares of a position that can be closed at market. */
export const PARTS: readonly string[] = ['25 %', '50 %', '75 %', '100 %'];
/** The share chosen at first. */
export const FIRST_PART = '50 %';

/** Margin modes by number, from 1. */
export const MARGIN_MODES: readonly string[] = ['single-asset', 'multi-asset', 'portfolio'];

type Target = Pick<PositionView, 'exchange' | 'symbol' | 'side' | 'amount'>;

function base(position: Target) {
  const { exchange, symbol, side } = position;
  const order = { exchange, symbol, side: closingSide(position) };
  // `BOTH` is one-way mode, where the field is left out.
  return side === 'BOTH' ? order : { ...order, positionSide: side };
}

export function closeAtMarket(position: Target): CreateOrder {
  return { ...base(position), type: 'MARKET', closePosition: true };
}

export function closeByLimit(position: Target, price: string): CreateOrder {
  return { ...base(position), type: 'LIMIT', quantity: sizeOf(position), price, ...reducing(position) };
}

/** Closes a share of `PARTS` at market, cut to the step size; null: less than one step. */
export function closePart(position: Target, share: string, stepSize: string): CreateOrder | null {
  if (share === PARTS.at(-1)) return closeAtMarket(position);
  const part = div(mul(dec(sizeOf(position)), decOfInt(Number.parseInt(share, 10))), decOfInt(100));
  const quantity = floorTo(part, dec(stepSize));
  if (quantity <= ZERO) return null;
  return { ...base(position), type: 'MARKET', quantity: str(quantity), ...reducing(position) };
}

/** Closes the whole amount once the price has moved back by so many basis points from its best. */
export function trailingStop(position: Target, basisPoints: number): CreateOrder {
  const order = { ...base(position), type: 'STOP_MARKET', quantity: sizeOf(position) } as const;
  return { ...order, trailingDelta: basisPoints, ...reducing(position) };
}

/**
 * One order that closes the position and opens the same amount on the other side. One-way mode only: in hedge
 * mode these are two positions.
 */
export function reversal({ exchange, symbol, side, amount }: Target): CreateOrder {
  const quantity = str(mul(dec(sizeOf({ amount })), decOfInt(2)));
  return { exchange, symbol, side: closingSide({ side, amount }), type: 'MARKET', quantity };
}

/** Basis points of a share as typed, `1` or `0.5` percent; null: not a number from 0.01 to 100. */
export function basisPoints(text: string): number | null {
  const typed = /^(\d{1,3})(?:\.(\d{1,2}))?\s*%?$/.exec(text.trim());
  if (!typed) return null;
  const found = Number(typed[1]) * 100 + Number((typed[2] ?? '').padEnd(2, '0'));
  return found >= 1 && found <= 10_000 ? found : null;
}

/** In hedge mode an order on the closing side always reduces, so `reduceOnly` is left out. */
function reducing({ side }: Pick<Target, 'side'>) {
  return side === 'BOTH' ? { reduceOnly: true } : {};
}

export function protectiveStop(position: Target, stopPrice: string): CreateOrder {
  return { ...base(position), type: 'STOP_MARKET', closePosition: true, stopPrice };
}

/** The highest leverage that a symbol allows; null without brackets. */
export function maxLeverage(brackets: readonly LeverageBracket[] | null): number | null {
  if (!brackets || brackets.length === 0) return null;
  return Math.max(...brackets.map(({ initialLeverage }) => initialLeverage));
}

/** The largest notional at a leverage; null where no bracket allows it. */
export function capAt(brackets: readonly LeverageBracket[], leverage: number): string | null {
  return brackets.findLast(({ initialLeverage }) => initialLeverage >= leverage)?.notionalCap ?? null;
}

/** The problem with a leverage as typed, before the exchange is asked; null: none. */
export function leverageProblem(
  text: string,
  brackets: readonly LeverageBracket[] | null,
  notional: string | null,
): string | null {
  if (!/^[1-9]\d{0,2}$/.test(text.trim())) return 'a whole number, 1 or more';
  if (!brackets) return null;
  const leverage = Number(text);
  const most = maxLeverage(brackets);
  if (most !== null && leverage > most) return `the symbol allows 1 to ${most}`;
  const cap = capAt(brackets, leverage);
  const value = read(notional);
  const limit = read(cap);
  if (value !== null && limit !== null && value > limit)
    return `the position of ${exact(notional)} is over ${exact(cap)}, the most at ${leverage}x`;
  return null;
}
