/**
 * Data folders with many orders, made from a few real ones: the stored rows of one resting and one filled
 * order are copied under other ids, so that they have the form that the product writes. Faster than placing
 * orders, and not bound by the exchange's limit of open orders.
 */
import { join } from 'node:path';
import { systemClock } from '../../src/desk/hosting/transports/system-clock.ts';
import { openDesk } from '../../src/desk/open-desk.ts';
import type { OrderRecord } from '../../src/domain/order.ts';
import type { Row } from '../../src/domain/rows.ts';
import { openSqliteStore } from '../../src/store/sqlite/index.ts';
import type { Store } from '../../src/store/store.ts';
import { restingOrders } from './resting-orders.ts';

export interface Filling {
  readonly open: number;
  readonly ended: number;
}

/** Ended orders are spread evenly over so many days. */
const DAYS = 30;
const DAY_MS = 86_400_000;

type PaperOrderDoc = { id: number; clientId: string; lock: string; age: number; end: number };

export async function fillDataFolder(dataDir: string, { open, ended }: Filling): Promise<void> {
  await placeSamples(dataDir);
  const store = openSqliteStore(join(dataDir, 'outcry.db'));
  try {
    multiply(store, open, ended);
  } finally {
    store.close();
  }
}

/** Places one resting order per symbol and one MARKET order. */
async function placeSamples(dataDir: string): Promise<void> {
  const desk = await openDesk({ dataDir, port: 0, hold: true }, systemClock);
  await desk.call('feed.control', { action: 'step' });
  const [first, ...others] = restingOrders(desk.state());
  if (!first) throw new Error('no symbol has a price');
  const { exchange, symbol, quantity } = first;
  for (const order of [
    first,
    ...others,
    { exchange, symbol, side: 'BUY', type: 'MARKET', quantity } as const,
  ]) {
    const placed = await desk.call('orders.place', order);
    if (!placed.ok) throw new Error(placed.error.message);
  }
  await desk.stop('the samples are placed');
}

function multiply(store: Store, open: number, ended: number): void {
  const now = Date.now();
  const { orders } = store.load(0);
  const resting = orders.filter((order) => order.status === 'OPENED');
  const filled = orders.find((order) => order.status === 'CLOSED') as OrderRecord;
  const paper = store.loadPaper();
  const docs = [...(paper.get('spot.order')?.values() ?? [])] as PaperOrderDoc[];
  const docOf = new Map(docs.map((doc) => [doc.clientId, doc]));
  const counters = paper.get('spot.meta')?.get('counters') as { stamp: number; trade: number };
  const usdt = paper.get('spot.balance')?.get('USDT') as { asset: string; free: string; locked: string };
  const trade = [...(paper.get('spot.trade')?.values() ?? [])].at(-1) as Record<string, unknown>;
  const fill = store.orderFills(filled.id)[0];
  const rows: Row[] = [];
  let { stamp, trade: trades } = counters;
  let locked = Number(usdt.locked);

  for (let n = resting.length; n < open; n++) {
    const sample = resting[n % resting.length] as OrderRecord;
    const id = `ps-bench-open-${n}`;
    rows.push({ kind: 'order', order: { ...sample, id } }, ...eventsOf(store, sample.id, id));
    const doc = docOf.get(sample.id) as PaperOrderDoc;
    stamp += 1;
    locked += Number(doc.lock);
    rows.push(paperRow('spot.order', stamp, { ...doc, id: stamp, clientId: id, age: stamp }));
  }
  for (let n = 0; n < ended; n++) {
    const id = `ps-bench-ended-${n}`;
    const endedAt = now - Math.floor(((ended - n) / ended) * DAYS * DAY_MS);
    const order = { ...filled, id, createdAt: endedAt - 5, updatedAt: endedAt, endedAt, orderTime: endedAt };
    rows.push({ kind: 'order', order }, ...eventsOf(store, filled.id, id));
    stamp += 2;
    trades += 1;
    const tradeId = String(trades);
    rows.push({
      kind: 'fill',
      fill: { ...(fill as NonNullable<typeof fill>), orderId: id, tradeId, time: endedAt },
    });
    const doc = docOf.get(filled.id) as PaperOrderDoc;
    rows.push(
      paperRow('spot.order', stamp - 1, { ...doc, id: stamp - 1, clientId: id, age: stamp - 1, end: stamp }),
    );
    rows.push(paperRow('spot.trade', tradeId, { ...trade, tradeId, orderId: stamp - 1, clientId: id }));
  }
  rows.push(paperRow('spot.meta', 'counters', { stamp, trade: trades }));
  rows.push(paperRow('spot.balance', 'USDT', { ...usdt, free: '10000', locked: decimal(locked) }));
  store.commit(rows);
}

function eventsOf(store: Store, from: string, to: string): Row[] {
  return store.orderEvents(from).map((event) => ({ kind: 'event', event: { ...event, orderId: to } }));
}

function paperRow(table: string, id: string | number, doc: unknown): Row {
  return { kind: 'paper', table, id: String(id), doc };
}

function decimal(value: number): string {
  return value.toFixed(8).replace(/\.?0+$/, '');
}
