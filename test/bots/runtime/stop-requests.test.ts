/** Requests to stop bots when the engine is loaded again after a failed commit: each is answered once. */
import { expect, it } from 'vitest';
import { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import { type StopPlan, StopRequests } from '../../../src/bots/runtime/stop-requests.ts';
import { EngineMemory, type Waiter } from '../../../src/engine/memory.ts';
import { StepContext } from '../../../src/engine/step-context.ts';

it('a batch that found nothing to stop is over with its answer, which nothing was stored for', () => {
  const requests = new StopRequests(new BotBook());
  const step = new StepContext(new EngineMemory(), { wall: 0, market: 0, mono: 0 });
  const waiter: Waiter = { kind: 'bot', token: 7, requestId: 'r', user: 'u', record: null };
  const error = { code: 'NOT_FOUND', message: 'no such run' } as const;
  const plan: StopPlan = { batch: true, items: [{ id: 'b', runId: 'r', error }] };
  requests.add(step, waiter, plan);
  requests.answer(step);
  expect(step.effects).toMatchObject([{ kind: 'answer', token: 7 }]);
  expect(step.rows).toEqual([]);
  // Another commit fails, long after the answer was told.
  const again = new StopRequests(new BotBook());
  expect(again.carryOver(requests)).toEqual({ kept: new Set(), lost: [] });
  const next = new StepContext(new EngineMemory(), { wall: 1, market: 1, mono: 1 });
  again.answer(next);
  expect(next.effects).toEqual([]);
});
