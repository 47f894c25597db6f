/**
 * The balances of an account, how much of them an order may use, and their value. Pure reads over the
 * engine's memory.
 */
import { type Dec, dec, div, fixed, maxDec, minDec, mul, ONE, str, ZERO } from '../domain/decimal.ts';
import { byCodePoint } from '../domain/market-name.ts';
import type { Balance, Portfolio } from '../schemas/portfolio.ts';
import { balanceNow } from './margins.ts';
import type { MarketMemory } from './market-memory.ts';
import type { AccountMemory } from './memory.ts';
import { unrealized } from './positions.ts';
import { sharedWith, type WalletMemory } from './wallet.ts';

/** Assets that count as one US dollar (valuation, engine.md). */
const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC', 'FDUSD', 'BUSD']);
/** Quotes through which an asset may be valued with a second hop. */
const BRIDGES: readonly string[] = ['USDT', 'BTC', 'BNB', 'ETH'];

export interface Availability {
  /** Amount that a manual order may use. */
  readonly available: Dec;
  /** Amount of the free balance that bots have reserved (S25). */
  readonly reserved: Dec;
}

/**
 * Returns what is available of an asset. `unheard`: amount of the free balance that a run has given back
 * without knowing it yet.
 */
export function availability(account: AccountMemory, asset: string, unheard: Dec = ZERO): Availability {
  const free = balanceNow(account, asset).free - unheard;
  const reserved = account.wallet.reserved.get(asset)?.excess ?? ZERO;
  const rest = free - (account.wallet.locks.get(asset) ?? ZERO) - reserved;
  return { available: maxDec(rest, ZERO), reserved };
}

/**
 * Returns the dollars for one unit of `asset`, over at most two prices of one market; null when there is no
 * path.
 */
export function usdPrice(market: Pick<MarketMemory, 'priceOf'>, asset: string): Dec | null {
  if (DOLLARS.has(asset)) return ONE;
  const direct = market.priceOf(asset, 'USDT');
  if (direct !== undefined) return direct;
  for (const bridge of BRIDGES) {
    const first = market.priceOf(asset, bridge);
    const second = market.priceOf(bridge, 'USDT');
    if (first !== undefined && second !== undefined) return mul(first, second);
  }
  return null;
}

export interface Valuation {
  readonly usd: Dec;
  readonly btc: Dec | null;
  /** True: some asset had no path to dollars and is left out, or an account could not be read yet. */
  readonly partial: boolean;
}

/**
 * Returns the value of the accounts' wallets in dollars, each wallet once, with the unrealised PnL of all
 * positions that it margins; each account at the prices of its own market.
 */
export function valuation(accounts: Iterable<AccountMemory>): Valuation {
  let usd = ZERO;
  let btcPrice: Dec | null = null;
  let partial = false;
  const counted = new Set<WalletMemory>();
  for (const account of accounts) {
    btcPrice ??= usdPrice(account.market, 'BTC');
    if (counted.has(account.wallet)) continue;
    counted.add(account.wallet);
    for (const [asset, { free, locked }] of account.wallet.balances) {
      if (free + locked === ZERO) continue;
      const price = usdPriceTo(account, asset);
      if (price === null) partial = true;
      else usd += mul(free + locked, price);
    }
    for (const { futures, unread } of account.wallet.accounts) {
      if (unread.size > 0) partial = true;
      for (const position of futures?.positions.values() ?? [])
        if (futures) usd += unrealized(futures, position);
    }
  }
  return { usd, btc: btcPrice ? div(usd, btcPrice) : null, partial };
}

/** Uses the prices of the account's own market, or else of another account that shares its wallet. */
export function usdPriceTo({ market, wallet }: AccountMemory, asset: string): Dec | null {
  let price = usdPrice(market, asset);
  for (const other of wallet.accounts) price ??= usdPrice(other.market, asset);
  return price;
}

/**
 * Returns the balance object of the API. Orders that the engine holds count as locked, as they would at the
 * exchange.
 */
export function portfolioOf(
  account: AccountMemory,
  options: { full: boolean; totalOnly: boolean },
): Portfolio {
  const total = valuation([account]);
  const portfolio: Portfolio = {
    total: { usd: fixed(total.usd, 2), ...(total.btc === null ? {} : { btc: fixed(total.btc, 8) }) },
  };
  if (!options.totalOnly) {
    const assets = new Set(account.wallet.balances.keys());
    if (options.full) {
      for (const instrument of account.instruments.values()) {
        if (instrument.delisted) continue;
        assets.add(instrument.base);
        assets.add(instrument.quote);
      }
    }
    portfolio.balances = [...assets]
      .sort(byCodePoint)
      .map((asset) => balanceOf(account, asset))
      .filter((balance) => options.full || balance.wallet !== '0');
  }
  if (total.partial) portfolio.partial = true;
  const others = sharedWith(account);
  if (others.length > 0) portfolio.sharedWith = others;
  return portfolio;
}

/** Returns the balance of one asset. */
export function balanceOf(account: AccountMemory, asset: string): Balance {
  const balance = balanceNow(account, asset);
  const own = minDec(account.wallet.locks.get(asset) ?? ZERO, balance.free);
  const whole = balance.free + balance.locked;
  const wallet = str(whole);
  const price = usdPriceTo(account, asset);
  // A MARKET order that has paid more than its run had reserved takes it from the other reservations of a
  // fully reserved wallet.
  const kept = minDec(account.wallet.reserved.get(asset)?.shown ?? ZERO, whole);
  return {
    asset,
    name: asset,
    free: str(balance.free - own),
    wallet,
    locked: str(balance.locked + own),
    total: wallet,
    lockedByBot: kept > ZERO ? str(kept) : null,
    ...(price === null ? {} : { usd: fixed(mul(dec(wallet), price), 2) }),
  };
}
