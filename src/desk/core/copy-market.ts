/**
 * What a reloaded engine takes over from the one before it: prices, balances and positions come from outside.
 */
import type { Engine } from '../../engine/engine.ts';
import type { WalletMemory } from '../../engine/wallet.ts';

function copyWallet(from: WalletMemory, to: WalletMemory): void {
  to.versions.copy(from.versions);
  for (const [asset, balance] of from.balances) to.balances.set(asset, { ...balance });
  to.untold.copy(from.untold);
}

/**
 * Copies prices, balances and what is traded: they come from feed and exchange, not from the store, and stay
 * true.
 */
export function copyMarket(from: Engine, to: Engine): void {
  for (const [name, market] of from.memory.markets) {
    const { prices, marks, ahead } = market;
    const target = to.memory.market(name);
    target.copyStale(market);
    for (const [symbol, price] of prices) target.prices.set(symbol, price);
    for (const [symbol, mark] of marks) target.marks.set(symbol, mark);
    target.ahead.copy(ahead);
  }
  to.memory.day = from.memory.day;
  to.memory.parked = [...from.memory.parked];
  for (const [id, account] of from.memory.accounts) {
    const target = to.memory.accounts.get(id);
    if (target) {
      if (account.instruments.size > 0)
        to.memory.setInstruments(id, [...account.instruments.values()], () => []);
      Object.assign(target.link, account.link);
      target.since = account.since;
      if (account.fees) target.fees = account.fees;
      if (target.permissions && account.permissions) target.permissions.told = account.permissions.told;
      for (const asset of account.moved.assets) target.moved.assets.add(asset);
      for (const symbol of account.moved.symbols) target.moved.symbols.add(symbol);
    }
    for (const part of target?.unread ?? []) if (!account.unread.has(part)) target?.unread.delete(part);
    if (target) copyWallet(account.wallet, target.wallet);
    if (!account.futures || !target?.futures) continue;
    for (const [symbol, tiers] of account.futures.tiers) target.futures.tiers.set(symbol, tiers);
    target.futures.hedge = account.futures.hedge;
    for (const [key, position] of account.futures.positions) target.futures.positions.set(key, position);
    for (const info of account.futures.leverage.all()) target.futures.leverage.set(info);
  }
}
