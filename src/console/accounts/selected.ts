/** The account under the cursor. */
import type { AccountView } from '../../desk/console/protocol.ts';
import { type Session, wholeDesk } from '../app/session.ts';
import { selectedIndex } from '../lists/cursor.ts';
import { shownAccounts } from './account-list.ts';

export function selectedAccount(session: Session): AccountView | null {
  const state = wholeDesk(session);
  const { accounts } = session.ui.getState();
  if (!state) return null;
  const rows = shownAccounts(state, accounts);
  return rows[selectedIndex(rows, accounts.selection)] ?? null;
}
