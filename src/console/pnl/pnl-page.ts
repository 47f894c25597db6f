/**
 * The state of the PnL book at a terminal: a range, its groups, its closed trades; and the dialog that asks
 * for two days.
 */
import type { PnlGroup, PnlQuery, PnlView } from '../../desk/console/protocol.ts';
import { type ListView, newList } from '../lists/rows.ts';

/** `days`: between two chosen days. */
export const PNL_RANGES = ['today', '7d', '30d', '90d', 'all', 'days'] as const;
export type PnlRange = (typeof PNL_RANGES)[number];

/** The groupings that the desk offers. */
export const GROUPS: readonly PnlGroup[] = ['day', 'week', 'month', 'symbol', 'bot', 'account', 'tag'];

/** `usual`: for groups of time the newest first, else the largest net first. */
export type PnlSort = 'usual' | 'name' | 'net' | 'fees' | 'trades';
export const PNL_SORTS: readonly PnlSort[] = ['usual', 'name', 'net', 'fees', 'trades'];

export interface PnlPage extends ListView<PnlSort> {
  readonly open: boolean;
  readonly range: PnlRange;
  /**
   * First day of the range `days`, such as `2026-11-01`; empty: from the first row on. An empty `last`: until
   * now.
   */
  readonly first: string;
  readonly last: string;
  readonly by: PnlGroup;
  /** Only the wallet that this account trades with; null: all wallets. */
  readonly account: string | null;
  readonly curve: 'equity' | 'net';
  /** The book read last, maybe for the range before; null before the first read. */
  readonly book: PnlView | null;
  /** Time of the last request, by the wall clock, Unix ms. */
  readonly readAt: number;
  /** Number of requests so far: a response to an older one is ignored. */
  readonly asked: number;
  readonly loading: boolean;
  /** Why the last request failed; null: it did not. */
  readonly failed: string | null;
}

export const FIRST_PNL: PnlPage = {
  ...newList<PnlSort>('usual'),
  open: false,
  range: '30d',
  first: '',
  last: '',
  by: 'day',
  account: null,
  curve: 'equity',
  book: null,
  readAt: 0,
  asked: 0,
  loading: false,
  failed: null,
};

export type PnlTradeSort = 'time' | 'symbol' | 'net' | 'R' | 'held';
export const PNL_TRADE_SORTS: readonly PnlTradeSort[] = ['time', 'symbol', 'net', 'R', 'held'];

export interface PnlTradesPage extends ListView<PnlTradeSort> {
  readonly open: boolean;
}

export const FIRST_PNL_TRADES: PnlTradesPage = { ...newList<PnlTradeSort>('time'), open: false };

/** Points of the curve: two per cell of the widest terminal in use. */
const POINTS = 400;
const DAYS: Readonly<Partial<Record<PnlRange, number>>> = { today: 1, '7d': 7, '30d': 30, '90d': 90 };

/** The query for a range. */
export function queryOf({
  range,
  first,
  last,
  by,
  account,
}: Pick<PnlPage, 'range' | 'first' | 'last' | 'by' | 'account'>): PnlQuery {
  const days = DAYS[range];
  const isDays = range === 'days';
  return {
    by,
    points: POINTS,
    ...(account === null ? {} : { exchange: account }),
    ...(days === undefined ? {} : { days }),
    ...(isDays && first !== '' ? { firstDay: first } : {}),
    ...(isDays && last !== '' ? { lastDay: last } : {}),
  };
}

/** The form for the first and the last day to read. */
export interface PnlRangeForm {
  readonly kind: 'pnl-range';
  readonly first: string;
  readonly last: string;
  readonly focus: 'first' | 'last' | 'review';
}

declare module '../state/ui.ts' {
  interface Views {
    readonly pnl: true;
    readonly 'pnl-trades': true;
  }
  interface Lists {
    readonly pnl: PnlPage;
    readonly 'pnl-trades': PnlTradesPage;
  }
  interface Dialogs {
    readonly pnl: PnlRangeForm;
  }
}
