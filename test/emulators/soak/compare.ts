/**
 * Compares the emulator's raw log with the program's stored rows, row by row. It imports nothing of the
 * product: it reads JSON lines and SQLite, and adds decimal texts as whole numbers.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface RawFill {
  readonly market: string;
  readonly symbol: string;
  readonly orderId: number;
  readonly clientOrderId: string;
  readonly tradeId: number;
  readonly side: string;
  readonly price: string;
  readonly qty: string;
  readonly quote: string;
  readonly commission: string;
  readonly commissionAsset: string;
  readonly realized?: string;
}

interface RawRow extends Partial<RawFill> {
  readonly kind: string;
  readonly asset?: string;
  readonly amount?: string;
  readonly income?: string;
  readonly execution?: string;
  /** For an order that a trigger has made: the client id of the conditional order. */
  readonly algoClientId?: string;
}

interface StoredOrder {
  readonly id: string;
  readonly exchange: string;
  readonly symbol: string;
  readonly status: string;
  readonly phase: string;
  readonly executedQty: string;
  readonly external?: boolean;
  readonly replaces?: string;
  readonly cancel?: unknown;
  readonly submission?: unknown;
}

interface StoredFill {
  readonly exchange: string;
  readonly symbol: string;
  readonly tradeId: string;
  readonly orderId: string;
  readonly price: string;
  readonly qty: string;
  readonly comm: string;
  readonly commAsset: string;
  readonly inferred?: true;
}

export interface Found {
  readonly figures: Readonly<Record<string, number>>;
  /** Found faults by kind, each with a few examples. */
  readonly faults: Readonly<Record<string, readonly string[]>>;
}

const PLACES = 30;
const ENDED = new Set(['CLOSED', 'CANCELLED', 'ERROR']);

/** A decimal text as a whole number of 10^-30. */
export function units(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -size : size;
}

export function readRaw(file: string): RawRow[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawRow)
    .map((row) => (row.algoClientId ? { ...row, clientOrderId: row.algoClientId } : row));
}

/** The sum of every asset by the log alone: market and asset -> amount. */
export function sums(
  rows: readonly RawRow[],
  assetsOf: (symbol: string) => readonly [string, string],
  walletOf: (market: string) => string = (market) => market,
): Map<string, bigint> {
  const total = new Map<string, bigint>();
  const add = (market: string, asset: string, amount: bigint) => {
    const name = `${walletOf(market)} ${asset}`;
    total.set(name, (total.get(name) ?? 0n) + amount);
  };
  for (const row of rows) {
    const { market = '', asset = '', symbol = '' } = row;
    if (row.kind === 'start' || row.kind === 'transfer') add(market, asset, units(row.amount ?? '0'));
    if (row.kind === 'income') add(market, asset, units(row.income ?? '0'));
    if (row.kind !== 'fill') continue;
    add(market, row.commissionAsset ?? '', -units(row.commission ?? '0'));
    const [base, quote] = assetsOf(symbol);
    if (market !== 'spot') add(market, quote, units(row.realized ?? '0'));
    else {
      const sign = row.side === 'BUY' ? 1n : -1n;
      add(market, base, sign * units(row.qty ?? '0'));
      add(market, quote, -sign * units(row.quote ?? '0'));
    }
  }
  return total;
}

export interface Compared {
  readonly rawLog: string;
  readonly dataDir: string;
  /** Ids that the API has acknowledged. */
  readonly acknowledged: ReadonlySet<string>;
  /** Client ids that are open at the emulator now, by market. */
  readonly openThere: ReadonlyMap<string, ReadonlySet<string>>;
  /** Name of the connection: its accounts are `NAME-spot` and similar. */
  readonly name: string;
  /** Returns the wire form of one of the program's order ids where no row has it. */
  readonly spelt?: (id: string) => string;
}

export function compare({
  rawLog,
  dataDir,
  acknowledged,
  openThere,
  name: connection,
  spelt = (id) => id,
}: Compared): Found {
  const isMine = (exchange: string) => exchange.startsWith(`${connection}-`);
  const raw = readRaw(rawLog);
  const db = new DatabaseSync(join(dataDir, 'outcry.db'), { readOnly: true });
  const docs = <T>(table: string) =>
    db
      .prepare(`SELECT doc FROM ${table}`)
      .all()
      .map(({ doc }) => JSON.parse(String(doc)) as T);
  const orders = new Map(docs<StoredOrder>('orders').map((order) => [order.id, order]));
  const fills = docs<StoredFill>('fills').filter(({ exchange }) => isMine(exchange));
  const wires = db.prepare('SELECT exchange, wire_id, order_id FROM wire_ids').all() as {
    exchange: string;
    wire_id: string;
    order_id: string;
  }[];
  db.close();
  const byWire = new Map(wires.map((wire) => [`${wire.exchange} ${wire.wire_id}`, wire.order_id]));
  const bySpelling = new Map([...orders.keys()].map((id) => [spelt(id), id]));
  const ours = (market: string, client: string) =>
    orders.get(byWire.get(`${connection}-${market} ${client}`) ?? bySpelling.get(client) ?? client);
  const faults: Record<string, string[]> = {};
  const fault = (name: string, what: string) => {
    faults[name] ??= [];
    faults[name].push(what);
  };

  const rawFills = raw.filter((row): row is RawRow & RawFill => row.kind === 'fill');
  const key = (market: string, symbol: string, tradeId: string | number) => `${market} ${symbol} ${tradeId}`;
  const stored = new Map<string, StoredFill>();
  for (const fill of fills) {
    const name = key(fill.exchange.slice(connection.length + 1), fill.symbol, fill.tradeId);
    if (stored.has(name)) fault('doubled fills', name);
    if (fill.inferred) fault('inferred fills', name);
    stored.set(name, fill);
  }
  const executed = new Map<string, bigint>();
  for (const there of rawFills) {
    const name = key(there.market, there.symbol, there.tradeId);
    const here = stored.get(name);
    const order = ours(there.market, there.clientOrderId);
    if (order) executed.set(order.id, (executed.get(order.id) ?? 0n) + units(there.qty));
    if (!here) fault('lost fills', `${name} of ${there.clientOrderId}`);
    else if (units(here.qty) !== units(there.qty) || units(here.price) !== units(there.price))
      fault('different fills', `${name}: ${here.qty} at ${here.price}, there ${there.qty} at ${there.price}`);
    else if (units(here.comm) !== units(there.commission) || here.commAsset !== there.commissionAsset)
      fault(
        'different fees',
        `${name}: ${here.comm} ${here.commAsset}, there ${there.commission} ${there.commissionAsset}`,
      );
    stored.delete(name);
  }
  for (const name of stored.keys()) fault('invented fills', name);

  const roots = new Map<string, string[]>();
  const root = (order: StoredOrder): string => {
    const before = order.replaces === undefined ? undefined : orders.get(order.replaces);
    return before ? root(before) : order.id;
  };
  const placed = raw.filter(({ kind, execution }) => kind === 'order' && execution === 'NEW');
  for (const { market = '', symbol = '', clientOrderId = '' } of placed) {
    const order = ours(market, clientOrderId);
    if (!order) fault('orders nobody knows', `${market} ${symbol} ${clientOrderId}`);
    else roots.set(root(order), [...(roots.get(root(order)) ?? []), clientOrderId]);
  }
  for (const [id, clients] of roots)
    if (clients.length > 1) fault('doubled orders', `${id}: ${clients.join(', ')}`);
  for (const id of acknowledged) if (!orders.has(id)) fault('lost orders', id);

  const mine = [...orders.values()].filter(({ exchange }) => isMine(exchange));
  for (const order of mine) {
    const isOpen = !ENDED.has(order.status);
    if (order.phase === 'unresolved' || order.phase === 'sending' || (isOpen && order.cancel !== undefined))
      fault('unresolved', `${order.id} ${order.status} ${order.phase}`);
    if (units(order.executedQty) !== (executed.get(order.id) ?? 0n))
      fault('different executed', `${order.id}: ${order.executedQty}, there ${executed.get(order.id) ?? 0n}`);
    if (order.external) fault('taken for external', order.id);
  }
  for (const [market, clients] of openThere) {
    const here = new Set(
      mine
        .filter((o) => o.exchange === `${connection}-${market}` && !ENDED.has(o.status))
        .map(({ id }) => id),
    );
    for (const client of clients) {
      const id = ours(market, client)?.id ?? client;
      if (!here.delete(id)) fault('open there, not here', `${market} ${client}`);
    }
    for (const id of here) fault('open here, not there', `${market} ${id}`);
  }
  const figures = {
    'orders at the exchange': placed.length,
    'orders acknowledged by the API': acknowledged.size,
    'orders stored': mine.length,
    'fills at the exchange': rawFills.length,
    'fills stored': fills.length,
  };
  return { figures, faults };
}
