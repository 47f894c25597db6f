/**
 * The symbols that terminals look at closely: each is watched once, while any terminal looks at it. A
 * terminal is only told that something has changed, and takes the change when it can: one that does not read
 * costs nothing.
 */
import { OWNER } from '../../domain/actor.ts';
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { str } from '../../domain/decimal.ts';
import type { Depth } from '../../domain/depth.ts';
import { type Outcome, ok, refuse } from '../../domain/errors.ts';
import { marketKey, marketOf } from '../../domain/exchange.ts';
import type { EngineMemory } from '../../engine/memory.ts';
import { frameStart } from '../../market/aggregate.ts';
import type { Tick } from '../../market/feed.ts';
import type { LiveTick } from '../../market/market-data.ts';
import type { LookPart, LookRequest, LookView } from '../console/look-views.ts';
import type { LiveMarkets } from './live/live-markets.ts';
import { DAY_MS, Looked } from './looked.ts';
import type { MarketHistory } from './market-history.ts';

/** How often closed minutes are looked for, ms. */
const REFRESH_MS = 1_000;

export interface LooksOptions {
  readonly clock: Clock;
  /** Market time. */
  readonly now: () => number;
  readonly memory: () => EngineMemory;
  readonly history: () => MarketHistory;
  readonly live: () => Pick<LiveMarkets, 'of'>;
  /** Returns the funding of a contract whose market does not report it; null: there is none. */
  readonly funding: (market: string, symbol: string) => LookView['funding'];
}

/** The close look of one terminal. */
export interface Look {
  /** Returns everything about the symbol. */
  whole(): LookView;
  /** Returns the changes since the last call. */
  take(): LookPart;
  /** Changes the frame of the same symbol. */
  frame(frameMs: number): Outcome<null>;
  end(): void;
}

/** Parts that may have changed. */
type Field = 'prices' | 'mark' | 'depth' | 'tape';

interface Watched {
  readonly looked: Looked;
  readonly eyes: Set<(field: Field) => void>;
  readonly tells: LookView['tells'];
  readonly letGo: () => void;
  /** The history is being loaded. */
  isAsking: boolean;
  /** Beginning of the step in which the history was last checked. */
  at: number;
}

export class Looks {
  readonly #o: LooksOptions;
  /** By `marketKey`. */
  readonly #watched = new Map<string, Watched>();
  #timer: Cancelable | null = null;

  constructor(options: LooksOptions) {
    this.#o = options;
  }

  /** Opens a close look; `changed` is called when there is something to take. */
  open({ market, symbol, frameMs }: LookRequest, changed: () => void): Outcome<Look> {
    const accounts = this.#o.memory().accountsOf(OWNER);
    if (!accounts.some((one) => marketOf(one.account) === market && one.instruments.has(symbol)))
      return refuse('NOT_FOUND', `no account here trades ${symbol} on ${market}`);
    const stepMs = this.#o.history().frameMs(market);
    const noFrame = (asked: number) =>
      refuse('INVALID_REQUEST', `a frame of ${asked} ms is none that ${market} has`);
    if (!isFrame(frameMs, stepMs)) return noFrame(frameMs);
    const watched = this.#watch(market, symbol, stepMs);
    const eye = new Eye(watched, frameMs, this.#o.now, changed);
    watched.eyes.add(eye.saw);
    return ok({
      whole: () => eye.whole(),
      take: () => eye.take(),
      frame: (other) => {
        if (!isFrame(other, stepMs)) return noFrame(other);
        eye.frame(other);
        return ok(null);
      },
      end: () => this.#end(watched, eye.saw),
    });
  }

  onTick(market: string, tick: Tick): void {
    if (this.#watched.size === 0) return;
    const watched = this.#watched.get(marketKey(market, tick.symbol));
    if (!watched) return;
    watched.looked.tick(tick);
    this.#saw(watched, 'prices');
  }

  onTrades(market: string, symbol: string, ticks: readonly LiveTick[]): void {
    const watched = this.#watched.get(marketKey(market, symbol));
    if (!watched) return;
    watched.looked.print(ticks);
    this.#saw(watched, 'tape');
  }

  onDepth(market: string, symbol: string, depth: Depth | null): void {
    const watched = this.#watched.get(marketKey(market, symbol));
    if (!watched) return;
    watched.looked.depth = depth;
    this.#saw(watched, 'depth');
  }

  onMark(market: string, symbol: string, mark: string, funding: LookView['funding']): void {
    if (this.#watched.size === 0) return;
    const watched = this.#watched.get(marketKey(market, symbol));
    if (!watched) return;
    watched.looked.mark = mark;
    watched.looked.funding = funding ?? watched.looked.funding;
    this.#saw(watched, 'mark');
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
    for (const { letGo } of this.#watched.values()) letGo();
    this.#watched.clear();
  }

  #watch(market: string, symbol: string, stepMs: number): Watched {
    const key = marketKey(market, symbol);
    const known = this.#watched.get(key);
    if (known) return known;
    const live = this.#o.live().of(market);
    const watched: Watched = {
      looked: new Looked(market, symbol, stepMs),
      eyes: new Set(),
      tells: live?.tellsDepth === true ? 'depth' : 'last',
      letGo: live?.lookAt(symbol) ?? (() => {}),
      isAsking: false,
      at: Number.NEGATIVE_INFINITY,
    };
    watched.looked.funding = live ? live.fundingOf(symbol) : this.#o.funding(market, symbol);
    // The exchange reports a mark price when it changes.
    const mark = this.#o.memory().markets.get(market)?.marks.get(symbol);
    watched.looked.mark = mark === undefined ? null : str(mark);
    this.#watched.set(key, watched);
    this.#bring(watched);
    this.#timer ??= this.#o.clock.after(REFRESH_MS, () => this.#refresh());
    return watched;
  }

  #end(watched: Watched, eye: (field: Field) => void): void {
    if (!watched.eyes.delete(eye) || watched.eyes.size > 0) return;
    watched.letGo();
    this.#watched.delete(marketKey(watched.looked.market, watched.looked.symbol));
    if (this.#watched.size > 0) return;
    this.#timer?.cancel();
    this.#timer = null;
  }

  #refresh(): void {
    this.#timer = this.#o.clock.after(REFRESH_MS, () => this.#refresh());
    for (const watched of this.#watched.values()) {
      const { market, symbol, stepMs } = watched.looked;
      if (frameStart(this.#o.now(), stepMs) === watched.at) continue;
      this.#bring(watched);
      if (!this.#o.live().of(market)) watched.looked.funding = this.#o.funding(market, symbol);
      this.#saw(watched, 'prices');
      this.#saw(watched, 'mark');
    }
  }

  /** Loads the market's candles of the last 24 hours and the present day. */
  #bring(watched: Watched): void {
    const { looked } = watched;
    const now = this.#o.now();
    watched.at = frameStart(now, looked.stepMs);
    const asked = [looked.symbol, looked.stepMs, watched.at - DAY_MS, now] as const;
    const live = this.#o.live().of(looked.market);
    if (!live) {
      looked.tell(this.#o.history().candles(looked.market, ...asked));
      return;
    }
    const here = live.candles.read(...asked);
    if (here) looked.tell(here);
    if (here || watched.isAsking) return;
    watched.isAsking = true;
    void live.history(...asked).then((candles) => {
      watched.isAsking = false;
      if (candles.length === 0) return;
      looked.tell(candles);
      this.#saw(watched, 'prices');
    });
  }

  #saw({ eyes }: Watched, field: Field): void {
    for (const saw of eyes) saw(field);
  }
}

class Eye {
  readonly #watched: Watched;
  readonly #now: () => number;
  readonly #changed: () => void;
  readonly #fields = new Set<Field>();
  #frameMs: number;
  #isWhole = true;
  /** Number of trades that were taken. */
  #taken = 0;

  constructor(watched: Watched, frameMs: number, now: () => number, changed: () => void) {
    this.#watched = watched;
    this.#frameMs = frameMs;
    this.#now = now;
    this.#changed = changed;
  }

  readonly saw = (field: Field): void => {
    this.#fields.add(field);
    this.#changed();
  };

  frame(frameMs: number): void {
    this.#frameMs = frameMs;
    this.#isWhole = true;
    this.#changed();
  }

  whole(): LookView {
    const { looked } = this.#watched;
    const { market, symbol, mark, funding, depth } = looked;
    this.#isWhole = false;
    this.#fields.clear();
    this.#taken = looked.trades;
    return {
      market,
      symbol,
      frameMs: this.#frameMs,
      tells: this.#watched.tells,
      ...this.#prices(),
      mark,
      funding,
      depth,
      tape: looked.tape(),
    };
  }

  take(): LookPart {
    if (this.#isWhole) return { whole: true, ...this.whole() };
    const { looked } = this.#watched;
    const has = (field: Field) => this.#fields.has(field);
    const part: LookPart = {
      ...(has('prices') ? this.#prices() : {}),
      ...(has('mark') ? { mark: looked.mark, funding: looked.funding } : {}),
      ...(has('depth') ? { depth: looked.depth } : {}),
      ...(has('tape') ? { tape: looked.tape(this.#taken) } : {}),
    };
    this.#fields.clear();
    this.#taken = looked.trades;
    return part;
  }

  #prices(): Pick<LookView, 'forming' | 'day'> {
    const { looked } = this.#watched;
    const now = this.#now();
    return { forming: looked.forming(this.#frameMs, now), day: looked.day(now) };
  }
}

function isFrame(frameMs: number, stepMs: number): boolean {
  return frameMs >= stepMs && frameMs <= Math.max(DAY_MS, stepMs) && frameMs % stepMs === 0;
}
