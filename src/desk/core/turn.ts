/**
 * The shell around the engine: group commit (architecture.md, promises). All steps of one turn of the event
 * loop are stored in one transaction; only then are their effects released and their reads answered. A commit
 * that fails drops the batch.
 */
import type { Clock, Now } from '../../domain/clock.ts';
import type { Row } from '../../domain/rows.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Effect, EngineEvent, StepResult } from '../../engine/step.ts';

export interface TurnOptions {
  readonly clock: Clock;
  /** Market time, Unix ms. */
  readonly market: () => number;
  readonly commit: (rows: readonly Row[]) => void;
  /** Further effects that follow from those of a step, and are stored and released with them (notices). */
  readonly noticed?: (effects: readonly Effect[]) => readonly Effect[];
  /** Rows that belong to effects of a step and are stored in its commit (alerts). */
  readonly rowsOf?: (effects: readonly Effect[]) => readonly Row[];
  /** Rows that describe the present and go with every commit (market cursor). */
  readonly deferredRows: () => readonly Row[];
  /** A commit has stored those rows. */
  readonly deferredStored: () => void;
  /**
   * Called with a row that will be stored even if this turn's commit fails; left out: nobody needs to know it
   * earlier.
   */
  readonly kept?: (row: Row) => void;
  /** Performs one released effect. Calls outside are reported back through `begin` and `end`. */
  readonly release: (effect: Effect) => void;
  /** A release threw: the effects after it are released all the same. */
  readonly releaseFailed: (effect: Effect, error: unknown) => void;
  /**
   * The commit failed; memory is ahead of the store and must be loaded again. `effects` were not released.
   */
  readonly failed: (error: unknown, effects: readonly Effect[]) => void;
  /** A step threw: memory cannot be trusted any more. */
  readonly broken: (error: unknown) => void;
}

interface PendingRead {
  readonly run: () => void;
  readonly fail: (error: unknown) => void;
}

/** A row that waits for its commit. */
interface PendingRow {
  readonly row: Row;
  /** The row is true whatever the engine knows, so it is stored even if this commit fails. */
  readonly lasts: boolean;
}

/**
 * Most rows that wait for the commit of others; beyond it they force one. As many rows of failed commits wait
 * for the next.
 */
const RIDING_MAX = 1_000;

export class Turn {
  engine: Engine;
  /**
   * Rises whenever the engine may have changed: a result read from the same engine at the same number is
   * still right.
   */
  changes = 0;
  private readonly options: TurnOptions;
  /** Oldest first: of two rows of the same thing the later one counts. */
  private rows: PendingRow[] = [];
  /** Lasting rows of failed commits. */
  private left: Row[] = [];
  private effects: Effect[] = [];
  private reads: PendingRead[] = [];
  private force = false;
  private scheduled = false;
  private flushing = false;
  /** Number of calls and comparisons under way, by exchange account; an account without any has no entry. */
  private readonly inFlight = new Map<string, number>();
  private waiting: { readonly accounts: readonly string[] | null; readonly resolve: () => void }[] = [];

  constructor(engine: Engine, options: TurnOptions) {
    this.engine = engine;
    this.options = options;
  }

  now(): Now {
    const { clock, market } = this.options;
    return { wall: clock.wall(), market: market(), mono: clock.monotonic() };
  }

  /** Makes one input of the engine. */
  step(event: EngineEvent): void {
    let result: StepResult;
    try {
      result = this.engine.step(event, this.now());
    } catch (error) {
      this.options.broken(error);
      return;
    }
    if (result.rows.length > 0 || result.effects.length > 0) this.changes += 1;
    this.take(result);
  }

  /** Takes the rows and effects of a step of the engine, or of a module beside it. */
  take(result: StepResult): void {
    if (result.rows.length === 0 && result.effects.length === 0) return;
    const effects = this.withNotices(result.effects);
    const belonging = effects.length > 0 ? (this.options.rowsOf?.(effects) ?? []) : [];
    for (const row of [...result.rows, ...belonging]) this.rows.push({ row, lasts: false });
    this.force ||= result.force || belonging.length > 0;
    this.effects.push(...effects);
    this.takePlace();
    if (this.force || this.effects.length > 0) this.schedule();
  }

  private withNotices(effects: readonly Effect[]): readonly Effect[] {
    const more = effects.length > 0 ? (this.options.noticed?.(effects) ?? []) : [];
    return more.length > 0 ? [...effects, ...more] : effects;
  }

  /** Stores rows without effects. `force` false: they wait for the next commit. */
  store(rows: Row[], force: boolean): void {
    this.take({ rows, effects: [], force });
  }

  /**
   * Stores a row with the next commit that is true whatever the engine knows: a closed candle, a line of the
   * log. A failed commit does not lose it.
   */
  keep(row: Row): void {
    this.rows.push({ row, lasts: true });
    this.options.kept?.(row);
    this.takePlace();
    if (this.force) this.schedule();
  }

  /** Ends this turn with a commit, for the deferred rows. */
  commitSoon(): void {
    this.force = true;
    this.schedule();
  }

  /**
   * Runs `read` after the commit of the present turn; at once when nothing is pending. Rejects when that
   * commit fails.
   */
  read<T>(read: () => T): Promise<T> {
    if (!this.force && !this.scheduled) {
      try {
        return Promise.resolve(read());
      } catch (error) {
        return Promise.reject(error);
      }
    }
    return new Promise<T>((resolve, reject) => {
      this.reads.push({
        run: () => {
          try {
            resolve(read());
          } catch (error) {
            reject(error);
          }
        },
        fail: reject,
      });
      this.schedule();
    });
  }

  /**
   * Notes that a call to an exchange account has begun; `end` must follow when its outcome has been stepped.
   */
  begin(account: string): void {
    this.inFlight.set(account, (this.inFlight.get(account) ?? 0) + 1);
  }

  end(account: string): void {
    const left = (this.inFlight.get(account) ?? 0) - 1;
    if (left > 0) this.inFlight.set(account, left);
    else this.inFlight.delete(account);
    this.announceIdle();
  }

  /**
   * Undefined when nothing is pending or under way; otherwise resolves when that is so (lock-step replay).
   * @param accounts whose calls count; left out: all
   */
  quiet(accounts: readonly string[] | null = null): Promise<void> | undefined {
    if (this.isIdle(accounts)) return undefined;
    return new Promise((resolve) => this.waiting.push({ accounts, resolve }));
  }

  /** Commits what is pending now; `includeRiding`: also if only rows wait that force no commit. */
  flush(includeRiding = false): void {
    if (this.flushing) return;
    this.flushing = true;
    this.scheduled = false;
    const { rows, effects, reads } = this;
    const commits = this.force || (includeRiding && rows.length + this.left.length > 0);
    this.effects = [];
    this.reads = [];
    this.force = false;
    if (commits) {
      this.rows = [];
      try {
        this.commit(rows);
      } catch (error) {
        this.flushing = false;
        const lasting = rows.flatMap(({ row, lasts }) => (lasts ? [row] : []));
        this.left = [...this.left, ...lasting].slice(-RIDING_MAX);
        for (const read of reads) read.fail(error);
        this.options.failed(error, effects);
        this.announceIdle();
        return;
      }
    }
    this.flushing = false;
    for (const effect of effects) this.release(effect);
    for (const read of reads) read.run();
    this.announceIdle();
  }

  /**
   * Commits what is stored apart from the engine (the paper exchange). Rows that wait for a commit go with
   * it, so that the market cursor is never ahead of a peak; but not while an input is pending, whose order
   * must not be stored without its request.
   */
  commitBeside(rows: readonly Row[]): void {
    if (this.force) {
      this.options.commit(rows);
      return;
    }
    this.commit([...this.rows, ...rows.map((row) => ({ row, lasts: false }))]);
    this.rows = [];
  }

  /** Releases one effect. An error of an effect's listener must never keep a stored order from being sent. */
  private release(effect: Effect): void {
    try {
      this.options.release(effect);
    } catch (error) {
      this.options.releaseFailed(effect, error);
    }
  }

  /** Commits the rows together with the deferred rows and the lasting rows of failed commits. */
  private commit(rows: readonly PendingRow[]): void {
    const now = [...this.engine.movedPeaks(), ...this.options.deferredRows()];
    this.options.commit([...this.left, ...rows.map(({ row }) => row), ...now]);
    this.left = [];
    this.options.deferredStored();
    this.engine.memory.movedPeaks.clear();
    this.engine.extension?.stored();
  }

  private takePlace(): void {
    if (this.rows.length > RIDING_MAX) this.force = true;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    this.options.clock.endOfTurn(() => {
      if (this.scheduled) this.flush();
    });
  }

  private isIdle(accounts: readonly string[] | null): boolean {
    if (this.scheduled || this.flushing || this.effects.length > 0) return false;
    if (accounts === null) return this.inFlight.size === 0;
    return !accounts.some((account) => this.inFlight.has(account));
  }

  private announceIdle(): void {
    if (this.waiting.length === 0) return;
    const idle = this.waiting.filter(({ accounts }) => this.isIdle(accounts));
    if (idle.length === 0) return;
    this.waiting = this.waiting.filter((one) => !idle.includes(one));
    for (const { resolve } of idle) resolve();
  }
}
