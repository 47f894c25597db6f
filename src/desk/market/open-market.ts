/**
 * The market of a desk: feed, pace, loop and the consoles' view of it, resumed from the store. Opened before
 * the engine.
 */
import type { Clock } from '../../domain/clock.ts';
import { errorText } from '../../domain/errors.ts';
import type { Row } from '../../domain/rows.ts';
import { FeedDriver, type MarketDriver } from '../../market/driver.ts';
import type { Feed, Tick } from '../../market/feed.ts';
import { PushedDriver } from '../../market/pushed.ts';
import type { PriceSample } from '../../market/symbols.ts';
import type { LoadedState, Store } from '../../store/store.ts';
import type { CompiledDeskOptions } from '../options.ts';
import type { LiveCandles } from './live/live-candles.ts';
import { cursorOf, type MarketCursor, openFeed, reachedAt, resumeAt } from './market-cursor.ts';
import { dayCounter } from './market-day.ts';
import { type MarketHistory, marketHistory, type PastOf } from './market-history.ts';
import { MarketLoop } from './market-loop.ts';
import { type EquityDay, type KnownPrice, MarketView } from './market-view.ts';

export type MarketOptions = Pick<CompiledDeskOptions, 'feed' | 'seed' | 'speed' | 'hold' | 'timeZone'>;

export interface MarketGiven {
  readonly options: MarketOptions;
  readonly clock: Clock;
  readonly store: Store;
  readonly initial: LoadedState;
  /** Wall time of the start. */
  readonly startedAt: number;
  /** Opens the feed; default: the one that the options name. */
  readonly openFeed?: typeof openFeed;
  /** Returns the candles of a live market; undefined: it is not live. */
  readonly live?: (market: string) => LiveCandles | undefined;
  /** Stores a row of the feed (a closed candle) with the next commit. */
  readonly keep: (row: Row) => void;
  /** A tick has been matched and given to the engine. */
  readonly told: (tick: Tick) => void;
  /** The feed was held, has ended or jumped, or has another speed. */
  readonly changed: () => void;
  /** The feed broke: there is no market any more. */
  readonly failed: (reason: string) => void;
}

export interface Market {
  readonly feed: Feed;
  readonly samplePrices: PriceSample;
  /** The history of every market. */
  readonly history: MarketHistory & { readonly past: PastOf };
  readonly view: MarketView;
  readonly driver: MarketDriver;
  readonly loop: MarketLoop;
  /** The stored cursor of the market, if it is of this feed. */
  readonly cursor: MarketCursor | null;
  /** Last prices known before the first tick, of symbols that the feed still has. */
  readonly known: readonly KnownPrice[];
  /**
   * Present market time, Unix ms: of the last tick, or of the close or timer that is handled before its tick.
   */
  time(): number;
  /** Returns the rows of the cursor, for every commit; none while the stored ones are right. */
  deferredRows(): Row[];
  /** Called when a commit has stored those rows. */
  deferredStored(): void;
}

/**
 * Opens the market. Throws the feed's error if it cannot be read, and a DeskStartError where the store does
 * not fit the feed.
 */
export function openMarket(given: MarketGiven): Market {
  const { options, store, initial, startedAt, keep } = given;
  const { feed, samplePrices } = (given.openFeed ?? openFeed)(options, store, startedAt, keep);
  const stored = initial.meta.get('market') as MarketCursor | undefined;
  const cursor = stored?.feed === feed.label ? stored : null;
  const known = initial.meta.get('equity-day') as EquityDay | undefined;
  // An older store does not say which wallets it counted: then the day begins with this start.
  const day = known?.wallets ? known : null;
  const history = marketHistory(feed, store, given.live);
  const view = new MarketView(history, day, dayCounter(options.timeZone));
  const loop = new MarketLoop({
    clock: given.clock,
    lockStep: !feed.live,
    inWork: cursor && { unfinished: cursor.unfinished, ahead: cursor.ahead ?? null },
    reached: cursor?.time ?? 0,
    told: given.told,
  });
  const driver: MarketDriver = feed.pushed
    ? new PushedDriver({
        clock: given.clock,
        reached: reachedAt(feed, stored, startedAt),
        onTime: (time) => loop.onTime(time),
      })
    : new FeedDriver({
        feed,
        clock: given.clock,
        speed: options.speed,
        hold: options.hold,
        ...resumeAt(feed, stored),
        onTick: (tick) => loop.onTick(tick),
        onJump: (time) => loop.onJump(time),
        onState: given.changed,
        onError: (error) => given.failed(`the market feed failed: ${errorText(error)}`),
      });
  /** The loop's `changes` in the last stored cursor; null: none was stored in this start. */
  let written: number | null = null;
  return {
    feed,
    samplePrices,
    history,
    view,
    driver,
    loop,
    cursor,
    known: (stored?.prices ?? []).filter(([symbol]) => feed.symbols.includes(symbol)),
    time: () => loop.dueTime ?? driver.marketTime,
    deferredRows: () =>
      written === loop.changes
        ? []
        : [{ kind: 'meta', name: 'market', value: cursorOf(feed, driver, view, loop.inWork) }],
    deferredStored: () => {
      written = loop.changes;
    },
  };
}
