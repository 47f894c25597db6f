/** A terminal's calls about the PnL book, with their answers. Types and limits only. */
import type { Outcome } from '../../domain/errors.ts';
import type { FigureTexts } from '../../engine/pnl/figures.ts';
import type { EquityPoint, PnlGroup, PnlRow } from '../../engine/pnl/pnl-book.ts';
import type { TradeStats } from '../../engine/pnl/trade-stats.ts';
import type { ExportFile } from '../console/account-views.ts';

export type { FigureTexts } from '../../engine/pnl/figures.ts';
export type { EquityPoint, PnlGroup, PnlRow } from '../../engine/pnl/pnl-book.ts';
export type { TradeStats } from '../../engine/pnl/trade-stats.ts';

/** Most points of an equity curve. */
export const PNL_POINTS_MAX = 400;

/** A question to the PnL book. Market times, Unix ms. */
export interface PnlQuery {
  /** Left out: from the first row on. */
  readonly from?: number;
  /** End of the range, not included; left out: until now. */
  readonly to?: number;
  /** In place of `from`: this number of days of the desk's time zone, with today as the last. */
  readonly days?: number;
  /**
   * In place of `from` and `to`: days of the desk's time zone such as `2026-11-26`, the last one included.
   */
  readonly firstDay?: string;
  readonly lastDay?: string;
  readonly by: PnlGroup;
  /** Only the wallet that this account trades with. */
  readonly exchange?: string;
  /** Points of the curve besides its ends; left out: 100. */
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
  /**
   * The first stop that protected it, and the net as a multiple of the loss at that stop; null: there was
   * none.
   */
  readonly stop: string | null;
  readonly r: string | null;
}

export interface PnlView {
  readonly from: number;
  readonly to: number;
  readonly by: PnlGroup;
  /** The time zone of days, weeks and months. */
  readonly timeZone: string;
  readonly rows: readonly PnlRow[];
  readonly total: FigureTexts;
  readonly stats: TradeStats;
  /** Newest first, at most 500; `stats` counts all. */
  readonly trades: readonly PnlTrade[];
  /** The first and the last point are the ends of the range. */
  readonly curve: readonly EquityPoint[];
  /** Assets without any price: no figure includes them. */
  readonly unpriced: readonly string[];
  /** What a wallet holds now beyond what its rows explain; empty when the range ends before now. */
  readonly differences: readonly {
    readonly wallet: string;
    readonly what: string;
    readonly amount: string;
  }[];
  /** Sentences about what is not included. */
  readonly notes: readonly string[];
}

export interface PnlMethods {
  'pnl.read': [PnlQuery, Outcome<PnlView>];
  /** Writes the groups or all closed trades of the range as CSV. */
  'pnl.export': [PnlQuery & { readonly what: 'groups' | 'trades' }, Outcome<ExportFile>];
}
