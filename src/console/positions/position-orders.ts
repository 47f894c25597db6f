/** The orders and settings that the Positions screen asks for, and what its forms find wrong with them. Pure. */
import type { PositionView } from '../../desk/console/protocol.ts';
import type { LeverageBracket } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { closingSide, sizeOf } from '../trading/positions.ts';
import { exact, read } from '../ui/format.ts';
import type { PositionAsk, PositionForm } from './position-form.ts';

/** The fields of a form; a setting of a symbol can be made before there is a position. */
export function positionFields(what: PositionAsk): readonly PositionForm['focus'][] {
  return what === 'leverage' || what === 'marginType' ? ['symbol', 'value', 'review'] : ['value', 'review'];
}

/** Values to choose from; none where the value is typed. */
export function positionChoices(what: PositionAsk): readonly string[] {
  switch (what) {
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

/** By number, from 1. */
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
  const order: CreateOrder = { ...base(position), type: 'LIMIT', quantity: sizeOf(position), price };
  // In hedge mode the closing side only ever reduces, and says so itself.
  return position.side === 'BOTH' ? { ...order, reduceOnly: true } : order;
}

export function protectiveStop(position: Target, stopPrice: string): CreateOrder {
  return { ...base(position), type: 'STOP_MARKET', closePosition: true, stopPrice };
}

/** The most leverage a symbol allows; null without brackets. */
export function maxLeverage(brackets: readonly LeverageBracket[] | null): number | null {
  if (!brackets || brackets.length === 0) return null;
  return Math.max(...brackets.map(({ initialLeverage }) => initialLeverage));
}

/** The largest notional at a leverage; null where no bracket allows it. */
export function capAt(brackets: readonly LeverageBracket[], leverage: number): string | null {
  return brackets.findLast(({ initialLeverage }) => initialLeverage >= leverage)?.notionalCap ?? null;
}

/** What is wrong with a leverage as typed, before the exchange is asked; null when nothing is. */
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
