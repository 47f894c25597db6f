/**
 * The forms of the Positions screen: the price of a closing limit order or a stop, or a setting; and the
 * actions that follow.
 */
import type { TicketCheck } from '../../desk/console/protocol.ts';
import type { LeverageBracket, Setting } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';

/** What a form asks for. */
export type PositionAsk = OrderAsk | 'leverage' | 'marginType' | 'hedgeMode' | 'marginMode';

/** Forms that make an order for the position: a limit, its stop, a part at market, a trailing stop. */
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
  /** Key of the position that the order is for. */
  readonly key: string | null;
  /** Whether the position was long when the form was opened; null without a position. */
  readonly long: boolean | null;
  readonly value: string;
  readonly focus: 'symbol' | 'value' | 'review';
  /** Margin mode by number, as the exchange reported it last; null: not known yet. */
  readonly mode: number | null;
  readonly check: TicketCheck | null;
  /** Null until the exchange has sent them. */
  readonly brackets: readonly LeverageBracket[] | null;
  /** Whether the check shown belongs to an older value. */
  readonly stale: boolean;
  /** Refusal of the last attempt. */
  readonly refusal: string | null;
}

export interface PositionAction {
  readonly type: 'futures';
  readonly exchange: string;
  readonly setting: Setting;
  /** The message once it is done. */
  readonly done: string;
}

/** An order that opens as much as it closes: it fits only one size of the position. */
export interface ReverseAction {
  readonly type: 'reverse';
  readonly order: CreateOrder;
  /** The signed amount of the position when the question was opened. */
  readonly amount: string;
}

/** Closes each of several positions whole, at its size by then. */
export interface CloseMarkedAction {
  readonly type: 'close-marked';
  /** `long`: the side when the question was opened. */
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
