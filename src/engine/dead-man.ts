/**
 * The dead-man switch of an account as far as it concerns orders: for which symbols it is renewed, which
 * orders it has ended, and how many symbols it covers. Renewed by `desk/core/dead-man.ts`. Pure.
 */
import { deadManSettingProblem, TAKEN_BACK, WHOLE_ACCOUNT } from '../domain/dead-man.ts';
import { GUARD_CODES } from '../domain/guards.ts';
import { mayBeOpen, type OrderRecord } from '../domain/order.ts';
import type { Problem } from './filters.ts';
import { closesByOrigin } from './guard-figures.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import type { EngineEvent } from './step.ts';
import { sentAs } from './wire-order.ts';

/** How far the exchange's clock may be ahead of the desk's. */
const SLACK_MS = 2_000;

/** @param wall now: one that is taken back only after its end may have ended orders until then */
export function onCountdown(
  memory: EngineMemory,
  { exchange, symbol, countdown }: Extract<EngineEvent, { type: 'countdown' }>,
  wall: number,
): void {
  const { countdowns } = memory.account(exchange);
  const before = countdowns.get(symbol);
  const endOf = before ? before.at + before.seconds * 1_000 : Number.POSITIVE_INFINITY;
  const goesOnAt = countdown?.at ?? wall;
  const lapse = goesOnAt >= endOf ? { from: endOf, to: goesOnAt } : before?.lapse;
  if (countdown) countdowns.set(symbol, { ...countdown, ...(lapse ? { lapse } : {}) });
  else if (lapse) countdowns.set(symbol, { ...TAKEN_BACK, lapse });
  else countdowns.delete(symbol);
}

/**
 * Returns the symbols with an entry that is or may be open at the exchange: any order that does not certainly
 * only close. External orders do not count: they exist without this desk.
 */
export function entrySymbols(memory: EngineMemory, account: AccountMemory): Set<string> {
  const symbols = new Set<string>();
  for (const order of memory.orders.values())
    if (order.exchange === account.account.id && isOpenEntry(account, order)) symbols.add(order.symbol);
  return symbols;
}

function isOpenEntry(account: AccountMemory, order: OrderRecord): boolean {
  if (order.external || !mayBeOpen(order) || order.phase === 'held' || order.phase === 'waiting')
    return false;
  return sentAs(order) !== 'MARKET' && !closesByOrigin(account, order);
}

/**
 * Returns the reason if its exchange's switch has ended the order: nobody here requested it, and its
 * countdown was over.
 */
export function endedBySwitch(memory: EngineMemory, order: OrderRecord, time: number): string | null {
  const { timeInForce, goodTillDate = Number.POSITIVE_INFINITY } = order;
  const endsItself = timeInForce === 'IOC' || timeInForce === 'FOK' || time >= goodTillDate;
  if (order.cancel || order.external || sentAs(order) === 'MARKET' || endsItself) return null;
  const { countdowns } = memory.account(order.exchange);
  const countdown = countdowns.get(order.symbol) ?? countdowns.get(WHOLE_ACCOUNT);
  if (!countdown) return null;
  const { at, seconds, lapse } = countdown;
  const inLapse = lapse !== undefined && time + SLACK_MS >= lapse.from && time <= lapse.to + SLACK_MS;
  if (!inLapse && time + SLACK_MS < at + seconds * 1_000) return null;
  return `ended by the dead-man switch of ${order.exchange}, which had heard nothing of this desk for too long`;
}

/**
 * Returns the refusal of an entry in a further symbol: a switch per symbol has a largest number of symbols,
 * so that entry would be uncovered.
 */
export function deadManProblem(memory: EngineMemory, account: AccountMemory, symbol: string): Problem | null {
  const { deadMan } = account.caps;
  if (account.guards?.set.deadManSeconds == null || deadMan?.form !== 'symbol') return null;
  const symbols = entrySymbols(memory, account);
  if (symbols.has(symbol) || symbols.size < deadMan.mostSymbols) return null;
  const message = `${symbol} would be entered beside ${symbols.size} other symbols, and the dead-man switch of ${account.account.id} holds ${deadMan.mostSymbols}: cancel the entries of another one, or switch it off on Accounts`;
  return { field: 'symbol', message, reason: GUARD_CODES.deadManSeconds };
}

/** Returns why an account cannot have a switch of that many seconds now; null: it can. */
export function deadManRefusal(
  memory: EngineMemory,
  account: AccountMemory,
  seconds: number | null,
): string | null {
  if (seconds === null) return null;
  const { deadMan } = account.caps;
  const problem = deadManSettingProblem(deadMan, seconds);
  if (problem !== null) return problem;
  const count = deadMan?.form === 'symbol' ? entrySymbols(memory, account).size : 0;
  if (deadMan?.form !== 'symbol' || count <= deadMan.mostSymbols) return null;
  return `${count} symbols have open entries, and its exchange takes ${deadMan.mostSymbols}; cancel some first`;
}
