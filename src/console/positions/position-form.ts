/** The forms of the Positions screen: the price of a limit or a stop that closes, or a setting; and what a setting does. */
import type { TicketCheck } from '../../desk/console/protocol.ts';
import type { LeverageBracket, Setting } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';

/** What a form asks for. */
export type PositionAsk = OrderAsk | 'leverage' | 'marginType' | 'hedgeMode' | 'marginMode';

/** Those of which an order for the position comes: by limit, its stop, a part at market, a trailing stop. */
export type OrderAsk = (typeof ORDER_ASKS)[number];
const ORDER_ASKS = ['limit', 'stop', 'part', 'trail'] as const;

export function asksOrder(what: PositionAsk): what is OrderAsk {
  return ORDER_ASKS.some((one) => one === what);
}

export interface PositionForm {
  readonly kind: 'position-form';
  readonly what: PositionAsk;
  readonly exchange: string;
  readonly symbol: string;
  /** The position that the order is for. */
  readonly key: string | null;
  /** The side that it had when the form was opened; null without a position. */
  readonly long: boolean | null;
  readonly value: string;
  readonly focus: 'symbol' | 'value' | 'review';
  /** Margin mode as the exchange last said. */
  readonly mode: number | null;
  readonly check: TicketCheck | null;
  /** Null until the exchange has named them. */
  readonly brackets: readonly LeverageBracket[] | null;
  /** The check shown is of an older value. */
  readonly stale: boolean;
  /** Refusal of the last attempt. */
  readonly refusal: string | null;
}

export interface PositionAction {
  readonly type: 'futures';
  readonly exchange: string;
  readonly setting: Setting;
  /** What to tell once it is done. */
  readonly done: string;
}

/** An order that opens as much as it closes: it is right for one size of the position only. */
export interface ReverseAction {
  readonly type: 'reverse';
  readonly order: CreateOrder;
  /** The position's, signed, as it was asked about. */
  readonly amount: string;
}

/** Each of several positions, whole, as it is by then. */
export interface CloseMarkedAction {
  readonly type: 'close-marked';
  /** `long`: as they were asked about. */
  readonly positions: readonly { readonly id: string; readonly long: boolean }[];
}

declare module '../state/ui.ts' {
  interface Dialogs {
    readonly positions: PositionForm;
  }
  interface Actions {
    readonly positions: PositionAction | ReverseAction | CloseMarkedAction;
  }
}
