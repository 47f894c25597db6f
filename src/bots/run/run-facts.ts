/**
 * What a strategy reads of its run: time, prices, lots, figures, and the arithmetic that is mirrored for a
 * short. Pure reads.
 */
import { type Dec, dec, div, floorTo, maxDec, minDec, mul, ONE, str, ZERO } from '../../domain/decimal.ts';
import { crossed, keepSide, sideOf } from '../market/price-line.ts';
import type { BotCandle, SymbolView } from '../market/view.ts';
import type { CompiledSettings, MarketRules, Problem } from '../settings/compiled.ts';
import { largestBudget } from '../settings/room.ts';
import type { AnyStrategy } from '../strategy.ts';
import type { Fill, RunOrder, RunStats, RunWorld } from './contract.ts';
import type { FirstCandles } from './first-candles.ts';
import { LotBook } from './lots.ts';
import { firstCandles, type RunOptions, type RunState } from './run-state.ts';

const HUNDRED = 100n * ONE;
/** Step to which a proposed deposit is rounded. */
const CENT = dec('0.01');

export class RunFacts {
  readonly settings: CompiledSettings;
  readonly rules: MarketRules;
  readonly market: SymbolView;
  /** View of any symbol (NOTIFY). */
  readonly marketOf: (symbol: string) => SymbolView;
  readonly world: RunWorld;
  readonly lots: LotBook;
  readonly state: RunState;
  /** The candles in which the run started, as it saw them. */
  protected readonly firsts: FirstCandles;

  protected readonly strategy: AnyStrategy;

  constructor(options: RunOptions, state: RunState) {
    this.settings = options.settings;
    this.strategy = options.strategy;
    this.rules = options.rules;
    this.world = options.world;
    this.firsts = firstCandles(options, state);
    this.market = this.firsts.view(options.settings.symbol, options.market);
    this.marketOf = (symbol) => this.firsts.view(symbol, options.marketOf(symbol));
    this.state = state;
    this.lots = new LotBook(state.lots, options.rules, options.settings.short, options.settings.profitAsset);
  }

  /** Market time, Unix ms. */
  get now(): number {
    return this.world.now();
  }

  /** Last price; a running run of a trading type always has one. */
  get price(): Dec {
    return this.market.price ?? ZERO;
  }

  /** State of the strategy. */
  get own(): unknown {
    return this.state.strategy;
  }

  get running(): boolean {
    return this.state.phase === 'running';
  }

  /** True while every tick counts: it is part of a candle in which the run started. */
  protected get observes(): boolean {
    return this.now < this.firsts.until;
  }

  /** True when the run differs from its stored state and must be stored. */
  get isUnstored(): boolean {
    return this.firsts.areOther;
  }

  /** Releases the run's candles: it reads nothing any more. */
  release(): void {
    this.firsts.release();
  }

  /** Market time of the earliest timer; Infinity when there is none. */
  nextTimer(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const at of this.state.timers.values()) if (at < next) next = at;
    return next;
  }

  /**
   * Returns the budget of the cycle that begins now: with `reuse` it includes the realised PnL of the run
   * (strategies.md 4).
   */
  cycleBudget(): Dec {
    const { budget, lots } = this.state;
    return this.settings.options.reuse ? maxDec(budget + lots.realised, ZERO) : budget;
  }

  /** Notional that an amount of margin covers; on spot the amount itself. */
  notional(budget: Dec): Dec {
    return this.rules.kind === 'futures' ? mul(budget, this.world.leverage()) : budget;
  }

  /** Returns true when `a` is at or beyond `b` on the winning side (above; for a short below). */
  better(a: Dec, b: Dec): boolean {
    return this.settings.short ? a <= b : a >= b;
  }

  /** `price` moved by percent to the winning side. */
  up(price: Dec, percent: Dec): Dec {
    return div(mul(price, this.settings.short ? HUNDRED - percent : HUNDRED + percent), HUNDRED);
  }

  /** `price` moved by percent to the losing side. */
  down(price: Dec, percent: Dec): Dec {
    return div(mul(price, this.settings.short ? HUNDRED + percent : HUNDRED - percent), HUNDRED);
  }

  /** Figures of the run as of now (strategies.md 2, run rule 6). */
  stats(): RunStats {
    const { stats, lots } = this.state;
    return { ...stats, realised: lots.realised, fees: lots.fees, volume: lots.volume };
  }

  /** True when nothing of the present cycle has been sold: what it bought has become dust. */
  get cameToDust(): boolean {
    return this.lots.state.realised === this.state.cycleFrom;
  }

  unrealised(): Dec {
    return this.market.price === null ? ZERO : this.lots.unrealised(this.market.price);
  }

  /**
   * Takes the deposit of this run and checks that it is covered and that its symbol is free. Called at the
   * start, or when the start trigger fires.
   */
  fund(): Problem | null {
    const conflict = this.world.conflict?.() ?? null;
    if (conflict !== null) return { path: '', message: conflict };
    const { deposit } = this.settings;
    if (!deposit) return null;
    const available = this.world.available(deposit.asset);
    const largest = largestBudget(available, this.settings, this.rules, this.world.leverage());
    let budget = deposit.value;
    if (deposit.strategy === 'percent') {
      budget = minDec(div(mul(available, deposit.value), HUNDRED), largest);
      if (deposit.max !== null) budget = minDec(budget, deposit.max);
      if (deposit.min !== null) budget = maxDec(budget, deposit.min);
    }
    this.state.budget = budget;
    this.state.equityPeak = budget;
    if (deposit.allocate === 'no_reserve' || budget <= largest) return null;
    if (budget <= available) {
      const message = `deposit ${str(budget)} leaves no room for the fee and the opening loss of its entry: ${str(available)} ${deposit.asset} is available, at most ${str(floorTo(largest, CENT))} fits`;
      return { path: 'deposit.value', message };
    }
    const reserved = this.world.reservedByOthers(deposit.asset);
    const others = reserved > ZERO ? ` (${str(reserved)} reserved by other bots)` : '';
    return {
      path: '',
      message: `insufficient balance: the bot needs ${str(budget)} ${deposit.asset}, ${str(available)} is available${others}`,
    };
  }

  /** Returns all problems that prevent a start at this moment. */
  startProblems(): Problem[] {
    const { settings, state, rules, market } = this;
    const conflict = this.world.conflict?.() ?? null;
    if (conflict !== null) return [{ path: '', message: conflict }];
    const unfunded = this.fund();
    const planned = this.strategy.startProblems(settings, rules, this.notional(state.budget), market.price);
    if (!settings.startTrigger) return [...planned, ...(unfunded ? [unfunded] : [])];
    // The deposit is checked and taken when the price crosses the line.
    state.budget = ZERO;
    return [...planned];
  }

  /** Returns true when the price has crossed the line of the start trigger in its direction. */
  protected startTriggered(price: Dec): boolean {
    const trigger = this.settings.startTrigger;
    if (!trigger) return false;
    const before = this.state.triggerSide;
    this.state.triggerSide = keepSide(before, sideOf(trigger.trend, this.now, price));
    return crossed(before, this.state.triggerSide, trigger.direction);
  }

  /** Books a fill of an entry in its lots, in order; `from` is the quantity that had filled before. */
  bought(order: RunOrder, fill: Fill, from: Dec): void {
    let skip = from;
    let rest = fill.qty;
    for (const part of order.into) {
      if (rest === ZERO) break;
      const passed = skip < part.qty ? skip : part.qty;
      skip -= passed;
      const room = part.qty - passed;
      const qty = room < rest ? room : rest;
      if (qty === ZERO) continue;
      this.lots.buy(part.lot, part.label, fill, qty, this.now);
      rest -= qty;
    }
  }

  /** Lots for an exit that names none: the oldest first; lots whose own sale is on its way come last. */
  #sellable(): string[] {
    const { open } = this.lots;
    return [...open.filter(({ closing }) => !closing), ...open.filter(({ closing }) => closing)].map(
      ({ key }) => key,
    );
  }

  /** Takes a fill of an exit from its lots. */
  sold(order: RunOrder, fill: Fill): void {
    this.state.sold = true;
    this.lots.sell(order.from.length === 0 ? this.#sellable() : order.from, fill);
  }

  /**
   * Compares equity at a candle's worst price with its best so far: sampled at closes, so that live runs and
   * backtests agree. True: one of the two has changed.
   */
  protected drawdown(candle: BotCandle): boolean {
    const { state, settings } = this;
    if (this.lots.open.length === 0 || state.budget === ZERO) return false;
    const before = [state.stats.maxDrawdown, state.equityPeak];
    const base = state.budget + state.lots.realised;
    const low = base + this.lots.unrealised(settings.short ? candle.high : candle.low);
    const close = base + this.lots.unrealised(candle.close);
    if (state.equityPeak > ZERO && low < state.equityPeak) {
      const drop = div((state.equityPeak - low) * 100n, state.equityPeak);
      if (drop > state.stats.maxDrawdown) state.stats.maxDrawdown = drop;
    }
    if (close > state.equityPeak) state.equityPeak = close;
    return state.stats.maxDrawdown !== before[0] || state.equityPeak !== before[1];
  }
}
