/**
 * An unknown value is not zero (S59): which parts of an account have not been read yet, and what must wait
 * for them. Pure.
 */
import { refuse } from '../domain/errors.ts';
import type { CreateOrder } from '../schemas/order.ts';
import { isClosing } from './closing.ts';
import type { AccountMemory, AccountPart } from './memory.ts';
import { marginMember } from './wallet.ts';

const PARTS: readonly AccountPart[] = ['balances', 'positions', 'settings'];

type Refusal = ReturnType<typeof refuse>;

/**
 * Returns whether a part of the account was never read as a whole. For a spot account, `positions` are those
 * that its wallet margins.
 */
export function isUnread(account: AccountMemory, part: AccountPart): boolean {
  if (part === 'positions' && !account.futures)
    return marginMember(account.wallet)?.unread.has(part) === true;
  return account.unread.has(part);
}

/**
 * Returns whether the balance of an asset is known: reported by itself, or zero because a complete report did
 * not have it.
 */
export function knowsAsset(account: AccountMemory, asset: string): boolean {
  return account.wallet.balances.has(asset) || !isUnread(account, 'balances');
}

/**
 * Returns the refusal of a command that needs parts of an account that are not known yet; null when they are.
 * Nothing is stored about it (S61).
 */
export function unknownYet(account: AccountMemory, needs: readonly AccountPart[] = PARTS): Refusal | null {
  const missing = needs.filter((part) => isUnread(account, part));
  if (missing.length === 0) return null;
  const text = `the ${missing.join(' and ')} of ${account.account.id} could not be read yet; try again`;
  return refuse('SERVICE_UNAVAILABLE', text);
}

/**
 * Returns the refusal of an order that may open something on an account that is not known yet. Whether a
 * close is right, the exchange decides.
 */
export function waitsForReading(account: AccountMemory, request: Partial<CreateOrder>): Refusal | null {
  return mayClose(account, request) ? null : unknownYet(account);
}

/**
 * Returns whether the order may be a close: on spot a SELL, unless a bot may hold the asset; on futures one
 * that certainly closes.
 */
function mayClose(account: AccountMemory, request: Partial<CreateOrder>): boolean {
  if (account.futures) return isClosing(account, request);
  const base = account.instruments.get(request.symbol ?? '')?.base;
  return request.side === 'SELL' && base !== undefined && !account.wallet.reserved.has(base);
}
