/**
 * Answers the console's dialogs. A question accepts its keys once it has been in view for a moment, and says
 * so when a key has come too early: then the key is pressed again.
 */
import { GUARD_MS } from '../../../src/console/input/pipeline.ts';
import type { Terminal } from './terminal.ts';
import { until } from './wait.ts';

/** The question's text when a key came too early or together with others. */
export const AGAIN = /press (?:y|it) again/;

/** Longer than a busy machine takes to carry out a key. */
const PRESS_AGAIN_MS = 3_000;

/** Waits for a dialog that shows `shown`, and then until it should accept keys. */
export async function listening(terminal: Terminal, shown: RegExp): Promise<void> {
  await terminal.waitFor(shown, `the dialog with ${shown}`);
  const seen = performance.now();
  await until('the end of the deaf time', () => performance.now() - seen > GUARD_MS);
}

/** Presses `key` in the dialog that shows `shown` and waits until the dialog has closed. */
export async function answer(terminal: Terminal, shown: RegExp, key: string): Promise<void> {
  for (;;) {
    await listening(terminal, shown);
    const again = AGAIN.test(terminal.text());
    terminal.press(key);
    const pressed = performance.now();
    // A dialog that shows this text already does not change when the key comes too early again.
    await until(`the dialog with ${shown} to close`, () => {
      const text = terminal.text();
      return !shown.test(text) || (again ? performance.now() - pressed > PRESS_AGAIN_MS : AGAIN.test(text));
    });
    if (!shown.test(terminal.text())) return;
  }
}

/** Types the word that a question asks for, letter by letter as they appear, and confirms with `y`. */
export async function typeWord(terminal: Terminal, word: string): Promise<void> {
  await terminal.waitFor(`type ${word} :`, `the question for ${word}`);
  for (let at = 1; at <= word.length; at++) {
    terminal.press(word[at - 1] as string);
    const shown = at === word.length ? finished(word) : `type ${word} : ${word.slice(0, at)}`.trimEnd();
    await terminal.waitFor(shown, `${word.slice(0, at)} typed`);
  }
  await answer(terminal, finished(word), 'y');
}

/** Matches the line of a question whose word has been typed. */
export function finished(word: string): RegExp {
  return new RegExp(`✓ ${word}, `);
}

/** Opens a form's review; its live check may have to finish first. */
export async function review(terminal: Terminal, shown: RegExp): Promise<void> {
  await until(`the confirmation with ${shown}`, () => {
    if (shown.test(terminal.text())) return true;
    terminal.press('ctrl-r');
    return false;
  });
}
