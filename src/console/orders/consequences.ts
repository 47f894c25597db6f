/**
 * Consequences of an order or of its end, for the questions about it: where the account would be liquidated
 * and its exposure, which position would be left without a stop, and which bot wants the order. Pure.
 */
import type { BotView, DeskState, TicketCheck } from '../../desk/console/protocol.ts';
import { dec, str, ZERO } from '../../domain/decimal.ts';
import type { OrderView } from '../../domain/order.ts';
import type { InfoRow } from '../state/ui.ts';
import { botName, isRunning } from '../trading/bots.ts';
import { isOpen } from '../trading/orders.ts';
import { closingOrders, isLong, openPositions, type PositionRow, sizeOf } from '../trading/positions.ts';
import { exact, filledPercent, onStep, read, signed } from '../ui/format.ts';

type World = Pick<DeskState, 'orders' | 'futures' | 'bots' | 'accounts'>;

/**
 * Multiples of equity from which an exposure is shown as a warning, and in red: a price move of a tenth then
 * uses up the equity.
 */
export const LARGE_EXPOSURE = dec('3');
export const HUGE_EXPOSURE = dec('10');

/** A liquidation closer than this many percent is shown in red. */
export const NEAR_LIQUIDATION = dec('5');

/** The rows for liquidation and exposure once an order has filled; empty where they are unknown. */
export function afterRows(check: TicketCheck | null, tickSize: string | undefined): InfoRow[] {
  const after = check?.after;
  if (!after) return [];
  const distance = read(after.distance);
  const near = distance !== null && (distance < ZERO ? -distance : distance) < NEAR_LIQUIDATION;
  const exposure = read(after.exposure);
  const flat = read(after.amount) === ZERO;
  const at = `${onStep(after.liquidation, tickSize)} after this order${distance === null ? '' : ` (${signed(distance, 2)} %)`}`;
  return [
    {
      name: 'liquidation',
      value: flat ? 'none: no position is left' : after.liquidation === null ? 'none after this order' : at,
      tone: near ? 'danger' : undefined,
    },
    {
      name: 'exposure',
      value: exposure === null ? 'no equity is left' : `${exact(after.exposure)}x equity after this order`,
      tone:
        exposure === null || exposure >= HUGE_EXPOSURE
          ? 'danger'
          : exposure >= LARGE_EXPOSURE
            ? 'warn'
            : undefined,
    },
  ];
}

/** Whether an order is a stop, not a take-profit. */
function isStop({ type }: OrderView): boolean {
  return type === 'STOP_MARKET' || type === 'STOP_LIMIT';
}

/** The position that an order protects, if the order is an open stop and the position exists. */
function protectedPosition(state: World, order: OrderView): PositionRow | undefined {
  if (!isStop(order) || !isOpen(order)) return undefined;
  return openPositions(state).find((position) => closingOrders(position, { [order.id]: order }).length > 0);
}

/** Whether an order limits a loss: of a position, or on spot of a holding. */
export function isProtective(state: World, order: OrderView): boolean {
  if (protectedPosition(state, order)) return true;
  const spot = state.accounts.find(({ id }) => id === order.exchange)?.kind === 'spot';
  return spot && order.side === 'SELL' && isStop(order) && isOpen(order);
}

/** The running bot that the order belongs to. */
export function runningBot(state: Pick<DeskState, 'bots'>, order: OrderView): BotView | undefined {
  const bot = order.creator === 'BOT' ? state.bots[order.creatorId] : undefined;
  return bot && isRunning(bot) ? bot : undefined;
}

/**
 * How much of the position is still protected once the order is cancelled; null: the order protects nothing.
 */
export function protectionText(state: World, order: OrderView): string | null {
  const position = protectedPosition(state, order);
  if (!position) {
    return isProtective(state, order) ? `${order.symbol} held: it will stand without this stop` : null;
  }
  const name = `${isLong(position) ? 'LONG' : 'SHORT'} ${exact(sizeOf(position))} ${position.symbol}`;
  let cover = ZERO;
  const size = read(sizeOf(position)) ?? ZERO;
  for (const other of closingOrders(position, state.orders)) {
    if (other.id === order.id || !isStop(other)) continue;
    cover += other.closePosition ? size : (read(other.origQty) ?? ZERO) - (read(other.executedQty) ?? ZERO);
  }
  if (cover === ZERO) return `${name}: it will stand without a stop`;
  if (cover >= size) return `${name}: other stops cover it whole`;
  return `${name}: other stops cover ${filledPercent(str(cover), str(size))} of it`;
}

/** The rows that say whose order it is and what it protects; each only where there is something to say. */
export function stakeRows(state: World, order: OrderView): InfoRow[] {
  const rows: InfoRow[] = [];
  const protects = protectionText(state, order);
  if (protects !== null) {
    const bare = protects.includes('without');
    rows.push({ name: 'protects', value: protects, tone: bare ? 'danger' : 'warn' });
  }
  if (order.creator === 'BOT') {
    const bot = state.bots[order.creatorId];
    const running = runningBot(state, order) !== undefined;
    const name = bot ? botName(bot) : `${order.creatorId}, deleted`;
    rows.push({
      name: 'belongs to',
      value: `bot ${name}${running ? ', running: it will place it again' : ''}`,
      tone: running ? 'warn' : 'muted',
    });
  }
  return rows;
}
