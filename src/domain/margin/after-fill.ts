/**
 * A futures account as it would be after an order has filled completely at one price, and the result: where
 * the position would be liquidated, and how much is held for each unit of equity. Uses the same arithmetic as
 * the account itself. Pure.
 */
import { type Dec, div, maxDec, ZERO } from '../decimal.ts';
import {
  figuresOf,
  type MarginAccount,
  type MarginPosition,
  markOf,
  profitOf,
  type SymbolSetting,
} from './account.ts';
import { type Applied, applyFill, isolatedMargin, isolatedShare } from './fill.ts';
import { abs, notional } from './position.ts';

export interface WantedFill {
  readonly symbol: string;
  /** The position that the fill changes; missing: there is none yet. */
  readonly position: MarginPosition | undefined;
  /** Positive buys, negative sells. */
  readonly qty: Dec;
  readonly price: Dec;
  readonly fee: Dec;
  /** How the symbol is margined after the fill. */
  readonly setting: SymbolSetting;
}

export interface AfterFill {
  /** Signed size of the position after the fill. */
  readonly amount: Dec;
  /** Null: no price liquidates it. */
  readonly liquidation: Dec | null;
  /** Notional of all positions at the marks after the fill. */
  readonly held: Dec;
  /** Wallet and unrealised PnL. */
  readonly equity: Dec;
  /** `held` divided by `equity`; null when no equity is left. */
  readonly exposure: Dec | null;
}

/**
 * Returns the account after the fill. The market price is then the order's price: otherwise it would not have
 * filled.
 */
export function afterFill(account: MarginAccount, fill: WantedFill): AfterFill {
  const after = new AccountAfter(account, fill);
  const { position } = after;
  let held = ZERO;
  let equity = after.wallet;
  for (const each of after.openPositions()) {
    held += notional(each.amount, markOf(after, each));
    equity += profitOf(after, each);
  }
  return {
    amount: position.amount,
    liquidation: position.amount === ZERO ? null : figuresOf(after, position).liquidation,
    held,
    equity,
    exposure: equity > ZERO ? div(held, equity) : null,
  };
}

/**
 * Returns a position after an execution, with the margin that it has set aside when its symbol is isolated.
 */
export function filled(
  before: Pick<MarginPosition, 'amount' | 'cost' | 'isolated'>,
  setting: SymbolSetting,
  qty: Dec,
  price: Dec,
): Pick<Applied, 'after' | 'pnl'> & { readonly isolated: Dec } {
  const { after, closed, opened, pnl } = applyFill(before, qty, price);
  const share = closed === ZERO ? ZERO : isolatedShare(before.isolated, closed, abs(before.amount));
  const added = setting.marginType === 'ISOLATED' ? isolatedMargin(setting.leverage, opened, price) : ZERO;
  return { after, pnl, isolated: before.isolated - share + added };
}

class AccountAfter implements MarginAccount {
  readonly wallet: Dec;
  /** The position after the fill. */
  readonly position: MarginPosition;
  readonly #account: MarginAccount;
  readonly #fill: WantedFill;

  constructor(account: MarginAccount, fill: WantedFill) {
    this.#account = account;
    this.#fill = fill;
    const before = fill.position ?? { amount: ZERO, cost: ZERO, isolated: ZERO };
    const { after, pnl, isolated } = filled(before, fill.setting, fill.qty, fill.price);
    this.wallet = maxDec(account.wallet + (pnl ?? ZERO) - fill.fee, ZERO);
    this.position = { symbol: fill.symbol, ...after, isolated };
  }

  get hedge(): boolean {
    return this.#account.hedge;
  }

  *openPositions(): Iterable<MarginPosition> {
    for (const position of this.#account.openPositions())
      if (position !== this.#fill.position) yield position;
    if (this.position.amount !== ZERO) yield this.position;
  }

  positionsOf(symbol: string): readonly MarginPosition[] {
    const others = this.#account.positionsOf(symbol);
    if (symbol !== this.#fill.symbol) return others;
    return [...others.filter((position) => position !== this.#fill.position), this.position];
  }

  setting(symbol: string, side?: 'LONG' | 'SHORT'): SymbolSetting {
    return symbol === this.#fill.symbol ? this.#fill.setting : this.#account.setting(symbol, side);
  }

  tiers(symbol: string) {
    return this.#account.tiers(symbol);
  }

  mark(symbol: string): Dec | null {
    return symbol === this.#fill.symbol ? this.#fill.price : this.#account.mark(symbol);
  }

  busySymbols() {
    return this.#account.busySymbols();
  }

  restingOf(symbol: string) {
    return this.#account.restingOf(symbol);
  }
}
