/**
 * The order in which requests leave for one address of an exchange, when not all can go (money-at-risk.md 4):
 * protective orders, cancels, renewals, exits, entries, questions, and first come first served within a lane.
 * Nothing is refused for lack of budget: a request waits, and one that has not left by its deadline has
 * certainly not been sent. A request overtakes those before it only where it uses nothing that they need.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { LANES, type Lane } from '../../domain/lane.ts';
import type { Budget, Cost } from './budget.ts';

export interface Request<T> {
  readonly lane: Lane;
  readonly costs: readonly Cost[];
  /** The monotonic time by which the request must have left; Infinity: it waits without limit. */
  readonly notAfter: number;
  /**
   * Sends the request, which counts as sent once this is called. `ended`: to be called when the answer is
   * here, before its figures are passed on to the budget.
   */
  readonly run: (leftAt: number, ended: () => void) => Promise<T>;
  /**
   * Called when the request cannot leave yet. `takeBack` withdraws it; that does nothing once it has left.
   */
  readonly onWaits?: (takeBack: () => void) => void;
  /** Called when the request leaves, in the turn in which `run` is called. */
  readonly onLeaves?: () => void;
  /** While the request waits it holds back none of those that come after it. */
  readonly yields?: boolean;
}

/** `late`, `withdrawn`: the request was certainly not sent. */
export type Sent<T> = { readonly kind: 'sent'; readonly answer: T } | { readonly kind: 'late' | 'withdrawn' };

interface Waiting {
  readonly owner: object | null;
  readonly lane: Lane;
  readonly costs: readonly Cost[];
  readonly yields?: boolean | undefined;
  leave(now: number): void;
}

/** How much of each row the requests before one need, by the row's name and scope. */
type Needs = Map<string, number>;

/** The largest number of waiting questions; one more is late at once. */
const READS_MAX = 1_000;
/** The possible error of the exchange's clock beyond the time of a round trip, ms. */
const SLACK_MS = 100;
/** After this time without an answer, ms, a request has been counted by the exchange or never will be. */
const FORGOTTEN_MS = 60_000;

export class Lanes {
  readonly budget: Budget;
  readonly #clock: Clock;
  readonly #waiting: Readonly<Record<Lane, Set<Waiting>>> = {
    protective: new Set(),
    cancel: new Set(),
    renewal: new Set(),
    exit: new Set(),
    entry: new Set(),
    read: new Set(),
  };
  #timer: Cancelable | null = null;
  /**
   * The difference of our wall and monotonic clocks when the exchange's clock was last told; null: not known.
   */
  #apart: number | null = null;

  constructor(budget: Budget, clock: Clock) {
    this.budget = budget;
    this.#clock = clock;
  }

  /** Monotonic ms. */
  get now(): number {
    return this.#clock.monotonic();
  }

  /**
   * Sets the exchange's clock, Unix ms, from its answer to a request that took `roundTripMs`. Valid until our
   * own two clocks drift apart, as after the machine has slept, when `Clock.monotonic` stands still.
   */
  clockIs(exchangeMs: number, roundTripMs: number): void {
    this.#apart = this.#clockGap;
    this.budget.clockIs({ offsetMs: exchangeMs - this.now, slackMs: roundTripMs + SLACK_MS });
  }

  after(ms: number, run: () => void): Cancelable {
    return this.#clock.after(ms, run);
  }

  /** The number of requests that wait, in one lane or in all. */
  count(lane?: Lane): number {
    return lane ? this.#waiting[lane].size : LANES.reduce((sum, one) => sum + this.#waiting[one].size, 0);
  }

  /**
   * Sends a request in its turn. Rejects only with what `run` rejects with. `owner`: whose request it is, for
   * `drop`.
   */
  send<T>(request: Request<T>, owner: object | null = null): Promise<Sent<T>> {
    const now = this.now;
    const { lane, notAfter, costs } = request;
    this.#checkClock();
    const never = costs.find((cost) => cost.amount > this.#limitIn(lane, cost));
    if (never) throw new Error(`a request costs ${never.amount} of ${never.row.name}, which is never free`);
    if (this.#mayLeave(request, this.#needsBefore(lane), now)) return this.#leave(request, now);
    if (notAfter <= now || (lane === 'read' && this.#waiting.read.size >= READS_MAX))
      return Promise.resolve({ kind: 'late' });
    return new Promise((resolve, reject) => this.#wait(request, owner, resolve, reject));
  }

  /**
   * Estimates how long a request that came now would wait at least, ms; 0: it would leave. For callers that
   * can still decide not to send; requests on their way count as answered.
   */
  waitMs({ lane, costs }: Pick<Request<unknown>, 'lane' | 'costs'>): number {
    const now = this.now;
    this.#checkClock();
    const before = this.#needsBefore(lane);
    let wait = this.budget.bannedMs(now);
    for (const cost of costs) {
      if (cost.amount === 0) continue;
      const limit = this.#limitIn(lane, cost);
      const window = this.budget.window(cost, now);
      // The requests before this one may need several windows.
      const all = (before.get(nameOf(cost)) ?? 0) + cost.amount;
      const whole = Math.ceil(all / limit) - 1;
      const free = window.freeAt(all - whole * limit, now, limit) - now + whole * cost.row.windowMs;
      wait = Math.max(wait, free, lane === 'cancel' ? 0 : this.budget.stoppedMs(cost, now));
    }
    return wait;
  }

  /**
   * Drops the waiting requests of this owner without sending them or telling anybody: its connection is
   * closed.
   */
  drop(owner: object): void {
    for (const lane of LANES)
      for (const waiting of this.#waiting[lane])
        if (waiting.owner === owner) this.#waiting[lane].delete(waiting);
    this.#look();
  }

  #wait<T>(
    request: Request<T>,
    owner: object | null,
    resolve: (sent: Sent<T>) => void,
    reject: (error: unknown) => void,
  ): void {
    const { lane, costs, notAfter, yields } = request;
    const queue = this.#waiting[lane];
    const now = this.now;
    const end = (kind: 'late' | 'withdrawn') => {
      if (!queue.delete(waiting)) return;
      deadline?.cancel();
      resolve({ kind });
      this.#look();
    };
    const deadline =
      notAfter === Number.POSITIVE_INFINITY ? null : this.#clock.after(notAfter - now, () => end('late'));
    const waiting: Waiting = {
      owner,
      lane,
      costs,
      yields,
      leave: (at) => {
        deadline?.cancel();
        this.#leave(request, at).then(resolve, reject);
      },
    };
    queue.add(waiting);
    this.#arm();
    request.onWaits?.(() => end('withdrawn'));
  }

  async #leave<T>({ costs, run, onLeaves }: Request<T>, now: number): Promise<Sent<T>> {
    let open = true;
    const end = () => {
      if (!open) return;
      open = false;
      forgotten.cancel();
      this.budget.ended(costs, this.now);
    };
    const forgotten = this.#clock.after(FORGOTTEN_MS, () => {
      end();
      this.#look();
    });
    this.budget.leaves(costs, now);
    onLeaves?.();
    try {
      return { kind: 'sent', answer: await run(now, end) };
    } finally {
      end();
      this.#look();
    }
  }

  /** Sends the waiting requests that may leave, in order. */
  #look(): void {
    const now = this.now;
    if (this.count() === 0) {
      this.#arm();
      return;
    }
    this.#checkClock();
    const needs: Needs = new Map();
    for (const lane of LANES) {
      for (const waiting of [...this.#waiting[lane]]) {
        if (!this.#waiting[lane].has(waiting)) continue;
        if (this.#mayLeave(waiting, needs, now)) {
          this.#waiting[lane].delete(waiting);
          waiting.leave(now);
        } else addNeeds(needs, waiting);
      }
    }
    this.#arm();
  }

  /**
   * How much of a row this lane may use; where the exchange has lowered the limit, entries and questions may
   * still use half of it.
   */
  #limitIn(lane: Lane, { row }: Cost): number {
    const limit = this.budget.limitOf(row);
    if (lane !== 'entry' && lane !== 'read') return limit;
    return Math.max(limit - row.spare, limit < row.limit ? Math.floor(limit / 2) : 0);
  }

  get #clockGap(): number {
    return this.#clock.wall() - this.#clock.monotonic();
  }

  /** Forgets the exchange's clock when our own clocks have drifted apart. */
  #checkClock(): void {
    if (this.#apart === null || Math.abs(this.#clockGap - this.#apart) < SLACK_MS) return;
    this.#apart = null;
    this.budget.clockIs(null);
  }

  /** Whether the budget is enough for this request and all those before it. */
  #mayLeave({ lane, costs }: Pick<Waiting, 'lane' | 'costs'>, before: Needs, now: number): boolean {
    if (this.budget.bannedMs(now) > 0) return false;
    return costs.every((cost) => {
      if (cost.amount === 0) return true;
      if (lane !== 'cancel' && this.budget.stoppedMs(cost, now) > 0) return false;
      const used = this.budget.window(cost, now).used(now) + (before.get(nameOf(cost)) ?? 0);
      return used + cost.amount <= this.#limitIn(lane, cost);
    });
  }

  #needsBefore(lane: Lane): Needs {
    const needs: Needs = new Map();
    for (const one of LANES) {
      for (const waiting of this.#waiting[one]) addNeeds(needs, waiting);
      if (one === lane) break;
    }
    return needs;
  }

  /** Sets a timer for the time when a waiting request may be able to leave. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = null;
    if (this.count() === 0) return;
    const now = this.now;
    let at = Number.POSITIVE_INFINITY;
    const banned = this.budget.bannedMs(now);
    if (banned > 0) at = now + banned;
    else {
      const seen = new Set<string>();
      for (const lane of LANES) {
        for (const { costs } of this.#waiting[lane]) {
          for (const cost of costs) {
            const name = nameOf(cost);
            if (seen.has(name)) continue;
            seen.add(name);
            const stopped = this.budget.stoppedMs(cost, now);
            if (stopped > 0) at = Math.min(at, now + stopped);
            at = Math.min(at, this.budget.window(cost, now).nextChange(now) ?? at);
          }
        }
      }
    }
    if (at < Number.POSITIVE_INFINITY) this.#timer = this.#clock.after(at - now, () => this.#look());
  }
}

function nameOf({ row, of }: Cost): string {
  return `${row.name} ${of}`;
}

function addNeeds(needs: Needs, { costs, yields }: Pick<Waiting, 'costs' | 'yields'>): void {
  if (yields) return;
  for (const cost of costs) needs.set(nameOf(cost), (needs.get(nameOf(cost)) ?? 0) + cost.amount);
}
