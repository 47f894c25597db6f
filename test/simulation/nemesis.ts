/**
 * Crashes and store failures of a plan: once its time has come, each strikes at the next port that it waits
 * for.
 */
import type { CrashPlan, CrashPoint, StoreFailure } from './plan.ts';

export interface NemesisOptions {
  readonly crash: (why: string, downMs: number) => void;
  readonly trace: (line: string) => void;
}

/** How long the desk is down after a crash during a start, ms. */
const RESTART_CRASH_DOWN_MS = 200;

export class Nemesis {
  /** Store failures since the present desk started. */
  failures = 0;
  readonly #o: NemesisOptions;
  #healed = false;
  #crash: { readonly plan: CrashPlan; left: number } | null = null;
  #failing: { readonly plan: StoreFailure; left: number; times: number }[] = [];
  /** The port operation at which the next desk dies; 0: it does not. */
  #dieAt = 0;

  constructor(options: NemesisOptions) {
    this.#o = options;
  }

  heal(): void {
    this.#healed = true;
    this.#crash = null;
    this.#failing = [];
    this.#dieAt = 0;
  }

  deskStarts(): void {
    this.failures = 0;
  }

  armCrash(plan: CrashPlan): void {
    if (this.#healed) return;
    if (plan.point === 'idle') this.#die(plan);
    else this.#crash = { plan, left: plan.nth };
  }

  armFailure(plan: StoreFailure): void {
    if (!this.#healed) this.#failing.push({ plan, left: plan.nth, times: plan.times });
  }

  /** Called at every port of a desk; `operations`: the number of this port operation. */
  point(point: CrashPoint, operations: number): void {
    const armed = this.#crash;
    if (this.#dieAt > 0 && operations >= this.#dieAt) {
      this.#dieAt = 0;
      this.#o.crash(`in a start, at ${point}`, RESTART_CRASH_DOWN_MS);
    } else if (armed?.plan.point === point && --armed.left <= 0) this.#die(armed.plan);
  }

  /** SQLite's result code with which this commit fails; null: it succeeds. */
  failure(on: StoreFailure['on']): number | null {
    const armed = this.#failing.find((failure) => failure.plan.on === on);
    if (!armed || --armed.left > 0) return null;
    armed.times -= 1;
    if (armed.times <= 0) this.#failing = this.#failing.filter((other) => other !== armed);
    this.failures += 1;
    this.#o.trace(`the store fails with ${armed.plan.error}`);
    return armed.plan.error;
  }

  #die(plan: CrashPlan): void {
    this.#crash = null;
    this.#o.crash(plan.point, plan.downMs);
    this.#dieAt = plan.again;
  }
}
