/** What an engine that is loaded again takes over from the one before: prices, balances and positions come from outside. */
import type { Engine } from '../../engine/engine.ts';

/** Prices and balances do not come from the store but from feed and exchange: they stay true. */
export function copyMarket(from: Engine, to: Engine): void {
  for (const [symbol, price] of from.memory.prices) to.memory.prices.set(symbol, price);
  for (const [id, account] of from.memory.accounts) {
    const target = to.memory.accounts.get(id);
    if (target) Object.assign(target.link, account.link);
    for (const part of target?.unread ?? []) if (!account.unread.has(part)) target?.unread.delete(part);
    target?.versions.copy(account.versions);
    for (const [asset, balance] of account.balances) target?.balances.set(asset, { ...balance });
    if (!account.futures || !target?.futures) continue;
    target.futures.hedge = account.futures.hedge;
    for (const [key, position] of account.futures.positions) target.futures.positions.set(key, position);
    for (const [symbol, info] of account.futures.leverage) target.futures.leverage.set(symbol, info);
    for (const [symbol, mark] of account.futures.marks) target.futures.marks.set(symbol, mark);
  }
}
