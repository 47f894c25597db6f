/**
 * Repeats an attempt as the specification's retry guidance says, with bounded attempts and waits. Has no
 * clock of its own.
 */
import { ApiError, NetworkError } from './errors.ts';

/**
 * INTERNAL_ERROR covers failures that may pass and features that an exchange lacks ("paper-spot has no
 * leverage"); only the message tells them apart. After this many equal ones in a row it is taken as
 * permanent.
 */
const SAME_INTERNAL_ERRORS = 3;

export interface RetryOptions {
  /** Number of attempts, the first one included. */
  readonly attempts: number;
  /** The first wait, ms; doubles with each attempt, up to `maxDelayMs`, half of it random. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  /** Longest Retry-After that is waited for: with a longer one the error is thrown. */
  readonly maxRetryAfterMs: number;
  /** No attempt starts later than this after the first one; a running one is not cut off. */
  readonly maxTotalMs: number;
}

export interface RetryPorts {
  /** The local clock, ms. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Random numbers, uniform in [0, 1). */
  readonly random: () => number;
  /** Removes the cause of an error, if it can: true = the next attempt comes at once, whatever the error. */
  readonly recover: (error: unknown) => Promise<boolean>;
}

/**
 * Runs `attempt` until it succeeds or fails for good, or until attempts or time are used up; then throws the
 * last error.
 */
export async function withRetries<T>(
  options: RetryOptions,
  ports: RetryPorts,
  attempt: () => Promise<T>,
): Promise<T> {
  const startedAt = ports.now();
  let internalErrors = 0;
  let lastMessage = '';
  for (let number = 1; ; number++) {
    try {
      return await attempt();
    } catch (error) {
      if (isInternalError(error)) {
        internalErrors = error.message === lastMessage ? internalErrors + 1 : 1;
        lastMessage = error.message;
      } else internalErrors = 0;
      if (number >= options.attempts || internalErrors >= SAME_INTERNAL_ERRORS) throw error;
      if (await ports.recover(error)) continue;
      const wait = waitBefore(error, number, options, ports);
      if (wait === null || ports.now() - startedAt + wait > options.maxTotalMs) throw error;
      await ports.sleep(wait);
    }
  }
}

/**
 * Wait before the next attempt after `number` attempts: doubles each time up to the longest, half of it
 * random.
 */
export function backOffMs(
  number: number,
  { baseDelayMs, maxDelayMs }: Pick<RetryOptions, 'baseDelayMs' | 'maxDelayMs'>,
  random: () => number,
): number {
  const ceiling = Math.min(maxDelayMs, baseDelayMs * 2 ** (number - 1));
  return Math.round(ceiling * (0.5 + 0.5 * random()));
}

/**
 * The wait in a Retry-After header of whole seconds (specification, "Errors"), ms; null for anything else.
 */
export function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}

function isInternalError(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'INTERNAL_ERROR';
}

/** Ms until the next attempt; null when there must not be one. */
function waitBefore(error: unknown, number: number, options: RetryOptions, ports: RetryPorts): number | null {
  if (!(error instanceof ApiError || error instanceof NetworkError) || !error.retryable) return null;
  if (!(error instanceof ApiError) || error.retryAfterMs === null) {
    return backOffMs(number, options, ports.random);
  }
  if (error.retryAfterMs > options.maxRetryAfterMs) return null;
  // Never before Retry-After, but a little after it, so that many clients do not return at once.
  return error.retryAfterMs + Math.round(options.baseDelayMs * ports.random());
}
