/**
 * The guards of an account as its owner sets them, as a start restores them, and as they are shown: one small
 * stored row each, which only a console changes. What they refuse is in `guards.ts`. Pure.
 */
import { type Actor, actorLabel } from '../domain/actor.ts';
import { type Dec, str, ZERO } from '../domain/decimal.ts';
import { type Outcome, ok, refuse } from '../domain/errors.ts';
import {
  areOff,
  changedGuards,
  type GuardMeters,
  type Guards,
  guardChangeWords,
  guardsName,
  isGuardCode,
  NO_GUARDS,
  storedGuards,
} from '../domain/guards.ts';
import { unknownAccount } from './accounts.ts';
import { deadManRefusal } from './dead-man.ts';
import {
  closesByOrigin,
  entriesOf,
  exposure,
  type GuardMemory,
  MINUTE_MS,
  openCount,
  openOrders,
} from './guard-figures.ts';
import { answer } from './idempotency.ts';
import { type LossMemory, loadLoss, lossMeter, newLoss } from './loss-figure.ts';
import { forgetLoss, lookAtLoss } from './loss-limit.ts';
import type { AccountMemory, EngineMemory, Waiter } from './memory.ts';
import type { StepContext } from './step-context.ts';

/** Loads the guards from the store. */
export function loadGuards(meta: ReadonlyMap<string, unknown>, exchange: string): GuardMemory | null {
  const stored = storedGuards(meta, exchange);
  return stored && newGuards(stored, loadLoss(meta, exchange));
}

export function newGuards(set: Guards, loss: LossMemory = newLoss()): GuardMemory | null {
  return areOff(set) ? null : { set, sent: [], loss };
}

/** Changes the guards of an account; only for an owner at a console. */
export function setGuards(
  step: StepContext,
  actor: Actor,
  { exchange, change }: { readonly exchange: string; readonly change: Partial<Guards> },
  waiter: Waiter,
): Outcome<unknown> | null {
  if (actor.kind !== 'operator') return refuse('FORBIDDEN', 'guards are changed at a console only');
  const unknown = unknownAccount(step.memory, actor, exchange);
  if (unknown) return unknown;
  const account = step.memory.account(exchange);
  const before = account.guards?.set ?? NO_GUARDS;
  const next = changedGuards(before, change, new Set(account.instruments.keys()));
  if (!next.ok) return next;
  const { deadManSeconds } = next.data;
  const unfit =
    deadManSeconds === before.deadManSeconds ? null : deadManRefusal(step.memory, account, deadManSeconds);
  if (unfit !== null) return refuse('INVALID_REQUEST', `deadManSeconds: ${unfit}`, 'FIELD');
  const words = guardChangeWords(before, next.data);
  if (words !== '') {
    takeGuards(step, account, next.data);
    const text = `${exchange}: guards: ${words}, asked by ${actorLabel(actor)}`;
    step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
  }
  answer(step, waiter, ok(next.data));
  return null;
}

/** Takes these guards from now on and stores them; what was lost and sent so far counts on. */
export function takeGuards(step: StepContext, account: AccountMemory, set: Guards): void {
  const { guards: before } = account;
  const isOff = set.dailyLossLimit === null;
  account.guards = newGuards(set, isOff ? newLoss() : (before?.loss ?? newLoss()));
  if (isOff && before && before.set.dailyLossLimit !== null) forgetLoss(step, account);
  lookAtLoss(step, account);
  if (account.guards) account.guards.sent = before?.sent ?? recentEntries(step.memory, account, step);
  step.row({ kind: 'meta', name: guardsName(account.account.id), value: account.guards ? set : null });
}

/** After a load: counts the entries that were sent within the last minute. */
export function restoreEntries(step: StepContext): void {
  for (const account of step.memory.accounts.values())
    if (account.guards) account.guards.sent = recentEntries(step.memory, account, step);
}

/**
 * Returns the times of stored orders that do not certainly only close; an order that was held here counts
 * from its last change.
 */
function recentEntries(memory: EngineMemory, account: AccountMemory, { now }: StepContext): number[] {
  const times: number[] = [];
  for (const order of memory.orders.values()) {
    if (order.exchange !== account.account.id || order.external || isGuardCode(order.rejectCode)) continue;
    if (order.phase === 'held' || order.phase === 'waiting' || closesByOrigin(account, order)) continue;
    const age = Math.max(0, now.wall - (order.firedHere ? order.updatedAt : order.createdAt));
    if (age < MINUTE_MS) times.push(now.mono - age);
  }
  return times.sort((a, b) => a - b);
}

/** Returns the current figures of an account's guards; null: it has none. */
export function guardMeters(memory: EngineMemory, account: AccountMemory, mono: number): GuardMeters | null {
  if (!account.guards) return null;
  const symbols = new Set([...openOrders(memory, account)].map(({ symbol }) => symbol));
  for (const { symbol, base, delisted } of account.instruments.values())
    if (!account.futures && !delisted && account.wallet.balances.has(base)) symbols.add(symbol);
  for (const { symbol } of account.futures?.positions.values() ?? []) symbols.add(symbol);
  let most: { symbol: string; value: Dec | null } | null = null;
  for (const symbol of symbols) {
    for (const positionSide of account.futures?.hedge ? (['LONG', 'SHORT'] as const) : (['BOTH'] as const)) {
      for (const side of account.futures ? (['BUY', 'SELL'] as const) : (['BUY'] as const)) {
        if (positionSide !== 'BOTH' && (positionSide === 'LONG') !== (side === 'BUY')) continue;
        const value = exposure(memory, account, { symbol, side, positionSide }, []);
        if (most === null || (value ?? ZERO) > (most.value ?? ZERO)) most = { symbol, value };
      }
    }
  }
  return {
    position: most && { symbol: most.symbol, value: most.value === null ? null : str(most.value) },
    openOrders: openCount(memory, account),
    entries: entriesOf(account.guards, mono),
    loss: lossMeter(account),
  };
}
