/**
 * Desks with stores of their own on one account of the rough exchange, in virtual time: the product's own
 * composition, its store in a file that can be copied. Requests that place, cancel or change are counted at
 * the exchange.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { identityHandlers, shutOf } from '../../../src/desk/console/console-identity.ts';
import type { DeskShut } from '../../../src/desk/console/protocol.ts';
import { embedded, openTrading, type Trading } from '../../../src/desk/trading.ts';
import type { AccountIdentity } from '../../../src/domain/account-identity.ts';
import type { Place } from '../../../src/domain/desk-id.ts';
import type { Outcome } from '../../../src/domain/errors.ts';
import type { OrderRecord } from '../../../src/domain/order.ts';
import type { Answer, OrderCommand } from '../../../src/engine/step.ts';
import type { CreateOrder } from '../../../src/schemas/order.ts';
import { placeOf } from '../../../src/store/place.ts';
import { openSqliteStore } from '../../../src/store/sqlite/index.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Venue } from '../../../src/venues/venue.ts';
import { OPERATOR } from '../../engine/support/market.ts';
import { Dice } from '../../simulation/dice.ts';
import type { RoughPlan } from '../../simulation/rough/rough-plan.ts';
import { RoughSpot } from '../../simulation/rough/rough-spot.ts';
import { RoughLine } from '../../simulation/rough/rough-venue.ts';
import { type Life, SimClock } from '../../simulation/sim-clock.ts';
import { SimFaults } from '../../simulation/sim-faults.ts';
import { FakeMarket } from '../../support/fake-market.ts';
import { HandFeed } from '../../support/hand-feed.ts';

export const EXCHANGE = 'rough-spot';
const START = Date.UTC(2026, 0, 5);
const MEMORY_DISK = '/dev/shm';
/** Prices do not move: resting orders do not fill. */
const STRIDE = 0;
const PRICE = '102000';

const PLAN: RoughPlan = {
  eventDelayMs: 200,
  lagMs: 0,
  priceDelayMs: 0,
  driftMs: 40,
  page: 3,
  forgetMs: Number.POSITIVE_INFINITY,
  lateRefusal: 0,
  strangersEveryMs: 0,
  transfersEveryMs: 0,
  triggersMakeOrders: false,
  nativeStops: true,
  waitingMax: Number.POSITIVE_INFINITY,
  emptyFigures: 0,
  makerFee: '0.001',
  takerFee: '0.001',
  feeAsset: null,
  hides: 0,
  symbolsEveryMs: 0,
  namesCancelled: 1,
  limits: null,
};

/** The exchange with its one account; desks start and end. */
export class Exchange {
  readonly clock = new SimClock(START, new Dice(1, 'clock'), 0);
  readonly rough: RoughSpot;
  /** The sinks of the desks before the last one. */
  readonly #sinks: NonNullable<RoughSpot['inner']['sink']>[] = [];
  readonly folder = mkdtempSync(join(existsSync(MEMORY_DISK) ? MEMORY_DISK : tmpdir(), 'outcry-desks-'));
  /** The identity of the account; null: the exchange does not answer. */
  identity: AccountIdentity | null = { id: '1234' };
  /** Open orders can be listed. */
  lists = true;

  constructor() {
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
    const common = { clock: this.clock, healed: () => true, struck: () => {}, isKnown: () => true };
    this.rough = new RoughSpot({
      ...common,
      plan: PLAN,
      paper: {},
      stride: STRIDE,
      tickEveryMs: () => 1_000,
      dice: new Dice(1, 'exchange'),
      marketDice: new Dice(1, 'market'),
      ledgerDice: new Dice(1, 'ledger'),
      faults: new SimFaults(new Dice(1, 'faults'), new Map()),
      stored: () => {},
    });
  }

  /** Returns a line for one more desk: each desk receives every event. */
  line(): Venue {
    const { rough, clock } = this;
    const line = new RoughLine({
      clock,
      exchange: rough,
      healed: () => true,
      struck: () => {},
      dice: new Dice(1, 'line'),
      symbolDice: new Dice(1, 'symbols'),
      ledgerDice: new Dice(1, 'ledger line'),
    });
    // The line that was made last receives the events and passes them on to all.
    const sinks = this.#sinks;
    if (rough.inner.sink) sinks.push(rough.inner.sink);
    rough.inner.sink = {
      order: (state) => {
        for (const sink of sinks) sink.order(state);
      },
      fill: (fill) => {
        for (const sink of sinks) sink.fill(fill);
      },
      balances: (changed) => {
        for (const sink of sinks) sink.balances(changed);
      },
      positions: (changed) => {
        for (const sink of sinks) sink.positions?.(changed);
      },
      ledger: () => {
        for (const sink of sinks) sink.ledger?.();
      },
      stream: (state) => {
        for (const sink of sinks) sink.stream(state);
      },
    };
    return line.venue;
  }

  /** Ids of the orders that rest on its books. */
  get open(): string[] {
    return this.rough
      .docs<{ clientId: string; status: string }>('order')
      .filter(({ status }) => status === 'WORKING' || status === 'PENDING')
      .map(({ clientId }) => clientId);
  }

  /** Somebody places an order that rests, with this id. */
  made(clientId: string): void {
    const order = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '80000',
      quantity: '0.001',
    } as const;
    void this.rough.inner.venue.submit({ ...order, clientId, timeInForce: 'GTC' });
  }

  pass(ms: number): Promise<void> {
    return this.clock.runUntil(this.clock.now + ms, () => false);
  }
}

export interface DeskOptions {
  readonly takeover?: boolean;
  /** Default: the folder of its file. */
  readonly place?: Place;
  /** Wraps the store. */
  readonly store?: (store: Store) => Store;
}

/** One life of a desk on a store file. */
export class Desk {
  readonly trading: Trading;
  /** The requests of this desk that change anything at the exchange. */
  readonly asked: string[] = [];
  readonly log: string[] = [];
  readonly #life: Life = { alive: true };
  readonly #exchange: Exchange;
  readonly #store: Store;
  #isRunning = false;
  broken: string | null = null;

  constructor(
    exchange: Exchange,
    file: string,
    { takeover = false, place, store: over = (store) => store }: DeskOptions = {},
  ) {
    this.#exchange = exchange;
    this.#store = openSqliteStore(file);
    const clock = exchange.clock.of(this.#life);
    const market = new FakeMarket(clock, { market: 'rough' });
    market.answers.prices = async () => [['BTCUSDT', PRICE]];
    const feed = new HandFeed({ symbols: ['BTCUSDT'], startTime: START, live: true });
    // Prices arrive but do not change; those of the paper exchange tell the time.
    const tick = () => {
      market.ticks(['BTCUSDT', PRICE]);
      feed.push({ time: clock.wall(), symbol: 'BTCUSDT', price: PRICE, volume: '1' });
      clock.after(1_000, tick);
      if (!this.#isRunning) return;
      this.trading.market.driver.pause();
      this.trading.market.driver.play();
    };
    clock.after(1_000, tick);
    const dice = new Dice(Math.floor(exchange.clock.now), `ids of ${file}`);
    this.trading = openTrading({
      options: { feed: 'none', seed: 1, speed: 1, hold: false, timeZone: 'UTC' },
      ports: {
        openFeed: () => ({
          feed,
          samplePrices: () => [],
        }),
        venues: (given) => {
          const own = embedded(given);
          return { all: [...own.all, this.#counted(exchange.line())], paper: own.paper };
        },
        markets: [market],
      },
      clock,
      random: { id: (length) => dice.id(length), next: () => dice.next() },
      store: over(this.#store),
      place: place ?? placeOf(file),
      takeover,
      targets: new Map(),
      logFile: ({ level, text }) => this.log.push(`${level}: ${text}`),
      fatal: (reason) => {
        this.broken = reason;
      },
    });
  }

  static async start(exchange: Exchange, file: string, options: DeskOptions = {}): Promise<Desk> {
    const desk = new Desk(exchange, file, options);
    await desk.during(desk.trading.start());
    desk.trading.run();
    desk.#isRunning = true;
    await exchange.pass(1_000);
    return desk;
  }

  get memory() {
    return this.trading.core.engine.memory;
  }

  get orders(): OrderRecord[] {
    return [...this.memory.orders.values()].filter(({ exchange }) => exchange === EXCHANGE);
  }

  get shut(): DeskShut | null {
    return shutOf(this.trading.core, EXCHANGE);
  }

  /** Red lines that name the account or its desk. */
  get red(): string[] {
    return this.log.filter((line) => line.startsWith('error: '));
  }

  execute(command: OrderCommand): Promise<Answer> {
    return this.during(this.trading.core.execute(OPERATOR, command, { requestId: 'r' }));
  }

  /** Places an order; returns `taken`, or why not. */
  async place(more: Partial<CreateOrder> = {}): Promise<string> {
    const request = {
      exchange: EXCHANGE,
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      price: '90000',
      quantity: '0.01',
      ...more,
    } as CreateOrder;
    const { outcome } = await this.execute({ type: 'place', request });
    if (outcome?.ok) return 'taken';
    return outcome ? `${outcome.error.code}: ${outcome.error.message}` : 'no answer';
  }

  /** Starts a bot and returns its id; its run buys at 95,000 and sells at 110,000. */
  async startBot(): Promise<string> {
    const settings = {
      exchange: EXCHANGE,
      symbol: { base: 'BTC', quote: 'USDT' },
      deposit: { value: '1000', asset: 'USDT' },
      flavor: 'LEVELS',
      levels: [{ buy: '95000', sell: '110000' }],
    };
    const made = await this.execute({ type: 'bot.create', bot: { type: 'CHANNEL', settings } });
    const { id } = dataOf(made) as { id: string };
    dataOf(await this.execute({ type: 'bot.start', id }));
    await this.#exchange.pass(1_000);
    return id;
  }

  /** Returns the status, or the status and the reason of its last run. */
  bot(id: string) {
    const { bots } = this.trading.core;
    const bot = bots?.book.bots.get(id);
    return bot && bots?.book.shown(bot);
  }

  takeOver(of: 'held' | 'others' | 'paused'): Promise<Outcome<null>> {
    const handlers = identityHandlers({ core: this.trading.core, requestId: () => 'r' });
    return this.during(handlers['exchange.takeOver']({ exchange: EXCHANGE, of }));
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.during(this.trading.halt());
    await this.during(this.trading.close('the test says so'));
    this.kill();
  }

  /** Ends the desk as a process dies. */
  kill(): void {
    this.#life.alive = false;
    this.#store.close();
  }

  /** Lets time pass until the promise is settled. */
  async during<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    done.catch(() => {});
    for (let n = 0; n < 600 && !isDone; n++) await this.#exchange.pass(100);
    if (!isDone) throw new Error('not done within a minute');
    return done;
  }

  #counted(venue: Venue): Venue {
    const { identity: _, ...rest } = venue;
    const exchange = this.#exchange;
    const note = (what: string) => {
      if (this.#life.alive) this.asked.push(what);
    };
    const never = new Promise<never>(() => {});
    const alive = async <T>(run: () => Promise<T>): Promise<T> => {
      if (!this.#life.alive) return never;
      const answer = await run();
      return this.#life.alive ? answer : never;
    };
    return {
      ...rest,
      open: (sink) =>
        rest.open({
          order: (state) => this.#life.alive && sink.order(state),
          fill: (fill) => this.#life.alive && sink.fill(fill),
          balances: (changed) => this.#life.alive && sink.balances(changed),
          ledger: () => this.#life.alive && sink.ledger?.(),
          stream: (state) => this.#life.alive && sink.stream(state),
        }),
      submit: (order) => {
        note(`submit ${order.side} ${order.clientId}`);
        return alive(() => rest.submit(order));
      },
      cancel: (ref) => {
        note(`cancel ${ref.clientId}`);
        return alive(() => rest.cancel(ref));
      },
      openOrders: () => alive(async () => (exchange.lists ? rest.openOrders() : null)),
      identity: () => alive(async () => exchange.identity),
    };
  }
}

function dataOf({ outcome }: Answer): unknown {
  if (!outcome?.ok) throw new Error(outcome?.error.message ?? 'no answer');
  return outcome.data;
}

/** Copies the present store into another file; returns its name. */
export function copyOf(file: string): string {
  const copy = `${file}.copy`;
  for (const end of ['', '-wal', '-shm']) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  return copy;
}
