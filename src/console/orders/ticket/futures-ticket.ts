/**
 * The consequences of an order on a futures account, for ticket and confirmations: leverage, the margin it
 * needs, and what happens when it is triggered. Pure.
 */
import type { DeskState, TicketCheck } from '../../../desk/console/protocol.ts';
import type { CreateOrder } from '../../../schemas/order.ts';
import { amount, exact, MISSING, read } from '../../ui/format.ts';

export interface FuturesFigures {
  readonly leverage: number;
  /** Margin type of the symbol, set already or to be set by this order. */
  readonly marginType: string;
  /** Null until a size and a price are known. */
  readonly margin: string | null;
  /** The order only closes: no margin is needed. */
  readonly closes: boolean;
  /**
   * More is needed than is available. The exchange decides: unrealised gains of open positions may count,
   * too.
   */
  readonly short: boolean;
}

export function futuresFigures(
  state: Pick<DeskState, 'accounts' | 'futures'>,
  order: Partial<CreateOrder>,
  check: TicketCheck | null,
): FuturesFigures | null {
  const account = state.accounts.find(({ id }) => id === order.exchange);
  if (account?.kind !== 'futures') return null;
  const set = state.futures[account.id]?.leverage[order.symbol ?? ''];
  const closes = order.closePosition === true || order.reduceOnly === true;
  const [needed, available] = [read(check?.margin), read(check?.available)];
  return {
    leverage: set?.leverage ?? 1,
    marginType: order.marginType ?? set?.marginType ?? 'CROSSED',
    margin: check?.margin ?? null,
    closes,
    short: !closes && needed !== null && available !== null && needed > available,
  };
}

/** The margin in words: `123.40 USDT needed at 20x CROSSED`, or that none is needed. */
export function marginText(
  { margin, leverage, marginType, closes, short }: FuturesFigures,
  quote: string,
): string {
  const at = `${leverage}x ${marginType}`;
  if (closes || margin === '0') return `none needed: it only closes (${at})`;
  if (margin === null) return `${MISSING} at ${at}`;
  return `${amount(margin, 2)} ${quote} needed at ${at}${short ? ', more than is available' : ''}`;
}

/**
 * What a stop or take-profit at market does on a futures account, where the exchange triggers it; null for
 * any other order.
 */
export function whenTriggered(
  { accounts }: Pick<DeskState, 'accounts'>,
  order: Partial<CreateOrder>,
): string | null {
  const { type, stopPrice, trailingDelta, exchange } = order;
  if (accounts.find(({ id }) => id === exchange)?.kind !== 'futures') return null;
  if (type !== 'STOP_MARKET' && type !== 'TAKE_PROFIT_MARKET') return null;
  if (stopPrice === undefined || trailingDelta !== undefined) return null;
  const by = order.workingType === 'CONTRACT_PRICE' ? 'last' : 'mark';
  const what = order.closePosition
    ? 'the whole position is closed at market'
    : order.reduceOnly
      ? 'it reduces the position at market'
      : 'it fills at market';
  return `It waits at ${exchange}; once the ${by} price reaches ${exact(stopPrice)}, ${what}.`;
}
