/** Where the orders of an account go: with real money, with none, within this machine. Pure. */
import type { ConnectionPlace, DeskState } from '../../desk/console/protocol.ts';
import { type Line, type Span, span } from '../ui/line.ts';
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
  return MODES.find((mode) => places.has(mode)) ?? ownMode({ desk });
}

/** By account; null: all are of one. */
export type Modes = ReadonlyMap<string, Mode> | null;

const mixed = new WeakMap<DeskState['accounts'], Modes>();

/** By account, where not all of them are of one mode; null: the word in the header is true of every row. */
export function mixedModes(state: Pick<DeskState, 'desk' | 'accounts'>): Modes {
  const { accounts } = state;
  const known = mixed.get(accounts);
  if (known !== undefined) return known;
  const modes = new Map(accounts.map(({ id, connection }) => [id, connection?.place ?? ownMode(state)]));
  const found = new Set(modes.values()).size > 1 ? modes : null;
  mixed.set(accounts, found);
  return found;
}

/** Of an account of this process. */
function ownMode({ desk }: Pick<DeskState, 'desk'>): Mode {
  return desk.paper ? 'PAPER' : 'LIVE';
}

/** Real money stands out of every row. */
export function modeSpan(mode: Mode | undefined): Span {
  if (mode === undefined) return span('?', 'danger', { bold: true });
  return span(mode, MODE_TONES[mode], { bold: true, inverse: mode === 'LIVE' });
}

/** Before a line about something of that account. */
export function modeBefore(modes: Modes, exchange: string): Line {
  if (!modes) return [];
  const mode = modeSpan(modes.get(exchange));
  const widest = Math.max(...[...modes.values()].map(({ length }) => length));
  return [mode, span(' '.repeat(Math.max(0, widest - mode.text.length) + 1))];
}
