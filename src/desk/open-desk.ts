/**
 * Composition root: options in, one running desk out. First start and start after a crash are this one path. Whatever
 * cannot be opened ends in a DeskStartError of one clear sentence, with nothing damaged.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { selfTest } from '../access/self-test.ts';
import { ApiStartError, type RunningApi, startApi } from '../api/start-api.ts';
import { OWNER } from '../domain/actor.ts';
import type { Clock, Random } from '../domain/clock.ts';
import type { ExchangeAccount } from '../domain/exchange.ts';
import type { Row } from '../domain/rows.ts';
import { FeedDriver } from '../market/driver.ts';
import { FeedError, type Tick } from '../market/feed.ts';
import type { Target } from '../notify/target.ts';
import { acquireFolderLock, DataFolderError, prepareDataFolder } from '../store/data-folder.ts';
import { openSqliteStore } from '../store/sqlite/index.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { PaperVenue } from '../venues/paper/paper-venue.ts';
import { AlertMutes, META as MUTES } from './alert-mutes.ts';
import { Alerts } from './alerts.ts';
import { apiFace } from './api-face.ts';
import { createBotDesk, marketMove } from './bot-desk.ts';
import { watchFigures } from './bot-figures.ts';
import { consoleFace } from './console-face.ts';
import { paperViewOf } from './console-paper.ts';
import { Deliveries } from './deliveries.ts';
import { DeskCore, recentSince } from './desk-core.ts';
import { type LogFile, openLogFile } from './log-file.ts';
import {
  type AheadTick,
  cursorOf,
  type MarketCursor,
  openFeed,
  refuseLostSymbols,
  resumeAt,
} from './market-cursor.ts';
import { dayCounter } from './market-day.ts';
import { type EquityDay, MarketView } from './market-view.ts';
import { type CompiledDeskOptions, compileDeskOptions } from './options.ts';
import { createPaperAccounts, stepMarks, tickAll } from './paper-accounts.ts';
import { AllPaperSettings } from './paper-settings.ts';
import { createPreview, type Preview } from './preview.ts';
import { previewWorld } from './preview-world.ts';
import type { DeskInfo } from './protocol.ts';
import type { DeskOptions, RunningDesk } from './running.ts';
import { DeskStartError } from './start-error.ts';
import { deltaOf, stateOf } from './state-view.ts';
import { systemClock } from './transports/system-clock.ts';
import { VERSION } from './version.ts';

const MAINTAIN_MS = 10 * 60_000;

/** What tests put in place of the real thing. */
export interface DeskPorts {
  readonly openStore?: typeof openSqliteStore;
  readonly openFeed?: typeof openFeed;
  /** Exchange accounts, perhaps of several users (S27). */
  readonly accounts?: readonly ExchangeAccount[];
  /** Gets hold of each exchange before it is used. */
  readonly venue?: (venue: PaperVenue) => void;
}

export async function openDesk(
  given: DeskOptions,
  clock: Clock = systemClock,
  ports: DeskPorts = {},
): Promise<RunningDesk> {
  const options = compileDeskOptions(given);
  const closers: (() => void | Promise<void>)[] = [];
  try {
    return await compose(options, clock, ports, closers);
  } catch (error) {
    for (const close of closers.reverse()) await close();
    throw startError(error);
  }
}

async function compose(
  options: CompiledDeskOptions,
  clock: Clock,
  { openStore = openSqliteStore, openFeed: feedOf = openFeed, accounts, venue: hold }: DeskPorts,
  closers: (() => void | Promise<void>)[],
): Promise<RunningDesk> {
  const problem = selfTest();
  if (problem) throw new DeskStartError(problem, 1);
  const warnings = prepareDataFolder(options.dataDir);
  const lock = acquireFolderLock(options.dataDir);
  if ('heldBy' in lock) {
    const by = lock.heldBy === null ? '' : ` (process ${lock.heldBy})`;
    throw new DeskStartError(`a desk already runs on ${options.dataDir}${by}; run outcry to attach to it`, 1);
  }
  closers.push(() => lock.release());
  const store = openStore(join(options.dataDir, 'outcry.db'), {
    onMaintainError: (error) => core.report('error', 'store', `maintenance: ${String(error)}`),
  });
  closers.push(() => store.close());
  const logFile = forgiving(openLogFile(join(options.dataDir, 'log')));
  closers.push(() => logFile.close());

  const startedAt = clock.wall();
  const initial = store.load(recentSince(startedAt));
  const cursor = initial.meta.get('market') as MarketCursor | undefined;
  const { feed, samplePrices } = feedOf(options, store, startedAt, (row) => core.turn.store([row], false));
  refuseLostSymbols(initial, feed);
  const view = new MarketView(
    feed,
    (initial.meta.get('equity-day') as EquityDay | undefined) ?? null,
    dayCounter(options.timeZone),
  );
  const quiet = () => core.turn.quiet();
  const sameMarket = cursor?.feed === feed.label ? cursor : null;
  let unfinished: Tick | null = sameMarket?.unfinished ?? null;
  let ahead: AheadTick | null = sameMarket?.ahead ?? null;
  /** The time of the last tick; of a close or timer of bots while they are told of it. */
  const marketTime = () => ahead?.at ?? driver.marketTime;
  let reached = ahead?.at ?? sameMarket?.time ?? 0;
  const onTick = (tick: Tick): Promise<void> | void => {
    // In lock-step what bots decide at a close or a timer is at the exchange before anything later happens.
    if (!feed.live && (core.bots?.nextDue ?? Number.POSITIVE_INFINITY) <= tick.time) return overDues(tick);
    return moveTo(tick);
  };
  const overDues = async (tick: Tick): Promise<void> => {
    for (;;) {
      const due = core.bots?.nextDue ?? Number.POSITIVE_INFINITY;
      if (due > tick.time) break;
      ahead = { tick, at: Math.max(due, reached) };
      core.turn.step({ type: 'time', time: due });
      await quiet();
    }
    await moveTo(tick);
  };
  const figures = watchFigures({
    clock,
    bots: () => core.bots,
    watched: () => core.watched,
    exchanges: () => core.engine.memory.accountsOf(OWNER).map(({ account }) => account.id),
    mark: (mark) => core.mark(mark),
  });
  const moveTo = (tick: Tick): Promise<void> | void => {
    ahead = null;
    unfinished = tick;
    reached = tick.time;
    core.turn.step(marketMove(tick));
    return match(tick);
  };
  const match = (tick: Tick): Promise<void> | void => {
    const matched = tickAll(venues, tick);
    return matched ? matched.then(() => afterMatch(tick)) : afterMatch(tick);
  };
  const afterMatch = (tick: Tick): Promise<void> | void => {
    stepMarks(core.turn, venues, tick.symbol);
    core.turn.step({ type: 'tick', symbol: tick.symbol, price: tick.price });
    view.onTick(tick);
    unfinished = null;
    if (view.sampleEquity(core.engine.memory, tick.time)) {
      core.turn.store([{ kind: 'meta', name: 'equity-day', value: view.equityDay }], false);
    }
    core.mark({ kind: 'price', symbol: tick.symbol });
    figures.moved();
    core.mark({ kind: 'clock' });
    core.mark({ kind: 'equity' });
    for (const exchange of core.exchangesWithPosition(tick.symbol))
      core.mark({ kind: 'positions', exchange });
    // A replay is in lock-step; a live market does not wait for an exchange call that hangs.
    return feed.live ? undefined : quiet();
  };
  const driver = new FeedDriver({
    feed,
    clock,
    speed: options.speed,
    hold: options.hold,
    ...resumeAt(feed, cursor),
    onTick,
    onState: () => core.mark({ kind: 'clock' }),
    onError: (error) => fatal(`the market feed failed: ${error instanceof Error ? error.message : error}`),
  });
  const riders = (): Row[] => [
    { kind: 'meta', name: 'market', value: cursorOf(feed, driver, view, { unfinished, ahead }) },
  ];
  const settings = new AllPaperSettings(initial.meta);
  const venues = createPaperAccounts({
    accounts,
    feed,
    samplePrices,
    store,
    clock,
    random,
    marketTime,
    commit: (rows) => core.turn.commitBeside(rows),
    settle: quiet,
    onError: (account, error) => core.report('error', 'exchange', `${account}: ${error.message}`),
    settings: (account) => settings.of(account),
  });
  for (const venue of venues) {
    venue.faults.onChanged = () => core.mark({ kind: 'accounts' });
    hold?.(venue);
  }

  let stopNow: (ending: { reason: string; exitCode: 0 | 1 }) => void = () => {};
  const stopping = new Promise<{ reason: string; exitCode: 0 | 1 }>((resolve) => {
    stopNow = resolve;
  });
  const fatal = (reason: string) => {
    logFile.write({ at: clock.wall(), level: 'error', source: 'desk', text: reason });
    stopNow({ reason, exitCode: 1 });
  };
  const targets = await targetsOf(options);
  const bots = createBotDesk({
    feed,
    time: marketTime(),
    cursor: sameMarket,
    initial,
    venues,
    fees: settings.fees,
    targets: [...targets.keys()],
    lastRun: (botId) => store.runs(botId, 1)[0] ?? null,
  });
  const mutes = new AlertMutes({
    initial: initial.meta.get(MUTES),
    store: (value) => core.turn.store([{ kind: 'meta', name: MUTES, value }], true),
    changed: () => core.mark({ kind: 'alerts' }),
  });
  const alerts = new Alerts({
    isMuted: (botId, target) => mutes.isMuted(botId, target),
    initial: initial.alerts,
    clock,
    id: () => random.id(12),
    store: (rows) => {
      core.turn.store(rows, true);
      return core.turn.read(() => {});
    },
    changed: () => core.mark({ kind: 'alerts' }),
  });
  const deliveries = new Deliveries({
    alerts,
    targets,
    clock,
    warn: (text) => core.report('warn', 'alert', text),
  });
  closers.push(() => deliveries.stop());
  const core = new DeskCore({
    store,
    initial,
    clock,
    random,
    venues,
    market: marketTime,
    riders,
    bots: bots.make,
    alertRows: (effects) => alerts.rows(effects),
    alert: (alert) => {
      alerts.fired(alert);
      deliveries.look();
    },
    botGone: (botId) => {
      alerts.gone(botId);
      mutes.gone(botId);
    },
    logFile: (line) => logFile.write(line),
    fatal,
  });
  const known = (cursor?.prices ?? []).filter(([symbol]) => feed.symbols.includes(symbol));
  for (const [symbol, price, time] of known) {
    core.turn.step({ type: 'price', symbol, price });
    view.seed(symbol, price, time);
  }
  await core.start();
  closers.push(() => core.stop());
  for (const venue of venues) {
    for (const [symbol, price, time] of known) venue.seedPrice(symbol, price, time);
  }
  // What is overdue is cancelled before a tick can fill it.
  await quiet();
  if (ahead) await onTick(ahead.tick);
  // The bots have seen it: they are told before a tick is matched.
  else if (unfinished) await match(unfinished);

  const api = await startApi(
    apiFace({ core, store, version: VERSION, startedAt, wall: () => clock.wall() }),
    {
      host: options.host,
      port: options.port,
      tls: options.tls,
      limits: {},
      serviceLimits: options.limits,
      trustedProxies: options.trustedProxies,
      allowedOrigins: options.allowedOrigins,
      clock,
    },
  );
  closers.push(() => api.close());
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
    wall: () => clock.wall(),
    paper: (exchange: string) => paperViewOf({ venues, settings }, exchange),
    alerts: () => alerts.of(OWNER),
    mutes: () => mutes.now,
  };
  const preview = createPreview({
    of: previewWorld({
      core,
      feed,
      marketTime: () => driver.marketTime,
      lastPrice: (symbol) => view.price(symbol)?.last ?? null,
    }),
    clock,
  });
  closers.push(() => preview.close());
  const call = consoleFace({
    preview,
    core,
    store,
    feed,
    driver,
    faults: (exchange) => venues.find(({ account }) => account.id === exchange)?.faults ?? null,
    dataDir: options.dataDir,
    apiUrl: api.url,
    wall: () => clock.wall(),
    requestId: randomUUID,
    randomBytes: (size) => randomBytes(size),
    clockView: () => stateOf(sources).clock,
    feeRates: settings.fees,
    paper: {
      venues,
      settings,
      paid: (usd) => {
        view.pay(usd);
        core.turn.store([{ kind: 'meta', name: 'equity-day', value: view.equityDay }], true);
        return core.turn.read(() => {});
      },
    },
    startedAt,
    routeOf: (method, path) => api.routeOf(method, path),
    closeSocketsOf: (keyId) => api.closeSocketsOf(keyId),
    seen: (ids) => alerts.seen(ids),
    mute: (request) => mutes.set(request),
    stop: (reason) => stopNow({ reason, exitCode: 0 }),
  });
  for (const warning of [...warnings, ...options.warnings]) core.report('warn', 'desk', warning);
  core.report('info', 'desk', `desk started on ${options.dataDir}, API at ${api.url}, feed ${feed.label}`);
  const maintenance = every(clock, MAINTAIN_MS, () => store.maintain(clock.wall()));
  deliveries.start();
  driver.start();

  let stopped: Promise<void> | null = null;
  return {
    info,
    call,
    state: () => stateOf(sources),
    delta: (marks) => deltaOf(sources, marks),
    onChange: (listener) => core.onChange(listener),
    report: (doing, error) =>
      core.report('error', 'desk', `${doing}: ${error instanceof Error ? error.message : String(error)}`),
    stopping,
    stop: (reason) => {
      stopped ??= stop({
        reason,
        preview,
        driver,
        api,
        alerts,
        deliveries,
        core,
        store,
        lock,
        logFile,
        maintenance,
        figures,
        stopNow,
      });
      return stopped;
    },
  };
}

interface Stoppable {
  readonly reason: string;
  readonly preview: Preview;
  readonly driver: FeedDriver;
  readonly api: RunningApi;
  readonly alerts: Alerts;
  readonly deliveries: Deliveries;
  readonly core: DeskCore;
  readonly store: Store;
  readonly lock: { release(): void };
  readonly logFile: { close(): void };
  readonly maintenance: { cancel(): void };
  readonly figures: { cancel(): void };
  readonly stopNow: (ending: { reason: string; exitCode: 0 | 1 }) => void;
}

/** In order: no new ticks, no new requests, nothing pending, everything stored. */
async function stop(s: Stoppable): Promise<void> {
  s.stopNow({ reason: s.reason, exitCode: 0 });
  s.maintenance.cancel();
  s.figures.cancel();
  await s.driver.stop();
  await s.api.close();
  await s.preview.close();
  await s.deliveries.stop();
  s.alerts.close();
  await s.core.turn.quiet();
  s.core.report('info', 'desk', `desk stopped: ${s.reason}`);
  await s.core.stop();
  s.store.close();
  s.logFile.close();
  s.lock.release();
}

function every(clock: Clock, ms: number, run: () => void): { cancel(): void } {
  let timer = clock.after(ms, function again() {
    run();
    timer = clock.after(ms, again);
  });
  return { cancel: () => timer.cancel() };
}

const BASE32 = '0123456789abcdefghijklmnopqrstuv';

const random: Random = {
  id: (length) => Array.from(randomBytes(length), (byte) => BASE32[byte & 31]).join(''),
  next: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
};

/** A log file that cannot be written (full disk) costs its lines, never a request: they are in the store and on the consoles too. */
function forgiving(file: LogFile): LogFile {
  const attempt = (run: () => void) => {
    try {
      run();
    } catch {
      // There is nowhere left to say it.
    }
  };
  return { write: (line) => attempt(() => file.write(line)), close: () => attempt(() => file.close()) };
}

/** Sending is loaded by desks that send. */
async function targetsOf({ targets }: CompiledDeskOptions): Promise<ReadonlyMap<string, Target>> {
  if (targets.length === 0) return new Map();
  const { createTargets } = await import('../notify/index.ts');
  return createTargets(targets);
}

/** Whatever a start threw, as its sentence. */
function startError(error: unknown): DeskStartError {
  if (error instanceof DeskStartError) return error;
  const known =
    error instanceof DataFolderError ||
    error instanceof StoreError ||
    error instanceof ApiStartError ||
    error instanceof FeedError;
  if (!known) return new DeskStartError(`the desk could not start: ${String(error)}`, 1, error);
  const usage =
    error instanceof FeedError || (error instanceof ApiStartError && ['HOST', 'TLS'].includes(error.code));
  return new DeskStartError(error.message, usage ? 2 : 1, error);
}
