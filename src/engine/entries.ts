/**
 * Which orders only close, and when others must wait: while its link is down, before it was compared after a
 * gap, or while an entry would not be sent in time, an account takes no new entry of a person or key (S61).
 * Cancels, closes and the orders of bots do not wait. Pure.
 */
import type { Actor } from '../domain/actor.ts';
import { type Dec, dec, ZERO } from '../domain/decimal.ts';
import type { ServiceError } from '../domain/errors.ts';
import { mayBeOpen, type OrderRecord } from '../domain/order.ts';
import type { CreateOrder } from '../schemas/order.ts';
import { awayRefusal } from './accounts.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { mostQuantityOf } from './pending-maximum.ts';
import { reducible } from './positions.ts';

/**
 * Seconds that a client should wait when its entry cannot be taken now: the link is down, or a comparison
 * runs.
 */
const RETRY_DOWN_S = 5;
const RETRY_GAP_S = 2;

/** The fields of an order that decide whether it closes. */
export type ClosingFields = Pick<CreateOrder, 'symbol' | 'side'> &
  Partial<Pick<CreateOrder, 'positionSide' | 'quantity' | 'reduceOnly' | 'closePosition'>>;

/**
 * Returns the refusal of an entry that its account cannot take now; null: it can. Nothing is stored about it.
 * @param retryAfterMs for a command that could not be sent in time
 */
export function entryRefusal(
  memory: EngineMemory,
  actor: Actor,
  request: Partial<CreateOrder>,
  retryAfterMs?: number,
): ServiceError | null {
  if (actor.kind === 'bot') return null;
  const account = request.exchange === undefined ? undefined : memory.accounts.get(request.exchange);
  if (!account || (account.link.up && !account.link.gap && retryAfterMs === undefined)) return null;
  const { symbol, side } = request;
  if (symbol === undefined || side === undefined) return null;
  if (closes(memory, account, { ...request, symbol, side })) return null;
  const { id } = account.account;
  const away = awayRefusal(memory, id);
  if (away) return { ...away.error, retryAfterS: RETRY_DOWN_S };
  const unavailable = (message: string, retryAfterS: number): ServiceError => ({
    code: 'SERVICE_UNAVAILABLE',
    message,
    retryAfterS,
  });
  if (!account.link.up)
    return unavailable(
      `the connection to ${id} is down; nothing was done, try again when it is up`,
      RETRY_DOWN_S,
    );
  if (account.link.gap)
    return unavailable(
      `events of ${id} may be missing and it is being compared; nothing was done, try again`,
      RETRY_GAP_S,
    );
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1_000));
  const text = `what ${id} lets be sent is used up; nothing was done, try again in ${seconds} s`;
  return unavailable(text, seconds);
}

/**
 * Returns whether an order closes, decided by the position and by what the exchange enforces, not by the
 * sender's word. Spot: a SELL. Futures: an order that the exchange itself keeps from growing a position
 * (reduceOnly, closePosition, the closing side in hedge mode), or one against the position and no larger than
 * the part that no other order closes yet.
 */
export function closes(memory: EngineMemory, account: AccountMemory, order: ClosingFields): boolean {
  const { side, symbol, positionSide = 'BOTH' } = order;
  if (!account.futures) return side === 'SELL';
  if (order.reduceOnly === true || order.closePosition === true) return true;
  if (positionSide !== 'BOTH') return (positionSide === 'LONG') === (side === 'SELL');
  const size = reducible(account.futures, symbol, side, positionSide);
  const quantity = readQuantity(order.quantity);
  if (size === ZERO || quantity === null) return false;
  return quantity <= size - closingAlready(memory, account.account.id, symbol, side);
}

/** Returns how much of a one-way position other open orders of that side would close. */
function closingAlready(
  memory: EngineMemory,
  exchange: string,
  symbol: string,
  side: OrderRecord['side'],
): Dec {
  let sum = ZERO;
  for (const order of memory.orders.values()) {
    if (!mayBeOpen(order) || order.exchange !== exchange) continue;
    if (order.symbol === symbol && order.side === side) sum += mostQuantityOf(order) - dec(order.executedQty);
  }
  return sum;
}

/** Reads a quantity; null: the text is no quantity, which the checks of the order report. */
function readQuantity(text: string | undefined): Dec | null {
  return text !== undefined && /^\d{1,20}(\.\d{1,20})?$/.test(text) ? dec(text) : null;
}
