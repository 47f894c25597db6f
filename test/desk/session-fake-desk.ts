/** A desk that does nothing by itself and obeys the test, for tests of sessions and transports. */

import type { DeskDelta, DeskInfo, DeskState, Method } from '../../src/desk/console/protocol.ts';
import type { ChangeMark, DirtyMarks, RunningDesk } from '../../src/desk/running.ts';
import type { OrderView } from '../../src/domain/order.ts';

export const INFO: DeskInfo = {
  version: '0.0.0',
  user: 'owner',
  paper: true,
  apiUrl: 'http://127.0.0.1:7420/api',
  wsUrl: 'ws://127.0.0.1:7420/ws',
  dataDir: '/nowhere',
  startedAt: 1,
};

export function emptyState(): DeskState {
  return {
    desk: INFO,
    clock: { wall: 1, market: 1, feed: 'synthetic', live: true, speed: 1, held: false, ended: false },
    accounts: [],
    instruments: [],
    prices: {},
    orders: {},
    portfolios: {},
    futures: {},
    bots: {},
    alerts: [],
    mutes: { bots: [], targets: [] },
    equity: { usd: '0', btc: null, partial: false, spark: [], dayStartUsd: null },
    wallets: {},
    keys: [],
    vault: { state: 'none', connections: [], retryAt: null },
    maintenance: null,
    log: [],
  };
}

export class FakeDesk implements RunningDesk {
  readonly info = INFO;
  readonly listeners = new Set<(mark: ChangeMark) => void>();
  readonly calls: { method: Method; params: unknown }[] = [];
  readonly stops: string[] = [];
  /** The changed items of every delta asked for, as plain data. */
  readonly deltas: { orders: string[]; prices: string[]; log: string[]; clock: boolean; keys: boolean }[] =
    [];
  orders: Record<string, OrderView> = {};
  answer: (method: Method, params: unknown) => unknown = (_method, params) => params;
  #stopping: (ending: { reason: string; exitCode: 0 | 1 }) => void = () => {};
  readonly stopping = new Promise<{ reason: string; exitCode: 0 | 1 }>((resolve) => {
    this.#stopping = resolve;
  });

  async call(method: Method, params: unknown): Promise<never> {
    this.calls.push({ method, params });
    if (method === 'desk.stop') this.beginStop('stopped at the terminal');
    return (await this.answer(method, params)) as never;
  }

  state(): DeskState {
    return { ...emptyState(), orders: this.orders };
  }

  delta(marks: DirtyMarks): DeskDelta {
    const { orders, prices, log, clock, keys } = marks;
    this.deltas.push({
      orders: [...orders],
      prices: [...prices],
      log: log.map((line) => line.text),
      clock,
      keys,
    });
    const changed: Record<string, OrderView | null> = {};
    for (const id of orders) changed[id] = this.orders[id] ?? null;
    return { ...(orders.size > 0 && { orders: changed }), ...(log.length > 0 && { log }) };
  }

  onChange(listener: (mark: ChangeMark) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  mark(...marks: ChangeMark[]): void {
    for (const mark of marks) for (const listener of this.listeners) listener(mark);
  }

  log(...texts: string[]): void {
    for (const text of texts)
      this.mark({ kind: 'log', line: { at: 1, level: 'info', source: 'desk', text } });
  }

  beginStop(reason: string, exitCode: 0 | 1 = 0): void {
    this.#stopping({ reason, exitCode });
  }

  async stop(reason: string): Promise<void> {
    this.stops.push(reason);
  }
}

/** The state that the desk sent, without the terminal's own identity. */
export function withoutMe(state: DeskState): DeskState {
  const { me: _, ...rest } = state;
  return rest;
}
