/**
 * Requests that wait until runs have ended: the single stop and the batch (S7, S8). They outlive the bot
 * engine that took them if the stop itself is stored; with an idempotency key they outlive the desk, too.
 * Pure.
 */
import type { BotStatus, PublicBot } from '../../domain/bot.ts';
import { ok } from '../../domain/errors.ts';
import type { IdempotencyRecord } from '../../domain/rows.ts';
import { answer, reserve } from '../../engine/idempotency.ts';
import { idempotencyId } from '../../engine/idempotency-table.ts';
import type { EngineMemory, Waiter } from '../../engine/memory.ts';
import type { StepContext } from '../../engine/step-context.ts';
import type { BatchResult } from '../../schemas/bot.ts';
import type { BotBook } from './bot-book.ts';
import type { LiveRun } from './live-run.ts';

/** The runs that a request wants to end. Plain data, stored as JSON with its idempotency key. */
export interface StopPlan {
  readonly batch: boolean;
  /** `error`: there was no such run to stop. */
  readonly items: readonly {
    readonly id: string;
    readonly runId: string;
    readonly error?: BatchResult['error'];
  }[];
}

/** How a run has ended. */
interface RunEnd {
  /** Result of the single stop (S7). */
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
  readonly plan: StopPlan;
  readonly ends: Map<string, RunEnd>;
}

/** Requests after the engine was loaded again: tokens that are still waiting, and tokens to be refused. */
export interface CarriedOver {
  readonly kept: ReadonlySet<number>;
  readonly lost: readonly number[];
}

export class StopRequests {
  readonly #book: BotBook;
  #waiting: StopRequest[] = [];
  /** Requests that were answered by steps which are not stored yet. */
  #answered: StopRequest[] = [];

  constructor(book: BotBook) {
    this.#book = book;
  }

  /** Adds a request; called before the runs are told to stop. */
  add(step: StepContext, waiter: Waiter, plan: StopPlan): void {
    const stored = reserve(step, waiter, { kind: 'stop', orderId: JSON.stringify(plan) });
    this.#waiting.push({ waiter: stored, plan, ends: new Map() });
  }

  /**
   * Restores requests that were open when the desk stopped: no client waits any more, but their answers can
   * be asked for again.
   */
  load(memory: EngineMemory): void {
    for (const record of [...memory.idempotency.values()]) {
      if (record.answer !== null || record.effect?.kind !== 'stop') continue;
      const plan = JSON.parse(record.effect.orderId) as StopPlan;
      if (this.#isStopping(plan)) this.#waiting.push(this.#known(unheard(record), plan));
      else memory.idempotency.delete(idempotencyId(record.user, record.key));
    }
  }

  /** Answers requests that have waited for this run alone. */
  ended(step: StepContext, live: LiveRun): void {
    const end = this.#endOf(live);
    for (const { plan, ends } of this.#waiting) {
      if (plan.items.some(({ runId }) => runId === live.id)) ends.set(live.id, end);
    }
    this.answer(step);
  }

  /** Answers requests whose runs have all ended. */
  answer(step: StepContext): void {
    const done = this.#waiting.filter(isComplete);
    this.#waiting = this.#waiting.filter((request) => !isComplete(request));
    for (const request of done) {
      // A request that stopped nothing stores nothing: only its answer can be lost.
      if (request.plan.items.some(({ error }) => error === undefined)) this.#answered.push(request);
      answer(step, request.waiter, ok(dataOf(request)));
    }
  }

  stored(): void {
    this.#answered = [];
  }

  /**
   * Takes over, from the requests of the old engine, those whose runs this engine, loaded from the store,
   * knows to be stopping.
   */
  carryOver(before: StopRequests): CarriedOver {
    const kept = new Set<number>();
    const lost: number[] = [];
    for (const request of [...before.#waiting, ...before.#answered]) {
      const { waiter, plan } = request;
      const { token, record } = waiter;
      if (!this.#isStopping(plan)) {
        if (token !== null) lost.push(token);
        continue;
      }
      const carried = this.#known(waiter, plan, request.ends);
      const same = record ? this.#waiting.findIndex(({ waiter: one }) => isSame(one.record, record)) : -1;
      if (same >= 0) this.#waiting[same] = carried;
      else this.#waiting.push(carried);
      if (token !== null) kept.add(token);
    }
    return { kept, lost };
  }

  /** True when the stop was stored: those of its runs that still go on are ending. */
  #isStopping(plan: StopPlan): boolean {
    const going = plan.items.map(({ runId }) => this.#book.runs.get(runId)).filter((live) => live?.going);
    return going.every((live) => live?.run.state.phase === 'ending');
  }

  /** Makes a request with the ends of its ended runs; `ends`: the ends that were known before. */
  #known(waiter: Waiter, plan: StopPlan, ends: ReadonlyMap<string, RunEnd> = new Map()): StopRequest {
    const known = new Map<string, RunEnd>();
    for (const { id, runId } of plan.items) {
      if (this.#book.runs.get(runId)?.going) continue;
      const bot = this.#book.bots.get(id);
      const stopped = { id, status: 'STOPPED', runId, stoppedAt: null, reason: null } as const;
      known.set(runId, ends.get(runId) ?? { stopped, bot: bot ? this.#book.shown(bot) : null });
    }
    return { waiter, plan, ends: known };
  }

  #endOf(live: LiveRun): RunEnd {
    const { botId: id } = live.parts;
    const { endedAt: stoppedAt, reason } = live.run.state;
    const bot = this.#book.bots.get(id);
    const status = reason === 'error' ? 'ERROR' : 'STOPPED';
    return {
      stopped: { id, status, runId: live.id, stoppedAt, reason },
      bot: bot ? this.#book.shown(bot) : null,
    };
  }
}

function unheard(record: IdempotencyRecord): Waiter {
  return { kind: 'bot', token: null, requestId: record.requestId, user: record.user, record };
}

/** True when both records have the same user and key: two users may use the same key. */
function isSame(one: IdempotencyRecord | null, other: IdempotencyRecord): boolean {
  return one?.user === other.user && one.key === other.key;
}

function isComplete({ plan, ends }: StopRequest): boolean {
  return plan.items.every(({ runId, error }) => error !== undefined || ends.has(runId));
}

function dataOf({ plan, ends }: StopRequest): unknown {
  if (!plan.batch) return ends.get(plan.items[0]?.runId ?? '')?.stopped;
  return plan.items.map(({ id, runId, error }): BatchResult => {
    if (error !== undefined) return { id, success: false, runId, error };
    const bot = ends.get(runId)?.bot;
    return { id, success: true, runId, ...(bot ? { bot } : {}) };
  });
}
