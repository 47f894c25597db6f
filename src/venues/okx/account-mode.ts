/**
 * The settings of an OKX account from its configuration (OD Get account configuration): mode, one-way or
 * hedge, identity and rights of the key. A setting that this program cannot trade with gives a sentence with
 * what to do about it.
 */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { Permissions } from '../../domain/permissions.ts';
import type { MarginMode } from '../../domain/position.ts';
import type { OkxMarketKind } from './account-given.ts';
import type { Config } from './messages.ts';

/** Account modes by `acctLv`. */
const MODES: Readonly<Record<string, string>> = {
  '1': 'Spot mode',
  '2': 'Futures mode',
  '3': 'Multi-currency margin mode',
  '4': 'Portfolio margin mode',
};
const WHERE =
  'at OKX, under Trade, Settings, Account mode (web or app; the first time it cannot be done by a key)';

export class AccountMode {
  #config: Config | null = null;

  get isKnown(): boolean {
    return this.#config !== null;
  }

  set(config: Config): void {
    this.#config = config;
  }

  /** Whether the account is in hedge mode; one-way: false; null: not known. */
  get hedge(): boolean | null {
    return this.#config && this.#config.posMode === 'long_short_mode';
  }

  /**
   * Whether the account is in portfolio margin: positions have no leverage of their own, and only one-way
   * mode exists.
   */
  get isPortfolio(): boolean {
    return this.#config?.acctLv === '4';
  }

  /**
   * Whether the account is in Spot mode: the whole frozen balance counts as locked, else only that of orders.
   */
  get isSpotMode(): boolean {
    return this.#config?.acctLv === '1';
  }

  /** The margin mode. Project decision (exchanges.md 4): 1 is one currency, 2 several, 3 portfolio. */
  get marginMode(): MarginMode | null {
    if (!this.#config) return null;
    if (this.#config.acctLv === '3') return 2;
    return this.#config.acctLv === '4' ? 3 : 1;
  }

  /** `tdMode` of an order; null: the market cannot be traded. */
  tdMode(kind: OkxMarketKind): 'cash' | 'cross' | null {
    const level = this.#config?.acctLv;
    if (level === undefined || this.problem(kind) !== null) return null;
    if (kind === 'swap') return 'cross';
    // Several currencies serve as margin for each other: there even spot is crossed (OD Place order;
    // ccxt#14922).
    return level === '3' || level === '4' ? 'cross' : 'cash';
  }

  /** Why this market cannot be traded, with the remedy; null: it can. */
  problem(kind: OkxMarketKind): string | null {
    if (!this.#config) return 'how the account is set could not be read';
    const { acctLv, stgyType = '0', roleType = '0', spotRoleType = '0' } = this.#config;
    const mode = MODES[acctLv];
    if (mode === undefined)
      return `the account is in a mode that is not known here (${acctLv.slice(0, 10)}): choose Spot or Futures mode ${WHERE}`;
    if (kind === 'swap' && acctLv === '1')
      return `the account is in ${mode}, which has no perpetual contracts: choose Futures mode ${WHERE}, or connect spot alone`;
    if (stgyType === '1')
      return `the account follows the delta neutral strategy, which is not served here: choose the general strategy ${WHERE}`;
    const role = kind === 'swap' ? roleType : spotRoleType;
    if (role === '2')
      return 'the account copies the trades of others: end copy trading at OKX first, or connect a sub-account';
    if (role === '1')
      return 'the account leads copy trading, where orders have rules of their own: connect a sub-account for this program';
    return null;
  }

  /** What an owner should know although the market can be traded. */
  notices(kind: OkxMarketKind): string[] {
    if (!this.#config) return [];
    const { autoLoan, enableSpotBorrow, acctLv } = this.#config;
    const borrows = (acctLv !== '1' && autoLoan === true) || (acctLv === '1' && enableSpotBorrow === true);
    return borrows && kind === 'spot'
      ? [
          'the account borrows by itself where a balance falls short: switch auto borrow off at OKX, or mind the interest',
        ]
      : [];
  }

  get identity(): AccountIdentity | null {
    if (!this.#config) return null;
    const { uid, mainUid = '' } = this.#config;
    return { id: uid, ...(mainUid === '' || mainUid === uid ? {} : { mainId: mainUid }) };
  }

  /**
   * The key's rights. Transfers within the owner's account are part of the right to trade; OKX does not say
   * when a key expires.
   */
  get permissions(): Permissions | null {
    if (!this.#config) return null;
    const rights = this.#config.perm.split(',').map((one) => one.trim());
    const addresses = (this.#config.ip ?? '').split(',').map((one) => one.trim());
    return {
      trade: rights.includes('trade'),
      withdraw: rights.includes('withdraw'),
      transfer: false,
      addresses: addresses.filter((one) => one !== ''),
      expiresAt: null,
    };
  }
}
