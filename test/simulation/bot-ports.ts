/** What the bots of a simulated desk are made of: no candles of the past, no targets, alerts that are stored and never sent. */
import type { BotEngine } from '../../src/bots/runtime/bot-engine.ts';
import { Alerts } from '../../src/desk/alerts.ts';
import { type BotDesk, createBotDesk } from '../../src/desk/bot-desk.ts';
import type { DeskCore } from '../../src/desk/desk-core.ts';
import { feeRatesOf } from '../../src/desk/paper-accounts.ts';
import type { Clock, Random } from '../../src/domain/clock.ts';
import type { Feed, Tick } from '../../src/market/feed.ts';
import type { LoadedState, Store } from '../../src/store/store.ts';
import type { Venue } from '../../src/venues/venue.ts';
import { SYMBOLS } from './market.ts';
import type { KnownPrice } from './sim-desk.ts';

/** The market is driven by the world: of a feed the bots ask only for symbols and history. */
const FEED: Feed = {
  label: 'simulation',
  live: true,
  symbols: SYMBOLS.map(({ symbol }) => symbol),
  startTime: 0,
  peek: () => null,
  next: () => null,
  resume: () => {},
  snapshot: () => null,
  candles: () => [],
};

export interface SimBotsOptions {
  readonly store: Store;
  readonly initial: LoadedState;
  readonly venues: readonly Venue[];
  /** Market time of now. */
  readonly time: number;
  readonly prices: readonly KnownPrice[];
  readonly unfinished: Tick | null;
  readonly made: (bots: BotEngine) => void;
}

export function simBots(o: SimBotsOptions): BotDesk {
  const desk = createBotDesk({
    feed: FEED,
    time: o.time,
    cursor: { feed: FEED.label, time: o.time, prices: o.prices, state: null, unfinished: o.unfinished },
    initial: o.initial,
    venues: o.venues,
    fees: feeRatesOf,
    targets: [],
    lastRun: (botId) => o.store.runs(botId, 1)[0] ?? null,
  });
  return {
    hub: desk.hub,
    make: (engine, state, before) => {
      const bots = desk.make(engine, state, before);
      o.made(bots);
      return bots;
    },
  };
}

export function simAlerts(initial: LoadedState, clock: Clock, random: Random, core: () => DeskCore): Alerts {
  return new Alerts({
    initial: initial.alerts,
    clock,
    id: () => random.id(12),
    store: (rows) => {
      const { turn } = core();
      turn.store(rows, true);
      return turn.read(() => {});
    },
    changed: () => {},
  });
}
