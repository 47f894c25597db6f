/**
 * A whole desk on an exchange that takes 50 orders within 10 s (money-at-risk.md 4): a grid of 199 entries starts, what protects
 * goes first, cancels overtake, a person's entry is answered 503 and nothing is stored of it, and the exchange never has to refuse.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { spotInstruments } from '../../../src/market/symbols.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { EXCHANGE, OPERATOR, Rig, SYMBOL } from '../../storage/rig.ts';
import { ExchangeLimits, LIMITS, LimitedVenue, type LimitedOptions } from '../../support/limited-exchange.ts';

const GRID = {
  exchange: EXCHANGE,
  symbol: { base: 'BTC', quote: 'USDT' },
  deposit: { value: '9000', asset: 'USDT' },
  flavor: 'GRID',
  grid: { low: '20000', high: '59800', count: 200 },
};
const CELLS = 199;
const MINUTE_MS = 60_000;

class BudgetDesk {
  readonly rig: Rig;
  readonly limits: ExchangeLimits;
  limited: LimitedVenue | null = null;
  #commands = 0;

  constructor(planted: Pick<LimitedOptions, 'rows' | 'without'> = {}) {
    const db = openDatabase(':memory:');
    this.rig = new Rig({
      db,
      exchange: 'external',
      instruments: spotInstruments([SYMBOL], EXCHANGE).map((one) => ({ ...one, maxOrders: 400 })),
      venuePort: (venue) => {
        const { limits, rig } = this;
        this.limited = new LimitedVenue(venue, { limits, clock: rig.clock, ...planted });
        return this.limited.venue;
      },
    });
    this.limits = new ExchangeLimits(LIMITS, () => this.rig.clock.wall());
    onTestFinished(() => {
      this.rig.crash();
      this.limited?.lanes.close();
      db.close();
    });
  }

  get waiting(): number {
    return this.limited?.lanes.count() ?? 0;
  }

  /** Orders of the desk, oldest first. */
  orders(only: (order: OrderRecord) => boolean = () => true): OrderRecord[] {
    return [...this.rig.desk.core.engine.memory.orders.values()].filter(only);
  }

  live(): OrderRecord[] {
    return this.orders(({ phase }) => phase === 'live');
  }

  async up(): Promise<void> {
    await this.rig.up();
    await this.rig.tick('60000');
  }

  crash(): void {
    this.limited?.lanes.close();
    this.rig.crash();
  }

  async command(command: Parameters<Rig['begin']>[1]) {
    this.#commands += 1;
    const answer = await this.rig.answered(this.rig.begin(`command ${this.#commands}`, command));
    if (!answer) throw new Error('the desk ended');
    return answer;
  }

  async done<T>(command: Parameters<Rig['begin']>[1]): Promise<T> {
    const { outcome, body } = await this.command(command);
    if (!outcome?.ok) throw new Error(body);
    return outcome.data as T;
  }

  place(request: object = {}) {
    const order = { side: 'BUY', type: 'LIMIT', quantity: '0.001', price: '39000', ...request };
    return this.command({
      type: 'place',
      request: { exchange: EXCHANGE, symbol: SYMBOL, ...order } as never,
    });
  }

  /** The grid, and a moment of its run. */
  async grid(settings: object = {}): Promise<{ id: string; runId: string }> {
    const bot = { type: 'CHANNEL', settings: { ...GRID, ...settings } };
    const { id } = await this.done<{ id: string }>({ type: 'bot.create', bot } as never);
    const { runId } = await this.done<{ runId: string }>({ type: 'bot.start', id });
    await this.rig.tick('60000');
    return { id, runId };
  }

  run(id: string) {
    return this.rig.desk.core.bots?.book.bots.get(id);
  }

  /** Most orders that the exchange has taken within one of its windows. */
  busiest(): number {
    const counts = new Map<number, number>();
    for (const at of this.limits.orders) {
      const window = Math.floor(at / LIMITS.ordersMs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }
}

it('takes a grid of 199 entries, window after window, and all of them rest in the end', async () => {
  const desk = new BudgetDesk();
  await desk.up();
  const { id } = await desk.grid();
  console.error(OPERATOR.kind, JSON.stringify(desk.run(id)), desk.rig.desk.core.log.map((l) => l.text).slice(-12));
  await desk.rig.pass(1_000);
  console.error('waiting', desk.waiting, desk.live().length, desk.orders().length);
  for (let i = 0; i < 8; i++) {
    await desk.rig.pass(10_000);
    console.error('waiting', desk.waiting, desk.live().length, desk.limits.refused, desk.busiest());
  }
  await desk.rig.pass(MINUTE_MS);
  expect(desk.live()).toHaveLength(CELLS);
  expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
  expect(desk.limits.refused).toEqual({ '429': 0, '418': 0, '-1015': 0 });
});
