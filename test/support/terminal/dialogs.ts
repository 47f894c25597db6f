/** Answers to the console's dialogs, which are deaf for a moment after they open: a key that comes too early is lost. */
import { GUARD_MS } from '../../../src/console/keys/pipeline.ts';
import type { Terminal } from './terminal.ts';
import { until } from './wait.ts';

/** Waits for a dialog that shows `shown`, and then until it listens. */
export async function listening(terminal: Terminal, shown: RegExp): Promise<void> {
  await terminal.waitFor(shown, `the dialog with ${shown}`);
  const seen = performance.now();
  await until('the end of the deaf time', () => performance.now() - seen > GUARD_MS);
}

/** Presses `key` in the dialog that shows `shown` and waits until that has gone. */
export async function answer(terminal: Terminal, shown: RegExp, key: string): Promise<void> {
  await listening(terminal, shown);
  terminal.press(key);
  await terminal.waitFor((text) => !shown.test(text), `the dialog with ${shown} to close`);
}

/** Opens a form's review; its live check may have to come first. */
export async function review(terminal: Terminal, shown: RegExp): Promise<void> {
  await until(`the confirmation with ${shown}`, () => {
    if (shown.test(terminal.text())) return true;
    terminal.press('ctrl-r');
    return false;
  });
}
