/**
 * What one terminal looks at: screen, selection by id, filters, dialogs, drafts. Apart from the desk's state, and the
 * only thing keys change directly. Plain data; the functions that change it are the commands. Features add what is theirs to
 * the empty interfaces here (`declare module`), so that this file knows none of them.
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
/** Views that take the place of a screen, by id. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Views {}
/** Lists that are filtered and sorted: the id of their place and what a terminal looks at in them. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Lists {}
/** All else that a feature keeps in the state. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Slices {}
/** Dialogs, all of a feature under its name. */
export interface Dialogs {
  readonly shared: ConfirmDialog | NoticeDialog;
}
/** What confirmed dialogs do, all of a feature under its name. */
// biome-ignore lint/suspicious/noEmptyInterface: each feature adds its own
export interface Actions {}
/** What the console is made of, put together in `features.ts`; never changes. */
// biome-ignore lint/suspicious/noEmptyInterface: the contracts add what they are about
export interface Parts {}

export type ScreenId = keyof Screens;
/** A screen, or the view that takes the place of one: what footer, help and palette are about. */
export type Place = ScreenId | keyof Views;
export type ListId = keyof Lists;

/** A screen as tabs and palette name it. */
export interface ScreenName {
  readonly id: ScreenId;
  readonly digit: string;
  readonly title: string;
}

export type Dialog = Dialogs[keyof Dialogs];
/** What a confirmed dialog does. */
export type Action = Actions[keyof Actions];

/** The place in view. */
export function placeOf(ui: UiState): Place {
  return ui.parts.places[ui.screen].view?.(ui) ?? ui.screen;
}

/** Selection of a table: the row's id, and where it stood, for when the row has gone. */
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

export interface NoticeDialog {
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

/** One line for the person, above the footer. */
export interface Message {
  readonly text: string;
  readonly tone: 'ok' | 'warn' | 'danger' | 'muted';
  /** What became of something asked for: stays its time, whatever is looked at next. */
  readonly result: boolean;
}

export interface UiState extends Lists, Slices {
  readonly columns: number;
  readonly rows: number;
  readonly theme: Theme;
  /** Name of the theme that was chosen here; null: the one of the configuration holds. */
  readonly chosenTheme: string | null;
  readonly ascii: boolean;
  /** Name of the time zone that was chosen here; null: the one of the configuration holds. */
  readonly chosenZone: string | null;
  /** Minutes since 1970 by the wall clock; changes once a minute. */
  readonly minute: number;
  /** Seconds by the desk's wall clock; moves only while an order is unresolved or an exchange is down. */
  readonly second: number;
  readonly screen: ScreenId;
  readonly visits: Visits;
  readonly dialogs: readonly Dialog[];
  readonly message: Message | null;
  /** The cursor of the watchlist: what other screens take for the symbol looked at. */
  readonly watch: Selection;
  readonly watchlists: Watchlists;
  /** The one account that is looked at and traded on, by id; null: all of them. */
  readonly only: string | null;
  /** Columns that are wanted, by list. */
  readonly columnChoices: ColumnChoices;
  readonly parts: Parts;
}

/** `first`: what each feature begins with. */
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

/** Rows a dialog may have where nothing is cut off below: it is read aloud. */
export const SPOKEN_ROWS = 200;

/** Rows between the tabs and the message line. */
export function bodyRows(ui: UiState): number {
  return ui.rows - 4;
}

/** Rows of half a page, by which lists, details and texts are paged. */
export function halfPage({ rows }: Pick<UiState, 'rows'>): number {
  return Math.floor(rows / 3);
}

/** The screens, in the order of their keys. */
export function screensOf({ parts }: Pick<UiState, 'parts'>): readonly ScreenName[] {
  return Object.values(parts.places)
    .flatMap(({ id, digit, title }) => (digit === undefined ? [] : [{ id: id as ScreenId, digit, title }]))
    .sort((a, b) => Number(a.digit) - Number(b.digit));
}

/** Screens and the views that take their place, each view behind its screen. */
export function placesOf({ parts }: Pick<UiState, 'parts'>): readonly { id: Place; title: string }[] {
  const views = Object.values(parts.places).filter(({ digit }) => digit === undefined);
  return screensOf({ parts }).flatMap((screen) => [
    screen,
    ...views.filter(({ of }) => of === screen.id).map(({ id, title }) => ({ id, title })),
  ]);
}
