/** What terminals mirror of the equity: the total with every price, each wallet once a market minute. */

export interface EquityView {
  readonly usd: string;
  readonly btc: string | null;
  readonly partial: boolean;
  /** Up to 60 samples, one a market minute, oldest first. */
  readonly spark: readonly number[];
  /** Equity at 00:00 of the market day in the set zone (or at the start of the desk), for PnL today. */
  readonly dayStartUsd: string | null;
}

/** How a wallet has changed today. Its present worth is in its accounts' portfolios. */
export interface WalletEquity {
  /** As `dayStartUsd` of the total; null: the wallet has no value for this day yet. */
  readonly dayStartUsd: string | null;
  /** Worth at each of up to 59 market minutes, oldest first. */
  readonly points: readonly number[];
}
