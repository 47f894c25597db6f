/**
 * The accounts that an engine is loaded with: the configured ones, with the instruments they list now and
 * those they had when last connected, and accounts that only stored orders and runs still name.
 */
import { storedCountdowns } from '../../domain/dead-man.ts';
import { type ExchangeCaps, type FeeRates, walletOf } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { mayBeOpen } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import { loadDayBase } from '../../engine/day-base.ts';
import { loadGuards } from '../../engine/guard-settings.ts';
import type { JoiningAccount } from '../../engine/joining.ts';
import { loadLedger } from '../../engine/ledger.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { loadOthers } from '../../engine/other-desk.ts';
import { loadPermissions } from '../../engine/permissions.ts';
import type { LoadedState } from '../../store/store.ts';
import type { Venue } from '../../venues/venue.ts';
import { decodeAll, decodeFees, decodeInstrument, decodeKeptInstrument } from './decode.ts';
import { feesName } from './fee-reader.ts';

/** Capabilities of an account that nothing is sent to. */
const NO_CAPS: ExchangeCaps = {
  forms: [],
  validityWindowMs: 0,
  idPrefix: 'xx',
};

export const NOT_CONFIGURED = 'it is not configured any more';

/** Adds the accounts to an engine. `awayOf`: why an account cannot be asked anything yet. */
export function addAccounts(
  memory: EngineMemory,
  venues: readonly Venue[],
  state: LoadedState,
  awayOf: (exchange: string) => string | null,
): void {
  for (const venue of venues) {
    const { account, caps, instruments, known } = joiningAccount(venue, state.meta, awayOf(venue.account.id));
    memory.addAccount(account, caps, instruments, known);
  }
  const addAbsent = (id: string, kind: 'spot' | 'futures', user: string) => {
    if (memory.accounts.has(id)) return;
    const known = keptInstruments(state.meta, id);
    memory.addAccount({ id, name: id, kind, user }, NO_CAPS, known, { away: NOT_CONFIGURED, absent: true });
  };
  for (const order of state.orders)
    addAbsent(order.exchange, order.isContract ? 'futures' : 'spot', order.user);
  for (const run of state.runs)
    addAbsent(run.exchange, /-(futures|swap)$/.test(run.exchange) ? 'futures' : 'spot', run.user);
}

/**
 * Returns what the engine has to know of an account, as far as it is stored; `away`: why the account cannot
 * be asked anything yet.
 */
export function joiningAccount(
  venue: Venue,
  meta: ReadonlyMap<string, unknown>,
  away: string | null,
): JoiningAccount {
  const { id } = venue.account;
  const now = decodeAll(venue.instruments(), decodeInstrument).good;
  const named = new Set(now.map(({ symbol }) => symbol));
  // Instruments that it does not list any more stay as they were: once the account is open, they turn out to
  // be delisted.
  const before = keptInstruments(meta, id).filter(({ symbol }) => !named.has(symbol));
  const instruments = [
    ...now,
    ...before.filter((one) => !one.delisted),
    ...before.filter((one) => one.delisted),
  ];
  const told = decodeFees(meta.get(feesName(id)) as FeeRates);
  return {
    account: venue.account,
    caps: venue.caps,
    instruments,
    known: {
      away,
      brackets: (symbol) => venue.futures?.brackets(symbol) ?? [],
      ...(told.ok ? { fees: told.value } : {}),
      ledger: venue.ledger ? loadLedger(meta, walletOf(venue.account)) : null,
      dayBase: loadDayBase(meta, walletOf(venue.account)),
      permissions: venue.permissions ? loadPermissions(meta, id) : null,
      guards: loadGuards(meta, id),
      others: venue.caps.ownOrdersOnly ? null : loadOthers(meta, id),
      countdowns: storedCountdowns(meta, id),
    },
  };
}

/** Returns open orders of accounts that are not configured any more, as lines for the log. */
export function absentOrders(memory: EngineMemory): string[] {
  const counts = new Map<string, number>();
  for (const order of memory.orders.values()) {
    const { exchange } = order;
    if (!mayBeOpen(order) || !memory.account(exchange).absent) continue;
    counts.set(exchange, (counts.get(exchange) ?? 0) + 1);
  }
  return [...counts].map(
    ([exchange, count]) =>
      `${exchange} is not configured any more but had ${count} open ${count === 1 ? 'order' : 'orders'}: what became of them is not known; connect it again, or look there`,
  );
}

/** Returns the row that keeps the instruments of an account for the next start. */
export function instrumentsRow(exchange: string, list: readonly Instrument[]): Row {
  return { kind: 'meta', name: instrumentsName(exchange), value: list };
}

/** Returns what that row holds, as far as it can be read. */
export function keptInstruments(meta: ReadonlyMap<string, unknown>, exchange: string): Instrument[] {
  const list = meta.get(instrumentsName(exchange));
  return Array.isArray(list) ? decodeAll(list as readonly Instrument[], decodeKeptInstrument).good : [];
}

function instrumentsName(exchange: string): string {
  return `instruments ${exchange}`;
}
