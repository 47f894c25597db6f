/**
 * Ends the desk of a killed run where its case says. Only at points where no order is on its way that the
 * exchange would never receive: elsewhere the exchange answers differently, and so may the run act.
 */
import type { Stage } from '../scenarios/stage.ts';
import type { CrashPoint } from '../simulation/plan.ts';
import type { PortWatcher } from '../simulation/ports.ts';
import { Watch } from '../simulation/watch.ts';
import type { DiffCase, Kill } from './case.ts';

export class Killer {
  readonly watcher: PortWatcher;
  /** Number of kills done. */
  struck = 0;
  /** Violations found by `Watch` on the way. */
  readonly broken: string[] = [];
  readonly #kills: readonly Kill[];
  readonly #watch: Watch;
  #stage: Stage | null = null;
  #armed: { readonly point: CrashPoint; left: number }[] = [];

  constructor({ kills }: DiffCase) {
    this.#kills = kills;
    const violate = (invariant: number, text: string) => {
      this.broken.push(`invariant ${invariant}: ${text}`);
    };
    this.#watch = new Watch(violate, () => {}, null);
    this.#watch.deskStarted();
    this.watcher = {
      point: (point) => this.#point(point),
      failure: () => null,
      stored: (rows) => {
        this.#watch.committed(rows);
        this.#watch.exchangeCommitted(rows);
      },
    };
  }

  /** Called before an event: arms a kill that is due, or kills at once if it waits for nothing. */
  readonly before = async (stage: Stage, event: number): Promise<void> => {
    this.#stage = stage;
    for (const kill of this.#kills) {
      if (kill.event !== event) continue;
      if (kill.point === 'stop') {
        this.struck++;
        await stage.stop();
      } else if (kill.point === 'idle' || kill.point === 'load') {
        this.struck++;
        stage.kill();
      } else this.#armed.push({ point: kill.point, left: kill.nth });
    }
    if (!stage.isUp) await stage.open();
  };

  #point(point: CrashPoint): void {
    const stage = this.#stage;
    if (!stage?.ticking || !stage.isUp || this.#watch.somethingIsOnItsWay()) return;
    const armed = this.#armed.find((one) => one.point === point);
    if (!armed || --armed.left > 0) return;
    this.#armed = this.#armed.filter((one) => one !== armed);
    this.struck++;
    stage.kill();
  }
}
