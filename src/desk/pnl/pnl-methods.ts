/** What a terminal asks the PnL book, and what it is told. Types and bounds only. */
import type { Outcome } from '../../domain/errors.ts';
import type { FigureTexts } from '../../engine/pnl/figures.ts';
import type { EquityPoint, PnlGroup, PnlRow } from '../../engine/pnl/pnl-book.ts';
import type { TradeStats } from '../../engine/pnl/trade-stats.ts';
import type { ExportFile } from '../console/account-views.ts';

export type { FigureTexts } from '../../engine/pnl/figures.ts';
export type { EquityPoint, PnlGroup, PnlRow } from '../../engine/pnl/pnl-book.ts';
export type { TradeStats } from '../../engine/pnl/trade-stats.ts';

/** Points of an equity curve at most. */
export const PNL_POINTS_MAX = 400;

/** Market times, Unix ms. */
export interface PnlQuery {
  /** Left out: from the first row on. */
  readonly from?: number;
  /** Does not count any more; left out: until now. */
  readonly to?: number;
  /** In place of `from`: the last so many days of the desk's time zone, today the last of them. */
  readonly days?: number;
  /** In place of `from` and `to`: days of the desk's time zone such as `2026-11-26`, the last one within. */
  readonly firstDay?: string;
  readonly lastDay?: string;
  readonly by: PnlGroup;
  /** Only the wallet that this account trades with. */
  readonly exchange?: string;
  /** Points of the curve beside its ends; left out: 100. */
  readonly points?: number;
}

/** A closed trade. Money in dollars, prices in the quote asset, decimal strings. */
export interface PnlTrade {
  readonly account: string;
  readonly symbol: string;
  readonly kind: 'spot' | 'futures';
  readonly side: 'LONG' | 'SHORT';
  readonly qty: string;
  readonly entry: string;
  readonly exit: string;
  readonly openedAt: number;
  readonly closedAt: number;
  readonly realised: string;
  readonly fees: string;
  readonly funding: string;
  readonly net: string;
  readonly bot: string | null;
  /** The first stop that protected it, and the net in units of what that would have lost; null: there was none. */
  readonly stop: string | null;
  readonly r: string | null;
}

export interface PnlView {
  readonly from: number;
  readonly to: number;
  readonly by: PnlGroup;
  /** In which days, weeks and months are counted. */
  readonly timeZone: string;
  readonly rows: readonly PnlRow[];
  readonly total: FigureTexts;
  readonly stats: TradeStats;
  /** Newest first, at most 500; `stats` counts all. */
  readonly trades: readonly PnlTrade[];
  /** First and last are the ends of the range. */
  readonly curve: readonly EquityPoint[];
  /** Assets that had no price at all: they are in no figure. */
  readonly unpriced: readonly string[];
  /** What a wallet has and its rows do not say, as of now; empty when the range ends before now. */
  readonly differences: readonly {
    readonly wallet: string;
    readonly what: string;
    readonly amount: string;
  }[];
  /** Sentences about what is not in it. */
  readonly notes: readonly string[];
}

export interface PnlMethods {
  'pnl.read': [PnlQuery, Outcome<PnlView>];
  /** Writes the groups or all closed trades of the range as CSV. */
  'pnl.export': [PnlQuery & { readonly what: 'groups' | 'trades' }, Outcome<ExportFile>];
}
