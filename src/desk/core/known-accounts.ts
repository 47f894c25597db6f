/**
 * The accounts that an engine is loaded with: those that are configured, with the instruments they had when last connected where
 * theirs are known only once connected, and those that only stored orders and runs still name.
 */
import type { ExchangeCaps, FeeRates } from '../../domain/exchange.ts';
import type { Instrument } from '../../domain/instrument.ts';
import { mayBeOpen } from '../../domain/order.ts';
import type { Row } from '../../domain/rows.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import type { LoadedState } from '../../store/store.ts';
import type { Venue } from '../../venues/venue.ts';
import { decodeAll, decodeFees, decodeInstrument } from './decode.ts';
import { feesName } from './fee-reader.ts';

/** Of an account that nothing is sent to. */
const NO_CAPS: ExchangeCaps = {
  forms: [],
  validityWindowMs: 0,
  idPrefix: 'xx',
};

export const NOT_CONFIGURED = 'it is not configured any more';

/** `awayOf`: why nothing can be asked of an account as yet. */
export function addAccounts(
  memory: EngineMemory,
  venues: readonly Venue[],
  state: LoadedState,
  awayOf: (exchange: string) => string | null,
): void {
  for (const venue of venues) {
    const { id } = venue.account;
    const now = venue.instruments();
    const list =
      now.length > 0 ? now : ((state.meta.get(instrumentsName(id)) ?? []) as readonly Instrument[]);
    const { good } = decodeAll(list, decodeInstrument);
    const brackets = (symbol: string) => venue.futures?.brackets(symbol) ?? [];
    const told = decodeFees(state.meta.get(feesName(id)) as FeeRates);
    memory.addAccount(venue.account, venue.caps, good, {
      away: awayOf(id),
      brackets,
      ...(told.ok ? { fees: told.value } : {}),
    });
  }
  const addAbsent = (id: string, kind: 'spot' | 'futures', user: string) => {
    if (memory.accounts.has(id)) return;
    const list = (state.meta.get(instrumentsName(id)) ?? []) as readonly Instrument[];
    const { good } = decodeAll(list, decodeInstrument);
    memory.addAccount({ id, name: id, kind, user }, NO_CAPS, good, { away: NOT_CONFIGURED, absent: true });
  };
  for (const order of state.orders)
    addAbsent(order.exchange, order.isContract ? 'futures' : 'spot', order.user);
  for (const run of state.runs)
    addAbsent(run.exchange, run.exchange.endsWith('-futures') ? 'futures' : 'spot', run.user);
}

/** Open orders of accounts that are not configured any more, as lines for the log. */
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

/** The row that keeps the instruments of an account for the next start. */
export function instrumentsRow(exchange: string, list: readonly Instrument[]): Row {
  return { kind: 'meta', name: instrumentsName(exchange), value: list };
}

function instrumentsName(exchange: string): string {
  return `instruments ${exchange}`;
}
