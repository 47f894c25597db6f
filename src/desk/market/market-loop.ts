/**
 * The market loop: what one tick does to a desk, in which order, and how a start goes on with a tick that a
 * crash has interrupted. First come events due before the tick (end dates; in a replay the bots' closes and
 * timers too), then the bots get the tick, then the embedded exchanges match, then marks and last price reach
 * the engine. It sets no pace (`driver.ts`) and reads no clock except for one bound. A replay waits for the
 * work of every tick; a live market never waits for a call (S55).
 */
import type { Clock } from '../../domain/clock.ts';
import type { Tick } from '../../market/feed.ts';
import { PAPER_MARKET, type PaperVenue } from '../../venues/paper/paper-venue.ts';
import type { Venue } from '../../venues/venue.ts';
import { atMost } from '../core/at-most.ts';
import type { Turn } from '../core/turn.ts';
import { stepMarks, tickAll } from '../paper/paper-accounts.ts';
import { marketMove } from './bot-desk.ts';
import type { AheadTick, TickInWork } from './market-cursor.ts';

/**
 * Most events due before one tick: something that asks for the same moment again and again cannot stop the
 * market.
 */
export const DUES_MAX = 10_000;
/** A live market that has jumped waits this long for the cancels of passed end dates to arrive, ms. */
export const JUMP_WAIT_MS = 5_000;

export interface MarketLoopOptions {
  readonly clock: Clock;
  /** True for a feed of the past: every tick waits until all effects of the one before are done. */
  readonly lockStep: boolean;
  /** The stored progress of a tick that was in work when the desk ended; null: none. */
  readonly inWork: TickInWork | null;
  /** Market time reached, Unix ms. */
  readonly reached: number;
  /** A tick has been matched and given to the engine. */
  readonly told: (tick: Tick) => void;
}

/** The parts that the loop moves; connected once the engine is there. */
export interface MarketParts {
  readonly turn: Turn;
  /** Exchanges of this process, which match the ticks. */
  readonly paper: readonly PaperVenue[];
  /** All exchanges: those with futures are asked for their marks. */
  readonly venues: readonly Venue[];
  /** Returns market time of the next end date; Infinity without one. */
  readonly nextEndDate: () => number;
  /** Returns market time of the next candle close or timer of a bot; Infinity without one. */
  readonly nextBotDue: () => number;
}

export class MarketLoop {
  readonly #o: MarketLoopOptions;
  #parts: MarketParts | null = null;
  #unfinished: Tick | null;
  #ahead: AheadTick | null;
  #reached: number;
  /** Rises whenever what the cursor stores changes. */
  changes = 0;

  constructor(options: MarketLoopOptions) {
    this.#o = options;
    this.#unfinished = options.inWork?.unfinished ?? null;
    this.#ahead = options.inWork?.ahead ?? null;
    this.#reached = this.#ahead?.at ?? options.reached;
  }

  /** Connects the loop to engine and exchanges, before the first tick. */
  connect(parts: MarketParts): void {
    this.#parts = parts;
  }

  /** Returns the progress of a tick in work, for the cursor, which is stored with every commit. */
  get inWork(): TickInWork {
    return { unfinished: this.#unfinished, ahead: this.#ahead };
  }

  /**
   * Returns market time of the close, timer or end date that is handled before its tick; null: that of the
   * last tick counts.
   */
  get dueTime(): number | null {
    return this.#ahead?.at ?? null;
  }

  /** Handles one tick of the feed; a promise when its work is not done at once. */
  onTick(tick: Tick): Promise<void> | void {
    this.changes += 1;
    if (this.#nextDue() > tick.time) return this.#move(tick);
    if (this.#o.lockStep) return this.#duesThenTick(tick);
    this.#ahead = { tick, at: tick.time };
    this.#sendDue(tick.time);
    return this.#move(tick);
  }

  /**
   * Handles a jump of a live market (a stall, a sleep of the machine, a start): orders whose end date has
   * passed are cancelled before a tick can fill them. Bounded, since a cancel may get lost.
   */
  onJump(time: number): Promise<void> | void {
    this.changes += 1;
    if (this.#nextDue() > time) return;
    this.#sendDue(time);
    const { turn, paper } = this.#tied();
    const settled = turn.quiet(paper.map(({ account }) => account.id));
    return settled && atMost(this.#o.clock, JUMP_WAIT_MS, settled);
  }

  /** Moves the time of a market without ticks: orders whose end date has passed are cancelled. */
  onTime(time: number): void {
    this.changes += 1;
    if (this.#nextDue() <= time) this.#sendDue(time);
  }

  /** Goes on with the tick that was in work when the desk ended; does nothing without one. */
  async resume(): Promise<void> {
    if (this.#ahead) await this.onTick(this.#ahead.tick);
    // The bots have seen it: the exchanges go on matching it.
    else if (this.#unfinished) await this.#match(this.#unfinished);
  }

  /**
   * In lock-step, what is decided at a close, a timer or an end date reaches the exchange before anything
   * later happens.
   */
  async #duesThenTick(tick: Tick): Promise<void> {
    const { turn } = this.#tied();
    for (let rounds = 0; rounds < DUES_MAX; rounds++) {
      const due = this.#nextDue();
      if (due > tick.time) break;
      this.#ahead = { tick, at: Math.max(due, this.#reached) };
      this.changes += 1;
      turn.step({ type: 'time', time: due });
      await turn.quiet();
    }
    await this.#move(tick);
  }

  /** Commits and sends within this call, so that an exchange of this process has it before the next match. */
  #sendDue(time: number): void {
    const { turn } = this.#tied();
    turn.step({ type: 'time', time });
    turn.flush();
  }

  #move(tick: Tick): Promise<void> | void {
    this.#ahead = null;
    this.#unfinished = tick;
    this.#reached = tick.time;
    this.changes += 1;
    this.#tied().turn.step(marketMove(tick));
    return this.#match(tick);
  }

  #match(tick: Tick): Promise<void> | void {
    const matched = tickAll(this.#tied().paper, tick);
    return matched ? matched.then(() => this.#afterMatch(tick)) : this.#afterMatch(tick);
  }

  #afterMatch(tick: Tick): Promise<void> | void {
    const { turn, venues } = this.#tied();
    stepMarks(turn, venues, tick.symbol);
    turn.step({ type: 'tick', market: PAPER_MARKET, symbol: tick.symbol, price: tick.price });
    this.#unfinished = null;
    this.#o.told(tick);
    this.changes += 1;
    return this.#o.lockStep ? turn.quiet() : undefined;
  }

  /**
   * Returns the next time due. A live market asks for end dates only: what bots decide at a close follows in
   * the step of the tick itself.
   */
  #nextDue(): number {
    const { nextEndDate, nextBotDue } = this.#tied();
    return this.#o.lockStep ? Math.min(nextEndDate(), nextBotDue()) : nextEndDate();
  }

  #tied(): MarketParts {
    if (!this.#parts) throw new Error('market loop: a tick before it was connected');
    return this.#parts;
  }
}
