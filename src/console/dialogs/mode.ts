/** Where the orders of an account go: with real money, with none, within this machine. Pure. */
import type { ConnectionPlace, DeskState } from '../../desk/console/protocol.ts';
import type { Token } from '../ui/theme.ts';

export type Mode = ConnectionPlace | 'PAPER';

/** The gravest first. */
const MODES: readonly Mode[] = ['LIVE', 'DEMO', 'TESTNET', 'LOCAL', 'PAPER'];

export const MODE_TONES: Readonly<Record<Mode, Token>> = {
  LIVE: 'live',
  DEMO: 'warn',
  TESTNET: 'warn',
  LOCAL: 'warn',
  PAPER: 'paper',
};

/** What it means for whoever confirms something. */
export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  LIVE: 'REAL MONEY',
  DEMO: 'play money at a real exchange',
  TESTNET: 'play money at a real exchange',
  LOCAL: 'an exchange on this machine',
  PAPER: 'no real money moves',
};

/** The gravest of these accounts, by id; left out: of all. */
export function modeOf(
  { desk, accounts = [] }: Pick<DeskState, 'desk'> & Partial<Pick<DeskState, 'accounts'>>,
  ids?: readonly string[],
): Mode {
  const places = new Set<Mode>();
  for (const { id, connection } of accounts)
    if (connection && (ids === undefined || ids.includes(id))) places.add(connection.place);
  return MODES.find((mode) => places.has(mode)) ?? (desk.paper ? 'PAPER' : 'LIVE');
}
