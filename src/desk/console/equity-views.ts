/** What terminals mirror of the equity: of all together with every price, of each wallet once a market minute. */

export interface EquityView {
  readonly usd: string;
  readonly btc: string | null;
  readonly partial: boolean;
  /** Up to 60 samples, one a market minute, oldest first. */
  readonly spark: readonly number[];
  /** Equity at 00:00 of the market day in the zone that is set (or at the start of the desk), for PnL today. */
  readonly dayStartUsd: string | null;
}

/** How a wallet has gone today. What it is worth now its accounts' portfolios say. */
export interface WalletEquity {
  /** As `dayStartUsd` of all; null: the day has not counted it yet. */
  readonly dayStartUsd: string | null;
  /** Its worth at each of up to 59 market minutes, oldest first. */
  readonly points: readonly number[];
}
