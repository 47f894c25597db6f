/** Requests to stop bots when the engine is reloaded after a failed commit: each is answered once. */
import { describe, expect, it } from 'vitest';
import { BotBook } from '../../../src/bots/runtime/bot-book.ts';
import type { LiveRun } from '../../../src/bots/runtime/live-run.ts';
import { type StopPlan, StopRequests } from '../../../src/bots/runtime/stop-requests.ts';
import type { BotRecord } from '../../../src/domain/bot.ts';
import { idempotencyId } from '../../../src/engine/idempotency-table.ts';
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
  // Another commit fails, long after the answer was sent.
  const again = new StopRequests(new BotBook());
  expect(again.carryOver(requests)).toEqual({ kept: new Set(), lost: [] });
  const next = new StepContext(new EngineMemory(), { wall: 1, market: 1, mono: 1 });
  again.answer(next);
  expect(next.effects).toEqual([]);
});

describe('requests that wait at the same time', () => {
  const runOf = (botId: string, reason = 'operator', endedAt = 5) =>
    ({ id: `run-${botId}`, parts: { botId }, run: { state: { endedAt, reason } } }) as unknown as LiveRun;
  const item = (botId: string) => ({ id: botId, runId: `run-${botId}` });
  const waiter = (token: number): Waiter => ({ kind: 'bot', token, requestId: 'r', user: 'u', record: null });

  function waiting() {
    const requests = new StopRequests(new BotBook());
    const step = new StepContext(new EngineMemory(), { wall: 0, market: 0, mono: 0 });
    /** Tokens and data of the answers since the last call. */
    const answers = () =>
      step.effects.splice(0).map((effect) => {
        if (effect.kind !== 'answer') throw new Error(effect.kind);
        return [effect.token, JSON.parse(effect.answer.body).data];
      });
    return { requests, step, answers };
  }

  it('are each answered with the end of their own run, and once', () => {
    const { requests, step, answers } = waiting();
    for (const [i, id] of ['a', 'b', 'c'].entries())
      requests.add(step, waiter(i + 1), { batch: false, items: [item(id)] });
    requests.ended(step, runOf('b'));
    const stopped = { status: 'STOPPED', stoppedAt: 5, reason: 'operator' };
    expect(answers()).toEqual([[2, { ...stopped, id: 'b', runId: 'run-b' }]]);
    requests.ended(step, runOf('a', 'error', 6));
    expect(answers()).toEqual([
      [1, { id: 'a', status: 'ERROR', runId: 'run-a', stoppedAt: 6, reason: 'error' }],
    ]);
    requests.ended(step, runOf('b'));
    requests.answer(step);
    expect(answers()).toEqual([]);
    requests.ended(step, runOf('c'));
    expect(answers().map(([token]) => token)).toEqual([3]);
  });

  it('for the same run are all answered by its end', () => {
    const { requests, step, answers } = waiting();
    for (const token of [1, 2]) requests.add(step, waiter(token), { batch: false, items: [item('a')] });
    requests.ended(step, runOf('a'));
    expect(answers().map(([token, { id }]) => [token, id])).toEqual([
      [1, 'a'],
      [2, 'a'],
    ]);
  });

  it('are answered again after a reload only where the answer was not stored', () => {
    for (const isStored of [false, true]) {
      const { requests, step, answers } = waiting();
      requests.add(step, waiter(1), { batch: false, items: [item('a')] });
      requests.ended(step, runOf('a'));
      expect(answers().map(([token]) => token)).toEqual([1]);
      if (isStored) requests.stored();
      const loaded = waiting();
      const kept = isStored ? [] : [1];
      expect(loaded.requests.carryOver(requests)).toEqual({ kept: new Set(kept), lost: [] });
      loaded.requests.answer(loaded.step);
      expect(loaded.answers().map(([token]) => token)).toEqual(kept);
    }
  });

  it('for several runs are answered by the last of them, in the order asked for', () => {
    const { requests, step, answers } = waiting();
    const error = { code: 'NOT_FOUND', message: 'no such run' } as const;
    const items = [item('a'), { ...item('x'), error }, item('b')];
    requests.add(step, waiter(1), { batch: true, items });
    requests.ended(step, runOf('b'));
    requests.ended(step, runOf('other'));
    expect(answers()).toEqual([]);
    requests.ended(step, runOf('a'));
    expect(answers()).toEqual([
      [
        1,
        [
          { id: 'a', success: true, runId: 'run-a' },
          { id: 'x', success: false, runId: 'run-x', error },
          { id: 'b', success: true, runId: 'run-b' },
        ],
      ],
    ]);
  });
});

it('a batch that outlives a reload has of each bot what it was when its run ended', () => {
  const book = new BotBook();
  const bot = (id: string) =>
    ({
      id,
      type: 'CHANNEL',
      status: 'STOPPED',
      runId: null,
      settings: {},
      tag: null,
    }) as unknown as BotRecord;
  const run = { state: { phase: 'ending', endedAt: 5, reason: 'operator' }, settings: { symbol: 'BTCUSDT' } };
  const live = (id: string) =>
    ({ id: `run-${id}`, parts: { botId: id }, going: true, run }) as unknown as LiveRun;
  for (const id of ['a', 'b']) {
    book.bots.set(id, bot(id));
    book.add(live(id));
  }
  const step = new StepContext(new EngineMemory(), { wall: 0, market: 0, mono: 0 });
  const before = new StopRequests(book);
  const waiter: Waiter = { kind: 'bot', token: 1, requestId: 'r', user: 'u', record: null };
  const items = ['a', 'b'].map((id) => ({ id, runId: `run-${id}` }));
  before.add(step, waiter, { batch: true, items });
  before.ended(step, live('a'));
  // One has ended, and its bot was deleted; then another commit fails.
  book.remove(live('a'));
  book.bots.delete('a');
  const again = new StopRequests(book);
  expect(again.carryOver(before)).toEqual({ kept: new Set([1]), lost: [] });
  again.ended(step, live('b'));
  const [answer] = step.effects;
  const body = answer?.kind === 'answer' ? JSON.parse(answer.answer.body).data : null;
  expect(body).toMatchObject([
    { id: 'a', success: true, bot: { id: 'a', status: 'STOPPED' } },
    { id: 'b', success: true, bot: { id: 'b', status: 'STOPPED' } },
  ]);
});

it('of two users with the same idempotency key are both carried over, each for its own', () => {
  const key = '6f0a1c1e-0000-4000-8000-000000000001';
  const memory = new EngineMemory();
  const step = new StepContext(memory, { wall: 0, market: 0, mono: 0 });
  const book = new BotBook();
  const before = new StopRequests(book);
  const users = ['ann', 'bob'];
  for (const [i, user] of users.entries()) {
    const record = {
      user,
      key,
      fingerprint: user,
      arrivedAt: 0,
      requestId: user,
      effect: null,
      answer: null,
    };
    const waiter: Waiter = { kind: 'bot', token: i + 1, requestId: user, user, record };
    const phase = 'ending';
    const run = { state: { phase, endedAt: 5, reason: 'operator' }, settings: { symbol: 'BTCUSDT' } };
    book.add({
      id: `run-${user}`,
      parts: { botId: user },
      going: true,
      run,
    } as unknown as LiveRun);
    before.add(step, waiter, { batch: false, items: [{ id: user, runId: `run-${user}` }] });
  }
  const again = new StopRequests(book);
  again.load(memory);
  expect(again.carryOver(before)).toEqual({ kept: new Set([1, 2]), lost: [] });
  step.effects.splice(0);
  for (const user of users) again.ended(step, book.runs.get(`run-${user}`) as LiveRun);
  expect(step.effects).toMatchObject([
    { kind: 'answer', token: 1 },
    { kind: 'answer', token: 2 },
  ]);
});

it.each([
  ['running', 0],
  ['ending', 1],
])(
  'a key whose stop was stored for a run that is %s is kept for its answer only where the run is ending',
  (phase, kept) => {
    const memory = new EngineMemory();
    const [user, key] = ['ann', '6f0a1c1e-0000-4000-8000-000000000002'];
    const plan: StopPlan = { batch: false, items: [{ id: 'a', runId: 'run-a' }] };
    const effect = { kind: 'stop', orderId: JSON.stringify(plan) } as const;
    const record = { user, key, fingerprint: 'p', arrivedAt: 0, requestId: 'r', effect, answer: null };
    memory.idempotency.set(idempotencyId(user, key), record);
    const book = new BotBook();
    const run = { state: { phase, endedAt: 5, reason: 'operator' }, settings: { symbol: 'BTCUSDT' } };
    const live = { id: 'run-a', parts: { botId: 'a' }, going: true, run } as unknown as LiveRun;
    book.add(live);
    const requests = new StopRequests(book);
    requests.load(memory);
    expect(memory.idempotency.size).toBe(kept);
    const step = new StepContext(memory, { wall: 1, market: 1, mono: 1 });
    requests.ended(step, live);
    const answered = memory.idempotency.get(idempotencyId(user, key))?.answer ?? null;
    expect(answered !== null).toBe(kept === 1);
  },
);

describe('requests of several runs', () => {
  const keyOf = (n: number) => `6f0a1c1e-0000-4000-8000-00000000001${n}`;
  const item = (id: string) => ({ id, runId: `run-${id}` });

  /** Runs `a` and `c` are ending, `b` goes on, `d` has ended and is gone. */
  function desk() {
    const book = new BotBook();
    const live = (id: string, phase: string) => {
      const run = { state: { phase, endedAt: 5, reason: 'operator' }, settings: { symbol: 'BTCUSDT' } };
      const one = { id: `run-${id}`, parts: { botId: id }, going: true, run } as unknown as LiveRun;
      book.add(one);
      return one;
    };
    const runs = { a: live('a', 'ending'), b: live('b', 'running'), c: live('c', 'ending') };
    const memory = new EngineMemory();
    const step = new StepContext(memory, { wall: 0, market: 0, mono: 0 });
    /** Tokens of the answers since the last call. */
    const answered = () =>
      step.effects.splice(0).flatMap((effect) => (effect.kind === 'answer' ? [effect.token] : []));
    return { book, runs, memory, step, answered };
  }

  it('are lost each by itself when the engine is loaded again: where one of its runs was not told to stop', () => {
    const { book, runs, step, answered } = desk();
    const before = new StopRequests(book);
    const asked: [token: number | null, ids: string[]][] = [
      [1, ['b']],
      [2, ['a']],
      [3, ['a', 'b']],
      [4, ['b', 'a']],
      [null, ['b']],
      [5, ['a', 'c']],
      [6, ['d']],
      [7, ['d', 'b']],
    ];
    for (const [token, ids] of asked) {
      const waiter: Waiter = { kind: 'bot', token, requestId: 'r', user: 'u', record: null };
      before.add(step, waiter, { batch: ids.length > 1, items: ids.map(item) });
    }
    const again = new StopRequests(book);
    expect(again.carryOver(before)).toEqual({ kept: new Set([2, 5, 6]), lost: [1, 3, 4, 7] });
    step.effects.splice(0);
    again.answer(step);
    expect(answered()).toEqual([6]);
    again.ended(step, runs.b);
    expect(answered()).toEqual([]);
    again.ended(step, runs.a);
    expect(answered()).toEqual([2]);
    again.ended(step, runs.c);
    expect(answered()).toEqual([5]);
  });

  it('are taken up after a restart each by itself: what was not carried out may be asked for again', () => {
    const { book, runs, memory, step } = desk();
    const record = (n: number, ids: string[], more: object = {}) => {
      const plan: StopPlan = { batch: ids.length > 1, items: ids.map(item) };
      const effect = { kind: 'stop', orderId: JSON.stringify(plan) } as const;
      const [user, key] = ['ann', keyOf(n)];
      const all = { user, key, fingerprint: 'p', arrivedAt: 0, requestId: 'r', effect, answer: null };
      memory.idempotency.set(idempotencyId(user, key), { ...all, ...more });
    };
    const done = { status: 200, body: 'done' };
    record(1, ['b']);
    record(2, ['a']);
    record(3, ['b'], { answer: done });
    record(4, ['a', 'b']);
    record(5, ['b'], { effect: { kind: 'place', orderId: 'o' } });
    record(6, ['b'], { effect: null });
    record(7, ['a', 'c']);
    record(8, ['d']);
    const requests = new StopRequests(book);
    requests.load(memory);
    const known = () =>
      Array.from({ length: 8 }, (_, at) => {
        const one = memory.idempotency.get(idempotencyId('ann', keyOf(at + 1)));
        return one === undefined ? 'gone' : one.answer === null ? 'open' : 'answered';
      });
    expect(known()).toEqual(['gone', 'open', 'answered', 'gone', 'open', 'open', 'open', 'open']);
    requests.answer(step);
    expect(known()).toEqual(['gone', 'open', 'answered', 'gone', 'open', 'open', 'open', 'answered']);
    requests.ended(step, runs.a);
    expect(known()).toEqual(['gone', 'answered', 'answered', 'gone', 'open', 'open', 'open', 'answered']);
    requests.ended(step, runs.c);
    expect(known()).toEqual(['gone', 'answered', 'answered', 'gone', 'open', 'open', 'answered', 'answered']);
  });
});
