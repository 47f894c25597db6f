/**
 * The books of bots, from a copy of the desk's store: each run's own state, the rows of the orders, and the
 * exchange's orders and trades. They must agree wherever the desk died (strategies.md 2, run rule 2;
 * testing.md, invariants 2 to 4).
 */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { decodeState } from '../../../src/bots/run/codec.ts';
import type { RunOrder } from '../../../src/bots/run/contract.ts';
import type { RunState } from '../../../src/bots/run/run-state.ts';
import type { RunRecord } from '../../../src/domain/bot.ts';
import { type Dec, dec, div, floorTo, mul, str, ZERO } from '../../../src/domain/decimal.ts';
import { type FillRecord, type OrderRecord, TERMINAL } from '../../../src/domain/order.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import { EXCHANGE, temporaryFolder } from './desk-process.ts';

const SHOWN = dec('0.00000001');
const QUOTE = 'USDT';
const TABLES = ['spot', 'futures'] as const;

interface ThereOrder {
  readonly clientId: string;
  readonly end?: number;
}
interface ThereTrade {
  readonly clientId: string;
  readonly tradeId: string;
  readonly qty: string;
}

export interface RunBook {
  readonly record: RunRecord;
  readonly state: RunState;
}

export interface Books {
  readonly orders: readonly OrderRecord[];
  readonly fills: readonly FillRecord[];
  /** Runs that have not ended. */
  readonly runs: readonly RunBook[];
  readonly there: { readonly orders: readonly ThereOrder[]; readonly trades: readonly ThereTrade[] };
}

/** Reads the books of a desk that is held or gone. */
export function readBooks(dataDir: string): Books {
  const folder = temporaryFolder();
  for (const name of ['outcry.db', 'outcry.db-wal']) {
    const file = join(dataDir, name);
    if (existsSync(file)) cpSync(file, join(folder, name));
  }
  const store = openSqliteStore(join(folder, 'outcry.db'));
  try {
    const { orders, runs } = store.load(0);
    const paper = store.loadPaper();
    const table = <T>(name: string) =>
      TABLES.flatMap((kind) => [...(paper.get(`${kind}.${name}`)?.values() ?? [])] as T[]);
    return {
      orders,
      fills: orders.flatMap(({ id }) => store.orderFills(id)),
      runs: runs
        .filter(({ endedAt }) => endedAt === null)
        .map((record) => ({ record, state: decodeState(record.state) })),
      there: { orders: table<ThereOrder>('order'), trades: table<ThereTrade>('trade') },
    };
  } finally {
    store.close();
  }
}

/**
 * Compares the exchange's books with the rows: no order twice, none unknown, the same open orders, the same
 * fills.
 */
export function checkRows({ orders, fills, there }: Books, where: string): void {
  const ids = there.orders.map(({ clientId }) => clientId);
  expect(new Set(ids).size, `${where}: an order twice at the exchange`).toBe(ids.length);
  const ours = new Map(orders.map((order) => [order.id, order]));
  expect(
    ids.filter((id) => !ours.has(id)),
    `${where}: orders that we do not know`,
  ).toEqual([]);
  const openThere = there.orders.filter(({ end }) => !end).map(({ clientId }) => clientId);
  const openHere = orders.filter((one) => !TERMINAL.has(one.status) && one.phase === 'live');
  // Requests that were on their way when the desk died are being looked up.
  const known = ({ submission, cancel }: OrderRecord) => !submission && !cancel;
  expect(
    openHere
      .filter(known)
      .map(({ id }) => id)
      .filter((id) => !openThere.includes(id)),
    `${where}: open here alone`,
  ).toEqual([]);
  const here = new Set(openHere.map(({ id }) => id));
  expect(
    openThere.filter((id) => !here.has(id)),
    `${where}: open there alone`,
  ).toEqual([]);
  const text = (id: string, trade: string, qty: string) => `${id} ${trade} ${qty}`;
  expect(
    fills.map((fill) => text(fill.orderId, fill.tradeId, fill.qty)).toSorted(),
    `${where}: fills`,
  ).toEqual(there.trades.map((one) => text(one.clientId, one.tradeId, one.qty)).toSorted());
}

/**
 * Compares each run's orders with the open orders that have its mark, each once; no other order of a bot is
 * open.
 */
export function checkRuns({ orders, runs }: Books, where: string): void {
  const open = orders.filter(({ creator, status }) => creator === 'BOT' && !TERMINAL.has(status));
  const told = open.map(({ id, metadata }) => `${id.split('_').at(-1)} ${JSON.parse(metadata).key}`);
  const wanted = runs.flatMap(({ record, state }) =>
    ordersOf(state).map(({ key }) => `${record.runId} ${key}`),
  );
  expect(new Set(wanted).size, `${where}: a level twice`).toBe(wanted.length);
  expect(told.toSorted(), `${where}: orders of runs`).toEqual(wanted.toSorted());
}

/** Base units that a run holds by its own books, remainders too small to sell included. */
export function heldBy({ lots }: RunState): Dec {
  return lots.lots.reduce((sum, { qty }) => sum + qty, lots.dust + lots.kept);
}

/** Runs on an account whose settings name this base asset. */
export function runsOn({ runs }: Books, exchange: string, base: string): readonly RunBook[] {
  return runs.filter(({ record }) => record.exchange === exchange && record.symbol === base + QUOTE);
}

/**
 * The right values of `lockedByBot`, by asset, after the text of strategies.md 2: of the quote asset the
 * unspent budget less losses (`reserve`), or what open entries need (`auto`), on futures the position's
 * margin as well; of the base asset the held quantity.
 */
export function reservations({ runs }: Books, exchange: string): ReadonlyMap<string, string> {
  const sums = new Map<string, Dec>();
  const add = (asset: string, amount: Dec) => sums.set(asset, (sums.get(asset) ?? ZERO) + amount);
  for (const { record, state } of runs) {
    const deposit = record.settings.deposit as Record<string, unknown> | undefined;
    if (record.exchange !== exchange || !deposit) continue;
    const leverage = dec(String(deposit.leverage ?? 1));
    const entries = ordersOf(state).filter(({ role }) => role === 'entry');
    const ordered = entries.reduce(
      (sum, { qty, executed, price }) => sum + mul(qty - executed, price ?? ZERO),
      ZERO,
    );
    const invested = div(
      state.lots.lots.reduce((sum, { cost }) => sum + cost, ZERO),
      leverage,
    );
    const { dustCost, keptCost, realised, earned } = state.lots;
    // Earned money is not reserved, also when it is lost again.
    const lost = dustCost + keptCost - realised + earned;
    const rest = state.budget - invested - lost;
    const unspent = rest > ZERO ? rest : ZERO;
    const open = div(ordered, leverage);
    const kept = deposit.allocate === 'auto' || open > unspent ? open : unspent;
    add(QUOTE, floorTo(exchange === EXCHANGE ? kept : kept + invested, SHOWN));
    if (exchange === EXCHANGE) add(record.symbol.slice(0, -QUOTE.length), heldBy(state));
  }
  return new Map([...sums].filter(([, sum]) => sum > ZERO).map(([asset, sum]) => [asset, str(sum)]));
}

/** Orders that the run has requested or has open. */
function ordersOf({ slots }: RunState): readonly RunOrder[] {
  return [...slots.slots.values()].flatMap(({ orders }) => orders).filter(({ phase }) => phase !== 'done');
}
