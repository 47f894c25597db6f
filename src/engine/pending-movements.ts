/**
 * One figure of an account between two reports of it: the last report of the exchange, and later movements by
 * orders and fills that it does not include (R9). Does a report include a movement? In this order:
 *
 * 1. The movement's order was sent after the report was received: no.
 * 2. Both have times, and they differ: by the times.
 * 3. A response includes what was received before its query was sent. An event includes what its stream has
 * reported before: exchanges send an order's event before the balances that result from it, or with them.
 * 4. The report is exact: it equals the sum of these movements, so it includes no other.
 * 5. Else it is doubtful: the movement counts only where it reduces the figure, until a later report decides.
 *
 * In memory only. Pure.
 */
import { type Dec, minDec, ZERO } from '../domain/decimal.ts';

/** The effect of one change of an order on a figure. */
export interface Movement {
  readonly order: string;
  /**
   * Distinguishes it from all other movements of its order: after a failed commit the same one arrives again.
   */
  readonly key: string;
  /** One number for each part of the figure, e.g. free and locked; parts that are left out do not move. */
  readonly by: readonly Dec[];
  /** The exchange's time of it, Unix ms; left out: not reported. */
  readonly time?: number | undefined;
  /** Sequence number of the moment at which it was received (`Versions.heard`). */
  readonly at: number;
  /** The same for the moment at which its order was sent; left out: before the start. */
  readonly sentAt?: number | undefined;
  /** Found only in a response: the event stream may not have reported it yet. */
  readonly answered: boolean;
}

/** A report of the figure. */
export interface Report {
  readonly time?: number | undefined;
  /** For a response: sequence number of the moment at which the query was sent; left out: it is an event. */
  readonly askedAt?: number | undefined;
  /** Sequence number of the moment at which it was received. */
  readonly at: number;
}

interface PendingMovement<M extends Movement> {
  readonly movement: M;
  readonly doubtful: boolean;
}

/** The entry as this memory keeps it. */
interface Held<M extends Movement> extends PendingMovement<M> {
  movement: M;
}

export class PendingMovements<M extends Movement = Movement> {
  #told: readonly Dec[];
  /** The last report; null: there was none yet, and the figure is zero. */
  #report: Report | null;
  /** The report includes nothing that arrives from now on, except by its time. */
  #exact = false;
  #kept: Held<M>[] = [];
  /**
   * The movements by order and key: between two reports there may be thousands, and every event looks up its
   * own.
   */
  #byKey = new Map<string, Held<M>[]>();
  #doubts = 0;

  /** `parts`: how many numbers the figure has. `none`: the report by which all of them are zero. */
  constructor(parts: number, none: Report | null = null) {
    this.#told = new Array<Dec>(parts).fill(ZERO);
    this.#report = none;
  }

  get hasDoubt(): boolean {
    return this.#doubts > 0;
  }

  /** Returns whether no movement counts on top of the report. */
  get isTold(): boolean {
    return this.#kept.length === 0;
  }

  /**
   * Returns the movements that count on top of the report, oldest first. `doubtful`: the report may include
   * it already.
   */
  movements(): Iterable<PendingMovement<M>> {
    return this.#kept;
  }

  /** Returns the smallest possible current figure. */
  now(): readonly Dec[] {
    return this.#kept.reduce((sums, { movement, doubtful }) => {
      const { by } = movement;
      return plus(sums, doubtful ? by.map((part) => minDec(part, ZERO)) : by);
    }, this.#told);
  }

  /** Handles a newer report (S58). */
  report(told: readonly Dec[], report: Report): void {
    const movements = this.#kept.map(({ movement }) => movement);
    const known = movements.filter((movement) => knows(report, movement) === true);
    const sums = known.reduce((sum, { by }) => plus(sum, by), this.#told);
    // A stream that reports what the earlier report certainly did not include has reported everything which
    // that one included.
    const proves = !this.hasDoubt && known.some(({ answered }) => !answered);
    this.#exact = (this.#exact || proves) && sums.every((sum, i) => sum === told[i]);
    this.#told = told;
    this.#report = report;
    this.#keep(movements.flatMap((movement) => this.#place(movement)));
  }

  /** Adds a movement. */
  move(movement: M): void {
    if (this.#byKey.has(nameOf(movement))) return;
    for (const kept of this.#place(movement)) this.#add(kept);
  }

  /** Notes that the event stream has reported what may have come in a response before. */
  confirm(order: string, keys: readonly string[]): void {
    for (const key of keys)
      for (const kept of this.#byKey.get(nameOf({ order, key })) ?? [])
        if (kept.movement.answered) kept.movement = { ...kept.movement, answered: false };
  }

  /** Moves the movements of one order to another. */
  rename(from: string, to: string): void {
    if (!this.#kept.some(({ movement }) => movement.order === from)) return;
    this.#keep(
      this.#kept.map((kept) => {
        const { movement } = kept;
        return movement.order === from ? { ...kept, movement: { ...movement, order: to } } : kept;
      }),
    );
  }

  /**
   * Returns a copy for another memory of the same account: messages that this one has received may arrive
   * again.
   */
  copy(): PendingMovements<M> {
    const copy = new PendingMovements<M>(this.#told.length, this.#report);
    copy.#told = this.#told;
    copy.#keep(this.#kept.map((kept) => ({ ...kept })));
    return copy;
  }

  #keep(all: readonly Held<M>[]): void {
    this.#kept = [];
    this.#byKey.clear();
    this.#doubts = 0;
    for (const kept of all) this.#add(kept);
  }

  #add(kept: Held<M>): void {
    this.#kept.push(kept);
    if (kept.doubtful) this.#doubts += 1;
    const name = nameOf(kept.movement);
    const same = this.#byKey.get(name);
    if (same) same.push(kept);
    else this.#byKey.set(name, [kept]);
  }

  /** Returns the entry for a movement; empty: the report includes it. */
  #place(movement: M): Held<M>[] {
    const known = this.#report ? knows(this.#report, movement) : false;
    if (known) return [];
    return [{ movement, doubtful: known === null && !this.#exact }];
  }
}

function nameOf({ order, key }: Pick<Movement, 'order' | 'key'>): string {
  return `${order}\n${key}`;
}

function plus(sums: readonly Dec[], by: readonly Dec[]): readonly Dec[] {
  return sums.map((sum, i) => sum + (by[i] ?? ZERO));
}

/** Returns whether the report includes the movement; null: times and sequence do not decide it. */
function knows(report: Report, { time, at, sentAt, answered }: Movement): boolean | null {
  if (sentAt !== undefined && sentAt >= report.at) return false;
  if (time !== undefined && report.time !== undefined && time !== report.time) return time < report.time;
  if (report.askedAt !== undefined) return at <= report.askedAt ? true : null;
  return at < report.at && !answered ? true : null;
}
