/** The order that a form of the Positions screen describes, and its position. */
import type { CreateOrder } from '../../schemas/order.ts';
import { deskState, type Session } from '../app/session.ts';
import { resolvePrice } from '../entry/prices.ts';
import { priceFactsOf } from '../orders/ticket/typed.ts';
import { instrumentOf } from '../trading/instruments.ts';
import { closingSide, isLong, openPositions, type PositionRow, sizeOf } from '../trading/positions.ts';
import { asksOrder, type PositionForm } from './position-form.ts';
import { basisPoints, closeByLimit, closePart, protectiveStop, trailingStop } from './position-orders.ts';

/**
 * The position of a form. An order needs the very position for which its form was opened; a setting takes any
 * of its symbol.
 */
export function positionOf(session: Session, form: PositionForm): PositionRow | undefined {
  const { what, key, long, exchange, symbol } = form;
  const state = deskState(session);
  if (!state) return undefined;
  const rows = openPositions(state).filter((row) => row.exchange === exchange && row.symbol === symbol);
  const own = rows.find((row) => row.key === key);
  if (asksOrder(what)) return own && isLong(own) === long ? own : undefined;
  return own ?? rows[0];
}

/**
 * The order of a form; null for settings, when the position has gone, and for a value that gives no order.
 */
export function orderOf(session: Session, form: PositionForm): CreateOrder | null {
  const position = positionOf(session, form);
  if (!position) return null;
  const typed = form.value.trim();
  switch (form.what) {
    case 'limit':
      return closeByLimit(position, priceTyped(session, position, typed) ?? typed);
    case 'stop':
      return protectiveStop(position, priceTyped(session, position, typed) ?? typed);
    case 'part': {
      const instrument = instrumentOf(deskState(session)?.instruments ?? [], position);
      return closePart(position, form.value, instrument?.stepSize ?? sizeOf(position));
    }
    case 'trail': {
      const by = basisPoints(typed);
      return by === null ? null : trailingStop(position, by);
    }
    default:
      return null;
  }
}

/**
 * The price that a typed text means (`-1%`, `mark+5t`); null where it cannot be read: the desk then says what
 * is wrong with it.
 */
export function priceTyped(session: Session, position: PositionRow, text: string): string | null {
  const state = deskState(session);
  const facts = state && priceFactsOf(state, { ...position, side: closingSide(position) });
  return (facts && resolvePrice(text, facts)?.price) ?? null;
}
