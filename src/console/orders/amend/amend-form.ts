/**
 * The form that changes a resting order: the values that can change, and the amendment requested from the
 * desk. Pure.
 */
import type { DeskState, Result } from '../../../desk/console/protocol.ts';
import type { Amendment, OrderView } from '../../../domain/order.ts';
import { type PriceFacts, resolvePrice, stepped } from '../../entry/prices.ts';
import { resolveSize } from '../../entry/sizes.ts';
import { REVIEW } from '../../forms/form.ts';
import { instrumentOf } from '../../trading/instruments.ts';
import { isOpen, statusWord } from '../../trading/orders.ts';
import { dateTime, exact } from '../../ui/format.ts';
import { parseGoodTill } from '../ticket/ticket-draft.ts';
import { priceFactsOf } from '../ticket/typed.ts';

export type AmendField = 'price' | 'stopPrice' | 'quantity' | 'goodTillDate';

export interface AmendDialog {
  readonly kind: 'amend';
  readonly order: OrderView;
  /** The values as typed; at first those of the order. */
  readonly values: Readonly<Record<AmendField, string>>;
  readonly focus: AmendField | typeof REVIEW;
  /** The value in focus is selected as a whole: typing replaces it. */
  readonly whole: boolean;
  /** Facts of its market when the form was opened: needed to step a price. */
  readonly facts: PriceFacts | null;
  readonly check: Result<'orders.amendCheck'> | null;
  readonly stale: boolean;
  readonly refusal: string | null;
}

const LABELS: Readonly<Record<AmendField, string>> = {
  price: 'price',
  stopPrice: 'stop price',
  quantity: 'quantity',
  goodTillDate: 'good till',
};

export function labelOf(field: AmendField): string {
  return LABELS[field];
}

/** The values of an order that can change, the price first. */
export function amendFields(order: OrderView): readonly AmendField[] {
  return [
    ...(order.price === undefined ? [] : (['price'] as const)),
    ...(order.stopPrice === null ? [] : (['stopPrice'] as const)),
    ...(order.closePosition ? [] : (['quantity'] as const)),
    ...(order.timeInForce === 'GTD' ? (['goodTillDate'] as const) : []),
  ];
}

/** The size in words: `0.5`, or that the order closes the whole position. */
export function sizeWords({ closePosition, origQty }: OrderView): string {
  return closePosition ? 'the whole position' : exact(origQty);
}

export function amendForm(order: OrderView, facts: PriceFacts | null = null): AmendDialog {
  const [first = REVIEW] = amendFields(order);
  return {
    kind: 'amend',
    order,
    values: {
      price: order.price ?? '',
      stopPrice: order.stopPrice ?? '',
      quantity: order.origQty,
      goodTillDate: order.goodTillDate === undefined ? '' : dateTime(order.goodTillDate),
    },
    focus: first,
    whole: true,
    facts,
    check: null,
    stale: true,
    refusal: null,
  };
}

/** Why no change is possible; null: the form can be opened, and the desk checks the change there. */
export function notAmendable(order: OrderView): string | null {
  if (!isOpen(order)) return `${order.symbol} ${statusWord(order)}: nothing to change`;
  if (order.unresolved) return 'not to be changed while its outcome is unknown';
  if (order.amendPending) return 'it is being changed already';
  if (order.cancelPending) return 'not to be changed: it is being cancelled';
  return amendFields(order).length === 0 ? `nothing of a ${order.type} order can be changed` : null;
}

/**
 * The text after one more typed character: `+` and `-` after a whole number or on a selected one step it by a
 * tick.
 */
export function typedInto({ values, focus, whole, facts }: AmendDialog, text: string): string {
  if (focus !== 'price' && focus !== 'stopPrice') return text;
  const now = values[focus];
  const by = text === (whole ? '+' : `${now}+`) ? 1 : text === (whole ? '-' : `${now}-`) ? -1 : 0;
  if (by === 0 || !facts || !/^[\d.,]+$/.test(now)) return text;
  return stepped(now, by, facts) ?? text;
}

/** The requested amendment; `problem` names the field that cannot be read. */
export function amendmentOf(
  state: DeskState,
  { order, values }: Pick<AmendDialog, 'order' | 'values'>,
): { readonly change: Amendment; readonly problem: string | null } {
  const facts = priceFactsOf(state, order);
  const instrument = instrumentOf(state.instruments, order);
  const change: { -readonly [K in keyof Amendment]: Amendment[K] } = {};
  for (const field of amendFields(order)) {
    const text = values[field].trim();
    if (text === '' || text === initialOf(order, field)) continue;
    if (field === 'goodTillDate') {
      const at = parseGoodTill(text, state.clock.market);
      if (at === null) return { change, problem: 'good till: write +2h, +3d or 2025-02-03 14:00' };
      change.goodTillDate = at;
    } else if (field === 'quantity') {
      const base = { base: instrument?.base ?? '', quote: instrument?.quote ?? '' };
      const price = order.price ?? order.stopPrice;
      const meant = resolveSize(text, {
        ...base,
        side: order.side,
        kind: 'spot',
        stepSize: instrument?.stepSize ?? '0.00000001',
        price,
        free: null,
        closes: order.origQty,
      });
      if (meant?.quantity == null) return { change, problem: `quantity: ${meant?.problem ?? 'write one'}` };
      change.quantity = meant.quantity;
    } else {
      const meant = facts ? resolvePrice(text, facts) : null;
      if (meant?.price == null)
        return { change, problem: `${labelOf(field)}: ${meant?.problem ?? 'write one'}` };
      change[field] = meant.price;
    }
  }
  return { change, problem: null };
}

function initialOf(order: OrderView, field: AmendField): string {
  return amendForm(order).values[field];
}

/** Whether a change is empty. */
export function isNothing(change: Amendment): boolean {
  return Object.keys(change).length === 0;
}

declare module '../../state/ui.ts' {
  interface Dialogs {
    readonly amend: AmendDialog;
  }
  interface Actions {
    readonly amend: AmendAction;
  }
}

export interface AmendAction {
  readonly type: 'amend';
  readonly exchange: string;
  readonly id: string;
  readonly change: Amendment;
}
