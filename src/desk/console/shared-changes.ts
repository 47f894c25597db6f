/**
 * What has changed, marked once for all terminals with the same state so far; the delta is read once for all
 * of them: to tell sixteen operators of a tick costs a desk little more than to tell one. Each set of marks
 * is of bounded size, and there are never more sets than terminals.
 */
import type { Clock } from '../../domain/clock.ts';
import type { Role } from '../../domain/operator.ts';
import type { DirtyMarks, RunningDesk } from '../running.ts';
import { lessFor } from './locked.ts';
import type { DeskDelta } from './protocol.ts';
import { Marks } from './session-marks.ts';

/** Values without a mark (the wall clock) are never older than this, ms. */
const SHARED_MS = 50;

/** Shared: whoever holds them must not change them. */
export type SharedMarks = DirtyMarks & { readonly any: boolean; readonly tooMany: boolean };

export interface Follower {
  /** Changes since the terminal was last told. */
  readonly marks: SharedMarks;
  /** Returns the marks so far and begins new ones. */
  take(): SharedMarks;
  end(): void;
}

interface Made {
  readonly at: number;
  readonly deltas: Map<Role, DeskDelta>;
}

export class SharedChanges {
  readonly #desk: Pick<RunningDesk, 'onChange' | 'delta'>;
  readonly #clock: Clock;
  readonly #followers = new Set<() => void>();
  /** Number of followers of each set of marks. */
  readonly #held = new Map<Marks, number>();
  /** Deltas made since the last change. */
  readonly #made = new Map<SharedMarks, Made>();
  /** Marks for terminals that begin before the next change. */
  #fresh = new Marks();
  #unlisten: (() => void) | null = null;

  constructor(desk: Pick<RunningDesk, 'onChange' | 'delta'>, clock: Clock) {
    this.#desk = desk;
    this.#clock = clock;
  }

  /** Runs `changed` after every change. The desk is listened to while there are followers. */
  follow(changed: () => void): Follower {
    this.#followers.add(changed);
    this.#unlisten ??= this.#desk.onChange((mark) => {
      this.#made.clear();
      for (const marks of this.#held.keys()) marks.add(mark);
      for (const follower of this.#followers) follower();
    });
    let marks = this.#begin();
    return {
      get marks() {
        return marks;
      },
      take: () => {
        const taken = marks;
        this.#leave(taken);
        marks = this.#begin();
        return taken;
      },
      end: () => {
        if (!this.#followers.delete(changed)) return;
        this.#leave(marks);
        if (this.#followers.size > 0) return;
        this.#unlisten?.();
        this.#unlisten = null;
      },
    };
  }

  /**
   * Returns the marked changes for a terminal of this role: the same object for all that are told the same.
   */
  delta(marks: SharedMarks, role: Role): DeskDelta {
    const { deltas } = this.#madeOf(marks);
    let delta = deltas.get(role);
    if (!delta) {
      delta = lessFor(role, this.#desk.delta(marks));
      deltas.set(role, delta);
    }
    return delta;
  }

  #madeOf(marks: SharedMarks): Made {
    const known = this.#made.get(marks);
    const at = this.#clock.monotonic();
    if (known && at - known.at < SHARED_MS) return known;
    const made = { at, deltas: new Map() };
    this.#made.set(marks, made);
    return made;
  }

  #begin(): Marks {
    if (this.#fresh.any || this.#fresh.tooMany) this.#fresh = new Marks();
    this.#held.set(this.#fresh, (this.#held.get(this.#fresh) ?? 0) + 1);
    return this.#fresh;
  }

  #leave(marks: Marks): void {
    const left = (this.#held.get(marks) ?? 0) - 1;
    if (left > 0) this.#held.set(marks, left);
    else this.#held.delete(marks);
  }
}
