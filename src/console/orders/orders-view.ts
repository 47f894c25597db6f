/** State of the Orders screen at a terminal, its dialogs, and the actions that follow a confirmation. */
import type { OrderDetail, SplitPreview, TicketCheck } from '../../desk/console/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import { CLOSED_PANE, type ListView, newList, type PaneView } from '../lists/rows.ts';
import type { TicketDraft, TicketFieldId } from './ticket/ticket-draft.ts';

export type SortKey = 'time' | 'symbol' | 'side' | 'price' | 'status';
export const SORT_KEYS: readonly SortKey[] = ['time', 'symbol', 'side', 'price', 'status'];

export interface OrdersView extends ListView<SortKey>, PaneView {
  /** Whether all closed orders are listed, page by page, below the open ones. */
  readonly all: boolean;
  readonly closed: readonly OrderView[];
  /** Cursor of the next page; null when everything was read; undefined before the first page. */
  readonly next: string | null | undefined;
  readonly loading: boolean;
  readonly detail: OrderDetail | null;
  /** Ids of the bots whose entries with exits are shown with their parts. */
  readonly opened: readonly string[];
  /**
   * Account of the last order placed from here: a new ticket begins with it where several accounts are
   * possible.
   */
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
  /** The symbol is selected as a whole: typing replaces it. */
  readonly whole: boolean;
  readonly check: TicketCheck | null;
  /** Whether the check shown belongs to an older draft. */
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
      /** Id of the cancelled order that is placed again. */
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
  /** Cancels the exits of an entry or of something held, and the entry while it is open. */
  | { readonly type: 'exits-off'; readonly bot: string; readonly runId: string; readonly symbol: string };

/** Drafts of tickets that a terminal keeps. */
export interface EntryView {
  /** Draft of a ticket left by Escape; null: none, or it was placed. */
  readonly kept: TicketDraft | null;
  /** Draft of the order whose request is in progress. */
  readonly sent: TicketDraft | null;
  /** Draft of the last order placed from here. */
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
    /** Orders cancelled at this terminal, newest last. */
    readonly cancelled: readonly OrderView[];
  }
  interface Dialogs {
    readonly orders: TicketDialog | SplitDialog;
  }
  interface Actions {
    readonly orders: OrderAction;
  }
}
