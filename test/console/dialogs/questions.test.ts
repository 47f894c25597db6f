/**
 * When a question counts as drawn: a question that was covered or did not fit meanwhile must be drawn again.
 */

import { expect, it } from 'vitest';
import { newUi } from '../../../src/console/app/features.ts';
import { question } from '../../../src/console/dialogs/question.ts';
import { watchQuestions } from '../../../src/console/state/questions.ts';
import type { Dialog } from '../../../src/console/state/ui.ts';
import { deskState } from '../support/some-desk.ts';

const asked = (id: string): Dialog =>
  question(deskState(), {
    title: id,
    rows: [],
    next: '',
    verb: 'cancel',
    action: { type: 'cancel', id } as never,
  });
const NOTICE: Dialog = { kind: 'notice', title: '', offset: 0, lines: [] };

/** A terminal that reports a frame as drawn only when the test says so. */
function watched() {
  const ui = newUi(120, 40);
  let now = 0;
  const waiting: (() => void)[] = [];
  const end = watchQuestions(
    ui,
    () => new Promise((resolve) => waiting.push(resolve)),
    () => now,
  );
  return {
    ui,
    end,
    show: (...dialogs: Dialog[]) => ui.setState({ dialogs }),
    async draw(at: number) {
      now = at;
      for (const done of waiting.splice(0)) done();
      for (let i = 0; i < 5; i++) await Promise.resolve();
    },
    shownAt: () => ui.getState().dialogs.map((dialog) => ('shownAt' in dialog ? dialog.shownAt : undefined)),
  };
}

it('is drawn when the terminal says so, and again after another dialog has covered it', async () => {
  const w = watched();
  w.show(asked('a'));
  expect(w.shownAt()).toEqual([null]);
  await w.draw(10);
  expect(w.shownAt()).toEqual([10]);
  const [first] = w.ui.getState().dialogs as [Dialog];
  w.show(first, NOTICE);
  expect(w.shownAt()).toEqual([null, undefined]);
  await w.draw(20);
  const [covered] = w.ui.getState().dialogs as [Dialog];
  w.show(covered);
  expect(w.shownAt()).toEqual([null]);
  await w.draw(30);
  expect(w.shownAt()).toEqual([30]);
});

it('is drawn again after the terminal was too small for it', async () => {
  const w = watched();
  w.show(asked('a'));
  await w.draw(10);
  w.ui.setState({ columns: 20, rows: 5 });
  expect(w.shownAt()).toEqual([null]);
  await w.draw(20);
  expect(w.shownAt()).toEqual([null]);
  w.ui.setState({ columns: 120, rows: 40 });
  await w.draw(30);
  expect(w.shownAt()).toEqual([30]);
});

it('the word of the terminal about one question is none about the next', async () => {
  const w = watched();
  w.show(asked('a'));
  w.show(asked('b'));
  await w.draw(10);
  expect(w.shownAt()).toEqual([null]);
  await w.draw(20);
  expect(w.shownAt()).toEqual([20]);
});

it('ended, it marks nothing any more', async () => {
  const w = watched();
  w.end();
  w.show(asked('a'));
  await w.draw(10);
  expect(w.shownAt()).toEqual([null]);
});
