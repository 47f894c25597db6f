/**
 * The market loop: what one tick does to a desk, in which order, and how a start goes on with a tick that a crash has cut
 * short. First what falls due before the tick (end dates; in a replay the bots' closes and timers too), then the bots are
 * told, then the embedded exchanges match, then marks and last price reach the engine. Decides no pace (`driver.ts`) and
 * reads no clock but for one bound. A replay waits for the work of every tick; a live market never waits for a call (S55).
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

/** So often at most one tick lets something fall due before it: what asks for its moment again and again cannot stop the market. */
export const DUES_MAX = 10_000;
/** A live market that has jumped gives the cancels of passed end dates this long to arrive before it goes on. */
export const JUMP_WAIT_MS = 5_000;

export interface MarketLoopOptions {
  readonly clock: Clock;
  /** True on a feed of the past: every tick waits until all that the one before has caused is done. */
  readonly lockStep: boolean;
  /** What the store has of a tick that was in work when the desk ended; null: nothing. */
  readonly inWork: TickInWork | null;
  /** Market time reached, Unix ms. */
  readonly reached: number;
  /** A tick has been matched and told to the engine. */
  readonly told: (tick: Tick) => void;
}

/** What the loop moves; tied to it once the engine is there. */
export interface MarketParts {
  readonly turn: Turn;
  /** Exchanges of this process, which match the ticks. */
  readonly paper: readonly PaperVenue[];
  /** All exchanges: those with futures are asked for their marks. */
  readonly venues: readonly Venue[];
  /** When the next end date is reached, market time; Infinity without one. */
  readonly nextEndDate: () => number;
  /** When the next candle closes or timer of a bot fires, market time; Infinity without one. */
  readonly nextBotDue: () => number;
}

export class MarketLoop {
  readonly #o: MarketLoopOptions;
  #parts: MarketParts | null = null;
  #unfinished: Tick | null;
  #ahead: AheadTick | null;
  #reached: number;
  /** Rises with whatever the cursor tells. */
  changes = 0;

  constructor(options: MarketLoopOptions) {
    this.#o = options;
    this.#unfinished = options.inWork?.unfinished ?? null;
    this.#ahead = options.inWork?.ahead ?? null;
    this.#reached = this.#ahead?.at ?? options.reached;
  }

  /** Ties the loop to engine and exchanges. Before the first tick. */
  connect(parts: MarketParts): void {
    this.#parts = parts;
  }

  /** For the cursor, which is stored with every commit: what a tick in work has come to. */
  get inWork(): TickInWork {
    return { unfinished: this.#unfinished, ahead: this.#ahead };
  }

  /** Market time of the close, timer or end date that is being told before its tick; null: that of the last tick counts. */
  get dueTime(): number | null {
    return this.#ahead?.at ?? null;
  }

  /** One tick of the feed; a promise when its work is not done at once. */
  onTick(tick: Tick): Promise<void> | void {
    this.changes += 1;
    if (this.#nextDue() > tick.time) return this.#move(tick);
    if (this.#o.lockStep) return this.#duesThenTick(tick);
    this.#ahead = { tick, at: tick.time };
    this.#sendDue(tick.time);
    return this.#move(tick);
  }

  /**
   * A live market goes on at a later time than it stood at (a stall, a sleep of the machine, a start): what has reached its
   * end date meanwhile is cancelled before a tick can fill it. Bounded, since a cancel may get lost.
   */
  onJump(time: number): Promise<void> | void {
    this.changes += 1;
    if (this.#nextDue() > time) return;
    this.#sendDue(time);
    const { turn, paper } = this.#tied();
    const settled = turn.quiet(paper.map(({ account }) => account.id));
    return settled && atMost(this.#o.clock, JUMP_WAIT_MS, settled);
  }

  /** Of a market without ticks: what has reached its end date is cancelled. */
  onTime(time: number): void {
    this.changes += 1;
    if (this.#nextDue() <= time) this.#sendDue(time);
  }

  /** Goes on with the tick that was in work when the desk ended; nothing when none was. */
  async resume(): Promise<void> {
    if (this.#ahead) await this.onTick(this.#ahead.tick);
    // The bots have seen it: the exchanges go on matching it.
    else if (this.#unfinished) await this.#match(this.#unfinished);
  }

  /** In lock-step what is decided at a close, a timer or an end date is at the exchange before anything later happens. */
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

  /** Committed and sent within this call, so that an exchange of this process has it before the next match. */
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

  /** A live market asks for end dates only: what bots decide at a close follows in the step of the tick itself. */
  #nextDue(): number {
    const { nextEndDate, nextBotDue } = this.#tied();
    return this.#o.lockStep ? Math.min(nextEndDate(), nextBotDue()) : nextEndDate();
  }

  #tied(): MarketParts {
    if (!this.#parts) throw new Error('market loop: a tick before it was connected');
    return this.#parts;
  }
}
