/**
 * Accounts that are connected and disconnected while the desk runs: a connected one replaces the remains of
 * an earlier one with the same orders, a disconnected one stays in memory for its orders alone. Pure.
 */
import type { ExchangeAccount, ExchangeCaps } from '../domain/exchange.ts';
import type { Guards } from '../domain/guards.ts';
import type { Instrument } from '../domain/instrument.ts';
import { isContradicted, type OrderRecord, TERMINAL } from '../domain/order.ts';
import type { WideRight } from '../domain/permissions.ts';
import { takeGuards } from './guard-settings.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { confirmedRow } from './permissions.ts';
import { restartOrder } from './restart.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';
import { leaveWallet } from './wallet.ts';

export interface JoiningAccount {
  readonly account: ExchangeAccount;
  readonly caps: ExchangeCaps;
  readonly instruments: readonly Instrument[];
  readonly known: NonNullable<Parameters<EngineMemory['addAccount']>[3]>;
  /** Guards to set and store with it; left out: those that are stored. */
  readonly guards?: Guards;
  /** Rights of its key that an owner accepts; stored with it. */
  readonly rights?: readonly WideRight[];
}

export function onJoined(step: StepContext, { joining }: Extract<EngineEvent, { type: 'joined' }>): void {
  const { memory } = step;
  const { account, caps, instruments, known } = joining;
  const before = memory.accounts.get(account.id);
  // The account is there already: nothing of it may be lost.
  if (before && !before.absent) {
    takeSettings(step, before, joining);
    return;
  }
  const orders = [...memory.orders.values()].filter(({ exchange }) => exchange === account.id);
  for (const order of orders) unindex(memory, order);
  if (before) leaveWallet(before);
  memory.addAccount(account, caps, instruments, known);
  takeSettings(step, memory.account(account.id), joining);
  for (const order of orders) {
    memory.addOrder(order, memory.fills.get(order.id) ?? []);
    restartOrder(step, order);
  }
}

/** Sets what an owner has given with the keys. */
function takeSettings(
  step: StepContext,
  account: AccountMemory,
  { guards, rights }: Pick<JoiningAccount, 'guards' | 'rights'>,
): void {
  if (guards) takeGuards(step, account, guards);
  if (!rights || !account.permissions) return;
  account.permissions.confirmed = rights;
  step.row(confirmedRow(account.account.id, rights));
}

/** Removes the order from the books of an account that is replaced; its lock is computed again. */
function unindex(memory: EngineMemory, order: OrderRecord): void {
  if (TERMINAL.has(order.status)) {
    if (isContradicted(order)) memory.closeReopened(order);
    return;
  }
  const { lock } = order;
  memory.closeOrder(order);
  if (lock) order.lock = lock;
}

export function onLeft(
  { memory }: StepContext,
  { exchange, why }: Extract<EngineEvent, { type: 'left' }>,
): void {
  const account = memory.account(exchange);
  account.absent = true;
  account.away = why;
  leaveWallet(account);
}
