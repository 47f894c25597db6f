/**
 * A store in memory: documents are copied at commit as SQLite would hold them. Each commit is checked for
 * what must never be stored: a status transition not in S30, a decreasing executedQty, a fill twice with
 * different content.
 */
import { dec } from '../../../src/domain/decimal.ts';
import type { LedgerRecord } from '../../../src/domain/ledger.ts';
import type { FillRecord, OrderEvent, OrderRecord, SplitPlan, WireId } from '../../../src/domain/order.ts';
import { mayBeOpen } from '../../../src/domain/order.ts';
import type { IdempotencyRecord, Row } from '../../../src/domain/rows.ts';
import type { EngineLoad } from '../../../src/engine/engine.ts';
import type { OrderStatus } from '../../../src/schemas/order.ts';

/** The transitions of decision S30, written a second time on purpose. */
export const S30: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  NEW: ['OPENED', 'CANCELLED', 'ERROR'],
  OPENED: ['CLOSED', 'CANCELLED', 'ERROR'],
  CLOSED: [],
  CANCELLED: [],
  ERROR: [],
};

export class RowStore {
  readonly orders = new Map<string, OrderRecord>();
  readonly fills = new Map<string, FillRecord>();
  readonly wireIds = new Map<string, WireId>();
  readonly splits = new Map<string, SplitPlan>();
  readonly idempotency = new Map<string, IdempotencyRecord>();
  readonly events: OrderEvent[] = [];
  readonly meta = new Map<string, unknown>();
  readonly ledger: LedgerRecord[] = [];
  commits = 0;

  /** Returns a store with the content that was loaded from another one. */
  static of(stored: EngineLoad): RowStore {
    const store = new RowStore();
    const rows: Row[] = [
      ...stored.orders.map((order) => ({ kind: 'order', order }) as const),
      ...stored.fills.map((fill) => ({ kind: 'fill', fill }) as const),
      ...stored.wireIds.map((name) => ({ kind: 'wire-id', name }) as const),
      ...stored.splits.map((plan) => ({ kind: 'split', plan }) as const),
      ...stored.idempotency.map((record) => ({ kind: 'idempotency', record }) as const),
    ];
    store.commit(rows);
    return store;
  }

  commit(rows: readonly Row[]): void {
    this.commits += 1;
    const before = new Map(this.orders);
    for (const row of rows) this.#apply(JSON.parse(JSON.stringify(row)) as Row);
    for (const [id, order] of this.orders) {
      const old = before.get(id);
      if (old && old !== order) checkChange(old, order);
    }
  }

  /** Same as `Store.load`: open orders, and those that ended or arrived since. */
  load(since: number): EngineLoad {
    const orders = [...this.orders.values()].filter((o) => mayBeOpen(o) || (o.endedAt ?? 0) >= since);
    const ids = new Set(orders.map((o) => o.id));
    return structuredClone({
      orders,
      fills: [...this.fills.values()].filter((f) => ids.has(f.orderId)),
      wireIds: [...this.wireIds.values()].filter((name) => ids.has(name.orderId)),
      splits: [...this.splits.values()].filter((p) => p.stage !== 'done'),
      idempotency: [...this.idempotency.values()].filter((r) => r.answer === null || r.arrivedAt >= since),
    });
  }

  fillsOf(orderId: string): FillRecord[] {
    return [...this.fills.values()].filter((f) => f.orderId === orderId);
  }

  eventsOf(orderId: string): OrderEvent[] {
    return this.events.filter((e) => e.orderId === orderId);
  }

  #apply(row: Row): void {
    switch (row.kind) {
      case 'meta':
        if (row.value === null) this.meta.delete(row.name);
        else this.meta.set(row.name, row.value);
        return;
      case 'order':
        if ((this.orders.get(row.order.id) ?? row.order).exchange !== row.order.exchange)
          throw new Error(`${row.order.id} is the id of orders of two exchanges`);
        this.orders.set(row.order.id, row.order);
        return;
      case 'wire-id': {
        const key = `${row.name.exchange} ${row.name.symbol ?? ''} ${row.name.wireId}`;
        if (this.wireIds.has(key) && this.wireIds.get(key)?.orderId !== row.from)
          throw new Error(`${key} is the name of two orders`);
        this.wireIds.set(key, row.name);
        return;
      }
      case 'fill-moved': {
        const { exchange, symbol, tradeId, orderId } = row.fill;
        const key = (of: string) => `${exchange} ${symbol} ${tradeId} ${of}`;
        if (!this.fills.delete(key(row.from))) throw new Error(`fill ${key(row.from)} was never stored`);
        this.fills.set(key(orderId), row.fill);
        return;
      }
      case 'fill': {
        const { exchange, symbol, tradeId, orderId } = row.fill;
        const key = `${exchange} ${symbol} ${tradeId} ${orderId}`;
        if (this.fills.has(key)) throw new Error(`fill ${key} is stored twice`);
        this.fills.set(key, row.fill);
        return;
      }
      case 'event':
        this.events.push(row.event);
        return;
      case 'split':
        this.splits.set(row.plan.id, row.plan);
        return;
      case 'idempotency':
        this.idempotency.set(`${row.record.user} ${row.record.key}`, row.record);
        return;
      case 'idempotency-drop':
        this.idempotency.delete(`${row.user} ${row.key}`);
        return;
      case 'ledger':
        this.ledger.push(row.record);
        return;
      default:
        throw new Error(`the engine does not write rows of kind ${row.kind}`);
    }
  }
}

function checkChange(old: OrderRecord, order: OrderRecord): void {
  if (old.status !== order.status && !reachable(old.status, order.status)) {
    throw new Error(`${order.id} went from ${old.status} to ${order.status}`);
  }
  // An execution taken for somebody else's turned out to be ours.
  const isJoined = order.external && order.executedQty === '0';
  if (dec(order.executedQty) < dec(old.executedQty) && !isJoined) {
    throw new Error(`executedQty of ${order.id} fell from ${old.executedQty} to ${order.executedQty}`);
  }
}

/** Whether the status is reachable; one commit may contain several transitions. */
function reachable(from: OrderStatus, to: OrderStatus): boolean {
  return S30[from].some((next) => next === to || reachable(next, to));
}
