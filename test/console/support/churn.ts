/**
 * Months of a console in minutes: orders come, fill and go while a person visits one screen after the other.
 */
import type { DeskDelta } from '../../../src/desk/console/protocol.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { type BusyConsole, openOrder, orderId } from './busy-console.ts';
import { NOON } from './some-market.ts';

/** Number of orders at any time. */
export const ALIVE = 200;
/** Messages of the desk per frame. */
const MESSAGES = 4;
const LOOK_EVERY = 50;
/**
 * The keys that a person presses meanwhile: every screen, details, filter, ticket, palette, help, questions,
 * and out of them.
 */
const KEYS: readonly string[] = [
  '1',
  'j',
  '2',
  'j',
  '\r',
  'j',
  '\t',
  '\x1b[27u',
  '/',
  'eth',
  '\x1b[27u',
  'n',
  '\t',
  '0.5',
  '\x1b[27u',
  'x',
  '\x1b[27u',
  'G',
  'g',
  '3',
  '4',
  '5',
  '6',
  '\r',
  '\x1b[27u',
  '7',
  '8',
  '9',
  ':',
  'log',
  '\x1b[27u',
  '?',
  '\x1b[27u',
  'q',
  '\x1b[27u',
];

export interface Mark {
  readonly frames: number;
  readonly updates: number;
}

/** Runs the churn; calls `mark` after every `markEvery` frames. */
export async function churn(
  busy: BusyConsole,
  frames: number,
  updatesPerFrame: number,
  markEvery: number,
  mark: (at: Mark) => void,
): Promise<void> {
  let updates = 0;
  let newest = ALIVE;
  let keys = 0;
  const message = (count: number): DeskDelta => {
    const orders: Record<string, OrderView | null> = {};
    for (let at = 0; at < count; at++) {
      updates++;
      const which = newest - 1 - (updates % ALIVE);
      orders[orderId(which)] = openOrder(busy.desk.state, which, {
        executedQty: ((updates % 49) / 100).toFixed(2),
        updatedAt: NOON + updates,
      });
    }
    // One order ends, another is placed.
    orders[orderId(newest - ALIVE)] = null;
    orders[orderId(newest)] = openOrder(busy.desk.state, newest);
    newest++;
    const usd = (200_000 + (updates % 1_000)).toFixed(2);
    return {
      orders,
      equity: { ...busy.desk.state.equity, usd },
      log: [{ at: NOON + updates, level: 'info', source: 'order', text: `update ${updates}` }],
    };
  };
  for (let frame = 1; frame <= frames; frame++) {
    for (let at = 1; at < MESSAGES; at++) busy.desk.push(message(Math.floor(updatesPerFrame / MESSAGES)));
    await busy.push(message(updatesPerFrame - (MESSAGES - 1) * Math.floor(updatesPerFrame / MESSAGES)));
    if (frame % LOOK_EVERY === 0) {
      busy.stdin.write(KEYS[keys++ % KEYS.length] ?? '1');
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (frame % markEvery === 0) mark({ frames: frame, updates });
  }
}
