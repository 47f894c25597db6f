/** What an account has, what of it an order may use, and what it is worth. Pure reads over the engine's memory. */
import { type Dec, dec, div, fixed, maxDec, minDec, mul, ONE, str, ZERO } from '../domain/decimal.ts';
import { byCodePoint } from '../domain/market-name.ts';
import type { Balance, Portfolio } from '../schemas/portfolio.ts';
import { balanceNow } from './margins.ts';
import type { MarketMemory } from './market-memory.ts';
import type { AccountMemory } from './memory.ts';
import { unrealized } from './positions.ts';

/** Assets that count as one US dollar (valuation, engine.md). */
const DOLLARS: ReadonlySet<string> = new Set(['USD', 'USDT', 'USDC', 'FDUSD', 'BUSD']);
/** Quotes through which an asset may be valued with a second hop. */
const BRIDGES: readonly string[] = ['USDT', 'BTC', 'BNB', 'ETH'];

export interface Availability {
  /** What a manual order may use. */
  readonly available: Dec;
  /** What bots keep of the free balance for themselves (S25). */
  readonly reserved: Dec;
}

/** `unheard`: what of the free balance a run has given back without knowing it yet. */
export function availability(account: AccountMemory, asset: string, unheard: Dec = ZERO): Availability {
  const free = balanceNow(account, asset).free - unheard;
  const reserved = account.reserved.get(asset)?.excess ?? ZERO;
  const rest = free - (account.locks.get(asset) ?? ZERO) - reserved;
  return { available: maxDec(rest, ZERO), reserved };
}

/** Dollars for one unit of `asset`, at most two hops over the prices of one market; null when there is no path. */
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
  /** Some asset had no path to dollars and is left out, or an account could not be read yet. */
  readonly partial: boolean;
}

/** Wallets and unrealised PnL of the accounts in dollars, each at the prices of its own market. */
export function valuation(accounts: Iterable<AccountMemory>): Valuation {
  let usd = ZERO;
  let btcPrice: Dec | null = null;
  let partial = false;
  for (const account of accounts) {
    btcPrice ??= usdPrice(account.market, 'BTC');
    if (account.unread.size > 0) partial = true;
    for (const [asset, balance] of account.balances) {
      const wallet = balance.free + balance.locked;
      if (wallet === ZERO) continue;
      const price = usdPrice(account.market, asset);
      if (price === null) partial = true;
      else usd += mul(wallet, price);
    }
    for (const position of account.futures?.positions.values() ?? []) {
      if (account.futures) usd += unrealized(account.futures, position);
    }
  }
  return { usd, btc: btcPrice ? div(usd, btcPrice) : null, partial };
}

/** The balance object of the API. Orders that the engine holds count as locked, as they would at the exchange. */
export function portfolioOf(
  account: AccountMemory,
  options: { full: boolean; totalOnly: boolean },
): Portfolio {
  const total = valuation([account]);
  const portfolio: Portfolio = {
    total: { usd: fixed(total.usd, 2), ...(total.btc === null ? {} : { btc: fixed(total.btc, 8) }) },
  };
  if (!options.totalOnly) {
    const assets = new Set(account.balances.keys());
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
  return portfolio;
}

/** One asset of it. */
export function balanceOf(account: AccountMemory, asset: string): Balance {
  const balance = balanceNow(account, asset);
  const own = minDec(account.locks.get(asset) ?? ZERO, balance.free);
  const wallet = str(balance.free + balance.locked);
  const price = usdPrice(account.market, asset);
  const kept = account.reserved.get(asset)?.shown ?? ZERO;
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
