/**
 * The state of one terminal: screen, selection by id, filters, dialogs, drafts. Separate from the desk's
 * state, and the only state that keys change directly. Plain data; the functions that change it are the
 * commands. Features add their parts to the empty interfaces here (`declare module`), so that this file knows
 * no feature.
 */
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Mode } from '../dialogs/mode.ts';
import type { ColumnChoices } from '../lists/columns.ts';
import type { StillTableData } from '../lists/still-table.ts';
import { ALL_SYMBOLS, type Watchlists } from '../trading/watchlists.ts';
import { plainTheme, type Theme } from '../ui/theme.ts';
import { FIRST_VISIT, type Visits } from './visits.ts';

/** Screens by id: `orders: true`. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Screens {}
/** Views that take the place of a screen, by id: `trades: true`. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Views {}
/** State of the lists that are filtered and sorted, by the id of their place. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Lists {}
/** Other state of a feature. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Slices {}
/** Dialogs; all dialogs of a feature under its name. */
export interface Dialogs {
  readonly shared: ConfirmDialog | NoticeDialog;
}
/** Actions of confirmed dialogs; all actions of a feature under its name. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Actions {}
/** The parts of the console, put together in `features.ts`; never changes. */
// biome-ignore lint/suspicious/noEmptyInterface: the contracts add what they are about
export interface Parts {}

export type ScreenId = keyof Screens;
/** A screen, or the view that takes the place of one: footer, help and palette depend on it. */
export type Place = ScreenId | keyof Views;
export type ListId = keyof Lists;

/** The name of a screen in tabs and palette. */
export interface ScreenName {
  readonly id: ScreenId;
  readonly digit: string;
  readonly title: string;
}

export type Dialog = Dialogs[keyof Dialogs];
/** The action of a confirmed dialog. */
export type Action = Actions[keyof Actions];

/** The place in view. */
export function placeOf(ui: UiState): Place {
  return ui.parts.places[ui.screen].view?.(ui) ?? ui.screen;
}

/** Selection of a table: the row's id, and its index, for when the row has gone. */
export interface Selection {
  readonly id: string | null;
  readonly index: number;
}

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
  /** What happens next, in one sentence. */
  readonly next: string;
  /** The effect of `y`: `place this order`. */
  readonly verb: string;
  readonly action: Action;
  /** Word to type first (for irreversible and bulk actions). */
  readonly word?: string;
  readonly typed: string;
  /** Label of the button that changes nothing: `Keep it`. @default Go back */
  readonly keep?: string;
  /**
   * When the terminal had drawn the question in its present form, by the session's monotonic clock, ms; null
   * until it has.
   */
  readonly shownAt: number | null;
  /**
   * Why the last key did not count: `again`: it came too early or together with others; `pasted`: it was
   * pasted.
   */
  readonly remark?: 'again' | 'pasted';
  readonly busy: boolean;
  /** Only for cancelling all orders: the listed orders and the chosen groups. */
  readonly bulk?: BulkCancel;
}

export interface BulkCancel {
  /** Ids of all orders listed. */
  readonly listed: readonly string[];
  readonly filter: string;
  /** Whether protective stops are cancelled, too; `bots`: orders of running bots. */
  readonly stops: boolean;
  readonly bots: boolean;
}

export interface NoticeLine {
  readonly text: string;
  readonly tone?: InfoRow['tone'] | 'title';
  /** Prose is wrapped between words. Values are broken at the end of the line, so that they can be copied. */
  readonly words?: boolean;
}

export interface NoticeDialog {
  readonly kind: 'notice';
  readonly title: string;
  readonly lines: readonly NoticeLine[];
  /** Shown in place of the lines: the results of several items. */
  readonly table?: StillTableData;
  readonly offset: number;
  /** The order that the notice is about: a key opens it. */
  readonly orderId?: string;
  /** The bot that the notice is about. */
  readonly botId?: string;
  /** A new API key whose private half can be requested. */
  readonly keyId?: string;
}

/** One line of text for the operator, above the footer. */
export interface Message {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'danger' | 'muted';
  /** Whether this is the outcome of a request: it stays for its time, also when another screen is opened. */
  readonly result: boolean;
}

/** Whether the terminal reports its mouse. */
export type MouseChoice = 'on' | 'off';

export interface UiState extends Lists, Slices {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  /** Name of the theme chosen here; null: that of the configuration is used. */
  readonly chosenTheme: string | null;
  readonly ascii: boolean;
  /** Name of the time zone chosen here; null: that of the configuration is used. */
  readonly chosenZone: string | null;
  /** `on` or `off`, chosen at a console of this operator; null: as the configuration says. */
  readonly chosenMouse: MouseChoice | null;
  /** Minutes since 1970 by the wall clock; changes once a minute. */
  readonly minute: number;
  /** Seconds by the desk's wall clock; advances only while an order is unresolved or an exchange is down. */
  readonly second: number;
  readonly screen: ScreenId;
  readonly visits: Visits;
  readonly dialogs: readonly Dialog[];
  readonly message: Message | null;
  /** The cursor of the watchlist: its symbol is the one in view for other screens. */
  readonly watch: Selection;
  readonly watchlists: Watchlists;
  /** Id of the only account that is shown and traded on; null: all accounts. */
  readonly only: string | null;
  /** The operator's choice of columns, by list. */
  readonly columnChoices: ColumnChoices;
  readonly parts: Parts;
}

/** Creates the state. `first`: the initial state of each feature. */
export function createUi(
  columns: number,
  rows: number,
  parts: Parts,
  first: Lists & Slices,
): StoreApi<UiState> {
  return createStore<UiState>(() => ({
    ...first,
    columns,
    rows,
    theme: plainTheme(),
    chosenTheme: null,
    ascii: false,
    chosenZone: null,
    chosenMouse: null,
    minute: 0,
    second: 0,
    screen: 'overview',
    visits: FIRST_VISIT,
    dialogs: [],
    message: null,
    watch: { id: null, index: 0 },
    watchlists: ALL_SYMBOLS,
    only: null,
    columnChoices: {},
    parts,
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

/** Rows available to a dialog that is read aloud, where nothing needs to be cut off. */
export const SPOKEN_ROWS = 200;

/** Rows between the tabs and the message line. */
export function bodyRows(ui: UiState): number {
  return ui.rows - 4;
}

/** Rows of half a page: the step in which lists, details and texts scroll. */
export function halfPage({ rows }: Pick<UiState, 'rows'>): number {
  return Math.floor(rows / 3);
}

/** The screens, in the order of their keys. */
export function screensOf({ parts }: Pick<UiState, 'parts'>): readonly ScreenName[] {
  return Object.values(parts.places)
    .flatMap(({ id, digit, title }) => (digit === undefined ? [] : [{ id: id as ScreenId, digit, title }]))
    .sort((a, b) => Number(a.digit) - Number(b.digit));
}

/** Screens and the views that take their place, each view after its screen. */
export function placesOf({ parts }: Pick<UiState, 'parts'>): readonly { id: Place; title: string }[] {
  const views = Object.values(parts.places).filter(({ digit }) => digit === undefined);
  return screensOf({ parts }).flatMap((screen) => [
    screen,
    ...views.filter(({ of }) => of === screen.id).map(({ id, title }) => ({ id, title })),
  ]);
}
