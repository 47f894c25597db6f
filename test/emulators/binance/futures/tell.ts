/**
 * ACCOUNT_UPDATE: only the rows that changed, as absolute figures. Source: USD-M "Event Balance and Position
 * Update".
 */
import { type Dec, fixed, ZERO } from '../../../../src/domain/decimal.ts';
import type { Market } from '../market.ts';
import { entryOf, type FuturesAccount, type Margin, type Position, settingOf } from './account.ts';

export class AccountTeller {
  readonly #market: Market;
  readonly #margin: Margin;
  readonly #now: () => number;
  readonly #tell: (account: string, event: Record<string, unknown>) => void;

  constructor(
    market: Market,
    margin: Margin,
    now: () => number,
    tell: (account: string, event: Record<string, unknown>) => void,
  ) {
    this.#market = market;
    this.#margin = margin;
    this.#now = now;
    this.#tell = tell;
  }

  /** Sends an update. `change`: change of the balance, without trades and fees. */
  update(
    account: FuturesAccount,
    reason: string,
    assets: readonly string[],
    positions: readonly Position[],
    change: Dec = ZERO,
  ): void {
    const time = this.#now();
    account.updateTime = time;
    this.#tell(account.name, {
      e: 'ACCOUNT_UPDATE',
      T: time,
      E: time,
      a: {
        m: reason,
        B: [...new Set(assets)].map((asset) => ({
          a: asset,
          wb: fixed(account.wallets.get(asset) ?? ZERO, 8),
          cw: fixed(this.#margin.crossWallet(account, asset), 8),
          bc: change === ZERO ? '0' : fixed(change, 8),
        })),
        P: positions.map((position) => this.#position(account, position)),
      },
    });
  }

  #position(account: FuturesAccount, position: Position): Record<string, unknown> {
    const m = this.#market.of(position.symbol);
    const { marginType } = settingOf(account, position.symbol);
    const entry = fixed(entryOf(position), 8);
    return {
      s: position.symbol,
      pa: this.#market.qtyText(m, position.amount),
      ep: entry,
      bep: entry,
      cr: fixed(position.realized, 8),
      up: fixed(this.#margin.unrealized(position), 8),
      mt: marginType === 'ISOLATED' ? 'isolated' : 'cross',
      iw: fixed(position.isolatedWallet, 8),
      ps: position.side,
      ma: m.spec.quote,
    };
  }
}

/** Writes a figure with up to 18 decimals, without trailing zeros. */
export function text(value: Dec): string {
  const size = value < ZERO ? -value : value;
  const whole = size / 10n ** 30n;
  const rest = (size % 10n ** 30n).toString().padStart(30, '0').replace(/0+$/, '');
  return `${value < ZERO ? '-' : ''}${whole}${rest === '' ? '' : `.${rest}`}`;
}
