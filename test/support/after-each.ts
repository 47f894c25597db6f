/**
 * What a support module does after every test. Test files share a process, in which such a module is loaded once: a hook
 * of its own would belong to the first file that imports it, and to no other. The hook that takes these steps is set for
 * each file anew (every-file.ts).
 */

const steps: (() => void | Promise<void>)[] = [];

/** Called by a module when it is loaded, once. What `step` throws fails the test that was the last. */
export function afterEachTest(step: () => void | Promise<void>): void {
  steps.push(step);
}

/** Takes all steps, the last one first, as vitest does with hooks. Throws the first error, after the last step. */
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
