/**
 * A console in a process of its own, measured from inside (`console-bundle.ts`). Costs are processor time of
 * the console's thread, which other programs on the machine affect less than the clock. Commands: `ticks`,
 * `cells`, `idle`, `keys`, `scroll`, `market`, `age`, `memory`.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import xterm from '@xterm/headless';
import type { DeskDelta } from '../../src/desk/console/protocol.ts';
import type { OrderView } from '../../src/domain/order.ts';
import { DEPTH, lookOf, marketAnswers, TAPE } from '../../test/console/market/markets.ts';
import {
  BusyConsole,
  type BusyOptions,
  openOrder,
  orderId,
  stateWithOrders,
} from '../../test/console/support/busy-console.ts';
import { ALIVE, churn } from '../../test/console/support/churn.ts';
import { answerCommands } from './answering.ts';

export interface Place {
  /** Folder of the package, which has the themes. */
  readonly root: string;
  readonly columns: number;
  readonly rows: number;
  readonly orders: number;
}

/** Cost of one tick or one key. */
export interface Cost {
  readonly cpuMs: number;
  /** Elapsed time by the clock. */
  readonly ms: number;
  readonly bytes: number;
}

export interface Age {
  /** Age of the state on the screen, every 50 ms. */
  readonly ms: readonly number[];
  readonly frames: number;
  readonly bytes: number;
}

export interface Heap {
  readonly frames: number;
  readonly updates: number;
  readonly bytes: number;
  readonly listeners: number;
}

const WARM_UP = 100;

async function open(place: Place, more: Partial<BusyOptions> = {}): Promise<BusyConsole> {
  const { columns, rows } = place;
  const themesDir = join(place.root, 'themes');
  const busy = new BusyConsole({ columns, rows, state: stateWithOrders(place.orders), themesDir, ...more });
  await busy.push({});
  busy.stdin.write('2');
  await busy.mounted.flush();
  await setTimeout(200);
  return busy;
}

async function cost(busy: BusyConsole, run: () => Promise<void>): Promise<Cost> {
  const bytes = busy.stdout.bytes;
  const at = performance.now();
  const cpu = process.threadCpuUsage();
  await run();
  const { user, system } = process.threadCpuUsage(cpu);
  return { cpuMs: (user + system) / 1_000, ms: performance.now() - at, bytes: busy.stdout.bytes - bytes };
}

/** A delta in which every order on the screen and every price has changed, or one in `every` orders. */
function everything(busy: BusyConsole, tick: number, count: number, every = 1): DeskDelta {
  const orders: Record<string, OrderView> = {};
  for (let at = 0; at < count; at += every) {
    const executedQty = `0.${String(10 + ((tick + at) % 39))}`;
    orders[orderId(at)] = openOrder(busy.desk.state, at, { executedQty, updatedAt: tick });
  }
  const prices = Object.fromEntries(
    Object.entries(busy.desk.state.prices).map(([symbol, price]) => [
      symbol,
      { ...price, last: String(Number(price.last) * (tick % 2 ? 1.01 : 0.991)) },
    ]),
  );
  return every === 1 ? { orders, prices } : { orders };
}

/** A tick of the displayed symbol. */
function marketMove(busy: BusyConsole, tick: number): DeskDelta {
  const { at, frameMs } = busy.mounted.session.ui.getState().market;
  if (!at) throw new Error('no symbol is looked at');
  const { forming } = lookOf('depth', frameMs, at.symbol);
  const { prices } = busy.desk.state;
  const key = `${at.market} ${at.symbol}`;
  const price = prices[key];
  const [trade] = TAPE;
  if (!forming || !price || !trade) throw new Error('there is nothing to change');
  const last = (61_000 + (tick % 40) * 3).toFixed(2);
  const moved = (side: typeof DEPTH.bids) =>
    side.map(([level], at) => [level, (((tick + at) % 9) + 0.5).toFixed(5)] as const);
  return {
    prices: { [key]: { ...price, last } },
    look: {
      forming: { ...forming, close: last },
      depth: { bids: moved(DEPTH.bids), asks: moved(DEPTH.asks) },
      tape: [{ ...trade, price: last, time: trade.time + tick * 50 }],
    },
  };
}

async function costs(busy: BusyConsole, count: number, run: (at: number) => Promise<void>): Promise<Cost[]> {
  for (let at = 0; at < WARM_UP; at++) await run(at);
  const all: Cost[] = [];
  for (let at = 0; at < count; at++) all.push(await cost(busy, () => run(WARM_UP + at)));
  return all;
}

answerCommands({
  ticks: async ({ place, count }: { place: Place; count: number }) => {
    const busy = await open(place);
    const all = await costs(busy, count, (at) => busy.push(everything(busy, at, place.rows)));
    await busy.close();
    return all;
  },
  /** Measures a change of one cell of the table. */
  cells: async ({ place, count }: { place: Place; count: number }) => {
    const busy = await open(place);
    const all = await costs(busy, count, (at) => {
      const id = orderId(5);
      const executedQty = `0.${10 + (at % 39)}`;
      return busy.push({ orders: { [id]: openOrder(busy.desk.state, 5, { executedQty }) } });
    });
    await busy.close();
    return all;
  },
  /**
   * Measures frames while the feed is held: at first no news, then news that change nothing on the screen.
   */
  idle: async ({ place, ms }: { place: Place; ms: number }) => {
    const busy = await open(place, { tickMs: 100 });
    const before = busy.stdout.frames;
    await setTimeout(ms / 2);
    for (let at = 0; at < ms / 200; at++) {
      busy.desk.push({ clock: { ...busy.desk.state.clock, wall: busy.desk.state.clock.wall + at } });
      await setTimeout(100);
    }
    const frames = busy.stdout.frames - before;
    await busy.close();
    return frames;
  },
  keys: async ({ place, count }: { place: Place; count: number }) => {
    const busy = await open(place);
    const all = await costs(busy, count, async (at) => {
      // Moves within the screen, down and up again.
      await busy.key(at % 20 < 10 ? 'j' : 'k');
      await setTimeout(15);
    });
    const paced = all.map((one) => ({ ...one, ms: one.ms - 15 }));
    await busy.close();
    return paced;
  },
  /** Measures scrolling: every step moves the whole table by a row. */
  scroll: async ({ place, count }: { place: Place; count: number }) => {
    const busy = await open(place);
    for (let at = 0; at < place.rows; at++) await busy.key('j');
    const all = await costs(busy, count, () => busy.key('j'));
    await busy.close();
    return all;
  },
  /** Measures the market screen with everything it can draw: price, candle, depth and tape have changed. */
  market: async ({ place, count }: { place: Place; count: number }) => {
    const busy = await open(place);
    Object.assign(busy.desk.answers, marketAnswers(busy.desk, 'depth'));
    for (const key of ['1', '\r', 'e', 'e', 'w', 'i']) await busy.key(key);
    await setTimeout(300);
    const all = await costs(busy, count, (at) => busy.push(marketMove(busy, at)));
    await busy.close();
    return all;
  },
  age,
  memory: async (options: { place: Place; frames: number; updatesPerFrame: number }) => {
    const { place, frames, updatesPerFrame } = options;
    const busy = await open({ ...place, orders: ALIVE });
    const marks: Heap[] = [];
    await churn(busy, frames, updatesPerFrame, frames / 10, (at) => {
      for (let times = 0; times < 3; times++) globalThis.gc?.();
      const { heapUsed, external } = process.memoryUsage();
      marks.push({ ...at, bytes: heapUsed + external, listeners: busy.listeners() });
    });
    await busy.close();
    return marks;
  },
});

interface AgeOptions {
  readonly place: Place;
  readonly bytesPerSecond: number;
  readonly ms: number;
  /** Each state changes one in so many orders. */
  readonly every: number;
}

/**
 * Measures the age of a screen: a connection with so many bytes a second, a terminal at its end, a desk whose
 * equity is the number of the state. Like a real desk it sends the next state when the last one is
 * acknowledged.
 */
async function age({ place, bytesPerSecond, ms, every }: AgeOptions): Promise<Age> {
  const { columns, rows } = place;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  const queue: { text: string; answer: () => void }[] = [];
  let busyLink = false;
  const carry = async (): Promise<void> => {
    busyLink = true;
    for (let next = queue.shift(); next; next = queue.shift()) {
      await setTimeout((Buffer.byteLength(next.text) / bytesPerSecond) * 1_000);
      const { text, answer } = next;
      if (text === '\x1b[5n') answer();
      else await new Promise<void>((resolve) => terminal.write(text, resolve));
    }
    busyLink = false;
  };
  const busy = await open(place, {
    tickMs: 100,
    link: (text, answer) => {
      queue.push({ text, answer });
      if (!busyLink) void carry();
    },
  });
  await setTimeout(2_000);
  const usdOf = (at: number) => `${100_000 + at}.00`;
  const began: number[] = [];
  let waiting: Promise<void> | null = null;
  let at = 0;
  const ages: number[] = [];
  const [framesBefore, bytesBefore] = [busy.stdout.frames, busy.stdout.bytes];
  const end = performance.now() + ms;
  let sentTo = -1;
  while (performance.now() < end) {
    began[at] = performance.now();
    if (!waiting) {
      sentTo = at;
      const equity = { ...busy.desk.state.equity, usd: usdOf(sentTo) };
      waiting = busy.push({ ...everything(busy, at, rows, every), equity }).then(() => {
        waiting = null;
      });
    }
    at++;
    for (let half = 0; half < 2; half++) {
      await setTimeout(50);
      const header = terminal.buffer.active.getLine(0)?.translateToString() ?? '';
      const shown = /1(\d\d),(\d{3})\.00/.exec(header);
      const since = shown ? began[Number(`${shown[1]}${shown[2]}`)] : undefined;
      if (since !== undefined) ages.push(performance.now() - since);
    }
  }
  const age = { ms: ages, frames: busy.stdout.frames - framesBefore, bytes: busy.stdout.bytes - bytesBefore };
  await busy.close();
  return age;
}
