/**
 * One figure of an account between two reports of it: what the exchange has told last, and what has been heard of orders and
 * fills that it does not tell of (R9). Does a report know of a movement? In this order:
 *
 * 1. The movement's order was sent after the report was heard: no.
 * 2. Both tell times, and they differ: by the times.
 * 3. An answer knows what was heard before it was asked. An event knows what its line has told before it: exchanges tell an
 *    order's event before the balances that it leads to, or with them.
 * 4. The report is exact: it tells just what these movements lead to, so it knows of no other.
 * 5. Else it is doubtful: the movement counts only where it takes, until a later report decides.
 *
 * In memory only. Pure.
 */
import { type Dec, minDec, ZERO } from '../domain/decimal.ts';

/** What one change of an order does to a figure. */
export interface Movement {
  readonly order: string;
  /** Tells it from all other movements of its order: after a failed commit the same one is heard again. */
  readonly key: string;
  /** One number for each part of the figure, e.g. free and locked; those that are left out do not move. */
  readonly by: readonly Dec[];
  /** The exchange's time of it, Unix ms; left out: not told. */
  readonly time?: number | undefined;
  /** Number of the moment at which it was heard (`Versions.heard`). */
  readonly at: number;
  /** The same of the moment at which its order was sent; left out: before the start. */
  readonly sentAt?: number | undefined;
  /** Found by an answer alone: the line of events may not have told it yet. */
  readonly answered: boolean;
}

/** A report of the figure. */
export interface Report {
  readonly time?: number | undefined;
  /** Of an answer: number of the moment at which the question was sent; left out: it is an event. */
  readonly askedAt?: number | undefined;
  /** Number of the moment at which it was heard. */
  readonly at: number;
}

interface Kept<M extends Movement> {
  readonly movement: M;
  readonly doubtful: boolean;
}

/** Its own of one memory. */
interface Held<M extends Movement> extends Kept<M> {
  movement: M;
}

export class Untold<M extends Movement = Movement> {
  #told: readonly Dec[];
  /** Null: nothing was told yet, and there is nothing. */
  #report: Report | null;
  /** What was told knows of nothing that is heard from now on, but by its time. */
  #exact = false;
  #kept: Held<M>[] = [];
  /** The same by order and key: between two reports there may be thousands, and every event asks for its own. */
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

  /** Nothing counts on top of what was told. */
  get isTold(): boolean {
    return this.#kept.length === 0;
  }

  /** Movements that count on top of what was told, oldest first. `doubtful`: what was told may know of it already. */
  movements(): Iterable<Kept<M>> {
    return this.#kept;
  }

  /** The figure as of now, at least. */
  now(): readonly Dec[] {
    return this.#kept.reduce((sums, { movement, doubtful }) => {
      const { by } = movement;
      return plus(sums, doubtful ? by.map((part) => minDec(part, ZERO)) : by);
    }, this.#told);
  }

  /** A newer report (S58) has come. */
  report(told: readonly Dec[], report: Report): void {
    const movements = this.#kept.map(({ movement }) => movement);
    const known = movements.filter((movement) => knows(report, movement) === true);
    const sums = known.reduce((sum, { by }) => plus(sum, by), this.#told);
    // A line that tells of what the earlier report certainly did not know has told all that that one knew.
    const proves = !this.hasDoubt && known.some(({ answered }) => !answered);
    this.#exact = (this.#exact || proves) && sums.every((sum, i) => sum === told[i]);
    this.#told = told;
    this.#report = report;
    this.#keep(movements.flatMap((movement) => this.#place(movement)));
  }

  /** Something has been heard. */
  move(movement: M): void {
    if (this.#byKey.has(nameOf(movement))) return;
    for (const kept of this.#place(movement)) this.#add(kept);
  }

  /** The line of events tells of the order what an answer may have told before. */
  confirm(order: string, keys: readonly string[]): void {
    for (const key of keys)
      for (const kept of this.#byKey.get(nameOf({ order, key })) ?? [])
        if (kept.movement.answered) kept.movement = { ...kept.movement, answered: false };
  }

  /** What was heard of one order was of another. */
  rename(from: string, to: string): void {
    if (!this.#kept.some(({ movement }) => movement.order === from)) return;
    this.#keep(
      this.#kept.map((kept) => {
        const { movement } = kept;
        return movement.order === from ? { ...kept, movement: { ...movement, order: to } } : kept;
      }),
    );
  }

  /** For another memory of the same account: what this one has heard may be heard again. */
  copy(): Untold<M> {
    const copy = new Untold<M>(this.#told.length, this.#report);
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

  /** Empty: what was told knows of it. */
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

/** Null: not to be told by times and order alone. */
function knows(report: Report, { time, at, sentAt, answered }: Movement): boolean | null {
  if (sentAt !== undefined && sentAt >= report.at) return false;
  if (time !== undefined && report.time !== undefined && time !== report.time) return time < report.time;
  if (report.askedAt !== undefined) return at <= report.askedAt ? true : null;
  return at < report.at && !answered ? true : null;
}
