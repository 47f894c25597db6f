/**
 * What one terminal looks at: screen, selection by id, filters, dialogs, drafts. Apart from the desk's state, and the
 * only thing keys change directly. Plain data; the functions that change it are the commands.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { BotDetail, OrderDetail, SplitPreview, TicketCheck } from '../../desk/console/protocol.ts';
import type { KeyProblem, KeySettings } from '../../domain/access-key.ts';
import type { OrderView } from '../../domain/order.ts';
import type { LeverageBracket, Setting } from '../../domain/position.ts';
import type { CreateOrder } from '../../schemas/order.ts';
import type { AccountAction, AccountDialog } from '../model/account-forms.ts';
import { type AccountsView, FIRST_ACCOUNTS } from '../model/account-list.ts';
import { type AlertsView, FIRST_ALERTS } from '../model/alert-list.ts';
import type { MuteForm } from '../model/alert-mutes.ts';
import type { BotChart } from '../model/bot-detail.ts';
import type { BotAction, BotDialog, BotPage, BotSort } from '../model/bot-forms.ts';
import type { KeyDraft, KeyFieldId, KeyMode } from '../model/key-draft.ts';
import type { LabForm } from '../model/key-lab.ts';
import { FIRST_KEYS, type KeysView } from '../model/key-list.ts';
import { type LogView, NEW_LOG_VIEW } from '../model/log-view.ts';
import type { Mode } from '../model/mode.ts';
import type { OverviewPart } from '../model/overview-parts.ts';
import type { PaletteDialog } from '../model/palette.ts';
import type { PanicAction, PanicForm, PanicRun, PanicRunDialog } from '../model/panic.ts';
import { FIRST_PORTFOLIO, type PortfolioView } from '../model/portfolio-list.ts';
import { FIRST_POSITIONS, type PositionsView } from '../model/positions.ts';
import { CLOSED_PANE, type ListView, newList, type PaneView } from '../model/rows.ts';
import type { StillTableData } from '../model/still-table.ts';
import type { TicketDraft, TicketFieldId } from '../model/ticket-draft.ts';
import { FIRST_TRADES, type TradesView } from '../model/trade-list.ts';
import type { VaultForm } from '../model/vault-form.ts';
import { plainTheme, type Theme } from '../theme.ts';
import { FIRST_VISIT, type Visits } from './visits.ts';

export type ScreenId =
  | 'overview'
  | 'orders'
  | 'bots'
  | 'portfolio'
  | 'positions'
  | 'keys'
  | 'accounts'
  | 'alerts'
  | 'log';

/** The screens that exist, with their final digits. */
export const SCREENS: readonly { id: ScreenId; digit: string; title: string }[] = [
  { id: 'overview', digit: '1', title: 'Overview' },
  { id: 'orders', digit: '2', title: 'Orders' },
  { id: 'bots', digit: '3', title: 'Bots' },
  { id: 'portfolio', digit: '4', title: 'Portfolio' },
  { id: 'positions', digit: '5', title: 'Positions' },
  { id: 'keys', digit: '6', title: 'Keys' },
  { id: 'accounts', digit: '7', title: 'Accounts' },
  { id: 'alerts', digit: '8', title: 'Alerts' },
  { id: 'log', digit: '9', title: 'Log' },
];

/** A screen, or the view that takes the place of one: what footer, help and palette are about. */
export type Place = ScreenId | 'trades';

export const PLACES: readonly { id: Place; title: string }[] = SCREENS.flatMap((screen) =>
  screen.id === 'orders' ? [screen, { id: 'trades', title: 'Trades' }] : [screen],
);

export function placeOf({ screen, trades }: Pick<UiState, 'screen' | 'trades'>): Place {
  return screen === 'orders' && trades.open ? 'trades' : screen;
}

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
  | { readonly type: 'generate'; readonly settings: KeySettings }
  | { readonly type: 'register'; readonly settings: KeySettings; readonly publicKey: string }
  | { readonly type: 'revoke'; readonly id: string }
  | BotAction
  | AccountAction
  | PanicAction
  /** Leaves the screen and ends the desk behind it. */
  | { readonly type: 'stop-desk' }
  | { readonly type: 'vault-lock' }
  /** What the API tells those whom it turns away; null ends the maintenance. */
  | { readonly type: 'maintenance'; readonly message: string | null };

/** One line of a dialog: a name and a value. */
export interface InfoRow {
  readonly name: string;
  readonly value: string;
  readonly tone?: 'buy' | 'sell' | 'warn' | 'danger' | 'muted' | 'ok';
}

export interface ConfirmDialog {
  readonly kind: 'confirm';
  readonly title: string;
  readonly mode: Mode;
  readonly rows: readonly InfoRow[];
  /** What happens next, one sentence. */
  readonly next: string;
  /** What `y` does: `place this order`. */
  readonly verb: string;
  readonly action: Action;
  /** Word to type first (irreversible or in bulk). */
  readonly word?: string;
  readonly typed: string;
  /** What leaves things as they are: `Keep it`. @default Go back */
  readonly keep?: string;
  /** When the terminal had drawn it as it asks now, by the session's clock; null until it has. */
  readonly shownAt: number | null;
  /** Why the last key did not count: a `y` too early or in company, or a paste. */
  readonly remark?: 'again' | 'pasted';
  readonly busy: boolean;
  /** Of cancelling all: what it was asked about, and what of it is chosen. */
  readonly bulk?: BulkCancel;
}

export interface BulkCancel {
  /** Ids of all orders shown. */
  readonly listed: readonly string[];
  readonly filter: string;
  /** Protective stops go with the others, and orders of running bots. */
  readonly stops: boolean;
  readonly bots: boolean;
}

export interface NoticeLine {
  readonly text: string;
  readonly tone?: InfoRow['tone'] | 'title';
  /** Prose: broken between words. Values go on where the line ends, to be copied. */
  readonly words?: boolean;
}

/** What a form of the Positions screen asks for: the price of a limit or a stop that closes, or a setting. */
export type PositionAsk = 'limit' | 'stop' | 'leverage' | 'marginType' | 'hedgeMode' | 'marginMode';

export interface PositionForm {
  readonly kind: 'position-form';
  readonly what: PositionAsk;
  readonly exchange: string;
  readonly symbol: string;
  /** The position that a limit or a stop is to close. */
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

/** A key to be generated here, or the public half of one to be registered. */
export interface KeyForm {
  readonly kind: 'key-form';
  readonly mode: KeyMode;
  readonly draft: KeyDraft;
  readonly field: KeyFieldId;
  /** The desk's word on `checked`. */
  readonly problems: readonly KeyProblem[];
  /** The draft that was judged last; null before the first answer. */
  readonly checked: KeyDraft | null;
  /** The review was asked for: empty fields are told of, too. */
  readonly tried: boolean;
  /** Refusal of the last attempt. */
  readonly refusal: string | null;
}

export interface MaintenanceForm {
  readonly kind: 'maintenance-form';
  readonly message: string;
  readonly focus: 'message' | 'review';
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
  | KeyForm
  | MaintenanceForm
  | VaultForm
  | BotDialog
  | AccountDialog
  | LabForm
  | MuteForm
  | PanicForm
  | PanicRunDialog
  | {
      readonly kind: 'notice';
      readonly title: string;
      readonly lines: readonly NoticeLine[];
      /** In place of the lines: the result of each of several. */
      readonly table?: StillTableData;
      readonly offset: number;
      /** The order this is about: one key goes there. */
      readonly orderId?: string;
      /** The bot this is about. */
      readonly botId?: string;
      /** A key made a moment ago: its private half can be asked for. */
      readonly keyId?: string;
    }
  | PaletteDialog
  | { readonly kind: 'help'; readonly offset: number }
  | {
      readonly kind: 'quit';
      /** As in a confirmation. */
      readonly shownAt: number | null;
      readonly remark?: 'again';
      readonly stopping: boolean;
    };

/** One line for the person, above the footer. */
export interface Message {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'danger' | 'muted';
  /** What became of something asked for: stays its time, whatever is looked at next. */
  readonly result: boolean;
}

export interface OrdersView extends ListView<SortKey>, PaneView {
  /** All closed orders ever, paged, under the open ones. */
  readonly all: boolean;
  readonly closed: readonly OrderView[];
  /** Cursor of the next page; null when everything is here; undefined before the first page. */
  readonly next: string | null | undefined;
  readonly loading: boolean;
  readonly detail: OrderDetail | null;
}

export interface BotsView extends ListView<BotSort>, PaneView {
  /** Ids, in the order in which they were marked. */
  readonly marked: readonly string[];
  readonly page: BotPage;
  readonly detail: BotDetail | null;
  readonly chart: BotChart | null;
  /** The candle under the chart's crosshair, by its open time; null without one. */
  readonly cursor: number | null;
}

export interface UiState {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly ascii: boolean;
  /** Minutes since 1970 by the wall clock; changes once a minute. */
  readonly minute: number;
  /** Seconds by the desk's wall clock; moves only while an order is unresolved or an exchange is down. */
  readonly second: number;
  readonly screen: ScreenId;
  readonly visits: Visits;
  readonly dialogs: readonly Dialog[];
  readonly message: Message | null;
  readonly watch: Selection;
  readonly overview: {
    /** The part with the focus, while there is one of it. */
    readonly part: OverviewPart;
    /** Somebody has moved the cursor of the watchlist: its symbol is one that is looked at. */
    readonly looksAt: boolean;
    /** Of the parts but the watchlist. */
    readonly selections: Readonly<Partial<Record<OverviewPart, Selection>>>;
  };
  /** The last panic of this terminal; null before the first. */
  readonly panic: PanicRun | null;
  readonly orders: OrdersView;
  readonly bots: BotsView;
  /** The other view of the Orders screen. */
  readonly trades: TradesView;
  readonly portfolio: PortfolioView;
  readonly accounts: AccountsView;
  readonly alerts: AlertsView;
  readonly positions: PositionsView;
  readonly keys: KeysView;
  readonly log: LogView;
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
    visits: FIRST_VISIT,
    dialogs: [],
    message: null,
    watch: { id: null, index: 0 },
    overview: { part: 'watch', looksAt: false, selections: {} },
    panic: null,
    orders: {
      ...newList<SortKey>('time'),
      ...CLOSED_PANE,
      all: false,
      closed: [],
      next: undefined,
      loading: false,
      detail: null,
    },
    bots: {
      ...newList<BotSort>('status'),
      ...CLOSED_PANE,
      marked: [],
      page: 'now',
      detail: null,
      chart: null,
      cursor: null,
    },
    trades: FIRST_TRADES,
    portfolio: FIRST_PORTFOLIO,
    accounts: FIRST_ACCOUNTS,
    alerts: FIRST_ALERTS,
    positions: FIRST_POSITIONS,
    keys: FIRST_KEYS,
    log: NEW_LOG_VIEW,
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

/** Rows a dialog may have where nothing is cut off below: it is read aloud. */
export const SPOKEN_ROWS = 200;

/** Rows between the tabs and the message line. */
export function bodyRows(ui: UiState): number {
  return ui.rows - 4;
}
