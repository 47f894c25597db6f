/** Waits with a limit for a condition of the real world. Nothing else in these tests lets time pass. */

/** Generous: on a loaded machine a start takes seconds. Only a failing test reaches it. */
export const WAIT_LIMIT_MS = 15_000;
const POLL_MS = 20;

/**
 * Waits until `look` gives something other than null, undefined or false; rejects with `what` after
 * `limitMs`.
 */
export async function until<T>(
  what: string,
  look: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  limitMs = WAIT_LIMIT_MS,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Resolves when the process is gone; for processes that are not children of this one. */
export async function gone(pid: number): Promise<void> {
  await until(`the end of process ${pid}`, () => !isAlive(pid));
}
