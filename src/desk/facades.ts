/**
 * The interfaces of a trading desk: the signed API over HTTP and WebSocket, and the calls of the consoles.
 * Both end in `Desk`.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { type RunningApi, startApi } from '../api/start-api.ts';
import { OWNER } from '../domain/actor.ts';
import type { Clock } from '../domain/clock.ts';
import type { Store } from '../store/store.ts';
import { apiFacade } from './api/api-facade.ts';
import { consoleFacade } from './console/console-facade.ts';
import { paperViewOf } from './console/console-paper.ts';
import type { DeskInfo } from './console/protocol.ts';
import { deltaOf, stateOf } from './console/state-view.ts';
import type { CompiledDeskOptions } from './options.ts';
import { createPreview } from './preview/preview.ts';
import { previewWorld } from './preview/preview-world.ts';
import type { RunningDesk, SshPort } from './running.ts';
import type { Trading } from './trading.ts';
import { VERSION } from './version.ts';

export interface FacadesGiven {
  readonly options: CompiledDeskOptions;
  readonly clock: Clock;
  readonly store: Store;
  readonly trading: Trading;
  readonly ssh: SshPort;
  /** Ends the desk when a terminal asks for it. */
  readonly stop: (reason: string) => void;
}

export interface Facades extends Pick<RunningDesk, 'info' | 'call' | 'state' | 'delta' | 'look'> {
  readonly api: RunningApi;
  /** Takes no more requests; resolves when those under way are answered. */
  close(): Promise<void>;
}

/** Opens the interfaces. Throws an ApiStartError when the API cannot listen. */
export async function openFacades({
  options,
  clock,
  store,
  trading,
  ssh,
  stop,
}: FacadesGiven): Promise<Facades> {
  const { core, market, live, venues, connections, settings, alerts, mutes, vault, people, startedAt } =
    trading;
  const { feed, history, driver, view } = market;
  const wall = () => clock.wall();
  const api = await startApi(apiFacade({ core, store, version: VERSION, startedAt, wall }), {
    host: options.host,
    port: options.port,
    tls: options.tls,
    limits: {},
    serviceLimits: options.limits,
    trustedProxies: options.trustedProxies,
    allowedOrigins: options.allowedOrigins,
    clock,
  });
  const info: DeskInfo = {
    version: VERSION,
    user: 'owner',
    paper: true,
    apiUrl: api.url,
    wsUrl: api.wsUrl,
    dataDir: options.dataDir,
    startedAt,
  };
  const sources = {
    core,
    driver,
    feed,
    view,
    info,
    wall,
    paper: (exchange: string) => paperViewOf({ venues: venues.paper, settings }, exchange),
    connection: (exchange: string) => connections.of(exchange),
    alerts: () => alerts.of(OWNER),
    mutes: () => mutes.now,
    vault,
    unattended: () => connections.unattended(),
  };
  const preview = createPreview({
    of: previewWorld({
      core,
      history,
      marketTime: () => driver.marketTime,
      lastPrice: (market, symbol) => view.price(market, symbol)?.last ?? null,
    }),
    clock,
  });
  const call = consoleFacade({
    preview,
    core,
    store,
    history,
    driver,
    live,
    connections,
    faults: (exchange) => venues.paper.find(({ account }) => account.id === exchange)?.faults ?? null,
    vault,
    operators: people.operators,
    ssh,
    dataDir: options.dataDir,
    apiUrl: api.url,
    timeZone: options.timeZone,
    priceAlertsTo: options.notices.to.price_alert,
    wall,
    requestId: randomUUID,
    randomBytes: (size) => randomBytes(size),
    clockView: () => stateOf(sources).clock,
    feeRates: settings.fees,
    paper: {
      venues: venues.paper,
      settings,
      paid: (usd, wallet) => {
        view.pay(usd, wallet);
        core.turn.store([{ kind: 'meta', name: 'equity-day', value: view.equityDay }], true);
        return core.turn.read(() => {});
      },
    },
    startedAt,
    routeOf: (method, path) => api.routeOf(method, path),
    closeSocketsOf: (keyId) => api.closeSocketsOf(keyId),
    seen: (ids) => alerts.seen(ids),
    mute: (request) => mutes.set(request),
    stop,
  });
  return {
    api,
    info,
    call,
    state: () => stateOf(sources),
    delta: (marks) => deltaOf(sources, marks),
    look: (request, changed) => trading.looks.open(request, changed),
    async close() {
      trading.looks.close();
      await api.close();
      await preview.close();
    },
  };
}
