/** Order updates at a steady rate: resting orders are placed and cancelled inside the desk's process. */
import { setTimeout } from 'node:timers/promises';
import type { RunningDesk } from '../../src/desk/running.ts';
import { type OrderTemplate, restingOrders } from './resting-orders.ts';

export interface ChurnOptions {
  /** Number of order updates; slightly more may be made. */
  readonly updates: number;
  /** Null: as fast as the desk can. */
  readonly perSecond: number | null;
}

/** Updates per placement (created, opened) and per cancellation; the updates that really come are counted. */
const PER_PLACE = 2;
const PER_CANCEL = 1;
const IN_FLIGHT = 32;
const TICK_MS = 5;

/** Makes the updates and returns their order ids, in the order in which the desk reported them. */
export async function churn(desk: RunningDesk, { updates, perSecond }: ChurnOptions): Promise<string[]> {
  const ids: string[] = [];
  const stop = desk.onChange((mark) => {
    if (mark.kind === 'order') ids.push(mark.id);
  });
  const templates = restingOrders(desk.state());
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let asked = 0;
  for (let n = 0; ids.length < updates && asked < updates; ) {
    const due = perSecond === null ? updates : ((performance.now() - startedAt) / 1_000) * perSecond;
    while (asked < Math.min(due, updates) && running.size < IN_FLIGHT) {
      asked += PER_PLACE + PER_CANCEL;
      const order = templates[n++ % templates.length] as OrderTemplate;
      const cycle = placeAndCancel(desk, order).then(() => {
        running.delete(cycle);
      });
      running.add(cycle);
    }
    if (perSecond === null && running.size > 0) await Promise.race(running);
    else await setTimeout(TICK_MS);
  }
  await Promise.all(running);
  stop();
  return ids;
}

async function placeAndCancel(desk: RunningDesk, order: OrderTemplate): Promise<void> {
  const placed = await desk.call('orders.place', order);
  if (!placed.ok) throw new Error(placed.error.message);
  const cancelled = await desk.call('orders.cancel', { exchange: order.exchange, id: placed.data.id });
  if (!cancelled.ok) throw new Error(cancelled.error.message);
}
