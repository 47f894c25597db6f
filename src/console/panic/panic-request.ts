/**
 * One request of a panic for some items of a part, and the outcome of each: used by the console and by the
 * shell's own command.
 */
import type { Method, Params, Result } from '../../desk/console/protocol.ts';
import { instrumentKey } from '../../domain/instrument.ts';
import { closeAtMarket } from '../positions/position-orders.ts';
import { openPositions } from '../trading/positions.ts';
import {
  botOutcomes,
  type Came,
  itemKey,
  type Outcomes,
  orderOutcomes,
  type PanicItem,
  type PanicPart,
  type PanicWorld,
  positionOutcome,
  restartOutcome,
} from './panic.ts';

/** Items per request: bots as many as the specification allows, orders few enough to show progress. */
const PANIC_REQUEST: Record<PanicPart, number> = { holdings: 20, bots: 20, orders: 50, positions: 1 };
/** Largest number of orders in one request where orders of one symbol stay together. */
const TOGETHER_MAX = 500;

/**
 * Splits the waiting items into requests. Orders of one symbol of an account stay together, so that one
 * request to the exchange cancels all of them.
 */
export function panicRequests(
  part: PanicPart,
  waiting: readonly PanicItem[],
  state: PanicWorld | null,
): PanicItem[][] {
  const most = PANIC_REQUEST[part];
  const symbolOf = ({ id }: PanicItem): string => {
    const order = part === 'orders' ? state?.orders[id] : undefined;
    return order ? instrumentKey(order) : '';
  };
  const requests: PanicItem[][] = [];
  for (const [symbol, items] of Map.groupBy(waiting, symbolOf)) {
    const whole = symbol === '' ? most : TOGETHER_MAX;
    const last = requests.at(-1);
    if (last && last.length + items.length <= most) last.push(...items);
    else for (let at = 0; at < items.length; at += whole) requests.push(items.slice(at, at + whole));
  }
  return requests;
}

export interface PanicRequester {
  /** Sends a request to the desk. Null: no response. */
  readonly ask: <M extends Method>(method: M, params: Params<M>) => Promise<Result<M> | null>;
  /** The state in which the items were found. */
  readonly state: PanicWorld | null;
  /** All parts of the panic. */
  readonly parts: readonly PanicPart[];
}

export async function panicRequest(
  { ask, state, parts }: PanicRequester,
  part: PanicPart,
  items: readonly PanicItem[],
): Promise<Outcomes> {
  const ids = items.map(({ id }) => id);
  switch (part) {
    case 'holdings': {
      const runs = ids.flatMap((id) => {
        const runId = state?.bots[id]?.runId;
        return runId === undefined ? [] : [[id, runId] as const];
      });
      const gone = items.filter(({ id }) => !runs.some(([bot]) => bot === id));
      const ended: [string, Came][] = gone.map((item) => [
        itemKey(item),
        { state: 'done', text: 'had ended' },
      ]);
      if (runs.length === 0) return new Map(ended);
      const way = { cleanup: 'cancelAllOrders', action: 'stop_and_sell', force: true } as const;
      const answer = await ask('bots.batch', { op: 'stop', runs, way });
      const asked = items.filter((item) => !gone.includes(item));
      return new Map([...ended, ...botOutcomes(asked, answer)]);
    }
    case 'bots': {
      const idle = items.filter(({ id }) => state?.bots[id]?.runId === undefined);
      const outcomes = new Map<string, Came>();
      for (const item of idle) {
        const answer = await ask('bots.patch', { id: item.id, change: { restart: false } });
        for (const [key, came] of restartOutcome(item, answer)) outcomes.set(key, came);
      }
      const runs = ids.flatMap((id) => {
        const runId = state?.bots[id]?.runId;
        return runId === undefined ? [] : [[id, runId] as const];
      });
      if (runs.length === 0) return outcomes;
      const cleanup = parts.includes('orders') ? ('cancelAllOrders' as const) : ('leaveAllOrders' as const);
      const answer = await ask('bots.batch', { op: 'stop', runs, way: { cleanup, force: true } });
      const running = items.filter((item) => !idle.includes(item));
      return new Map([...outcomes, ...botOutcomes(running, answer)]);
    }
    case 'orders':
      return orderOutcomes(items, await ask('orders.cancelAll', { ids }));
    case 'positions': {
      const [item] = items as [PanicItem];
      return closed(ask, item, state);
    }
  }
}

async function closed(
  ask: PanicRequester['ask'],
  item: PanicItem,
  state: PanicWorld | null,
): Promise<Outcomes> {
  const position = state ? openPositions(state).find(({ id }) => id === item.id) : undefined;
  if (!position) return new Map([[itemKey(item), { state: 'done', text: 'had been closed' } as const]]);
  return positionOutcome(item, await ask('orders.place', closeAtMarket(position)));
}

/**
 * Closes that were refused, once more, after every other one has been tried: an exchange that refuses one may
 * know of another position than this desk, as in a gap of events. Each account is compared with its exchange
 * first; what is not open any more is done. Without an answer, or where an account is not read any more, a
 * close stays refused.
 */
export async function closesAgain(
  { ask }: Pick<PanicRequester, 'ask'>,
  items: readonly PanicItem[],
): Promise<Outcomes> {
  const refused = items.filter(({ part, refused }) => part === 'positions' && refused === true);
  const known = refused.length > 0 ? await ask('panic.targets', { part: 'positions' }) : null;
  if (!known) return new Map();
  const accountOf = new Map(openPositions(known).map(({ id, exchange }) => [id, exchange]));
  const accounts = new Set(refused.flatMap(({ id }) => accountOf.get(id) ?? []));
  await Promise.all([...accounts].map((exchange) => ask('exchange.reconcile', { exchange })));
  const now = await ask('panic.targets', { part: 'positions' });
  const outcomes = new Map<string, Came>();
  for (const item of now ? refused : []) {
    const account = accountOf.get(item.id);
    if (account !== undefined && !now?.futures[account]) continue;
    for (const [key, came] of await closed(ask, item, now)) outcomes.set(key, came);
  }
  return outcomes;
}
