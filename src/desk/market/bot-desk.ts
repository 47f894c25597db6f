/**
 * The bots of a desk: a candle hub for each market, the paper market's restored from the store, and an engine
 * of bots for each order engine.
 */

import { CandleHub, type ClosedSnapshot, type FormingSnapshot } from '../../bots/market/candle-hub.ts';
import { MarketHubs } from '../../bots/market/market-hubs.ts';
import { BotEngine } from '../../bots/runtime/bot-engine.ts';
import { candleRows, storedFirsts } from '../../bots/runtime/candle-rows.ts';
import type { RunRecord } from '../../domain/bot.ts';
import { dec } from '../../domain/decimal.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Tick } from '../../market/feed.ts';
import type { LoadedState } from '../../store/store.ts';
import { PAPER_MARKET } from '../../venues/paper/accounts.ts';
import type { Venue } from '../../venues/venue.ts';
import type { MarketCursor } from './market-cursor.ts';
import type { PastOf } from './market-history.ts';

export interface BotDeskOptions {
  readonly past: PastOf;
  /** Markets whose exchange reports the close of candles. */
  readonly live: ReadonlySet<string>;
  /** Present market time. */
  readonly time: number;
  /** The stored cursor of the market, if it is of this feed. */
  readonly cursor: MarketCursor | null;
  readonly initial: LoadedState;
  readonly venues: readonly Venue[];
  readonly fees: (exchange: string) => { readonly maker: string; readonly taker: string };
  /** Names of the notification targets. */
  readonly targets: readonly string[];
  /** Most bots of one account; left out: MAX_BOTS. */
  readonly maxBots?: number;
  /** The last stored run of a bot; null without one. */
  readonly lastRun: (botId: string) => RunRecord | null;
}

export interface BotDesk {
  /** Returns the candle hub of a market. */
  hub(market: string): CandleHub;
  /** Makes the bots of an engine, for `DeskCoreOptions.bots`. */
  make(engine: Engine, state: LoadedState, before: BotEngine | null): BotEngine;
}

export function createBotDesk(o: BotDeskOptions): BotDesk {
  const hubs = new MarketHubs((market) => new CandleHub({ time: o.time, told: o.live.has(market) }));
  const hub = hubs.of(PAPER_MARKET);
  const firsts = [PAPER_MARKET, ...o.live].map((market) =>
    hubs.of(market).firsts.restore(storedFirsts(o.initial.meta, market)),
  );
  let settle = () => {};
  if (o.cursor) {
    for (const [symbol, price, time] of o.cursor.prices) hub.lastPrice(symbol, time, dec(price));
    // The stored prices do not have this tick before it is matched, but the bots have seen it.
    const { unfinished } = o.cursor;
    if (unfinished) hub.pendingTick(unfinished.symbol, unfinished.time, dec(unfinished.price));
    const names = candleRows(PAPER_MARKET);
    const forming = o.initial.meta.get(names.forming) as FormingSnapshot | undefined;
    const closed = o.initial.meta.get(names.closed) as ClosedSnapshot | undefined;
    if (forming && closed) settle = hub.restore(forming, closed);
  }
  return {
    hub: (market) => hubs.of(market),
    make(engine, state, before) {
      const bots = new BotEngine({
        memory: engine.memory,
        hubs,
        history: o.past,
        fees: o.fees,
        maxLeverage: (exchange, symbol) => maxLeverage(o.venues, exchange, symbol),
        targets: o.targets,
        lastRun: o.lastRun,
        ...(o.maxBots === undefined ? {} : { maxBots: o.maxBots }),
      });
      bots.load(state, hub.time);
      before?.leave();
      settle();
      settle = () => {};
      for (const drop of firsts.splice(0)) drop();
      return bots;
    },
  };
}

/** Returns the market input of a tick, for the step before the exchanges match it. */
export function marketMove({ symbol, time, price, volume }: Tick) {
  return { type: 'market', market: PAPER_MARKET, symbol, time, price, volume } as const;
}

function maxLeverage(venues: readonly Venue[], exchange: string, symbol: string): number {
  const futures = venues.find(({ account }) => account.id === exchange)?.futures;
  return futures?.brackets(symbol)[0]?.initialLeverage ?? 1;
}
