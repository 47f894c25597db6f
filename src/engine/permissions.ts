/**
 * The rights of an account's key, as far as they affect orders: an account whose key may not trade, has more
 * rights than an owner has confirmed, or whose rights are not read yet takes no new entry. Closes and cancels
 * go on. Pure.
 */
import { refuse } from '../domain/errors.ts';
import { type Permissions, WIDE_RIGHTS, type WideRight, wideRights } from '../domain/permissions.ts';
import type { Row } from '../domain/rows.ts';
import { type ClosingFields, closes } from './entries.ts';
import { keyWorks } from './key-refused.ts';
import type { AccountMemory, EngineMemory } from './memory.ts';
import { otherDeskWhy } from './other-desk.ts';
import type { EngineEvent } from './step.ts';
import type { StepContext } from './step-context.ts';

export interface PermissionsMemory {
  /** The rights as reported; null: not read since the start. */
  told: Permissions | null;
  /** The rights beyond trading that an owner has confirmed. */
  confirmed: readonly WideRight[];
}

const NOT_READ = 'has not said yet what its key may do';
const RETRY_UNREAD_S = 5;
const RETRY_CLOSED_S = 60;

/** Loads the state from the row of `confirmedRow`. */
export function loadPermissions(meta: ReadonlyMap<string, unknown>, exchange: string): PermissionsMemory {
  const stored = meta.get(rowName(exchange));
  const confirmed = Array.isArray(stored) ? WIDE_RIGHTS.filter((right) => stored.includes(right)) : [];
  return { told: null, confirmed };
}

/** Returns the rights of the key beyond trading that an owner has not confirmed. */
export function unconfirmed({ permissions }: AccountMemory): readonly WideRight[] {
  if (!permissions?.told) return [];
  return wideRights(permissions.told).filter((right) => !permissions.confirmed.includes(right));
}

/**
 * Returns why the account takes no entry, as the end of a sentence that begins with its name; null: it takes
 * them.
 */
export function closedWhy(account: AccountMemory): string | null {
  return otherDeskWhy(account) ?? keyWhy(account);
}

/** Returns the same reason, considering the key only. */
function keyWhy(account: AccountMemory): string | null {
  const { permissions } = account;
  if (!permissions) return null;
  if (!permissions.told) return NOT_READ;
  if (!permissions.told.trade) return 'has a key that may not trade: allow it at the exchange';
  const rights = unconfirmed(account);
  if (rights.length === 0) return null;
  return `has a key that may ${rights.join(' and ')}: take that from it at the exchange, or confirm it on Accounts`;
}

/**
 * Returns whether missing or excessive rights of its key prevent entries: only a change at the exchange or a
 * confirmation helps.
 */
export function isShutByKey(account: AccountMemory): boolean {
  return account.key.refused || (account.permissions?.told != null && keyWhy(account) !== null);
}

/**
 * Returns the refusal of an entry; null: there is none, or the order closes. Nothing is stored about it
 * (S61).
 */
export function closedToEntries(
  memory: EngineMemory,
  account: AccountMemory,
  order: Partial<ClosingFields>,
): ReturnType<typeof refuse> | null {
  const why = closedWhy(account);
  if (why === null) return null;
  const { symbol, side } = order;
  if (symbol === undefined || side === undefined) return null;
  if (closes(memory, account, { ...order, symbol, side })) return null;
  const refused = refuse('SERVICE_UNAVAILABLE', `${account.account.id} ${why}; nothing was done`);
  const retryAfterS = why === NOT_READ ? RETRY_UNREAD_S : RETRY_CLOSED_S;
  return { ...refused, error: { ...refused.error, retryAfterS } };
}

/**
 * Handles the rights that the exchange reports. A right that was lost must be confirmed again when it comes
 * back. True: entries are taken that were not before.
 */
export function onPermissions(
  step: StepContext,
  { exchange, told }: Extract<EngineEvent, { type: 'permissions' }>,
): boolean {
  const account = step.memory.account(exchange);
  const { permissions } = account;
  if (!permissions) return false;
  const before = closedWhy(account);
  permissions.told = told;
  keyWorks(step, account);
  const rights = wideRights(told);
  const kept = permissions.confirmed.filter((right) => rights.includes(right));
  if (kept.length < permissions.confirmed.length) keep(step, exchange, permissions, kept);
  return tellChange(step, account, before);
}

/**
 * Handles an owner's confirmation of these rights; other rights stay unconfirmed. True: as for
 * `onPermissions`.
 */
export function onConfirmed(
  step: StepContext,
  { exchange, rights }: Extract<EngineEvent, { type: 'permissions-confirmed' }>,
): boolean {
  const account = step.memory.account(exchange);
  const { permissions } = account;
  if (!permissions?.told) return false;
  const before = closedWhy(account);
  const has = wideRights(permissions.told);
  const confirmed = has.filter((right) => rights.includes(right) || permissions.confirmed.includes(right));
  keep(step, exchange, permissions, confirmed);
  const text = `${exchange}: that its key may ${rights.join(' and ')} was confirmed`;
  step.effect({ kind: 'log', level: 'warn', source: 'exchange', text });
  return tellChange(step, account, before);
}

function keep(
  step: StepContext,
  exchange: string,
  permissions: PermissionsMemory,
  confirmed: readonly WideRight[],
): void {
  permissions.confirmed = confirmed;
  step.row(confirmedRow(exchange, confirmed));
}

function tellChange(step: StepContext, account: AccountMemory, before: string | null): boolean {
  const why = closedWhy(account);
  if (why === before) return false;
  const { id } = account.account;
  const text = why === null ? `${id} takes entries again` : `${id} ${why}; it takes no entries until then`;
  // A first response after a start is no news.
  if (why !== null || before !== NOT_READ)
    step.effect({ kind: 'log', level: why === null ? 'info' : 'error', source: 'exchange', text });
  return why === null;
}

/** Returns the row that `loadPermissions` reads. */
export function confirmedRow(exchange: string, confirmed: readonly WideRight[]): Row {
  return { kind: 'meta', name: rowName(exchange), value: [...confirmed] };
}

function rowName(exchange: string): string {
  return `confirmed rights ${exchange}`;
}
