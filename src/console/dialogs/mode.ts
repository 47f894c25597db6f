/** The mode of an account: real money, play money, or an exchange within this machine. Pure. */
import type { ConnectionPlace, DeskState } from '../../desk/console/protocol.ts';
import { type Line, type Span, span } from '../ui/line.ts';
import type { Token } from '../ui/theme.ts';

export type Mode = ConnectionPlace | 'PAPER';

/** The modes, the most serious first. */
const MODES: readonly Mode[] = ['LIVE', 'DEMO', 'TESTNET', 'LOCAL', 'PAPER'];

export const MODE_TONES: Readonly<Record<Mode, Token>> = {
  LIVE: 'live',
  DEMO: 'warn',
  TESTNET: 'warn',
  LOCAL: 'warn',
  PAPER: 'paper',
};

/** What each mode means, for a person who confirms something. */
export const MODE_WORDS: Readonly<Record<Mode, string>> = {
  LIVE: 'REAL MONEY',
  DEMO: 'play money at a real exchange',
  TESTNET: 'play money at a real exchange',
  LOCAL: 'an exchange on this machine',
  PAPER: 'no real money moves',
};

/** Returns the most serious mode of the accounts with these ids; without `ids`, of all accounts. */
export function modeOf(
  { desk, accounts = [] }: Pick<DeskState, 'desk'> & Partial<Pick<DeskState, 'accounts'>>,
  ids?: readonly string[],
): Mode {
  const places = new Set<Mode>();
  for (const { id, connection } of accounts)
    if (connection && (ids === undefined || ids.includes(id))) places.add(connection.place);
  return MODES.find((mode) => places.has(mode)) ?? ownMode({ desk });
}

/** The modes by account; null: all accounts have the same mode. */
export type Modes = ReadonlyMap<string, Mode> | null;

const mixed = new WeakMap<DeskState['accounts'], Modes>();

/** Returns the modes by account if they differ; null: the mode in the header is true of every row. */
export function mixedModes(state: Pick<DeskState, 'desk' | 'accounts'>): Modes {
  const { accounts } = state;
  const known = mixed.get(accounts);
  if (known !== undefined) return known;
  const modes = new Map(accounts.map(({ id, connection }) => [id, connection?.place ?? ownMode(state)]));
  const found = new Set(modes.values()).size > 1 ? modes : null;
  mixed.set(accounts, found);
  return found;
}

/** The mode of accounts of this process. */
function ownMode({ desk }: Pick<DeskState, 'desk'>): Mode {
  return desk.paper ? 'PAPER' : 'LIVE';
}

/** Writes a mode; real money is emphasized in every row. */
export function modeSpan(mode: Mode | undefined): Span {
  if (mode === undefined) return span('?', 'danger', { bold: true });
  return span(mode, MODE_TONES[mode], { bold: true, inverse: mode === 'LIVE' });
}

/** The mode in front of a line about one account; empty if all accounts have the same mode. */
export function modeBefore(modes: Modes, exchange: string): Line {
  if (!modes) return [];
  const mode = modeSpan(modes.get(exchange));
  const widest = Math.max(...[...modes.values()].map(({ length }) => length));
  return [mode, span(' '.repeat(Math.max(0, widest - mode.text.length) + 1))];
}
