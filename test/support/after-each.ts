/**
 * Steps that support modules take after every test. Test files share a process, in which such a module is
 * loaded once: its own hook would belong only to the first file that imports it. The hook that takes these
 * steps is set for each file anew (every-file.ts).
 */

const steps: (() => void | Promise<void>)[] = [];

/**
 * Registers a step; called once by a module when it is loaded. An error of `step` fails the test that was
 * last.
 */
export function afterEachTest(step: () => void | Promise<void>): void {
  steps.push(step);
}

/**
 * Takes all steps, the last registered one first, as vitest does with hooks. Throws the first error, after
 * the last step.
 */
export async function takeSteps(): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps.toReversed()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
