/**
 * Who goes first toward one address of an exchange, when not all can go (money-at-risk.md 4): protective orders, cancels, renewals,
 * exits, entries, questions, and within a lane who came first. Nothing is refused for lack of budget: it waits, and what has not left
 * by its deadline has certainly not been sent. A request passes those before it only where it takes nothing that they need.
 */
import type { Cancelable, Clock } from '../../domain/clock.ts';
import { LANES, type Lane } from '../../domain/lane.ts';
import type { Budget, Cost } from './budget.ts';

export interface Request<T> {
  readonly lane: Lane;
  readonly costs: readonly Cost[];
  /** Monotonic time by which it must have left; Infinity: it waits without limit. */
  readonly notAfter: number;
  /** Sends it: it has left when this is called. `ended`: its answer is here, to be called before the answer's figures are told. */
  readonly run: (leftAt: number, ended: () => void) => Promise<T>;
  /** It cannot leave yet. `takeBack`: it is not wanted any more; does nothing once it has left. */
  readonly onWaits?: (takeBack: () => void) => void;
  /** It leaves, in the turn in which `run` is called. */
  readonly onLeaves?: () => void;
  /** While it waits it keeps nothing from those that come after it. */
  readonly yields?: boolean;
}

/** `late`, `withdrawn`: it was certainly not sent. */
export type Sent<T> = { readonly kind: 'sent'; readonly answer: T } | { readonly kind: 'late' | 'withdrawn' };

interface Waiting {
  readonly owner: object | null;
  readonly lane: Lane;
  readonly costs: readonly Cost[];
  readonly yields?: boolean | undefined;
  leave(now: number): void;
}

/** What the lanes before a request need of a row, by name and scope. */
type Needs = Map<string, number>;

/** Questions that wait at most; one more is late at once. */
const READS_MAX = 1_000;
/** By so much the exchange's clock may be off beyond the time of a round trip. */
const SLACK_MS = 100;
/** What has no answer for so long has been counted by the exchange, or never will be. */
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
  /** How far our two clocks were apart when the exchange's was told; null: it is not known. */
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
   * What the exchange's clock shows now, Unix ms, by its answer to a request that took `roundTripMs`. Holds until our own clocks go
   * apart, as after a sleep of the machine, in which `Clock.monotonic` stands.
   */
  clockIs(exchangeMs: number, roundTripMs: number): void {
    this.#apart = this.#clockGap;
    this.budget.clockIs({ offsetMs: exchangeMs - this.now, slackMs: roundTripMs + SLACK_MS });
  }

  after(ms: number, run: () => void): Cancelable {
    return this.#clock.after(ms, run);
  }

  /** Requests that wait, of one lane or of all. */
  count(lane?: Lane): number {
    return lane ? this.#waiting[lane].size : LANES.reduce((sum, one) => sum + this.#waiting[one].size, 0);
  }

  /** Rejects only with what `run` rejects with. `owner`: whose it is, for `drop`. */
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
   * How long a request would wait at least if it came now, ms: 0: it would leave. An estimate, for who can still turn back; what
   * is on its way is taken as answered.
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
      // What is before it may need several windows.
      const all = (before.get(nameOf(cost)) ?? 0) + cost.amount;
      const whole = Math.ceil(all / limit) - 1;
      const free = window.freeAt(all - whole * limit, now, limit) - now + whole * cost.row.windowMs;
      wait = Math.max(wait, free, lane === 'cancel' ? 0 : this.budget.stoppedMs(cost, now));
    }
    return wait;
  }

  /** What waits of this owner is never sent, and nobody is told: its connection is closed. */
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

  /** Lets go what may go, in its order. */
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

  /** What of a row this lane may use; of one that the exchange has made small half of it stays for all. */
  #limitIn(lane: Lane, { row }: Cost): number {
    const limit = this.budget.limitOf(row);
    if (lane !== 'entry' && lane !== 'read') return limit;
    return Math.max(limit - row.spare, limit < row.limit ? Math.floor(limit / 2) : 0);
  }

  get #clockGap(): number {
    return this.#clock.wall() - this.#clock.monotonic();
  }

  /** What was known of the exchange's clock is forgotten when ours have gone apart. */
  #checkClock(): void {
    if (this.#apart === null || Math.abs(this.#clockGap - this.#apart) < SLACK_MS) return;
    this.#apart = null;
    this.budget.clockIs(null);
  }

  /** There is enough for it and for all that is before it. */
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

  /** Looks again when something of what is waited for may be free. */
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
