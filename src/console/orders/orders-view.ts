/** What a terminal looks at on the Orders screen, its dialogs, and what they do once they are confirmed. */
import type { OrderDetail, SplitPreview, TicketCheck } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { CLOSED_PANE, type ListView, newList, type PaneView } from '../lists/rows.ts';
import type { TicketDraft, TicketFieldId } from './ticket/ticket-draft.ts';

export type SortKey = 'time' | 'symbol' | 'side' | 'price' | 'status';
export const SORT_KEYS: readonly SortKey[] = ['time', 'symbol', 'side', 'price', 'status'];

export interface OrdersView extends ListView<SortKey>, PaneView {
  /** All closed orders ever, paged, under the open ones. */
  readonly all: boolean;
  readonly closed: readonly OrderView[];
  /** Cursor of the next page; null when everything is here; undefined before the first page. */
  readonly next: string | null | undefined;
  readonly loading: boolean;
  readonly detail: OrderDetail | null;
  /** Entries with exits whose parts are shown: the bots underneath. */
  readonly opened: readonly string[];
  /** Of the last order that was placed from here: a new one begins with it where several accounts would do. */
  readonly account: string | null;
}

export const FIRST_ORDERS: OrdersView = {
  ...newList<SortKey>('time'),
  ...CLOSED_PANE,
  all: false,
  closed: [],
  next: undefined,
  loading: false,
  detail: null,
  opened: [],
  account: null,
};

export interface TicketDialog {
  readonly kind: 'ticket';
  readonly draft: TicketDraft;
  readonly field: TicketFieldId | 'review';
  /** The symbol stands selected as a whole: the first character typed takes its place. */
  readonly whole: boolean;
  readonly check: TicketCheck | null;
  /** The check shown is of an older draft. */
  readonly stale: boolean;
  /** Refusal of the last attempt. */
  readonly refusal: string | null;
}

export interface SplitDialog {
  readonly kind: 'split';
  readonly order: OrderView;
  readonly text: string;
  readonly focus: 'text' | 'review';
  readonly prices: readonly string[];
  readonly problem: string | null;
  readonly preview: SplitPreview | null;
  readonly stale: boolean;
}

export type OrderAction =
  | {
      readonly type: 'place';
      readonly order: CreateOrder;
      /** Id of the cancelled order that it is once more. */
      readonly again?: string;
    }
  | { readonly type: 'cancel'; readonly exchange: string; readonly id: string }
  | { readonly type: 'cancel-all'; readonly ids: readonly string[] }
  | {
      readonly type: 'split';
      readonly exchange: string;
      readonly id: string;
      readonly prices: readonly string[];
    }
  /** The exits of an entry, or on what is held, and the entry while it is open. */
  | { readonly type: 'exits-off'; readonly bot: string; readonly runId: string; readonly symbol: string };

/** What a terminal keeps of its tickets. */
export interface EntryView {
  /** A ticket that was left by Escape; null: none, or it was placed. */
  readonly kept: TicketDraft | null;
  /** That of an order which is under way. */
  readonly sent: TicketDraft | null;
  /** That of the last order placed from here. */
  readonly last: TicketDraft | null;
}

export const FIRST_ENTRY: EntryView = { kept: null, sent: null, last: null };

declare module '../state/ui.ts' {
  interface Screens {
    readonly orders: true;
  }
  interface Slices {
    readonly entry: EntryView;
  }
  interface Lists {
    readonly orders: OrdersView;
  }
  interface Slices {
    /** What this terminal has cancelled, newest last. */
    readonly cancelled: readonly OrderView[];
  }
  interface Dialogs {
    readonly orders: TicketDialog | SplitDialog;
  }
  interface Actions {
    readonly orders: OrderAction;
  }
}
