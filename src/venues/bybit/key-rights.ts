/** What the key of an account may do, and which account it belongs to (DOC user/apikey-info). Pure. */
import type { AccountIdentity } from '../../domain/account-identity.ts';
import type { Permissions } from '../../domain/permissions.ts';
import type { Message } from '../kit/messages.ts';
import type { Category } from './category.ts';
import type { readKey } from './messages.ts';

type Key = Extract<ReturnType<typeof readKey>, Message<unknown> & { ok: true }>['value']['result'];

const TRANSFERS: readonly string[] = ['AccountTransfer', 'SubMemberTransfer', 'SubMemberTransferList'];

export function permissionsOf(
  { readOnly, permissions, ips, expiredAt }: Key,
  category: Category,
): Permissions {
  const { ContractTrade, Spot, Wallet, Derivatives } = permissions;
  const wallet = Wallet ?? [];
  const mayTrade =
    category === 'spot'
      ? (Spot ?? []).includes('SpotTrade')
      : (ContractTrade ?? []).includes('Order') || (Derivatives ?? []).includes('DerivativesTrade');
  const addresses = (ips ?? []).filter((ip) => ip !== '*' && ip !== '');
  return {
    trade: readOnly === 0 && mayTrade,
    withdraw: wallet.includes('Withdraw'),
    transfer: TRANSFERS.some((word) => wallet.includes(word)),
    addresses,
    // Only keys without bound addresses expire.
    expiresAt: addresses.length > 0 ? null : timeOf(expiredAt),
  };
}

export function identityOf({ userID, parentUid = '' }: Key): AccountIdentity {
  const parent = String(parentUid);
  return { id: String(userID), ...(parent === '' || parent === '0' ? {} : { mainId: parent }) };
}

/** Reads a time such as `2023-05-15T03:21:05Z`; years before Bybit existed count as none. */
function timeOf(text: string | null | undefined): number | null {
  const time = Date.parse(text ?? '');
  return Number.isFinite(time) && time > Date.UTC(2018) ? time : null;
}
