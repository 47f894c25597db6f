/**
 * What the key of an account may do, as far as orders follow from it: an account whose key may not trade, may do more than an
 * owner has confirmed, or whose rights are not read yet takes no new entry. Closes and cancels go on. Pure.
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
  /** Null: not read since the start. */
  told: Permissions | null;
  /** What an owner has confirmed of what trading does not need. */
  confirmed: readonly WideRight[];
}

const NOT_READ = 'has not said yet what its key may do';
const RETRY_UNREAD_S = 5;
const RETRY_CLOSED_S = 60;

/** From the row of `confirmedRow`. */
export function loadPermissions(meta: ReadonlyMap<string, unknown>, exchange: string): PermissionsMemory {
  const stored = meta.get(rowName(exchange));
  const confirmed = Array.isArray(stored) ? WIDE_RIGHTS.filter((right) => stored.includes(right)) : [];
  return { told: null, confirmed };
}

/** What an owner has not confirmed of what the key may do. */
export function unconfirmed({ permissions }: AccountMemory): readonly WideRight[] {
  if (!permissions?.told) return [];
  return wideRights(permissions.told).filter((right) => !permissions.confirmed.includes(right));
}

/** Why the account takes no entry, as the end of a sentence that begins with its name; null: it takes them. */
export function closedWhy(account: AccountMemory): string | null {
  return otherDeskWhy(account) ?? keyWhy(account);
}

/** The same because of its key. */
function keyWhy(account: AccountMemory): string | null {
  const { permissions } = account;
  if (!permissions) return null;
  if (!permissions.told) return NOT_READ;
  if (!permissions.told.trade) return 'has a key that may not trade: allow it at the exchange';
  const rights = unconfirmed(account);
  if (rights.length === 0) return null;
  return `has a key that may ${rights.join(' and ')}: take that from it at the exchange, or confirm it on Accounts`;
}

/** What its key may do, or may do too much of, keeps entries back: only a change at the exchange or a confirmation helps. */
export function isShutByKey(account: AccountMemory): boolean {
  return account.key.refused || (account.permissions?.told != null && keyWhy(account) !== null);
}

/** The refusal of an entry; null: nothing stands against it, or it closes. Nothing is stored of it (S61). */
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
 * The exchange has said what the key may do. A right that it has lost must be confirmed again when it comes back. True: entries
 * are taken that were not before.
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

/** An owner accepts these rights of the key; what it has beside them stays unconfirmed. True: as of `onPermissions`. */
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
  // That it has answered after a start is no news.
  if (why !== null || before !== NOT_READ)
    step.effect({ kind: 'log', level: why === null ? 'info' : 'error', source: 'exchange', text });
  return why === null;
}

/** What `loadPermissions` reads. */
export function confirmedRow(exchange: string, confirmed: readonly WideRight[]): Row {
  return { kind: 'meta', name: rowName(exchange), value: [...confirmed] };
}

function rowName(exchange: string): string {
  return `confirmed rights ${exchange}`;
}
