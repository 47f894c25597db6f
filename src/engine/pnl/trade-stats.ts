/** Statistics of closed trades, counted one by one: win rate, profit factor and the like. Pure. */
import { type Dec, decOfInt, div, maxDec, minDec, str, ZERO } from '../../domain/decimal.ts';
import type { ClosedTrade } from './closed-trade.ts';

/** Money in dollars after fees and funding, decimal strings; null where there is nothing to divide. */
export interface TradeStats {
  readonly trades: number;
  readonly wins: number;
  readonly losses: number;
  /** Wins divided by all trades, 0 to 1. */
  readonly winRate: string | null;
  /** Sum of the wins divided by the sum of the losses. */
  readonly profitFactor: string | null;
  readonly averageWin: string | null;
  readonly averageLoss: string | null;
  readonly best: string | null;
  readonly worst: string | null;
  /** Mean time from opening to closing, ms. */
  readonly averageMs: number | null;
}

export class TradeCounter {
  #wins = 0;
  #losses = 0;
  #all = 0;
  #won = ZERO;
  #lost = ZERO;
  #best = ZERO;
  #worst = ZERO;
  #ms = 0;

  add({ net, openedAt, closedAt }: Pick<ClosedTrade, 'net' | 'openedAt' | 'closedAt'>): void {
    this.#best = this.#all === 0 ? net : maxDec(this.#best, net);
    this.#worst = this.#all === 0 ? net : minDec(this.#worst, net);
    this.#all += 1;
    this.#ms += closedAt - openedAt;
    if (net > ZERO) {
      this.#wins += 1;
      this.#won += net;
    } else if (net < ZERO) {
      this.#losses += 1;
      this.#lost -= net;
    }
  }

  stats(): TradeStats {
    const mean = (sum: Dec, count: number) => (count === 0 ? null : str(sum / BigInt(count)));
    const has = this.#all > 0;
    return {
      trades: this.#all,
      wins: this.#wins,
      losses: this.#losses,
      winRate: has ? str(div(decOfInt(this.#wins), decOfInt(this.#all))) : null,
      profitFactor: this.#lost === ZERO ? null : str(div(this.#won, this.#lost)),
      averageWin: mean(this.#won, this.#wins),
      averageLoss: mean(-this.#lost, this.#losses),
      best: has ? str(this.#best) : null,
      worst: has ? str(this.#worst) : null,
      averageMs: has ? this.#ms / this.#all : null,
    };
  }
}
