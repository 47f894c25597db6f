/**
 * The invariants of a database at every commit boundary, whatever happened before (design/testing.md,
 * invariants 1 to 7 and 9), and of a desk and its exchange once all is quiet. Each check returns sentences;
 * none means that it holds.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { AccessKey } from '../../src/domain/access-key.ts';
import { type Dec, dec, mul, str, ZERO } from '../../src/domain/decimal.ts';
import {
  type FillRecord,
  type OrderEvent,
  type OrderRecord,
  type SplitPlan,
  TERMINAL,
} from '../../src/domain/order.ts';
import type { OrderStatus } from '../../src/schemas/order.ts';
import type { PaperOrderDoc } from '../../src/venues/paper/paper-order.ts';

/** One idempotency row, columns as stored. */
export interface StoredRecord {
  readonly key: string;
  readonly effect_kind: 'place' | 'cancel' | 'split' | null;
  readonly effect_order: string | null;
  readonly status: number | null;
  readonly body: string | null;
}

/** The whole database, read without the store: rows that a start does not load are checked too. */
export interface Stored {
  readonly orders: ReadonlyMap<string, OrderRecord>;
  readonly fills: ReadonlyMap<string, readonly FillRecord[]>;
  readonly events: ReadonlyMap<string, readonly OrderEvent[]>;
  readonly plans: readonly SplitPlan[];
  readonly records: ReadonlyMap<string, StoredRecord>;
  readonly keys: ReadonlyMap<string, AccessKey>;
  readonly log: readonly string[];
  readonly paper: PaperTruth;
}

/** The exchange's own books. */
export interface PaperTruth {
  readonly orders: readonly PaperOrderDoc[];
  readonly trades: readonly { readonly tradeId: string; readonly clientId: string; readonly qty: string }[];
}

export function readStored(db: DatabaseSync): Stored {
  const docs = <T>(sql: string): T[] =>
    (db.prepare(sql).all() as { doc: string }[]).map(({ doc }) => JSON.parse(doc) as T);
  const tables = new Map<string, Map<string, unknown>>();
  for (const { tbl, id, doc } of db.prepare('SELECT tbl, id, doc FROM paper').all() as {
    tbl: string;
    id: string;
    doc: string;
  }[]) {
    tables.set(tbl, (tables.get(tbl) ?? new Map()).set(id, JSON.parse(doc)));
  }
  const records = db.prepare('SELECT * FROM idempotency').all() as unknown as StoredRecord[];
  return {
    orders: byId(docs<OrderRecord>('SELECT doc FROM orders ORDER BY seq')),
    fills: grouped(docs<FillRecord>('SELECT doc FROM fills ORDER BY seq')),
    events: grouped(docs<OrderEvent>('SELECT doc FROM events ORDER BY seq')),
    plans: docs<SplitPlan>('SELECT doc FROM splits ORDER BY id'),
    records: new Map(records.map((record) => [record.key, record])),
    keys: byId(docs<AccessKey>('SELECT doc FROM access_keys')),
    log: docs<{ text: string }>('SELECT doc FROM log ORDER BY seq').map(({ text }) => text),
    paper: paperTruth(tables),
  };
}

export function paperTruth(tables: ReadonlyMap<string, ReadonlyMap<string, unknown>>): PaperTruth {
  const list = <T>(name: string) => [...(tables.get(name)?.values() ?? [])] as T[];
  return { orders: list('spot.order'), trades: list('spot.trade') };
}

/** Problems at a commit boundary: no change may be stored in part. */
export function halfThere(stored: Stored): string[] {
  const found: string[] = [];
  for (const order of stored.orders.values()) found.push(...orderProblems(order, stored));
  for (const id of [...stored.fills.keys(), ...stored.events.keys()])
    if (!stored.orders.has(id)) found.push(`fills or events of ${id} without the order`);
  for (const plan of stored.plans) found.push(...planProblems(plan, stored));
  for (const record of stored.records.values()) found.push(...recordProblems(record, stored));
  for (const doc of stored.paper.orders) {
    const order = stored.orders.get(doc.clientId);
    if (!order) found.push(`the exchange has ${doc.clientId}, of which there is no row`);
    else if (dec(order.executedQty) > dec(doc.cum))
      found.push(`${order.id} executed ${order.executedQty}, the exchange only ${doc.cum}`);
  }
  return found;
}

const MOVES: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  NEW: ['OPENED', 'CANCELLED', 'ERROR'],
  OPENED: ['CLOSED', 'CANCELLED', 'ERROR'],
  CLOSED: [],
  CANCELLED: [],
  ERROR: [],
};

function orderProblems(order: OrderRecord, stored: Stored): string[] {
  const { id } = order;
  const found: string[] = [];
  const events = stored.events.get(id) ?? [];
  const count = (kind: OrderEvent['kind']) => events.filter((event) => event.kind === kind).length;
  if (count('created') !== 1 || events[0]?.kind !== 'created')
    found.push(`${id} has ${count('created')} created events, the first is ${events[0]?.kind}`);
  const path: OrderStatus[] = [];
  for (const { status } of events) if (path.at(-1) !== status) path.push(status);
  if (path[0] !== 'NEW' || path.at(-1) !== order.status)
    found.push(`${id} is ${order.status}, its events say ${path.join(' ')}`);
  path.forEach((status, i) => {
    const before = path[i - 1];
    if (before && !MOVES[before].includes(status)) found.push(`${id} went ${path.join(' ')}`);
  });
  const terminal = TERMINAL.has(order.status);
  if (terminal !== (order.phase === 'done') || terminal !== (order.endedAt !== undefined))
    found.push(`${id} is ${order.status} in phase ${order.phase}, ended at ${order.endedAt}`);
  const onItsWay = order.phase === 'sending' || order.phase === 'unresolved';
  if (onItsWay !== (order.submission !== undefined))
    found.push(`${id} is ${order.phase}, submission differs`);
  const local = order.phase === 'held' || order.phase === 'waiting' || terminal;
  if (!local && count('sent') !== 1) found.push(`${id} is ${order.phase} with ${count('sent')} sent events`);
  if (count('sent') > 1) found.push(`${id} was sent ${count('sent')} times`);
  if (order.cancel && count('cancel-wanted') === 0) found.push(`${id} is being cancelled, nobody asked`);
  let quantity = ZERO;
  let quote = ZERO;
  const fills = stored.fills.get(id) ?? [];
  for (const fill of fills) {
    quantity += dec(fill.qty);
    quote += mul(dec(fill.qty), dec(fill.price));
  }
  if (quantity !== dec(order.executedQty) || quote !== dec(order.quoteQty))
    found.push(`${id} executed ${order.executedQty}, its ${fills.length} fills are ${str(quantity)}`);
  if (count('fill') !== fills.length)
    found.push(`${id}: ${fills.length} fills, ${count('fill')} fill events`);
  if (quantity > dec(order.origQty)) found.push(`${id} executed ${str(quantity)} of ${order.origQty}`);
  return found;
}

/**
 * Invariant 7: a cancel intent while the original cancels; afterwards all parts with the whole quantity, or
 * none.
 */
function planProblems(plan: SplitPlan, stored: Stored): string[] {
  const parent = stored.orders.get(plan.id);
  const parts = plan.children.flatMap((id) => stored.orders.get(id) ?? []);
  if (!parent) return [`a split of ${plan.id}, which is not there`];
  const asked = (stored.events.get(plan.id) ?? []).some(({ kind }) => kind === 'cancel-wanted');
  if (!asked) return [`a split of ${plan.id} without its cancel intent`];
  if (plan.stage === 'cancelling') {
    const found = parts.length > 0 ? [`the split of ${plan.id} has parts before its cancel is through`] : [];
    return parent.cancel ? found : [...found, `the split of ${plan.id} cancels nothing (${parent.status})`];
  }
  if (plan.stage === 'done' && parts.length === 0) return [];
  const sum = parts.reduce((total: Dec, { origQty }) => total + dec(origQty), dec(parent.executedQty));
  const whole = parts.length === plan.children.length && sum === dec(parent.origQty);
  return whole ? [] : [`the split of ${plan.id}: ${parts.length} parts, ${str(sum)} of ${parent.origQty}`];
}

/** Invariant 9: an effect has its order; a response names an existing order. */
function recordProblems(record: StoredRecord, stored: Stored): string[] {
  const { key, effect_kind: kind, effect_order: id, status, body } = record;
  if (id !== null) {
    if (!stored.orders.has(id)) return [`key ${key} waits for ${id}, which is not there`];
    const intent = kind === 'place' ? true : stored.events.get(id)?.some((e) => e.kind === 'cancel-wanted');
    if (!intent) return [`key ${key} asked for the ${kind} of ${id}, whose intent is not there`];
    if (kind === 'split' && !stored.plans.some((plan) => plan.id === id))
      return [`key ${key}: no plan of ${id}`];
    if (status === null && kind === 'split' && stored.plans.some((p) => p.id === id && p.stage === 'done'))
      return [`key ${key} was never answered although the split of ${id} is done`];
  }
  if (status !== 200 || body === null) return [];
  const { data } = JSON.parse(body) as { data: { id: string } | { id: string }[] };
  const lost = [data].flat().find((order) => !stored.orders.has(order.id));
  return lost ? [`key ${key} was answered with ${lost.id}, which is not there`] : [];
}

const STATUS_OF: Readonly<Record<PaperOrderDoc['status'], OrderStatus>> = {
  PENDING: 'NEW',
  WORKING: 'OPENED',
  FILLED: 'CLOSED',
  CANCELLED: 'CANCELLED',
  REJECTED: 'ERROR',
};

/**
 * Invariants 2, 3, 11, once faults are over and time has passed: exchange and desk agree, and nothing is
 * unresolved.
 */
export function disagreements(stored: Stored, truth: PaperTruth = stored.paper): string[] {
  const found: string[] = [];
  const there = new Map(truth.orders.map((doc) => [doc.clientId, doc]));
  if (there.size !== truth.orders.length) found.push('the exchange has two orders of one client id');
  for (const doc of truth.orders) {
    const order = stored.orders.get(doc.clientId);
    if (!order) found.push(`the exchange has ${doc.clientId}, of which there is no row`);
    else if (dec(order.executedQty) !== dec(doc.cum) || order.status !== STATUS_OF[doc.status])
      found.push(
        `${order.id} is ${order.status} ${order.executedQty}, the exchange: ${doc.status} ${doc.cum}`,
      );
  }
  const fills = [...stored.fills.values()].flat().map(({ tradeId }) => tradeId);
  const trades = truth.trades.map(({ tradeId }) => tradeId);
  if ([...fills].sort().join() !== [...trades].sort().join())
    found.push(`${trades.length} trades at the exchange, ${fills.length} fills`);
  for (const order of stored.orders.values()) {
    if ((order.phase === 'live' || order.status === 'CLOSED') && !there.has(order.id))
      found.push(`${order.id} is ${order.status}, the exchange does not know it`);
    if (order.submission || order.cancel)
      found.push(`${order.id} is still ${order.phase}, ${order.cancel?.state}`);
  }
  for (const plan of stored.plans)
    if (plan.stage !== 'done') found.push(`the split of ${plan.id} is ${plan.stage}`);
  for (const record of stored.records.values())
    if (record.status === null) found.push(`key ${record.key} was never answered`);
  return found;
}

function byId<T extends { readonly id: string }>(items: readonly T[]): Map<string, T> {
  return new Map(items.map((item) => [item.id, item]));
}

function grouped<T extends { readonly orderId: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const list = groups.get(item.orderId);
    if (list) list.push(item);
    else groups.set(item.orderId, [item]);
  }
  return groups;
}
