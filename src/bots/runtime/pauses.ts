/**
 * Tells runs that their account or symbol takes no entries now, and when it takes them again (strategies.md
 * 10, R12). The same for every type; the effect on a run is in `run.ts`. Pure.
 */

import type { EngineMemory } from '../../engine/memory.ts';
import { type NotReady, notReady, symbolNotReady } from '../../engine/readiness.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { Bots } from './bots.ts';
import type { LiveRun } from './live-run.ts';

export class Pauses {
  readonly #memory: EngineMemory;
  /** Why each account was not ready at the last check. */
  readonly #accounts = new Map<string, string | null>();

  constructor(memory: EngineMemory) {
    this.#memory = memory;
  }

  /** Checks the runs after a step, but only on accounts where the answer may have changed. */
  review(step: StepContext, bots: Pick<Bots, 'book' | 'give' | 'failed' | 'arrange'>): void {
    const changed = new Set<string>();
    for (const account of this.#memory.accounts.values()) {
      const { id } = account.account;
      const why = notReady(account)?.why ?? null;
      if (this.#accounts.get(id) === why) continue;
      this.#accounts.set(id, why);
      changed.add(id);
    }
    for (const effect of step.effects) if (effect.kind === 'instruments') changed.add(effect.exchange);
    if (changed.size === 0) return;
    for (const live of [...bots.book.runs.values()])
      if (changed.has(live.parts.exchange)) this.tell(step, bots, live);
  }

  /** Checks one run, as it is now. */
  tell(step: StepContext, bots: Pick<Bots, 'give' | 'failed' | 'arrange'>, live: LiveRun): void {
    const { run } = live;
    if (!live.going) return;
    const pause = this.of(live);
    if (!run.state.started) {
      // The start may have waited for this; a run whose setting is being made goes on when that is answered.
      const isBeingSet = this.#memory.settings.has(live.settings.at(-1) ?? '');
      if (run.state.pause && !isBeingSet && (pause === null || pause.final)) bots.arrange(step, live);
      return;
    }
    const before = run.state.pause ?? null;
    if (before?.why === pause?.why && before?.withdraws === pause?.withdraws) return;
    const hadFailed = run.state.failed !== undefined;
    bots.give(step, live, { type: 'pause', pause });
    if (!hadFailed && run.state.failed !== undefined && live.going) bots.failed(step, live);
  }

  of({ parts, run }: LiveRun): NotReady | null {
    const account = this.#memory.account(parts.exchange);
    const own = notReady(account) ?? symbolNotReady(account, run.rules.symbol);
    return own && { ...own, why: `${parts.exchange} ${own.why}` };
  }
}
