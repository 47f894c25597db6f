/**
 * Everything of a desk that trades: market, exchange accounts, bots, alerts and the core that connects them,
 * composed in phases, each of which returns what the next one takes. The running program and every test of a
 * whole desk open this same object; tests replace ports only. Knows no folder, no socket, no terminal: see
 * `files.ts` and `facades.ts`.
 */

import type { Vault, VaultPorts } from '../access/vault/vault.ts';
import { OWNER } from '../domain/actor.ts';
import type { Clock, Random } from '../domain/clock.ts';
import type { Connection } from '../domain/connection.ts';
import { dec } from '../domain/decimal.ts';
import {
  DESK_ID_LENGTH,
  DESK_ROW,
  type DeskFound,
  findDesk,
  NO_DESK,
  type Place,
} from '../domain/desk-id.ts';
import type { ExchangeAccount } from '../domain/exchange.ts';
import { compileServiceLimits, type ServiceLimits } from '../domain/limits.ts';
import type { NoticeSettings } from '../domain/notices.ts';
import type { LogLine, Row } from '../domain/rows.ts';
import type { Tick } from '../market/feed.ts';
import type { MarketData } from '../market/market-data.ts';
import type { Target } from '../notify/target.ts';
import type { LoadedState, Store } from '../store/store.ts';
import { venueKinds } from '../venues/kinds.ts';
import { Addresses } from '../venues/kit/addresses.ts';
import { PAPER_FUTURES, PAPER_MARKET, PAPER_SPOT } from '../venues/paper/paper-venue.ts';
import type { Venue } from '../venues/venue.ts';
import type { VenueKind } from '../venues/venue-kind.ts';
import type { AlertMutes } from './alerts/alert-mutes.ts';
import type { Alerts } from './alerts/alerts.ts';
import type { Deliveries } from './alerts/deliveries.ts';
import { type Notices, type Notifications, openNotifications } from './alerts/open-notifications.ts';
import type { ConfigFile, Connections } from './connections/connections.ts';
import { guardAdded, openConnections, tieConnections } from './connections/open-connections.ts';
import { StoredBans } from './connections/stored-bans.ts';
import { atMost } from './core/at-most.ts';
import { DeskCore, recentSince } from './core/desk-core.ts';
import { every } from './core/every.ts';
import { unprotectedLines } from './core/unprotected.ts';
import { type BotDesk, createBotDesk } from './market/bot-desk.ts';
import { type BotFigures, watchFigures } from './market/bot-figures.ts';
import { inRealTime, LiveMarkets } from './market/live/live-markets.ts';
import { Looks } from './market/looks.ts';
import { markTick } from './market/mark-tick.ts';
import { type MarketCursor, type openFeed, refuseLostSymbols } from './market/market-cursor.ts';
import { DayBegins, dayCounter } from './market/market-day.ts';
import type { KnownPrice } from './market/market-view.ts';
import { type Market, type MarketOptions, openMarket } from './market/open-market.ts';
import { type DeskPeople, openPeople } from './operators/desk-people.ts';
import type { CompiledDeskOptions } from './options.ts';
import { claimSources, openMirrors } from './paper/mirrors.ts';
import { type DeskVenues, openPaper } from './paper/open-paper.ts';
import { type PaperAccountsOptions, stepMarks } from './paper/paper-accounts.ts';
import { paperFunding } from './paper/paper-funding.ts';
import { AllPaperSettings } from './paper/paper-settings.ts';
import { DeskStartError } from './start-error.ts';
import { openDeskVault } from './vault/desk-vault.ts';

/** How often the store's maintenance runs. */
const MAINTAIN_MS = 10 * 60_000;
/** How often it is checked whether a day has begun: there may be no tick for a long time. */
const DAY_LOOK_MS = 60_000;
/** Longest wait of a stop for answers of exchanges. */
const STOP_WAIT_MS = 10_000;

export { type DeskVenues, embedded } from './paper/open-paper.ts';

/** Replacements that tests give for the real thing. */
export interface TradingPorts {
  readonly openFeed?: typeof openFeed;
  /** Exchange accounts, perhaps of several users (S27). */
  readonly accounts?: readonly ExchangeAccount[];
  /** Makes the exchange accounts; default: `createPaperAccounts`. */
  readonly venues?: (given: PaperAccountsOptions) => DeskVenues;
  /** Live markets besides those of connections; left out: none. */
  readonly markets?: readonly MarketData[];
  /** Exchanges that can be connected; left out: the built-in ones. */
  readonly kinds?: readonly VenueKind[];
  readonly vault?: Partial<VaultPorts>;
}

export interface TradingGiven {
  readonly options: MarketOptions & {
    readonly limits?: ServiceLimits;
    readonly connections?: readonly Connection[];
    readonly paper?: boolean;
    readonly feeds?: CompiledDeskOptions['feeds'];
  };
  readonly ports: TradingPorts;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  /** Where connections are stored; left out: nowhere. */
  readonly config?: ConfigFile;
  /** Machine and file of the store; left out: it lies nowhere, so that nobody can copy it. */
  readonly place?: Place;
  /** An owner says that no other desk trades its accounts. */
  readonly takeover?: boolean;
  /** Where alerts are sent; bots name them. */
  readonly targets: ReadonlyMap<string, Target>;
  /** Which notices are sent without a bot, and where; left out: the usual. */
  readonly notices?: NoticeSettings;
  readonly logFile: (line: LogLine) => void;
  /** The desk must end: its store or its market is broken. */
  readonly fatal: (reason: string) => void;
}

export interface Trading {
  readonly core: DeskCore;
  readonly market: Market;
  readonly venues: DeskVenues;
  readonly connections: Connections;
  readonly live: LiveMarkets;
  /** The symbols that terminals look at closely. */
  readonly looks: Looks;
  readonly settings: AllPaperSettings;
  readonly alerts: Alerts;
  readonly mutes: AlertMutes;
  readonly deliveries: Deliveries;
  readonly vault: Vault;
  readonly people: DeskPeople;
  /** Wall time of the opening. */
  readonly startedAt: number;
  /** Marks what consoles show anew after a tick, once the engine has it. */
  told(market: string, tick: Tick): void;
  /** Connects the exchanges and resumes the market where a crash has left it. No ticks before `run`. */
  start(): Promise<void>;
  /** Starts the market, the delivery of alerts and the store's maintenance. Once. */
  run(): void;
  /** Begins no more ticks and no more maintenance; resolves when the tick in work is done. */
  halt(): Promise<void>;
  /** After `halt`: waits, bounded, stores everything, closes the exchanges. Never rejects for an exchange. */
  close(reason: string): Promise<void>;
}

/** Opens only the feed and, at `start`, the exchanges. Throws errors of the store or the feed. */
export function openTrading(given: TradingGiven): Trading {
  const { clock, store, ports } = given;
  const startedAt = clock.wall();
  const loaded = store.load(recentSince(startedAt));
  const kinds = ports.kinds ?? venueKinds(process.env);
  const { paper = true } = given.options;
  const bans = new StoredBans(loaded.meta);
  const ways = new Addresses(clock, bans);
  const mirrors = openMirrors({
    options: given.options,
    kinds,
    clock,
    random: given.random,
    ways,
    report: (text) => core.report('warn', 'market', text),
  });
  const openFeed = mirrors?.openFeed ?? ports.openFeed;
  const accounts = paper ? (mirrors?.accounts ?? ports.accounts ?? [PAPER_SPOT, PAPER_FUTURES]) : [];
  const initial = claimSources(store, loaded, accounts, mirrors);
  const desk = openIdentity(given, initial);
  const vault = openDeskVault({ store, clock, core: () => core, ports: ports.vault });
  const { meta } = initial;
  const people = openPeople({ store, meta, clock, core: () => core, derive: ports.vault?.derive });
  const connections = openConnections({
    ...given,
    vault,
    kinds,
    ways,
    bans,
    configured: given.options.connections ?? [],
  });
  const begun = connections.begin();
  const live: LiveMarkets = new LiveMarkets(
    [...(ports.markets ?? []), ...(mirrors?.markets ?? []), ...begun.markets],
    {
      clock,
      store,
      keep: (row: Row) => core.turn.keep(row),
      now: () => market.time(),
      step: (event) => core.turn.step(event),
      hub: (name) => bots.hub(name),
      memory: () => core.engine.memory,
      bots: () => core.bots,
      told: (name, tick) => told(name, tick),
      staleness: (name, symbol) => {
        const shown = market.view.last(name).map(([one]) => one);
        for (const one of symbol === '' ? shown : [symbol])
          core.mark({ kind: 'price', market: name, symbol: one });
      },
      matched: (name, tick) => {
        for (const venue of own.paper) if (venue.account.market === name) venue.push(tick);
      },
      looked: {
        trades: (...told) => looks.onTrades(...told),
        depth: (...told) => looks.onDepth(...told),
      },
      marked: (name, symbol, price, funding) => {
        looks.onMark(name, symbol, price, funding);
        for (const venue of own.paper)
          if (venue.account.market === name) venue.pushMark(symbol, price, market.time(), funding);
      },
      // Prices of mirrored markets are stored with the paper market's cursor.
      pricesOf: (name) =>
        market.view.newest(name) ??
        (mirrors?.markets.some((one) => one.market === name)
          ? ((meta.get('market') as MarketCursor | undefined)?.time ?? null)
          : null),
      report: (level, text) => core.report(level, 'market', text),
    },
  );
  const market: Market = openMarket({
    live: (name) => live.candles(name),
    options: given.options,
    clock,
    store,
    initial,
    startedAt,
    ...(openFeed ? { openFeed } : {}),
    keep: (row) => core.turn.keep(row),
    told: (tick) => told(PAPER_MARKET, tick),
    changed: () => core.mark({ kind: 'clock' }),
    failed: given.fatal,
  });
  const looks = new Looks({
    clock,
    now: () => market.time(),
    memory: () => core.engine.memory,
    history: () => market.history,
    live: () => live,
    funding: (name, symbol) => paperFunding(core.engine.memory, name, symbol, market.time()),
  });
  const onTheClock = [...live.names, ...connections.names];
  if (onTheClock.length > 0 && (!market.driver.live || given.options.hold))
    throw new DeskStartError(`${inRealTime(onTheClock)}; leave out --speed, --hold and --feed csv:`, 2);
  const settings = new AllPaperSettings(meta);
  const own: DeskVenues = openPaper({
    clock,
    random: given.random,
    store,
    initial,
    accounts,
    market,
    settings,
    mirrors,
    ...(ports.venues ? { venues: ports.venues } : {}),
    core: () => core,
    live: () => live,
  });
  const all = [...own.all, ...begun.venues];
  const venues = { ...own, all };
  refuseLostSymbols(
    initial,
    market.feed,
    venues.all.map(({ account }) => account),
  );
  const telling = openNotifications(
    {
      clock,
      random: given.random,
      targets: given.targets,
      ...(given.notices ? { notices: given.notices } : {}),
      market: () => market.time(),
      waits: (exchange) => connections.waits(exchange),
    },
    initial,
    () => core,
  );
  const bots = openBots(given, initial, { market, venues, live, settings });
  const known = [...live.known(initial.meta)];
  for (const [name, [symbol, price, time]] of known) bots.hub(name).lastPrice(symbol, time, dec(price));
  const core: DeskCore = openCore(given, guardAdded(store, initial, connections), {
    market,
    venues,
    live,
    bots,
    telling,
    connections,
    desk,
  });
  tieConnections(connections, { core, market, live });
  if (desk.notice !== null) core.report('warn', 'desk', desk.notice);
  market.loop.connect({
    turn: core.turn,
    paper: venues.paper,
    venues: venues.all,
    nextEndDate: () => core.engine.nextEndDate,
    nextBotDue: () => core.bots?.nextDue ?? Number.POSITIVE_INFINITY,
  });
  const figures = watchFigures({
    clock,
    bots: () => core.bots,
    watched: () => core.watched,
    exchanges: () => core.engine.memory.accountsOf(OWNER).map(({ account }) => account.id),
    mark: (mark) => core.mark(mark),
  });
  const days = new DayBegins(dayCounter(given.options.timeZone));
  const tellDay = (time: number) => {
    const day = days.at(time);
    if (day !== null) core.turn.step({ type: 'day', day });
  };
  const told = (name: string, tick: Tick) => {
    market.view.onTick(name, tick);
    looks.onTick(name, tick);
    tellDay(tick.time);
    markTick(core, market, figures, name, tick);
  };
  return {
    core,
    market,
    venues,
    connections,
    live,
    looks,
    settings,
    vault,
    people,
    startedAt,
    told,
    ...telling,
    ...lifeOf(given, { core, market, venues, connections, live, known, figures, tellDay, ...telling }),
  };
}

/** Stored before anything is sent under this id: after a crash before that, the next start makes another. */
function openIdentity(
  { store, random, place, takeover = false }: TradingGiven,
  initial: LoadedState,
): DeskFound {
  if (!place) return { desk: NO_DESK, store: null, notice: null };
  const newId = () => random.id(DESK_ID_LENGTH);
  const found = findDesk(initial.meta.get(DESK_ROW), place, { newId, takeover });
  if (found.store) store.commit([{ kind: 'meta', ...found.store }]);
  return found;
}

/** Returns the rows of the market's cursor and of the paper exchange's present state. */
function deferredRowsOf(market: Market, { paper }: DeskVenues, live: LiveMarkets): Row[] {
  const rows = market.deferredRows();
  if (rows.length > 0) for (const venue of paper) rows.push(...venue.deferredRows());
  return [...rows, ...live.deferredRows()];
}

interface Opened {
  readonly market: Market;
  readonly venues: DeskVenues & { readonly all: Venue[] };
  readonly live: LiveMarkets;
}

function openBots(
  { options, store, targets }: TradingGiven,
  initial: LoadedState,
  { market, venues, live, settings }: Opened & { readonly settings: AllPaperSettings },
): BotDesk {
  return createBotDesk({
    past: market.history.past,
    live: live.names,
    time: market.time(),
    cursor: market.cursor,
    initial,
    venues: venues.all,
    fees: settings.fees,
    targets: [...targets.keys()],
    lastRun: (botId) => store.runs(botId, 1)[0] ?? null,
    maxBots: compileServiceLimits(options.limits).bots,
  });
}

function openCore(
  { clock, random, store, logFile, fatal }: TradingGiven,
  initial: LoadedState,
  {
    market,
    venues,
    live,
    bots,
    telling: { alerts, mutes, deliveries, notices },
    connections,
    desk: { desk },
  }: Opened & {
    readonly bots: BotDesk;
    readonly telling: Notifications;
    readonly connections: Connections;
    readonly desk: DeskFound;
  },
): DeskCore {
  return new DeskCore({
    store,
    initial,
    clock,
    random,
    desk,
    venues: venues.all,
    connected: connections,
    market: () => market.time(),
    deferredRows: () => deferredRowsOf(market, venues, live),
    deferredStored: () => {
      market.deferredStored();
      live.deferredStored();
    },
    bots: (engine, state, before) => {
      notices.orders.load(engine.memory.orders.values());
      return bots.make(engine, state, before);
    },
    noticed: (effects) => notices.of(effects),
    recalled: (order) => notices.orders.recalled(order),
    marked: (mark) => notices.marked(mark),
    past: (command) => live.past(command),
    alertRows: (effects) => alerts.rows(effects),
    alert: (alert) => {
      alerts.fired(alert);
      deliveries.look();
    },
    botGone: ({ botId, keepsAlerts }) => {
      if (!keepsAlerts) alerts.gone(botId);
      mutes.gone(botId);
    },
    logFile,
    fatal,
  });
}

type Alive = Pick<
  Trading,
  'core' | 'market' | 'venues' | 'connections' | 'live' | 'alerts' | 'deliveries'
> & {
  readonly notices: Notices;
  readonly figures: BotFigures;
  /** Reports days that begin by a market time. */
  readonly tellDay: (time: number) => void;
  /** Last prices of the live markets. */
  readonly known: readonly (readonly [market: string, price: KnownPrice])[];
};

/** Returns the functions that begin and end trading. */
function lifeOf(
  { clock, store }: TradingGiven,
  { core, market, venues, connections, live, known, alerts, deliveries, notices, figures, tellDay }: Alive,
): Pick<Trading, 'start' | 'run' | 'halt' | 'close'> {
  const chores: { cancel(): void }[] = [];
  return {
    async start() {
      for (const known of market.known) {
        const [symbol, price] = known;
        core.turn.step({ type: 'price', market: PAPER_MARKET, symbol, price });
        market.view.seed(PAPER_MARKET, known);
      }
      for (const [name, price] of known) {
        core.turn.step({ type: 'price', market: name, symbol: price[0], price: price[1] });
        market.view.seed(name, price);
      }
      // Engine and bots have seen this tick: what the bots do next is checked against its price (R10).
      const { unfinished } = market.loop.inWork;
      if (unfinished) {
        const { symbol, price } = unfinished;
        core.turn.step({ type: 'price', market: PAPER_MARKET, symbol, price });
      }
      await Promise.all([core.start(), live.open()]);
      for (const venue of venues.paper) {
        for (const known of market.known) venue.seedPrice(...known);
      }
      // The paper accounts have reported positions at older mark prices; the next tick may be far away.
      for (const [symbol] of market.known) stepMarks(core.turn, venues.all, symbol);
      // Overdue orders are cancelled before a tick can fill them.
      await core.turn.quiet(venues.paper.map(({ account }) => account.id));
      await market.loop.resume();
    },
    run() {
      chores.push(every(clock, MAINTAIN_MS, () => store.maintain(clock.wall())));
      // A replay has the days of its ticks; other markets may have no tick for a long time.
      if (market.driver.live) {
        tellDay(clock.wall());
        chores.push(every(clock, DAY_LOOK_MS, () => tellDay(clock.wall())));
      }
      deliveries.start();
      market.driver.start();
      live.run();
    },
    async halt() {
      for (const chore of chores) chore.cancel();
      figures.cancel();
      notices.close();
      await live.close();
      await market.driver.stop();
    },
    async close(reason) {
      await deliveries.stop();
      alerts.close();
      const quiet = core.turn.quiet();
      if (quiet) await atMost(clock, STOP_WAIT_MS, quiet);
      for (const text of unprotectedLines(core.engine.memory)) core.report('warn', 'desk', text);
      await core.accounts.takeBack('the desk stops');
      core.report('info', 'desk', `desk stopped: ${reason}`);
      await core.stop();
      connections.close();
    },
  };
}
