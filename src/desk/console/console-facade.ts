/**
 * The desk as a terminal sees it (`protocol.ts`): every method, in one table. At the console the operator is
 * the one local user.
 */

import type { Vault } from '../../access/vault/vault.ts';
import { type Actor, actorLabel, OWNER, type Tier } from '../../domain/actor.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { mayBeOpen } from '../../domain/order.ts';
import { amendFigures, orderPreview, splitFigures } from '../../engine/order-preview.ts';
import type { OrderCommand } from '../../engine/step.ts';
import { orderViewOf } from '../../engine/views.ts';
import type { MarketDriver } from '../../market/driver.ts';
import type { Store } from '../../store/store.ts';
import type { PaperFaults } from '../../venues/paper/faults.ts';
import type { AlertMuteSet, MuteRequest } from '../alerts/alert-mutes.ts';
import type { Connections } from '../connections/connections.ts';
import type { DeskCore } from '../core/desk-core.ts';
import { inRealTime, type LiveMarkets } from '../market/live/live-markets.ts';
import type { MarketHistory } from '../market/market-history.ts';
import type { DeskOperators } from '../operators/desk-operators.ts';
import type { Preview } from '../preview/preview.ts';
import type { Caller, DeskMethod, SshPort } from '../running.ts';
import { botHandlers } from './console-bots.ts';
import { exportHandlers } from './console-exports.ts';
import { guardHandlers } from './console-guards.ts';
import { identityHandlers } from './console-identity.ts';
import { keyHandlers } from './console-keys.ts';
import { memoryHandlers } from './console-memory.ts';
import { operatorHandlers } from './console-operators.ts';
import { type PaperDeskOptions, paperHandlers } from './console-paper.ts';
import { pnlHandlers } from './console-pnl.ts';
import { vaultHandlers } from './console-vault.ts';
import { setMaintenance } from './maintenance.ts';
import { notePanic } from './panic-note.ts';
import { panicTargetsOf } from './panic-targets.ts';
import type { ClockView, DeskMethods, Method, Params, Result } from './protocol.ts';

export interface ConsoleFacadeOptions {
  readonly core: DeskCore;
  readonly store: Store;
  readonly history: MarketHistory;
  readonly driver: MarketDriver;
  /** Markets that run with the clock, whatever the paper market does. */
  readonly live: LiveMarkets;
  readonly connections: Connections;
  /** Fault switches of an embedded exchange account; null for any other account. */
  readonly faults: (exchange: string) => PaperFaults | null;
  /** Where a price alert goes that a person sets. */
  readonly priceAlertsTo: readonly string[];
  readonly paper: Pick<PaperDeskOptions, 'venues' | 'settings' | 'paid'>;
  readonly vault: Vault;
  readonly operators: DeskOperators;
  readonly ssh: SshPort;
  readonly dataDir: string;
  /** The API's root URL. */
  readonly apiUrl: string;
  readonly wall: () => number;
  /** The time zone in which the PnL book counts its days. */
  readonly timeZone: string;
  /** Ladders and replays of bots that are being written. */
  readonly preview: Preview;
  readonly requestId: () => string;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly clockView: () => ClockView;
  readonly feeRates: (exchange: string | undefined) => { maker: string; taker: string };
  /** Wall time at which the API started. */
  readonly startedAt: number;
  /** Returns the API's route of a method and a path, and the tier it needs. */
  readonly routeOf: (method: string, path: string) => Outcome<{ name: string; tier: Tier | null }>;
  /** Closes the open sockets of a revoked key; returns their number. */
  readonly closeSocketsOf: (keyId: string) => number;
  /** Mutes a bot or a target of alerts, or unmutes it. */
  readonly mute: (request: MuteRequest) => Outcome<AlertMuteSet>;
  /** Marks alerts as seen. */
  readonly seen: (ids: readonly string[]) => void;
  readonly stop: (reason: string) => void;
}

type Handlers = { [M in DeskMethod]: (params: Params<M>) => Promise<Result<M>> | Result<M> };

/** The facade as one caller has it. */
export interface CallerFacadeOptions extends ConsoleFacadeOptions {
  /** The actor of the caller's requests. */
  readonly actor: Actor;
  /** The operator's name; empty: the owner of the data folder, a name that no operator can have. */
  readonly name: string;
}

/** The owner of the data folder. */
const LOCAL: Caller = { session: '', name: 'local', role: 'owner', local: true };

export function consoleFacade(o: ConsoleFacadeOptions) {
  const own = handlersOf({ ...o, actor: { kind: 'operator', user: OWNER }, name: '' });
  const others = new WeakMap<Caller, Handlers>();
  /** Returns one facade for all terminals of the desk's own machine, and one for each operator. */
  const facadeOf = (caller: Caller): Handlers => {
    const { by } = caller;
    if (by === undefined) return own;
    let facade = others.get(caller);
    if (!facade) {
      facade = handlersOf({ ...o, actor: { kind: 'operator', user: OWNER, by }, name: caller.name });
      others.set(caller, facade);
    }
    return facade;
  };
  return async <M extends Method>(
    method: M,
    params: Params<M>,
    caller: Caller = LOCAL,
  ): Promise<DeskMethods[M][1]> => {
    const handler = facadeOf(caller)[method as DeskMethod] as unknown as
      | ((params: Params<M>) => Promise<Result<M>> | Result<M>)
      | undefined;
    if (!handler) throw new Error(`${method} is answered by what holds the terminals`);
    return handler(params);
  };
}

function handlersOf(o: CallerFacadeOptions): Handlers {
  return {
    'orders.place': (request) => run(o, { type: 'place', request }),
    'orders.check': (request) => {
      o.live.lookFor(request);
      return o.core.turn.read(() =>
        orderPreview(
          o.core.engine.memory,
          request,
          o.driver.marketTime,
          o.feeRates(request.exchange),
          o.core.turn.now().mono,
        ),
      );
    },
    'orders.cancel': ({ exchange, id }) => run(o, { type: 'cancel', exchange, id }),
    'orders.cancelAll': (filter) => cancelAll(o, filter),
    'orders.amend': (change) => run(o, { type: 'amend', ...change }),
    'orders.amendCheck': ({ exchange, id, ...change }) =>
      o.core.turn.read(() => {
        const { memory, extension } = o.core.engine;
        const order = memory.orders.get(id);
        const own = order?.exchange === exchange && order.user === OWNER ? order : null;
        return amendFigures(memory, own, change, extension, o.core.turn.now());
      }),
    'orders.split': ({ exchange, id, prices }) => run(o, { type: 'split', exchange, id, prices }),
    'orders.splitPreview': ({ exchange, id, prices }) =>
      o.core.turn.read(() => {
        const order = o.core.engine.memory.orders.get(id);
        if (order?.exchange !== exchange || order.user !== OWNER)
          return { problems: [`there is no open order ${id}`], remaining: '0', parts: [] };
        return splitFigures(
          o.core.engine.memory,
          order,
          prices,
          o.core.engine.extension,
          o.core.turn.now().mono,
        );
      }),
    'orders.detail': ({ id }) =>
      o.core.turn.read(() => {
        const order = o.core.engine.memory.orders.get(id) ?? o.store.order(id)?.order;
        if (!order || order.user !== OWNER) return null;
        return { order: orderViewOf(order), events: o.store.orderEvents(id), fills: o.store.orderFills(id) };
      }),
    'orders.closed': (q) =>
      o.core.turn.read(() => {
        const page = o.store.closedOrders({ user: OWNER, ...q, limit: Math.min(q.limit, PAGE_MAX) });
        return { orders: page.orders.map(orderViewOf), next: page.next };
      }),
    'trades.list': (q) => o.core.turn.read(() => o.store.trades({ user: OWNER, ...q })),
    'portfolio.ledger': (q) =>
      o.core.turn.read(() => {
        // Ledger rows of a wallet are stored under its name.
        const exchange = o.core.engine.memory.accounts.get(q.exchange)?.wallet.name ?? q.exchange;
        return o.store.ledger({ user: OWNER, ...q, exchange, limit: Math.min(q.limit, PAGE_MAX) });
      }),
    'market.candles': ({ market, symbol, frameMs, from, to }) => {
      o.live.look(market, symbol);
      const pushed = o.live.of(market)?.history(symbol, frameMs, from, to);
      return pushed ?? o.history.candles(market, symbol, frameMs, from, to);
    },
    'futures.set': async ({ exchange, setting }) => {
      const command = { type: 'setting', exchange, setting } as const;
      const { outcome } = await o.core.execute(o.actor, command, { requestId: o.requestId() });
      return outcome ?? refuse('INTERNAL_ERROR', 'the desk gave no answer');
    },
    'futures.brackets': ({ exchange, symbol }) =>
      o.core.links.get(exchange)?.venue.futures?.brackets(symbol) ?? [],
    'futures.marginMode': async ({ exchange }) => {
      const outcome = await o.core.questions.marginMode(exchange);
      return { mode: outcome.ok ? outcome.data.mode : null };
    },
    'portfolio.dust': async ({ exchange }) => {
      const dust = await o.core.questions.dust(exchange);
      if (!dust.ok) return dust;
      return ok({ ...dust.data, waitMs: o.core.links.get(exchange)?.venue.conversion?.waitMs() ?? 0 });
    },
    ...exportHandlers(o),
    ...pnlHandlers({
      ...o,
      marketTime: () => o.driver.marketTime,
      pause: () => new Promise((resolve) => setImmediate(resolve)),
    }),
    ...guardHandlers(o),
    'connections.list': () => o.connections.list(),
    'connections.test': (request) => o.connections.test(request),
    'connections.makeKey': (request) => o.connections.makeKey(request),
    'connections.add': (request) => o.connections.add(request),
    'connections.remove': (request) => o.connections.remove(request),
    'connections.confirm': (request) => o.connections.confirm(request),
    ...identityHandlers(o),
    ...vaultHandlers(o),
    ...paperHandlers({ ...o, ...o.paper, cancel: (ids) => cancelAll(o, { ids }) }),
    ...botHandlers(o),
    'alerts.mute': (request) => {
      const outcome = o.mute(request);
      if (outcome.ok)
        o.core.report(
          'info',
          'alert',
          `${request.kind} ${request.id} ${request.on ? 'muted' : 'is told again'}`,
        );
      return o.core.turn.read(() => outcome);
    },
    'alerts.seen': ({ ids }) => {
      o.seen(ids);
      return null;
    },
    ...keyHandlers(o),
    ...operatorHandlers(o),
    ...memoryHandlers(o),
    'feed.control': async ({ action }) => {
      const onTheClock = [...o.live.names, ...o.connections.names];
      if (action !== 'play' && onTheClock.length > 0) return refuse('CONFLICT', inRealTime(onTheClock));
      if (action === 'play') o.driver.play();
      else if (action === 'pause') o.driver.pause();
      else await o.driver.step();
      if (action !== 'step') o.core.report('info', 'feed', `${action} asked by ${actorLabel(o.actor)}`);
      o.core.mark({ kind: 'clock' });
      return ok(o.clockView());
    },
    'paper.fault': (request) => {
      const faults = o.faults(request.exchange ?? 'paper-spot');
      if (!faults) return refuse('INVALID_REQUEST', `${request.exchange} is no paper exchange`, 'EXCHANGE');
      if (request.fault === 'down') faults.downFor(request.ms);
      else {
        const { fault, exchange: _, ...shot } = request;
        faults.next(fault, shot);
      }
      o.core.report(
        'warn',
        'exchange',
        `paper exchange: fault ${request.fault} set by ${actorLabel(o.actor)}`,
      );
      return ok(null);
    },
    'panic.targets': (page) => o.core.turn.read(() => panicTargetsOf(o.core, page)),
    'desk.panic': (note) => notePanic(o.core, note),
    'desk.maintenance': (request) => setMaintenance(o.core, request),
    'desk.stop': () => {
      o.stop(
        o.actor.kind === 'operator' && o.actor.by ? `stopped by ${o.actor.by}` : 'stopped from a terminal',
      );
      return null;
    },
  };
}

/** Most rows of one page of closed orders, or of a ledger. */
const PAGE_MAX = 500;

/** Runs a command of the operator; the answer holds the views that a console shows. */
async function run<T>(o: CallerFacadeOptions, command: OrderCommand): Promise<Outcome<T>> {
  const answer = await o.core.execute(o.actor, command, { requestId: o.requestId() });
  const { outcome } = answer;
  if (!outcome) return refuse('INTERNAL_ERROR', 'the desk gave no answer');
  if (!outcome.ok) return outcome;
  const view = (order: unknown) => {
    const id = (order as { id: string }).id;
    const record = o.core.engine.memory.orders.get(id);
    return record ? orderViewOf(record) : order;
  };
  const data = Array.isArray(outcome.data) ? outcome.data.map(view) : view(outcome.data);
  return ok(data as T);
}

async function cancelAll(
  o: CallerFacadeOptions,
  filter: Params<'orders.cancelAll'>,
): Promise<Result<'orders.cancelAll'>> {
  const wanted = [...o.core.engine.memory.orders.values()].filter(
    (order) =>
      order.user === OWNER &&
      mayBeOpen(order) &&
      (filter.exchange === undefined || order.exchange === filter.exchange) &&
      (filter.symbol === undefined || order.symbol === filter.symbol) &&
      (filter.ids === undefined || filter.ids.includes(order.id)),
  );
  // The first cancel of an account names the others: one request to the exchange may cancel all orders of a
  // symbol.
  const byExchange = Map.groupBy(wanted, ({ exchange }) => exchange);
  const firsts = new Map([...byExchange].map(([, [first, ...rest]]) => [first, rest.map(({ id }) => id)]));
  return Promise.all(
    wanted.map(async (order) => ({
      id: order.id,
      outcome: await run(o, {
        type: 'cancel',
        exchange: order.exchange,
        id: order.id,
        keep: true,
        with: firsts.get(order) ?? [],
      }),
    })),
  ) as Promise<Result<'orders.cancelAll'>>;
}
