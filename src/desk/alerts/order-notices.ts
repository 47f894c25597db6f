/**
 * Notices about orders, made from the events of each step: an order was executed, its stop was hit, its
 * outcome is unknown. They are effects like the alert of a bot, so that each is stored in one commit with
 * what it reports.
 */
import { OWNER } from '../../domain/actor.ts';
import { dec, div, roundTo, str, ZERO } from '../../domain/decimal.ts';
import type { NoticeSettings } from '../../domain/notices.ts';
import type { OrderRecord } from '../../domain/order.ts';
import type { Effect } from '../../engine/step.ts';
import { type Alerted, alertOf, type Notice } from './notice.ts';

/** Step to which averages are rounded. */
const STEP = dec('0.00000001');

/** The last seen values of an order. */
interface Seen {
  readonly executed: string;
  readonly unresolved: boolean;
}

export class OrderNotices {
  readonly #settings: NoticeSettings;
  /** The orders in memory, by id. */
  readonly #seen = new Map<string, Seen>();

  constructor(settings: NoticeSettings) {
    this.#settings = settings;
  }

  /** Takes the orders of a loaded engine: nobody is notified of their present state. */
  load(orders: Iterable<OrderRecord>): void {
    this.#seen.clear();
    for (const order of orders) this.#seen.set(order.id, seenOf(order));
  }

  /** Takes an order that is in memory again: nobody is notified of its state until then. */
  recalled(order: OrderRecord): void {
    if (!this.#seen.has(order.id)) this.#seen.set(order.id, seenOf(order));
  }

  /** Returns the notices of a step. Market time, Unix ms. */
  of(effects: readonly Effect[], market: number): readonly Alerted[] {
    const changed = new Map<string, OrderRecord>();
    for (const effect of effects) {
      if (effect.kind === 'order-event') changed.set(effect.order.id, effect.order);
      else if (effect.kind === 'forgotten') this.#seen.delete(effect.orderId);
    }
    const alerts: Alerted[] = [];
    for (const order of changed.values()) {
      const notice = this.#noticeOf(order);
      const alert = notice && alertOf(notice, this.#settings, market);
      if (alert) alerts.push(alert);
    }
    return alerts;
  }

  #noticeOf(order: OrderRecord): Notice | null {
    const before = this.#seen.get(order.id);
    const now = seenOf(order);
    this.#seen.set(order.id, now);
    if (order.user !== OWNER || (order.creator === 'BOT' && !this.#settings.ofBots)) return null;
    const { symbol, exchange } = order;
    const words = `${order.side} ${order.origQty} ${symbol} on ${exchange}`;
    if (now.unresolved && before?.unresolved !== true) {
      const cause = order.submission?.unresolved?.cause ?? 'no answer';
      return {
        kind: 'unresolved',
        symbol,
        price: null,
        message: `${words}: its outcome is unknown (${cause}); the exchange is being asked`,
      };
    }
    const was = dec(before?.executed ?? '0');
    const is = dec(now.executed);
    if (is <= was) return null;
    const price = averageOf(order);
    const at = price === null ? '' : ` at ${price}`;
    if (was === ZERO && isStop(order))
      return {
        kind: 'stop_hit',
        symbol,
        price,
        message: `stop hit: ${order.side} ${order.executedQty} ${symbol}${at} on ${exchange}`,
      };
    if (order.status === 'CLOSED') return { kind: 'fill', symbol, price, message: `filled: ${words}${at}` };
    return {
      kind: 'partial_fill',
      symbol,
      price,
      message: `partly filled: ${order.executedQty} of ${words}${at}`,
    };
  }
}

function seenOf(order: OrderRecord): Seen {
  return {
    executed: order.executedQty,
    unresolved: order.phase === 'unresolved',
  };
}

/** Whether an order is a stop; trailing stops have this type, too. */
function isStop({ type }: OrderRecord): boolean {
  return type === 'STOP_MARKET' || type === 'STOP_LIMIT';
}

/** Returns the average price of all executions; null while it is not known. */
function averageOf({ quoteQty, executedQty }: OrderRecord): string | null {
  const quantity = dec(executedQty);
  const quote = dec(quoteQty);
  return quantity === ZERO || quote === ZERO ? null : str(roundTo(div(quote, quantity), STEP));
}
