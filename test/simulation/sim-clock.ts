/**
 * The simulation's time: a heap of timers and the ends of turns. One timer is one turn of the event loop (now
 * and then two share one); all microtasks run before anything else does. Timers belong to a life: those of a
 * dead one never run.
 */
import { setImmediate } from 'node:timers';
import type { Cancelable, Clock } from '../../src/domain/clock.ts';
import type { Dice } from './dice.ts';

/** Something that a crash ends: a desk with all its objects. */
export interface Life {
  alive: boolean;
  /** Total time that its machine has slept, ms: its monotonic clock was stopped. */
  slept?: number;
  /** True time until which it sleeps: nothing reaches it, and messages to it are lost. */
  asleepUntil?: number;
}

export const FOREVER: Life = { alive: true };

interface Timer {
  due: number;
  readonly order: number;
  readonly life: Life;
  run: (() => void) | null;
}

const NOTHING: Cancelable = { cancel: () => {} };
const SHARED_TURNS_MAX = 6;
/** Far from any wall time, so that code that confuses the two clocks is found. */
const MONOTONIC_BEFORE_WALL_MS = 1_000_000_000_000;

export class SimClock {
  /** True time, Unix ms: that of the exchanges. */
  now: number;
  /** The wall clock of the desk's machine minus true time, ms. */
  #wrong = 0;
  /** Number of timers and ends of turns that ran. */
  events = 0;
  readonly #dice: Dice;
  /** Chance that a timer due within a moment joins the present turn. */
  readonly #shareTurn: number;
  #heap: Timer[] = [];
  #order = 0;
  #ends: { readonly life: Life; readonly run: () => void }[] = [];

  constructor(start: number, dice: Dice, shareTurn: number) {
    this.now = start;
    this.#dice = dice;
    this.#shareTurn = shareTurn;
  }

  /** The wall clock of the desk's machine, Unix ms. */
  get wall(): number {
    return this.now + this.#wrong;
  }

  /** Sets that wall clock forward by so many ms. */
  set(byMs: number): void {
    this.#wrong += byMs;
  }

  /** Puts a life's machine to sleep: its timers come that much later, its wall clock goes on. */
  sleep(life: Life, ms: number): void {
    life.slept = (life.slept ?? 0) + ms;
    life.asleepUntil = Math.max(life.asleepUntil ?? 0, this.now) + ms;
    const timers = this.#heap;
    this.#heap = [];
    for (const timer of timers) {
      if (timer.life === life) timer.due += ms;
      this.#push(timer);
    }
  }

  /** Whether a life's machine runs and is awake. */
  awake(life: Life): boolean {
    return life.alive && this.now >= (life.asleepUntil ?? 0);
  }

  /** A clock that shows true time. */
  true(): Clock {
    return { ...this.of(FOREVER), wall: () => this.now };
  }

  /** The clock as one life sees it. */
  of(life: Life): Clock {
    return {
      wall: () => this.wall,
      monotonic: () => this.now - (life.slept ?? 0) - MONOTONIC_BEFORE_WALL_MS,
      after: (delayMs, run) => this.after(delayMs, run, life),
      endOfTurn: (run) => {
        if (life.alive) this.#ends.push({ life, run });
      },
    };
  }

  after(delayMs: number, run: () => void, life: Life = FOREVER): Cancelable {
    if (!life.alive) return NOTHING;
    const timer: Timer = { due: this.now + Math.max(0, Math.ceil(delayMs)), order: this.#order++, life, run };
    this.#push(timer);
    return {
      cancel: () => {
        timer.run = null;
      },
    };
  }

  /** Runs everything due until `target`, or until `stop` says so. */
  async runUntil(target: number, stop: () => boolean): Promise<void> {
    await this.#finishTurn();
    while (!stop()) {
      const timer = this.#take(target);
      if (!timer) break;
      this.#run(timer);
      await microtasks();
      for (let shared = 0; shared < SHARED_TURNS_MAX && this.#ends.length > 0; shared++) {
        if (this.#shareTurn === 0 || !this.#dice.chance(this.#shareTurn)) break;
        const next = this.#take(Math.min(target, this.now + 2));
        if (!next) break;
        this.#run(next);
        await microtasks();
      }
      if (this.#ends.length > 0) await this.#finishTurn();
    }
    if (!stop()) this.now = Math.max(this.now, target);
  }

  async #finishTurn(): Promise<void> {
    await microtasks();
    while (this.#ends.length > 0) {
      const ends = this.#ends;
      this.#ends = [];
      for (const end of ends) {
        if (!end.life.alive) continue;
        this.events += 1;
        end.run();
        await microtasks();
      }
    }
  }

  #run(timer: Timer): void {
    this.events += 1;
    this.now = Math.max(this.now, timer.due);
    const { run } = timer;
    timer.run = null;
    run?.();
  }

  /** The next timer that is due by `limit` and still wanted. */
  #take(limit: number): Timer | null {
    for (;;) {
      const first = this.#heap[0];
      if (!first || first.due > limit) return null;
      this.#pop();
      if (first.run && first.life.alive) return first;
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = heap[up] as Timer;
      if (!before(timer, parent)) break;
      heap[at] = parent;
      at = up;
    }
    heap[at] = timer;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as Timer;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = at * 2 + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right && before(right, heap[child] as Timer)) child += 1;
      const smaller = heap[child] as Timer;
      if (!before(smaller, last)) break;
      heap[at] = smaller;
      at = child;
    }
    heap[at] = last;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/** Resolves when every microtask queued so far, and those they queue, have run. */
function microtasks(): Promise<void> {
  turns += 1;
  // A tick of process.nextTick comes when no microtask is left, and costs no turn of the real event loop.
  // Real turns are needed too: unhandled rejections are reported there.
  return new Promise((resolve) => (turns % REAL_TURN_EVERY === 0 ? setImmediate : process.nextTick)(resolve));
}

const REAL_TURN_EVERY = 64;
let turns = 0;
