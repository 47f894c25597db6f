/**
 * A console on its own streams, for long or measured runs: the terminal acknowledges, bytes are counted, a
 * state can be pushed and waited for until its frame is out. Without an emulator, so that its work is not
 * counted.
 */
import type { EventEmitter } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type MountedConsole, mountConsole } from '../../../src/console/app/mount.tsx';
import type { DeskDelta, DeskState } from '../../../src/desk/console/protocol.ts';
import type { OrderView } from '../../../src/domain/order.ts';
import { FakeDesk } from './fake-desk.ts';
import { deskState } from './some-desk.ts';
import { NOON } from './some-market.ts';
import { order } from './some-orders.ts';
import { ANSWER, asTerminal, FakeStdin, FakeStdout, QUESTION } from './streams.ts';

/** Counts the bytes written. */
class Screen extends FakeStdout {
  bytes = 0;
  /** Number of writes, questions excluded. */
  frames = 0;

  override write(text: string, ...rest: unknown[]): boolean {
    this.bytes += Buffer.byteLength(text);
    if (text !== '' && text !== QUESTION) {
      this.frames++;
      this.emit('frame');
    }
    return super.write(text, ...rest);
  }
}

export interface BusyOptions {
  readonly columns: number;
  readonly rows: number;
  readonly state: DeskState;
  readonly themesDir?: string;
  /** @default 0: as fast as they come */
  readonly tickMs?: number;
  /** Gets the written text and calls `answer` for a question that has come through. @default at once */
  readonly link?: (text: string, answer: () => void) => void;
}

export class BusyConsole {
  readonly desk: FakeDesk;
  readonly stdin = new FakeStdin();
  readonly stdout: Screen;
  readonly mounted: MountedConsole;
  private acked: (() => void)[] = [];

  constructor({ columns, rows, state, themesDir, tickMs = 0, link }: BusyOptions) {
    this.desk = new FakeDesk(state);
    const answer = () => void this.stdin.write(ANSWER);
    const straight = (text: string) => {
      if (text === QUESTION) setImmediate(answer);
    };
    this.stdout = new Screen(columns, rows, link ? (text) => link(text, answer) : straight);
    let acks = 0;
    Object.defineProperty(this.desk, 'acks', {
      get: () => acks,
      set: (count: number) => {
        acks = count;
        for (const done of this.acked.splice(0)) done();
      },
    });
    this.mounted = mountConsole(this.desk, {
      hosting: true,
      dataDir: '/nowhere',
      themesDir: themesDir ?? fileURLToPath(new URL('../../../themes', import.meta.url)),
      ...asTerminal(this.stdin, this.stdout),
      env: { TERM: 'xterm-256color', COLORTERM: 'truecolor' },
      now: () => NOON,
      tickMs,
    });
  }

  /** Resolves once the frame that shows the change has been drawn, as the terminal says. */
  push(delta: DeskDelta): Promise<void> {
    const done = new Promise<void>((resolve) => this.acked.push(resolve));
    this.desk.push(delta);
    return done;
  }

  /** Resolves with the next frame. */
  async key(text: string): Promise<void> {
    const frame = new Promise<void>((resolve) => this.stdout.once('frame', () => resolve()));
    this.stdin.write(text);
    await frame;
  }

  async close(): Promise<void> {
    this.mounted.hangup('it is over');
    await this.mounted.exited;
  }

  /** Number of listeners; it only grows if one is not removed. */
  listeners(): number {
    const of = (emitter: EventEmitter) =>
      emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
    return of(this.stdin) + of(this.stdout) + of(process);
  }
}

/** A desk with this many open orders on some symbols, newest first; none is unresolved. */
export function stateWithOrders(count: number): DeskState {
  const base = deskState();
  const orders = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [orderId(at), openOrder(base, at)]),
  );
  return { ...base, orders, clock: { ...base.clock, held: true } };
}

export function orderId(at: number): string {
  return `oc-${String(at).padStart(10, '0')}`;
}

export function openOrder(state: DeskState, at: number, change: Partial<OrderView> = {}): OrderView {
  const prices = Object.values(state.prices);
  const { symbol = 'BTCUSDT', last: price } = prices[at % prices.length] ?? {};
  return order(orderId(at), {
    symbol,
    price,
    orderTime: NOON - at * 1_000,
    side: at % 2 ? 'BUY' : 'SELL',
    ...change,
  });
}
