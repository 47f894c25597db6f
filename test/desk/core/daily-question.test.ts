/** When a question that is asked once a day is sent: after failures, on demand, and never twice at once. */
import { expect, it } from 'vitest';
import { DailyQuestion } from '../../../src/desk/core/daily-question.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

const DAY = 86_400;

/** Records when each question was asked, in seconds; `answer`: the next answers, null: they fail. */
function asked({ takesMs = 0 } = {}) {
  const clock = new VirtualClock();
  const from = clock.monotonic();
  const at: number[] = [];
  const answers: string[] = [];
  const line: { answer: string | null } = { answer: 'yes' };
  const question = new DailyQuestion<string>({
    clock,
    ask: () => {
      at.push((clock.monotonic() - from) / 1_000);
      const { answer } = line;
      return takesMs === 0
        ? Promise.resolve(answer)
        : new Promise((resolve) => clock.after(takesMs, () => resolve(answer)));
    },
    answered: (answer) => answers.push(answer),
  });
  return { clock, at, answers, line, question };
}

it('one that fails is asked again after 2, 10, 60 and 60 s, and one that fails after an answer begins anew', async () => {
  const { clock, at, answers, line, question } = asked();
  line.answer = null;
  question.start();
  await clock.advance(140_000);
  expect(at).toEqual([0, 2, 12, 72, 132]);
  expect(answers).toEqual([]);
  line.answer = 'yes';
  await clock.advance(DAY * 1_000);
  expect(at.slice(5)).toEqual([192]);
  line.answer = null;
  await clock.advance(152_000);
  expect(at.slice(6)).toEqual([0, 2, 12, 72].map((s) => 192 + DAY + s));
  expect(answers).toEqual(['yes']);
  question.close();
  expect(clock.pendingTimers).toBe(0);
});

it('is asked once a day, and again at once when somebody wants it a minute after it was asked, or later', async () => {
  const { clock, at, question } = asked();
  question.start();
  await clock.advance(59_999);
  question.again();
  question.again();
  await clock.settle();
  expect(at).toEqual([0]);
  await clock.advance(1);
  expect(at).toEqual([0, 60]);
  await clock.advance(60_000);
  question.again();
  await clock.settle();
  expect(at).toEqual([0, 60, 120]);
  // The next day is counted from there.
  await clock.advance(DAY * 2_000);
  expect(at).toEqual([0, 60, 120, 120 + DAY, 120 + 2 * DAY]);
  expect(clock.pendingTimers).toBe(1);
});

it('that somebody wants again while it is being asked is asked again a minute later: its answer may be an old one', async () => {
  const { clock, at, question } = asked({ takesMs: 9_000 });
  question.start();
  await clock.advance(5_000);
  question.again();
  await clock.advance(4_000 + 59_999);
  expect(at).toEqual([0]);
  await clock.advance(1);
  expect(at).toEqual([0, 69]);
  // Asked once.
  await clock.advance(DAY * 1_000);
  expect(at).toEqual([0, 69]);
  question.close();
});

it('is not asked while it is being asked, nor heard or asked again once it is closed', async () => {
  const { clock, at, answers, question } = asked({ takesMs: 90_000 });
  question.start();
  await clock.advance(80_000);
  question.again();
  await clock.settle();
  expect(at).toEqual([0]);
  await clock.advance(10_000);
  expect(answers).toEqual(['yes']);
  question.again();
  await clock.settle();
  expect(at).toEqual([0, 90]);
  question.close();
  await clock.advance(3 * DAY * 1_000);
  question.again();
  question.start();
  await clock.settle();
  expect([at, answers, clock.pendingTimers]).toEqual([[0, 90], ['yes'], 0]);
});
