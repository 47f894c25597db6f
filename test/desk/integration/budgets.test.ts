/**
 * A whole desk on an exchange that accepts 50 orders within 10 s (money-at-risk.md 4): when a grid of 199
 * entries starts, protective orders go first, cancels overtake, a person's entry gets 503 and is not stored,
 * and the exchange never has to refuse.
 */
import { expect, it, onTestFinished } from 'vitest';
import type { OrderRecord } from '../../../src/domain/order.ts';
import { spotInstruments } from '../../../src/market/symbols.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { StoreError } from '../../../src/store/store.ts';
import { overlay } from '../../storage/faulty-ports.ts';
import { EXCHANGE, Rig, type RigOptions, SYMBOL } from '../../storage/rig.ts';
import {
  ExchangeLimits,
  LIMITS,
  type LimitedOptions,
  LimitedVenue,
  type Limits,
} from '../../support/limited-exchange.ts';

const GRID = {
  exchange: EXCHANGE,
  symbol: { base: 'BTC', quote: 'USDT' },
  deposit: { value: '9000', asset: 'USDT' },
  flavor: 'GRID',
  grid: { low: '20000', high: '59800', count: 200 },
};
/** The acceptance's grid for the first test; a fifth of it, on a fifth of the budget, for the others. */
const CELLS = 199;
const FEW = 39;
const SMALL: Limits = { ...LIMITS, orders: 10 };
const MINUTE_MS = 60_000;
const NEVER = { '429': 0, '418': 0, '-1015': 0 };

type Given = Pick<LimitedOptions, 'rows' | 'without'> &
  Pick<RigOptions, 'storePort'> & { readonly limits?: Limits; readonly upMs?: number };

class BudgetDesk {
  readonly rig: Rig;
  readonly limits: ExchangeLimits;
  limited: LimitedVenue | null = null;
  #commands = 0;

  constructor({ storePort, upMs = 0, limits = SMALL, ...how }: Given = {}) {
    const db = openDatabase(':memory:');
    this.rig = new Rig({
      db,
      exchange: 'external',
      instruments: spotInstruments([SYMBOL], EXCHANGE).map((one) => ({ ...one, maxOrders: 400 })),
      venuePort: (venue) => {
        const { clock } = this.rig;
        const line = upMs > 0 ? { line: { upMs: () => upMs, after: clock.after.bind(clock) } } : {};
        this.limited = new LimitedVenue(venue, {
          limits: this.limits,
          clock: this.rig.clock,
          ...how,
          ...line,
        });
        return this.limited.venue;
      },
      ...(storePort ? { storePort } : {}),
    });
    this.limits = new ExchangeLimits(limits, () => this.rig.clock.wall());
    onTestFinished(() => {
      this.rig.crash();
      this.limited?.way.close();
      db.close();
    });
  }

  get waiting(): number {
    return this.limited?.way.waiting ?? 0;
  }

  /** Returns orders of the desk, oldest first. */
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
    this.limited?.way.close();
    this.rig.crash();
  }

  /** Stops the desk as a person does: waiting requests do not delay it. */
  async stop(): Promise<void> {
    const { trading } = this.rig.desk;
    let over = false;
    const done = () => {
      over = true;
    };
    void trading.halt().then(() => trading.close('the test stops it').then(done));
    await this.rig.clock.advance(1_000);
    expect(over).toBe(true);
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

  /** Starts the grid and lets a moment of its run pass. */
  async grid(cells: number): Promise<{ id: string; runId: string }> {
    const grid = { ...GRID.grid, count: cells + 1 };
    const bot = { type: 'CHANNEL', settings: { ...GRID, grid } };
    const { id } = await this.done<{ id: string }>({ type: 'bot.create', bot } as never);
    const { runId } = await this.done<{ runId: string }>({ type: 'bot.start', id });
    await this.rig.tick('60000');
    return { id, runId };
  }

  run(id: string) {
    return this.rig.desk.core.bots?.book.bots.get(id);
  }

  /** Plays the market at an unchanged price: runs read the time from it. */
  async goesOn(): Promise<void> {
    for (let n = 0; n < 12; n++) {
      await this.rig.tick('60000');
      await this.rig.pass(20_000);
    }
  }

  /** Returns the largest number of orders that the exchange accepted within one of its windows. */
  busiest(): number {
    const counts = new Map<number, number>();
    for (const at of this.limits.orders) {
      const window = Math.floor(at / LIMITS.ordersMs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }
}

/** A desk whose grid waits: the entries of one window have left, out of 199. */
async function waitingGrid(
  options?: ConstructorParameters<typeof BudgetDesk>[0],
  before?: (desk: BudgetDesk) => Promise<void>,
) {
  const desk = new BudgetDesk(options);
  await desk.up();
  await desk.rig.pass(10_000);
  await before?.(desk);
  const run = await desk.grid(options?.limits ? CELLS : FEW);
  await desk.rig.pass(1_000);
  return { desk, ...run };
}

/** Buys, so that there is a position to protect. */
async function holding(desk: BudgetDesk): Promise<void> {
  expect(await desk.place({ type: 'MARKET', quantity: '0.01', price: undefined })).toMatchObject({
    status: 200,
  });
}

/**
 * Lets everything have its turn; then checks the rig's invariants and that the exchange never had to refuse.
 */
async function judged(desk: BudgetDesk, refused: object = NEVER): Promise<void> {
  expect(desk.busiest()).toBeLessThanOrEqual(desk.limits.limits.orders);
  expect(desk.limits.refused).toEqual(refused);
  const twice = desk.rig.sent.filter((id, i) => desk.rig.sent.indexOf(id) !== i);
  expect(twice, 'sent twice').toEqual([]);
  expect(desk.rig.violations).toEqual([]);
}

it('takes a grid of 199 entries, window after window, and all of them rest in the end', async () => {
  const { desk, id } = await waitingGrid({ limits: LIMITS });
  expect([desk.live().length, desk.waiting]).toEqual([LIMITS.orders, CELLS - LIMITS.orders]);
  const [budget] = desk.limited?.venue.health?.().budgets ?? [];
  expect(budget).toEqual({ name: 'orders 10 s of me', used: 50, limit: 50, windowMs: 10_000 });
  await desk.rig.pass(10_000);
  expect([desk.live().length, desk.waiting]).toEqual([2 * LIMITS.orders, CELLS - 2 * LIMITS.orders]);
  await desk.rig.pass(MINUTE_MS);
  expect(desk.live()).toHaveLength(CELLS);
  expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
  expect(desk.orders(({ status }) => status === 'ERROR')).toEqual([]);
  await judged(desk);
});

it('keeps within the window of the exchange, however long its requests are on their way', async () => {
  for (const upMs of [80, 1_900]) {
    const { desk } = await waitingGrid({ upMs });
    await desk.rig.pass(2 * MINUTE_MS);
    expect(desk.live()).toHaveLength(FEW);
    await judged(desk);
  }
});

it('answers the entry of a person 503 with a time, and stores nothing of it; what closes waits, and goes first', async () => {
  const { desk } = await waitingGrid({}, holding);
  const before = desk.orders().length;
  const refused = await desk.place();
  expect(refused.status).toBe(503);
  expect(refused.outcome).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
  // It waits behind 29 entries: four windows.
  const after = (refused.outcome as { error: { retryAfterS?: number } }).error.retryAfterS ?? 0;
  expect(after).toBeGreaterThan(20);
  expect(after).toBeLessThanOrEqual(40);
  expect(desk.orders()).toHaveLength(before);
  const sent = desk.rig.sent.length;
  const sale = await desk.place({ side: 'SELL', type: 'MARKET', quantity: '0.009', price: undefined });
  expect(sale).toMatchObject({ status: 200, outcome: { data: { status: 'NEW' } } });
  await desk.rig.pass(10_000);
  const { id } = (sale.outcome as { data: { id: string } }).data;
  expect(desk.rig.sent[sent]).toBe(id);
  expect(desk.orders((order) => order.id === id)).toMatchObject([{ status: 'CLOSED' }]);
  await desk.rig.pass(MINUTE_MS);
  const taken = await desk.place({ price: '15000' });
  expect(taken.status).toBe(200);
  await judged(desk);
});

it('gives up the entry of a person that was stored and has no turn within 2 s', async () => {
  const { desk } = await waitingGrid({ without: { asks: true } });
  const answer = await desk.place();
  expect(answer).toMatchObject({ status: 400, outcome: { error: { reason: 'BUDGET' } } });
  const [order] = desk.orders(({ creator }) => creator === 'UI');
  expect(order).toMatchObject({ status: 'ERROR', rejectCode: 'BUDGET' });
  await desk.rig.pass(MINUTE_MS);
  expect(desk.rig.sent).not.toContain(order?.id);
  expect(desk.live()).toHaveLength(FEW);
  await judged(desk);
});

it('cancels overtake what waits, at once', async () => {
  const mine: string[] = [];
  const { desk } = await waitingGrid({}, async (early) => {
    for (const price of ['15000', '15100', '15200']) {
      const { outcome } = await early.place({ price });
      mine.push((outcome as { data: { id: string } }).data.id);
    }
  });
  expect(desk.waiting).toBeGreaterThan(20);
  const at = desk.rig.clock.monotonic();
  for (const id of mine)
    expect(await desk.done({ type: 'cancel', exchange: EXCHANGE, id })).toMatchObject({
      status: 'CANCELLED',
    });
  expect(desk.rig.clock.monotonic()).toBe(at);
  await judged(desk);
});

it('never sends the entries of a run that is stopped while they wait', async () => {
  const { desk, id, runId } = await waitingGrid();
  await desk.rig.pass(10_000);
  const sent = desk.rig.sent.length;
  expect(desk.waiting).toBe(FEW - 2 * SMALL.orders);
  await desk.done({ type: 'bot.stop', id, runId, way: {} });
  await desk.rig.pass(1_000);
  expect(desk.waiting).toBe(0);
  await desk.rig.pass(MINUTE_MS);
  expect(desk.rig.sent).toHaveLength(sent);
  expect(desk.run(id)).toMatchObject({ status: 'STOPPED' });
  const ends = desk.orders().map(({ status }) => status);
  expect(ends).toEqual(Array(FEW).fill('CANCELLED'));
  await judged(desk);
});

it.each(['dies', 'is stopped'])(
  'loses none and sends none twice when the desk %s in the middle',
  async (how) => {
    const { desk, id } = await waitingGrid();
    await desk.rig.pass(10_000);
    if (how === 'is stopped') await desk.stop();
    desk.crash();
    await desk.up();
    expect(desk.orders(({ phase }) => phase === 'unresolved')).toHaveLength(FEW - 2 * SMALL.orders);
    await desk.goesOn();
    expect(desk.live()).toHaveLength(FEW);
    expect(new Set(desk.live().map(({ price }) => price)).size).toBe(FEW);
    expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
    await judged(desk);
  },
);

it('sends nothing of what waited when memory had to be loaded again, and all of it anew', async () => {
  const failing = { commits: 0 };
  const { desk, id } = await waitingGrid({
    storePort: (store) =>
      overlay(store, {
        commit: (rows) => {
          if (failing.commits-- > 0) throw new StoreError('BUSY', 'locked, says the test');
          store.commit(rows);
        },
      }),
  });
  expect(desk.waiting).toBe(FEW - SMALL.orders);
  const waited = desk.orders(({ phase }) => phase === 'sending').map((order) => order.id);
  failing.commits = 1;
  await desk.place();
  await desk.rig.pass(1_000);
  expect(desk.waiting).toBe(0);
  await desk.goesOn();
  expect(desk.rig.sent.filter((one) => waited.includes(one))).toEqual([]);
  expect(desk.live()).toHaveLength(FEW);
  expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
  await judged(desk);
});

it('sends nothing while its address is banned, and then what protects first', async () => {
  const { desk, id } = await waitingGrid({}, async (early) => {
    await holding(early);
    const stop = {
      side: 'SELL',
      type: 'STOP_MARKET',
      quantity: '0.009',
      price: undefined,
      stopPrice: '59900',
    };
    expect(await early.place(stop)).toMatchObject({ status: 200 });
  });
  desk.limits.ban(2 * MINUTE_MS);
  await desk.rig.pass(10_000);
  expect(desk.limits.refused['418']).toBeGreaterThan(0);
  const told = { ...desk.limits.refused };
  const sent = desk.rig.sent.length;
  await desk.rig.tick('59900');
  const [stop] = desk.orders(({ type }) => type === 'STOP_MARKET');
  expect(stop).toMatchObject({ phase: 'sending' });
  await desk.rig.pass(100_000);
  expect(desk.rig.sent).toHaveLength(sent);
  await desk.rig.pass(20_000);
  expect(desk.rig.sent[sent]).toBe(stop?.id);
  await desk.goesOn();
  expect(desk.orders(({ type }) => type === 'STOP_MARKET')).toMatchObject([{ status: 'CLOSED' }]);
  expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
  expect(desk.live()).toHaveLength(FEW);
  await judged(desk, told);
});

it('keeps to what others have left of it, as the headers say, and outlives a refusal', async () => {
  const { desk, id } = await waitingGrid();
  for (let n = 0; n < 12; n++) {
    desk.limits.others(6);
    await desk.rig.pass(10_000);
  }
  await desk.goesOn();
  expect(desk.live()).toHaveLength(FEW);
  expect(desk.run(id)).toMatchObject({ status: 'STARTED' });
  // The desk learns of the orders of others only from an answer's headers, so some may be refused.
  await judged(desk, desk.limits.refused);
});
