/**
 * Requests that wait until runs have ended: the single stop and the batch (S7, S8). They outlive the engine of bots that
 * took them, as long as the stop itself is stored. Pure.
 */
import type { BotStatus, PublicBot } from '../../domain/bot.ts';
import { ok } from '../../domain/errors.ts';
import { answer } from '../../engine/answers.ts';
import { type EngineMemory, idempotencyId, type Waiter } from '../../engine/memory.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { LiveRun } from './live-run.ts';

/** How a run has ended. */
export interface RunEnd {
  /** S7. */
  readonly stopped: {
    readonly id: string;
    readonly status: BotStatus;
    readonly runId: string;
    readonly stoppedAt: number | null;
    readonly reason: string | null;
  };
  readonly bot: PublicBot | null;
}

interface StopRequest {
  readonly waiter: Waiter;
  readonly runIds: readonly string[];
  readonly ends: Map<string, RunEnd>;
  /** `data` of the answer, once every run has its end. */
  readonly data: (ends: ReadonlyMap<string, RunEnd>) => unknown;
}

/** What has become of requests when the engine was loaded again: tokens that are still waiting, and those to be refused. */
export interface CarriedOver {
  readonly kept: ReadonlySet<number>;
  readonly lost: readonly number[];
}

export class StopRequests {
  #waiting: StopRequest[] = [];
  /** Answered by steps that are not stored yet. */
  #answered: StopRequest[] = [];

  /** Before the runs are told to stop. */
  add(request: Omit<StopRequest, 'ends'>): void {
    this.#waiting.push({ ...request, ends: new Map() });
  }

  /** Answers those that have waited for this run alone. */
  ended(step: StepContext, live: LiveRun, bot: PublicBot | null): void {
    const { state } = live.run;
    const status = state.reason === 'error' ? 'ERROR' : 'STOPPED';
    const { endedAt: stoppedAt, reason } = state;
    const end = {
      stopped: { id: live.parts.botId, status, runId: live.id, stoppedAt, reason },
      bot,
    } as const;
    for (const request of this.#waiting) {
      if (request.runIds.includes(live.id)) request.ends.set(live.id, end);
    }
    this.answer(step);
  }

  /** Answers those whose runs have all ended. */
  answer(step: StepContext): void {
    const done = this.#waiting.filter(isComplete);
    this.#waiting = this.#waiting.filter((request) => !isComplete(request));
    for (const request of done) {
      this.#answered.push(request);
      answer(step, request.waiter, ok(request.data(request.ends)));
    }
  }

  stored(): void {
    this.#answered = [];
  }

  /** Takes over from those of before whatever this engine, loaded from the store, knows to be stopping. */
  carryOver(before: StopRequests, runs: ReadonlyMap<string, LiveRun>, memory: EngineMemory): CarriedOver {
    const kept = new Set<number>();
    const lost: number[] = [];
    for (const request of [...before.#waiting, ...before.#answered]) {
      const { token, record } = request.waiter;
      const going = request.runIds.filter((id) => runs.get(id)?.going);
      if (going.some((id) => runs.get(id)?.run.state.phase !== 'ending')) {
        if (token !== null) lost.push(token);
        continue;
      }
      for (const id of going) request.ends.delete(id);
      this.#waiting.push(request);
      if (token !== null) kept.add(token);
      if (record) memory.idempotency.set(idempotencyId(record.user, record.key), record);
    }
    return { kept, lost };
  }
}

function isComplete({ runIds, ends }: StopRequest): boolean {
  return runIds.every((id) => ends.has(id));
}
