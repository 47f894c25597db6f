/**
 * Keeps one core in memory consistent with the store: every operation's rows are stored before its outcome is
 * returned and its events are sent; when storing fails, the memory is discarded and read again, and the
 * callers get no outcome.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Row } from '../../domain/rows.ts';
import type { PaperEvent, PaperStep } from './changes.ts';
import type { ExchangeCore } from './exchange-core.ts';
import { GroupCommit, type PaperLane } from './group-commit.ts';

export interface CoreHostOptions<C extends ExchangeCore> {
  readonly lane: PaperLane;
  readonly clock: Clock;
  /** Makes a core from what is stored. */
  readonly load: () => C;
  /** Sends one event, whose rows are durable. */
  readonly tell: (event: PaperEvent) => void;
  /** Called when events are lost: listeners have to ask for the state. */
  readonly gap: () => void;
  readonly onError: (error: Error) => void;
}

const NOT_OPEN = 'the exchange is not open';

export class CoreHost<C extends ExchangeCore> {
  readonly #options: CoreHostOptions<C>;
  readonly #commit: GroupCommit;
  #core: C | null = null;
  #open = false;

  constructor(options: CoreHostOptions<C>) {
    this.#options = options;
    this.#commit = new GroupCommit(options.lane, options.clock, (error) => this.#recover(error));
  }

  /** Opens the core; throws what the store throws. */
  open(): void {
    const core = this.#options.load();
    const { rows } = core.begin();
    if (rows.length > 0) this.#options.lane.commit(rows);
    this.#core = core;
    this.#open = true;
  }

  /** Does the work that was postponed at opening. */
  recall(): void {
    try {
      this.#core?.recall();
    } catch (error) {
      this.#options.onError(asError(error));
    }
  }

  /** Closes the core, after storing what is waiting, the newest prices included. */
  close(): void {
    if (this.#core) this.#commit.add(this.#core.priceRows().rows, () => {});
    this.#commit.flush();
    this.#open = false;
    this.#core = null;
  }

  /** The core, read again from the store if it was lost. Null: not open, or the store cannot be read. */
  get core(): C | null {
    if (this.#core || !this.#open) return this.#core;
    try {
      this.#core = this.#options.load();
    } catch (error) {
      this.#options.onError(asError(error));
    }
    return this.#core;
  }

  /** Runs one operation; `done` or `failed` is called at the end of the turn, after its events. */
  apply<T>(
    run: (core: C) => PaperStep<T>,
    done: (outcome: T) => void,
    failed: (cause: string) => void,
  ): void {
    const core = this.core;
    if (!core) {
      this.#commit.add([], () => failed(NOT_OPEN));
      return;
    }
    let step: PaperStep<T>;
    try {
      step = run(core);
    } catch (error) {
      this.#commit.abandon(error);
      failed(asError(error).message);
      return;
    }
    this.#commit.add(step.rows, (failure) => {
      if (failure !== null) {
        failed(failure);
        return;
      }
      for (const event of step.events) this.#options.tell(event);
      done(step.outcome);
    });
  }

  /** Reads; the answer is given only once everything in it is durable. */
  read<T>(ask: (core: C) => T, done: (answer: T) => void, failed: (cause: string) => void): void {
    const core = this.core;
    if (!core) {
      failed(NOT_OPEN);
      return;
    }
    let answer: T;
    try {
      answer = ask(core);
    } catch (error) {
      // The state could not be read from the store.
      this.#options.onError(asError(error));
      failed(asError(error).message);
      return;
    }
    if (this.#commit.pending) {
      this.#commit.add([], (failure) => (failure === null ? done(answer) : failed(failure)));
    } else {
      done(answer);
    }
  }

  /** Runs a function at the end of the turn, in order with the answers of the turn. */
  later(run: () => void): void {
    this.#commit.add([], run);
  }

  /** The rows that go with every commit, whoever makes it. */
  deferredRows(): readonly Row[] {
    return this.#core?.deferredRows() ?? [];
  }

  /** Makes the next match of a running tick, stored and sent before this returns. False: there is none. */
  matchNext(): boolean {
    let step: PaperStep<null> | null;
    try {
      step = this.#core?.nextMatch() ?? null;
    } catch (error) {
      this.#commit.abandon(error);
      return false;
    }
    if (!step) return false;
    const { events, rows } = step;
    this.#commit.add(rows, (failure) => {
      if (failure === null) for (const event of events) this.#options.tell(event);
    });
    return this.#commit.flush();
  }

  /** Restores the core from the store: what the failed turn did is forgotten, except prices. */
  #recover(error: Error): void {
    const lost = this.#core;
    this.#core = null;
    this.#options.onError(error);
    if (lost) this.core?.goOnFrom(lost);
    this.#options.gap();
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
