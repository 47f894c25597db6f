/**
 * Plays a feed's ticks at their time, in lock-step: tick n + 1 only after all work that tick n caused is
 * done, so that a run has the same outcome at every speed. Decides only the pace; market time never goes
 * back.
 */
import type { Cancelable, Clock } from '../domain/clock.ts';
import type { Feed, Tick } from './feed.ts';

export interface FeedDriverOptions {
  readonly feed: Feed;
  readonly clock: Clock;
  /** Market seconds per wall second; `max`: as fast as the work allows. */
  readonly speed: number | 'max';
  /** Starts held: ticks come by `step` or after `play`. */
  readonly hold: boolean;
  /**
   * The last market time and the generator's state when the desk stopped; left out at the very first start.
   */
  readonly resume?: { readonly marketTime: number; readonly state: unknown };
  /** Does all work that a tick causes; a promise when the work is not done at once. */
  readonly onTick: (tick: Tick) => Promise<void> | void;
  /**
   * Called when a live market jumps to this later time, and the ticks between are never played; the next tick
   * waits for the promise.
   */
  readonly onJump?: (marketTime: number) => Promise<void> | void;
  /** Called when the driver is held, ended or stopped, or market time jumped. */
  readonly onState: () => void;
  /** Called when a tick's work failed or the feed broke its contract: the driver has stopped for good. */
  readonly onError: (error: unknown) => void;
}

export interface LastPrice {
  readonly price: string;
  /** Market time of that tick. */
  readonly time: number;
}

/** Lag behind the wall clock at which a live market jumps to it, and a replay stops catching up. */
export const MAX_LAG_MS = 5_000;
/** Without a pause the loop yields to all other work after this long, or after that many ticks. */
const MAX_TURN_MS = 4;
const MAX_TURN_TICKS = 1_024;
const MAX_SLEEP_MS = 3_600_000;

type Phase = 'new' | 'running' | 'stopped';

/** The part of a driver that a desk and its consoles need. */
export type MarketDriver = Pick<
  FeedDriver,
  | 'marketTime'
  | 'live'
  | 'speed'
  | 'held'
  | 'ended'
  | 'setSpeed'
  | 'start'
  | 'play'
  | 'pause'
  | 'step'
  | 'stop'
>;

export class FeedDriver {
  readonly lastPrices: ReadonlyMap<string, LastPrice>;
  /** True while market time should equal wall time. */
  readonly live: boolean;
  #speed: number | 'max';
  readonly #options: FeedDriverOptions;
  readonly #feed: Feed;
  readonly #clock: Clock;
  readonly #prices = new Map<string, { price: string; time: number }>();
  #phase: Phase = 'new';
  #marketTime: number;
  #held: boolean;
  #ended = false;
  /** A tick's promise is pending, or its callback runs. */
  #busy = false;
  /** The pump waits for its turn. */
  #yielding = false;
  #sleep: Cancelable | null = null;
  #anchorWall = 0;
  #anchorMarket = 0;
  #turnStart = 0;
  #turnTicks = 0;
  #step: { readonly time: number; readonly done: PromiseWithResolvers<boolean> } | null = null;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: FeedDriverOptions) {
    const { feed, speed, resume } = options;
    checkSpeed(speed);
    this.#speed = speed;
    this.#options = options;
    this.#feed = feed;
    this.#clock = options.clock;
    this.#held = options.hold;
    this.live = feed.live && speed === 1;
    this.lastPrices = this.#prices;
    if (resume) feed.resume(resume.marketTime, resume.state);
    this.#marketTime = resume?.marketTime ?? feed.startTime;
  }

  /** Time of the last tick, or the time at which the market starts or resumes; Unix ms. Never goes back. */
  get marketTime(): number {
    return this.#marketTime;
  }

  get held(): boolean {
    return this.#held;
  }

  /** True when the replay has reached its end and the last tick's work is done. */
  get ended(): boolean {
    return this.#ended;
  }

  get speed(): number | 'max' {
    return this.#speed;
  }

  /**
   * Sets the speed from the next tick on. Throws RangeError on an invalid speed, and on a live market, whose
   * time is the wall clock's.
   */
  setSpeed(speed: number | 'max'): void {
    checkSpeed(speed);
    if (this.live) throw new RangeError('a live market runs with the clock');
    if (speed === this.#speed || this.#phase === 'stopped') return;
    const reached = this.#reached();
    this.#speed = speed;
    this.#wake();
    this.#anchor();
    this.#anchorMarket = Math.max(this.#anchorMarket, reached);
    this.#options.onState();
    if (this.#phase !== 'running' || this.#held) return;
    this.#beginTurn();
    this.#pump();
  }

  /** Begins to play ticks, those that are due within this call. May be called once. */
  start(): void {
    if (this.#phase !== 'new') throw new Error('feed driver: started twice');
    this.#phase = 'running';
    this.#anchor();
    this.#beginTurn();
    this.#pump();
  }

  play(): void {
    if (!this.#held || this.#phase === 'stopped') return;
    this.#held = false;
    this.#anchor();
    this.#beginTurn();
    this.#options.onState();
    this.#pump();
  }

  /** Holds the market; a tick in progress is finished. */
  pause(): void {
    if (this.#held || this.#phase === 'stopped') return;
    this.#held = true;
    this.#wake();
    this.#options.onState();
  }

  /**
   * While held: plays the ticks of the next tick time. Resolves, when their work is done, to false when there
   * were none.
   */
  step(): Promise<boolean> {
    if (this.#step !== null) return this.#step.done.promise;
    const time = this.#feed.peek();
    if (this.#phase !== 'running' || !this.#held || time === null) return Promise.resolve(false);
    const done = Promise.withResolvers<boolean>();
    this.#step = { time, done };
    this.#beginTurn();
    this.#pump();
    return done.promise;
  }

  /**
   * Stops: no tick is played after this call; resolves when the work of the one in progress is done. That
   * work must not await it.
   */
  stop(): Promise<void> {
    if (this.#phase !== 'stopped') {
      this.#phase = 'stopped';
      this.#wake();
      this.#endStep(false);
      this.#options.onState();
    }
    if (!this.#busy) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  /**
   * Plays ticks until something prevents it: held, stopped, not due, a tick's work goes on, others need their
   * turn.
   */
  #pump(): void {
    while (this.#phase === 'running' && !this.#busy && !this.#yielding) {
      const time = this.#feed.peek();
      if (this.#step !== null && this.#step.time !== time) this.#endStep(true);
      if (time === null) this.#end();
      if (time === null || (this.#held && this.#step === null)) return;
      const wall = this.#clock.wall();
      const waitMs = this.#held ? 0 : this.#waitMs(time, wall);
      if (this.#turnIsOver(wall)) this.#yield();
      else if (waitMs < -MAX_LAG_MS) this.#catchUp(time, wall);
      else if (waitMs <= 0) this.#give();
      else if (waitMs > this.#longestWaitMs(time)) this.#anchor();
      else {
        this.#sleepFor(waitMs);
        return;
      }
    }
  }

  #give(): void {
    this.#workOn(() => {
      const tick = this.#feed.next();
      if (tick === null) throw new Error('feed driver: the feed announced a tick and gave none');
      if (tick.time < this.#marketTime) {
        throw new Error(`feed driver: market time would go back from ${this.#marketTime} to ${tick.time}`);
      }
      this.#marketTime = tick.time;
      const last = this.#prices.get(tick.symbol);
      if (last === undefined) this.#prices.set(tick.symbol, { price: tick.price, time: tick.time });
      else {
        last.price = tick.price;
        last.time = tick.time;
      }
      this.#turnTicks++;
      return this.#options.onTick(tick);
    });
  }

  /** Starts work that must be done before anything else is played. */
  #workOn(begin: () => Promise<void> | void): void {
    this.#busy = true;
    try {
      const work = begin();
      if (work === undefined) this.#finish();
      else work.then(this.#resumed, this.#failed);
    } catch (error) {
      this.#failed(error);
    }
  }

  readonly #resumed = (): void => {
    this.#finish();
    this.#pump();
  };

  readonly #failed = (error: unknown): void => {
    this.#finish();
    void this.stop();
    this.#options.onError(error);
  };

  #finish(): void {
    this.#busy = false;
    this.#idle?.resolve();
    this.#idle = null;
  }

  /** Returns the wall ms until a tick is due, negative when it is late. */
  #waitMs(time: number, wall: number): number {
    const speed = this.#speed;
    return speed === 'max' ? 0 : this.#anchorWall + (time - this.#anchorMarket) / speed - wall;
  }

  /** Returns the market time between two ticks. */
  #reached(): number {
    const speed = this.#speed;
    if (this.#held || speed === 'max' || this.#phase !== 'running') return this.#marketTime;
    const elapsed = Math.max(0, this.#clock.wall() - this.#anchorWall);
    const next = this.#feed.peek() ?? this.#marketTime;
    return Math.min(next, this.#anchorMarket + elapsed * speed);
  }

  /** Returns the longest plausible wait: a longer one shows that the wall clock was set back. */
  #longestWaitMs(time: number): number {
    const speed = this.#speed;
    return speed === 'max' ? 0 : MAX_LAG_MS + (time - this.#marketTime) / speed;
  }

  #sleepFor(waitMs: number): void {
    this.#sleep ??= this.#clock.after(Math.min(MAX_SLEEP_MS, Math.ceil(waitMs)), () => {
      this.#sleep = null;
      this.#beginTurn();
      this.#pump();
    });
  }

  /**
   * Catches up after a stall or a machine's sleep: a live market jumps to the wall clock; a replay continues
   * with the late tick at its pace.
   */
  #catchUp(time: number, wall: number): void {
    if (!this.live || wall <= this.#marketTime) {
      this.#anchorWall = wall;
      this.#anchorMarket = time;
      return;
    }
    this.#feed.resume(wall, this.#feed.snapshot());
    this.#marketTime = wall;
    this.#anchor();
    this.#options.onState();
    this.#workOn(() => this.#options.onJump?.(wall));
  }

  /**
   * Aligns market time with wall time from now on; a live market equals the wall clock unless it is ahead of
   * it.
   */
  #anchor(): void {
    const wall = this.#clock.wall();
    const inTime = this.live && this.#marketTime - wall <= MAX_LAG_MS;
    this.#anchorWall = wall;
    this.#anchorMarket = inTime ? wall : this.#marketTime;
  }

  #turnIsOver(wall: number): boolean {
    const elapsed = wall - this.#turnStart;
    return this.#turnTicks >= MAX_TURN_TICKS || elapsed >= MAX_TURN_MS || elapsed < 0;
  }

  #beginTurn(): void {
    this.#turnStart = this.#clock.wall();
    this.#turnTicks = 0;
  }

  #yield(): void {
    this.#yielding = true;
    this.#clock.endOfTurn(() => {
      this.#yielding = false;
      this.#beginTurn();
      this.#pump();
    });
  }

  #wake(): void {
    this.#sleep?.cancel();
    this.#sleep = null;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onState();
  }

  #endStep(given: boolean): void {
    this.#step?.done.resolve(given);
    this.#step = null;
  }
}

function checkSpeed(speed: number | 'max'): void {
  if (speed !== 'max' && !(speed > 0 && Number.isFinite(speed)))
    throw new RangeError(`speed ${speed} is not positive`);
}
