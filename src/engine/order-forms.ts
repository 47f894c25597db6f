/**
 * Which parts of an order its exchange does by itself, which this desk does for it, and which nobody does.
 * Pure.
 */
import type { Instrument } from '../domain/instrument.ts';
import { TERMINAL } from '../domain/order.ts';
import { type Asked, formOf } from '../domain/order-form.ts';
import type { CreateOrder, OrderType } from '../schemas/order.ts';
import type { Problem } from './filters.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';

type Wanted = Partial<CreateOrder> & { readonly type: OrderType };

export interface OrderForms {
  readonly problems: readonly Problem[];
  readonly plan: {
    /** The engine holds the order until its trigger; otherwise it is sent at once. */
    readonly held: boolean;
    /** The exchange cannot do some part of it by itself (S26). */
    readonly emulated: boolean;
  };
  refuses(asked: Asked): boolean;
}

/** Determines the forms. `now`: market time, Unix ms. */
export function orderForms(
  memory: EngineMemory,
  { account, caps }: AccountMemory,
  order: Wanted,
  instrument: Instrument,
  now: number,
): OrderForms {
  const trails = order.trailingDelta !== undefined;
  const asks: readonly [Asked, field: keyof CreateOrder, called: string, isAsked: boolean][] = [
    [trails ? 'trailing' : 'type', trails ? 'trailingDelta' : 'type', `${order.type} orders`, true],
    ['end date', 'goodTillDate', 'end dates', order.timeInForce === 'GTD'],
    ['iceberg', 'icebergQty', 'iceberg orders', order.icebergQty !== undefined],
    ['quote amount', 'quoteOrderQty', 'orders over an amount', order.quoteOrderQty !== undefined],
  ];
  const waiting = (symbol: string | null) => waitingThere(memory, account.id, symbol);
  const answers = asks
    .filter(([, , , isAsked]) => isAsked)
    .map(([asked, field, called]) => {
      const row = formOf(caps.forms, asked, { order, instrument, now, waiting });
      return { ...row, field, called: asked === 'trailing' ? 'trailing orders' : called };
    });
  const isHeld = (asked: Asked) => answers.some((one) => one.asked === asked && one.form === 'held');
  const held = isHeld('type') || isHeld('trailing');
  return {
    problems: answers
      .filter(({ form }) => form === 'refused')
      .map(({ asked, field, called, cure = `leave ${field} out` }) => ({
        field,
        message: `${account.id} has no ${called}; ${cure}`,
        reason: asked === 'iceberg' ? ('ICEBERG' as const) : ('FIELD' as const),
      })),
    plan: { held, emulated: held || isHeld('end date') },
    refuses: (asked) => answers.some((one) => one.asked === asked && one.form === 'refused'),
  };
}

/** Returns the number of orders that wait at the exchange for their triggers, or are on their way to it. */
function waitingThere(memory: EngineMemory, exchange: string, symbol: string | null): number {
  let count = 0;
  for (const order of memory.orders.values()) {
    if (order.exchange !== exchange || TERMINAL.has(order.status) || order.firedHere) continue;
    const waits = order.status === 'NEW' && (order.stopPrice !== undefined || order.trailing !== undefined);
    if (waits && (symbol === null || order.symbol === symbol)) count += 1;
  }
  return count;
}
