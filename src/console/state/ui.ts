/**
 * What one terminal looks at: screen, selection by id, filters, dialogs, drafts. Apart from the desk's state, and the
 * only thing keys change directly. Plain data; the functions that change it are the commands.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { OrderDetail, SplitPreview, TicketCheck } from '../../desk/protocol.ts';
import type { OrderView } from '../../domain/order.ts';
import type { LeverageBracket, Setting } from '../../domain/position.ts';
import type { LogLine } from '../../domain/rows.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import type { TicketDraft, TicketFieldId } from '../model/ticket-draft.ts';
import { plainTheme, type Theme } from '../theme.ts';

export type ScreenId = 'overview' | 'orders' | 'positions' | 'keys' | 'log';

/** The screens that exist, with their final digits. */
export const SCREENS: readonly { id: ScreenId; digit: string; title: string }[] = [
  { id: 'overview', digit: '1', title: 'Overview' },
  { id: 'orders', digit: '2', title: 'Orders' },
  { id: 'positions', digit: '5', title: 'Positions' },
  { id: 'keys', digit: '6', title: 'Keys' },
  { id: 'log', digit: '9', title: 'Log' },
];

export type SortKey = 'time' | 'symbol' | 'side' | 'price' | 'status';
export const SORT_KEYS: readonly SortKey[] = ['time', 'symbol', 'side', 'price', 'status'];

/** Selection of a table: the row's id, and where it stood, for when the row has gone. */
export interface Selection {
  readonly id: string | null;
  readonly index: number;
}

/** What a confirmed dialog does. */
export type Action =
  | { readonly type: 'place'; readonly order: CreateOrder }
  | {
      readonly type: 'futures';
      readonly exchange: string;
      readonly setting: Setting;
      /** What to tell once it is done. */
      readonly done: string;
    }
  | { readonly type: 'cancel'; readonly exchange: string; readonly id: string }
  | { readonly type: 'cancel-all'; readonly ids: readonly string[] }
  | {
      readonly type: 'split';
      readonly exchange: string;
      readonly id: string;
      readonly prices: readonly string[];
    }
  | { readonly type: 'generate'; readonly label: string; readonly tier: KeyTier }
  | {
      readonly type: 'register';
      readonly label: string;
      readonly tier: KeyTier;
      readonly publicKey: string;
    }
  | { readonly type: 'revoke'; readonly id: string };

export type KeyTier = 'read' | 'trade' | 'full';

/** One line of a dialog: a name and a value. */
export interface InfoRow {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'buy' | 'sell' | 'warn' | 'danger' | 'muted' | 'ok';
}

export interface ConfirmDialog {
  readonly kind: 'confirm';
  readonly title: string;
  readonly paper: boolean;
  readonly rows: readonly InfoRow[];
  /** What happens next, one sentence. */
  readonly next: string;
  /** What `y` does: `place this order`. */
  readonly verb: string;
  readonly action: Action;
  /** Word to type first (irreversible or in bulk). */
  readonly word?: string;
  readonly typed: string;
  readonly openedAt: number;
  readonly busy: boolean;
}

export interface NoticeLine {
  readonly text: string;
  readonly tone?: InfoRow['tone'] | 'title';
  /** Prose: broken between words. Values go on where the line ends, to be copied. */
  readonly words?: boolean;
}

export type FormField = 'label' | 'tier' | 'publicKey' | 'review';

/** What a form of the Positions screen asks for: the price of a limit or a stop that closes, or a setting. */
export type PositionAsk = 'limit' | 'stop' | 'leverage' | 'marginType' | 'hedgeMode' | 'marginMode';

export interface PositionForm {
  readonly kind: 'position-form';
  readonly what: PositionAsk;
  readonly exchange: string;
  readonly symbol: string;
  /** The position that a limit or a stop is to close. */
  readonly key: string | null;
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

export type Dialog =
  | {
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
  | ConfirmDialog
  | {
      readonly kind: 'split';
      readonly order: OrderView;
      readonly text: string;
      readonly focus: 'text' | 'review';
      readonly prices: readonly string[];
      readonly problem: string | null;
      readonly preview: SplitPreview | null;
      readonly stale: boolean;
    }
  | PositionForm
  | {
      readonly kind: 'key-form';
      readonly mode: 'generate' | 'paste';
      readonly label: string;
      readonly tier: KeyTier;
      readonly publicKey: string;
      readonly field: FormField;
      readonly problem: string | null;
    }
  | {
      readonly kind: 'notice';
      readonly title: string;
      readonly lines: readonly NoticeLine[];
      readonly offset: number;
      /** The order this is about: one key goes there. */
      readonly orderId?: string;
    }
  | { readonly kind: 'palette'; readonly text: string; readonly index: number }
  | { readonly kind: 'help'; readonly offset: number }
  | { readonly kind: 'quit'; readonly openedAt: number; readonly stopping: boolean };

/** One line for the person, above the footer. */
export interface Message {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'danger' | 'muted';
  /** What became of something asked for: stays its time, whatever is looked at next. */
  readonly result: boolean;
}

export interface UiState {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly ascii: boolean;
  /** Minutes since 1970 by the wall clock; changes once a minute. */
  readonly minute: number;
  /** Seconds by the desk's wall clock; moves only while an order is unresolved. */
  readonly second: number;
  readonly screen: ScreenId;
  readonly dialogs: readonly Dialog[];
  readonly message: Message | null;
  readonly watch: Selection;
  readonly orders: {
    readonly selection: Selection;
    readonly filter: string;
    readonly filtering: boolean;
    readonly sort: SortKey;
    readonly reverse: boolean;
    /** All closed orders ever, paged, under the open ones. */
    readonly all: boolean;
    readonly closed: readonly OrderView[];
    /** Cursor of the next page; null when everything is here; undefined before the first page. */
    readonly next: string | null | undefined;
    readonly loading: boolean;
    readonly detailOpen: boolean;
    readonly pane: 'list' | 'detail';
    readonly detailOffset: number;
    readonly detail: OrderDetail | null;
  };
  readonly positions: {
    readonly selection: Selection;
    readonly detailOpen: boolean;
    readonly pane: 'list' | 'detail';
    readonly detailOffset: number;
    /** Brackets of the symbols looked at, by `account symbol`. */
    readonly brackets: Readonly<Record<string, readonly LeverageBracket[]>>;
  };
  readonly keys: { readonly selection: Selection };
  /** The line under the cursor; null follows the newest. */
  readonly log: { readonly line: LogLine | null };
}

export function createUi(columns: number, rows: number): StoreApi<UiState> {
  return createStore<UiState>(() => ({
    columns,
    rows,
    theme: plainTheme(),
    ascii: false,
    minute: 0,
    second: 0,
    screen: 'overview',
    dialogs: [],
    message: null,
    watch: { id: null, index: 0 },
    orders: {
      selection: { id: null, index: 0 },
      filter: '',
      filtering: false,
      sort: 'time',
      reverse: false,
      all: false,
      closed: [],
      next: undefined,
      loading: false,
      detailOpen: false,
      pane: 'list',
      detailOffset: 0,
      detail: null,
    },
    positions: {
      selection: { id: null, index: 0 },
      detailOpen: false,
      pane: 'list',
      detailOffset: 0,
      brackets: {},
    },
    keys: { selection: { id: null, index: 0 } },
    log: { line: null },
  }));
}

export const MIN_COLUMNS = 80;
export const MIN_ROWS = 24;

export function tooSmall(ui: UiState): boolean {
  return ui.columns < MIN_COLUMNS || ui.rows < MIN_ROWS;
}

/** The innermost dialog. */
export function topDialog(ui: UiState): Dialog | undefined {
  return ui.dialogs.at(-1);
}

/** Rows between the tabs and the message line. */
export function bodyRows(ui: UiState): number {
  return ui.rows - 4;
}
